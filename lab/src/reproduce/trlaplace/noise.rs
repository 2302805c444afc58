//! The noise on the words of a text, its claimed loss, and its true loss.

use std::fmt;

use anyhow::{Context, Result, bail};
use textveil::{
    Calibration, Disclosure, Guarantee, Mechanism, MechanismKind, Parameter, Privatizer, ReleaseRng, WordId,
};

use super::DELTA;
use super::corpus::Embedding;
use super::released::{Law, Noise, Program};
use crate::reproduce::mechanisms::published;
use textveil_toolkit::mechanism::parametrized;

/// C, for vectors of length 1.
const CLIP: f64 = 1.0;

/// How words are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// They stay.
    Clear,
    /// As the paper has it.
    Published(MechanismKind),
    /// As the authors' program has it.
    Released(Law),
    /// The mechanism in a calibration that keeps the claim.
    Sound(MechanismKind),
    /// The certified mechanism at its table's least level.
    Least,
    /// The same at the default level.
    Usual,
}

/// The paper's mechanisms, its own last.
pub(super) const PUBLISHED: [Way; 3] = [
    Way::Published(MechanismKind::Gaussian),
    Way::Published(MechanismKind::Laplace),
    Way::Published(MechanismKind::TruncatedLaplace),
];
/// The same in the authors' program.
pub(super) const RELEASED: [Way; 3] = {
    let [gaussian, laplace, truncated_laplace] = Law::ALL;
    [Way::Released(gaussian), Way::Released(laplace), Way::Released(truncated_laplace)]
};
/// What keeps the claim, the last with δ = 0.
pub(super) const SOUND: [Way; 4] = [
    Way::Sound(MechanismKind::Gaussian),
    Way::Sound(MechanismKind::Laplace),
    Way::Sound(MechanismKind::TruncatedLaplace),
    Way::Sound(MechanismKind::Exponential),
];

impl fmt::Display for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clear => formatter.write_str("none"),
            Self::Published(kind) => write!(formatter, "{kind}, published"),
            Self::Released(law) => write!(formatter, "{}, released program", law.name()),
            Self::Sound(kind) => write!(formatter, "{kind}, sound"),
            Self::Least => formatter.write_str("certified, least level"),
            Self::Usual => formatter.write_str("certified, default level"),
        }
    }
}

/// A way, at an ε if it is asked for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) way: Way,
    pub(super) epsilon: Option<f64>,
}

impl fmt::Display for Setting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.way.fmt(formatter)?;
        self.epsilon.map_or(Ok(()), |epsilon| write!(formatter, "/eps={epsilon}"))
    }
}

/// What is asked of an embedding: of the built-in table what needs its levels, and pure ε.
pub(super) fn settings(embedding: &Embedding, epsilons: &[f64]) -> Vec<Setting> {
    let once = |way| Setting { way, epsilon: None };
    let mut settings = vec![once(Way::Clear)];
    let mut at_each = |ways: &[Way]| {
        for way in ways {
            settings.extend(epsilons.iter().map(|epsilon| Setting { way: *way, epsilon: Some(*epsilon) }));
        }
    };
    if embedding.program.is_some() {
        [&PUBLISHED[..], &RELEASED, &SOUND].into_iter().for_each(at_each);
    } else {
        at_each(&SOUND[3..]);
        settings.extend([Way::Least, Way::Usual].map(once));
    }
    settings
}

/// What holds of one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truth {
    pub(super) epsilon: f64,
    pub(super) delta: f64,
    /// 1 − δ, which has digits where δ is near 1.
    pub(super) rest: f64,
}

/// What draws words.
pub(super) struct Device<'a> {
    embedding: &'a Embedding,
    setting: Setting,
    how: How<'a>,
}

enum How<'a> {
    Clear,
    Words(Box<Privatizer>),
    Released(&'a Program, Noise),
}

impl<'a> Device<'a> {
    /// The device that draws so.
    ///
    /// # Errors
    /// An ε is missing or out of the mechanism's range.
    pub(super) fn new(embedding: &'a Embedding, setting: Setting) -> Result<Self> {
        let epsilon = || setting.epsilon.context("no epsilon");
        let words = |mechanism: Mechanism| -> Result<How<'a>> {
            let privatizer = Privatizer::new(&embedding.table, mechanism, Disclosure::default())?;
            Ok(How::Words(Box::new(privatizer)))
        };
        let noise = |kind: MechanismKind, calibration| -> Result<How<'a>> {
            let given = [(Parameter::Epsilon, epsilon()?), (Parameter::Delta, DELTA), (Parameter::Clip, CLIP)];
            let taken: Vec<(Parameter, f64)> =
                given.into_iter().filter(|(parameter, _)| kind.parameters().contains(parameter)).collect();
            words(parametrized(kind, calibration, &taken)?)
        };
        let certified = Mechanism::new(MechanismKind::Certified);
        let how = match setting.way {
            Way::Clear => How::Clear,
            Way::Published(kind) => noise(kind, Calibration::Published)?,
            Way::Sound(kind) => noise(kind, Calibration::Sound)?,
            Way::Least => words(certified.with(Parameter::Level, 0.0)?)?,
            Way::Usual => words(certified)?,
            Way::Released(law) => match &embedding.program {
                Some(program) => How::Released(program, program.noise(law, epsilon()?)?),
                None => bail!("the released program needs vectors as they were trained"),
            },
        };
        Ok(Self { embedding, setting, how })
    }

    /// The words that come out for those of a text.
    pub(super) fn draw(&self, text: &[WordId], rng: &mut ReleaseRng) -> Vec<WordId> {
        match &self.how {
            How::Clear => text.to_vec(),
            How::Words(privatizer) => privatizer.draw_all(text, rng),
            How::Released(program, noise) => program.release(&self.embedding.table, text, *noise, rng),
        }
    }

    /// The words that come out for words of as many texts: each draw is independent of the others.
    pub(super) fn draw_apart(&self, words: &[WordId], rng: &mut ReleaseRng) -> Vec<WordId> {
        match &self.how {
            How::Released(..) => words.iter().flat_map(|word| self.draw(&[*word], rng)).collect(),
            How::Clear | How::Words(_) => self.draw(words, rng),
        }
    }

    /// What holds for the exchange of one word of a text.
    ///
    /// # Errors
    /// The same as [`Self::new`].
    pub(super) fn truth(&self) -> Result<Truth> {
        let Setting { way, epsilon } = self.setting;
        Ok(match (&self.how, way, epsilon) {
            (How::Clear | How::Released(..), ..) => Truth { epsilon: f64::INFINITY, delta: 1.0, rest: 0.0 },
            // The proof for a table gives at most 1. The loss for two vectors of norm C is known exactly.
            (_, Way::Published(MechanismKind::TruncatedLaplace), Some(epsilon)) => {
                let (_, delta, rest) = published(self.embedding.table.dims() as u64, epsilon)?;
                Truth { epsilon, delta, rest }
            }
            (How::Words(privatizer), ..) => {
                let Guarantee { epsilon_word: epsilon, delta_word: delta, .. } = privatizer.guarantee(1);
                Truth { epsilon, delta, rest: 1.0 - delta }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use textveil_tables::Vectors;
    use textveil_tables::embedding::Space;

    #[test]
    fn the_published_noise_gives_up_nearly_all_that_it_claims_and_the_sound_one_keeps_it() {
        let words = (0..40).map(|row| format!("w{row:02}")).collect();
        let rows = ndarray::Array2::from_shape_fn((40, 50), |(i, j)| ((i * 31 + j * j * 17) % 41) as f64 - 20.0);
        let table = textveil_tables::of_vectors(&Vectors { words, rows }).expect("a table");
        let embedding = Embedding { name: "test", space: Space::of_table(&table), table, program: None };
        let truth = |way, epsilon| {
            let device = Device::new(&embedding, Setting { way, epsilon: Some(epsilon) }).expect("in range");
            device.truth().expect("a truth")
        };
        for (epsilon, delta) in [(0.05, 0.99735), (0.1, 0.99728), (0.2, 0.99714), (0.5, 0.99668)] {
            let found = truth(PUBLISHED[2], epsilon).delta;
            assert!((found - delta).abs() < 1e-5, "{epsilon}: {found}");
            for way in SOUND {
                let truth = truth(way, epsilon);
                let kept = truth.epsilon <= epsilon * (1.0 + 1e-9) && truth.delta <= DELTA * (1.0 + 1e-9);
                assert!(kept, "{way}: {truth:?}");
            }
        }
    }
}
