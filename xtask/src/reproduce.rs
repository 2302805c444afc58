//! `cargo xtask reproduce`: `textveil-lab reproduce` with the sentence encoder that some tables need; and a nightly
//! check.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::cmd;

use crate::project::Project;
use crate::table_inputs;

/// What the experiments are recorded in, and the page of them.
const RECORDED: [(&str, &str); 2] = [("--record", "lab/reproductions"), ("--page", "REPRODUCTIONS.md")];

/// `textveil-lab`, built as it is used.
fn laboratory(project: &Project) -> Result<PathBuf> {
    let Project { sh, cargo, .. } = project;
    project.run(cmd!(sh, "{cargo} build --release --package=textveil-lab"))?;
    Ok(project.program("release", "textveil-lab"))
}

/// `cargo xtask reproduce`, whose arguments are those of `textveil-lab reproduce`; with `--write`, `PAPER` or
/// `PAPER/TABLE`, and several of them, recorded; `--page` alone writes the page of what is recorded.
pub(crate) fn command(project: &Project, mut arguments: Vec<OsString>) -> Result<()> {
    let program = laboratory(project)?;
    let recorded = RECORDED.map(|(option, place)| [option.into(), project.root.join(place).into_os_string()]).concat();
    // Where the command was given, not in the root of the checkout: it names files.
    let sh = project.at(&std::env::current_dir()?);
    let reproduce = |arguments: &[&[OsString]]| project.run(sh.cmd(&program).arg("reproduce").args(arguments.concat()));
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
    let cells = ["--out".into(), project.target.join("reproductions").into()];
    if arguments.is_empty() {
        arguments.push("all".into());
    }
    arguments.iter().try_for_each(|name| {
        let words: Vec<OsString> = name.to_string_lossy().split('/').map(OsString::from).collect();
        reproduce(&[&words, &options, &cells, &recorded])
    })
}

/// A small version of everything, without the encoder.
pub(crate) fn check(project: &Project) -> Result<String> {
    let Project { sh, target, .. } = project;
    let (program, data) = (laboratory(project)?, project.data()?);
    let numbers = target.join("reproduced.json");
    project.run(cmd!(sh, "{program} reproduce all --quick --data {data} --json {numbers}"))?;
    let reports: Vec<Value> = serde_json::from_str(&sh.read_file(numbers)?).context("what was reproduced")?;
    let claims: Vec<&Value> =
        reports.iter().flat_map(|report| report["inKind"].as_array().into_iter().flatten()).collect();
    ensure!(!claims.is_empty(), "no claim of {} experiments was judged", reports.len());
    let said = |holds: Value| claims.iter().filter(|claim| claim["holds"] == holds).count();
    let [held, refuted, open] = [true.into(), false.into(), Value::Null].map(said);
    Ok(format!("{held} claims borne out, {refuted} not, {open} open"))
}
