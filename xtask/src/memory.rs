//! Races, undefined behaviour and leaks in `textveil-mobile`, the crate that many threads of a host share, and in the kernels
//! of `textveil`, where its `unsafe` is.
//!
//! ThreadSanitizer watches the tests as they run, threads and English table included; the standard library is
//! compiled with it, because a lock that it does not see looks like a race. Miri interprets what is small
//! enough for it, and finds in one run what another schedule, another allocator or another processor would do.

use anyhow::{Result, ensure};

use crate::project::{Missing, Project};
use crate::toolchain::{nightly_cargo, sanitizer_flags};

/// Where this is known to run: ThreadSanitizer is not everywhere.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What Miri interprets, as arguments of `cargo miri test`: unit tests that need no large table.
const INTERPRETED: &[&[&str]] = &[&["--package=textveil-mobile", "--lib"], &["--package=textveil", "--lib", "kernel"]];

/// Runs the tests under both.
///
/// # Errors
/// A race, undefined behaviour, a leak, or a test that fails; [`Missing`] without the compiler for it.
pub(crate) fn check(project: &Project) -> Result<String> {
    let here = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));
    ensure!(here, Missing(format!("ThreadSanitizer and Miri are run on {TARGET} only")));
    let mut watched = nightly_cargo(project)?;
    watched.args(["test", "-Z", "build-std", "--target", TARGET, "--target-dir"]).arg(project.target().join("tsan"));
    // Documentation tests are not built with the compiler's flags.
    watched.args(["--package=textveil-mobile", "--lib", "--tests"]);
    project.run(watched.env("CARGO_ENCODED_RUSTFLAGS", sanitizer_flags("thread")))?;
    let threads = project.passed();
    for tests in INTERPRETED {
        project.run(nightly_cargo(project)?.args(["miri", "test"]).args(*tests))?;
    }
    Ok(format!("{threads} tests under ThreadSanitizer, {} under Miri", project.passed() - threads))
}
