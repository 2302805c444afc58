//! The kernels of phones, and through them the golden vectors, on an emulated processor: bit for bit what they are
//! here. How fast they are, an emulator does not tell.

use anyhow::Result;

use crate::project::{Missing, Project, find_program};
use crate::toolchain::{apt_install, cargo_for};

/// With musl, the compiler's own linker is enough.
const TARGET: &str = "aarch64-unknown-linux-musl";
/// Runs a program of that target.
const EMULATOR: &str = "qemu-aarch64";

/// Runs the kernels' tests and the vectors.
///
/// # Errors
/// A test that fails; [`Missing`] without the emulator or the target.
pub(crate) fn check(project: &Project) -> Result<String> {
    let installed = || find_program(&[EMULATOR]);
    let emulator = installed().or_else(|| apt_install(project, &["qemu-user"]).then(installed).flatten());
    let emulator = emulator.ok_or_else(|| Missing(format!("{EMULATOR} is not installed (Debian: qemu-user)")))?;
    let kernels = ["--package=textveil", "--lib", "kernel"];
    let vectors = ["--package=textveil-tests", "--test=vectors", "--test=mechanism_vectors"];
    for tests in [kernels, vectors] {
        let mut command = cargo_for(project, TARGET)?.with("test", &tests);
        command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld");
        command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER", &emulator);
        project.run(&mut command)?;
    }
    Ok(format!("{} tests", project.passed()))
}
