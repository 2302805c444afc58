//! What must hold for every file of the checkout, whatever it is about.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use crate::project::Project;

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
    if Path::new(name).extension().is_some_and(|extension| extension == "json")
        && let Err(error) = serde_json::from_slice::<serde_json::Value>(bytes)
    {
        faults.push(format!("not JSON: {error}"));
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return faults };
    // The compiler denies `unsafe` in core. Only the kernels may ask it for exceptions, by the name of that lint.
    let is_kernel = ["core/src/kernel.rs", "core/src/kernel/avx2.rs", "core/src/kernel/dotprod.rs"].contains(&name);
    if name == "core/src/lib.rs" && !text.contains("\n#![deny(unsafe_code)]") {
        faults.push("it no longer denies unsafe code".into());
    }
    for (number, line) in (1..).zip(text.lines()) {
        // Where two changes meet, git leaves these, and `=======`, which also underlines headings.
        if ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|marker| line.starts_with(marker)) {
            faults.push(format!("line {number}: a conflict marker"));
        }
        if name.starts_with("core/") && name.ends_with(".rs") && !is_kernel {
            let code = line.replace("#![deny(unsafe_code)]", "");
            if code.contains("unsafe_code") {
                faults.push(format!("line {number}: unsafe outside the kernels"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_found() {
        assert_eq!(faults_of("a.json", b"{\"a\": }").len(), 1);
        assert_eq!(faults_of("a.md", format!("{} ours", "<".repeat(7)).as_bytes()).len(), 1);
        assert_eq!(faults_of("core/src/a.rs", b"#[allow(unsafe_code)]").len(), 1);
        assert_eq!(faults_of("core/src/lib.rs", b"pub mod a;").len(), 1);
    }

    #[test]
    fn what_is_fine_passes() {
        assert!(faults_of("a.json", b"{\"a\": [1, 2]}").is_empty());
        assert!(faults_of("a.md", b"Heading\n=======\n").is_empty());
        assert!(faults_of("core/src/lib.rs", b"#![no_std]\n#![deny(unsafe_code)] // nothing unsafe").is_empty());
        assert!(faults_of("lab/src/a.rs", b"#[allow(unsafe_code)]").is_empty());
        assert!(faults_of("core/src/kernel.rs", b"#[expect(unsafe_code)]").is_empty());
        assert!(faults_of("a.bin", &[0xff, 0xfe]).is_empty());
    }
}
