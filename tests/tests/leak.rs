//! Only declared layout passes in clear: on sentences full of names, addresses and numbers, and on text made to slip
//! through.
#![cfg(feature = "english")]

use std::collections::BTreeSet;

use rand_core::Rng;
use textveil::{Bulk, Disclosure, Piece, Privatizer, Release, ReleaseRng, Table, look_up, normalize};
use textveil_tests::{data, experiment, mechanism, table};

const LAYOUT: &str = " \t\n.,;:!?'\"()-/";

/// Everything the leak tests claim about one release of `text`, drawn with the generator that `draws` is a
/// fresh copy of.
fn check(privatizer: &Privatizer, text: &str, release: &Release, mut draws: ReleaseRng) {
    let table = privatizer.table();
    let mut expected = String::new();
    let mut account = release.account.iter();
    let mut after_token = false;
    for piece in Piece::split(text).expect("short") {
        match piece {
            Piece::Layout(run) => {
                assert!(run.chars().all(|c| LAYOUT.contains(c)), "{text:?}: {run:?} is not layout");
                expected.push_str(&run);
                after_token = false;
            }
            Piece::Token { kind, text: token } => {
                let entry = account.next().expect("every token is accounted for");
                // What came out is what the mechanism draws for the token's row, and nothing else of the
                // token has a say in it.
                let row = look_up(table, kind, &token).row;
                let drawn = privatizer.draw(row, &mut draws);
                assert_eq!(
                    (entry.reading.map(|reading| reading.row), entry.output),
                    (Some(row), Some(drawn)),
                    "{text:?}"
                );
                assert!(table.is_offered(drawn), "{text:?}: a word that is never offered came out");
                // What is written may be another form of it; `mending.rs` tests what that depends on.
                let written = entry.written.expect("no placeholder");
                assert!(table.is_offered(written), "{text:?}: a word that is never offered is written");
                if after_token {
                    expected.push(' ');
                }
                expected.push_str(&table.word(written));
                after_token = true;
            }
        }
    }
    assert!(account.next().is_none());
    assert!(
        release.text.eq_ignore_ascii_case(&expected),
        "{text:?}: {:?} is not made of layout and drawn words",
        release.text
    );

    // The same, seen from outside: a private token that can be read in the release is a word that the
    // mechanism drew.
    let drawn: BTreeSet<String> =
        release.account.iter().filter_map(|entry| entry.written).map(|row| table.word(row).to_string()).collect();
    let tokens: BTreeSet<String> = release.account.iter().map(|entry| entry.token.to_lowercase()).collect();
    for shown in release
        .text
        .split([' ', '\t', '\n', '.', ',', ';', ':', '!', '?', '"', '(', ')', '-', '/'])
        .map(str::to_lowercase)
    {
        assert!(
            !tokens.contains(&shown) || drawn.contains(&shown) || shown.chars().all(|c| c == '\''),
            "{text:?}: {shown:?} leaked"
        );
    }
}

fn privatizers(table: &Table) -> Vec<Privatizer> {
    let prepare = |(name, eta)| {
        Privatizer::new(table, mechanism(name, eta).expect("valid"), Disclosure::default())
            .expect("valid")
            .of_any_language()
    };
    [("exponential", 4.0), ("exponential", 18.0), ("metric-laplace", 30.0)].into_iter().map(prepare).collect()
}

fn check_all(texts: impl Iterator<Item = String>) -> usize {
    let table = table("english.tvt");
    let privatizers = privatizers(&table);
    let mut checked = 0;
    for (number, text) in texts.enumerate() {
        let text = normalize(&text);
        let privatizer = &privatizers[number % privatizers.len()];
        let release = privatizer.privatize(&text, &mut experiment(number as u8)).expect("short");
        check(privatizer, &text, &release, experiment(number as u8));
        checked += 1;
    }
    checked
}

#[test]
fn printed_alternatives_hold_neither_the_word_nor_what_it_may_turn_into() {
    let table = table("english.tvt");
    let alternatives = privatizers(&table)[0].alternatives("chemotherapy", 3, &mut experiment(1)).expect("a word");
    let outputs = "[Alternative { .. }, Alternative { .. }, Alternative { .. }]";
    assert_eq!(format!("{:?}", alternatives.outputs), outputs);
    assert_eq!(format!("{alternatives:?}"), "Alternatives { estimated: false, .. }");
}

#[test]
fn what_draws_is_printed_without_the_words_that_it_has_read() {
    let table = table("english.tvt");
    let privatizer = &privatizers(&table)[0];
    let bulk = Bulk::new(privatizer);
    bulk.privatize_text("chemotherapy chemotherapi", &mut experiment(2)).expect("short");
    let printed = format!("{bulk:?}");
    assert!(printed.starts_with("Bulk { privatizer: Privatizer {") && !printed.contains("chemo"), "{printed}");
}

#[test]
fn sentences_with_personal_data_leave_only_drawn_words() {
    let file = data("presidio_synth_v2.tsv");
    let texts = file.lines().skip(1).map(|line| line.split_once('\t').expect("two columns").1.to_string());
    assert_eq!(check_all(texts), 1500);
}

#[test]
fn adversarial_unicode_leaves_only_drawn_words() {
    let mut rng = experiment(99);
    assert_eq!(check_all((0..2000).map(|_| adversarial(&mut rng))), 2000);
}

/// Ranges that slip through careless filters: controls, look-alikes, marks, scripts, emoji, private use, the
/// ends of planes.
const RANGES: [(u32, u32); 24] = [
    (0x00, 0x7f),
    (0x21, 0x40),
    (0x80, 0xff),
    (0x100, 0x24f),
    (0x2b0, 0x36f),
    (0x370, 0x52f),
    (0x590, 0x6ff),
    (0x900, 0x97f),
    (0xe00, 0xe7f),
    (0x1100, 0x11ff),
    (0x1680, 0x1680),
    (0x2000, 0x206f),
    (0x20a0, 0x20cf),
    (0x2100, 0x218f),
    (0x2460, 0x24ff),
    (0x3000, 0x30ff),
    (0x4e00, 0x4eff),
    (0xac00, 0xacff),
    (0xe000, 0xe0ff),
    (0xfe00, 0xffff),
    (0x1d400, 0x1d7ff),
    (0x1f1e6, 0x1f1ff),
    (0x1f300, 0x1faff),
    (0xe0000, 0x10ffff),
];

/// Fragments that the reading of special tokens must not let through when they are bent.
const FRAGMENTS: [&str; 20] = [
    "jane.doe@example.com",
    "https://example.com/?q=secret",
    "www.",
    "+1 (555) 010-9999",
    "4111 1111 1111 1111",
    "$5.99%",
    "John's",
    "O\u{2019}Brien",
    "e\u{301}\u{301}",
    "\u{200b}",
    "\u{1f469}\u{200d}\u{1f4bb}",
    "ﬁ",
    "１２３４５６７８",
    "Ｊａｎｅ",
    "\r\n",
    "@",
    "://",
    "....",
    "don't",
    "sooooo",
];

fn adversarial(rng: &mut impl Rng) -> String {
    let mut pick = |below: usize| (rng.next_u64() % below as u64) as usize;
    let mut text = String::new();
    for _ in 0..1 + pick(24) {
        if pick(3) == 0 {
            text.push_str(FRAGMENTS[pick(FRAGMENTS.len())]);
        } else {
            let (low, high) = RANGES[pick(RANGES.len())];
            text.extend((0..1 + pick(3)).filter_map(|_| char::from_u32(low + pick((high - low + 1) as usize) as u32)));
        }
        if pick(3) == 0 {
            text.push(' ');
        }
    }
    text
}
