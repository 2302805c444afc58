//! `textveil privatize` on tables: JSONL, CSV and Parquet, on any number of threads, gone on with after a stop.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use super::{Folder, text, textveil};

const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn privatize(arguments: &[&str]) -> Output {
    textveil(&[&["privatize"], arguments].concat(), b"")
}

fn succeeds(arguments: &[&str]) -> Output {
    let output = privatize(arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    output
}

fn fails(arguments: &[&str]) -> String {
    let output = privatize(arguments);
    assert!(!output.status.success());
    text(&output.stderr).to_owned()
}

const CSV: &str = "id,review,name,note\r\n\
    1,\"The film was good, and \"\"long\"\".\",Anna,x\r\n\
    2,,Bert,x\r\n\
    3,\"two lines\nof text\",\"Ge,orge\",x\r\n\
    4,\"Привет мир 我们 😀\",Núñez,x\r\n";

#[test]
fn csv_keeps_rows_quotes_breaks_and_empty_fields_and_nothing_that_was_not_asked_for() {
    let place = Folder::new();
    let input = place.write("in.csv", CSV);
    let output = place.path("out.csv");
    let run = succeeds(&[&input, "--column", "review", "--column", "name", "--keep", "id", "--output", &output]);
    assert!(text(&run.stderr).contains("8 releases, ") && text(&run.stderr).contains("; IN CLEAR: id"));
    let mut reader = csv::Reader::from_path(&output).expect("CSV");
    assert_eq!(reader.headers().expect("a header"), vec!["id", "review", "name"]);
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a record")).collect();
    assert!(rows.iter().map(|row| &row[0]).eq(["1", "2", "3", "4"]));
    assert_eq!((rows[0][1].matches('"').count(), rows[0][1].matches(',').count()), (2, 1));
    assert!(rows[1][1].is_empty() && !rows[1][2].is_empty());
    assert_eq!(rows[2][1].lines().count(), 2);
    assert_eq!(rows[3][1].split_whitespace().count(), 5, "each Chinese character is a token");
    let statement: Value = serde_json::from_str(&place.read("out.csv.guarantee.json")).expect("JSON");
    assert_eq!(statement["guarantee"]["words"], 6 + 1, "the row with the most words, over both columns");
    assert_eq!((&statement["rows"], &statement["releases"]), (&json!(4), &json!(8)));
    assert_eq!((&statement["columns"], &statement["keptInClear"]), (&json!(["review", "name"]), &json!(["id"])));
    assert!(!Path::new(&place.path("out.csv.partial")).exists());
}

#[test]
fn csv_without_a_header_is_named_by_number_and_tsv_is_told_by_its_name() {
    let place = Folder::new();
    let input = place.write("in.tsv", "\u{feff}good film\t1\nbad film\t0\n");
    let run = succeeds(&[&input, "--no-header", "--column", "1", "--keep", "2"]);
    let rows: Vec<Vec<&str>> = text(&run.stdout).lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.iter().map(|row| row[1]).collect::<Vec<_>>(), ["1", "0"]);
    assert!(rows.iter().all(|row| row[0].split(' ').count() == 2 && !row[0].contains('\u{feff}')));
}

#[test]
fn jsonl_keeps_null_empty_and_missing_fields_and_the_digits_of_what_is_kept() {
    let place = Folder::new();
    let input = place.write(
        "in.jsonl",
        "{\"text\": \"good \\\"film\\\"\\nagain 😀\", \"n\": 12345678901234567890.10, \"who\": {\"name\": \"Anna\"}}\n\
         {\"n\": [1, {\"a\": null}], \"text\": null}\n\n{\"text\": \"\", \"extra\": 1}\r\n{\"n\":2}",
    );
    let run = succeeds(&[&input, "--column", "text", "--keep", "n"]);
    let lines: Vec<&str> = text(&run.stdout).split('\n').collect();
    assert!(lines[0].ends_with(",\"n\":12345678901234567890.10}") && lines[0].starts_with("{\"text\":\""));
    let first: Value = serde_json::from_str(lines[0]).expect("JSON");
    assert_eq!(first["text"].as_str().expect("text").matches(['"', '\n']).count(), 3);
    assert_eq!(&lines[1..], ["{\"n\":[1, {\"a\": null}],\"text\":null}", "", "{\"text\":\"\"}", "{\"n\":2}", ""]);
}

#[test]
fn spans_of_a_detector_are_taken_out_of_the_column_and_are_not_written() {
    let place = Folder::new();
    let row = |name: &str, spans: &str| format!("{{\"text\": \"é {name} was here\", \"found\": {spans}, \"n\": 1}}\n");
    let span = |start: usize, end: usize| format!("[{{\"start\": {start}, \"end\": {end}, \"kind\": \"PERSON\"}}]");
    let good = [row("Anna", &span(2, 6)), row("Bob Smith", &span(2, 11)), row("Eva", "[]")].concat();
    let input = place.write("in.jsonl", good.clone());
    let options = ["--column", "text", "--keep", "n", "--spans", "found", "--seed", SEED];
    succeeds(&[&[&*input, "--output", &place.path("out.jsonl")], &options[..]].concat());
    let rows: Vec<Value> =
        place.read("out.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let words: Vec<Vec<&str>> =
        rows.iter().map(|row| row["text"].as_str().expect("text").split(' ').collect()).collect();
    assert_eq!(words.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4]);
    assert_eq!((words[0][1], words[1][1]), ("[person]", "[person]"));
    assert!(!words[2][1].starts_with('[') && rows.iter().all(|row| row.get("found").is_none() && row["n"] == 1));
    let guarantee: Value = serde_json::from_str(&place.read("out.jsonl.guarantee.json")).expect("JSON");
    let clear = guarantee["guarantee"]["clear"].as_array().expect("a list");
    assert_eq!(clear.last().and_then(Value::as_str), Some("redactions"));
    for (bad, why) in [
        (row("Secret", &span(2, 99)), "the field \"found\": a span must lie within the text (span 1 of the list)"),
        (row("Secret", &span(2, 2)), "a span must not be empty"),
        (row("Secret", "[{\"start\": 2, \"end\": 3, \"kind\": \"1\"}]"), "the kind of a span must be a letter"),
        (
            row("Secret", "[{\"start\": 2, \"end\": 4, \"kind\": \"a\"}, {\"start\": 3, \"end\": 6, \"kind\": \"b\"}]"),
            "a span must not overlap one of another kind",
        ),
        (row("Secret", "null"), "it is no list of objects"),
        (row("Secret", "[{\"start\": 2, \"end\": 3}]"), "it is no list of objects"),
        ("{\"text\": \"Secret\", \"n\": 1}\n".to_owned(), "it has no field \"found\""),
    ] {
        let input = place.write("bad.jsonl", format!("{good}{bad}"));
        let message = fails(&[&[&*input], &options[..]].concat());
        assert!(message.contains(why) && message.contains('4') && !message.contains("Secret"), "{message}");
    }
    for (more, why) in [(&["--column", "m"][..], "one --column"), (&["--format", "csv"], "--spans is for JSON lines")] {
        let message = fails(&[&[&*input], &options[..], more].concat());
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn words_of_a_list_stay_and_words_of_another_list_never_come_out() {
    let place = Folder::new();
    let keep = place.write("keep.txt", "# ours\n\nTextveil \n");
    let never = place.write("never.txt", "damn\r\nthe\n");
    let input = place.write("in.txt", "TEXTVEIL saw the damn the the the end\n".repeat(200));
    let run = succeeds(&[&input, "--keep-words", &keep, "--never-say", &never]);
    let lines: Vec<Vec<&str>> = text(&run.stdout).lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(lines.len(), 200);
    for line in lines {
        assert_eq!((line.len(), line[0]), (8, "Textveil"));
        assert!(!line.iter().any(|word| ["the", "damn"].contains(&&*word.to_lowercase())), "{line:?}");
    }
    let lines = |keep: &str, never: &str| {
        let [keep, never] = [("k.txt", keep), ("n.txt", never)].map(|(name, lines)| place.write(name, lines));
        fails(&[&input, "--keep-words", &keep, "--never-say", &never])
    };
    assert!(lines("fine\n\n# more\nnew york\n", "").contains("k.txt, line 4: a word to be kept"));
    assert!(lines("Fine", "other\nFINE\n").contains("n.txt, line 2: a word never to be said"));
    let absent = place.path("absent.txt");
    assert!(fails(&[&input, "--keep-words", &absent]).contains("cannot read"));
}

#[test]
fn the_first_object_must_have_every_field_whatever_stands_before_it() {
    let place = Folder::new();
    let output = place.path("out.jsonl");
    let column = |name, input: &str| {
        [input, "--column", name, "--keep", "n", "--skip-bad", "--resume", "--output", &output].map(str::to_owned)
    };
    for before in ["", "\n \n", "secret\n", "\n\u{feff}{\n", &"\n".repeat(9999)] {
        let input = place.write("in.jsonl", format!("{before}{{\"text\":\"good film\",\"n\":1}}\n{{\"n\":2}}\n"));
        let (wrong, right) = (column("txet", &input), column("text", &input));
        let (wrong, right) = (wrong.each_ref().map(|part| &**part), right.each_ref().map(|part| &**part));
        for _ in 0..2 {
            let message = fails(&wrong);
            assert!(message.contains("the first object has no field \"txet\""), "{message}");
            assert!(!message.contains("secret") && !Path::new(&place.path("out.jsonl.partial")).exists());
        }
        succeeds(&right);
        assert!(place.read("out.jsonl").ends_with("\"n\":1}\n{\"n\":2}\n"));
        fs::remove_file(&output).expect("it was written");
    }
}

/// A Parquet file with row groups of 100 rows.
fn parquet_file(place: &Folder, name: &str, texts: Vec<Option<String>>) -> String {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64));
    let secrets: ArrayRef = Arc::new(StringArray::from_iter_values(texts.iter().map(|_| "secret")));
    let texts: ArrayRef = Arc::new(StringArray::from(texts));
    let columns = [("number", numbers, false), ("text", texts, true), ("secret", secrets, false)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("equal lengths");
    let path = place.path(name);
    let mut writer =
        ArrowWriter::try_new(File::create(&path).expect("a file"), batch.schema(), None).expect("a schema");
    for start in (0..batch.num_rows()).step_by(100) {
        writer.write(&batch.slice(start, 100.min(batch.num_rows() - start))).expect("written");
        writer.flush().expect("written");
    }
    writer.close().expect("written");
    path
}

/// The rows of a Parquet file: number and text; and its metadata of ours.
fn parquet_rows(path: &str) -> (Vec<(i64, Option<String>)>, Value) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
    let metadata = builder.metadata().file_metadata().key_value_metadata().expect("ours").clone();
    let statement = metadata.into_iter().find(|pair| pair.key == "textveil").and_then(|pair| pair.value).expect("ours");
    assert!(builder.schema().fields().iter().map(|field| field.name()).eq(["number", "text"]));
    let mut rows = Vec::new();
    for batch in builder.build().expect("Parquet") {
        let batch = batch.expect("a page");
        let (numbers, texts) = (batch.column(0).as_primitive::<Int64Type>(), batch.column(1).as_string::<i32>());
        for row in 0..batch.num_rows() {
            let text = texts.is_valid(row).then(|| texts.value(row).to_owned());
            rows.push((numbers.value(row), text));
        }
    }
    (rows, serde_json::from_str(&statement).expect("JSON"))
}

#[test]
fn a_column_is_scored_against_the_one_that_it_came_of() {
    let place = Folder::new();
    let csv = place.write("in.csv", "n,text\n1,a good film\n2,\"a bad, slow\nfilm\"\n");
    let tsv = place.write("in.tsv", "n\ttext\n1\ta good film\n2\ta \"bad\" film\n");
    let parquet = parquet_file(&place, "in.parquet", vec![Some("a good film with a story".into()), None]);
    for input in [csv, tsv, parquet] {
        let output = format!("{input}.out.{}", input.rsplit('.').next().expect("a kind"));
        succeeds(&[&input, "--column", "text", "--epsilon", "4", "--seed", SEED, "--output", &output]);
        let scored = |one: &str, column: &str| textveil(&["score", one, &input, "--column", column, "--json"], b"");
        let score = |one: &str| {
            let report: Value = serde_json::from_slice(&scored(one, "text").stdout).expect("JSON");
            assert_eq!(report["lines"], 2);
            report["corpusBleu"]["score"].as_f64().expect("a score").round()
        };
        assert_eq!(score(&input), 100.0, "{input}");
        assert!(score(&output) < 100.0, "{input}");
        let refusal = scored(&input, "txet");
        assert!(text(&refusal.stderr).contains("has no column \"txet\""), "{}", text(&refusal.stderr));
        // The first row may be a text. A guarantee or the format may say that it names the columns.
        let (refusal, of_release) = (scored(&input, "other"), scored(&output, "other"));
        let names = if input.ends_with("parquet") { "3 columns: number, text, secret" } else { "2 columns" };
        assert!(text(&refusal.stderr).trim_end().ends_with(&format!("among its {names}")), "{}", text(&refusal.stderr));
        let told = text(&of_release.stderr);
        assert!(told.trim_end().ends_with("no column \"other\" among its 1 column: text"), "{told}");
    }
    let lines = place.write("in.txt", "a good film\n");
    let refusal = textveil(&["score", &lines, &lines, "--column", "text"], b"");
    assert!(text(&refusal.stderr).contains("in.txt: --column is for .csv"), "{}", text(&refusal.stderr));
}

#[test]
fn parquet_keeps_nulls_and_types_and_carries_the_guarantee() {
    let place = Folder::new();
    let text = |row: usize| match row % 4 {
        0 => None,
        1 => Some(String::new()),
        _ => Some("ein Wort, 我们!".to_owned()),
    };
    let input = parquet_file(&place, "in.parquet", (0..350).map(text).collect());
    let output = place.path("out.parquet");
    succeeds(&[&input, "--column", "text", "--keep", "number", "--output", &output]);
    let (rows, statement) = parquet_rows(&output);
    assert_eq!(rows.len(), 350);
    for (row, (number, release)) in rows.into_iter().enumerate() {
        assert_eq!(number, row as i64);
        assert_eq!(release.is_none(), row % 4 == 0);
        assert_eq!(release.is_some_and(|release| release.is_empty()), row % 4 == 1);
    }
    assert_eq!((&statement["guarantee"]["words"], &statement["rows"]), (&json!(4), &json!(350)));
    assert!(!Path::new(&place.path("out.parquet.partial")).exists());
    let message = fails(&[&input, "--column", "number", "--output", &place.path("no.parquet")]);
    assert!(message.contains("the column \"number\" is no text"), "{message}");
    let empty = parquet_file(&place, "empty.parquet", Vec::new());
    succeeds(&[&empty, "--column", "text", "--keep", "number", "--output", &place.path("none.parquet")]);
    assert!(parquet_rows(&place.path("none.parquet")).0.is_empty());
}

#[test]
fn a_seed_fixes_every_release_whatever_the_number_of_threads() {
    let place = Folder::new();
    let words = ["good", "film", "doctor", "Xyzzy", "4711", "rest"];
    let sentence = |row: usize| (0..row % 13).map(|n| words[(row * 7 + n) % 6]).collect::<Vec<_>>().join(" ");
    let lines = place.write("in.txt", (0..300).map(|row| sentence(row) + "\n").collect::<String>());
    let json = (0..300).map(|row| json!({"a": sentence(row), "b": sentence(row)}).to_string() + "\n");
    let json = place.write("in.jsonl", json.collect::<String>());
    let csv = (0..300).map(|row| format!("{0},{0}\n", sentence(row)));
    let csv = place.write("in.csv", "a,b\n".to_owned() + &csv.collect::<String>());
    let table = parquet_file(&place, "in.parquet", (0..300).map(|row| Some(sentence(row))).collect());
    for (input, columns) in [
        (&lines, &[][..]),
        (&json, &["--column", "a", "--column", "b"]),
        (&csv, &["--column", "a", "--column", "b"]),
        (&table, &["--column", "text", "--keep", "number"]),
    ] {
        let extension = Path::new(input).extension().and_then(|extension| extension.to_str()).expect("a name");
        let outputs = ["1", "2", "7"].map(|threads| {
            let output = place.path(&format!("out-{threads}.{extension}"));
            let run = ["--seed", SEED, "--threads", threads, "--output", &*output, &**input];
            succeeds(&[&run[..], columns].concat());
            fs::read(output).expect("it was written")
        });
        assert!(outputs[0] == outputs[1] && outputs[1] == outputs[2], "{extension}");
    }
    let output = place.read("out-7.jsonl");
    let row: Value = serde_json::from_str(output.lines().nth(12).expect("300 rows")).expect("JSON");
    assert_ne!(row["a"], row["b"], "equal texts of a row are drawn apart");
    assert!(place.read("out-7.jsonl.guarantee.json").contains("\"insecureSeed\": true"));
}

/// A run is killed in its middle; another one goes on, and keeps what was there.
#[test]
fn a_run_that_was_killed_is_gone_on_with_and_draws_nothing_twice() {
    let place = Folder::new();
    let row =
        |number: usize| format!("{{\"text\":\"the doctor said that row {number} should rest at home for a week\"}}\n");
    let input = place.write("in.jsonl", (0..5_000).map(row).collect::<String>());
    let output = |name: &str| place.path(name);
    // One thread is at work far longer than the fifth of a second after which the state is first written.
    let arguments = |output: &str| {
        let slow = ["privatize", "--mechanism", "certified", "--seed", SEED, "--column", "text", "--threads", "1"];
        [&slow[..], &[&*input, "--resume", "--output", output]]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_textveil"))
        .args(arguments(&output("out.jsonl")))
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary was built with this test");
    let state =
        || -> Option<Value> { serde_json::from_slice(&fs::read(output("out.jsonl.partial/state.json")).ok()?).ok() };
    while child.try_wait().expect("a child").is_none() && state().is_none_or(|state| state["rows"] == 0) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is still at work");
    child.wait().expect("it ends");
    let state = state().expect("it had got somewhere");
    let done = state["output"].as_u64().expect("a number") as usize;
    assert!((1..5_000).contains(&state["rows"].as_u64().expect("a number")));
    let before = fs::read(output("out.jsonl.partial/data")).expect("it is there")[..done].to_vec();

    let arguments_again = arguments(&output("out.jsonl"));
    let arguments_again: Vec<&str> = arguments_again.iter().map(String::as_str).collect();
    let other = [&arguments_again[..], &["--keep-function-words"]].concat();
    let refused = textveil(&other, b"");
    assert!(text(&refused.stderr).contains("the earlier run had other settings"), "{}", text(&refused.stderr));
    let unasked: Vec<&str> = arguments_again.iter().copied().filter(|argument| *argument != "--resume").collect();
    assert!(text(&textveil(&unasked, b"").stderr).contains("--resume continues it"));

    let run = textveil(&arguments_again, b"");
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains("5000 releases, "), "both runs are summed up");
    let whole = arguments(&output("whole.jsonl"));
    assert!(textveil(&whole.iter().map(String::as_str).collect::<Vec<_>>(), b"").status.success());
    assert_eq!(place.read("out.jsonl"), place.read("whole.jsonl"));
    assert!(place.read("out.jsonl").as_bytes().starts_with(&before));
    let statements = ["out", "whole"].map(|name| place.read(&format!("{name}.jsonl.guarantee.json")));
    assert_eq!(statements[0], statements[1]);
    assert!(text(&textveil(&arguments_again, b"").stderr).contains("is there already"));
}

/// Each ends in a carriage return and a line feed. The second run begins between them.
#[test]
fn lines_of_windows_are_counted_as_an_editor_counts_them_also_after_an_interruption() {
    let place = Folder::new();
    let rows = (0..400).map(|row| format!("good film {row},1\r\n")).collect::<Vec<_>>();
    let csv = |first: &str, second: &str| {
        format!(
            "text,stars\r\n{}{first}{}{second}{}",
            rows[..200].concat(),
            rows[200..300].concat(),
            rows[300..].concat()
        )
    };
    let input = place.write("in.csv", csv("a,b,c\r\n", "a,b,c\r\n"));
    let output = place.path("out.csv");
    let arguments = [&*input, "--seed", SEED, "--column", "text", "--output", &output, "--resume"];
    assert!(fails(&arguments).contains("in.csv, line 202: another number of fields"));
    place.write("in.csv", csv("good film,1\r\n", "a,b,c\r\n"));
    let message = fails(&arguments);
    assert!(message.contains("in.csv, line 303: another number of fields"), "{message}");
}

#[test]
fn a_run_that_ended_at_a_bad_row_is_gone_on_with_when_the_row_is_repaired() {
    let place = Folder::new();
    let rows = (0..400).map(|row| format!("good film {row},1\n")).collect::<Vec<_>>();
    let csv = |broken: &str| format!("text,stars\n{}{broken}{}", rows[..200].concat(), rows[200..].concat());
    let broken = csv("se\"cret,,\n");
    let input = place.write("in.csv", &broken);
    let output = place.path("out.csv");
    let arguments = [&*input, "--seed", SEED, "--column", "text", "--output", &output, "--resume"];
    let message = fails(&arguments);
    assert!(message.contains("in.csv, line 202: another number of fields") && !message.contains("cret"), "{message}");
    assert!(message.trim_end().ends_with("To leave out such rows, add --skip-bad --resume"), "{message}");
    assert!(!Path::new(&output).exists());
    let begun = fs::read(place.path("out.csv.partial/data")).expect("what was before it");

    place.write("in.csv", csv(""));
    let run = succeeds(&arguments);
    assert!(text(&run.stderr).contains("400 releases"), "{}", text(&run.stderr));
    let resumed = place.read("out.csv");
    assert!(resumed.as_bytes().starts_with(&begun) && begun.len() > 1000);
    let whole = place.path("whole.csv");
    succeeds(&[&input, "--seed", SEED, "--column", "text", "--output", &whole]);
    assert_eq!(resumed, place.read("whole.csv"));

    place.write("in.csv", &broken);
    let other = place.path("other.csv");
    fails(&[&input, "--column", "text", "--output", &other]);
    place.write("in.csv", csv("").replace("film 0,", "film 9,"));
    let message = fails(&[&input, "--column", "text", "--output", &other, "--resume"]);
    assert!(message.contains("the earlier run had another input"), "{message}");
}

#[test]
fn behind_a_quote_that_is_never_closed_nothing_is_read_until_it_is() {
    let place = Folder::new();
    let rows =
        (0..400).map(|row| format!("good film {row},{row},{}\n", "x".repeat(if row < 200 { 9 } else { 1 << 15 })));
    let rows: Vec<String> = rows.collect();
    let csv = |quote: &str| format!("text,stars,note\n{}{quote}{}", rows[..200].concat(), rows[200..].concat());
    let input = place.write("in.csv", csv("\""));
    let output = place.path("out.csv");
    let columns = [&*input, "--seed", SEED, "--column", "text", "--keep", "stars"];
    let arguments = [&columns[..], &["--output", &output, "--resume"]].concat();
    let message = fails(&arguments);
    assert!(message.contains("in.csv, line 202: a record of more than"), "{message}");
    let files = || ["data", "state.json"].map(|name| place.read(&format!("out.csv.partial/{name}")));
    let begun = files();
    let again = fails(&[&arguments[..], &["--skip-bad"]].concat());
    assert!(again.contains("in.csv, line 202: a record of more than"), "{again}");
    assert_eq!(files(), begun);

    place.write("in.csv", csv(""));
    let run = succeeds(&arguments);
    assert!(text(&run.stderr).contains("400 releases"), "{}", text(&run.stderr));
    let whole = place.path("whole.csv");
    succeeds(&[&columns[..], &["--output", &whole]].concat());
    assert_eq!(place.read("out.csv"), place.read("whole.csv"));
}

#[test]
fn a_quote_that_is_never_closed_keeps_no_text_that_follows_in_clear() {
    let place = Folder::new();
    let rows = |last: &str| format!("text,stars\ngood film,4\nbad film,{last}\nsecret film,3\n");
    let kept = |content: &str| {
        let input = place.write("in.csv", content);
        privatize(&[&input, "--seed", SEED, "--column", "text", "--keep", "stars", "--skip-bad"])
    };
    for open in [
        rows("\"5"),
        rows("\"5").trim_end().to_owned(),
        rows("\"5").replace('\n', "\r"),
        rows("5") + "secret,\"",
        rows("5") + "film,\"secret",
        rows("\"5") + "another,\"\"",
        rows("\"5") + "another,\"\"\n\n",
    ] {
        let run = kept(&open);
        assert!(!run.status.success() && !text(&run.stdout).contains("secret"), "{}", text(&run.stdout));
        let message = text(&run.stderr);
        assert!(message.contains("in.csv, line ") && message.contains(": a quote that is never closed"), "{message}");
    }
    // One that another row closes: what it took along is not kept.
    for (closed, reason) in [("film,\"5\"\n", "a quote within a cell"), ("film,\"\n", "a kept cell spans lines")] {
        let run = kept(&(rows("\"5") + closed));
        assert!(run.status.success() && !text(&run.stdout).contains("secret"), "{}", text(&run.stdout));
        let message = text(&run.stderr);
        assert!(message.contains("left out: ") && message.contains(reason), "{message}");
    }
    // As they should be: with and without last line breaks.
    for end in ["", "film,\"5\"", "\"film\n\",5", "film,\"\"", "film,.", "\n\n", "film,\"5\"\r\n\r\n", "film,5\r"] {
        let run = kept(&(rows("5") + end));
        assert!(run.status.success() && !text(&run.stderr).contains("left out"), "{end:?}: {}", text(&run.stderr));
        let more = usize::from(!end.trim().is_empty());
        assert_eq!(csv::Reader::from_reader(&*run.stdout).records().count(), 3 + more, "{end:?}");
    }
    assert!(kept("").status.code() == Some(1) && text(&kept("").stderr).contains("in.csv is empty"));
}

#[test]
fn nothing_is_written_over_that_is_not_of_the_run() {
    let place = Folder::new();
    let input = place.write("in.txt", "the doctor was kind\n".repeat(9));
    let output = place.path("out.txt");
    let dotted = output.replace("out.txt", "./out.txt");
    fs::write(&output, "old").expect("written");
    let message = fails(&[&input, "-o", &output, "--guarantee", &dotted, "--force"]);
    assert!(message.contains("cannot hold both the releases and their guarantee"), "{message}");
    assert_eq!(place.read("out.txt"), "old");
    fs::remove_file(&output).expect("it was written");
    let notes = place.write("notes.json", "mine");
    let message = fails(&[&input, "-o", &output, "--guarantee", &notes, "--resume"]);
    assert!(message.contains("notes.json is there already") && place.read("notes.json") == "mine", "{message}");
    let partial = place.path("out.txt.partial");
    fs::create_dir(&partial).expect("a folder");
    for name in ["part-0001.csv", "part-1"] {
        fs::write(format!("{partial}/{name}"), "mine").expect("written");
        for resume in [&[][..], &["--resume"]] {
            let message = fails(&[&[&*input, "-o", &output], resume].concat());
            assert!(message.contains("is in the way: it is of no earlier run"), "{message}");
        }
        assert_eq!(fs::read_dir(&partial).expect("a folder").count(), 1);
        fs::remove_file(format!("{partial}/{name}")).expect("it is there");
    }
    let onto_itself = File::options().append(true).open(&input).expect("it is there");
    let run = Command::new(env!("CARGO_BIN_EXE_textveil")).args(["privatize", &input]).stdout(onto_itself).output();
    let run = run.expect("it runs");
    assert!(!run.status.success() && text(&run.stderr).contains("in.txt, which is read"), "{}", text(&run.stderr));
    assert_eq!(place.read("in.txt").lines().count(), 9);
}

#[test]
fn a_point_may_separate_columns() {
    let place = Folder::new();
    let input = place.write("in.csv", "id.text\n1.the doctor was kind\n2.good film\n");
    let run = succeeds(&[&input, "--column", "text", "--delimiter", "."]);
    assert_eq!(text(&run.stdout).lines().count(), 3);
    let open = place.write("open.csv", "id.text\n1.\"the doctor was kind\n2.good film\n");
    assert!(fails(&[&open, "--column", "text", "--delimiter", "."]).contains("a quote that is never closed"));
}

#[test]
fn a_stray_quote_moves_no_part_of_a_text_into_a_kept_cell() {
    let place = Folder::new();
    let columns = |keep: &'static str| ["--column", "review", "--keep", "id", "--keep", keep];
    for (header, row, keep) in [
        ("id,tag,review,stars", "7,\"x,\"my xylotoxic, cancer\",5", "tag"),
        ("id,review,note,stars", "7,\"he said \\\"hi, my xylotoxic\\\" ok\",5", "note"),
        ("id,review,note,stars", "7, \"ill, my xylotoxic\",5", "note"),
        ("id,review,note,stars", "7,5\" of, my xylotoxic,5", "note"),
    ] {
        let lines = format!("{header}\n1,a,b,c\n{row}\n2,a,b,c\n");
        // Windows, Excel and Python's csv end lines in two characters.
        let windows = place.write("windows.csv", lines.replace('\n', "\r\n"));
        let input = place.write("in.csv", lines);
        let arguments = [&[&*input][..], &columns(keep)].concat();
        let refusal = fails(&arguments);
        for (name, refusal) in [("in", &refusal), ("windows", &fails(&[&[&*windows][..], &columns(keep)].concat()))] {
            let line = format!("{name}.csv, line 3: a quote within a cell");
            assert!(refusal.contains(&line) && !refusal.contains("xylotoxic"), "{refusal}");
        }
        assert!(refusal.contains("--skip-bad: the rows above are then drawn again, and spend again"), "{refusal}");
        let run = succeeds(&[&arguments[..], &["--skip-bad"]].concat());
        assert!(!text(&run.stdout).contains("xylotoxic"), "{}", text(&run.stdout));
        assert_eq!(text(&run.stdout).lines().count(), 3);
    }
    for first in ["id,re\"view,note,stars", "\"id\"x,review,note,stars"] {
        let input = place.write("in.csv", format!("{first}\n1,a,b,c\n"));
        assert!(fails(&[&input, "--column", "note"]).contains("line 1: a quote within a cell"));
    }
    // As they should be, also behind a byte order mark.
    let input =
        place.write("in.csv", "\u{feff}\"id\",review,note,stars\r\n\"1\",\"\"\"good\"\", film\",\"\"\"\",\"\"\r\n");
    let run = succeeds(&[&[&*input][..], &columns("note")].concat());
    assert!(text(&run.stdout).ends_with(",\"\"\"\"\n"), "{}", text(&run.stdout));
}

#[test]
fn an_output_that_is_replaced_never_stands_next_to_another_guarantee() {
    let place = Folder::new();
    let input = place.write("in.txt", "good film\n");
    let output = place.path("out.txt");
    succeeds(&[&input, "--level", "11", "--output", &output]);
    let guarantee = || fs::read_to_string(place.path("out.txt.guarantee.json")).ok();
    let before = guarantee().expect("a guarantee");
    // The output cannot be replaced.
    fs::remove_file(&output).expect("removed");
    fs::create_dir(&output).expect("a directory");
    fails(&[&input, "--level", "0", "--force", "--output", &output]);
    assert_eq!(guarantee().as_ref(), Some(&before), "nothing was begun");
    fs::remove_dir(&output).expect("removed");
    succeeds(&[&input, "--level", "0", "--force", "--output", &output]);
    assert_ne!(guarantee().expect("a guarantee"), before);
}

#[cfg(unix)]
#[test]
fn what_is_begun_is_closed_to_other_accounts() {
    use std::os::unix::fs::PermissionsExt;
    let place = Folder::new();
    let input = place.write("in.csv", format!("text\n{}a,b\n", "good film\n".repeat(50)));
    fails(&[&input, "--column", "text", "--output", &place.path("out.csv")]);
    let mode = fs::metadata(place.path("out.csv.partial")).expect("a directory").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);

    // An account has the words of the text.
    for (more, private) in [(&[][..], false), (&["--json"][..], true)] {
        let (input, output) = (place.write("in.txt", "good film\n"), place.path("out.txt"));
        succeeds(&[&[&*input, "--output", &output, "--force"], more].concat());
        let mode = fs::metadata(&output).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777 == 0o600, private, "{mode:o}");
    }
}

#[test]
fn a_quote_in_a_tsv_is_a_character_like_others() {
    let place = Folder::new();
    let rows = "title\ttext\tstars\n\"Heroes\tgood \"film\t4\nJaws\tsecret film\t5\nThe \"Big\" Sleep\t\t5\n";
    let input = place.write("in.tsv", rows);
    let run = succeeds(&[&input, "--column", "text", "--keep", "title", "--keep", "stars", "--seed", SEED]);
    let cells: Vec<Vec<&str>> = text(&run.stdout).lines().map(|line| line.split('\t').collect()).collect();
    assert!(cells.iter().map(|row| row[0]).eq(["title", "\"Heroes", "Jaws", "The \"Big\" Sleep"]));
    assert!(cells.iter().map(|row| row[2]).eq(["stars", "4", "5", "5"]));
    assert!(cells[1][1].contains(" \"") && cells[3][1].is_empty() && !text(&run.stdout).contains("secret"));
    // With quotes it is CSV.
    let quoted = place.write("quoted.tsv", "text\tstars\n\"good\tfilm\"\t4\n");
    let message = fails(&[&quoted, "--column", "text"]);
    assert!(message.contains("another number of fields"), "{message}");
    let output = place.path("out.tsv");
    succeeds(&[&quoted, "--format", "csv", "--delimiter", "\\t", "--column", "text", "--output", &output]);
    assert_eq!(place.read("out.tsv").matches('"').count(), 2);
}

#[test]
fn a_guarantee_takes_the_place_of_no_other_file() {
    let place = Folder::new();
    let input = place.write("in.csv", "text\ngood film\n");
    let (output, other) = (place.path("out.csv"), place.path("other.json"));
    for (guarantee, message) in [
        (&input, "in.csv is the input"),
        (&output, "cannot hold both"),
        (&place.write("is.json", "{}"), "is.json is there already"),
        (&place.path("no/such.json"), "there is no folder"),
    ] {
        let refusal = fails(&[&input, "--column", "text", "--output", &output, "--guarantee", guarantee]);
        assert!(refusal.contains(message), "{refusal}");
        assert!(!Path::new(&output).exists() && !Path::new(&place.path("out.csv.partial")).exists());
    }
    assert!(
        fails(&[&input, "--column", "text", "--resume", "--output", &other, "--guarantee", &input]).contains("input")
    );
    place.write("out.csv.guarantee.json", "{}");
    let arguments = [&*input, "--column", "text", "--output", &output];
    assert!(fails(&arguments).contains("out.csv.guarantee.json is there already"));
    assert_eq!(place.read("in.csv"), "text\ngood film\n");
    let run = succeeds(&[&arguments[..], &["--guarantee", &other]].concat());
    assert!(text(&run.stderr).contains("for the longest row, of 2 words"));
    assert!(place.read("other.json").contains("\"rows\": 1"));
    // Standard output cannot be replaced.
    let refusal = fails(&[&input, "--column", "text", "--guarantee", &other]);
    assert!(refusal.contains("delete it, or name another file"), "{refusal}");
}

#[cfg(unix)]
#[test]
fn a_guarantee_that_nobody_wants_goes_to_a_device_that_stays_one() {
    let place = Folder::new();
    let input = place.write("in.txt", "good film\n");
    for more in [&[][..], &["--force"][..]] {
        let output = place.path(&format!("out{}.txt", more.len()));
        succeeds(&[&[&*input, "--output", &output, "--guarantee", "/dev/null"], more].concat());
        assert!(!Path::new("/dev/null").is_file());
    }
}

#[test]
fn a_directory_in_the_way_is_left_alone() {
    let place = Folder::new();
    let input = place.write("in.txt", "good film\n");
    let output = place.path("out.txt");
    fs::create_dir(place.path("out.txt.partial")).expect("a place for temporary files");
    place.write("out.txt.partial/mine.txt", "mine");
    let message = fails(&[&input, "--output", &output, "--resume"]);
    assert!(message.contains("out.txt.partial is in the way"), "{message}");
    assert_eq!(place.read("out.txt.partial/mine.txt"), "mine");
    fs::remove_dir_all(place.path("out.txt.partial")).expect("it is there");
    place.write("out.txt.partial", "mine");
    assert!(fails(&[&input, "--output", &output]).contains("out.txt.partial is in the way"));
    assert!(fails(&[&input, "--output", &place.0.path().to_string_lossy()]).contains("it is a folder"));
    assert!(fails(&[&input, "--output", "-"]).contains("without --output"));
}

#[test]
fn a_run_without_accounts_is_not_gone_on_with_as_one_with_them() {
    let place = Folder::new();
    let input = place.write("in.txt", ["good film\n".repeat(9), "a".repeat(2 << 20)].concat());
    let output = place.path("out.txt");
    for (first, other) in [(&["--json"][..], &[][..]), (&[], &["--json"])] {
        let arguments = [&*input, "--output", &output, "--resume", "--skip-bad"];
        assert!(fails(&[&arguments[..4], first].concat()).contains("in.txt, line 10: the text is longer"));
        let message = fails(&[&arguments[..], other].concat());
        assert!(message.contains("the earlier run had other settings"), "{message}");
        succeeds(&[&arguments[..], first].concat());
        assert_eq!(place.read("out.txt").matches("deviceOnly").count(), 9 * first.len());
        fs::remove_file(&output).expect("it was written");
    }
}

#[test]
fn a_parquet_run_is_gone_on_with_behind_its_row_groups_and_leaves_out_what_it_is_told_to() {
    let place = Folder::new();
    let text_of = |row: usize| if row == 250 { "a".repeat(2 << 20) } else { format!("good film {row}") };
    let input_of = |text_of: &dyn Fn(usize) -> String| {
        parquet_file(&place, "in.parquet", (0..400).map(|row| Some(text_of(row))).collect())
    };
    let input = input_of(&text_of);
    let output = place.path("out.parquet");
    let arguments = [&*input, "--seed", SEED, "--column", "text", "--keep", "number", "--resume", "--output", &output];
    let message = fails(&arguments);
    assert!(message.contains("in.parquet, row 251: the text is longer"), "{message}");
    let part = fs::read(place.path("out.parquet.partial/part-0")).expect("what was before it");
    input_of(&|row| text_of(row).replace("good film 7", "evil film 7"));
    let message = fails(&arguments);
    assert!(message.contains("the earlier run had another input"), "{message}");
    input_of(&text_of);
    let run = succeeds(&[&arguments[..], &["--skip-bad"]].concat());
    assert!(text(&run.stderr).contains("399 releases, 1 row left out, "), "{}", text(&run.stderr));
    let (rows, statement) = parquet_rows(&output);
    assert!(rows.iter().map(|(number, _)| *number).eq((0..400).filter(|number| *number != 250)));
    assert_eq!((&statement["rows"], &statement["rowsLeftOut"]), (&json!(399), &json!(1)));
    fs::write(place.path("part.parquet"), part).expect("a file");
    let whole = place.path("whole.parquet");
    succeeds(&[&input, "--seed", SEED, "--column", "text", "--keep", "number", "--skip-bad", "--output", &whole]);
    assert_eq!(parquet_rows(&whole), (rows, statement));
}

#[test]
fn rows_that_cannot_be_read_are_named_and_no_message_holds_their_text() {
    let place = Folder::new();
    for (name, content, line, reason) in [
        ("a.jsonl", &b"{\"text\":\"good\"}\n{\"text\":\"xylotoxic\"\n"[..], 2, "not a JSON object"),
        ("b.jsonl", b"{\"text\":\"good\"}\n{\"text\":\"x\"} xylotoxic\n", 2, "not one JSON object"),
        ("c.jsonl", b"{\"text\":[\"xylotoxic\"]}\n", 1, "the field \"text\" is neither Unicode text nor null"),
        ("d.jsonl", b"\"xylotoxic\"\n", 1, "not a JSON object"),
        ("e.jsonl", b"{\"text\":\"good\"}\n{\"text\":\"xylotoxic\xff\"}\n", 2, "not UTF-8"),
        ("f.jsonl", b"{\"text\":\"xylotoxic\",\"text\":\"again\"}\n", 1, "the field \"text\" stands there twice"),
        ("g.csv", b"text,n\ngood,1\nxylotoxic\n", 3, "another number of fields"),
        ("h.csv", b"text\ngood\n\"xylotoxic\xff\"\n", 3, "not UTF-8"),
    ] {
        let input = place.write(name, content);
        let message = fails(&[&input, "--column", "text"]);
        assert!(message.contains(&format!("{name}, line {line}: {reason}")), "{message}");
        assert!(!message.contains("xylotoxic"), "{message}");
        let run = succeeds(&[&input, "--column", "text", "--skip-bad"]);
        assert!(text(&run.stderr).contains(", 1 row left out, "), "{}", text(&run.stderr));
        assert!(!text(&run.stderr).contains("xylotoxic") && !text(&run.stdout).contains("xylotoxic"));
    }
    let open = place.write("open.csv", format!("text\n\"xylotoxic{}", " xylotoxic".repeat(1 << 20)));
    let message = fails(&[&open, "--column", "text", "--skip-bad"]);
    assert!(message.contains("open.csv, line 2: a record of more than") && !message.contains("xylotoxic"), "{message}");
    let lines = place.write("long.txt", [b"good\n".as_slice(), &vec![b'a'; 3 << 20], b"\ngood"].concat());
    let run = succeeds(&[&lines, "--skip-bad"]);
    assert!(text(&run.stdout).split('\n').count() == 2 && text(&run.stderr).contains("2 releases, 1 row left out"));
    let broken = place.write("broken.parquet", "PAR1xylotoxicPAR1");
    let message = fails(&[&broken, "--column", "text", "--output", &place.path("x.parquet")]);
    assert!(message.contains("is not a Parquet file") && !message.contains("xylotoxic"), "{message}");
}

#[test]
fn what_does_not_fit_together_is_refused_before_anything_is_read() {
    let place = Folder::new();
    let (csv, out) = (place.write("in.csv", "text,n\nsecret,1\n"), place.path("out.parquet"));
    let (csv, out) = (csv.as_str(), out.as_str());
    let json = place.write("in.JSON", "[\"secret\"]");
    let (lines, rest) = (place.write("in.txt", "secret\n"), place.path("out.txt"));
    for (arguments, message) in [
        (&[csv][..], "csv needs --column"),
        (&[csv, "--column", "txt"], "has no column \"txt\""),
        (&[csv, "--column", "n", "--keep", "n"], "\"n\" is named by --column and by --keep"),
        (&[csv, "--column", "text", "--output", out], "out.parquet would hold csv"),
        (&[csv, csv, "--column", "text"], "one table at a time: only files of lines can be privatized together"),
        (&[&*lines, &lines, "--output", &rest], "several files go to standard output: leave out --output, or name one"),
        (&["--format", "jsonl", "--column", "x", "--output", out, "--resume"], "would hold jsonl"),
        (&["--format", "parquet", "--column", "x"], "parquet needs --output"),
        (&["--column", "x"], "lines have no columns"),
        (&[&*json], "in.JSON: is it JSON lines? --format jsonl"),
        (&["--resume"], "--output <FILE>"),
    ] {
        let refusal = fails(arguments);
        assert!(refusal.contains(message) && !refusal.contains("secret"), "{refusal}");
    }
}

/// A hundred megabytes of rows, most of them skipped, and rows of the greatest length.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_on_any_input() {
    let peak = |rows: String, times: usize| {
        let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/odd.tvt");
        let arguments = ["privatize", "--table", table, "--format", "jsonl", "--column", "text", "--threads", "7"];
        super::peak_memory(&arguments, |pipe| (0..times).try_for_each(|_| pipe.write_all(rows.as_bytes()))) >> 10
    };
    let row = |text: &str, rest: usize| format!("{{\"text\":\"{text}\",\"rest\":\"{}\"}}\n", "secret ".repeat(rest));
    // More than a pipe holds: so it runs when it is measured.
    let least = peak(row("a", 1).repeat(5000), 1);
    let usual = peak(row("a short text", 1000).repeat(1 << 7), 112);
    assert!(usual < least + 24, "{least} MiB, then {usual} MiB");
    let longest = peak(row(&". ".repeat(500_000), 300_000), 30);
    assert!(longest < least + 64, "{least} MiB, then {longest} MiB");
}

#[test]
fn what_was_meant_is_named() {
    let place = Folder::new();
    let csv = place.write("in.csv", "id,text\n1,good film\n");
    let output = place.path("out.csv");
    let told = |file: &str, column: &str| fails(&[file, "--column", column, "--output", &output]);
    assert!(told(&csv, "txt").contains("Did you mean \"text\"?"));
    let quoted = place.write("quoted.csv", "\"good, I think\"\n");
    let hint = told(&quoted, "text");
    assert!(hint.contains("--no-header") && !hint.contains("--delimiter"), "{hint}");
    let other = place.write("other.csv", "id;text\n1;good film\n");
    assert!(told(&other, "text").contains("\";\" stands between its columns, so add --delimiter ';'"));
    let workbook = place.write("in.xlsx", "PK");
    assert!(told(&workbook, "text").contains("in.xlsx: workbooks and documents are neither read nor written"));
    let book = place.path("out.xlsx");
    assert!(fails(&[&csv, "--column", "text", "--output", &book]).contains("out.xlsx: workbooks"));
}

#[test]
fn a_file_without_a_header_shows_no_text() {
    let place = Folder::new();
    let csv = place.write("in.csv", "My name is Secretname and I have cancer,5\n");
    let message = fails(&[&csv, "--column", "review"]);
    assert!(
        message.contains("no column \"review\" among its 2 columns") && message.contains("--no-header"),
        "{message}"
    );
    assert!(!message.contains("Secretname"), "{message}");
    assert_eq!(text(&succeeds(&[&csv, "--column", "1", "--keep", "2", "--no-header"]).stdout).lines().count(), 1);
}

#[test]
fn no_input_is_written_over() {
    let place = Folder::new();
    let input = place.write("in.txt", "good film\n");
    let keep = place.write("keep.txt", "film\n");
    for more in [&[][..], &["--force"], &["--resume"]] {
        let refusal = fails(&[&[&*input, "--output", &input], more].concat());
        assert!(refusal.contains("in.txt is the input"), "{refusal}");
        let refusal = fails(&[&[&*input, "--keep-words", &keep, "--output", &keep], more].concat());
        assert!(refusal.contains("keep.txt is read, too"), "{refusal}");
    }
    assert!(
        fails(&[&input, "--keep-words", &keep, "--guarantee", &keep, "--force", "--output", &place.path("o")])
            .contains("keep.txt is read, too")
    );
    #[cfg(unix)]
    {
        let link = place.path("link.txt");
        std::os::unix::fs::symlink(&input, &link).expect("a link");
        assert!(fails(&[&input, "--output", &link, "--force"]).contains("link.txt is the input"));
        let run = Command::new(env!("CARGO_BIN_EXE_textveil"))
            .args(["privatize", "--force", "--output", &input])
            .stdin(File::open(&input).expect("a file"))
            .output()
            .expect("the binary was built with this test");
        assert!(!run.status.success() && text(&run.stderr).contains("in.txt is the input"), "{}", text(&run.stderr));
    }
    assert_eq!((place.read("in.txt"), place.read("keep.txt")), ("good film\n".to_owned(), "film\n".to_owned()));
    assert!(!Path::new(&place.path("in.txt.partial")).exists());
}

#[test]
fn compressed_files_are_refused_by_their_name() {
    let place = Folder::new();
    let csv = place.write("in.csv", "text\ngood film\n");
    for arguments in [[&*csv, "--output", &place.path("out.csv.gz")], [&place.path("in.csv.gz"), "--output", "out.csv"]]
    {
        let refusal = fails(&[&arguments[..], &["--column", "text"]].concat());
        assert!(refusal.contains(".csv.gz: compressed files are neither read nor written"), "{refusal}");
    }
    assert!(!Path::new(&place.path("out.csv.gz")).exists());
}

#[test]
fn what_left_in_clear_is_summed_up() {
    let place = Folder::new();
    let (json, keep) =
        (place.write("in.jsonl", "{\"a\":\"good film\",\"s\":[],\"n\":1}\n"), place.write("keep.txt", "film\n"));
    let columns =
        [&*json, "--column", "a", "--keep", "n", "--spans", "s", "--keep-words", &keep, "--keep-function-words"];
    let summary = text(&succeeds(&columns).stderr).to_owned();
    assert!(summary.contains("; IN CLEAR: function words, kept words, redactions, n\n"), "{summary}");
    assert!(!text(&succeeds(&columns[..3]).stderr).contains("IN CLEAR"));
}

#[test]
fn a_second_run_is_told_from_an_interrupted_one() {
    let place = Folder::new();
    let input = place.write("in.txt", "good film\n");
    fs::create_dir(place.path("out.txt.partial")).expect("a place for temporary files");
    place.write("out.txt.partial/data", "");
    let other = File::options().write(true).open(place.path("out.txt.partial/data")).expect("a file");
    other.try_lock().expect("nobody else is at it");
    for more in [&[][..], &["--resume"], &["--force"]] {
        let refusal = fails(&[&[&*input, "--output", &place.path("out.txt")], more].concat());
        assert!(refusal.contains("another run is at"), "{refusal}");
    }
    drop(other);
    assert!(fails(&[&input, "--output", &place.path("out.txt")]).contains("--resume continues it"));
}

#[test]
fn no_threads_are_refused() {
    assert!(fails(&["--threads", "0"]).contains("invalid value '0' for '--threads <N>'"));
}

#[test]
fn an_output_is_replaced_only_by_force() {
    let place = Folder::new();
    let csv = place.write("in.csv", "text\ngood film\n");
    let output = place.write("out.csv", "something else");
    let arguments = [&*csv, "--seed", SEED, "--column", "text", "--output", &output];
    assert!(fails(&arguments).contains("--force does so"));
    assert_eq!(place.read("out.csv"), "something else");
    let forced = [&["privatize"][..], &arguments[..], &["--force"]].concat();
    for _ in 0..2 {
        let run = textveil(&forced, b"");
        assert!(run.status.success(), "{}", text(&run.stderr));
        assert!(place.read("out.csv").starts_with("text\n"));
    }
    let both = [&arguments[..], &["--force", "--resume"]].concat();
    assert!(fails(&both).contains("cannot be used with"));
}

#[test]
fn levels_are_listed_with_the_names_of_presets() {
    let run = textveil(&["levels"], b"");
    let listed = text(&run.stdout);
    let decimals = |line: &str| line.split_once('%').and_then(|(share, _)| Some(share.rsplit_once('.')?.1.len()));
    let decimals: Vec<_> = listed.lines().filter(|line| line.contains('%')).map(decimals).collect();
    assert!(decimals.len() > 5 && decimals.iter().all(|count| *count == Some(1)), "{listed}");
    let inspected = textveil(&["table", "inspect"], b"");
    assert!(text(&inspected.stdout).contains("different words kept words of a text kept\n"));
    assert!(listed.contains("Levels of nearest") && listed.contains("readable") && listed.contains("balanced default"));
    let none = textveil(&["levels", "--mechanism", "vickrey"], b"");
    assert!(text(&none.stderr).contains("the table has no levels of vickrey"), "{}", text(&none.stderr));
}

#[test]
fn texts_that_were_privatized_already_are_warned_of() {
    let place = Folder::new();
    let path = |kind: &str, name: &str| place.path(&format!("{name}.{kind}"));
    place.write("in.csv", "text,note\ngood film,fine\n");
    place.write("in.txt", "good film\n");
    parquet_file(&place, "in.parquet", vec![Some("good film".into())]);
    for (kind, column, kept) in [("csv", "text", "note"), ("parquet", "text", "secret"), ("txt", "", "")] {
        let (input, once, twice, other) =
            (path(kind, "in"), path(kind, "once"), path(kind, "twice"), path(kind, "other"));
        let columns = if column.is_empty() { Vec::new() } else { vec!["--column", column, "--keep", kept] };
        let warned = |arguments: &[&str]| text(&succeeds(arguments).stderr).contains("was privatized already");
        assert!(!warned(&[&[&*input, "-o", &once], &columns[..]].concat()), "{kind}");
        assert!(warned(&[&[&*once, "-o", &twice], &columns[..]].concat()), "{kind}");
        if !column.is_empty() {
            assert!(!warned(&[&once, "--column", kept, "-o", &other]), "{kind}");
            // Its guarantee would not count what the column has spent.
            let both = path(kind, "both");
            assert!(warned(&[&once, "--column", kept, "--keep", column, "-o", &both]), "{kind}");
        }
    }
}

#[test]
fn of_an_output_and_its_guarantee_the_output_is_told_of() {
    let place = Folder::new();
    let (input, output) = (place.write("in.txt", "good film\n"), place.path("out.txt"));
    succeeds(&[&input, "-o", &output]);
    let message = fails(&[&input, "-o", &output]);
    assert!(message.contains("out.txt is there already. To privatize the same texts again spends again"), "{message}");
}
