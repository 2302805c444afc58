//! What a device adds to a sum from which new words get vectors.

use js_sys::JSON;
use textveil::Table;
use textveil_contribute::{Answer, Device, Error, Noise, Request, Terms};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::all::options::list_of;
use crate::all::results;
use crate::options::Options;
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
    /// `bad-request`, `other-table`, `bad-table`; `noise-elsewhere` for noise by the sum, or by more than 10,000 devices, if
    /// the sum is not trusted.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn contributor(&self, request: &str, table: Option<Vec<u8>>, trusts_sum: bool) -> Result<Contributor, JsValue> {
        let device = read(request).and_then(|request| {
            let table = table.map_or(Ok(self.table.clone()), Table::parse)?;
            if trusts_sum { Device::trusting_the_sum(request, table) } else { Device::new(request, table) }
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

    /// Answers the request from a list of a user's texts (NFKC is the caller's part).
    ///
    /// # Errors
    /// `invalid-options` for what is no such list; `invalid-epsilon`, `entropy-unavailable`; `already-contributed` after an answer.
    #[wasm_bindgen(skip_jsdoc)]
    pub fn contribute(&mut self, texts: &JsValue, epsilon: Option<f64>) -> Result<JsValue, JsValue> {
        let answer = list_of(texts, JsValue::as_string).and_then(|texts| Ok((texts, self.randomness.next()?)));
        let answer = answer
            .map_err(Error::from)
            .and_then(|(texts, mut rng)| self.device.answer(texts.iter().map(String::as_str), epsilon, &mut rng));
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

/// A request from its JSON, which the engine parses: a parser of our own would be much larger than all the rest.
fn read(request: &str) -> Result<Request, Error> {
    let terms = JSON::parse(request).ok().and_then(|parsed| terms(&parsed));
    Request::new(terms.ok_or(Error::BadRequest("it is not the JSON of a request, or has another field"))?)
}

fn terms(object: &JsValue) -> Option<Terms> {
    const NAMES: [&str; 10] =
        ["table", "dims", "window", "mean", "words", "wordsEach", "norm", "noise", "epsilon", "delta"];
    let options = Options::of(object, |name| NAMES.contains(&name)).ok()?;
    let field = |name| options.field(name).ok().flatten();
    let number = |name| field(name)?.as_f64();
    let count = |name| count(number(name)?);
    Some(Terms {
        table: field("table")?.as_string()?,
        dims: count("dims")?,
        window: count("window")?,
        mean: list_of(&field("mean")?, |x| whole(x.as_f64()?)).ok()?,
        words: list_of(&field("words")?, JsValue::as_string).ok()?,
        words_each: count("wordsEach")?,
        norm: count("norm")?,
        noise: noise(&field("noise")?)?,
        epsilon: number("epsilon")?,
        delta: number("delta")?,
    })
}

fn noise(object: &JsValue) -> Option<Noise> {
    let options = Options::of(object, |name| ["by", "least"].contains(&name)).ok()?;
    let least = options.number("least").ok()?;
    match (options.string("by").ok()??.as_str(), least) {
        ("sum", None) => Some(Noise::Sum),
        ("devices", Some(least)) => Some(Noise::Devices { least: count(least)? }),
        _ => None,
    }
}

fn whole(number: f64) -> Option<i32> {
    Some(number as i32).filter(|whole| f64::from(*whole) == number)
}

fn count(number: f64) -> Option<u32> {
    Some(number as u32).filter(|count| f64::from(*count) == number)
}

fn thrown(error: Error) -> JsValue {
    refusal(&error.to_string(), error.code())
}
