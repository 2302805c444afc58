//! `textveil table`: tables are built, imported, looked into and measured here.

mod build;
mod certify;
mod distill;
mod evaluate;
mod extend;
mod import;
mod inspect;
mod mark;
mod project;
mod users;

use anyhow::Result;
use clap::Subcommand;

/// Commands for tables.
#[derive(Subcommand)]
pub(crate) enum TableCommand {
    Build(build::Build),
    Import(Box<import::Import>),
    Inspect(inspect::Inspect),
    Certify(certify::Certify),
    Mark(mark::Mark),
    Distill(distill::Distill),
    Project(project::Project),
    Evaluate(evaluate::Evaluate),
    Extend(Box<extend::Extend>),
    Request(extend::Ask),
    Contexts(extend::Contexts),
}

impl TableCommand {
    pub(crate) fn run(self) -> Result<()> {
        match self {
            Self::Build(build) => build.run(),
            Self::Import(import) => import.run(),
            Self::Inspect(inspect) => inspect.run(),
            Self::Certify(certify) => certify.run(),
            Self::Mark(mark) => mark.run(),
            Self::Distill(distill) => distill.run(),
            Self::Project(project) => project.run(),
            Self::Evaluate(evaluate) => evaluate.run(),
            Self::Extend(extend) => extend.run(),
            Self::Request(ask) => ask.run(),
            Self::Contexts(contexts) => contexts.run(),
        }
    }
}
