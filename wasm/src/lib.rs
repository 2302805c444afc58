//! textveil for JavaScript. `wasm/npm/engine.js` wraps this class; nothing here decides about privacy.
//!
//! One source of two modules: that of the entry `textveil`, and with the feature `all-mechanisms` that of
//! `textveil/all`.

#[cfg(feature = "all-mechanisms")]
mod all;
mod drawing;
mod js;
mod ledger;
mod options;
#[cfg(not(feature = "all-mechanisms"))]
mod plain;
mod randomness;
mod results;
#[cfg(not(feature = "all-mechanisms"))]
mod statements;

use std::cell::RefCell;
use std::rc::Rc;

use textveil::{Error, Prepared, Privatizer, Redacted, Table};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use drawing::Drawing;
use options::{Detected, Rewriting, rewriting};
use randomness::Randomness;

/// Fewer bytes than the standard allocator.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Privatizes texts over one table.
#[wasm_bindgen]
pub struct Veil {
    table: Table,
    privatizers: RefCell<Prepared<Rewriting, Rc<Privatizer>>>,
    #[cfg(feature = "all-mechanisms")]
    representers: all::Representers,
    #[cfg(feature = "all-mechanisms")]
    encoder: Option<textveil::TextEncoder>,
    randomness: Randomness,
}

#[wasm_bindgen]
impl Veil {
    /// Reads a table file.
    ///
    /// # Errors
    /// `bad-table`.
    #[wasm_bindgen(constructor, skip_jsdoc)]
    pub fn new(table: Vec<u8>) -> Result<Self, JsValue> {
        Ok(Self {
            table: Table::parse(table).map_err(thrown)?,
            privatizers: RefCell::default(),
            #[cfg(feature = "all-mechanisms")]
            representers: RefCell::default(),
            #[cfg(feature = "all-mechanisms")]
            encoder: None,
            randomness: Randomness::default(),
        })
    }

    /// What the release of a text is remembered by: options that are one law have one key. A refused text has
    /// no key, also if it was drawn before with other options.
    ///
    /// # Errors
    /// The codes of the options, `invalid-span`, `text-too-long`, `other-language`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn key(&self, text: &str, field: Option<String>, options: &JsValue) -> Result<String, JsValue> {
        let (privatizer, text) = self.asked(text, options).map_err(thrown)?;
        privatizer.check(&text).map_err(thrown)?;
        Ok(privatizer.key(&text, field.as_deref()).to_hex())
    }

    /// Draws the release of a text with randomness from the operating system. NFKC is the caller's part; but a text with
    /// spans is given as it was typed, since their places count in that.
    ///
    /// # Errors
    /// The codes of the options, `invalid-span`, `text-too-long`, `other-language`, `entropy-unavailable`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn privatize(&self, text: &str, options: &JsValue) -> Result<JsValue, JsValue> {
        Ok(self.begin(text, options)?.finish())
    }

    /// The same in slices: splits the text, and leaves the drawing to whoever asks for it.
    ///
    /// # Errors
    /// As `privatize`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn begin(&self, text: &str, options: &JsValue) -> Result<Drawing, JsValue> {
        let begun = self
            .asked(text, options)
            .and_then(|(privatizer, text)| Drawing::begin(privatizer, &text, self.randomness.next()?));
        begun.map_err(thrown)
    }

    /// The guarantee of one word under these options, before anything is drawn.
    ///
    /// # Errors
    /// The codes of the options.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn guarantee(&self, options: &JsValue) -> Result<JsValue, JsValue> {
        let (privatizer, detected) = self.prepared(options).map_err(thrown)?;
        let guarantee = privatizer.guarantee(1);
        Ok(results::guarantee(&if detected.is_some() { guarantee.of_redacted() } else { guarantee }))
    }

    /// The levels of the table.
    ///
    /// # Errors
    /// What the core says of a level of the table.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn levels(&self) -> Result<JsValue, JsValue> {
        results::levels(&self.table).map_err(thrown)
    }

    /// The mechanisms and their parameters.
    #[wasm_bindgen(skip_jsdoc)]
    #[must_use]
    pub fn mechanisms(&self) -> JsValue {
        results::mechanisms()
    }

    /// The names of all parameters, also of those that no mechanism here takes.
    #[wasm_bindgen(skip_jsdoc)]
    #[must_use]
    pub fn parameters(&self) -> JsValue {
        results::parameters()
    }

    /// What a token may turn into: for the device's eyes only.
    ///
    /// # Errors
    /// As `privatize`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn alternatives(&self, token: &str, options: &JsValue, most: usize) -> Result<JsValue, JsValue> {
        let found = self
            .privatizer(options)
            .and_then(|privatizer| privatizer.alternatives(token, most, &mut self.randomness.next()?));
        Ok(results::alternatives(&self.table, &found.map_err(thrown)?))
    }

    /// The table's public identity: its SHA-256 in hexadecimal.
    #[wasm_bindgen(js_name = tableId, skip_jsdoc)]
    #[must_use]
    pub fn table_id(&self) -> String {
        self.table.id().to_string()
    }

    /// What releases a text, and what is left of it to be released.
    fn asked<'t>(&self, text: &'t str, options: &JsValue) -> Result<(Rc<Privatizer>, Redacted<'t>), Error> {
        let (privatizer, detected) = self.prepared(options)?;
        Ok((privatizer, detected.map_or_else(|| Ok(text.into()), |detected| detected.take_out(text))?))
    }

    /// For what takes no spans.
    fn privatizer(&self, options: &JsValue) -> Result<Rc<Privatizer>, Error> {
        let (privatizer, detected) = self.prepared(options)?;
        if detected.is_some() { Err(Error::InvalidOptions) } else { Ok(privatizer) }
    }

    fn prepared(&self, options: &JsValue) -> Result<(Rc<Privatizer>, Option<Detected>), Error> {
        let (asked, detected) = rewriting(options, self.table.default_mechanism())?;
        let prepare = || {
            let Rewriting { mechanism, disclosure, as_drawn, any_language, lists } = asked.clone();
            let privatizer = Privatizer::new(&self.table, mechanism, disclosure)?.with_lists(lists)?;
            let privatizer = if as_drawn { privatizer.as_drawn() } else { privatizer };
            Ok::<_, Error>(Rc::new(if any_language { privatizer.of_any_language() } else { privatizer }))
        };
        Ok((self.privatizers.borrow_mut().get(asked.clone(), prepare)?, detected))
    }
}

/// What golden vectors need and a release must not have.
#[cfg(feature = "insecure-seeded-rng")]
#[wasm_bindgen]
impl Veil {
    /// Gives the next release the keystream of a known seed (64 hexadecimal digits).
    ///
    /// # Errors
    /// `invalid-options`.
    pub fn seeded(&self, seed: &str) -> Result<(), JsValue> {
        self.randomness.seed(seed).map_err(thrown)
    }

    /// Draws for one row after the other, from one keystream.
    ///
    /// # Errors
    /// As `privatize`; `invalid-options` for a row that is not in the table.
    pub fn draw(&self, rows: Vec<usize>, options: &JsValue) -> Result<Vec<usize>, JsValue> {
        let privatizer = self.privatizer(options).map_err(thrown)?;
        let inputs: Option<Vec<_>> = rows.iter().map(|row| self.table.row(*row)).collect();
        let mut rng = self.randomness.next().map_err(thrown)?;
        let inputs = inputs.ok_or_else(|| thrown(Error::InvalidOptions))?;
        Ok(inputs.into_iter().map(|input| privatizer.draw(input, &mut rng).row()).collect())
    }

    /// How a text is split, as `[kind, piece]` pairs; kind is `layout` for what passes in clear.
    ///
    /// # Errors
    /// `text-too-long`.
    pub fn split(&self, text: &str) -> Result<JsValue, JsValue> {
        Ok(results::pieces(&textveil::Piece::split(text).map_err(thrown)?))
    }
}

/// What `textveil` refuses.
fn thrown(error: Error) -> JsValue {
    let message = match error {
        #[cfg(not(feature = "all-mechanisms"))]
        Error::InvalidMechanism => "there is no mechanism of that name here; `textveil/all` has all of them".into(),
        _ => error.to_string(),
    };
    refusal(&message, error.code())
}

/// A JavaScript `Error` named `TextveilError` with its stable `code`; no text of the user in it.
fn refusal(message: &str, code: &str) -> JsValue {
    let thrown = js::Error::new(message).into();
    // Setting a property of a fresh object cannot fail.
    for (name, value) in [("name", "TextveilError"), ("code", code)] {
        js::set(&thrown, name, value.into());
    }
    thrown
}
