//! A Chromium for the browser tests.

use std::path::PathBuf;

use anyhow::Result;

use crate::project::{Missing, Project, find_program};
use crate::toolchain::apt_install;

/// What Chromium is called on a search path.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Where macOS keeps it.
const MACOS: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// The browser that `CHROME` names, else an installed one, else Debian's, installed now.
///
/// # Errors
/// [`Missing`] if there is none and none can be installed.
pub(crate) fn find(project: &Project) -> Result<PathBuf> {
    if let Some(chosen) = std::env::var_os("CHROME") {
        return Ok(chosen.into());
    }
    let installed = || find_program(&NAMES).or_else(|| Some(PathBuf::from(MACOS)).filter(|path| path.is_file()));
    if let Some(browser) = installed() {
        return Ok(browser);
    }
    apt_install(project, &["chromium", "fonts-dejavu-core"]);
    installed().ok_or_else(|| Missing("no Chromium: install it, or name one in CHROME".into()).into())
}
