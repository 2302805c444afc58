//! The list of checks: what each is called, what it proves, and how.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::javascript::{self, Node};
use crate::package::{self, ENTRIES, Flavour};
use crate::project::{Missing, Project, WORKSPACE, recreate};
use crate::server::{Mount, Server};
use crate::size::Size;
use crate::toolchain::{WASM, cargo_for};
use crate::{
    arm, browsers, budget, cache, certify_check, consumers, cross, demo, dist, fuzz, kotlin, memory, mobile, oldest,
    python, reproduce, reproducible, supply, swift, table_inputs, tree,
};

/// A check.
pub(crate) struct Step {
    /// For `--only` and the table.
    pub(crate) name: &'static str,
    /// For `--list`.
    pub(crate) proves: &'static str,
    /// Runs it; the text is a remark for the table. `Missing` means that it cannot run on this machine.
    pub(crate) check: fn(&Project) -> Result<String>,
}

/// In the order in which they run: quick ones first.
pub(crate) const STEPS: [Step; 27] = [
    Step {
        name: "tree",
        proves: "no conflict markers, every JSON file parses, no unsafe in core outside its kernels",
        check: tree::check,
    },
    Step { name: "format", proves: "all Rust is formatted", check: format },
    Step {
        name: "lint",
        proves: "the types of all JavaScript are right, and the linters of JavaScript and Python find nothing",
        check: lint,
    },
    Step {
        name: "supply",
        proves: "crates come from crates.io under licences that are allowed; no advisory concerns them, if a database is at hand",
        check: supply::check,
    },
    Step {
        name: "clippy",
        proves: "no lint fires: workspace, core and mobile with other features, both wasm modules",
        check: clippy,
    },
    Step { name: "docs", proves: "the documentation builds and its links lead somewhere", check: docs },
    Step { name: "no_std", proves: "core builds for machines without an operating system", check: no_std },
    Step {
        name: "oldest",
        proves: "what is shipped compiles with the oldest Rust that it states, for this machine and WebAssembly",
        check: oldest::check,
    },
    Step { name: "rust", proves: "unit, vector, statistics and documentation tests in Rust", check: rust },
    Step {
        name: "memory",
        proves: "no race, undefined behaviour or leak in mobile, under ThreadSanitizer and Miri; none in the kernels",
        check: memory::check,
    },
    Step {
        name: "arm",
        proves: "the kernels of phones, and golden vectors through them, on an emulator",
        check: arm::check,
    },
    Step {
        name: "reference",
        proves: "the Python reference writes exactly the vectors that are checked in",
        check: reference,
    },
    Step {
        name: "table",
        proves: "a small table built from the public sources is the recorded one, byte for byte",
        check: table,
    },
    Step {
        name: "certify",
        proves: "what is certified of 4,000 words agrees with the reference, over all pairs",
        check: certify,
    },
    Step {
        name: "learn",
        proves: "logistic regression and perceptron agree with scikit-learn's on the two data sets that come with it",
        check: learn,
    },
    Step { name: "budget", proves: "a word costs no more instructions than its limit", check: budget::check },
    Step { name: "package", proves: "the npm package builds, cannot be seeded and is small", check: npm_package },
    Step {
        name: "elsewhere",
        proves: "the modules of `textveil` come out the same, byte for byte, from a copy of the sources elsewhere",
        check: reproducible::check,
    },
    Step {
        name: "dist",
        proves: "a release's digests are right; its bills of materials are valid CycloneDX and list what cargo compiles",
        check: dist::check,
    },
    Step {
        name: "node",
        proves: "golden vectors and API behaviour in Node, from the package as packed, which is complete",
        check: node,
    },
    Step {
        name: "types",
        proves: "strict TypeScript consumers compile: under both module resolutions, with React, and without the DOM library",
        check: types,
    },
    Step {
        name: "browser",
        proves: "golden vectors and the demo in Chromium; that forms leak nothing, in three engines",
        check: browser,
    },
    Step {
        name: "consumers",
        proves: "runtimes, bundlers, workers, an extension and every recipe work with the packed package",
        check: consumers::check,
    },
    Step {
        name: "python",
        proves: "golden vectors, threads, columns, scikit-learn, DuckDB and PySpark in Python; types; the wheel where nothing else is installed",
        check: mobile::check_python,
    },
    Step { name: "swift", proves: "golden vectors, threads and bad input in Swift", check: swift::test },
    Step { name: "kotlin", proves: "the same in Kotlin, on the Java virtual machine", check: kotlin::test },
    Step {
        name: "cross",
        proves: "the library builds for phones, stands on 16 KB pages, cannot be seeded and is small",
        check: cross::check,
    },
];

/// What takes too long for every change, or reads what the project does not hold.
pub(crate) const NIGHTLY: [Step; 6] = [
    Step {
        name: "reproduce",
        proves: "every table and figure of the papers can be computed anew, in a small version",
        check: reproduce::check,
    },
    Step {
        name: "all-elsewhere",
        proves: "all modules come out the same, byte for byte, from a copy of the sources elsewhere",
        check: reproducible::check_all,
    },
    Step { name: "audit", proves: "what claims too much is refuted, and nothing that is proved", check: audit },
    Step {
        name: "whole",
        proves: "what the embedded table certifies agrees with the reference, over all pairs of all levels",
        check: whole,
    },
    Step {
        name: "fuzz",
        proves: "a minute of searching for each target finds no input that breaks a promise",
        check: fuzz::check,
    },
    Step {
        name: "advisories",
        proves: "no advisory of the last months concerns a crate",
        check: supply::check_advisories,
    },
];

/// The largest modules of each entry, and the largest JavaScript beside it (the entry and whatever it imports, each file by
/// itself), gzipped.
const MOST_GZIP: [[usize; 2]; ENTRIES.len()] = [[61_000, 9_200], [106_500, 11_300]];

/// The largest download (module, JavaScript and table) with brotli: 1.2 MB.
const PACKAGE_BROTLI: usize = 1_200_000;

fn format(project: &Project) -> Result<String> {
    // Modules that a macro declares are not found by themselves.
    let mechanisms = fs::read_dir(project.root().join("core/src/mechanism"))?;
    let mechanisms: Vec<PathBuf> = mechanisms.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    project.run(project.cargo(&["fmt", "--all", "--check", "--"]).args(mechanisms))?;
    Ok(String::new())
}

/// The rules are in `tests/lint` and `ruff.toml`. Nothing has to be built for it.
fn lint(project: &Project) -> Result<String> {
    let (node, tests) = (Node::find(project)?, javascript::tests(project));
    node.install_locked(project, &tests)?;
    for part in ["npm", "demo", "tests", "consumers"] {
        let mut compile = node.command(project);
        compile.args(["node_modules/typescript/bin/tsc", "--project"]).arg(format!("lint/tsconfig.{part}.json"));
        project.run(&mut compile)?;
    }
    let mut oxlint = node.command(project);
    oxlint.arg(tests.join("node_modules/oxlint/bin/oxlint")).args(["--type-aware", "--config=tests/lint/oxlint.json"]);
    oxlint.args(["--ignore-pattern=*.ts", "--ignore-pattern=*.tsx", "wasm/npm", "wasm/recipes", "web-demo", "tests"]);
    oxlint.current_dir(project.root()).env("OXLINT_TSGOLINT_PATH", tests.join("node_modules/.bin/tsgolint"));
    project.run(&mut oxlint)?;
    let python = python::with_requirements(project, &tests.join("lint/requirements.txt"))?;
    project.run(project.command(python).args(["-m", "ruff", "check"]))?;
    Ok(String::new())
}

fn clippy(project: &Project) -> Result<String> {
    const STRICT: [&str; 3] = ["--", "-D", "warnings"];
    const CORE: [&str; 3] = ["clippy", "--package=textveil", "--no-default-features"];
    const MOBILE: [&str; 2] = ["clippy", "--package=textveil-mobile"];
    let native: [&[&str]; 6] = [
        &["clippy", WORKSPACE[0], WORKSPACE[1], "--all-targets"],
        &["clippy", "--package=textveil-bindgen"],
        &CORE,
        &[CORE[0], CORE[1], CORE[2], "--features=all-mechanisms"],
        &[MOBILE[0], MOBILE[1], "--no-default-features"],
        &[MOBILE[0], MOBILE[1], "--all-targets", "--features=insecure-seeded-rng"],
    ];
    for arguments in native {
        project.run(project.cargo(arguments).args(STRICT))?;
    }
    for features in ["", "insecure-seeded-rng", "all-mechanisms", "all-mechanisms,insecure-seeded-rng"] {
        let wasm = ["--package=textveil-wasm", "--features", features];
        project.run(cargo_for(project, WASM)?.with("clippy", &wasm).args(STRICT))?;
    }
    Ok(String::new())
}

fn docs(project: &Project) -> Result<String> {
    // One after the other: the command-line program and the library have one name. The library's pages stay.
    for targets in ["--bins", "--lib"] {
        let mut doc = project.cargo(&["doc", "--no-deps", targets]);
        project.run(doc.args(WORKSPACE).env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    Ok(String::new())
}

fn no_std(project: &Project) -> Result<String> {
    const TARGETS: [&str; 2] = ["thumbv7em-none-eabihf", "wasm32v1-none"];
    for target in TARGETS {
        let core = ["--package=textveil", "--no-default-features", "--features=all-mechanisms,embedded-table"];
        project.run(&mut cargo_for(project, target)?.with("build", &core))?;
    }
    Ok(TARGETS.join(", "))
}

fn rust(project: &Project) -> Result<String> {
    project.test()?;
    Ok(format!("{} tests; {}", project.passed(), project.lines_with(" calls a second").join("; ")))
}

fn reference(project: &Project) -> Result<String> {
    let reference = project.root().join("tests/reference");
    let python = python::with_requirements(project, &reference.join("requirements.txt"))?;
    project.run(project.command(python).arg(reference.join("make_vectors.py")).arg("--check"))?;
    Ok(String::new())
}

/// Builds what the record names. Without levels: measuring them takes as long as all the rest.
fn table(project: &Project) -> Result<String> {
    let record =
        fs::read(project.root().join("tests/tables/small_build.json")).context("tests/tables/small_build.json")?;
    let record: serde_json::Value = serde_json::from_slice(&record)?;
    let (command, sha256) = record["command"]
        .as_str()
        .zip(record["sha256"].as_str())
        .context("small_build.json: no command or no sha256")?;
    let inputs = project.target().join("table-inputs");
    table_inputs::fill(project, &inputs).map_err(|error| Missing(format!("the inputs cannot be had: {error:#}")))?;
    let table = project.target().join("small.tvt");
    let program = project.tested("textveil")?;
    let arguments = command.split(' ').skip(1).map(|word| match word {
        "DIR" => inputs.as_os_str(),
        "FILE" => table.as_os_str(),
        word => word.as_ref(),
    });
    project.run(project.command(program).args(arguments))?;
    let built = cache::sha256(&fs::read(table)?);
    ensure!(built == sha256, "SHA-256 {built} is not the recorded {sha256}");
    Ok(format!("SHA-256 {sha256}"))
}

/// Certifies a part of the embedded table, and has the reference compute it again.
fn certify(project: &Project) -> Result<String> {
    const WORDS: &str = "4000";
    let [part, certified] = ["part.tvt", "certified.tvt"].map(|name| project.target().join(name));
    let english = project.root().join("core/data/english.tvt");
    project.run(certify_check::reference(project, "smaller_table.py")?.arg(english).arg(WORDS).arg(&part))?;
    let mut command = project.command(project.tested("textveil")?);
    command.args(["table", "certify"]).arg(part).arg("--out").arg(&certified);
    project.run(command.args(["--retentions", "0.1,0.5,0.9", "--plateaus", "0.2"]))?;
    certify_check::run(project, &certified)?;
    Ok(format!("{} levels of {WORDS} words", project.lines_with(": as certified").len()))
}

fn audit(project: &Project) -> Result<String> {
    project.run(project.command(project.optimized()?).arg("audit"))?;
    Ok(String::new())
}

fn whole(project: &Project) -> Result<String> {
    certify_check::run(project, &project.root().join("core/data/english.tvt"))?;
    Ok(format!("{} levels", project.lines_with(": as certified").len()))
}

fn learn(project: &Project) -> Result<String> {
    let learn = project.root().join("tests/learn");
    let python = python::with_requirements(project, &learn.join("requirements.txt"))?;
    project.run(project.command(python).arg(learn.join("agree.py")).arg(project.tested("textveil-lab")?))?;
    Ok(format!("{} comparisons", project.lines_with("  scikit-learn ").len()))
}

fn npm_package(project: &Project) -> Result<String> {
    package::build(project, Flavour::InsecureSeeded)?;
    let package = package::build(project, Flavour::Release)?;
    let table = Size::of(&package.join(package::TABLE))?;
    let mut sizes = Vec::new();
    for (entry, [most_module, most_script]) in ENTRIES.into_iter().zip(MOST_GZIP) {
        let (modules, scripts) = entry.files(&package);
        let scripts = scripts.iter().map(|script| Size::of(script)).collect::<Result<Vec<_>>>()?;
        let script: usize = scripts.iter().map(|file| file.gzip).sum();
        for path in modules {
            let module = Size::of(&path)?;
            let brotli: usize = scripts.iter().chain([&module, &table]).map(|file| file.brotli).sum();
            let size = format!(
                "{} with {}: module {} B, gzip {} B; JavaScript gzip {script} B; whole download {brotli} B with brotli",
                entry.name,
                path.file_name().unwrap_or_default().display(),
                module.raw,
                module.gzip
            );
            project.say(&size);
            for (what, found, most) in [
                ("module, gzipped,", module.gzip, most_module),
                ("JavaScript, gzipped,", script, most_script),
                ("download", brotli, PACKAGE_BROTLI),
            ] {
                ensure!(found <= most, "the {what} is larger than {most} B: {size}");
            }
            sizes.push(size);
        }
    }
    Ok(sizes.join(". "))
}

fn node(project: &Project) -> Result<String> {
    let node = Node::find(project)?;
    node.install(project)?;
    node.test(project, "node", &[])
}

fn types(project: &Project) -> Result<String> {
    let node = Node::find(project)?;
    node.install(project)?;
    let tests = javascript::tests(project);
    for project_kind in ["bundler", "nodenext", "node", "worker"] {
        let configuration = tests.join("node/types").join(format!("tsconfig.{project_kind}.json"));
        let mut compile = node.command(project);
        compile.arg(tests.join("node_modules/typescript/bin/tsc")).arg("--project").arg(configuration);
        project.run(&mut compile)?;
    }
    Ok(String::new())
}

fn browser(project: &Project) -> Result<String> {
    let browsers::Found { mut settings, missing } = browsers::all(project)?;
    let node = Node::find(project)?;
    node.install(project)?;
    let screenshots = project.target().join("screenshots");
    recreate(&screenshots)?;
    let server = Server::start(project, 0, &site(project)?)?;
    settings.push(("TEXTVEIL_SITE", server.url().to_owned()));
    settings.push(("TEXTVEIL_SCREENSHOTS", screenshots.to_string_lossy().into_owned()));
    let tests = node.test(project, "browser", &settings)?;
    // What has passed in some engines has not in the others.
    ensure!(missing.is_empty(), Missing(format!("{tests}, but there is no {}", missing.join(" and no "))));
    Ok(tests)
}

/// The demo, and beside it what the browser tests read.
pub(crate) fn site(project: &Project) -> Result<Vec<Mount>> {
    let tests = javascript::tests(project);
    Ok(vec![
        Mount { prefix: "/tests/insecure/", directory: package::build(project, Flavour::InsecureSeeded)? },
        Mount { prefix: "/tests/vectors/", directory: tests.join("vectors") },
        Mount { prefix: "/tests/tables/", directory: tests.join("tables") },
        Mount { prefix: "/tests/node/", directory: tests.join("node") },
        Mount { prefix: "/tests/browser/", directory: tests.join("browser") },
        Mount { prefix: "/", directory: demo::assemble(project)? },
    ])
}
