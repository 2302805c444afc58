//! The customers' machine: npm projects outside the checkout, with tools of their own and our package, which
//! npm installs from its tarball.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::browsers;
use crate::javascript::{self, Node};
use crate::project::{Project, copy_tree, recreate};

/// The check `consumers`: sets the machine up, and runs `tests/consumers` on it.
pub(crate) fn check(project: &Project) -> Result<String> {
    let chromium = browsers::chromium(project)?;
    let node = Node::find(project)?;
    let packed = node.install(project)?;
    let machine = project.target().join("consumers");
    let consumers = javascript::tests(project).join("consumers");
    let projects = [
        ("app", consumers.join("app")),
        ("recipes", project.root().join("wasm/recipes")),
        ("testers", consumers.join("testers")),
    ];
    for (name, source) in projects {
        let folder = machine.join(name);
        renew(&source, &folder)?;
        node.install_locked(project, &folder)?;
        node.install_packed(project, &folder, &packed)?;
    }
    let screenshots = project.target().join("screenshots/consumers");
    recreate(&screenshots)?;
    let release = packed.first().context("nothing was packed")?;
    let settings = [
        ("CHROME", chromium.as_path()),
        ("TEXTVEIL_CONSUMERS", &machine),
        ("TEXTVEIL_TARBALL", &release.tarball),
        ("TEXTVEIL_SCREENSHOTS", &screenshots),
    ];
    node.test(project, "consumers", &settings.map(|(name, path)| (name, path.to_string_lossy().into_owned())))
}

/// Makes a folder a copy of `source` again, but for what npm has installed there.
fn renew(source: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == "node_modules" {
            continue;
        }
        if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path())? } else { fs::remove_file(entry.path())? }
    }
    copy_tree(source, folder)
}
