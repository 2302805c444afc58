//! Ways to release a text, tried on texts that the owner may read.

use anyhow::{Context, Result, ensure};
use textveil::{
    Disclosure, Mechanism, MechanismKind, Piece, Preset, Privatizer, ReleaseRng, StatementList, Statements, Table,
    TextEncoder, WordId, look_up,
};
use textveil_tables::embedding::Space;
use textveil_toolkit::report::numbers::{short, short_up};

/// What a text is released as.
pub(super) enum Way<'a> {
    Words { preset: Preset, privatizer: Privatizer, space: &'a Space },
    Statement { name: String, statements: Statements, encoder: &'a TextEncoder },
}

/// What is seen of texts, a row each.
pub(super) struct Seen {
    pub(super) clear: Vec<Vec<f64>>,
    pub(super) released: Vec<Vec<f64>>,
    /// For words, the drawn words. For statements it is empty.
    pub(super) drawn: Vec<Vec<WordId>>,
}

impl<'a> Way<'a> {
    /// # Errors
    /// The table lacks the preset.
    pub(super) fn words(table: &Table, space: &'a Space, preset: Preset) -> Result<Self> {
        let mechanism = Mechanism::new(MechanismKind::Nearest).with_preset(preset)?;
        let privatizer = Privatizer::new(table, mechanism, Disclosure::default())?;
        Ok(Self::Words { preset, privatizer: privatizer.of_any_language(), space })
    }

    /// # Errors
    /// An invalid ε, or a list of another encoder.
    pub(super) fn statement(
        name: String,
        list: &StatementList,
        epsilon: f64,
        encoder: &'a TextEncoder,
    ) -> Result<Self> {
        ensure!(
            list.encoder() == encoder.table().id(),
            "{name}: its statements are vectors of another text encoder. Only those of the built-in one are compared"
        );
        let statements = Statements::new(list, epsilon).with_context(|| name.clone())?.of_any_language();
        Ok(Self::Statement { name, statements, encoder })
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Words { preset, .. } => format!("words, {}", preset.name()),
            Self::Statement { name, .. } => format!("a statement of {name}"),
        }
    }

    /// How many statements are near to a text. A word is one by itself.
    pub(super) fn near(&self) -> usize {
        match self {
            Self::Words { .. } => 1,
            Self::Statement { statements, .. } => statements.near(),
        }
    }

    /// The loss of a text with `words` words.
    pub(super) fn epsilon(&self, words: f64) -> f64 {
        match self {
            Self::Words { privatizer, .. } => privatizer.guarantee(1).epsilon_word * words,
            Self::Statement { statements, .. } => statements.guarantee().epsilon_word,
        }
    }

    /// "15.2 words of ε 9".
    pub(super) fn spends(&self, words: f64) -> String {
        match self {
            Self::Words { privatizer, .. } => {
                format!("ε {} for each of {} words", short_up(privatizer.guarantee(1).epsilon_word), short(words))
            }
            Self::Statement { .. } => "the whole text".to_owned(),
        }
    }

    /// Releases each text once.
    ///
    /// # Errors
    /// A text that is too long.
    pub(super) fn see(&self, texts: &[String], rng: &mut dyn FnMut() -> ReleaseRng) -> Result<Seen> {
        let mut seen = Seen { clear: Vec::new(), released: Vec::new(), drawn: Vec::new() };
        for text in texts {
            match self {
                Self::Words { privatizer, space, .. } => {
                    let words = words(privatizer.table(), text)?;
                    let drawn = privatizer.draw_all(&words, &mut rng());
                    let known: Vec<WordId> = words.into_iter().flatten().collect();
                    seen.clear.push(space.mean(&known));
                    seen.released.push(space.mean(&drawn));
                    seen.drawn.push(drawn);
                }
                Self::Statement { statements, encoder, .. } => {
                    let release = statements.exchange(encoder, text, &mut rng())?;
                    let number = release.statements.first().context("a text has one statement")?.number;
                    let vector = statements.list().vector(number).context("the list has it")?;
                    seen.clear.push(unit(encoder.encode(text)?));
                    seen.released.push(unit(vector.iter().map(|step| f64::from(*step)).collect()));
                }
            }
        }
        Ok(seen)
    }
}

/// The words of a text, and `None` for an unknown word.
///
/// # Errors
/// The text is too long.
pub(super) fn words(table: &Table, text: &str) -> Result<Vec<Option<WordId>>> {
    let word = |piece| match piece {
        Piece::Token { kind, text } => Some(look_up(table, kind, &text).row),
        Piece::Layout(_) => None,
    };
    Ok(Piece::split(text)?.into_iter().filter_map(word).collect())
}

/// A vector of length 1; zeros of zeros.
fn unit(vector: Vec<f64>) -> Vec<f64> {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { vector.into_iter().map(|x| x / length).collect() } else { vector }
}
