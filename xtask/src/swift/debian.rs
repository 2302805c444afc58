//! A Swift tool-chain from Debian's packages, unpacked into the cache, for Linux machines that have none.
//!
//! apt resolves, downloads and verifies, with directories of its own so that nothing of this machine changes;
//! `dpkg-deb` unpacks; no script of a package runs. What is in the tree is linked against the tree's own C
//! library, so programs run inside it: `chroot`, in a mount namespace that ends with the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cache;
use crate::project::{Missing, Project, files, find_program, recreate};

/// The release whose packages these are. Swift 6.0.3 is in it.
const SUITE: &str = "trixie";

/// What its index is signed with.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The compiler with its package manager and both testing libraries. It does not ask for the C and C++ headers,
/// without which its Clang finds no C library.
const PACKAGES: [&str; 3] = ["swiftlang", "libc6-dev", "libstdc++-14-dev"];

/// What comes along and no test needs: other compilers, other checkers, the debugger, editors' servers.
const UNUSED_PACKAGES: [&str; 7] = ["gcc-", "cpp-", "debconf_", "libasan", "libtsan", "liblsan", "libhwasan"];
const UNUSED_FILES: [&str; 11] = [
    "*/share/doc/*",
    "*/share/man/*",
    "*/share/locale/*",
    "*/swift_static*",
    "*/bin/lldb*",
    "*/liblldb*",
    "*/bin/clangd",
    "*/bin/sourcekit-lsp",
    "*libsourcekit*",
    "*/bin/docc",
    "*/bin/swift-format",
];

/// Packages into a tree, without the files that match a line of another file.
const UNPACK: &str = r#"
root=$1 unused=$2; shift 2
for package; do
  dpkg-deb --fsys-tarfile "$package" |
    tar --extract --keep-directory-symlink --directory "$root" --exclude-from "$unused" || exit
done"#;

/// Where the packages put Swift's programs.
const SEARCH_PATH: &str = "/usr/libexec/swift/bin:/usr/bin:/bin";

/// What the work needs of the machine.
const TOOLS: [&str; 6] = ["apt-get", "dpkg-deb", "tar", "unshare", "mount", "chroot"];

/// The tree: a root directory of Debian with Swift in it.
pub(super) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The tree in the cache, made now if it is not there.
    ///
    /// # Errors
    /// [`Missing`] on machines that are not Debian's kind of Linux, or where no namespace can be had.
    pub(super) fn find(project: &Project) -> Result<Self> {
        let missing = |why: String| Missing(format!("Swift is not installed, and Debian's cannot be had: {why}"));
        for tool in TOOLS {
            administrators(tool).ok_or_else(|| missing(format!("there is no {tool}")))?;
        }
        let recipe = [&[SUITE], &PACKAGES[..], &UNUSED_PACKAGES, &UNUSED_FILES].concat().join("\n");
        let root = cache::directory()?.join(format!("swift-{}", &cache::sha256(recipe.as_bytes())[..16]));
        let tree = Self { root };
        // Renamed into place last: a tree that is there is whole.
        if !tree.root.is_dir() {
            let unfinished = tree.root.with_extension("unfinished");
            recreate(&unfinished)?;
            let packages = unfinished.join("packages");
            download(project, &packages).map_err(|error| missing(format!("{error:#}")))?;
            unpack(project, &packages, &unfinished.join("tree"))?;
            fs::rename(unfinished.join("tree"), &tree.root)?;
            fs::remove_dir_all(unfinished)?;
        }
        let mut version = tree.command(project, "swiftc", &[])?;
        project.run(version.arg("--version")).map_err(|error| missing(format!("{error:#}")))?;
        Ok(tree)
    }

    /// A command that runs a program of the tree and sees these directories of the machine, under their own names.
    ///
    /// # Errors
    /// A directory to mount them on cannot be created.
    pub(super) fn command(&self, project: &Project, program: &str, shared: &[&Path]) -> Result<Command> {
        // `/proc` is a must: the compiler finds its libraries from where it is itself.
        let mut script = String::from("set -eu\nroot=$1; shift\n");
        for system in ["/proc", "/dev"] {
            script.push_str(&format!("mount --rbind {system} \"$root{system}\"\n"));
        }
        for directory in shared {
            let inside = self.root.join(directory.strip_prefix("/").unwrap_or(directory));
            fs::create_dir_all(&inside).with_context(|| format!("cannot create {}", inside.display()))?;
            script.push_str("mount --bind \"$1\" \"$root$1\"; shift\n");
        }
        script.push_str("exec chroot \"$root\" \"$@\"");
        let mut command = project.command("unshare");
        // Who is not root becomes it in a namespace of users.
        let root = project.read(project.command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
        command.args(if root { &[][..] } else { &["--user", "--map-root-user"] });
        command.args(["--mount", "--propagation", "private", "sh", "-c", &script, "sh"]);
        command.arg(&self.root).args(shared).arg(program);
        command.env("PATH", format!("{SEARCH_PATH}:/usr/sbin:/sbin")).env("HOME", "/tmp").env("LANG", "C.UTF-8");
        Ok(command)
    }
}

/// Where a program is, also one of those that only administrators have on their search path.
fn administrators(name: &str) -> Option<PathBuf> {
    let elsewhere = ["/usr/sbin", "/sbin"].map(|directory| Path::new(directory).join(name));
    find_program(&[name]).or_else(|| elsewhere.into_iter().find(|path| path.is_file()))
}

/// Downloads the packages and what they depend on: 520 MB.
fn download(project: &Project, into: &Path) -> Result<()> {
    for directory in ["lists/partial", "archives/partial", "log"] {
        fs::create_dir_all(into.join(directory))?;
    }
    fs::write(into.join("status"), "")?;
    let architecture = project.read(project.command("dpkg").arg("--print-architecture"))?;
    let source = format!("deb [arch={} signed-by={KEYS}] {} {SUITE} main\n", architecture.trim(), mirror(project)?);
    fs::write(into.join("sources.list"), source)?;
    let directories = into.display();
    fs::write(
        into.join("apt.conf"),
        format!(
            "Dir::State \"{directories}\";\nDir::State::Lists \"{directories}/lists\";\n\
             Dir::State::status \"{directories}/status\";\nDir::Cache \"{directories}\";\nDir::Log \"{directories}/log\";\n\
             Dir::Etc::sourcelist \"{directories}/sources.list\";\nDir::Etc::sourceparts \"-\";\n\
             APT::Sandbox::User \"root\";\nAcquire::Languages \"none\";\nAcquire::Retries \"5\";\n"
        ),
    )?;
    let apt = |arguments: &[&str]| {
        let mut command = project.command("apt-get");
        command.env("APT_CONFIG", into.join("apt.conf")).arg("-qq").args(arguments);
        project.run(&mut command)
    };
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends", "--download-only"], &PACKAGES[..]].concat())
}

/// The mirror that this machine has its own packages from.
fn mirror(project: &Project) -> Result<String> {
    let release = fs::read_to_string("/etc/os-release").context("this is not Debian")?;
    let value = |name: &str| {
        let line = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.map(|value| value.trim_matches('"').to_owned())
    };
    ensure!(value("ID").as_deref() == Some("debian"), "this is not Debian");
    let codename = value("VERSION_CODENAME").context("this Debian has no name")?;
    let sources =
        project.read(project.command("apt-get").args(["indextargets", "--format", "$(RELEASE) $(REPO_URI)"]))?;
    let mirror = sources.lines().find_map(|line| line.strip_prefix(&codename)?.strip_prefix(' '));
    mirror.map(str::to_owned).context("apt has no source of this Debian")
}

/// Unpacks the downloaded packages: 1.5 GB.
fn unpack(project: &Project, packages: &Path, root: &Path) -> Result<()> {
    fs::create_dir_all(root.join("usr"))?;
    for directory in ["bin", "sbin", "lib", "lib64"] {
        fs::create_dir(root.join("usr").join(directory))?;
        link(&Path::new("usr").join(directory), &root.join(directory))?;
    }
    for directory in ["proc", "dev", "tmp"] {
        fs::create_dir(root.join(directory))?;
    }
    let unused = packages.join("unused");
    fs::write(&unused, UNUSED_FILES.join("\n"))?;
    let mut command = project.command("sh");
    command.args(["-c", UNPACK, "sh"]).arg(root).arg(unused);
    for package in files(&packages.join("archives"))? {
        let name = package.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".deb") && !UNUSED_PACKAGES.iter().any(|unused| name.starts_with(unused)) {
            command.arg(&package);
        }
    }
    project.run(&mut command)
}

#[cfg(unix)]
fn link(original: &Path, link: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(original, link)?)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Result<()> {
    anyhow::bail!("Debian's packages need a Unix file system")
}
