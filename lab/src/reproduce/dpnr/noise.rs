//! The releases of devices, with their claimed and their true loss.
//!
//! [`Device::released`] draws with the SDK's own mechanisms, as devices do. [`Device::simulated`] draws from the
//! same laws in floating point: a server does so that trains on texts of its own, which are no secret to it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use ndarray::Array2;
use rand_core::Rng;
use rayon::prelude::*;
use textveil::{
    Calibration, Dropout, Loss, Mechanism, MechanismKind, Parameter, ReleaseRng, Representer, Table, Unit, normalize,
};

use super::corpus::{Corpus, Part};

/// Which noise a representation gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Noise {
    /// No noise.
    Clear,
    /// The paper's: Laplace noise of scale 1/ε on each element.
    Published,
    /// The released code's: one draw of it for all elements. A reader who subtracts each release's mean gets the
    /// original representation, so every reader here does.
    Shared,
    /// Laplace noise of scale k/ε on each element, which keeps the claim for any two texts.
    Sound,
    /// On the mean of the words' vectors in the table, scaled to [0, 1] by public bounds. The claim then holds for two
    /// texts that differ in one word.
    Pooled,
}

impl Noise {
    /// In keys.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Clear => "none",
            Self::Published => "published",
            Self::Shared => "code",
            Self::Sound => "sound",
            Self::Pooled => "pooled",
        }
    }

    /// In tables.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Clear => "none",
            Self::Published => "published",
            Self::Shared => "released code, mean taken off",
            Self::Sound => "sound",
            Self::Pooled => "sound, mean of words",
        }
    }
}

/// The mean vectors of a set's words in the table, scaled to [0, 1] by the table's bounds.
pub(super) struct Pool<'a> {
    table: &'a Table,
    /// Train, dev, test.
    means: [Array2<f32>; 3],
    /// The number of words of each text, which a release shows.
    words: [Vec<usize>; 3],
}

/// At this strength the noise of a coordinate is nearly always less than a step of the grid. So the mechanism itself
/// gives the clear means.
const CLEAR: f64 = 1e9;

impl<'a> Pool<'a> {
    /// Pools the texts of a set, some of their words left out.
    ///
    /// # Errors
    /// A text that is too long.
    pub(super) fn of(table: &'a Table, corpus: &Corpus, rng: &mut ReleaseRng) -> Result<Self> {
        let representer = of_table(table, CLEAR)?;
        let dropout = dropout(corpus.dropout);
        let mut pool = |part: &Part| -> Result<(Array2<f32>, Vec<usize>)> {
            let (mut means, mut words) = (Array2::zeros((part.texts.len(), table.dims())), Vec::new());
            for (text, mut row) in part.texts.iter().zip(means.rows_mut()) {
                let mean = representer.represent(&normalize(text), &dropout, rng)?;
                words.push(mean.guarantee.words.max(1));
                row.iter_mut().zip(only(mean.vectors())?).for_each(|(to, from)| *to = from as f32);
            }
            Ok((means, words))
        };
        let [train, dev, test] = corpus.parts();
        let ((train, a), (dev, b), (test, c)) = (pool(train)?, pool(dev)?, pool(test)?);
        Ok(Self { table, means: [train, dev, test], words: [a, b, c] })
    }
}

/// What sends the representations of a set.
pub(super) struct Device<'a> {
    corpus: &'a Corpus,
    pub(super) noise: Noise,
    how: How<'a>,
}

enum How<'a> {
    Clear,
    /// Noise of this scale on each element.
    Elements(Representer, f64),
    Shared(Representer, f64),
    /// Other rows as they are: those of train, dev and test.
    Given([Array2<f32>; 3]),
    /// For each number of words ([`counted`]), the scale, and the mechanism that keeps the claim for one word of that
    /// number.
    Pooled(&'a Pool<'a>, BTreeMap<usize, (Representer, f64)>),
}

/// A part of a set, by its place.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Train,
    Dev,
    Test,
}

impl<'a> Device<'a> {
    /// A device that sends representations without noise.
    pub(super) const fn clear(corpus: &'a Corpus) -> Self {
        Self { corpus, noise: Noise::Clear, how: How::Clear }
    }

    /// A device that sends other rows for the parts of a set, without noise.
    pub(super) const fn given(corpus: &'a Corpus, rows: [Array2<f32>; 3]) -> Self {
        Self { corpus, noise: Noise::Clear, how: How::Given(rows) }
    }

    /// A device that adds noise to representations, said to lose ε.
    ///
    /// # Errors
    /// An ε out of range; [`Noise::Pooled`] without a pool.
    pub(super) fn new(corpus: &'a Corpus, noise: Noise, epsilon: f64, pool: Option<&'a Pool<'a>>) -> Result<Self> {
        if noise == Noise::Clear {
            return Ok(Self::clear(corpus));
        }
        let dims = corpus.train.rows.ncols();
        let mechanism = Mechanism::new(MechanismKind::Dpnr).with(Parameter::Epsilon, epsilon)?;
        let published = mechanism.calibrated(Calibration::Published)?;
        let elements = |mechanism, dims| -> Result<_> {
            let representer = Representer::of_vectors(dims, Some(1.0), mechanism, Unit::Text)?;
            // A unit box in dims dimensions loses dims/scale.
            let scale = dims as f64 / representer.guarantee(1, &Dropout::None)?.epsilon_text;
            Ok((representer, scale))
        };
        let how = match noise {
            Noise::Clear => How::Clear,
            Noise::Published => elements(published, dims).map(|(representer, b)| How::Elements(representer, b))?,
            Noise::Sound => elements(mechanism, dims).map(|(representer, b)| How::Elements(representer, b))?,
            Noise::Shared => elements(published, 1).map(|(representer, b)| How::Shared(representer, b))?,
            Noise::Pooled => {
                let pool = pool.context("no pool")?;
                How::Pooled(pool, pool.mechanisms(epsilon)?)
            }
        };
        Ok(Self { corpus, noise, how })
    }

    /// The true ε of replacing one word, and of replacing the text, for the worst text of the set.
    ///
    /// # Errors
    /// The same as the constructor's.
    pub(super) fn truth(&self) -> Result<[f64; 2]> {
        Ok(match &self.how {
            How::Clear | How::Given(_) | How::Shared(..) => [f64::INFINITY; 2],
            // An encoder may move everything for a word. Leaving out words then helps as it helps any mechanism
            // for which all texts are neighbours: see `Loss::after_dropout`.
            How::Elements(representer, _) => {
                let text = representer.guarantee(1, &Dropout::None)?.epsilon_text;
                [Loss::pure(text).after_dropout(self.corpus.dropout).epsilon, text]
            }
            How::Pooled(pool, mechanisms) => {
                let mut worst = [0.0_f64; 2];
                let Pool { words, .. } = pool;
                for words in words.iter().flatten().collect::<BTreeSet<_>>() {
                    let (representer, _) = mechanisms.get(&counted(*words)).context("a text of another length")?;
                    let guarantee = representer.guarantee(*words, &dropout(self.corpus.dropout))?;
                    worst = [worst[0].max(guarantee.epsilon_word), worst[1].max(guarantee.epsilon_text)];
                }
                worst
            }
        })
    }

    /// The set whose representations it sends.
    pub(super) const fn corpus(&self) -> &'a Corpus {
        self.corpus
    }

    fn part(&self, of: Of) -> &'a Part {
        self.corpus.parts()[of as usize]
    }

    /// What devices send for a part of the set, one release for each text.
    ///
    /// # Errors
    /// The mechanism's.
    pub(super) fn released(&self, of: Of, rng: &mut ReleaseRng) -> Result<Array2<f32>> {
        let part = self.part(of);
        let mut sent = match &self.how {
            How::Pooled(pool, _) => pool.means[of as usize].clone(),
            How::Given(rows) => rows[of as usize].clone(),
            _ => part.rows.clone(),
        };
        match &self.how {
            How::Clear | How::Given(_) => {}
            How::Elements(representer, _) => {
                for mut row in sent.rows_mut() {
                    let wide: Vec<f64> = row.iter().map(|x| 2.0 * f64::from(*x) - 1.0).collect();
                    let noisy = representer.represent_vectors(&[&wide], &Dropout::None, rng)?.vectors();
                    row.iter_mut().zip(only(noisy)?).for_each(|(to, from)| *to = from as f32);
                }
            }
            How::Shared(representer, _) => {
                for mut row in sent.rows_mut() {
                    // Noise on zero.
                    let noise = representer.represent_vectors(&[&[-1.0]], &Dropout::None, rng)?.vectors();
                    let noise = noise.first().and_then(|row| row.first()).context("no noise")?;
                    row.mapv_inplace(|x| (f64::from(x) + noise) as f32);
                }
            }
            How::Pooled(pool, mechanisms) => {
                let texts = part.texts.iter().zip(&pool.words[of as usize]);
                for ((text, words), mut row) in texts.zip(sent.rows_mut()) {
                    let (representer, _) = mechanisms.get(&counted(*words)).context("a text of another length")?;
                    let noisy = representer.represent(&normalize(text), &dropout(self.corpus.dropout), rng)?;
                    ensure!(noisy.guarantee.words.max(1) == *words, "a text of another length");
                    row.iter_mut().zip(only(noisy.vectors())?).for_each(|(to, from)| *to = from as f32);
                }
            }
        }
        Ok(sent)
    }

    /// Representations with noise of the same law, drawn by the server for texts of its own.
    pub(super) fn simulated(&self, of: Of, rng: &mut ReleaseRng) -> Array2<f32> {
        let rows = &self.part(of).rows;
        match &self.how {
            How::Clear => rows.clone(),
            How::Given(rows) => rows[of as usize].clone(),
            How::Elements(_, scale) => rows.mapv(|x| (f64::from(x) + scale * laplace(rng)) as f32),
            How::Shared(_, scale) => {
                let mut sent = rows.clone();
                for mut row in sent.rows_mut() {
                    let noise = scale * laplace(rng);
                    row.mapv_inplace(|x| (f64::from(x) + noise) as f32);
                }
                sent
            }
            How::Pooled(pool, mechanisms) => {
                let mut sent = pool.means[of as usize].clone();
                for (mut row, words) in sent.rows_mut().into_iter().zip(&pool.words[of as usize]) {
                    let scale = mechanisms.get(&counted(*words)).map_or(f64::NAN, |(_, scale)| *scale);
                    row.mapv_inplace(|x| (f64::from(x) + scale * laplace(rng)) as f32);
                }
                sent
            }
        }
    }
}

impl Pool<'_> {
    /// For each counted number of words, the mechanism that loses ε for one word of that number.
    fn mechanisms(&self, epsilon: f64) -> Result<BTreeMap<usize, (Representer, f64)>> {
        let of_all = of_table(self.table, 1.0)?;
        let mut lengths: Vec<usize> = self.words.iter().flatten().map(|words| counted(*words)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let mechanism = |words: usize| -> Result<_> {
            let share = of_all.guarantee(words, &Dropout::None)?.epsilon_word;
            // Rounding up may make it a little more than is asked for.
            let representer = of_table(self.table, epsilon / share * (1.0 - 1e-9))?;
            let guarantee = representer.guarantee(words, &Dropout::None)?;
            ensure!(guarantee.epsilon_word <= epsilon, "a word of {words} loses {}", guarantee.epsilon_word);
            let scale = self.table.dims() as f64 / guarantee.epsilon_text;
            Ok((words, (representer, scale)))
        };
        lengths.into_par_iter().map(mechanism).collect()
    }
}

/// The number of words that a text counts as having: the first five binary digits of its number, which is at most a
/// sixteenth less. Fewer words need more noise, so the claim still holds, and fewer mechanisms must be prepared.
const fn counted(words: usize) -> usize {
    let rest = match words.checked_ilog2() {
        Some(digits) => digits.saturating_sub(4),
        None => 0,
    };
    words >> rest << rest
}

fn of_table(table: &Table, epsilon: f64) -> Result<Representer> {
    let mechanism = Mechanism::new(MechanismKind::Dpnr).with(Parameter::Epsilon, epsilon)?;
    Ok(Representer::of_table(table, mechanism, Unit::Text)?.of_any_language())
}

fn dropout(share: f64) -> Dropout {
    if share > 0.0 { Dropout::FixedSize(share) } else { Dropout::None }
}

fn only(rows: Vec<Vec<f64>>) -> Result<Vec<f64>> {
    rows.into_iter().next().context("a release without a row")
}

/// A draw of the Laplace law of scale 1.
fn laplace(rng: &mut ReleaseRng) -> f64 {
    let bits = rng.next_u64();
    let uniform = ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    libm::log(uniform) * if bits & 1 == 1 { -1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    const TEXTS: usize = 400;
    const DIMS: usize = 6;

    fn part() -> Part {
        Part {
            texts: (0..TEXTS).map(|i| format!("w00001 w00002 w0000{} and more", i % 10)).collect(),
            rows: Array2::from_shape_fn((TEXTS, DIMS), |(i, j)| ((i * 7 + j * 3) % 5) as f32 / 4.0),
            labels: vec![0; TEXTS],
            groups: Vec::new(),
            is_trained_on: Vec::new(),
        }
    }

    fn corpus(dropout: f64) -> Corpus {
        Corpus { dropout, classes: 2, attributes: Vec::new(), train: part(), dev: part(), test: part() }
    }

    #[test]
    fn as_published_it_loses_k_times_what_is_claimed_and_sound_noise_keeps_the_claim() {
        for (dropout, word) in [(0.0, [12.0, 2.0]), (0.5, [11.306_863, 1.433_781])] {
            let corpus = corpus(dropout);
            let truth =
                |noise| Device::new(&corpus, noise, 2.0, None).and_then(|device| device.truth()).expect("a loss");
            let is_near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-4;
            let [published, sound] = [truth(Noise::Published), truth(Noise::Sound)];
            assert!(is_near(published[0], word[0]) && is_near(published[1], 12.0), "{published:?}");
            assert!(is_near(sound[0], word[1]) && sound[1] <= 2.0 && sound[1] > 1.999, "{sound:?}");
            assert_eq!((truth(Noise::Shared), truth(Noise::Clear)), ([f64::INFINITY; 2], [f64::INFINITY; 2]));
        }
    }

    #[test]
    fn the_mean_of_words_keeps_the_claim_for_a_word_and_loses_more_for_a_text() {
        let table = textveil_tables::example(50, 8).expect("a table");
        for (dropout, most) in [(0.0, 2.0), (0.5, 1.433_781)] {
            let corpus = corpus(dropout);
            let pool = Pool::of(&table, &corpus, &mut ReleaseRng::seed_from_u64(1)).expect("a pool");
            let device = Device::new(&corpus, Noise::Pooled, 2.0, Some(&pool)).expect("a device");
            let [word, text] = device.truth().expect("a loss");
            assert!(word <= most + 1e-6 && word > 0.8 * most && text > 2.0, "{word} {text}");
        }
        assert!(Device::new(&corpus(0.0), Noise::Pooled, 2.0, None).is_err());
    }

    /// The mean size of what is added to each element.
    fn size(rows: &Array2<f32>, clear: &Array2<f32>) -> f64 {
        (rows - clear).iter().map(|x| f64::from(x.abs())).sum::<f64>() / rows.len() as f64
    }

    #[test]
    fn what_a_server_simulates_has_the_law_of_what_devices_send() {
        let table = textveil_tables::example(50, 8).expect("a table");
        let corpus = corpus(0.0);
        let pool = Pool::of(&table, &corpus, &mut ReleaseRng::seed_from_u64(1)).expect("a pool");
        for (noise, scale) in [
            (Noise::Published, Some(0.5)),
            (Noise::Sound, Some(3.0)),
            (Noise::Shared, Some(0.5)),
            (Noise::Pooled, None),
        ] {
            let device = Device::new(&corpus, noise, 2.0, Some(&pool)).expect("a device");
            let mut rng = ReleaseRng::seed_from_u64(4);
            let sent = device.released(Of::Test, &mut rng).expect("releases");
            let simulated = device.simulated(Of::Test, &mut rng);
            let clear = if noise == Noise::Pooled { &pool.means[2] } else { &corpus.test.rows };
            let [sent, simulated] = [size(&sent, clear), size(&simulated, clear)];
            // Four standard errors of the mean size of `draws` draws of a Laplace law. The size has deviation 1.
            let draws = if noise == Noise::Shared { TEXTS } else { TEXTS * DIMS };
            let within = 4.0 * (2.0 / draws as f64).sqrt();
            assert!((sent / simulated - 1.0).abs() < within, "{noise:?}: {sent} {simulated}");
            assert!(scale.is_none_or(|scale: f64| (sent / scale - 1.0).abs() < within), "{noise:?}: {sent}");
        }
    }

    #[test]
    fn one_draw_for_all_elements_hides_no_difference_of_two() {
        let corpus = corpus(0.0);
        let device = Device::new(&corpus, Noise::Shared, 0.05, None).expect("a device");
        let sent = device.released(Of::Test, &mut ReleaseRng::seed_from_u64(4)).expect("releases");
        for (sent, clear) in sent.rows().into_iter().zip(corpus.test.rows.rows()) {
            assert!((0..DIMS).all(|j| ((sent[j] - sent[0]) - (clear[j] - clear[0])).abs() < 1e-4));
        }
    }

    #[test]
    fn a_text_counts_as_having_no_more_words_than_it_has_and_hardly_fewer() {
        for words in 1..5000 {
            let counted = counted(words);
            assert!(counted <= words && counted * 16 > words * 15, "{words}: {counted}");
        }
    }
}
