//! `/shares`: who may see it, and that it shows what is held.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json, to_value};
use textveil::{
    Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, StatementList, Statements, Table, release_rng,
};
use textveil_tests::Folder;

use crate::collector::{Collector, PROGRAM, held, releases, sorted, status};

pub(crate) const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../statements/product-feedback.tvs");
pub(crate) const TOKEN: &str = "correct-horse-battery-staple";
pub(crate) const BEARER: (&str, &str) = ("Authorization", "Bearer correct-horse-battery-staple");
const BROWSER: (&str, &str) = ("Accept", "text/html,application/xhtml+xml");

/// A collector whose shares are behind [`TOKEN`], on the database of a folder. They are those of now.
fn shown(folder: &Folder, arguments: &[&str]) -> Collector {
    shown_for_a_minute(folder, &[&["--shares-age", "0"], arguments].concat())
}

fn shown_for_a_minute(folder: &Folder, arguments: &[&str]) -> Collector {
    let (database, token) = (folder.path("releases.db"), folder.write("token", format!("{TOKEN}\n")));
    let usual = ["--database", &database, "--token-file", &token, "--shares"];
    Collector::start(&[&usual, arguments].concat())
}

pub(crate) fn get(server: &Collector, path: &str, fields: &[(&str, &str)]) -> (String, String) {
    server.request("GET", path, fields, "").expect("an answer")
}

fn enter(server: &Collector, token: &str) -> (String, String) {
    let fields = [("Content-Type", "application/x-www-form-urlencoded"), BROWSER];
    server.request("POST", "/shares", &fields, &format!("token={token}")).expect("an answer")
}

fn code(body: &str) -> Value {
    serde_json::from_str::<Value>(body).expect("JSON")["code"].clone()
}

/// Statements of a list as releases, each with a nonce of its own.
pub(crate) fn statements(numbers: impl IntoIterator<Item = usize>, epsilon: f64) -> Vec<Value> {
    let list = StatementList::parse(fs::read(LIST).expect("a file")).expect("a list");
    let guarantee = to_value(Statements::new(&list, epsilon).expect("in range").guarantee()).expect("JSON");
    let texts: Vec<&str> = list.iter().collect();
    let release = |(place, number): (usize, usize)| json!({ "text": texts[number], "guarantee": guarantee, "nonce": format!("{place:032}") });
    numbers.into_iter().enumerate().map(release).collect()
}

pub(crate) fn post_all(server: &Collector, releases: &[Value]) {
    for release in releases {
        assert_eq!(server.post(release).map(|(status, _)| status), Some(201));
    }
}

#[test]
fn only_who_has_the_token_learns_anything_of_what_is_held() {
    let folder = Folder::new();
    let server = shown(&folder, &["--statements", LIST]);
    let asked = |fields: &[(&str, &str)]| {
        let ask = |(method, path)| server.request(method, path, fields, "").expect("an answer");
        [("GET", "/shares"), ("GET", "/shares.csv"), ("GET", "/releases"), ("DELETE", "/releases")].map(ask)
    };
    let strangers =
        || [vec![], vec![("Authorization", "Bearer wrong-horse-battery")], vec![("Cookie", "textveil-session=1")]];
    let refused = |(head, body): &(String, String)| {
        assert_eq!((status(head), code(body)), (401, json!("wrong-token")), "{body}");
        assert!(head.contains("www-authenticate: Bearer") && !body.contains(TOKEN), "{head}");
        assert!(head.contains("cache-control: no-store") && !body.contains("/shares"), "{head} {body}");
    };
    let before = strangers().map(|fields| {
        asked(&fields).map(|answer| {
            refused(&answer);
            answer.1
        })
    });
    let page = get(&server, "/shares", &[BROWSER]);
    assert!(status(&page.0) == 401 && page.1.contains("type=\"password\""), "{page:?}");
    post_all(&server, &statements(0..5, 8.0));
    let after = strangers().map(|fields| {
        asked(&fields).map(|answer| {
            refused(&answer);
            answer.1
        })
    });
    assert_eq!(before, after, "what is held shows");
    assert_eq!(get(&server, "/shares", &[BROWSER]).1, page.1, "what is held shows");
    let listed = get(&server, "/releases", &[BEARER]).0;
    assert_eq!(status(&listed), 200, "nothing was deleted");
    assert!(listed.contains("cache-control: no-store"), "{listed}");

    let (head, body) = enter(&server, "wrong-horse-battery-staple");
    assert!(
        status(&head) == 401
            && body.contains("That is not the token")
            && body.contains("wrong-token")
            && !head.contains("set-cookie"),
        "{head}"
    );
    let (head, _) = enter(&server, TOKEN);
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert!(status(&head) == 303 && head.contains("location: /shares"), "{head}");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains(TOKEN), "{cookie}");
    let cookie = ("Cookie", cookie.split(';').next().expect("a pair"));
    for fields in [[BROWSER, cookie], [BROWSER, BEARER]] {
        let (head, body) = get(&server, "/shares", &fields);
        assert!(status(&head) == 200 && body.contains("5 releases by nearest"), "{head}");
        assert!(head.contains("cache-control: no-store") && head.contains("default-src 'none'"), "{head}");
    }
    let other = ("Origin", "http://attacker.example");
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let (head, _) = server.request("POST", "/shares", &[form, other], &format!("token={TOKEN}")).expect("an answer");
    assert_eq!(status(&head), 403);
    // Each of these answers is counted once, also those that are pages.
    let listed: Value = serde_json::from_str(&get(&server, "/releases", &[BEARER]).1).expect("JSON");
    assert_eq!(listed["refused"], json!({ "cross-origin": 1, "wrong-token": 2 * 3 * 4 + 3 }));
}

#[test]
fn the_page_and_the_csv_have_what_is_held_now() {
    let folder = Folder::new();
    let server = shown(&folder, &["--statements", LIST, "--every", "month"]);
    let csv = || get(&server, "/shares.csv", &[BEARER]);
    let (head, body) = csv();
    assert_eq!((status(&head), code(&body)), (404, json!("no-releases")));
    let (head, body) = get(&server, "/shares", &[BEARER, BROWSER]);
    assert!(status(&head) == 404 && body.contains("holds no releases yet"), "{body}");

    post_all(&server, &statements([0, 0, 0, 1], 8.0));
    let (head, first) = csv();
    assert!(head.contains("text/csv") && head.contains("attachment; filename=\"shares.csv\""), "{head}");
    let list = StatementList::parse(fs::read(LIST).expect("a file")).expect("a list");
    assert_eq!(first.lines().count(), 1 + list.len());
    assert!(first.lines().nth(1).expect("a row").contains(",0.75,4,4,0,"), "{first}");
    assert_eq!(csv().1, first);
    // As another server on the same database would.
    let second = Collector::start(&["--database", &folder.path("releases.db"), "--statements", LIST]);
    let more = json!({ "text": list.iter().next(), "guarantee": statements([0], 8.0)[0]["guarantee"], "nonce": "another-one-than-the-others" });
    post_all(&second, &[more]);
    assert!(csv().1.lines().nth(1).expect("a row").contains(",0.8,5,5,0,"));
    let page = get(&server, "/shares", &[BEARER]).1;
    assert!(
        page.contains("href=\"/shares.csv\"") && page.contains("href=\"/shares.css\"") && !page.contains("<style"),
        "{page}"
    );
    assert_eq!(status(&server.request("DELETE", "/releases", &[BEARER], "").expect("an answer").0), 204);
    assert_eq!(code(&csv().1), "no-releases");
}

/// Another program deletes the log of a database if the collector has lost its locks on it.
#[test]
fn what_was_acknowledged_after_shares_were_shown_is_held_whoever_looks_at_the_database() {
    let folder = Folder::new();
    let database = folder.path("releases.db");
    let mut server = shown(&folder, &["--statements", LIST]);
    let releases = statements(0..6, 8.0);
    for (number, release) in releases.iter().enumerate() {
        post_all(&server, std::slice::from_ref(release));
        assert_eq!(status(&get(&server, "/shares", &[BEARER]).0), 200);
        assert_eq!(held(&database).len(), number + 1);
    }
    // A second collector on the same port ends before it touches the database.
    let (port, token) = (server.address.rsplit(':').next().expect("a port"), folder.path("token"));
    let new = folder.path("new.db");
    for database in [&database, &new] {
        let taken = ["serve", "--port", port, "--database", database, "--token-file", &token];
        let second = Command::new(PROGRAM).args(taken).output().expect("the program");
        assert!(textveil_tests::text(&second.stderr).contains("cannot listen"), "{second:?}");
    }
    assert!(!Path::new(&new).exists());
    let connection = Connection::open(&database).expect("the database");
    connection.query_row("SELECT count(*) FROM entry", [], |_| Ok(())).expect("rows");
    drop(connection);
    let last = &statements([7; 7], 8.0)[6];
    post_all(&server, std::slice::from_ref(last));
    server.kill();
    assert_eq!(held(&database), sorted(&[&releases[..], std::slice::from_ref(last)].concat()));
}

#[test]
fn releases_that_were_drawn_unlike_most_are_left_out_and_said_to_be() {
    let folder = Folder::new();
    let server = shown(&folder, &["--statements", LIST]);
    post_all(&server, &statements([1, 1], 4.0).split_off(1));
    post_all(&server, &statements([0, 0], 8.0));
    let (head, body) = get(&server, "/shares.csv", &[BEARER]);
    assert_eq!(status(&head), 200, "{body}");
    assert!(body.lines().nth(1).expect("a row").contains(",1,2,2,1,"), "{body}");
    let (head, body) = get(&server, "/shares", &[BEARER, BROWSER]);
    assert_eq!(status(&head), 200);
    assert!(body.contains("epsilon 8") && body.contains("1 release left out: drawn unlike most"), "{body}");
}

#[test]
fn a_submission_without_a_public_field_is_a_group_of_its_own() {
    let folder = Folder::new();
    let server = shown(&folder, &["--statements", LIST, "--public-field", "shop", "--by", "shop"]);
    post_all(&server, &statements([0, 0], 8.0));
    let (head, body) = get(&server, "/shares.csv", &[BEARER]);
    assert_eq!(status(&head), 200, "{body}");
    assert!(body.starts_with("shop,period,") && body.lines().nth(1).expect("a row").contains(",2,2,0,"), "{body}");
}

/// Posts a release as a form does.
fn post_of_shop(server: &Collector, release: &Value, shop: &str) {
    let text = release["text"].as_str().expect("a text");
    let fields = [
        ("text", text),
        ("text-guarantee", &release["guarantee"].to_string()),
        ("nonce", release["nonce"].as_str().expect("a nonce")),
        ("shop", shop),
    ];
    let part = |(name, value)| format!("--end\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    let body = fields.map(part).concat() + "--end--\r\n";
    let answer = server.ask("POST", "multipart/form-data; boundary=end", &body);
    assert_eq!(answer.as_ref().map(|(status, _)| *status), Some(201), "{answer:?}");
}

#[test]
fn of_many_groups_the_largest_are_shown_and_the_others_are_counted() {
    let folder = Folder::new();
    let server = shown(&folder, &["--statements", LIST, "--public-field", "shop", "--by", "shop"]);
    let releases = statements(std::iter::repeat_n(0, 54), 8.0);
    // The last two shops have two releases each.
    for (number, release) in releases.iter().enumerate() {
        post_of_shop(&server, release, &format!("s{:02}", if number < 52 { number } else { number - 2 }));
    }
    let (head, page) = get(&server, "/shares", &[BEARER]);
    assert_eq!(status(&head), 200, "{page}");
    assert!(page.contains("54 releases by nearest"), "{page}");
    assert!(page.contains("The 50 largest groups are shown. The 2 smaller ones are not."), "{page}");
    let sections = page.matches("<h2>shop s").count();
    let (_, csv) = get(&server, "/shares.csv", &[BEARER]);
    let mut rows = csv.lines();
    assert!(rows.next().expect("a head").ends_with(",confidence,groups not shown"), "{csv}");
    assert!(rows.all(|row| row.ends_with(",2")), "{csv}");
    let mut shops: Vec<&str> = csv.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    shops.dedup();
    assert_eq!((sections, shops.len(), &shops[..3]), (50, 50, &["s50", "s51", "s00"][..]));
    let json = Command::new(PROGRAM)
        .args(["estimate", &folder.path("releases.db"), "--statements", LIST, "--by", "shop", "--json"])
        .output()
        .expect("the program");
    let found: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((found["groups"].as_array().map(Vec::len), &found["groupsNotShown"]), (Some(52), &json!(0)));
}

#[test]
fn shares_are_counted_once_a_minute_and_what_is_deleted_is_gone_at_once() {
    let folder = Folder::new();
    let server = shown_for_a_minute(&folder, &["--statements", LIST]);
    let releases = statements([0, 0, 1], 8.0);
    let csv = || get(&server, "/shares.csv", &[BEARER]).1;
    assert_eq!(code(&csv()), "no-releases");
    post_all(&server, &releases[..2]);
    let first = csv();
    assert!(first.lines().nth(1).expect("a row").contains(",1,2,2,0,"), "{first}");
    post_all(&server, &releases[2..]);
    assert_eq!(csv(), first, "they were counted anew");
    let page = get(&server, "/shares", &[BEARER]).1;
    assert!(page.contains("Counted on 20") && page.contains("shows after 60 seconds at most"), "{page}");
    assert_eq!(status(&server.request("DELETE", "/releases", &[BEARER], "").expect("an answer").0), 204);
    assert_eq!(code(&csv()), "no-releases");
}

#[test]
fn releases_are_taken_in_while_shares_are_computed() {
    let folder = Folder::new();
    let topics = ["--topic", "health=doctor,hospital", "--topic", "time=march,april"];
    // On a busy machine, answers to many requests at once take long.
    let server = shown(&folder, &[&topics[..], &["--time-limit", "60"]].concat());
    let releases = releases(30);
    post_all(&server, &releases[..1]);
    thread::scope(|scope| {
        // More than there are workers.
        let waiting = [(); 12].map(|()| scope.spawn(|| get(&server, "/shares", &[BEARER])));
        post_all(&server, &releases[1..]);
        let before = waiting.iter().filter(|waiting| !waiting.is_finished()).count();
        assert!(before > 0, "the shares were there first: nothing was shown");
        let mut shown = 0;
        for page in waiting {
            let (head, body) = page.join().expect("an answer");
            if status(&head) == 503 {
                assert!(head.contains("retry-after: 5") && code(&body) == "shares-busy", "{head}");
            } else {
                assert_eq!(status(&head), 200);
                shown += 1;
            }
        }
        println!("{shown} of 12 were shown the shares, the others were told to ask again");
        assert!(shown > 0, "nobody was shown the shares");
    });
    assert!(get(&server, "/shares", &[BEARER]).1.contains("30 releases by nearest"));
}

#[test]
fn without_a_token_or_a_question_it_does_not_start() {
    let folder = Folder::new();
    let database = folder.path("releases.db");
    let (token, short) = (folder.write("token", TOKEN), folder.write("short", "fifteen-letters"));
    let output = |arguments: &[&str], variable: Option<&str>| {
        let mut command = Command::new(PROGRAM);
        command.arg("serve").args(arguments).env_remove("TEXTVEIL_COLLECTOR_TOKEN");
        command.envs(variable.map(|token| ("TEXTVEIL_COLLECTOR_TOKEN", token)));
        command.output().expect("the program")
    };
    let on = ["--database", &database];
    let of_list = [&on[..], &["--statements", LIST, "--shares"]].concat();
    for (arguments, variable, why) in [
        (of_list.clone(), None, "--shares needs --token-file or TEXTVEIL_COLLECTOR_TOKEN"),
        (of_list.clone(), Some(""), "at least 16 characters"),
        (of_list.clone(), Some("with some spaces in it"), "without spaces"),
        ([&of_list[..], &["--token-file", &short]].concat(), None, "at least 16 characters"),
        ([&of_list[..], &["--token-file", "absent"]].concat(), None, "cannot read absent"),
        ([&of_list[..], &["--by", "shop"]].concat(), Some(TOKEN), "not one of the public fields"),
        ([&of_list[..], &["--topic", "price=secretword"]].concat(), Some(TOKEN), "not in the list"),
        ([&on[..], &["--shares", "--token-file", &token]].concat(), None, "name topics of words"),
        ([&on[..], &["--shares", "note", "--topic", "a=price"]].concat(), Some(TOKEN), "not one of the fields"),
        (
            [&on[..], &["--field", "a", "b", "--shares", "--topic", "a=price"]].concat(),
            Some(TOKEN),
            "name one of the fields",
        ),
        (
            [&on[..], &["--shares", "--topic", "a=price", "--allow-clear", "function-words"]].concat(),
            Some(TOKEN),
            "leave out function-words",
        ),
        (vec!["--shares", "--topic", "a=price"], Some(TOKEN), "--database"),
        (vec!["--topic", "a=price"], Some(TOKEN), "say what --shares shows"),
    ] {
        let output = output(&arguments, variable);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{arguments:?}: {said}");
        assert!(!said.contains("fifteen-letters") && !said.contains("some spaces"), "{said}");
    }
    assert!(!Path::new(&database).exists(), "a collector that does not start has made a database");
}

#[test]
fn words_of_a_table_of_ones_own_are_taken_in_and_counted() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tables/mend.tvt");
    let table = Table::parse(fs::read(path).expect("a file")).expect("a table");
    let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, 20.0).expect("in range");
    let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("for words").of_any_language();
    let word = table.word(table.rows().find(|row| table.is_offered(*row)).expect("a word")).to_string();
    let release = |place: usize| {
        let release = privatizer.privatize(&word, &mut release_rng(&mut getrandom::SysRng).expect("randomness"));
        let release = release.expect("a text of any language");
        json!({ "text": release.text, "guarantee": release.guarantee, "nonce": format!("{place:032}") })
    };
    let releases: Vec<Value> = (0..5).map(release).collect();
    let folder = Folder::new();
    let topic = format!("one={word}");
    let terms =
        ["--mechanism", "exponential", "--max-epsilon", "1000", "--max-text-epsilon", "1000", "--topic", &topic];
    let server = shown(&folder, &[&["--table", path], &terms[..]].concat());
    post_all(&server, &releases);
    let (head, page) = get(&server, "/shares", &[BEARER]);
    assert!(status(&head) == 200 && page.contains("5 releases by exponential"), "{head} {page}");
}

#[test]
fn all_that_is_held_is_exported_as_lines_that_estimate_counts() {
    let folder = Folder::new();
    let database = folder.path("releases.db");
    let server = Collector::start(&["--database", &database, "--statements", LIST, "--public-field", "shop"]);
    let guarantee = statements([0], 8.0)[0]["guarantee"].to_string();
    let text = statements([0], 8.0)[0]["text"].as_str().expect("a text").to_owned();
    let quoted = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let form = format!("shop=north&text={}&text-guarantee={}", quoted(&text), quoted(&guarantee));
    let posted = server.ask("POST", "application/x-www-form-urlencoded", &form).expect("an answer");
    assert_eq!(posted.0, 201, "{}", posted.1);
    // More than a request lists.
    Connection::open(&database)
        .and_then(|database| {
            let more = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO entry (submission, field, text, guarantee)
                SELECT i, field, text, guarantee FROM n, entry ORDER BY i, id";
            database.execute(more, [])
        })
        .expect("rows");
    let run = |arguments: &[&str]| {
        let done = Command::new(PROGRAM).args(arguments).output().expect("the program");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("UTF-8")
    };
    let lines = run(&["export", &database]);
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 600);
    let numbers = rows.iter().map(|row| row["submission"].as_u64());
    assert!(numbers.eq((0..600).map(|row| Some(1 + row / 2))));
    let listed: Value = serde_json::from_str(&server.ask("GET", "", "").expect("an answer").1).expect("JSON");
    assert!(listed["entries"].as_array().expect("rows").iter().eq(rows.iter().rev().take(200)));
    let exported = folder.write("exported.jsonl", &lines);
    let shares = |of: &str| run(&["estimate", of, "--statements", LIST, "--by", "shop", "--json"]);
    let [ours, theirs] = [&database, &exported].map(|of| serde_json::from_str::<Value>(&shares(of)).expect("JSON"));
    assert_eq!((&ours["groups"], ours["groups"].is_array()), (&theirs["groups"], true), "{ours}");
}
