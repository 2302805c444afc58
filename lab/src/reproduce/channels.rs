//! What η it takes for a share of the words to come out as themselves, by the shape of the channel.
//!
//! *Noise* is the mechanism of Feyisetan et al. (WSDM 2020) and Qu et al. (CIKM 2021), measured by the product's own.
//! *Half*, *tight* and *flat* are exponential mechanisms: as usually proved, with the exact constant, and with the base
//! measure that keeps most words (see `textveil::account::channel`).

use anyhow::{Result, ensure};
use rayon::prelude::*;
use textveil::account::channel::{Channel, Distances};
use textveil::{Table, WordId};

use super::experiment::Experiment;
use super::report::Report;
use super::run::Run;
use textveil_tables::{noise_that_keeps, part, words_to_release};
use textveil_toolkit::cells;
use textveil_toolkit::report::plot::{Axis, Mark, Plot};
use textveil_toolkit::report::{Cell, Sheet};

pub(super) static EXPERIMENT: Experiment = Experiment {
    paper: "channels",
    table: "",
    about: "What a share of words kept costs by the shape of the channel: noise, half, tight, flat",
    data: &[],
    takes: &["table", "words"],
    runs: None,
    has_plot: true,
    why: "",
    compute,
};

/// Words, unless told.
const WORDS: usize = 1000;
/// The same with `--quick`.
const FEW_WORDS: usize = 200;
/// Shares of the words that are kept, all words alike.
const KEPT: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// Halvings of an interval of ln η.
const HALVINGS: usize = 40;
/// The same within a factor of two, where each takes a factorization.
const HALVINGS_OF_A_FACTOR: usize = 14;

/// Uses this number of words of the table, evenly spread among those that are offered.
fn compute(run: &Run<'_>) -> Result<Report> {
    let table = &run.table()?;
    let words = run.words().unwrap_or(if run.is_quick() { FEW_WORDS } else { WORDS });
    let offered: Vec<WordId> = table.rows().filter(|word| table.is_offered(*word)).collect();
    let count = words.min(offered.len());
    ensure!(count >= 2, "a channel needs two words at least");
    let chosen: Vec<WordId> = (0..count).map(|place| offered[place * offered.len() / count]).collect();
    let part = part(table, &chosen)?;
    let point = |word| -> Vec<f64> { part.vector(word).iter().map(|v| part.scale() * f64::from(*v)).collect() };
    let distances = Distances::between(&part.rows().map(point).collect::<Vec<_>>())?;
    let costs: Vec<Costs> = KEPT.par_iter().map(|kept| Costs::of(&part, &distances, *kept)).collect::<Result<_>>()?;
    Ok(Report::of(vec![sheet(count, &costs)], drawing(&costs)))
}

/// η by shape, or `None` where the base measure of the flat channel is not positive.
struct Costs {
    kept: f64,
    noise: f64,
    half: f64,
    tight: f64,
    flat: Option<f64>,
}

impl Costs {
    fn of(table: &Table, distances: &Distances, kept: f64) -> Result<Self> {
        // All but the word itself are at least a lattice step away.
        let widest = [1e-4, 1e2].map(|nats| nats / table.scale());
        let beta = first(widest, HALVINGS, |beta| Ok(Channel::exponential(distances, beta)?.retention() >= kept))?;
        let tight = Channel::exponential(distances, beta)?.constant();
        let keeps = |eta: f64| Ok(Channel::flat(distances, eta)?.is_some_and(|flat| flat.retention() >= kept));
        let flat = first([0.5 * tight, tight], HALVINGS_OF_A_FACTOR, keeps)?;
        let flat = Channel::flat(distances, flat)?.map(|flat| flat.constant());
        Ok(Self {
            kept,
            noise: noise_that_keeps(table, &words_to_release(table), kept)?,
            half: 2.0 * beta,
            tight,
            flat,
        })
    }
}

/// The least number in an interval from which on something holds, by halving its logarithm.
fn first(interval: [f64; 2], halvings: usize, holds: impl Fn(f64) -> Result<bool>) -> Result<f64> {
    let [mut below, mut above] = interval.map(f64::ln);
    for _ in 0..halvings {
        let middle = below.midpoint(above);
        if holds(middle.exp())? { above = middle } else { below = middle }
    }
    Ok(above.exp())
}

fn sheet(words: usize, costs: &[Costs]) -> Sheet {
    let title = format!("eta at which a share of {words} words comes out unchanged");
    let mut sheet = Sheet::new(title);
    for Costs { kept, noise, half, tight, flat } in costs {
        let of_flat = |number: Option<f64>| number.map_or("-".into(), Cell::from);
        let ratio = flat.map(|flat| noise / flat);
        sheet.row(cells![
            "words kept" => *kept,
            "noise" => *noise,
            "half" => *half,
            "tight" => *tight,
            "flat" => of_flat(*flat),
            "noise / flat" => of_flat(ratio),
        ]);
    }
    sheet
}

fn drawing(costs: &[Costs]) -> String {
    let axis = Axis::logarithmic(1.0, 1000.0);
    let mut plot = Plot::of_rows("Privacy parameter for the same share of words kept", "η (logarithmic)", axis);
    plot.legend(&[(Mark::Hollow, "noise"), (Mark::Bar, "half"), (Mark::Filled, "flat")], "");
    for Costs { kept, noise, half, flat, .. } in costs {
        let mut marks = vec![(Mark::Hollow, *noise), (Mark::Bar, *half)];
        marks.extend(flat.map(|flat| (Mark::Filled, flat)));
        plot.row(&format!("{:.0} % kept", 100.0 * kept), false, &marks);
    }
    plot.finish()
}
