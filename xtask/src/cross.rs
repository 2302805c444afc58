//! The library for phones: built for each target without its SDK, linked as a proof, and measured.
//!
//! What is built is the static library that an app links. The proof is that library linked by itself into a shared
//! one, with nothing kept but what the bindings call: it shows that the code stands on 16 KB pages and what it adds to
//! an app. It is not what is shipped: the C library stays open, and so does the unwinder, which Android's NDK adds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use goblin::elf::{Elf, program_header::PT_LOAD};
use goblin::mach::MachO;

use crate::project::{Missing, Project, recreate};
use crate::toolchain::{refuse_paths, rust_lld, with_target, without_paths_for};

/// How a target's objects are linked.
enum Linked {
    /// `-m` of the GNU linker's manner.
    Elf(&'static str),
    /// Architecture and platform in Apple's manner.
    MachO(&'static str, &'static str),
}

/// What apps are built for, how it is linked, and the largest stripped library with the English table in it, in
/// bytes. x86_64 of Android is emulators and a few Chromebooks; on iOS each segment begins on a page of 16 kB.
const TARGETS: [(&str, Linked, u64); 6] = [
    ("aarch64-apple-ios", Linked::MachO("arm64", "ios"), 2_550_000),
    ("aarch64-apple-ios-sim", Linked::MachO("arm64", "ios-simulator"), 2_550_000),
    ("x86_64-apple-ios", Linked::MachO("x86_64", "ios-simulator"), 2_600_000),
    ("aarch64-linux-android", Linked::Elf("aarch64linux"), 2_500_000),
    ("armv7-linux-androideabi", Linked::Elf("armelf_linux_eabi"), 2_500_000),
    ("x86_64-linux-android", Linked::Elf("elf_x86_64"), 2_650_000),
];

/// The oldest iOS that the package is for.
const IOS: &str = "15.0";

/// The page size that Android asks for.
const PAGE: u64 = 16 << 10;

/// What the bindings call, as both kinds of linkers understand it.
const EXPORTS: [&str; 2] = ["uniffi_*", "ffi_*"];

/// The names of those targets.
pub(crate) fn targets() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().map(|(target, ..)| *target)
}

/// Builds, links and measures all targets, with the table and without.
pub(crate) fn check(project: &Project) -> Result<String> {
    let linker = rust_lld(project).ok_or_else(|| Missing("this Rust comes without rust-lld".into()))?;
    let proofs = project.target().join("cross");
    recreate(&proofs)?;
    let mut sizes = Vec::new();
    for (target, linked, most) in &TARGETS {
        let size = |table: bool| {
            let library = build(project, target, table)?;
            let proof = proofs.join(format!("{target}{}", if table { "" } else { "-without-table" }));
            link(project, &linker, linked, &library, &proof)?;
            // An app links the first itself; what is linked here is stripped as an app is.
            refuse_paths(project, &[library, proof.clone()])?;
            inspect(linked, &fs::read(&proof)?).with_context(|| format!("{target}, linked"))
        };
        let [with, without] = [size(true)?, size(false)?];
        ensure!(with <= *most, "{target}: {with} B stripped, more than {most} B");
        sizes.push(format!("{target} {with} B ({without} B without the table)"));
    }
    Ok(sizes.join("; "))
}

/// The static library of a target.
fn build(project: &Project, target: &str, table: bool) -> Result<PathBuf> {
    const LIBRARY: [&str; 4] = ["--package=textveil-mobile", "--lib", "--profile=mobile", "--crate-type=staticlib"];
    let mut command = with_target(project, project.cargo(&["rustc", "--target", target]), target)?;
    command.args(LIBRARY).arg("--config").arg(without_paths_for(project, target));
    if !table {
        command.arg("--no-default-features");
    }
    project.run(command.env("IPHONEOS_DEPLOYMENT_TARGET", IOS))?;
    Ok(project.target().join(target).join("mobile/libtextveil_mobile.a"))
}

/// Links a static library into a stripped shared one that keeps what the bindings call.
fn link(project: &Project, linker: &Path, linked: &Linked, library: &Path, proof: &Path) -> Result<()> {
    let mut command = project.command(linker);
    match linked {
        Linked::Elf(emulation) => {
            let script = proof.with_extension("exports");
            fs::write(&script, format!("{{ global: {}; local: *; }};\n", EXPORTS.join("; ")))?;
            command.args(["-flavor", "gnu", "-m", emulation, "-shared", "--gc-sections", "--strip-all"]);
            // As `.cargo/config.toml` has it for what is shipped.
            command
                .args([
                    "-z",
                    &format!("max-page-size={PAGE}"),
                    "--pack-dyn-relocs=android",
                    "--icf=all",
                    "--hash-style=gnu",
                ])
                .arg("--version-script")
                .arg(script);
            command.arg("--whole-archive").arg(library);
        }
        Linked::MachO(architecture, platform) => {
            command.args(["-flavor", "darwin", "-arch", architecture, "-platform_version", platform, IOS, IOS]);
            command.args(["-dylib", "-dead_strip", "-S", "-x", "-undefined", "dynamic_lookup"]);
            // Without a name of its own it would have the path that it is written to.
            command.args(["-install_name", "libtextveil_mobile.dylib"]);
            command.args(EXPORTS.iter().flat_map(|name| ["-exported_symbol".to_owned(), format!("_{name}")]));
            command.arg("-force_load").arg(library);
        }
    }
    project.run(command.arg("-o").arg(proof))
}

/// The size of a linked library, whose segments stand on [`PAGE`] and which offers what it should.
fn inspect(linked: &Linked, bytes: &[u8]) -> Result<u64> {
    let exports: Vec<String> = match linked {
        Linked::Elf(_) => {
            let elf = Elf::parse(bytes)?;
            let loaded = elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD);
            let alignments: Vec<u64> = loaded.map(|header| header.p_align).collect();
            ensure!(
                !alignments.is_empty() && alignments.iter().all(|alignment| alignment.is_multiple_of(PAGE)),
                "segments aligned to {alignments:?}, not to {PAGE}"
            );
            let defined = elf.dynsyms.iter().filter(|symbol| !symbol.is_import());
            defined.filter_map(|symbol| elf.dynstrtab.get_at(symbol.st_name)).map(str::to_owned).collect()
        }
        Linked::MachO(..) => MachO::parse(bytes, 0)?.exports()?.into_iter().map(|export| export.name).collect(),
    };
    ensure!(exports.iter().any(|name| name.contains("privatize")), "it offers no way to privatize: {exports:?}");
    ensure!(!exports.iter().any(|name| name.contains("seed")), "it can be seeded: {exports:?}");
    Ok(bytes.len() as u64)
}
