//! What commands do to files that are there already.

use std::fs;

use super::{Folder, text, textveil};

const TOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/toy.tvt");

fn refusal(arguments: &[&str]) -> String {
    let output = textveil(arguments, b"");
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    text(&output.stderr).to_owned()
}

#[test]
fn no_command_for_tables_writes_over_what_it_reads() {
    let folder = Folder::new();
    let [one, other] = ["one", "other"].map(|name| folder.write(name, name));
    for arguments in [
        &["certify", &*other][..],
        &["certify", &one, "--record", &other],
        &["mark", &other, "--inputs", "."],
        &["import", &other],
        &["import", &one, "--frequencies", &other],
        &["project", &one, &other],
        &["extend", &other, "--find", "5"],
        &["extend", &one, "--words", &other],
        &["extend", "--sum", &one, "--request", &other],
        &["request", "--words", &other],
        &["contexts", &other, "--source", "a test"],
        &["contexts", &one, "--table", &other, "--source", "a test"],
    ] {
        let message = refusal(&[&["table"], arguments, &["--force", "--out", &other]].concat());
        assert!(message.contains("other is the input") || message.contains("other is read, too"), "{message}");
    }
    assert!(refusal(&["calibrate", "--text", &other, "--html", &other]).contains("other is the input"));
    assert!(refusal(&["audit", "--table", &other, "--mechanism", "vickrey", "--svg", &other]).contains("is the input"));
    assert_eq!([folder.read("one"), folder.read("other")], ["one", "other"]);
}

#[cfg(unix)]
#[test]
fn a_report_takes_the_place_of_another_as_a_whole() {
    let folder = Folder::new();
    let reports = ["audit.json", "audit.svg", "calibrate.html"];
    let [json, svg, html] = reports.map(|name| folder.write(name, "old"));
    // Another name of a file still has the old report: nothing was written into that file.
    for name in reports {
        fs::hard_link(folder.path(name), folder.path(&format!("other-{name}"))).expect("a name");
    }
    let audit = ["audit", "--mechanism", "ome", "--epsilon", "1", "--lambda", "100", "--calibration", "published"];
    let written = ["--integer-bits", "0", "--dims", "20", "--samples", "1000", "--json", &json, "--svg", &svg];
    let calibrate = ["calibrate", "--table", TOY, "--average", "0.6", "--html", &html];
    for arguments in [[&audit[..], &written[..]].concat(), calibrate.to_vec()] {
        assert!(refusal(&arguments).contains(" is there already: --force replaces it"));
        let output = textveil(&[&arguments[..], &["--force"]].concat(), b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    for name in reports {
        assert_ne!(folder.read(name), "old");
        assert_eq!(folder.read(&format!("other-{name}")), "old");
    }
}

#[test]
fn a_table_takes_the_place_of_another_file_only_by_force() {
    let folder = Folder::new();
    let out = folder.write("out.tvt", "mine");
    let arguments = ["table", "certify", TOY, "--out", &out, "--retentions", "0.5", "--plateaus"];
    assert!(refusal(&arguments).contains("out.tvt is there already: --force replaces it"));
    assert_eq!(folder.read("out.tvt"), "mine");
    let output = textveil(&[&arguments[..], &["--force"]].concat(), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(fs::read(&out).expect("a table").len() > 100);
}
