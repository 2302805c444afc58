//! `textveil-lab new-words`: how well words are learned that a table lacks, from many users under user-level privacy.

use std::collections::HashMap;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use ndarray::ArrayView1;
use textveil::Table;
use textveil_contribute::{Contributor, Noise, Sum, Token};
use textveil_tables::extend::{Budget, Space};
use textveil_tables::{Import, WordFrequencies};
use textveil_toolkit::cells;
use textveil_toolkit::files::{digest_of, reader};
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
/// Among so many the true word is sought.
const CANDIDATES: usize = 8_000;
/// Held out are words of these ranks that so many authors use.
const RANKS: std::ops::Range<usize> = 300..CANDIDATES;
const USED_BY: usize = 300;
const HELD_OUT: usize = 300;
const NEAREST: usize = 10;
const EPSILONS: [f64; 3] = [8.0, 3.0, 1.0];
const DELTA: f64 = 1e-6;

/// The words of the vectors, the most frequent first, with their vectors.
fn vectors(path: &Path) -> Result<Vec<(String, Vec<f64>)>> {
    let mut vectors = Vec::new();
    for line in io::BufRead::lines(reader(path)?).take(WORDS) {
        let line = line.with_context(|| path.display().to_string())?;
        let mut cells = line.split_whitespace();
        let word = cells.next().context("a line without a word")?.to_owned();
        let numbers = cells.map(str::parse).collect::<Result<Vec<f64>, _>>().context("no number")?;
        vectors.push((word, numbers));
    }
    Ok(vectors)
}

impl NewWords {
    pub(crate) fn run(&self) -> Result<()> {
        for (file, digest) in DIGESTS {
            ensure!(digest_of(&self.data.join(file))? == digest, "{file} is another file than the one measured on");
        }
        let authors = Authors::read(&self.data.join(AUTHORS[0]), &self.data.join(AUTHORS[1]), self.authors)?;
        let vectors = vectors(&self.data.join(VECTORS))?;
        let progress = bar("authors", authors.each().len() * self.seeds as usize);
        let found = (0..self.seeds).map(|seed| self.found(&authors, &vectors, seed, &progress));
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
        vectors: &[(String, Vec<f64>)],
        seed: u32,
        progress: &indicatif::ProgressBar,
    ) -> Result<Vec<[f64; 2]>> {
        let ranks: HashMap<&str, usize> =
            vectors.iter().enumerate().map(|(rank, (word, _))| (word.as_str(), rank)).collect();
        let users = authors.users();
        let least = USED_BY * authors.each().len() / 19_320;
        let usual = authors.vocabulary.iter().zip(users).filter_map(|(word, users)| {
            ranks.get(word.as_str()).filter(|rank| RANKS.contains(rank) && users >= least).map(|_| word.clone())
        });
        let usual: Vec<String> = usual.collect();
        let mut held_out: Vec<String> = shuffled(usual.len(), u64::from(seed))
            .into_iter()
            .take(HELD_OUT)
            .map(|place| usual[place].clone())
            .collect();
        held_out.sort_unstable();
        let table = self.table(vectors, &held_out, seed)?;
        let mut public = BufReader::new(unpacked(&self.data.join(PUBLIC))?);
        let space = Space::fit(&table, table.dims(), 5, &mut public, "sentences of Wikipedia")?;
        let request =
            |epsilon| Budget { epsilon, delta: DELTA, naming: 0.0 }.request(&space, held_out.clone(), Noise::Sum);
        let requests = EPSILONS.map(request).into_iter().collect::<Result<Vec<_>>>()?;
        let contributor = Contributor::new(requests[0].clone(), table.clone())?;
        let mut sums: Vec<Sum> = requests.into_iter().map(Sum::new).collect();
        let mut exact = vec![0_i64; contributor.request().len()];
        let tokens: Vec<Token> = authors.vocabulary.iter().map(|word| contributor.look_up(word)).collect();
        for words in authors.each() {
            let token = |word: &u16| tokens.get(usize::from(*word)).copied().unwrap_or(Token::Other);
            let words: Vec<Token> = words.iter().map(token).collect();
            let mut gathered = contributor.gathered();
            contributor.read_tokens(&words, &mut gathered);
            let contribution = contributor.clipped(&gathered, contributor.request().norm());
            sums.iter_mut().try_for_each(|sum| sum.add(&contribution))?;
            exact.iter_mut().zip(contribution).for_each(|(sum, number)| *sum += i64::from(number));
            progress.inc(1);
        }
        let mut rng = rng(u64::from(seed), 0, 0);
        let nothing = Sum::new(contributor.request().clone()).release(&mut rng)?;
        let noisy = sums.into_iter().map(|sum| sum.release(&mut rng)).collect::<Result<Vec<_>, _>>()?;
        let judge = Judge::of(&table, &space, vectors, &held_out, &ranks)?;
        Ok([exact].into_iter().chain(noisy).chain([nothing]).map(|sum| judge.found(&space, &sum)).collect())
    }

    /// The table of the vectors without the words that are held out.
    fn table(&self, vectors: &[(String, Vec<f64>)], held_out: &[String], seed: u32) -> Result<Table> {
        let place =
            |what: &str| std::env::temp_dir().join(format!("textveil-new-words-{}-{seed}.{what}", std::process::id()));
        let (list, out) = (place("txt"), place("tvt"));
        let kept = vectors
            .iter()
            .map(|(word, _)| word.as_str())
            .filter(|word| held_out.binary_search(&(*word).to_owned()).is_err());
        std::fs::write(&list, kept.collect::<Vec<_>>().join("\n"))?;
        let import = Import {
            input: self.data.join(VECTORS),
            format: None,
            vocabulary: Some(list.clone()),
            limit: WORDS,
            dims: None,
            normalize: true,
            words_file: None,
            frequencies: WordFrequencies::Ranked,
            classes: None,
            language: "en".to_owned(),
            name: "held out".to_owned(),
            source: "skip-gram on Wikipedia".to_owned(),
            license: "CC BY-SA 4.0".to_owned(),
            levels: false,
        };
        let made = import
            .make()
            .and_then(|imported| imported.write(&out))
            .and_then(|_| Ok(Table::parse(std::fs::read(&out)?)?));
        for path in [list, out] {
            // What was never written need not be removed.
            let _ = std::fs::remove_file(path);
        }
        made
    }
}

/// Where words truly lie.
struct Judge {
    candidates: Vec<Vec<f64>>,
    truths: Vec<Vec<f64>>,
}

impl Judge {
    fn of(
        table: &Table,
        space: &Space,
        vectors: &[(String, Vec<f64>)],
        held_out: &[String],
        ranks: &HashMap<&str, usize>,
    ) -> Result<Self> {
        let direction = |vector: &[f64]| {
            let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            space.direction_of(vector.iter().map(|x| x / length / table.scale()))
        };
        let is_held_out = |word: &str| held_out.binary_search_by(|other| other.as_str().cmp(word)).is_ok();
        let frequent = vectors.iter().take(CANDIDATES).filter(|(word, _)| !is_held_out(word));
        let truth = |word: &String| {
            let rank = ranks.get(word.as_str()).context("a word without a vector")?;
            Ok(direction(&vectors[*rank].1))
        };
        Ok(Self {
            candidates: frequent.map(|(_, vector)| direction(vector)).collect(),
            truths: held_out.iter().map(truth).collect::<Result<_>>()?,
        })
    }

    fn found(&self, space: &Space, sum: &[i64]) -> [f64; 2] {
        let directions = space.directions(sum);
        let cosine = |a: ArrayView1<'_, f64>, b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut found, mut cosines) = (0.0, 0.0);
        for (direction, truth) in directions.rows().into_iter().zip(&self.truths) {
            let of_truth = cosine(direction, truth);
            let nearer = self.candidates.iter().filter(|other| cosine(direction, other) > of_truth).count();
            found += f64::from(u8::from(nearer < NEAREST));
            cosines += of_truth;
        }
        let count = self.truths.len() as f64;
        [found / count, cosines / count]
    }
}
