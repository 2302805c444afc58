//! `textveil-lab data check`.

use serde_json::Value;

use super::{Folder, text, textveil};

#[test]
fn an_empty_folder_has_nothing_and_fails() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("kotzias")).expect("a folder");
    folder.write("kotzias/imdb_train.tsv", "label\ttext\n1\tgood\n");
    let path = folder.0.path().to_str().expect("UTF-8");
    let output = textveil(&["data", "check", path], b"");
    let json = textveil(&["data", "check", path, "--json"], b"");
    assert!(!output.status.success() && !json.status.success());
    let printed = text(&output.stdout);
    assert!(
        printed.contains("ALTERED  kotzias/imdb_train.tsv") && printed.contains("should have 800 rows"),
        "{printed}"
    );
    assert!(printed.contains("MISSING  sst2/train.tsv.gz"), "{printed}");
    assert!(printed.contains("0 files found") && printed.contains("1 altered; 0 of"), "{printed}");
    let report: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((&report["complete"], &report["sets"][0]["found"][0]["status"]), (&false.into(), &"altered".into()));
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let output = textveil(&["data", "check", "/no/such/folder"], b"");
    assert!(!output.status.success() && text(&output.stderr).contains("there is no folder /no/such/folder"));
}
