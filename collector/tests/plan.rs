//! `textveil-collector plan` with texts that the owner may read: each way to release them, tried.

use std::process::Output;

use serde_json::Value;
use textveil_tests::{Folder, run, text};

const COLLECTOR: &str = env!("CARGO_BIN_EXE_textveil-collector");
const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/product-feedback.tvs");

fn plan(arguments: &[&str]) -> Output {
    run(COLLECTOR, &[&["plan"], arguments].concat(), b"")
}

fn refusal(arguments: &[&str]) -> String {
    let output = plan(arguments);
    assert!(!output.status.success(), "{}", text(&output.stdout));
    text(&output.stderr).to_owned()
}

/// Half of the texts are about a price, half about a crash, and the label says which.
fn labelled(count: usize) -> String {
    let row = |number| match number % 4 {
        0 => "It is too expensive.,price\n",
        1 => "The price is far too high.,price\n",
        2 => "The app crashes when I upload a photo.,crash\n",
        _ => "It crashes all the time.,crash\n",
    };
    "text,about\n".to_owned() + &(0..count).map(row).collect::<String>()
}

fn mean(row: &Value, column: &str) -> f64 {
    row[column]["mean"].as_f64().unwrap_or_else(|| unreachable!("{column} of {row}"))
}

#[test]
fn every_way_is_tried_and_the_least_epsilon_that_suffices_is_named() {
    let folder = Folder::new();
    let (texts, page) = (folder.write("texts.csv", labelled(200)), folder.path("plan.html"));
    let asked = [&texts, "--label", "about", "--accuracy", "0.8", "--statements", LIST, "--words", "price,crash"];
    let output = plan(&[&asked[..], &["--within", "0.05", "--json", "--html", &page]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = |sheet: usize| found["sheets"][sheet]["rows"].as_array().expect("rows");
    assert_eq!(rows(0)[3]["ε of a text of average length"], "8");
    // Three presets and a list.
    assert_eq!(rows(1).len(), 4);
    for row in rows(1) {
        assert_eq!(mean(row, "without privacy"), 1.0, "{row}");
        assert!(mean(row, "all") > 0.8, "{row}");
    }
    let answers: Vec<&str> = found["answers"].as_array().expect("answers").iter().filter_map(Value::as_str).collect();
    let [answer, most, _, least, topic] = answers[..] else { unreachable!("{answers:?}") };
    assert!(
        answer.starts_with("For an accuracy of 80.0 %. The least ε: a statement of product-feedback.tvs"),
        "{answer}"
    );
    let largest = &rows(2)[3];
    for (answer, part) in [(most, "said most"), (least, "said least")] {
        let start = format!(
            "For a share within 5.0 percentage points to each side, of the statement {part}. The least ε: a statement of"
        );
        assert!(answer.starts_with(&start) && answer.contains(" %), with"), "{answer}");
    }
    let of = ["what", "share in these texts"].map(|column| largest[column].as_str().expect("a text"));
    assert!(most.contains(&format!("({}, {})", of[0], of[1])), "{most} {largest}");
    assert!(topic.contains("of the words of the topic. The least ε: words"), "{topic}");
    // A word is counted in all its forms: three of four texts have one of the topic, and the four have 23 words.
    let topic = rows(2).iter().find(|row| row["what"] == "the words of the topic").expect("asked for");
    assert_eq!(topic["share in these texts"], "13.0 %");
    assert_eq!(found["notes"], serde_json::json!([]));
    assert!(answer.ends_with(" for a text of average length."), "{answer}");
    let refused = refusal(&[&asked[..], &["--within", "0.05", "--html", &page]].concat());
    assert!(refused.contains("plan.html is there already: --force replaces it"), "{refused}");
    let page = std::fs::read_to_string(page).expect("written");
    assert!(page.contains(answer) && page.contains("a statement of product-feedback.tvs"));
    assert!(!page.contains("far too high"), "the page holds a text");
}

#[test]
fn a_text_near_to_several_statements_counts_for_each() {
    let folder = Folder::new();
    let texts = folder.write("texts.txt", "It is too expensive.\n".repeat(200));
    let asked = [&texts, "--statements", LIST, "--epsilon", "3", "--within", "0.01", "--json"];
    let found = |more: &[&str]| -> Value {
        let output = plan(&[&asked[..], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    // Of 119 statements 36 are near to a text: 6·119/e³.
    let within = found(&[]);
    let row = &within["sheets"][1]["rows"][0];
    assert_eq!(row["share in these texts"], "100.0 %");
    assert_eq!(row["statements near a text"], "36");
    // The statement is near to all texts. From n of them in clear the interval begins at 0.025^(1/n).
    let needed = row["texts for the interval (without privacy)"].as_str().expect("numbers");
    assert!(needed.ends_with(" (368)"), "{needed}");
    let note = within["notes"][0].as_str().expect("a note");
    assert!(note.contains("NOT of those who said it. `estimate` shows it divided by 36"), "{note}");
    assert!(text(&plan(&asked[..7]).stdout).contains(note));
    let grown = found(&["--change", "0.02", "--answers", "368"]);
    let reach = "interval with the answers, to each side (without privacy)";
    assert_eq!(row[reach], "–");
    let reached = grown["sheets"][1]["rows"][0][reach].as_str().expect("numbers");
    assert!(reached.ends_with(" % (1.00 %)"), "{reached}");
    let answer = grown["answers"][0].as_str().expect("an answer");
    assert!(answer.ends_with("none of these ways tells it."), "{answer}");
}

#[test]
fn how_far_intervals_reach_with_some_answers_is_told_of_each_way() {
    let folder = Folder::new();
    let (texts, page) = (folder.write("texts.csv", labelled(60)), folder.path("plan.html"));
    let asked = [&texts, "--statements", LIST, "--epsilon", "4", "--answers", "200", "--html", &page, "--json"];
    let output = plan(&asked);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let row = &found["sheets"][1]["rows"][0];
    let reached = row["interval with the answers, to each side (without privacy)"].as_str().expect("numbers");
    assert!(reached.contains(" % (") && row["texts for the interval (without privacy)"] == "–", "{row}");
    // No precision was asked, so no way is the best. The notes stay.
    assert_eq!(found["answers"], serde_json::json!([]));
    let page = folder.read("plan.html");
    assert!(page.contains("NOT of those who said it"), "{page}");
}

#[test]
fn what_is_for_texts_is_refused_without_texts_and_a_page_never_replaces_what_is_read() {
    let folder = Folder::new();
    let texts = folder.write("texts.csv", labelled(60));
    let share = ["--length", "119", "--share", "0.05", "--within", "0.01"];
    let page = folder.path("plan.html");
    for of_texts in [&["--html", &*page][..], &["--label", "about"], &["--limit", "50"]] {
        let refused = refusal(&[&share[..], of_texts].concat());
        assert!(
            refused.contains(&format!("cannot be used with '{}", of_texts[0])) || refused.contains(of_texts[0]),
            "{refused}"
        );
    }
    let refused = refusal(&[&texts, "--label", "about", "--html", &texts]);
    assert!(refused.contains("texts.csv is"), "{refused}");
    assert_eq!(std::fs::read_to_string(&texts).expect("still there"), labelled(60));
}

#[test]
fn texts_between_semicolons_are_read_as_those_between_commas() {
    let folder = Folder::new();
    let told = |name: &str, content: String| {
        let texts = folder.write(name, content);
        let output = plan(&[&texts, "--column", "Text", "--within", "0.05", "--words", "price,crash"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let commas = labelled(60).replacen("text,about", "Text,about", 1);
    let semicolons = commas.lines().map(|line| line.replace(',', ";") + "\r\n").collect::<String>();
    assert_eq!(told("semicolons.csv", format!("\u{feff}{semicolons}")), told("commas.csv", commas));
}

#[test]
fn texts_that_tell_nothing_are_refused_by_name() {
    let folder = Folder::new();
    let texts = folder.write("texts.csv", labelled(200));
    let few = folder.write("few.csv", labelled(20));
    let alike = folder.write("alike.csv", &("text,about\n".to_owned() + &"It is too expensive.,price\n".repeat(60)));
    let bare = folder.write("bare.csv", &(labelled(60) + "Nobody knows what this is about.,\n"));
    let lines = folder.write("lines.txt", "It is too expensive.\n".repeat(60));
    let within = ["--within", "0.05"];
    for (arguments, reason) in [
        (&[&texts[..]][..], "nothing is asked"),
        (&[&texts, "--within", "0.05"], "nothing is counted"),
        (&[&texts, "--label", "topic"], "has no column \"topic\""),
        (&[&few, "--label", "about"], "has 20 texts, and fewer than 50 tell nothing"),
        (&[&alike, "--label", "about"], "all texts have the same label"),
        (&[&bare, "--label", "about"], "bare.csv, line 62: it has no label"),
        (&[&lines, "--label", "about"], "plain lines have no labels"),
        (&[&[&texts[..], "--words", "delivery"][..], &within].concat(), "no word of the topic is in the texts"),
        (&[&[&texts[..], "--words", "qwrtz"][..], &within].concat(), "\"qwrtz\" is not in the table"),
        (&[&[&texts[..], "--statements", &texts][..], &within].concat(), "texts.csv: "),
    ] {
        let message = refusal(arguments);
        assert!(message.contains(reason), "{message}");
        assert!(!message.contains("Nobody knows"), "{message}");
    }
}
