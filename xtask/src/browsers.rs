//! The browsers that tests run in: Chromium, Firefox and WebKitGTK.

use anyhow::Result;

use crate::project::{Missing, Project, find_program};

/// A browser, how it is found and how it is installed.
pub(crate) struct Browser {
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

/// No browser test can do without this one.
pub(crate) const CHROMIUM: Browser = Browser {
    name: "Chromium",
    variable: "CHROME",
    programs: &[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ],
    with: None,
    packages: &["chromium", "fonts-dejavu-core"],
};
const FIREFOX: Browser = Browser {
    name: "Firefox",
    variable: "FIREFOX",
    programs: &["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"],
    with: None,
    packages: &["firefox-esr"],
};
/// It is found by its driver, and needs a display.
const WEBKIT: Browser = Browser {
    name: "WebKitGTK",
    variable: "WEBKIT_DRIVER",
    programs: &["WebKitWebDriver"],
    with: Some("xvfb-run"),
    packages: &["webkit2gtk-driver", "xvfb", "xauth"],
};

/// The variables that tell the tests where something is.
pub(crate) type Settings = Vec<(&'static str, String)>;

/// Every browser that is here or can be installed, as the variables that name them to the tests; and the names of the
/// others.
pub(crate) fn all(project: &Project) -> Result<(Settings, Vec<&'static str>)> {
    let (mut settings, mut missing) = (vec![CHROMIUM.find(project)?], Vec::new());
    for browser in [FIREFOX, WEBKIT] {
        browser.find(project).map_or_else(|_| missing.push(browser.name), |found| settings.push(found));
    }
    Ok((settings, missing))
}

impl Browser {
    /// The browser that its variable names, else an installed one, else Debian's, installed now; as that variable.
    pub(crate) fn find(&self, project: &Project) -> Result<(&'static str, String)> {
        if let Ok(chosen) = project.sh.var(self.variable) {
            return Ok((self.variable, chosen));
        }
        let is_complete = || self.with.is_none_or(|other| find_program(&[other]).is_some());
        let installed = || find_program(self.programs).filter(|_| is_complete());
        let found = installed().or_else(|| project.apt_install(self.packages).then(installed).flatten());
        let missing = || Missing(format!("no {}: install it, or name one in {}", self.name, self.variable));
        Ok((self.variable, found.ok_or_else(missing)?.to_string_lossy().into_owned()))
    }
}
