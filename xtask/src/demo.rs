//! `cargo xtask demo`: the interactive page and a collector that it can send to, on this machine, built from this checkout.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use lexopt::prelude::*;

use crate::package;
use crate::project::{Project, copy_tree, recreate};
use crate::server::{Mount, Server};

/// Where the page is when nothing else is asked for.
const PORT: u16 = 8080;

/// `cargo xtask demo [--port N] [--no-open]`
pub(crate) fn command(project: &Project, mut args: lexopt::Parser) -> Result<()> {
    let (mut port, mut open) = (PORT, true);
    while let Some(argument) = args.next()? {
        match argument {
            Long("port") => {
                let value = args.value()?.string()?;
                port = value.parse().with_context(|| format!("--port {value}"))?;
            }
            Long("no-open") => open = false,
            other => return Err(other.unexpected().into()),
        }
    }
    println!("The demo is built in two steps. The first time they usually take 2 minutes together, later seconds.");
    println!("1 of 2: the module that draws the words in the page (usually half a minute the first time)");
    let directory = assemble(project, &package::build_for_demo(project)?)?;
    println!("2 of 2: the server of the page, which also collects what you send (usually a minute the first time)");
    // For the package alone, cargo compiles only what the server needs.
    project.run(&mut project.cargo(&["build", "--package=textveil-collector", "--no-default-features"]))?;
    let program = project.program("debug", "textveil-collector");
    let mut server = Server::run(project, &program, port, &[Mount { prefix: "/", directory }])?;
    let url = server.url().to_owned();
    println!("The demo is at {url} (Ctrl-C ends it).");
    std::thread::scope(|scope| {
        if open {
            // Some openers last as long as the browser that they start, and it needs the server.
            scope.spawn(|| open_in_browser(project, &url));
        }
        server.wait()
    })
}

/// Lays the page and a package together.
pub(crate) fn assemble(project: &Project, package: &Path) -> Result<PathBuf> {
    let demo = project.target().join("demo");
    recreate(&demo)?;
    copy_tree(&project.root().join("web-demo"), &demo)?;
    copy_tree(package, &demo.join("textveil"))?;
    Ok(demo)
}

/// Asks the desktop for its browser. A machine without one has the address on its terminal.
fn open_in_browser(project: &Project, url: &str) {
    let (program, arguments): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut opener = project.command(program);
    opener.args(arguments).arg(url).stdout(Stdio::null()).stderr(Stdio::null());
    if !opener.status().is_ok_and(|status| status.success()) {
        println!("No browser could be opened from here: open the address by hand.");
    }
}
