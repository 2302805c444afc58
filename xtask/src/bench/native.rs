//! The benchmarks of `cli/benches/speed.rs`, in rounds, and the command line.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value as Json;

use super::report::Samples;
use crate::project::{Project, files, recreate};

/// The compiled benchmarks.
pub(crate) struct Native {
    program: PathBuf,
    tables: PathBuf,
    results: PathBuf,
}

impl Native {
    /// Builds them; they will find the tables of this directory.
    pub(crate) fn build(project: &Project, tables: &Path) -> Result<Self> {
        let results = project.target().join("speed");
        Ok(Self { program: project.benchmark("textveil-cli", "speed")?, tables: tables.to_owned(), results })
    }

    /// Measures what matches the regular expression, once. Rates are under `native/…`, times without a rate under
    /// `native/… ms`.
    pub(crate) fn round(&self, project: &Project, filter: &str, samples: &mut Samples) -> Result<()> {
        recreate(&self.results)?;
        let mut run = project.command(&self.program);
        run.args(["--bench", "--noplot", filter])
            .env("CRITERION_HOME", &self.results)
            .env("TEXTVEIL_BENCH_TABLES", &self.tables);
        project.read(&mut run)?;
        let mut found = false;
        for description in files(&self.results)? {
            if description.ends_with("new/benchmark.json") {
                let estimates = read_json(&description.with_file_name("estimates.json"))?;
                let (name, number) = measured(&read_json(&description)?, &estimates)
                    .with_context(|| format!("{}: not what this version of criterion writes", description.display()))?;
                samples.add(name, number);
                found = true;
            }
        }
        ensure!(found, "no benchmark matches {filter}");
        Ok(())
    }
}

/// A benchmark's name, and its rate or time.
fn measured(description: &Json, estimates: &Json) -> Option<(String, f64)> {
    let name = description["full_id"].as_str()?;
    let nanoseconds = estimates["median"]["point_estimate"].as_f64()?;
    Some(match description["throughput"]["Elements"].as_f64() {
        Some(elements) => (format!("native/{name}"), elements / nanoseconds * 1e9),
        None => (format!("native/{name} ms"), nanoseconds / 1e6),
    })
}

fn read_json(path: &Path) -> Result<Json> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// What a program wrote, how long it took, and the most memory that it had at once, in MB, where the system says so.
pub(crate) fn watched(project: &Project, command: &mut Command) -> Result<(String, Duration, Option<f64>)> {
    let output = project.target().join("watched.out");
    let started = Instant::now();
    let mut child = command.stdout(File::create(&output)?).spawn()?;
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let mut most = None;
    let exit = loop {
        // The last one that is seen is the highest, but for the last few milliseconds.
        most = fs::read_to_string(&status).ok().as_deref().and_then(high_water_mark).or(most);
        match child.try_wait()? {
            Some(exit) => break exit,
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    ensure!(exit.success(), "failed ({exit}): {command:?}");
    Ok((fs::read_to_string(output)?, started.elapsed(), most))
}

/// The peak of the resident memory in what Linux says of a process, in MB.
fn high_water_mark(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rates_come_from_the_elements_of_an_iteration() {
        let estimates = json!({ "median": { "point_estimate": 4e6 } });
        let rate = json!({ "full_id": "draw/a", "throughput": { "Elements": 8 } });
        assert_eq!(measured(&rate, &estimates), Some(("native/draw/a".into(), 2000.0)));
        let time = json!({ "full_id": "start/table", "throughput": null });
        assert_eq!(measured(&time, &estimates), Some(("native/start/table ms".into(), 4.0)));
    }

    #[test]
    fn memory_is_read_from_what_linux_says() {
        assert_eq!(high_water_mark("Name:\tnode\nVmHWM:\t   12345 kB\nVmRSS:\t 1 kB\n"), Some(12.345));
        assert_eq!(high_water_mark("Name:\tnode\n"), None);
    }
}
