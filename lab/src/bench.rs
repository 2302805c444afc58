//! `textveil bench`: how fast one thread of this machine privatizes, as JSON.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use getrandom::SysRng;
use serde_json::json;
use textveil::{Disclosure, MechanismKind, Privatizer, Table, release_rng};

/// Measure releases a second on one thread, as JSON
#[derive(Args)]
pub(crate) struct Bench {}

/// Twenty words of the vocabulary.
const SENTENCE: &str = "the doctor said that my sister should rest at home for a week and call her if the fever came";
const SHORTEST: Duration = Duration::from_millis(1500);

impl Bench {
    pub(crate) fn run(&self) -> Result<()> {
        let table = Table::english()?;
        let [exponential, metric_laplace] = [MechanismKind::Exponential, MechanismKind::MetricLaplace].map(|kind| sentence_times(&table, kind));
        let (exponential, metric_laplace) = (exponential?, metric_laplace?);
        let words = SENTENCE.split(' ').count() as f64;
        let rate = |times: &[Duration]| words * times.len() as f64 / times.iter().sum::<Duration>().as_secs_f64();
        let report = json!({
            "sentence_ms": exponential[exponential.len() / 2].as_secs_f64() * 1e3,
            "tokens_per_second": { "exponential": rate(&exponential), "metric-laplace": rate(&metric_laplace) },
        });
        println!("{report:#}");
        Ok(())
    }
}

/// How long each release of [`SENTENCE`] took at the mechanism's default level, ascending.
fn sentence_times(table: &Table, kind: MechanismKind) -> Result<Vec<Duration>> {
    let privatizer = Privatizer::new(table, table.default_mechanism_of(kind)?, Disclosure::default())?;
    let mut times = Vec::new();
    while times.iter().sum::<Duration>() < SHORTEST {
        let start = Instant::now();
        privatizer.privatize(SENTENCE, &mut release_rng(&mut SysRng)?)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times)
}
