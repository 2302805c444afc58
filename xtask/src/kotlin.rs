//! The Kotlin package on a plain JVM: bindings, layer and tests, built by Maven.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use xshell::{Cmd, cmd};

use crate::mobile::{self, SEEDED};
use crate::package::{Flavour, check_flavour};
use crate::project::{Project, files, recreate};
use crate::report::passed;
use crate::toolchain::refuse_paths;

/// Runs the package's tests: golden vectors, threads, bad input, against the flavour that takes a seed. Of the
/// release flavour, the layer is compiled: its bindings are others. Then shrinks the sample with it and runs that.
pub(crate) fn test(project: &Project) -> Result<String> {
    let sh = &project.sh;
    let (compile, release) = build(project, Flavour::Release)?;
    project.run(compile.arg("compile"))?;
    let (test, tested) = build(project, Flavour::InsecureSeeded)?;
    project.run(test.args(["--activate-profiles=shrinker", "test", "dependency:copy-dependencies"]))?;
    // Either of these fails if the package's rules keep too little.
    let classes = tested.join("jars/*");
    project.run(cmd!(
        sh,
        "java -Drelease={release} -Dtested={tested} -cp {classes} proguard.ProGuard @mobile/kotlin/sample/shrink.pro"
    ))?;
    project.run(cmd!(sh, "java -cp {release}/shrunk.jar textveil.sample.Program"))?;
    Ok(format!("{} tests", passed(&tested.join("surefire-reports"))?))
}

/// The jar of a release for this machine.
pub(crate) fn package(project: &Project) -> Result<PathBuf> {
    let (build, directory) = build(project, Flavour::Release)?;
    project.run(build.args(["-Dmaven.test.skip=true", "package"]))?;
    let packed = files(&directory.join("classes"))?;
    refuse_paths(project, &packed)?;
    check_flavour(&packed, Flavour::Release, SEEDED)?;
    let library = mobile::library_name();
    ensure!(packed.iter().any(|file| file.ends_with(&library)), "the jar has no {library}");
    let jar =
        project.sh.read_dir(directory)?.into_iter().find(|file| file.extension().is_some_and(|kind| kind == "jar"));
    jar.context("Maven wrote no jar")
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
    let maven = cmd!(
        sh,
        "{maven} --batch-mode --no-transfer-progress --file {root}/mobile/kotlin/pom.xml -Dtextveil.build={build}
         -Dtextveil.bindings={bindings} -Dtextveil.natives={natives} -Dtextveil.tests={root}/tests"
    );
    Ok((maven, build))
}
