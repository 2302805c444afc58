//! A bigram language model with interpolated Kneser-Ney smoothing, and the exact posterior of each symbol of a
//! sequence, given noisy observations of it.

/// A bigram model over the symbols 0 to n - 1.
pub(super) struct Model {
    /// For each symbol, where its successors begin in `next`.
    starts: Vec<usize>,
    /// The successors that were seen, with the discounted shares of their counts.
    next: Vec<(u32, f64)>,
    /// What the discount leaves of each symbol's probability for the lower order.
    rest: Vec<f64>,
    /// The lower order: in how many contexts a symbol was seen, mixed with a distribution over all symbols.
    lower: Vec<f64>,
}

/// The share of the lower order that `floor` gives, so that no symbol has the probability 0.
const FLOOR: f64 = 0.03;

impl Model {
    /// Learns from sequences of symbols. `floor` holds a positive share for each symbol, with the sum 1.
    pub(super) fn learn(sequences: &[Vec<u32>], floor: &[f64]) -> Self {
        let pairs = |sequence: &Vec<u32>| sequence.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>();
        let mut pairs: Vec<(u32, u32)> = sequences.iter().flat_map(pairs).collect();
        pairs.sort_unstable();
        let counted: Vec<((u32, u32), usize)> =
            pairs.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
        let seen = |times: usize| counted.iter().filter(|(_, count)| *count == times).count() as f64;
        let discount = (seen(1) / (seen(1) + 2.0 * seen(2)).max(1.0)).clamp(0.1, 0.9);
        let size = floor.len();
        let (mut totals, mut kinds, mut contexts) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        let mut starts = vec![0; size + 1];
        for ((before, after), count) in &counted {
            totals[*before as usize] += *count as f64;
            kinds[*before as usize] += 1.0;
            contexts[*after as usize] += 1.0;
            starts[*before as usize + 1] += 1;
        }
        (0..size).for_each(|i| starts[i + 1] += starts[i]);
        let share = |((before, after), count): &((u32, u32), usize)| {
            (*after, (*count as f64 - discount) / totals[*before as usize])
        };
        let rest = |(kinds, total): (&f64, &f64)| if *total > 0.0 { discount * kinds / total } else { 1.0 };
        let bigrams = counted.len() as f64;
        let lower = |(contexts, floor): (&f64, &f64)| {
            if bigrams > 0.0 { (1.0 - FLOOR) * contexts / bigrams + FLOOR * floor } else { *floor }
        };
        Self {
            next: counted.iter().map(share).collect(),
            rest: kinds.iter().zip(&totals).map(rest).collect(),
            lower: contexts.iter().zip(floor).map(lower).collect(),
            starts,
        }
    }

    fn successors(&self, symbol: usize) -> &[(u32, f64)] {
        &self.next[self.starts[symbol]..self.starts[symbol + 1]]
    }

    /// For each lane, the distribution of the symbol that follows one of its distribution.
    fn forward(&self, before: &[Lanes]) -> Vec<Lanes> {
        let mut rest = [0.0; LANES];
        before.iter().zip(&self.rest).for_each(|(weights, share)| add(&mut rest, weights, *share));
        let scaled = |lower: &f64| rest.map(|rest| rest * lower);
        let mut after: Vec<Lanes> = self.lower.iter().map(scaled).collect();
        for (symbol, weights) in before.iter().enumerate().filter(|(_, weights)| **weights != [0.0; LANES]) {
            self.successors(symbol).iter().for_each(|(next, share)| add(&mut after[*next as usize], weights, *share));
        }
        after
    }

    /// For each lane and symbol, the mean of `values` over what follows the symbol.
    fn backward(&self, values: &[Lanes]) -> Vec<Lanes> {
        let mut lower = [0.0; LANES];
        values.iter().zip(&self.lower).for_each(|(values, share)| add(&mut lower, values, *share));
        let mean = |(symbol, rest): (usize, &f64)| {
            let mut mean = lower.map(|lower| lower * rest);
            self.successors(symbol).iter().for_each(|(next, share)| add(&mut mean, &values[*next as usize], *share));
            mean
        };
        self.rest.iter().enumerate().map(mean).collect()
    }

    /// The posterior of the symbol at each place of up to [`LANES`] sequences, given all observations of its sequence:
    /// the forward-backward algorithm. `first` stands before each sequence. Places come in falling order, those behind
    /// the end of a sequence too.
    pub(super) fn posteriors(
        &self,
        first: u32,
        sequences: &[Vec<Observation<'_>>],
        mut found: impl FnMut(usize, &[Lanes]),
    ) {
        let seen = |place: usize| {
            let mut seen = [Observation::Nothing; LANES];
            seen.iter_mut()
                .zip(sequences)
                .for_each(|(seen, sequence)| *seen = sequence.get(place).copied().unwrap_or(Observation::Nothing));
            seen
        };
        let mut state = vec![[0.0; LANES]; self.rest.len()];
        state[first as usize] = [1.0; LANES];
        let mut forward: Vec<Vec<Lanes>> = Vec::new();
        for place in 0..sequences.iter().map(Vec::len).max().unwrap_or(0) {
            state = self.forward(&state);
            observe(&mut state, &seen(place));
            forward.push(state.clone());
        }
        let mut after = vec![[1.0; LANES]; self.rest.len()];
        for (place, mut state) in forward.into_iter().enumerate().rev() {
            state.iter_mut().zip(&after).for_each(|(state, after)| {
                state.iter_mut().zip(after).for_each(|(state, after)| *state *= after);
            });
            normalize(&mut state);
            found(place, &state);
            observe(&mut after, &seen(place));
            after = self.backward(&after);
        }
    }
}

/// Sequences that are worked on together: each successor is then read once for all of them.
pub(super) const LANES: usize = 8;
/// A number of each sequence.
pub(super) type Lanes = [f64; LANES];

/// What is known of a place.
#[derive(Clone, Copy)]
pub(super) enum Observation<'a> {
    /// Nothing.
    Nothing,
    /// The symbol.
    Symbol(u32),
    /// For each symbol from the first on, how likely it makes what was seen; symbols beyond these are impossible.
    Likelihood(&'a [f64]),
}

impl Observation<'_> {
    fn likelihood(self, symbol: usize) -> f64 {
        match self {
            Self::Nothing => 1.0,
            Self::Symbol(known) => f64::from(u8::from(known as usize == symbol)),
            Self::Likelihood(likelihood) => likelihood.get(symbol).copied().unwrap_or(0.0),
        }
    }
}

fn add(sums: &mut Lanes, values: &Lanes, factor: f64) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value * factor);
}

/// Multiplies each lane by the likelihoods of its observation, and brings its sum to 1.
fn observe(values: &mut [Lanes], seen: &[Observation<'_>; LANES]) {
    for (symbol, values) in values.iter_mut().enumerate() {
        values.iter_mut().zip(seen).for_each(|(value, seen)| *value *= seen.likelihood(symbol));
    }
    normalize(values);
}

fn normalize(values: &mut [Lanes]) {
    let mut sums = [0.0; LANES];
    values.iter().for_each(|values| add(&mut sums, values, 1.0));
    values.iter_mut().for_each(|values| values.iter_mut().zip(&sums).for_each(|(value, sum)| *value /= sum));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toy() -> Model {
        Model::learn(&[vec![3, 0, 1, 2, 0, 1], vec![3, 1, 1, 0, 2], vec![3, 0, 1, 0, 1]], &[0.4, 0.3, 0.2, 0.05, 0.05])
    }

    fn probability(model: &Model, before: usize, after: usize) -> f64 {
        let mut one = vec![[0.0; LANES]; 5];
        one[before][2] = 1.0;
        model.forward(&one)[after][2]
    }

    #[test]
    fn the_probabilities_after_every_symbol_sum_to_1() {
        let model = toy();
        for before in 0..5 {
            let sum: f64 = (0..5).map(|after| probability(&model, before, after)).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{before}: {sum}");
            assert!((0..5).all(|after| probability(&model, before, after) > 0.0));
        }
        assert!(probability(&model, 0, 1) > probability(&model, 0, 2));
    }

    #[test]
    fn the_posteriors_are_those_of_all_sequences_one_by_one() {
        let model = toy();
        let likelihoods = [[0.1, 0.5, 0.2, 0.0, 0.3], [0.6, 0.1, 0.1, 0.1, 0.1], [0.2, 0.3, 0.9, 0.4, 0.0]];
        let noisy = likelihoods.each_ref().map(|likelihood| Observation::Likelihood(likelihood));
        let sequences = [noisy.to_vec(), vec![noisy[2], Observation::Symbol(4)], vec![noisy[1], noisy[0], noisy[1]]];
        let mut wanted = vec![vec![vec![0.0; 5]; 3]; 3];
        for symbols in (0..125).map(|i| [i / 25, i / 5 % 5, i % 5]) {
            for (wanted, sequence) in wanted.iter_mut().zip(&sequences) {
                let mut weight = 1.0;
                let mut before = 3;
                for (symbol, seen) in symbols.iter().zip(sequence) {
                    weight *= probability(&model, before, *symbol) * seen.likelihood(*symbol);
                    before = *symbol;
                }
                symbols.iter().zip(wanted).for_each(|(symbol, sums)| sums[*symbol] += weight);
            }
        }
        let mut places = 0;
        model.posteriors(3, &sequences, |place, found| {
            for (lane, wanted) in wanted.iter().enumerate().filter(|(lane, _)| place < sequences[*lane].len()) {
                let sum: f64 = wanted[place].iter().sum();
                for (wanted, found) in wanted[place].iter().zip(found) {
                    assert!((wanted / sum - found[lane]).abs() < 1e-12, "{lane} {place}");
                }
                places += 1;
            }
        });
        assert_eq!(places, 8);
    }
}
