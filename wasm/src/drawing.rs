//! A release that is drawn in slices.

use std::rc::Rc;

use textveil::{Error, Privatizer, Redacted, ReleaseRng};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::results;

/// A release in the making. Nothing of it can be seen before it is finished.
#[wasm_bindgen]
pub struct Drawing(textveil::Drawing<Rc<Privatizer>, ReleaseRng>);

impl Drawing {
    pub(crate) fn begin(privatizer: Rc<Privatizer>, text: &Redacted<'_>, rng: ReleaseRng) -> Result<Self, Error> {
        Ok(Self(textveil::Drawing::begin(privatizer, text, rng)?))
    }
}

#[wasm_bindgen]
impl Drawing {
    /// Draws for up to `most` more tokens; returns whether all are drawn.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn advance(&mut self, most: usize) -> bool {
        self.0.advance(most)
    }

    /// Draws whatever is left, and hands out the release; this object is used up.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn finish(self) -> JsValue {
        let table = self.0.table().clone();
        results::release(&table, &self.0.finish())
    }
}
