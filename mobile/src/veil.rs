//! The object that privatizes words.

use std::sync::Arc;

use getrandom::SysRng;
use textveil::{
    Error, Gauge, MAX_TEXT_BYTES, MechanismKind, Privatizer, Redacted, ReleaseKey, ReleaseRng, Representer, Table,
    Unary, normalize, release_rng,
};

use crate::once::{Drawn, Prepared};
use crate::options::{Outside, Representing, Rewriting, redacted};
use crate::panics;
use crate::results::Level;
use crate::source::{Source, of_field};
use crate::{
    Alternatives, ChoiceOptions, ChoiceReport, Detected, Guarantee, MechanismInfo, Options, Release, Representation,
    RepresentationOptions, TextVeilError, TokenDeniability,
};

/// What a release is remembered by: its key, and whether texts of any language are taken. The key does not say that, since the
/// draw is the same. The guarantee says it.
type OfLanguage = (ReleaseKey, bool);

/// Privatizes texts over one table. To be called from any thread; every call is synchronous.
///
/// A text is drawn **once**: for the life of the object, the same text for the same field under the same terms
/// gives the very same release, because every further draw would spend privacy again. Texts and releases are
/// remembered in memory, in plain text, for as long; a fresh object forgets. **One object is for one person's
/// texts**: that equal texts have equal releases would show that two people wrote the same.
/// `privatize_column`, for the texts of many, remembers nothing.
///
/// Any edit is another text and draws all its words anew: privatize the finished text, not each keystroke.
#[derive(uniffi::Object)]
pub struct TextVeil {
    pub(crate) table: Table,
    privatizers: Prepared<Rewriting, Privatizer>,
    representers: Prepared<Representing, Representer>,
    releases: Drawn<OfLanguage, Release>,
    representations: Drawn<OfLanguage, Representation>,
    choices: Drawn<ReleaseKey, ChoiceReport>,
    pub(crate) source: Source,
}

#[cfg(feature = "embedded-table")]
#[uniffi::export]
impl TextVeil {
    /// With the English table that the library carries.
    ///
    /// # Errors
    /// None in a library whose tests pass.
    #[uniffi::constructor]
    pub fn new() -> Result<Self, TextVeilError> {
        Ok(Self::of(english()?))
    }
}

#[uniffi::export]
impl TextVeil {
    /// With a table file, which decides the language and the vocabulary.
    ///
    /// # Errors
    /// `BadTable`.
    #[uniffi::constructor]
    pub fn from_table(bytes: Vec<u8>) -> Result<Self, TextVeilError> {
        Ok(Self::of(Table::parse(bytes)?))
    }

    /// Privatizes a text: the only thing that leaves the device should be the result's `text` (and its
    /// `guarantee`).
    ///
    /// `field` is any name of what the text is for, such as that of the form's field, and stays here. Each
    /// field is drawn for itself, as equal releases for two fields would show that their texts are equal.
    ///
    /// What was `detected` is taken out first. A placeholder with its kind takes its place, and the guarantee says that
    /// a detector chose, also if it found nothing.
    ///
    /// # Errors
    /// `TextTooLong`, `OtherLanguage`, `InvalidSpan`, `EntropyUnavailable`, and what is wrong with the options.
    #[uniffi::method(default(field = None, detected = None))]
    pub fn privatize(
        &self,
        text: &str,
        options: &Options,
        field: Option<String>,
        detected: Option<Detected>,
    ) -> Result<Release, TextVeilError> {
        panics::without_words(|| {
            let text = fitting(text, detected.as_ref())?;
            let privatizer = self.privatizer(options)?;
            // Also if it was drawn before on other terms.
            privatizer.check(&text)?;
            Ok(self.releases.once((privatizer.key(&text, field.as_deref()), options.any_language), || {
                let shown = text.text();
                let mut rng = self.source.rng(of_field([shown.as_bytes()], field.as_deref()))?;
                let release = privatizer.privatize(&text, &mut rng)?;
                Ok::<_, Error>(Release::new(&self.table, &release))
            })?)
        })
    }

    /// The guarantee that `privatize` would give for a text of one word that no detector has seen, before anything is
    /// drawn.
    ///
    /// # Errors
    /// What is wrong with the options.
    pub fn guarantee(&self, options: &Options) -> Result<Guarantee, TextVeilError> {
        Ok((&self.privatizer(options)?.guarantee(1)).into())
    }

    /// The levels of the table, for all mechanisms, each ordered from the most private on.
    ///
    /// # Errors
    /// None for a table that was read.
    pub fn levels(&self) -> Result<Vec<Level>, TextVeilError> {
        Ok(self.table.level_reports()?)
    }

    /// Every mechanism, with its parameters.
    pub fn mechanisms(&self) -> Vec<MechanismInfo> {
        MechanismKind::ALL.iter().copied().map(MechanismInfo::from).collect()
    }

    /// The table's public identity: its SHA-256 in hexadecimal.
    pub fn table_id(&self) -> String {
        self.table.id().to_string()
    }

    /// The `k` likeliest outcomes of a token, from 1 to 1000, if it is drawn: options that leave it in clear do not
    /// count. **For the device only**: the probabilities tell which word was typed.
    ///
    /// # Errors
    /// As `privatize`; `InvalidOptions` for another `k`.
    pub fn alternatives(&self, token: &str, options: &Options, k: u32) -> Result<Alternatives, TextVeilError> {
        panics::without_words(|| {
            if !(1..=1000).contains(&k) {
                return Err(Error::InvalidOptions.into());
            }
            let privatizer = self.privatizer(options)?;
            let found = privatizer.alternatives(&normal(token)?, k as usize, &mut release_rng(&mut SysRng)?)?;
            Ok(Alternatives::new(&self.table, &found))
        })
    }

    /// What protects each word of a text, in its order, before it is privatized. Nothing is released. **For
    /// the device only: it depends on the words.** To choose a level by it, choose once for all texts: a
    /// level that follows the text tells of it.
    ///
    /// # Errors
    /// As `privatize`.
    pub fn deniability(&self, text: &str, options: &Options) -> Result<Vec<TokenDeniability>, TextVeilError> {
        panics::without_words(|| {
            let privatizer = self.privatizer(options)?;
            let tokens =
                privatizer.text_deniability(&normal(text)?, Gauge::default(), &mut release_rng(&mut SysRng)?)?;
            Ok(tokens.into_iter().map(|token| TokenDeniability::new(&self.table, token)).collect())
        })
    }

    /// Represents a text by noisy vectors of the table, or by noisy bits: what a model on a server can learn
    /// from. Of the text's shape nothing is in it but the number of words, and with unit `Word` their order.
    ///
    /// Each `field` is drawn for itself, as by `privatize`.
    ///
    /// A text that is both privatized and represented has been released twice, and the losses add up.
    ///
    /// # Errors
    /// As `privatize`.
    #[uniffi::method(default(field = None))]
    pub fn representation(
        &self,
        text: &str,
        options: &RepresentationOptions,
        field: Option<String>,
    ) -> Result<Representation, TextVeilError> {
        panics::without_words(|| {
            let (text, field) = (normal(text)?, field.as_deref());
            let (representer, dropout) = (self.representer(options, None)?, options.dropout());
            representer.check(&text)?;
            Ok(self.representations.once((representer.key(&text, &dropout, field)?, options.any_language), || {
                let mut rng = self.source.rng(of_field([text.as_bytes()], field))?;
                Ok::<_, Error>((&representer.represent(&text, &dropout, &mut rng)?).into())
            })?)
        })
    }

    /// The same for the vectors that any other encoder gave (each as 64-bit floats, little-endian): one for
    /// each word, or one for the text. Each is clipped to the norm `clip` (`dpnr`: each coordinate to
    /// ±`clip`) and cut to a lattice of `clip`/4096. For `privunit2`, and so without a mechanism, each must
    /// have length 1, and `clip` says nothing. **What is protected is a vector**: two lists are neighbours if
    /// they differ in one. If the encoder looks at more than one word for a vector (as contextual ones do),
    /// what holds for a word is `epsilon_text`.
    ///
    /// `privunit2` keeps the direction alone, and tells most where what all vectors have in common is
    /// subtracted first: their mean over public texts, **never over private ones**.
    ///
    /// # Errors
    /// `InvalidVector`, `DimensionMismatch`, `NotNormalized`, `EntropyUnavailable`, and what is wrong with
    /// the options.
    #[uniffi::method(default(field = None))]
    pub fn representation_of(
        &self,
        vectors: Vec<Vec<u8>>,
        options: &RepresentationOptions,
        field: Option<String>,
    ) -> Result<Representation, TextVeilError> {
        panics::without_words(|| {
            let (floats, field) = (floats(&vectors)?, field.as_deref());
            let (representer, dropout) = (self.representer(options, Some(dims(&floats)))?, options.dropout());
            let rows = slices(&floats);
            Ok(self.representations.once(
                (representer.key_of_vectors(&rows, &dropout, field)?, options.any_language),
                || {
                    let bytes: Vec<Vec<u8>> = floats.iter().map(|row| bytes_of(row)).collect();
                    let mut rng = self.source.rng(of_field(bytes.iter().map(Vec::as_slice), field))?;
                    Ok::<_, Error>((&representer.represent_vectors(&rows, &dropout, &mut rng)?).into())
                },
            )?)
        })
    }

    /// The guarantee of a representation of `words` words, with `dims` dimensions if they are another
    /// encoder's, before anything is drawn.
    ///
    /// # Errors
    /// What is wrong with the options.
    #[uniffi::method(default(dims = None))]
    pub fn representation_guarantee(
        &self,
        options: &RepresentationOptions,
        words: u32,
        dims: Option<u32>,
    ) -> Result<Guarantee, TextVeilError> {
        let representer = self.representer(options, dims.map(|dims| dims as usize))?;
        Ok((&representer.guarantee(words as usize, &options.dropout())?).into())
    }

    /// Reports one value of a public list (an answer, a category, a rating) as a noisy bit for each value.
    /// `question` is any name of what is answered, and stays here: each question has its own.
    ///
    /// An answer is drawn **once** for the life of the object. **A changed answer is another value, and a new
    /// release that spends again**: report the final answer. Answers to several questions are several
    /// releases, and the losses add up.
    ///
    /// # Errors
    /// `InvalidArgument` unless `size` is from 2 to 65,536 and `index` below it; `EntropyUnavailable`, and
    /// what is wrong with the options.
    pub fn choice(
        &self,
        index: u32,
        size: u32,
        question: &str,
        options: &ChoiceOptions,
    ) -> Result<ChoiceReport, TextVeilError> {
        panics::without_words(|| {
            let unary = options.choosing(size)?;
            Ok(self.choices.once(unary.key(question, index as usize), || {
                let input = [question.as_bytes(), &size.to_le_bytes(), &index.to_le_bytes()];
                reported(&unary, index, &mut self.source.rng(input)?)
            })?)
        })
    }

    /// The guarantee of a report of one of `size` values, before anything is drawn.
    ///
    /// # Errors
    /// As `choice`.
    pub fn choice_guarantee(&self, size: u32, options: &ChoiceOptions) -> Result<Guarantee, TextVeilError> {
        Ok((&options.choosing(size)?.guarantee()).into())
    }
}

impl TextVeil {
    /// Every object comes from here, and no text comes to the library but through one.
    pub(crate) fn of(table: Table) -> Self {
        panics::print_places_only();
        Self {
            table,
            privatizers: Prepared::default(),
            representers: Prepared::default(),
            releases: Drawn::default(),
            representations: Drawn::default(),
            choices: Drawn::default(),
            source: Source::default(),
        }
    }

    pub(crate) fn privatizer(&self, options: &Options) -> Result<Arc<Privatizer>, Error> {
        let asked = options.rewriting(self.table.default_mechanism())?;
        self.privatizers.get(asked.clone(), || {
            let privatizer =
                Privatizer::new(&self.table, asked.mechanism, asked.disclosure)?.with_lists(asked.lists)?;
            let privatizer = if asked.as_drawn { privatizer.as_drawn() } else { privatizer };
            Ok(if asked.any_language { privatizer.of_any_language() } else { privatizer })
        })
    }

    pub(crate) fn representer(
        &self,
        options: &RepresentationOptions,
        dims: Option<usize>,
    ) -> Result<Arc<Representer>, Error> {
        let asked = options.representing(dims)?;
        let Representing { mechanism, unit, vectors, any_language } = asked;
        self.representers.get(asked, || match vectors {
            None if any_language => {
                Representer::of_table(&self.table, mechanism, unit).map(Representer::of_any_language)
            }
            None => Representer::of_table(&self.table, mechanism, unit),
            Some(Outside { dims, clip }) => Representer::of_vectors(dims, clip, mechanism, unit),
        })
    }
}

/// The English table that the library carries.
#[cfg(feature = "embedded-table")]
pub(crate) fn english() -> Result<Table, Error> {
    use std::sync::OnceLock;
    // Verified once: that takes longer than all the rest.
    static ENGLISH: OnceLock<Result<Table, Error>> = OnceLock::new();
    ENGLISH.get_or_init(Table::english).clone()
}

/// A library without a table can give no table.
#[cfg(not(feature = "embedded-table"))]
pub(crate) fn english() -> Result<Table, Error> {
    Err(Error::BadTable("there is none in this library"))
}

/// Whether a text is not too long for NFKC, which makes some texts eighteen times as long.
fn fits(text: &str) -> Result<(), Error> {
    let is_long = text.len() > MAX_TEXT_BYTES && text.encode_utf16().count() > MAX_TEXT_BYTES;
    if is_long { Err(Error::TextTooLong) } else { Ok(()) }
}

/// NFKC of a text that is not too long for it.
pub(crate) fn normal(text: &str) -> Result<String, Error> {
    fits(text)?;
    Ok(normalize(text))
}

/// NFKC of what is left without what was detected, which does not count for the length.
pub(crate) fn fitting(text: &str, detected: Option<&Detected>) -> Result<Redacted<'static>, Error> {
    let text = redacted(text, detected)?;
    fits(&text.text())?;
    Ok(text.map(normalize))
}

/// Vectors from their bytes, without the signs of zeros: vectors that are equal are drawn once.
pub(crate) fn floats(vectors: &[Vec<u8>]) -> Result<Vec<Vec<f64>>, Error> {
    let vector = |bytes: &Vec<u8>| {
        let (floats, rest) = bytes.as_chunks();
        rest.is_empty().then(|| floats.iter().map(|x| f64::from_le_bytes(*x) + 0.0).collect())
    };
    vectors.iter().map(vector).collect::<Option<_>>().ok_or(Error::InvalidVector)
}

/// A vector as bytes.
pub(crate) fn bytes_of(vector: &[f64]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The number of dimensions of a list of vectors: the first one's, as the core refuses a list of unequal
/// ones.
pub(crate) fn dims(vectors: &[Vec<f64>]) -> usize {
    vectors.first().map_or(0, Vec::len)
}

pub(crate) fn slices(vectors: &[Vec<f64>]) -> Vec<&[f64]> {
    vectors.iter().map(Vec::as_slice).collect()
}

/// Draws the report of a choice.
pub(crate) fn reported(unary: &Unary, index: u32, rng: &mut ReleaseRng) -> Result<ChoiceReport, Error> {
    Ok(ChoiceReport::new(&unary.report(index as usize, rng)?, &unary.guarantee().of_draw(rng)))
}
