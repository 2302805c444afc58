//! What `textveil/all` has next to the other mechanisms: representations of texts and vectors, reports of choices, contributions
//! to new words.

mod contributions;
mod options;
pub(crate) mod results;

use std::cell::RefCell;
use std::rc::Rc;

use textveil::{
    Dropout, Error, Gauge, Piece, Prepared, Prior, Representer, Table, TextEncoder, TokenKind, Unit, look_up,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::options::whole;
use crate::results::guarantee;
use crate::{Veil, thrown};
use options::{Outside, Representing, choosing, representing};

/// How many words the attacker of `guesses` considers, the nearest ones: each costs a scan of the table.
const CANDIDATES: usize = 200;

pub(crate) type Representers = RefCell<Prepared<Representing, Rc<Representer>>>;

/// What represents vectors, what is left out of them, and the vectors.
type OfVectors = (Rc<Representer>, Dropout, Vec<Vec<f64>>);

#[wasm_bindgen]
impl Veil {
    /// Represents whole texts by the text encoder that this table file is, from now on.
    ///
    /// # Errors
    /// `bad-table`, `other-encoder`.
    #[wasm_bindgen(js_name = encodeBy, skip_jsdoc)]
    pub fn encode_by(&mut self, table: Vec<u8>) -> Result<(), JsValue> {
        self.encoder = Some(Table::parse(table).and_then(TextEncoder::new).map_err(thrown)?);
        self.representers.borrow_mut().forget(|_| true);
        Ok(())
    }

    /// Draws a representation of a text (NFKC is the caller's part) from the table's vectors, or from its own by the
    /// text encoder.
    ///
    /// # Errors
    /// As `privatize`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn representation(&self, text: &str, options: &JsValue) -> Result<JsValue, JsValue> {
        let drawn = self
            .representer(options, None)
            .and_then(|(representer, dropout)| representer.represent(text, &dropout, &mut self.randomness.next()?));
        Ok(results::representation(&drawn.map_err(thrown)?))
    }

    /// What the representation of a text for a field is remembered by.
    ///
    /// # Errors
    /// The codes of the options, `text-too-long`, `other-language`.
    #[wasm_bindgen(js_name = representationKey, skip_jsdoc)]
    pub fn representation_key(&self, text: &str, field: Option<String>, options: &JsValue) -> Result<String, JsValue> {
        let key = self.representer(options, None).and_then(|(representer, dropout)| {
            representer.check(text)?;
            representer.key(text, &dropout, field.as_deref())
        });
        Ok(key.map_err(thrown)?.to_hex())
    }

    /// What the representation of another encoder's vectors for a field is remembered by.
    ///
    /// # Errors
    /// The codes of the options, `invalid-vector`, `dimension-mismatch`.
    #[wasm_bindgen(js_name = representationOfKey, skip_jsdoc)]
    pub fn representation_of_key(
        &self,
        vectors: &JsValue,
        field: Option<String>,
        options: &JsValue,
    ) -> Result<String, JsValue> {
        let key = self.of_vectors(vectors, options).and_then(|(representer, dropout, vectors)| {
            representer.key_of_vectors(&slices(&vectors), &dropout, field.as_deref())
        });
        Ok(key.map_err(thrown)?.to_hex())
    }

    /// Draws a representation from the vectors (a list of `Float64Array`) of another encoder.
    ///
    /// # Errors
    /// The codes of the options, `invalid-vector`, `dimension-mismatch`, `not-normalized`,
    /// `entropy-unavailable`.
    #[wasm_bindgen(js_name = representationOf, skip_jsdoc)]
    pub fn representation_of(&self, vectors: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
        let drawn = self.of_vectors(vectors, options).and_then(|(representer, dropout, vectors)| {
            representer.represent_vectors(&slices(&vectors), &dropout, &mut self.randomness.next()?)
        });
        Ok(results::representation(&drawn.map_err(thrown)?))
    }

    /// The guarantee of a representation of `words` words, with `dims` dimensions if they are another
    /// encoder's and without the dropout, before anything is drawn.
    ///
    /// # Errors
    /// The codes of the options.
    #[wasm_bindgen(js_name = representationGuarantee, skip_jsdoc)]
    pub fn representation_guarantee(
        &self,
        options: &JsValue,
        words: usize,
        dims: Option<usize>,
    ) -> Result<JsValue, JsValue> {
        let promised =
            self.representer(options, dims).and_then(|(representer, _)| representer.guarantee(words, &Dropout::None));
        Ok(guarantee(&promised.map_err(thrown)?))
    }

    /// What protects each word of a text (in NFKC): for the device's eyes only.
    ///
    /// # Errors
    /// As `privatize`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn deniability(&self, text: &str, options: &JsValue) -> Result<JsValue, JsValue> {
        let found = self
            .privatizer(options)
            .and_then(|privatizer| privatizer.text_deniability(text, Gauge::default(), &mut self.randomness.next()?));
        Ok(results::deniability(&self.table, &found.map_err(thrown)?))
    }

    /// The words that may stand behind an output, and how likely each is to a reader who takes the word alone: for the
    /// device's eyes only.
    ///
    /// # Errors
    /// The codes of the options; `invalid-argument` for what is no word of the table, `not-offered` for a
    /// mechanism that does not state its probabilities.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn guesses(&self, word: &str, options: &JsValue, most: usize) -> Result<JsValue, JsValue> {
        let candidates = CANDIDATES.min(self.table.len());
        let found = self.privatizer(options).and_then(|privatizer| {
            let output = self.table.find(word).ok_or(Error::InvalidArgument)?;
            let found = privatizer.guesses(output, &Prior::by_frequency(&self.table), candidates, candidates)?;
            let written = found.iter().find(|(guess, _)| *guess == output).map_or(0.0, |(_, probability)| *probability);
            Ok((found, written))
        });
        let (mut found, written) = found.map_err(thrown)?;
        found.truncate(most);
        Ok(results::guesses(&self.table, &found, written, candidates))
    }

    /// The vector of the row that a token stands for, in units of the table; that of an unknown word is the null vector.
    #[wasm_bindgen(skip_jsdoc)]
    #[must_use]
    pub fn vector(&self, token: &str) -> Vec<f64> {
        let row = look_up(&self.table, TokenKind::Word, token).row;
        let vector = row.map_or_else(|| vec![0; self.table.dims()], |row| self.table.vector(row));
        vector.into_iter().map(|step| self.table.scale() * f64::from(step)).collect()
    }

    /// The words of the table that the tokens of a text (NFKC is the caller's part) stand for, in their order; null for an
    /// unknown one.
    ///
    /// # Errors
    /// `text-too-long`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn words(&self, text: &str) -> Result<JsValue, JsValue> {
        let row = |piece| match piece {
            Piece::Token { kind, text } => Some(look_up(&self.table, kind, &text).row),
            Piece::Layout(_) => None,
        };
        let rows = Piece::split(text).map_err(thrown)?.into_iter().filter_map(row);
        Ok(results::words(&self.table, rows))
    }

    /// Draws the report of value number `index` of a public list of `size` values.
    ///
    /// # Errors
    /// The codes of the options, `invalid-argument` without such a list or value, `entropy-unavailable`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn choice(&self, index: f64, size: f64, options: &JsValue) -> Result<JsValue, JsValue> {
        let drawn = choosing(size, options).and_then(|unary| {
            let mut rng = self.randomness.next()?;
            Ok((unary.report(whole(index)?, &mut rng)?, unary.guarantee().of_draw(&rng)))
        });
        let (report, guarantee) = drawn.map_err(thrown)?;
        Ok(results::choice(&report, &guarantee))
    }

    /// What the report of an answer to a question is remembered by.
    ///
    /// # Errors
    /// As `choice`, except for `entropy-unavailable`.
    #[wasm_bindgen(js_name = choiceKey, skip_jsdoc)]
    pub fn choice_key(&self, question: &str, index: f64, size: f64, options: &JsValue) -> Result<String, JsValue> {
        let key = choosing(size, options).and_then(|unary| Ok(unary.key(question, whole(index)?)));
        Ok(key.map_err(thrown)?.to_hex())
    }

    /// The guarantee of a report of one of `size` values, before anything is drawn.
    ///
    /// # Errors
    /// As `choice`.
    #[wasm_bindgen(js_name = choiceGuarantee, skip_jsdoc)]
    pub fn choice_guarantee(&self, size: f64, options: &JsValue) -> Result<JsValue, JsValue> {
        Ok(guarantee(&choosing(size, options).map_err(thrown)?.guarantee()))
    }

    /// The vectors of another encoder, and what represents them.
    fn of_vectors(&self, vectors: &JsValue, options: &JsValue) -> Result<OfVectors, Error> {
        let vectors = options::vectors(vectors)?;
        let (representer, dropout) = self.representer(options, Some(vectors.first().map_or(0, Vec::len)))?;
        Ok((representer, dropout, vectors))
    }

    fn representer(&self, options: &JsValue, dims: Option<usize>) -> Result<(Rc<Representer>, Dropout), Error> {
        let (asked, dropout) = representing(options, dims)?;
        let Representing { mechanism, unit, vectors, any_language, dims } = asked;
        let prepare = || match vectors {
            None if unit == Unit::WholeText => {
                Representer::of_encoder(self.encoder.as_ref().ok_or(Error::OtherEncoder)?, dims, mechanism)
            }
            None if any_language => {
                Representer::of_table(&self.table, mechanism, unit).map(Representer::of_any_language)
            }
            None => Representer::of_table(&self.table, mechanism, unit),
            Some(Outside { dims, clip }) => Representer::of_vectors(dims, clip, mechanism, unit),
        };
        let representer = self.representers.borrow_mut().get(asked, || prepare().map(Rc::new))?;
        Ok((representer, dropout))
    }
}

fn slices(vectors: &[Vec<f64>]) -> Vec<&[f64]> {
    vectors.iter().map(Vec::as_slice).collect()
}
