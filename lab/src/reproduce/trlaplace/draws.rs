//! Every set by every embedding under every noise, drawn several times: the cells of both tables.

use std::fmt;

use anyhow::{Context, Result};
use textveil::ReleaseRng;

use super::corpus::EmbeddedSet;
use super::epsilons;
use super::noise::{Device, Setting, Truth, Way, settings};
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::plot::{Axis, Panel, panels};
use textveil_toolkit::report::{Cell, Mean};

/// A draw of all texts.
struct Draw<'a> {
    /// The place among the corpora.
    place: usize,
    corpus: &'a EmbeddedSet<'a>,
    setting: Setting,
    run: u32,
}

impl fmt::Display for Draw<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { corpus, setting, run, .. } = self;
        write!(formatter, "{}/{}/{setting}/run={run}", corpus.set, corpus.embedding.name)
    }
}

/// The results of a corpus under a noise: some numbers over the runs.
pub(super) struct Found<'a, const N: usize> {
    pub(super) corpus: &'a EmbeddedSet<'a>,
    pub(super) setting: Setting,
    pub(super) truth: Truth,
    pub(super) means: [Mean; N],
}

/// Draws all, and measures each draw of the corpus at a place.
///
/// # Errors
/// A mechanism is out of its range, or what `measure` says.
pub(super) fn found<'a, const N: usize>(
    run: &Run<'_>,
    corpora: &'a [EmbeddedSet<'a>],
    measure: impl Fn(usize, &Device<'_>, &mut ReleaseRng) -> Result<[f64; N]> + Sync,
) -> Result<Vec<Found<'a, N>>> {
    let settings = |place: usize, corpus: &'a EmbeddedSet<'a>| {
        settings(corpus.embedding, epsilons(run)).into_iter().map(move |setting| (place, corpus, setting))
    };
    let all: Vec<(usize, &EmbeddedSet<'_>, Setting)> =
        corpora.iter().enumerate().flat_map(|(place, corpus)| settings(place, corpus)).collect();
    let draws = all.iter().flat_map(|(place, corpus, setting)| {
        (0..run.runs()).map(|run| Draw { place: *place, corpus, setting: *setting, run })
    });
    let draws: Vec<Draw<'_>> = draws.collect();
    let numbers: Vec<Vec<f64>> = run.cells(&draws, |draw| {
        let device = Device::new(draw.corpus.embedding, draw.setting)?;
        measure(draw.place, &device, &mut run.rng(&draw.to_string())).map(Vec::from)
    })?;
    let of_setting = |((_, corpus, setting), runs): (&(usize, &'a EmbeddedSet<'a>, Setting), &[Vec<f64>])| {
        let mean = |number: usize| {
            let runs = runs.iter().map(|numbers| numbers.get(number).copied().context("a number is missing"));
            Ok(Mean::of(&runs.collect::<Result<Vec<f64>>>()?))
        };
        let means = (0..N).map(mean).collect::<Result<Vec<Mean>>>()?;
        let means = means.try_into().ok().context("as many means as numbers")?;
        let truth = Device::new(corpus.embedding, *setting)?.truth()?;
        Ok(Found { corpus, setting: *setting, truth, means })
    };
    all.iter().zip(numbers.chunks(run.runs() as usize)).map(of_setting).collect()
}

impl<const N: usize> Found<'_, N> {
    /// Set, vectors, noise, ε as stated, and (ε, δ) as they are, with 1 − δ.
    pub(super) fn head(&self) -> [(&'static str, Cell); 7] {
        let Self { corpus, setting: Setting { way, epsilon }, truth, .. } = self;
        cells![
            "set" => corpus.set,
            "vectors" => corpus.embedding.name,
            "noise" => way.to_string(),
            "eps stated" => epsilon.map_or_else(|| "none".into(), Cell::from),
            "eps true" => truth.epsilon,
            "delta true" => truth.delta,
            "1 - delta" => truth.rest,
        ]
    }

    /// Whether it was drawn in this way from this corpus.
    pub(super) fn is_of(&self, corpus: &EmbeddedSet<'_>, way: Way) -> bool {
        std::ptr::eq(self.corpus, corpus) && self.setting.way == way
    }
}

/// A number of a corpus drawn so, by ε.
pub(super) fn by_epsilon<const N: usize>(
    found: &[Found<'_, N>],
    corpus: &EmbeddedSet<'_>,
    way: Way,
    number: usize,
) -> Vec<f64> {
    found.iter().filter(|found| found.is_of(corpus, way)).map(|found| found.means[number].mean).collect()
}

/// A panel a corpus: lines of a number, by ε.
pub(super) fn drawing<const N: usize>(
    title: &str,
    found: &[Found<'_, N>],
    corpora: &[&EmbeddedSet<'_>],
    shown: &[(Way, &'static str)],
    number: usize,
) -> String {
    let titles: Vec<String> = corpora.iter().map(|corpus| corpus.title()).collect();
    let line = |corpus: &EmbeddedSet<'_>, (way, name): (Way, &'static str)| {
        let of = found.iter().filter(|found| found.is_of(corpus, way));
        (name, of.filter_map(|found| Some([found.setting.epsilon?, found.means[number].mean])).collect::<Vec<_>>())
    };
    let drawn = corpora.iter().zip(&titles).map(|(corpus, title)| Panel {
        title,
        axis_title: "ε as stated (logarithmic)",
        x: Axis::logarithmic(0.01, 1.0),
        y: Axis::linear(0.0, 1.0),
        lines: shown.iter().map(|shown| line(corpus, *shown)).filter(|(_, points)| !points.is_empty()).collect(),
    });
    panels(title, &drawn.collect::<Vec<_>>())
}
