//! What Rust code is built with: targets, other compilers, and flags that keep this machine's paths out of what is published.

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

/// The nightly compiler for what no released one has: sanitizers and Miri. A later one than the released one in
/// use, and from a day on which both were complete.
pub(crate) const NIGHTLY: &str = "nightly-2026-05-20";

/// The compiler's flags for [`WASM`] with these target features, and [`without_paths`].
pub(crate) fn wasm_flags(project: &Project, features: &str) -> String {
    encoded([&["-C".to_owned(), format!("target-feature={features}")], &without_paths(project)[..]].concat())
}

/// The compiler's flags for a library of this machine.
pub(crate) fn host_flags(project: &Project) -> String {
    encoded(without_paths(project))
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
    // Bytes that are not text are replaced, and no path contains the replacement. The search is the standard library's,
    // which is fast in a debug build too.
    let text = String::from_utf8_lossy(bytes);
    places.iter().map(String::as_str).chain([DOWNLOADS]).find(|place| text.contains(place))
}

/// Lets a cargo command build for `target`: rustup installs the target's standard library, or cargo builds it from source,
/// where rustup has none.
pub(crate) fn with_target(project: &Project, mut cargo: Command, target: &str) -> Result<Command> {
    let mut rustc = project.command(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--print", "target-libdir", "--target", target]);
    if !is_directory(project, &mut rustc) && !rustup(project, &["target", "add", target]) {
        // Targets of bare metal have no `std`.
        let has_source = !target.contains("-none") && rustup(project, &["component", "add", "rust-src"]);
        ensure!(has_source, Missing(format!("Rust target {target} is not installed: rustup target add {target}")));
        // It is unstable: a released compiler takes it with the second variable only.
        cargo.env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
    }
    Ok(cargo)
}

/// The cargo of another compiler, with the standard library of a target and with components; installed if it is not there.
pub(crate) fn other_cargo(
    project: &Project,
    version: &str,
    target: Option<&str>,
    components: &[&str],
) -> Result<Command> {
    let target: Vec<&str> = target.iter().flat_map(|target| ["--target", *target]).collect();
    let mut rustc = project.command("rustup");
    rustc.args(["run", version, "rustc", "--print", "target-libdir"]).args(&target);
    let mut list = project.command("rustup");
    list.args(["component", "list", "--installed", "--toolchain", version]);
    let complete = is_directory(project, &mut rustc)
        && project.read(&mut list).is_ok_and(|installed| {
            components.iter().all(|component| installed.lines().any(|line| line.starts_with(component)))
        });
    let listed = components.join(",");
    let components = if components.is_empty() { vec![] } else { vec!["--component", &listed] };
    let install = [&["toolchain", "install", version, "--profile", "minimal"], &target[..], &components].concat();
    ensure!(complete || rustup(project, &install), Missing(format!("rustup cannot install Rust {version} {listed}")));
    let mut command = project.command("rustup");
    // It brings its own. The flags of this process are for the Rust of this process.
    command.args(["run", version, "cargo"]);
    command.env_remove("RUSTC").env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    Ok(command)
}

/// Whether a command prints the path of a directory.
fn is_directory(project: &Project, command: &mut Command) -> bool {
    project.read(command).is_ok_and(|path| Path::new(path.trim()).is_dir())
}

/// Whether rustup did this.
fn rustup(project: &Project, arguments: &[&str]) -> bool {
    let Some(rustup) = find_program(&["rustup"]) else { return false };
    project.run(project.command(rustup).args(arguments)).is_ok()
}

/// The `rust-lld` that comes with a toolchain of rustup.
pub(crate) fn rust_lld(project: &Project) -> Option<PathBuf> {
    let libdir = project.read(project.command("rustc").args(["--print", "target-libdir"])).ok()?;
    let linker =
        Path::new(libdir.trim()).parent()?.join("bin").join(format!("rust-lld{}", std::env::consts::EXE_SUFFIX));
    linker.is_file().then_some(linker)
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
