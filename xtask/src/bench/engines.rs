//! The whole product, from text to text, in Node, Chromium and Python, and on the command line.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value as Json;

use super::native::watched;
use super::report::Samples;
use crate::javascript::{Node, tests};
use crate::package::Flavour;
use crate::project::{Project, find_program};
use crate::server::{Mount, Server};
use crate::test::site;
use crate::{browsers, mobile};

/// Lines of the file that the command line is given, and words of each.
const LINES: usize = 2_000;
const LINE: &str = "the doctor said that my sister should rest at home for a week and call her if the fever came";
const WORDS: usize = 20;

/// Something that runs the product once and says what it took.
pub(crate) trait Engine {
    /// What its numbers are filed under.
    fn name(&self) -> &'static str;

    /// Measures once.
    fn round(&self, project: &Project, samples: &mut Samples) -> Result<()>;
}

/// What sets an engine up, given the made-up table.
type SetUp = fn(&Project, &Path) -> Result<Box<dyn Engine>>;

/// Every engine that is here; of the others, why they are not.
pub(crate) fn all(project: &Project, table: &Path) -> (Vec<Box<dyn Engine>>, Vec<String>) {
    let engines: [(&str, SetUp); 4] = [
        ("command line", |project, _| Ok(Box::new(CommandLine::new(project)?))),
        ("Node", |project, table| Ok(Box::new(InNode::new(project, table)?))),
        ("Chromium", |project, table| Ok(Box::new(InChromium::new(project, table)?))),
        ("Python", |project, table| Ok(Box::new(InPython::new(project, table)?))),
    ];
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (name, set_up) in engines {
        match set_up(project, table) {
            Ok(engine) => found.push(engine),
            Err(error) => missing.push(format!("{name}: {error:#}")),
        }
    }
    (found, missing)
}

/// `textveil privatize`.
struct CommandLine {
    program: PathBuf,
    text: PathBuf,
}

impl CommandLine {
    fn new(project: &Project) -> Result<Self> {
        let program = project.optimized()?;
        let text = project.target().join("speed.txt");
        fs::write(&text, format!("{LINE}\n").repeat(LINES))?;
        Ok(Self { program, text })
    }
}

impl Engine for CommandLine {
    fn name(&self) -> &'static str {
        "command line"
    }

    fn round(&self, project: &Project, samples: &mut Samples) -> Result<()> {
        let mut privatize = project.command(&self.program);
        privatize.arg("privatize").stdin(File::open(&self.text)?);
        let (_, took, memory) = watched(project, &mut privatize)?;
        samples.add("command line/certified", (LINES * WORDS) as f64 / took.as_secs_f64());
        memory.into_iter().for_each(|memory| samples.add("command line/memory MB", memory));
        Ok(())
    }
}

/// The npm package in Node.
struct InNode {
    node: Node,
    table: PathBuf,
}

impl InNode {
    fn new(project: &Project, table: &Path) -> Result<Self> {
        let node = Node::find(project)?;
        node.install(project)?;
        Ok(Self { node, table: table.to_owned() })
    }
}

impl Engine for InNode {
    fn name(&self) -> &'static str {
        "Node"
    }

    fn round(&self, project: &Project, samples: &mut Samples) -> Result<()> {
        let mut english = self.node.command(project);
        let (numbers, _, memory) = watched(project, english.arg("node/bench.mjs"))?;
        samples.add_all("Node", &parse(&numbers)?);
        memory.into_iter().for_each(|memory| samples.add("Node/memory MB", memory));
        let mut synthetic = self.node.command(project);
        synthetic.arg("node/bench.mjs").arg(&self.table);
        samples.add_all("Node/synthetic", &parse(&project.read(&mut synthetic)?)?);
        Ok(())
    }
}

/// The npm package in Chromium.
struct InChromium {
    node: Node,
    browser: PathBuf,
    server: Server,
}

impl InChromium {
    fn new(project: &Project, table: &Path) -> Result<Self> {
        let (node, browser) = (Node::find(project)?, browsers::chromium(project)?);
        node.install(project)?;
        let mut site = site(project)?;
        let directory = table.parent().context("a file lies somewhere")?.to_owned();
        site.insert(0, Mount { prefix: "/tests/bench/", directory });
        Ok(Self { node, browser, server: Server::start(project, 0, &site)? })
    }
}

impl Engine for InChromium {
    fn name(&self) -> &'static str {
        "Chromium"
    }

    fn round(&self, project: &Project, samples: &mut Samples) -> Result<()> {
        let mut visit = self.node.command(project);
        visit.arg(tests(project).join("browser/bench.mjs"));
        visit.env("CHROME", &self.browser).env("TEXTVEIL_SITE", self.server.url());
        samples.add_all("Chromium", &parse(&project.read(&mut visit)?)?);
        Ok(())
    }
}

/// The Python package as it is built.
struct InPython {
    python: PathBuf,
    package: PathBuf,
    table: PathBuf,
}

impl InPython {
    fn new(project: &Project, table: &Path) -> Result<Self> {
        let python = find_program(&["python3", "python"]).context("Python 3 is not installed")?;
        let package = mobile::python_package(project, Flavour::Release)?;
        Ok(Self { python, package, table: table.to_owned() })
    }
}

impl Engine for InPython {
    fn name(&self) -> &'static str {
        "Python"
    }

    fn round(&self, project: &Project, samples: &mut Samples) -> Result<()> {
        let run = || {
            let mut run = project.command(&self.python);
            run.arg("xtask/bench/package.py").env("PYTHONPATH", &self.package).env("PYTHONDONTWRITEBYTECODE", "1");
            run
        };
        let (numbers, _, memory) = watched(project, &mut run())?;
        samples.add_all("Python", &parse(&numbers)?);
        memory.into_iter().for_each(|memory| samples.add("Python/memory MB", memory));
        samples.add_all("Python/synthetic", &parse(&project.read(run().arg(&self.table))?)?);
        Ok(())
    }
}

fn parse(output: &str) -> Result<Json> {
    serde_json::from_str(output).with_context(|| format!("not a report: {output}"))
}
