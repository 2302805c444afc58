//! The Kotlin package on a plain JVM: bindings, layer and tests, built by Maven.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use xshell::{Cmd, cmd};

use crate::mobile::{self, SEEDED};
use crate::package::{Flavour, check_flavour};
use crate::project::{Missing, Project, files, recreate};
use crate::python::python;
use crate::report::passed;
use crate::toolchain::refuse_paths;

/// Where the field for Compose is tested: in a window.
const ON_A_SCREEN: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));
const SCREEN: [&str; 2] = ["--auto-servernum", "--server-args=-screen 0 1024x768x24"];

/// Packs the release flavour, and runs the package's tests against the flavour that takes a seed: golden vectors,
/// threads, bad input, the documents' blocks, the field for Compose. The package may use only what Android 7 has. Then
/// shrinks the sample with the release and runs that.
pub(crate) fn test(project: &Project) -> Result<String> {
    let (sh, release) = (&project.sh, Flavour::Release.directory(project, "kotlin"));
    package(project)?;
    let (test, tested) = build(project, Flavour::InsecureSeeded)?;
    project.run(sh.cmd(python()?).args(["docs/blocks.py", "kotlin"]).arg(tested.join("documents/Blocks.kt")))?;
    let compose = if ON_A_SCREEN { ",compose" } else { "" };
    let profiles = format!("--activate-profiles=android,shrinker{compose}");
    let run = project.run(test.args([&profiles, "test", "dependency:copy-dependencies"]));
    let tests = passed(project, run, &tested.join("surefire-reports"))?;
    // Either of these fails if the package's rules keep too little.
    let classes = tested.join("jars/*");
    project.run(cmd!(
        sh,
        "java -Drelease={release} -Dtested={tested} -cp {classes} proguard.ProGuard @mobile/kotlin/sample/shrink.pro"
    ))?;
    project.run(cmd!(sh, "java -cp {release}/shrunk.jar textveil.sample.Program"))?;
    ensure!(ON_A_SCREEN, Missing(format!("{tests}, but no window for the field for Compose")));
    Ok(tests.to_string())
}

/// A Maven repository in a folder, made once a run: the jar of a release for this machine, its sources and its
/// documentation, as Maven sends them to any other repository.
pub(crate) fn package(project: &Project) -> Result<PathBuf> {
    let directory = Flavour::Release.directory(project, "kotlin");
    let repository = directory.join("repository");
    project.once(&repository, || {
        let (build, directory) = build(project, Flavour::Release)?;
        let place = format!("-DaltDeploymentRepository=folder::file://{}", repository.display());
        project.run(build.args(["--activate-profiles=release", "-Dmaven.test.skip=true", &place, "deploy"]))?;
        let packed = files(&directory.join("classes"))?;
        refuse_paths(project, &packed)?;
        check_flavour(&packed, Flavour::Release, SEEDED)?;
        ensure!(packed.iter().any(|file| file.ends_with(mobile::library_name())), "the jar has no library");
        Ok(())
    })?;
    Ok(repository)
}

/// Maven on the package with the bindings and the library of a flavour, and where it builds; what it is to do is left
/// to add.
fn build(project: &Project, flavour: Flavour) -> Result<(Cmd<'_>, PathBuf)> {
    let Project { sh, root, .. } = project;
    project.need("javac", &["default-jdk-headless"])?;
    let maven = project.need("mvn", &["maven"])?;
    let library = mobile::library(project, flavour, "")?;
    let build = flavour.directory(project, "kotlin");
    // Classes of other bindings would go into the jar.
    recreate(&build)?;
    let [bindings, natives] = ["bindings", "natives"].map(|name| build.join(name));
    mobile::bindings(project, "kotlin", &library, &bindings)?;
    // Where JNA looks in a jar, by its name of this machine.
    let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let platform = platform.replace("macos", "darwin").replace("windows", "win32").replace("x86_64", "x86-64");
    sh.copy_file(&library, sh.create_dir(natives.join(platform))?)?;
    let mut maven = sh.cmd(maven);
    if ON_A_SCREEN && flavour == Flavour::InsecureSeeded {
        maven = sh.cmd(project.need("xvfb-run", &["xvfb", "xauth"])?).args(SCREEN).arg("mvn");
    }
    let maven =
        maven.args(["--batch-mode", "--no-transfer-progress", "--file"]).arg(root.join("mobile/kotlin/pom.xml"));
    let places = [("build", &build), ("bindings", &bindings), ("natives", &natives), ("tests", &root.join("tests"))];
    Ok((maven.args(places.map(|(name, place)| format!("-Dtextveil.{name}={}", place.display()))), build))
}
