//! Releases without an account: what is privatized for others than the person at the device needs none, and a
//! text of a million words then takes no more memory than the text does.

use alloc::string::String;

use rand_core::CryptoRng;

use crate::draw::stretch::Stretch;
use crate::text::{Assembler, Judge, Part, cleaned, parts};
use crate::{Error, Privatizer};

/// How many parts of a text wait to be drawn together: so many that batches are full but for the last.
const TOGETHER: usize = 1024;

impl Privatizer {
    /// The text of a release and how many private words it has, which [`Privatizer::guarantee`] makes a
    /// guarantee of: what [`Privatizer::privatize`] gives for the same keystream, without the account.
    ///
    /// # Errors
    /// As [`Privatizer::privatize`]; nothing is released then.
    pub fn privatize_text<R: CryptoRng>(&self, text: &str, rng: &mut R) -> Result<(String, usize), Error> {
        let text = cleaned(text)?;
        if !self.is_of_any_language() {
            let mut judge = Judge::new(self.table());
            parts(&text, &mut |part| judge.see(&part));
            judge.verdict()?;
        }
        let mut assembler = Assembler::new(text.len(), self.disclosure().plain_layout);
        let (mut stretch, mut words) = (Stretch::new(), 0);
        let mut draw = |stretch: &mut Stretch<Part<'_>>| {
            words += stretch.draw(self, rng, |part, fate| match part {
                Part::Layout(run) => assembler.layout(run),
                Part::Token(kind, _) => assembler.token(self.table(), kind, fate.and_then(|fate| fate.output)),
            });
        };
        parts(&text, &mut |part| {
            let fate = match part {
                Part::Layout(_) => None,
                Part::Token(kind, token) => Some(self.fate(kind, token)),
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

#[cfg(all(test, feature = "insecure-seeded-rng", feature = "embedded-table"))]
mod tests {
    use crate::{Disclosure, Mechanism, Privatizer, Table, seeded_rng};

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
}
