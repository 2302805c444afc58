//! `textveil-collector train`: classifiers of releases, on the server that has taken them in.
//!
//! What comes in are lines as devices send them ([`record`], [`release`]), each beside the guarantee under which it was
//! drawn ([`guarantee`]); what goes out is a model, and a card that says what is promised of the lines it came from
//! ([`card`]). Whatever is computed from releases alone weakens no guarantee; so a card never promises more than the
//! weakest line does, and nothing that a line does not say.

mod card;
mod classifier;
mod features;
mod folder;
mod guarantee;
mod options;
mod predict;
mod record;
mod release;
mod report;
mod set;

use anyhow::Result;
use clap::Subcommand;

/// Train classifiers on releases, as devices send them, and apply them to others
#[derive(Subcommand)]
pub(crate) enum Train {
    Classifier(Box<classifier::Classifier>),
    Predict(predict::Predict),
}

impl Train {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Classifier(command) => command.run(),
            Self::Predict(command) => command.run(),
        }
    }
}
