//! `cargo xtask reproduce PAPER [TABLE] --data DIR […]`, and a nightly check: the papers' tables, computed anew.

mod page;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::project::Project;
use crate::table_inputs;

/// Where `--write` puts the page and its plot.
const PAGE: &str = "REPRODUCTIONS.md";
const PLOT: &str = "REPRODUCTIONS.svg";
/// Options that `--write` sets itself, and one whose numbers make no page.
const NOT_WITH_WRITE: [&str; 5] = ["--out", "--resume", "--json", "--svg", "--quick"];
const ENCODER: &str = "--encoder";

/// `cargo xtask reproduce`, whose arguments are those of `textveil reproduce`, or `--write` instead of a paper.
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let mut arguments: Vec<OsString> = args.raw_args()?.collect();
    let given = arguments.len();
    arguments.retain(|argument| argument != "--write");
    let writes = arguments.len() < given;
    let refused = NOT_WITH_WRITE.iter().find(|option| writes && is_given(&arguments, option));
    refused.map_or(Ok(()), |option| bail!("--write computes all in full, in places of its own: leave {option} out"))?;
    let encoder = if is_given(&arguments, ENCODER) { None } else { Some(table_inputs::encoder(project)?) };
    let shipped = Shipped { project, program: project.optimized()?, encoder };
    if writes { shipped.write(&arguments) } else { shipped.reproduce(&arguments) }
}

/// Whether an option is among the arguments, as `--option VALUE` or `--option=VALUE`.
fn is_given(arguments: &[OsString], option: &str) -> bool {
    let is_it =
        |argument: &str| argument.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    arguments.iter().any(|argument| is_it(&argument.to_string_lossy()))
}

/// The command line as it is shipped, with the sentence encoder unless another is given.
struct Shipped<'a> {
    project: &'a Project,
    program: PathBuf,
    encoder: Option<PathBuf>,
}

impl Shipped<'_> {
    fn reproduce(&self, arguments: &[OsString]) -> Result<()> {
        let mut command = self.project.command(&self.program);
        // Where the command was given, not in the root of the checkout: it names files.
        command.current_dir(std::env::current_dir()?);
        command.arg("reproduce").args(arguments);
        if let Some(encoder) = &self.encoder {
            command.arg(ENCODER).arg(encoder);
        }
        self.project.run(&mut command)
    }

    /// All tables, and the page of them. Cells are kept, so that it goes on where it was interrupted.
    fn write(&self, arguments: &[OsString]) -> Result<()> {
        let root = self.project.root();
        let cells = self.project.target().join("reproductions");
        let numbers = cells.with_extension("json");
        let reproduce = |what: &[&str], form: &str, file: &Path| {
            let what = what.iter().map(OsString::from).chain(arguments.iter().cloned());
            let places = ["--out".into(), cells.clone().into(), form.into(), file.into()];
            self.reproduce(&what.chain(places).collect::<Vec<_>>())
        };
        reproduce(&["all"], "--json", &numbers)?;
        reproduce(&page::PLOTTED, "--svg", &root.join(PLOT))?;
        let reports: Vec<Value> = serde_json::from_slice(&fs::read(&numbers)?).context("what was reproduced")?;
        let date = self.project.read(self.project.command("date").args(["-u", "+%F"]))?;
        Ok(fs::write(root.join(PAGE), page::markdown(&reports, date.trim_end())?)?)
    }
}

/// A small version of everything, without the encoder.
///
/// # Errors
/// A table cannot be computed; [`Missing`](crate::project::Missing) without data.
pub(crate) fn check(project: &Project) -> Result<String> {
    let page = project.target().join("reproduced.html");
    let mut reproduce = project.command(project.optimized()?);
    reproduce.args(["reproduce", "all", "--quick", "--data"]).arg(project.data()?).arg("--html").arg(&page);
    project.run(&mut reproduce)?;
    let said = |word: &str| project.lines_with(word).len();
    Ok(format!("{} claims borne out, {} not; {}", said("yes  "), said("NO   "), page.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_found_in_both_ways_of_giving_it_and_by_its_whole_name() {
        for (argument, found) in [("--out", true), ("--out=here", true), ("--output", false), ("out", false)] {
            assert_eq!(is_given(&["all".into(), argument.into()], "--out"), found, "{argument}");
        }
    }
}
