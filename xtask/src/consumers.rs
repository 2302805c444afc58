//! The customers' machine: npm projects outside the checkout, with tools of their own and our package, which
//! npm installs from its tarball.

use std::path::Path;

use anyhow::{Context, Result};

use crate::browsers::CHROMIUM;
use crate::javascript::{self, Node};
use crate::project::{Project, copy_tree, recreate};

/// The check `consumers`: sets the machine up, and runs `tests/consumers` on it.
pub(crate) fn check(project: &Project) -> Result<String> {
    let chromium = CHROMIUM.find(project)?;
    let node = Node::find(project)?;
    let packed = node.install(project)?;
    let machine = project.target.join("consumers");
    let consumers = javascript::tests(project).join("consumers");
    let projects = [
        ("app", consumers.join("app")),
        ("recipes", project.root.join("wasm/recipes")),
        ("testers", consumers.join("testers")),
    ];
    for (name, source) in projects {
        let folder = machine.join(name);
        renew(project, &source, &folder)?;
        node.install_locked(project, &folder)?;
        node.install_packed(project, &folder, &packed)?;
    }
    let screenshots = project.target.join("screenshots/consumers");
    recreate(&screenshots)?;
    let (_, release) = packed.first().context("nothing was packed")?;
    let settings =
        [("TEXTVEIL_CONSUMERS", &machine), ("TEXTVEIL_TARBALL", release), ("TEXTVEIL_SCREENSHOTS", &screenshots)];
    let mut settings = settings.map(|(name, path)| (name, path.to_string_lossy().into_owned())).to_vec();
    settings.push(chromium);
    node.test(project, "consumers", &settings)
}

/// Makes a folder a copy of `source` again, and keeps what npm has installed there.
fn renew(project: &Project, source: &Path, folder: &Path) -> Result<()> {
    let sh = &project.sh;
    let old = sh.read_dir(sh.create_dir(folder)?)?;
    old.iter().filter(|old| !old.ends_with("node_modules")).try_for_each(|old| sh.remove_path(old))?;
    copy_tree(source, folder)
}
