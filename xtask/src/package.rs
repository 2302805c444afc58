//! The npm package: compile `textveil-wasm`, generate its glue, put both next to the hand-written loader, the table and
//! the licences.
//!
//! The package has two entries: `textveil`, small, and in the folder `all` `textveil/all`, with every mechanism.
//! Each has one glue and two modules of its own. The loader fetches the module that the engine can run.
//!
//! Two flavours have the same files. The release flavour is what is published; the other one takes a seed
//! from its caller, for golden vectors. Cargo gives the modules of both the same file name, so that the one built
//! last lies there; each is checked for what it must, or must not, contain.
//!
//! The scripts in `xtask/package` write the bill of materials, take the comments out of the scripts, and measure what a
//! page downloads.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;
use wasmparser::{Validator, WasmFeatures};
use xshell::{Cmd, cmd};

use crate::javascript::Node;
use crate::project::{Project, copy_tree, recreate};
use crate::toolchain::{refuse_paths, with_flags, with_target};

/// The target of browsers and Node.
const WASM: &str = "wasm32-unknown-unknown";

/// The stem of the generated files.
const STEM: &str = "textveil_wasm";

/// An entry of the package: what is imported.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Where its files lie in the package.
    directory: &'static str,
    /// What its module is built with; `xtask/package/bill.mjs` says so too.
    features: &'static str,
}

/// The entries, the main one first: `textveil` and `textveil/all`.
pub(crate) const ENTRIES: [Entry; 2] =
    [Entry { directory: "", features: "" }, Entry { directory: "all", features: "all-mechanisms" }];

/// What an engine can run: each entry has a module for each level.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    /// The stem of the module's file.
    stem: &'static str,
    /// Cargo's profile.
    profile: &'static str,
    /// What the compiler may use and must not.
    target_features: &'static str,
    /// What the engine must have.
    needs: WasmFeatures,
}

/// The levels, the fastest first. The first is for nearly all browsers (Chromium 91, Firefox 89, Safari 16.4), as in
/// `.cargo/config.toml`; the second runs in Chromium 85, Firefox 79 and Safari 15. Reference types, which the compiler
/// takes for granted, are in Chromium from 96 on only.
pub(crate) const LEVELS: [Level; 2] = [
    Level {
        stem: STEM,
        profile: "wasm",
        target_features: "-Ctarget-feature=+simd128,-reference-types",
        needs: BASELINE.union(WasmFeatures::SIMD),
    },
    Level {
        stem: "textveil_wasm_baseline",
        profile: "wasm-baseline",
        target_features: "-Ctarget-feature=-reference-types",
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
    /// Its modules, one for each level.
    pub(crate) fn modules(self, package: &Path) -> [PathBuf; LEVELS.len()] {
        LEVELS.map(|level| package.join(self.directory).join(level.stem).with_extension("wasm"))
    }
}

/// The bill of materials in the package.
pub(crate) const BILL: &str = "textveil.cdx.json";

/// The party that may choose the randomness of a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    /// The operating system, always.
    Release,
    /// The caller too: golden vectors and nothing else.
    InsecureSeeded,
}

impl Flavour {
    /// What its crate is built with.
    pub(crate) fn features(self) -> &'static str {
        if self == Self::InsecureSeeded { "insecure-seeded-rng" } else { "" }
    }

    /// Where a package of this flavour is built, in the target directory: the plain name is the release's.
    pub(crate) fn directory(self, project: &Project, package: &str) -> PathBuf {
        project.target.join(match self {
            Self::Release => package.to_owned(),
            Self::InsecureSeeded => format!("{package}-insecure"),
        })
    }
}

/// Builds one flavour, once a run, and returns the package's directory.
pub(crate) fn build(project: &Project, flavour: Flavour) -> Result<PathBuf> {
    let package = flavour.directory(project, "npm").join("textveil");
    project.once(&package, || {
        lay_out(project, &package)?;
        ENTRIES.into_iter().try_for_each(|entry| modules(project, flavour, entry, &package))?;
        let node = Node::find(project)?;
        project.run(node.script(project, "xtask/package/bill.mjs")?.arg(&package))?;
        add_notices(project, &package)?;
        project.run(node.script(project, "xtask/package/strip.mjs")?.arg(&package))
    })?;
    Ok(package)
}

/// What the demo page loads, as it is written: both entries, each with the module for today's engines.
pub(crate) fn build_for_demo(project: &Project) -> Result<PathBuf> {
    let package = project.target.join("npm-demo/textveil");
    lay_out(project, &package)?;
    ENTRIES.into_iter().try_for_each(|entry| levels(project, Flavour::Release, entry, &LEVELS[..1], &package))?;
    Ok(package)
}

/// Everything in a package that is not compiled.
fn lay_out(project: &Project, package: &Path) -> Result<()> {
    let sh = &project.sh;
    recreate(package)?;
    copy_tree(&project.root.join("wasm/npm"), package)?;
    // Rust has the texts of `describe` from the same file.
    let texts = sh.read_file("core/src/privacy/guarantee/describe.json")?;
    sh.write_file(package.join("describe-texts.js"), format!("export const TEXTS = {};\n", texts.trim_end()))?;
    sh.copy_file("tables/data/english-text.tvt", package)?;
    sh.copy_file("tables/data/NOTICE.md", package.join("NOTICE-text-encoder.md"))?;
    copy_tree(&project.root.join("statements"), &package.join("lists"))?;
    Ok(sh.copy_file("core/data/english.tvt", package)?)
}

/// Builds an entry's modules and its glue into a package's directory.
pub(crate) fn modules(project: &Project, flavour: Flavour, entry: Entry, package: &Path) -> Result<()> {
    levels(project, flavour, entry, &LEVELS, package)?;
    refuse_paths(project, &entry.modules(package))?;
    let glue = package.join(entry.directory).join(STEM).with_extension("js");
    check_flavour(&[&entry.modules(package)[..], &[glue]].concat(), flavour, "seeded")
}

fn levels(project: &Project, flavour: Flavour, entry: Entry, levels: &[Level], package: &Path) -> Result<()> {
    let directory = package.join(entry.directory);
    fs::create_dir_all(&directory)?;
    for level in levels {
        project.run(build_command(project, flavour, entry, *level)?)?;
        let module = built(project, entry).join(WASM).join(level.profile).join(STEM).with_extension("wasm");
        generate_glue(&module, *level, &directory)?;
    }
    Ok(())
}

/// Where cargo builds an entry. In one folder, each entry would undo what was built for the other.
fn built(project: &Project, entry: Entry) -> PathBuf {
    project.target.join(entry.features)
}

/// The command that compiles a module.
pub(crate) fn build_command(project: &Project, flavour: Flavour, entry: Entry, level: Level) -> Result<Cmd<'_>> {
    let Project { sh, cargo, .. } = project;
    let (profile, features) = (level.profile, [entry.features, flavour.features()].join(" "));
    let build =
        cmd!(sh, "{cargo} build --target {WASM} --package=textveil-wasm --profile {profile} --features={features}");
    // Unstripped, a module declares reference types, as the standard library does, though no code in it uses them. Then
    // wasm-bindgen would put every object into a table of references.
    let flags = [level.target_features, "-Clink-arg=--strip-all"];
    let build = with_flags(project, with_target(project, build, WASM)?, &flags);
    Ok(build.env("CARGO_TARGET_DIR", built(project, entry)))
}

/// Writes `textveil_wasm.js` and the level's module, which runs in every engine that has the level.
///
/// The glue is that of all levels. It names no address of its own for the module: the loader does, in the one
/// form that every bundler understands.
fn generate_glue(module: &Path, level: Level, directory: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name(STEM).web(true)?.typescript(false).omit_default_module_path(true);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let glue = directory.join(STEM).with_extension("js");
    let others = fs::read(&glue).ok();
    bindgen.generate(directory).with_context(|| format!("wasm-bindgen on {}", module.display()))?;
    let same = others.is_none_or(|others| fs::read(&glue).is_ok_and(|glue| glue == others));
    ensure!(same, "the glue of {} is not that of the other level", level.stem);
    let module = directory.join(level.stem).with_extension("wasm");
    fs::rename(directory.join(format!("{STEM}_bg.wasm")), &module).context("wasm-bindgen wrote no module")?;
    let valid = Validator::new_with_features(level.needs).validate_all(&fs::read(&module)?).map(drop);
    valid.with_context(|| format!("{} is beyond the engines of its level", module.display()))
}

/// No caller can give a release its seed, and the flavour for vectors takes one. All files of the second have the word
/// for it, and no file of the first.
pub(crate) fn check_flavour(files: &[PathBuf], flavour: Flavour, word: &str) -> Result<()> {
    for file in files {
        let bytes = fs::read(file).with_context(|| file.display().to_string())?;
        let seeded = String::from_utf8_lossy(&bytes).to_lowercase().contains(word);
        ensure!(seeded == (flavour == Flavour::InsecureSeeded), "{}: takes seeds: {seeded}", file.display());
    }
    Ok(())
}

/// Copies the licences and notices of the code into a package, and the notice of what the table is made from, which
/// goes where the table goes.
pub(crate) fn add_notices(project: &Project, package: &Path) -> Result<()> {
    const NOTICES: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "NOTICE-THIRD-PARTY.md", "core/data/NOTICE.md"];
    Ok(NOTICES.iter().try_for_each(|notice| project.sh.copy_file(notice, package))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_that_can_be_seeded_is_refused() {
        let folder = xshell::Shell::new().and_then(|sh| sh.create_temp_dir()).expect("a directory of our own");
        let files = ["a.wasm", "b.wasm", "a.js"].map(|name| folder.path().join(name));
        let judged = |contents: [&str; 3], flavour| {
            files.iter().zip(contents).for_each(|(file, content)| fs::write(file, content).expect("written"));
            check_flavour(&files, flavour, "seeded").is_ok()
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
    }
}
