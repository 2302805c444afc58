//! Whether a text can be a release: words of the table and the marks between them, as many as were drawn.
//!
//! A release is made of public layout and words that the table offers (`tests/reference/SPEC.md`, sections 2 and 5), in
//! small letters but where a sentence begins and where the table has a name. What is typed seldom is: a name, a spelling,
//! a capital, an emoji, a number that the table does not have betrays it.

use textveil::{Disclosure, Flags, Piece, Table};

/// What a text may be made of.
pub(crate) struct Shape<'a> {
    /// The words.
    pub(crate) table: &'a Table,
    /// What may stand between those that were drawn.
    pub(crate) clear: Disclosure,
}

/// How many words a text may have been drawn from.
#[derive(Clone, Copy, Default)]
struct Count {
    fewest: usize,
    most: usize,
}

const PLACEHOLDERS: [&str; 3] = ["[email]", "[url]", "[number]"];

/// What may stand beside words where the layout is plain.
const PLAIN: [&str; 3] = [" ", ". ", "."];

/// The marks of the layout.
const MARKS: [char; 12] = ['.', ',', ';', ':', '!', '?', '\'', '"', '(', ')', '-', '/'];

impl Shape<'_> {
    /// Whether the text can have come out of so many draws.
    pub(crate) fn fits(&self, text: &str, drawn: usize) -> bool {
        self.count(text).is_some_and(|count| (count.fewest..=count.most).contains(&drawn))
    }

    fn count(&self, text: &str) -> Option<Count> {
        let mut total = Count::default();
        let mut sentence_may_begin = true;
        for stretch in self.between_placeholders(text) {
            let pieces = Piece::split(stretch).ok()?;
            let mut canonical = String::with_capacity(stretch.len());
            for piece in &pieces {
                match piece {
                    Piece::Layout(run) if self.clear.plain_layout && !PLAIN.contains(&run.as_str()) => return None,
                    Piece::Layout(run) => {
                        canonical.push_str(run);
                        sentence_may_begin |= may_end_sentence(run);
                    }
                    Piece::Token { text: token, .. } => {
                        canonical.push_str(token);
                        let found = self.words_of(token, sentence_may_begin)?;
                        total.fewest += found.fewest;
                        total.most += found.most;
                        sentence_may_begin = false;
                    }
                }
            }
            // Invisible characters and look-alikes are none of a release's, and splitting has dropped them.
            if canonical != stretch {
                return None;
            }
            // Behind it stands a placeholder, and no sentence begins within one.
            sentence_may_begin = false;
        }
        Some(total)
    }

    fn between_placeholders<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut stretches = vec![text];
        if self.clear.placeholders {
            for placeholder in PLACEHOLDERS {
                stretches = stretches.into_iter().flat_map(|stretch| stretch.split(placeholder)).collect();
            }
        }
        stretches
    }

    /// The words of a token. It is one; or it is several that were typed with a mark and no space between them, which
    /// read as one token now that other words stand there (`and/or`, `7,20`).
    fn words_of(&self, token: &str, may_begin: bool) -> Option<Count> {
        let whole = self.word(token, may_begin);
        let mut parts = token.split(MARKS).filter(|part| !part.is_empty()).peekable();
        parts.peek()?;
        let several = parts.enumerate().try_fold(Count::default(), |sum, (place, part)| {
            let one = self.word(part, may_begin && place == 0)?;
            Some(Count { fewest: sum.fewest + one.fewest, most: sum.most + one.most })
        });
        match (whole, several) {
            (Some(one), Some(several)) => Some(Count { fewest: one.fewest.min(several.fewest), most: several.most }),
            (one, several) => one.or(several),
        }
    }

    /// A word as a release spells it.
    fn word(&self, spelled: &str, may_begin: bool) -> Option<Count> {
        let small = spelled.to_ascii_lowercase();
        let row = self.table.find(&small).filter(|row| self.table.is_offered(*row))?;
        let (first, rest) = (spelled.get(..1)?, spelled.get(1..)?);
        let is_i = small == "i" || small.starts_with("i'");
        let is_name = self.table.flags(row).intersects(Flags::NAME);
        let is_small = small.starts_with(first);
        let capital_fits = if is_name { first == first.to_ascii_uppercase() } else { is_small || may_begin || is_i };
        let spelled_well = capital_fits && small.ends_with(rest);
        let in_clear = self.clear.function_words && self.table.is_function_word(row);
        spelled_well.then_some(Count { fewest: usize::from(!in_clear), most: 1 })
    }
}

/// Whether a sentence may begin behind this layout.
fn may_end_sentence(run: &str) -> bool {
    let ended = run.find(['.', '!', '?']).and_then(|at| run.get(at..)).is_some_and(|rest| rest.contains([' ', '\t']));
    ended || run.contains('\n')
}
