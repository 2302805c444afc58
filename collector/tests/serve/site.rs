//! A site: its files are served, and no visitor gets the database or the token.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use textveil_tests::Folder;

use crate::collector::{Collector, PROGRAM, releases, status};

const TOKEN: &str = "correct-horse-battery";

/// The program, in a folder.
fn program(folder: &Path) -> Command {
    let mut program = Command::new(PROGRAM);
    program.current_dir(folder);
    program
}

/// A folder with the folders `site` and `site/inner`, and a token next to them.
fn folder() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("site/inner")).expect("a folder");
    folder.write("token", TOKEN);
    folder.write("site/page.html", "a page");
    folder
}

fn get(server: &Collector, path: &str) -> (u16, String) {
    let taken = [("Accept-Encoding", "gzip, br"), ("Authorization", "none")];
    let (head, body) = server.request("GET", path, &taken, "").expect("an answer");
    assert!(!body.contains(TOKEN) && !body.contains("SQLite format"), "{path}: {body}");
    (status(&head), body)
}

/// A person would read that the page is missing, and send the form once more.
#[test]
fn a_page_of_thanks_that_is_not_there_is_refused_before_anything_is_stored() {
    let folder = folder();
    folder.write("site/inner/index.html", "thanks");
    for (page, is_there) in [
        ("/thanks.html", false),
        ("/page.html", true),
        ("/page.html?sent=1", true),
        ("/inner/", true),
        ("/more/page.html", true),
        ("/more/thanks.html", false),
        ("/releases", true),
    ] {
        let arguments = ["serve", "--port", "0", "--until-input-ends", "--site", "site", "--mount", "/more/=site"];
        let mut command = program(folder.0.path());
        let run = command.args(arguments).args(["--thanks", page]).stdin(Stdio::null()).output().expect("the program");
        assert_eq!(run.status.success(), is_there, "{page}: {run:?}");
        let told = String::from_utf8_lossy(&run.stderr);
        assert_eq!(told.contains("--thanks: there is no site/thanks.html"), !is_there, "{page}: {told}");
    }
}

#[test]
fn a_folder_that_holds_the_database_or_the_token_is_not_served() {
    let folder = folder();
    folder.write("site/token", TOKEN);
    folder.write("site/key", "a key");
    symlink("site", folder.path("link")).expect("a link");
    symlink("site/token", folder.path("token-link")).expect("a link");
    symlink("site/absent.db", folder.path("database-link")).expect("a link");
    symlink("link-loop", folder.path("link-loop")).expect("a link");
    let site = fs::canonicalize(folder.path("site")).expect("a folder");
    let refused = |arguments: &[&str], file: &str| {
        let mut program = program(folder.0.path());
        let output = program.args(["serve", "--until-input-ends", "--port", "0"]).args(arguments).output();
        let output = output.expect("the program");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        // What the options alone show is written by their parser.
        let is_told = said.starts_with("textveil-collector: ") || said.starts_with("error: ");
        assert!(is_told && !said.contains(TOKEN), "{arguments:?}: {said}");
        if !file.is_empty() {
            let (folder, file) = (site.display(), site.join(file));
            let expected = format!("{}, since all of {folder} is served", file.display());
            assert!(said.contains(&expected), "{arguments:?}: {said}");
        }
    };
    for served in
        [&["--site", "site"][..], &["--site", "link"], &["--site", "./site/inner/.."], &["--mount", "/a/=site"]]
    {
        refused(&[served, &["--database", "site/releases.db"]].concat(), "releases.db");
        refused(&[served, &["--database", "link/inner/releases.db"]].concat(), "inner/releases.db");
        refused(&[served, &["--token-file", "site/token"]].concat(), "token");
        refused(&[served, &["--token-file", "token-link"]].concat(), "token");
    }
    // One of two folders is enough.
    refused(&["--site", "site/inner", "--mount", "/a/=site", "--token-file", "site/token"], "token");
    // SQLite would make the file where the link leads.
    refused(&["--site", "site", "--database", "database-link"], "absent.db");
    refused(&["--site", "site", "--database", "link-loop"], "");
    refused(&["--site", "site", "--database", ":memory:"], "");
    refused(&["--site", "absent"], "");
    refused(&["--site", "site", "--site", "site"], "");
    refused(&["--site", "site", "--mount", "/=site"], "");
    refused(&["--mount", "/a/=site", "--mount", "/a/=site"], "");
    for address in ["", "a", "/a", "//", "/a//", "/*/", "/:a/", "/{a}/", "/a b/"] {
        refused(&["--mount", &format!("{address}=site")], "");
    }
    if cfg!(feature = "postgres") {
        refused(&["--site", "site", "--database", "postgres://me@127.0.0.1:1/me?sslkey=site/key"], "key");
    }
    let left: Vec<_> = fs::read_dir(&site).expect("a folder").map(|file| file.expect("a file").file_name()).collect();
    assert_eq!(left.len(), 4, "no database was made: {left:?}");
}

#[test]
fn a_database_is_the_file_of_its_name_even_if_sqlite_would_read_an_address() {
    let folder = folder();
    let server = Collector::of(program(folder.0.path()), &["--site", "site", "--database", "file:site"]);
    assert!(Path::new(&folder.path("file:site")).is_file());
    assert_eq!(get(&server, "/page.html"), (200, "a page".into()));
}

#[test]
fn no_link_and_no_dotfile_of_a_site_leads_to_what_is_not_public() {
    let folder = folder();
    for file in ["site/inner/index.html", "site/.htpasswd", "site/packed.js", "site/kept", "outside"] {
        folder.write(file, "some text");
    }
    fs::create_dir_all(folder.path("site/.git")).expect("a folder");
    folder.write("site/.git/config", "some text");
    let arguments = ["--site", "site", "--mount", "/a/=site", "--database", "releases.db", "--token-file", "token"];
    let server = Collector::of(program(folder.0.path()), &arguments);
    assert_eq!(server.post(&releases(1)[0]).map(|(status, _)| status), Some(201));
    // Links that appear while it runs.
    let database = ["releases.db", "releases.db-wal", "releases.db-shm"];
    for file in database.into_iter().chain(["token", "outside"]) {
        symlink(format!("../{file}"), folder.path(&format!("site/link-{file}"))).expect("a link");
        fs::hard_link(folder.path(file), folder.path(&format!("site/hard-{file}"))).expect("a link");
    }
    for (link, target) in [
        ("packed.js.gz", "../token"),
        ("packed.js.br", "../token"),
        ("up", ".."),
        ("git", ".git"),
        ("loop", "loop"),
        ("page", "page.html"),
    ] {
        symlink(target, folder.path(&format!("site/{link}"))).expect("a link");
    }

    for prefix in ["/", "/a/"] {
        for public in ["page.html", "page", "packed.js", "inner/", "inner/index.html", "hard-outside"] {
            assert_eq!(get(&server, &format!("{prefix}{public}")).0, 200, "{public}");
        }
        for hidden in [
            "link-token",
            "link-releases.db",
            "link-releases.db-wal",
            "link-releases.db-shm",
            "link-outside",
            "hard-token",
            "hard-releases.db",
            "hard-releases.db-wal",
            "hard-releases.db-shm",
            "up/token",
            "up/",
            "up",
            "../token",
            "%2e%2e/token",
            ".htpasswd",
            "%2ehtpasswd",
            ".git/config",
            ".git/",
            ".git",
            "git/config",
            "loop",
            "page.html%00",
        ] {
            assert_eq!(get(&server, &format!("{prefix}{hidden}")).0, 404, "{hidden}");
            let (head, _) = server.request("HEAD", &format!("{prefix}{hidden}"), &[], "").expect("an answer");
            assert_eq!(status(&head), 404, "{hidden}: {head}");
        }
    }
    assert_eq!(server.ask("GET", "", "").map(|(status, _)| status), Some(401));
}

#[test]
fn the_folder_itself_is_served_if_it_holds_no_such_file() {
    let folder = folder();
    let site = folder.0.path().join("site");
    let arguments = ["--site", ".", "--database", "../releases.db", "--token-file", "../token"];
    let server = Collector::of(program(&site), &arguments);
    assert_eq!(get(&server, "/page.html"), (200, "a page".into()));
    let server = Collector::of(program(&site), &["--site", "."]);
    assert_eq!(get(&server, "/page.html"), (200, "a page".into()));
    assert_eq!(server.ask("GET", "", "").map(|(status, _)| status), Some(200));
}
