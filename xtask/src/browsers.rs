//! The browsers that tests run in: Chromium, Firefox and WebKitGTK.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::project::{Missing, Project, find_program};

/// A browser, how it is found and how it is installed.
struct Browser {
    /// For people.
    name: &'static str,
    /// The variable that names its program, for us and for the tests.
    variable: &'static str,
    /// What it is called on a search path, or where macOS keeps it.
    programs: &'static [&'static str],
    /// Another program that it needs.
    with: Option<&'static str>,
    /// Debian's packages.
    packages: &'static [&'static str],
}

/// All of them. No browser test can do without the first. WebKitGTK is found by its driver, and needs a display: `xvfb-run`.
const BROWSERS: [Browser; 3] = [
    Browser {
        name: "Chromium",
        variable: "CHROME",
        programs: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", GOOGLE_CHROME],
        with: None,
        packages: &["chromium", "fonts-dejavu-core"],
    },
    Browser {
        name: "Firefox",
        variable: "FIREFOX",
        programs: &["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"],
        with: None,
        packages: &["firefox-esr"],
    },
    Browser {
        name: "WebKitGTK",
        variable: "WEBKIT_DRIVER",
        programs: &["WebKitWebDriver"],
        with: Some("xvfb-run"),
        packages: &["webkit2gtk-driver", "xvfb", "xauth"],
    },
];

const GOOGLE_CHROME: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// The Chromium that `CHROME` names, else an installed one, else Debian's, installed now.
pub(crate) fn chromium(project: &Project) -> Result<PathBuf> {
    BROWSERS.first().context("a list of browsers")?.find(project)
}

/// What [`all`] has found.
#[derive(Default)]
pub(crate) struct Found {
    /// The variables that name the browsers to the tests.
    pub(crate) settings: Vec<(&'static str, String)>,
    /// The names of those that are neither here nor to be had.
    pub(crate) missing: Vec<&'static str>,
}

/// Every browser that is here, or can be installed.
pub(crate) fn all(project: &Project) -> Result<Found> {
    chromium(project)?;
    let mut found = Found::default();
    for browser in &BROWSERS {
        match browser.find(project) {
            Ok(program) => found.settings.push((browser.variable, program.to_string_lossy().into_owned())),
            Err(_) => found.missing.push(browser.name),
        }
    }
    Ok(found)
}

impl Browser {
    fn find(&self, project: &Project) -> Result<PathBuf> {
        if let Some(chosen) = std::env::var_os(self.variable) {
            return Ok(chosen.into());
        }
        let installed = || {
            let is_complete = self.with.is_none_or(|other| find_program(&[other]).is_some());
            find_program(self.programs).filter(|_| is_complete)
        };
        let found = installed().or_else(|| project.apt_install(self.packages).then(installed).flatten());
        Ok(found.ok_or_else(|| Missing(format!("no {}: install it, or name one in {}", self.name, self.variable)))?)
    }
}
