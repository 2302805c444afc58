//! Spans that a detector found, words that are kept, and words that are never said.

use proptest::prelude::*;
use serde::Deserialize;
use textveil::{
    Disclosure, Drawing, Error, InTheClear, ListId, Mechanism, MechanismKind, Offsets, Parameter, Privatizer, Redacted,
    Span, Table, TokenKind, WordLists, normalize, seeded_rng, spelling,
};
use textveil_tests::{mechanism, rng, sha256, table, vectors};

const NONE: [&str; 0] = [];

fn lists(kept: &[&str], never_said: &[&str]) -> WordLists {
    WordLists::keeping(kept).and_then(|lists| lists.never_saying(never_said)).expect("lists")
}

/// Over a table of words in many forms, from which about every word comes out for every other.
fn privatizer(table: &Table, lists: WordLists, plain_layout: bool) -> Privatizer {
    let disclosure = Disclosure { plain_layout, ..Disclosure::for_people() };
    let privatizer = Privatizer::new(table, mechanism("exponential", 1e-5).expect("valid"), disclosure).expect("valid");
    privatizer.of_any_language().with_lists(lists).expect("words are left")
}

fn span(start: usize, end: usize, kind: &str) -> Span<'_> {
    Span { start, end, kind }
}

fn redacted<'a>(text: &'a str, spans: &[Span<'_>]) -> Result<Redacted<'a>, Error> {
    Redacted::new(text, spans, Offsets::Bytes)
}

/// The text of a release, and what its tokens are.
fn release(text: &str, spans: &[Span<'_>]) -> (String, Vec<(TokenKind, String)>) {
    let privatizer = privatizer(&table("mend.tvt"), WordLists::default(), false);
    let release = privatizer.privatize(redacted(text, spans).expect("spans"), &mut seeded_rng([1; 32])).expect("short");
    (release.text, release.account.into_iter().map(|entry| (entry.kind, entry.token)).collect())
}

/// What a text is made of: what stands outside of spans, and one more than there are of these what stands in them.
fn pieces() -> impl Strategy<Value = Vec<(String, String, String)>> {
    let outside = prop_oneof![
        4 => "[ -~]{0,12}",
        2 => Just(" ".to_owned()),
        2 => Just("@my-site.example.com, ".to_owned()),
        1 => Just(" +49 170 ".to_owned()),
        2 => any::<String>(),
    ];
    let inside = || prop_oneof![3 => ".{1,9}", 1 => Just("\r\n".to_owned()), 1 => Just("a b c.\u{301}".to_owned())];
    proptest::collection::vec((outside, inside(), inside()), 1..6)
}

fn with_spans(parts: impl Iterator<Item = (String, String)>) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut spans) = (String::new(), Vec::new());
    for (outside, inside) in parts {
        text.push_str(&outside);
        let start = text.len();
        text.push_str(&inside);
        spans.push((start, text.len()));
    }
    (text, spans)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_texts_that_differ_only_inside_spans_have_one_release_and_one_key(
        parts in pieces(), seed in any::<[u8; 32]>(), plain in any::<bool>(),
    ) {
        let table = table("mend.tvt");
        let privatizer = privatizer(&table, lists(&["Iphone"], &["apples"]), plain);
        let one = with_spans(parts.iter().map(|(outside, inside, _)| (outside.clone(), inside.clone())));
        let other = with_spans(parts.iter().map(|(outside, _, inside)| (outside.clone(), inside.clone())));
        let [one, other] = [one, other].map(|(text, spans)| {
            let spans: Vec<_> = spans.into_iter().map(|(start, end)| span(start, end, "PERSON")).collect();
            let text = Redacted::new(&text, &spans, Offsets::Bytes).expect("spans").map(normalize);
            let whole = privatizer.privatize(&text, &mut seeded_rng(seed)).expect("short");
            let (brief, words) = privatizer.privatize_text(&text, &mut seeded_rng(seed)).expect("short");
            assert_eq!((&brief, words), (&whole.text, whole.guarantee.words));
            let mut drawing = Drawing::begin(&privatizer, &text, seeded_rng(seed)).expect("short");
            while !drawing.advance(1) {}
            let sliced = drawing.finish();
            assert!((&sliced.text, &sliced.account) == (&whole.text, &whole.account));
            (whole, privatizer.key(&text, Some("field")).to_hex())
        });
        prop_assert_eq!(&one.0.text, &other.0.text);
        prop_assert_eq!(&one.0.guarantee, &other.0.guarantee);
        prop_assert!(one.0.account == other.0.account && one.1 == other.1);
        prop_assert!(one.0.guarantee.clear.contains(&InTheClear::Redactions));
        let placeholders = one.0.account.iter().filter(|entry| entry.kind == TokenKind::Redacted).count();
        prop_assert_eq!(placeholders, parts.len());
        prop_assert!(one.0.text.matches("[person]").count() >= parts.len());
    }

    #[test]
    fn places_count_what_the_language_counts(text in any::<String>(), from in 0..20_usize, length in 1..9_usize) {
        let characters: Vec<(usize, char)> = text.char_indices().skip(from).take(length).collect();
        prop_assume!(!characters.is_empty());
        let (start, taken) = (characters[0].0, characters.iter().map(|(_, c)| *c).collect::<String>());
        let before = &text[..start];
        let places = [
            (Offsets::Bytes, start, taken.len()),
            (Offsets::CodePoints, before.chars().count(), taken.chars().count()),
            (Offsets::Utf16, before.encode_utf16().count(), taken.encode_utf16().count()),
        ];
        let privatizer = privatizer(&table("mend.tvt"), WordLists::default(), false);
        let keys = places.map(|(offsets, start, length)| {
            let spans = [span(start, start + length, "name")];
            privatizer.key(Redacted::new(&text, &spans, offsets).expect("a span"), None).to_hex()
        });
        prop_assert!(keys[0] == keys[1] && keys[1] == keys[2]);
    }
}

#[test]
fn whatever_token_a_span_touches_goes_with_it_and_nothing_else_does() {
    use TokenKind::{Redacted, Word};
    let cases = [
        ("Smith saw films", (0, 5), &[(Redacted, "[name]"), (Word, "saw"), (Word, "films")][..]),
        ("Smith saw films", (0, 3), &[(Redacted, "[name]"), (Word, "saw"), (Word, "films")]),
        ("Smith saw films", (2, 8), &[(Redacted, "[name]"), (Word, "films")]),
        ("Smith saw films", (5, 6), &[(Redacted, "[name]"), (Word, "films")]),
        (
            "we saw jane@my-site.example.com now",
            (7, 11),
            &[(Word, "we"), (Word, "saw"), (Redacted, "[name]"), (Word, "now")],
        ),
        ("see https://example.com/jane-doe.", (24, 28), &[(Word, "see"), (Redacted, "[name]")]),
        ("#jane, #films", (1, 5), &[(Redacted, "[name]"), (Word, "#films")]),
        ("我们去", (3, 6), &[(Word, "我"), (Redacted, "[name]"), (Word, "去")]),
    ];
    for (text, (start, end), tokens) in cases {
        let (released, account) = release(text, &[span(start, end, "NAME")]);
        let tokens: Vec<_> = tokens.iter().map(|(kind, token)| (*kind, (*token).to_owned())).collect();
        assert!(account == tokens, "{text}: {:?}", account.iter().map(|(_, token)| token).collect::<Vec<_>>());
        assert_eq!(released.matches("[name]").count(), 1, "{text}");
    }
    assert_eq!(release("Smith", &[span(0, 5, "name")]).0, "[name]");
    assert_eq!(release("JaneSmith", &[span(4, 9, "family"), span(0, 4, "given_name")]).0, "[given-name] [family]");
}

#[test]
fn spans_that_overlap_are_one_if_it_is_clear_of_which_kind() {
    let text = "mail jane@example.com now";
    for spans in [
        vec![span(5, 21, "email"), span(10, 21, "url")],
        vec![span(10, 21, "url"), span(5, 21, "email")],
        vec![span(5, 21, "email"), span(5, 9, "person"), span(10, 21, "url")],
        vec![span(5, 12, "email"), span(9, 21, "EMAIL")],
        vec![span(5, 21, "email"), span(5, 21, "email")],
        vec![span(5, 12, "email"), span(9, 21, "email"), span(6, 20, "url")],
    ] {
        let (released, account) = release(text, &spans);
        assert_eq!(account.len(), 3, "{spans:?}: {released}");
        assert_eq!(released.split(' ').nth(1), Some("[email]"), "{spans:?}");
    }
    for (spans, refused) in [
        (vec![span(5, 12, "email"), span(9, 21, "url")], 1),
        (vec![span(9, 21, "url"), span(5, 12, "email")], 0),
        (vec![span(5, 21, "email"), span(5, 21, "url")], 1),
    ] {
        assert_eq!(redacted(text, &spans).err(), Some(Error::InvalidSpan(refused)), "{spans:?}");
    }
}

#[test]
fn a_span_that_is_none_is_refused_by_its_number() {
    let text = "é😀 x";
    let good = span(0, 2, "name");
    for (start, end) in [(0, 0), (2, 1), (1, 2), (0, 1), (2, 4), (0, 9), (9, 10), (8, usize::MAX), (usize::MAX, 0)] {
        let refused = redacted(text, &[good, span(start, end, "name")]).err();
        assert_eq!(refused, Some(Error::InvalidSpan(1)), "{start} {end}");
    }
    for (start, end) in [(0, 2), (1, 2)] {
        let refused = Redacted::new(text, &[span(start, end, "name")], Offsets::Utf16).err();
        assert_eq!(refused, Some(Error::InvalidSpan(0)), "half of a pair: {start} {end}");
    }
    for kind in ["", "1a", "-a", "_", "a b", "a]", "é", "a\n", "a.b", &"a".repeat(25)] {
        assert_eq!(redacted(text, &[good, span(6, 7, kind)]).err(), Some(Error::InvalidSpan(1)), "{kind:?}");
    }
    for kind in ["a", "PHONE_NUMBER", "us-ssn", "A1", &"a".repeat(24)] {
        assert!(redacted(text, &[good, span(6, 7, kind)]).is_ok(), "{kind}");
    }
    let message = Error::InvalidSpan(7).to_string();
    assert!(message.contains("number 7"), "{message}");
}

#[test]
fn a_detector_that_finds_nothing_changes_the_guarantee_and_no_draw() {
    let privatizer = privatizer(&table("mend.tvt"), WordLists::default(), false);
    let text = "we saw films";
    let drawn = |text: Redacted<'_>| privatizer.privatize(text, &mut seeded_rng([2; 32])).expect("short");
    let (plain, detected) = (drawn(text.into()), drawn(redacted(text, &[]).expect("no spans")));
    assert_eq!(plain.text, detected.text);
    assert!(!plain.guarantee.clear.contains(&InTheClear::Redactions));
    assert_eq!(detected.guarantee, plain.guarantee.clone().of_redacted());
    assert_eq!(detected.guarantee.clone().of_redacted(), detected.guarantee);
    assert!(privatizer.key(text, None) != privatizer.key(redacted(text, &[]).expect("no spans"), None));
}

#[test]
fn what_a_span_hides_does_not_count_for_the_length_or_the_language() {
    let hidden = "Ich habe seit drei Tagen starke Kopfschmerzen. ".repeat(30_000);
    let text = format!("We saw films {hidden}");
    let text = redacted(&text, &[span(13, text.len(), "note")]).expect("a span");
    let table = table("mend.tvt");
    let privatizer = Privatizer::new(&table, mechanism("exponential", 1.0).expect("valid"), Disclosure::default());
    let release = privatizer.expect("valid").privatize(&text, &mut seeded_rng([2; 32])).expect("short and English");
    assert!(release.text.ends_with(" [note]") && release.guarantee.words == 3);
    let long = "a ".repeat(1 << 20);
    let refused = privatizer_error(&redacted(&long, &[span(0, 1, "a")]).expect("a span"));
    assert_eq!(refused, Err(Error::TextTooLong));
}

fn privatizer_error(text: &Redacted<'_>) -> Result<(), Error> {
    privatizer(&table("mend.tvt"), WordLists::default(), false).check(text)
}

#[test]
fn a_kept_word_is_written_as_in_the_list_wherever_it_stands() {
    let kept = lists(&["TextVeil", "iphone", "Zürich", "films"], &NONE);
    let privatizer = privatizer(&table("mend.tvt"), kept, false);
    for (text, ends) in [
        ("TEXTVEIL", "TextVeil"),
        ("we saw. textveil", "TextVeil"),
        ("IPHONE", "iphone"),
        ("\u{feff}i\u{ad}Phone", "iphone"),
        ("we went to ZÜRICH", "Zürich"),
        ("Films", "films"),
    ] {
        let release = privatizer.privatize(text, &mut seeded_rng([3; 32])).expect("short");
        assert!(release.text.ends_with(ends), "{text}: {}", release.text);
        let entry = release.account.last().expect("a token");
        assert!(entry.kind == TokenKind::Kept && entry.clear && entry.token == ends && entry.output.is_none());
        assert_eq!(release.guarantee.words, release.account.len() - 1);
        assert_eq!(release.guarantee.clear.last(), Some(&InTheClear::KeptWords));
    }
    for text in ["textveils", "#textveil", "www.textveil.org", "textveil's"] {
        let release = privatizer.privatize(text, &mut seeded_rng([3; 32])).expect("short");
        assert!(release.account.iter().all(|entry| entry.kind != TokenKind::Kept), "{text}");
    }
    let text = redacted("textveil saw", &[span(0, 4, "name")]).expect("a span");
    let release = privatizer.privatize(&text, &mut seeded_rng([3; 32])).expect("short");
    assert!(release.text.starts_with("[name] "), "a span comes before a list");
}

#[test]
fn lists_are_told_apart_by_their_words_and_nothing_else() {
    let id = |kept: &[&str]| lists(kept, &NONE).kept_id();
    let expected = sha256("b\nZürich\n".as_bytes());
    assert_eq!(id(&["Zürich", "b", "b"]).map(|id| (id.words, id.to_hex())), Some((2, expected)));
    assert_eq!(id(&["b", "Zürich"]), id(&["Zürich", "b"]));
    assert_ne!(id(&["b", "zürich"]), id(&["b", "Zürich"]));
    assert_eq!((id(&[]), lists(&["a"], &NONE).never_said_id()), (None, None));
    let never = |words: &[&str]| lists(&NONE, words).never_said_id();
    assert_eq!(never(&["Films", "A"]), never(&["a", "films", "FILMS"]));
    assert_eq!(never(&["films"]).map(|id: ListId| id.to_hex()), Some(sha256(b"films\n")));
    let table = table("mend.tvt");
    let keys = [lists(&["films"], &NONE), lists(&NONE, &["films"]), lists(&["Films"], &NONE), WordLists::default()]
        .map(|lists| privatizer(&table, lists, false).key("we saw films", None).to_hex());
    assert!((0..4).all(|one| (0..one).all(|other| keys[one] != keys[other])));
    let key = |privatizer: Privatizer| {
        let privatizer = privatizer.with_lists(lists(&["films"], &["saw"])).expect("words are left");
        privatizer.as_drawn().key("we", None).to_hex()
    };
    let drawn_first = privatizer(&table, WordLists::default(), false).as_drawn();
    assert_eq!(key(privatizer(&table, WordLists::default(), false)), key(drawn_first), "the order does not count");
}

#[test]
fn a_list_that_is_none_is_refused_by_the_number_of_the_word() {
    let keep = |words: &[&str]| WordLists::keeping(words).err();
    let never = |words: &[&str]| WordLists::keeping(&["Kept"]).and_then(|lists| lists.never_saying(words)).err();
    for bad in ["", " ", "new york", "coca-cola", "a.", "jane@example.com", "170 1234567", "\u{200d}", &"a".repeat(65)]
    {
        assert_eq!(keep(&["fine", bad]), Some(Error::InvalidKeepWords(1)), "{bad:?}");
        assert_eq!(never(&["fine", bad]), Some(Error::InvalidNeverSay(1)), "{bad:?}");
    }
    assert_eq!(keep(&["Fine", "other", "fine"]), Some(Error::InvalidKeepWords(2)), "two forms");
    assert_eq!(never(&["other", "KEPT"]), Some(Error::InvalidNeverSay(1)), "a word that is kept");
    let many: Vec<String> = (0..1001).map(|n| format!("w{n}")).collect();
    assert_eq!(WordLists::keeping(&many).err(), Some(Error::InvalidKeepWords(1000)));
    assert_eq!(WordLists::default().never_saying(&many).err(), Some(Error::InvalidNeverSay(1000)));
    assert!(WordLists::keeping(&many[1..]).is_ok() && WordLists::default().never_saying(&many[1..]).is_ok());
    let table = table("toy.tvt");
    let mut words: Vec<String> =
        table.rows().filter(|row| table.is_offered(*row)).map(|row| table.word(row).to_string()).collect();
    words.sort_by_key(|word| (spelling(word), word.clone()));
    words.push("more".to_owned());
    let all = WordLists::default().never_saying(&words).expect("words");
    let refused = privatizer(&table, WordLists::default(), false).with_lists(all).err();
    assert_eq!(refused, Some(Error::InvalidNeverSay(words.len() - 2)), "the last one that could be said");
    words.remove(0);
    let some = WordLists::default().never_saying(&words).expect("words");
    assert!(privatizer(&table, WordLists::default(), false).with_lists(some).is_ok());
}

/// On a table with forms of words, drawn nearly at random, and mended.
#[test]
fn a_word_that_is_never_said_stands_in_none_of_20000_draws() {
    const FORBIDDEN: [&str; 6] = ["Apples", "a", "go", "film", "saw", "not"];
    let table = table("mend.tvt");
    let text = "a apples she goes to Canada. Many film stopped, an hour go ".repeat(40);
    let count = |privatizer: &Privatizer| {
        let (mut draws, mut said) = (0, 0);
        for seed in 0..50 {
            let release = privatizer.privatize(&text, &mut seeded_rng([seed; 32])).expect("short");
            draws += release.guarantee.words;
            let words = release.text.split([' ', '.', ',']).map(spelling);
            said += words.filter(|word| FORBIDDEN.iter().any(|forbidden| spelling(forbidden) == *word)).count();
            assert!(release.account.iter().all(|entry| entry.output.is_some_and(|row| table.is_offered(row))));
        }
        assert!(draws >= 20_000, "{draws}");
        said
    };
    let never = lists(&NONE, &FORBIDDEN);
    assert!(count(&privatizer(&table, WordLists::default(), false)) > 100);
    assert_eq!(count(&privatizer(&table, never.clone(), false)), 0);
    assert_eq!(count(&privatizer(&table, never.clone(), true)), 0);
    assert_eq!(count(&privatizer(&table, never, false).as_drawn()), 0);
}

#[test]
fn what_is_said_instead_is_the_nearest_word_whatever_was_typed() {
    let table = table("mend.tvt");
    let (plain, strict) = (
        privatizer(&table, WordLists::default(), false),
        privatizer(&table, lists(&NONE, &["apples", "hour", "she"]), false),
    );
    let forbidden: Vec<_> = ["apples", "hour", "she"].map(|word| table.find(word).expect("a word")).into();
    let nearest = |word| {
        let others = table.rows().filter(|row| table.is_offered(*row) && !forbidden.contains(row));
        others.min_by_key(|row| table.distance_squared(word, *row)).expect("others")
    };
    let said = |word| if forbidden.contains(&word) { nearest(word) } else { word };
    for input in [None, table.find("go"), table.find("apples")] {
        let (mut one, mut other) = (seeded_rng([5; 32]), seeded_rng([5; 32]));
        for _ in 0..2000 {
            assert_eq!(strict.draw(input, &mut other), said(plain.draw(input, &mut one)));
        }
        let shares = strict.distribution(input).expect("exact");
        let sum: f64 = shares.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9 && shares.iter().all(|(row, _)| !forbidden.contains(row)));
        for (row, share) in &shares {
            let moved = plain.distribution(input).expect("exact").into_iter().filter(|(drawn, _)| said(*drawn) == *row);
            let moved: f64 = moved.map(|(_, share)| share).sum();
            assert!((share - moved).abs() < 1e-12);
        }
        let one = shares[0].0;
        assert!(strict.surplus(input).is_none(), "every word may be more likely");
        assert_eq!(strict.distribution_over(input, |row| row == one), Some(vec![shares[0]]));
    }
    let settings = [(Parameter::Epsilon, 2.0), (Parameter::Mass, 0.2), (Parameter::FrequencyPower, 0.5)];
    let nearest = Mechanism::new(MechanismKind::Nearest);
    let nearest = settings.into_iter().try_fold(nearest, |nearest, (name, value)| nearest.with(name, value));
    let nearest = Privatizer::new(&table, nearest.expect("numbers"), Disclosure::default()).expect("valid");
    let nearest = nearest.with_lists(lists(&NONE, &["apples", "hour", "she"])).expect("words are left");
    let unknown = nearest.distribution(None).expect("exact");
    for input in [None, table.find("go"), table.find("apples")] {
        let (factor, surplus) = nearest.surplus(input).expect("few words are more likely");
        assert!(surplus.is_sorted_by_key(|(word, _)| *word) && surplus.len() < unknown.len());
        assert_eq!((factor == 1.0, surplus.is_empty()), (input.is_none(), input.is_none()));
        for ((word, share), (same, of_unknown)) in nearest.distribution(input).expect("exact").iter().zip(&unknown) {
            let more = surplus.iter().find(|(other, _)| other == word).map_or(0.0, |(_, more)| *more);
            assert!(word == same && (factor * of_unknown + more - share).abs() < 1e-15, "{word:?}");
        }
    }
    let function = Disclosure { function_words: true, ..Disclosure::default() };
    let open = Privatizer::new(&table, mechanism("exponential", 1e-5).expect("valid"), function).expect("valid");
    let open = open.of_any_language().with_lists(lists(&NONE, &["she"])).expect("words are left");
    let release = open.privatize("she she she", &mut seeded_rng([1; 32])).expect("short");
    assert!(release.guarantee.words == 3 && !release.text.to_lowercase().contains("she"), "it is drawn like others");
    assert!(
        open.guarantee(3)
            .statement()
            .contains("No word of a list of 1 is drawn or kept, except in placeholders. Every")
    );
}

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
    refusals: Vec<Refusal>,
}

type FoundSpans = Option<Vec<(usize, usize, String)>>;

#[derive(Deserialize)]
struct Case {
    table: String,
    eta: f64,
    text: String,
    spans: FoundSpans,
    keep_words: Vec<String>,
    never_say: Vec<String>,
    options: Options,
    seed: String,
    release: String,
    private_tokens: usize,
    account: Vec<Entry>,
    clear: Vec<String>,
    kept_words: Option<List>,
    never_said: Option<List>,
    key: String,
}

#[derive(Deserialize)]
struct Options {
    keep_function_words: bool,
    placeholders: bool,
    plain_layout: bool,
    as_drawn: bool,
}

#[derive(Deserialize)]
struct Entry {
    token: String,
    kind: String,
    fate: String,
    out: Option<usize>,
    written: Option<usize>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct List {
    words: u32,
    digest: String,
}

#[derive(Deserialize)]
struct Refusal {
    table: String,
    text: String,
    spans: FoundSpans,
    keep_words: Vec<String>,
    never_say: Vec<String>,
    error: String,
    place: usize,
}

fn taken_out<'a>(text: &'a str, spans: &FoundSpans) -> Result<Redacted<'a>, Error> {
    let Some(spans) = spans else { return Ok(Redacted::from(text).map(normalize)) };
    let spans: Vec<_> = spans.iter().map(|(start, end, kind)| span(*start, *end, kind)).collect();
    Ok(Redacted::new(text, &spans, Offsets::CodePoints)?.map(normalize))
}

fn word_lists(kept: &[String], never_said: &[String]) -> Result<WordLists, Error> {
    let [kept, never_said] =
        [kept, never_said].map(|words| words.iter().map(|word| normalize(word)).collect::<Vec<_>>());
    WordLists::keeping(&kept).and_then(|lists| lists.never_saying(&never_said))
}

#[test]
fn releases_are_those_of_the_reference() {
    let Vectors { cases, .. } = vectors("redaction.json");
    assert!(cases.len() > 90);
    for case in cases {
        let Options { keep_function_words: function_words, placeholders, plain_layout, as_drawn } = case.options;
        let disclosure = Disclosure { function_words, placeholders, plain_layout };
        let mechanism = mechanism("exponential", case.eta).expect("valid");
        let privatizer = Privatizer::new(&table(&case.table), mechanism, disclosure).expect("valid").of_any_language();
        let privatizer = if as_drawn { privatizer.as_drawn() } else { privatizer };
        let lists = word_lists(&case.keep_words, &case.never_say).expect("lists");
        let privatizer = privatizer.with_lists(lists).expect("words are left");
        let text = taken_out(&case.text, &case.spans).expect("spans");
        let release = privatizer.privatize(&text, &mut rng(&case.seed)).expect("short");
        assert_eq!(release.text, case.release, "{:?} {:?}", case.text, case.spans);
        assert_eq!(release.guarantee.words, case.private_tokens);
        assert_eq!(release.account.len(), case.account.len());
        for (ours, theirs) in release.account.iter().zip(&case.account) {
            assert_eq!((&*ours.token, ours.kind.name()), (&*theirs.token, &*theirs.kind));
            let [out, written] = [ours.output, ours.written].map(|word| word.map(|word| word.row()));
            assert_eq!((out, written, ours.clear), (theirs.out, theirs.written, theirs.fate != "private"));
        }
        assert_eq!(release.guarantee.clear.iter().map(|item| item.name()).collect::<Vec<_>>(), case.clear);
        let list = |id: ListId| List { words: id.words, digest: id.to_hex() };
        let guarantee = &release.guarantee;
        assert_eq!(
            (guarantee.kept_words.map(list), guarantee.never_said.map(list)),
            (case.kept_words, case.never_said)
        );
        assert_eq!(privatizer.key(&text, None).to_hex(), case.key);
    }
}

#[test]
fn refusals_are_those_of_the_reference() {
    let Vectors { refusals, .. } = vectors("redaction.json");
    assert!(refusals.len() > 30);
    for case in refusals {
        let refused = taken_out(&case.text, &case.spans).map(drop).and_then(|()| {
            let lists = word_lists(&case.keep_words, &case.never_say)?;
            privatizer(&table(&case.table), WordLists::default(), false).with_lists(lists).map(drop)
        });
        let error = refused.expect_err("refused");
        assert_eq!(error.code(), case.error, "{:?} {:?} {:?}", case.spans, case.keep_words, case.never_say);
        assert!(error.to_string().contains(&format!("number {} of the list", case.place)), "{error}");
    }
}
