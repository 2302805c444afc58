//! `textveil-collector plan` with texts that the owner may read: each way to release them, tried.

mod folder;

use std::process::Output;

use folder::Folder;
use serde_json::Value;
use textveil_tests::{run, text};

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
    let (texts, page) = (folder.write("texts.csv", &labelled(200)), folder.path("plan.html"));
    let asked = [&texts, "--label", "about", "--accuracy", "0.8", "--statements", LIST, "--words", "price,expensive"];
    let output = plan(&[&asked[..], &["--within", "0.05", "--json", "--html", &page]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = |sheet: usize| found["sheets"][sheet]["rows"].as_array().expect("rows");
    assert_eq!(rows(0)[3]["ε of a text"], "8");
    // Three presets and a list.
    assert_eq!(rows(1).len(), 4);
    for row in rows(1) {
        assert_eq!(mean(row, "without privacy"), 1.0, "{row}");
        assert!(mean(row, "all") > 0.8, "{row}");
    }
    let [answer, shares] = [0, 1].map(|place| found["answers"][place].as_str().expect("an answer"));
    assert!(
        answer.starts_with("For an accuracy of 80.0 %. The least ε: a statement of product-feedback.tvs"),
        "{answer}"
    );
    assert!(shares.starts_with("For a share within 5.0 % to each side. The least ε: a statement"), "{shares}");
    // A text has a word of the topic in half of all cases: 100 of 200 texts, each of 4 to 8 words.
    let topic = rows(2).iter().find(|row| row["what"] == "the words of the topic").expect("asked for");
    assert_eq!(topic["share in these texts"], "8.7 %");
    let page = std::fs::read_to_string(page).expect("written");
    assert!(page.contains(answer) && page.contains("a statement of product-feedback.tvs"));
    assert!(!page.contains("far too high"), "the page holds a text");
}

#[test]
fn texts_that_tell_nothing_are_refused_by_name() {
    let folder = Folder::new();
    let texts = folder.write("texts.csv", &labelled(200));
    let few = folder.write("few.csv", &labelled(20));
    let alike = folder.write("alike.csv", &("text,about\n".to_owned() + &"It is too expensive.,price\n".repeat(60)));
    let bare = folder.write("bare.csv", &(labelled(60) + "Nobody knows what this is about.,\n"));
    let lines = folder.write("lines.txt", &"It is too expensive.\n".repeat(60));
    let within = ["--within", "0.05"];
    for (arguments, reason) in [
        (&[&texts[..]][..], "nothing is asked"),
        (&[&texts, "--within", "0.05"], "nothing is counted"),
        (&[&texts, "--label", "topic"], "has no column \"topic\""),
        (&[&few, "--label", "about"], "has 20 texts, and fewer than 50 tell nothing"),
        (&[&alike, "--label", "about"], "all texts have the same label"),
        (&[&bare, "--label", "about"], "bare.csv, row 62: it has no label"),
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
