//! `textveil-collector train`: classifiers that learn from releases, on the server that has taken them in.
//!
//! What comes in are releases as devices send them and as files hold them ([`crate::reports`]), and the guarantees under
//! which they were drawn ([`guarantee`]). What goes out is a model, and a card that says what is promised of the rows it
//! came from ([`card`]). Whatever is computed from releases alone weakens no guarantee; so a card never promises more
//! than the weakest row does, and nothing that a row does not say.
//!
//! A model reads clear text only where that is asked for ([`predict`]), and where it is used without us ([`export`]).

mod card;
mod classifier;
mod export;
mod features;
mod folder;
mod guarantee;
mod options;
mod predict;
mod report;
mod set;

use anyhow::Result;
use clap::Subcommand;

/// Train classifiers on releases, as devices send them, and apply them to others or to clear text
#[derive(Subcommand)]
pub(crate) enum Train {
    Classifier(Box<classifier::Classifier>),
    Predict(predict::Predict),
    Export(export::Export),
}

impl Train {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Classifier(command) => command.run(),
            Self::Predict(command) => command.run(),
            Self::Export(command) => command.run(),
        }
    }
}
