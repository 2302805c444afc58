//! What the collector takes in and what it refuses, asked of its routes without a socket.

use axum::body::{Body, to_bytes};
use axum::http::header::{HOST, ORIGIN};
use serde_json::{from_slice, to_value};
use textveil::{Disclosure, Mechanism, MechanismKind, Parameter, Privatizer, Release, Table, normalize, seeded_rng};
use tower::ServiceExt;

use super::*;
use crate::server::site;

const PORT: u16 = 8787;
const SECRET: &str = "Zebulon told Quimby about the diagnosis, 555-123-4567. Write to anna@example.org!";
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

/// A collector in memory, asked one request after the other.
struct Asked(Router);

impl Asked {
    fn with(max_epsilon: f64, public: &[&str]) -> Self {
        let terms = Terms::new(max_epsilon).expect("the embedded table");
        let store = Store::open(None).expect("a database in memory");
        let public = public.iter().map(|name| (*name).to_owned()).collect();
        Self(site(PORT, Collector::new(terms, store, public).routes(), Vec::new()))
    }

    fn new() -> Self {
        Self::with(f64::INFINITY, &[])
    }

    /// The status, and the answer as JSON; null if there is none.
    fn ask(&self, request: axum::http::request::Builder, body: impl Into<Body>) -> (u16, Value) {
        let request =
            request.uri(ADDRESS).header(HOST, format!("localhost:{PORT}")).body(body.into()).expect("a request");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let answer = self.0.clone().oneshot(request).await.expect("routes do not fail");
            let status = answer.status().as_u16();
            let body = to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
            (status, from_slice(&body).unwrap_or_default())
        })
    }

    fn post(&self, content_type: &str, body: impl Into<Body>) -> (u16, Value) {
        self.ask(Request::post("/").header(CONTENT_TYPE, content_type), body)
    }

    fn held(&self) -> Vec<Value> {
        let (_, listed) = self.ask(Request::get("/"), Body::empty());
        listed["entries"].as_array().cloned().expect("a list")
    }

    /// That a body is refused with this code, nothing of it is stored, and no word of it comes back.
    #[track_caller]
    fn refuses(&self, content_type: &str, body: &str, status: u16, code: &str) {
        let (answered, refusal) = self.post(content_type, body.to_owned());
        assert_eq!((answered, refusal["code"].as_str()), (status, Some(code)), "{refusal}");
        assert!(!refusal.to_string().contains("ebulon"), "{refusal}");
        assert_eq!(self.held(), Vec::<Value>::new());
    }
}

/// What core releases of a text at a level, for one seed.
fn release(kind: MechanismKind, level: usize, clear: Disclosure, text: &str, seed: u8) -> Release {
    let table = Table::english().expect("the embedded table");
    let mechanism = Mechanism::new(kind).with(Parameter::Level, level as f64).expect("a level");
    let privatizer = Privatizer::new(&table, mechanism, clear).expect("a mechanism for words");
    privatizer.privatize(&normalize(text), &mut seeded_rng([seed; 32])).expect("a text of a sentence")
}

fn usual() -> Release {
    release(MechanismKind::Certified, 2, Disclosure::default(), SECRET, 7)
}

/// A release as `JSON.stringify` writes it.
fn body_of(release: &Release) -> Value {
    json!({ "text": release.text, "guarantee": to_value(&release.guarantee).expect("a guarantee is JSON") })
}

/// The pairs of a form, urlencoded.
fn form(pairs: &[(&str, &str)]) -> String {
    let quoted = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    pairs.iter().map(|(name, value)| format!("{}={}", quoted(name), quoted(value))).collect::<Vec<_>>().join("&")
}

#[test]
fn a_release_is_kept_as_it_was_shown_for_every_level_that_loses_a_bounded_epsilon() {
    let collector = Asked::new();
    let table = Table::english().expect("the embedded table");
    let mut kept = 0;
    for report in table.level_reports().expect("levels").iter().filter(|level| level.delta_word == 0.0) {
        let release = release(report.mechanism, report.index as usize, Disclosure::default(), SECRET, 1);
        let body = body_of(&release);
        assert_eq!(collector.post(JSON, body.to_string()).0, 201, "{} {}", report.mechanism.name(), report.index);
        let newest = collector.held().swap_remove(0);
        assert_eq!((&newest["text"], &newest["guarantee"]), (&body["text"], &body["guarantee"]));
        kept += 1;
    }
    assert!(kept > 10, "{kept} levels");
}

#[test]
fn an_eta_between_the_levels_is_as_good_as_theirs() {
    let table = Table::english().expect("the embedded table");
    let mechanism = Mechanism::new(MechanismKind::Exponential).with(Parameter::Eta, 7.7).expect("an eta");
    let privatizer = Privatizer::new(&table, mechanism, Disclosure::default()).expect("a mechanism for words");
    let release = privatizer.privatize(SECRET, &mut seeded_rng([1; 32])).expect("a text of a sentence");
    assert_eq!(Asked::new().post(JSON, body_of(&release).to_string()).0, 201);
}

#[test]
fn releases_of_texts_of_every_shape_are_kept() {
    let collector = Asked::new();
    let texts = [
        "",
        "...",
        "I. don't know, it's ok?! (Yes)",
        "and/or 7/8 3.5 a-b \"quoted\"",
        "end.Next 5,chairs 12'inch",
        "日本語 👩‍👩‍👧 c'est la vie",
        "line one\nline two\tthree",
        "mail anna@example.org or www.example.org/x?y 555 123 4567",
    ];
    for (clear, seed) in [(false, false), (true, false), (false, true), (true, true)].into_iter().zip(0..) {
        let clear = Disclosure { function_words: clear.0, placeholders: clear.1 };
        for text in texts {
            for draw in 0..20 {
                let release = release(MechanismKind::Plateau, 2, clear, text, seed * 20 + draw);
                let (status, refusal) = collector.post(JSON, body_of(&release).to_string());
                assert_eq!(status, 201, "{clear:?} {:?} {} words: {refusal}", release.text, release.guarantee.words);
            }
        }
    }
}

#[test]
fn forms_bring_private_fields_with_their_guarantees_and_public_ones_that_are_named() {
    let release = usual();
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let collector = Asked::with(f64::INFINITY, &["topic"]);
    let pairs = [("note", release.text.as_str()), ("topic", "health"), ("note-guarantee", &guarantee)];
    assert_eq!(collector.post(FORM, form(&pairs)).0, 201);
    let parts =
        pairs.map(|(name, value)| format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"));
    assert_eq!(collector.post("multipart/form-data; boundary=x", parts.concat() + "--x--\r\n").0, 201);
    let held = collector.held();
    assert_eq!(held.len(), 4);
    for rows in held.chunks(2) {
        assert_eq!((rows[0]["field"].as_str(), rows[0]["text"].as_str()), (Some("topic"), Some("health")));
        assert_eq!(rows[1]["text"].as_str(), Some(release.text.as_str()));
        assert_eq!(rows[0]["submission"], rows[1]["submission"]);
    }
}

#[test]
fn line_breaks_come_through_forms_as_they_were_shown() {
    let release = release(MechanismKind::Certified, 2, Disclosure::default(), "one line\nand another", 3);
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let collector = Asked::new();
    let sent = release.text.replace('\n', "\r\n");
    assert_eq!(collector.post(FORM, form(&[("note", &sent), ("note-guarantee", &guarantee)])).0, 201);
    assert_eq!(collector.held()[0]["text"].as_str(), Some(release.text.as_str()));
}

#[test]
fn what_is_not_marked_is_refused_whole() {
    let collector = Asked::with(f64::INFINITY, &["topic"]);
    let release = usual();
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let marked = [("note", release.text.as_str()), ("note-guarantee", guarantee.as_str())];
    for unmarked in [("name", "Zebulon"), ("more-guarantee", guarantee.as_str())] {
        collector.refuses(FORM, &form(&[marked[0], marked[1], unmarked]), 422, "unmarked");
    }
    collector.refuses(FORM, "", 422, "unmarked");
    collector.refuses(JSON, &json!({ "text": SECRET }).to_string(), 422, "unmarked");
    collector.refuses(FORM, &form(&[marked[0], marked[1], ("topic", "a"), ("topic", "b")]), 422, "unknown-field");
    let account = json!({ "text": release.text, "guarantee": release.guarantee.epsilon_word, "account": ["Zebulon"] });
    collector.refuses(JSON, &account.to_string(), 422, "unknown-field");
    let file = "--x\r\nContent-Disposition: form-data; name=\"note\"; filename=\"Zebulon\"\r\n\r\na\r\n--x--\r\n";
    collector.refuses("multipart/form-data; boundary=x", file, 422, "unknown-field");
}

#[test]
fn a_guarantee_that_differs_in_any_field_is_refused() {
    let collector = Asked::new();
    let body = body_of(&usual());
    let guarantee = body["guarantee"].as_object().expect("an object");
    for name in guarantee.keys() {
        let mut other = body.clone();
        other["guarantee"][name] = match &guarantee[name] {
            Value::Number(number) => json!(number.as_f64().expect("finite") * 0.5 + 0.25),
            Value::Bool(held) => json!(!held),
            Value::Array(items) => json!(items[1..]),
            _ => json!("another"),
        };
        collector.refuses(JSON, &other.to_string(), 422, "not-stated");
        other["guarantee"].as_object_mut().expect("an object").remove(name);
        collector.refuses(JSON, &other.to_string(), 422, "not-stated");
    }
    let mut more = body.clone();
    more["guarantee"]["note"] = json!("Zebulon");
    collector.refuses(JSON, &more.to_string(), 422, "not-stated");
    for nothing in [json!(null), json!({}), json!([]), json!("Zebulon")] {
        collector.refuses(JSON, &json!({ "text": "a", "guarantee": nothing }).to_string(), 422, "not-stated");
    }
}

#[test]
fn a_text_that_cannot_have_come_out_is_refused() {
    let collector = Asked::new();
    let guarantee =
        |words| release(MechanismKind::Certified, 2, Disclosure::default(), &"a ".repeat(words), 1).guarantee;
    let cases = [
        (SECRET, 12, "names, numbers and addresses"),
        ("the zebulon", 2, "a word that the table does not have"),
        ("the doctor", 3, "fewer words than were drawn"),
        ("the kind old doctor", 3, "more words than were drawn"),
        ("the Doctor", 2, "a capital inside a sentence"),
        ("THE doctor", 2, "capitals inside a word"),
        ("the\u{200b} doctor", 2, "an invisible character"),
        ("the\u{a0}doctor", 2, "a space that is none of the layout"),
        ("the doc\u{2019}s", 2, "another apostrophe"),
        ("the [number]", 2, "a placeholder that was not asked for"),
        ("the #doctor", 2, "a sign"),
        ("the docto\u{301}r", 2, "an accent"),
    ];
    for (text, words, what) in cases {
        let body = json!({ "text": text, "guarantee": to_value(guarantee(words)).expect("JSON") });
        let (status, refusal) = collector.post(JSON, body.to_string());
        assert_eq!((status, refusal["code"].as_str()), (422, Some("not-a-release")), "{what}");
    }
    assert!(collector.held().is_empty());
    let fits = json!({ "text": "The kind. Doctor", "guarantee": to_value(guarantee(3)).expect("JSON") });
    assert_eq!(collector.post(JSON, fits.to_string()).0, 201, "the same words as a release spells them");
}

#[test]
fn terms_that_are_true_but_too_weak_are_refused() {
    let release = usual();
    let epsilon = release.guarantee.epsilon_word;
    let strict = Asked::with(epsilon * 0.99, &[]);
    strict.refuses(JSON, &body_of(&release).to_string(), 422, "terms-not-accepted");
    assert_eq!(Asked::with(epsilon, &[]).post(JSON, body_of(&release).to_string()).0, 201);
    let noise = self::release(MechanismKind::MetricLaplace, 3, Disclosure::default(), SECRET, 1);
    Asked::new().refuses(JSON, &body_of(&noise).to_string(), 422, "terms-not-accepted");
}

#[test]
fn other_types_broken_bodies_and_floods_are_refused() {
    let collector = Asked::new();
    for content_type in ["text/plain", "", "application/octet-stream"] {
        collector.refuses(content_type, SECRET, 415, "unsupported-media-type");
    }
    for (content_type, body) in [
        (JSON, "Zebulon"),
        (JSON, "[]"),
        (JSON, r#"{ "text": 1, "guarantee": {} }"#),
        ("multipart/form-data; boundary=x", "Zebulon"),
        ("multipart/form-data", "Zebulon"),
    ] {
        collector.refuses(content_type, body, 400, "malformed");
    }
    for content_type in [JSON, FORM] {
        collector.refuses(content_type, &"Zebulon ".repeat(LARGEST_BODY / 8 + 1), 413, "too-large");
    }
}

#[test]
fn pages_of_other_origins_change_nothing() {
    let collector = Asked::new();
    let body = body_of(&usual()).to_string();
    let post = || Request::post("/").header(CONTENT_TYPE, JSON);
    let own = format!("http://localhost:{PORT}");
    for request in [
        post().header(ORIGIN, "https://attacker.example"),
        post().header(ORIGIN, "null"),
        post().header(ORIGIN, format!("http://127.0.0.1:{PORT}")),
        post().header("Sec-Fetch-Site", "cross-site"),
        post().header("Sec-Fetch-Site", "same-site").header(ORIGIN, &own),
        Request::delete("/").header(ORIGIN, "https://attacker.example"),
    ] {
        assert_eq!(collector.ask(request, body.clone()).0, 403);
    }
    assert!(collector.held().is_empty());
    let request = post().header(ORIGIN, &own).header("Sec-Fetch-Site", "same-origin");
    assert_eq!(collector.ask(request, body).0, 201);
}

#[test]
fn what_is_held_can_be_deleted() {
    let collector = Asked::new();
    assert_eq!(collector.post(JSON, body_of(&usual()).to_string()).0, 201);
    assert_eq!(collector.held().len(), 1);
    assert_eq!(collector.ask(Request::delete("/"), Body::empty()).0, 204);
    assert!(collector.held().is_empty());
}

#[test]
fn a_row_holds_the_day_and_nothing_of_the_sender() {
    let collector = Asked::new();
    collector.post(JSON, body_of(&usual()).to_string());
    let row = collector.held().swap_remove(0);
    let day = row["day"].as_str().expect("a day");
    assert_eq!((day.len(), day.bytes().filter(u8::is_ascii_digit).count()), ("2025-01-31".len(), 8), "{day}");
    let fields: Vec<_> = row.as_object().expect("a row").keys().collect();
    assert_eq!(fields, ["day", "field", "guarantee", "submission", "text"]);
}

#[test]
fn a_file_outlives_the_program() {
    let file = std::env::temp_dir().join(format!("textveil-collector-{}.db", std::process::id()));
    let entry = || Entry { field: "topic".into(), text: "'); DROP TABLE entry; --".into(), guarantee: None };
    Store::open(Some(&file)).expect("a file").keep(&[entry()]).expect("room for a row");
    let listed = Store::open(Some(&file)).expect("the same file").list().expect("rows");
    std::fs::remove_file(&file).expect("it was made above");
    assert_eq!((&listed["count"], &listed["entries"][0]["text"]), (&json!(1), &json!(entry().text)));
}
