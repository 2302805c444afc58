//! The inputs that are kept hold what they were kept for: every one is read in every test run.

use std::fs;
use std::path::Path;

use textveil_fuzz::TARGETS;

#[test]
fn every_input_that_is_kept_is_read_without_a_broken_promise() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut folders: Vec<String> = fs::read_dir(&corpus)
        .expect("the corpus")
        .map(|entry| entry.expect("a folder").file_name().into_string().expect("a target's name"))
        .collect();
    folders.sort_unstable();
    let mut names = TARGETS.map(|(name, _)| name);
    names.sort_unstable();
    assert_eq!(folders, names);
    let mut broken = Vec::new();
    for (name, target) in TARGETS {
        let mut inputs: Vec<_> =
            fs::read_dir(corpus.join(name)).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
        inputs.sort_unstable();
        assert!(inputs.len() >= 5, "{name} has {} inputs", inputs.len());
        for input in inputs {
            let bytes = fs::read(&input).expect("an input");
            if std::panic::catch_unwind(|| target(&bytes)).is_err() {
                broken.push(input);
            }
        }
    }
    assert!(broken.is_empty(), "a promise is broken by {broken:#?}");
}
