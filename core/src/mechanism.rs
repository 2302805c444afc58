//! Mechanisms: randomized maps with the guarantee that holds for each.
//!
//! One mechanism a file, each opening with its claim, its neighbouring relation and its proof. A new one is
//! its file and its line in the list below.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use rand_core::CryptoRng;

use crate::draw::channel::{Channel, Plan};
use crate::draw::nearest_mass::NearestMass;
#[cfg(feature = "serde")]
use crate::draw::nearest_mass::Offered;
use crate::parameters::Values;
use crate::privacy::space::{Outside, Space};
use crate::sampler::Tail;
#[cfg(feature = "all-mechanisms")]
use crate::table::Nearest;
use crate::{Calibration, Claim, Error, Loss, Metric, Parameter, Preset, Table, WordId};

/// Turns the list into the modules, [`MechanismKind`] and the way from one to the other.
macro_rules! mechanisms {
    (
        always { $($(#[$doc:meta])* $name:ident = $number:literal in $file:ident,)* }
        with $feature:literal { $($(#[$more_doc:meta])* $more_name:ident = $more_number:literal in $more_file:ident,)* }
    ) => {
        $(mod $file;)*
        $(#[cfg(feature = $feature)] mod $more_file;)*

        /// The mechanisms by name. Without the feature `all-mechanisms` there are few.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum MechanismKind {
            $($(#[$doc])* $name = $number,)*
            $($(#[$more_doc])* #[cfg(feature = $feature)] $more_name = $more_number,)*
        }

        impl MechanismKind {
            /// Every mechanism of this build.
            pub const ALL: &'static [Self] = &[
                $(Self::$name,)*
                $(#[cfg(feature = $feature)] Self::$more_name,)*
            ];

            const fn card(self) -> &'static Card {
                match self {
                    $(Self::$name => &$file::CARD,)*
                    $(#[cfg(feature = $feature)] Self::$more_name => &$more_file::CARD,)*
                }
            }
        }
    };
}
mechanisms! {
    always {
        /// The exponential mechanism over the whole vocabulary.
        Exponential = 0 in exponential,
        /// The exponential mechanism with a base measure and a constant that were computed for the table.
        Certified = 17 in certified,
        /// The same with equal chances for all words near the word.
        Plateau = 18 in plateau,
        /// Nearest-mass randomized response: the rows nearest to the word, or any other.
        Nearest = 19 in nearest,
    }
    with "all-mechanisms" {
        /// Multivariate Laplace noise, then the nearest word.
        MetricLaplace = 1 in metric_laplace,
        /// The exponential mechanism in a distance that is cut off.
        TruncatedExponential = 2 in truncated_exponential,
        /// The exponential mechanism inside the word's public class.
        ClassExponential = 3 in class_exponential,
        /// Multivariate Laplace noise, then the nearest word or the second nearest.
        Vickrey = 4 in vickrey,
        /// Multivariate Laplace noise shaped like the vocabulary, then the nearest word.
        Mahalanobis = 5 in mahalanobis,
        /// Discrete Laplace noise on each coordinate.
        Laplace = 6 in laplace,
        /// Truncated Laplace noise on each coordinate.
        TruncatedLaplace = 7 in truncated_laplace,
        /// Gaussian noise on each coordinate, analytically calibrated.
        Gaussian = 8 in gaussian,
        /// Laplace noise on a representation whose elements lie in [0, 1].
        Dpnr = 9 in dpnr,
        /// A random unit vector near the representation's direction.
        Privunit2 = 10 in privunit2,
        /// Symmetric randomized response on a binary code, as in symmetric unary encoding.
        Sue = 11 in sue,
        /// Asymmetric randomized response on a binary code, as in optimized unary encoding.
        Oue = 12 in oue,
        /// Optimized multiple encoding: randomized response whose odds λ sets.
        Ome = 13 in ome,
        /// Symmetric randomized response with ε split over the bits by their weight.
        RandomizedResponse = 14 in randomized_response,
        /// Discrete Gaussian noise on each coordinate, by concentrated differential privacy.
        DiscreteGaussian = 15 in discrete_gaussian,
        /// Discrete Laplace noise on each coordinate, scaled to the distance.
        LatticeLaplace = 16 in lattice_laplace,
    }
}

/// The levels that are the same for every table.
pub(crate) mod levels {
    pub(crate) use super::nearest::{level_reports, serves as are_served};
}

/// The entry of a mechanism in the list.
struct Card {
    name: &'static str,
    parameters: &'static [Parameter],
    gives: Gives,
    /// Whether the calibration of its paper differs from the sound one.
    has_published: bool,
    prepare: fn(&Mechanism, &Inputs<'_>) -> Result<Prepared, Error>,
}

/// What a mechanism can put out.
#[derive(Clone, Copy, PartialEq)]
enum Gives {
    Words,
    /// Noise on vectors, which can be turned into words.
    WordsAndVectors,
    /// Codes of a representation, which cannot be turned into words.
    Encodings,
}

impl MechanismKind {
    /// The mechanism's name in every language and file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.card().name
    }

    /// The parameters that it takes.
    #[must_use]
    pub const fn parameters(self) -> &'static [Parameter] {
        self.card().parameters
    }

    /// Whether it can replace words: see [`crate::Privatizer`].
    #[must_use]
    pub fn gives_words(self) -> bool {
        self.card().gives != Gives::Encodings
    }

    /// Whether it can put out vectors or bits: see [`crate::Representer`].
    #[must_use]
    pub fn gives_representations(self) -> bool {
        self.card().gives != Gives::Words
    }

    /// Whether its guarantee follows from its η and from bounds of the table, so that it can be stated without
    /// preparing the mechanism.
    #[must_use]
    pub fn can_be_restated(self) -> bool {
        match self {
            Self::Certified | Self::Plateau | Self::Nearest | Self::Exponential => true,
            #[cfg(feature = "all-mechanisms")]
            Self::LatticeLaplace => true,
            #[cfg(feature = "all-mechanisms")]
            _ => false,
        }
    }

    /// Whether [`Calibration::Published`] can be asked for.
    #[must_use]
    pub const fn has_published(self) -> bool {
        self.card().has_published
    }

    /// The mechanism of this number in table files, if this build has it.
    pub(crate) fn numbered(number: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| *kind as u32 == number)
    }
}

impl fmt::Display for MechanismKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl core::str::FromStr for MechanismKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or(Error::InvalidMechanism)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for MechanismKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A mechanism with its parameters: what a caller asks for. Whether a table can serve it shows when it is
/// prepared.
///
/// ```
/// use textveil::{Mechanism, MechanismKind, Parameter};
///
/// let mechanism = Mechanism::new(MechanismKind::TruncatedLaplace)
///     .with(Parameter::Epsilon, 10.0)?
///     .with(Parameter::Delta, 1e-5)?;
/// # Ok::<(), textveil::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mechanism {
    kind: MechanismKind,
    calibration: Calibration,
    values: Values,
}

/// Relative slack for the rounding of a few float operations in a number that is stated as an upper bound.
const UPWARDS: f64 = 1.0 + 1e-15;
const DOWNWARDS: f64 = 1.0 - 1e-15;
/// Calibrations by formulas aim below the target by this factor: the proved loss is rounded up, and must not exceed the
/// target.
pub(crate) const AIM: f64 = 1.0 - 1e-9;

/// The noise on each of `dims` coordinates that spends `wanted`, its sampler's cost included, and the proved loss.
/// `noise` gives the noise that would spend a loss if it were ideal.
///
/// The cost depends on the noise so little that a few rounds find it.
fn calibrated(wanted: Loss, dims: usize, noise: impl Fn(Loss) -> Result<Tail, Error>) -> Result<(Tail, Loss), Error> {
    let aim = Loss { epsilon: wanted.epsilon * AIM, delta: wanted.delta * AIM };
    let mut tail = noise(aim)?;
    for _ in 0..4 {
        let ideal = tail.ideal(aim, dims).ok_or(Error::Invalid(Parameter::Epsilon))?;
        tail = noise(ideal)?;
        let drawn = tail.drawn(ideal, dims);
        if drawn.epsilon <= wanted.epsilon && drawn.delta <= wanted.delta {
            return Ok((tail, drawn));
        }
    }
    Err(Error::Invalid(Parameter::Epsilon))
}

impl Mechanism {
    /// The mechanism in its sound calibration, without parameters: at the default level of a table, if that
    /// stores levels for it.
    #[must_use]
    pub const fn new(kind: MechanismKind) -> Self {
        Self { kind, calibration: Calibration::Sound, values: Values::NONE }
    }

    /// The same with a parameter set.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a value out of range. [`Error::InvalidOptions`] for a parameter that the mechanism does
    /// not take, or a second one of η, ε and level.
    pub fn with(mut self, parameter: Parameter, value: f64) -> Result<Self, Error> {
        let value = parameter.check(value)?;
        if !self.kind.parameters().contains(&parameter) {
            return Err(Error::InvalidOptions);
        }
        self.values.set(parameter, value);
        if Parameter::STRENGTHS.iter().copied().filter(|strength| self.get(*strength).is_some()).count() > 1 {
            return Err(Error::InvalidOptions);
        }
        Ok(self)
    }

    /// Nearest-mass randomized response at the level of this name.
    ///
    /// # Errors
    /// [`Error::InvalidOptions`] for another mechanism, or if it has a strength already.
    pub fn with_preset(self, preset: Preset) -> Result<Self, Error> {
        if self.kind != MechanismKind::Nearest || self.get(Parameter::Level).is_some() {
            return Err(Error::InvalidOptions);
        }
        self.with(Parameter::Level, f64::from(preset.level()))
    }

    /// The same as if this parameter had not been given.
    const fn without(mut self, parameter: Parameter) -> Self {
        self.values.clear(parameter);
        self
    }

    /// With the numbers that it takes from its level, where the level is but a name for them.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a level that there is not.
    pub(crate) fn settled(self, table: &Table) -> Result<Self, Error> {
        if self.kind == MechanismKind::Nearest { nearest::settled(self, table) } else { Ok(self) }
    }

    /// The same in another calibration.
    ///
    /// # Errors
    /// [`Error::InvalidCalibration`] if the mechanism has no published one of its own.
    pub fn calibrated(mut self, calibration: Calibration) -> Result<Self, Error> {
        if calibration == Calibration::Published && !self.kind.has_published() {
            return Err(Error::InvalidCalibration);
        }
        self.calibration = calibration;
        Ok(self)
    }

    /// Which mechanism it is.
    #[must_use]
    pub const fn kind(&self) -> MechanismKind {
        self.kind
    }

    /// Its calibration.
    #[must_use]
    pub const fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// A parameter's value, if it was given.
    #[must_use]
    pub const fn get(&self, parameter: Parameter) -> Option<f64> {
        self.values.get(parameter)
    }

    /// A parameter's value: the one that was given, or the usual one of a parameter that the mechanism takes.
    pub(crate) fn value(&self, parameter: Parameter) -> Option<f64> {
        let usual = || if self.kind.parameters().contains(&parameter) { parameter.usual() } else { None };
        self.get(parameter).or_else(usual)
    }

    /// The parameters that were given, with their values.
    pub fn parameters(&self) -> impl Iterator<Item = (Parameter, f64)> + '_ {
        Parameter::ALL.iter().copied().filter_map(|parameter| Some((parameter, self.get(parameter)?)))
    }

    /// The proved loss of one unit over a table: a word, or a whole representation for encodings.
    ///
    /// # Errors
    /// As [`crate::Privatizer::new`].
    pub fn loss(&self, table: &Table) -> Result<Loss, Error> {
        Ok(self.prepare(&Inputs::Table(table))?.proof.loss)
    }

    /// What is proved about one word, from bounds of the table alone: nothing is prepared, and no row is read.
    ///
    /// # Errors
    /// [`Error::NotOffered`] unless it [`MechanismKind::can_be_restated`].
    #[cfg(feature = "serde")]
    pub(crate) fn proof(&self, table: &Table, bounds: &Bounds) -> Result<Proof, Error> {
        match self.kind {
            MechanismKind::Certified | MechanismKind::Plateau => {
                certified::level(self, table).map(|(_, certificate)| certified::proof(&certificate, table))
            }
            MechanismKind::Nearest => nearest::proof(self, table, &bounds.offered),
            MechanismKind::Exponential => exponential::proof(self, table),
            #[cfg(feature = "all-mechanisms")]
            MechanismKind::LatticeLaplace => {
                let l1 = bounds.l1.ok_or(Error::NotOffered)?;
                lattice_laplace::proof(self, &Inputs::Table(table), table.dims(), l1).map(|(proof, _)| proof)
            }
            #[cfg(feature = "all-mechanisms")]
            _ => Err(Error::NotOffered),
        }
    }

    pub(crate) fn prepare(&self, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
        #[cfg(test)]
        PREPARED.with(|count| count.set(count.get() + 1));
        (self.kind.card().prepare)(self, inputs)
    }

    fn is_published(&self) -> bool {
        self.calibration == Calibration::Published
    }

    fn required(&self, parameter: Parameter) -> Result<f64, Error> {
        self.get(parameter).ok_or(Error::Invalid(parameter))
    }

    /// The (ε, δ) that was asked for.
    fn approximate(&self) -> Result<Loss, Error> {
        Ok(Loss::new(self.required(Parameter::Epsilon)?, self.required(Parameter::Delta)?)?)
    }

    /// η in nats per unit of distance: as given, or from ε and the longest distance, or from a level.
    fn eta(&self, inputs: &Inputs<'_>, longest: f64) -> Result<f64, Error> {
        let (eta, source) = match (self.get(Parameter::Eta), self.get(Parameter::Epsilon)) {
            (Some(eta), _) => (eta, Parameter::Eta),
            (_, Some(epsilon)) => (epsilon / (longest * UPWARDS) * DOWNWARDS, Parameter::Epsilon),
            (None, None) => (self.eta_of_level(inputs)?, Parameter::Level),
        };
        // Beyond these the lattice noise is all zero, or all of it is clamped.
        if (1e-6..=1e6 / inputs.step()).contains(&eta) { Ok(eta) } else { Err(Error::Invalid(source)) }
    }

    fn eta_of_level(&self, inputs: &Inputs<'_>) -> Result<f64, Error> {
        let Inputs::Table(table) = inputs else { return Err(Error::Invalid(Parameter::Eta)) };
        let level = match self.get(Parameter::Level) {
            Some(place) => table.levels_of(self.kind).nth(place as usize),
            None => table.default_level_of(self.kind),
        };
        let missing =
            if self.kind.parameters().contains(&Parameter::Level) { Parameter::Level } else { Parameter::Eta };
        Ok(level.ok_or(Error::Invalid(missing))?.eta)
    }
}

#[cfg(test)]
std::thread_local! {
    /// How many mechanisms this thread has prepared.
    pub(crate) static PREPARED: core::cell::Cell<u32> = const { core::cell::Cell::new(0) };
}

/// Bounds of a table that take a scan of it.
#[cfg(feature = "serde")]
#[derive(Debug)]
pub(crate) struct Bounds {
    /// A bound of the distance of two words in ‖·‖₁, if a mechanism needs it.
    #[cfg_attr(not(feature = "all-mechanisms"), allow(dead_code))]
    l1: Option<u64>,
    /// How frequent the rows are that are offered.
    offered: Offered,
}

#[cfg(feature = "serde")]
impl Bounds {
    /// The bounds that these mechanisms need.
    pub(crate) fn new(table: &Table, mechanisms: &[MechanismKind]) -> Result<Self, Error> {
        let is_needed = mechanisms.iter().any(|kind| kind.gives_representations());
        let l1 = if is_needed { Some(Space::of_table(table, None)?.l1) } else { None };
        Ok(Self { l1, offered: Offered::of(table) })
    }
}

/// What a mechanism is prepared for.
pub(crate) enum Inputs<'a> {
    /// Words of a table.
    Table(&'a Table),
    /// Vectors of another encoder.
    Vectors(Outside),
}

impl<'a> Inputs<'a> {
    fn table(&self) -> Result<&'a Table, Error> {
        match self {
            Self::Table(table) => Ok(table),
            Self::Vectors(_) => Err(Error::NotOffered),
        }
    }

    /// Where the mechanism's inputs lie.
    fn space(&self, clip: Option<f64>) -> Result<Space, Error> {
        match self {
            Self::Table(table) => Space::of_table(table, clip),
            Self::Vectors(outside) => Ok(Space::ball(*outside)),
        }
    }

    /// A bound of the Euclidean distance between two of them.
    fn diameter(&self) -> f64 {
        match self {
            Self::Table(table) => table.diameter_bound(),
            Self::Vectors(outside) => 2.0 * outside.clip,
        }
    }

    pub(crate) fn dims(&self) -> usize {
        match self {
            Self::Table(table) => table.dims(),
            Self::Vectors(outside) => outside.dims,
        }
    }

    /// Real length of a lattice step.
    pub(crate) fn step(&self) -> f64 {
        match self {
            Self::Table(table) => table.scale(),
            Self::Vectors(outside) => outside.step(),
        }
    }
}

/// A mechanism with what it computes once.
pub(crate) struct Prepared {
    pub(crate) proof: Proof,
    pub(crate) randomizer: Randomizer,
}

/// What is proved about one draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proof {
    /// Metric DP: η in nats per unit of the metric.
    pub(crate) eta: Option<(f64, Metric)>,
    /// The loss of exchanging one unit (a word; for encodings, a whole representation) for any other.
    pub(crate) loss: Loss,
    /// What the mechanism's paper says instead, of the same unit.
    pub(crate) claim: Option<Claim>,
    /// How far what is drawn may be from what the proof is about, in total variation; 0 if not at all. It is
    /// in δ.
    pub(crate) total_variation: f64,
    /// Only words of the same class are neighbours.
    pub(crate) same_class: bool,
}

impl Proof {
    /// A proof about exact draws.
    pub(crate) const fn of(loss: Loss) -> Self {
        Self { eta: None, loss, claim: None, total_variation: 0.0, same_class: false }
    }

    const fn metric(eta: f64, metric: Metric, epsilon: f64) -> Self {
        Self { eta: Some((eta, metric)), ..Self::of(Loss::pure(epsilon)) }
    }

    /// The vector of a word that the vocabulary lacks, in lattice steps. For a metric it is the mean that the bound of
    /// the diameter is taken around: no word is farther from it than half that bound. Else it is the null vector,
    /// which is in every [`Space`].
    #[cfg(feature = "all-mechanisms")]
    pub(crate) fn unknown(&self, table: &Table) -> Vec<i8> {
        if self.eta.is_some() { table.center() } else { vec![0; table.dims()] }
    }

    /// The same about draws from a law that is off by up to `total_variation`.
    fn off_by(self, total_variation: f64) -> Self {
        Self { loss: self.loss.off_by(total_variation), total_variation: total_variation.min(1.0), ..self }
    }
}

/// How a mechanism draws.
pub(crate) enum Randomizer {
    /// A word for a word.
    Channel(Plan),
    /// One of the rows nearest to a word, or any other.
    NearestMass(NearestMass),
    /// Noise added to a lattice vector that is clipped to `limit` steps first. The word nearest to the result comes
    /// out.
    Noise { noise: Box<dyn Noise>, limit: Option<f64> },
    /// Noise added to a word's vector, then the nearest word or, by `t`, the second nearest.
    SecondNearest { noise: Box<dyn Noise>, t: f64 },
    /// Another code for a whole representation.
    Encoding(Box<dyn Encoding>),
}

impl Randomizer {
    fn noise(noise: impl Noise + 'static, limit: Option<f64>) -> Self {
        Self::Noise { noise: Box::new(noise), limit }
    }

    fn encoding(encoding: impl Encoding + 'static) -> Self {
        Self::Encoding(Box::new(encoding))
    }
}

/// How a mechanism puts out words.
pub(crate) enum Words {
    Channel(Channel),
    NearestMass(NearestMass),
    #[cfg(feature = "all-mechanisms")]
    Nearest {
        noise: Box<dyn Noise>,
        nearest: Nearest,
        /// Where a word that the vocabulary lacks stands.
        unknown: Vec<i8>,
    },
    #[cfg(feature = "all-mechanisms")]
    SecondNearest {
        noise: Box<dyn Noise>,
        nearest: Nearest,
        unknown: Vec<i8>,
        t: f64,
    },
}

impl Words {
    /// # Errors
    /// [`Error::NotOffered`] for a mechanism that does not put out words.
    #[cfg_attr(not(feature = "all-mechanisms"), allow(unused_variables))]
    pub(crate) fn new(randomizer: Randomizer, proof: &Proof, table: &Table) -> Result<Self, Error> {
        Ok(match randomizer {
            Randomizer::Channel(plan) => Self::Channel(Channel::new(&plan, table)),
            Randomizer::NearestMass(nearest) => Self::NearestMass(nearest),
            #[cfg(feature = "all-mechanisms")]
            Randomizer::Noise { noise, limit } => {
                Self::Nearest { noise, nearest: Nearest::new(table, limit), unknown: proof.unknown(table) }
            }
            #[cfg(feature = "all-mechanisms")]
            Randomizer::SecondNearest { noise, t } => {
                Self::SecondNearest { noise, nearest: Nearest::new(table, None), unknown: proof.unknown(table), t }
            }
            _ => return Err(Error::NotOffered),
        })
    }

    /// Draws the words that take the places of `inputs`; `None` is a word that the vocabulary lacks. The keystream is
    /// read as for one after the other, and each reads as much of it as any other may.
    #[inline(never)] // once in a module that counts its bytes
    pub(crate) fn draw(&self, table: &Table, inputs: &[Option<WordId>], rng: &mut dyn CryptoRng) -> Vec<WordId> {
        match self {
            Self::Channel(channel) => channel.draw(table, inputs, rng),
            Self::NearestMass(nearest) => nearest.draw(table, inputs, rng),
            #[cfg(feature = "all-mechanisms")]
            Self::Nearest { noise, nearest, unknown } => {
                let vector = |word: WordId| nearest.vector(table, word);
                let mut point =
                    |input: &Option<WordId>| noisy_point(&**noise, &input.map_or_else(|| unknown.clone(), vector), rng);
                let points: Vec<_> = inputs.iter().map(&mut point).collect();
                nearest.one(table, &points)
            }
            #[cfg(feature = "all-mechanisms")]
            Self::SecondNearest { noise, nearest, unknown, t } => {
                let vector = |word: WordId| table.vector(word);
                let mut draw = |input: &Option<WordId>| {
                    let point = noisy_point(&**noise, &input.map_or_else(|| unknown.clone(), vector), rng);
                    (point, crate::random::uniform(rng))
                };
                let (points, coins): (Vec<_>, Vec<_>) = inputs.iter().map(&mut draw).unzip();
                let found = nearest.two(table, &points).into_iter().zip(coins);
                found.map(|(nearest, coin)| vickrey::choose(nearest, *t, coin)).collect()
            }
        }
    }

    /// How far a word is from one that the vocabulary lacks.
    #[cfg_attr(not(feature = "all-mechanisms"), allow(unused_variables))]
    pub(crate) fn distance_of_unknown(&self, table: &Table, word: WordId) -> f64 {
        match self {
            Self::Channel(channel) => channel.farthest_distance(table),
            Self::NearestMass(_) => table.diameter_bound(),
            #[cfg(feature = "all-mechanisms")]
            Self::Nearest { unknown, .. } | Self::SecondNearest { unknown, .. } => {
                let steps = table.vector(word).into_iter().zip(unknown);
                let squared: i32 = steps.map(|(a, b)| (i32::from(a) - i32::from(*b)).pow(2)).sum();
                table.scale() * libm::sqrt(f64::from(squared))
            }
        }
    }

    /// The probability of each word that may come out and is asked for, if the mechanism can state it.
    pub(crate) fn distribution(
        &self,
        table: &Table,
        input: Option<WordId>,
        is_asked: impl Fn(WordId) -> bool,
    ) -> Option<Vec<(WordId, f64)>> {
        match self {
            Self::Channel(channel) => Some(channel.distribution(table, input, is_asked)),
            Self::NearestMass(nearest) => Some(nearest.distribution(table, input, is_asked)),
            #[cfg(feature = "all-mechanisms")]
            Self::Nearest { .. } | Self::SecondNearest { .. } => None,
        }
    }

    /// The distribution as a multiple of that of an unknown word, and what few words have in addition.
    pub(crate) fn surplus(&self, table: &Table, input: Option<WordId>) -> Option<(f64, Vec<(WordId, f64)>)> {
        match self {
            Self::NearestMass(nearest) => Some(nearest.surplus(table, input)),
            Self::Channel(_) => None,
            #[cfg(feature = "all-mechanisms")]
            Self::Nearest { .. } | Self::SecondNearest { .. } => None,
        }
    }
}

fn noisy_point(noise: &dyn Noise, vector: &[i8], rng: &mut dyn CryptoRng) -> Vec<i32> {
    vector.iter().zip(noise.draw(vector.len(), rng)).map(|(x, k)| noisy(i64::from(*x), k)).collect()
}

/// How a mechanism puts out vectors or bits.
pub(crate) enum Rows {
    Noise { noise: Box<dyn Noise>, limit: Option<f64> },
    Encoding(Box<dyn Encoding>),
}

impl Rows {
    /// # Errors
    /// [`Error::NotOffered`] for what puts out words alone.
    pub(crate) fn new(randomizer: Randomizer) -> Result<Self, Error> {
        match randomizer {
            Randomizer::Noise { noise, limit } => Ok(Self::Noise { noise, limit }),
            Randomizer::Encoding(encoding) => Ok(Self::Encoding(encoding)),
            Randomizer::Channel(_) | Randomizer::NearestMass(_) | Randomizer::SecondNearest { .. } => {
                Err(Error::NotOffered)
            }
        }
    }
}

/// Noise on the integer lattice whose law does not depend on what it is added to.
pub(crate) trait Noise: Send + Sync {
    /// One integer a dimension.
    fn draw(&self, dims: usize, rng: &mut dyn CryptoRng) -> Vec<i64>;
}

/// Independent noise on each coordinate.
struct ByCoordinate<F>(F);

impl<F: Fn(&mut dyn CryptoRng) -> i64 + Send + Sync> Noise for ByCoordinate<F> {
    fn draw(&self, dims: usize, rng: &mut dyn CryptoRng) -> Vec<i64> {
        (0..dims).map(|_| (self.0)(rng)).collect()
    }
}

/// A noisy integer, cut off far beyond every vector **after** the noise is added: only then it shows nothing.
pub(crate) fn noisy(exact: i64, noise: i64) -> i32 {
    const FARTHEST: i64 = 1 << 30;
    exact.saturating_add(noise).clamp(-FARTHEST, FARTHEST) as i32
}

/// The sum of the lattice vectors of some words.
pub(crate) struct Sum {
    /// One integer a dimension.
    pub(crate) steps: Vec<i64>,
    /// What a mean divides by: the number of words, 1 at least.
    pub(crate) words: usize,
    /// How many of the words were not left out.
    pub(crate) kept: usize,
}

impl Sum {
    /// Of a vector for each word, or of none where it is left out.
    pub(crate) fn of(dims: usize, words: &[Option<Vec<i32>>]) -> Self {
        let mut sum = Self { steps: vec![0; dims], words: words.len().max(1), kept: 0 };
        for vector in words.iter().flatten() {
            sum.kept += 1;
            for (step, v) in sum.steps.iter_mut().zip(vector) {
                *step += i64::from(*v);
            }
        }
        sum
    }
}

/// A code of a representation, which is the mean of one or more lattice vectors.
pub(crate) trait Encoding: Send + Sync {
    /// Encodes the mean of vectors with this sum.
    fn encode(&self, sum: &Sum, rng: &mut dyn CryptoRng) -> Code;

    /// The real value of 1 in a lattice code, or `None` for bits.
    fn scale(&self) -> Option<f64>;

    /// The loss of exchanging one of `words` words; at most that of exchanging all of them.
    fn loss_of_a_word(&self, _words: usize, all: Loss) -> Loss {
        all
    }

    /// What is made of another encoder's vectors first.
    fn domain(&self) -> Domain {
        Domain::Ball
    }
}

/// Where another encoder's vectors are brought to, or must lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    /// A Euclidean norm of at most `clip`: longer vectors are shortened.
    Ball,
    /// Coordinates of at most `clip` either way: larger ones are cut.
    Box,
    /// A Euclidean norm of 1.
    Sphere,
}

/// What an encoding puts out.
pub(crate) enum Code {
    Lattice(Vec<i32>),
    Bits(Vec<bool>),
}
