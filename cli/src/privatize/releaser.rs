//! What makes releases: words for words, or statements for texts.

use serde_json::{Value, json};
use textveil::{Bulk, Guarantee, Privatizer, Redacted, ReleaseRng, Table, TokenAccount};
use textveil_bulk::Fault;

use crate::statements::Exchanger;

pub(super) enum Releaser<'a> {
    Words { privatizer: &'a Privatizer, bulk: Bulk<'a>, is_detected: bool },
    Statements(Box<Exchanger>),
}

impl Releaser<'_> {
    /// What one draw is about.
    pub(super) const fn unit(&self) -> &'static str {
        match self {
            Self::Words { .. } => "private word",
            Self::Statements(exchanger) if exchanger.takes_answers_alone() => "answer",
            Self::Statements(_) => "statement",
        }
    }

    /// Whether each row must have a text. Then a run also leaves nothing unless it succeeds: where its output ends would tell
    /// of the row that ended it.
    pub(super) fn needs_all(&self) -> bool {
        match self {
            Self::Words { .. } => false,
            Self::Statements(exchanger) => exchanger.takes_answers_alone(),
        }
    }

    /// The guarantee of this number of draws.
    pub(super) fn guarantee(&self, draws: usize) -> Guarantee {
        match self {
            Self::Words { privatizer, is_detected: true, .. } => privatizer.guarantee(draws).of_redacted(),
            Self::Words { privatizer, .. } => privatizer.guarantee(draws),
            Self::Statements(exchanger) => exchanger.statements.guarantee_of(draws),
        }
    }

    /// What is written for a text, and how many draws it took.
    pub(super) fn text(&self, text: &str, rng: &mut ReleaseRng) -> Result<(String, usize), Fault> {
        match self {
            Self::Words { bulk, .. } => Ok(bulk.privatize_text(text, rng)?),
            Self::Statements(exchanger) => {
                let release = exchanger.exchange(text, rng)?;
                let lines: Vec<String> = release.statements.into_iter().map(|stated| stated.statement).collect();
                Ok((lines.join(" "), release.guarantee.words))
            }
        }
    }

    /// The same of a text that a detector has seen.
    pub(super) fn redacted(&self, text: &Redacted<'_>, rng: &mut ReleaseRng) -> Result<(String, usize), Fault> {
        match self {
            Self::Words { bulk, is_detected: true, .. } => Ok(bulk.privatize_text(text, rng)?),
            _ => Err(Fault::Run(anyhow::anyhow!("--spans is for words"))),
        }
    }

    /// The same with its guarantee, as `stated` writes it, and with what became of each token.
    pub(super) fn json(
        &self,
        text: &str,
        rng: &mut ReleaseRng,
        stated: impl Fn(&Guarantee) -> Value,
    ) -> Result<(Value, usize), Fault> {
        match self {
            Self::Words { privatizer, .. } => {
                let release = privatizer.privatize(text, rng)?;
                let account = release.account.iter().map(|entry| token_json(privatizer.table(), entry));
                let account = json!({ "account": account.collect::<Vec<_>>() });
                let guarantee = stated(&release.guarantee);
                let json = json!({ "text": release.text, "guarantee": guarantee, "deviceOnly": account });
                Ok((json, release.guarantee.words))
            }
            Self::Statements(exchanger) => {
                let release = exchanger.exchange(text, rng)?;
                let one = |one: &textveil::Stated| json!({ "number": one.number, "text": one.statement });
                let statements: Vec<Value> = release.statements.iter().map(one).collect();
                let json = json!({ "statements": statements, "guarantee": stated(&release.guarantee) });
                Ok((json, release.guarantee.words))
            }
        }
    }
}

fn token_json(table: &Table, entry: &TokenAccount) -> Value {
    let word = |row| table.word(row).to_string();
    json!({
        "token": entry.token,
        "kind": entry.kind,
        "found": entry.reading.map(|reading| reading.found),
        "input": entry.reading.and_then(|reading| reading.row).map(word),
        "output": entry.output.map(word),
        "written": entry.written.map(word),
        "clear": entry.clear,
        "kept": entry.is_kept(),
    })
}
