//! The browsers that tests run in: Chromium, Firefox and WebKitGTK.

use std::path::PathBuf;

use anyhow::Result;

use crate::project::{Missing, Project, find_program};
use crate::toolchain::apt_install;

/// A browser, how it is found and how it is installed.
struct Browser {
    /// For people.
    name: &'static str,
    /// The variable that names its program, for us and for the tests.
    variable: &'static str,
    /// What it is called on a search path.
    programs: &'static [&'static str],
    /// Where macOS keeps it.
    macos: Option<&'static str>,
    /// Debian's packages.
    packages: &'static [&'static str],
}

/// The one that no browser test can do without.
const CHROMIUM: Browser = Browser {
    name: "Chromium",
    variable: "CHROME",
    programs: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    macos: Some("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    packages: &["chromium", "fonts-dejavu-core"],
};

/// All of them. WebKitGTK is found by its driver, and runs on a display of its own (`xvfb-run`).
const BROWSERS: [Browser; 3] = [
    CHROMIUM,
    Browser {
        name: "Firefox",
        variable: "FIREFOX",
        programs: &["firefox-esr", "firefox"],
        macos: Some("/Applications/Firefox.app/Contents/MacOS/firefox"),
        packages: &["firefox-esr"],
    },
    Browser {
        name: "WebKitGTK",
        variable: "WEBKIT_DRIVER",
        programs: &["WebKitWebDriver"],
        macos: None,
        packages: &["webkit2gtk-driver", "xvfb", "xauth"],
    },
];

/// The Chromium that `CHROME` names, else an installed one, else Debian's, installed now.
///
/// # Errors
/// [`Missing`] if there is none and none can be installed.
pub(crate) fn chromium(project: &Project) -> Result<PathBuf> {
    CHROMIUM.find(project)
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
///
/// # Errors
/// [`Missing`] without Chromium.
pub(crate) fn all(project: &Project) -> Result<Found> {
    let mut found = Found::default();
    for browser in &BROWSERS {
        match browser.find(project) {
            Ok(program) => found.settings.push((browser.variable, program.to_string_lossy().into_owned())),
            Err(error) if browser.variable == CHROMIUM.variable => return Err(error),
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
        if let Some(program) = self.installed() {
            return Ok(program);
        }
        apt_install(project, self.packages);
        let missing = || Missing(format!("no {}: install it, or name one in {}", self.name, self.variable));
        Ok(self.installed().ok_or_else(missing)?)
    }

    fn installed(&self) -> Option<PathBuf> {
        let program = find_program(self.programs);
        let program = program.or_else(|| self.macos.map(PathBuf::from).filter(|path| path.is_file()))?;
        // A driver without a display is of no use.
        let complete = !self.packages.contains(&"xvfb") || find_program(&["xvfb-run"]).is_some();
        complete.then_some(program)
    }
}
