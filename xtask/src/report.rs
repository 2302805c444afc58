//! How many tests passed, by the reports of test runners. A report without a passed test is a fault.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::project::files;

/// How many tests passed in a run, by a JUnit file, or by those of a folder. If tests failed, the error names them.
pub(crate) fn passed(run: Result<()>, report: &Path) -> Result<usize> {
    match (run, count(report)) {
        (Err(fault), Err(told)) => Err(fault.context(format!("{told:#}"))),
        (run, counted) => run.and(counted),
    }
}

fn count(report: &Path) -> Result<usize> {
    let mut reports = if report.is_dir() { files(report)? } else { vec![report.to_owned()] };
    reports.retain(|file| file.extension().is_some_and(|kind| kind == "xml"));
    let mut passed = 0;
    for file in reports {
        let text = fs::read_to_string(&file).with_context(|| format!("no report {}", file.display()))?;
        passed += passed_in(&text).with_context(|| file.display().to_string())?;
    }
    at_least_one(passed).with_context(|| report.display().to_string())
}

/// The count, if it is not zero.
pub(crate) fn at_least_one(count: usize) -> Result<usize> {
    ensure!(count > 0, "no test is reported to have passed");
    Ok(count)
}

fn passed_in(junit: &str) -> Result<usize> {
    let document = roxmltree::Document::parse(junit)?;
    let tests = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let with = |test: &roxmltree::Node<'_, '_>, names: &[&str]| {
        test.children().any(|child| names.contains(&child.tag_name().name()))
    };
    let (failed, others): (Vec<_>, Vec<_>) = tests.partition(|test| with(test, &["failure", "error"]));
    let failed: Vec<_> = failed.iter().map(told).collect();
    ensure!(failed.is_empty(), "{} tests failed: {}", failed.len(), failed.join("; "));
    Ok(others.iter().filter(|test| !with(test, &["skipped"])).count())
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
        assert!(passed(Ok(()), &report).is_err(), "there is no report");
        assert!(passed(Ok(()), folder).is_err(), "the folder is empty");
        for (text, expected) in [
            ("", None),
            ("<testsuites/>", None),
            ("<testsuites><testsuite tests='3'/></testsuites>", None),
            ("<testsuite><testcase name='a'><skipped/></testcase></testsuite>", None),
            ("<testsuite><testcase name='a'/><testcase name='b'><failure/></testcase></testsuite>", None),
            ("<testsuite><testcase name='a'/><testcase name='b'><error/></testcase></testsuite>", None),
            ("<testsuite><testcase name='a'/><testcase name='b'><skipped/></testcase></testsuite>", Some(1)),
            ("<testsuites><testsuite><testcase name='a'/></testsuite><testcase name='b'/></testsuites>", Some(2)),
        ] {
            fs::write(&report, text).expect("written");
            assert_eq!(passed(Ok(()), &report).ok(), expected, "{text}");
            assert_eq!(passed(Ok(()), folder).ok(), expected, "{text}");
        }
        fs::write(&report, "<a name='b'><testcase name='c'><failure message='d\ne'/></testcase></a>").expect("written");
        let told = format!("{:#}", passed(Err(anyhow::anyhow!("exit 1")), &report).expect_err("a test failed"));
        assert!(told.contains("1 tests failed: b, c: d") && told.ends_with("exit 1"), "{told}");
    }
}
