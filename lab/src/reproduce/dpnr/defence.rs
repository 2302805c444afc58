//! Defences between a representation and readers who seek more in it than its topic, and how much they read. Tables 4
//! to 7 are made of these trainings.

use std::fmt;

use anyhow::{Context, Result};
use textveil_learn::{Hiding, Model, Recipe};

use super::SETS;
use super::corpus::Corpus;
use super::embedding::Embedder;
use super::noise::{Device, Noise};
use super::training::{Regime, Scaling, Task, attack_recipe, main_recipe};
use crate::reproduce::run::Run;

/// What stands in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Defence {
    /// No defence: the paper's NON-PRIV.
    None,
    /// The map of adversarial training: the paper's ADV.
    Adversarial,
    /// Noise that is said to lose ε.
    Noise(Noise, f64),
    /// The noise of the released code, which neither server nor attacker takes off: to them it is noise on each
    /// element.
    SharedLeftOn(f64),
}

impl Defence {
    pub(super) fn name(self) -> String {
        match self {
            Self::None => "none (NON-PRIV)".to_owned(),
            Self::Adversarial => "adversarial training (ADV)".to_owned(),
            Self::Noise(noise, epsilon) => format!("noise at eps {epsilon}, {}", noise.name()),
            Self::SharedLeftOn(epsilon) => format!("noise at eps {epsilon}, released code, as it is sent"),
        }
    }

    fn key(self) -> String {
        match self {
            Self::None => "clear".to_owned(),
            Self::Adversarial => "adversarial".to_owned(),
            Self::Noise(noise, epsilon) => format!("{}/eps={epsilon}", noise.key()),
            Self::SharedLeftOn(epsilon) => format!("{}-left-on/eps={epsilon}", Noise::Shared.key()),
        }
    }

    const fn noise(self) -> (Noise, f64) {
        match self {
            Self::None | Self::Adversarial => (Noise::Clear, f64::INFINITY),
            Self::Noise(noise, epsilon) => (noise, epsilon),
            Self::SharedLeftOn(epsilon) => (Noise::Shared, epsilon),
        }
    }

    /// What is claimed of it, and what holds for the text.
    pub(super) fn epsilons(self, corpus: &Corpus) -> Result<[f64; 2]> {
        let (noise, claimed) = self.noise();
        Ok([claimed, Device::new(corpus, noise, claimed, None)?.truth()?[1]])
    }
}

/// A reader, and the answers that it learns to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The server: the label.
    Server,
    /// An attacker: this attribute of the set.
    Attacker(usize),
}

/// What a defence lets out once, and those who learn to read it.
struct Trial {
    set: usize,
    defence: Defence,
    run: u32,
}

impl fmt::Display for Trial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/run={}", SETS[self.set].0, self.defence.key(), self.run)
    }
}

/// The sets, and what readers said of their test texts.
pub(super) struct Readings {
    pub(super) corpora: Vec<Corpus>,
    trials: Vec<Trial>,
    /// For each trial, what the server said, and each attacker.
    said: Vec<Vec<Vec<usize>>>,
}

/// Reads the sets.
///
/// # Errors
/// Those of [`Corpus::read`].
pub(super) fn corpora(run: &Run<'_>) -> Result<Vec<Corpus>> {
    let embedder = Embedder::of(run)?;
    SETS.into_iter().map(|(name, _)| Corpus::read(run, &embedder, name, 0.0).context(name)).collect()
}

impl Readings {
    /// Trains and tests readers of what each defence lets out: the server, and attackers if there are to be any.
    ///
    /// # Errors
    /// Those of training, and of [`Run::cells`].
    pub(super) fn of(run: &Run<'_>, defences: &[Defence], are_attacked: bool) -> Result<Self> {
        let corpora = corpora(run)?;
        let mut trials = Vec::new();
        for (set, defence) in (0..corpora.len()).flat_map(|set| defences.iter().map(move |defence| (set, *defence))) {
            trials.extend((0..run.runs()).map(|run| Trial { set, defence, run }));
        }
        let said = run.cells(&trials, |trial| trial.said(run, &corpora[trial.set], are_attacked))?;
        Ok(Self { corpora, trials, said })
    }

    /// What a reader said in each run.
    pub(super) fn said(&self, set: usize, defence: Defence, reader: Reader) -> impl Iterator<Item = &[usize]> {
        let place = match reader {
            Reader::Server => 0,
            Reader::Attacker(attribute) => 1 + attribute,
        };
        let trials = self.trials.iter().zip(&self.said);
        let of_defence = trials.filter(move |(trial, _)| (trial.set, trial.defence) == (set, defence));
        of_defence.filter_map(move |(_, said)| said.get(place)).map(Vec::as_slice)
    }
}

impl Trial {
    fn said(&self, run: &Run<'_>, corpus: &Corpus, are_attacked: bool) -> Result<Vec<Vec<usize>>> {
        let (noise, epsilon) = self.defence.noise();
        let device = match self.defence {
            Defence::Adversarial => self.mapped(run, corpus)?,
            _ => Device::new(corpus, noise, epsilon, None)?,
        };
        let attackers = if are_attacked { corpus.attributes.len() } else { 0 };
        let said = |reader: Reader| {
            let key = match reader {
                Reader::Server => format!("{self}/main"),
                Reader::Attacker(attribute) => format!("{self}/attack={attribute}"),
            };
            let task = Task {
                device: &device,
                // Attackers know the mechanism as the server does, and have texts of their own.
                regime: Regime::Anew,
                classes: if reader == Reader::Server { corpus.classes } else { 2 },
                labels: corpus.parts().map(|part| match reader {
                    Reader::Server => part.labels.as_slice(),
                    Reader::Attacker(attribute) => part.groups[attribute].as_slice(),
                }),
                is_centred: self.defence == Defence::Noise(Noise::Shared, epsilon),
            };
            let recipe = match reader {
                Reader::Server => main_recipe(run, &key),
                Reader::Attacker(_) => attack_recipe(run, &key),
            };
            task.predictions(run, &recipe, &key)
        };
        [Reader::Server].into_iter().chain((0..attackers).map(Reader::Attacker)).map(said).collect()
    }

    /// A device that sends what the map of adversarial training lets out.
    fn mapped<'a>(&self, run: &Run<'_>, corpus: &'a Corpus) -> Result<Device<'a>> {
        let model = Model::Mlp { hidden: vec![128], dropout: 0.0 };
        let hiding = Hiding {
            recipe: Recipe { model: model.clone(), patience: None, ..main_recipe(run, &format!("{self}/map")) },
            adversary: model,
            weight: 1.0,
        };
        let scaling = Scaling::of(&corpus.train.rows);
        let [train, dev, test] = corpus.parts().map(|part| scaling.apply(part.rows.clone()));
        let map = hiding.train(corpus.classes, &train, &corpus.train.labels, &corpus.train.groups)?;
        Ok(Device::given(corpus, [map.apply(&train)?, map.apply(&dev)?, map.apply(&test)?]))
    }
}
