//! What Rust code is built with: targets, other compilers, and flags that keep this machine's paths out of what is
//! published.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use xshell::{Cmd, cmd};

use crate::project::{Missing, Project, TOOLS, find_program};

/// The nightly compiler for what no released one has: sanitizers and Miri. A later one than the released one in
/// use, and from a day on which both were complete.
pub(crate) const NIGHTLY: &str = "nightly-2026-05-20";

/// Gives a cargo command these flags for the compiler, and [`without_paths`]. The variable overrides every other source
/// of flags, among them a stray `RUSTFLAGS`.
pub(crate) fn with_flags<'a>(project: &Project, cargo: Cmd<'a>, flags: &[&str]) -> Cmd<'a> {
    let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).chain(without_paths(project)).collect();
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
}

/// What keeps the directories of this machine, and their length, out of what is published: panic messages name
/// the source file that they come from.
pub(crate) fn without_paths(project: &Project) -> Vec<String> {
    let sources = project.cargo_home().and_then(|home| std::fs::read_dir(home.join("registry/src")).ok());
    let sources = sources.into_iter().flatten().flatten().map(|source| format!("{}=", source.path().display()));
    // The standard library's sources have the name that the compiler gives them where rustup has not installed them:
    // what is built is the same with them and without.
    let standard = sysroot(project).zip(rustc(project, "commit-hash").ok());
    let standard = standard.map(|(sysroot, commit)| format!("{sysroot}/lib/rustlib/src/rust=/rustc/{commit}"));
    sources.chain(standard).map(|mapped| format!("--remap-path-prefix={mapped}")).collect()
}

/// The directory of the compiler.
fn sysroot(project: &Project) -> Option<String> {
    let sh = &project.sh;
    Some(project.read(cmd!(sh, "rustc --print sysroot")).ok()?.trim().to_owned())
}

/// The compiler's description of itself.
pub(crate) fn rustc(project: &Project, key: &str) -> Result<String> {
    let sh = &project.sh;
    let said = project.read(cmd!(sh, "rustc -vV"))?;
    let value = said.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    Ok(value.with_context(|| format!("rustc does not say its {key}"))?.to_owned())
}

/// Fails if what is published names a directory of this machine: the checkout, what cargo builds or downloads in, the
/// compiler's, or a person's home.
pub(crate) fn refuse_paths(project: &Project, files: &[PathBuf]) -> Result<()> {
    let home = std::env::home_dir().map(|home| home.join(""));
    let places = [Some(project.root.clone()), Some(project.target.clone()), project.cargo_home(), home];
    let places = places.into_iter().flatten().map(|place| place.display().to_string());
    let compiler = sysroot(project).map(|sysroot| format!("{sysroot}/lib/rustlib"));
    let places: Vec<String> = places.chain(compiler).filter(|place| place.len() > 1).collect();
    for file in files {
        let bytes = project.sh.read_binary_file(file)?;
        let found = path_in(&bytes, &places);
        ensure!(found.is_none(), "{}: names {}", file.display(), found.unwrap_or_default());
    }
    Ok(())
}

/// Cargo's downloads, wherever they are.
const DOWNLOADS: &str = "registry/src/";

/// The first of these directories that a file names, or [`DOWNLOADS`].
fn path_in<'a>(bytes: &[u8], places: &'a [String]) -> Option<&'a str> {
    // Bytes that are not text are replaced, and no path contains the replacement. The search is the standard library's,
    // which is fast in a debug build too.
    let text = String::from_utf8_lossy(bytes);
    places.iter().map(String::as_str).chain([DOWNLOADS]).find(|place| text.contains(place))
}

/// Lets a cargo command build for `target`: rustup installs the target's standard library, or cargo builds it from
/// source if rustup lacks it.
pub(crate) fn with_target<'a>(project: &Project, cargo: Cmd<'a>, target: &str) -> Result<Cmd<'a>> {
    let (sh, _tools) = (&project.sh, TOOLS.lock());
    let rustc = sh.var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let is_there = is_directory(project, cmd!(sh, "{rustc} --print target-libdir --target {target}"));
    if is_there || succeeds(project, cmd!(sh, "rustup target add {target}")) {
        return Ok(cargo);
    }
    // Targets of bare metal have no `std`.
    let has_source = !target.contains("-none") && succeeds(project, cmd!(sh, "rustup component add rust-src"));
    ensure!(has_source, Missing(format!("Rust target {target} is not installed: rustup target add {target}")));
    // It is unstable: a released compiler takes it with the second variable only.
    Ok(cargo.env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort").env("RUSTC_BOOTSTRAP", "1"))
}

/// The cargo of another compiler, with the standard library of a target and with components; installed if it is not
/// there.
pub(crate) fn other_cargo<'a>(
    project: &'a Project,
    version: &str,
    target: Option<&str>,
    components: &[&str],
) -> Result<Cmd<'a>> {
    let (sh, _tools) = (&project.sh, TOOLS.lock());
    let target: &Vec<&str> = &target.iter().flat_map(|target| ["--target", *target]).collect();
    let installed = cmd!(sh, "rustup component list --installed --toolchain {version}");
    let complete = is_directory(project, cmd!(sh, "rustup run {version} rustc --print target-libdir {target...}"))
        && project.read(installed).is_ok_and(|installed| {
            components.iter().all(|component| installed.lines().any(|line| line.starts_with(component)))
        });
    let listed: Vec<&str> = components.iter().flat_map(|component| ["--component", *component]).collect();
    let install = cmd!(sh, "rustup toolchain install {version} --profile minimal {target...} {listed...}");
    let missing = || Missing(format!("rustup cannot install Rust {version} {}", components.join(", ")));
    ensure!(complete || succeeds(project, install), missing());
    // It brings its own. The flags of this process are for the Rust of this process.
    let cargo = cmd!(sh, "rustup run {version} cargo");
    Ok(cargo.env_remove("RUSTC").env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS"))
}

/// Whether a command prints the path of a directory.
fn is_directory(project: &Project, command: Cmd<'_>) -> bool {
    project.read(command).is_ok_and(|path| Path::new(path.trim()).is_dir())
}

/// Whether rustup is there and did this.
fn succeeds(project: &Project, rustup: Cmd<'_>) -> bool {
    find_program(&["rustup"]).is_some() && project.run(rustup).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_path_is_found_and_the_names_of_sources_are_not() {
        let places = ["/home/someone/textveil", "/home/someone/"].map(str::to_owned);
        let binary = |text: &str| [b"\x7fELF\xff\xfe\0", text.as_bytes(), b"\0\xf0"].concat();
        let planted = [
            ("/home/someone/textveil/core/src/lib.rs", Some("/home/someone/textveil")),
            ("/home/someone/.cargo/config.toml", Some("/home/someone/")),
            ("/opt/cargo/registry/src/index/libm-0.2.16/src/lib.rs", Some(DOWNLOADS)),
            ("core/src/lib.rs", None),
            ("libm-0.2.16/src/lib.rs", None),
            ("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/index.rs", None),
        ];
        for (text, found) in planted {
            assert_eq!(path_in(&binary(text), &places), found, "{text}");
        }
    }
}
