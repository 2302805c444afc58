//! Releases from known seeds: golden vectors and studies. A release library must not have this.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use textveil::{Dropout, Error, Piece, ReleaseRng, Table, TokenKind, seeded_rng};

use crate::veil::{dims, fitting, floats, normal, reported, slices};
use crate::{
    ChoiceOptions, ChoiceReport, Contribution, Contributor, Detected, Options, Release, Representation,
    RepresentationOptions, StatementRelease, Statements, TextVectors, TextVeil, TextVeilError,
};

/// The keystream of a text in a study: that of SHA-256(seed ‖ text), for a field SHA-256(seed ‖ text ‖ 0xff ‖
/// field). It does not depend on what was drawn before, nor on the thread or the machine that draws.
pub(crate) fn rng_of<'a>(seed: &[u8; 32], input: impl IntoIterator<Item = &'a [u8]>) -> ReleaseRng {
    let mut hash = Sha256::new_with_prefix(seed);
    for part in input {
        hash.update(part);
    }
    seeded_rng(hash.finalize().into())
}

fn of(seed: Vec<u8>) -> Result<[u8; 32], Error> {
    seed.try_into().map_err(|_| Error::InvalidArgument)
}

/// A stretch of a text. Layout has no `kind`, and passes in clear.
#[derive(uniffi::Record)]
pub struct SeededPiece {
    /// What kind of token it is.
    pub kind: Option<TokenKind>,
    /// The characters.
    pub text: String,
}

/// What golden vectors and studies need. All but the first draw anew each time, and remember nothing.
#[uniffi::export]
impl TextVeil {
    /// For a study that others are to repeat: every release follows from the seed (32 bytes) and its text.
    /// Without table bytes, the English table.
    ///
    /// # Errors
    /// `BadTable`; `InvalidArgument` for another seed.
    #[uniffi::constructor]
    pub fn seeded(table: Option<Vec<u8>>, seed: Vec<u8>) -> Result<Arc<Self>, TextVeilError> {
        let table = match table {
            Some(bytes) => Table::parse(bytes)?,
            None => Table::english()?,
        };
        let mut veil = Self::of(table);
        veil.source.seed = Some(of(seed)?);
        Ok(Arc::new(veil))
    }

    /// `privatize` from the keystream of a seed.
    ///
    /// # Errors
    /// As `privatize`.
    #[uniffi::method(default(detected = None))]
    pub fn privatize_seeded(
        &self,
        text: &str,
        options: &Options,
        seed: Vec<u8>,
        detected: Option<Detected>,
    ) -> Result<Release, TextVeilError> {
        let text = fitting(text, detected.as_ref())?;
        let release = self.privatizer(options)?.privatize(&text, &mut seeded_rng(of(seed)?))?;
        Ok(Release::new(&self.table, &release))
    }

    /// `representation` from the keystream of a seed.
    ///
    /// # Errors
    /// As `representation`.
    pub fn representation_seeded(
        &self,
        text: &str,
        options: &RepresentationOptions,
        seed: Vec<u8>,
    ) -> Result<Representation, TextVeilError> {
        let (representer, dropout) = (self.representer(options, None)?, options.dropout());
        Ok((&representer.represent(&normal(text)?, &dropout, &mut seeded_rng(of(seed)?))?).into())
    }

    /// `representation_of` from the keystream of a seed.
    ///
    /// # Errors
    /// As `representation_of`.
    pub fn representation_of_seeded(
        &self,
        vectors: Vec<Vec<u8>>,
        options: &RepresentationOptions,
        seed: Vec<u8>,
    ) -> Result<Representation, TextVeilError> {
        let vectors = floats(&vectors)?;
        let representer = self.representer(options, Some(dims(&vectors)))?;
        let dropout = options.dropout();
        Ok((&representer.represent_vectors(&slices(&vectors), &dropout, &mut seeded_rng(of(seed)?))?).into())
    }

    /// `choice` from the keystream of a seed.
    ///
    /// # Errors
    /// As `choice`.
    pub fn choice_seeded(
        &self,
        index: u32,
        size: u32,
        options: &ChoiceOptions,
        seed: Vec<u8>,
    ) -> Result<ChoiceReport, TextVeilError> {
        Ok(reported(&options.choosing(size)?, index, &mut seeded_rng(of(seed)?))?)
    }

    /// What `privatize` remembers the release of a text by, in hexadecimal.
    ///
    /// # Errors
    /// As `privatize`.
    pub fn key(&self, text: &str, options: &Options, field: Option<String>) -> Result<String, TextVeilError> {
        Ok(self.privatizer(options)?.key(&normal(text)?, field.as_deref()).to_hex())
    }

    /// What `representation` remembers a text by.
    ///
    /// # Errors
    /// As `representation`.
    pub fn representation_key(
        &self,
        text: &str,
        options: &RepresentationOptions,
        field: Option<String>,
    ) -> Result<String, TextVeilError> {
        Ok(self.representer(options, None)?.key(&normal(text)?, &options.dropout(), field.as_deref())?.to_hex())
    }

    /// What `representation_of` remembers vectors by.
    ///
    /// # Errors
    /// As `representation_of`.
    pub fn representation_of_key(
        &self,
        vectors: Vec<Vec<u8>>,
        options: &RepresentationOptions,
        field: Option<String>,
    ) -> Result<String, TextVeilError> {
        let vectors = floats(&vectors)?;
        let representer = self.representer(options, Some(dims(&vectors)))?;
        Ok(representer.key_of_vectors(&slices(&vectors), &options.dropout(), field.as_deref())?.to_hex())
    }

    /// What `choice` remembers an answer by.
    ///
    /// # Errors
    /// As `choice`.
    pub fn choice_key(
        &self,
        index: u32,
        size: u32,
        question: &str,
        options: &ChoiceOptions,
    ) -> Result<String, TextVeilError> {
        Ok(options.choosing(size)?.key(question, index as usize).to_hex())
    }

    /// Draws for one row of the table after the other, from the keystream of a seed.
    ///
    /// # Errors
    /// As `privatize`; `InvalidArgument` for a row that is not in the table.
    pub fn draw_seeded(&self, rows: Vec<u32>, options: &Options, seed: Vec<u8>) -> Result<Vec<u32>, TextVeilError> {
        let privatizer = self.privatizer(options)?;
        let inputs: Option<Vec<_>> = rows.iter().map(|row| self.table.row(*row as usize)).collect();
        let (inputs, mut rng) = (inputs.ok_or(Error::InvalidArgument)?, seeded_rng(of(seed)?));
        Ok(inputs.into_iter().map(|input| privatizer.draw(input, &mut rng).row() as u32).collect())
    }

    /// Fails with the text for its message, as a fault of the library might: for the tests of what then comes
    /// out.
    ///
    /// # Errors
    /// The language's own for a panic.
    #[expect(clippy::panic, reason = "what it is for")]
    pub fn fail_with(&self, text: &str) -> Result<(), TextVeilError> {
        crate::panics::without_words(|| panic!("{text}"))
    }

    /// How a text (as it stands, without NFKC) is split.
    ///
    /// # Errors
    /// `TextTooLong`.
    pub fn split(&self, text: &str) -> Result<Vec<SeededPiece>, TextVeilError> {
        let piece = |piece| match piece {
            Piece::Layout(text) => SeededPiece { kind: None, text },
            Piece::Token { kind, text } => SeededPiece { kind: Some(kind), text },
        };
        Ok(Piece::split(text)?.into_iter().map(piece).collect())
    }
}

/// The same for whole texts.
#[uniffi::export]
impl Statements {
    /// For a study that others are to repeat: every release follows from the seed (32 bytes) and its text.
    ///
    /// # Errors
    /// As `new`; `InvalidArgument` for another seed.
    #[uniffi::constructor]
    pub fn seeded(
        list: Vec<u8>,
        encoder: Option<Vec<u8>>,
        epsilon: Option<f64>,
        near: Option<u32>,
        per_sentence: u32,
        any_language: bool,
        seed: Vec<u8>,
    ) -> Result<Arc<Self>, TextVeilError> {
        let mut statements = Self::new(list, encoder, epsilon, near, per_sentence, any_language)?;
        statements.source.seed = Some(of(seed)?);
        Ok(Arc::new(statements))
    }

    /// `privatize` from the keystream of a seed.
    ///
    /// # Errors
    /// As `privatize`.
    pub fn privatize_seeded(&self, text: &str, seed: Vec<u8>) -> Result<StatementRelease, TextVeilError> {
        Ok(self.exchange(&normal(text)?, &mut seeded_rng(of(seed)?))?.into())
    }

    /// `privatize_vectors` from the keystream of a seed.
    ///
    /// # Errors
    /// As `privatize_vectors`.
    pub fn privatize_vectors_seeded(
        &self,
        vectors: Vec<Vec<u8>>,
        seed: Vec<u8>,
    ) -> Result<StatementRelease, TextVeilError> {
        let rng = &mut seeded_rng(of(seed)?);
        Ok(self.statements.exchange_vectors(&floats(&vectors)?, rng)?.into())
    }

    /// What `privatize` remembers the release of a text by, in hexadecimal.
    ///
    /// # Errors
    /// `TextTooLong`.
    pub fn key(&self, text: &str, field: Option<String>) -> Result<String, TextVeilError> {
        Ok(self.statements.key(&normal(text)?, field.as_deref()).to_hex())
    }

    /// What `privatize_vectors` remembers vectors by.
    ///
    /// # Errors
    /// `InvalidVector`.
    pub fn vectors_key(&self, vectors: Vec<Vec<u8>>, field: Option<String>) -> Result<String, TextVeilError> {
        Ok(self.statements.key_of_vectors(&floats(&vectors)?, field.as_deref()).to_hex())
    }
}

/// The same for vectors of whole texts.
#[uniffi::export]
impl TextVectors {
    /// For a study that others are to repeat: every vector follows from the seed (32 bytes) and its text.
    ///
    /// # Errors
    /// As `new`; `InvalidArgument` for another seed.
    #[uniffi::constructor]
    pub fn seeded(
        encoder: Vec<u8>,
        epsilon: f64,
        dims: Option<u32>,
        seed: Vec<u8>,
    ) -> Result<Arc<Self>, TextVeilError> {
        let mut vectors = Self::new(encoder, epsilon, dims)?;
        vectors.source.seed = Some(of(seed)?);
        Ok(Arc::new(vectors))
    }

    /// `representation` from the keystream of a seed.
    ///
    /// # Errors
    /// As `representation`.
    pub fn representation_seeded(&self, text: &str, seed: Vec<u8>) -> Result<Representation, TextVeilError> {
        let rng = &mut seeded_rng(of(seed)?);
        Ok((&self.representer.represent(&normal(text)?, &Dropout::None, rng)?).into())
    }

    /// What `representation` remembers a text by, in hexadecimal.
    ///
    /// # Errors
    /// `TextTooLong`.
    pub fn key(&self, text: &str, field: Option<String>) -> Result<String, TextVeilError> {
        Ok(self.representer.key(&normal(text)?, &Dropout::None, field.as_deref())?.to_hex())
    }
}

/// The same for contributions.
#[uniffi::export]
impl Contributor {
    /// `contribute` from the keystream of a seed.
    ///
    /// # Errors
    /// As `contribute`; `InvalidArgument` for another seed.
    pub fn contribute_seeded(
        &self,
        texts: Vec<String>,
        epsilon: Option<f64>,
        seed: Vec<u8>,
    ) -> Result<Contribution, TextVeilError> {
        self.answer(&texts, epsilon, &mut seeded_rng(of(seed)?))
    }
}
