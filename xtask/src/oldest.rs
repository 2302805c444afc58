//! The oldest Rust that a crate's manifest promises compiles it.

use anyhow::{Context, Result};

use crate::project::Project;
use crate::toolchain::{WASM, rustup_cargo};

/// What is checked, one command a target: `None` is this machine.
const CHECKED: [(Option<&str>, &[&str]); 4] = [
    (None, &["--package=textveil", "--package=textveil-mobile"]),
    (None, &["--package=textveil-collector", "--no-default-features"]),
    (Some(WASM), &["--package=textveil-wasm"]),
    (Some(WASM), &["--package=textveil-wasm", "--features=all-mechanisms"]),
];

/// Compiles every crate that is shipped with the Rust that `core` states. Cargo refuses a crate that states a later one.
///
/// # Errors
/// One does not compile; `Missing` where rustup cannot install that Rust.
pub(crate) fn check(project: &Project) -> Result<String> {
    let metadata = project.read(&mut project.cargo(&["metadata", "--format-version=1", "--no-deps", "--locked"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("cargo names no packages")?;
    let stated = packages.iter().find(|package| package["name"] == "textveil");
    let stated = stated.and_then(|core| core["rust_version"].as_str()).context("core states no rust-version")?;
    let version = if stated.split('.').count() == 2 { format!("{stated}.0") } else { stated.to_owned() };
    for (target, packages) in CHECKED {
        let mut check = rustup_cargo(project, &version, target)?;
        check.args(["check", "--locked", "--target-dir"]).arg(project.target().join("oldest"));
        check.args(target.iter().flat_map(|target| ["--target", target])).args(packages);
        // What this process was started with is the other Rust's.
        project.run(check.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS"))?;
    }
    Ok(format!("Rust {version}"))
}
