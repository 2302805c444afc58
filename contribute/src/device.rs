//! One user's device, which answers a request once.

use alloc::vec::Vec;

use rand_core::Rng;
use textveil::Table;

use crate::{Contributor, Error, Guarantee, Request};

/// Answers a request once: every further answer would spend the user's ε again.
///
/// It knows nothing of other objects and earlier runs. Whoever keeps it stores [`Request::id`], and answers no request whose id
/// is stored.
pub struct Device {
    contributor: Contributor,
    answered: bool,
}

/// What leaves a device.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The contribution, with the device's share of the noise where the request has its noise from devices.
    pub vector: Vec<i32>,
    /// What is proved of the user.
    pub guarantee: Guarantee,
}

impl Device {
    /// For a request, with the table in which it reads contexts.
    ///
    /// # Errors
    /// [`Error::OtherTable`].
    pub fn new(request: Request, table: Table) -> Result<Self, Error> {
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
    /// [`Error::AlreadyContributed`] after an answer; else as [`Contributor::contribution`].
    pub fn answer<'a, R: Rng + ?Sized>(
        &mut self,
        texts: impl IntoIterator<Item = &'a str>,
        epsilon: Option<f64>,
        rng: &mut R,
    ) -> Result<Answer, Error> {
        if self.answered {
            return Err(Error::AlreadyContributed);
        }
        let guarantee = self.request().guarantee_of(epsilon)?;
        let vector = self.contributor.answer(texts, epsilon, rng)?;
        self.answered = true;
        Ok(Answer { vector, guarantee })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use textveil::seeded_rng;

    use super::*;
    use crate::request::tests::terms;
    use crate::{Noise, Terms};

    #[test]
    fn a_request_is_answered_once_and_a_refused_answer_does_not_count() {
        let table = Table::english().expect("the built-in table");
        for noise in [Noise::Sum, Noise::Devices { least: 3 }] {
            let terms = Terms { table: table.id().to_string(), noise, ..terms() };
            let mut device = Device::new(Request::new(terms).expect("a request"), table.clone()).expect("its table");
            let rng = &mut seeded_rng([1; 32]);
            assert_eq!(device.answer(["a zorp"], Some(9.0), rng), Err(Error::InvalidEpsilon));
            let answer = device.answer(["a warm zorp of milk"], Some(1.0), rng).expect("an answer");
            assert_eq!((answer.vector.len(), answer.guarantee.epsilon), (device.request().len(), 1.0));
            assert_eq!(device.answer(["a zorp"], None, rng), Err(Error::AlreadyContributed));
        }
    }
}
