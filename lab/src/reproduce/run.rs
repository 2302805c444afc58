//! A run of an experiment: its settings, its data, its randomness, and the cells that it computes on all
//! cores.
//!
//! A cell is an independent unit of work with a stable key, such as `imdb/ome/eps=1/lambda=100/run=3`. The seed, and
//! names that the cell's author chooses, decide all its random draws. So neither the number of threads nor the point
//! where an earlier run stopped changes a result. Every value goes through JSON, kept or not, so that a number is the
//! same whether it was just computed or read.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use textveil::{ReleaseRng, Table};

use super::experiment::Experiment;
use super::store::{Finished, Store, program};
use crate::data::{Library, Set};
use textveil_tables::{Encoder, Vectors};

/// Everything except the data that numbers follow from.
#[derive(Clone, Default)]
pub(super) struct Settings {
    pub(super) seed: u64,
    pub(super) runs: u32,
    pub(super) quick: bool,
    pub(super) table: Option<PathBuf>,
    pub(super) words: Option<usize>,
    pub(super) encoder: Option<PathBuf>,
    /// The share of an experiment's full work.
    pub(super) share: Option<f64>,
    /// Instead of the tokens that an experiment pretrains on.
    pub(super) tokens: Option<u64>,
    /// Cells that are computed, at most, by experiments that can do with some.
    pub(super) at_most: Option<usize>,
    /// What the keys of cells that they compute contain.
    pub(super) only: Option<String>,
    /// Whether no cell is computed, and cells of any program are judged.
    pub(super) only_judges: bool,
    /// Whether cells of any program are taken, next to those that are computed.
    pub(super) other_builds: bool,
}

/// A run of an experiment.
pub(crate) struct Run<'a> {
    experiment: &'static Experiment,
    settings: Settings,
    library: Option<&'a Library>,
    /// The digest of this program.
    program: String,
    /// The digests of the encoder's files, by name.
    encoder: Map<String, Value>,
    folder: Option<PathBuf>,
    store: Option<Store>,
    computed: Mutex<Computed>,
}

/// What has been computed.
#[derive(Clone, Default, Debug, PartialEq)]
pub(super) struct Computed {
    /// Cells of this run.
    pub(super) fresh: u64,
    /// Cells of earlier runs.
    pub(super) kept: u64,
    /// How long all of them took, added up.
    pub(super) seconds: f64,
    /// The digests of the programs that computed them.
    pub(super) programs: BTreeSet<String>,
}

impl<'a> Run<'a> {
    /// Begins a run. With a folder, it keeps its cells there and resumes from the cells it finds.
    ///
    /// # Errors
    /// The folder cannot be used, or holds cells of another identity; the encoder's files cannot be read.
    pub(super) fn begin(
        experiment: &'static Experiment,
        settings: Settings,
        library: Option<&'a Library>,
        folder: Option<&Path>,
    ) -> Result<Self> {
        let computed = Mutex::default();
        let encoder = settings.encoder.as_deref().map_or_else(|| Ok(Map::new()), Encoder::digests)?;
        // Without a file of cells to judge, no store is opened.
        let file = folder.map(|folder| folder.join(experiment.file() + ".jsonl"));
        let file = file.filter(|file| !settings.only_judges || file.exists());
        let (program, kept_in) = (program()?, folder.map(Path::to_owned));
        let mut run = Self { experiment, settings, library, program, encoder, folder: kept_in, store: None, computed };
        if let (Some(folder), Some(file)) = (folder, file) {
            fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
            let Settings { only_judges, other_builds, .. } = run.settings;
            let ours = Some(run.program.as_str()).filter(|_| !only_judges && !other_builds);
            run.store = Some(Store::open(&file, &run.identity()?, ours)?);
        }
        Ok(run)
    }

    /// Everything the numbers follow from. The program is left out, which stands next to each cell. The number of runs is
    /// left out, too: each run has its own cells, so that more runs can follow later.
    fn identity(&self) -> Result<Map<String, Value>> {
        let Settings { seed, quick, words, .. } = &self.settings;
        let values = [
            ("experiment", json!(self.experiment.name())),
            ("seed", json!(seed)),
            ("quick", json!(quick)),
            ("table", json!(self.table()?.id().to_string())),
            ("words", json!(words)),
            ("encoder", json!(self.encoder)),
            ("data", json!(self.digests()?)),
        ];
        let share = self.settings.share.map(|share| ("share", json!(share)));
        let tokens = self.settings.tokens.map(|tokens| ("tokens", json!(tokens)));
        Ok(values.into_iter().chain(share).chain(tokens).map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn digests(&self) -> Result<Map<String, Value>> {
        self.library.map_or_else(|| Ok(Map::new()), |library| library.digests(self.experiment.data))
    }

    /// The experiment.
    pub(crate) fn experiment(&self) -> &'static Experiment {
        self.experiment
    }

    /// How often each number is computed.
    pub(crate) fn runs(&self) -> u32 {
        self.settings.runs
    }

    /// Whether a small version is asked for.
    pub(crate) fn is_quick(&self) -> bool {
        self.settings.quick
    }

    /// The table that was passed, or the built-in English one.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn table(&self) -> Result<Table> {
        textveil_tables::load(self.settings.table.as_deref())
    }

    /// How many words of the table were asked for.
    pub(crate) fn words(&self) -> Option<usize> {
        self.settings.words
    }

    /// The digest of this program.
    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// The sentence encoder, if one was passed.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn encoder(&self) -> Result<Option<Encoder>> {
        self.settings.encoder.as_deref().map(Encoder::load).transpose()
    }

    /// The share of the work that was asked for; all of it unless said.
    pub(crate) fn share(&self) -> f64 {
        self.settings.share.unwrap_or(1.0)
    }

    /// The tokens to pretrain on, if they were asked for.
    pub(crate) fn tokens(&self) -> Option<u64> {
        self.settings.tokens
    }

    /// The folder of its files, if one was passed.
    pub(crate) fn encoder_folder(&self) -> Option<&Path> {
        self.settings.encoder.as_deref()
    }

    /// The digests of its files, by name. Empty without an encoder.
    pub(crate) fn encoder_digests(&self) -> &Map<String, Value> {
        &self.encoder
    }

    /// Where the run keeps its cells, if it does.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The papers' data sets.
    ///
    /// # Errors
    /// No data sets were passed.
    pub(crate) fn library(&self) -> Result<&Library> {
        self.library.context("pass --data")
    }

    /// A set of them.
    ///
    /// # Errors
    /// As [`Self::library`] and [`Library::set`]; the experiment has to name it.
    pub(crate) fn set(&self, name: &str) -> Result<Set> {
        self.named(name)?.set(name)
    }

    /// Word vectors of them.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub(crate) fn vectors(&self, name: &str) -> Result<Vectors> {
        self.named(name)?.vectors(name)
    }

    /// The place of a file of them.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub(crate) fn file(&self, set: &str, ending: &str) -> Result<PathBuf> {
        self.named(set)?.file(set, ending)
    }

    fn named(&self, set: &str) -> Result<&Library> {
        ensure!(self.experiment.data.contains(&set), "{} does not say that it reads {set}", self.experiment.name());
        self.library()
    }

    /// A generator for what this name stands for: a cell, or something that several cells share, such as a
    /// split.
    pub(crate) fn rng(&self, name: &str) -> ReleaseRng {
        ReleaseRng::from_seed(Sha256::digest(format!("{}/{name}", self.settings.seed)).into())
    }

    /// A number for the same.
    pub(crate) fn seed(&self, name: &str) -> u64 {
        self.rng(name).next_u64()
    }

    /// The value of each cell, in order: from an earlier run, or computed, on all cores, and kept. A cell
    /// is written as its key, which stands for everything that distinguishes it.
    ///
    /// # Errors
    /// The first of `compute`; what was finished before is kept. A value that JSON cannot hold.
    pub(crate) fn cells<C, T>(&self, cells: &[C], compute: impl Fn(&C) -> Result<T> + Sync) -> Result<Vec<T>>
    where
        C: Display + Sync,
        T: Serialize + DeserializeOwned + Send,
    {
        let keys: Vec<String> = cells.iter().map(ToString::to_string).collect();
        let distinct: BTreeSet<&String> = keys.iter().collect();
        ensure!(distinct.len() == keys.len(), "two cells have one key");
        let earlier = |key: &String| self.store.as_ref().and_then(|store| store.get(key));
        let kept = keys.iter().filter(|key| earlier(key).is_some()).count() as u64;
        let progress = textveil_toolkit::progress::bar(self.experiment.name(), keys.len());
        progress.set_position(kept);
        progress.reset_eta();
        let value = |(key, cell): (&String, &C)| {
            if let Some(finished) = earlier(key) {
                return self.read(finished, false);
            }
            ensure!(!self.settings.only_judges, "it is not there to be judged");
            let begun = Instant::now();
            let value = serde_json::to_string(&compute(cell)?)?;
            let finished = Finished { value, seconds: begun.elapsed().as_secs_f64(), program: self.program.clone() };
            if let Some(store) = &self.store {
                store.keep(key, &finished)?;
            }
            progress.inc(1);
            self.read(&finished, true)
        };
        let values = keys.par_iter().zip(cells).with_max_len(1);
        let values = values.map(|(key, cell)| value((key, cell)).with_context(|| key.clone())).collect();
        progress.finish_and_clear();
        values
    }

    /// Whether a cell is there, or is among those that may be computed.
    pub(crate) fn wants(&self, cell: &impl Display) -> bool {
        let Settings { only, only_judges, .. } = &self.settings;
        let key = cell.to_string();
        let may_be_computed = !only_judges && only.as_ref().is_none_or(|part| key.contains(part));
        may_be_computed || self.has(cell)
    }

    /// Whether an earlier run has finished a cell.
    pub(crate) fn has(&self, cell: &impl Display) -> bool {
        self.store.as_ref().is_some_and(|store| store.get(&cell.to_string()).is_some())
    }

    /// The same for the cells that are there, and for as many of the others as were asked for. The rest, and all that are
    /// not wanted, are `None`.
    ///
    /// # Errors
    /// As [`Self::cells`].
    pub(crate) fn some_cells<C, T>(
        &self,
        cells: &[C],
        compute: impl Fn(&C) -> Result<T> + Sync,
    ) -> Result<Vec<Option<T>>>
    where
        C: Display + Sync,
        T: Serialize + DeserializeOwned + Send,
    {
        let mut left = if self.settings.only_judges { 0 } else { self.settings.at_most.unwrap_or(usize::MAX) };
        let mut is_chosen = |cell: &C| {
            let is_there = self.has(cell);
            let is_next = !is_there && left > 0 && self.wants(cell);
            left -= usize::from(is_next);
            is_there || is_next
        };
        let chosen: Vec<bool> = cells.iter().map(&mut is_chosen).collect();
        let some: Vec<&C> =
            cells.iter().zip(&chosen).filter(|(_, is_chosen)| **is_chosen).map(|(cell, _)| cell).collect();
        let mut values = self.cells(&some, |cell| compute(cell))?.into_iter();
        Ok(chosen.into_iter().map(|is_chosen| if is_chosen { values.next() } else { None }).collect())
    }

    /// The value of a cell, which is counted.
    fn read<T: DeserializeOwned>(&self, finished: &Finished, is_fresh: bool) -> Result<T> {
        let mut computed = self.computed.lock().unwrap_or_else(PoisonError::into_inner);
        computed.seconds += finished.seconds;
        *(if is_fresh { &mut computed.fresh } else { &mut computed.kept }) += 1;
        computed.programs.insert(finished.program.clone());
        drop(computed);
        serde_json::from_str(&finished.value).context("its value does not survive JSON")
    }

    /// What has been computed so far.
    pub(super) fn computed(&self) -> Computed {
        self.computed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The settings, for who reads a report.
    pub(super) fn described(&self) -> Result<Value> {
        let Settings { seed, runs, quick, words, encoder, .. } = &self.settings;
        let programs: Vec<String> = self.computed().programs.into_iter().collect();
        let program = if programs.is_empty() { self.program.clone() } else { programs.join(" ") };
        let mut value =
            json!({ "version": env!("CARGO_PKG_VERSION"), "program": program, "quick": quick, "seed": seed });
        if self.experiment.runs.is_some() {
            value["runs"] = json!(runs);
        }
        if self.experiment.takes.contains(&"table") {
            value["table"] = json!(self.table()?.id().to_string());
        }
        if let Some(words) = words {
            value["words"] = json!(words);
        }
        if let Some(share) = self.settings.share {
            value["share"] = json!(share);
        }
        if let Some(tokens) = self.settings.tokens {
            value["tokens"] = json!(tokens);
        }
        if encoder.is_some() {
            value["encoder"] = json!(self.encoder);
        }
        if !self.experiment.data.is_empty() {
            value["data"] = json!(self.digests()?);
        }
        Ok(value)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Mutex;

    use anyhow::bail;
    use tempfile::TempDir;

    use super::super::experiment::Runs;
    use super::super::report::Report;
    use super::*;

    static EXPERIMENT: Experiment = Experiment {
        paper: "test",
        table: "",
        about: "",
        data: &[],
        takes: &[],
        runs: Some(Runs { quick: 1, usual: 2, paper: None }),
        has_plot: false,
        why: "",
        compute: |_| Ok(Report::default()),
    };

    /// Begins a run whose cells are kept in a folder that is not there at first.
    fn begin(settings: Settings, folder: Option<&TempDir>) -> Result<Run<'static>> {
        Run::begin(&EXPERIMENT, settings, None, folder.map(|folder| folder.path().join("kept")).as_deref())
    }

    /// Computes an experiment on other data.
    pub(crate) fn with_library(
        experiment: &'static Experiment,
        runs: u32,
        library: &Library,
        compute: fn(&Run<'_>) -> Result<Report>,
    ) -> Result<Report> {
        compute(&Run::begin(experiment, Settings { runs, ..Settings::default() }, Some(library), None)?)
    }

    const CELLS: u32 = 40;

    /// Numbers of many digits; fails at a cell, and notes what it computes.
    fn numbers(run: &Run<'_>, cells: u32, fails_at: Option<u32>) -> Result<(Vec<f64>, Vec<u32>)> {
        let computed = Mutex::new(Vec::new());
        let values = run.cells(&(0..cells).collect::<Vec<_>>(), |cell| {
            if fails_at == Some(*cell) {
                bail!("stopped");
            }
            computed.lock().expect("no panic").push(*cell);
            Ok((run.seed(&cell.to_string()) as f64).sqrt() / 3.0)
        })?;
        Ok((values, computed.into_inner().expect("no panic")))
    }

    #[test]
    fn a_run_that_was_interrupted_goes_on_to_the_same_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = numbers(&begin(Settings::default(), None).expect("a run"), CELLS, None).expect("numbers").0;
        let first = begin(Settings::default(), Some(&folder)).expect("a run");
        let error = numbers(&first, CELLS, Some(CELLS - 1)).expect_err("stopped");
        assert_eq!(format!("{error:#}"), "39: stopped");
        let Computed { fresh, .. } = first.computed();
        drop(first);
        let second = begin(Settings::default(), Some(&folder)).expect("a run");
        let (values, computed) = numbers(&second, CELLS, None).expect("numbers");
        assert_eq!(values, whole);
        let Computed { fresh: anew, kept, seconds, programs } = second.computed();
        assert_eq!(programs.len(), 1);
        assert_eq!((anew, computed.len() as u64, kept), (u64::from(CELLS) - fresh, u64::from(CELLS) - fresh, fresh));
        assert!(seconds > 0.0, "of both runs");
        assert!(fresh > 0, "something was kept");
    }

    #[test]
    fn more_cells_are_computed_beside_those_that_are_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let few = numbers(&begin(Settings::default(), Some(&folder)).expect("a run"), 3, None).expect("numbers").0;
        let settings = Settings { runs: 9, ..Settings::default() };
        let (more, computed) = numbers(&begin(settings, Some(&folder)).expect("a run"), 5, None).expect("numbers");
        assert_eq!((&more[..3], computed.len()), (&few[..], 2));
    }

    #[test]
    fn another_seed_or_size_is_not_mixed_in() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(begin(Settings::default(), Some(&folder)).expect("a run"));
        for (settings, what) in [
            (Settings { seed: 1, ..Settings::default() }, "another seed"),
            (Settings { quick: true, words: Some(3), ..Settings::default() }, "another quick, words"),
        ] {
            let error = begin(settings, Some(&folder)).err().expect("refused").to_string();
            assert!(error.contains(what), "{error}");
        }
        assert!(begin(Settings::default(), Some(&folder)).is_ok());
    }

    #[test]
    fn cells_of_another_program_are_judged_or_taken_and_named_and_else_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let judged = Settings { only_judges: true, ..Settings::default() };
        let none = begin(judged.clone(), Some(&folder)).expect("a run");
        assert!(numbers(&none, 3, None).is_err() && !folder.path().join("kept/test.jsonl").exists(), "there are none");
        let mut another = begin(Settings::default(), Some(&folder)).expect("a run");
        another.program = "another".to_owned();
        let (values, _) = numbers(&another, 3, None).expect("numbers");
        drop(another);
        let error = begin(Settings::default(), Some(&folder)).err().expect("refused").to_string();
        assert!(error.contains("another build"), "{error}");
        let programs = |run: &Run<'_>| run.described().expect("settings")["program"].clone();
        let run = begin(judged, Some(&folder)).expect("a run");
        assert_eq!(numbers(&run, 3, None).expect("numbers"), (values.clone(), Vec::new()));
        assert_eq!(programs(&run), "another");
        assert!(numbers(&run, 4, None).is_err(), "one is not there");
        drop(run);
        let both = Settings { other_builds: true, ..Settings::default() };
        let run = begin(both, Some(&folder)).expect("a run");
        let (more, computed) = numbers(&run, 4, None).expect("numbers");
        assert_eq!((&more[..3], computed), (&values[..], vec![3]));
        let ours = run.program().to_owned();
        let named = programs(&run);
        assert!(named == format!("{ours} another") || named == format!("another {ours}"), "{named}");
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let run = begin(Settings::default(), None).expect("a run");
            pool.install(|| numbers(&run, CELLS, None)).expect("numbers").0
        };
        assert_eq!(on(1), on(4));
    }

    #[test]
    fn a_name_has_a_stream_of_its_own_under_each_seed() {
        let seed = |seed, name| begin(Settings { seed, ..Settings::default() }, None).expect("a run").seed(name);
        assert_eq!(seed(1, "a"), seed(1, "a"));
        assert!(seed(1, "a") != seed(1, "b") && seed(1, "a") != seed(2, "a"));
    }

    #[test]
    fn what_cannot_be_kept_is_refused() {
        let run = begin(Settings::default(), None).expect("a run");
        assert!(run.cells(&["a"], |_| Ok(f64::NAN)).is_err(), "JSON has no NaN");
        assert!(run.cells(&["a", "a"], |_| Ok(1.0)).is_err(), "one key for two");
        assert!(run.set("imdb").is_err() && run.library().is_err());
    }
}
