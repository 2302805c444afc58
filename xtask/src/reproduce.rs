//! `cargo xtask reproduce`: `textveil-lab reproduce` with the sentence encoder that some tables need; and a nightly check.

use std::ffi::{OsStr, OsString};
use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::project::Project;
use crate::table_inputs;

/// What the experiments are recorded in, and the page of them.
const RECORDED: [(&str, &str); 2] = [("--record", "lab/reproductions"), ("--page", "REPRODUCTIONS.md")];

/// `cargo xtask reproduce`, whose arguments are those of `textveil-lab reproduce`; with `--write`, `PAPER` or `PAPER/TABLE`, and
/// several of them, recorded; `--page` alone writes the page of what is recorded.
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let mut arguments: Vec<OsString> = args.raw_args()?.collect();
    let program = project.laboratory()?;
    let recorded =
        RECORDED.map(|(option, place)| [option.into(), project.root().join(place).into_os_string()]).concat();
    let reproduce = |arguments: &[&[OsString]]| {
        let mut command = project.command(&program);
        // Where the command was given, not in the root of the checkout: it names files.
        project.run(command.current_dir(std::env::current_dir()?).arg("reproduce").args(arguments.concat()))
    };
    if arguments == ["--page"] {
        return reproduce(&[&["recorded".into()], &recorded]);
    }
    if !arguments.iter().any(|argument| argument.to_string_lossy().split('=').next() == Some("--encoder")) {
        arguments.extend(["--encoder".into(), table_inputs::encoder(project)?.into()]);
    }
    let given = arguments.len();
    arguments.retain(|argument| argument != "--write");
    if arguments.len() == given {
        return reproduce(&[&arguments]);
    }
    let named = arguments.iter().take_while(|argument| !argument.to_string_lossy().starts_with('-')).count();
    let options = arguments.split_off(named);
    // Kept, so that a run that was interrupted goes on.
    let cells = ["--out".into(), project.target().join("reproductions").into()];
    if arguments.is_empty() {
        arguments.push("all".into());
    }
    arguments.iter().try_for_each(|name| {
        let words: Vec<OsString> = name.to_string_lossy().split('/').map(OsString::from).collect();
        reproduce(&[&words, &options, &cells, &recorded])
    })
}

/// A small version of everything, without the encoder.
///
/// # Errors
/// A table cannot be computed, or nothing is claimed; [`Missing`](crate::project::Missing) without data.
pub(crate) fn check(project: &Project) -> Result<String> {
    let [page, numbers] = ["html", "json"].map(|kind| project.target().join("reproduced").with_extension(kind));
    let mut reproduce = project.command(project.laboratory()?);
    reproduce.args(["reproduce", "all", "--quick", "--data"]).arg(project.data()?);
    project.run(reproduce.args([OsStr::new("--html"), page.as_os_str(), OsStr::new("--json"), numbers.as_os_str()]))?;
    let reports: Vec<Value> = serde_json::from_slice(&fs::read(numbers)?).context("what was reproduced")?;
    let claims: Vec<&Value> =
        reports.iter().flat_map(|report| report["inKind"].as_array().into_iter().flatten()).collect();
    ensure!(!claims.is_empty(), "no claim of {} experiments was judged", reports.len());
    let said = |holds: Value| claims.iter().filter(|claim| claim["holds"] == holds).count();
    let [held, refuted, open] = [true.into(), false.into(), Value::Null].map(said);
    Ok(format!("{held} claims borne out, {refuted} not, {open} open; {}", page.display()))
}
