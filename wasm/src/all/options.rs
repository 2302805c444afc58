//! The options of representations and choices.

use js_sys::{Array, Float64Array};
use textveil::{Dropout, Error, Mechanism, Parameter, Representer, Unary, Unit};
use wasm_bindgen::{JsCast, JsValue};

use crate::options::{Options, whole};

/// How texts, or the vectors of another encoder, are to be represented.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Representing {
    pub(crate) mechanism: Mechanism,
    pub(crate) unit: Unit,
    pub(crate) vectors: Option<Outside>,
    pub(crate) any_language: bool,
    /// Coordinates of a text encoder's vectors.
    pub(crate) dims: Option<usize>,
}

/// What is known in public of the vectors of another encoder.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Outside {
    pub(crate) dims: usize,
    pub(crate) clip: Option<f64>,
}

/// With the number of their dimensions if it is vectors of another encoder; `clip` is then no parameter of
/// the mechanism.
pub(crate) fn representing(options: &JsValue, dims: Option<usize>) -> Result<(Representing, Dropout), Error> {
    if dims == Some(0) {
        return Err(Error::InvalidVector);
    }
    let options = Options::new(options, &["unit", "dims", "dropout", "dropoutSize", "mask", "anyLanguage"])?;
    let any_language = options.flag("anyLanguage", false)?;
    // Vectors have no language.
    if any_language && dims.is_some() {
        return Err(Error::InvalidOptions);
    }
    let outside = |dims| options.parameter(Parameter::Clip).map(|clip| Outside { dims, clip });
    let vectors = dims.map(outside).transpose()?;
    let its_own = |parameter: &Parameter| vectors.is_none() || *parameter != Parameter::Clip;
    let parameters: Vec<Parameter> = Parameter::ALL.iter().copied().filter(its_own).collect();
    let mechanism = options.mechanism(Representer::USUAL, &parameters)?;
    let unit = options.one_of("unit", [Unit::Text, Unit::Word, Unit::WholeText], Unit::name)?;
    let dims = options.number("dims")?.map(whole).transpose().map_err(|_| Error::DimensionMismatch)?;
    // Only a text encoder's vectors are cut; and they have neither a language nor a number of words.
    if (unit != Unit::WholeText && dims.is_some()) || (unit == Unit::WholeText && any_language) {
        return Err(Error::InvalidOptions);
    }
    Ok((Representing { mechanism, unit, vectors, any_language, dims }, options.dropout()?))
}

/// How one value of a list of `size` must be reported.
pub(crate) fn choosing(size: f64, options: &JsValue) -> Result<Unary, Error> {
    Unary::new(Options::new(options, &[])?.mechanism(Unary::USUAL, Parameter::ALL)?, whole(size)?)
}

/// The vectors of another encoder; the outer list and each inner one as `all/textveil.js` hands them over.
pub(crate) fn vectors(list: &JsValue) -> Result<Vec<Vec<f64>>, Error> {
    list_of(list, |vector| vector.dyn_ref().map(Float64Array::to_vec))
}

/// The items of a list, as `read` has each.
pub(crate) fn list_of<T>(list: &JsValue, read: impl Fn(&JsValue) -> Option<T>) -> Result<Vec<T>, Error> {
    let items: &Array = list.dyn_ref().ok_or(Error::InvalidOptions)?;
    items.iter().map(|item| read(&item)).collect::<Option<_>>().ok_or(Error::InvalidOptions)
}

impl Options<'_> {
    /// One of some values by its name, the first unless told.
    fn one_of<T: Copy, const N: usize>(
        &self,
        option: &str,
        values: [T; N],
        name: fn(T) -> &'static str,
    ) -> Result<T, Error> {
        let Some(asked) = self.string(option)? else { return Ok(values[0]) };
        values.into_iter().find(|value| name(*value) == asked).ok_or(Error::InvalidOptions)
    }

    fn dropout(&self) -> Result<Dropout, Error> {
        let of_random_size =
            self.one_of("dropoutSize", [true, false], |random| if random { "random" } else { "fixed" })?;
        match (self.number("dropout")?, self.field("mask")?) {
            (Some(rate), None) if of_random_size => Ok(Dropout::Bernoulli(rate)),
            (Some(rate), None) => Ok(Dropout::FixedSize(rate)),
            (None, None) if of_random_size => Ok(Dropout::None),
            (None, Some(mask)) if of_random_size => list_of(&mask, JsValue::as_bool).map(Dropout::Chosen),
            _ => Err(Error::InvalidOptions),
        }
    }
}
