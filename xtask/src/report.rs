//! How many tests passed and how many were skipped, by the reports of test runners. A report without a passed test is a
//! fault.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::project::{Project, files};

/// How many tests of a run passed, and how many were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tests {
    pub(crate) passed: usize,
    pub(crate) skipped: usize,
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tests{}", self.passed, and_skipped(self.skipped))
    }
}

/// What follows a number of tests, if some were skipped.
pub(crate) fn and_skipped(skipped: usize) -> String {
    if skipped == 0 { String::new() } else { format!(", {skipped} skipped") }
}

/// The tests of a run, by a JUnit file, or by those of a folder. If tests failed, the error names them. The project
/// counts those that were skipped.
pub(crate) fn passed(project: &Project, run: Result<()>, report: &Path) -> Result<Tests> {
    let tests = counted(run, report)?;
    project.skipped.set(project.skipped.get() + tests.skipped);
    Ok(tests)
}

fn counted(run: Result<()>, report: &Path) -> Result<Tests> {
    match (run, count(report)) {
        (Err(fault), Err(told)) => Err(fault.context(format!("{told:#}"))),
        (run, counted) => run.and(counted),
    }
}

fn count(report: &Path) -> Result<Tests> {
    let mut reports = if report.is_dir() { files(report)? } else { vec![report.to_owned()] };
    reports.retain(|file| file.extension().is_some_and(|kind| kind == "xml"));
    let mut all = Tests::default();
    for file in reports {
        let text = fs::read_to_string(&file).with_context(|| format!("no report {}", file.display()))?;
        let tests = tests_in(&text).with_context(|| file.display().to_string())?;
        all.passed += tests.passed;
        all.skipped += tests.skipped;
    }
    at_least_one(all.passed).with_context(|| report.display().to_string())?;
    Ok(all)
}

/// The count, if it is not zero.
pub(crate) fn at_least_one(count: usize) -> Result<usize> {
    ensure!(count > 0, "no test is reported to have passed");
    Ok(count)
}

fn tests_in(junit: &str) -> Result<Tests> {
    let document = roxmltree::Document::parse(junit)?;
    let tests = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let with = |test: &roxmltree::Node<'_, '_>, names: &[&str]| {
        test.children().any(|child| names.contains(&child.tag_name().name()))
    };
    let (failed, others): (Vec<_>, Vec<_>) = tests.partition(|test| with(test, &["failure", "error"]));
    let failed: Vec<_> = failed.iter().map(told).collect();
    ensure!(failed.is_empty(), "{} tests failed: {}", failed.len(), failed.join("; "));
    // A test that failed as it says it must is neither: it has run, and pytest reports it as skipped, of this type.
    let ran = |mark: &roxmltree::Node<'_, '_>| mark.attribute("type") == Some("pytest.xfail");
    let (marked, passed): (Vec<_>, Vec<_>) = others.into_iter().partition(|test| with(test, &["skipped"]));
    let is_skipped =
        |test: &&roxmltree::Node<'_, '_>| test.children().any(|child| child.has_tag_name("skipped") && !ran(&child));
    Ok(Tests { passed: passed.len(), skipped: marked.iter().filter(is_skipped).count() })
}

/// A failed test by its suite, its name and the first line of its message.
fn told(test: &roxmltree::Node<'_, '_>) -> String {
    let name = |node: roxmltree::Node<'_, '_>| node.attribute("name").unwrap_or_default().to_owned();
    let message = test.children().find_map(|child| child.attribute("message")?.lines().next()).unwrap_or_default();
    format!("{}, {}: {message}", test.parent().map(name).unwrap_or_default(), name(*test))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_without_a_passed_test_fails() {
        let folder = xshell::Shell::new().and_then(|sh| sh.create_temp_dir()).expect("a directory of our own");
        let (folder, report) = (folder.path(), folder.path().join("report.xml"));
        assert!(counted(Ok(()), &report).is_err(), "there is no report");
        assert!(counted(Ok(()), folder).is_err(), "the folder is empty");
        for (text, expected) in [
            ("", None),
            ("<testsuites/>", None),
            ("<testsuites><testsuite tests='3'/></testsuites>", None),
            ("<testsuite><testcase name='a'><skipped/></testcase></testsuite>", None),
            ("<testsuite><testcase name='a'/><testcase name='b'><failure/></testcase></testsuite>", None),
            ("<testsuite><testcase name='a'/><testcase name='b'><error/></testcase></testsuite>", None),
            (
                "<testsuite><testcase name='a'/><testcase name='b'><skipped/></testcase></testsuite>",
                Some("1 tests, 1 skipped"),
            ),
            (
                "<a><testcase name='a'/><testcase name='b'><skipped type='pytest.xfail'/></testcase></a>",
                Some("1 tests"),
            ),
            (
                "<a><testcase name='a'/><testcase name='b'><skipped type='pytest.skip'/></testcase></a>",
                Some("1 tests, 1 skipped"),
            ),
            (
                "<testsuites><testsuite><testcase name='a'/></testsuite><testcase name='b'/></testsuites>",
                Some("2 tests"),
            ),
        ] {
            fs::write(&report, text).expect("written");
            for place in [report.as_path(), folder] {
                let told = counted(Ok(()), place).ok().map(|tests| tests.to_string());
                assert_eq!(told.as_deref(), expected, "{text}");
            }
        }
        fs::write(&report, "<a name='b'><testcase name='c'><failure message='d\ne'/></testcase></a>").expect("written");
        let told = format!("{:#}", counted(Err(anyhow::anyhow!("exit 1")), &report).expect_err("a test failed"));
        assert!(told.contains("1 tests failed: b, c: d") && told.ends_with("exit 1"), "{told}");
    }
}
