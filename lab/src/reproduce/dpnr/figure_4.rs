//! Figure 4: representations of blog posts in a plane, by the age of who wrote them.

use anyhow::{Context, Result};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::corpus::Corpus;
use super::embedding::Embedder;
use super::noise::{Device, Noise, Of};
use super::table_4::EPSILON;
use super::training::centred;
use super::tsne::{embed, purity};
use super::{DATA, SETS, TAKES, WHY};
use crate::reproduce::claim::Claim;
use crate::reproduce::experiment::{Experiment, Runs};
use crate::reproduce::report::Report;
use crate::reproduce::run::Run;
use textveil_toolkit::cells;
use textveil_toolkit::report::plot::{Cloud, clouds};
use textveil_toolkit::report::{Mean, Sheet};

pub(crate) static FIGURE_4: Experiment = Experiment {
    paper: "dpnr",
    table: "figure-4",
    about: "Blog posts in a plane (t-SNE) by the age of their authors (Lyu, He and Li, EMNLP Findings 2020)",
    data: &DATA,
    takes: &TAKES,
    runs: Some(Runs { quick: 1, usual: 1, paper: None }),
    has_plot: true,
    why: WHY,
    compute,
};

const SET: &str = SETS[1].0;
const ATTRIBUTE: &str = "age";
/// Of a point, by which groups are held apart.
const NEIGHBOURS: usize = 10;
/// Points with `--quick`.
const QUICK: usize = 200;

/// What is shown.
const SHOWN: [(&str, Noise, f64, bool); 4] = [
    ("NON-PRIV", Noise::Clear, f64::INFINITY, false),
    ("noise as published, ε 0.05", Noise::Published, EPSILON, false),
    ("noise of the released code, ε 0.05", Noise::Shared, EPSILON, false),
    ("the same less each release's mean", Noise::Shared, EPSILON, true),
];

#[derive(Serialize, Deserialize)]
struct Shown {
    places: Vec<[f64; 2]>,
    purity: f64,
}

fn compute(run: &Run<'_>) -> Result<Report> {
    let corpus = Corpus::read(run, &Embedder::of(run)?, SET, 0.0)?;
    let attribute = corpus.attributes.iter().position(|attribute| attribute.name == ATTRIBUTE).context("no ages")?;
    let count = if run.is_quick() { QUICK } else { corpus.test.labels.len() }.min(corpus.test.labels.len());
    let groups = &corpus.test.groups[attribute][..count];
    let names: Vec<String> =
        SHOWN.iter().flat_map(|(name, ..)| (0..run.runs()).map(move |run| format!("{name}/run={run}"))).collect();
    let shown = run.cells(&names, |key| {
        let shown = SHOWN.iter().find(|(name, ..)| key.rsplit_once('/').is_some_and(|(of, _)| of == *name));
        let (_, noise, epsilon, is_centred) = *shown.context("nothing to show")?;
        let sent = Device::new(&corpus, noise, epsilon, None)?.released(Of::Test, &mut run.rng(key))?;
        let points = points(&if is_centred { centred(sent) } else { sent }, count);
        let places = embed(&points, run.seed(key));
        Ok(Shown { purity: purity(&places, groups, NEIGHBOURS), places })
    })?;
    let mut sheet = Sheet::new(format!("Share of the {NEIGHBOURS} nearest in the plane that are of the same age"));
    let second = groups.iter().sum::<usize>() as f64 / count.max(1) as f64;
    let chance = second * second + (1.0 - second) * (1.0 - second);
    let of_shown: Vec<&[Shown]> = shown.chunks(run.runs() as usize).collect();
    let mut purities = Vec::new();
    for ((name, noise, epsilon, _), runs) in SHOWN.into_iter().zip(&of_shown) {
        let [_, truth] = Device::new(&corpus, noise, epsilon, None)?.truth()?;
        let mean = Mean::of(&runs.iter().map(|shown| shown.purity).collect::<Vec<_>>());
        purities.push(mean.mean);
        sheet.row(cells![
            "shown" => name,
            "eps claimed" => epsilon,
            "eps true, a text" => truth,
            "share" => mean,
            "by chance" => chance,
        ]);
    }
    let labels = &corpus.attributes[attribute].groups;
    let cloud = |((title, ..), runs): (&(&'static str, Noise, f64, bool), &&[Shown])| {
        let places: &[[f64; 2]] = runs.first().map_or(&[], |shown| &shown.places);
        let of = |group: usize| {
            let points = places.iter().zip(groups).filter(|(_, of)| **of == group).map(|(place, _)| *place).collect();
            (labels[group].as_str(), points)
        };
        Cloud { title, groups: vec![of(0), of(1)] }
    };
    let drawn: Vec<Cloud<'_>> = SHOWN.iter().zip(&of_shown).map(cloud).collect();
    let drawing = clouds("Blog posts by the age of their authors (t-SNE)", &drawn);
    Ok(Report { claims: claims(&purities, chance), ..Report::of(vec![sheet], drawing) })
}

fn claims(purities: &[f64], chance: f64) -> Vec<Claim> {
    let [clear, published, _, centred] = purities else { return Vec::new() };
    let evidence = format!("{clear:.3}, by chance {chance:.3}");
    vec![
        Claim::new("ages lie apart without noise", *clear > chance + 0.03, evidence),
        Claim::near("noise as published mixes them", &[*published], chance, 0.03),
        Claim::near("what the released code mixes lies apart as before, less its mean", &[*centred], *clear, 0.03),
    ]
}

fn points(rows: &Array2<f32>, count: usize) -> Vec<Vec<f64>> {
    rows.rows().into_iter().take(count).map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect()
}
