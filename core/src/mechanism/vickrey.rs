//! Multivariate Laplace noise, then the nearest word or, by a coin, the second nearest. The word itself comes out less
//! often.
//!
//! # Privacy
//! Metric DP with constant η, as `metric-laplace`. The choice between the two neighbours depends on the noisy point, on
//! a coin and on public rows alone. So it is post-processing, for every t. Let A be the distance to the nearest, and B
//! to the second. The second is taken with probability t·A / (t·A + (1−t)·B). With t = 0 this is `metric-laplace`. A
//! word that the vocabulary lacks stands where it does there.
//!
//! Source: Xu, Aggarwal, Feyisetan and Teissier, PrivateNLP 2021.

use super::{Card, Gives, Inputs, Mechanism, Prepared, Randomizer, metric_laplace};
use crate::{Error, Parameter, WordId};

pub(super) const CARD: Card = Card {
    name: "vickrey",
    parameters: &[Parameter::Eta, Parameter::Epsilon, Parameter::T],
    gives: Gives::Words,
    has_published: false,
    prepare,
};

fn prepare(mechanism: &Mechanism, inputs: &Inputs<'_>) -> Result<Prepared, Error> {
    // The second nearest word is defined only for words.
    inputs.table()?;
    let t = mechanism.required(Parameter::T)?;
    let (noise, proof) = metric_laplace::calibrate(mechanism, inputs)?;
    let randomizer = Randomizer::SecondNearest { noise: alloc::boxed::Box::new(noise), t };
    Ok(Prepared { proof, randomizer })
}

/// One of the two nearest words, by a uniform number in (0, 1].
pub(super) fn choose(nearest: [Option<(WordId, i64)>; 2], t: f64, coin: f64) -> WordId {
    match nearest {
        [Some((first, a)), Some((second, b))] => {
            let (first_share, second_share) = ((1.0 - t) * libm::sqrt(b as f64), t * libm::sqrt(a as f64));
            let total = second_share + first_share;
            if total > 0.0 && coin * total <= second_share { second } else { first }
        }
        // Every table offers a word.
        [found, _] => found.map_or(WordId(0), |(first, _)| first),
    }
}
