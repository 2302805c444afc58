//! Statements for whole texts. An app of many lists loads the encoder once.

use std::cell::RefCell;
use std::rc::Rc;

use textveil::{Error, Prepared, StatementList, Table, TextEncoder};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::js::record;
use crate::options::{Exchanging, exchanging, whole};
use crate::randomness::Randomness;
use crate::{results, thrown};

/// A static text encoder.
#[wasm_bindgen]
pub struct Encoder(TextEncoder);

#[wasm_bindgen]
impl Encoder {
    /// Reads a table file that is an encoder.
    ///
    /// # Errors
    /// `bad-table`, `other-encoder`.
    #[wasm_bindgen(constructor, skip_jsdoc)]
    pub fn new(table: Vec<u8>) -> Result<Self, JsValue> {
        Table::parse(table).and_then(TextEncoder::new).map(Self).map_err(thrown)
    }
}

/// Exchanges texts for the statements of one list.
#[wasm_bindgen]
pub struct Statements {
    list: StatementList,
    encoder: Option<TextEncoder>,
    prepared: RefCell<Prepared<Exchanging, Rc<textveil::Statements>>>,
    randomness: Randomness,
}

#[wasm_bindgen]
impl Statements {
    /// Reads the file of a list. Until it has an encoder, it takes vectors alone.
    ///
    /// # Errors
    /// `bad-statements`.
    #[wasm_bindgen(constructor, skip_jsdoc)]
    pub fn new(list: Vec<u8>) -> Result<Self, JsValue> {
        let list = StatementList::parse(list).map_err(thrown)?;
        Ok(Self { list, encoder: None, prepared: RefCell::default(), randomness: Randomness::default() })
    }

    /// Encodes texts by this encoder from now on.
    ///
    /// # Errors
    /// `other-encoder`.
    #[wasm_bindgen(js_name = encodeBy, skip_jsdoc)]
    pub fn encode_by(&mut self, encoder: &Encoder) -> Result<(), JsValue> {
        if encoder.0.id() != self.list.encoder() {
            return Err(thrown(Error::OtherEncoder));
        }
        self.encoder = Some(encoder.0.clone());
        self.prepared = RefCell::default();
        Ok(())
    }

    /// The statements, in order.
    #[wasm_bindgen(skip_jsdoc)]
    #[must_use]
    pub fn list(&self) -> Vec<String> {
        self.list.iter().map(str::to_owned).collect()
    }

    /// What the release of a text (NFKC is the caller's part) is remembered by.
    ///
    /// # Errors
    /// The codes of the options, `other-encoder` without an encoder, `text-too-long`, `other-language`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn key(&self, text: &str, field: Option<String>, options: &JsValue) -> Result<String, JsValue> {
        let key = self.statements(options).and_then(|statements| {
            statements.check(self.encoder()?, text)?;
            Ok(statements.key(text, field.as_deref()))
        });
        Ok(key.map_err(thrown)?.to_hex())
    }

    /// The same of `count` vectors of an app's own encoder, one after the other.
    ///
    /// # Errors
    /// The codes of the options, `dimension-mismatch`.
    #[wasm_bindgen(js_name = vectorKey, skip_jsdoc)]
    pub fn vector_key(
        &self,
        vectors: &[f64],
        count: usize,
        field: Option<String>,
        options: &JsValue,
    ) -> Result<String, JsValue> {
        let key = self
            .statements(options)
            .and_then(|statements| Ok(statements.key_of_vectors(&self.rows(vectors, count)?, field.as_deref())));
        Ok(key.map_err(thrown)?.to_hex())
    }

    /// Exchanges a text (NFKC is the caller's part) with randomness from the operating system.
    ///
    /// # Errors
    /// As `key`, and `entropy-unavailable`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn exchange(&self, text: &str, options: &JsValue) -> Result<JsValue, JsValue> {
        let release = self
            .statements(options)
            .and_then(|statements| statements.exchange(self.encoder()?, text, &mut self.randomness.next()?));
        Ok(results::stated(&release.map_err(thrown)?))
    }

    /// The same by `count` vectors of an app's own encoder, one after the other.
    ///
    /// # Errors
    /// As `vectorKey`; `invalid-argument` for more than statements come out; `invalid-vector`, `entropy-unavailable`.
    #[wasm_bindgen(js_name = exchangeVectors, skip_jsdoc)]
    pub fn exchange_vectors(&self, vectors: &[f64], count: usize, options: &JsValue) -> Result<JsValue, JsValue> {
        let release = self.statements(options).and_then(|statements| {
            statements.exchange_vectors(&self.rows(vectors, count)?, &mut self.randomness.next()?)
        });
        Ok(results::stated(&release.map_err(thrown)?))
    }

    /// What the release of a text (NFKC is the caller's part) for which a person chose statements is remembered by.
    ///
    /// # Errors
    /// The codes of the options; `text-too-long`; `invalid-argument` for more numbers than statements come out, or one that
    /// the list does not have.
    #[wasm_bindgen(js_name = chosenKey, skip_jsdoc)]
    pub fn chosen_key(
        &self,
        text: &str,
        chosen: &[f64],
        field: Option<String>,
        options: &JsValue,
    ) -> Result<String, JsValue> {
        let key = self.statements(options).and_then(|statements| {
            let chosen = numbers(chosen)?;
            statements.check_chosen(text, &chosen)?;
            Ok(statements.key_of_chosen(text, &chosen, field.as_deref()))
        });
        Ok(key.map_err(thrown)?.to_hex())
    }

    /// Exchanges a text by the statements that a person chose for it.
    ///
    /// # Errors
    /// As `chosenKey`, and `entropy-unavailable`.
    #[wasm_bindgen(js_name = exchangeChosen, skip_jsdoc)]
    pub fn exchange_chosen(&self, chosen: &[f64], options: &JsValue) -> Result<JsValue, JsValue> {
        let release = self
            .statements(options)
            .and_then(|statements| statements.exchange_chosen(&numbers(chosen)?, &mut self.randomness.next()?));
        Ok(results::stated(&release.map_err(thrown)?))
    }

    /// The guarantee of a release, before anything is drawn.
    ///
    /// # Errors
    /// The codes of the options.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn guarantee(&self, options: &JsValue) -> Result<JsValue, JsValue> {
        Ok(results::guarantee(&self.statements(options).map_err(thrown)?.guarantee()))
    }

    /// How many statements are near to a text, and the probabilities of one that is and of one that is not.
    ///
    /// # Errors
    /// The codes of the options.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn odds(&self, options: &JsValue) -> Result<JsValue, JsValue> {
        let statements = self.statements(options).map_err(thrown)?;
        let (inside, outside) = statements.odds();
        Ok(record([("near", statements.near().into()), ("inside", inside.into()), ("outside", outside.into())]))
    }

    /// The statements that are near to a text (NFKC is the caller's part), the nearest first.
    ///
    /// # Errors
    /// As `key`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn near(&self, text: &str, options: &JsValue) -> Result<JsValue, JsValue> {
        let near = self.statements(options).and_then(|statements| {
            let vectors = statements.vectors(self.encoder()?, text)?;
            let near = vectors.iter().map(|vector| self.list.nearest(vector, statements.near()));
            Ok(near.collect::<Result<Vec<_>, _>>()?.concat())
        });
        Ok(results::near(&self.list, &near.map_err(thrown)?))
    }

    /// What a person may have meant by a text (NFKC is the caller's part), the nearest first.
    ///
    /// # Errors
    /// `other-encoder` without an encoder, `text-too-long`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn suggested(&self, text: &str, count: usize) -> Result<JsValue, JsValue> {
        let suggested = self.encoder().and_then(|encoder| self.list.suggested(&encoder.encode(text)?, count));
        Ok(results::near(&self.list, &suggested.map_err(thrown)?))
    }

    fn statements(&self, options: &JsValue) -> Result<Rc<textveil::Statements>, Error> {
        let asked = exchanging(options)?;
        self.prepared.borrow_mut().get(asked, || {
            let epsilon = asked.epsilon.unwrap_or_else(|| self.list.usual_epsilon());
            let statements = textveil::Statements::new(&self.list, epsilon)?.per_sentence(asked.releases)?;
            let statements = match asked.near {
                Some(near) => statements.with_near(near)?,
                None => statements,
            };
            // Without an encoder no text can be refused.
            let takes_all = asked.any_language || self.encoder.is_none();
            Ok(Rc::new(if takes_all { statements.of_any_language() } else { statements }))
        })
    }

    fn encoder(&self) -> Result<&TextEncoder, Error> {
        self.encoder.as_ref().ok_or(Error::OtherEncoder)
    }

    fn rows(&self, vectors: &[f64], count: usize) -> Result<Vec<Vec<f64>>, Error> {
        if count.checked_mul(self.list.dims()) != Some(vectors.len()) {
            return Err(Error::DimensionMismatch);
        }
        Ok(vectors.chunks_exact(self.list.dims()).map(<[f64]>::to_vec).collect())
    }
}

fn numbers(chosen: &[f64]) -> Result<Vec<usize>, Error> {
    chosen.iter().copied().map(whole).collect()
}

#[cfg(feature = "insecure-seeded-rng")]
#[wasm_bindgen]
impl Statements {
    /// Gives the next release the keystream of a known seed (64 hexadecimal digits).
    ///
    /// # Errors
    /// `invalid-options`.
    pub fn seeded(&self, seed: &str) -> Result<(), JsValue> {
        self.randomness.seed(seed).map_err(thrown)
    }
}
