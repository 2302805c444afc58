//! What the collector takes in and what it refuses, asked of its routes without a socket.

use std::sync::LazyLock;

use axum::body::{Body, to_bytes};
use axum::http::header::{HOST, ORIGIN};
use serde_json::{from_slice, to_value};
use textveil::{
    Disclosure, Mechanism, MechanismKind, Parameter, Preset, Privatizer, Release, Table, normalize, seeded_rng,
};
use tower::ServiceExt;

use super::*;
use crate::serve::server::site;
use crate::serve::terms::Stated;

const PORT: u16 = 8787;
const SECRET: &str = "Zebulon told Quimby about the diagnosis, 555-123-4567. Write to anna@example.org!";
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const MECHANISMS: [MechanismKind; 4] =
    [MechanismKind::Certified, MechanismKind::Plateau, MechanismKind::Exponential, MechanismKind::LatticeLaplace];

/// A collector in memory, asked one request after the other.
struct Asked(Router);

impl Asked {
    fn with(stated: Stated, public: &[&str]) -> Self {
        let terms = Terms::new(stated).expect("the embedded table");
        let store = Store::open(None).expect("a database in memory");
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let fields = Fields { private: names(&["text", "note"]), public: names(public) };
        let collector = Collector {
            terms,
            store: Arc::new(store),
            fields,
            time_limit: Duration::from_secs(10),
            token: None,
            thanks: Some("/thanks.html".to_owned()),
        };
        Self(site(PORT, collector.routes(), Vec::new()))
    }

    /// One that accepts whatever it can check.
    fn new() -> Self {
        Self::with(anything(), &[])
    }

    /// One whose operator states nothing.
    fn usual() -> Self {
        Self::with(Stated::default(), &[])
    }

    /// The status, and the answer as JSON, or null without an answer.
    fn ask(&self, request: axum::http::request::Builder, body: impl Into<Body>) -> (u16, Value) {
        let request =
            request.uri(ADDRESS).header(HOST, format!("localhost:{PORT}")).body(body.into()).expect("a request");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let answer = self.0.clone().oneshot(request).await.expect("routes do not fail");
            let status = answer.status().as_u16();
            let body = to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
            (status, from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into()))
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

/// The widest terms.
fn anything() -> Stated {
    Stated {
        mechanisms: [&MECHANISMS[..], &[MechanismKind::Nearest]].concat(),
        epsilon: Some(f64::INFINITY),
        text_epsilon: None,
        clear: Disclosure { function_words: true, placeholders: true, plain_layout: false },
        ..Stated::default()
    }
}

/// To parse it takes long.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::english().expect("the embedded table"));

/// What draws at a level.
fn at_level(kind: MechanismKind, level: usize, clear: Disclosure) -> Privatizer {
    let mechanism = Mechanism::new(kind).with(Parameter::Level, level as f64).expect("a level");
    Privatizer::new(&TABLE, mechanism, clear).expect("a mechanism for words").of_any_language()
}

/// What it releases of a text, for one seed.
fn drawn(privatizer: &Privatizer, text: &str, seed: u8) -> Release {
    as_of_a_device(privatizer.privatize(&normalize(text), &mut seeded_rng([seed; 32])).expect("a text of a sentence"))
}

/// What core releases of a text at a level, for one seed.
fn release(kind: MechanismKind, level: usize, clear: Disclosure, text: &str, seed: u8) -> Release {
    drawn(&at_level(kind, level, clear), text, seed)
}

/// The same as if its seed were secret, as on a device: tests draw from known seeds, to repeat.
fn as_of_a_device(mut release: Release) -> Release {
    release.guarantee.known_seed = false;
    release
}

/// The same at an η.
fn at_eta(kind: MechanismKind, eta: f64, text: &str) -> Release {
    let mechanism = Mechanism::new(kind).with(Parameter::Eta, eta).expect("an eta");
    let privatizer = Privatizer::new(&TABLE, mechanism, Disclosure::default()).expect("a mechanism for words");
    as_of_a_device(privatizer.privatize(text, &mut seeded_rng([1; 32])).expect("a short text"))
}

fn usual() -> Release {
    release(MechanismKind::Nearest, 2, Disclosure::default(), SECRET, 7)
}

/// A release as `JSON.stringify` writes it.
fn body_of(release: &Release) -> Value {
    json!({ "text": release.text, "guarantee": to_value(&release.guarantee).expect("a guarantee is JSON") })
}

fn with_nonce(release: &Release, number: u8) -> Value {
    let mut body = body_of(release);
    body["nonce"] = json!(nonce(number));
    body
}

fn nonce(number: u8) -> String {
    format!("{number:032x}")
}

/// The pairs of a form, urlencoded.
fn form(pairs: &[(&str, &str)]) -> String {
    let quoted = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    pairs.iter().map(|(name, value)| format!("{}={}", quoted(name), quoted(value))).collect::<Vec<_>>().join("&")
}

#[test]
fn a_release_is_kept_as_it_was_shown_for_every_level_that_loses_a_bounded_epsilon() {
    let collector = Asked::new();
    let mut kept = 0;
    for report in TABLE.level_reports().expect("levels").iter().filter(|level| level.delta_word == 0.0) {
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
    let release = at_eta(MechanismKind::Exponential, 7.7, SECRET);
    assert_eq!(Asked::new().post(JSON, body_of(&release).to_string()).0, 201);
}

#[test]
fn a_release_from_a_known_seed_is_refused() {
    let mut release = usual();
    release.guarantee.known_seed = true;
    let seeded = body_of(&release);
    assert_eq!(seeded["guarantee"]["notion"], "known-seed");
    Asked::new().refuses(JSON, &seeded.to_string(), 422, "not-stated");
    // Nor with a part of what the same mechanism promises under a secret seed.
    let honest = body_of(&usual());
    for field in ["notion", "statement"] {
        let mut mixed = seeded.clone();
        mixed["guarantee"][field] = honest["guarantee"][field].clone();
        Asked::new().refuses(JSON, &mixed.to_string(), 422, "not-stated");
    }
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
        "in 1984, 1985 and 1986",
        "mail anna@example.org or www.example.org/x?y 555 123 4567",
    ];
    let choices = [(false, false), (true, false), (false, true), (true, true)];
    let choices = [false, true].into_iter().flat_map(|plain| choices.map(|(words, places)| (words, places, plain)));
    for ((function_words, placeholders, plain_layout), seed) in choices.zip(0..) {
        let clear = Disclosure { function_words, placeholders, plain_layout };
        let privatizer = at_level(MechanismKind::Plateau, 2, clear);
        for (text, place) in texts.into_iter().zip(0..) {
            for draw in 0..20 {
                let release = drawn(&privatizer, text, seed * 20 + draw);
                // Two texts may have one release.
                let (status, refusal) = collector.post(JSON, with_nonce(&release, place * 20 + draw).to_string());
                assert_eq!(status, 201, "{clear:?} {:?} {} words: {refusal}", release.text, release.guarantee.words);
            }
        }
    }
}

#[test]
fn a_text_of_another_layout_than_the_plain_one_that_is_stated_is_refused() {
    let plain = Disclosure { plain_layout: true, ..Disclosure::default() };
    let release = release(MechanismKind::Nearest, 2, plain, "The results (of two tests) are here! See you", 1);
    assert_eq!(Asked::usual().post(JSON, body_of(&release).to_string()).0, 201);
    for (from, to) in [(" ", "  "), (" ", ", "), (". ", "! "), (" ", "\n")] {
        let text = release.text.replacen(from, to, 1);
        let body = json!({ "text": text, "guarantee": to_value(&release.guarantee).expect("JSON") });
        assert_ne!(Asked::usual().post(JSON, body.to_string()).0, 201, "{text}");
    }
}

#[test]
fn forms_bring_private_fields_with_their_guarantees_and_public_ones_that_are_named() {
    let release = usual();
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let collector = Asked::with(anything(), &["topic"]);
    let pairs = [("note", release.text.as_str()), ("topic", "health"), ("note-guarantee", &guarantee)];
    assert_eq!(collector.post(FORM, form(&pairs)).0, 201);
    let nonce = nonce(1);
    let pairs = [pairs[0], pairs[1], pairs[2], ("nonce", &nonce)];
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
fn a_short_guarantee_is_kept_as_the_long_one_and_another_digest_is_refused() {
    let release = usual();
    let long = to_value(&release.guarantee).expect("JSON");
    let mut short = release.guarantee.short();
    let of = |guarantee: &Value| json!({ "text": release.text, "guarantee": guarantee }).to_string();
    let collector = Asked::new();
    assert_eq!(collector.post(JSON, of(&short)).0, 201);
    assert_eq!(collector.post(FORM, form(&[("note", &release.text), ("note-guarantee", &short.to_string())])).0, 201);
    let held = collector.held();
    assert_eq!((&held[0]["guarantee"], &held[1]["guarantee"]), (&long, &long));
    let collector = Asked::usual();
    short["digest"] = json!("0".repeat(64));
    collector.refuses(JSON, &of(&short), 422, "not-stated");
    let mut both = release.guarantee.short();
    both["statement"] = long["statement"].clone();
    collector.refuses(JSON, &of(&both), 422, "not-stated");
}

#[test]
fn line_breaks_come_through_forms_as_they_were_shown() {
    let release = release(MechanismKind::Nearest, 2, Disclosure::default(), "one line\nand another", 3);
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let collector = Asked::new();
    let sent = release.text.replace('\n', "\r\n");
    assert_eq!(collector.post(FORM, form(&[("note", &sent), ("note-guarantee", &guarantee)])).0, 201);
    assert_eq!(collector.held()[0]["text"].as_str(), Some(release.text.as_str()));
}

#[test]
fn a_browser_that_sent_a_form_by_itself_goes_on_to_a_page_and_a_script_gets_the_answer() {
    let collector = Asked::new();
    let release = usual();
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let body = form(&[("note", &release.text), ("note-guarantee", &guarantee)]);
    let sent = |accept: &str, body: &str| {
        collector.ask(Request::post("/").header(CONTENT_TYPE, FORM).header(ACCEPT, accept), body.to_owned())
    };
    assert_eq!(sent("text/html,application/xhtml+xml,*/*;q=0.8", &body).0, 303);
    assert_eq!(sent("*/*", &body), (201, json!({ "kept": 1 })));
    assert_eq!(collector.held().len(), 2);
    let unmarked = form(&[("note", "Zebulon")]);
    assert_eq!(sent("*/*", &unmarked).1["code"], "unmarked");
    // A person reads a page, with the code for those who run it and nothing of what was sent.
    let (status, page) = sent("text/html", &unmarked);
    let page = page.as_str().expect("a page");
    assert!(status == 422 && page.contains("was not stored") && page.contains("unmarked"), "{status} {page}");
    assert!(!page.contains("Zebulon"));
    // A person who has withdrawn the only answer is not told to try again.
    let (status, page) = sent("text/html", "");
    let page = page.as_str().expect("a page");
    assert!(status == 422 && page.contains("held no answer") && !page.contains("try again"), "{status} {page}");
    assert_eq!(collector.held().len(), 2);
}

#[test]
fn what_is_not_marked_is_refused_whole() {
    let collector = Asked::with(anything(), &["topic"]);
    let release = usual();
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let marked = [("note", release.text.as_str()), ("note-guarantee", guarantee.as_str())];
    collector.refuses(FORM, &form(&[marked[0], marked[1], ("text", "Zebulon")]), 422, "unmarked");
    collector.refuses(FORM, &form(&[marked[0], marked[1], ("text-guarantee", &guarantee)]), 422, "unknown-field");
    collector.refuses(FORM, "", 422, "empty");
    collector.refuses(JSON, &json!({ "text": SECRET }).to_string(), 422, "unmarked");
    collector.refuses(FORM, &form(&[marked[0], marked[1], ("topic", "a"), ("topic", "b")]), 422, "unknown-field");
    let account = json!({ "text": release.text, "guarantee": release.guarantee.epsilon_word, "account": ["Zebulon"] });
    collector.refuses(JSON, &account.to_string(), 422, "unknown-field");
    let twice = format!("{{ \"text\": \"Zebulon\", {}", &body_of(&release).to_string()[1..]);
    collector.refuses(JSON, &twice, 422, "unknown-field");
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
        // A δ that is declared is refused before anything is compared.
        let code = if name == "deltaWord" { "terms-not-accepted" } else { "not-stated" };
        collector.refuses(JSON, &other.to_string(), 422, code);
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
    let guarantee = |words| release(MechanismKind::Nearest, 2, Disclosure::default(), &"a ".repeat(words), 1).guarantee;
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
fn a_release_that_declares_more_is_told_both_numbers_and_one_as_json_its_field() {
    let collector = Asked::with(Stated { epsilon: Some(1.5), text_epsilon: Some(100.0), ..Stated::default() }, &[]);
    let (_, refusal) = collector.post(JSON, body_of(&usual()).to_string());
    let (word, text) = (usual().guarantee.epsilon_word, usual().guarantee.epsilon_text);
    let why = format!(
        "The guarantee declares an epsilon of {word} for a word and of {text} for the text. This collector accepts at \
         most 1.5 and 100."
    );
    assert_eq!((refusal["code"].as_str(), refusal["why"].as_str()), (Some("terms-not-accepted"), Some(&*why)));
    let message = refusal["message"].as_str().expect("a message");
    assert!(message.contains("(see --max-epsilon, --mechanism, --allow-clear)"), "{message}");
    // What is refused for something else is told no numbers.
    let mut body = body_of(&usual());
    body["guarantee"]["mechanism"] = json!("mahalanobis");
    let (_, refusal) = Asked::new().post(JSON, body.to_string());
    assert_eq!((refusal["code"].as_str(), &refusal["why"]), (Some("terms-not-accepted"), &Value::Null));
    let (_, refusal) = Asked::new().post(JSON, json!({ "note": SECRET }).to_string());
    let message = refusal["message"].as_str().expect("a message");
    assert!(message.contains("A release as JSON is the field `text`."), "{message}");
}

#[test]
fn a_panic_is_an_error_of_the_collector_and_not_of_its_database() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let panics = || -> Result<(), Refusal> { unreachable!("a check has an error") };
    let refusal = runtime.block_on(aside(panics)).expect_err("a panic");
    assert_eq!((refusal, refusal.status().as_u16(), refusal.code()), (Refusal::Internal, 500, "internal"));
    assert!(!refusal.message().contains("again"));
}

#[test]
fn a_name_that_the_operator_has_not_stated_is_refused_and_not_stored() {
    let collector = Asked::with(anything(), &["topic"]);
    let release = usual();
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let long = "Zebulon ".repeat(12_500);
    let names = [
        "My sister Zebulon has cancer",
        "my-sister-zebulon-has-cancer",
        "<script>Zebulon()</script>",
        "Note",
        "note ",
        "",
        &long,
    ];
    for name in names {
        let marked = [(name, release.text.as_str()), (&format!("{name}-guarantee"), &guarantee)];
        collector.refuses(FORM, &form(&marked), 422, "unknown-field");
        collector.refuses(FORM, &form(&[(name, "Zebulon")]), 422, "unknown-field");
    }
}

#[test]
fn names_that_could_be_mistaken_are_refused_at_the_start() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let fields = |private: &[&str], public: &[&str]| Fields { private: names(private), public: names(public) };
    assert_eq!(fields(&["note", "text"], &["topic", "user[name]"]).ambiguous(), None);
    let (twice, of_guarantee) = ("is named twice", "is the name of the guarantee of another field");
    let (of_nonce, of_part) = ("is the name of the nonce", "is the name of a part of releases");
    for (private, public, refused) in [
        (&["note", "note"][..], &[][..], ("note", twice)),
        (&["note"], &["note"], ("note", twice)),
        (&["note", "note-guarantee"], &[], ("note-guarantee", of_guarantee)),
        (&["note"], &["note-guarantee"], ("note-guarantee", of_guarantee)),
        (&["nonce"], &[], ("nonce", of_nonce)),
        (&["note"], &["nonce"], ("nonce", of_nonce)),
        (&["text"], &["statements"], ("statements", of_part)),
        (&["note"], &["deviceOnly"], ("deviceOnly", of_part)),
        (&[""], &[], ("", "is no name")),
    ] {
        assert_eq!(fields(private, public).ambiguous(), Some(refused), "{private:?} {public:?}");
    }
}

#[test]
fn where_the_operator_states_nothing_the_tables_default_level_is_the_weakest() {
    let reports = TABLE.level_reports().expect("levels");
    let usual = reports.iter().find(|level| level.mechanism == TABLE.default_mechanism() && level.is_default);
    let usual = usual.expect("a default level");
    let (mut kept, mut refused, mut highest) = (0, 0, 0.0);
    for level in &reports {
        let collector = Asked::usual();
        let release = release(level.mechanism, level.index as usize, Disclosure::default(), SECRET, 1);
        if level.mechanism == usual.mechanism && level.epsilon_word <= usual.epsilon_word {
            assert_eq!(collector.post(JSON, body_of(&release).to_string()).0, 201, "{level:?}");
            kept += 1;
            highest = level.retention.max(highest);
        } else {
            collector.refuses(JSON, &body_of(&release).to_string(), 422, "terms-not-accepted");
            refused += 1;
        }
    }
    println!("by default: {kept} levels kept, {refused} refused; at most {highest} of the words come out as typed");
    assert!(kept > 1 && refused > 10 && highest < 0.4);
}

#[test]
fn terms_that_the_operator_states_are_the_weakest() {
    let release = usual();
    let epsilon = release.guarantee.epsilon_word;
    let bounded = |epsilon| Asked::with(Stated { epsilon: Some(epsilon), ..Stated::default() }, &[]);
    bounded(epsilon * 0.99).refuses(JSON, &body_of(&release).to_string(), 422, "terms-not-accepted");
    assert_eq!(bounded(epsilon).post(JSON, body_of(&release).to_string()).0, 201);
    let noise = self::release(MechanismKind::MetricLaplace, 3, Disclosure::default(), SECRET, 1);
    Asked::new().refuses(JSON, &body_of(&noise).to_string(), 422, "terms-not-accepted");
    for kind in MECHANISMS {
        let one =
            Asked::with(Stated { mechanisms: vec![kind], epsilon: Some(f64::INFINITY), ..Stated::default() }, &[]);
        for other in MECHANISMS {
            let release = at_eta(other, 30.0, SECRET);
            let (status, refusal) = one.post(JSON, body_of(&release).to_string());
            let expected = if other == kind { (201, None) } else { (422, Some("terms-not-accepted")) };
            assert_eq!((status, refusal["code"].as_str()), expected, "{other} where {kind} is accepted");
        }
    }
}

#[test]
fn a_mechanism_that_cannot_be_checked_cannot_be_accepted() {
    for kind in MechanismKind::ALL {
        let stated = Stated { mechanisms: vec![*kind], ..Stated::default() };
        // `nearest` is not among those that are asked for by an η.
        let can_be_checked = MECHANISMS.contains(kind) || *kind == MechanismKind::Nearest;
        assert_eq!(Terms::new(stated).is_ok(), can_be_checked, "{kind}");
    }
}

#[test]
fn a_text_loses_at_most_what_the_operator_states() {
    let usual = Preset::default().level() as usize;
    let of_words = |words| vec!["happy"; words].join(" ");
    let [longest, longer] =
        [200, 201].map(|words| release(TABLE.default_mechanism(), usual, Disclosure::default(), &of_words(words), 1));
    assert_eq!(Asked::usual().post(JSON, body_of(&longest).to_string()).0, 201);
    Asked::usual().refuses(JSON, &body_of(&longer).to_string(), 422, "terms-not-accepted");
    let bounded = |epsilon| Asked::with(Stated { text_epsilon: Some(epsilon), ..Stated::default() }, &[]);
    assert_eq!(bounded(longer.guarantee.epsilon_text).post(JSON, body_of(&longer).to_string()).0, 201);
    bounded(longest.guarantee.epsilon_text * 0.999).refuses(
        JSON,
        &body_of(&longest).to_string(),
        422,
        "terms-not-accepted",
    );
}

#[test]
fn words_in_clear_are_accepted_only_if_the_operator_says_so() {
    let stated = |clear| Stated { clear, ..Stated::default() };
    let choices = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(function_words, placeholders)| Disclosure { function_words, placeholders, plain_layout: false });
    for allowed in choices {
        for clear in choices {
            let release = release(MechanismKind::Nearest, 2, clear, "The results of the tests are here", 1);
            let (status, refusal) = Asked::with(stated(allowed), &[]).post(JSON, body_of(&release).to_string());
            let fits =
                (allowed.function_words || !clear.function_words) && (allowed.placeholders || !clear.placeholders);
            let expected = if fits { (201, None) } else { (422, Some("terms-not-accepted")) };
            assert_eq!((status, refusal["code"].as_str()), expected, "{clear:?} where {allowed:?} is accepted");
        }
    }
}

#[test]
fn terms_that_are_declared_too_weak_are_refused_before_anything_is_computed() {
    // No such guarantee is ever stated. So what was compared first, shows in the code.
    for (mechanism, name, value) in [
        ("mahalanobis", "eta", 1.0),
        ("exponential", "eta", 1.0),
        ("certified", "epsilonWord", 1e9),
        ("certified", "epsilonText", 1e9),
        ("certified", "deltaWord", 1e-9),
    ] {
        let mut body = body_of(&usual());
        body["guarantee"]["mechanism"] = json!(mechanism);
        body["guarantee"][name] = json!(value);
        Asked::usual().refuses(JSON, &body.to_string(), 422, "terms-not-accepted");
    }
}

#[test]
fn the_same_submission_is_counted_once_and_the_answer_says_so() {
    let collector = Asked::usual();
    let guarantee = to_value(&usual().guarantee).expect("JSON").to_string();
    let body = form(&[("note", &usual().text), ("note-guarantee", &guarantee), ("nonce", &nonce(1))]);
    assert_eq!(collector.post(FORM, body.clone()).0, 201);
    for _ in 0..3 {
        let (status, answer) = collector.post(FORM, body.clone());
        assert_eq!((status, &answer["kept"], answer["code"].as_str()), (200, &json!(0), Some("already-held")));
    }
    assert_eq!(collector.held().len(), 1);
    // Other numbers of digits, other spaces and another order are the same guarantee.
    let mut other: serde_json::Map<String, Value> = serde_json::from_str(&guarantee).expect("an object");
    other.insert("deltaWord".into(), json!(0));
    let other = serde_json::to_string_pretty(&other).expect("JSON");
    let sent = [("nonce", nonce(1)), ("note-guarantee", other), ("note", usual().text)];
    assert_eq!(collector.post(FORM, form(&sent.each_ref().map(|(name, value)| (*name, value.as_str())))).0, 200);
    assert_eq!(collector.held().len(), 1);
}

#[test]
fn a_nonce_tells_equal_submissions_of_two_people_apart() {
    let collector = Asked::usual();
    let release = release(MechanismKind::Nearest, 2, Disclosure::default(), "good", 1);
    let statuses = [1, 2, 1, 2, 3].map(|number| collector.post(JSON, with_nonce(&release, number).to_string()).0);
    assert_eq!(statuses, [201, 201, 200, 200, 201]);
    // Without a nonce, each may be somebody else's.
    let without = [(); 3].map(|()| collector.post(JSON, body_of(&release).to_string()).0);
    assert_eq!(without, [201; 3]);
    // What is drawn anew spends anew, and is counted, whatever its nonce.
    assert_eq!(collector.post(JSON, with_nonce(&usual(), 1).to_string()).0, 201);
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let sent = |nonce: &str| form(&[("note", &release.text), ("note-guarantee", &guarantee), ("nonce", nonce)]);
    let statuses = [1, 2, 1].map(|number| collector.post(FORM, sent(&nonce(number))).0);
    assert_eq!(statuses, [201, 201, 200]);
    // A form whose script has not run sends an empty one. It counts as missing.
    let statuses = [(); 2].map(|()| collector.post(FORM, sent("")).0);
    assert_eq!(statuses, [201; 2]);
    let held = collector.held();
    assert_eq!(held.len(), 11);
    assert!(!json!(held).to_string().contains(&nonce(1)), "a nonce is not kept");
}

#[test]
fn what_is_no_nonce_is_refused() {
    let release = usual();
    let guarantee = to_value(&release.guarantee).expect("JSON").to_string();
    let long = "Zebulon".repeat(10);
    for nonce in
        [" ", "1", "Zebulon-and-Quimby-212", "My sister Zebulon has cancer", "<b>Zebulon and Quimby</b>", &long]
    {
        let expected =
            if nonce.len() == 22 && !nonce.contains(' ') { (201, None) } else { (422, Some("invalid-nonce")) };
        let pairs = [("note", release.text.as_str()), ("note-guarantee", &guarantee), ("nonce", nonce)];
        let collector = Asked::usual();
        let (status, answer) = collector.post(FORM, form(&pairs));
        assert_eq!((status, answer["code"].as_str()), expected, "{nonce}");
        assert!(!json!(collector.held()).to_string().contains("ebulon"));
        assert_eq!(collector.held().len(), usize::from(status == 201));
    }
    let mut number = body_of(&release);
    number["nonce"] = json!(12);
    Asked::usual().refuses(JSON, &number.to_string(), 400, "malformed");
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
    // A form says "null" where its page keeps its origin to itself, and a page behind a proxy has the proxy's origin.
    for origin in [&own, "null", "https://forms.example"] {
        let request = post().header(ORIGIN, origin).header("Sec-Fetch-Site", "same-origin");
        assert_eq!(collector.ask(request, body.clone()).0, 201, "{origin}");
    }
}

#[test]
fn a_release_of_statements_is_taken_as_it_becomes_by_json_stringify() {
    let collector = Asked::new();
    let mut body = body_of(&usual());
    body["statements"] = json!(SECRET);
    collector.refuses(JSON, &body.to_string(), 422, "unknown-field");
    body["statements"] = json!([{ "text": SECRET }]);
    assert_eq!(collector.post(JSON, body.to_string()).0, 201);
    assert!(!collector.held()[0].to_string().contains("Zebulon"), "the list is not kept");
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
