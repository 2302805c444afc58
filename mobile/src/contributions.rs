//! What a device adds to a sum from which new words get vectors.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use textveil::{Loss, ReleaseRng, Table};
use textveil_contribute::{Answer, Device, Guarantee, Noise, Request};

use crate::source::Source;
use crate::veil::{english, normal};
use crate::{TextVeilError, panics};

/// Answers a request for new words, which a collector has published: what one user's texts say of the words that it names, as
/// one vector for a sum over many users. To be called from any thread; every call is synchronous.
///
/// **A user answers a request once**: every further answer would spend ε again, so an object refuses a second one. It knows
/// nothing of other objects and earlier runs: store `id` before the vector leaves, and answer no request whose `id` is stored.
#[derive(uniffi::Object)]
pub struct Contributor {
    device: Mutex<Device>,
    source: Source,
}

#[uniffi::export]
impl Contributor {
    /// With the request as the collector has published it (JSON), and the file of the table that it names. Without a table, it
    /// is the English one that the library carries. With `trusted_sum` it also answers a request whose noise is added to the
    /// sum, or shared by more than 10,000 devices: the answer then holds no noise, or next to none.
    ///
    /// # Errors
    /// `NoiseElsewhere` for such a request if the sum is not trusted; `BadRequest`; `OtherTable` if the request names another
    /// table; `BadTable`.
    #[uniffi::constructor(default(table = None, trusted_sum = false))]
    pub fn new(request: &str, table: Option<Vec<u8>>, trusted_sum: bool) -> Result<Self, TextVeilError> {
        panics::print_places_only();
        let request = Request::from_json(request)?;
        let table = table.map_or_else(english, Table::parse)?;
        let device = if trusted_sum { Device::trusting_the_sum(request, table) } else { Device::new(request, table) }?;
        Ok(Self { device: Mutex::new(device), source: Source::default() })
    }

    /// Answers the request from all texts of the user. A user without anything to say answers as well, from no text. A text
    /// longer than 1 MiB is left out. After an error nothing was answered.
    ///
    /// `epsilon` is the user's own budget in nats, if the user has one: at most the request's.
    ///
    /// # Errors
    /// `AlreadyContributed` after an answer; `InvalidEpsilon`, `EntropyUnavailable`.
    #[uniffi::method(default(epsilon = None))]
    pub fn contribute(&self, texts: Vec<String>, epsilon: Option<f64>) -> Result<Contribution, TextVeilError> {
        panics::without_words(|| {
            self.answer(&texts, epsilon, &mut self.source.rng(texts.iter().map(String::as_bytes))?)
        })
    }

    /// What will be proved of a user with this budget of their own, or without one.
    ///
    /// # Errors
    /// `InvalidEpsilon`.
    #[uniffi::method(default(epsilon = None))]
    pub fn guarantee(&self, epsilon: Option<f64>) -> Result<ContributionGuarantee, TextVeilError> {
        Ok(self.with_device(|device| device.request().guarantee_of(epsilon))?.into())
    }

    /// What the request is told apart by: a SHA-256 in hexadecimal.
    pub fn id(&self) -> String {
        self.with_device(|device| device.request().id())
    }
}

impl Contributor {
    pub(crate) fn answer(
        &self,
        texts: &[String],
        epsilon: Option<f64>,
        rng: &mut ReleaseRng,
    ) -> Result<Contribution, TextVeilError> {
        // Whether a device answers must not depend on its texts.
        let texts: Vec<String> = texts.iter().filter_map(|text| normal(text).ok()).collect();
        self.with_device(|device| {
            let answer = device.answer(texts.iter().map(String::as_str), epsilon, rng)?;
            Ok(Contribution::new(device.request(), answer))
        })
    }

    /// A thread that dies in here has answered nothing.
    fn with_device<T>(&self, work: impl FnOnce(&mut Device) -> T) -> T {
        work(&mut self.device.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a device answers to a request.
/// Printed, it has no vector: a log is an upload.
#[derive(Clone, PartialEq, uniffi::Record)]
#[uniffi::export(Debug, Display)]
pub struct Contribution {
    /// One number after the other for each word of the request. **By itself it protects nobody**, with this device's share of the
    /// noise as little as without it: it may only go where it is added up unseen.
    pub vector: Vec<i32>,
    /// The request's identity.
    pub id: String,
    /// What is proved of the user.
    pub guarantee: ContributionGuarantee,
    /// Bits of a number of `vector` to which `largest` was added: what a secure sum of vectors has to be told.
    pub bits: u32,
    /// The largest absolute value of a number.
    pub largest: u32,
}

impl fmt::Debug for Contribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contribution").field("id", &self.id).field("guarantee", &self.guarantee).finish_non_exhaustive()
    }
}

impl fmt::Display for Contribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Contribution {
    fn new(request: &Request, answer: Answer) -> Self {
        let Answer { vector, guarantee, .. } = answer;
        let guarantee = guarantee.into();
        Self { vector, id: request.id(), guarantee, bits: request.bits(), largest: request.largest() }
    }
}

/// What is proved of a user whose contribution is in the sum.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct ContributionGuarantee {
    /// ε for the user, in nats: the request's, or the user's own.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// Concentrated DP: ρ, from which ε and δ follow.
    pub rho: f64,
    /// Who adds the noise.
    pub noise: ContributionNoise,
    /// What the sum hides the difference of. Two sets of texts of one user differ by up to twice as much.
    pub neighbours: String,
    /// Whether a known seed decided the noise. Then nothing is protected, and the numbers are those of the same noise under a
    /// secret seed.
    pub known_seed: bool,
    /// The guarantee in English, with what it depends on.
    pub statement: String,
}

#[uniffi::export]
impl ContributionGuarantee {
    /// What a ledger counts for a contribution with this guarantee. It is infinite if the seed is known, which no budget
    /// allows.
    pub fn loss(&self) -> Loss {
        if self.known_seed {
            return Loss { epsilon: f64::INFINITY, delta: 1.0 };
        }
        Loss { epsilon: self.epsilon, delta: self.delta }
    }
}

impl From<Guarantee> for ContributionGuarantee {
    fn from(guarantee: Guarantee) -> Self {
        let Guarantee { epsilon, delta, rho, noise, neighbours, known_seed, .. } = guarantee;
        let noise = match noise {
            Noise::Devices { least } => ContributionNoise::Devices { least },
            Noise::Sum => ContributionNoise::Sum,
        };
        let (neighbours, statement) = (neighbours.to_owned(), guarantee.to_string());
        Self { epsilon, delta, rho, noise, neighbours, known_seed, statement }
    }
}

/// Who adds the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum ContributionNoise {
    /// Whoever holds the sum.
    Sum,
    /// Each device a share.
    Devices {
        /// Devices that must add theirs.
        least: u32,
    },
}
