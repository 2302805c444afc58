//! The crates that are compiled for a person who installs a program or a package. They are few, and no crate for
//! training or storage is among them.

use std::collections::BTreeSet;
use std::process::Command;

/// A package as it is built, and the most crates that it may bring.
const PACKAGES: [(&[&str], usize); 5] = [
    (&["--package=textveil", "--all-features", "--target=x86_64-unknown-linux-gnu"], 27),
    (&["--package=textveil-wasm", "--all-features", "--target=wasm32-unknown-unknown"], 40),
    (&["--package=textveil-mobile", "--target=all"], 65),
    (&["--package=textveil-cli", "--target=x86_64-unknown-linux-gnu"], 123),
    (&["--package=textveil-collector", "--no-default-features", "--target=x86_64-unknown-linux-gnu"], 102),
];

/// How the names of crates begin that only training and experiments bring.
const OF_TRAINING: [&str; 8] = ["burn", "cubecl", "cudarc", "hip", "image", "tch", "textveil-lab", "textveil-learn"];
/// The crates of a database. Only the collector has one.
const OF_A_DATABASE: [&str; 3] = ["libsqlite3", "rusqlite", "sqlx"];

#[test]
fn packages_and_programs_bring_few_crates_and_none_of_training_or_databases() {
    for (package, most) in PACKAGES {
        let crates = crates_of(package);
        assert!((2..=most).contains(&crates.len()), "{} brings {} crates", package[0], crates.len());
        let is_refused = |name: &str| {
            let begins_as = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
            begins_as(&OF_TRAINING) || package[0] != "--package=textveil-collector" && begins_as(&OF_A_DATABASE)
        };
        let refused: Vec<&String> = crates.iter().filter(|name| is_refused(name)).collect();
        assert!(refused.is_empty(), "{} brings {refused:?}", package[0]);
    }
}

/// Names and versions.
fn crates_of(package: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--locked", "--edges=normal,build", "--prefix=none", "--format={p}"]).args(package);
    let output = tree.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("names");
    lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}
