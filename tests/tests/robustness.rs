//! Any bytes as a table, any string as a text: a result or a typed error, in bounded time, never a panic.

use proptest::prelude::*;
use textveil::{Drawing, Error, MAX_TEXT_BYTES, Piece, Table};
use textveil_tests::{experiment, privatizer, seal, table, table_bytes, table_file};

/// Uses every part of a table that was accepted.
fn exercise(table: &Table) {
    for (row, word) in table.words() {
        assert_eq!(table.find(&word), Some(row));
        let name = table.class_of(row).and_then(|class| table.class_name(class));
        assert_eq!(name.is_some(), table.classes().len() > 0);
    }
    for (name, eta) in [("exponential", 3.0), ("metric-laplace", 3.0)] {
        if (1e-6..=1e6 / table.scale()).contains(&eta) {
            let release =
                privatizer(table, name, eta).privatize("the cat, 12 dogs & a@b.cd", &mut experiment(1)).expect("short");
            assert!(release.account.iter().all(|entry| entry.output.is_some_and(|word| table.is_offered(word))));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_a_table_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(matches!(Table::parse(bytes), Err(Error::BadTable(_))));
    }

    /// Behind the checksum: every field can be wrong, and is then refused or harmless.
    #[test]
    fn a_damaged_table_is_refused_or_works(
        rows in prop::collection::vec(prop::collection::vec(any::<i8>().prop_map(|x| x.max(-127)), 3), 1..40),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut file = table_bytes(&rows, 0.5);
        for (at, byte) in damage {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(64 + cut.index(file.len() - 63));
        }
        seal(&mut file);
        if let Ok(table) = Table::parse(file) {
            exercise(&table);
        }
    }

    #[test]
    fn any_text_is_layout_and_tokens(text in any::<String>()) {
        let shown: usize = Piece::split(&text).expect("short").iter().map(|piece| match piece {
            Piece::Layout(run) | Piece::Token { text: run, .. } => {
                assert!(!run.is_empty());
                run.len()
            }
        }).sum();
        // Cleaning drops or shortens. An ellipsis keeps its three bytes.
        prop_assert!(shown <= text.len());
    }

    #[test]
    fn any_text_is_released_as_vocabulary_and_layout(text in any::<String>()) {
        let table = table("odd.tvt");
        let release = privatizer(&table, "exponential", 2.0).privatize(&text, &mut experiment(2)).expect("short");
        prop_assert_eq!(release.guarantee.words, release.account.len());
    }

    #[test]
    fn however_a_text_is_sliced_the_release_is_the_same(
        text in any::<String>(), slices in prop::collection::vec(0..4_usize, 0..20),
    ) {
        let privatizer = privatizer(&table("odd.tvt"), "exponential", 2.0);
        let whole = privatizer.privatize(&text, &mut experiment(3)).expect("short");
        let mut drawing = Drawing::begin(&privatizer, &text, experiment(3)).expect("short");
        let done = slices.iter().any(|most| drawing.advance(*most));
        prop_assert!(!done || slices.iter().sum::<usize>() >= whole.account.len());
        let sliced = drawing.finish();
        prop_assert_eq!((&sliced.text, &sliced.guarantee), (&whole.text, &whole.guarantee));
        prop_assert!(sliced.account == whole.account);
    }
}

#[test]
fn the_helper_writes_what_the_reader_reads() {
    exercise(&Table::parse(table_bytes(&vec![vec![1, 2, 3]; 40], 0.5)).expect("sound"));
    exercise(&table("toy.tvt"));
}

#[test]
fn a_table_with_one_changed_bit_is_refused() {
    let file = table_file("toy.tvt");
    for bit in (0..file.len() * 8).step_by(5) {
        let mut changed = file.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(matches!(Table::parse(changed), Err(Error::BadTable(_))), "bit {bit}");
    }
}

/// Runs that every rule reads far into before it gives up: quadratic work would take hours here.
#[test]
fn the_longest_texts_are_split_in_linear_time() {
    for unit in [
        "a",
        "1 ",
        "1-",
        "(",
        "+(1)",
        "a@",
        "a.b@c",
        "a@b.",
        "www.",
        "http://",
        "$1%",
        "%",
        "'",
        "e\u{301}",
        "\u{1f1e6}",
        "x\u{ad}",
        "1a",
        "\u{5d0}\"",
        "a_",
    ] {
        let text = unit.repeat(MAX_TEXT_BYTES / unit.len() - 1) + "a";
        assert!(!Piece::split(&text).expect("just short enough").is_empty());
    }
}

#[test]
fn ten_megabytes_of_one_word_are_refused_and_one_is_a_token() {
    assert_eq!(Piece::split(&"a".repeat(10 << 20)), Err(Error::TextTooLong));
    let table = table("odd.tvt");
    let release = privatizer(&table, "exponential", 2.0)
        .privatize(&"a".repeat(MAX_TEXT_BYTES), &mut experiment(3))
        .expect("just short enough");
    assert_eq!(release.account.len(), 1);
}

#[test]
fn an_empty_text_is_an_empty_release() {
    let release = privatizer(&table("odd.tvt"), "exponential", 2.0).privatize("", &mut experiment(4)).expect("short");
    assert_eq!((release.text.as_str(), release.guarantee.words, release.guarantee.epsilon_text), ("", 0, 0.0));
}
