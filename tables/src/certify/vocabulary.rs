//! What a channel does to the words of a table: which come out as themselves, and as which others do.

use anyhow::{Context, Result};
use rayon::prelude::*;
use textveil::{Prior, Table, WordId};

use super::super::lattice::{lattice_rows, squared_distances};

/// The rows of a table as a channel's inputs and outputs.
pub(super) struct Vocabulary {
    offered: Vec<bool>,
    stand_ins: Vec<StandIn>,
    /// The expected frequency of each word. They sum to 1.
    pub(super) prior: Vec<f64>,
}

/// A row that is never offered: what is drawn as it comes out as its nearest offered row, the lower of two.
struct StandIn {
    never_offered: usize,
    row: usize,
    squared: u32,
}

impl Vocabulary {
    /// # Errors
    /// No row is offered.
    pub(super) fn of(table: &Table) -> Result<Self> {
        let offered: Vec<bool> = table.rows().map(|word| table.is_offered(word)).collect();
        let places: Vec<usize> = table.rows().filter(|word| table.is_offered(*word)).map(WordId::row).collect();
        let rows = lattice_rows(table, |word| table.is_offered(word));
        let hidden: Vec<_> = table.rows().filter(|word| !table.is_offered(*word)).collect();
        let stand_in = |word: &WordId| {
            let point: Vec<i16> = table.vector(*word).into_iter().map(i16::from).collect();
            let mut squares = vec![0; places.len()];
            squared_distances(&point, &rows, &mut squares);
            let (squared, row) = squares.into_iter().zip(places.iter().copied()).min().context("no word is offered")?;
            Ok(StandIn { never_offered: word.row(), row, squared })
        };
        let stand_ins = hidden.par_iter().map(stand_in).collect::<Result<_>>()?;
        let prior = Prior::by_frequency(table);
        Ok(Self { offered, stand_ins, prior: table.rows().map(|row| prior.share(row)).collect() })
    }

    /// For each row that is never offered, ascending, the row that it comes out as.
    pub(super) fn stand_ins(&self) -> impl Iterator<Item = usize> + '_ {
        self.stand_ins.iter().map(|stand_in| stand_in.row)
    }

    /// The share of words that may come out: no retention is larger.
    pub(super) fn share_offered(&self) -> f64 {
        1.0 - self.stand_ins.len() as f64 / self.offered.len() as f64
    }

    /// The probability of each word to come out as itself, from g, Z and K by squared distance.
    pub(super) fn kept(&self, base: &[f64], totals: &[f64], weight: impl Fn(u32) -> f64) -> Vec<f64> {
        let stays = |((offered, base), total): ((&bool, &f64), &f64)| if *offered { base / total } else { 0.0 };
        let mut kept: Vec<f64> = self.offered.iter().zip(base).zip(totals).map(stays).collect();
        for StandIn { never_offered, row, squared } in &self.stand_ins {
            kept[*row] += base[*never_offered] * weight(*squared) / totals[*row];
        }
        kept
    }
}

/// The mean of values, all words alike.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
