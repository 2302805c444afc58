//! One user's device, which answers a request once.

use alloc::vec::Vec;
use core::fmt;

use textveil::{Loss, ReleaseRng, Table};

use crate::{Contributor, Error, Guarantee, Noise, Request};

/// Answers a request once: every further answer would spend the user's ε again.
///
/// It knows nothing of other objects and earlier runs. The app must store [`Request::id`] and answer no request with a
/// stored id. Another request has another id, and its loss adds to the earlier ones: their ρ add up
/// ([`Guarantee::rho`]).
#[derive(Debug)]
pub struct Device {
    contributor: Contributor,
    answered: bool,
}

/// The data that leaves a device. Printed, it has no vector: by itself that protects nobody.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The contribution, with the device's share of the noise where the request has its noise from devices.
    pub vector: Vec<i32>,
    /// The guarantee for the user. It says so if the device's noise came from a known seed.
    pub guarantee: Guarantee,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("guarantee", &self.guarantee).finish_non_exhaustive()
    }
}

impl Device {
    /// The largest ε and δ that a device answers under, whatever a collector asks for.
    pub const MOST: Loss = Loss { epsilon: 10.0, delta: 1e-4 };

    /// The most honest devices that a device counts on for the noise, whatever a collector asks for. The more devices share the
    /// noise, the less each adds: one of a million adds next to none.
    pub const MOST_DEVICES: u32 = 10_000;

    /// For a request whose noise comes from [`Self::MOST_DEVICES`] devices at most, with the table in which it reads
    /// contexts.
    ///
    /// # Errors
    /// [`Error::NoiseElsewhere`] for a request whose noise is added to the sum, or comes from more devices: its answer would
    /// have no noise, or next to none. Else as [`Self::trusting_the_sum`].
    pub fn new(request: Request, table: Table) -> Result<Self, Error> {
        match request.terms().noise {
            Noise::Devices { least: ..=Self::MOST_DEVICES } => Self::trusting_the_sum(request, table),
            Noise::Devices { .. } | Noise::Sum => Err(Error::NoiseElsewhere),
        }
    }

    /// For any request. If its noise is added to the sum, the answer has no noise, and next to none if very many devices
    /// share it. The app's builder must know that nobody sees it before it is summed, and must not let a request decide that.
    ///
    /// # Errors
    /// [`Error::OtherTable`] if the request names another table. [`Error::BadRequest`] for an ε or a δ above
    /// [`Self::MOST`].
    pub fn trusting_the_sum(request: Request, table: Table) -> Result<Self, Error> {
        if request.terms().epsilon > Self::MOST.epsilon || request.terms().delta > Self::MOST.delta {
            return Err(Error::BadRequest("a device answers up to epsilon 10 and delta 0.0001"));
        }
        Ok(Self { contributor: Contributor::new(request, table)?, answered: false })
    }

    /// The request.
    #[must_use]
    pub const fn request(&self) -> &Request {
        self.contributor.request()
    }

    /// Answers the request from all texts of the user (NFKC is the caller's part), under `epsilon` if the user has a budget of
    /// their own. After an error nothing was answered, and it may be called again.
    ///
    /// # Errors
    /// [`Error::AlreadyContributed`] after an answer. Those of [`Contributor::contribution`].
    pub fn answer<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a str>,
        epsilon: Option<f64>,
        rng: &mut ReleaseRng,
    ) -> Result<Answer, Error> {
        if self.answered {
            return Err(Error::AlreadyContributed);
        }
        let guarantee = self.request().guarantee_of(epsilon)?;
        let contribution = self.contributor.contribution(texts, epsilon)?;
        let (vector, guarantee) = match self.request().terms().noise {
            Noise::Devices { .. } => (self.contributor.noised(&contribution, rng)?, guarantee.of_draw(rng)),
            // The holder of the sum draws the noise, and nothing is drawn here.
            Noise::Sum => (contribution.into_exact(), guarantee),
        };
        self.answered = true;
        Ok(Answer { vector, guarantee })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use textveil::{release_rng, seeded_rng};

    use super::*;
    use crate::Terms;
    use crate::request::tests::terms;

    #[test]
    fn a_request_is_answered_once_and_a_refused_answer_does_not_count() {
        let table = Table::english().expect("the built-in table");
        for noise in [Noise::Sum, Noise::Devices { least: 3 }] {
            let terms = Terms { table: table.id().to_string(), noise, ..terms() };
            let request = Request::new(terms).expect("a request");
            let mut device = Device::trusting_the_sum(request, table.clone()).expect("its table");
            let rng = &mut seeded_rng([1; 32]);
            assert_eq!(device.answer(["a zorp"], Some(9.0), rng), Err(Error::InvalidEpsilon));
            let answer = device.answer(["a warm zorp of milk"], Some(1.0), rng).expect("an answer");
            assert_eq!((answer.vector.len(), answer.guarantee.epsilon), (device.request().len(), 1.0));
            assert_eq!(device.answer(["a zorp"], None, rng), Err(Error::AlreadyContributed));
        }
    }

    #[test]
    fn noise_from_a_known_seed_is_promised_nothing() {
        let table = Table::english().expect("the built-in table");
        // Where the noise is added to the sum, the device draws none.
        for (noise, is_drawn) in [(Noise::Devices { least: 3 }, true), (Noise::Sum, false)] {
            let terms = Terms { table: table.id().to_string(), noise, ..terms() };
            let request = Request::new(terms).expect("a request");
            let promised = |rng: &mut ReleaseRng| {
                let mut device = Device::trusting_the_sum(request.clone(), table.clone()).expect("its table");
                device.answer(["a warm zorp of milk"], None, rng).expect("an answer").guarantee
            };
            let known = promised(&mut seeded_rng([1; 32]));
            assert_eq!(known, Guarantee { known_seed: is_drawn, ..request.guarantee() });
            assert_eq!(known.to_string().contains("protects nothing"), is_drawn, "{known}");
            let secret = &mut release_rng(&mut seeded_rng([1; 32])).expect("entropy");
            assert_eq!(promised(secret), request.guarantee());
        }
    }

    #[test]
    fn a_request_decides_neither_that_an_answer_is_bare_nor_how_weak_the_promise_is() {
        let table = Table::english().expect("the built-in table");
        let refusal = |trusts_sum, change: &dyn Fn(&mut Terms)| {
            let mut terms = Terms { table: table.id().to_string(), noise: Noise::Devices { least: 3 }, ..terms() };
            change(&mut terms);
            let device = if trusts_sum { Device::trusting_the_sum } else { Device::new };
            device(Request::new(terms).expect("a request"), table.clone()).err().map(Error::code)
        };
        assert_eq!(refusal(false, &|_| ()), None);
        assert_eq!(refusal(false, &|terms| terms.noise = Noise::Sum), Some("noise-elsewhere"));
        assert_eq!(refusal(false, &|terms| terms.delta = 2e-4), Some("bad-request"));
        let weak = |terms: &mut Terms| (terms.noise, terms.epsilon) = (Noise::Sum, 10.5);
        assert_eq!(refusal(true, &weak), Some("bad-request"));
        for (least, refused) in
            [(10_000, None), (10_001, Some("noise-elsewhere")), (1_000_000, Some("noise-elsewhere"))]
        {
            let shared = |terms: &mut Terms| (terms.noise, terms.norm) = (Noise::Devices { least }, 65_536);
            assert_eq!((refusal(false, &shared), refusal(true, &shared)), (refused, None), "{least}");
        }
    }
}
