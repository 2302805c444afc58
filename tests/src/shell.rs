//! What shells and `man` know of a program, held against its help.

use std::collections::BTreeSet;
use std::fs;

use crate::{Folder, run, text};

/// What a program writes to its standard output; it must not fail.
fn printed(program: &str, arguments: &[&str]) -> String {
    let output = run(program, arguments, b"");
    assert!(output.status.success(), "{program} {arguments:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// The commands that the help of a command lists.
fn listed(help: &str) -> Vec<&str> {
    let (_, commands) = help.split_once("\nCommands:\n").unwrap_or_default();
    let lines = commands.lines().take_while(|line| line.starts_with("  "));
    lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

/// The long options in a text.
fn options(shown: &str) -> BTreeSet<&str> {
    let words = shown.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.starts_with("--") && word.len() > 2).collect()
}

/// Holds completions and manual of a program against the help of each command.
///
/// # Panics
/// A command or an option is missing, or a page is there for no command.
pub fn check(program: &str, name: &str) {
    let bash = script(program, "bash");
    let others = [("zsh", "'NAME:"), ("fish", "-a \"NAME\""), ("powershell", "::new('NAME'"), ("elvish", "cand NAME ")];
    let others = others.map(|(shell, form)| (script(program, shell), form));
    let folder = Folder::new();
    printed(program, &["manual", &folder.path("manual")]);
    let mut pages = BTreeSet::new();
    let mut left: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(path) = left.pop() {
        let help = printed(program, &[&path.iter().map(String::as_str).collect::<Vec<_>>()[..], &["--help"]].concat());
        let completed = complete(&bash, name, &path);
        let page = format!("{}.1", [&[name.to_owned()][..], &path].concat().join("-"));
        let manual = folder.read(&format!("manual/{page}")).replace("\\fB", "").replace("\\-", "-");
        for option in options(&help) {
            assert!(options(&manual).contains(option), "{page} has no {option}");
        }
        for inner in listed(&help) {
            assert!(completed.lines().any(|word| word == inner), "bash does not complete {name} {path:?} to {inner}");
            for (script, form) in &others {
                assert!(script.contains(&form.replace("NAME", inner)), "no {inner} in {script}");
            }
            left.push([&path[..], &[inner.to_owned()]].concat());
        }
        pages.insert(page);
    }
    let there = fs::read_dir(folder.path("manual")).expect("the folder of the pages");
    let there = there.map(|entry| entry.expect("a page").file_name().into_string().expect("UTF-8"));
    assert_eq!(there.collect::<BTreeSet<_>>(), pages);
}

fn script(program: &str, shell: &str) -> String {
    printed(program, &["completions", shell])
}

/// What bash offers behind a command.
fn complete(script: &str, name: &str, path: &[String]) -> String {
    let words = [&[name.to_owned()][..], path].concat();
    let (last, count) = (&words[words.len() - 1], words.len());
    let function = name.replace('-', "__");
    let ask = format!(
        "COMP_WORDS=({} '') COMP_CWORD={count}\n_{function} {name} '' {last}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        words.join(" ")
    );
    printed("bash", &["-c", &format!("{script}\n{ask}")])
}
