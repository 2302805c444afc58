//! Learned words among the words of a table.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::{fmt, iter};

use anyhow::{Context, Error, Result, ensure};
use ndarray::Array2;
use textveil::{Table, WordId};
use textveil_contribute::Request;

use super::{Budget, Space};
use crate::classes::Classes;
use crate::quantize::{LARGEST, Lattice, free_neighbour};
use crate::rows::unit_rows;
use crate::vocabulary::{Flags, Word};
use crate::writer::{Draft, flag_byte, with_sections};

/// Words whose places say where a learned word lies, in a table whose vectors are not those of the contexts.
const NEAREST: usize = 10;
/// How much more the nearer of them count.
const SHARPNESS: f64 = 5.0;
/// The keys of a table's description that stay.
const KEPT: [&str; 6] = ["name", "language", "source", "license", "recipe", "kind"];
/// The keys that tell of learned words.
const LEARNED: [&str; 6] =
    ["learned", "learned_from", "learned_epsilon", "learned_delta", "learned_promise", "learned_seed"];
/// What a table says whose noise follows from a seed.
const SEEDED: &str = "the noise follows from a seed: whoever knows it can take the noise off";

/// A word and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The word.
    pub word: String,
    /// The words of the table that are nearest to it, the nearest first.
    pub near: Vec<String>,
}

/// No word of a sum is louder than its noise.
#[derive(Clone, Copy, Debug)]
pub struct Drowned;

impl fmt::Display for Drowned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("noise drowns all words: more users, fewer words or a larger epsilon help")
    }
}

impl std::error::Error for Drowned {}

/// A table with learned words.
pub struct Extended {
    file: Vec<u8>,
    table: Table,
    /// The words that were learned.
    pub learned: Vec<Learned>,
    /// Words that noise drowned: they are left out.
    pub drowned: Vec<String>,
}

/// What devices have answered.
#[derive(Debug, Default)]
pub struct Answers {
    /// The sum of their vectors.
    pub sum: Vec<i64>,
    /// How many answered. Where devices add the noise, the sum has that of each.
    pub devices: u32,
}

impl Extended {
    /// Puts the words of a noisy sum into `base`. `contexts` is the table in which contexts were read, which may be the same. The
    /// table says so if the noise `is_seeded`: anyone who knows the seed can take it off.
    ///
    /// # Errors
    /// The request, the space and the tables are not of one another; a word is in the table already; [`Drowned`].
    pub fn new(
        base: &Table,
        contexts: &Table,
        space: &Space,
        request: &Request,
        answers: &Answers,
        budget: &Budget,
        is_seeded: bool,
    ) -> Result<Self> {
        let (terms, sum) = (request.terms(), &answers.sum[..]);
        ensure!(contexts.id().to_string() == space.table, "the contexts are not those of this table");
        ensure!(terms.table == space.table && terms.mean == space.mean, "the request is not for these contexts");
        ensure!(
            sum.len() == request.len(),
            "the sum has {} numbers, the request asks for {}",
            sum.len(),
            request.len()
        );
        if let Some(known) = terms.words.iter().find(|word| base.find(word).is_some()) {
            anyhow::bail!("the table has the word \"{known}\" already");
        }
        let dims = terms.dims as usize;
        let noise = request.variance().get() * shares(request, answers.devices);
        let is_heard = |row: &[i64]| {
            let squares: f64 = row.iter().map(|x| (*x as f64) * (*x as f64)).sum();
            // The noise alone has mean d·σ² and deviation √(2d)·σ².
            squares > noise * (dims as f64 + 3.0 * (2.0 * dims as f64).sqrt())
        };
        let heard: Vec<bool> = sum.chunks_exact(dims).map(is_heard).collect();
        let directions = space.directions(sum);
        let places = Places::of(base, contexts, space)?;
        let (mut words, mut drowned) = (Vec::new(), Vec::new());
        for ((word, heard), direction) in terms.words.iter().zip(&heard).zip(directions.rows()) {
            let direction = direction.to_vec();
            if *heard { words.push((word.clone(), places.place(&direction))) } else { drowned.push(word.clone()) }
        }
        ensure!(!words.is_empty(), Drowned);
        let meta = meta((base, contexts, space), request, words.len(), budget, is_seeded)?;
        let (file, table) = written(base, |_| true, &words, &meta)?;
        let learned = words.into_iter().map(|(word, place)| Learned { word, near: place.near }).collect();
        Ok(Self { file, table, learned, drowned })
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// Writes the file. Returns a line for the person who asked for it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<String> {
        textveil_toolkit::files::replace(path, &self.file)?;
        Ok(format!("{}: {}", path.display(), crate::in_words(&self.table, Some(self.file.len() as u64))))
    }
}

/// A table without some of its words, on the same scale: as if they were new.
///
/// # Errors
/// No word is left.
pub fn without(base: &Table, words: &BTreeSet<String>) -> Result<Table> {
    let meta: Vec<_> =
        KEPT.into_iter().chain(LEARNED).filter_map(|key| Some((key, base.meta(key)?.to_owned()))).collect();
    Ok(written(base, |word| !words.contains(word), &[], &meta)?.1)
}

/// How many additions of noise a sum holds: one of each device that answered.
fn shares(request: &Request, devices: u32) -> f64 {
    match request.terms().noise {
        textveil_contribute::Noise::Devices { least } => f64::from(devices.max(least)),
        textveil_contribute::Noise::Sum => 1.0,
    }
}

/// Where a word lies.
struct Place {
    /// In lattice steps of the base, not rounded.
    row: Vec<f64>,
    near: Vec<String>,
    nearest: WordId,
}

/// The words of the base by their directions in the space of contexts.
struct Places<'a> {
    base: &'a Table,
    space: &'a Space,
    /// Whether the vectors of the base are those of the contexts.
    is_own: bool,
    words: Vec<WordId>,
    directions: Array2<f64>,
}

impl<'a> Places<'a> {
    fn of(base: &'a Table, contexts: &Table, space: &'a Space) -> Result<Self> {
        let dims = space.mean.len();
        let common = base.words().filter(|(id, _)| base.is_offered(*id));
        let common = common.filter_map(|(id, word)| Some((id, contexts.find(&word.to_string())?)));
        let (words, rows): (Vec<_>, Vec<_>) = common.unzip();
        ensure!(words.len() >= NEAREST, "the two tables have {} words in common", words.len());
        let rows: Vec<Vec<i8>> = rows.into_iter().map(|row| contexts.vector(row)).collect();
        let mut directions =
            Array2::from_shape_fn((rows.len(), dims), |(i, j)| f64::from(rows[i][j]) - f64::from(space.centre[j]));
        unit_rows(&mut directions);
        let is_own = base.id() == contexts.id() && dims == base.dims();
        Ok(Self { base, space, is_own, words, directions })
    }

    fn place(&self, direction: &[f64]) -> Place {
        let cosines = self.directions.rows().into_iter().zip(&self.words);
        let cosine = |row: ndarray::ArrayView1<'_, f64>| row.iter().zip(direction).map(|(a, b)| a * b).sum::<f64>();
        let mut near: Vec<(f64, WordId)> = cosines.map(|(row, word)| (cosine(row), *word)).collect();
        near.sort_unstable_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
        near.truncate(NEAREST);
        let row = if self.is_own { self.own(direction) } else { self.among(&near) };
        let names = near.iter().map(|(_, word)| self.base.word(*word).to_string()).collect();
        Place { row, near: names, nearest: near[0].1 }
    }

    fn own(&self, direction: &[f64]) -> Vec<f64> {
        let length = f64::from(self.space.length);
        direction.iter().zip(&self.space.centre).map(|(x, centre)| f64::from(*centre) + length * x).collect()
    }

    /// The mean of the nearest words' vectors, the nearer counting more.
    fn among(&self, near: &[(f64, WordId)]) -> Vec<f64> {
        let mut row = vec![0.0; self.base.dims()];
        let weights: Vec<f64> = near.iter().map(|(cosine, _)| libm::exp(SHARPNESS * (cosine - near[0].0))).collect();
        let whole: f64 = weights.iter().sum();
        for ((_, word), weight) in near.iter().zip(weights) {
            row.iter_mut().zip(self.base.vector(*word)).for_each(|(x, step)| *x += weight / whole * f64::from(step));
        }
        row
    }
}

/// The description of the new table: that of the base, and what is proved of the users whose texts are in it. Users may be
/// the same as those of words that the tables had learned before. So ε and δ add up, and a seed stays known.
///
/// # Errors
/// A table does not say what it promised before.
fn meta(
    (base, contexts, space): (&Table, &Table, &Space),
    request: &Request,
    count: usize,
    budget: &Budget,
    is_seeded: bool,
) -> Result<Vec<(&'static str, String)>> {
    let other = Some(contexts).filter(|contexts| contexts.id() != base.id());
    let earlier: Vec<&Table> =
        iter::once(base).chain(other).filter(|table| LEARNED.iter().any(|key| table.meta(key).is_some())).collect();
    let sum = |key: &str, own: f64| {
        earlier.iter().try_fold(own, |sum, table| {
            let before: Option<f64> = table.meta(key).and_then(|number| number.parse().ok());
            Ok::<_, Error>(sum + before.with_context(|| format!("the table has learned words, but no {key}"))?)
        })
    };
    let mut meta: Vec<_> = KEPT.into_iter().filter_map(|key| Some((key, base.meta(key)?.to_owned()))).collect();
    let naming =
        if budget.naming > 0.0 { "named by a private set union of the users' words" } else { "from a public list" };
    meta.push(("learned", format!("{count} words, {naming}; contexts of {}, {}", contexts.id(), space.source)));
    meta.push(("learned_from", base.id().to_string()));
    meta.push(("learned_epsilon", sum("learned_epsilon", budget.epsilon)?.to_string()));
    meta.push(("learned_delta", sum("learned_delta", budget.delta)?.to_string()));
    let noise = match request.terms().noise {
        textveil_contribute::Noise::Devices { least } => {
            format!("read or not; noise: shares of at least {least} devices in a secure sum, as the collector states")
        }
        textveil_contribute::Noise::Sum => "added or removed; noise: added to the sum by whoever held it".to_owned(),
    };
    let promises = earlier.iter().filter_map(|table| table.meta("learned_promise"));
    let promise =
        promises.fold(format!("each user with all texts, {noise}"), |all, before| all + "; before: " + before);
    meta.push(("learned_promise", promise));
    if is_seeded || earlier.iter().any(|table| table.meta("learned_seed").is_some()) {
        meta.push(("learned_seed", SEEDED.to_owned()));
    }
    Ok(meta)
}

/// A table file of the base's words that are kept and the learned ones. It has no levels: they were measured and certified on other
/// rows.
fn written(
    base: &Table,
    is_kept: impl Fn(&str) -> bool,
    learned: &[(String, Place)],
    meta: &[(&'static str, String)],
) -> Result<(Vec<u8>, Table)> {
    let lists = if base.meta("language") == Some("en") { Flags::english()? } else { Flags::none() };
    let mut taken: HashSet<Vec<i8>> = base.rows().map(|row| base.vector(row)).collect();
    let mut moved = 0;
    // The word, its row, the byte of its flags and its class.
    let mut rows: Vec<(Word, Vec<i8>, u8, Option<&str>)> = Vec::with_capacity(base.len() + learned.len());
    let class = |id: WordId| base.class_of(id).and_then(|class| base.class_name(class));
    for (id, text) in base.words() {
        let word = Word { text: text.to_string(), zipf: base.zipf(id), ..Word::default() };
        if is_kept(&word.text) {
            rows.push((word, base.vector(id), flag_byte(base.flags(id)), class(id)));
        }
    }
    for (text, place) in learned {
        let mut row: Vec<i8> = place.row.iter().map(|x| x.round().clamp(-LARGEST, LARGEST) as i8).collect();
        if taken.contains(&row) {
            let free = free_neighbour(&place.row, &row, &taken);
            row = free.ok_or_else(|| anyhow::anyhow!("too many words lie at one place"))?;
            moved += 1;
        }
        taken.insert(row.clone());
        let word = lists.word(text.clone(), base.zipf(place.nearest));
        let flags = if word.never_offered { textveil::Flags::NEVER_OFFERED } else { textveil::Flags::NONE };
        rows.push((word, row, flag_byte(flags), class(place.nearest)));
    }
    ensure!(rows.len() <= Table::MAX_ROWS, "a table has {} words at most", Table::MAX_ROWS);
    rows.sort_by(|a, b| a.0.text.cmp(&b.0.text));
    let words: Vec<Word> = rows.iter().map(|(word, ..)| word.clone()).collect();
    let labels: Option<Vec<&str>> = rows.iter().map(|(.., class)| *class).collect();
    let classes = labels.map(|labels| Classes::new(&words, &labels)).transpose()?;
    let lattice = Lattice {
        rows: Array2::from_shape_fn((rows.len(), base.dims()), |(i, j)| rows[i].1[j]),
        scale: base.scale(),
        moved,
    };
    let flags: Vec<u8> = rows.iter().map(|(_, _, flags, _)| *flags).collect();
    let draft = Draft { words, lattice, levels: Vec::new(), classes, meta: meta.to_vec() };
    let file = with_sections(&draft.encode()?.0, &[(*b"FLAG", Some(&flags))])?;
    let table = Table::parse(file.clone())?;
    Ok((file, table))
}
