//! The options object: every field optional, every mistake refused.

use js_sys::{Array, Float64Array, Object, Reflect};
use textveil::{Calibration, Disclosure, Dropout, Error, Mechanism, MechanismKind, Parameter, Unary, Unit};
use wasm_bindgen::{JsCast, JsValue};

/// How texts are to be rewritten.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Rewriting {
    pub(crate) mechanism: Mechanism,
    pub(crate) disclosure: Disclosure,
}

/// How texts, or the vectors of another encoder, are to be represented.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Representing {
    pub(crate) mechanism: Mechanism,
    pub(crate) unit: Unit,
    pub(crate) vectors: Option<Outside>,
}

/// What is known in public of the vectors of another encoder.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Outside {
    pub(crate) dims: usize,
    pub(crate) clip: f64,
}

pub(crate) fn rewriting(options: &JsValue) -> Result<Rewriting, Error> {
    let options = Options::new(options, &["keepFunctionWords", "placeholders"])?;
    let disclosure =
        Disclosure { function_words: options.flag("keepFunctionWords")?, placeholders: options.flag("placeholders")? };
    Ok(Rewriting { mechanism: options.mechanism(Some(MechanismKind::Exponential), &Parameter::ALL)?, disclosure })
}

/// With the number of their dimensions if it is vectors of another encoder; `clip` is then no parameter of
/// the mechanism.
pub(crate) fn representing(options: &JsValue, dims: Option<usize>) -> Result<(Representing, Dropout), Error> {
    if dims == Some(0) {
        return Err(Error::InvalidVector);
    }
    let options = Options::new(options, &["unit", "dropout", "dropoutSize", "mask"])?;
    let outside = |dims| {
        let clip = options.parameter(Parameter::Clip)?.ok_or(Error::Invalid(Parameter::Clip))?;
        Ok(Outside { dims, clip })
    };
    let vectors = dims.map(outside).transpose()?;
    let its_own = |parameter: &Parameter| vectors.is_none() || *parameter != Parameter::Clip;
    let parameters: Vec<Parameter> = Parameter::ALL.into_iter().filter(its_own).collect();
    let mechanism = options.mechanism(None, &parameters)?;
    let unit = options.one_of("unit", [Unit::Text, Unit::Word], Unit::name)?;
    Ok((Representing { mechanism, unit, vectors }, options.dropout()?))
}

/// How one value of a list of `size` is to be reported.
pub(crate) fn choosing(size: f64, options: &JsValue) -> Result<Unary, Error> {
    // The one that estimates best.
    const USUAL: MechanismKind = MechanismKind::Oue;
    Unary::new(Options::new(options, &[])?.mechanism(Some(USUAL), &Parameter::ALL)?, whole(size)?)
}

/// A count. Taken as an integer at once, any other number would be cut or wrapped around to one unseen.
pub(crate) fn whole(number: f64) -> Result<usize, Error> {
    let whole = number as usize;
    if whole as f64 == number { Ok(whole) } else { Err(Error::InvalidArgument) }
}

/// The vectors of another encoder; the outer list and each inner one as `textveil.js` hands them over.
pub(crate) fn vectors(list: &JsValue) -> Result<Vec<Vec<f64>>, Error> {
    let list = list.dyn_ref::<Array>().ok_or(Error::InvalidOptions)?;
    let numbers = |vector: JsValue| Some(vector.dyn_ref::<Float64Array>()?.to_vec());
    list.iter().map(numbers).collect::<Option<_>>().ok_or(Error::InvalidOptions)
}

/// The own properties of a plain object. Anything else could hold a level that is not seen, and the default
/// would protect less than was asked for; an inherited property could make public what nobody asked for.
struct Options<'a> {
    object: &'a JsValue,
    names: Vec<String>,
}

impl<'a> Options<'a> {
    /// An object that knows mechanism, calibration, the parameters and `others`.
    fn new(object: &'a JsValue, others: &[&str]) -> Result<Self, Error> {
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
        let is_known = |name: &String| {
            ["mechanism", "calibration"].iter().chain(others).any(|known| known == name)
                || Parameter::ALL.into_iter().any(|parameter| parameter.camel_case() == *name)
        };
        if names.iter().all(is_known) { Ok(Self { object, names }) } else { Err(Error::InvalidOptions) }
    }

    /// A property that is there and not `undefined`.
    fn field(&self, name: &str) -> Option<JsValue> {
        let own = self.names.iter().any(|own| own == name);
        own.then(|| Reflect::get(self.object, &name.into()).ok()).flatten().filter(|value| !value.is_undefined())
    }

    fn number(&self, name: &str) -> Result<Option<f64>, Error> {
        self.field(name).map(|value| value.as_f64().ok_or(Error::InvalidOptions)).transpose()
    }

    fn parameter(&self, parameter: Parameter) -> Result<Option<f64>, Error> {
        self.number(parameter.camel_case())
    }

    fn flag(&self, name: &str) -> Result<bool, Error> {
        self.field(name).map_or(Ok(false), |value| value.as_bool().ok_or(Error::InvalidOptions))
    }

    fn string(&self, name: &str) -> Result<Option<String>, Error> {
        self.field(name).map(|value| value.as_string().ok_or(Error::InvalidOptions)).transpose()
    }

    /// One of two values by its name, the first unless told.
    fn one_of<T: Copy>(&self, option: &str, values: [T; 2], name: fn(T) -> &'static str) -> Result<T, Error> {
        let Some(asked) = self.string(option)? else { return Ok(values[0]) };
        values.into_iter().find(|value| name(*value) == asked).ok_or(Error::InvalidOptions)
    }

    fn mechanism(&self, usual: Option<MechanismKind>, parameters: &[Parameter]) -> Result<Mechanism, Error> {
        let kind = match self.string("mechanism")? {
            Some(name) => name.parse()?,
            None => usual.ok_or(Error::InvalidMechanism)?,
        };
        let calibration = self.string("calibration")?.map_or(Ok(Calibration::Sound), |name| name.parse())?;
        let mut mechanism = Mechanism::new(kind).calibrated(calibration)?;
        for parameter in parameters {
            if let Some(value) = self.parameter(*parameter)? {
                mechanism = mechanism.with(*parameter, value)?;
            }
        }
        Ok(mechanism)
    }

    fn dropout(&self) -> Result<Dropout, Error> {
        let of_random_size =
            self.one_of("dropoutSize", [true, false], |random| if random { "random" } else { "fixed" })?;
        match (self.number("dropout")?, self.field("mask")) {
            (Some(rate), None) if of_random_size => Ok(Dropout::Bernoulli(rate)),
            (Some(rate), None) => Ok(Dropout::FixedSize(rate)),
            (None, None) if of_random_size => Ok(Dropout::None),
            (None, Some(mask)) if of_random_size => {
                let mask = mask.dyn_ref::<Array>().map(|mask| mask.iter().map(|entry| entry.as_bool()).collect());
                mask.flatten().map(Dropout::Chosen).ok_or(Error::InvalidOptions)
            }
            _ => Err(Error::InvalidOptions),
        }
    }
}
