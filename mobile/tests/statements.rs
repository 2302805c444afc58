//! Whole texts and statements, as the foreign callers see them.

use std::collections::HashSet;
use std::thread;

use textveil::{InTheClear, StatementList, Unit};
use textveil_mobile::{
    Statement, StatementRelease, Statements, TextColumn, TextVeilError, build_statements, build_statements_of,
};

const ENCODER: &[u8] = include_bytes!("../../tests/tables/encoder.tvt");
const LINES: [&str; 5] =
    ["The app crashes.", "The app is good.", "The delivery was late.", "The price is high.", "It is bad."];
/// A small ε, at which every statement comes out.
const EPSILON: f64 = 0.1;

fn lines() -> Vec<String> {
    LINES.map(str::to_owned).to_vec()
}

fn list() -> Vec<u8> {
    build_statements(lines(), ENCODER.to_vec(), None, None).expect("a list")
}

fn exchanging(epsilon: f64, per_sentence: u32) -> Statements {
    Statements::new(list(), Some(ENCODER.to_vec()), Some(epsilon), None, per_sentence, false).expect("statements")
}

fn vector(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn code<T>(made: Result<T, TextVeilError>) -> String {
    made.err().map(|error| format!("{error:?}")).unwrap_or_default()
}

#[test]
fn a_text_is_exchanged_for_statements_of_the_list() {
    let statements = exchanging(EPSILON, 3);
    let release = statements.privatize("It is not good. The app crashes!", None).expect("a release");
    let of_the_list = |made: &Statement| LINES.get(made.number as usize).is_some_and(|line| *line == made.text);
    assert!(release.statements.len() == 3 && release.statements.iter().all(of_the_list));
    let texts: Vec<&str> = release.statements.iter().map(|made| &*made.text).collect();
    assert_eq!((release.text.clone(), release.to_string()), (texts.join(" "), texts.join(" ")));
    assert_eq!(release.guarantee, statements.guarantee());
    assert_eq!(
        (release.guarantee.unit, release.guarantee.words, release.guarantee.epsilon_word),
        (Unit::WholeText, 3, EPSILON)
    );
    assert_eq!((statements.statements(), statements.near()), (lines(), 4));
    assert_eq!(release.guarantee.table, Some(statements.list_id()));
}

#[test]
fn near_texts_get_the_nearest_statement_at_a_large_epsilon() {
    let statements = exchanging(20.0, 1);
    assert_eq!(statements.near(), 1);
    for (number, line) in LINES.into_iter().enumerate() {
        let release = statements.privatize(&line.to_uppercase(), None).expect("a release");
        assert_eq!(release.statements[0].number as usize, number);
    }
    // In a column too, full-width letters are the same text.
    let column = TextColumn::of(["\u{ff47}ood \u{ff41}pp", "\u{ff49}t is bad"].into_iter());
    let released = statements.privatize_column(&column, 1).expect("releases").column;
    assert_eq!(released.rows(), Some(vec![LINES[1], LINES[4]]));
}

#[test]
fn a_text_is_drawn_once_and_anew_for_another_field_and_by_a_fresh_object() {
    let statements = exchanging(EPSILON, 16);
    let drawn = |field: Option<&str>| statements.privatize("good", field.map(str::to_owned)).expect("a release").text;
    let fields = [None, Some(""), Some("comment"), Some("reply")];
    let releases = fields.map(drawn);
    assert_eq!(fields.map(drawn), releases);
    // Full-width letters are the same text.
    let wide = statements.privatize("\u{ff47}ood", None).expect("a release");
    assert_eq!(wide.text, releases[0]);
    let fresh = exchanging(EPSILON, 16).privatize("good", None).expect("a release").text;
    assert_eq!(releases.into_iter().chain([fresh]).collect::<HashSet<_>>().len(), 5);
}

#[test]
fn vectors_are_drawn_once_and_anew_for_another_field_or_direction() {
    let statements = exchanging(EPSILON, 16);
    let drawn = |x: f64, field: Option<&str>| {
        let vectors = vec![vector(&[x, 1.0, 2.0])];
        statements.privatize_vectors(vectors, field.map(str::to_owned)).expect("a release").text
    };
    let asked = [(0.0, None), (0.5, None), (0.0, Some("")), (0.0, Some("comment"))];
    let releases = asked.map(|(x, field)| drawn(x, field));
    assert_eq!(asked.map(|(x, field)| drawn(x, field)), releases);
    assert_eq!(drawn(-0.0, None), releases[0]);
    assert_eq!(releases.into_iter().collect::<HashSet<_>>().len(), 4);
}

#[test]
fn what_a_person_chose_is_drawn_once_and_anew_for_another_text_field_or_choice() {
    let statements = exchanging(EPSILON, 16);
    let drawn = |(text, chosen, field): (&str, &[u32], Option<&str>)| {
        statements.privatize_chosen(text, chosen.to_vec(), field.map(str::to_owned)).expect("a release")
    };
    let asked: [(_, &[u32], _); 7] = [
        ("good", &[0], None),
        ("good", &[1], None),
        ("good", &[0, 1], None),
        ("good", &[], None),
        ("good", &[0], Some("")),
        ("good", &[0], Some("comment")),
        ("late", &[0], None),
    ];
    let releases = asked.map(drawn);
    assert_eq!(asked.map(drawn), releases);
    assert_eq!(drawn(("\u{ff47}ood", &[0], None)), releases[0]);
    assert_eq!(releases.iter().map(|release| &release.text).collect::<HashSet<_>>().len(), 7);
    assert!(releases.iter().all(|release| release.statements.len() == 16));
    let any = Statements::new(list(), Some(ENCODER.to_vec()), Some(EPSILON), None, 16, true).expect("statements");
    let typed = any.privatize("good", None).expect("a release");
    assert!(releases.iter().all(|release| release.guarantee == typed.guarantee));
    assert_ne!(statements.guarantee(), typed.guarantee, "no choice is refused for its language");
    let alone = Statements::new(list(), None, Some(EPSILON), None, 16, false).expect("a list alone");
    assert_eq!(alone.privatize_chosen("", vec![4], None).expect("a release").guarantee, typed.guarantee);
}

#[test]
fn the_chosen_statement_comes_out_as_often_as_the_odds_say() {
    let (near, epsilon, calls) = (1, 1.0, 1_000);
    let list = list();
    let parsed = StatementList::parse(list.clone()).expect("a list");
    let expected = textveil::Statements::new(&parsed, epsilon).and_then(|it| it.with_near(near)).expect("in range");
    let (inside, outside) = expected.odds();
    let statements = Statements::new(list, None, Some(epsilon), Some(near as u32), 32, true).expect("statements");
    let mut seen = [0_u32; LINES.len()];
    for call in 0..calls {
        // Each field is drawn for itself.
        let release = statements.privatize_chosen("", vec![2; 32], Some(call.to_string())).expect("a release");
        release.statements.iter().for_each(|made| seen[made.number as usize] += 1);
    }
    let draws = f64::from(32 * calls);
    for (number, seen) in seen.into_iter().enumerate() {
        let odds = if number == 2 { inside } else { outside };
        // Six standard deviations: all five fail by chance less than once in 10^7 runs.
        let off = (f64::from(seen) - draws * odds).abs() / (draws * odds * (1.0 - odds)).sqrt();
        assert!(off < 6.0, "{number}: {seen}, {off}");
    }
}

#[test]
fn suggestions_have_what_was_typed_first_and_the_statement_for_all_else_last() {
    let file =
        build_statements(lines(), ENCODER.to_vec(), Some("The price is high.".to_owned()), None).expect("a list");
    let statements = Statements::new(file, Some(ENCODER.to_vec()), Some(8.0), None, 1, false).expect("statements");
    let numbers = |text: &str, count| -> Vec<u32> {
        let found = statements.suggest(text, count).expect("suggestions");
        assert!(found.iter().all(|made| LINES[made.number as usize] == made.text));
        found.into_iter().map(|made| made.number).collect()
    };
    for typed in [0, 1, 2, 4] {
        for count in 1..4 {
            let found = numbers(LINES[typed as usize], count);
            assert_eq!((found.len(), found[0], found[count as usize]), (count as usize + 1, typed, 3));
        }
        let mut all = numbers(LINES[typed as usize], 1000);
        assert_eq!((all[0], all[4]), (typed, 3));
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4]);
    }
    // Full-width letters are the same text. Of what the encoder does not know, nothing is near.
    assert_eq!(numbers("\u{ff21}pp \u{ff43}rashes", 2), numbers("App crashes", 2));
    assert_eq!((numbers("", 5), numbers("Lieferung", 5)), (vec![3], vec![3]));
    assert_eq!(exchanging(8.0, 1).suggest("", 5).expect("suggestions"), []);
}

#[test]
fn a_text_of_another_language_has_suggestions() {
    let list = include_bytes!("../../statements/product-feedback.tvs").to_vec();
    let encoder = include_bytes!("../../tables/data/english-text.tvt").to_vec();
    let english = Statements::new(list, Some(encoder), Some(8.0), None, 1, false).expect("statements");
    let german = "Der Kundendienst hat mir drei Tage lang nicht geantwortet.";
    assert!(code(english.privatize(german, None)).starts_with("OtherLanguage"));
    assert_eq!(english.suggest(german, 4).expect("suggestions").len(), 5);
}

#[test]
fn what_cannot_be_chosen_or_suggested_is_refused() {
    let statements = exchanging(8.0, 2);
    for chosen in [vec![5], vec![0, 5], vec![u32::MAX], vec![0, 1, 2]] {
        assert!(code(statements.privatize_chosen("good", chosen, None)).starts_with("InvalidArgument"));
    }
    for count in [0, 1001, u32::MAX] {
        assert!(code(statements.suggest("good", count)).starts_with("InvalidArgument"));
    }
    let long = "a".repeat(textveil::MAX_TEXT_BYTES + 1);
    assert!(code(statements.suggest(&long, 5)).starts_with("TextTooLong"));
    assert!(code(statements.privatize_chosen(&long, vec![0], None)).starts_with("TextTooLong"));
    let alone = Statements::new(list(), None, Some(8.0), None, 1, false).expect("a list alone");
    assert!(code(alone.suggest("good", 5)).starts_with("OtherEncoder"));
}

#[test]
fn eight_threads_see_one_release_of_each_text() {
    let statements = exchanging(EPSILON, 16);
    let release = |number: usize| statements.privatize(&format!("delivery {number}"), None).expect("a release").text;
    let seen: Vec<Vec<String>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| (0..50).map(release).collect())).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(seen.iter().all(|releases| *releases == seen[0]));
}

#[test]
fn a_column_keeps_its_rows_and_draws_equal_rows_apart() {
    let statements = exchanging(EPSILON, 16);
    let rows: Vec<&str> = ["good", "", "\0", "good"].into_iter().cycle().take(400).collect();
    let column = TextColumn::of(rows.iter().copied());
    let released = statements.privatize_column(&column, 8).expect("releases");
    let texts = released.column.rows().expect("a column");
    assert_eq!((texts.len(), texts.iter().collect::<HashSet<_>>().len()), (400, 400));
    assert_eq!(released.guarantee, statements.guarantee());
    let none = statements.privatize_column(&TextColumn::of(std::iter::empty()), 0).expect("releases");
    assert_eq!(none.column.rows().expect("a column").len(), 0);
    let long = "a".repeat(textveil::MAX_TEXT_BYTES + 1);
    let refused = statements.privatize_column(&TextColumn::of(["a", &long].into_iter()), 2);
    assert!(code(refused).starts_with("TextTooLong"));
    let no_column = TextColumn { text: b"a".to_vec(), offsets: vec![0; 15] };
    assert!(code(statements.privatize_column(&no_column, 2)).starts_with("InvalidArgument"));
}

#[test]
fn a_text_of_another_language_is_refused_and_told_unless_any_is_asked_for() {
    let made = |any_language| {
        let list = include_bytes!("../../statements/product-feedback.tvs").to_vec();
        let encoder = include_bytes!("../../tables/data/english-text.tvt").to_vec();
        Statements::new(list, Some(encoder), Some(8.0), None, 1, any_language).expect("statements")
    };
    let (english, any) = (made(false), made(true));
    let german = "Der Kundendienst hat mir drei Tage lang nicht geantwortet.";
    let column = TextColumn::of(["It crashes when I open it.", "", german].into_iter());
    assert!(code(english.privatize(german, None)).starts_with("OtherLanguage"));
    assert!(code(english.privatize_column(&column, 2).map(|_| ())).starts_with("OtherLanguage"));
    assert_eq!((english.refused_row(&column), any.refused_row(&column)), (Some(2), None));
    assert!(any.privatize(german, None).is_ok() && any.privatize_column(&column, 2).is_ok());
    let (strict, open) = (english.guarantee(), any.guarantee());
    assert_eq!((&*strict.clear, &*open.clear), (&[InTheClear::Language][..], &[][..]));
    assert_eq!(strict.neighbours, open.neighbours.clone() + ", if neither text is refused");
    assert!(strict.statement.contains("refused") && !open.statement.contains("refused"));
}

#[test]
fn a_list_of_answers_has_its_own_defaults_and_needs_no_encoder() {
    let answers = || include_bytes!("../../tests/data/answers.tvs").to_vec();
    for encoder in [None, Some(ENCODER.to_vec())] {
        let question = Statements::new(answers(), encoder, None, None, 1, false).expect("a question");
        let guarantee = question.guarantee();
        assert_eq!((question.near(), guarantee.epsilon_text, &*guarantee.clear), (1, 2.0, &[][..]));
        assert_eq!(question.privatize_chosen("", vec![2], None).expect("an answer").guarantee, guarantee);
        assert!(code(question.privatize("Never", None)).starts_with("OtherEncoder"));
    }
    assert!(code(Statements::new(answers(), None, None, None, 2, false)).starts_with("InvalidArgument"));
    // At epsilon 20 nearly every answer comes out as it is.
    let question = Statements::new(answers(), None, Some(20.0), None, 1, false).expect("a question");
    let column = TextColumn::of(["Never", " Every day ", "Never"].into_iter());
    let released = question.privatize_column(&column, 0).expect("answers");
    assert_eq!(released.column.rows(), Some(vec!["Never", "Every day", "Never"]));
    assert_eq!(question.refused_row(&column), None);
    for other in ["", "never", "Every"] {
        let column = TextColumn::of(["Never", other].into_iter());
        assert!(code(question.privatize_column(&column, 0)).starts_with("InvalidArgument"));
        assert_eq!(question.refused_row(&column), Some(1));
    }
}

#[test]
fn what_cannot_be_exchanged_is_refused_and_nothing_is_kept() {
    let made = |list, encoder, epsilon, near, count| Statements::new(list, encoder, Some(epsilon), near, count, false);
    let english = include_bytes!("../../core/data/english.tvt").to_vec();
    let own = build_statements_of(lines(), vec![vector(&[1.0, 0.5, 0.0]); 5], vec![7; 32], None, None).expect("a list");
    let encoder = || Some(ENCODER.to_vec());
    for (refused, case) in [
        (made(vec![], encoder(), 8.0, None, 1), "BadStatements"),
        (made(list()[..150].to_vec(), encoder(), 8.0, None, 1), "BadStatements"),
        (made(list(), Some(vec![]), 8.0, None, 1), "BadTable"),
        (made(list(), Some(english), 8.0, None, 1), "OtherEncoder"),
        (made(own.clone(), encoder(), 8.0, None, 1), "OtherEncoder"),
        (made(list(), encoder(), f64::NAN, None, 1), "InvalidEpsilon"),
        (made(list(), encoder(), 20.5, None, 1), "InvalidEpsilon"),
        (made(list(), encoder(), 8.0, Some(5), 1), "InvalidMass"),
        (made(list(), encoder(), 8.0, Some(0), 1), "InvalidMass"),
        (made(list(), encoder(), 8.0, None, 33), "InvalidArgument"),
        (made(list(), encoder(), 8.0, None, u32::MAX), "InvalidArgument"),
    ] {
        assert!(code(refused).starts_with(case), "{case}");
    }
    let without = made(own, None, 8.0, None, 1).expect("a list alone");
    let column = TextColumn::of(["good"].into_iter());
    assert!(code(without.privatize("good", None)).starts_with("OtherEncoder"));
    assert!(code(without.privatize_column(&column, 1)).starts_with("OtherEncoder"));
    let of = |vectors| code::<StatementRelease>(without.privatize_vectors(vectors, None));
    assert!(of(vec![vector(&[1.0])]).starts_with("DimensionMismatch"));
    assert!(of(vec![vector(&[1.0, f64::NAN, 0.0])]).starts_with("InvalidVector"));
    assert!(of(vec![vec![0; 7]]).starts_with("InvalidVector"));
    assert!(of(vec![vector(&[1.0, 0.0, 0.0]); 2]).starts_with("InvalidArgument"));
    assert_eq!(of(vec![vector(&[1.0, 0.0, 0.0])]), "");
    assert_eq!(of(vec![]), "");
    let long = "a".repeat(textveil::MAX_TEXT_BYTES + 1);
    assert!(code(exchanging(8.0, 1).privatize(&long, None)).starts_with("TextTooLong"));
}

#[test]
fn a_list_is_built_of_its_lines_or_refused() {
    let build = |lines: &[&str], otherwise: Option<&str>, least| {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        build_statements(lines, ENCODER.to_vec(), otherwise.map(str::to_owned), least)
    };
    let with_spaces = LINES.map(|line| format!("{}  \n", line.replace("The", "\u{ff34}he")));
    assert_eq!(build(&with_spaces.each_ref().map(String::as_str), None, None).expect("a list"), list());
    let nothing = build(&LINES, Some("It is bad."), None).expect("a list");
    assert_eq!(build(&LINES, Some("It is bad."), Some(0.35)).expect("a list"), nothing);
    assert_ne!(nothing, list());
    let phrased = [&LINES[..1], &["  good", "\tgood price"], &LINES[1..]].concat();
    let phrased = build(&phrased, Some("It is bad."), None).expect("a list");
    let (phrased, plain) =
        (StatementList::parse(phrased).expect("a list"), StatementList::parse(nothing).expect("a list"));
    assert!(phrased.iter().eq(plain.iter()) && phrased.otherwise() == plain.otherwise() && phrased.id() != plain.id());
    for (refused, case) in [
        (build(&[], None, None), "BadStatements"),
        (build(&LINES[..1], None, None), "BadStatements"),
        (build(&["The app is good.", "The app is good."], None, None), "BadStatements"),
        (build(&["The app is good.", "Lieferung."], None, None), "InvalidVector"),
        (build(&[" The app is good.", "It is bad."], None, None), "BadStatements"),
        (build(&["The app is good.", " good", "It is bad."], Some("good"), None), "InvalidArgument"),
        (build(&LINES, Some("Another."), None), "InvalidArgument"),
        (build(&LINES, Some("It is bad."), Some(f64::NAN)), "BadStatements"),
        (build(&LINES, None, Some(0.3)), "InvalidOptions"),
        (build_statements(lines(), vec![], None, None), "BadTable"),
        (build_statements_of(lines(), vec![vector(&[1.0]); 4], vec![7; 32], None, None), "DimensionMismatch"),
        (build_statements_of(lines(), vec![vector(&[0.0]); 5], vec![7; 32], None, None), "InvalidVector"),
        (build_statements_of(lines(), vec![vector(&[1.0]); 5], vec![7; 31], None, None), "InvalidArgument"),
        (build_statements_of(vec![], vec![], vec![7; 32], None, None), "DimensionMismatch"),
    ] {
        assert!(code(refused).starts_with(case), "{case}");
    }
    for (refused, rule) in [
        (
            build(&["The app is good.", "It is bad.", "The app is good."], None, None),
            "line 3: a statement appears twice",
        ),
        (build(&["The app is good.", ""], None, None), "line 2: a statement is empty"),
        (build(&["The app is good.", " "], None, None), "line 2: its vector is null"),
        (build(&["The app is good.", "Lieferung."], None, None), "line 2: its vector is null"),
        (
            build(&[" The app is good.", "It is bad."], None, None),
            "line 1: another phrasing, with no statement above it",
        ),
    ] {
        let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains(rule), "{message}");
    }
}
