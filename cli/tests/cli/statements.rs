//! `textveil statements` and `textveil privatize --statements` as a person runs them.

use std::fs;

use serde_json::Value;

use super::{Folder, text, textveil};

const ENCODER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/encoder.tvt");
const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// Builds a list of [`LINES`]; returns its path and what was printed.
fn built(folder: &Folder, more: &[&str]) -> (String, String) {
    let (input, list) = (folder.write("list.txt", LINES), folder.path("list.tvs"));
    let output =
        textveil(&[&["statements", "build", &input, "--encoder", ENCODER, "--out", &list], more].concat(), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    (list, text(&output.stdout).to_owned())
}

const LINES: &str =
    "# For tests\nThe app crashes.\nThe app is good.\nThe delivery was late.\n\nThe price is high.\nIt is.\n";

#[test]
fn a_list_is_built_and_says_what_texts_come_to() {
    let folder = Folder::new();
    let texts = folder.write("texts.txt", "app crashes\nlate delivery\nnothing known\nthe price is high high\n");
    let (list, printed) = built(&folder, &["--otherwise", "It is.", "--least-cosine", "0.5", "--texts", &texts]);
    assert!(printed.contains("5 statements") && printed.contains("4 texts: 25.0 % fit nothing"), "{printed}");
    assert!(printed.contains("no text comes to these, 1 statement:\n  The app is good."), "{printed}");
    let output = textveil(&["statements", "inspect", &list, "--all"], b"");
    let shown = text(&output.stdout);
    assert!(
        shown.contains("length    5 statements") && shown.contains("otherwise It is. (cosine below 0.5)"),
        "{shown}"
    );
    assert!(shown.contains("    2  The delivery was late."), "{shown}");
    assert!(shown.contains("\n      2      4  ") && shown.contains("\n      8      1  "), "{shown}");
    let output = textveil(&["statements", "inspect", &list, "--near", "1"], b"");
    assert!(text(&output.stdout).contains("\n      2      1  "), "{}", text(&output.stdout));
    let output = textveil(&["statements", "inspect", &list, "--near", "5"], b"");
    assert!(text(&output.stderr).contains("--near must be from 1 to 4"), "{}", text(&output.stderr));
    // NFKC makes three points of an ellipsis, in the file and in the option.
    let (input, list) = (folder.write("points.txt", LINES.replace("It is.", "It is…")), folder.path("points.tvs"));
    let otherwise = ["--otherwise", " It is… ", "--least-cosine", "0.5", "--out", &list];
    let output = textveil(&[&["statements", "build", &input, "--encoder", ENCODER], &otherwise[..]].concat(), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = textveil(&["statements", "inspect", &list, "--all"], b"");
    assert!(text(&output.stdout).contains("otherwise It is... (cosine below 0.5)"), "{}", text(&output.stdout));
}

#[test]
fn answers_of_a_question_need_no_encoder_and_no_other_text_is_one() {
    let folder = Folder::new();
    let (input, list) = (folder.write("answers.txt", "# Frage\nJa\nNein\n\nWeiß nicht\n"), folder.path("answers.tvs"));
    let build = |input: &str| textveil(&["statements", "build", input, "--answers", "--out", &list, "--force"], b"");
    let output = build(&input);
    assert!(text(&output.stdout).contains("answers.tvs: 3 answers, "), "{}", text(&output.stderr));
    let output = textveil(&["statements", "inspect", &list, "--all"], b"");
    let shown = text(&output.stdout);
    assert!(shown.contains("encoder   none") && shown.contains("\n      2      1  0.79"), "{shown}");
    assert!(shown.contains("    2  Weiß nicht\n"), "{shown}");

    let privatize = |lines: &str, more: &[&str]| {
        let asked = ["privatize", "--statements", &list, "--epsilon", "20", "--seed", SEED];
        textveil(&[&asked, more].concat(), lines.as_bytes())
    };
    let output = privatize("Weiß nicht\nJa \nNein\n", &[]);
    assert_eq!(text(&output.stdout), "Weiß nicht\nJa\nNein\n", "{}", text(&output.stderr));
    let output = privatize("Ja\n", &["--json"]);
    let guarantee = &serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["guarantee"];
    // As of an answer that somebody has chosen on a page.
    assert_eq!((&guarantee["clear"], guarantee["words"].as_u64()), (&Value::Array(Vec::new()), Some(1)));
    for other in ["", "ja", "Jein"] {
        let output = privatize(&format!("Ja\n{other}\n"), &[]);
        let why = text(&output.stderr);
        assert!(
            !output.status.success() && why.contains("not among those of the list") && output.stdout.is_empty(),
            "{why}"
        );
        assert!(other.is_empty() || !why.contains(other), "{why}");
    }
    for (more, why) in [
        (&["--skip-bad"][..], "no row may be left out"),
        (&["--per-sentence", "2"], "leave out --per-sentence"),
        (&["--near", "2"], "leave out --near"),
        (&["--encoder", "/absent.tvt"], "leave out --encoder"),
    ] {
        let output = privatize("Ja\n", more);
        assert!(!output.status.success() && text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
    // Without an option: epsilon 2.
    let output = textveil(&["privatize", "--statements", &list, "--json"], b"Ja\n");
    let release: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let guarantee = &release["guarantee"];
    assert_eq!((&guarantee["epsilonText"], guarantee["parameters"]["mass"].as_f64()), (&2.0.into(), Some(1.0 / 3.0)));
    let output = build(&folder.write("phrased.txt", "Ja\n  Klar\nNein\n"));
    assert!(text(&output.stderr).contains("line 2: an answer has no other phrasings"), "{}", text(&output.stderr));
    let output = build(&folder.write("spaces.txt", "Ja\nNein,  nie\n"));
    assert!(text(&output.stderr).contains("line 2: a page shows several spaces as one"), "{}", text(&output.stderr));
    let output = build(&folder.write("twice.txt", "Ja\nNein\nJa\n"));
    assert!(text(&output.stderr).contains("line 3: "), "{}", text(&output.stderr));
    let many: String = (0..5000).map(|number| format!("{number}\n")).collect();
    let output = build(&folder.write("many.txt", many));
    assert!(text(&output.stderr).contains("2 to 4096 answers, and the file has 5000"), "{}", text(&output.stderr));
}

#[test]
fn the_list_of_answers_of_other_tests_is_what_the_command_makes() {
    let folder = Folder::new();
    let list = folder.path("answers.tvs");
    let output = textveil(&["statements", "build", "../tests/data/answers.txt", "--answers", "--out", &list], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(fs::read(&list).expect("a list"), fs::read("../tests/data/answers.tvs").expect("a list"));
}

#[test]
fn a_row_without_an_answer_ends_the_run_in_every_format() {
    let folder = Folder::new();
    let list = "../tests/data/answers.tvs";
    let privatize = |input: &str, column: &[&str]| {
        let output = format!("{input}.out");
        let asked = ["privatize", input, "--statements", list, "--output", &output];
        let output = textveil(&[&asked, column].concat(), b"");
        (output.status.success(), text(&output.stderr).to_owned())
    };
    let often = &["--column", "often"][..];
    for (name, content, column, line) in [
        ("blank.csv", "often\nNever\n\nEvery day\n", often, "line 3"),
        ("last.csv", "often\r\nNever\r\n\r\n", often, "line 3"),
        ("returns.csv", "often\rNever\r\rEvery day\r", often, "line 1"),
        ("mixed.csv", "often\nNever\n\rNever\n", often, "line 3"),
        ("bare.csv", "\nNever\n", &["--column", "1", "--no-header"], "line 1"),
        ("first.tsv", "often\n\nNever\n", often, "line 2"),
        ("cell.csv", "often,day\nNever,1\n,2\n", often, "line 3"),
        ("blank.txt", "Never\n\n", &[], "line 2"),
        ("null.jsonl", "{\"often\":\"Never\"}\n{\"often\":null}\n", often, "line 2"),
        ("absent.jsonl", "{\"often\":\"Never\"}\n{}\n", often, "line 2"),
        ("blank.jsonl", "{\"often\":\"Never\"}\n\n", often, "line 2"),
    ] {
        let (is_done, told) = privatize(&folder.write(name, content), column);
        let place = format!("{name}, {line}: ");
        assert!(!is_done && told.contains(&place) && told.contains("answer") && !told.contains("skip-bad"), "{told}");
    }
    // Wherever the parser's reads end: at byte 512, and 8192 bytes further on.
    for rows in (60..70).chain(1090..1100) {
        let content = format!("often\r\n{}\r\nNever\r\n", "Never\r\n".repeat(rows));
        let (is_done, told) = privatize(&folder.write(&format!("{rows}.csv"), content), often);
        assert!(!is_done && told.contains(&format!("line {}: a blank line", rows + 2)), "{rows}: {told}");
    }
    // A run that goes on stops there again.
    for (name, lines) in [("again.csv", "\n"), ("again-crlf.csv", "\r\n")] {
        let input = folder.write(name, ["often", "Never", "", "Every day", ""].join(lines));
        for resume in [often, &[often, &["--resume"]].concat()] {
            let (is_done, told) = privatize(&input, resume);
            assert!(!is_done && told.contains("line 3: a blank line"), "{told}");
        }
    }
    // Neither releases nor a guarantee of those before are there: where they end would tell of that row.
    let names = fs::read_dir(folder.path("")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().contains(".out")).collect();
    assert!(left.is_empty(), "{left:?}");
    for (name, content) in [
        ("good.csv", "often\nNever\n\"Every day\"\n"),
        ("open.csv", "often\nNever\nEvery day"),
        ("return.csv", "often\r\nNever\r\nEvery day\r\n"),
        // Of more columns, a blank line is no row.
        ("two.csv", "often,day\nNever,1\n\nNever,2\n"),
    ] {
        let (is_done, told) = privatize(&folder.write(name, content), often);
        assert!(is_done && told.contains("2 releases"), "{name}: {told}");
    }
}

#[test]
fn words_that_the_encoder_does_not_know_are_named_by_line() {
    let folder = Folder::new();
    let phrasings: String = (10..35).map(|length| format!("  late {}, app\n", "q".repeat(length))).collect();
    let (input, list) = (folder.write("list.txt", format!("{LINES}{phrasings}")), folder.path("list.tvs"));
    let build = |more: &[&str]| {
        let output = textveil(
            &[&["statements", "build", &input, "--encoder", ENCODER, "--out", &list, "--force"], more].concat(),
            b"",
        );
        text(&output.stdout).to_owned()
    };
    let printed = build(&[]);
    let title = "read without words that the encoder does not know, 25 lines:\n  line 8: qqqqqqqqqq\n  line 9: ";
    assert!(printed.contains(title) && printed.contains("\n  and 5 more: --all shows them\n"), "{printed}");
    let printed = build(&["--all"]);
    assert!(printed.contains(title) && printed.contains(&"q".repeat(34)) && !printed.contains("more:"), "{printed}");
}

#[test]
fn other_phrasings_teach_a_list_and_never_come_out() {
    let folder = Folder::new();
    let lines =
        LINES.replace("The price is high.\n", "The price is high.\n  late app\n\tThe price is late\n  app crashes\n");
    let (input, list) = (folder.write("list.txt", &lines), folder.path("list.tvs"));
    let build = |input: &str, otherwise| {
        let more = ["--otherwise", otherwise, "--least-cosine", "0", "--out", &list, "--force"];
        textveil(&[&["statements", "build", input, "--encoder", ENCODER], &more[..]].concat(), b"")
    };
    let output = build(&input, "It is.");
    let printed = text(&output.stdout);
    assert!(printed.contains("5 statements, 3 other phrasings"), "{printed}");
    assert!(
        printed.contains(
            "come to another statement than their own, 1 line:\n  line 2: The app crashes.  →  The price is high."
        ),
        "{printed}"
    );
    let privatize = ["privatize", "--statements", &list, "--encoder", ENCODER, "--epsilon", "20", "--any-language"];
    let output = textveil(&[&privatize[..], &["--seed", SEED]].concat(), b"late app\nprice late\n");
    assert_eq!(text(&output.stdout), "The price is high.\nThe price is high.\n");
    let output = textveil(&["statements", "inspect", &list, "--all"], b"");
    assert!(text(&output.stdout).contains("5 statements") && !text(&output.stdout).contains("late app"));
    let output = build(&input, "late app");
    assert!(text(&output.stderr).contains("has no statement \"late app\""), "{}", text(&output.stderr));
    let output = build(&folder.write("first.txt", " The app.\nIt is.\n"), "It is.");
    assert!(
        text(&output.stderr).contains("first.txt, line 1: another phrasing, with no statement above it"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_list_takes_the_place_of_no_file_that_is_read_and_of_others_by_force() {
    let folder = Folder::new();
    let (list, _) = built(&folder, &[]);
    let input = folder.path("list.txt");
    let texts = folder.write("texts.txt", "late\n");
    let build = |out: &str, more: &[&str]| {
        let arguments = ["statements", "build", &*input, "--encoder", ENCODER, "--texts", &*texts, "--out", out];
        let output = textveil(&[&arguments[..], more].concat(), b"");
        (output.status.success(), text(&output.stderr).to_owned())
    };
    for (out, message) in [(&input, "list.txt is the input"), (&texts, "texts.txt is read, too")] {
        for more in [&[][..], &["--force"]] {
            let (is_done, told) = build(out, more);
            assert!(!is_done && told.contains(message), "{told}");
        }
    }
    assert_eq!((folder.read("list.txt"), folder.read("texts.txt")), (LINES.to_owned(), "late\n".to_owned()));
    assert!(build(&list, &[]).1.contains("list.tvs is there already: --force replaces it"));
    assert!(build(&list, &["--force"]).0);
}

#[test]
fn every_line_gives_a_statement_of_the_list_whatever_it_is() {
    let folder = Folder::new();
    let (list, _) = built(&folder, &[]);
    let output = textveil(
        &["privatize", "--statements", &list, "--encoder", ENCODER, "--seed", SEED],
        "the app crashes\n\nПривет!\nlate\n".as_bytes(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| LINES.lines().any(|statement| statement == *line)), "{lines:?}");
    assert_eq!((lines[0], lines[3]), ("The app crashes.", "The delivery was late."));
    let summary = text(&output.stderr);
    assert!(summary.contains("4 releases, 4 statements"), "{summary}");
    let output = textveil(&["privatize", "--statements", &list, "--encoder", ENCODER], b"late\n");
    let summary = text(&output.stderr);
    assert!(summary.contains("at most epsilon 8.00 a statement, for any text that is not refused"), "{summary}");
}

#[test]
fn a_text_of_another_language_is_refused_unless_any_is_asked_for() {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/product-feedback.tvs");
    let run = |more: &[&str]| {
        let lines =
            "It crashes all the time when I open it.\nDer Kundendienst hat mir drei Tage lang nicht geantwortet.\n";
        textveil(&[&["privatize", "--statements", list, "--seed", SEED], more].concat(), lines.as_bytes())
    };
    let refused = run(&[]);
    let message = text(&refused.stderr);
    assert!(!refused.status.success() && message.contains("line 2: the text is in another language"), "{message}");
    assert!(message.contains("To take texts of any language, add --any-language"), "{message}");
    let released = |more: &[&str]| text(&run(more).stdout).lines().count();
    assert_eq!([released(&["--skip-bad"]), released(&["--any-language"])], [1, 2]);
}

#[test]
fn a_run_is_not_gone_on_with_under_another_number_of_statements() {
    let folder = Folder::new();
    let (list, _) = built(&folder, &[]);
    let (input, output) = (folder.write("in.txt", ["late\n", &"a".repeat(2 << 20)].concat()), folder.path("out.txt"));
    let run = |more: &[&str]| {
        let arguments = ["privatize", &input, "--statements", &list, "--encoder", ENCODER, "--output", &output];
        textveil(&[&arguments[..], more].concat(), b"")
    };
    assert!(text(&run(&["--per-sentence", "2"]).stderr).contains("line 2: the text is longer"));
    let refused = run(&["--resume", "--skip-bad"]);
    assert!(text(&refused.stderr).contains("the earlier run had other settings"), "{}", text(&refused.stderr));
    assert!(run(&["--resume", "--skip-bad", "--per-sentence", "2"]).status.success());
}

#[test]
fn several_statements_add_up_and_their_number_does_not_tell_the_text() {
    let folder = Folder::new();
    let (list, _) = built(&folder, &[]);
    for line in ["late", "It is good. The app crashes! Late? Price."] {
        let options = ["--per-sentence", "3", "--epsilon", "6", "--near", "1", "--json"];
        let arguments = [&["privatize", "--statements", &list, "--encoder", ENCODER], &options[..]].concat();
        let output = textveil(&arguments, line.as_bytes());
        let release: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(release["statements"].as_array().map(Vec::len), Some(3));
        assert_eq!(release["guarantee"]["epsilonText"], 18.0);
        assert_eq!((&release["guarantee"]["unit"], &release["guarantee"]["words"]), (&"whole-text".into(), &3.into()));
        assert_eq!(release["guarantee"]["clear"], Value::Array(vec!["language".into()]));
        let summary = text(&output.stderr);
        assert!(
            summary.contains("at most epsilon 6.00 a statement, epsilon 18.00 for the 3 of a line, for any text"),
            "{summary}"
        );
    }
}

#[test]
fn columns_are_exchanged_and_their_guarantee_adds_up() {
    let folder = Folder::new();
    let (list, _) = built(&folder, &[]);
    let path = folder.path("out.csv");
    let arguments = ["--format", "csv", "--column", "a", "--column", "b", "--output", &path];
    let run = textveil(
        &[&["privatize", "--statements", &list, "--encoder", ENCODER], &arguments[..]].concat(),
        b"a,b,name\nlate,,Anna\nprice high,app good,Bob\n",
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let written = folder.read("out.csv");
    assert!(!written.contains("Anna") && written.lines().count() == 3, "{written}");
    let guarantee: Value = serde_json::from_str(&folder.read("out.csv.guarantee.json")).expect("JSON");
    assert_eq!(guarantee["guarantee"]["epsilonText"], 16.0);
}

#[test]
fn what_does_not_fit_together_is_refused_and_nothing_leaves() {
    let folder = Folder::new();
    let (list, _) = built(&folder, &[]);
    let english = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/data/english.tvt");
    for (arguments, reason) in [
        (&["--encoder", ENCODER, "--epsilon", "21"][..], "--epsilon must be above 0 and at most 20"),
        (&["--encoder", ENCODER, "--epsilon", "0"], "--epsilon must be above 0 and at most 20"),
        (&["--encoder", ENCODER, "--near", "5"], "--near must be from 1 to 4"),
        (&["--encoder", ENCODER, "--per-sentence", "0"], "--per-sentence must be from 1 to 32"),
        (&["--encoder", ENCODER, "--mechanism", "certified"], "--mechanism is for words"),
        (&["--encoder", ENCODER, "--preset", "readable"], "only --epsilon may be given"),
        (&["--encoder", english], "is no text encoder"),
    ] {
        let output = textveil(&[&["privatize", "--statements", &list], arguments].concat(), b"my secret\n");
        assert!(!output.status.success() && output.stdout.is_empty());
        let message = text(&output.stderr);
        assert!(message.contains(reason) && !message.contains("secret"), "{message}");
        assert!(!reason.contains("must be") || message.trim_end().ends_with(reason), "{message}");
    }
    for (lines, reason) in [
        ("# English\n\nOne.\n", "one.txt, line 3: the encoder knows no word of \"One.\""),
        ("It is.\n", "a list has 2 to 65535 statements"),
        ("", "a list has 2 to 65535 statements"),
        ("It is.\n\n# again\nIt is.\n", "one.txt, line 4: a statement appears twice"),
        ("\n It is.\nIt is.\n", "one.txt, line 2: another phrasing, with no statement above it"),
    ] {
        let input = folder.write("one.txt", lines);
        let output = textveil(&["statements", "build", &input, "--encoder", ENCODER, "--out", "/dev/null"], b"");
        assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
    }
    let input = folder.write("one.txt", LINES);
    let output = textveil(&["privatize", "--statements", &input, "--encoder", ENCODER], b"my secret\n");
    let (hint, message) = (format!("textveil statements build {input} --out LIST.tvs"), text(&output.stderr));
    assert!(output.stdout.is_empty() && message.contains(&hint), "{message}");
    let damaged = folder.write("damaged.tvs", &fs::read(&list).expect("a list")[..150]);
    let output = textveil(&["privatize", "--statements", &damaged, "--encoder", ENCODER], b"my secret\n");
    let message = text(&output.stderr);
    assert!(message.contains("the list of statements is unusable") && !message.contains("build"), "{message}");
    let asked = ["statements", "build", &input, "--encoder", ENCODER, "--otherwise", "It is.", "--out", "/dev/null"];
    let output = textveil(&asked, b"");
    assert!(
        text(&output.stderr).contains("say --least-cosine: what is usual holds for the built-in"),
        "{}",
        text(&output.stderr)
    );
}

/// With the built-in encoder.
#[test]
fn the_lists_to_start_from_are_lists_and_texts_go_where_a_person_would_send_them() {
    const LISTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements");
    let folder = Folder::new();
    let out = folder.path("list.tvs");
    let files = fs::read_dir(LISTS).expect("a folder").map(|entry| entry.expect("a file").path());
    let (mut lists, made): (Vec<_>, Vec<_>) =
        files.partition(|file| file.extension().is_some_and(|kind| kind == "txt"));
    lists.sort();
    assert_eq!((lists.len(), made.len()), (6, 6));
    for list in lists {
        let name = list.display().to_string();
        let otherwise = ["--otherwise", "This is about something else.", "--out", &out, "--force"];
        let output = textveil(&[&["statements", "build", &name], &otherwise[..]].concat(), b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        let count = printed.split(": ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        assert!(count.is_some_and(|count| (60..=120).contains(&count)), "{printed}");
        let misplaced =
            printed.split("than their own, ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        assert!(misplaced.unwrap_or(0) <= 150, "{printed}");
        let beside = fs::read(list.with_extension("tvs")).expect("a list");
        assert!(fs::read(&out).expect("a list") == beside, "{name}: the list beside it is another one");
        if name.ends_with("product-feedback.txt") {
            let input = b"App keeps crashing on my Samsung when I attach a picture to a ticket.\nToo expensive for what it does.\n";
            let output = textveil(&["privatize", "--statements", &out, "--epsilon", "20", "--seed", SEED], input);
            assert_eq!(text(&output.stdout), "The app crashes when I upload a photo.\nIt is too expensive.\n");
        }
    }
}

#[test]
fn suggestions_are_texts_of_the_file_and_their_shares_are_all() {
    let folder = Folder::new();
    let texts = "late delivery\nso late\nlate\nprice high\nhigh price\napp crashes\n\nxyzzy\n";
    let input = folder.write("texts.txt", texts);
    let arguments = ["statements", "suggest", &input, "--encoder", ENCODER, "--count", "3", "--seed", SEED];
    let output = textveil(&arguments, b"");
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines.len(), 3, "{}", text(&output.stderr));
    let share =
        |line: &&str| line.split('%').next().and_then(|share| share.trim().parse::<f64>().ok()).expect("a share");
    assert!((lines.iter().map(share).sum::<f64>() - 100.0).abs() < 0.5);
    let output = textveil(&["statements", "suggest", &input, "--encoder", ENCODER, "--count", "9"], b"");
    assert!(
        text(&output.stderr).contains("the encoder knows 6 texts, too few for 9 groups: ask for fewer by --count"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn an_encoder_without_a_list_is_refused() {
    let output = textveil(&["privatize", "--encoder", ENCODER], b"my secret\n");
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(text(&output.stderr).contains("--statements <FILE>"), "{}", text(&output.stderr));
}

#[test]
fn texts_in_a_table_are_not_read_as_lines() {
    let folder = Folder::new();
    let (list, out) = (folder.write("list.txt", LINES), folder.path("list.tvs"));
    for name in ["texts.csv", "texts.TSV", "texts.jsonl", "texts.parquet"] {
        let texts = folder.write(name, "day,text\n1,late\n");
        let reason = "not plain lines: write its texts to a file, one a line";
        for arguments in [
            &["suggest", &*texts, "--count", "1"][..],
            &["build", &list, "--encoder", ENCODER, "--texts", &texts, "--out", &out],
        ] {
            let output = textveil(&[&["statements"], arguments].concat(), b"");
            assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
            assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
        }
    }
    assert!(!fs::exists(out).expect("a folder"));
}

/// The shares are those of one threshold, whether the list has a statement for other texts or not.
#[test]
fn texts_that_fit_nothing_are_told_of_a_list_that_has_no_statement_for_them() {
    let folder = Folder::new();
    let list = folder.write("few.txt", "The app crashes.\nThe battery is empty.\nIt is about something else.\n");
    let lines = "The king married the queen.\nWe walked in the old forest.\nThe app crashes all the time.\n\
        The film was boring.\n";
    let (texts, out) = (folder.write("texts.txt", lines), folder.path("few.tvs"));
    let printed = |more: &[&str]| {
        let arguments = ["statements", "build", &list, "--texts", &texts, "--out", &out, "--force"];
        let output = textveil(&[&arguments[..], more].concat(), b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let with = printed(&["--otherwise", "It is about something else."]);
    assert!(with.contains("4 texts: 75.0 % fit nothing\n"), "{with}");
    let without = printed(&[]);
    let line = "4 texts: 75.0 % fit nothing, and the list has no statement for these: see --otherwise\n";
    assert!(without.contains(line), "{without}");
    let texts = folder.write("other.txt", "late\nxyzzy\n");
    let (_, other) = built(&folder, &["--texts", &texts]);
    assert!(other.contains("2 texts: 50.0 % have no word that the encoder knows, and the list has no"), "{other}");
}
