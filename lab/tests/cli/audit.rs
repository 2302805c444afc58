//! `textveil audit` and `textveil reproduce`.

use serde_json::Value;

use super::{text, textveil};

#[test]
fn an_audit_of_one_mechanism_writes_what_it_prints() {
    let folder = std::env::temp_dir().join(format!("textveil-audit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let [json, svg] = ["audit.json", "audit.svg"].map(|name| folder.join(name));
    let output = textveil(
        &[
            &["audit", "--mechanism", "ome", "--epsilon", "1", "--lambda", "100", "--calibration", "published"][..],
            &["--integer-bits", "0", "--dims", "20", "--samples", "1000"],
            &["--json", json.to_str().expect("UTF-8"), "--svg", svg.to_str().expect("UTF-8")],
        ]
        .concat(),
        b"",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 of 1 claims refuted"), "{}", text(&output.stdout));
    let report: Value = serde_json::from_slice(&std::fs::read(&json).expect("written")).expect("JSON");
    let result = &report["results"][0];
    assert_eq!((&result["claimRefuted"], &result["proofRefuted"]), (&true.into(), &false.into()));
    assert!(result["epsilonAtLeast"].as_f64().expect("a bound") > 5.0);
    assert!(std::fs::read_to_string(&svg).expect("written").trim_end().ends_with("</svg>"));
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn what_cannot_be_audited_is_refused() {
    for arguments in [
        &["--epsilon", "1"][..],
        &["--dims", "3"],
        &["--mechanism", "vickrey", "--epsilon", "1", "--t", "0.5", "--dims", "3"],
        &["--mechanism", "sue", "--epsilon", "1"],
        &["--samples", "1"],
        &["--json", "/no/such/folder/audit.json"],
    ] {
        let output = textveil(&[&["audit"], arguments].concat(), b"");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_papers_numbers_come_out() {
    let output = textveil(&["reproduce", "mechanisms"], b"");
    let tables = text(&output.stdout);
    for number in ["3451", "2.506", "0.9973", "3.7e-8", "375.4", "9.997", "1.00200", "1.755", "5421", "4806", "21.06"] {
        assert!(tables.contains(number), "{number}");
    }
    let figure = textveil(&["reproduce", "ome-figure-3"], b"");
    assert!(figure.status.success() && text(&figure.stdout).contains("0.009881"));
}
