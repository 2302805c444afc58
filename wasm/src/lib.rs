//! textveil for JavaScript. `wasm/npm/textveil.js` wraps this class; nothing here decides about privacy.

mod options;
mod prepared;
mod results;

#[cfg(feature = "insecure-seeded-rng")]
use std::cell::Cell;
use std::rc::Rc;

use getrandom::SysRng;
use textveil::{Dropout, Error, Privatizer, ReleaseRng, Representer, Table, release_rng};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use options::{Outside, Representing, Rewriting, choosing, representing, rewriting, whole};
use prepared::Prepared;

/// Fewer bytes than the standard allocator.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Privatizes texts over one table.
#[wasm_bindgen]
pub struct Veil {
    table: Table,
    privatizers: Prepared<Rewriting, Privatizer>,
    representers: Prepared<Representing, Representer>,
    /// Of the next release.
    #[cfg(feature = "insecure-seeded-rng")]
    seed: Cell<Option<[u8; 32]>>,
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
            privatizers: Prepared::default(),
            representers: Prepared::default(),
            #[cfg(feature = "insecure-seeded-rng")]
            seed: Cell::new(None),
        })
    }

    /// Draws the release of a text (NFKC is the caller's part) with randomness from the operating system.
    ///
    /// # Errors
    /// The codes of the options, `text-too-long`, `entropy-unavailable`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn privatize(&self, text: &str, options: &JsValue) -> Result<JsValue, JsValue> {
        let release = self.privatizer(options).and_then(|privatizer| privatizer.privatize(text, &mut self.rng()?));
        Ok(results::release(&self.table, &release.map_err(thrown)?))
    }

    /// The guarantee of one word under these options, before anything is drawn.
    ///
    /// # Errors
    /// The codes of the options.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn guarantee(&self, options: &JsValue) -> Result<JsValue, JsValue> {
        Ok(results::guarantee(&self.privatizer(options).map_err(thrown)?.guarantee(1)))
    }

    /// Draws a representation of a text (NFKC is the caller's part) from the table's vectors.
    ///
    /// # Errors
    /// As `privatize`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn representation(&self, text: &str, options: &JsValue) -> Result<JsValue, JsValue> {
        let drawn = self
            .representer(options, None)
            .and_then(|(representer, dropout)| representer.represent(text, &dropout, &mut self.rng()?));
        Ok(results::representation(&drawn.map_err(thrown)?))
    }

    /// Draws a representation from the vectors (a list of `Float64Array`) of another encoder.
    ///
    /// # Errors
    /// The codes of the options, `invalid-vector`, `dimension-mismatch`, `not-normalized`,
    /// `entropy-unavailable`.
    #[wasm_bindgen(js_name = representationOf, skip_jsdoc)]
    pub fn representation_of(&self, vectors: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
        let drawn = options::vectors(vectors).and_then(|vectors| {
            let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
            let dims = vectors.first().map_or(0, |vector| vector.len());
            let (representer, dropout) = self.representer(options, Some(dims))?;
            representer.represent_vectors(&vectors, &dropout, &mut self.rng()?)
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
        let guarantee =
            self.representer(options, dims).and_then(|(representer, _)| representer.guarantee(words, &Dropout::None));
        Ok(results::guarantee(&guarantee.map_err(thrown)?))
    }

    /// Draws the report of value number `index` of a public list of `size` values.
    ///
    /// # Errors
    /// The codes of the options, `invalid-argument` without such a list or value, `entropy-unavailable`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn choice(&self, index: f64, size: f64, options: &JsValue) -> Result<JsValue, JsValue> {
        let drawn = choosing(size, options)
            .and_then(|unary| Ok((unary.report(whole(index)?, &mut self.rng()?)?, unary.guarantee())));
        let (report, guarantee) = drawn.map_err(thrown)?;
        Ok(results::choice(&report, &guarantee))
    }

    /// The guarantee of a report of one of `size` values, before anything is drawn.
    ///
    /// # Errors
    /// As `choice`.
    #[wasm_bindgen(js_name = choiceGuarantee, skip_jsdoc)]
    pub fn choice_guarantee(&self, size: f64, options: &JsValue) -> Result<JsValue, JsValue> {
        Ok(results::guarantee(&choosing(size, options).map_err(thrown)?.guarantee()))
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

    /// What a token may turn into: for the device's eyes only.
    ///
    /// # Errors
    /// As `privatize`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn alternatives(&self, token: &str, options: &JsValue, most: usize) -> Result<JsValue, JsValue> {
        let found =
            self.privatizer(options).and_then(|privatizer| privatizer.alternatives(token, most, &mut self.rng()?));
        Ok(results::alternatives(&self.table, &found.map_err(thrown)?))
    }

    /// The table's public identity: its SHA-256 in hexadecimal.
    #[wasm_bindgen(js_name = tableId, skip_jsdoc)]
    #[must_use]
    pub fn table_id(&self) -> String {
        self.table.id().to_string()
    }

    fn privatizer(&self, options: &JsValue) -> Result<Rc<Privatizer>, Error> {
        let asked = rewriting(options)?;
        self.privatizers.get(asked, || Privatizer::new(&self.table, asked.mechanism, asked.disclosure))
    }

    fn representer(&self, options: &JsValue, dims: Option<usize>) -> Result<(Rc<Representer>, Dropout), Error> {
        let (asked, dropout) = representing(options, dims)?;
        let Representing { mechanism, unit, vectors } = asked;
        let representer = self.representers.get(asked, || match vectors {
            None => Representer::of_table(&self.table, mechanism, unit),
            Some(Outside { dims, clip }) => Representer::of_vectors(dims, clip, mechanism, unit),
        })?;
        Ok((representer, dropout))
    }

    fn rng(&self) -> Result<ReleaseRng, Error> {
        #[cfg(feature = "insecure-seeded-rng")]
        if let Some(seed) = self.seed.take() {
            return Ok(textveil::seeded_rng(seed));
        }
        release_rng(&mut SysRng)
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
        let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = seed.as_bytes().chunks(2).map(byte).collect();
        let seed = bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| thrown(Error::InvalidOptions))?;
        self.seed.set(Some(seed));
        Ok(())
    }

    /// Draws for one row after the other, from one keystream.
    ///
    /// # Errors
    /// As `privatize`; `invalid-options` for a row that is not in the table.
    pub fn draw(&self, rows: Vec<usize>, options: &JsValue) -> Result<Vec<usize>, JsValue> {
        let privatizer = self.privatizer(options).map_err(thrown)?;
        let inputs: Option<Vec<_>> = rows.iter().map(|row| self.table.row(*row)).collect();
        let mut rng = self.rng().map_err(thrown)?;
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

/// A JavaScript `Error` named `TextveilError` with its stable `code`; no text of the user in it.
fn thrown(error: Error) -> JsValue {
    let thrown = js_sys::Error::new(&error.to_string());
    thrown.set_name("TextveilError");
    // Setting a property of a fresh object cannot fail.
    let _ = js_sys::Reflect::set(&thrown, &"code".into(), &error.code().into());
    thrown.into()
}
