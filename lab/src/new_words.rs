//! `textveil-lab new-words`: how well words are learned that a table lacks, from many users under user-level privacy.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use textveil::Table;
use textveil_contribute::{Contributor, Noise, Sum, Token};
use textveil_tables::extend::{Answers, Budget, Drowned, Extended, Space, without};
use textveil_tables::{Import, WordFrequencies};
use textveil_toolkit::cells;
use textveil_toolkit::files::digest_of;
use textveil_toolkit::progress::bar;
use textveil_toolkit::report::{Mean, Sheet};
use textveil_toolkit::sampling::shuffled;

use crate::compare::rng;
use crate::data::{Authors, unpacked};

/// Measure how well new words are learned from many users
///
/// Words of public vectors are held out, as if they were new. Authors of blogs contribute their contexts under user-level
/// privacy, and the noisy sum is turned into vectors. A word is found if its true vector is among the 10 nearest of those of 8,000
/// frequent words. Each seed holds out other words and draws other noise.
#[derive(Args)]
pub(crate) struct NewWords {
    /// The folder of the data sets
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// How often all is done
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    seeds: u32,
    /// Authors that contribute, at most
    #[arg(long, value_name = "N")]
    authors: Option<usize>,
    /// Where the words are learned
    #[arg(long, value_enum, default_value_t = In::SkipGram)]
    table: In,
}

/// Tables from which words are held out.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum In {
    /// A table of 50 dimensions of skip-gram vectors, in which contexts are read, too
    SkipGram,
    /// 64 dimensions of the built-in text encoder, in which contexts are read, too
    Encoder,
    /// The built-in English table, with contexts read in the text encoder: as "textveil table extend" does
    English,
}

const AUTHORS: [&str; 2] = ["blog_users/users.safetensors.zst", "blog_users/vocabulary.txt"];
const VECTORS: &str = "embeddings/standin.wiki17M.sgns.50d.top50000.txt.gz";
const PUBLIC: &str = "corpus_wiki_sentences/wiki_sentences.txt.zst";
const DIGESTS: [(&str, &str); 2] = [
    (VECTORS, "ae0bc06c599962cf53f2be4ee768917149237735a3fc33da258a205e53742e82"),
    (PUBLIC, "738243bf5ac8247510a366765b4310dbd569609b985a0afbd65f984a0e8d007a"),
];
/// Words of the table, the most frequent ones.
const WORDS: usize = 20_000;
/// The true word is sought among this number of words.
const CANDIDATES: usize = 8_000;
/// Words of these ranks that at least [`USED_BY`] authors use are held out.
const RANKS: std::ops::Range<usize> = 300..CANDIDATES;
const USED_BY: usize = 300;
/// Authors of the whole corpus, for which [`USED_BY`] is meant. In a part of it, as large a share counts.
const ALL_AUTHORS: usize = 19_320;
const HELD_OUT: usize = 300;
const NEAREST: usize = 10;
/// Words on each side, and dimensions of the encoder, that are read.
const WINDOW: u32 = 5;
const ENCODER_DIMS: usize = 64;
const EPSILONS: [f64; 3] = [8.0, 3.0, 1.0];
const DELTA: f64 = 1e-6;

impl NewWords {
    pub(crate) fn run(&self) -> Result<()> {
        for (file, digest) in DIGESTS {
            ensure!(digest_of(&self.data.join(file))? == digest, "{file} is another file than the one measured on");
        }
        let authors = Authors::read(&self.data.join(AUTHORS[0]), &self.data.join(AUTHORS[1]), self.authors)?;
        let tables = Tables::of(self.table, &self.data)?;
        let progress = bar("authors", authors.each().len() * self.seeds as usize);
        let found = (0..self.seeds).map(|seed| self.found(&authors, &tables, seed, &progress));
        let found = found.collect::<Result<Vec<_>>>()?;
        progress.finish_and_clear();
        let mut sheet = Sheet::new("New words that are found, and cosines to their true vectors");
        let names = ["no noise".to_owned()].into_iter().chain(EPSILONS.map(|epsilon| epsilon.to_string()));
        for (at, name) in names.chain(["random".to_owned()]).enumerate() {
            let of = |which: usize| Mean::of(&found.iter().map(|found| found[at][which]).collect::<Vec<_>>());
            sheet.row(cells![
                "epsilon" => name,
                "authors" => authors.each().len() as f64,
                "found among the 10 nearest" => of(0),
                "cosine" => of(1),
            ]);
        }
        Ok(sheet.print(&mut io::stdout().lock())?)
    }

    /// The share that is found and the mean cosine: without noise, at each ε, and of noise alone.
    fn found(
        &self,
        authors: &Authors,
        tables: &Tables,
        seed: u32,
        progress: &indicatif::ProgressBar,
    ) -> Result<Vec<[f64; 2]>> {
        let held_out = tables.held_out(authors, seed);
        let lacking = tables.without(&held_out)?;
        let mut public = BufReader::new(unpacked(&self.data.join(PUBLIC))?);
        let (contexts, dims) = (&lacking.contexts, tables.dims);
        let space = Space::fit(contexts, dims, WINDOW, &mut public, "sentences of Wikipedia")?;
        let words: Vec<String> = held_out.iter().cloned().collect();
        let request = |epsilon| budget(epsilon).request(&space, words.clone(), Noise::Sum);
        let requests = EPSILONS.map(request).into_iter().collect::<Result<Vec<_>>>()?;
        let contributor = Contributor::new(requests[0].clone(), contexts.clone())?;
        let mut sums: Vec<Sum> = requests.into_iter().map(Sum::new).collect();
        let mut exact = vec![0_i64; contributor.request().len()];
        let tokens: Vec<Token> = authors.vocabulary.iter().map(|word| contributor.look_up(word)).collect();
        for words in authors.each() {
            let token = |word: &u16| tokens.get(usize::from(*word)).copied().unwrap_or(Token::Other);
            let words: Vec<Token> = words.iter().map(token).collect();
            let mut gathered = contributor.gathered();
            contributor.read_tokens(&words, &mut gathered);
            let contribution = contributor.clipped(&gathered, contributor.request().norm());
            sums.iter_mut().try_for_each(|sum| sum.add(contribution.exact()))?;
            exact.iter_mut().zip(contribution.exact()).for_each(|(sum, number)| *sum += i64::from(*number));
            progress.inc(1);
        }
        let mut rng = rng(u64::from(seed), 0, 0);
        let nothing = Sum::new(contributor.request().clone()).release(&mut rng)?;
        let noisy = sums.into_iter().map(|sum| sum.release(&mut rng)).collect::<Result<Vec<_>, _>>()?;
        let judge = Judge::of(tables, &space, &held_out)?;
        let sums = [exact].into_iter().chain(noisy).chain([nothing]);
        let epsilons = [EPSILONS[0]].into_iter().chain(EPSILONS).chain([EPSILONS[0]]);
        sums.zip(epsilons)
            .map(|(sum, epsilon)| {
                let places = lacking.places(&space, &words, &sum, &budget(epsilon))?;
                Ok(judge.found(&places))
            })
            .collect()
    }
}

const fn budget(epsilon: f64) -> Budget {
    Budget { epsilon, delta: DELTA, naming: 0.0 }
}

/// The tables with all of their words.
struct Tables {
    contexts: Table,
    dims: usize,
    /// The table that words are learned for, if it is another one.
    base: Option<Table>,
    /// Words of all of them, the most frequent first.
    ranked: Vec<String>,
}

impl Tables {
    fn of(table: In, data: &Path) -> Result<Self> {
        if table == In::SkipGram {
            let contexts = skip_gram(data)?;
            return Ok(Self { dims: contexts.dims(), ranked: ranked(&contexts, &contexts), base: None, contexts });
        }
        let (contexts, english) = (textveil_tables::text_encoder(None)?.table().clone(), Table::english()?);
        let ranked = ranked(&english, &contexts);
        Ok(Self { contexts, dims: ENCODER_DIMS, base: (table == In::English).then_some(english), ranked })
    }

    /// Words that enough authors use, in another choice for each seed.
    fn held_out(&self, authors: &Authors, seed: u32) -> BTreeSet<String> {
        let ranks: HashMap<&str, usize> =
            self.ranked.iter().enumerate().map(|(rank, word)| (word.as_str(), rank)).collect();
        let least = USED_BY * authors.each().len() / ALL_AUTHORS;
        let usual = authors.vocabulary.iter().zip(authors.users()).filter(|(word, users)| {
            *users >= least && ranks.get(word.as_str()).is_some_and(|rank| RANKS.contains(rank))
        });
        let usual: Vec<&String> = usual.map(|(word, _)| word).collect();
        let places = shuffled(usual.len(), u64::from(seed)).into_iter().take(HELD_OUT);
        places.map(|place| usual[place].clone()).collect()
    }

    fn without(&self, words: &BTreeSet<String>) -> Result<Lacking> {
        let base = self.base.as_ref().map(|base| without(base, words)).transpose()?;
        Ok(Lacking { contexts: without(&self.contexts, words)?, base })
    }
}

/// The words of a table that another one has, too, by falling frequency.
fn ranked(table: &Table, other: &Table) -> Vec<String> {
    let mut words: Vec<_> = table.words().map(|(row, word)| (table.zipf(row), word.to_string())).collect();
    words.retain(|(_, word)| other.find(word).is_some());
    words.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
    words.into_iter().map(|(_, word)| word).collect()
}

fn skip_gram(data: &Path) -> Result<Table> {
    let out = std::env::temp_dir().join(format!("textveil-new-words-{}.tvt", std::process::id()));
    let import = Import {
        input: data.join(VECTORS),
        format: None,
        vocabulary: None,
        limit: WORDS,
        dims: None,
        normalize: true,
        words_file: None,
        frequencies: WordFrequencies::Ranked,
        classes: None,
        language: "en".to_owned(),
        name: "skip-gram".to_owned(),
        source: "skip-gram on Wikipedia".to_owned(),
        license: "CC BY-SA 4.0".to_owned(),
        levels: false,
    };
    let made =
        import.make().and_then(|imported| imported.write(&out)).and_then(|_| Ok(Table::parse(std::fs::read(&out)?)?));
    // What was never written need not be removed.
    let _ = std::fs::remove_file(out);
    made
}

/// The tables without the words that are held out.
struct Lacking {
    contexts: Table,
    base: Option<Table>,
}

impl Lacking {
    /// Where each word was placed: a direction, or a row of the other table; nothing for a word that noise drowned there.
    fn places(&self, space: &Space, words: &[String], sum: &[i64], budget: &Budget) -> Result<Vec<Option<Vec<f64>>>> {
        let Some(base) = &self.base else {
            return Ok(space.directions(sum).rows().into_iter().map(|row| Some(row.to_vec())).collect());
        };
        let request = budget.request(space, words.to_vec(), Noise::Sum)?;
        let answers = Answers { sum: sum.to_vec(), ..Answers::default() };
        let extended = match Extended::new(base, &self.contexts, space, &request, &answers, budget, true) {
            Err(error) if error.is::<Drowned>() => return Ok(vec![None; words.len()]),
            extended => extended?,
        };
        let table = extended.table();
        Ok(words.iter().map(|word| table.find(word).map(|row| steps(table, row))).collect())
    }
}

fn steps(table: &Table, row: textveil::WordId) -> Vec<f64> {
    table.vector(row).into_iter().map(f64::from).collect()
}

/// Where words truly lie.
struct Judge {
    candidates: Vec<Vec<f64>>,
    truths: Vec<Vec<f64>>,
}

impl Judge {
    fn of(tables: &Tables, space: &Space, held_out: &BTreeSet<String>) -> Result<Self> {
        let place = |word: &String| {
            let table = tables.base.as_ref().unwrap_or(&tables.contexts);
            let steps = steps(table, table.find(word).context("a word without a vector")?);
            let is_own = tables.base.is_none();
            Ok(if is_own { space.direction_of(steps.into_iter().take(tables.dims)) } else { steps })
        };
        let frequent = tables.ranked.iter().take(CANDIDATES).filter(|word| !held_out.contains(*word));
        Ok(Self {
            candidates: frequent.map(place).collect::<Result<_>>()?,
            truths: held_out.iter().map(place).collect::<Result<_>>()?,
        })
    }

    fn found(&self, places: &[Option<Vec<f64>>]) -> [f64; 2] {
        let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut found, mut cosines) = (0.0, 0.0);
        for (place, truth) in places.iter().zip(&self.truths) {
            let Some(place) = place else { continue };
            let of_truth = squared(place, truth);
            let nearer = self.candidates.iter().filter(|other| squared(place, other) < of_truth).count();
            found += f64::from(u8::from(nearer < NEAREST));
            let lengths = (dot(place, place) * dot(truth, truth)).sqrt();
            cosines += if lengths > 0.0 { dot(place, truth) / lengths } else { 0.0 };
        }
        let count = self.truths.len() as f64;
        [found / count, cosines / count]
    }
}
