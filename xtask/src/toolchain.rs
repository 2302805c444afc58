//! Rust targets: added by rustup where it has them, built from the standard library's source where it has not;
//! and the nightly compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::project::{Missing, Project, find_program};

/// The target of browsers and Node.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Target features for nearly all browsers (Chromium 91, Firefox 89, Safari 16.4), as in `.cargo/config.toml`.
pub(crate) const SIMD: &str = "+simd128,-reference-types";

/// Target features for the others. Reference types, which the compiler takes for granted, are in Chromium from 96
/// on only.
pub(crate) const BASELINE: &str = "-reference-types";

/// The compiler's flags for [`WASM`] with these target features, and [`without_paths`].
pub(crate) fn wasm_flags(project: &Project, features: &str) -> String {
    encoded([&["-C".to_owned(), format!("target-feature={features}")], &without_paths(project)[..]].concat())
}

/// The compiler's flags for a library of this machine.
pub(crate) fn host_flags(project: &Project) -> String {
    encoded(without_paths(project))
}

/// The compiler's flags for a program that a sanitizer watches.
pub(crate) fn sanitizer_flags(sanitizer: &str) -> String {
    encoded(vec![format!("-Zsanitizer={sanitizer}")])
}

/// Flags in cargo's own encoding, for `CARGO_ENCODED_RUSTFLAGS`: that overrides every other source of flags,
/// among them a stray `RUSTFLAGS`.
fn encoded(flags: Vec<String>) -> String {
    flags.join("\u{1f}")
}

/// The setting for cargo's `--config` that adds [`without_paths`] to the flags which `.cargo/config.toml` has for
/// `target`.
pub(crate) fn without_paths_for(project: &Project, target: &str) -> String {
    format!("target.{target}.rustflags={:?}", without_paths(project))
}

/// What keeps the directories of this machine, and their length, out of what is published: panic messages name
/// the source file that they come from.
fn without_paths(project: &Project) -> Vec<String> {
    let sources = project.cargo_home().and_then(|home| std::fs::read_dir(home.join("registry/src")).ok());
    let sources = sources.into_iter().flatten().flatten().map(|source| format!("{}=", source.path().display()));
    sources.chain(standard_library(project)).map(|mapped| format!("--remap-path-prefix={mapped}")).collect()
}

/// The standard library's sources, where rustup has installed them, and the name that the compiler gives them where it
/// has not: what is built is the same with them and without.
fn standard_library(project: &Project) -> Option<String> {
    let sysroot = sysroot(project)?;
    let version = project.read(project.command("rustc").arg("-vV")).ok()?;
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: "))?;
    Some(format!("{sysroot}/lib/rustlib/src/rust=/rustc/{commit}"))
}

/// The directory of the compiler.
fn sysroot(project: &Project) -> Option<String> {
    let sysroot = project.read(project.command("rustc").args(["--print", "sysroot"])).ok()?;
    Some(sysroot.trim().to_owned())
}

/// Fails if what is published names a directory of this machine: the checkout, what cargo builds or downloads in, the
/// compiler's, or a person's home.
///
/// # Errors
/// A file names one, or cannot be read.
pub(crate) fn refuse_paths(project: &Project, files: &[PathBuf]) -> Result<()> {
    let home = std::env::home_dir().map(|home| home.join(""));
    let places = [Some(project.root().to_owned()), Some(project.target().to_owned()), project.cargo_home(), home];
    let places = places.into_iter().flatten().map(|place| place.display().to_string());
    let compiler = sysroot(project).map(|sysroot| format!("{sysroot}/lib/rustlib"));
    let places: Vec<String> = places.chain(compiler).filter(|place| place.len() > 1).collect();
    for file in files {
        let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
        let found = path_in(&bytes, &places);
        ensure!(found.is_none(), "{}: names {}", file.display(), found.unwrap_or_default());
    }
    Ok(())
}

/// Cargo's downloads, wherever they are.
const DOWNLOADS: &str = "registry/src/";

/// The first of these directories that a file names, or [`DOWNLOADS`].
fn path_in<'a>(bytes: &[u8], places: &'a [String]) -> Option<&'a str> {
    // What is no text is replaced, which no path survives or becomes. The search is the standard library's, which is
    // fast in a debug build too.
    let text = String::from_utf8_lossy(bytes);
    places.iter().map(String::as_str).chain([DOWNLOADS]).find(|place| text.contains(place))
}

/// `build-std` is unstable: a released compiler takes it only with this in `RUSTC_BOOTSTRAP`.
const UNSTABLE: &str = "1";

/// Debian's compiler that can target WebAssembly, its cargo and the standard library's source.
const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// The nightly compiler for what no released one has: sanitizers and Miri. A later one than the released one in
/// use, and from a day on which both were complete.
const NIGHTLY: &str = "nightly-2026-05-20";

/// What it has to bring beside the compiler.
const NIGHTLY_COMPONENTS: [&str; 2] = ["miri", "rust-src"];

/// A cargo that can build for `target`, without the subcommand: put that first, then [`Cargo::target`]'s
/// flags.
pub(crate) struct Cargo {
    /// The command so far.
    pub(crate) command: Command,
    /// What follows the subcommand.
    pub(crate) target: Vec<String>,
}

impl Cargo {
    /// `cargo SUBCOMMAND --target TARGET ARGUMENTS`.
    pub(crate) fn with(mut self, subcommand: &str, arguments: &[&str]) -> Command {
        self.command.arg(subcommand).args(self.target).args(arguments);
        self.command
    }
}

/// Finds or installs what builds for `target`.
///
/// # Errors
/// [`Missing`] if neither rustup nor Debian's packages can provide it.
pub(crate) fn cargo_for(project: &Project, target: &str) -> Result<Cargo> {
    let flags = vec!["--target".to_owned(), target.to_owned()];
    let mut command = project.cargo(&[]);
    if target == WASM {
        command.env("CARGO_ENCODED_RUSTFLAGS", wasm_flags(project, SIMD));
    }
    if has_target(project, target) || rustup(project, &["target", "add", target]) {
        return Ok(Cargo { command, target: flags });
    }
    let from_source = [&flags[..], &["-Z", "build-std=std,panic_abort"].map(str::to_owned)].concat();
    // Targets of bare metal have no `std`.
    if !target.contains("-none") && rustup(project, &["component", "add", "rust-src"]) {
        command.env("RUSTC_BOOTSTRAP", UNSTABLE);
        return Ok(Cargo { command, target: from_source });
    }
    if target == WASM
        && let Some(command) = debian_cargo(project)?
    {
        return Ok(Cargo { command, target: from_source });
    }
    Err(Missing(format!("Rust target {target} is not installed: rustup target add {target}")).into())
}

/// The cargo of the nightly compiler, with Miri and the standard library's source; installed if it is not
/// there.
///
/// # Errors
/// [`Missing`] without rustup, or where it cannot install them.
pub(crate) fn nightly_cargo(project: &Project) -> Result<Command> {
    let program = find_program(&["rustup"]).ok_or_else(|| Missing(format!("no rustup to get {NIGHTLY} with")))?;
    let mut list = project.command(&program);
    list.args(["component", "list", "--installed", "--toolchain", NIGHTLY]);
    let complete = project.read(&mut list).is_ok_and(|installed| {
        NIGHTLY_COMPONENTS.iter().all(|component| installed.lines().any(|line| line.starts_with(component)))
    });
    let components = NIGHTLY_COMPONENTS.join(",");
    let install = ["toolchain", "install", NIGHTLY, "--profile", "minimal", "--component", &components];
    if !complete && !rustup(project, &install) {
        return Err(Missing(format!("rustup cannot install {NIGHTLY} with {components}")).into());
    }
    let mut command = project.command(program);
    // It brings its own.
    command.args(["run", NIGHTLY, "cargo"]).env_remove("RUSTC");
    Ok(command)
}

/// The cargo of a released compiler, with the standard library of `target`; installed if it is not there.
///
/// # Errors
/// [`Missing`] without rustup, or where it cannot install it.
pub(crate) fn rustup_cargo(project: &Project, version: &str, target: Option<&str>) -> Result<Command> {
    let missing = || Missing(format!("rustup cannot install Rust {version}"));
    let program = find_program(&["rustup"]).ok_or_else(missing)?;
    let mut query = project.command(&program);
    query.args(["run", version, "rustc", "--print", "target-libdir"]);
    query.args(target.iter().flat_map(|target| ["--target", target]));
    let complete = project.read(&mut query).is_ok_and(|libdir| Path::new(libdir.trim()).is_dir());
    let targets: Vec<&str> = target.iter().flat_map(|target| ["--target", *target]).collect();
    let install = [&["toolchain", "install", version, "--profile", "minimal"], &targets[..]].concat();
    if !complete && !rustup(project, &install) {
        return Err(missing().into());
    }
    let mut command = project.command(program);
    // It brings its own.
    command.args(["run", version, "cargo"]).env_remove("RUSTC");
    Ok(command)
}

/// Whether the compiler in use has a standard library for `target`.
fn has_target(project: &Project, target: &str) -> bool {
    let mut query = project.command(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    query.args(["--print", "target-libdir", "--target", target]);
    project.read(&mut query).is_ok_and(|libdir| Path::new(libdir.trim()).is_dir())
}

/// Whether rustup did this.
fn rustup(project: &Project, arguments: &[&str]) -> bool {
    let Some(rustup) = find_program(&["rustup"]) else { return false };
    project.run(project.command(rustup).args(arguments)).is_ok()
}

/// Debian's cargo, set up so that it compiles the standard library itself.
fn debian_cargo(project: &Project) -> Result<Option<Command>> {
    let (rustc, cargo) = (Path::new("/usr/bin/rustc"), Path::new("/usr/bin/cargo"));
    let installed = || {
        let mut query = project.command("dpkg-query");
        query.args(["--show", "--showformat=${Status}\n"]).args(DEBIAN);
        project.read(&mut query).is_ok_and(|status| status.lines().all(|line| line.ends_with(" installed")))
    };
    if !installed() && !apt_install(project, &DEBIAN) {
        return Ok(None);
    }
    let linker = find_program(&["rust-lld", "wasm-ld", "wasm-ld-22", "wasm-ld-21", "wasm-ld-19"])
        .or_else(|| rust_lld(project))
        .ok_or_else(|| Missing("no linker for WebAssembly: install lld".into()))?;
    let mut command = project.command(cargo);
    for variable in ["CARGO", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(variable);
    }
    command
        .env("RUSTC", rustc)
        .env("RUSTC_BOOTSTRAP", UNSTABLE)
        .env("CARGO_ENCODED_RUSTFLAGS", wasm_flags(project, SIMD))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    Ok(Some(command))
}

/// The `rust-lld` that comes with a toolchain of rustup.
pub(crate) fn rust_lld(project: &Project) -> Option<PathBuf> {
    let libdir = project.read(project.command("rustc").args(["--print", "target-libdir"])).ok()?;
    let linker =
        Path::new(libdir.trim()).parent()?.join("bin").join(format!("rust-lld{}", std::env::consts::EXE_SUFFIX));
    linker.is_file().then_some(linker)
}

/// Installs Debian packages where that needs no question: as root, with apt, and nothing has to give way.
pub(crate) fn apt_install(project: &Project, packages: &[&str]) -> bool {
    let Some(apt) = find_program(&["apt-get"]) else { return false };
    let root = project.read(project.command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let apt_get = |arguments: &[&str]| {
        let mut command = project.command(&apt);
        command.env("DEBIAN_FRONTEND", "noninteractive").args(["-q", "-y"]).args(arguments);
        project.run(&mut command).is_ok()
    };
    root && apt_get(&["update"])
        && apt_get(&[&["install", "--no-install-recommends", "--no-remove"], packages].concat())
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
