//! Whether a text can be a release: words of the table and the marks between them, as many as were drawn.
//!
//! A release is made of public layout and words that the table offers (`tests/reference/SPEC.md`, sections 2 and 5), in
//! small letters but where a sentence begins and where the table has a name. What is typed seldom is: a name, a spelling,
//! a capital, an emoji, a number that the table does not have betrays it.

use textveil::{Disclosure, Flags, MAX_TEXT_BYTES, Piece, Placeholders, Table, WordLists};

/// What a text may be made of.
pub(crate) struct Shape<'a> {
    /// The words.
    pub(crate) table: &'a Table,
    /// What may stand between those that were drawn.
    pub(crate) clear: Disclosure,
    /// What may take the place of a token.
    pub(crate) placeholders: Placeholders,
    /// The words that stay in clear, in order.
    pub(crate) kept: &'a [String],
    /// The words that never come out.
    pub(crate) never_said: Option<&'a WordLists>,
}

/// How many words a text may have been drawn from.
#[derive(Clone, Copy, Default)]
struct Count {
    fewest: usize,
    most: usize,
}

/// What may stand next to words where the layout is plain.
const PLAIN: [&str; 3] = [" ", ". ", "."];

impl Shape<'_> {
    /// Whether the text can have come out of this number of draws.
    pub(crate) fn fits(&self, text: &str, drawn: usize) -> bool {
        self.count(text).is_some_and(|count| (count.fewest..=count.most).contains(&drawn))
    }

    fn count(&self, text: &str) -> Option<Count> {
        let mut total = Count::default();
        let mut sentence_may_begin = true;
        if text.len() > MAX_TEXT_BYTES {
            return None;
        }
        let stretches = self.placeholders.between(text);
        let last = stretches.len() - 1;
        for (place, stretch) in stretches.into_iter().enumerate() {
            let pieces = Piece::split(stretch).ok()?;
            // Between a placeholder and what stands next to it there is always some layout.
            let is_layout = |piece: Option<&Piece>| matches!(piece, Some(Piece::Layout(_)));
            let may_be_empty = place == 0 || place == last;
            if (place > 0 && !is_layout(pieces.first()) || place < last && !is_layout(pieces.last()))
                && !(pieces.is_empty() && may_be_empty)
            {
                return None;
            }
            let mut canonical = String::with_capacity(stretch.len());
            for piece in &pieces {
                match piece {
                    Piece::Layout(run) if self.clear.plain_layout && !PLAIN.contains(&run.as_str()) => return None,
                    Piece::Layout(run) => {
                        canonical.push_str(run);
                        sentence_may_begin |= piece.ends_sentence();
                    }
                    Piece::Token { text: token, .. } => {
                        canonical.push_str(token);
                        let found = self.words_of(token, piece.words(), sentence_may_begin)?;
                        total.fewest += found.fewest;
                        total.most += found.most;
                        sentence_may_begin = false;
                    }
                }
            }
            // No release has invisible characters or look-alikes, and splitting has dropped them.
            if canonical != stretch {
                return None;
            }
            // Behind it stands a placeholder, and no sentence begins within one.
            sentence_may_begin = false;
        }
        Some(total)
    }

    /// The words of a token. It is one; or it is several that were typed with a mark or a space between them, which read as
    /// one token now that other words stand there (`and/or`, `7,20`, `1983 1987`).
    fn words_of<'t>(&self, token: &str, parts: impl Iterator<Item = &'t str>, may_begin: bool) -> Option<Count> {
        let whole = self.word(token, may_begin);
        let mut parts = parts.peekable();
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

    /// A word as a release spells it. A kept one has its own form, and nothing is drawn for it.
    fn word(&self, spelled: &str, may_begin: bool) -> Option<Count> {
        let drawn = self.drawn(spelled, may_begin);
        if self.kept.binary_search_by(|word| word.as_str().cmp(spelled)).is_ok() {
            Some(Count { fewest: 0, ..drawn.unwrap_or_default() })
        } else {
            drawn
        }
    }

    fn drawn(&self, spelled: &str, may_begin: bool) -> Option<Count> {
        let small = spelled.to_ascii_lowercase();
        let row = self.table.find(&small).filter(|row| self.table.is_offered(*row))?;
        if self.never_said.is_some_and(|lists| lists.never_says(&small)) {
            return None;
        }
        let mut capital = small.clone();
        // Only a letter of ASCII becomes a capital (SPEC.md, section 5).
        if let Some(first) = capital.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let is_i = small == "i" || small.starts_with("i'");
        let is_name = self.table.flags(row).intersects(Flags::NAME);
        let may_be_capital = may_begin || is_i || is_name;
        let spelled_well = (spelled == capital && may_be_capital) || (spelled == small && !is_name);
        let in_clear = self.clear.function_words && self.table.is_function_word(row);
        spelled_well.then_some(Count { fewest: usize::from(!in_clear), most: 1 })
    }
}

#[cfg(test)]
mod tests {
    use textveil::{Mechanism, MechanismKind, Parameter, Privatizer, seeded_rng};

    use super::*;

    fn tables() -> [Table; 3] {
        let parsed = |bytes: &'static [u8]| Table::parse(bytes).expect("a table");
        [
            Table::english().expect("the embedded table"),
            parsed(include_bytes!("../../../tests/tables/mend.tvt")),
            parsed(include_bytes!("../../../tests/tables/odd.tvt")),
        ]
    }

    fn shape(table: &Table) -> Shape<'_> {
        Shape {
            table,
            clear: Disclosure::default(),
            placeholders: Placeholders::default(),
            kept: &[],
            never_said: None,
        }
    }

    #[test]
    fn a_placeholder_and_a_kept_word_stand_where_they_are_declared() {
        let [_, table, _] = tables();
        let kept = ["TextVeil".to_owned(), "films".to_owned()];
        let all = Placeholders { tokens: true, redactions: true };
        let open = Shape { placeholders: all, kept: &kept, ..shape(&table) };
        let tokens = Shape { placeholders: Placeholders { redactions: false, ..all }, ..shape(&table) };
        for (text, drawn) in
            [("we saw [person] films", 2), ("we saw [person] films", 3), ("[url]. We saw TextVeil", 2), ("[a-1]", 0)]
        {
            assert!(open.fits(text, drawn), "{text}");
            assert!(!shape(&table).fits(text, drawn), "{text}");
        }
        for text in ["we saw textveil", "we [Person] saw", "we [a b] saw", "we [] saw", "we [1a] saw", "we [a_b] saw"] {
            assert!(!open.fits(text, 2) && !open.fits(text, 3), "{text}");
        }
        assert!(tokens.fits("we [email] saw", 2) && !tokens.fits("we [person] saw", 2));
        let english = Table::english().expect("the built-in table");
        assert!(shape(&english).fits("in 1983 1987 or 1988", 5), "years side by side read as one long number");
    }

    #[test]
    fn a_release_fits_whatever_table_its_words_are_from() {
        for table in tables() {
            let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, 40.0).expect("in range");
            let privatizer =
                Privatizer::new(&table, mechanism, Disclosure::default()).expect("for words").of_any_language();
            let offered = table.rows().filter(|row| table.is_offered(*row));
            let words: Vec<String> =
                offered.step_by(1 + table.len() / 400).map(|row| table.word(row).to_string()).collect();
            let text = [words.join(" "), words.join(". "), words.join("\n")].join("! ");
            let shape = shape(&table);
            for seed in 0..8 {
                let release = privatizer.privatize(&text, &mut seeded_rng([seed; 32])).expect("a text of any language");
                assert!(shape.fits(&release.text, release.guarantee.words as usize), "{}", release.text);
            }
        }
    }

    #[test]
    fn a_capital_stands_where_a_release_has_one_and_nowhere_else() {
        let [_, table, _] = tables();
        let shape = shape(&table);
        for (text, words, what) in [
            ("we saw canada", 3, "a name in small letters"),
            ("june", 1, "the same at the start"),
            ("we saw CANADA", 3, "a name in capitals"),
            ("JUNE", 1, "the same at the start"),
            ("we saw Films", 3, "a capital that is not a name's"),
            ("wE saw films", 3, "a capital inside a word"),
            ("Über film", 2, "a capital that no release has"),
            ("it was. Über", 3, "the same behind a sentence"),
        ] {
            assert!(!shape.fits(text, words), "{what}");
        }
        for (text, words) in [
            ("we saw Canada", 3),
            ("We saw films. It was June", 6),
            ("June", 1),
            ("I saw films", 3),
            ("über film", 2),
            ("it was. über", 3),
            ("it was: 😀", 3),
        ] {
            assert!(shape.fits(text, words), "{text}");
        }
    }
}
