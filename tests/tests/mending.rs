//! Words are mended after the draw: what is written is a function of the drawn words and the layout alone.

use proptest::prelude::*;
use textveil::{Disclosure, Drawing, Piece, Privatizer, Release, Table, TokenAccount, WordId, seeded_rng};
use textveil_tests::{mechanism, table};

/// Over a table of words in many forms. Which word goes in hardly matters for what is drawn.
fn privatizer(table: &Table, eta: f64, plain_layout: bool) -> Privatizer {
    let disclosure = Disclosure { plain_layout, ..Disclosure::default() };
    Privatizer::new(table, mechanism("exponential", eta).expect("valid"), disclosure).expect("valid").of_any_language()
}

/// Texts of one layout: what stands between the words, and the words of each.
fn layouts() -> impl Strategy<Value = Vec<&'static str>> {
    let gap =
        prop_oneof![8 => Just(" "), 1 => Just("  "), 1 => Just(", "), 1 => Just(". "), 1 => Just("\n"), 1 => Just("/")];
    proptest::collection::vec(gap, 1..60)
}

fn text(gaps: &[&str], words: &[&str], from: usize) -> String {
    gaps.iter().zip(words.iter().cycle().skip(from)).flat_map(|(gap, word)| [*word, *gap]).collect()
}

fn rows(account: &[TokenAccount], of: impl Fn(&TokenAccount) -> Option<WordId>) -> Vec<Option<WordId>> {
    account.iter().map(of).collect()
}

fn changed(release: &Release) -> usize {
    release.account.iter().filter(|entry| entry.written != entry.output).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_texts_with_the_same_draws_and_the_same_layout_are_written_alike(
        gaps in layouts(), seed in any::<[u8; 32]>(), from in 0..7_usize, plain in any::<bool>(),
    ) {
        let table = table("mend.tvt");
        let privatizer = privatizer(&table, 1e-5, plain);
        let texts = [
            text(&gaps, &["a", "apples", "she", "go", "to", "Canada", "stopped"], from),
            text(&gaps, &["XQA", "many", "xqb", "Iphone", "I've", "hours", "😀"], 0),
        ];
        let [one, other] = texts.map(|text| privatizer.privatize(&text, &mut seeded_rng(seed)).expect("short"));
        if rows(&one.account, |entry| entry.output) == rows(&other.account, |entry| entry.output) {
            prop_assert_eq!(&one.text, &other.text);
            prop_assert!(rows(&one.account, |entry| entry.written) == rows(&other.account, |entry| entry.written));
        }
    }

    #[test]
    fn a_word_becomes_an_offered_one_and_only_where_one_space_stands_before_or_behind_it(
        gaps in layouts(), seed in any::<[u8; 32]>(), plain in any::<bool>(),
    ) {
        let table = table("mend.tvt");
        let input = text(&gaps, &["a", "apples", "she", "go", "to", "canada", "stopped"], 0);
        let mended = privatizer(&table, 0.1, plain);
        let release = mended.privatize(&input, &mut seeded_rng(seed)).expect("short");
        let as_drawn = mended.as_drawn().privatize(&input, &mut seeded_rng(seed)).expect("short");
        prop_assert_eq!(changed(&as_drawn), 0);
        prop_assert!(rows(&as_drawn.account, |entry| entry.output) == rows(&release.account, |entry| entry.output));
        let joins = |gap: Option<&&str>| match gap {
            Some(gap) if plain => !gap.contains('.'),
            gap => gap == Some(&" "),
        };
        for (at, entry) in release.account.iter().enumerate() {
            let written = entry.written.expect("no placeholder");
            prop_assert!(table.is_offered(written));
            let is_article = ["a", "an"].contains(&&*table.word(written));
            let beside = if is_article { gaps.get(at) } else { at.checked_sub(1).and_then(|before| gaps.get(before)) };
            prop_assert!(entry.written == entry.output || joins(beside), "{:?}", release.text);
        }
        // The text consists of the layout and the words of the account, apart from capitals.
        let layout = |text: &str| {
            let pieces = Piece::split(text).expect("short").into_iter();
            pieces.filter(|piece| matches!(piece, Piece::Layout(_))).collect::<Vec<_>>()
        };
        prop_assert_eq!(layout(&release.text), layout(&as_drawn.text));
        let mut left = release.text.to_lowercase();
        for entry in &release.account {
            let word = entry.written.map(|row| table.word(row).to_string()).expect("no placeholder");
            let at = left.find(|c: char| !" \n,./".contains(c)).expect("a word");
            prop_assert!(left[at..].starts_with(&word), "{left:?} {word:?}");
            left.drain(..at + word.len());
        }
    }

    #[test]
    fn however_a_text_is_privatized_the_same_words_are_written(
        gaps in layouts(), seed in any::<[u8; 32]>(), plain in any::<bool>(), slice in 1..9_usize,
    ) {
        let table = table("mend.tvt");
        // Longer than what is drawn together in bulk.
        let input = text(&gaps.repeat(1200 / gaps.len() + 1), &["a", "apples", "she", "go", "to", "canada"], 0);
        let privatizer = privatizer(&table, 0.1, plain);
        let release = privatizer.privatize(&input, &mut seeded_rng(seed)).expect("short");
        let mut sliced = Drawing::begin(&privatizer, &input, seeded_rng(seed)).expect("short");
        while !sliced.advance(slice) {}
        prop_assert_eq!(&sliced.finish().text, &release.text);
        prop_assert_eq!(privatizer.privatize_text(&input, &mut seeded_rng(seed)).expect("short").0, release.text);
    }
}

/// The property above is about many texts: equal draws are not the exception.
#[test]
fn texts_with_the_same_draws_are_common_and_words_are_mended_in_them() {
    let table = table("mend.tvt");
    let privatizer = privatizer(&table, 1e-5, false);
    let (mut equal, mut mended) = (0, 0);
    for seed in 0..100 {
        let drawn = ["a apples she go to canada stopped", "XQA many xqb Iphone I've hours 😀"];
        let [one, other] = drawn.map(|text| privatizer.privatize(text, &mut seeded_rng([seed; 32])).expect("short"));
        if rows(&one.account, |entry| entry.output) == rows(&other.account, |entry| entry.output) {
            equal += 1;
            mended += changed(&one);
        }
    }
    assert!(equal >= 90 && mended >= 20, "{equal} {mended}");
}
