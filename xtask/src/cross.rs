//! The library for phones: built for each target without its SDK, linked as a proof, and measured.
//!
//! It builds the static library that an app links. As a proof, it links that library into a shared one that keeps only
//! what the bindings call. This shows that the code stands on 16 KB pages, and how much it adds to an app. The proof is
//! not shipped: the C library stays open, and so does the unwinder of Android's NDK.

use std::env::consts::EXE_EXTENSION;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use object::Object;
use xshell::cmd;

use crate::project::{Missing, Project, recreate};
use crate::toolchain::{refuse_paths, with_target, without_paths};
use crate::{kotlin, mobile, python};

/// A target, what its linker calls the machine, Apple's name of the platform, and the largest stripped library with the
/// English table in it, in bytes.
type Target = (&'static str, &'static str, Option<&'static str>, u64);

/// What apps are built for. The sizes leave about one per cent. x86_64 of Android is emulators and a few Chromebooks;
/// on iOS each segment begins on a page of 16 kB.
pub(crate) const TARGETS: [Target; 6] = [
    ("aarch64-apple-ios", "arm64", Some("ios"), 2_820_000),
    ("aarch64-apple-ios-sim", "arm64", Some("ios-simulator"), 2_745_000),
    ("x86_64-apple-ios", "x86_64", Some("ios-simulator"), 2_890_000),
    ("aarch64-linux-android", "aarch64linux", None, 2_816_000),
    ("armv7-linux-androideabi", "armelf_linux_eabi", None, 2_572_000),
    ("x86_64-linux-android", "elf_x86_64", None, 3_043_000),
];

/// The targets of today's phones, which are built without the table too.
const DEVICES: [&str; 2] = ["aarch64-apple-ios", "aarch64-linux-android"];

/// The oldest iOS that the package is for.
const IOS: &str = "15.0";

/// The page size that Android asks for, in bytes.
const PAGE: &str = "16384";

/// What the bindings call, as each kind of linker understands it.
const ELF_EXPORTS: &str = "{ global: uniffi_*; ffi_*; local: *; };\n";
const MACHO_EXPORTS: [&str; 4] = ["-exported_symbol", "_uniffi_*", "-exported_symbol", "_ffi_*"];

/// Builds, links and measures all targets with the table, and [`DEVICES`] without it too.
pub(crate) fn check(project: &Project) -> Result<String> {
    let libraries = project.read(cmd!(project.sh, "rustc --print target-libdir"))?;
    let linker = Path::new(libraries.trim()).with_file_name("bin").join("rust-lld").with_extension(EXE_EXTENSION);
    ensure!(linker.is_file(), Missing("this Rust comes without rust-lld".into()));
    let proofs = project.target.join("cross");
    recreate(&proofs)?;
    let mut sizes = Vec::new();
    for of in TARGETS {
        let (target, .., most) = of;
        let size = |table: bool| {
            let library = build(project, target, table)?;
            let proof = proofs.join(format!("{target}{}", if table { "" } else { "-without-table" }));
            link(project, &linker, of, &library, &proof)?;
            // An app links the first itself; what is linked here is stripped as an app is.
            refuse_paths(project, &[library, proof.clone()])?;
            inspect(&fs::read(&proof)?).with_context(|| format!("{target}, linked"))
        };
        let with = size(true)?;
        ensure!(with <= most, "{target}: {with} B stripped, more than {most} B");
        let without = DEVICES.contains(&target).then(|| size(false)).transpose()?;
        let without = without.map(|bytes| format!(" ({bytes} B without the table)")).unwrap_or_default();
        sizes.push(format!("{target} {with} B{without}"));
    }
    Ok(format!("{}; {}", sizes.join("; "), pack(project, &proofs)?))
}

/// Packs what was linked for Android as an AAR, and looks into it as an app does.
fn pack(project: &Project, proofs: &Path) -> Result<String> {
    let (sh, folder, repository) = (&project.sh, proofs.join("aar"), kotlin::package(project)?);
    let python = python::with_requirements(project, "mobile/kotlin/android/requirements.txt")?;
    let linked = TARGETS.iter().filter(|(.., platform, _)| platform.is_none()).map(|(target, ..)| proofs.join(target));
    project.run(cmd!(sh, "{python} mobile/kotlin/android/aar.py {repository} {folder}").args(linked))?;
    Ok(project.printed(cmd!(sh, "{python} mobile/kotlin/android/aar_check.py {folder}"))?.trim_end().to_owned())
}

/// The static library of a target.
fn build(project: &Project, target: &str, table: bool) -> Result<PathBuf> {
    let Project { sh, cargo, .. } = project;
    let paths = format!("target.{target}.rustflags={:?}", without_paths(project));
    let command = cmd!(
        sh,
        "{cargo} rustc --target {target} --package=textveil-mobile --lib --profile=mobile --crate-type=staticlib
         --config {paths}"
    );
    let command = with_target(project, command, target)?.env("IPHONEOS_DEPLOYMENT_TARGET", IOS);
    let command = command.env("CARGO_TARGET_DIR", mobile::built(project));
    project.run(command.args((!table).then_some("--no-default-features")))?;
    Ok(mobile::built(project).join(target).join("mobile/libtextveil_mobile.a"))
}

/// Links a static library into a stripped shared one that keeps what the bindings call.
fn link(project: &Project, linker: &Path, target: Target, library: &Path, proof: &Path) -> Result<()> {
    let (_, machine, platform, _) = target;
    let sh = &project.sh;
    let command = match platform {
        None => {
            let script = proof.with_extension("exports");
            sh.write_file(&script, ELF_EXPORTS)?;
            // The second line is as `.cargo/config.toml` has it for what is shipped.
            cmd!(
                sh,
                "{linker} -flavor gnu -m {machine} -shared --gc-sections --strip-all
                 -z max-page-size={PAGE} --pack-dyn-relocs=android --icf=all --hash-style=gnu
                 --version-script {script} --whole-archive {library} -o {proof}"
            )
        }
        // Without a name of its own it would have the path that it is written to.
        Some(platform) => cmd!(
            sh,
            "{linker} -flavor darwin -arch {machine} -platform_version {platform} {IOS} {IOS}
             -dylib -dead_strip -S -x -undefined dynamic_lookup -install_name libtextveil_mobile.dylib
             {MACHO_EXPORTS...} -force_load {library} -o {proof}"
        ),
    };
    project.run(command)
}

/// The size of a linked library, which offers what it should.
fn inspect(bytes: &[u8]) -> Result<u64> {
    let library = object::File::parse(bytes)?;
    let exports = library.exports()?.map(|export| Ok(format!("{:?}", export?.name())));
    let exports: Vec<String> = exports.collect::<Result<_>>()?;
    ensure!(exports.iter().any(|name| name.contains("privatize")), "it offers no way to privatize: {exports:?}");
    ensure!(!exports.iter().any(|name| name.contains("seed")), "it can be seeded: {exports:?}");
    Ok(bytes.len() as u64)
}
