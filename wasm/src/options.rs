//! The options object: every field optional, every mistake refused.

use textveil::{
    Calibration, Disclosure, Error, Mechanism, MechanismKind, Offsets, Parameter, Preset, Redacted, Span, WordLists,
};
use wasm_bindgen::JsValue;

use crate::js::{Array, Object, get, normalized, own_keys};

/// How texts are to be rewritten.
#[derive(Clone, PartialEq)]
pub(crate) struct Rewriting {
    pub(crate) mechanism: Mechanism,
    pub(crate) disclosure: Disclosure,
    pub(crate) as_drawn: bool,
    pub(crate) any_language: bool,
    pub(crate) lists: WordLists,
}

/// What a detector found in a text, in units of UTF-16.
pub(crate) struct Detected(Vec<(usize, usize, String)>);

/// With what a detector found, if there was one.
pub(crate) fn rewriting(options: &JsValue, usual: MechanismKind) -> Result<(Rewriting, Option<Detected>), Error> {
    const NAMES: [&str; 8] = [
        "keepFunctionWords",
        "placeholders",
        "plainLayout",
        "asDrawn",
        "anyLanguage",
        "keepWords",
        "neverSay",
        "spans",
    ];
    let options = Options::new(options, &NAMES)?;
    let usually = Disclosure::for_people();
    let disclosure = Disclosure {
        function_words: options.flag("keepFunctionWords", usually.function_words)?,
        placeholders: options.flag("placeholders", usually.placeholders)?,
        plain_layout: options.flag("plainLayout", usually.plain_layout)?,
    };
    let (as_drawn, any_language) = (options.flag("asDrawn", false)?, options.flag("anyLanguage", false)?);
    let lists = WordLists::keeping(&options.words("keepWords")?)?.never_saying(&options.words("neverSay")?)?;
    let mechanism = options.mechanism(usual, Parameter::ALL)?;
    let detected = options.list("spans")?.map(Detected::new).transpose()?;
    Ok((Rewriting { mechanism, disclosure, as_drawn, any_language, lists }, detected))
}

impl Detected {
    fn new(spans: Vec<JsValue>) -> Result<Self, Error> {
        let read = |span: &JsValue| {
            let property = |name| get(span, name).ok();
            let place = |name| whole(property(name)?.as_f64()?).ok();
            Some((place("start")?, place("end")?, property("kind")?.as_string()?))
        };
        let spans = spans.iter().enumerate().map(|(number, span)| read(span).ok_or(Error::InvalidSpan(number)));
        spans.collect::<Result<_, _>>().map(Self)
    }

    /// What is left of a text as typed, in NFKC: places count in what was typed.
    ///
    /// # Errors
    /// [`Error::InvalidSpan`].
    pub(crate) fn take_out(&self, text: &str) -> Result<Redacted<'static>, Error> {
        let spans: Vec<_> = self.0.iter().map(|(start, end, kind)| Span { start: *start, end: *end, kind }).collect();
        Ok(Redacted::new(text, &spans, Offsets::Utf16)?.map(nfkc))
    }
}

fn nfkc(text: &str) -> String {
    normalized(text, "NFKC")
}

/// How whole texts are to be exchanged for statements.
#[cfg(not(feature = "all-mechanisms"))]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Exchanging {
    pub(crate) epsilon: Option<f64>,
    pub(crate) near: Option<usize>,
    pub(crate) releases: usize,
    pub(crate) any_language: bool,
}

#[cfg(not(feature = "all-mechanisms"))]
pub(crate) fn exchanging(options: &JsValue) -> Result<Exchanging, Error> {
    let options = Options::of(options, |name| ["epsilon", "near", "perSentence", "anyLanguage"].contains(&name))?;
    let epsilon = options.number("epsilon")?;
    let near = options.number("near")?.map(|near| whole(near).map_err(|_| Error::Invalid(Parameter::Mass)));
    let releases = options.number("perSentence")?.map_or(Ok(1), whole)?;
    let any_language = options.flag("anyLanguage", false)?;
    Ok(Exchanging { epsilon, near: near.transpose()?, releases, any_language })
}

/// A count. Taken as an integer at once, any other number would be cut or wrapped around to one unseen.
pub(crate) fn whole(number: f64) -> Result<usize, Error> {
    let whole = number as usize;
    if whole as f64 == number { Ok(whole) } else { Err(Error::InvalidArgument) }
}

/// The own properties of a plain object. Anything else could hold a level that is not seen, and the default
/// would protect less than was asked for; an inherited property could make public what nobody asked for.
pub(crate) struct Options<'a> {
    object: &'a JsValue,
    names: Vec<String>,
}

impl<'a> Options<'a> {
    /// An object that knows mechanism, calibration, preset, the parameters and `others`.
    pub(crate) fn new(object: &'a JsValue, others: &[&str]) -> Result<Self, Error> {
        Self::of(object, |name| {
            ["mechanism", "calibration", "preset"].iter().chain(others).any(|known| *known == name)
                || Parameter::ALL.iter().copied().any(|parameter| parameter.camel_case() == name)
        })
    }

    pub(crate) fn of(object: &'a JsValue, is_known: impl Fn(&str) -> bool) -> Result<Self, Error> {
        if object.is_undefined() {
            return Ok(Self { object, names: Vec::new() });
        }
        if !object.is_object() {
            return Err(Error::InvalidOptions);
        }
        let prototype = Object::prototype_of(object);
        if !prototype.is_null() && prototype != Object::prototype_of(&Object::new()) {
            return Err(Error::InvalidOptions);
        }
        let mut names = Vec::new();
        for name in own_keys(object) {
            // A symbol is no string.
            names.push(name.as_string().filter(|name| is_known(name)).ok_or(Error::InvalidOptions)?);
        }
        Ok(Self { object, names })
    }

    /// A property that is there and not `undefined`. One that cannot be read is not taken for absent.
    pub(crate) fn field(&self, name: &str) -> Result<Option<JsValue>, Error> {
        if !self.names.iter().any(|own| own == name) {
            return Ok(None);
        }
        let value = get(self.object, name).map_err(|_| Error::InvalidOptions)?;
        Ok(if value.is_undefined() { None } else { Some(value) })
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, Error> {
        self.read(name, JsValue::as_f64)
    }

    pub(crate) fn parameter(&self, parameter: Parameter) -> Result<Option<f64>, Error> {
        self.number(parameter.camel_case())
    }

    pub(crate) fn flag(&self, name: &str, usually: bool) -> Result<bool, Error> {
        Ok(self.read(name, JsValue::as_bool)?.unwrap_or(usually))
    }

    fn list(&self, name: &str) -> Result<Option<Vec<JsValue>>, Error> {
        self.read(name, |list| Array::is_array(list).then(|| Array::items(list)))
    }

    /// A list of words, in NFKC.
    fn words(&self, name: &str) -> Result<Vec<String>, Error> {
        let words = self.list(name)?.unwrap_or_default();
        let words = words.iter().map(|word| word.as_string().map(|word| nfkc(&word)).ok_or(Error::InvalidOptions));
        words.collect()
    }

    pub(crate) fn string(&self, name: &str) -> Result<Option<String>, Error> {
        self.read(name, JsValue::as_string)
    }

    fn read<T>(&self, name: &str, of_type: fn(&JsValue) -> Option<T>) -> Result<Option<T>, Error> {
        self.field(name)?.map(|value| of_type(&value).ok_or(Error::InvalidOptions)).transpose()
    }

    pub(crate) fn mechanism(&self, usual: MechanismKind, parameters: &[Parameter]) -> Result<Mechanism, Error> {
        let kind = self.string("mechanism")?.map_or(Ok(usual), |name| name.parse())?;
        let calibration = self.string("calibration")?.map_or(Ok(Calibration::Sound), |name| name.parse())?;
        let mut mechanism = Mechanism::new(kind).calibrated(calibration)?;
        for parameter in parameters {
            if let Some(value) = self.parameter(*parameter)? {
                mechanism = mechanism.with(*parameter, value)?;
            }
        }
        match self.string("preset")? {
            Some(name) => mechanism.with_preset(name.parse::<Preset>()?),
            None => Ok(mechanism),
        }
    }
}
