//! `textveil audit`.

use serde_json::Value;

use super::{Folder, text, textveil};

#[test]
fn an_audit_of_one_mechanism_writes_what_it_prints() {
    let folder = Folder::new();
    let output = textveil(
        &[
            &["audit", "--mechanism", "ome", "--epsilon", "1", "--lambda", "100", "--calibration", "published"][..],
            &["--integer-bits", "0", "--dims", "20", "--samples", "1000"],
            &["--json", &folder.path("audit.json"), "--svg", &folder.path("audit.svg")],
        ]
        .concat(),
        b"",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 of 1 claims refuted"), "{}", text(&output.stdout));
    let report: Value = serde_json::from_str(&folder.read("audit.json")).expect("JSON");
    let result = &report["results"][0];
    assert_eq!((&result["claimRefuted"], &result["proofRefuted"]), (&true.into(), &false.into()));
    assert!(result["epsilonAtLeast"].as_f64().expect("a bound") > 5.0);
    assert!(folder.read("audit.svg").trim_end().ends_with("</svg>"));
}

#[test]
fn what_cannot_be_audited_is_refused_with_a_reason() {
    for (arguments, message) in [
        (&["--epsilon", "1"][..], "need --mechanism"),
        (&["--dims", "3"], "--mechanism <NAME>"),
        (
            &["--mechanism", "vickrey", "--epsilon", "1", "--t", "0.5", "--dims", "3"],
            "vickrey works on the words of a table: leave --dims out",
        ),
        (&["--mechanism", "sue", "--epsilon", "1"], "sue puts out no words: pass --dims, to audit it on vectors"),
        (
            &["--mechanism", "privunit2", "--epsilon", "1", "--dims", "2"],
            "privunit2 needs at least 3 dimensions, not 2",
        ),
        (
            &["--mechanism", "laplace", "--epsilon", "1", "--dims", "5", "--clip", "1"],
            "with --dims the norm is 1: leave --clip out",
        ),
        (&["--mechanism", "laplace", "--epsilon", "1", "--dims", "0"], "--dims must be from 1 to 4096"),
        (&["--mechanism", "metric-laplace", "--level", "1", "--dims", "5"], "only tables have levels"),
        (&["--samples", "1"], "--samples <N>"),
        (&["--json", "/no/such/folder/audit.json"], "/no/such/folder"),
    ] {
        let output = textveil(&[&["audit"], arguments].concat(), b"");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}
