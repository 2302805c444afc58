//! Statements for whole texts, as the independent Python reference exchanges them.

use serde::Deserialize;
use textveil::{Error, Notion, StatementList, Statements, Table, TableId, TextEncoder, Unit, WordId};
use textveil_tests::{rng, table, vectors};

#[derive(Deserialize)]
struct Vectors {
    lists: Vec<List>,
    texts: Vec<Text>,
    releases: Vec<Release>,
    refusals: Vec<Refusal>,
}

#[derive(Deserialize)]
struct List {
    name: String,
    file: String,
    id: String,
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
        let added = |dim: usize| rows.iter().map(|row: &WordId| f64::from(table.vector(*row)[dim])).sum::<f64>();
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
    let _: TableId = plain.list().id();
}

#[test]
fn what_is_said_of_a_statement_is_about_whole_texts() {
    let list = Vectors::load().list("plain");
    let one = Statements::new(&list, 8.0).expect("in range").guarantee();
    assert_eq!(
        one.statement(),
        "The text is exchanged for a statement of a public list by one random draw (nearest mechanism). Whatever comes \
         out, it is at most e^8.00 times likelier for the one than for the other of any two texts, of whatever length. \
         Not protected: that there is a text. Every further release of the same text adds its own loss."
    );
    let three = prepared(&list, 8.0, None, 3).expect("in range").guarantee();
    assert!(three.statement().contains("all 3 statements together it is at most e^24.00 times likelier"), "{three}");
    assert_eq!(
        one.describe("en"),
        "Whatever is sent is at most 3,000 times as likely for one text as for any other (ε = 8). Visible: that there \
         is a text."
    );
}
