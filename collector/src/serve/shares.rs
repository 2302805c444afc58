//! `/shares`: a page with the shares in what is held, and `/shares.csv`, for whoever shows the token.
//!
//! Both are computed when they are asked for, something has come since, and the last result is old enough. One computation
//! runs at a time, on a thread of its own, so that releases are taken in meanwhile. Who asks in the meantime is told to ask
//! again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail, ensure};
use axum::extract::{DefaultBodyLimit, Form, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{RequestExt, Router};
use clap::Args;
use maud::{Markup, html};
use serde::Deserialize;
use textveil::{StatementList, Table};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::estimate::{CSV_ADDRESS, Home, Known, NoReleases, Of, QuestionOptions, STYLE_ADDRESS, Shown, shell, style};
use crate::serve::refusal::Refusal;
use crate::serve::releases::{Collector, Fields, aside, shows_pages};
use crate::serve::store::Store;
use crate::serve::token::{Token, VARIABLE, private};

const ADDRESS: &str = "/shares";

/// The addresses that have something to show to a person.
pub(super) const ADDRESSES: [&str; 2] = [ADDRESS, CSV_ADDRESS];

/// A token, as a form sends it.
const LARGEST_BODY: usize = 8 << 10;

/// How long who asks waits for a computation that runs for somebody else.
const PATIENCE: Duration = Duration::from_secs(5);

/// The shares that the operator shows.
#[derive(Args)]
pub(crate) struct Options {
    /// Show the shares in the releases of a field at /shares, and as CSV at /shares.csv, to whoever shows the token
    /// [default: the only field]. Shares are of the statements of the list that --statements names, or of words. They are
    /// counted anew if something has come since and --shares-age has passed. The first time, words take half a minute of
    /// one processor
    #[arg(long, value_name = "FIELD", num_args = 0..=1, requires = "database", help_heading = "Who may see what is held")]
    shares: Option<Option<String>>,
    /// How old shares may be before they are counted anew. Deleted releases may count as long, if others have come since
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = "Who may see what is held")]
    shares_age: u32,
    #[command(flatten)]
    asked: QuestionOptions,
}

/// What a collector takes in.
pub(crate) struct TakenIn<'a> {
    /// The lists that statements may be of.
    pub(crate) lists: &'a [StatementList],
    /// The table of the words, if it is not the built-in one.
    pub(crate) table: Option<&'a Table>,
    /// Whether releases may show some words in clear, or never show some.
    pub(crate) shows_clear: bool,
}

impl Options {
    /// What is asked, if anything is shown.
    ///
    /// # Errors
    /// There is no token, or it cannot be asked of what is held. So the operator is told, and not the first who looks.
    pub(crate) fn question(
        &self,
        database: Option<&Path>,
        fields: &Fields,
        taken_in: &TakenIn<'_>,
        token: Option<&Arc<Token>>,
    ) -> Result<Option<ShownQuestion>> {
        let Self { shares, asked, shares_age } = self;
        let (Some(field), Some(database)) = (shares, database) else {
            ensure!(!asked.asks(), "--topic, --topics, --by, --every and --as-drawn say what --shares shows");
            return Ok(None);
        };
        let token = token.with_context(|| format!("--shares needs --token-file or {VARIABLE}"))?;
        let field = match (field, &fields.private[..]) {
            (Some(field), _) | (None, [field]) => field,
            (None, _) => bail!("--shares: name one of the fields"),
        };
        ensure!(fields.private.contains(field), "--shares: \"{field}\" is not one of the fields");
        if let Some(name) = asked.by.iter().find(|name| !fields.public.contains(name)) {
            bail!("--by: \"{name}\" is not one of the public fields");
        }
        let list = match taken_in.lists {
            [] => None,
            [list] => Some(list.clone()),
            _ => bail!(
                "--shares: shares are of one list of statements, and --statements names several. Leave out --shares, and make a page of \
                 each field: textveil-collector estimate DATABASE --field NAME --statements LIST --html FILE"
            ),
        };
        ensure!(
            list.is_some() || !taken_in.shows_clear,
            "--shares: no shares of words are told from releases that show some in clear, or never show some: leave out function-words, --keep-words and --never-say"
        );
        ensure!(list.is_some() || asked.has_topics(), "--shares: name topics of words by --topic or --topics");
        let question = ShownQuestion {
            asked: asked.clone(),
            list,
            table: taken_in.table.cloned(),
            database: database.to_owned(),
            field: field.clone(),
            token: Arc::clone(token),
            age: Duration::from_secs((*shares_age).into()),
        };
        question.asked.check(question.of())?;
        Ok(Some(question))
    }
}

/// What is shown, and who may see it.
pub(crate) struct Shares {
    question: ShownQuestion,
    store: Arc<Store>,
    time_limit: Duration,
    computed: Arc<Mutex<Computed>>,
}

/// What is asked of the releases of a database.
pub(crate) struct ShownQuestion {
    asked: QuestionOptions,
    /// The list of the statements; without it, words are counted.
    list: Option<StatementList>,
    /// The table of the words, if it is not the built-in one.
    table: Option<Table>,
    database: PathBuf,
    field: String,
    /// What must be shown to see the answer.
    token: Arc<Token>,
    /// How old the answer may be.
    age: Duration,
}

impl ShownQuestion {
    /// What the shares are of.
    fn of(&self) -> Of<'_> {
        self.list.as_ref().map_or_else(|| Of::Words(self.table.as_ref()), Of::Statements)
    }
}

/// What was shown last.
#[derive(Default)]
struct Computed {
    last: Option<Last>,
    known: Known,
}

/// A result.
struct Last {
    /// In which state of the database.
    state: String,
    since: Instant,
    shown: Result<Arc<Shown>, Unshown>,
}

/// Why there are no shares.
#[derive(Clone)]
struct Unshown {
    refusal: Refusal,
    /// What stands in the way, and where.
    why: Option<String>,
}

impl Shares {
    /// The shares in what a collector holds.
    pub(crate) fn new(question: ShownQuestion, Collector { store, time_limit, .. }: &Collector) -> Self {
        Self { question, store: Arc::clone(store), time_limit: *time_limit, computed: Arc::default() }
    }

    pub(crate) fn routes(self) -> Router {
        Router::new()
            .route(ADDRESS, get(page).post(enter))
            .route(CSV_ADDRESS, get(csv))
            .layer(map_response(private))
            .route(STYLE_ADDRESS, get(async || ([(CONTENT_TYPE, "text/css")], style())))
            .layer(DefaultBodyLimit::max(LARGEST_BODY))
            .with_state(Arc::new(self))
    }

    /// What is shown of the releases that are held.
    async fn shown(self: Arc<Self>) -> Result<Arc<Shown>, Unshown> {
        let computed = Arc::clone(&self.computed).lock_owned();
        let mut computed =
            timeout(PATIENCE, computed).await.map_err(|_| Unshown { refusal: Refusal::SharesBusy, why: None })?;
        // If the client leaves, this ends all the same, and the next one finds it done.
        aside(move || {
            let state = self.store.state()?;
            if let Some(last) = &computed.last {
                // What is deleted is gone at once.
                let is_young = last.since.elapsed() < self.question.age && !self.store.is_empty()?;
                if is_young || last.state == state {
                    return Ok(last.shown.clone());
                }
            }
            let ShownQuestion { asked, database, field, age, .. } = &self.question;
            let shown = asked.shown(self.question.of(), database, field, &mut computed.known, *age);
            let shown = shown.map(Arc::new).map_err(Unshown::from);
            // A database that has failed may work at once, and the first releases are waited for.
            let stays = shown.as_ref().map_or_else(|unshown| unshown.refusal == Refusal::NotEstimated, |_| true);
            computed.last = stays.then(|| Last { state, since: Instant::now(), shown: shown.clone() });
            Ok(shown)
        })
        .await
        .map_err(|refusal: Refusal| Unshown { refusal, why: None })?
    }
}

async fn page(State(shares): State<Arc<Shares>>, headers: HeaderMap) -> Response {
    if let Err(refusal) = shares.question.token.admit(&headers) {
        return if shows_pages(&headers) { as_page(refusal, &form(false)) } else { refusal.into_response() };
    }
    match shares.shown().await {
        Ok(shown) => as_html(StatusCode::OK, shown.page.clone()).into_response(),
        Err(unshown) if shows_pages(&headers) => as_page(unshown.refusal, &unshown.told()),
        Err(unshown) => unshown.refusal.with(unshown.why),
    }
}

async fn csv(State(shares): State<Arc<Shares>>, headers: HeaderMap) -> Result<Response, Response> {
    shares.question.token.admit(&headers).map_err(Refusal::into_response)?;
    let shown = shares.shown().await.map_err(|unshown| unshown.refusal.with(unshown.why))?;
    let head =
        [(CONTENT_TYPE, "text/csv; charset=utf-8"), (CONTENT_DISPOSITION, "attachment; filename=\"shares.csv\"")];
    Ok((head, shown.csv.clone()).into_response())
}

#[derive(Deserialize)]
struct Given {
    token: String,
}

/// Takes the token from the form, and gives the cookie.
async fn enter(State(shares): State<Arc<Shares>>, request: Request) -> Result<Response, Refusal> {
    let headers = request.headers().clone();
    let given = timeout(shares.time_limit, request.extract::<Form<Given>, _>()).await.map_err(|_| Refusal::TooSlow)?;
    let Form(Given { token }) = given.map_err(|_| Refusal::Malformed)?;
    if shares.question.token.is(token.trim()) {
        let head = [(LOCATION, ADDRESS.to_owned()), (SET_COOKIE, shares.question.token.cookie(&headers))];
        return Ok((StatusCode::SEE_OTHER, head).into_response());
    }
    Ok(if shows_pages(&headers) {
        as_page(Refusal::WrongToken, &form(true))
    } else {
        Refusal::WrongToken.into_response()
    })
}

fn as_html<T>(status: StatusCode, page: T) -> (StatusCode, [(HeaderName, &'static str); 1], T) {
    (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], page)
}

/// A refusal, as a page.
fn as_page(refusal: Refusal, body: &Markup) -> Response {
    refusal.count();
    let page = shell("Estimated shares", &Home::Server, body).into_string();
    (refusal.later(), as_html(refusal.status(), page)).into_response()
}

/// Asks a person for the token.
fn form(is_wrong: bool) -> Markup {
    html! {
        header { h1 { "Estimated shares" } }
        section {
            form method="post" action=(ADDRESS) {
                @if is_wrong { p.told role="alert" { "That is not the token." } }
                label for="token" { "The token of this collector" }
                input #token name="token" type="password" autocomplete="current-password" required autofocus;
                button { "Show the shares" }
            }
            p.note {
                "Whoever runs the collector has chosen it."
                @if is_wrong { " Code: " (Refusal::WrongToken.code()) "." }
            }
        }
    }
}

impl Unshown {
    fn told(&self) -> Markup {
        html! {
            header { h1 { "Estimated shares" } }
            section {
                p.told { (self.refusal.message()) }
                @if let Some(why) = &self.why { p { (why) } }
                p.note { "Code: " (self.refusal.code()) "." }
            }
        }
    }
}

impl From<Error> for Unshown {
    fn from(error: Error) -> Self {
        if error.is::<NoReleases>() {
            return Self { refusal: Refusal::NoReleases, why: None };
        }
        match Refusal::of_storage(&error) {
            Some(refusal) => Self { refusal, why: None },
            None => Self { refusal: Refusal::NotEstimated, why: Some(format!("{error:#}")) },
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::HeaderValue;
    use axum::http::header::{ACCEPT, AUTHORIZATION, CACHE_CONTROL, RETRY_AFTER};
    use clap::Parser;
    use tower::ServiceExt;

    use super::*;

    #[derive(Parser)]
    struct Given {
        #[arg(long)]
        database: PathBuf,
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn who_finds_a_computation_running_is_told_to_ask_again() {
        const TOKEN: &str = "correct-horse-battery";
        let given = ["", "--database", "absent.db", "--shares", "--topic", "price=price"];
        let Given { options, database } = Given::try_parse_from(given).expect("options");
        let fields = Fields { private: vec!["text".into()], public: Vec::new() };
        let token = Arc::new(Token::of(TOKEN).expect("long enough"));
        let taken_in = TakenIn { lists: &[], table: None, shows_clear: false };
        let question = options.question(Some(&database), &fields, &taken_in, Some(&token)).expect("words");
        let shares = Shares {
            question: question.expect("a question"),
            store: Arc::new(Store::open(None).expect("a database in memory")),
            time_limit: Duration::from_secs(10),
            computed: Arc::default(),
        };
        let computed = Arc::clone(&shares.computed);
        let _runs = computed.try_lock().expect("nobody else");
        let routes = shares.routes();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        for accepts in ["*/*", "text/html"] {
            let asked = Request::get(ADDRESS).header(AUTHORIZATION, format!("Bearer {TOKEN}")).header(ACCEPT, accepts);
            let asked = asked.body(Body::empty()).expect("a request");
            runtime.block_on(async {
                let answer = routes.clone().oneshot(asked).await.expect("routes do not fail");
                let headers = [RETRY_AFTER, CACHE_CONTROL].map(|name| answer.headers()[name].clone());
                assert_eq!(
                    (answer.status(), headers),
                    (StatusCode::SERVICE_UNAVAILABLE, ["5", "no-store"].map(HeaderValue::from_static))
                );
                let body = to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
                assert!(String::from_utf8_lossy(&body).contains(Refusal::SharesBusy.message()));
            });
        }
    }
}
