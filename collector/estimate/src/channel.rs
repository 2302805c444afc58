//! What a mechanism makes of words, as a matrix of probabilities that everybody knows.

use std::collections::BTreeMap;
use std::fmt;

use rayon::prelude::*;
use textveil::{Privatizer, Table, WordId};

/// A mechanism whose probabilities are known only through its draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported;

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the mechanism does not state the probabilities of its outputs, so that nothing can be estimated from them",
        )
    }
}

impl std::error::Error for Unsupported {}

/// Questions that are worked on together.
pub(crate) const LANES: usize = 8;

/// A number for each question.
pub(crate) type Lanes = [f64; LANES];

/// P(y|x) for each input x, a row of the table or an unknown word, and each output y, a class of words.
///
/// It is held as c(x)·u(y) + e(x,y): what an unknown word comes out as, and what is more likely than that. Of `nearest` few
/// e(x,y) are above 0.
pub struct Channel {
    rows: Vec<WordId>,
    /// Where each row of the table is counted.
    classes: Vec<u32>,
    /// u: what an unknown word comes out as.
    unknown: Vec<f64>,
    inputs: Vec<Input>,
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel").field("inputs", &self.inputs.len()).finish_non_exhaustive()
    }
}

struct Input {
    common: f64,
    /// Outputs, ascending, with e(x,y) above 0.
    excess: Vec<(u32, f32)>,
}

impl Input {
    /// What a few words have in addition, by class.
    fn of_few(common: f64, surplus: &[(WordId, f64)], classes: &[u32]) -> Self {
        let mut by_class: Vec<(u32, f64)> = surplus.iter().map(|(word, share)| (classes[word.row()], *share)).collect();
        by_class.sort_unstable_by_key(|(class, _)| *class);
        by_class.dedup_by(|(class, share), (kept, sum)| {
            let is_same = class == kept;
            *sum += if is_same { *share } else { 0.0 };
            is_same
        });
        Self { common, excess: by_class.into_iter().map(|(class, share)| (class, share as f32)).collect() }
    }
}

/// Inputs that are gone through together, and outputs: so numbers of outputs stay in the first cache.
const INPUTS_AT_ONCE: usize = 16;
const OUTPUTS_AT_ONCE: usize = 256;

/// Hands out e(x,y) with the places of x among `inputs` and of y.
fn each_excess(inputs: &[Input], mut each: impl FnMut(usize, usize, f64)) {
    let longest = inputs.iter().map(|input| input.excess.len()).max().unwrap_or(0);
    for start in (0..longest).step_by(OUTPUTS_AT_ONCE) {
        for (place, input) in inputs.iter().enumerate() {
            let end = input.excess.len().min(start + OUTPUTS_AT_ONCE);
            for (output, excess) in input.excess.get(start..end).unwrap_or_default() {
                each(place, *output as usize, f64::from(*excess));
            }
        }
    }
}

/// Parts of the inputs whose sums are added in their order. So the numbers are the same on any number of cores.
const PARTS: usize = 8;

/// What of a probability counts as rounding.
const ROUNDING: f64 = 1e-9;

impl Channel {
    /// The channel of a privatizer. A word may be written in another form than it was drawn in. Therefore all forms of a word
    /// are counted as one output, unless `as_drawn` says that no word was changed.
    ///
    /// # Errors
    /// [`Unsupported`].
    pub fn new(privatizer: &Privatizer, as_drawn: bool) -> Result<Self, Unsupported> {
        let table = privatizer.table();
        let classes = if as_drawn { (0..table.len() as u32).collect() } else { classes(privatizer) };
        let unknown = outputs(privatizer, None, &classes).ok_or(Unsupported)?;
        let input = |row: &WordId| {
            if let Some((common, surplus)) = privatizer.surplus(*row) {
                return Some(Input::of_few(common, &surplus, &classes));
            }
            let outputs = outputs(privatizer, Some(*row), &classes)?;
            let ratios = outputs.iter().zip(&unknown).filter(|(_, unknown)| **unknown > 0.0);
            let common = ratios.map(|(output, unknown)| output / unknown).fold(f64::INFINITY, f64::min);
            let excess = outputs.iter().zip(&unknown).map(|(output, unknown)| output - common * unknown);
            let is_more = |(output, excess): &(u32, f64)| *excess > ROUNDING * outputs[*output as usize];
            let excess = (0..).zip(excess).filter(is_more).map(|(output, excess)| (output, excess as f32)).collect();
            Some(Input { common, excess })
        };
        let rows: Vec<WordId> = table.rows().collect();
        let mut inputs = rows.par_iter().map(input).collect::<Option<Vec<_>>>().ok_or(Unsupported)?;
        inputs.push(Input { common: 1.0, excess: Vec::new() });
        Ok(Self { rows, classes, unknown, inputs })
    }

    /// The number of inputs: the rows of the table, and last the unknown word.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Where a released word is counted.
    #[must_use]
    pub fn class(&self, word: WordId) -> Option<u32> {
        self.classes.get(word.row()).copied()
    }

    /// The words that are counted with a word.
    #[must_use]
    pub fn counted_with(&self, word: WordId) -> Vec<WordId> {
        let class = self.class(word);
        let same = self.classes.iter().zip(&self.rows).filter(|(other, _)| Some(**other) == class);
        same.map(|(_, row)| *row).collect()
    }

    /// Whether words of a class come out.
    pub(crate) fn puts_out(&self, class: u32) -> bool {
        self.unknown.get(class as usize).is_some_and(|share| *share > 0.0)
    }

    /// Which outputs there are.
    pub(crate) fn is_output(&self) -> impl Iterator<Item = bool> + '_ {
        self.unknown.iter().map(|share| *share > 0.0)
    }

    /// The outputs' shares where inputs have these shares.
    #[must_use]
    pub fn released(&self, shares: &[f64]) -> Vec<f64> {
        let shares: Vec<[f64; 1]> = shares.iter().map(|share| [*share]).collect();
        self.released_lanes(&shares).into_iter().flatten().collect()
    }

    /// What each input's output has on average, of these numbers of outputs.
    #[must_use]
    pub fn expected(&self, numbers: &[f64]) -> Vec<f64> {
        let numbers: Vec<[f64; 1]> = numbers.iter().map(|number| [*number]).collect();
        self.expected_lanes(&numbers).into_iter().flatten().collect()
    }

    /// [`Channel::expected`] for several lists of numbers.
    pub(crate) fn expected_lanes<const N: usize>(&self, numbers: &[[f64; N]]) -> Vec<[f64; N]> {
        let mut base = [0.0; N];
        for (share, numbers) in self.unknown.iter().zip(numbers) {
            add(&mut base, *share, numbers);
        }
        let mut expected: Vec<[f64; N]> =
            self.inputs.iter().map(|input| base.map(|base| input.common * base)).collect();
        let parts = expected.par_chunks_mut(INPUTS_AT_ONCE).zip(self.inputs.par_chunks(INPUTS_AT_ONCE));
        parts.for_each(|(sums, inputs)| {
            each_excess(inputs, |place, output, excess| add(&mut sums[place], excess, &numbers[output]));
        });
        expected
    }

    /// [`Channel::released`] for several lists of shares.
    pub(crate) fn released_lanes<const N: usize>(&self, shares: &[[f64; N]]) -> Vec<[f64; N]> {
        let nothing = || (vec![[0.0; N]; self.unknown.len()], [0.0; N]);
        let part = |(inputs, shares): (&[Input], &[[f64; N]])| {
            let (mut sums, mut common) = nothing();
            inputs.iter().zip(shares).for_each(|(input, shares)| add(&mut common, input.common, shares));
            for (inputs, shares) in inputs.chunks(INPUTS_AT_ONCE).zip(shares.chunks(INPUTS_AT_ONCE)) {
                each_excess(inputs, |place, output, excess| add(&mut sums[output], excess, &shares[place]));
            }
            (sums, common)
        };
        let chunk = self.inputs.len().div_ceil(PARTS);
        let parts: Vec<_> = self.inputs.par_chunks(chunk).zip(shares.par_chunks(chunk)).map(part).collect();
        let (mut sums, mut common) = nothing();
        for (others, more) in &parts {
            sums.iter_mut().zip(others).for_each(|(sum, other)| add(sum, 1.0, other));
            add(&mut common, 1.0, more);
        }
        sums.iter_mut().zip(&self.unknown).for_each(|(sum, share)| add(sum, *share, &common));
        sums
    }

    /// For each output the sum of squared probabilities, each times the numbers of its input.
    pub(crate) fn squares<const N: usize>(&self, numbers: &[[f64; N]]) -> Vec<[f64; N]> {
        let mut common = [0.0; N];
        self.inputs.iter().zip(numbers).for_each(|(input, numbers)| add(&mut common, input.common.powi(2), numbers));
        let mut sums: Vec<[f64; N]> =
            self.unknown.iter().map(|share| common.map(|common| common * share * share)).collect();
        for (inputs, numbers) in self.inputs.chunks(INPUTS_AT_ONCE).zip(numbers.chunks(INPUTS_AT_ONCE)) {
            each_excess(inputs, |place, output, excess| {
                let base = inputs[place].common * self.unknown[output];
                add(&mut sums[output], excess * (excess + 2.0 * base), &numbers[place]);
            });
        }
        sums
    }
}

/// Adds a multiple.
pub(crate) fn add<const N: usize>(sum: &mut [f64; N], factor: f64, lanes: &[f64; N]) {
    // All are read before any is written, so that several go through one instruction.
    *sum = std::array::from_fn(|lane| sum[lane] + factor * lanes[lane]);
}

/// The probability of each class.
fn outputs(privatizer: &Privatizer, input: Option<WordId>, classes: &[u32]) -> Option<Vec<f64>> {
    let mut outputs = vec![0.0; classes.len()];
    for (output, share) in privatizer.distribution(input)? {
        outputs[classes[output.row()] as usize] += share;
    }
    Some(outputs)
}

/// The classes of words that may be written for each other, each by the first row of it.
fn classes(privatizer: &Privatizer) -> Vec<u32> {
    let table: &Table = privatizer.table();
    let mut first: Vec<u32> = (0..table.len() as u32).collect();
    let find = |first: &[u32], mut row: u32| {
        while first[row as usize] != row {
            row = first[row as usize];
        }
        row
    };
    let pairs: BTreeMap<WordId, Vec<WordId>> =
        table.rows().map(|row| (row, privatizer.rewritten(row))).filter(|(_, forms)| !forms.is_empty()).collect();
    for (row, forms) in pairs {
        for form in forms {
            let (a, b) = (find(&first, row.row() as u32), find(&first, form.row() as u32));
            first[a.max(b) as usize] = a.min(b);
        }
    }
    (0..first.len() as u32).map(|row| find(&first, row)).collect()
}
