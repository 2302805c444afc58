use std::fs;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use textveil::{
    Disclosure, FileId, Mechanism, MechanismKind, Parameter, Privatizer, StatementList, Statements, Table, Unary,
};

use super::*;
use crate::serve::store::{Entry, Store};

/// A folder that is gone when the test has ended.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a place for temporary files"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).expect("a file");
        self.path(name)
    }

    /// A file with the guarantee of its columns next to it.
    fn stated(&self, name: &str, content: impl AsRef<[u8]>, columns: &[&str], rows: u64) -> PathBuf {
        let statement = json!({ "guarantee": guarantee(3), "columns": columns, "rows": rows });
        self.write(&format!("{name}.guarantee.json"), statement.to_string());
        self.write(name, content)
    }

    fn database(&self, submissions: &[&[(&str, &str, Option<Value>)]]) -> PathBuf {
        let path = self.path("collected");
        let store = Store::open(Some(&path)).expect("a database");
        for (number, entries) in (0..).zip(submissions) {
            let entry = |(field, text, guarantee): &(&str, &str, Option<Value>)| Entry {
                field: (*field).to_owned(),
                text: (*text).to_owned(),
                guarantee: guarantee.clone(),
            };
            let entries: Vec<Entry> = entries.iter().map(entry).collect();
            assert!(store.keep(&entries, [number; 32]).expect("space"));
        }
        path
    }
}

fn guarantee(words: usize) -> Value {
    let table = Table::english().expect("the built-in table");
    let mechanism = Mechanism::new(MechanismKind::Nearest);
    let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("the default");
    json!(privatizer.guarantee(words))
}

fn wanted(field: Option<&str>, columns: &[&str], time: Option<&str>) -> Wanted {
    Wanted {
        releases: Releases { field: field.map(str::to_owned), guarantee: None },
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        time: time.map(str::to_owned),
        needs_guarantee: true,
        ..Wanted::default()
    }
}

fn counted(mut wanted: Wanted) -> Wanted {
    wanted.count = Some("count".to_owned());
    wanted
}

/// The parts of a report that these tests compare: place, text, columns, time.
type Row = (String, String, Vec<Option<String>>, Option<String>);

fn read(path: &Path, wanted: &Wanted) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let source = each(path, wanted, &mut |Report { place, content, columns, time, .. }| {
        let text = match content {
            Content::Text(text) => text,
            other => format!("{other:?}"),
        };
        rows.push((place.to_string(), text, columns, time));
        Ok(())
    })?;
    assert!(source.records == rows.len() as u64 || wanted.count.is_some());
    Ok(rows)
}

fn row(place: &str, text: &str, columns: &[&str], time: Option<&str>) -> Row {
    let columns = columns.iter().map(|column| Some((*column).to_owned())).collect();
    (place.to_owned(), text.to_owned(), columns, time.map(str::to_owned))
}

fn refusal(path: &Path, wanted: &Wanted) -> String {
    format!("{:#}", read(path, wanted).expect_err("refused"))
}

#[test]
fn releases_are_the_same_whatever_file_they_are_in() {
    let folder = Folder::new();
    let csv = "week,review,stars\n2026-45,\"good, very\ngood\",5\n2026-46,,1\n\n";
    let tsv = "stars\treview\tweek\n5\tgood\t2026-45\n1\t \t2026-46\n";
    let jsonl =
        "{\"week\":\"2026-45\",\"review\":\"good\",\"stars\":5}\r\n\n{\"review\":null,\"week\":\"\",\"stars\":1}\n";
    let wanted = wanted(None, &["stars"], Some("week"));
    for (name, content, expected) in [
        (
            "a.csv",
            csv,
            vec![
                row("line 2", "good, very\ngood", &["5"], Some("2026-45")),
                row("line 4", "", &["1"], Some("2026-46")),
            ],
        ),
        (
            "a.TSV",
            tsv,
            vec![row("line 2", "good", &["5"], Some("2026-45")), row("line 3", " ", &["1"], Some("2026-46"))],
        ),
        ("a.jsonl", jsonl, vec![row("line 1", "good", &["5"], Some("2026-45"))]),
    ] {
        let path = folder.stated(name, content, &["review"], 2);
        assert_eq!(read(&path, &wanted).expect("releases"), expected, "{name}");
    }
    let lines = folder.stated("a.txt", "\u{feff}good film\r\n\nlast", &[], 3);
    let expected = [("line 1", "good film"), ("line 2", ""), ("line 3", "last")];
    let plain = Wanted { columns: Vec::new(), time: None, ..wanted };
    let expected: Vec<Row> = expected.into_iter().map(|(place, text)| row(place, text, &[], None)).collect();
    assert_eq!(read(&lines, &plain).expect("lines"), expected);
}

#[test]
fn a_field_may_be_missing_where_privatize_lets_it_but_not_in_the_first_object() {
    let folder = Folder::new();
    let lines = ["{\"review\":\"good\",\"stars\":5}", "{\"stars\":1}", "{\"review\":\"bad\"}", "{}"];
    let wanted = wanted(None, &["stars"], None);
    let path = folder.stated("a.jsonl", lines.join("\n"), &["review"], 4);
    let bad = ("line 3".to_owned(), "bad".to_owned(), vec![None], None);
    assert_eq!(read(&path, &wanted).expect("releases"), [row("line 1", "good", &["5"], None), bad]);
    let path = folder.stated("b.jsonl", lines[1..].join("\n"), &["review"], 4);
    assert!(refusal(&path, &wanted).contains("b.jsonl, line 1: there is no field \"review\""));
    let path = folder.stated("c.jsonl", lines[2], &["review"], 4);
    assert!(refusal(&path, &wanted).contains("c.jsonl, line 1: there is no field \"stars\""));
}

#[test]
fn the_guarantee_is_that_of_the_row_or_that_of_the_file_and_is_read_once() {
    let folder = Folder::new();
    let own = json!({ "text": "good", "guarantee": guarantee(1) });
    let lines = format!("{own}\n{own}\n{}\n", json!({ "text": "good film" }));
    let path = folder.stated("a.jsonl", lines, &["text", "title"], 9);
    let mut seen = Vec::new();
    each(&path, &wanted(Some("text"), &[], None), &mut |report| {
        seen.push(report.guarantee.expect("a guarantee"));
        Ok(())
    })
    .expect("releases");
    let all: Vec<_> = seen.iter().map(|stated| (stated.draw.losses.words, stated.is_of_file)).collect();
    assert_eq!(all, [(1, false), (1, false), (3, true)]);
    fs::remove_file(folder.path("a.jsonl.guarantee.json")).expect("a file");
    let mut seen = Vec::new();
    let refused = each(&path, &wanted(None, &[], None), &mut |report| {
        seen.push(report.guarantee.expect("a guarantee"));
        Ok(())
    });
    assert!(
        format!("{:#}", refused.expect_err("the last has none"))
            .contains("a.jsonl, line 3: the release has no guarantee")
    );
    assert!(seen.len() == 2 && !seen[0].is_of_file && Arc::ptr_eq(&seen[0].draw, &seen[1].draw));
}

#[test]
fn what_cannot_be_counted_is_refused_by_file_and_row_and_without_a_word_of_it() {
    let folder = Folder::new();
    let of_reviews = |columns: &[&str]| wanted(Some("review"), columns, None);
    for (name, content, columns, why) in [
        ("a.csv", "review,stars\nsecret,1\n", "week", "a.csv has no column \"week\""),
        ("b.csv", "review,week,week\nsecret,1,2\n", "week", "b.csv has several columns \"week\""),
        ("c.csv", "review,review,week\nsecret,1,2\n", "week", "c.csv has several columns \"review\""),
        ("d.csv", "review,week\nsecret,1,2\n", "week", "d.csv, line 2: another number of fields"),
        ("e.csv", "review,week\ngood,1\n\"secret,2\n", "week", "e.csv, line 3: a quote that is never closed"),
        ("f.csv", "", "week", "f.csv is empty"),
        ("a.tsv", "review,week\nsecret,1\n", "week", "a.tsv has no column \"review\""),
        ("a.jsonl", "{\"review\":\"secret\"}\n", "week", "a.jsonl, line 1: there is no field \"week\""),
        ("b.jsonl", "{\"review\":\"good\",\"week\":[\"secret\"]}", "week", "line 1: the field \"week\" is neither"),
        ("c.jsonl", "{\"comment\":\"secret\"}\n", "week", "c.jsonl, line 1: there is no field \"review\""),
        (
            "d.jsonl",
            "{\"review\":\"secret\",\"review\":\"secret\",\"week\":1}",
            "week",
            "line 1: a field stands there twice",
        ),
        ("a.parquet", "secret", "week", "a.parquet is not a Parquet file, or is damaged"),
        ("g.csv", "review,week\ngood,1\ngood,2\ngood,3\n", "week", "g.csv has 3 releases, its guarantee is about 2"),
    ] {
        let path = folder.stated(name, content, &["review"], 2);
        let refusal = refusal(&path, &of_reviews(&[columns]));
        assert!(refusal.contains(why) && !refusal.contains("secret"), "{why}: {refusal}");
    }
    for (name, line) in
        [("h.csv", "line 2: not UTF-8"), ("h.jsonl", "line 2: not UTF-8"), ("h.txt", "line 2: not UTF-8")]
    {
        let columns: &[&str] = if name == "h.txt" { &[] } else { &["review"] };
        let content = if name == "h.jsonl" { "{\"review\":\"a\"}\n" } else { "review\n" };
        let path = folder.stated(name, [content.as_bytes(), b"secret\xff\n"].concat(), columns, 2);
        let refusal = refusal(&path, &Wanted { needs_guarantee: true, ..Wanted::default() });
        assert!(refusal.contains(name) && refusal.contains(line) && !refusal.contains("secret"), "{refusal}");
    }
}

#[test]
fn a_row_stands_for_as_many_releases_as_its_count_says() {
    let folder = Folder::new();
    let largest = 1_u64 << 53;
    for (name, content) in [
        ("a.csv", format!("count,review,week\n2,good,45\n{largest},bad,46\n")),
        ("a.jsonl", format!("{{\"review\":\"good\",\"count\":2.0}}\n{{\"review\":\"bad\",\"count\":\"{largest}\"}}")),
    ] {
        let path = folder.stated(name, content, &["review"], largest + 2);
        let mut counts = Vec::new();
        let source = each(&path, &counted(wanted(None, &[], None)), &mut |report| {
            counts.push(report.count);
            Ok(())
        });
        assert_eq!((source.expect("releases").records, counts), (largest + 2, vec![2, largest]), "{name}");
        let path = folder.stated(name, fs::read(&path).expect("a file"), &["review"], largest + 1);
        assert!(refusal(&path, &counted(wanted(None, &[], None))).contains("releases, its guarantee is about"));
    }
    for count in ["0", "-1", "1.5", ".0", "9007199254740993", "99999999999999999999", "", "secret"] {
        for (name, content) in [
            ("b.csv", format!("review,count\ngood,1\ngood,{count}\n")),
            ("b.jsonl", format!("{{\"review\":\"good\",\"count\":1}}\n{{\"review\":\"good\",\"count\":\"{count}\"}}")),
        ] {
            let path = folder.stated(name, content, &["review"], u64::MAX);
            let refusal = refusal(&path, &counted(wanted(None, &[], None)));
            let place = format!("{name}, line {}: ", if name == "b.csv" { 3 } else { 2 });
            assert!(refusal.contains(&place) && !refusal.contains("secret"), "{refusal}");
            assert!(refusal.contains("the column \"count\" holds no whole number from 1 to 2^53"), "{refusal}");
        }
    }
    let path = folder.stated("c.csv", "review\ngood\n", &["review"], 1);
    assert!(refusal(&path, &counted(wanted(None, &[], None))).contains("c.csv has no column \"count\""));
}

/// The statement of the book that counts what a database holds.
fn statement() -> &'static str {
    let page = include_str!("../../../docs/src/how-to/collect-and-estimate.md");
    let (_, rest) = page.split_once("sqlite3 feedback.db \"").expect("on the page");
    rest.split_once('"').expect("its end").0
}

#[test]
fn a_database_counts_its_own_rows() {
    let folder = Folder::new();
    let [one, two] = [1, 2].map(|words| Some(guarantee(words)));
    let path = folder.database(&[
        &[("comment", "good film", two.clone()), ("count", "9", None)],
        &[("comment", "good film", two.clone())],
        &[("other", "good film", two.clone())],
        &[("comment", "film", two)],
        &[("comment", "film", one)],
    ]);
    let database = Connection::open(&path).expect("a database");
    let mut lines = database.prepare(statement()).expect("SQL");
    let lines = lines.query_map([], |row| row.get(0)).expect("rows").collect::<Result<Vec<String>, _>>();
    let file = folder.write("counted.jsonl", lines.expect("rows").join("\n"));
    let mut counts = Vec::new();
    each(&file, &counted(wanted(None, &[], Some("day"))), &mut |report| {
        let Content::Text(text) = report.content else { unreachable!("a text") };
        let words = report.guarantee.expect("a guarantee").draw.losses.words;
        assert_eq!(report.time.expect("a day").len(), 10);
        counts.push((text, words, report.count));
        Ok(())
    })
    .expect("releases");
    counts.sort();
    assert_eq!(counts, [("film".to_owned(), 1, 1), ("film".to_owned(), 2, 1), ("good film".to_owned(), 2, 2)]);
    let refusal = refusal(&path, &counted(wanted(Some("comment"), &[], None)));
    assert!(refusal.contains("submission 1: a submission counts once"), "{refusal}");
}

#[test]
fn plain_lines_have_no_columns_and_no_objects() {
    let folder = Folder::new();
    let path = folder.stated("a.txt", "good film\n{\"text\":\"secret\",\"deviceOnly\":{}}\n", &[], 2);
    assert!(
        refusal(&path, &wanted(None, &["stars"], None)).contains("a.txt has no column \"stars\": it has plain lines")
    );
    assert!(refusal(&path, &wanted(None, &[], None)).contains("a.txt, line 2: an object among plain lines"));
    assert!(refusal(&path, &wanted(Some("text"), &[], None)).contains("\"text\" is not among the columns"));
}

#[test]
fn a_missing_or_forged_guarantee_of_a_file_is_refused_by_its_name() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "review\nsecret\n");
    let wanted = wanted(Some("review"), &[], None);
    let missing = refusal(&path, &wanted);
    assert!(missing.contains("a.csv: the releases have no guarantee"), "{missing}");
    assert_eq!(read(&path, &Wanted { needs_guarantee: false, ..wanted.clone() }).expect("a row").len(), 1);
    let good = guarantee(3);
    let with = |name: &str, value: Value| {
        let mut changed = good.clone();
        changed[name] = value;
        json!({ "guarantee": changed, "columns": ["review"], "rows": 1 })
    };
    for (statement, why) in [
        (json!("secret"), "not a statement of `textveil privatize`"),
        (good.clone(), "not a statement of `textveil privatize`"),
        (with("unit", json!("secret")), "its unit is not known"),
        (with("mechanism", json!("secret")), "its mechanism is not known"),
        (with("epsilonText", json!(0.1)), "promises more for all its words than for one"),
        (with("secret", json!(1)), "has not the form of a guarantee"),
        (json!({ "guarantee": good, "columns": ["title"], "rows": 1 }), "\"review\" is not among the columns"),
    ] {
        folder.write("a.csv.guarantee.json", statement.to_string());
        let refusal = refusal(&path, &wanted);
        assert!(refusal.contains("a.csv.guarantee.json") && refusal.contains(why), "{why}: {refusal}");
        assert!(!refusal.contains("secret"), "{refusal}");
    }
    let named = Releases { guarantee: Some(folder.path("none.json")), ..wanted.releases.clone() };
    assert!(refusal(&path, &Wanted { releases: named, ..wanted }).contains("none.json"));
}

#[test]
fn statements_and_reports_of_choices_come_with_what_they_declare() {
    let folder = Folder::new();
    let file =
        StatementList::file(&["It crashes.", "It is dear."], &[1.0, 0.0, 0.0, 1.0], 2, FileId::new([9; 32]), None);
    let list = StatementList::parse(file.expect("a list")).expect("a list");
    let of_two = Statements::new(&list, 8.0).and_then(|it| it.per_sentence(2)).expect("in range").guarantee();
    let statements = json!({ "statements": [{ "number": 0, "text": "It crashes." }, { "number": 0, "text": "It crashes." }], "guarantee": of_two });
    let mechanism = Mechanism::new(MechanismKind::Oue).with(Parameter::Epsilon, 2.0).expect("in range");
    let choice = Unary::new(mechanism, 9).expect("offered").guarantee();
    let choice = json!({ "bits": { "0": 128, "1": 128 }, "bitLength": 9, "guarantee": choice });
    let path = folder.write("a.jsonl", format!("{statements}\n{choice}\n"));
    let mut seen = Vec::new();
    each(&path, &wanted(None, &[], None), &mut |report| {
        seen.push((report.content, report.guarantee.expect("a guarantee").draw.terms.unit.clone()));
        Ok(())
    })
    .expect("both");
    let crashes = "It crashes.".to_owned();
    let bits = vec![vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]];
    let expected = [
        (Content::Statements(vec![crashes.clone(), crashes]), "whole-text".to_owned()),
        (Content::Bits(bits), "value".to_owned()),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_database_is_read_by_submissions_while_a_collector_writes_to_it() {
    let folder = Folder::new();
    let own = Some(guarantee(2));
    let path = folder.database(&[
        &[("comment", "good film", own.clone()), ("stars", "5", None)],
        &[("other", "of another form", own.clone())],
        &[("comment", "bad film", own.clone()), ("stars", "1", None)],
    ]);
    let of_comments = wanted(Some("comment"), &["stars"], None);
    let rows = read(&path, &of_comments).expect("submissions");
    let day = rows[0].3.clone().expect("a day");
    assert_eq!(day.len(), 10);
    let expected =
        [row("submission 1", "good film", &["5"], Some(&day)), row("submission 3", "bad film", &["1"], Some(&day))];
    assert_eq!(rows, expected);
    let by_day = wanted(Some("comment"), &["day"], Some("day"));
    assert_eq!(read(&path, &by_day).expect("submissions")[0], row("submission 1", "good film", &[&day], Some(&day)));
    let unstated = refusal(&path, &wanted(Some("stars"), &[], None));
    assert!(unstated.contains("collected, submission 1: the release has no guarantee"), "{unstated}");
    let without = refusal(&path, &wanted(Some("comment"), &["city"], None));
    assert!(without.contains("collected: no submission has the field \"city\""), "{without}");
    let elsewhere = refusal(&path, &wanted(None, &[], None));
    assert!(
        elsewhere.contains("no release of the field text. Name one of these by --field: comment, other"),
        "{elsewhere}"
    );
    let of_page = Wanted { may_miss: true, ..wanted(None, &[], None) };
    assert!(read(&path, &of_page).expect("a page says so itself").is_empty());

    let store = Store::open(Some(&path)).expect("a database");
    let entry = |text: &str| Entry { field: "comment".to_owned(), text: text.to_owned(), guarantee: own.clone() };
    let mut count = 0;
    let source = each(&path, &wanted(Some("comment"), &[], None), &mut |_| {
        count += 1;
        assert!(store.keep(&[entry("a new one")], [100 + count; 32]).expect("not locked out"));
        Ok(())
    });
    assert_eq!(source.expect("one state of it").records, 2);
    assert_eq!(read(&path, &wanted(Some("comment"), &[], None)).expect("submissions").len(), 4);
}

#[test]
fn rows_of_another_database_and_scattered_rows_are_refused() {
    let folder = Folder::new();
    let path = folder.path("other");
    Connection::open(&path).and_then(|other| other.execute_batch("CREATE TABLE secret (text TEXT)")).expect("one");
    let refused = refusal(&path, &wanted(None, &[], None));
    assert!(refused.contains("other: not the database of a collector"), "{refused}");
    let whole = fs::read(folder.database(&[&[("text", &"secret ".repeat(9999), Some(guarantee(1)))]])).expect("a file");
    let damaged = folder.write("damaged", &whole[..whole.len() / 2]);
    let refused = refusal(&damaged, &wanted(None, &[], None));
    assert!(refused.contains("damaged: ") && !refused.contains("secret"), "{refused}");
    let row = |number: i64, field: &str| {
        let stored = json!({ "submission": number, "day": "2026-11-22", "field": field, "text": "secret", "guarantee": guarantee(1) });
        stored.to_string() + "\n"
    };
    for (rows, why) in [
        ([row(1, "text"), row(2, "text"), row(1, "stars")], "submission 1: its rows do not stand together"),
        ([row(2, "text"), row(1, "text"), row(1, "text")], "submission 1: a field stands there twice"),
    ] {
        let refused = refusal(&folder.write("rows.jsonl", rows.concat()), &wanted(None, &[], None));
        assert!(refused.contains("rows.jsonl") && refused.contains(why) && !refused.contains("secret"), "{refused}");
    }
}

/// The most memory that this process has had, in kB.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// `cargo test --release -p textveil-collector memory_does_not_grow -- --ignored --nocapture`
#[test]
#[ignore = "writes 500 MB and measures; run it with --release"]
fn memory_does_not_grow_with_the_rows() {
    const ROWS: u64 = 1_000_000;
    let folder = Folder::new();
    let own = guarantee(9).to_string();
    let of = |header: &str, rows: u64, row: &dyn Fn(u64) -> String| {
        header.to_owned() + &(0..rows).map(row).collect::<String>()
    };
    let text = "the film was good and the music too";
    let csv = of("review,stars\n", ROWS, &|n| format!("{text},{}\n", n % 5));
    let jsonl =
        of("", ROWS / 4, &|n| format!("{{\"review\":\"{text}\",\"review-guarantee\":{own},\"stars\":{}}}\n", n % 5));
    let (csv, jsonl) = (folder.stated("a.csv", csv, &["review"], ROWS), folder.write("a.jsonl", jsonl));
    let path = folder.database(&[]);
    let mut database = Connection::open(&path).expect("a database");
    let transaction = database.transaction().expect("a transaction");
    for n in 0..ROWS / 4 {
        let mut add = transaction
            .prepare_cached("INSERT INTO entry (submission, field, text, guarantee) VALUES (?1, ?2, ?3, ?4)")
            .expect("a statement");
        add.execute((n, "review", text, Some(&own)))
            .and_then(|_| add.execute((n, "stars", "5", None::<&str>)))
            .expect("space");
    }
    transaction.commit().expect("space");
    // What was made above is let go, and its peak forgotten.
    fs::write("/proc/self/clear_refs", "5").expect("Linux");
    for path in [csv, jsonl, path] {
        let (before, start) = (most_memory(), std::time::Instant::now());
        let mut fives = 0;
        let source = each(&path, &wanted(Some("review"), &["stars"], None), &mut |report| {
            fives += u64::from(report.columns[0].as_deref() == Some("4"));
            Ok(())
        });
        let (count, grown) = (source.expect("releases").records, most_memory() - before);
        let each = start.elapsed().as_nanos() / u128::from(count);
        println!("{}: {count} rows, {each} ns each, {grown} kB more", path.display());
        assert!(grown < 16 << 10, "{grown} kB");
    }
}
