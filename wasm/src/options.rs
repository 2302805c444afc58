//! The options object: every field optional, every mistake refused.

use js_sys::{Object, Reflect};
use textveil::{Disclosure, Epsilon, Error, Eta, Mechanism, MechanismKind, Table};
use wasm_bindgen::{JsCast, JsValue};

/// What the options ask for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    pub(crate) mechanism: Mechanism,
    pub(crate) disclosure: Disclosure,
}

const KNOWN: [&str; 6] = ["mechanism", "eta", "epsilon", "level", "keepFunctionWords", "placeholders"];

pub(crate) fn settings(options: &JsValue, table: &Table) -> Result<Settings, Error> {
    if !options.is_undefined() && !options.is_object() {
        return Err(Error::InvalidOptions);
    }
    if let Some(object) = options.dyn_ref::<Object>()
        && Object::keys(object).iter().any(|key| !KNOWN.iter().any(|known| key == *known))
    {
        return Err(Error::InvalidOptions);
    }
    let disclosure = Disclosure { function_words: flag(options, "keepFunctionWords")?, placeholders: flag(options, "placeholders")? };
    Ok(Settings { mechanism: mechanism(options, table)?, disclosure })
}

fn mechanism(options: &JsValue, table: &Table) -> Result<Mechanism, Error> {
    let kind = match field(options, "mechanism") {
        None => None,
        Some(name) => Some(name.as_string().ok_or(Error::InvalidOptions)?.parse::<MechanismKind>()?),
    };
    let chosen = kind.unwrap_or(MechanismKind::Exponential);
    match (number(options, "eta")?, number(options, "epsilon")?, number(options, "level")?) {
        (Some(eta), None, None) => Ok(Mechanism::new(chosen, Eta::new(eta)?)),
        (None, Some(epsilon), None) => Mechanism::within(chosen, Epsilon::new(epsilon)?, table),
        (None, None, Some(level)) if level >= 0.0 && level.fract() == 0.0 => Mechanism::at_level(chosen, level as usize, table),
        (None, None, Some(_)) => Err(Error::InvalidLevel),
        (None, None, None) => table.default_mechanism_of(chosen),
        _ => Err(Error::InvalidOptions),
    }
}

/// A property that is there and not `undefined`.
fn field(options: &JsValue, name: &str) -> Option<JsValue> {
    options.is_object().then(|| Reflect::get(options, &name.into()).ok()).flatten().filter(|value| !value.is_undefined())
}

fn number(options: &JsValue, name: &str) -> Result<Option<f64>, Error> {
    field(options, name).map(|value| value.as_f64().ok_or(Error::InvalidOptions)).transpose()
}

fn flag(options: &JsValue, name: &str) -> Result<bool, Error> {
    field(options, name).map_or(Ok(false), |value| value.as_bool().ok_or(Error::InvalidOptions))
}
