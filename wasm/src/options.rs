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
    let options = Options::new(options)?;
    let disclosure =
        Disclosure { function_words: options.flag("keepFunctionWords")?, placeholders: options.flag("placeholders")? };
    Ok(Settings { mechanism: mechanism(&options, table)?, disclosure })
}

/// The own properties of a plain object. Anything else could hold a level that is not seen, and the default
/// would protect less than was asked for; an inherited property could make public what nobody asked for.
struct Options<'a> {
    object: &'a JsValue,
    names: Vec<String>,
}

impl<'a> Options<'a> {
    fn new(object: &'a JsValue) -> Result<Self, Error> {
        if object.is_undefined() {
            return Ok(Self { object, names: Vec::new() });
        }
        if !object.is_object() {
            return Err(Error::InvalidOptions);
        }
        let plain: &Object = object.unchecked_ref();
        let prototype = Object::get_prototype_of(plain);
        if !prototype.is_null() && prototype != Object::get_prototype_of(&Object::new()) {
            return Err(Error::InvalidOptions);
        }
        let names: Vec<String> = Object::keys(plain).iter().filter_map(|name| name.as_string()).collect();
        if names.iter().any(|name| !KNOWN.contains(&name.as_str())) {
            return Err(Error::InvalidOptions);
        }
        Ok(Self { object, names })
    }

    /// A property that is there and not `undefined`.
    fn field(&self, name: &str) -> Option<JsValue> {
        let own = self.names.iter().any(|own| own == name);
        own.then(|| Reflect::get(self.object, &name.into()).ok()).flatten().filter(|value| !value.is_undefined())
    }

    fn number(&self, name: &str) -> Result<Option<f64>, Error> {
        self.field(name).map(|value| value.as_f64().ok_or(Error::InvalidOptions)).transpose()
    }

    fn flag(&self, name: &str) -> Result<bool, Error> {
        self.field(name).map_or(Ok(false), |value| value.as_bool().ok_or(Error::InvalidOptions))
    }
}

fn mechanism(options: &Options, table: &Table) -> Result<Mechanism, Error> {
    let kind = match options.field("mechanism") {
        None => None,
        Some(name) => Some(name.as_string().ok_or(Error::InvalidOptions)?.parse::<MechanismKind>()?),
    };
    let chosen = kind.unwrap_or(MechanismKind::Exponential);
    match (options.number("eta")?, options.number("epsilon")?, options.number("level")?) {
        (Some(eta), None, None) => Ok(Mechanism::new(chosen, Eta::new(eta)?)),
        (None, Some(epsilon), None) => Mechanism::within(chosen, Epsilon::new(epsilon)?, table),
        (None, None, Some(level)) if level >= 0.0 && level.fract() == 0.0 => {
            Mechanism::at_level(chosen, level as usize, table)
        }
        (None, None, Some(_)) => Err(Error::InvalidLevel),
        (None, None, None) => table.default_mechanism_of(chosen),
        _ => Err(Error::InvalidOptions),
    }
}
