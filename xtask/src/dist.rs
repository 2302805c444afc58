//! `cargo xtask dist`: the tarball that `npm publish` would send.

use anyhow::Result;

use crate::javascript::Node;
use crate::package::{self, Flavour};
use crate::project::Project;

/// `cargo xtask dist`
pub(crate) fn command(project: &Project, args: lexopt::Parser) -> Result<()> {
    crate::no_more(args)?;
    let node = Node::find(project)?;
    let package = package::build(project, Flavour::Release)?;
    let tarball = node.pack(project, &package, &project.target().join("dist"))?;
    println!("{}", tarball.display());
    Ok(())
}
