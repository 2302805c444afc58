//! Bills of materials: every crate that is compiled into what is shipped, the standard library, and the English table, each
//! with its version, licence and digest, as CycloneDX 1.6 in JSON.
//!
//! Cargo itself says which crates those are (`cargo tree` for one package, its features and its target), without what only
//! runs while it compiles. A bill holds no time and no random number: the same sources give the same file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::package::{self, ENTRIES, Flavour, TABLE};
use crate::project::Project;
use crate::toolchain::WASM;
use crate::{cache, cross, python};

/// The file in the npm package.
pub(crate) const NPM: &str = "textveil.cdx.json";

/// The bill of the npm package, whose modules lie in `package` already.
///
/// # Errors
/// Cargo names a crate without a licence or a checksum, or does not run.
pub(crate) fn npm(project: &Project, package: &Path) -> Result<String> {
    let manifest: Value = serde_json::from_slice(&fs::read(project.root().join("wasm/npm/package.json"))?)?;
    let (name, version) = manifest["name"].as_str().zip(manifest["version"].as_str()).context("package.json")?;
    let purl = format!("pkg:npm/{name}@{version}");
    let mut bill = Bill::new(json!({
        "type": "library", "bom-ref": purl, "purl": purl, "name": name, "version": version,
        "licenses": [{ "expression": manifest["license"] }],
    }));
    for entry in ENTRIES {
        let crates = crates(project, "textveil-wasm", WASM, entry.features)?;
        for module in entry.modules(package) {
            let file = name_in(package, &module)?;
            bill.add(&purl, file_of("file", &file, &module)?);
            crates.iter().for_each(|one| bill.add(&file, one.clone()));
        }
    }
    bill.finish(project)
}

/// Writes the bills of the library for Swift, Kotlin and Python, one for each target: this machine and phones.
///
/// # Errors
/// As [`npm`].
pub(crate) fn write(project: &Project, directory: &Path) -> Result<Vec<PathBuf>> {
    let targets = std::iter::once(rustc(project, "host: ")?).chain(cross::targets().map(str::to_owned));
    let written = targets.map(|target| {
        let crates = crates(project, "textveil-mobile", &target, &[])?;
        let own = crates.iter().find(|own| own["name"] == "textveil-mobile").context("it is not in itself")?;
        let licence = own["licenses"][0]["expression"].as_str().context("textveil-mobile states no licence")?;
        let mut bill = Bill::new(json!({
            "type": "library", "bom-ref": target, "name": own["name"], "version": own["version"],
            "licenses": [{ "expression": format!("({licence}) AND CC-BY-SA-4.0") }],
            "properties": [{ "name": "cdx:rust:target", "value": target }],
        }));
        crates.iter().for_each(|one| bill.add(&target, one.clone()));
        let file = directory.join(format!("textveil-mobile-{target}.cdx.json"));
        fs::write(&file, bill.finish(project)?)?;
        Ok(file)
    });
    written.collect()
}

/// A bill in the making.
struct Bill {
    whole: Value,
    /// By their references.
    components: BTreeMap<String, Value>,
    inside: BTreeMap<String, BTreeSet<String>>,
}

impl Bill {
    fn new(whole: Value) -> Self {
        Self { whole, components: BTreeMap::new(), inside: BTreeMap::new() }
    }

    /// Lists a component, inside a part.
    fn add(&mut self, part: &str, component: Value) {
        let reference = component["bom-ref"].as_str().unwrap_or_default().to_owned();
        self.inside.entry(part.to_owned()).or_default().insert(reference.clone());
        self.components.insert(reference, component);
    }

    /// The bill, with the table in the whole.
    fn finish(mut self, project: &Project) -> Result<String> {
        let mut table = file_of("data", TABLE, &project.root().join("core/data").join(TABLE))?;
        table["licenses"] = json!([{ "license": { "id": "CC-BY-SA-4.0" } }]);
        let whole = self.whole["bom-ref"].as_str().unwrap_or_default().to_owned();
        self.add(&whole, table);
        let inside = self.inside.iter().map(|(part, inside)| json!({ "ref": part, "dependsOn": inside }));
        let compiler = json!({ "type": "application", "name": "rustc", "version": rustc(project, "release: ")? });
        let bill = json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": { "component": self.whole, "tools": { "components": [compiler] } },
            "components": self.components.values().collect::<Vec<_>>(),
            "dependencies": inside.collect::<Vec<_>>(),
        });
        Ok(format!("{bill:#}\n"))
    }
}

/// A file that something consists of.
fn file_of(kind: &str, name: &str, file: &Path) -> Result<Value> {
    let hashes = json!([{ "alg": "SHA-256", "content": cache::sha256(&fs::read(file)?) }]);
    Ok(json!({ "type": kind, "bom-ref": name, "name": name, "hashes": hashes }))
}

/// A file's name in a package.
fn name_in(package: &Path, file: &Path) -> Result<String> {
    Ok(file.strip_prefix(package)?.to_string_lossy().replace('\\', "/"))
}

/// What the compiler says of itself.
fn rustc(project: &Project, key: &str) -> Result<String> {
    let said = project.read(project.command("rustc").arg("-vV"))?;
    let value = said.lines().find_map(|line| line.strip_prefix(key));
    Ok(value.with_context(|| format!("rustc does not say its {key}"))?.to_owned())
}

/// What is compiled into a package for a target: the package itself, other crates, and the standard library.
fn crates(project: &Project, package: &str, target: &str, features: &[&str]) -> Result<Vec<Value>> {
    let lock = fs::read_to_string(project.root().join("Cargo.lock")).context("Cargo.lock")?;
    let mut tree = project.cargo(&["tree", "--locked", "--edges=normal,no-proc-macro", "--prefix=none", "--no-dedupe"]);
    tree.args(["--format={p};{l}", "--package", package, "--target", target, "--features", &features.join(",")]);
    let listed = project.read(&mut tree)?;
    let release = rustc(project, "release: ")?;
    let standard = json!({
        "type": "library", "bom-ref": format!("rust-std@{release}"), "name": "rust-std", "version": release,
        "description": "Rust's standard library, with what it brings: core, alloc, std, compiler_builtins",
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    });
    let listed = listed.lines().filter(|line| !line.is_empty()).map(|line| crate_of(line, &lock));
    listed.chain([Ok(standard)]).collect()
}

/// The crate of a line of `cargo tree`: `libm v0.2.16;MIT`, or `textveil v0.1.0 (/a/directory);MIT OR Apache-2.0`. One that is
/// not in the checkout has a checksum in `Cargo.lock`.
fn crate_of(line: &str, lock: &str) -> Result<Value> {
    let unknown = || format!("cargo tree says '{line}'");
    let (named, licence) = line.rsplit_once(';').with_context(unknown)?;
    let mut words = named.split(' ');
    let (name, version) = words.next().zip(words.next()).with_context(unknown)?;
    let version = version.strip_prefix('v').with_context(unknown)?;
    ensure!(!licence.is_empty(), "{name} states no licence");
    let reference = format!("pkg:cargo/{name}@{version}");
    // CycloneDX's schema does not know the slash, an older way to write "or".
    let licence = licence.replace('/', " OR ");
    let mut component = json!({
        "type": "library", "bom-ref": reference, "name": name, "version": version, "licenses": [{ "expression": licence }],
    });
    if words.next().is_none() {
        let entry = format!("\nname = \"{name}\"\nversion = \"{version}\"\n");
        let entry = lock.split("[[package]]").find(|package| package.starts_with(&entry));
        let checksum = entry.and_then(|entry| entry.split("checksum = \"").nth(1)?.split('"').next());
        let checksum = checksum.with_context(|| format!("Cargo.lock has no checksum of {name} {version}"))?;
        component["purl"] = reference.into();
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    Ok(component)
}

/// Holds bills against CycloneDX's schema, and the npm package's against what cargo says that it compiles.
///
/// # Errors
/// A bill is invalid, names too much or too little; `Missing` without Python.
pub(crate) fn check(project: &Project, bills: &[PathBuf]) -> Result<String> {
    let package = package::build(project, Flavour::Release)?;
    let sources = project.root().join("tests/sbom");
    let python = python::with_requirements(project, &sources.join("requirements.txt"))?;
    let mut validate = project.command(python);
    validate.arg(sources.join("validate.py")).args(bills);
    for (number, entry) in ENTRIES.into_iter().enumerate() {
        let messages = project.target().join(format!("sbom-{number}.jsonl"));
        fs::write(&messages, package::build_messages(project, entry)?)?;
        for module in entry.modules(&package) {
            let part =
                [package.join(NPM).into(), name_in(&package, &module)?.into(), messages.clone().into_os_string()];
            validate.arg("--compiled").args(part);
        }
    }
    Ok(project.read(&mut validate)?.trim_end().replace('\n', ", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_has_the_checksum_of_its_version_unless_it_is_in_the_checkout_and_a_licence_in_any_case() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"01\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0.0\"\n";
        let read = |line: &str| crate_of(line, lock).ok();
        let fetched = read("a v1.0.0;MIT").expect("it is in the lock");
        assert_eq!(
            (&fetched["bom-ref"], &fetched["hashes"][0]["content"]),
            (&json!("pkg:cargo/a@1.0.0"), &json!("01"))
        );
        let own = read("textveil v0.1.0 (/a;b/core);MIT/Apache-2.0").expect("it is in the checkout");
        assert_eq!(own["licenses"], json!([{ "expression": "MIT OR Apache-2.0" }]));
        assert!(own.get("hashes").is_none() && own.get("purl").is_none());
        for refused in ["a v2.0.0;MIT", "a v1.0.0;", "a;MIT"] {
            assert_eq!(read(refused), None, "{refused}");
        }
    }
}
