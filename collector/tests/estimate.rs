//! `textveil-collector estimate`: what `textveil privatize` has released in, shares out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use textveil::{FileId, Mechanism, MechanismKind, Parameter, StatementList, Unary, seeded_rng};
use textveil_tests::{Folder, run, text};

const COLLECTOR: &str = env!("CARGO_BIN_EXE_textveil-collector");
const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/product-feedback.tvs");
const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// A CSV file with a column "text", and the columns that are kept, as `textveil privatize` releases it.
fn released(folder: &Folder, name: &str, content: &str, arguments: &[&str]) -> String {
    let (input, output) = (folder.write(&format!("clear-{name}"), content), folder.path(name));
    let program = Path::new(COLLECTOR).with_file_name(format!("textveil{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is missing: test -p textveil-cli, too, which builds it", program.display());
    let asked = ["privatize", &input, "--column", "text", "--output", &output, "--seed", SEED];
    let done = run(program, &[&asked, arguments].concat(), b"");
    assert!(done.status.success(), "{}", text(&done.stderr));
    output
}

fn estimate(arguments: &[&str]) -> Output {
    run(COLLECTOR, &[&["estimate"], arguments].concat(), b"")
}

fn results(arguments: &[&str]) -> Value {
    let output = estimate(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn refusal(arguments: &[&str]) -> String {
    let output = estimate(arguments);
    assert!(!output.status.success(), "{}", text(&output.stdout));
    text(&output.stderr).to_owned()
}

/// A file with its equal rows counted, and the guarantee of the first.
fn counted(folder: &Folder, file: &str) -> String {
    let content = fs::read_to_string(file).expect("released");
    let is_csv = file.ends_with("csv");
    let (header, rows) = if is_csv { content.split_once('\n').expect("a header") } else { ("", &*content) };
    let mut counts = BTreeMap::new();
    rows.lines().for_each(|row| *counts.entry(row).or_insert(0_u64) += 1);
    assert!(counts.len() < rows.lines().count());
    let mut grouped = if is_csv { format!("{header},count\n") } else { String::new() };
    for (row, count) in counts {
        let line = if is_csv { row } else { row.strip_suffix('}').expect("an object") };
        grouped += &if is_csv { format!("{line},{count}\n") } else { format!("{line},\"count\":{count}}}\n") };
    }
    let name = if is_csv { "counted.csv" } else { "counted.jsonl" };
    if let Ok(guarantee) = fs::read_to_string(format!("{file}.guarantee.json")) {
        folder.write(&format!("{name}.guarantee.json"), &guarantee);
    }
    folder.write(name, &grouped)
}

/// Whether numbers differ by no more than their last digits, and nothing else does.
fn are_near(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            (one.as_f64().expect("finite") - other.as_f64().expect("finite")).abs() < 1e-14
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_near(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len() && one.iter().all(|(name, one)| are_near(one, &other[name]))
        }
        (one, other) => one == other,
    }
}

/// Rows of complaints and praise: in the first week 1 of 4 is about the price, in the second 3 of 4.
fn feedback() -> String {
    let mut csv = "text,day,shop\n".to_owned();
    for (day, every) in [("2026-11-16", [true, false, false, false]), ("2026-11-23", [true, true, true, false])] {
        for number in 0..600 {
            let text =
                if every[number % 4] { "It is too expensive." } else { "The app crashes when I upload a photo." };
            csv += &format!("{text},{day},{}\n", if number % 3 == 0 { "north" } else { "south" });
        }
    }
    csv
}

fn share<'a>(period: &'a Value, name: &str) -> &'a Value {
    let shares = period["shares"].as_array().expect("shares");
    shares.iter().find(|share| share["name"] == name).expect("asked for")
}

fn holds(interval: &Value, value: f64) -> bool {
    interval[0].as_f64().expect("a number") <= value && value <= interval[1].as_f64().expect("a number")
}

#[test]
fn shares_of_statements_come_out_whatever_the_file_and_their_growth_is_told() {
    let folder = Folder::new();
    for name in ["feedback.csv", "feedback.jsonl"] {
        let content = if name.ends_with("csv") { feedback() } else { as_lines(&feedback()) };
        let file = released(&folder, name, &content, &["--statements", LIST, "--keep", "day", "--keep", "shop"]);
        let asked = ["--statements", LIST, "--time", "day", "--every", "week", "--by", "shop"];
        let of_counts = results(&[&[&*counted(&folder, &file)], &asked[..], &["--count", "count"]].concat());
        assert_eq!(of_counts, results(&[&[&*file], &asked[..]].concat()));
        let found = results(&[&file, "--statements", LIST, "--time", "day", "--every", "week"]);
        assert_eq!((&found["counted"], &found["law"]["epsilon"]), (&json!("statements"), &json!(8.0)));
        let group = &found["groups"][0];
        let [earlier, later] = [0, 1].map(|place| &group["periods"][place]);
        assert_eq!(
            (&earlier["period"], &later["period"], &later["reports"]),
            (&json!("2026-W47"), &json!("2026-W48"), &json!(600))
        );
        let grown: Vec<&Value> =
            group["changes"].as_array().expect("changes").iter().filter(|change| change["told"] == true).collect();
        assert_eq!(grown.len(), 2, "{grown:?}");
        let price = grown.iter().find(|change| change["difference"].as_f64() > Some(0.0)).expect("one grew");
        let name = price["name"].as_str().expect("a name");
        assert!((price["difference"].as_f64().expect("a number") - 0.5).abs() < 0.1, "{price}");
        assert!(holds(&share(earlier, name)["together"], 0.25));
        assert!(holds(&share(later, name)["together"], 0.75));
    }
}

/// The guarantee of a file adds up its columns, and a column has one statement for each text.
#[test]
fn a_column_of_two_is_counted_as_one_of_one() {
    let folder = Folder::new();
    let rows = "It is too expensive.,I love this app.\nI love this app.,It is too expensive.\n".repeat(200);
    let columns = ["--statements", LIST, "--column", "title"];
    let two = released(&folder, "two.csv", &format!("text,title\n{rows}"), &columns);
    let found = results(&[&two, "--field", "text", "--statements", LIST]);
    assert_eq!((&found["law"]["most"], &found["groups"][0]["periods"][0]["reports"]), (&json!(1), &json!(400)));
    let alone = released(&folder, "one.csv", &format!("text,title\n{rows}"), &["--statements", LIST]);
    let alone = results(&[&alone, "--statements", LIST]);
    let width = |found: &Value| {
        let price = share(&found["groups"][0]["periods"][0], "It is too expensive.");
        price["interval"][1].as_f64().expect("a number") - price["interval"][0].as_f64().expect("a number")
    };
    let ratio = width(&found) / width(&alone);
    // Twice as many statements for each text would make it wider by the root of two.
    assert!((0.8..1.2).contains(&ratio), "{ratio}");
    let shown = text(&estimate(&[&two, "--field", "text", "--statements", LIST]).stdout).to_owned();
    assert!(!shown.contains("for each text, also"), "{shown}");
}

/// The guarantee of the file says how its table is written.
#[test]
fn tables_with_semicolons_or_without_a_header_are_read_as_privatize_wrote_them() {
    let folder = Folder::new();
    let rows = |end: &str| format!("It is too expensive.{end}\n").repeat(300);
    let european = released(
        &folder,
        "european.csv",
        &format!("text;day\n{}", rows(";2026-11-16")),
        &["--statements", LIST, "--delimiter", ";", "--keep", "day"],
    );
    let found = results(&[&european, "--statements", LIST, "--by", "day"]);
    assert_eq!(found["groups"][0]["of"], json!([["day", "2026-11-16"]]));
    assert_eq!(found["law"]["releases"], 300);
    let (input, output) = (folder.write("bare.csv", rows("")), folder.path("out.csv"));
    let privatize = |input: &str, columns: &[&str], output: &str| {
        let asked = ["privatize", input, "--no-header", "--statements", LIST, "--output", output, "--seed", SEED];
        let done = run(Path::new(COLLECTOR).with_file_name("textveil"), &[&asked[..], columns].concat(), b"");
        assert!(done.status.success(), "{}", text(&done.stderr));
    };
    privatize(&input, &["--column", "1"], &output);
    assert_eq!(results(&[&output, "--statements", LIST])["law"]["releases"], 300, "the first row is a text, too");
    // A column that is left out gives its number to the next one. What is in clear is never counted.
    let (input, output) = (folder.path("three.csv"), folder.path("two.csv"));
    fs::write(&input, "x,It is too expensive.,I love this app.\n".repeat(300)).expect("a folder");
    privatize(&input, &["--column", "2", "--keep", "3"], &output);
    let found = results(&[&output, "--statements", LIST]);
    assert!(share(&found["groups"][0]["periods"][0], "I love this app.")["estimate"].as_f64() < Some(0.1), "{found}");
    assert!(refusal(&[&output, "--field", "2", "--statements", LIST]).contains("is not among the columns that were"));
}

#[test]
fn rows_that_were_never_drawn_are_told_and_no_change_is_tested_over_them() {
    let folder = Folder::new();
    let mut csv = "text,day\n".to_owned();
    for day in ["2026-11-16", "2026-11-23"] {
        csv += &format!("It is too expensive.,{day}\n").repeat(80);
        csv += &format!("这个应用程序太贵了，而且总是崩溃。,{day}\n").repeat(10);
    }
    let file = released(&folder, "some.csv", &csv, &["--statements", LIST, "--keep", "day", "--skip-bad"]);
    let asked = [&*file, "--statements", LIST, "--time", "day", "--every", "week"];
    let found = results(&asked);
    assert_eq!((&found["neverDrawn"], &found["leftOut"]), (&json!(20), &json!(0)));
    assert!(found["groups"][0]["compared"]["untested"].is_string(), "{found}");
    let shown = text(&estimate(&asked).stdout).to_owned();
    assert!(shown.contains("20 of 180 rows were left out when the files were privatized"), "{shown}");
}

#[test]
fn where_several_statements_are_near_to_a_text_no_share_is_said_to_be_of_those_who_said_it() {
    let folder = Folder::new();
    let file = released(&folder, "a.csv", &feedback(), &["--statements", LIST, "--epsilon", "5"]);
    let (csv, page) = (folder.path("shares.csv"), folder.path("shares.html"));
    let shown = estimate(&[&file, "--statements", LIST, "--csv", &csv, "--html", &page]);
    let shown = text(&shown.stdout).to_owned();
    let why = "A share is NOT the share of those who said it. Each text counts 1/5 for each of the 5 statements";
    assert!(shown.contains(why) && !shown.contains("puts nearest to a statement"), "{shown}");
    let (csv, page) = (folder.read("shares.csv"), folder.read("shares.html"));
    assert!(page.contains(why) && page.contains("This page holds no text that a person wrote."), "{page}");
    let (header, rows) = csv.split_once('\n').expect("a header");
    let near = header.split(',').position(|column| column == "near").expect("a column");
    assert!(rows.lines().all(|row| row.rsplit(',').nth(header.split(',').count() - 1 - near) == Some("5")), "{csv}");
}

fn as_lines(csv: &str) -> String {
    let row = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        json!({ "text": cells[0], "day": cells[1], "shop": cells[2] }).to_string() + "\n"
    };
    csv.lines().skip(1).map(row).collect()
}

#[test]
fn topics_of_words_come_out_by_group_as_text_json_csv_and_a_page() {
    let folder = Folder::new();
    let texts = ["the food was cold and the waiter was rude", "the movie was boring and the actors were bad"];
    let rows = (0..800).map(|number| format!("{},{}\n", texts[usize::from(number % 4 == 0)], ["a", "b"][number % 2]));
    let file = released(&folder, "words.csv", &format!("text,site\n{}", rows.collect::<String>()), &["--keep", "site"]);
    let (html, csv) = (folder.path("page.html"), folder.path("shares.csv"));
    let asked = [
        &*file,
        "--by",
        "site",
        "--topic",
        "place=food,waiter",
        "--topic",
        "film=movie,actors",
        "--topic",
        "none=doctor,hospital",
    ];
    let found = results(&[&asked[..], &["--html", &html, "--csv", &csv]].concat());
    let groups = found["groups"].as_array().expect("groups");
    assert_eq!(groups.iter().map(|group| &group["of"][0][1]).collect::<Vec<_>>(), [&json!("a"), &json!("b")]);
    // Of 9 words, two are of a topic. All of "b" and half of "a" are about food.
    for (group, [food, film]) in groups.iter().zip([[1.0 / 9.0, 1.0 / 9.0], [2.0 / 9.0, 0.0]]) {
        let period = &group["periods"][0];
        assert_eq!(period["reports"], 3600);
        assert!(holds(&share(period, "place")["together"], food), "{period}");
        assert!(holds(&share(period, "film")["together"], film), "{period}");
        assert!(
            holds(&share(period, "none")["together"], 0.0) && share(period, "none")["belowNoise"] == true,
            "{period}"
        );
    }
    let rows = fs::read_to_string(csv).expect("written");
    assert_eq!(rows.lines().count(), 7);
    assert!(rows.starts_with("site,period,name,estimate,low,high,"), "{rows}");
    let page = fs::read_to_string(html).expect("written");
    assert!(page.contains("can hold less often where a group has few texts") && !page.contains("encoder"), "{page}");
    assert!(
        page.contains("<h2>site a</h2>") && page.contains("cannot be told from zero") && !page.contains("http"),
        "{page}"
    );
    assert_eq!((&found["law"]["mechanism"], &found["law"]["epsilon"]), (&json!("nearest"), &json!(9.0)), "{found}");
}

/// The Python package has the same numbers of the same counts.
#[test]
fn shares_are_those_of_python() {
    let folder = Folder::new();
    let cases = include_str!("../../mobile/python/tests/shares.json");
    let cases: Vec<Value> = serde_json::from_str(cases).expect("JSON");
    for case in cases {
        let asked = case["asked"].as_str().expect("a text");
        let row = |(text, count): (&String, &Value)| {
            let release = if asked == "choices" { json!([text]) } else { json!(text) };
            let field = if asked == "choices" { "bits" } else { "text" };
            json!({ field: release, "count": count, "guarantee": case["guarantee"] }).to_string() + "\n"
        };
        let topics = case["topics"].as_object().expect("topics");
        let names: Vec<&str> =
            case["shares"].as_array().expect("shares").iter().filter_map(|share| share["name"].as_str()).collect();
        let line = |(name, entry): (&str, &Value)| format!("{name}\t{}\n", entry.as_str().expect("a text"));
        let lines =
            names.iter().flat_map(|name| topics[*name].as_array().expect("entries").iter().map(|entry| (*name, entry)));
        let topics = folder.write("topics", lines.map(line).collect::<String>());
        let file = folder
            .write("counted.jsonl", case["counts"].as_object().expect("counts").iter().map(row).collect::<String>());
        let (confidence, names) = (case["confidence"].to_string(), names.join(","));
        let asked = match asked {
            "statements" => vec!["--statements", LIST, "--topics", &topics],
            "choices" => vec!["--choices", &names],
            _ => vec!["--topics", &topics],
        };
        let found = results(&[&[&*file, "--count", "count", "--confidence", &confidence], &asked[..]].concat());
        let shares = &found["groups"][0]["periods"][0]["shares"];
        assert!(are_near(shares, &case["shares"]), "{shares}");
    }
}

#[test]
fn a_plan_says_how_many_texts_a_share_and_its_growth_take() {
    let plan = |arguments: &[&str]| run(COLLECTOR, &[&["plan"], arguments].concat(), b"");
    let said = |arguments: &[&str]| text(&plan(arguments).stdout).to_owned();
    let share = ["--length", "500", "--epsilon", "8", "--share", "0.05"];
    let within = said(&[&share[..], &["--entries", "25", "--within", "0.005"]].concat());
    assert!(within.contains("10,791 texts (without privacy 8,015)"), "{within}");
    // The same question needs more texts at a smaller ε. In clear it needs as many.
    for (epsilon, near, texts) in [("8", 1, 2285), ("6", 2, 5379), ("4", 13, 45815_u64)] {
        let asked = ["--length", "119", "--epsilon", epsilon, "--share", "0.05", "--within", "0.01"];
        let found: Value = serde_json::from_str(&said(&[&asked[..], &["--json"]].concat())).expect("JSON");
        assert_eq!((&found["near"], &found["width"]["withoutPrivacy"]), (&json!(near), &json!(2181)));
        let reports = found["width"]["reports"].as_u64().expect("a number");
        assert!(reports.abs_diff(texts) <= texts / 1000, "{reports} at {epsilon}");
        let note = format!("NOT of those who said it. `estimate` shows it divided by {near}");
        assert_eq!((said(&asked).contains(&note), found["note"].is_string()), (near > 1, near > 1));
    }
    // A question with given answers counts for one of them.
    let question = ["--length", "4", "--epsilon", "2", "--share", "0.3", "--within", "0.05", "--json"];
    let of_question =
        |near: &[&str]| -> Value { serde_json::from_str(&said(&[&question[..], near].concat())).expect("JSON") };
    let [usual, question] = [&[][..], &["--near", "1"]].map(of_question);
    assert_eq!((&usual["near"], &question["near"], &question["note"]), (&json!(3), &json!(1), &Value::Null));
    assert!(question["width"]["reports"].as_u64() < usual["width"]["reports"].as_u64(), "{question}");
    // So does a list of answers.
    let folder = Folder::new();
    let file = StatementList::file(&["Ja", "Nein"], &[1.0, 0.0, 0.0, 1.0], 2, FileId::new([0; 32]), None);
    let answers = folder.write("answers.tvs", file.expect("a list"));
    let of_answers = ["--statements", &answers, "--epsilon", "0.5", "--share", "0.3", "--within", "0.05", "--json"];
    let of_answers: Value = serde_json::from_str(&said(&of_answers)).expect("JSON");
    assert_eq!((&of_answers["near"], &of_answers["width"]["reports"]), (&json!(1), &json!(6445)));
    let usual = said(&["--statements", &answers, "--share", "0.3", "--within", "0.05"]);
    let start =
        "A share of 30.0 % within 5.0 percentage points to each side, at epsilon 2: 648 answers (without privacy 364).";
    assert!(usual.starts_with(start) && usual.contains("For all 2 answers of the list together: "), "{usual}");
    // A topic counts as `estimate` shows it.
    let topic = ["--length", "119", "--epsilon", "4", "--entries", "13", "--share", "0.3", "--within", "0.02"];
    let of_topic = said(&topic);
    let texts: u64 = of_topic
        .split(": ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.replace(',', "").parse().ok())
        .expect("a number");
    assert!(texts < 5000 && of_topic.contains("as `estimate` shows it"), "{of_topic}");
    // So does a share that is larger than what a text counts for.
    let weak = said(&["--length", "500", "--epsilon", "1", "--share", "0.05", "--within", "0.01"]);
    assert!(weak.contains("texts (without privacy 2,181)") && weak.contains("divided by 499"), "{weak}");
    let grown = said(&[&share[..], &["--change", "0.05"]].concat());
    assert!(grown.contains("A share that grows from 5.0 % to 10.0 %") && grown.contains("in each period"), "{grown}");
    let asked = [&share[..], &["--entries", "25", "--within", "0.005", "--change", "0.05", "--json"]].concat();
    let found: Value = serde_json::from_str(&said(&asked)).expect("JSON");
    assert_eq!((&found["counted"], &found["share"]), (&json!("texts"), &json!(0.05)));
    assert_eq!(found["width"], json!({ "within": 0.005, "reports": 10791, "withoutPrivacy": 8015 }));
    assert!(found["growth"]["reportsEachPeriod"].as_u64() > found["growth"]["withoutPrivacy"].as_u64(), "{found}");
    let text_file = folder.write("often.txt", "Ja\nNein\n");
    let refused = plan(&["--statements", &text_file, "--share", "0.3", "--within", "0.05"]);
    let hint = format!("textveil statements build {text_file} --out LIST.tvs");
    assert!(text(&refused.stderr).contains(&hint), "{}", text(&refused.stderr));
    for (arguments, why) in [
        (&["--share", "0.05", "--within", "0.01"][..], "name a list by --statements or --length"),
        (&share, "say --within, --answers or --change"),
        (&[&share[..], &["--answers", "0"]].concat(), "0 is not in"),
        (&[&share[..], &["--change", "0.96"]].concat(), "cannot grow"),
        (&["--length", "500", "--within", "0.01"], "--share"),
        (
            &["--length", "500", "--share", "0.1", "--within", "0.01", "--entries", "500"],
            "fewer statements than the list",
        ),
        (&["--length", "4", "--near", "4", "--share", "0.3", "--within", "0.1"], "--near must be from 1 to 3"),
        (&["--statements", &answers, "--near", "2", "--share", "0.3", "--within", "0.1"], "leave out --near"),
        (&["--words", "price", "--near", "1", "--within", "0.01"], "cannot be used with"),
        (&["--words", "secretword", "--within", "0.01"], "not in the table"),
        (
            &["--words", "crash=crash,crashes", "--within", "0.01"],
            "without a name for the topic: --words crash,crashes",
        ),
        (&["--words", "price", "--epsilon", "50", "--within", "0.01"], "above zero and at most 20"),
        (&["--length", "4", "--epsilon", "8,5"], "write a decimal point instead of the comma"),
        (&["--length", "4", "--share", "0,05"], "write a decimal point instead of the comma"),
        (&["--length", "4", "--share", "0.05", "--confidence", "0,9"], "write a decimal point instead of the comma"),
        (&["--length", "1", "--share", "0.1", "--within", "0.01"], "1 is not in"),
        (
            &["--length", "500", "--epsilon", "710", "--share", "0.1", "--within", "0.01"],
            "ε of a statement is at most 20",
        ),
    ] {
        let refused = plan(arguments);
        assert!(
            refused.status.code() == Some(2) && text(&refused.stderr).contains(why),
            "{arguments:?}: {}",
            text(&refused.stderr)
        );
    }
}

#[test]
fn a_plan_says_how_far_an_interval_reaches_and_for_how_many_shares_its_numbers_hold() {
    let share = ["--length", "119", "--share", "0.1"];
    let plan = |arguments: &[&str]| run(COLLECTOR, &[&["plan"], &share[..], arguments].concat(), b"");
    let said = |arguments: &[&str]| text(&plan(arguments).stdout).to_owned();
    let found = |arguments: &[&str]| -> Value {
        serde_json::from_str(&said(&[arguments, &["--json"]].concat())).expect("JSON")
    };
    let one = said(&["--within", "0.03"]);
    let whole_list = "This is for one share. For all 119 statements of the list together: ";
    assert!(one.contains(": 515 texts (") && one.contains(&format!("{whole_list}1,570 texts.\n")), "{one}");
    let width = json!({ "within": 0.03, "reports": 515, "withoutPrivacy": 492, "wholeList": { "shares": 119, "reports": 1570 } });
    assert_eq!(found(&["--within", "0.03"])["width"], width);
    let all = said(&["--within", "0.03", "--compared", "119"]);
    assert!(all.contains(": 1,570 texts (") && all.contains("This is for 119 shares together.\n"), "{all}");
    assert!(!all.contains("one share"), "{all}");
    assert!(!said(&["--within", "0.03", "--compared", "1"]).contains("This is for"));
    assert!(
        said(&["--within", "0.03", "--entries", "2"])
            .contains("This is for one share. For several shares together, say --compared.")
    );
    assert!(said(&["--change", "0.05"]).contains(whole_list) && one.lines().count() == 2, "{one}");

    let reach = |answers: &str, compared: &[&str]| {
        let found = found(&[&["--answers", answers], compared].concat());
        found["halfWidth"]["within"].as_f64().expect("a number")
    };
    assert!(reach("515", &[]) <= 0.03 && reach("514", &[]) > 0.03);
    assert!(reach("1570", &["--compared", "119"]) <= 0.03 && reach("1569", &["--compared", "119"]) > 0.03);
    let of_200 = found(&["--answers", "200"]);
    assert_eq!(of_200["compared"], 1);
    let of_200 = &of_200["halfWidth"];
    assert_eq!((&of_200["answers"], &of_200["wholeList"]["shares"]), (&json!(200), &json!(119)));
    assert_eq!(of_200["wholeList"]["within"], reach("200", &["--compared", "119"]));
    assert!(of_200["withoutPrivacy"].as_f64() < of_200["within"].as_f64(), "{of_200}");
    let few = said(&["--answers", "200"]);
    let start = "A share of 10.0 % with 200 texts, at epsilon 8: within about ";
    assert!(few.starts_with(start) && few.contains(&format!("{whole_list}within about ")), "{few}");
}

#[test]
fn choices_come_out_of_reports_as_devices_send_them() {
    let folder = Folder::new();
    let mechanism = Mechanism::new(MechanismKind::Oue).with(Parameter::Epsilon, 2.0).expect("a number");
    let unary = Unary::new(mechanism, 3).expect("a list");
    let mut rng = seeded_rng([5; 32]);
    let line = |number: usize| {
        let bits = unary.report([0, 0, 0, 1][number % 4], &mut rng).expect("in the list");
        let digits: String = bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect();
        json!({ "bits": [digits], "guarantee": unary.guarantee() }).to_string() + "\n"
    };
    let file = folder.write("choices.jsonl", (0..2000).map(line).collect::<String>());
    let asked = ["--choices", "often,seldom,never"];
    let found = results(&[&[&*file], &asked[..]].concat());
    assert_eq!(results(&[&[&*counted(&folder, &file)], &asked[..], &["--count", "count"]].concat()), found);
    let period = &found["groups"][0]["periods"][0];
    for (name, value) in [("often", 0.75), ("seldom", 0.25), ("never", 0.0)] {
        assert!(holds(&share(period, name)["together"], value), "{period}");
    }
    assert!(refusal(&[&file, "--choices", "often,seldom"]).contains("it has 3 bits"));
    // A page shows the latest days, and its CSV has all.
    let line = |day: usize| {
        let day = format!("2026-{:02}-{:02}", 1 + day / 20, 1 + day % 20);
        json!({ "bits": ["100"], "day": day, "count": 50, "guarantee": unary.guarantee() }).to_string() + "\n"
    };
    let days = folder.write("days.jsonl", (0..60).map(line).collect::<String>());
    let (html, csv) = (folder.path("days.html"), folder.path("days.csv"));
    let written = ["--count", "count", "--time", "day", "--every", "day", "--html", &html, "--csv", &csv];
    results(&[&[&*days], &asked[..], &written].concat());
    let [page, csv] = [html, csv].map(|file| fs::read_to_string(file).expect("written"));
    assert!(page.contains("The latest 53 of 60 periods are shown. The CSV has all."), "{page}");
    assert!(page.contains("In at most 5 of 100 such comparisons a change is named that did not happen."), "{page}");
    assert!(page.contains("It includes the chance of who happened to answer."), "{page}");
    let first_shown = page.contains("2026-01-08: ") && !page.contains("2026-01-07: ");
    assert!(first_shown && page.contains("2026-01-01%2C") && !page.contains("less often where"), "{page}");
    assert_eq!(csv.lines().count(), 1 + 60 * 3);
    // All charts have one scale.
    let scales: Vec<&str> =
        page.split("y=\"4\" text-anchor=\"end\">").skip(1).filter_map(|rest| rest.split('<').next()).collect();
    assert!(scales.len() == 3 && scales.iter().all(|scale| *scale == scales[0]), "{scales:?}");
    // A row that is left out takes no room of those that follow.
    let row = |bits: &str, count: u64| {
        json!({ "bits": [bits], "count": count, "guarantee": unary.guarantee() }).to_string() + "\n"
    };
    let bad = (1 << 53) - 6;
    let file = folder.write("bad.jsonl", &(row("010", 5) + &row("01", bad) + &row("100", 5)));
    let found = results(&[&[&*file, "--count", "count", "--leave-out"], &asked[..]].concat());
    assert_eq!((&found["law"]["releases"], &found["leftOut"]), (&json!(10), &json!(bad)));
    assert_eq!(found["groups"][0]["periods"][0]["leftOut"], json!(bad));
    let floats = (row("010", 5) + &row("100", 5)).replace("\"count\":5", "\"count\":5.0");
    let file = folder.write("floats.jsonl", &floats);
    let found = results(&[&[&*file, "--count", "count"], &asked[..]].concat());
    assert_eq!(found["law"]["releases"], json!(10));
    let file = folder.write("halves.jsonl", floats.replace("5.0", "5.5"));
    assert!(refusal(&[&[&*file, "--count", "count"], &asked[..]].concat()).contains("no whole number"));
}

#[test]
fn of_many_shares_the_largest_come_first_and_those_that_cannot_be_told_from_zero_are_one_line() {
    let folder = Folder::new();
    let file = released(&folder, "feedback.csv", &feedback(), &["--statements", LIST]);
    let html = folder.path("page.html");
    let output = estimate(&[&file, "--statements", LIST, "--html", &html]);
    let shown = text(&output.stdout);
    let shares: Vec<&str> = shown.lines().filter(|line| line.starts_with("  ")).collect();
    let share = |line: &&str| line.split(" %").next().and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    let found: Vec<f64> = shares.iter().filter_map(share).collect();
    assert!(found.len() >= 2 && found.len() + 1 == shares.len() && found.is_sorted_by(|a, b| a >= b), "{shown}");
    let rest = format!("  {} shares cannot be told from zero: --csv and --json have them", 119 - found.len());
    assert_eq!(shares.last(), Some(&&*rest), "{shown}");
    let page = fs::read_to_string(html).expect("written");
    for shown in [shown, &page] {
        assert!(shown.contains("The encoder can be wrong about what a text says, and the intervals do not cover"));
    }
}

/// Rows of three weeks, each with its guarantee. Of every week some are no statement.
fn weeks(folder: &Folder, unreadable: [usize; 3]) -> String {
    let clear: String =
        (0..300).map(|number| if number % 3 == 0 { "It is too expensive.\n" } else { "The app is slow.\n" }).collect();
    let file = released(folder, "weeks.csv", &format!("text\n{clear}"), &["--statements", LIST]);
    let stated = fs::read_to_string(format!("{file}.guarantee.json")).expect("beside it");
    let stated: Value = serde_json::from_str(&stated).expect("JSON");
    let released = fs::read_to_string(&file).expect("released");
    let mut lines = String::new();
    for (day, unreadable) in ["2026-11-09", "2026-11-16", "2026-11-23"].into_iter().zip(unreadable) {
        for (number, text) in released.lines().skip(1).enumerate() {
            let text = if number < unreadable { "no statement" } else { text };
            lines += &(json!({ "text": text, "day": day, "guarantee": stated["guarantee"] }).to_string() + "\n");
        }
    }
    folder.write("weeks.jsonl", &lines)
}

#[test]
fn periods_of_which_much_was_left_out_are_not_compared() {
    let folder = Folder::new();
    let list = ["--statements", LIST, "--time", "day", "--every", "week", "--leave-out"];
    let file = weeks(&folder, [0, 15, 16]);
    let html = folder.path("page.html");
    let group = &results(&[&[&*file, "--html", &html], &list[..]].concat())["groups"][0];
    let left_out: Vec<&Value> = group["periods"].as_array().expect("periods").iter().map(|of| &of["leftOut"]).collect();
    assert_eq!(left_out, [&json!(0), &json!(15), &json!(16)]);
    let why = "5.3 % of the releases of 2026-W48 were left out";
    assert!(group["compared"]["untested"].as_str().expect("words").starts_with(why), "{}", group["compared"]);
    assert_eq!((&group["changes"], &group["compared"]["periods"]), (&json!([]), &json!(["2026-W47", "2026-W48"])));
    let page = fs::read_to_string(html).expect("written");
    assert!(page.contains(why) && page.contains("285 statements, 15 left out"), "{page}");
    let shown = estimate(&[&[&*file], &list[..]].concat());
    let shown = text(&shown.stdout);
    assert!(
        shown.contains(&format!("Not compared: {why}")) && shown.contains("285 statements, 15 left out"),
        "{shown}"
    );

    let between = results(&[&[&*file, "--between", "2026-W46,2026-W47"], &list[..]].concat());
    let group = &between["groups"][0];
    assert_eq!(group["compared"], json!({ "periods": ["2026-W46", "2026-W47"], "untested": null }));
    assert_eq!(
        group["changes"].as_array().expect("changes").len(),
        group["periods"][0]["shares"].as_array().map_or(0, Vec::len)
    );
    let absent = results(&[&[&*file, "--between", "2026-W40,2026-W47"], &list[..]].concat());
    assert_eq!(absent["groups"][0]["compared"]["untested"], "nothing of 2026-W40 is counted");
    let refused = refusal(&[&[&*file, "--between", "2026-W47,2026-W46"], &list[..]].concat());
    assert!(refused.contains("the first period must be the earlier one"), "{refused}");
    let refused = refusal(&[&[&*file, "--between", "2026-W9,2026-W10"], &list[..]].concat());
    assert!(refused.contains("\"2026-W9\" is not a week. A week is written as 2026-W09"), "{refused}");

    let [last, every] = [Folder::new(), Folder::new()];
    let none_left = results(&[&[&*weeks(&last, [0, 0, 300])], &list[..]].concat());
    let group = &none_left["groups"][0];
    assert_eq!((&group["periods"][2]["releases"], &group["periods"][2]["leftOut"]), (&json!(0), &json!(300)));
    assert_eq!(group["compared"], json!({ "periods": ["2026-W46", "2026-W47"], "untested": null }));
    let all = weeks(&every, [300, 300, 300]);
    let refused = refusal(&[&[&*all], &list[..]].concat());
    assert!(refused.contains("all 900 releases were left out. The first of them, "), "{refused}");
    assert!(refused.contains("weeks.jsonl, line 1: "), "{refused}");
}

#[test]
fn no_row_outweighs_others_or_is_taken_for_what_it_is_not() {
    let folder = Folder::new();
    let clear = "text,shop\nIt is too expensive.,=1+1\nThe app is slow.,=1+1\n";
    let file = released(&folder, "few.csv", clear, &["--statements", LIST, "--keep", "shop"]);
    let list = ["--statements", LIST];
    assert!(refusal(&[&[&*file, &file], &list[..]].concat()).contains("hold the same"));
    let csv = folder.path("shares.csv");
    assert!(estimate(&[&[&*file, "--by", "shop", "--csv", &csv], &list[..]].concat()).status.success());
    fs::copy(format!("{file}.guarantee.json"), folder.path("many.csv.guarantee.json")).expect("a file");
    let many = folder.write("many.csv", "text,count\nThe app is slow.,1\nThe app is slow.,9007199254740992\n");
    let refused = refusal(&[&[&*many, "--count", "count"], &list[..]].concat());
    assert!(refused.contains("many.csv, line 3: there are more than 2^53 statements"), "{refused}");
    assert!(fs::read_to_string(csv).expect("written").contains("\n'=1+1,"));
    let stated = fs::read_to_string(format!("{file}.guarantee.json")).expect("beside it");
    let stated: Value = serde_json::from_str(&stated).expect("JSON");
    let guarantee = stated.get("guarantee").unwrap_or(&stated).clone();
    let row = |text: &str, guarantee: &Value| json!({ "text": text, "guarantee": guarantee }).to_string() + "\n";
    let one = "The app is slow.";
    let with = |name: &str, value: Value| {
        let mut changed = guarantee.clone();
        changed[name] = value;
        changed
    };
    for (second, why) in [
        (row(&format!("{one} {one}"), &guarantee), "no statement of the list"),
        (row(one, &with("epsilonText", json!(800.0))), "guarantee"),
        (row(one, &with("epsilonWord", json!(4.0))), "drawn unlike"),
        (json!({ "text": one }).to_string() + "\n", "has no guarantee"),
    ] {
        let file = folder.write("rows.jsonl", &(row(one, &guarantee) + &second));
        let refused = refusal(&[&[&*file], &list[..]].concat());
        assert!(refused.contains(why) && refused.contains("line 2"), "{refused}");
        let found = results(&[&[&*file, "--leave-out"], &list[..]].concat());
        assert_eq!((&found["leftOut"], &found["law"]["releases"]), (&json!(1), &json!(1)));
        assert_eq!(share(&found["groups"][0]["periods"][0], one)["released"], 1.0);
        let first = found["whyLeftOut"].as_str().expect("a reason");
        assert!(first.contains("rows.jsonl, line 2: ") && first.contains(why), "{first}");
        // A way on is named where there is one.
        assert_eq!(refused.contains("--leave-out counts the larger kind alone"), why == "drawn unlike", "{refused}");
        assert!(!first.contains("--leave-out"), "{first}");
    }
    // A torn line, an object of another shape, and what is no text.
    let torn = [
        row(one, &guarantee).as_bytes(),
        b"{\"text\":\"The a",
        b"\n[1]\n\xff\n{\"submission\":\"1\",\"field\":1,",
        b"\"text\":1,\"guarantee\":1}\n{\"entries\":[1]}\n",
        row(one, &guarantee).as_bytes(),
    ]
    .concat();
    let file = folder.write("torn.jsonl", torn);
    let refused = refusal(&[&[&*file], &list[..]].concat());
    assert!(refused.contains("torn.jsonl, line 2: not a JSON object"), "{refused}");
    let html = folder.path("torn.html");
    let shown = estimate(&[&[&*file, "--leave-out", "--html", &html], &list[..]].concat());
    let [shown, page] = [text(&shown.stdout).to_owned(), fs::read_to_string(html).expect("written")];
    for shown in [shown, page] {
        assert!(shown.contains("2 releases by nearest") && shown.contains("5 releases left out"), "{shown}");
        assert!(shown.contains("The first of them, ") && shown.contains("torn.jsonl, line 2: not a JSON"), "{shown}");
    }
    // Most releases cannot be counted: their guarantee is forged.
    let forged = row(one, &with("epsilonWord", json!(4.0)));
    let file = folder.write("most.jsonl", &(forged.repeat(3) + &row(one, &guarantee)));
    let found = results(&[&[&*file, "--leave-out"], &list[..]].concat());
    assert_eq!((&found["leftOut"], &found["law"]["releases"]), (&json!(3), &json!(1)));
    let first = found["whyLeftOut"].as_str().expect("a reason");
    assert!(first.contains("most.jsonl, line 1: "), "{first}");
    let none = folder.write("none.jsonl", &forged);
    let refused = refusal(&[&[&*none, "--leave-out"], &list[..]].concat());
    assert!(refused.contains("not what textveil states"), "{refused}");
    let vectors = json!({ "vectors": [[0.5, 0.5]], "guarantee": guarantee }).to_string() + "\n";
    let file = folder.write("vectors.jsonl", &(row(one, &guarantee) + &row(one, &guarantee) + &vectors));
    let found = results(&[&[&*file, "--leave-out"], &list[..]].concat());
    assert_eq!((&found["leftOut"], &found["law"]["releases"]), (&json!(1), &json!(2)));
    for (path, name) in [("-", "standard input"), ("/dev/stdin", "/dev/stdin")] {
        let refused = refusal(&[path, "--leave-out", "--statements", LIST]);
        assert!(cfg!(windows) || refused.contains(&format!("{name} can be read once")), "{refused}");
    }
}

/// Rows of a collector, as it exports them: submissions with these numbers, each of the field "comment".
fn exported(folder: &Folder, name: &str, guarantee: &Value, rows: &[(i64, &str)]) -> String {
    let row = |(submission, text): &(i64, &str)| {
        json!({ "submission": submission, "day": "2026-11-24", "field": "comment", "text": text, "guarantee": guarantee }).to_string()
            + "\n"
    };
    folder.write(name, rows.iter().map(row).collect::<String>())
}

#[test]
fn an_export_says_which_fields_it_has_and_no_submission_counts_twice() {
    let folder = Folder::new();
    let file = released(&folder, "few.csv", "text\nThe app is slow.\n", &["--statements", LIST]);
    let stated = fs::read_to_string(format!("{file}.guarantee.json")).expect("next to it");
    let guarantee = serde_json::from_str::<Value>(&stated).expect("JSON")["guarantee"].clone();
    let (slow, dear) = ("The app is slow.", "It is too expensive.");
    let october = exported(&folder, "october.jsonl", &guarantee, &[1, 2, 3, 4, 5, 6].map(|number| (number, dear)));
    let november = exported(&folder, "november.jsonl", &guarantee, &[2, 3, 4, 5, 6, 7].map(|number| (number, dear)));
    let elsewhere = exported(&folder, "elsewhere.jsonl", &guarantee, &[1, 2, 3, 4, 5, 6].map(|number| (number, slow)));
    let list = ["--statements", LIST];
    let refused = refusal(&[&[&*october], &list[..]].concat());
    assert!(refused.contains("no release of the field text. Name one of these by --field: comment"), "{refused}");
    let refused = refusal(&[&[&*october, "--field", "comment", "--by", "city"], &list[..]].concat());
    assert!(refused.contains("october.jsonl: no submission has the field \"city\""), "{refused}");
    let refused = refusal(&[&[&*october, "--field", "comment", "--by", "comment"], &list[..]].concat());
    assert!(refused.contains("the field \"comment\" was released"), "{refused}");
    for more in [&[][..], &["--leave-out"]] {
        let asked = [&["--field", "comment"], &list[..], more].concat();
        let refused = refusal(&[&[&*october, &november], &asked[..]].concat());
        assert!(refused.contains("october.jsonl and ") && refused.contains("hold the same submissions"), "{refused}");
        let found = results(&[&[&*october, &elsewhere], &asked[..]].concat());
        assert_eq!(found["law"]["releases"], 12, "every collector counts from 1");
    }
    // A field that nobody filled in is missing in one of two exports, and no error.
    let two = [&*october, &elsewhere, "--field", "comment", "--by", "city"];
    let found = estimate(&[&two[..], &list].concat());
    assert!(found.status.success(), "{}", text(&found.stderr));
}

#[test]
fn the_guarantee_of_other_releases_is_refused_and_so_is_what_it_cannot_have_drawn() {
    let folder = Folder::new();
    let list = ["--statements", LIST];
    let clear = format!("text\n{}", "It is too expensive.\n".repeat(100));
    let usual = released(&folder, "usual.csv", &clear, &list);
    let strong = released(&folder, "strong.csv", &clear, &[&list[..], &["--epsilon", "4"]].concat());
    let [of_usual, of_strong] = [&usual, &strong].map(|file| format!("{file}.guarantee.json"));
    let refused = refusal(&[&[&*usual, "--guarantee", &of_strong], &list[..]].concat());
    assert!(
        refused.contains("usual.csv.guarantee.json and ") && refused.contains("strong.csv.guarantee.json"),
        "{refused}"
    );
    let own = results(&[&[&*usual], &list[..]].concat());
    assert_eq!(results(&[&[&*usual, "--guarantee", &of_usual], &list[..]].concat()), own);
    fs::remove_file(&of_usual).expect("a file");
    let other = [&[&*usual, "--guarantee", &of_strong], &list[..]].concat();
    let page = folder.path("page.html");
    let told = "cannot all have been drawn as their guarantee says: ";
    assert!(text(&estimate(&other).stdout).contains(&format!("{told}\"It is too expensive.\"")));
    let found = results(&[&other[..], &["--html", &page]].concat());
    let period = &found["groups"][0]["periods"][0];
    assert_eq!(period["impossible"], json!(["It is too expensive."]));
    assert_eq!(share(period, "It is too expensive.")["interval"], json!([1.0 / 13.0, 1.0 / 13.0]));
    assert!(folder.read("page.html").contains(told));
    // What was drawn so is as it should be, and no interval holds more than a text counts for.
    let found = results(&[&[&*strong], &list[..]].concat());
    let period = &found["groups"][0]["periods"][0];
    assert_eq!(period["impossible"], json!([]));
    let mut ends = period["shares"].as_array().expect("shares").iter().map(|share| share["together"][1].as_f64());
    assert!(ends.all(|end| end <= Some(1.0 / 13.0)), "{period}");
}

#[test]
fn what_was_drawn_makes_no_groups_and_a_column_is_named_with_those_that_there_are() {
    let folder = Folder::new();
    let clear = "text,title,day\nThe app is slow.,It is too expensive.,2026-11-23\n";
    let columns = ["--statements", LIST, "--column", "title", "--keep", "day"];
    let file = released(&folder, "two.csv", clear, &columns);
    let list = ["--statements", LIST];
    for (arguments, why) in [
        (&["--field", "text", "--by", "text"][..], "the column \"text\" was released"),
        (&["--field", "text", "--by", "title"], "the column \"title\" was released"),
        (&["--field", "text", "--every", "week", "--time", "title"], "the column \"title\" was released"),
        (&["--field", "nope"], "\"nope\" is not among the columns that were released. They are: text, title"),
        (&["--field", "text", "--by", "shop"], "two.csv has no column \"shop\". It has: "),
    ] {
        let refused = refusal(&[&[&*file], arguments, &list[..]].concat());
        assert!(refused.contains(why) && !refused.contains("--no-header"), "{arguments:?}: {refused}");
    }
    assert_eq!(results(&[&[&*file, "--field", "text", "--by", "day"], &list[..]].concat())["law"]["releases"], 1);
}

#[test]
fn shares_of_answers_speak_of_answers_and_of_no_encoder() {
    let folder = Folder::new();
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/answers.tvs");
    let rows = "Every day\n".repeat(60) + &"Never\n".repeat(40);
    let file = released(&folder, "often.csv", &format!("text\n{rows}"), &["--statements", list]);
    let page = folder.path("page.html");
    // `textveil privatize` calls it a column.
    let output = estimate(&[&file, "--column", "text", "--statements", list, "--html", &page]);
    let (told, page) = (text(&output.stdout), folder.read("page.html"));
    for start in
        ["100 releases by nearest, epsilon 2 for each answer (a medium promise)\n", "\n100 releases, 100 answers\n"]
    {
        assert!(told.contains(start), "{told}");
    }
    assert!(page.contains("Estimated shares of answers") && page.contains("at most 7.39 times less often"), "{page}");
    for told in [told, &page] {
        assert!(!told.contains("encoder") && !told.contains("statement") && !told.contains("wrote, "), "{told}");
    }
    let refused = refusal(&[&file, list, "--statements", list]);
    assert!(refused.contains("answers.tvs is a list of statements: name one, by --statements"), "{refused}");
}

#[test]
fn a_result_never_replaces_a_file_unless_it_is_told_to() {
    let folder = Folder::new();
    let file = released(&folder, "few.csv", "text\nIt is too expensive.\n", &["--statements", LIST]);
    let clear = folder.path("clear-few.csv");
    for option in ["--html", "--csv"] {
        let asked = [&*file, "--statements", LIST, option, &clear];
        let refused = refusal(&asked);
        assert!(refused.contains("clear-few.csv is there already: --force replaces it"), "{refused}");
        assert_eq!(folder.read("clear-few.csv"), "text\nIt is too expensive.\n");
    }
    assert!(estimate(&[&file, "--statements", LIST, "--csv", &clear, "--force"]).status.success());
    assert!(folder.read("clear-few.csv").starts_with("period,name,"));
}

#[test]
fn a_result_never_replaces_what_is_read() {
    let folder = Folder::new();
    let file = released(&folder, "few.csv", "text\nIt is too expensive.\n", &["--statements", LIST]);
    let guarantee = format!("{file}.guarantee.json");
    let before = [&file, &guarantee].map(|path| fs::read(path).expect("a file"));
    for (option, output) in [("--html", &file), ("--csv", &file), ("--csv", &guarantee), ("--html", &LIST.to_owned())] {
        let refused = refusal(&[&file, "--statements", LIST, option, output]);
        assert!(refused.contains("what is written would take its place"), "{refused}");
    }
    assert_eq!([&file, &guarantee].map(|path| fs::read(path).expect("a file")), before);
    let both = folder.path("both");
    let refused = refusal(&[&file, "--statements", LIST, "--html", &both, "--csv", &both]);
    assert!(refused.contains("--html and --csv name the same file") && !Path::new(&both).exists(), "{refused}");
}

#[test]
fn times_of_two_offsets_are_refused_by_the_first_row_that_differs() {
    let folder = Folder::new();
    let clear =
        "text,time\nIt is too expensive.,2026-11-09T23:30:00Z\nIt is too expensive.,2026-11-09T23:30:00-05:00\n";
    let file = released(&folder, "times.csv", clear, &["--statements", LIST, "--keep", "time"]);
    let asked = [&*file, "--statements", LIST, "--every", "day", "--time", "time"];
    let refused = refusal(&asked);
    assert!(refused.contains("times.csv, line 3: its time states the offset -05:00"), "{refused}");
    let found = results(&[&asked[..], &["--leave-out"]].concat());
    assert_eq!((&found["leftOut"], &found["law"]["releases"]), (&json!(1), &json!(1)));
}

#[test]
fn what_cannot_be_counted_is_refused_by_file_and_row() {
    let folder = Folder::new();
    let clear = "text,day\nThe app crashes.,2026-11-23\nIt is too expensive.,soon\n";
    let file = released(&folder, "few.csv", clear, &["--statements", LIST, "--keep", "day"]);
    let list = ["--statements", LIST];
    for (arguments, why) in [
        (&[][..], "nothing is asked"),
        (
            &["--statements", concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/support-requests.tvs")],
            "of another list",
        ),
        (&["--topic", "price=expensive"], "words are asked for"),
        (&["--topic", "price=secretword"], "which the table lacks"),
        (&[&list[..], &["--topic", "price=secretword"]].concat(), "which is not in the list"),
        (
            &[&list[..], &["--topic", "crashes=The app crashes when I open it"]].concat(),
            "Did you mean \"The app crashes when I open it.\"?",
        ),
        (&[&list[..], &["--every", "week"]].concat(), "no time"),
        (&[&list[..], &["--every", "week", "--time", "day"]].concat(), "does not begin with a date"),
        (&[&list[..], &["--by", "city"]].concat(), "city"),
        (&["--choices", "a,b"], "choices are asked for"),
    ] {
        let output = estimate(&[&[&*file], arguments].concat());
        let (refused, code) = (text(&output.stderr), if why == "nothing is asked" { 2 } else { 1 });
        assert!(refused.starts_with("textveil-collector: ") && refused.contains(why), "{arguments:?}: {refused}");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {refused}");
        assert!(!refused.contains("expensive") || arguments.contains(&"price=expensive"), "{refused}");
    }
    let beside = format!("{file}.guarantee.json");
    let stated = fs::read_to_string(&beside).expect("beside it");
    fs::write(
        &beside,
        stated
            .replace("\"epsilonWord\": 8.0", "\"epsilonWord\": 7.0")
            .replace("\"epsilonWord\":8.0", "\"epsilonWord\":7.0"),
    )
    .expect("a file");
    let forged = refusal(&[&[&*file], &list[..]].concat());
    assert!(forged.contains("few.csv") && forged.contains("guarantee"), "{forged}");
    fs::remove_file(&beside).expect("a file");
    let refused = refusal(&[&[&*file], &list[..]].concat());
    for part in ["the releases have no guarantee", "few.csv.guarantee.json"] {
        assert!(refused.contains(part), "{refused}");
    }
    let other = folder.write("other.csv", "review,stars\nsecret,1\n");
    let refused = refusal(&[&[&*other], &list[..]].concat());
    for part in ["releases have no guarantee", "by --guarantee", "has no column \"text\""] {
        assert!(refused.contains(part) && !refused.contains("secret"), "{refused}");
    }
    // Of CSV nobody knows whether the first row holds names or a text.
    assert!(refused.trim_end().ends_with("name the column with the releases by --field"), "{refused}");
    let nameless = folder.write("nameless.csv", "a secret,1\nanother secret,2\n");
    let refused = refusal(&[&[&*nameless], &list[..]].concat());
    assert!(refused.trim_end().ends_with("by --field") && !refused.contains("secret"), "{refused}");
    let empty = folder.write("empty.jsonl", "");
    assert!(refusal(&[&[&*empty], &list[..]].concat()).contains("there are no releases"));
}
