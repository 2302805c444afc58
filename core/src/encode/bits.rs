//! The binary code of a representation, and randomized response on its bits: what the bit encodings share.
//!
//! Each element is normalized to a z-score by public statistics and written as one sign, some integer and some fraction
//! bits. Each bit is then sent as 1 with probability p if it is 1 and q if it is 0.
//!
//! # Privacy
//! Pure ε-DP for any two representations. Bits are independent given the input, and every pattern is a legal code. So
//! the worst pair differs in every bit, and ε is the **sum** over the bits of max(|ln p/q|, |ln (1−q)/(1−p)|). It is
//! computed from the probabilities that are really used, multiples of 2⁻⁶⁴.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::account::flip::{Flip, QuantizedFlip};
use crate::mechanism::{Code, Encoding, Inputs, Mechanism, Sum};
use crate::privacy::space::{Moments, STEPS};
use crate::sampler::bernoulli;
use crate::{BinaryCode, Error, Loss, Parameter};

/// A binary code of a representation under randomized response.
pub(crate) struct Encoded {
    code: BinaryCode,
    /// Mean and standard deviation of each element, in lattice steps; public.
    statistics: Vec<[f64; 2]>,
    /// How each bit is flipped.
    flips: Vec<QuantizedFlip>,
}

/// Which code and how many elements a mechanism was asked for.
pub(crate) struct Layout {
    pub(crate) code: BinaryCode,
    pub(crate) elements: usize,
}

impl Layout {
    pub(crate) fn new(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Self, Error> {
        let bits = |parameter| mechanism.value(parameter).map(|bits| bits as u32).ok_or(Error::Invalid(parameter));
        let code = BinaryCode::new(bits(Parameter::IntegerBits)?, bits(Parameter::FractionBits)?)?;
        Ok(Self { code, elements: inputs.dims() })
    }

    /// Bits in all.
    pub(crate) fn bits(&self) -> usize {
        self.code.bits() as usize * self.elements
    }
}

impl Encoded {
    /// The code with a flip for each bit, and the true loss.
    ///
    /// # Errors
    /// [`Error::Invalid`] for ε if a bit would be sent for certain.
    pub(crate) fn new(layout: &Layout, flips: &[Flip], inputs: &Inputs<'_>) -> Result<(Self, Loss), Error> {
        let flips: Vec<QuantizedFlip> = flips.iter().map(Flip::quantized).collect::<Result<_, _>>()?;
        let loss = flips.iter().map(|flip| Loss::pure(flip.flip().epsilon())).sum();
        let statistics = match inputs {
            Inputs::Table(table) => {
                let moments = Moments::of(table);
                let deviations = moments.covariance().into_iter().enumerate().map(|(j, row)| libm::sqrt(row[j]));
                moments.means().into_iter().zip(deviations).map(|(mean, deviation)| [mean, deviation]).collect()
            }
            // A ball's directions alike.
            Inputs::Vectors(outside) => {
                alloc::vec![[0.0, STEPS / libm::sqrt(outside.dims as f64)]; outside.dims]
            }
        };
        Ok((Self { code: layout.code, statistics, flips }, loss))
    }
}

impl Encoding for Encoded {
    fn encode(&self, sum: &Sum, rng: &mut dyn CryptoRng) -> Code {
        let elements = sum.steps.iter().zip(&self.statistics).map(|(step, [mean, deviation])| {
            let centered = *step as f64 / sum.words as f64 - mean;
            if *deviation > 0.0 { centered / deviation } else { 0.0 }
        });
        let bits = elements.flat_map(|element| self.code.word(element));
        let sent = bits.zip(&self.flips).map(|(bit, flip)| bernoulli(if bit { flip.p() } else { flip.q() }, rng));
        Code::Bits(sent.collect())
    }

    fn scale(&self) -> Option<f64> {
        None
    }
}
