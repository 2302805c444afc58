//! Statements for whole texts, as the independent Python reference exchanges them.

use serde::Deserialize;
use textveil::{
    Error, FileId, InTheClear, Notion, Otherwise, StatementList, Statements, Table, TextEncoder, Unit, WordId,
};
use textveil_tests::{rng, table, vectors};

#[derive(Deserialize)]
struct Vectors {
    lists: Vec<List>,
    left_out: LeftOut,
    texts: Vec<Text>,
    releases: Vec<Release>,
    suggested: Vec<Suggested>,
    chosen: Vec<Chosen>,
    refusals: Vec<Refusal>,
}

#[derive(Deserialize)]
struct List {
    name: String,
    file: String,
    id: String,
}

/// A list whose last dimension does not count for texts that fit nothing.
#[derive(Deserialize)]
struct LeftOut {
    file: String,
    nearest: Vec<Nearest>,
}

#[derive(Deserialize)]
struct Nearest {
    vector: Vec<f64>,
    nearest: Vec<usize>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
    sum: Vec<f64>,
}

#[derive(Deserialize)]
struct Release {
    list: String,
    epsilon: f64,
    near: Option<usize>,
    usual_near: usize,
    releases: usize,
    text: String,
    vectors: Vec<Vec<f64>>,
    nearest: Vec<Vec<usize>>,
    field: Option<String>,
    seed: String,
    statements: Vec<usize>,
    key: String,
    vector_key: String,
}

/// Two statements, and the one for texts that fit nothing.
#[derive(Deserialize)]
struct Suggested {
    list: String,
    text: String,
    suggested: Vec<usize>,
}

#[derive(Deserialize)]
struct Chosen {
    list: String,
    epsilon: f64,
    near: Option<usize>,
    releases: usize,
    text: String,
    chosen: Vec<usize>,
    field: Option<String>,
    seed: String,
    statements: Vec<usize>,
    key: String,
}

#[derive(Deserialize)]
struct Refusal {
    list: String,
    epsilon: f64,
    near: Option<usize>,
    releases: usize,
    code: String,
}

impl Vectors {
    fn load() -> Self {
        vectors("statements.json")
    }

    fn list(&self, name: &str) -> StatementList {
        let found = self.lists.iter().find(|list| list.name == name).expect("a list of that name");
        StatementList::parse(bytes(&found.file)).expect("a list")
    }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hexadecimal.bytes().map(|digit| (digit as char).to_digit(16).expect("a digit") as u8).collect();
    digits.chunks(2).map(|pair| 16 * pair[0] + pair[1]).collect()
}

fn encoder() -> TextEncoder {
    TextEncoder::new(table("encoder.tvt")).expect("an encoder")
}

fn prepared(list: &StatementList, epsilon: f64, near: Option<usize>, releases: usize) -> Result<Statements, Error> {
    let statements = Statements::new(list, epsilon)?;
    let statements = match near {
        Some(near) => statements.with_near(near)?,
        None => statements,
    };
    statements.per_sentence(releases)
}

#[test]
fn lists_are_read_and_written_as_the_reference_writes_them() {
    let vectors = Vectors::load();
    for List { name, file, id } in &vectors.lists {
        let list = vectors.list(name);
        assert_eq!(list.id().to_string(), *id, "{name}");
        let lines: Vec<&str> = list.iter().collect();
        let rows = (0..list.len()).filter_map(|number| list.vector(number));
        let rows: Vec<f64> = rows.flatten().map(|step| f64::from(*step)).collect();
        let again = StatementList::file(&lines, &rows, list.dims(), list.encoder(), list.otherwise());
        assert_eq!(again.expect("a list"), bytes(file), "{name}");
    }
}

#[test]
fn texts_are_encoded_as_the_reference_encodes_them() {
    for Text { text, sum } in Vectors::load().texts {
        assert_eq!(encoder().encode(&text).expect("short"), sum, "{text}");
        let rows = encoder().rows(&text).expect("short");
        let table = encoder().table().clone();
        let turned = |dim: usize, turned: bool| if turned && dim == 2 { -1.0 } else { 1.0 };
        let step =
            |dim, (row, is_turned): &(WordId, bool)| turned(dim, *is_turned) * f64::from(table.vector(*row)[dim]);
        let added = |dim: usize| rows.iter().map(|row| step(dim, row)).sum::<f64>();
        assert!(sum.iter().enumerate().all(|(dim, sum)| added(dim) == *sum), "{text}");
    }
}

#[test]
fn texts_are_exchanged_as_the_reference_exchanges_them() {
    let vectors = Vectors::load();
    for case in &vectors.releases {
        let list = vectors.list(&case.list);
        let name = format!("{} {} {:?} {} {:?}", case.list, case.epsilon, case.near, case.releases, case.text);
        let statements = prepared(&list, case.epsilon, case.near, case.releases).expect("in range");
        assert_eq!(statements.near(), case.usual_near, "{name}");
        assert_eq!(statements.key(&case.text, case.field.as_deref()).to_hex(), case.key, "{name}");
        let of_vectors = statements.key_of_vectors(&case.vectors, case.field.as_deref()).to_hex();
        assert_eq!(of_vectors, case.vector_key, "{name}");
        for (vector, nearest) in case.vectors.iter().zip(&case.nearest) {
            assert_eq!(list.nearest(vector, statements.near()).expect("finite"), *nearest, "{name}");
        }
        let mut draw = rng(&case.seed);
        let release = if list.encoder() == encoder().id() {
            assert_eq!(statements.vectors(&encoder(), &case.text).expect("short"), case.vectors, "{name}");
            statements.exchange(&encoder(), &case.text, &mut draw)
        } else {
            statements.exchange_vectors(&case.vectors, &mut draw)
        };
        let release = release.expect("a release");
        let numbers: Vec<usize> = release.statements.iter().map(|stated| stated.number).collect();
        assert_eq!(numbers, case.statements, "{name}");
        assert!(release.statements.iter().all(|stated| list.get(stated.number) == Some(&stated.statement)));
        let guarantee = release.guarantee;
        assert_eq!((guarantee.unit, guarantee.words), (Unit::WholeText, case.releases), "{name}");
        assert_eq!(guarantee.epsilon_word.to_bits(), case.epsilon.to_bits(), "{name}");
        assert!(guarantee.epsilon_text >= case.epsilon * case.releases as f64, "{name}");
        assert_eq!((guarantee.notion(), guarantee.table), (Notion::KnownSeed, Some(list.id())), "{name}");
    }
}

#[test]
fn what_is_suggested_and_what_comes_of_a_choice_are_as_the_reference_has_them() {
    let vectors = Vectors::load();
    for case in &vectors.suggested {
        let vector = encoder().encode(&case.text).expect("short");
        assert_eq!(vectors.list(&case.list).suggested(&vector, 2).expect("finite"), case.suggested, "{}", case.text);
    }
    for case in &vectors.chosen {
        let list = vectors.list(&case.list);
        let name = format!("{} {} {:?} {:?}", case.list, case.epsilon, case.near, case.chosen);
        let statements = prepared(&list, case.epsilon, case.near, case.releases).expect("in range");
        let key = statements.key_of_chosen(&case.text, &case.chosen, case.field.as_deref());
        assert_eq!(key.to_hex(), case.key, "{name}");
        let release = statements.exchange_chosen(&case.chosen, &mut rng(&case.seed)).expect("of the list");
        let numbers: Vec<usize> = release.statements.iter().map(|stated| stated.number).collect();
        assert_eq!(numbers, case.statements, "{name}");
        let any_language = statements.of_any_language().guarantee();
        assert_eq!((release.guarantee.clear, release.guarantee.words), (any_language.clear, case.releases), "{name}");
    }
}

#[test]
fn the_polarity_does_not_count_for_texts_that_fit_nothing() {
    let LeftOut { file, nearest } = Vectors::load().left_out;
    let list = StatementList::parse(bytes(&file)).expect("a list");
    for case in nearest {
        assert_eq!(list.nearest(&case.vector, 5), Ok(case.nearest), "{:?}", case.vector);
    }
    assert_eq!(list.largest_cosine(&[0.0, 0.0, 1.0]), Ok(None));
    assert_eq!(list.largest_cosine(&[2.0, 0.0, 1.0]), Ok(Some(1.0)));
}

#[test]
fn what_is_out_of_range_gets_its_own_code() {
    let vectors = Vectors::load();
    for case in &vectors.refusals {
        let refused = prepared(&vectors.list(&case.list), case.epsilon, case.near, case.releases);
        assert_eq!(refused.err().map(Error::code), Some(&*case.code), "{} {:?}", case.epsilon, case.near);
    }
}

#[test]
fn nothing_is_released_by_another_encoder_or_by_vectors_that_are_wrong() {
    let vectors = Vectors::load();
    let own = Statements::new(&vectors.list("own"), 8.0).expect("in range");
    let mut draw = rng(&vectors.releases[0].seed);
    assert_eq!(own.exchange(&encoder(), "good", &mut draw).err(), Some(Error::OtherEncoder));
    assert_eq!(TextEncoder::new(Table::english().expect("the built-in table")).err(), Some(Error::OtherEncoder));
    for (vector, error) in [(vec![1.0], Error::DimensionMismatch), (vec![1.0, f64::NAN, 0.0], Error::InvalidVector)] {
        assert_eq!(own.exchange_vectors(&[vector], &mut draw).err(), Some(error));
    }
    let two = vec![vec![1.0, 0.0, 0.0]; 2];
    assert_eq!(own.exchange_vectors(&two, &mut draw).err(), Some(Error::InvalidArgument));
    let plain = Statements::new(&vectors.list("plain"), 8.0).expect("in range");
    let long = "a ".repeat(1 << 20);
    assert_eq!(plain.exchange(&encoder(), &long, &mut draw).err(), Some(Error::TextTooLong));
}

#[test]
fn what_is_said_of_a_statement_is_about_whole_texts() {
    let list = Vectors::load().list("plain");
    let strict = Statements::new(&list, 8.0).expect("in range").guarantee();
    assert_eq!(strict.clear, [InTheClear::Language]);
    assert_eq!(strict.neighbours(), "any two texts, if neither text is refused");
    assert_eq!(
        strict.statement(),
        "The text is exchanged for a statement of a public list by one random draw (nearest mechanism). Take any \
         two texts, of any allowed length, if neither text is refused. Whatever comes out is at most e^8.00 times as likely \
         for the one as for the other. Not protected: that there is a text, that the text is not refused as one of another \
         language. Every further release of the same text adds its own loss."
    );
    let one = Statements::new(&list, 8.0).expect("in range").of_any_language().guarantee();
    assert!(one.clear.is_empty() && one.neighbours() == "any two texts");
    assert_eq!(
        one.statement(),
        "The text is exchanged for a statement of a public list by one random draw (nearest mechanism). Take any \
         two texts, of any allowed length. Whatever comes out is at most e^8.00 times as likely for the one as for the other. \
         Not protected: that there is a text. Every further release of the same text adds its own loss."
    );
    let three = prepared(&list, 8.0, None, 3).expect("in range").guarantee();
    assert!(three.statement().contains("all 3 statements together it is at most e^24.00 times as likely"), "{three}");
    assert_eq!(
        three.describe("en"),
        "Whatever is sent is at most 2.7\u{a0}×\u{a0}10¹⁰ times as likely for one text as for any other (ε = 24), if neither \
         text is refused. Visible: that there is a text, that the text does not look like another language."
    );
    assert_eq!(
        one.describe("en"),
        "Whatever is sent is at most 3,000 times as likely for one text as for any other (ε = 8). Visible: that there \
         is a text."
    );
}

const OWN: FileId = FileId::new([1; 32]);

/// A list of two dimensions by an app's own encoder.
fn list_file(statements: &[&str], vectors: &[f64]) -> Result<Vec<u8>, Error> {
    StatementList::file(statements, vectors, 2, OWN, None)
}

#[test]
fn what_was_written_is_read() {
    let otherwise = Some(Otherwise { statement: 2, least_cosine: 0.25, left_out: 1 });
    let lines = ["The app crashes.", "Le prix est élevé.", "Something else."];
    let file = StatementList::file(&lines, &[3.0, 0.0, 0.0, -2.0, 1e-300, 1e-300], 2, OWN, otherwise);
    let list = file.and_then(StatementList::parse).expect("a list");
    assert!(list.iter().eq(lines));
    assert_eq!((list.encoder(), list.otherwise(), list.dims()), (OWN, otherwise, 2));
    assert_eq!(
        [0, 1, 2, 3].map(|n| list.vector(n)),
        [Some([127, 0]), Some([0, -127]), Some([127, 127]), None]
            .each_ref()
            .map(|row| row.as_ref().map(|row: &[i8; 2]| row.as_slice()))
    );
}

#[test]
fn a_statement_that_no_list_can_have_is_refused() {
    for (statement, left_out) in [(3, 0), (0, 2), (u32::MAX as usize, 0), (1 << 32, 0), (0, 1 << 32)] {
        let otherwise = Some(Otherwise { statement, least_cosine: 0.0, left_out });
        let file = StatementList::file(&["One.", "Two.", "Three."], &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0], 2, OWN, otherwise);
        assert!(matches!(file, Err(Error::BadStatements(_))), "{statement} {left_out}");
    }
}

#[test]
fn phrasings_draw_texts_to_their_statement() {
    let lines = ["East.", "  Up.", "\tUp again.", "North."];
    let vectors = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.1, 1.0, 0.0, 1.0, 0.0];
    let list = |lines: &[&str], vectors: &[f64]| StatementList::file(lines, vectors, 3, OWN, None);
    let read = |lines: &[&str], vectors: &[f64]| list(lines, vectors).and_then(StatementList::parse).expect("a list");
    let (plain, phrased) =
        (read(&[lines[0], lines[3]], &[&vectors[..3], &vectors[9..]].concat()), read(&lines, &vectors));
    assert!(phrased.iter().eq(["East.", "North."]));
    // A text that goes up, and a little to the north.
    for (list, nearest) in [(plain, 1), (phrased, 0)] {
        assert_eq!(list.nearest(&[0.0, 0.2, 1.0], 1), Ok(vec![nearest]));
    }
    let orphan = list(&lines[1..], &vectors[3..]);
    assert!(matches!(orphan, Err(Error::BadStatement { line: 1, rule }) if rule.contains("above")), "{orphan:?}");
    for line in [3, 4] {
        let mut null = vectors;
        null[3 * (line - 1)..3 * line].fill(0.0);
        let refused = list(&lines, &null);
        assert!(
            matches!(refused, Err(Error::InvalidStatementVector { line: found, .. }) if found == line),
            "{refused:?}"
        );
    }
    assert_eq!(list(&lines[..3], &vectors[..9]), too_long());
}

#[test]
fn a_list_that_breaks_a_rule_is_refused_with_the_rule() {
    let two = [1.0, 0.0, 0.0, 1.0];
    let bad = |statements: &[&str], line: usize, rule: &str| {
        let message = list_file(statements, &two).err().map(|error| (error.code(), error.to_string()));
        let expected = format!("the list of statements is unusable: line {line}: {rule}");
        assert_eq!(message, Some(("bad-statements", expected)));
    };
    bad(&["One.", "One."], 2, "a statement appears twice");
    bad(&["One.", "\u{a0}"], 2, "a statement is empty");
    bad(&["", ""], 1, "a statement is empty");
    bad(&["One.\nTwo.", "Three."], 1, "a statement holds a control character");
    bad(&["One.", "Two\tthree."], 2, "a statement holds a control character");
    assert_eq!(list_file(&["One."], &[1.0, 0.0]), too_long());
    assert_eq!(list_file(&[], &[]), too_long());
    assert_eq!(list_file(&["One.", "Two."], &[1.0, 0.0, 0.0]), Err(Error::DimensionMismatch));
    for (wrong, rule) in [(f64::NAN, "not a finite number"), (f64::INFINITY, "not a finite number"), (0.0, "null")] {
        let error = list_file(&["One.", "Two."], &[1.0, 0.0, 0.0, wrong]).expect_err("no direction");
        assert!(error.code() == "invalid-vector" && error.to_string().contains("line 2: its vector"), "{error}");
        assert!(error.to_string().contains(rule), "{error}");
    }
    let many: Vec<String> = (0..=StatementList::MAX_LENGTH).map(|n| format!("{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(list_file(&many, &vec![1.0; 2 * many.len()]), too_long());
}

#[test]
fn a_text_of_statements_is_told_from_any_other() {
    let file = list_file(&["It is.", "It is. Not."], &[1.0, 0.0, 0.0, 1.0]).expect("a list");
    let list = StatementList::parse(file).expect("a list");
    for (text, count, is_made) in [
        ("It is.", 1, true),
        ("It is. Not.", 1, true),
        ("It is. Not.", 2, false),
        ("It is. It is. Not. It is.", 3, true),
        ("It is. It is. Not. It is.", 2, false),
        ("It is.It is.", 2, false),
        ("It is. ", 1, false),
        (" It is.", 1, false),
        ("", 1, false),
        ("My secret.", 1, false),
    ] {
        assert_eq!(list.has_made(text, count), is_made, "{text:?} {count}");
    }
}

#[test]
fn no_change_of_a_byte_goes_unnoticed() {
    let file = list_file(&["One.", "Two."], &[1.0, 0.0, 0.0, 1.0]).expect("a list");
    for place in 0..file.len() {
        let mut changed = file.clone();
        changed[place] ^= 1;
        assert!(StatementList::parse(changed).is_err(), "{place}");
        assert!(StatementList::parse(&file[..place]).is_err(), "{place}");
    }
}

#[test]
fn the_first_of_equals_comes_first_and_what_fits_nothing_is_taken_for_its_statement() {
    let lines = ["East.", "North.", "Also east.", "Something else."];
    let vectors = [1.0, 0.0, 0.0, 1.0, 5.0, 0.0, -1.0, -1.0];
    let of = |otherwise| {
        let file = StatementList::file(&lines, &vectors, 2, OWN, otherwise);
        file.and_then(StatementList::parse).expect("a list")
    };
    let list = of(None);
    assert_eq!(list.nearest(&[9.0, 1.0], 4), Ok(vec![0, 2, 1, 3]));
    assert_eq!(list.nearest(&[9.0, 1.0], 1), Ok(vec![0]));
    assert_eq!(list.nearest(&[0.0, 0.0], 2), Ok(vec![]));
    assert_eq!(list.nearest(&[1e-308, 9e-308], 1), Ok(vec![1]));
    assert_eq!(list.nearest(&[1.0], 1), Err(Error::DimensionMismatch));
    assert_eq!(list.nearest(&[f64::NAN, 1.0], 1), Err(Error::InvalidVector));
    let strict = of(Some(Otherwise { statement: 3, least_cosine: 0.95, left_out: 0 }));
    assert_eq!(strict.nearest(&[1.0, 1.0], 1), Ok(vec![3]));
    assert_eq!(strict.nearest(&[0.0, 0.0], 1), Ok(vec![3]));
    assert_eq!(strict.nearest(&[1.0, 0.01], 1), Ok(vec![0]));
}

fn too_long<T>() -> Result<T, Error> {
    Err(Error::BadStatements("a list has 2 to 65535 statements"))
}
