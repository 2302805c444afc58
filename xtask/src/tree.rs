//! What must hold for every file of the checkout, whatever it is about.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use crate::project::Project;

/// Files of `core` that may hold `unsafe`.
const UNSAFE: [&str; 3] = ["core/src/kernel.rs", "core/src/kernel/avx2.rs", "core/src/kernel/dotprod.rs"];

/// Checks the files that git knows or would take in.
///
/// # Errors
/// All violations, one a line; [`crate::project::Missing`] without git.
pub(crate) fn check(project: &Project) -> Result<String> {
    let mut faults = Vec::new();
    let mut seen = 0;
    for name in project.sources()? {
        // A file that is deleted and not yet committed so.
        let Ok(bytes) = fs::read(project.root().join(&name)) else { continue };
        seen += 1;
        faults.extend(faults_of(&name, &bytes).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    faults.iter().for_each(|fault| project.say(fault));
    ensure!(faults.is_empty(), "{} faults in {seen} files", faults.len());
    Ok(format!("{seen} files"))
}

fn faults_of(name: &str, bytes: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    if extension == Some("json")
        && let Err(error) = serde_json::from_slice::<serde_json::Value>(bytes)
    {
        faults.push(format!("not JSON: {error}"));
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return faults };
    let rust_of_core = extension == Some("rs") && name.starts_with("core/") && !UNSAFE.contains(&name);
    for (number, line) in (1..).zip(text.lines()) {
        if is_conflict_marker(line) {
            faults.push(format!("line {number}: a conflict marker"));
        }
        if rust_of_core && is_unsafe(line) {
            faults.push(format!("line {number}: unsafe outside the allow-list"));
        }
    }
    faults
}

/// The lines that git leaves where two changes meet, except `=======`, which also underlines headings.
fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||"]
        .iter()
        .any(|marker| line.strip_prefix(marker).is_some_and(|rest| rest.starts_with(' ')))
}

/// Whether a line of Rust holds the keyword `unsafe` outside a comment.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == "unsafe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_found() {
        assert_eq!(faults_of("a.json", b"{\"a\": }").len(), 1);
        assert_eq!(faults_of("a.md", format!("{} ours", "<".repeat(7)).as_bytes()).len(), 1);
        assert_eq!(faults_of("core/src/a.rs", b"let x = unsafe { y() };").len(), 1);
    }

    #[test]
    fn what_is_fine_passes() {
        assert!(faults_of("a.json", b"{\"a\": [1, 2]}").is_empty());
        assert!(faults_of("a.md", b"Heading\n=======\n").is_empty());
        assert!(faults_of("core/src/lib.rs", b"#![forbid(unsafe_code)] // nothing unsafe").is_empty());
        assert!(faults_of("cli/src/a.rs", b"unsafe { y() }").is_empty());
        assert!(faults_of("core/src/kernel.rs", b"unsafe { y() }").is_empty());
        assert!(faults_of("a.bin", &[0xff, 0xfe]).is_empty());
    }
}
