//! What a device adds to a sum from which new words get vectors.

use textveil::Table;
use textveil_contribute::{Answer, Device, Error, Request};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::all::results;
use crate::randomness::Randomness;
use crate::{Veil, refusal};

/// Answers a request once.
#[wasm_bindgen]
pub struct Contributor {
    device: Device,
    randomness: Randomness,
}

#[wasm_bindgen]
impl Veil {
    /// What answers a request, given as JSON. Without a table file it reads contexts in this table.
    ///
    /// # Errors
    /// `bad-request`, `other-table`, `bad-table`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn contributor(&self, request: &str, table: Option<Vec<u8>>) -> Result<Contributor, JsValue> {
        let device = Request::from_json(request).and_then(|request| {
            let table = table.map_or(Ok(self.table.clone()), Table::parse)?;
            Device::new(request, table)
        });
        Ok(Contributor { device: device.map_err(thrown)?, randomness: Randomness::default() })
    }
}

#[wasm_bindgen]
impl Contributor {
    /// What the request is told apart by.
    #[wasm_bindgen(skip_jsdoc)]
    #[must_use]
    pub fn id(&self) -> String {
        self.device.request().id()
    }

    /// What will be proved of a user with this budget, if the user has one.
    ///
    /// # Errors
    /// `invalid-epsilon`.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn guarantee(&self, epsilon: Option<f64>) -> Result<JsValue, JsValue> {
        Ok(results::promised(&self.device.request().guarantee_of(epsilon).map_err(thrown)?))
    }

    /// Answers the request from a user's texts (NFKC is the caller's part).
    ///
    /// # Errors
    /// `invalid-epsilon`, `text-too-long`, `entropy-unavailable`; `already-contributed` after an answer.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn contribute(&mut self, texts: Vec<String>, epsilon: Option<f64>) -> Result<JsValue, JsValue> {
        let answer = self.randomness.next().map_err(Error::from).and_then(|mut rng| {
            let texts = texts.iter().map(String::as_str);
            self.device.answer(texts, epsilon, &mut rng)
        });
        let Answer { vector, guarantee, .. } = answer.map_err(thrown)?;
        Ok(results::contribution(self.device.request(), &vector, &guarantee))
    }

    /// Gives the answer the keystream of a known seed (64 hexadecimal digits).
    ///
    /// # Errors
    /// `invalid-options`.
    #[cfg(feature = "insecure-seeded-rng")]
    pub fn seeded(&self, seed: &str) -> Result<(), JsValue> {
        self.randomness.seed(seed).map_err(crate::thrown)
    }
}

fn thrown(error: Error) -> JsValue {
    refusal(&error.to_string(), error.code())
}
