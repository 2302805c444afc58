//! `textveil score`: two files of lines in, metrics out.

use std::process::Output;

use serde_json::Value;

use super::{File, text, textveil};

/// Scores lines against lines.
fn score(hypotheses: &[u8], references: &[u8], options: &[&str]) -> Output {
    let files = [File::of(hypotheses, "hypotheses"), File::of(references, "references")];
    textveil(&[&["score"], &files.each_ref().map(File::path)[..], options].concat(), b"")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_text_scores_100_and_1_against_itself() {
    let lines = b"the cat sat on the mat\nit's 9:30pm, said the dog-eared note.\r\n";
    let output = score(lines, lines, &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rows: Vec<Vec<&str>> =
        text(&output.stdout).lines().map(|line| line.split("  ").filter(|cell| !cell.is_empty()).collect()).collect();
    let scores: Vec<&str> = rows.iter().map(|row| row[1].trim()).collect();
    assert_eq!(scores, ["100.00", "100.00", "1.0000", "1.0000", "1.0000"]);
    assert!(rows[0][2].starts_with("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:textveil-"));
    assert!(rows[1][2].contains("|eff:yes|"));
}

#[test]
fn json_holds_every_part_of_the_scores() {
    let (hypotheses, references) = (b"the cat sat on the mat\n\n", b"the cat is on the mat\nthe cat\n");
    let report = json(&score(hypotheses, references, &["--json"]));
    let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64).expect(pointer);
    // The second line has no words: it only adds 2 missing tokens to the corpus.
    assert_eq!(number("/lines"), 2.0);
    assert_eq!([number("/corpusBleu/hypothesisTokens"), number("/corpusBleu/referenceTokens")], [6.0, 8.0]);
    let penalty = (1.0 - 8.0 / 6.0_f64).exp();
    assert!((number("/corpusBleu/brevityPenalty") - penalty).abs() < 1e-12);
    assert!((number("/corpusBleu/score") - penalty * 37.991_784_282_579_63).abs() < 1e-9);
    assert!((number("/sentenceBleu/mean") - 37.991_784_282_579_63 / 2.0).abs() < 1e-9);
    assert_eq!(report["corpusBleu"]["precisions"].as_array().map(Vec::len), Some(4));
    for (metric, one) in [("rouge1", 5.0 / 6.0), ("rouge2", 0.6), ("rougeL", 5.0 / 6.0)] {
        for part in ["precision", "recall", "fmeasure"] {
            assert!((number(&format!("/{metric}/{part}")) - one / 2.0).abs() < 1e-12, "{metric}, {part}");
        }
    }
}

#[test]
fn without_smoothing_an_order_without_a_match_makes_a_score_zero() {
    let bleu = |options: &[&str]| {
        let report = json(&score(b"the cat sat on the mat\n", b"the cat is on the mat\n", options));
        (report["corpusBleu"]["score"].as_f64().expect("a score"), report["corpusBleu"]["signature"].to_string())
    };
    let (smoothed, _) = bleu(&["--json"]);
    let (unsmoothed, signature) = bleu(&["--json", "--smoothing", "none"]);
    assert!(smoothed > 30.0 && unsmoothed == 0.0 && signature.contains("|smooth:none|"));
}

#[test]
fn one_early_hit_is_all_that_the_published_metric_asks_for() {
    let (rankings, gold) = (b"a x y z\nb a\n", b"a b c d\na b\n");
    let at = |options: &[&str]| {
        let report = json(&score(rankings, gold, &[&["--rankings", "--json"], options].concat()));
        let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64).expect(pointer);
        [number("/meanAveragePrecision"), number("/published/ofHitsByWord"), number("/published/ofHitsByCharacter")]
    };
    // Character by character, b is not yet among the first gold characters.
    assert_eq!(at(&[]), [(0.25 + 1.0) / 2.0, 1.0, (1.0 + 0.5) / 2.0]);
    assert_eq!(at(&["--depth", "1"]), [1.0, 0.5, 0.5]);
    let nothing = score(b"x y\n", b"a b\n", &["--rankings"]);
    assert!(text(&nothing.stdout).contains(" 0.0000") && !text(&nothing.stdout).contains('-'), "{nothing:?}");
    let output = score(rankings, gold, &["--rankings"]);
    assert!(text(&output.stdout).contains("of hits only, words"), "{}", text(&output.stdout));
}

#[test]
fn what_cannot_be_scored_is_refused_with_a_reason() {
    for (hypotheses, references, options, reason) in [
        (&b"one\ntwo\nthree\n"[..], &b"one\ntwo\n"[..], &[][..], "has 3 lines"),
        (b"one", b"one\n\n", &["--rankings"], "has 2 lines: each line needs its reference"),
        (b"", b"", &[], "is empty"),
        (b"one\n", b"", &["--json"], "references is empty"),
        (b"\xff\n", b"one\n", &[], "UTF-8"),
        (b"one\n", b"one\n", &["--depth", "3"], "--rankings"),
        (b"one\n", b"one\n", &["--rankings", "--depth", "0"], "--depth"),
        (b"one\n", b"one\n", &["--rankings", "--smoothing", "none"], "--smoothing"),
    ] {
        let output = score(hypotheses, references, options);
        assert!(!output.status.success() && output.stdout.is_empty(), "{reason}");
        assert!(text(&output.stderr).contains(reason), "{reason}: {}", text(&output.stderr));
    }
}

#[test]
fn a_table_is_not_read_as_lines() {
    let lines = File::of(b"a b\n", "txt");
    for (kind, reason) in [
        ("csv", "is csv, not plain lines: name the column by --column"),
        ("TSV", "is tsv, not plain lines: name the column by --column"),
        ("parquet", "is parquet, not plain lines: name the column by --column"),
        ("ndjson", "is jsonl, not plain lines: write its texts to a file, one a line"),
    ] {
        let table = File::of(b"a b\n", kind);
        for files in [[table.path(), lines.path()], [lines.path(), table.path()]] {
            let output = textveil(&[&["score"], &files[..]].concat(), b"");
            assert!(!output.status.success() && output.stdout.is_empty(), "{kind}");
            assert!(text(&output.stderr).contains(reason), "{kind}: {}", text(&output.stderr));
        }
    }
    let rankings = File::of(b"a\tb\n", "tsv");
    let report = json(&textveil(&["score", rankings.path(), lines.path(), "--rankings", "--json"], b""));
    assert_eq!(report["meanAveragePrecision"], 1.0);
}
