//! `cargo xtask demo`: the page and a collector that it can send to, on this machine, built from this checkout.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::package;
use crate::project::{Project, copy_tree, find_program, recreate, standard};
use crate::server::Server;

/// `cargo xtask demo [--port N] [--no-open]`
pub(crate) fn command(project: &Project, port: u16, open: bool) -> Result<()> {
    // Held while the demo is built: a second demo has another port and another folder, or says so before it builds.
    let held = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| format!("--port: {port} is taken"))?;
    let port = held.local_addr()?.port();
    println!("The demo is built in two steps. The first time they usually take 3 minutes together, later seconds.");
    println!("1 of 2: the modules that draw in the page (usually a minute the first time)");
    let directory = assemble(project, &package::build_for_demo(project)?, &format!("demo-{port}"))?;
    println!("2 of 2: the server of the page, which also collects what you send (usually a minute the first time)");
    // For the package alone, cargo compiles only what the server needs.
    let Project { sh, cargo, .. } = project;
    project.run(cmd!(sh, "{cargo} build --package=textveil-collector --no-default-features"))?;
    drop(held);
    let mut server =
        Server::start(project, &project.program("debug", "textveil-collector"), port, &[("/", directory)])?;
    println!("The demo is at {} (Ctrl-C ends it).", server.url);
    // What asks the desktop for its browser. A machine without one has the address on its terminal.
    let opener = match std::env::consts::OS {
        "macos" => cmd!(sh, "open"),
        "windows" => cmd!(sh, "cmd /C start ''"),
        _ => cmd!(sh, "xdg-open"),
    };
    let mut opener = standard(opener.arg(&server.url));
    if open {
        // Some openers last as long as the browser that they start, and it needs the server.
        std::thread::spawn(move || {
            let opened = opener.stdout(Stdio::null()).stderr(Stdio::null()).status();
            if !opened.is_ok_and(|status| status.success()) {
                println!("No browser could be opened from here: open the address by hand.");
            }
        });
    }
    server.wait()
}

/// Lays the page and a package together in a folder of the target directory.
pub(crate) fn assemble(project: &Project, package: &Path, folder: &str) -> Result<PathBuf> {
    let demo = project.target.join(folder);
    recreate(&demo)?;
    copy_tree(&project.root.join("web-demo"), &demo)?;
    copy_tree(package, &demo.join("textveil"))?;
    // The page cites the measurements behind its levels. A mark of UTF-8 tells browsers what a text file cannot.
    let record = project.sh.read_file("docs/decisions/0050-levels-by-evidence.md")?;
    project.sh.write_file(demo.join("levels.txt"), format!("\u{feff}{record}"))?;
    if let Some(node) = find_program(&["node"]) {
        project.run(cmd!(project.sh, "{node} xtask/package/compress.mjs {demo}"))?;
    }
    Ok(demo)
}
