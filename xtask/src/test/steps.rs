//! The checks: `xtask/steps.json` names each, says what it proves and how long it usually takes, and lists its
//! commands. Those that are more than commands are functions.
//!
//! The first word of a command says what runs it: `cargo`, `cargo@nightly`, `cargo@oldest`, `textveil`,
//! `textveil@release`, `git`, or `nothing`, after which git must find nothing. `python` is this machine's, and
//! `python@FOLDER` has what that folder's `requirements.txt` names. `npx` is a program that the lock of `tests` names,
//! and `npx@packed` runs it next to our packages. Tests are counted from what the command reports: JUnit of `nextest`,
//! a line of JSON for each check after `--json`, the list of the tests for `cargo test --doc`. A count of zero is a
//! fault.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;
use xshell::Cmd;

use crate::javascript::{Node, tests};
use crate::package::{self, Flavour};
use crate::project::{Missing, Project, SEEDED, WORKSPACE, files, recreate};
use crate::report::{and_skipped, at_least_one, passed};
use crate::server::{Mount, Server};
use crate::toolchain::{NIGHTLY, other_cargo, with_target};
use crate::{
    browsers, budget, cache, consumers, cross, demo, dist, fuzz, kotlin, mobile, python, reproduce, reproducible,
    supply, swift, table_inputs,
};

/// A check.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// For `--only` and the table.
    pub(crate) name: String,
    /// For people.
    pub(crate) proves: String,
    /// How long it usually takes, on two cores, after the checks before it and next to the other lane.
    pub(crate) minutes: f64,
    /// Whether it builds and tests packages for other languages. Those that do run next to the others, one after the other.
    #[serde(default)]
    pub(crate) of_packages: bool,
    /// Whether it takes too long for every change, or reads what the project does not hold.
    #[serde(default)]
    pub(crate) nightly: bool,
    /// The only kind of machine that it runs on: `ARCHITECTURE-SYSTEM`.
    host: Option<String>,
    /// Programs, and the Debian packages that have them.
    #[serde(default)]
    needs: BTreeMap<String, Vec<String>>,
    /// Why tests are skipped on every machine, and how many.
    #[serde(default)]
    skips: BTreeMap<String, usize>,
    /// What is counted.
    unit: Option<String>,
    /// What runs, in order; then the step's function, if it has one.
    #[serde(default)]
    commands: Vec<String>,
}

/// All checks, in the order in which they run: quick ones first, nightly ones last.
pub(crate) fn all() -> Result<Vec<Step>> {
    serde_json::from_str(include_str!("../../steps.json")).context("xtask/steps.json")
}

/// Minutes for people.
pub(crate) fn span(minutes: f64) -> String {
    match minutes {
        ..1.0 => format!("{:.0} seconds", minutes * 60.0),
        1.0 => "1 minute".into(),
        _ => format!("{minutes:.0} minutes"),
    }
}

impl Step {
    /// How long it takes.
    pub(crate) fn usually(&self) -> String {
        format!("{}usually {}", if self.nightly { "nightly, " } else { "" }, span(self.minutes))
    }

    /// How many tests it may skip.
    pub(crate) fn skips(&self) -> usize {
        self.skips.values().sum()
    }

    /// Runs it; the text is a remark for the table. `Missing` means that it cannot run on this machine.
    pub(crate) fn run(&self, project: &Project) -> Result<String> {
        let here = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
        let is_host = self.host.as_ref().is_none_or(|host| *host == here);
        ensure!(is_host, Missing(format!("it runs on {} only", self.host.as_deref().unwrap_or_default())));
        for (program, packages) in &self.needs {
            project.need(program, &packages.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        let counts = self.commands.iter().map(|line| run_line(project, line)).collect::<Result<Vec<_>>>()?;
        let counts: Vec<String> = counts.into_iter().flatten().map(|count| count.to_string()).collect();
        let (unit, skipped) = (self.unit.as_deref().unwrap_or("tests"), and_skipped(project.skipped.get()));
        let note = if counts.is_empty() { String::new() } else { format!("{} {unit}{skipped}", counts.join(" + ")) };
        function(&self.name).map_or(Ok(note), |function| function(project))
    }
}

/// The checks that are more than commands.
fn function(name: &str) -> Option<fn(&Project) -> Result<String>> {
    Some(match name {
        "supply" => supply::check,
        "table" => table,
        "budget" => |project| budget::check(project, false),
        "package" => npm_package,
        "dist" => dist::check,
        "node" => node,
        "browser" => browser,
        "consumers" => consumers::check,
        "python" => mobile::check_python,
        "swift" => swift::test,
        "kotlin" => kotlin::test,
        "cross" => cross::check,
        "reproduce" => reproduce::check,
        "elsewhere" => reproducible::check,
        "fuzz" => fuzz::check,
        "advisories" => supply::check_advisories,
        _ => return None,
    })
}

/// Runs a command of `steps.json`, and returns how many tests it reports, if it is one that reports.
fn run_line(project: &Project, line: &str) -> Result<Option<usize>> {
    let words = fill(project, line)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["nothing", rest @ ..] = &words[..] {
        // 1: it looked, and found nothing.
        let output = project.output(command(project, rest)?, true)?;
        ensure!(output.status.code() == Some(1), "found: {}", String::from_utf8_lossy(&output.stdout).trim());
        return Ok(None);
    }
    let command = || command(project, &words);
    if words.contains(&"nextest") {
        return nextest(project, command()?).map(Some);
    }
    if words.contains(&"--json") {
        return at_least_one(project.json(command()?)?.len()).map(Some);
    }
    project.run(command()?)?;
    if words.contains(&"--doc") {
        // libtest's list is what other programs read; its results are for people.
        let list = project.read(command()?.args(["--", "--list", "--format=terse"]))?;
        return at_least_one(list.lines().filter(|line| line.ends_with(": test")).count()).map(Some);
    }
    Ok(None)
}

/// The words of a line, with what stands in braces filled in.
fn fill(project: &Project, line: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    for word in line.split(' ') {
        match word {
            "{workspace}" => words.extend(WORKSPACE.map(str::to_owned)),
            "{seeded}" => words.push(SEEDED.to_owned()),
            "{textveil-lab}" => words.push(project.tested("textveil-lab")?.display().to_string()),
            // Modules that a macro declares are not found by themselves.
            "{mechanisms}" => {
                let found = files(&project.root.join("core/src/mechanism"))?;
                words.extend(found.iter().map(|file| file.display().to_string()));
            }
            word => words.push(word.replace("{target}", &project.target.display().to_string())),
        }
    }
    Ok(words)
}

/// What runs a command, by its first word.
fn command<'a>(project: &'a Project, words: &[&str]) -> Result<Cmd<'a>> {
    let (first, arguments) = words.split_first().context("an empty command")?;
    let (program, variant) = first.split_once('@').unwrap_or((first, ""));
    let target = arguments.iter().find_map(|word| word.strip_prefix("--target="));
    let Project { sh, cargo, .. } = project;
    let command = match (program, variant) {
        ("cargo", "nightly") => other_cargo(project, NIGHTLY, None, &["miri", "rust-src"])?,
        ("cargo", "oldest") => other_cargo(project, &oldest(project)?, target, &[])?,
        ("cargo", "") if target.is_some() => with_target(project, sh.cmd(cargo), target.unwrap_or_default())?,
        ("cargo", "") => sh.cmd(cargo),
        ("python", "") => sh.cmd(python::python()?),
        ("python", folder) => sh.cmd(python::with_requirements(project, &format!("{folder}/requirements.txt"))?),
        ("npx", variant) => {
            let node = Node::find(project)?;
            if variant == "packed" {
                node.install(project)?;
            }
            node.install_locked(project, &tests(project))?;
            let programs = tests(project).join("node_modules/.bin");
            let (tool, arguments) = arguments.split_first().context("npx what?")?;
            // oxlint looks for its other half in the directory that it runs in.
            let command = sh.cmd(programs.join(tool)).env("OXLINT_TSGOLINT_PATH", programs.join("tsgolint"));
            return Ok(command.args(arguments));
        }
        ("git", "") => sh.cmd(project.need("git", &["git"])?),
        ("textveil", "") => sh.cmd(project.tested("textveil")?),
        ("textveil", "release") => sh.cmd(project.optimized()?),
        _ => bail!("nothing runs '{first}'"),
    };
    Ok(command.args(arguments))
}

/// `cargo xtask certify-check [FILE]`: the independent reference computes again what a table certifies.
pub(crate) fn certify_check(project: &Project, table: Option<PathBuf>) -> Result<()> {
    let table = table.map_or_else(|| Ok("core/data/english.tvt".into()), std::path::absolute)?;
    project.run(command(project, &["python@tests/reference", "tests/reference/certify.py"])?.arg(table))
}

/// The oldest Rust that `core` promises to compile with. Cargo refuses a crate that states a later one.
fn oldest(project: &Project) -> Result<String> {
    let manifest = project.sh.read_file("core/Cargo.toml")?;
    let stated = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")?.split('"').next());
    Ok(format!("{}.0", stated.context("core states no rust-version")?))
}

/// Runs Rust tests under cargo-nextest, and counts those of its report, which lies where `.config/nextest.toml` says.
fn nextest(project: &Project, tests: Cmd<'_>) -> Result<usize> {
    let reports = project.root.join("target/nextest");
    recreate(&reports)?;
    let run = project.run(python::cargo_tools(project, tests)?);
    Ok(passed(project, run, &reports)?.passed)
}

/// Builds what the record names, and tests MiniLM, whose weights are among the inputs. Without levels: measuring them takes
/// as long as all the rest.
fn table(project: &Project) -> Result<String> {
    const RECORD: &str = "tests/tables/small_build.json";
    let record: Value = serde_json::from_str(&project.sh.read_file(RECORD)?)?;
    let recorded = |key: &str| record[key].as_str().with_context(|| format!("{RECORD} has no {key}"));
    let [inputs, table] = ["table-inputs", "small.tvt"].map(|name| project.target.join(name));
    const MINILM: &str = "cargo nextest run {workspace} {seeded} --run-ignored=only -E test(minilm_gives_what_an_independent_library_gives)";
    table_inputs::fill(project, &inputs)?;
    run_line(project, MINILM)?;
    let arguments = recorded("command")?.split(' ').skip(1).map(|word| match word {
        "DIR" => inputs.as_os_str(),
        "FILE" => table.as_os_str(),
        word => word.as_ref(),
    });
    project.run(project.sh.cmd(project.tested("textveil")?).args(arguments).arg("--force"))?;
    let (built, sha256) = (cache::sha256(&project.sh.read_binary_file(&table)?), recorded("sha256")?);
    ensure!(built == sha256, "SHA-256 {built} is not the recorded {sha256}");
    Ok(format!("SHA-256 {sha256}"))
}

fn npm_package(project: &Project) -> Result<String> {
    package::build(project, Flavour::InsecureSeeded)?;
    let package = package::build(project, Flavour::Release)?;
    let node = Node::find(project)?;
    let sizes = project.printed(node.script(project, "xtask/package/downloads.mjs")?.arg(package))?;
    ensure!(!sizes.trim().is_empty(), "nothing was measured");
    Ok(format!("{}. {}", node.test(project, "package", &[])?, sizes.trim_end()))
}

fn node(project: &Project) -> Result<String> {
    let node = Node::find(project)?;
    node.install(project)?;
    node.test(project, "node", &[])
}

fn browser(project: &Project) -> Result<String> {
    let (mut settings, missing) = browsers::all(project)?;
    let node = Node::find(project)?;
    node.install(project)?;
    let screenshots = project.target.join("screenshots");
    recreate(&screenshots)?;
    let server = Server::start(project, &project.tested("textveil-collector")?, 0, &site(project)?)?;
    settings.push(("TEXTVEIL_SITE", server.url.clone()));
    settings.push(("TEXTVEIL_SCREENSHOTS", screenshots.to_string_lossy().into_owned()));
    let tests = node.test(project, "browser", &settings)?;
    // A test that passed in some engines may fail in the others.
    ensure!(missing.is_empty(), Missing(format!("{tests}, but there is no {}", missing.join(" and no "))));
    Ok(tests)
}

/// The demo, and the folders that the browser tests read.
pub(crate) fn site(project: &Project) -> Result<Vec<Mount>> {
    let tests = tests(project);
    Ok(vec![
        ("/tests/insecure/", package::build(project, Flavour::InsecureSeeded)?),
        ("/tests/vectors/", tests.join("vectors")),
        ("/tests/tables/", tests.join("tables")),
        ("/tests/node/", tests.join("node")),
        ("/tests/browser/", tests.join("browser")),
        ("/", demo::assemble(project, &package::build(project, Flavour::Release)?, "demo")?),
    ])
}

#[cfg(test)]
mod tests_of_steps {
    use super::*;

    #[test]
    fn every_step_is_run_by_a_workflow() {
        let workflows = [
            include_str!("../../../.github/workflows/advisories.yml"),
            include_str!("../../../.github/workflows/ci.yml"),
            include_str!("../../../.github/workflows/nightly.yml"),
        ];
        let lists = workflows.iter().flat_map(|file| file.lines()).filter_map(|line| line.split_once("only"));
        let named: Vec<&str> = lists.flat_map(|(_, list)| list.split([' ', ':', ',', '[', ']', '}'])).collect();
        // This one needs the data sets of the papers.
        for step in all().expect("steps.json is valid").iter().filter(|step| step.name != "reproduce") {
            assert!(named.contains(&step.name.as_str()), "no workflow runs {}", step.name);
        }
    }

    #[test]
    fn a_command_asks_for_one_ignored_test() {
        for step in all().expect("steps.json is valid") {
            // If one of two is there, the other one could be missing.
            assert!(step.commands.iter().all(|command| !command.contains(")|test(")), "{}", step.name);
        }
    }

    #[test]
    fn every_step_has_commands_or_a_function_and_a_name_of_its_own() {
        let steps = all().expect("steps.json is valid");
        for step in &steps {
            assert!(!step.commands.is_empty() || function(&step.name).is_some(), "{}", step.name);
            assert_eq!(steps.iter().filter(|other| other.name == step.name).count(), 1, "{}", step.name);
        }
    }
}
