//! `textveil-collector train`: releases that `textveil privatize` and `textveil represent` have drawn in, models out.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use rusqlite::Connection;
use safetensors::SafeTensors;
use serde_json::{Value, json};

use textveil_tests::{Folder, run, text};

const COLLECTOR: &str = env!("CARGO_BIN_EXE_textveil-collector");
/// A table of a few words.
const ODD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/odd.tvt");
const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// `textveil`, which makes the releases to train on. Cargo builds it next to the collector.
fn textveil(arguments: &[&str], input: &[u8]) -> Output {
    let program = Path::new(COLLECTOR).with_file_name(format!("textveil{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is missing: test -p textveil-cli, too, which builds it", program.display());
    run(program, arguments, input)
}

fn collector(arguments: &[&str]) -> Output {
    run(COLLECTOR, arguments, b"")
}

/// Some lines as `textveil` releases them, by the seed.
fn released(folder: &Folder, name: &str, arguments: &[&str], input: &str) -> String {
    let output = textveil(&[arguments, &["--seed", SEED]].concat(), input.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    folder.write(name, text(&output.stdout))
}

/// Reviews, each second one good, and what they are.
fn reviews(count: usize) -> Vec<(String, &'static str)> {
    let (good, bad) = (["great", "lovely", "wonderful", "perfect"], ["awful", "terrible", "bad", "worst"]);
    let things = ["film", "acting", "music", "story", "phone", "battery", "meal"];
    let review = |i: usize| {
        let (words, label) = if i.is_multiple_of(2) { (good, "good") } else { (bad, "bad") };
        (format!("the {} {} was {}", words[i / 2 % 4], things[i % 7], words[i / 8 % 4]), label)
    };
    (0..count).map(review).collect()
}

fn texts(count: usize) -> String {
    reviews(count).into_iter().map(|(text, _)| text + "\n").collect()
}

fn labels(count: usize) -> String {
    reviews(count).into_iter().map(|(_, label)| label.to_owned() + "\n").collect()
}

fn rows(count: usize) -> String {
    reviews(count).into_iter().map(|(text, label)| json!({ "text": text, "label": label }).to_string() + "\n").collect()
}

/// Reviews as a table of one kind or another, with a number that nobody asks for; the name ends in the kind.
fn table(folder: &Folder, name: &str, count: usize) -> String {
    let (texts, labels): (Vec<String>, Vec<&str>) = reviews(count).into_iter().unzip();
    let rows = |separator: &str| -> String {
        let row = |(n, (text, label))| format!("{label}{separator}{n}{separator}{text}\n");
        let header = ["label", "number", "text"].join(separator) + "\n";
        header + &reviews(count).into_iter().enumerate().map(row).collect::<String>()
    };
    match name.rsplit('.').next() {
        Some("csv") => folder.write(name, rows(",")),
        Some("tsv") => folder.write(name, rows("\t")),
        _ => {
            let numbers = Int64Array::from_iter_values(0..count as i64);
            let columns: [(&str, ArrayRef); 3] = [
                ("label", Arc::new(StringArray::from(labels))),
                ("number", Arc::new(numbers)),
                ("text", Arc::new(StringArray::from(texts))),
            ];
            let batch = RecordBatch::try_from_iter(columns).expect("columns");
            let file = fs::File::create(folder.path(name)).expect("a file");
            let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a schema");
            writer.write(&batch).and_then(|()| writer.close()).expect("a file");
            folder.path(name)
        }
    }
}

/// JSON lines with another object's fields added to each.
fn with(lines: &str, more: impl Fn(usize) -> Value) -> String {
    let add = |(place, line): (usize, &str)| {
        let mut object: Value = serde_json::from_str(line).expect("JSON");
        let Value::Object(more) = more(place) else { unreachable!("an object") };
        object.as_object_mut().expect("an object").extend(more);
        object.to_string() + "\n"
    };
    lines.lines().enumerate().map(add).collect()
}

fn train(arguments: &[&str]) -> Output {
    collector(&[&["train", "classifier"], arguments].concat())
}

fn card(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a card")
}

fn refused(output: &Output) -> String {
    assert!(!output.status.success() && output.stdout.is_empty(), "{}", text(&output.stdout));
    text(&output.stderr).to_owned()
}

#[test]
fn a_model_learns_from_privatized_columns_and_its_card_states_their_guarantee() {
    let folder = Folder::new();
    let clear = folder.write("clear.jsonl", rows(200));
    let (data, model) = (folder.path("releases.jsonl"), folder.path("model"));
    let output = textveil(
        &["privatize", &clear, "--column", "text", "--keep", "label", "--epsilon", "20", "--seed", SEED, "-o", &data],
        b"",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = train(&["--data", &data, "--out", &model]);
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for part in [
        "on 40 releases that it has not seen",
        "0.500  for who always names the most frequent class",
        "200 releases by nearest, word by word: at most epsilon 20.00 for one word",
        "for any line, in the worst case, DRAWN FROM A SEED",
        "weakens none of this",
        "labels, which came in the clear",
        "(language, placeholders, punctuation, white-space, word-count)",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let card: Value = serde_json::from_slice(&fs::read(folder.path("model/card.json")).expect("a card")).expect("JSON");
    let statement: Value =
        serde_json::from_slice(&fs::read(folder.path("releases.jsonl.guarantee.json")).expect("one")).expect("JSON");
    for name in ["epsilonWord", "epsilonText", "deltaText", "words"] {
        assert_eq!(card["guarantee"]["drawn"][0]["guarantee"][name], statement["guarantee"][name], "{name}");
    }
    assert_eq!(card["guarantee"]["weakest"], Value::Null, "a known seed undoes all of it");
    assert_eq!(card["classes"], json!(["bad", "good"]));
    assert!(card["metrics"]["accuracy"].as_f64().expect("a number") > 0.9, "{}", card["metrics"]);
    let given: u64 =
        (0..4).map(|cell| card["metrics"]["confusion"][cell / 2][cell % 2].as_u64().expect("a count")).sum();
    assert_eq!((given, &card["data"]["trained"], &card["data"]["files"][0]["records"]), (40, &json!(160), &json!(200)));
    assert_eq!(fs::read_dir(folder.path("model")).expect("a folder").count(), 2);
}

#[test]
fn tables_are_learned_from_like_lines_whatever_their_kind() {
    let folder = Folder::new();
    let clear = folder.write("clear.jsonl", rows(120));
    let privatized = |clear: &str, name: &str, more: &[&str]| {
        let data = folder.path(name);
        let arguments = ["privatize", clear, "--column", "text", "--keep", "label", "--seed", SEED];
        let output = textveil(&[&arguments, more, &["-o", &data]].concat(), b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        data
    };
    let strong = ["--epsilon", "20"];
    let learned = |data: &str, out: &str| {
        let out = folder.path(out);
        card(&train(&["--data", data, "--out", &out, "--json"]))
    };
    let lines = learned(&privatized(&clear, "private.jsonl", &strong), "of-lines");
    for kind in ["csv", "tsv", "parquet"] {
        let clear = table(&folder, &format!("clear.{kind}"), 120);
        let data = privatized(&clear, &format!("private.{kind}"), &strong);
        let card = learned(&data, kind);
        assert_eq!((&card["model"], &card["guarantee"]), (&lines["model"], &lines["guarantee"]), "{kind}");
        let predict = ["train", "predict", "--model", &folder.path(kind), "--json", "--data", &data];
        let output = collector(&predict);
        let second: Value = serde_json::from_str(text(&output.stdout).lines().nth(1).expect("a row")).expect("JSON");
        let at = if kind == "parquet" { &second["row"] } else { &second["line"] };
        assert_eq!((at, &second["class"]), (&json!(if kind == "parquet" { 2 } else { 3 }), &json!("bad")), "{kind}");

        let more = ["--keep", "number", "--table", ODD, "--mechanism", "exponential", "--eta", "40", "--any-language"];
        let other = privatized(&clear, &format!("other.{kind}"), &more);
        let refusal = refused(&train(&["--data", &other, "--out", &folder.path("model")]));
        let first = if kind == "parquet" { "row 1" } else { "line 2" };
        assert!(refusal.contains(&format!("other.{kind}, {first}: its words are of another table")), "{refusal}");
        let refusal = refused(&train(&["--data", &data, "--label", "number", "--out", &folder.path("model")]));
        assert!(refusal.contains(&format!("private.{kind} has no column \"number\"")), "{refusal}");
        let labels = folder.write("labels.txt", labels(120));
        let refusal = refused(&train(&["--data", &data, "--labels", &labels, "--out", &folder.path("model")]));
        assert!(refusal.contains("name the column with the label by --label"), "{refusal}");
        let refusal = refused(&train(&["--data", &clear, "--out", &folder.path("model")]));
        assert!(refusal.contains(&format!("clear.{kind}, {first}: the release has no guarantee")), "{refusal}");
    }
    let whole = fs::read(folder.path("private.parquet")).expect("a file");
    let mut damaged = whole.clone();
    damaged[4..200].fill(0xff);
    for (bytes, why) in [(&whole[..whole.len() - 9], "is not a Parquet file"), (&damaged, "a page cannot be read")] {
        fs::write(folder.path("damaged.parquet"), bytes).expect("a file");
        let data = folder.path("damaged.parquet");
        let refusal = refused(&train(&["--data", &data, "--out", &folder.path("model")]));
        assert!(refusal.contains("damaged.parquet") && refusal.contains(why), "{refusal}");
    }
    fs::rename(folder.path("private.csv.guarantee.json"), folder.path("elsewhere.json")).expect("a file");
    let (data, elsewhere) = (folder.path("private.csv"), folder.path("elsewhere.json"));
    let refusal = refused(&train(&["--data", &data, "--out", &folder.path("model")]));
    assert!(refusal.contains("private.csv, line 2: the release has no guarantee"), "{refusal}");
    let out = folder.path("named");
    let named = card(&train(&["--data", &data, "--guarantee", &elsewhere, "--out", &out, "--json"]));
    assert_eq!(named["model"], lines["model"]);
}

#[test]
fn plain_lines_are_learned_from_with_a_file_of_labels() {
    let folder = Folder::new();
    let clear = folder.write("clear.txt", texts(60));
    let data = folder.path("private.txt");
    let output = textveil(&["privatize", &clear, "--epsilon", "20", "--seed", SEED, "-o", &data], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let labels = folder.write("labels.txt", labels(60));
    let card = card(&train(&["--data", &data, "--labels", &labels, "--out", &folder.path("model"), "--json"]));
    assert_eq!((&card["guarantee"]["releases"], &card["input"]["kind"]), (&json!(60), &json!("text")));
    let refusal = refused(&train(&["--data", &data, "--out", &folder.path("other")]));
    assert!(refusal.contains("private.txt has no column \"label\": it has plain lines"), "{refusal}");
}

#[test]
fn statements_are_to_be_counted_not_classified() {
    let folder = Folder::new();
    let clear = table(&folder, "clear.csv", 9);
    let data = folder.path("private.csv");
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/film-and-book-reviews.tvs");
    let arguments = ["privatize", &clear, "--column", "text", "--keep", "label", "--statements", list, "-o", &data];
    let output = textveil(&arguments, b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let refusal = refused(&train(&["--data", &data, "--out", &folder.path("model")]));
    assert!(
        refusal.contains("private.csv, line 2: a statement or a choice is counted and not classified"),
        "{refusal}"
    );
}

#[test]
fn vectors_and_bits_are_learned_from_and_the_same_seed_gives_the_same_model() {
    let folder = Folder::new();
    let labels = folder.write("labels.txt", labels(120));
    for (name, arguments, options, kind) in [
        ("vectors", &["dpnr", "--epsilon", "4000"][..], &["--model", "mlp", "--epochs", "20"][..], "vectors"),
        (
            "words",
            &["lattice-laplace", "--eta", "60", "--unit", "word"],
            &["--model", "bilstm", "--hidden", "8", "--epochs", "6"],
            "vectors",
        ),
        ("bits", &["randomized-response", "--epsilon", "4000"], &["--patience", "5"], "bits"),
    ] {
        let data = [&["represent", "--mechanism"], arguments].concat();
        let data = released(&folder, &format!("{name}.jsonl"), &data, &texts(120));
        let of = |out: &str| {
            let out = folder.path(out);
            card(&train(&[&["--data", &data, "--labels", &labels, "--out", &out, "--json"], options].concat()))
        };
        let (one, other) = (of(name), of(&format!("{name}-again")));
        assert_eq!(one, other);
        assert_eq!((&one["input"]["kind"], &one["guarantee"]["releases"]), (&json!(kind), &json!(120)));
        assert!(one["metrics"]["accuracy"].as_f64().expect("a number") > 0.8, "{name}: {}", one["metrics"]);
    }
}

#[test]
fn what_was_learned_is_applied_to_releases_of_the_same_kind_alone() {
    let folder = Folder::new();
    let epsilon = |epsilon| ["privatize", "--json", "--epsilon", epsilon];
    // What a device would have sent.
    let sent = |name: &str, epsilon: &[&str], count: usize| {
        let lines = textveil(&[epsilon, &["--seed", SEED]].concat(), texts(count).as_bytes());
        let send = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            json!({ "comment": line["text"], "comment-guarantee": line["guarantee"].to_string() }).to_string() + "\n"
        };
        let lines: String = text(&lines.stdout).lines().map(send).collect();
        folder.write(name, with(&lines, |place| json!({ "stars": reviews(count)[place].1 })))
    };
    let (data, others) = (sent("data.jsonl", &epsilon("20"), 160), sent("others.jsonl", &epsilon("16"), 30));
    let model = folder.path("model");
    let output =
        train(&["--data", &data, "--field", "comment", "--label", "stars", "--test", &others, "--out", &model]);
    assert!(refused(&output).contains("lines are not all drawn alike"));
    let fields = ["--field", "comment", "--label", "stars", "--allow-mixed", "--json"];
    let card = card(&train(&[&["--data", &data, "--test", &others, "--out", &model], &fields[..]].concat()));
    assert_eq!((&card["data"]["trained"], &card["data"]["tested"]), (&json!(160), &json!(30)));
    let epsilon =
        |kind: usize| card["guarantee"]["drawn"][kind]["guarantee"]["epsilonWord"].as_f64().expect("a number");
    assert!(epsilon(0) > epsilon(1));
    assert_eq!(card["guarantee"]["weakest"], Value::Null, "a known seed undoes all of it");

    let predict = |arguments: &[&str]| collector(&[&["train", "predict", "--model", &model], arguments].concat());
    let output = predict(&["--data", &others, "--field", "comment"]);
    let named: Vec<&str> = text(&output.stdout).lines().collect();
    let right = named.iter().zip(reviews(30)).filter(|(named, (_, label))| *named == label).count();
    assert!(named.len() == 30 && right > 26, "{right} of {}", named.len());
    let output = predict(&["--data", &others, "--field", "comment", "--json"]);
    let third: Value = serde_json::from_str(text(&output.stdout).lines().nth(2).expect("a line")).expect("JSON");
    assert_eq!((&third["line"], &third["class"]), (&json!(3), &json!(named[2])));
    let sum = third["probabilities"]["good"].as_f64().zip(third["probabilities"]["bad"].as_f64()).map(|(a, b)| a + b);
    assert!((sum.expect("numbers") - 1.0).abs() < 1e-5);

    let vectors = ["represent", "--mechanism", "laplace", "--epsilon", "9"];
    let vectors = released(&folder, "vectors.jsonl", &vectors, &texts(9));
    let stars = folder.write("stars.txt", labels(9));
    let output = train(&["--data", &vectors, "--labels", &stars, "--model", "bilstm", "--out", &folder.path("other")]);
    assert!(refused(&output).contains("each release is one row: take --model mlp"));
    assert!(refused(&predict(&["--data", &vectors])).contains("the model reads text, and these are vectors"));
    let mut fewer = card;
    fewer["classes"] = json!(["bad"]);
    fs::write(folder.path("model/card.json"), fewer.to_string()).expect("a file");
    assert!(
        refused(&predict(&["--data", &others, "--field", "comment"])).contains("has 1 of the 2 classes of its model")
    );
    fs::write(folder.path("model/model.safetensors"), b"another").expect("a file");
    assert!(refused(&predict(&["--data", &others, "--field", "comment"])).contains("is not the model of its card"));
}

/// Reviews privatized by `textveil`, as a table with their labels. Options come before the columns.
fn privatized(folder: &Folder, name: &str, options: &[&str]) -> String {
    let clear = table(folder, &format!("of-{name}"), 160);
    let data = folder.path(name);
    let arguments = ["privatize", &clear, "--column", "text", "--keep", "label", "--seed", SEED, "-o", &data];
    let output = textveil(&[&arguments, options].concat(), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    data
}

/// The probability of "good", line by line.
fn good(output: &Output) -> Vec<f64> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout).lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.map(|line| line["probabilities"]["good"].as_f64().expect("a number")).collect()
}

#[test]
fn a_model_of_releases_is_used_on_clear_text_which_is_never_taken_for_releases() {
    let folder = Folder::new();
    let data = privatized(&folder, "private.csv", &["--epsilon", "16"]);
    let model = folder.path("model");
    card(&train(&["--data", &data, "--out", &model, "--json"]));
    let predict = |arguments: &[&str]| collector(&[&["train", "predict", "--model", &model], arguments].concat());
    let clear = [folder.write("clear.txt", texts(40)), folder.write("clear.jsonl", rows(40))];
    let tables = ["clear.csv", "clear.parquet"].map(|name| table(&folder, name, 40));
    for clear in clear.iter().chain(&tables) {
        let output = predict(&["--data", clear, "--clear"]);
        let right = text(&output.stdout).lines().zip(reviews(40)).filter(|(named, (_, label))| named == label);
        assert!(right.count() > 36, "{clear}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("These are texts in clear, and no releases. No guarantee covers them"));
        assert!(
            refused(&predict(&["--data", clear])).contains("line 1: not a JSON object: ") || !clear.ends_with("txt")
        );
    }
    let odd = folder.write("odd.txt", "the great film\nThe GREAT, filmm zzqxvk a@b.de 4711471147114711!\n\nzzqxvk\n");
    let output = predict(&["--data", &odd, "--clear", "--json"]);
    let found = good(&output);
    assert_eq!((found[0], found[2]), (found[1], found[3]));
    assert!(text(&output.stdout).lines().all(|line| line.contains("\"clear\":true")));
    assert!(!text(&predict(&["--data", &data, "--json"]).stdout).contains("\"clear\""));

    let own = released(&folder, "own.jsonl", &["privatize", "--json"], &texts(2));
    let own = fs::read_to_string(own).expect("releases").replace("deviceOnly", "hidden");
    let own = folder.write("own.jsonl", &own);
    let parquet = privatized(&folder, "private.parquet", &["--epsilon", "16"]);
    let database = folder.path("collected");
    let columns = "id INTEGER PRIMARY KEY, submission INTEGER, day TEXT, field TEXT, text TEXT, guarantee TEXT";
    let connection = Connection::open(&database).expect("a database");
    connection.execute_batch(&format!("CREATE TABLE entry ({columns})")).expect("a table");
    let objects = folder.write("objects.txt", &own);
    let objects = fs::write(&objects, fs::read(&own).expect("releases")).map(|()| objects).expect("a file");
    for (data, more, why) in [
        (&data, &[][..], "private.csv: it has a guarantee, so it is a release"),
        (&parquet, &[], "private.parquet: it has a guarantee"),
        (&own, &[], "own.jsonl, line 1: it has a guarantee"),
        (&objects, &[], "objects.txt, line 1: an object among plain lines"),
        (&database, &[], "collected is a collector's database"),
        (&odd, &["--table", ODD], "the model reads texts by the table 16eadf98…: name it by --table"),
        (&odd, &["--without-guarantee"], "cannot be used with"),
    ] {
        let refusal = refused(&predict(&[&["--data", data, "--clear"], more].concat()));
        assert!(refusal.contains(why) && !refusal.contains("great"), "{why}: {refusal}");
    }
}

#[test]
fn posterior_means_are_features_where_the_law_is_known() {
    let folder = Folder::new();
    let data = privatized(&folder, "private.csv", &[]);
    let (model, plain) = (folder.path("model"), folder.path("plain"));
    let posterior = ["--features", "posterior", "--json", "--data", &data, "--out"];
    let with_means = card(&train(&[&posterior[..], &[&model]].concat()));
    let without = card(&train(&["--data", &data, "--out", &plain, "--json"]));
    assert_eq!(
        (&with_means["input"]["features"], &without["input"]["features"]),
        (&json!("posterior"), &json!("vectors"))
    );
    assert_eq!((&with_means["input"]["dims"], &with_means["guarantee"]), (&json!(24), &without["guarantee"]));

    let clear = folder.write("clear.txt", texts(40));
    let predict = |data: &str, more: &[&str]| {
        collector(&[&["train", "predict", "--model", &model, "--json", "--data", data], more].concat())
    };
    let right = good(&predict(&clear, &["--clear"])).into_iter().zip(reviews(40));
    let right = right.filter(|(good, (_, label))| (*good > 0.5) == (*label == "good")).count();
    assert!(right > 36, "{right}");
    assert_eq!(good(&predict(&data, &[])).len(), 160);
    // A card of before has no such field, and its model reads vectors.
    let mut earlier = without;
    earlier["input"].as_object_mut().expect("an object").remove("features");
    fs::write(folder.path("plain/card.json"), earlier.to_string()).expect("a file");
    let output = collector(&["train", "predict", "--model", &plain, "--data", &data]);
    assert_eq!(text(&output.stdout).lines().count(), 160, "{}", text(&output.stderr));

    let mixed = privatized(&folder, "mixed.csv", &["--epsilon", "12"]);
    let noisy = ["--mechanism", "metric-laplace", "--eta", "40"];
    let in_clear = privatized(&folder, "functions.csv", &["--keep-function-words"]);
    let vectors = ["represent", "--mechanism", "lattice-laplace", "--eta", "200"];
    let vectors = released(&folder, "vectors.jsonl", &vectors, &texts(60));
    let labels = folder.write("labels.txt", labels(60));
    let out = folder.path("none");
    for (arguments, why) in [
        (&["--data", &data, &mixed, "--allow-mixed"][..], "not all releases were drawn alike"),
        (
            &["--data", &table(&folder, "bare.csv", 60), "--without-guarantee"],
            "no guarantee that says how they were drawn",
        ),
        (&["--data", &privatized(&folder, "noisy.csv", &noisy)], "does not state the probabilities of its outputs"),
        (&["--data", &in_clear], "it shows some words in clear"),
        (
            &["--data", &vectors, "--labels", &labels],
            "posterior means are of the words of texts, and these are vectors",
        ),
    ] {
        let refusal = refused(&train(&[arguments, &["--features", "posterior", "--out", &out]].concat()));
        assert!(refusal.contains(why) && !fs::exists(&out).expect("a place"), "{why}: {refusal}");
    }
}

/// The models whose exports the tests in Node read; tests/models/README.md says how they are made.
const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/models");

/// The probabilities of classes by the layers of an exported file, for words that it has.
fn by_layers(tensors: &SafeTensors<'_>, words: &[&str]) -> Vec<f64> {
    let numbers = |name: &str| -> Vec<f64> {
        let bytes = tensors.tensor(name).expect("a tensor").data().as_chunks().0.iter();
        bytes.map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect()
    };
    let known: Vec<&str> = text(tensors.tensor("words").expect("words").data()).lines().collect();
    let (vectors, dims) = (numbers("vectors"), tensors.tensor("vectors").expect("vectors").shape()[1]);
    let mut values = vec![0.0; dims];
    for word in words {
        let row = known.iter().position(|known| known == word).expect("a word");
        values.iter_mut().zip(&vectors[row * dims..]).for_each(|(sum, x)| *sum += x / words.len() as f64);
    }
    let layers = tensors.names().iter().filter(|name| name.ends_with("bias")).count();
    for layer in 0..layers {
        let (weight, bias) = (numbers(&format!("layers.{layer}.weight")), numbers(&format!("layers.{layer}.bias")));
        let inputs: Vec<f64> = values.iter().map(|x| if layer > 0 { x.max(0.0) } else { *x }).collect();
        let score = |(row, bias): (&[f64], &f64)| row.iter().zip(&inputs).map(|(w, x)| w * x).sum::<f64>() + bias;
        values = weight.chunks(inputs.len()).zip(&bias).map(score).collect();
    }
    let sum: f64 = values.iter().map(|score| score.exp()).sum();
    values.iter().map(|score| score.exp() / sum).collect()
}

#[test]
fn exported_models_name_what_predict_names() {
    let folder = Folder::new();
    for name in ["logistic", "perceptron"] {
        let model = format!("{MODELS}/{name}");
        let predict = ["train", "predict", "--json", "--clear", "--model", &model, "--data"];
        let foretold = fs::read_to_string(format!("{MODELS}/{name}.jsonl")).expect("what was named");
        let now = collector(&[&predict[..], &[&format!("{MODELS}/texts.txt")]].concat());
        let then: Vec<Value> = foretold.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(good(&now).len(), then.len());
        for (now, then) in good(&now).iter().zip(&then) {
            assert!((now - then["probabilities"]["good"].as_f64().expect("a number")).abs() < 1e-5);
        }

        let [module, tensors] = ["model.js", "model.safetensors"].map(|file| folder.path(&format!("{name}-{file}")));
        let export = |format: &str, out: &str| {
            collector(&["train", "export", "--model", &model, "--format", format, "--out", out])
        };
        for (format, out) in [("javascript", &module), ("safetensors", &tensors)] {
            let output = export(format, out);
            assert!(output.status.success(), "{}", text(&output.stderr));
            assert!(refused(&export(format, out)).contains("is there already: choose another --out"));
        }
        let exported = fs::read_to_string(&module).expect("a module");
        assert!(
            exported == fs::read_to_string(format!("{MODELS}/{name}.js")).expect("a module"),
            "{name}.js is another"
        );
        let [types, committed] = [folder.path(&format!("{name}-model.d.ts")), format!("{MODELS}/{name}.d.ts")];
        let [types, committed] = [types, committed].map(|file| fs::read_to_string(file).expect("declarations"));
        assert!(types == committed, "{name}.d.ts is another");
        fs::remove_file(&module).expect("a file");
        assert!(refused(&export("javascript", &module)).contains("model.d.ts is there already"));
        let bytes = fs::read(&tensors).expect("a file");
        let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
        let words = ["the", "lovely", "phone", "was", "great"];
        let by_layers = by_layers(&tensors, &words);
        let line = folder.write("line.txt", words.join(" "));
        let by_predict = good(&collector(&[&predict[..], &[&line]].concat()));
        assert!((by_layers[1] - by_predict[0]).abs() < 1e-5, "{by_layers:?} {by_predict:?}");
        let (_, metadata) = SafeTensors::read_metadata(&bytes).expect("metadata");
        let metadata = metadata.metadata().as_ref().expect("metadata");
        assert_eq!(metadata["classes"], "[\"bad\",\"good\"]");
        assert!(metadata["guarantee"].contains("for one word") && metadata["table"].starts_with("16eadf98"));
    }
}

#[test]
fn what_is_exported_is_a_whole_model_of_texts_by_its_table() {
    let folder = Folder::new();
    let data = privatized(&folder, "private.csv", &[]);
    let lines = ["represent", "--mechanism", "lattice-laplace", "--eta", "200"];
    let vectors = released(&folder, "vectors.jsonl", &lines, &texts(60));
    let labels = folder.write("labels.txt", labels(60));
    let [texts, rows, lstm] = ["texts", "rows", "lstm"].map(|name| folder.path(name));
    let once = ["--epochs", "1", "--json", "--data"];
    card(&train(&[&once[..], &[&data, "--out", &texts]].concat()));
    card(&train(&[&once[..], &[&data, "--model", "bilstm", "--hidden", "2", "--out", &lstm]].concat()));
    card(&train(&[&once[..], &[&vectors, "--labels", &labels, "--out", &rows]].concat()));
    let export = |model: &str, more: &[&str]| {
        let out = folder.path("exported");
        let output = collector(&[&["train", "export", "--model", model, "--out", &out], more].concat());
        assert!(!fs::exists(&out).expect("a place"));
        refused(&output)
    };
    let javascript = ["--format", "javascript"];
    for (model, more, why) in [
        (&lstm, &javascript[..], "a bilstm is not exported: train with --model logistic or mlp"),
        (&lstm, &["--format", "safetensors"], "a bilstm is not exported"),
        (&rows, &javascript, "the model reads vectors: only models of texts are exported"),
        (&texts, &["--format", "javascript", "--table", ODD], "the model reads texts by the table 16eadf98…"),
        (&texts, &["--format", "onnx"], "invalid value 'onnx' for '--format"),
        (&folder.path("absent"), &javascript, "cannot read"),
    ] {
        let refusal = export(model, more);
        assert!(refusal.contains(why), "{why}: {refusal}");
    }
    for (file, why) in
        [("model.safetensors", "is not the model of its card"), ("card.json", "card.json is no card of this version")]
    {
        let path = folder.path(&format!("texts/{file}"));
        let whole = fs::read(&path).expect("a file");
        fs::write(&path, &whole[..whole.len() / 2]).expect("a file");
        let refusal = export(&texts, &javascript);
        assert!(refusal.contains(why), "{why}: {refusal}");
        fs::write(&path, whole).expect("a file");
    }
    let path = folder.path("texts/card.json");
    let whole = fs::read_to_string(&path).expect("a card");
    let mut nameless: Value = serde_json::from_str(&whole).expect("JSON");
    nameless["input"]["table"] = Value::Null;
    fs::write(&path, nameless.to_string()).expect("a file");
    let refusal = export(&texts, &javascript);
    assert!(refusal.contains("does not name the table by which it reads texts"), "{refusal}");
    nameless["input"] = serde_json::from_str::<Value>(&whole).expect("JSON")["input"].clone();
    nameless["input"]["features"] = json!("posterior");
    fs::write(&path, nameless.to_string()).expect("a file");
    let refusal = export(&texts, &javascript);
    assert!(refusal.contains("layer 0 of the model takes 24 elements, and gets 48"), "{refusal}");
    fs::write(&path, whole).expect("a file");
    // A label is text of a person who sends it: it must stay one in a program.
    let quoted =
        fs::read_to_string(&data).expect("releases").replace("good,", "\"globalThis.TABLE \"\"`${x}\\</script>\",");
    let quoted = folder.write("quoted.csv", &quoted);
    fs::copy(data + ".guarantee.json", format!("{quoted}.guarantee.json")).expect("a file");
    let (model, out) = (folder.path("quoted"), folder.path("quoted.js"));
    card(&train(&[&once[..], &[&quoted, "--out", &model]].concat()));
    let output = collector(&["train", "export", "--model", &model, "--format", "javascript", "--out", &out]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let module = fs::read_to_string(out).expect("a module");
    assert!(
        module.contains(r#"export const classes = ["bad","globalThis.TABLE \"`${x}\\\u003c/script>"];"#),
        "{module}"
    );
    assert!(!module.contains("</script"), "{module}");
    assert!(module.contains("export const table = \"16eadf98"), "{module}");
}

#[test]
fn what_a_collector_has_stored_is_put_together_again() {
    let folder = Folder::new();
    let lines = textveil(&["privatize", "--json", "--epsilon", "20", "--seed", SEED], texts(60).as_bytes());
    let rows = |(number, line): (usize, &str)| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let row = |field: &str, text: &Value, guarantee: &Value| json!({ "submission": number, "day": "2026-11-22", "field": field, "text": text, "guarantee": guarantee });
        let label = json!(reviews(60)[number].1);
        [row("comment", &line["text"], &line["guarantee"]), row("stars", &label, &Value::Null)]
    };
    let entries: Vec<Value> = text(&lines.stdout).lines().enumerate().flat_map(rows).collect();
    let a_line_each: String = entries.iter().map(|entry| entry.to_string() + "\n").collect();
    let listed = json!({ "count": entries.len(), "entries": entries }).to_string();
    let of = |name: &str, content: &str| {
        let (data, out) = (folder.write(name, content), folder.path(&format!("{name}-model")));
        card(&train(&["--data", &data, "--field", "comment", "--label", "stars", "--out", &out, "--json"]))
    };
    let (one, other) = (of("entries.jsonl", &a_line_each), of("listed.json", &listed));
    assert_eq!((&one["guarantee"]["releases"], &one["metrics"]), (&json!(60), &other["metrics"]));

    let path = folder.path("collected");
    let database = Connection::open(&path).expect("a database");
    let columns = "id INTEGER PRIMARY KEY, submission INTEGER, day TEXT, field TEXT, text TEXT, guarantee TEXT";
    database.execute_batch(&format!("CREATE TABLE entry ({columns})")).expect("a table");
    for entry in &entries {
        let text = |name: &str| entry[name].as_str();
        let guarantee = Some(&entry["guarantee"]).filter(|stated| !stated.is_null()).map(Value::to_string);
        let row = (entry["submission"].as_i64(), text("day"), text("field"), text("text"), guarantee);
        let insert = "INSERT INTO entry (submission, day, field, text, guarantee) VALUES (?1, ?2, ?3, ?4, ?5)";
        database.execute(insert, row).expect("a row");
    }
    let model = folder.path("of-database");
    let arguments = ["--data", &path, "--field", "comment", "--label", "stars", "--out", &model, "--json"];
    let third = card(&train(&arguments));
    assert_eq!((&third["metrics"], &third["model"]), (&one["metrics"], &one["model"]));
    let output = collector(&["train", "predict", "--model", &model, "--data", &path, "--field", "comment", "--json"]);
    let last: Value = serde_json::from_str(text(&output.stdout).lines().last().expect("a row")).expect("JSON");
    assert_eq!((&last["submission"], &last["class"]), (&json!(59), &json!("bad")));

    // Anybody can send a submission without a label, or with more than a label, or without the text.
    let insert = "INSERT INTO entry (submission, field, text, guarantee) SELECT submission + ?1, field, ?2, guarantee \
                  FROM entry WHERE submission = 0 AND field = ?3";
    let first = text(&lines.stdout).lines().next().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let first = first.expect("a line")["text"].as_str().expect("a text").to_owned();
    for (number, field, content) in [
        (60, "comment", &*first),
        (61, "comment", &first),
        (61, "stars", " "),
        (62, "stars", "bad"),
        (63, "stars", "a\nb"),
    ] {
        database.execute(insert, (number, content, field)).expect("a row");
    }
    database.execute(insert, (63, &first, "comment")).expect("a row");
    let again = ["--out", &folder.path("again"), "--json"];
    let output = train(&[&["--data", &path, "--field", "comment", "--label", "stars"], &again[..]].concat());
    assert!(text(&output.stderr).contains("3 submissions without a label left out"), "{}", text(&output.stderr));
    assert_eq!(card(&output)["metrics"], one["metrics"]);
    let output = collector(&["train", "predict", "--model", &model, "--data", &path, "--field", "comment"]);
    assert_eq!(text(&output.stdout).lines().count(), 63);
    assert!(text(&output.stderr).contains("1 row without a release skipped, so lines"), "{}", text(&output.stderr));
}

#[test]
fn a_training_that_was_interrupted_is_gone_on_with_and_no_other() {
    let folder = Folder::new();
    let lines = ["represent", "--mechanism", "lattice-laplace", "--eta", "200"];
    let data = released(&folder, "data.jsonl", &lines, &texts(60));
    let labels = folder.write("labels.txt", labels(60));
    let (model, broken) = (folder.path("model"), folder.path("broken"));
    let arguments = ["--data", &data, "--labels", &labels, "--json", "--out"];
    let whole = card(&train(&[&arguments[..], &[&model]].concat()));
    assert!(refused(&train(&[&arguments[..], &[&model]].concat())).contains("holds a model already"));
    // A rate at which the first steps leave the numbers.
    let output = train(&[&arguments[..], &[&broken, "--rate", "1e38"]].concat());
    assert!(refused(&output).contains("lower the rate"), "{}", text(&output.stderr));
    assert!(!fs::exists(&broken).expect("a place"));
    // One at which the only step does, which shows in the test alone.
    let output = train(&[&arguments[..], &[&broken, "--rate", "1e38", "--epochs", "1", "--batch", "100"]].concat());
    assert!(refused(&output).contains("in epoch 1: lower the rate"), "{}", text(&output.stderr));
    assert!(!fs::exists(&broken).expect("a place"));
    let output = train(&[&arguments[..], &[&broken, "--hold-out", "0.999"]].concat());
    assert!(refused(&output).contains("because 60 releases were held out"), "{}", text(&output.stderr));
    fs::create_dir(&broken).expect("a folder");
    folder.write("broken/settings.json", "{}");
    assert!(refused(&train(&[&arguments[..], &[&broken]].concat())).contains("--resume continues it"));
    let output = train(&[&arguments[..], &[&broken, "--resume"]].concat());
    assert!(refused(&output).contains("had other data or settings"));
    let output = train(&[&arguments[..], &[&data]].concat());
    assert!(refused(&output).contains("data.jsonl is no folder: choose another --out"));
    let resumed = card(&train(&[&arguments[..], &[&folder.path("fresh"), "--resume"]].concat()));
    assert_eq!(resumed, whole);
}

#[test]
fn damaged_or_unproved_lines_are_refused_by_their_numbers_and_without_their_words() {
    let folder = Folder::new();
    let line = |text: &str, epsilon: &str| {
        let output = textveil(&["privatize", "--json", "--epsilon", epsilon, "--seed", SEED], text.as_bytes());
        let mut line: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        line.as_object_mut().expect("an object").remove("deviceOnly");
        line["label"] = json!("x");
        line
    };
    let changed = |name: &str, value: Value| {
        let mut line = line("secret", "20");
        line[name] = value;
        line
    };
    let good = line("a good line", "20");
    let without = |name: &str| {
        let mut line = line("secret", "20");
        line.as_object_mut().expect("an object").remove(name);
        line.to_string()
    };
    let too_short = |words: u64, epsilon: f64| {
        let mut line = good.clone();
        let word = line["guarantee"]["epsilonWord"].as_f64().expect("a number");
        line["guarantee"]["words"] = json!(words);
        line["guarantee"]["epsilonText"] = json!(word * epsilon);
        line.to_string()
    };
    let mut of_another_table = good.clone();
    of_another_table["guarantee"]["table"] = json!("0".repeat(64));
    for (number, (second, why)) in [
        (without("guarantee"), "line 2: the release has no guarantee"),
        (without("label"), "line 2: there is no field \"label\""),
        (without("text"), "line 2: there is no text"),
        ("{ secret".to_owned(), "line 2: not a JSON object: a file that does not end in .csv, .tsv or .parquet"),
        ("[\"secret\"]".to_owned(), "line 2: not a JSON object"),
        (changed("text", json!(["secret"])).to_string(), "line 2: its text is no text"),
        (changed("guarantee", json!("secret")).to_string(), "line 2: its guarantee is not JSON"),
        (changed("guarantee", json!({ "secret": 1 })).to_string(), "line 2: its guarantee has not the form"),
        (too_short(1, 1.0), "line 2: it has 3 words or more, its guarantee is about 1"),
        (too_short(3, 1.0), "line 2: its guarantee promises more than its words lose together"),
        (changed("label", json!("x\nsecret")).to_string(), "line 2: its label holds a line break"),
        (changed("label", Value::Null).to_string(), "line 2: the field \"label\" holds no label"),
        (changed("deviceOnly", json!({ "account": [] })).to_string(), "line 2: it holds \"deviceOnly\""),
        (json!({ "bits": ["01"], "label": "x", "guarantee": good["guarantee"] }).to_string(), "line 2: it holds bits"),
        (of_another_table.to_string(), "line 2: its words are of another table"),
        (line("secret", "16").to_string(), "1 release by nearest"),
        (good.to_string(), "all labels are the same"),
    ]
    .into_iter()
    .enumerate()
    {
        let data = folder.write(&format!("{number}.jsonl"), format!("{good}\n{second}\n\n{good}\n"));
        let refusal = refused(&train(&["--data", &data, "--out", &folder.path("model")]));
        assert!(refusal.contains(why) && !refusal.contains("secret"), "{why}: {refusal}");
        assert!(!fs::exists(folder.path("model")).expect("a place"));
    }
    let mixed = folder.write("mixed.jsonl", format!("{good}\n{}\n{good}\n", line("secret", "16")));
    let refusal = refused(&train(&["--data", &mixed, "--out", &folder.path("model")]));
    assert!(refusal.contains("mixed.jsonl, line 2") && refusal.contains("mixed.jsonl, line 1; "), "{refusal}");
}

#[test]
fn vectors_are_held_against_the_guarantee_beside_them() {
    let folder = Folder::new();
    let represent = ["represent", "--mechanism", "laplace", "--unit", "word", "--epsilon", "1"];
    let lines = fs::read_to_string(released(&folder, "vectors.jsonl", &represent, &texts(2))).expect("a file");
    for (field, value, why) in [
        ("mechanism", json!("certified"), "line 1: its guarantee is about certified, which gives no vectors"),
        ("words", json!(3), "line 1: it has 5 rows, its guarantee is about 3"),
        ("epsilonText", json!(1.0), "line 1: its guarantee promises more than its words lose together"),
    ] {
        let stated: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
        let mut guarantee = stated["guarantee"].clone();
        guarantee[field] = value;
        let data = with(&lines, |_| json!({ "label": "x", "guarantee": guarantee }));
        let data = folder.write(&format!("{field}.jsonl"), &data);
        let refusal = refused(&train(&["--data", &data, "--out", &folder.path("model")]));
        assert!(refusal.contains(why), "{why}: {refusal}");
    }
}

#[test]
fn a_statement_holds_for_its_columns_and_rows_alone() {
    let folder = Folder::new();
    let clear = folder.write("clear.jsonl", rows(20));
    let data = folder.path("releases.jsonl");
    textveil(&["privatize", &clear, "--column", "text", "--keep", "label", "-o", &data], b"");
    let refusal = refused(&train(&["--data", &data, "--field", "label", "--out", &folder.path("model")]));
    assert!(refusal.contains("\"label\" is not among the columns that were released. They are: text"), "{refusal}");
    let lines = fs::read_to_string(&data).expect("releases");
    fs::write(&data, lines.clone() + &rows(1)).expect("a file");
    let refusal = refused(&train(&["--data", &data, "--out", &folder.path("model")]));
    assert!(refusal.contains("has 21 releases, its guarantee is about 20"), "{refusal}");
    fs::write(&data, lines.replacen('\n', "\n\n", 1) + "\n").expect("a file");
    let card = card(&train(&["--data", &data, "--out", &folder.path("model"), "--json"]));
    assert_eq!(card["data"]["files"][0]["records"], json!(20));
}

#[test]
fn labels_of_a_file_stand_in_the_lines_of_their_releases() {
    let folder = Folder::new();
    let lines = textveil(&["represent", "--mechanism", "dpnr", "--epsilon", "4000"], texts(20).as_bytes());
    let data = folder.write("data.jsonl", &(text(&lines.stdout).to_owned() + "\n"));
    let of = |labels: &str, out: &str| {
        let labels = folder.write("labels.txt", labels);
        train(&["--data", &data, "--labels", &labels, "--out", &folder.path(out), "--json"])
    };
    assert_eq!(card(&of(&(labels(20) + "\n"), "model"))["guarantee"]["releases"], json!(20));
    let refusal = refused(&of(&labels(21), "other"));
    assert!(refusal.contains("data.jsonl is in line 20, the last label in line 21"), "{refusal}");
}

#[test]
fn texts_of_few_words_are_drawn_like_others_whatever_their_order() {
    let folder = Folder::new();
    for (name, options) in [("dpnr", &[][..]), ("privunit2", &["--dropout", "0.3"])] {
        for (number, first) in ["film\n\n", "\nfilm\n", "film\nfilm\n\n", "\nfilm\nfilm\n"].into_iter().enumerate() {
            let lines = [&["represent", "--mechanism", name, "--epsilon", "200"], options].concat();
            let data = released(&folder, "data.jsonl", &lines, &format!("{first}{}", texts(20)));
            let more = first.lines().count();
            let labels = folder.write("labels.txt", &("good\n".repeat(more) + &labels(20)));
            let out = folder.path(&format!("{name}-{number}"));
            let card = card(&train(&["--data", &data, "--labels", &labels, "--out", &out, "--epochs", "1", "--json"]));
            let drawn = card["guarantee"]["drawn"].as_array().expect("a list");
            assert_eq!((drawn.len(), &drawn[0]["releases"]), (1, &json!(20 + more)), "{name}, {first:?}");
        }
    }
}

/// What becomes of its words is no reason to panic: the model has been saved.
#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_has_gone_and_a_full_disk_end_it_in_words() {
    let folder = Folder::new();
    let clear = folder.write("clear.jsonl", rows(20));
    let ended = |out: &str, stdout: Stdio| {
        let out = folder.path(out);
        let arguments = ["train", "classifier", "--without-guarantee", "--data", &clear, "--out", &out];
        let command = Command::new(COLLECTOR).args(arguments).stdout(stdout).output();
        let output = command.expect("the binary was built with this test");
        assert!(fs::exists(format!("{out}/card.json")).expect("a place"));
        (output.status.code(), text(&output.stderr).to_owned())
    };
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    assert_eq!(ended("unread", writer.into()), (Some(0), String::new()));
    let full = fs::File::options().write(true).open("/dev/full").expect("Linux");
    let (code, words) = ended("full", full.into());
    assert!(
        code == Some(1) && words.starts_with("textveil-collector: ") && words.contains("No space"),
        "{code:?}: {words}"
    );
}

#[test]
fn a_model_that_does_not_take_a_number_says_so_and_clear_text_is_taken_for_what_it_is() {
    let folder = Folder::new();
    let clear = folder.write("clear.jsonl", rows(40));
    let out = folder.path("model");
    for (arguments, why) in [
        (&["--hidden", "8"][..], "--hidden is for mlp and bilstm"),
        (&["--model", "mlp", "--l2", "1"], "--l2 is for logistic"),
        (&["--model", "bilstm", "--hidden", "8,8"], "a bilstm has one layer"),
        (&["--batch", "0"], "'--batch <N>'"),
        (&["--model", "mlp", "--hidden", "8,0"], "'--hidden <N>'"),
        (&["--without-guarantee", "--label", "text"], "is \"text\" the field with the label?"),
        (&["--without-guarantee", "--model", "mlp", "--hidden", "9223372036854775807"], "weights: take fewer units"),
        (&["--without-guarantee", "--test", &clear], "hold the same lines"),
        (&["--hold-out", "1"], "it must lie between 0 and 1"),
        (&[], "the release has no guarantee"),
    ] {
        let refusal = refused(&train(&[&["--data", &clear, "--out", &out], arguments].concat()));
        assert!(refusal.contains(why) && !fs::exists(&out).expect("a place"), "{refusal}");
    }
    let empty = folder.write("empty.jsonl", "\n");
    let refusal = refused(&train(&["--data", &empty, "--out", &out]));
    assert!(refusal.contains("there are no releases in empty.jsonl"), "{refusal}");
    let drawn =
        released(&folder, "drawn.jsonl", &["represent", "--mechanism", "dpnr", "--epsilon", "4000"], &texts(40));
    let lines = fs::read_to_string(&drawn).expect("releases");
    let bare = with(&lines, |place| json!({ "guarantee": null, "label": reviews(40)[place].1 }));
    let (bare, model) = (folder.write("bare.jsonl", &bare), folder.path("of-bare"));
    card(&train(&["--data", &bare, "--out", &model, "--without-guarantee", "--json"]));
    let output = collector(&["train", "predict", "--model", &model, "--data", &drawn]);
    assert!(refused(&output).contains("without a guarantee, and these have one"));
    let output = collector(&["train", "predict", "--model", &model, "--clear", "--data", &empty]);
    assert!(refused(&output).contains("there are no texts in empty.jsonl"));
    let card = card(&train(&["--data", &clear, "--out", &out, "--without-guarantee", "--json"]));
    assert_eq!(card["guarantee"]["weakest"], Value::Null);
    assert!(card["guarantee"]["statement"].as_str().expect("words").contains("40 releases without a guarantee"));
}
