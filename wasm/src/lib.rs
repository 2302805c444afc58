//! textveil for JavaScript. `wasm/npm/textveil.js` wraps this class; nothing here decides about privacy.

mod options;
mod results;

use std::cell::RefCell;
use std::rc::Rc;

use getrandom::SysRng;
#[cfg(feature = "insecure-seeded-rng")]
use textveil::Piece;
use textveil::{Error, Privatizer, ReleaseRng, Table, release_rng};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use options::{Settings, settings};

/// Fewer bytes than the standard allocator.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Prepared mechanisms that are kept: a page compares a handful of levels (about 2 MB each).
const MOST_PREPARED: usize = 8;

/// Privatizes texts over one table.
#[wasm_bindgen]
pub struct Veil {
    table: Table,
    prepared: RefCell<Vec<(Settings, Rc<Privatizer>)>>,
}

#[wasm_bindgen]
impl Veil {
    /// Reads a table file.
    ///
    /// # Errors
    /// `bad-table`.
    #[wasm_bindgen(constructor)]
    pub fn new(table: Vec<u8>) -> Result<Self, JsValue> {
        let table = Table::parse(table).map_err(thrown)?;
        Ok(Self { table, prepared: RefCell::default() })
    }

    /// Draws the release of a text (NFKC is the caller's part) with randomness from the operating system.
    ///
    /// # Errors
    /// The codes of the options, `text-too-long`, `entropy-unavailable`.
    pub fn privatize(&self, text: &str, options: &JsValue) -> Result<JsValue, JsValue> {
        let mut rng = release_rng(&mut SysRng).map_err(thrown)?;
        self.release(text, options, &mut rng)
    }

    /// Draws the release that belongs to a known seed (64 hexadecimal digits): golden vectors only.
    ///
    /// # Errors
    /// As `privatize`; `invalid-options` for the seed.
    #[cfg(feature = "insecure-seeded-rng")]
    #[wasm_bindgen(js_name = privatizeSeeded)]
    pub fn privatize_seeded(&self, text: &str, options: &JsValue, seed: &str) -> Result<JsValue, JsValue> {
        let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = seed.as_bytes().chunks(2).map(byte).collect();
        let seed: [u8; 32] =
            bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| thrown(Error::InvalidOptions))?;
        self.release(text, options, &mut textveil::seeded_rng(seed))
    }

    /// The guarantee of one word under these options, before anything is drawn.
    ///
    /// # Errors
    /// The codes of the options.
    pub fn guarantee(&self, options: &JsValue) -> Result<JsValue, JsValue> {
        Ok(results::guarantee(&self.privatizer(options)?.guarantee(1)))
    }

    /// The levels of the table.
    #[must_use]
    pub fn levels(&self) -> JsValue {
        results::levels(&self.table)
    }

    /// What a token may turn into: for the device's eyes only.
    ///
    /// # Errors
    /// As `privatize`.
    pub fn alternatives(&self, token: &str, options: &JsValue, most: usize) -> Result<JsValue, JsValue> {
        let mut rng = release_rng(&mut SysRng).map_err(thrown)?;
        let found = self.privatizer(options)?.alternatives(token, most, &mut rng).map_err(thrown)?;
        Ok(results::alternatives(&self.table, &found))
    }

    /// How a text is split, as `[kind, piece]` pairs; kind is `layout` for what passes in clear. For golden
    /// vectors.
    ///
    /// # Errors
    /// `text-too-long`.
    #[cfg(feature = "insecure-seeded-rng")]
    pub fn split(&self, text: &str) -> Result<JsValue, JsValue> {
        Ok(results::pieces(&Piece::split(text).map_err(thrown)?))
    }

    /// The table's public identity: its SHA-256 in hexadecimal.
    #[wasm_bindgen(js_name = tableId)]
    #[must_use]
    pub fn table_id(&self) -> String {
        self.table.id().to_string()
    }

    fn release(&self, text: &str, options: &JsValue, rng: &mut ReleaseRng) -> Result<JsValue, JsValue> {
        let release = self.privatizer(options)?.privatize(text, rng).map_err(thrown)?;
        Ok(results::release(&self.table, &release))
    }

    fn privatizer(&self, options: &JsValue) -> Result<Rc<Privatizer>, JsValue> {
        let settings = settings(options, &self.table).map_err(thrown)?;
        let mut prepared = self.prepared.borrow_mut();
        if let Some((_, found)) = prepared.iter().find(|(known, _)| *known == settings) {
            return Ok(Rc::clone(found));
        }
        let fresh = Rc::new(Privatizer::new(&self.table, settings.mechanism, settings.disclosure).map_err(thrown)?);
        if prepared.len() == MOST_PREPARED {
            prepared.remove(0);
        }
        prepared.push((settings, Rc::clone(&fresh)));
        Ok(fresh)
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
