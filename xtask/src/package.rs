//! The npm package: compile `textveil-wasm`, generate its glue, lay both beside the hand-written loader, the
//! table and the licences.
//!
//! The package has two entries, each with a module of its own: `textveil`, small, and in the folder `all`
//! `textveil/all`, with every mechanism.
//!
//! Two flavours have the same files. The release flavour is what is published; the other one takes a seed
//! from its caller, for golden vectors. Cargo gives all modules the same file name, so that the one built
//! last lies there; each is checked for what it must, or must not, contain.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::project::{Project, copy, copy_tree, files, recreate};
use crate::toolchain::{self, WASM};

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
    features: &'static [&'static str],
}

/// The entries, the main one first.
pub(crate) const ENTRIES: [Entry; 2] = [
    Entry { name: "textveil", directory: "", features: &[] },
    Entry { name: "textveil/all", directory: "all", features: &["all-mechanisms"] },
];

impl Entry {
    /// The files that a page downloads for it, but for the table: its module, and its scripts (the entry and
    /// whatever that imports statically).
    pub(crate) fn files(self, package: &Path) -> (PathBuf, Vec<PathBuf>) {
        let mut scripts = vec![package.join(self.directory).join("textveil.js")];
        let mut read = 0;
        while let Some(script) = scripts.get(read) {
            // One that is missing is missed when it is measured.
            let source = fs::read_to_string(script).unwrap_or_default();
            let directory = script.parent().unwrap_or(package).to_owned();
            for import in imports(&source).map(|name| lexical(&directory.join(name))) {
                if !scripts.contains(&import) {
                    scripts.push(import);
                }
            }
            read += 1;
        }
        (self.generated(package).0, scripts)
    }

    /// The module and its glue.
    fn generated(self, package: &Path) -> (PathBuf, PathBuf) {
        let stem = package.join(self.directory).join(STEM);
        (stem.with_extension("wasm"), stem.with_extension("js"))
    }
}

/// The relative paths that a script imports statically.
fn imports(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let (statement, from) = line.split_once("from '")?;
        let path = from.split('\'').next()?;
        let is_import = ["import ", "export ", "} "].iter().any(|start| statement.starts_with(start));
        (is_import && path.starts_with('.')).then_some(path)
    })
}

/// The path without `.` and `..`.
fn lexical(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
        path
    })
}

/// The embedded table's file, in `core/data` and in the package.
pub(crate) const TABLE: &str = "english.tvt";

/// The texts of `describe` as a script, and the file that Rust has them from too.
const TEXTS: &str = "describe-texts.js";
const TEXTS_SOURCE: &str = "core/src/guarantee/describe.json";

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

/// Builds one flavour and returns the package's directory.
pub(crate) fn build(project: &Project, flavour: Flavour) -> Result<PathBuf> {
    let package = flavour.directory(project, "npm").join("textveil");
    recreate(&package)?;
    copy_tree(&project.root().join("wasm/npm"), &package)?;
    let texts = fs::read_to_string(project.root().join(TEXTS_SOURCE)).context(TEXTS_SOURCE)?;
    fs::write(package.join(TEXTS), format!("export const TEXTS = {};\n", texts.trim_end()))?;
    for entry in ENTRIES {
        let module = compile(project, flavour, entry)?;
        generate_glue(&module, &package.join(entry.directory))?;
        check_flavour(&package, entry, flavour)?;
    }
    copy(&project.root().join("core/data").join(TABLE), &package.join(TABLE))?;
    for notice in notices(project.root())? {
        copy(&notice, &package.join(notice.file_name().unwrap_or_default()))?;
    }
    for script in files(&package)?.into_iter().filter(|file| file.extension().is_some_and(|kind| kind == "js")) {
        let place = script.strip_prefix(&package)?.to_string_lossy().replace('\\', "/");
        let source = match place {
            place if place.ends_with(&format!("{STEM}.js")) => "wasm/src".to_owned(),
            place if place == TEXTS => TEXTS_SOURCE.to_owned(),
            place => format!("wasm/npm/{place}"),
        };
        let text = without_comments(&fs::read_to_string(&script)?);
        fs::write(
            &script,
            format!("// textveil, MIT OR Apache-2.0. With its comments: {source} in the repository.\n{text}"),
        )?;
    }
    Ok(package)
}

/// A script without its comments, which a page would download in vain. Those that have lines of their own,
/// which is where the style of the package (and of wasm-bindgen) puts all that are long; blank lines go with
/// them.
fn without_comments(source: &str) -> String {
    let mut inside = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        let is_comment = inside || line.starts_with("/*") || line.starts_with("//") || line.is_empty();
        if inside || line.starts_with("/*") {
            inside = !line.ends_with("*/");
        }
        !is_comment
    };
    source.lines().filter(is_code).flat_map(|line| [line, "\n"]).collect()
}

/// The WebAssembly module as the compiler leaves it.
fn compile(project: &Project, flavour: Flavour, entry: Entry) -> Result<PathBuf> {
    let mut build = toolchain::cargo_for(project, WASM)?.with("build", &["--package=textveil-wasm", "--profile=wasm"]);
    let seeded = (flavour == Flavour::InsecureSeeded).then_some(Flavour::FEATURE);
    for feature in entry.features.iter().copied().chain(seeded) {
        build.args(["--features", feature]);
    }
    project.run(&mut build)?;
    Ok(project.target().join(WASM).join("wasm").join(STEM).with_extension("wasm"))
}

/// Writes `textveil_wasm.js` and `textveil_wasm.wasm`.
///
/// The glue names no address of its own for the module: the loader does, in the one form that every bundler
/// understands.
fn generate_glue(module: &Path, directory: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name(STEM).web(true)?.typescript(false).omit_default_module_path(true);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(directory).with_context(|| format!("wasm-bindgen on {}", module.display()))?;
    let module = directory.join(STEM).with_extension("wasm");
    fs::rename(directory.join(format!("{STEM}_bg.wasm")), &module).context("wasm-bindgen wrote no module")
}

/// A release cannot be told its seed, and the flavour for vectors can: the word for it stands in the second's
/// exports and glue only.
fn check_flavour(package: &Path, entry: Entry, flavour: Flavour) -> Result<()> {
    let (module, glue) = entry.generated(package);
    let names = exports(&fs::read(module)?)?.into_iter().chain(std::iter::once(fs::read_to_string(glue)?));
    let seeded = names.map(|name| name.to_lowercase()).filter(|name| name.contains("seeded")).count();
    match flavour {
        Flavour::Release => ensure!(seeded == 0, "the release package lets its caller choose the seed"),
        Flavour::InsecureSeeded => ensure!(seeded == 2, "the package for vectors cannot be seeded"),
    }
    Ok(())
}

/// The names that a module exports.
fn exports(module: &[u8]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(module) {
        if let wasmparser::Payload::ExportSection(section) = payload? {
            for export in section {
                names.push(export?.name.to_owned());
            }
        }
    }
    Ok(names)
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

    /// Magic, version, a type `() -> ()`, one function of it, its export, an empty body.
    const ONE_EXPORT: &[u8] =
        b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x0e\x01\x0aVeilSeeded\0\0\x0a\x04\x01\x02\0\x0b";

    #[test]
    fn comments_with_lines_of_their_own_are_left_out_and_nothing_else() {
        let source = "/** What\n * it does. */\nimport { a } from './a.js'; // kept\n\n  // why\n  a('/* text */', '//');\n/* one */\nb();\n";
        assert_eq!(without_comments(source), "import { a } from './a.js'; // kept\n  a('/* text */', '//');\nb();\n");
    }

    #[test]
    fn static_imports_are_found_and_others_are_not() {
        let source = "import { a } from './a.js';\nexport {\n  b,\n} from '../b.js';\nimport c from 'node:fs';\nawait import('./d.js');\nconst e = \"from './e.js'\";\n";
        assert_eq!(imports(source).collect::<Vec<_>>(), ["./a.js", "../b.js"]);
        assert_eq!(lexical(Path::new("/package/all/../b.js")), Path::new("/package/b.js"));
    }

    #[test]
    fn exports_are_read_from_the_module() {
        assert_eq!(exports(ONE_EXPORT).expect("a valid module"), ["VeilSeeded"]);
    }

    #[test]
    fn a_release_that_can_be_seeded_is_refused() {
        let package = std::env::temp_dir().join(format!("textveil-flavour-{}", std::process::id()));
        recreate(&package).expect("a directory of our own");
        fs::write(package.join("textveil_wasm.wasm"), ONE_EXPORT).expect("written");
        for (glue, release, vectors) in [("export class Veil {}", false, false), ("privatizeSeeded() {}", false, true)]
        {
            fs::write(package.join("textveil_wasm.js"), glue).expect("written");
            assert_eq!(check_flavour(&package, ENTRIES[0], Flavour::Release).is_ok(), release);
            assert_eq!(check_flavour(&package, ENTRIES[0], Flavour::InsecureSeeded).is_ok(), vectors);
        }
        fs::write(package.join("textveil_wasm.wasm"), &ONE_EXPORT[..8]).expect("written");
        fs::write(package.join("textveil_wasm.js"), "export class Veil {}").expect("written");
        assert!(check_flavour(&package, ENTRIES[0], Flavour::Release).is_ok());
        fs::remove_dir_all(&package).expect("removed");
    }
}
