//! The sum of contributions, for whoever collects them: in the Python package alone.

use std::sync::{Mutex, PoisonError};

use getrandom::SysRng;
use textveil::release_rng;
use textveil_contribute::{Error, Noise, Request};

use crate::{TextVeilError, panics};

/// Adds up contributions to a request whose noise is added to the sum. It shows its numbers under noise alone, and once.
#[derive(uniffi::Object)]
pub struct Sum(Mutex<Option<textveil_contribute::Sum>>);

#[uniffi::export]
impl Sum {
    /// Of nobody yet.
    ///
    /// # Errors
    /// `BadRequest`; `NoiseElsewhere` if the devices add the noise.
    #[uniffi::constructor]
    pub fn new(request: &str) -> Result<Self, TextVeilError> {
        panics::print_places_only();
        let request = Request::from_json(request)?;
        if request.terms().noise != Noise::Sum {
            return Err(Error::NoiseElsewhere.into());
        }
        Ok(Self(Mutex::new(Some(textveil_contribute::Sum::new(request)))))
    }

    /// Adds one user's contribution. It cannot notice a repetition: add each user once.
    ///
    /// # Errors
    /// `DimensionMismatch` or `NormExceeded` for what is no contribution; `TooMany` after 2⁴⁰; `AlreadyReleased`.
    pub fn add(&self, vector: Vec<i32>) -> Result<(), TextVeilError> {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(sum.as_mut().ok_or(Error::AlreadyReleased)?.add(&vector)?)
    }

    /// The sum under noise.
    ///
    /// # Errors
    /// `AlreadyReleased`, `EntropyUnavailable`.
    pub fn release(&self) -> Result<Vec<i64>, TextVeilError> {
        let mut rng = release_rng(&mut SysRng)?;
        let sum = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(sum.ok_or(Error::AlreadyReleased)?.release(&mut rng)?)
    }
}
