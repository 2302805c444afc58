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

use crate::package::{self, ENTRIES, Entry, Flavour, TABLE};
use crate::project::Project;
use crate::toolchain::WASM;
use crate::{cache, cross, python};

/// The file in the npm package.
pub(crate) const NPM: &str = "textveil.cdx.json";

/// The version of CycloneDX; `tests/sbom/validate.py` reads by the same.
const SPECIFICATION: &str = "1.6";

/// A crate that is compiled into something.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Crate {
    name: String,
    version: String,
    licence: String,
    /// Whether it is from the registry and not from the checkout.
    fetched: bool,
}

impl Crate {
    fn reference(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }

    fn component(&self, checksums: &BTreeMap<(String, String), String>) -> Result<Value> {
        let mut component = json!({
            "type": "library",
            "bom-ref": self.reference(),
            "name": self.name,
            "version": self.version,
            "licenses": [{ "expression": self.licence }],
        });
        if self.fetched {
            let checksum = checksums.get(&(self.name.clone(), self.version.clone()));
            let checksum = checksum.with_context(|| format!("Cargo.lock has no checksum of {}", self.name))?;
            component["purl"] = self.reference().into();
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        Ok(component)
    }
}

/// The bill of the npm package, whose modules lie in `package` already.
///
/// # Errors
/// Cargo names a crate without a licence or a checksum, or does not run.
pub(crate) fn npm(project: &Project, package: &Path) -> Result<String> {
    let manifest = project.root().join("wasm/npm/package.json");
    let manifest: Value =
        serde_json::from_slice(&fs::read(&manifest).with_context(|| manifest.display().to_string())?)?;
    let (name, version) = manifest["name"].as_str().zip(manifest["version"].as_str()).context("package.json")?;
    let purl = format!("pkg:npm/{name}@{version}");
    let root = json!({
        "type": "library", "bom-ref": purl, "purl": purl, "name": name, "version": version,
        "licenses": [{ "expression": manifest["license"] }],
    });
    let mut bill = Bill::new(project, root)?;
    for entry in ENTRIES {
        let crates = crates(project, "textveil-wasm", WASM, entry.features)?;
        for module in entry.modules(package) {
            let file = module.strip_prefix(package)?.to_string_lossy().replace('\\', "/");
            bill.add_file(&file, "file", None, &fs::read(&module)?);
            bill.add_crates(&file, &crates)?;
        }
    }
    bill.add_table(project, &purl)?;
    bill.finish()
}

/// The bill of the library for Swift, Kotlin and Python, as it is built for `target`.
///
/// # Errors
/// As [`npm`].
fn mobile(project: &Project, target: &str) -> Result<String> {
    let crates = crates(project, "textveil-mobile", target, &[])?;
    let own = crates.iter().find(|own| own.name == "textveil-mobile").context("textveil-mobile is not in itself")?;
    let root = json!({
        "type": "library", "bom-ref": target, "name": own.name, "version": own.version,
        "licenses": [{ "expression": format!("({}) AND CC-BY-SA-4.0", own.licence) }],
        "properties": [{ "name": "cdx:rust:target", "value": target }],
    });
    let mut bill = Bill::new(project, root)?;
    bill.add_crates(target, &crates)?;
    bill.add_table(project, target)?;
    bill.finish()
}

/// Every target that the library is built for: this machine and phones.
fn mobile_targets(project: &Project) -> Result<Vec<String>> {
    let version = project.read(project.command("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(std::iter::once(host.to_owned()).chain(cross::targets().map(str::to_owned)).collect())
}

/// A bill in the making.
struct Bill {
    root: Value,
    components: BTreeMap<String, Value>,
    inside: BTreeMap<String, BTreeSet<String>>,
    checksums: BTreeMap<(String, String), String>,
    standard_library: String,
    compiler: Value,
}

impl Bill {
    fn new(project: &Project, root: Value) -> Result<Self> {
        let lock = fs::read_to_string(project.root().join("Cargo.lock")).context("Cargo.lock")?;
        let version = project.read(project.command("rustc").arg("-vV"))?;
        let release =
            version.lines().find_map(|line| line.strip_prefix("release: ")).context("rustc has no version")?;
        let standard_library = format!("rust-std@{release}");
        let component = json!({
            "type": "library", "bom-ref": standard_library, "name": "rust-std", "version": release,
            "description": "Rust's standard library, with what it brings: core, alloc, std, compiler_builtins",
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        });
        Ok(Self {
            root,
            components: BTreeMap::from([(standard_library.clone(), component)]),
            inside: BTreeMap::new(),
            checksums: checksums(&lock),
            standard_library,
            compiler: json!({ "type": "application", "name": "rustc", "version": release }),
        })
    }

    /// A file that the whole consists of.
    fn add_file(&mut self, name: &str, kind: &str, licence: Option<&str>, bytes: &[u8]) {
        let mut component = json!({
            "type": kind, "bom-ref": name, "name": name,
            "hashes": [{ "alg": "SHA-256", "content": cache::sha256(bytes) }],
        });
        if let Some(licence) = licence {
            component["licenses"] = json!([{ "license": { "id": licence } }]);
        }
        self.components.insert(name.to_owned(), component);
        let whole = self.root["bom-ref"].as_str().unwrap_or_default().to_owned();
        self.inside.entry(whole).or_default().insert(name.to_owned());
    }

    /// What is compiled into `part`.
    fn add_crates(&mut self, part: &str, crates: &BTreeSet<Crate>) -> Result<()> {
        let inside = self.inside.entry(part.to_owned()).or_default();
        inside.insert(self.standard_library.clone());
        for one in crates {
            inside.insert(one.reference());
            self.components.insert(one.reference(), one.component(&self.checksums)?);
        }
        Ok(())
    }

    fn add_table(&mut self, project: &Project, whole: &str) -> Result<()> {
        let table = fs::read(project.root().join("core/data").join(TABLE))?;
        self.add_file(TABLE, "data", Some("CC-BY-SA-4.0"), &table);
        self.inside.entry(whole.to_owned()).or_default().insert(TABLE.to_owned());
        Ok(())
    }

    fn finish(self) -> Result<String> {
        let inside = self.inside.iter().map(|(part, inside)| json!({ "ref": part, "dependsOn": inside }));
        let bill = json!({
            "bomFormat": "CycloneDX",
            "specVersion": SPECIFICATION,
            "version": 1,
            "metadata": { "component": self.root, "tools": { "components": [self.compiler] } },
            "components": self.components.values().collect::<Vec<_>>(),
            "dependencies": inside.collect::<Vec<_>>(),
        });
        Ok(format!("{}\n", serde_json::to_string_pretty(&bill)?))
    }
}

/// The crates that are compiled into a package for a target, itself among them.
fn crates(project: &Project, package: &str, target: &str, features: &[&str]) -> Result<BTreeSet<Crate>> {
    let mut tree = project.cargo(&["tree", "--locked", "--edges=normal,no-proc-macro", "--prefix=none", "--no-dedupe"]);
    tree.args(["--format={p};{l}", "--package", package, "--target", target, "--features", &features.join(",")]);
    let listed = project.read(&mut tree)?;
    listed.lines().filter(|line| !line.is_empty()).map(listed_crate).collect()
}

/// A line of `cargo tree`: `libm v0.2.16;MIT`, or `textveil v0.1.0 (/a/directory);MIT OR Apache-2.0`.
fn listed_crate(line: &str) -> Result<Crate> {
    let unknown = || format!("cargo tree says '{line}'");
    let (named, licence) = line.rsplit_once(';').with_context(unknown)?;
    let mut words = named.split(' ');
    let (name, version) = words.next().zip(words.next()).with_context(unknown)?;
    let version = version.strip_prefix('v').with_context(unknown)?;
    ensure!(!licence.is_empty(), "{name} states no licence");
    // An older way to write it, which the schema does not know.
    let licence = licence.replace('/', " OR ");
    Ok(Crate { name: name.to_owned(), version: version.to_owned(), licence, fetched: words.next().is_none() })
}

/// The checksums in `Cargo.lock`, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |package: &str, key: &str| {
        let start = format!("{key} = \"");
        package.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix('"').map(str::to_owned))
    };
    let packages = lock.split("[[package]]");
    packages
        .filter_map(|package| {
            Some(((value(package, "name")?, value(package, "version")?), value(package, "checksum")?))
        })
        .collect()
}

/// Holds bills against CycloneDX's schema, and the npm package's against what cargo compiles.
///
/// # Errors
/// A bill is invalid, names too much or too little; `Missing` without Python.
pub(crate) fn check(project: &Project, bills: &[PathBuf]) -> Result<String> {
    let package = package::build(project, Flavour::Release)?;
    let sources = project.root().join("tests/sbom");
    let python = python::with_requirements(project, &sources.join("requirements.txt"))?;
    project.run(project.command(python).arg(sources.join("validate.py")).args(bills))?;
    let bill: Value = serde_json::from_slice(&fs::read(package.join(NPM))?)?;
    let mut counts = Vec::new();
    for entry in ENTRIES {
        let compiled = compiled(project, entry)?;
        for module in entry.modules(&package) {
            let file = module.strip_prefix(&package)?.to_string_lossy().replace('\\', "/");
            let listed = listed_inside(&bill, &file)?;
            ensure!(listed == compiled, "{file}: the bill lists {listed:?}, cargo compiled {compiled:?}");
        }
        counts.push(format!("{} crates in {}", compiled.len(), entry.name));
    }
    Ok(format!("{} bills, {}", bills.len(), counts.join(", ")))
}

/// Writes the bills of the library for phones and servers into a directory and returns their paths.
pub(crate) fn write(project: &Project, directory: &Path) -> Result<Vec<PathBuf>> {
    mobile_targets(project)?
        .iter()
        .map(|target| {
            let file = directory.join(format!("textveil-mobile-{target}.cdx.json"));
            fs::write(&file, mobile(project, target)?)?;
            Ok(file)
        })
        .collect()
}

/// The crates that a bill lists inside a file, as `pkg:cargo/NAME@VERSION`.
fn listed_inside(bill: &Value, file: &str) -> Result<BTreeSet<String>> {
    let parts = bill["dependencies"].as_array().context("the bill says of no part what is inside")?;
    let part = parts.iter().find(|part| part["ref"] == file).with_context(|| format!("the bill lacks {file}"))?;
    let inside = part["dependsOn"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(inside.filter(|one| one.starts_with("pkg:cargo/")).map(str::to_owned).collect())
}

/// The crates that cargo reports to have compiled for a module, in the same form.
fn compiled(project: &Project, entry: Entry) -> Result<BTreeSet<String>> {
    let messages = package::build_messages(project, entry)?;
    let messages = messages.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>()?;
    let for_target = |message: &&Value| {
        let mut files = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str);
        message["reason"] == "compiler-artifact" && files.any(|file| Path::new(file).iter().any(|part| part == WASM))
    };
    let identity = |message: &Value| {
        let identity = message["package_id"].as_str().and_then(|identity| identity.split_once('#'));
        identity.map(|(_, named)| format!("pkg:cargo/{named}")).context("cargo compiled what has no identity")
    };
    messages.iter().filter(for_target).map(identity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_cargo_tree_is_read_or_refused() {
        let read = |line: &str| listed_crate(line).map(|one| (one.name, one.version, one.licence, one.fetched)).ok();
        let crates = |name: &str, version: &str, licence: &str, fetched| {
            Some((name.to_owned(), version.to_owned(), licence.to_owned(), fetched))
        };
        assert_eq!(read("libm v0.2.16;MIT"), crates("libm", "0.2.16", "MIT", true));
        assert_eq!(
            read("textveil v0.1.0 (/a;b/core);MIT/Apache-2.0"),
            crates("textveil", "0.1.0", "MIT OR Apache-2.0", false)
        );
        assert_eq!(read("libm v0.2.16;"), None);
        assert_eq!(read("libm;MIT"), None);
    }

    #[test]
    fn checksums_are_those_of_the_version() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"01\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0.0\"\n";
        let version = |version: &str| ("a".to_owned(), version.to_owned());
        let found = checksums(lock);
        assert_eq!(found.get(&version("1.0.0")).map(String::as_str), Some("01"));
        assert_eq!(found.get(&version("2.0.0")), None);
    }
}
