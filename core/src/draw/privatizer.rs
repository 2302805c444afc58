//! From a text to a release.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use rand_core::CryptoRng;

use crate::draw::kernel::Kernel;
use crate::lists::{Substitutes, WordLists};
use crate::mechanism::{Inputs, Proof, Words};
use crate::memory::Law;
use crate::text::{Assembler, Forms, Judge, Mender};
use crate::{
    Disclosure, Drawing, Error, Guarantee, InTheClear, ListId, Mechanism, Metric, Piece, Reading, Redacted, ReleaseKey,
    ReleaseRng, Table, TokenKind, WordId, look_up,
};

/// Replaces the words of texts: a table, a mechanism prepared for it, and what may stay in clear.
///
/// # Security
/// Every call of [`Privatizer::privatize`] is a release of its own and spends its ε, also for a text that was
/// released before. Keep the first release of a value and use it again; never choose among several.
pub struct Privatizer {
    table: Table,
    mechanism: Mechanism,
    proof: Proof,
    words: Words,
    disclosure: Disclosure,
    /// None where words are written as they were drawn.
    mender: Option<Mender>,
    any_language: bool,
    lists: WordLists,
    substitutes: Substitutes,
    law: Law,
}

/// What may leave the device, and what must not. `Debug` shows what may.
#[derive(Clone)]
#[non_exhaustive]
pub struct Release {
    /// The text that may leave the device.
    pub text: String,
    /// What is proved about it.
    pub guarantee: Guarantee,
    /// Every token of the original and what became of it: for the device to show, **never to be uploaded**.
    pub account: Vec<TokenAccount>,
}

impl fmt::Debug for Privatizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Privatizer");
        shown.field("table", &self.table).field("mechanism", &self.mechanism).field("disclosure", &self.disclosure);
        shown.finish_non_exhaustive()
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Release").field("text", &self.text).field("guarantee", &self.guarantee).finish_non_exhaustive()
    }
}

/// What became of one token. `Debug` shows no word: a log is an upload.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenAccount {
    /// The token as it stood in the text. Of a span that was taken out, its placeholder; of a word that a list keeps, the
    /// form that the list has.
    pub token: String,
    /// What kind of token it is.
    pub kind: TokenKind,
    /// What it was looked up as; `None` for a placeholder and a kept word, which are not looked up.
    pub reading: Option<Reading>,
    /// The row that was drawn, or that is shown in clear; `None` for a placeholder and a kept word.
    pub output: Option<WordId>,
    /// The row whose word stands in the text: `output`, or another form of it that agrees with the words next to it
    /// (SPEC.md, section 5.1).
    pub written: Option<WordId>,
    /// It is shown in clear because the options say so; no noise was drawn.
    pub clear: bool,
}

impl fmt::Debug for TokenAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenAccount").field("kind", &self.kind).field("clear", &self.clear).finish_non_exhaustive()
    }
}

impl TokenAccount {
    /// Whether the word that stands in the text is the word that went in. An unknown word is never kept.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.written.is_some() && self.written == self.reading.and_then(|reading| reading.row)
    }
}

/// What a word may turn into: for the device's eyes only, since it depends on the word. `Debug` shows none of it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Alternatives {
    /// What the token was looked up as.
    pub reading: Reading,
    /// Whether the probabilities are shares of simulated draws instead of exact values.
    pub estimated: bool,
    /// The most probable outputs, most probable first.
    pub outputs: Vec<Alternative>,
}

impl fmt::Debug for Alternatives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Alternatives").field("estimated", &self.estimated).finish_non_exhaustive()
    }
}

/// One possible output. `Debug` shows none of it, as of [`Alternatives`].
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Alternative {
    /// The row.
    pub word: WordId,
    /// Its probability.
    pub probability: f64,
    /// Its distance from the input, in units of the table; see [`Privatizer::distance`].
    pub distance: f64,
    /// How many times as likely an output can be for one of this word and the input as for the other, at most. That is
    /// e^(η·distance), cut off where the metric is, and at most e^ε of a word. It is e^ε where distance does not count, or
    /// is another. A δ above 0 comes on top.
    pub factor: f64,
}

impl fmt::Debug for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Alternative").finish_non_exhaustive()
    }
}

/// The longest list of alternatives.
const MOST_ALTERNATIVES: usize = 1000;
/// Draws behind an estimated distribution.
const SIMULATED_DRAWS: u32 = 1000;

impl Privatizer {
    /// Prepares `mechanism` for `table`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a parameter is missing or out of the range that the table allows;
    /// [`Error::NotOffered`] if the mechanism puts out no words, or none of this table.
    pub fn new(table: &Table, mechanism: Mechanism, disclosure: Disclosure) -> Result<Self, Error> {
        let mechanism = mechanism.settled(table)?;
        let prepared = mechanism.prepare(&Inputs::Table(table))?;
        let words = Words::new(prepared.randomizer, &prepared.proof, table)?;
        let mut law = Law::new("words", Some(table.id()), &mechanism, &prepared.proof).parameters(&mechanism);
        for item in InTheClear::by_choice(disclosure) {
            law = law.item("clear", item.name().as_bytes());
        }
        if disclosure.plain_layout {
            law = law.item("layout", b"plain");
        }
        let (table, mender) = (table.clone(), Some(Mender::new(table)));
        let (lists, substitutes) = (WordLists::default(), Substitutes::default());
        let (proof, any_language) = (prepared.proof, false);
        Ok(Self { table, mechanism, proof, words, disclosure, mender, any_language, lists, substitutes, law })
    }

    /// The same with words that are kept in clear, and words that are never said (SPEC.md, section 4.2).
    ///
    /// # Errors
    /// [`Error::InvalidNeverSay`] if it leaves the table no word that could come out.
    pub fn with_lists(self, lists: WordLists) -> Result<Self, Error> {
        let substitutes = Substitutes::new(&lists, &self.table)?;
        Ok(Self { lists, substitutes, ..self })
    }

    /// The same with words as they were drawn, for whoever counts them. Otherwise a word may be written in another form,
    /// which agrees with the words next to it (SPEC.md, section 5.1).
    #[must_use]
    pub fn as_drawn(self) -> Self {
        let law = if self.mender.is_some() { self.law.item("words", b"as-drawn") } else { self.law };
        Self { mender: None, law, ..self }
    }

    /// The same for texts of any language. Without it, one that is mostly of words that the table does not know is
    /// refused (SPEC.md, section 4.1), and the guarantee names [`InTheClear::Language`]. The law of a text that is not
    /// refused, and its key, are the same. Whoever takes both keeps their releases apart, since the guarantees differ.
    #[must_use]
    pub fn of_any_language(self) -> Self {
        Self { any_language: true, ..self }
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What the options leave in clear.
    pub(super) const fn disclosure(&self) -> Disclosure {
        self.disclosure
    }

    /// The words that are kept and never said.
    pub(super) const fn lists(&self) -> &WordLists {
        &self.lists
    }

    /// What is said for words that are never said.
    #[cfg(feature = "bulk")]
    pub(super) const fn substitutes(&self) -> &Substitutes {
        &self.substitutes
    }

    fn forms(&self) -> Forms<'_> {
        Forms(&self.table, &self.substitutes)
    }

    /// What writes a release of about this number of bytes.
    pub(super) fn assembler(&self, capacity: usize) -> Assembler<'_> {
        Assembler::new(self.forms(), self.mender.as_ref(), self.disclosure.plain_layout, capacity)
    }

    /// How words are put out.
    #[cfg(feature = "bulk")]
    pub(super) const fn words(&self) -> &Words {
        &self.words
    }

    /// Whether texts of other languages than the table's are accepted.
    pub(super) const fn is_of_any_language(&self) -> bool {
        self.any_language
    }

    /// The guarantee of a text with `words` private words, before anything is drawn: [`Guarantee::of_draw`] adds what a known
    /// seed changes.
    #[must_use]
    pub fn guarantee(&self, words: usize) -> Guarantee {
        let lists = (self.lists.kept_id(), self.lists.never_said_id());
        Guarantee::of_words(&self.mechanism, &self.proof, &self.table, self.disclosure, lists, words)
            .of_language(self.any_language)
    }

    /// What a release of this text is remembered by. `field` is any name of what the text is for: equal releases
    /// for two fields would show that their texts are equal. What stood in spans is no part of it. The caller normalizes the
    /// text as for [`Privatizer::privatize`]: otherwise one text has two keys, and is drawn twice.
    #[must_use]
    pub fn key<'a>(&self, text: impl Into<Redacted<'a>>, field: Option<&str>) -> ReleaseKey {
        let text = text.into();
        let lists = [("kept words", self.lists.kept_id()), ("never said", self.lists.never_said_id())];
        let with = |law: Law, (name, list): (_, Option<ListId>)| match list {
            Some(list) => law.item(name, &list.digest),
            None => law,
        };
        let mut law = lists.into_iter().fold(self.law.clone(), with);
        if text.is_detected() {
            law = law.item("clear", InTheClear::Redactions.name().as_bytes());
        }
        for (stretch, placeholder) in text.stretches() {
            law = law.item("text", stretch.as_bytes());
            if let Some(placeholder) = placeholder {
                law = law.item("redacted", placeholder.as_bytes());
            }
        }
        law.of_field(field).key()
    }

    /// Privatizes a text: a string, or what a detector has left of one ([`Redacted`]). `rng` should be fresh for each
    /// release ([`crate::release_rng`]). A [`Drawing`] does the same in slices.
    ///
    /// The caller normalizes the text to NFKC first (feature `normalize`, or JavaScript's own); without it
    /// the result is just as private, but full-width and compatibility letters are not recognised as words.
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`]; [`Error::OtherLanguage`] unless
    /// [`Privatizer::of_any_language`]. Nothing is released then.
    pub fn privatize<'a>(&self, text: impl Into<Redacted<'a>>, rng: &mut ReleaseRng) -> Result<Release, Error> {
        Ok(Drawing::begin(self, text, rng)?.finish())
    }

    /// Whether [`Privatizer::privatize`] would refuse this text. Nothing is drawn.
    ///
    /// # Errors
    /// As [`Privatizer::privatize`].
    pub fn check<'a>(&self, text: impl Into<Redacted<'a>>) -> Result<(), Error> {
        self.accepted(&text.into()).map(drop)
    }

    /// The pieces of a text, unless it is too long, or of another language that was not asked for.
    pub(super) fn accepted(&self, text: &Redacted<'_>) -> Result<Vec<Piece>, Error> {
        let pieces = self.pieces(text)?;
        if !self.any_language {
            Judge::judge(&self.table, &pieces)?;
        }
        Ok(pieces)
    }

    /// The pieces of a text.
    pub(crate) fn pieces(&self, text: &Redacted<'_>) -> Result<Vec<Piece>, Error> {
        Ok(text.cleaned()?.pieces(&self.lists))
    }

    /// Draws the word that takes the place of `input`: one private word's worth of ε. `None` stands for any word that
    /// the vocabulary lacks. A [`WordId`] must be of this table: a row of another one stands for another word, and may panic.
    ///
    /// It takes any generator, and nothing records what is known of the seed. For a guarantee of what it draws, draw from a
    /// [`ReleaseRng`] and pass [`Privatizer::guarantee`] through [`Guarantee::of_draw`].
    pub fn draw<R: CryptoRng + ?Sized>(&self, input: impl Into<Option<WordId>>, rng: &mut R) -> WordId {
        // `draw_all` returns one output per input. The fallback, row 0, does not depend on the input.
        self.draw_all(&[input.into()], rng).first().copied().unwrap_or(WordId(0))
    }

    /// Draws the words that take the places of `inputs`, each worth ε of its own: the same words as one
    /// [`Privatizer::draw`] after the other gives with the same keystream, several times as fast. What is said there of tables
    /// and generators holds here.
    pub fn draw_all<I: Copy + Into<Option<WordId>>, R: CryptoRng + ?Sized>(
        &self,
        inputs: &[I],
        mut rng: &mut R,
    ) -> Vec<WordId> {
        let mut outputs = Vec::with_capacity(inputs.len());
        for batch in inputs.chunks(Kernel::LARGEST_BATCH) {
            let batch: Vec<_> = batch.iter().map(|input| (*input).into()).collect();
            outputs.extend(
                self.words.draw(&self.table, &batch, &mut rng).into_iter().map(|word| self.substitutes.said(word)),
            );
        }
        outputs
    }

    /// The exact probability of every offered word that may take the place of `input`; `None` for mechanisms
    /// that know it only through their draws. Public knowledge about the mechanism, but it tells which word
    /// was asked for.
    #[must_use]
    pub fn distribution(&self, input: impl Into<Option<WordId>>) -> Option<Vec<(WordId, f64)>> {
        self.distribution_over(input, |_| true)
    }

    /// The same of the outputs that are asked for alone, which takes less time.
    pub fn distribution_over(
        &self,
        input: impl Into<Option<WordId>>,
        is_asked: impl Fn(WordId) -> bool,
    ) -> Option<Vec<(WordId, f64)>> {
        let is_said = |word| is_asked(self.substitutes.said(word));
        let shares = self.words.distribution(&self.table, input.into(), is_said)?;
        Some(self.substitutes.moved(shares))
    }

    /// c and e(y) with P(y|input) = c·P(y|unknown word) + e(y): the words y with e(y) > 0, by row, each once. `None` if
    /// the mechanism makes most words more likely than an unknown word does.
    #[must_use]
    pub fn surplus(&self, input: impl Into<Option<WordId>>) -> Option<(f64, Vec<(WordId, f64)>)> {
        let (factor, shares) = self.words.surplus(&self.table, input.into())?;
        Some((factor, self.substitutes.moved(shares)))
    }

    /// The words that may be written where this one was drawn, except for itself (SPEC.md, section 5.1).
    #[must_use]
    pub fn rewritten(&self, drawn: WordId) -> Vec<WordId> {
        self.mender.as_ref().map_or_else(Vec::new, |mender| mender.rewritten(self.forms(), drawn))
    }

    /// What `token` (one word) may turn into, if it is drawn: its `most` likely outputs (up to 1000). That an option may
    /// show it in clear does not count. Probabilities are exact where [`Privatizer::distribution`] has them. Else they are
    /// estimated from draws of `rng`, which release nothing.
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`].
    pub fn alternatives<R: CryptoRng + ?Sized>(
        &self,
        token: &str,
        most: usize,
        rng: &mut R,
    ) -> Result<Alternatives, Error> {
        let (kind, token) = first_token(token)?;
        let reading = look_up(&self.table, kind, &token);
        let exact = self.distribution(reading.row);
        let estimated = exact.is_none();
        let shares = exact.unwrap_or_else(|| self.simulated(reading.row, SIMULATED_DRAWS, rng));
        let alternative = |(word, probability)| {
            let distance = self.distance(reading.row, word);
            Alternative { word, probability, distance, factor: libm::exp(self.nats(distance)) }
        };
        let outputs = most_probable(&shares, most.min(MOST_ALTERNATIVES)).into_iter().map(alternative).collect();
        Ok(Alternatives { reading, estimated, outputs })
    }

    /// How far `word` is from `input`, in units of the table: from the point where noise is added to an unknown word,
    /// and as far as the mechanism's distances count where there is no such point.
    #[must_use]
    pub fn distance(&self, input: impl Into<Option<WordId>>, word: WordId) -> f64 {
        match input.into() {
            Some(input) => self.table.distance(input, word),
            None => self.words.distance_of_unknown(&self.table, word),
        }
    }

    /// The bound that is proved of two words at this distance.
    fn nats(&self, distance: f64) -> f64 {
        let worst = self.proof.loss.epsilon;
        match self.proof.eta {
            Some((eta, Metric::Euclidean)) => (eta * distance).min(worst),
            Some((eta, Metric::Truncated(gamma))) => (eta * distance.min(gamma)).min(worst),
            Some((_, Metric::Mahalanobis(_))) | None => worst,
        }
    }

    /// An output of one word is at least this many times as likely for any other word. It is e^(−ε), or 0 if nothing is
    /// proved of some words.
    pub(crate) fn least_ratio(&self) -> f64 {
        let Proof { loss, same_class, .. } = &self.proof;
        if *same_class || loss.delta > 0.0 { 0.0 } else { libm::exp(-loss.epsilon) }
    }

    /// The shares of the words that came out in this number of draws.
    pub(crate) fn simulated<R: CryptoRng + ?Sized>(
        &self,
        input: Option<WordId>,
        draws: u32,
        rng: &mut R,
    ) -> Vec<(WordId, f64)> {
        let mut counts = vec![0_u32; self.table.len()];
        for _ in 0..draws {
            counts[self.draw(input, rng).row()] += 1;
        }
        let share = |count: u32| f64::from(count) / f64::from(draws);
        self.table.rows().zip(counts).filter(|(_, count)| *count > 0).map(|(row, count)| (row, share(count))).collect()
    }
}

/// The `most` largest shares, largest first, the first of equals first. (A few out of many: insertion beats a
/// sort, in bytes too.)
pub(crate) fn most_probable(shares: &[(WordId, f64)], most: usize) -> Vec<(WordId, f64)> {
    let mut best: Vec<(WordId, f64)> = Vec::with_capacity(most.min(shares.len()) + 1);
    for share in shares {
        let place = best.iter().rposition(|better| better.1 >= share.1).map_or(0, |better| better + 1);
        if place < most {
            best.insert(place, *share);
            best.truncate(most);
        }
    }
    best
}

/// The first token of a text, or the text itself if it lacks tokens.
fn first_token(text: &str) -> Result<(TokenKind, String), Error> {
    let token = Piece::split(text)?.into_iter().find_map(|piece| match piece {
        Piece::Token { kind, text } => Some((kind, text)),
        Piece::Layout(_) => None,
    });
    Ok(token.unwrap_or_else(|| (TokenKind::Word, text.to_string())))
}
