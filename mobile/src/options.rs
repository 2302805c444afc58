//! Options as records: every field optional, every mistake refused.

use textveil::{
    Calibration, Disclosure, Error, MechanismKind, Offsets, Parameter, Preset, Redacted, Representer, Span, Unary,
    Unit, WordLists, normalize,
};

use crate::results::Mechanism;

/// A record of options: the mechanism and what it can be told, then `others`.
macro_rules! options {
    ($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $other:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, uniffi::Record)]
        pub struct $name {
            /// The mechanism; without one, the usual one.
            #[uniffi(default = None)]
            pub mechanism: Option<Mechanism>,
            /// How the noise follows from the parameters; `Sound` unless told.
            #[uniffi(default = None)]
            pub calibration: Option<Calibration>,
            /// A level of the table: the `index` of one of `levels()` of the same mechanism.
            #[uniffi(default = None)]
            pub level: Option<f64>,
            /// ε in nats, in the worst case: of one word, over any two words of the table (of one
            /// representation, for encodings). Above 0.
            #[uniffi(default = None)]
            pub epsilon: Option<f64>,
            /// η: nats per unit of distance in the table. Above 0; smaller is more private.
            #[uniffi(default = None)]
            pub eta: Option<f64>,
            /// δ: above 0 and below 1.
            #[uniffi(default = None)]
            pub delta: Option<f64>,
            /// The Euclidean norm that vectors are clipped to. Above 0. Vectors of another encoder need it, except
            /// with `privunit2`.
            #[uniffi(default = None)]
            pub clip: Option<f64>,
            /// λ: for `ome` at least 1, how unequal its odds are; for `mahalanobis` the share of the
            /// covariance, from 0 to 0.999.
            #[uniffi(default = None)]
            pub lambda: Option<f64>,
            /// γ: the distance from which on all words count as equally far, in units of the table. Above 0.
            /// (Two that are beyond the table's own distances are two settings, and a text is drawn for each.)
            #[uniffi(default = None)]
            pub gamma: Option<f64>,
            /// The second-nearest word's share, from 0 to 1.
            #[uniffi(default = None)]
            pub t: Option<f64>,
            /// Bits before the point of an encoded element, from 0 to 15; 4 unless told.
            #[uniffi(default = None)]
            pub integer_bits: Option<f64>,
            /// Bits behind the point of an encoded element, from 0 to 15; 5 unless told.
            #[uniffi(default = None)]
            pub fraction_bits: Option<f64>,
            /// How much more of ε the high bits get than the low ones, from 0 to 1000; 0 unless told.
            #[uniffi(default = None)]
            pub tilt: Option<f64>,
            /// The share of a public base measure that the rows nearest to a word hold. Above 0 and below 1.
            #[uniffi(default = None)]
            pub mass: Option<f64>,
            /// A row counts in that measure in proportion to its word's frequency to this power, from 0 (all words
            /// alike) to 1.
            #[uniffi(default = None)]
            pub frequency_power: Option<f64>,
            /// A level of `nearest` by its name, instead of `level`.
            #[uniffi(default = None)]
            pub preset: Option<Preset>,
            $($(#[$attribute])* pub $other: $kind,)*
        }

        impl $name {
            /// A parameter as it was given.
            fn get(&self, parameter: Parameter) -> Option<f64> {
                match parameter {
                    Parameter::Eta => self.eta,
                    Parameter::Epsilon => self.epsilon,
                    Parameter::Level => self.level,
                    Parameter::Delta => self.delta,
                    Parameter::Clip => self.clip,
                    Parameter::Lambda => self.lambda,
                    Parameter::Gamma => self.gamma,
                    Parameter::T => self.t,
                    Parameter::IntegerBits => self.integer_bits,
                    Parameter::FractionBits => self.fraction_bits,
                    Parameter::Tilt => self.tilt,
                    Parameter::Mass => self.mass,
                    Parameter::FrequencyPower => self.frequency_power,
                }
            }

            /// The mechanism that is asked for, told all but the parameter `without`.
            fn mechanism(
                &self,
                usual: MechanismKind,
                without: Option<Parameter>,
            ) -> Result<textveil::Mechanism, Error> {
                let kind = self.mechanism.unwrap_or(usual);
                let mechanism = textveil::Mechanism::new(kind).calibrated(self.calibration.unwrap_or_default())?;
                let given = Parameter::ALL.iter().copied().filter(|parameter| Some(*parameter) != without);
                let mut given = given.filter_map(|parameter| Some((parameter, self.get(parameter)?)));
                let mechanism =
                    given.try_fold(mechanism, |mechanism, (parameter, value)| mechanism.with(parameter, value))?;
                self.preset.map_or(Ok(mechanism), |preset| mechanism.with_preset(preset))
            }
        }
    };
}
options! {
    /// What to do with a text. Without a mechanism, it is `nearest` (over a table that is too small for its levels
    /// `certified`, or `exponential` if the table has no certificates); without a strength (level, preset, ε or η), the
    /// default level.
    Options {
        /// Leave function words (the, of, and, …) in clear. So are acronyms and names spelled like one (US,
        /// WHO, Will, May). Which they are and where they stand becomes public.
        #[uniffi(default = false)]
        keep_function_words: bool,
        /// Send `[url]`, `[email]` and `[number]` for tokens of that kind, unless told otherwise. Where which kind
        /// stands is public then. With `false`, a word is drawn for each.
        #[uniffi(default = None)]
        placeholders: Option<bool>,
        /// Words that stay in clear where they stand, as they are written here: names of products. Each is one word.
        /// Which of them stands where becomes public. At most 1,000.
        #[uniffi(default = [])]
        keep_words: Vec<String>,
        /// Words that never come out, in whatever case. At most 1,000.
        #[uniffi(default = [])]
        never_say: Vec<String>,
        /// Keep of the layout only where sentences end. Between words stands one space. So less becomes public than
        /// without it: which texts have the same layout does not show.
        #[uniffi(default = false)]
        plain_layout: bool,
        /// Send words as they were drawn, for whoever counts them. Without this, a word may be sent in another form,
        /// which agrees with the words next to it ("an apple", "to say").
        #[uniffi(default = false)]
        as_drawn: bool,
        /// Also privatize a text that is mostly not of the table's language. What comes out for its words has nothing
        /// to do with them. Without this, it is refused (`OtherLanguage`).
        #[uniffi(default = false)]
        any_language: bool,
    }
}
options! {
    /// How to represent a text by vectors of the table, or vectors of another encoder. Without a mechanism, it
    /// is `privunit2`, which tells most at equal ε up to about 100; ε must be given.
    RepresentationOptions {
        /// `Text` (unless told): one row, of the mean of the words' vectors. `Word`: one row for each word.
        #[uniffi(default = None)]
        unit: Option<Unit>,
        /// Which words are left out before that.
        #[uniffi(default = None)]
        dropout: Option<Dropout>,
        /// Also represent a text that is mostly not of the table's language. Not for vectors of another encoder.
        #[uniffi(default = false)]
        any_language: bool,
    }
}
options! {
    /// By what mechanism to report a choice: `sue` or `oue`. Without one, it is `oue`, which estimates best.
    ChoiceOptions {}
}

/// Which words' vectors become null before the mechanism sees them.
#[derive(Clone, Debug, PartialEq, uniffi::Enum)]
pub enum Dropout {
    /// A coin for each word, which makes the guarantee stronger. Not offered with a mechanism of metric DP.
    Random {
        /// The probability of being left out, at least 0 and below 1.
        rate: f64,
    },
    /// The same for a share of the words, rounded up to a whole number of them.
    Fixed {
        /// The share, at least 0 and below 1.
        rate: f64,
    },
    /// Those that are marked. What is chosen is not random, and strengthens no guarantee; it counts as
    /// public, so that it must not be chosen by what the words say.
    Mask {
        /// Whether each word is left out.
        mask: Vec<bool>,
    },
}

impl From<Dropout> for textveil::Dropout {
    fn from(dropout: Dropout) -> Self {
        match dropout {
            Dropout::Random { rate } => Self::Bernoulli(rate),
            Dropout::Fixed { rate } => Self::FixedSize(rate),
            Dropout::Mask { mask } => Self::Chosen(mask),
        }
    }
}

/// A span that a detector found.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct DetectedSpan {
    /// Where it begins.
    pub start: u64,
    /// Where it ends: the place behind its last character.
    pub end: u64,
    /// What it is, as a name that is sent: a letter, then up to 23 letters, digits, `-` and `_`.
    pub kind: String,
}

/// What a detector found in a text.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct Detected {
    /// What places count.
    pub offsets: Offsets,
    /// The spans; perhaps none.
    pub spans: Vec<DetectedSpan>,
}

/// The text without what was detected in it.
pub(crate) fn redacted<'a>(text: &'a str, detected: Option<&Detected>) -> Result<Redacted<'a>, Error> {
    let Some(Detected { offsets, spans }) = detected else { return Ok(Redacted::from(text)) };
    let place = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
    let spans =
        spans.iter().map(|DetectedSpan { start, end, kind }| Span { start: place(*start), end: place(*end), kind });
    Redacted::new(text, &spans.collect::<Vec<_>>(), *offsets)
}

/// How texts are to be rewritten.
#[derive(Clone, PartialEq)]
pub(crate) struct Rewriting {
    pub(crate) mechanism: textveil::Mechanism,
    pub(crate) disclosure: Disclosure,
    pub(crate) as_drawn: bool,
    pub(crate) any_language: bool,
    pub(crate) lists: WordLists,
}

/// How texts, or the vectors of another encoder, are to be represented.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Representing {
    pub(crate) mechanism: textveil::Mechanism,
    pub(crate) unit: Unit,
    pub(crate) vectors: Option<Outside>,
    pub(crate) any_language: bool,
}

/// What is known in public of the vectors of another encoder.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Outside {
    pub(crate) dims: usize,
    pub(crate) clip: Option<f64>,
}

impl Options {
    pub(crate) fn rewriting(&self, usual: MechanismKind) -> Result<Rewriting, Error> {
        let usually = Disclosure::for_people();
        let disclosure = Disclosure {
            function_words: self.keep_function_words,
            placeholders: self.placeholders.unwrap_or(usually.placeholders),
            plain_layout: self.plain_layout,
        };
        let Self { as_drawn, any_language, .. } = *self;
        let [keep, never] = [&self.keep_words, &self.never_say].map(|words| words.iter().map(|word| normalize(word)));
        let lists = WordLists::keeping(&keep.collect::<Vec<_>>())?.never_saying(&never.collect::<Vec<_>>())?;
        Ok(Rewriting { mechanism: self.mechanism(usual, None)?, disclosure, as_drawn, any_language, lists })
    }
}

impl RepresentationOptions {
    pub(crate) fn dropout(&self) -> textveil::Dropout {
        self.dropout.clone().map_or(textveil::Dropout::None, textveil::Dropout::from)
    }

    /// With the number of their dimensions if it is vectors of another encoder; `clip` is then no parameter
    /// of the mechanism.
    pub(crate) fn representing(&self, dims: Option<usize>) -> Result<Representing, Error> {
        if dims == Some(0) {
            return Err(Error::InvalidVector);
        }
        // Vectors have no language.
        if self.any_language && dims.is_some() {
            return Err(Error::InvalidOptions);
        }
        let vectors = dims.map(|dims| Outside { dims, clip: self.get(Parameter::Clip) });
        let mechanism = self.mechanism(Representer::USUAL, vectors.map(|_| Parameter::Clip))?;
        let unit = self.unit.unwrap_or(Unit::Text);
        Ok(Representing { mechanism, unit, vectors, any_language: self.any_language })
    }
}

impl ChoiceOptions {
    /// How one value of a list of `size` must be reported.
    pub(crate) fn choosing(&self, size: u32) -> Result<Unary, Error> {
        Unary::new(self.mechanism(Unary::USUAL, None)?, size as usize)
    }
}
