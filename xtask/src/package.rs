//! The npm package: compile `textveil-wasm`, generate its glue, lay both beside the hand-written loader, the
//! table and the licences.
//!
//! The package has two entries: `textveil`, small, and in the folder `all` `textveil/all`, with every mechanism.
//! Each has one glue and two modules of its own, of which the loader fetches what the engine can run.
//!
//! Two flavours have the same files. The release flavour is what is published; the other one takes a seed
//! from its caller, for golden vectors. Cargo gives all modules the same file name, so that the one built
//! last lies there; each is checked for what it must, or must not, contain.
//!
//! esbuild takes the comments out of the scripts, and says which scripts an entry loads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use wasm_bindgen_cli_support::Bindgen;
use wasmparser::{Validator, WasmFeatures};

use crate::javascript::Node;
use crate::project::{Project, copy, copy_tree, files, recreate};
use crate::sbom;
use crate::toolchain::{self, WASM, refuse_paths};

/// The stem of the generated files.
const STEM: &str = "textveil_wasm";

/// An entry of the package.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// What it is imported as.
    pub(crate) name: &'static str,
    /// Where its files lie in the package.
    directory: &'static str,
    /// What its module is built with.
    pub(crate) features: &'static [&'static str],
    /// The largest module and the largest JavaScript beside it (each script by itself), gzipped, in bytes. The key of a
    /// release is found in the module: that is 2 kB of the small one, and 4 kB of the other.
    pub(crate) most_gzip: [usize; 2],
}

/// The entries, the main one first.
pub(crate) const ENTRIES: [Entry; 2] = [
    Entry { name: "textveil", directory: "", features: &[], most_gzip: [62_500, 9_300] },
    Entry { name: "textveil/all", directory: "all", features: &["all-mechanisms"], most_gzip: [110_500, 11_300] },
];

/// What an engine can run: each entry has a module for each level.
#[derive(Clone, Copy)]
struct Level {
    /// The stem of the module's file.
    stem: &'static str,
    /// Cargo's profile.
    profile: &'static str,
    /// What the compiler may use and must not.
    target_features: &'static str,
    /// What the engine must have.
    needs: WasmFeatures,
}

/// The levels, the fastest first. The second runs in Chromium 85, Firefox 79 and Safari 15.
const LEVELS: [Level; 2] = [
    Level { stem: STEM, profile: "wasm", target_features: toolchain::SIMD, needs: BASELINE.union(WasmFeatures::SIMD) },
    Level {
        stem: "textveil_wasm_baseline",
        profile: "wasm-baseline",
        target_features: toolchain::BASELINE,
        needs: BASELINE,
    },
];

/// What every level needs.
const BASELINE: WasmFeatures = WasmFeatures::WASM1
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION);

impl Entry {
    /// The files that a page downloads for it, except the table: its modules, of which a page loads one, and its scripts (the
    /// entry and what that imports), as esbuild found them when the package was built.
    pub(crate) fn files(self, package: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let found = fs::read(self.metafile(package)).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let inputs = found.as_ref().and_then(|found| found["inputs"].as_object());
        let scripts = inputs.into_iter().flat_map(|inputs| inputs.keys()).map(|name| package.join(name));
        (self.modules(package).to_vec(), scripts.collect())
    }

    /// What esbuild reports of the entry, beside the package.
    fn metafile(self, package: &Path) -> PathBuf {
        package.with_file_name(format!("{}.json", self.name.replace('/', "-")))
    }

    /// The script that is imported.
    fn script(self, package: &Path) -> PathBuf {
        package.join(self.directory).join("textveil.js")
    }

    /// Its modules, one for each level.
    pub(crate) fn modules(self, package: &Path) -> [PathBuf; LEVELS.len()] {
        LEVELS.map(|level| package.join(self.directory).join(level.stem).with_extension("wasm"))
    }
}

/// The embedded table's file, in `core/data` and in the package.
pub(crate) const TABLE: &str = "english.tvt";

/// The texts of `describe` as a script, and the file that Rust has them from too.
const TEXTS: &str = "describe-texts.js";
const TEXTS_SOURCE: &str = "core/src/privacy/guarantee/describe.json";

/// Who may choose the randomness of a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    /// The operating system, always.
    Release,
    /// The caller too: golden vectors and nothing else.
    InsecureSeeded,
}

impl Flavour {
    pub(crate) const FEATURE: &str = "insecure-seeded-rng";

    /// Where a package of this flavour is built, in the target directory: the plain name is the release's.
    pub(crate) fn directory(self, project: &Project, package: &str) -> PathBuf {
        project.target().join(match self {
            Self::Release => package.to_owned(),
            Self::InsecureSeeded => format!("{package}-insecure"),
        })
    }
}

/// `cargo xtask package`
pub(crate) fn command(project: &Project, args: lexopt::Parser) -> Result<()> {
    crate::no_more(args)?;
    let package = build(project, Flavour::Release)?;
    println!("{}", package.display());
    Ok(())
}

/// Builds one flavour, once a run, and returns the package's directory.
pub(crate) fn build(project: &Project, flavour: Flavour) -> Result<PathBuf> {
    let package = flavour.directory(project, "npm").join("textveil");
    if project.has_made(&package) {
        return Ok(package);
    }
    lay_out(project, &package)?;
    for entry in ENTRIES {
        modules(project, flavour, entry, &package)?;
    }
    fs::write(package.join(sbom::NPM), sbom::npm(project, &package)?)?;
    for notice in notices(project.root())? {
        copy(&notice, &package.join(notice.file_name().unwrap_or_default()))?;
    }
    let node = Node::find(project)?;
    let mut scripts = files(&package)?;
    scripts.retain(|file| file.extension().is_some_and(|kind| kind == "js"));
    let is_glue = |file: &PathBuf| file.file_stem().is_some_and(|stem| stem == STEM);
    let (glue, written): (Vec<_>, Vec<_>) = scripts.into_iter().partition(is_glue);
    without_comments(project, &node, &package, &written, &[])?;
    // A machine wrote it, and only machines read it.
    without_comments(project, &node, &package, &glue, &["--minify-whitespace"])?;
    for entry in ENTRIES {
        let mut bundle = node.esbuild(project)?;
        bundle.arg(entry.script(&package)).args(["--bundle", "--format=esm", "--outfile=/dev/null"]);
        bundle.arg(format!("--metafile={}", entry.metafile(&package).display()));
        project.run(bundle.arg("--log-level=warning").current_dir(&package))?;
    }
    project.made(&package);
    Ok(package)
}

/// What the demo page loads, as it is written: the entry that has all mechanisms, with the module for today's engines.
pub(crate) fn build_for_demo(project: &Project) -> Result<PathBuf> {
    let package = project.target().join("npm-demo/textveil");
    lay_out(project, &package)?;
    let [_, all] = ENTRIES;
    levels(project, Flavour::Release, all, &LEVELS[..1], &package)?;
    Ok(package)
}

/// Everything in a package that is not compiled.
fn lay_out(project: &Project, package: &Path) -> Result<()> {
    recreate(package)?;
    copy_tree(&project.root().join("wasm/npm"), package)?;
    let texts = fs::read_to_string(project.root().join(TEXTS_SOURCE)).context(TEXTS_SOURCE)?;
    fs::write(package.join(TEXTS), format!("export const TEXTS = {};\n", texts.trim_end()))?;
    copy(&project.root().join("core/data").join(TABLE), &package.join(TABLE))
}

/// Rewrites scripts without their comments, which a page would download in vain. Names stay, and so do comments that bundlers
/// read.
fn without_comments(project: &Project, node: &Node, root: &Path, scripts: &[PathBuf], how: &[&str]) -> Result<()> {
    let mut esbuild = node.esbuild(project)?;
    esbuild.args(scripts).args(how).args(["--legal-comments=none", "--charset=utf8", "--log-level=warning"]);
    esbuild.arg("--banner:js=// textveil, MIT OR Apache-2.0. With its comments: wasm in the repository.");
    esbuild.arg("--allow-overwrite").arg(format!("--outbase={}", root.display()));
    project.run(esbuild.arg(format!("--outdir={}", root.display())))
}

/// Holds [`without_comments`] to what it is for: a text that looks like a comment stays, and comments go. It is no unit test
/// because it needs Node.
pub(crate) fn check_comments(project: &Project) -> Result<()> {
    const TEMPLATE: &str = "`\n// not a comment\n/* nor this */\n`";
    let folder = project.target().join("comments");
    recreate(&folder)?;
    let script = folder.join("a.js");
    fs::write(&script, format!("/** What\n * it does. */\n// why\nexport const text = {TEMPLATE}; // end\n"))?;
    without_comments(project, &Node::find(project)?, &folder, std::slice::from_ref(&script), &[])?;
    let text = fs::read_to_string(&script)?;
    ensure!(text.contains(TEMPLATE), "a template lost a line: {text}");
    ensure!(!["What", "why", "end"].iter().any(|comment| text.contains(comment)), "a comment stayed: {text}");
    Ok(())
}

/// Builds an entry's modules and its glue into a package's directory.
pub(crate) fn modules(project: &Project, flavour: Flavour, entry: Entry, package: &Path) -> Result<()> {
    levels(project, flavour, entry, &LEVELS, package)?;
    refuse_paths(project, &entry.modules(package))?;
    check_flavour(package, entry, flavour)
}

fn levels(project: &Project, flavour: Flavour, entry: Entry, levels: &[Level], package: &Path) -> Result<()> {
    let directory = package.join(entry.directory);
    fs::create_dir_all(&directory)?;
    for level in levels {
        let module = compile(project, flavour, entry, *level)?;
        generate_glue(&module, *level, &directory)?;
    }
    Ok(())
}

/// The command that compiles a module.
fn build_command(project: &Project, flavour: Flavour, entry: Entry, level: Level) -> Result<Command> {
    let build = project.cargo(&["build", "--target", WASM, "--package=textveil-wasm", "--profile", level.profile]);
    let mut build = toolchain::with_target(project, build, WASM)?;
    build.env("CARGO_ENCODED_RUSTFLAGS", toolchain::wasm_flags(project, level.target_features));
    let seeded = (flavour == Flavour::InsecureSeeded).then_some(Flavour::FEATURE);
    for feature in entry.features.iter().copied().chain(seeded) {
        build.args(["--features", feature]);
    }
    Ok(build)
}

/// What cargo reports of a module's build, one JSON object a line.
pub(crate) fn build_messages(project: &Project, entry: Entry) -> Result<String> {
    let [level, _] = LEVELS;
    project.read(build_command(project, Flavour::Release, entry, level)?.arg("--message-format=json"))
}

/// The WebAssembly module as the compiler leaves it.
fn compile(project: &Project, flavour: Flavour, entry: Entry, level: Level) -> Result<PathBuf> {
    project.run(&mut build_command(project, flavour, entry, level)?)?;
    Ok(project.target().join(WASM).join(level.profile).join(STEM).with_extension("wasm"))
}

/// Writes `textveil_wasm.js` and the level's module, which runs wherever the level is to be had.
///
/// The glue is that of all levels. It names no address of its own for the module: the loader does, in the one
/// form that every bundler understands.
fn generate_glue(module: &Path, level: Level, directory: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    let bytes = without_reference_types(fs::read(module)?)?;
    bindgen.input_bytes(STEM, bytes).out_name(STEM).web(true)?.typescript(false).omit_default_module_path(true);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let glue = directory.join(STEM).with_extension("js");
    let others = glue.exists().then(|| fs::read(&glue)).transpose()?;
    bindgen.generate(directory).with_context(|| format!("wasm-bindgen on {}", module.display()))?;
    let same = match others {
        Some(others) => fs::read(&glue)? == others,
        None => true,
    };
    ensure!(same, "the glue of {} is not that of the other level", level.stem);
    let module = directory.join(level.stem).with_extension("wasm");
    fs::rename(directory.join(format!("{STEM}_bg.wasm")), &module).context("wasm-bindgen wrote no module")?;
    let valid = Validator::new_with_features(level.needs).validate_all(&fs::read(&module)?).map(drop);
    valid.with_context(|| format!("{} is beyond the engines of its level", module.display()))
}

/// The module without the word that it uses reference types. The standard library as it comes says so, though
/// nothing in it does, and wasm-bindgen would then put every object into a table of references.
fn without_reference_types(mut module: Vec<u8>) -> Result<Vec<u8>> {
    const USED: &[u8] = b"+\x0freference-types";
    let mut found = None;
    for payload in wasmparser::Parser::new(0).parse_all(&module) {
        if let wasmparser::Payload::CustomSection(section) = payload?
            && section.name() == "target_features"
        {
            let place = section.data().windows(USED.len()).position(|window| window == USED);
            found = place.map(|place| section.data_offset() + place);
        }
    }
    if let Some(sign) = found.and_then(|place| module.get_mut(place)) {
        *sign = b'-';
    }
    Ok(module)
}

/// A release cannot be told its seed, and the flavour for vectors can: only the second has the word for it, in all its modules
/// and in its glue.
fn check_flavour(package: &Path, entry: Entry, flavour: Flavour) -> Result<()> {
    let glue = package.join(entry.directory).join(STEM).with_extension("js");
    for file in entry.modules(package).into_iter().chain([glue]) {
        let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
        let seeded = String::from_utf8_lossy(&bytes).to_lowercase().contains("seeded");
        ensure!(seeded == (flavour == Flavour::InsecureSeeded), "{}: takes seeds: {seeded}", file.display());
    }
    Ok(())
}

/// The licences and notices of the code, and the notice of what the table is made from, which goes where the
/// table goes.
pub(crate) fn notices(root: &Path) -> Result<Vec<PathBuf>> {
    let files: Vec<PathBuf> = fs::read_dir(root)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let named = |start: &str| {
        let starts = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
        files.iter().filter(starts).cloned().collect::<Vec<_>>()
    };
    let (licences, table) = (named("LICENSE"), root.join("core/data/NOTICE.md"));
    ensure!(!licences.is_empty(), "no LICENSE file in {}", root.display());
    ensure!(table.is_file(), "{} is missing: it travels with the table", table.display());
    Ok([licences, named("NOTICE"), vec![table]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_that_can_be_seeded_is_refused() {
        let package = std::env::temp_dir().join(format!("textveil-flavour-{}", std::process::id()));
        let [entry, _] = ENTRIES;
        let judged = |contents: [&str; 3], flavour| {
            recreate(&package).expect("a directory of our own");
            let files = entry.modules(&package).into_iter().chain([package.join("textveil_wasm.js")]);
            files.zip(contents).for_each(|(file, content)| fs::write(file, content).expect("written"));
            check_flavour(&package, entry, flavour).is_ok()
        };
        let (clean, seeded) = ("\0asm veil_privatize", "\0asm veil_privatizeSeeded");
        assert!(judged([clean; 3], Flavour::Release));
        assert!(judged([seeded; 3], Flavour::InsecureSeeded));
        assert!(!judged([clean; 3], Flavour::InsecureSeeded));
        for place in 0..3 {
            let mut contents = [clean; 3];
            contents[place] = seeded;
            assert!(!judged(contents, Flavour::Release), "file {place}");
            assert!(!judged(contents, Flavour::InsecureSeeded), "file {place}");
        }
        fs::remove_dir_all(&package).expect("removed");
    }
}
