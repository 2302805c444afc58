//! Rust targets: added by rustup where it is there, built from Debian's source package where it is not.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::project::{Missing, Project, find_program};

/// The target of browsers and Node.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The compiler's flags for [`WASM`], in cargo's own encoding: it overrides every other source of flags,
/// among them a stray `RUSTFLAGS`.
///
/// The browser baseline (Chrome 91, Firefox 89, Safari 16.4) as in `.cargo/config.toml`; and no directory of
/// this machine in what is published, nor its length: panic messages name the source file that they come
/// from.
fn wasm_flags(project: &Project) -> String {
    let mut flags = vec!["-C".to_owned(), "target-feature=+simd128".to_owned()];
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let sources = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok());
    for source in sources.into_iter().flatten().flatten() {
        flags.push(format!("--remap-path-prefix={}=", source.path().display()));
    }
    if let Ok(sysroot) = project.read(project.command("rustc").args(["--print", "sysroot"])) {
        flags.push(format!("--remap-path-prefix={}/lib/rustlib/src/rust/=", sysroot.trim()));
    }
    flags.join("\u{1f}")
}

/// Debian's compiler that can target WebAssembly, its cargo and the standard library's source.
const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

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
    if has_target(project, target) || add_target(project, target) {
        let mut command = project.cargo(&[]);
        if target == WASM {
            command.env("CARGO_ENCODED_RUSTFLAGS", wasm_flags(project));
        }
        return Ok(Cargo { command, target: flags });
    }
    if target == WASM
        && let Some(command) = debian_cargo(project)?
    {
        let build_std = ["-Z", "build-std=std,panic_abort"].map(str::to_owned);
        return Ok(Cargo { command, target: [flags, build_std.to_vec()].concat() });
    }
    Err(Missing(format!("Rust target {target} is not installed: rustup target add {target}")).into())
}

/// Whether the compiler in use has a standard library for `target`.
fn has_target(project: &Project, target: &str) -> bool {
    let mut query = project.command(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    query.args(["--print", "target-libdir", "--target", target]);
    project.read(&mut query).is_ok_and(|libdir| Path::new(libdir.trim()).is_dir())
}

fn add_target(project: &Project, target: &str) -> bool {
    let Some(rustup) = find_program(&["rustup"]) else { return false };
    project.run(project.command(rustup).args(["target", "add", target])).is_ok()
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
        .or_else(|| rustc_linker(project))
        .ok_or_else(|| Missing("no linker for WebAssembly: install lld".into()))?;
    let mut command = project.command(cargo);
    for variable in ["CARGO", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(variable);
    }
    command
        .env("RUSTC", rustc)
        // `build-std` is unstable: the released compiler takes it only so.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", wasm_flags(project))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    Ok(Some(command))
}

/// The `rust-lld` that comes with a toolchain of rustup.
fn rustc_linker(project: &Project) -> Option<PathBuf> {
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
