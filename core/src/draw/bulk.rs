//! Releases without an account: what is privatized for others than the person at the device needs none, and a
//! text of a million words then takes no more memory than the text does.

#[cfg(feature = "bulk")]
mod readings;
#[cfg(feature = "bulk")]
mod spellings;

use alloc::string::String;
use alloc::vec::Vec;
#[cfg(feature = "bulk")]
use core::fmt;
use core::ops::Deref;

use crate::draw::stretch::Stretch;
use crate::text::{Judge, Part, exactly};
use crate::{Error, Privatizer, Reading, Redacted, ReleaseRng, TokenKind, WordId, look_up};
#[cfg(feature = "bulk")]
use {
    crate::Found, crate::Table, crate::draw::nearest_mass::sets::Sets, crate::mechanism::Words, readings::Readings,
    spellings::Spellings,
};

/// How many parts of a text wait to be drawn together. All batches except for the last are full.
const TOGETHER: usize = 1024;

/// What a release without an account is made by.
trait Source {
    fn privatizer(&self) -> &Privatizer;

    /// What the mechanism gets to see of a token.
    fn read(&self, kind: TokenKind, token: &str) -> Reading;

    /// The word of the table that a token is, if it is one.
    fn exact(&self, token: &str) -> Option<WordId>;

    /// Draws the words that take the places of `inputs`.
    fn draw(&self, inputs: &[Option<WordId>], rng: &mut ReleaseRng) -> Vec<WordId>;

    /// A word of the table.
    fn word(&self, word: WordId) -> impl Deref<Target = str>;

    /// The text of a release, and how many private words it has.
    fn release(&self, text: &Redacted<'_>, rng: &mut ReleaseRng) -> Result<(String, usize), Error> {
        let (length, text) = (text.len(), text.cleaned()?);
        let privatizer = self.privatizer();
        if !privatizer.is_of_any_language() {
            let mut judge = Judge::new(privatizer.table());
            text.parts(privatizer.lists(), &mut |part| judge.see(&part, |token| self.exact(token)));
            judge.verdict()?;
        }
        let mut assembler = privatizer.assembler(length);
        let (mut stretch, mut words) = (Stretch::new(), 0);
        let mut draw = |stretch: &mut Stretch<Part<'_>>| {
            words += stretch.draw(
                |inputs| self.draw(inputs, rng),
                |part, fate| match part {
                    Part::Layout(run) => assembler.layout(run),
                    Part::Token(kind, token) => {
                        assembler.token((kind, token), fate.and_then(|fate| fate.output), |word| self.word(word));
                    }
                },
            );
        };
        text.parts(privatizer.lists(), &mut |part| {
            let fate = match part {
                Part::Layout(_) => None,
                Part::Token(kind, token) => Some(self.privatizer().fate(kind, || self.read(kind, token))),
            };
            stretch.add(part, fate);
            if stretch.len() == TOGETHER {
                draw(&mut stretch);
            }
        });
        draw(&mut stretch);
        Ok((assembler.finish(), words))
    }
}

impl Source for Privatizer {
    fn privatizer(&self) -> &Privatizer {
        self
    }

    fn read(&self, kind: TokenKind, token: &str) -> Reading {
        look_up(self.table(), kind, token)
    }

    fn exact(&self, token: &str) -> Option<WordId> {
        exactly(self.table(), token)
    }

    fn draw(&self, inputs: &[Option<WordId>], rng: &mut ReleaseRng) -> Vec<WordId> {
        self.draw_all(inputs, rng)
    }

    fn word(&self, word: WordId) -> impl Deref<Target = str> {
        self.table().word(word)
    }
}

impl Privatizer {
    /// The text of a release and how many private words it has: what [`Privatizer::privatize`] gives for the same keystream,
    /// without the account. Its guarantee is [`Privatizer::guarantee`] of this number of words, then
    /// [`crate::Guarantee::of_draw`] of the same generator. If a detector saw the text, [`crate::Guarantee::of_redacted`]
    /// follows.
    ///
    /// # Errors
    /// As [`Privatizer::privatize`]; nothing is released then.
    pub fn privatize_text<'t>(
        &self,
        text: impl Into<Redacted<'t>>,
        rng: &mut ReleaseRng,
    ) -> Result<(String, usize), Error> {
        self.release(&text.into(), rng)
    }
}

/// Privatizes the texts of many people, on as many threads as share it. It remembers how tokens are read and, for the
/// mechanism `nearest`, which rows are near to a word: so many that memory is bounded, whatever the texts.
///
/// # Security
/// The time of a release tells which of its words an earlier text had. **Not for a device that holds one person's
/// texts**: there, [`Privatizer::privatize`] draws each word as if it were the first.
#[cfg(feature = "bulk")]
pub struct Bulk<'a> {
    privatizer: &'a Privatizer,
    /// For mechanisms that draw from them.
    sets: Option<Sets>,
    readings: Readings,
    spellings: Spellings,
}

/// Without its memory: that holds words.
#[cfg(feature = "bulk")]
impl fmt::Debug for Bulk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bulk").field("privatizer", &self.privatizer).finish_non_exhaustive()
    }
}

#[cfg(feature = "bulk")]
impl<'a> Bulk<'a> {
    /// With an empty memory.
    #[must_use]
    pub fn new(privatizer: &'a Privatizer) -> Self {
        Self::with_room(privatizer, Sets::MOST_BYTES)
    }

    /// With room for this number of bytes of sets.
    fn with_room(privatizer: &'a Privatizer, most_bytes: usize) -> Self {
        let table: &Table = privatizer.table();
        let sets = match privatizer.words() {
            Words::NearestMass(nearest) => Some(Sets::new(nearest, table, most_bytes)),
            _ => None,
        };
        Self { privatizer, sets, readings: Readings::new(), spellings: Spellings::new(table) }
    }

    /// The text of a release and how many private words it has: what [`Privatizer::privatize_text`] gives for the same
    /// keystream, in less time if its words were met before. Its guarantee is made in the same way.
    ///
    /// # Errors
    /// As [`Privatizer::privatize`]; nothing is released then.
    pub fn privatize_text<'t>(
        &self,
        text: impl Into<Redacted<'t>>,
        rng: &mut ReleaseRng,
    ) -> Result<(String, usize), Error> {
        self.release(&text.into(), rng)
    }
}

#[cfg(feature = "bulk")]
impl Source for Bulk<'_> {
    fn privatizer(&self) -> &Privatizer {
        self.privatizer
    }

    fn read(&self, kind: TokenKind, token: &str) -> Reading {
        self.readings.read(self.privatizer.table(), &self.spellings, kind, token)
    }

    fn exact(&self, token: &str) -> Option<WordId> {
        let Reading { row, found } = self.read(TokenKind::Word, token);
        row.filter(|_| found == Found::Exact)
    }

    fn draw(&self, inputs: &[Option<WordId>], rng: &mut ReleaseRng) -> Vec<WordId> {
        match (&self.sets, self.privatizer.words()) {
            (Some(sets), Words::NearestMass(nearest)) => {
                let mut drawn = sets.draw(nearest, self.privatizer.table(), inputs, rng);
                drawn.iter_mut().for_each(|word| *word = self.privatizer.substitutes().said(*word));
                drawn
            }
            _ => self.privatizer.draw_all(inputs, rng),
        }
    }

    fn word(&self, word: WordId) -> impl Deref<Target = str> {
        self.spellings.of(word)
    }
}

#[cfg(all(test, feature = "insecure-seeded-rng", feature = "embedded-table"))]
mod tests {
    use crate::{Disclosure, Mechanism, Privatizer, Table, seeded_rng};
    #[cfg(feature = "bulk")]
    use crate::{MechanismKind, Parameter, WordLists};

    const TEXT: &str = "\"Dr. Núñez\" wrote to jane@example.com on 2024-05-06: $4,000 (#1!) for 我们 and 😀😀, 50% off…\r\nwww.x.org? ";

    #[test]
    fn a_release_without_an_account_has_the_text_and_the_words_of_one_with_it() {
        let table = Table::english().expect("the built-in table");
        for function_words in [false, true] {
            for placeholders in [false, true] {
                let mechanism = Mechanism::new(table.default_mechanism());
                let plain_layout = function_words == placeholders;
                let disclosure = Disclosure { function_words, placeholders, plain_layout };
                let privatizer = Privatizer::new(&table, mechanism, disclosure).expect("the default");
                for text in ["", " ", &TEXT.repeat(60)] {
                    let whole = privatizer.privatize(text, &mut seeded_rng([7; 32])).expect("short");
                    let (brief, words) = privatizer.privatize_text(text, &mut seeded_rng([7; 32])).expect("short");
                    assert_eq!((brief, words), (whole.text, whole.guarantee.words));
                }
            }
        }
    }

    /// For the first time and again, with room for all sets, for some and for none.
    #[cfg(feature = "bulk")]
    #[test]
    fn a_release_from_memory_is_the_one_that_a_privatizer_makes() {
        let table = Table::english().expect("the built-in table");
        let certified = Mechanism::new(MechanismKind::Certified);
        let nearest = [(Parameter::Epsilon, 8.0), (Parameter::Mass, 0.003), (Parameter::FrequencyPower, 0.25)]
            .into_iter()
            .try_fold(Mechanism::new(MechanismKind::Nearest), |mechanism, (parameter, value)| {
                mechanism.with(parameter, value)
            })
            .expect("numbers in range");
        for mechanism in [certified, nearest] {
            for (function_words, placeholders) in [(false, false), (true, true)] {
                let disclosure = Disclosure { function_words, placeholders, plain_layout: function_words };
                let lists = WordLists::keeping(&["Example"])
                    .and_then(|lists| lists.never_saying(&["we", "that"]))
                    .expect("words");
                let privatizer = Privatizer::new(&table, mechanism, disclosure).expect("offered").with_lists(lists);
                let privatizer = privatizer.expect("words are left");
                for most_bytes in [0, 3000, usize::MAX] {
                    let bulk = super::Bulk::with_room(&privatizer, most_bytes);
                    for (seed, text) in [(1, ""), (2, TEXT), (3, &TEXT.repeat(30)), (4, TEXT)] {
                        let anew = privatizer.privatize_text(text, &mut seeded_rng([seed; 32])).expect("short");
                        let again = bulk.privatize_text(text, &mut seeded_rng([seed; 32])).expect("short");
                        assert_eq!(again, anew);
                    }
                }
            }
        }
    }
}
