//! Whether a text is mostly of another language than the table: then what comes out would be nonsense.
//!
//! # Privacy
//! It is decided before anything is drawn, and it depends on the words. No guarantee covers a refusal: it tells
//! everyone who sees it that the table does not know most words of the text.

use super::lookup::exactly;
use super::lowercase::lowercase;
use super::{Part, Piece, TokenKind};
use crate::{Error, Table, WordId};

/// Texts of fewer words are not judged.
const FEWEST_WORDS: u64 = 6;
/// The least mean frequency of words of the table's language, in steps of ZIPF. An unknown word counts as 0. (An
/// English sentence has about 110. A sentence of another language, read as English, has about 35.)
const LEAST_FREQUENCY: u64 = 50;
/// A table that has fewer words of this frequency or more knows too little of its language.
const FREQUENT: (usize, u8) = (500, 100);

/// What has been seen of a text.
pub(crate) struct Judge<'a> {
    table: &'a Table,
    words: u64,
    /// Without names.
    counted: u64,
    frequency: u64,
}

impl<'a> Judge<'a> {
    pub(crate) const fn new(table: &'a Table) -> Self {
        Self { table, words: 0, counted: 0, frequency: 0 }
    }

    /// Judges a text that has been split.
    pub(crate) fn judge(table: &'a Table, pieces: &[Piece]) -> Result<(), Error> {
        let mut judge = Self::new(table);
        for piece in pieces {
            if let Piece::Token { kind, text } = piece {
                judge.see(&Part::Token(*kind, text), |token| exactly(table, token));
            }
        }
        judge.verdict()
    }

    /// Takes the next part of the text into account. `exact` finds the word of the table that a token is.
    pub(crate) fn see(&mut self, part: &Part<'_>, exact: impl Fn(&str) -> Option<WordId>) {
        let Part::Token(TokenKind::Word, token) = part else { return };
        if !token.chars().any(is_letter) || token.contains(|c: char| c.is_ascii_digit()) {
            return;
        }
        self.words += 1;
        let frequency = exact(token).map(|row| self.table.zipf_step(row));
        // A word that the table does not know is no sign of anything where it may be a name.
        if frequency.is_some() || !looks_like_a_name(token) {
            self.counted += 1;
            self.frequency += u64::from(frequency.unwrap_or(0));
        }
    }

    /// Whether the text may be released.
    pub(crate) fn verdict(&self) -> Result<(), Error> {
        let is_other = self.words >= FEWEST_WORDS
            && self.frequency < LEAST_FREQUENCY * self.counted
            && self.table.has_frequent_words(FREQUENT);
        if is_other { Err(Error::OtherLanguage) } else { Ok(()) }
    }
}

/// A letter or a sign that is written like one, of any script: by whole blocks, which need no table.
fn is_letter(c: char) -> bool {
    matches!(c,
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{1fff}' | '\u{2c00}'..='\u{2dff}'
        | '\u{3040}'..='\u{d7ff}' | '\u{f900}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{ff21}'..='\u{ffdc}'
        | '\u{10000}'..='\u{1cfff}' | '\u{1e000}'..='\u{1efff}' | '\u{20000}'..='\u{3ffff}')
}

/// The first letter is a capital, and no other.
fn looks_like_a_name(token: &str) -> bool {
    let mut letters = token.chars();
    let is_capital = |c: char| !lowercase(core::iter::once(c)).eq([c]);
    letters.next().is_some_and(is_capital) && !letters.any(is_capital)
}

#[cfg(all(test, feature = "insecure-seeded-rng", feature = "embedded-table"))]
mod tests {
    use crate::{Disclosure, Drawing, Error, Mechanism, Privatizer, Table, seeded_rng};

    const OTHER: [&str; 4] = [
        "Ich habe seit drei Tagen starke Kopfschmerzen.",
        "Сегодня вечером я иду в кино с сестрой.",
        "ICH HABE SEIT DREI TAGEN STARKE KOPFSCHMERZEN",
        "今夜は妹と映画を見に行きます。",
    ];

    fn privatizer() -> Privatizer {
        let table = Table::english().expect("the built-in table");
        Privatizer::new(&table, Mechanism::new(table.default_mechanism()), Disclosure::default()).expect("the default")
    }

    #[test]
    fn a_text_of_another_language_is_refused_on_every_way_before_anything_is_drawn() {
        let privatizer = privatizer();
        for text in OTHER {
            let mut rng = seeded_rng([7; 32]);
            assert_eq!(privatizer.privatize(text, &mut rng).map(|_| ()), Err(Error::OtherLanguage), "{text}");
            assert_eq!(privatizer.privatize_text(text, &mut rng), Err(Error::OtherLanguage), "{text}");
            assert_eq!(Drawing::begin(&privatizer, text, &mut rng).map(|_| ()), Err(Error::OtherLanguage), "{text}");
            let again = privatizer.privatize("an English text", &mut rng).expect("English");
            let first = privatizer.privatize("an English text", &mut seeded_rng([7; 32])).expect("English");
            assert_eq!(again.text, first.text, "the generator has not been read");
        }
    }

    #[test]
    fn whoever_asks_for_any_language_gets_the_same_draw_and_the_same_key() {
        let (strict, any) = (privatizer(), privatizer().of_any_language());
        for text in ["My mother has lived in Berlin for ten years.", "Bonjour", ""] {
            let drawn = |privatizer: &Privatizer| {
                let release = privatizer.privatize(text, &mut seeded_rng([7; 32])).expect("accepted");
                (release.text, release.guarantee, privatizer.key(text, None).to_hex())
            };
            assert_eq!(drawn(&strict), drawn(&any), "{text}");
        }
        for text in OTHER {
            assert!(any.privatize(text, &mut seeded_rng([7; 32])).is_ok(), "{text}");
            assert!(any.privatize_text(text, &mut seeded_rng([7; 32])).is_ok(), "{text}");
            assert!(any.key(text, None) == strict.key(text, None), "{text}");
        }
    }

    #[test]
    fn names_numbers_and_addresses_are_of_every_language() {
        let privatizer = privatizer();
        for text in [
            "Tomomi Nishiyama, Rua do Arenque 1634, Goiânia, Przemek Kucharski, Dašická 688, Turkovice",
            "a1b2 c3d4 e5f6 g7h8 i9j0 k1l2 m3n4",
            "jan@beispiel.de, www.beispiel.de, eva@beispiel.de, www.ejemplo.es, ana@ejemplo.es, www.przyklad.pl",
            "Wie geht es dir denn?",
            "😀 😀 😀 😀 😀 😀 😀 😀",
        ] {
            assert!(privatizer.privatize(text, &mut seeded_rng([7; 32])).is_ok(), "{text}");
        }
    }
}
