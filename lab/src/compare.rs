//! `textveil-lab compare`: mechanisms side by side on labelled texts, with something held equal.
//!
//! At equal η or ε the same is proved. At equal inversion a reader who takes each word alone is right equally often. At
//! equal retention as many words are left as they are, and at equal distance what comes out is as far from what went
//! in. What a mechanism leaves of the texts is measured by what a classifier can still tell from the words that came out.

mod contender;
mod data;
mod interval;
mod inversion;
mod keystream;
mod report;
mod trial;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::ProgressBar;
use textveil::{MechanismKind, Parameter, Table};

use contender::{Contender, Point, Settings};
#[cfg(test)]
pub(crate) use data::Split;
pub(crate) use data::{Dataset, Reading, words};
pub(crate) use interval::Estimate;
use inversion::Measure;
pub(crate) use keystream::rng;
use report::{Cell, Found, Report};
use textveil_tables::Vectors;
use textveil_tables::embedding::Space;
use textveil_toolkit::mechanism::word_mechanisms_and_randomized_response;
use textveil_toolkit::progress::bar;
pub(crate) use trial::Trial;

/// Compare mechanisms on labelled texts, at equal guarantees, inversion, retention or distance
///
/// Each text is privatized word by word. A logistic regression reads the mean vector of the words that came out (L2
/// penalty 0.01, the same for all). One is trained and tested on privatized texts. Another is trained in clear and
/// tested on the same texts. A set without a test file is tested in five parts, each after training on the others.
///
/// The command prints accuracies, the share of words kept, the mean cosine of the other words to what they replaced, and
/// the mean distance of all words. Each has a 95 % interval: the percentile bootstrap over the texts tested and over the
/// privatizations. The training texts are not drawn anew. Unknown words are replaced too, and count for accuracy alone.
///
/// Inversion is the share of the vocabulary that a reader of single words names. To this reader every word is equally
/// likely. Inversion is exact (Bayes) where the mechanism states its probabilities. Elsewhere the reader learns from
/// --draws of each word and is tested on one more: a lower bound.
///
/// Randomized response works on words: the word that went in is e^ε times as likely as any other. nearest takes mass and
/// frequency power from its largest level within an ε. Where the command searches for an ε, the frequency power and the
/// logarithm of the mass lie on the lines from one level to the next.
///
/// Without --eta, --epsilon, --inversion, --retention and --distance, shares of 0.3 and 0.5 are compared in the first
/// four ways. For η and ε, the numbers come from the table's certified levels, or else from those of exponential.
/// Several tables are compared by the shares alone, since an η belongs to the distances of its table.
#[derive(Args)]
pub(crate) struct Compare {
    /// Labelled texts with a header. A .csv file has quotes. Any other file is tab-separated, without quotes. Both may be
    /// gzipped
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    data: Vec<PathBuf>,
    /// The texts to test on, a file for each of --data
    #[arg(long, num_args = 1.., value_name = "FILE")]
    test: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// Table files instead of the built-in English table
    #[arg(long, visible_alias = "tables", value_delimiter = ',', value_name = "FILE")]
    table: Vec<PathBuf>,
    /// Judge replacements and classify by these vectors, as "table build --float" writes them, instead of the
    /// table's own
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// The mechanisms. By default all that put out words and have an η, nearest, and randomized-response
    #[arg(long, value_delimiter = ',', value_parser = word_mechanisms_and_randomized_response(), value_name = "NAME")]
    mechanism: Vec<MechanismKind>,
    /// Compare at these η, proved in the Euclidean distance of the table
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    eta: Vec<f64>,
    /// Compare at these ε of a word
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    epsilon: Vec<f64>,
    /// Compare where a reader who takes each word alone names these shares of the vocabulary
    #[arg(long, value_delimiter = ',', value_name = "SHARES")]
    inversion: Vec<f64>,
    /// Compare where these shares of the vocabulary come out as they went in (N_w)
    #[arg(long, value_delimiter = ',', value_name = "SHARES")]
    retention: Vec<f64>,
    /// Compare at these mean distances of what comes out, in units of the table, words being as frequent as
    /// in English
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    distance: Vec<f64>,
    #[command(flatten)]
    settings: Settings,
    /// How often all texts are privatized
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// How many draws of each word a reader learns from where no probabilities are stated
    #[arg(long, default_value_t = 4, value_name = "N")]
    draws: usize,
    /// The seed of every draw, part and choice of texts
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write a plot
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Shares that are compared by default.
const SHARES: [f64; 2] = [0.3, 0.5];
/// Mechanisms whose η and ε are then compared: the first that the table offers.
const MEASURES: [&str; 2] = ["certified", "exponential"];

impl Compare {
    pub(crate) fn run(&self) -> Result<()> {
        if let Some(svg) = &self.svg {
            let read = self.data.iter().chain(&self.test).chain(&self.table).chain(&self.vectors);
            textveil_toolkit::files::check_output(svg, &read.map(PathBuf::as_path).collect::<Vec<_>>())?;
        }
        ensure!(self.test.is_empty() || self.test.len() == self.data.len(), "--test needs a file for each of --data");
        for share in self.inversion.iter().chain(&self.retention) {
            ensure!(*share > 0.0 && *share < 1.0, "a share is between 0 and 1, not {share}");
        }
        for distance in &self.distance {
            ensure!(*distance > 0.0 && distance.is_finite(), "a distance is above 0, not {distance}");
        }
        let tables = self.tables()?;
        let vectors = self.vectors.as_deref().map(|path| Vectors::read(path, None)).transpose()?;
        let datasets = self.datasets()?;
        let points = self.points(&tables);
        let kinds = self.kinds();
        let mut report = Report {
            datasets: &datasets,
            points: &points,
            in_clear: Vec::new(),
            cells: Vec::new(),
            runs: self.runs,
            seed: self.seed,
        };
        let progress = bar("comparing", tables.len() * kinds.len() * points.len() * datasets.len());
        for (name, table) in &tables {
            let space = match &vectors {
                Some(vectors) => Space::of_vectors(vectors, table).with_context(|| name.clone())?,
                None => Space::of_table(table),
            };
            let trials =
                datasets.iter().map(|dataset| Trial::new(dataset, table, &space)).collect::<Result<Vec<_>>>()?;
            let in_clear =
                trials.iter().enumerate().map(|(place, trial)| (place, name.clone(), trial.accuracy_in_clear));
            report.in_clear.extend(in_clear);
            for kind in &kinds {
                let contender = self.contender(table, *kind);
                report.cells.extend(self.cells(name, contender, &points, &trials, &progress));
            }
        }
        progress.finish_and_clear();
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{:#}", report.json())?;
        } else {
            report.print(&mut out)?;
        }
        match &self.svg {
            Some(path) => fs::write(path, report.svg()).with_context(|| format!("cannot write {}", path.display())),
            None => Ok(()),
        }
    }

    /// The tables, each by the name of its file.
    fn tables(&self) -> Result<Vec<(String, Table)>> {
        if self.table.is_empty() {
            return Ok(vec![("built-in".to_owned(), textveil_tables::load(None)?)]);
        }
        let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.table.iter().map(|path| Ok((name(path), textveil_tables::load(Some(path))?))).collect()
    }

    fn datasets(&self) -> Result<Vec<Dataset>> {
        let tests = self.test.iter().map(|path| Some(path.as_path())).chain(std::iter::repeat(None));
        let pairs = self.data.iter().zip(tests);
        pairs.map(|(data, test)| Dataset::read(data, test, &self.reading, self.seed)).collect()
    }

    fn kinds(&self) -> Vec<MechanismKind> {
        if !self.mechanism.is_empty() {
            return self.mechanism.clone();
        }
        let is_usual = |kind: &MechanismKind| match kind {
            MechanismKind::Nearest | MechanismKind::RandomizedResponse => true,
            _ => kind.gives_words() && kind.parameters().contains(&Parameter::Eta),
        };
        MechanismKind::ALL.iter().copied().filter(is_usual).collect()
    }

    fn contender<'a>(&self, table: &'a Table, kind: MechanismKind) -> Contender<'a> {
        Contender::new(table, kind, &self.settings, self.draws, self.seed)
    }

    /// What is held equal: what was asked for, else shares and, for one table, what they cost.
    fn points(&self, tables: &[(String, Table)]) -> Vec<Point> {
        let of = |values: &[f64], point: fn(f64) -> Point| values.iter().map(move |x| point(*x)).collect::<Vec<_>>();
        let asked = [
            of(&self.eta, Point::Eta),
            of(&self.epsilon, Point::Epsilon),
            of(&self.inversion, Point::Inversion),
            of(&self.retention, Point::Retention),
            of(&self.distance, Point::Distance),
        ];
        if asked.iter().any(|points| !points.is_empty()) {
            return asked.concat();
        }
        let costs = if let [(_, table)] = tables { self.costs(table) } else { Vec::new() };
        let etas = costs.iter().map(|[eta, _]| Point::Eta(*eta));
        let epsilons = costs.iter().map(|[_, epsilon]| Point::Epsilon(*epsilon));
        let shares = [of(&SHARES, Point::Inversion), of(&SHARES, Point::Retention)].concat();
        etas.chain(epsilons).chain(shares).collect()
    }

    /// η and ε at which the first measure that this table offers keeps the shares.
    fn costs(&self, table: &Table) -> Vec<[f64; 2]> {
        let of = |name: &&str| {
            let mut measure = self.contender(table, name.parse().ok()?);
            let cost = |share: &f64| {
                let guarantee = measure.reaching(Measure::Retention, *share).ok()?.guarantee(1);
                Some([guarantee.eta?, guarantee.epsilon_word])
            };
            SHARES.iter().map(cost).collect::<Option<Vec<_>>>()
        };
        MEASURES.iter().find_map(of).unwrap_or_default()
    }

    /// A mechanism at every point on every set.
    fn cells(
        &self,
        table: &str,
        mut contender: Contender<'_>,
        points: &[Point],
        trials: &[Trial<'_>],
        progress: &ProgressBar,
    ) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        progress.set_message(contender.kind.name());
        for point in points {
            let met = contender.meet(*point).map_err(|error| format!("{error:#}"));
            for (dataset, trial) in trials.iter().enumerate() {
                let found = met.as_ref().map_err(Clone::clone).map(|(privatizer, inversion)| {
                    let guarantee = privatizer.guarantee(1);
                    // Two points may lead to the same strength, and that to the same draws.
                    let found = cells
                        .iter()
                        .filter(|cell| cell.dataset == dataset)
                        .find_map(|cell| cell.found.as_ref().ok().filter(|found| found.guarantee == guarantee));
                    found.cloned().unwrap_or_else(|| Found {
                        euclidean_eta: contender.euclidean_eta(&guarantee),
                        guarantee,
                        inversion: *inversion,
                        outcome: trial.run(privatizer, self.runs, self.seed),
                    })
                });
                progress.inc(1);
                cells.push(Cell {
                    dataset,
                    table: table.to_owned(),
                    kind: contender.kind,
                    settings: contender.settings.clone(),
                    point: *point,
                    found,
                });
            }
        }
        cells
    }
}
