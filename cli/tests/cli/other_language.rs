//! A table of French words, from vectors in fastText's text format: nothing of it is English.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::*;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/french.vec.gz");

fn succeeds(arguments: &[&str], input: &str) -> String {
    let output = textveil(arguments, input.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn words() -> Vec<String> {
    let vectors = textveil_toolkit::files::reader(VECTORS.as_ref()).expect("the vectors");
    let text = std::io::read_to_string(vectors).expect("text");
    text.lines().skip(1).map(|line| line.split(' ').next().expect("a word").to_owned()).collect()
}

#[test]
fn french_words_become_french_words() {
    let folder = Folder::new();
    let table = folder.path("privatize.tvt");
    let made = succeeds(&["table", "import", VECTORS, "--language", "fr", "--ranked", "--out", &table], "");
    assert!(made.contains("3000 words, 16 dimensions"), "{made}");
    assert!(succeeds(&["table", "inspect", &table], "").contains("language: fr"));
    let french = "Le café était froid, et le médecin arrive à dix heures.\n".repeat(20);
    let release = |more: &[&str], input: &str| {
        succeeds(&[&["privatize", "--table", &table, "--seed", &"7".repeat(64)], more].concat(), input)
    };
    let released = release(&["--preset", "readable"], &french);
    let known: BTreeSet<String> = words().into_iter().collect();
    let out: Vec<String> =
        released.split_whitespace().map(|word| word.trim_matches([',', '.']).to_lowercase()).collect();
    assert_eq!(out.len(), 20 * 11);
    assert!(out.iter().all(|word| known.contains(word)), "{released}");
    let accents = released.chars().filter(|letter| "éèêàçù".contains(*letter)).count();
    assert!(accents > 20 && released != french, "{released}");
    // An English text is of another language here.
    let refused =
        textveil(&["privatize", "--table", &table], b"The parcel never came and nobody answers my letters.\n");
    assert!(!refused.status.success() && text(&refused.stderr).contains("the text is in another language"));
}

#[test]
fn new_words_of_french_users_are_learned() {
    let folder = Folder::new();
    let [table, space, out] = ["base.tvt", "space.json", "extended.tvt"].map(|name| folder.path(name));
    succeeds(&["table", "import", VECTORS, "--language", "fr", "--ranked", "--out", &table], "");
    // Each line has words that stand next to each other in the list: no public French text may ship here.
    let words = words();
    let lines: Vec<String> = (0..1000).flat_map(|at| vec![words[at..at + 6].join(" "); 4]).collect();
    let public = File::of(lines.join("\n").as_bytes(), "txt");
    let found = ["table", "contexts", "--table", &table, "--source", "a test", "--out", &space, public.path()];
    succeeds(&found, "");
    let mut users = "user,text\n".to_owned();
    for user in 0..2500 {
        writeln!(users, "{user:05},\"Un café crème à la brûlotte.\"").expect("memory");
    }
    let (users, new) = (File::of(users.as_bytes(), "csv"), File::of("brûlotte\n".as_bytes(), "txt"));
    let extend = ["table", "extend", "--table", &table, "--contexts", &table, "--space", &space, "--words", new.path()];
    let said = succeeds(&[&extend[..], &["--out", &out, users.path()]].concat(), "");
    assert!(said.contains("1 words learned") && said.contains("brûlotte"), "{said}");
    let shown = succeeds(&["table", "inspect", &out], "");
    assert!(
        shown.contains("3001 words") && shown.contains("language: fr") && shown.contains("learned_epsilon: 3"),
        "{shown}"
    );
}
