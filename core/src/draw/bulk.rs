//! Releases without an account: what is privatized for others than the person at the device needs none, and a
//! text of a million words then takes no more memory than the text does.

use alloc::string::String;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::draw::privatizer::placeholder;
use crate::text::{Assembler, Part, cleaned, parts};
use crate::{Error, Privatizer, Reading, TokenKind, WordId};

/// How many parts of a text wait to be drawn together: so many that batches are full but for the last.
const TOGETHER: usize = 1024;

impl Privatizer {
    /// The text of a release and how many private words it has, which [`Privatizer::guarantee`] makes a
    /// guarantee of: what [`Privatizer::privatize`] gives for the same keystream, without the account.
    ///
    /// # Errors
    /// [`Error::TextTooLong`] above [`crate::MAX_TEXT_BYTES`]; nothing is released then.
    pub fn privatize_text<R: CryptoRng>(&self, text: &str, rng: &mut R) -> Result<(String, usize), Error> {
        let text = cleaned(text)?;
        let assembler = Assembler::new(text.len());
        let mut stretch = Stretch { privatizer: self, rng, assembler, fates: Vec::new(), inputs: Vec::new(), words: 0 };
        parts(&text, &mut |part| stretch.take(part));
        stretch.draw();
        Ok((stretch.assembler.finish(), stretch.words))
    }
}

/// What becomes of a part.
enum Fate<'a> {
    Layout(&'a str),
    Placeholder(TokenKind),
    Clear(WordId),
    Drawn,
}

/// A stretch of a text that is read and not yet drawn.
struct Stretch<'a, R> {
    privatizer: &'a Privatizer,
    rng: &'a mut R,
    assembler: Assembler,
    fates: Vec<Fate<'a>>,
    /// The inputs of those that are drawn.
    inputs: Vec<WordId>,
    /// How many have been drawn.
    words: usize,
}

impl<'a, R: CryptoRng> Stretch<'a, R> {
    fn take(&mut self, part: Part<'a>) {
        let fate = match part {
            Part::Layout(run) => Fate::Layout(run),
            Part::Token(kind, token) => match self.privatizer.read(kind, token) {
                (None, _) => Fate::Placeholder(kind),
                (Some(Reading { row, .. }), true) => Fate::Clear(row),
                (Some(Reading { row, .. }), false) => {
                    self.inputs.push(row);
                    Fate::Drawn
                }
            },
        };
        self.fates.push(fate);
        if self.fates.len() == TOGETHER {
            self.draw();
        }
    }

    fn draw(&mut self) {
        let (table, assembler) = (self.privatizer.table(), &mut self.assembler);
        let mut outputs = self.privatizer.draw_all(&self.inputs, self.rng).into_iter();
        for fate in self.fates.drain(..) {
            match fate {
                Fate::Layout(run) => assembler.layout(run),
                Fate::Placeholder(kind) => assembler.placeholder(placeholder(kind).unwrap_or_default()),
                Fate::Clear(row) => assembler.word(&table.word(row)),
                Fate::Drawn => outputs.next().into_iter().for_each(|row| assembler.word(&table.word(row))),
            }
        }
        self.words += self.inputs.len();
        self.inputs.clear();
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
                let disclosure = Disclosure { function_words, placeholders };
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
