//! `cargo xtask reproduce PAPER [TABLE] --data DIR […]`, and a nightly check: the papers' tables, computed anew.

mod page;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::project::Project;
use crate::table_inputs;

/// What `--write` has computed, a report a file, and the page and the plot of it all.
const REPORTS: &str = "lab/reproductions";
const PAGE: &str = "REPRODUCTIONS.md";
const PLOT: &str = "REPRODUCTIONS.svg";
/// Options that `--write` sets itself, and those of numbers that make no page.
const NOT_WITH_WRITE: [&str; 8] = ["--out", "--resume", "--json", "--csv", "--html", "--svg", "--quick", "--words"];
const ENCODER: &str = "--encoder";

/// `cargo xtask reproduce`, whose arguments are those of `textveil-lab reproduce`; with `--write`, `PAPER` or `PAPER/TABLE`, and
/// several of them; `--page` alone writes the page of what has been computed.
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let mut arguments: Vec<OsString> = args.raw_args()?.collect();
    if arguments == ["--page"] {
        return write_page(project);
    }
    let given = arguments.len();
    arguments.retain(|argument| argument != "--write");
    let writes = arguments.len() < given;
    let refused = NOT_WITH_WRITE.iter().find(|option| writes && is_given(&arguments, option));
    refused.map_or(Ok(()), |option| bail!("--write computes all in full, in places of its own: leave {option} out"))?;
    let encoder = if is_given(&arguments, ENCODER) { None } else { Some(table_inputs::encoder(project)?) };
    let shipped = Shipped { project, program: project.laboratory()?, encoder };
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

    /// All that is named, or all there is, as reports, and the page of all reports. Cells are kept, so that it goes on where
    /// it was interrupted.
    fn write(&self, arguments: &[OsString]) -> Result<()> {
        let root = self.project.root();
        let cells = self.project.target().join("reproductions");
        let named = arguments.iter().take_while(|argument| !argument.to_string_lossy().starts_with('-')).count();
        let (named, options) = arguments.split_at(named);
        let mut named: Vec<String> = named.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        if named.is_empty() {
            named.push("all".to_owned());
        }
        let date = self.project.read(self.project.command("date").args(["-u", "+%F"]))?;
        for name in &named {
            let what: Vec<OsString> = name.split('/').map(OsString::from).collect();
            let reproduce = |form: &str, file: &Path| {
                let places = ["--out".into(), cells.clone().into(), form.into(), file.into()];
                self.reproduce(&[what.as_slice(), options, &places].concat())
            };
            let numbers = cells.with_extension("json");
            reproduce("--json", &numbers)?;
            let reports: Vec<Value> = serde_json::from_slice(&fs::read(&numbers)?).context("what was reproduced")?;
            for mut report in reports {
                let name = page::name(&report)?.replace(' ', "-");
                report["date"] = date.trim_end().into();
                fs::write(root.join(REPORTS).join(name).with_extension("json"), format!("{report:#}\n"))?;
            }
            if name == "all" || name == page::PLOTTED[0] || *name == page::PLOTTED.join("/") {
                let plotted = page::PLOTTED.map(OsString::from);
                let places = ["--out".into(), cells.clone().into(), "--svg".into(), root.join(PLOT).into()];
                self.reproduce(&[&plotted, options, &places].concat())?;
            }
        }
        write_page(self.project)
    }
}

/// The page of the reports that there are.
fn write_page(project: &Project) -> Result<()> {
    let mut files =
        fs::read_dir(project.root().join(REPORTS))?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: &PathBuf| serde_json::from_slice(&fs::read(file)?).with_context(|| file.display().to_string());
    let reports = files.iter().map(read).collect::<Result<Vec<Value>>>()?;
    Ok(fs::write(project.root().join(PAGE), page::markdown(&reports)?)?)
}

/// A small version of everything, without the encoder.
///
/// # Errors
/// A table cannot be computed; [`Missing`](crate::project::Missing) without data.
pub(crate) fn check(project: &Project) -> Result<String> {
    let page = project.target().join("reproduced.html");
    let mut reproduce = project.command(project.laboratory()?);
    reproduce.args(["reproduce", "all", "--quick", "--data"]).arg(project.data()?).arg("--html").arg(&page);
    project.run(&mut reproduce)?;
    let said = |word: &str| project.lines_with(word).iter().filter(|line| line.starts_with(word)).count();
    let [held, refuted, open] = ["yes  ", "NO   ", "open "].map(said);
    Ok(format!("{held} claims borne out, {refuted} not, {open} open; {}", page.display()))
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
