//! `/shares`: a page with the shares in what is held, and `/shares.csv`, for whoever shows the token.
//!
//! Both are computed when they are asked for and something has come since. One computation runs at a time, on a thread of
//! its own, so that releases are taken in meanwhile.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail, ensure};
use axum::extract::{DefaultBodyLimit, Form, Request, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION, REFERRER_POLICY, SET_COOKIE,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{RequestExt, Router};
use clap::Args;
use maud::{Markup, html};
use serde::Deserialize;
use textveil::StatementList;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::estimate::{Asked, CSV_ADDRESS, Home, Known, NoReleases, STYLE_ADDRESS, Shown, shell, style};
use crate::serve::refusal::Refusal;
use crate::serve::releases::{Collector, Fields, aside};
use crate::serve::store::Store;
use crate::serve::token::{Token, VARIABLE};

const ADDRESS: &str = "/shares";

/// A token, as a form sends it.
const LARGEST_BODY: usize = 8 << 10;

/// What the operator shows.
#[derive(Args)]
pub(crate) struct Options {
    /// Show the shares in the releases of a field at /shares, and as CSV at /shares.csv, to whoever shows the token
    /// [default: the only field]. Shares are of the statements of the list that --statements names, or of words. They are
    /// counted anew if something has come since. The first time, words take half a minute of one processor
    #[arg(long, value_name = "FIELD", num_args = 0..=1, requires = "database", help_heading = "Who may see what is held")]
    shares: Option<Option<String>>,
    #[command(flatten)]
    asked: Asked,
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
        lists: &[StatementList],
        token: Option<&Arc<Token>>,
    ) -> Result<Option<Question>> {
        let Self { shares, asked } = self;
        let (Some(field), Some(database)) = (shares, database) else {
            ensure!(!asked.asks(), "--topic, --topics, --by, --every and --as-drawn say what --shares shows");
            return Ok(None);
        };
        let token = token.with_context(|| format!("--shares needs --token-file or {VARIABLE}"))?;
        let field = match (field, &fields.private[..]) {
            (Some(field), _) | (None, [field]) => field,
            (None, _) => bail!("--shares: name one of the fields"),
        };
        ensure!(fields.private.contains(field), "--shares: \"{field}\" is none of the fields");
        if let Some(name) = asked.by.iter().find(|name| !fields.public.contains(name)) {
            bail!("--by: \"{name}\" is none of the public fields");
        }
        let list = match lists {
            [] => None,
            [list] => Some(list.clone()),
            _ => bail!("--shares: shares are of one list of statements, and --statements names several"),
        };
        ensure!(list.is_some() || asked.has_topics(), "--shares: name topics of words by --topic or --topics");
        asked.check(list.as_ref())?;
        let (asked, token) = (asked.clone(), Arc::clone(token));
        Ok(Some(Question { asked, list, database: database.to_owned(), field: field.clone(), token }))
    }
}

/// What is shown, and to whom.
pub(crate) struct Shares {
    question: Question,
    store: Arc<Store>,
    time_limit: Duration,
    computed: Arc<Mutex<Computed>>,
}

/// What is asked of the releases of a database.
pub(crate) struct Question {
    asked: Asked,
    /// The list of the statements; without it, words are counted.
    list: Option<StatementList>,
    database: PathBuf,
    field: String,
    /// What must be shown to see the answer.
    token: Arc<Token>,
}

/// What was shown last.
#[derive(Default)]
struct Computed {
    /// In which state of the database.
    state: String,
    shown: Option<Arc<Shown>>,
    known: Known,
}

/// Why there are no shares.
struct Unshown {
    refusal: Refusal,
    /// What stands in the way, and where.
    why: Option<String>,
}

impl Shares {
    /// The shares in what a collector holds.
    pub(crate) fn new(question: Question, Collector { store, time_limit, .. }: &Collector) -> Self {
        Self { question, store: Arc::clone(store), time_limit: *time_limit, computed: Arc::default() }
    }

    pub(crate) fn routes(self) -> Router {
        Router::new()
            .route(ADDRESS, get(page).post(enter))
            .route(CSV_ADDRESS, get(csv))
            .route(STYLE_ADDRESS, get(async || ([(CONTENT_TYPE, "text/css")], style())))
            .layer(DefaultBodyLimit::max(LARGEST_BODY))
            .with_state(Arc::new(self))
    }

    /// What is shown of the releases that are held now.
    async fn shown(self: Arc<Self>) -> Result<Arc<Shown>, Unshown> {
        let mut computed = Arc::clone(&self.computed).lock_owned().await;
        // If the client leaves, this ends all the same, and the next one finds it done.
        aside(move || {
            let state = self.store.state()?;
            if computed.state != state {
                computed.shown = None;
            }
            if let Some(shown) = &computed.shown {
                return Ok(Ok(Arc::clone(shown)));
            }
            let Question { asked, list, database, field, .. } = &self.question;
            let shown = asked.shown(list.as_ref(), database, field, &mut computed.known).map(Arc::new);
            computed.shown = shown.as_ref().ok().cloned();
            computed.state = state;
            Ok(shown.map_err(Unshown::from))
        })
        .await
        .map_err(|refusal| Unshown { refusal, why: None })?
    }
}

async fn page(State(shares): State<Arc<Shares>>, headers: HeaderMap) -> Response {
    if let Err(refusal) = shares.question.token.admit(&headers) {
        return if wants_page(&headers) { as_page(refusal, &form(false)) } else { refusal.into_response() };
    }
    match shares.shown().await {
        Ok(shown) => private(as_html(StatusCode::OK, shown.page.clone())),
        Err(unshown) if wants_page(&headers) => as_page(unshown.refusal, &unshown.told()),
        Err(unshown) => unshown.refusal.with(unshown.why),
    }
}

async fn csv(State(shares): State<Arc<Shares>>, headers: HeaderMap) -> Result<Response, Response> {
    shares.question.token.admit(&headers).map_err(Refusal::into_response)?;
    let shown = shares.shown().await.map_err(|unshown| unshown.refusal.with(unshown.why))?;
    let head =
        [(CONTENT_TYPE, "text/csv; charset=utf-8"), (CONTENT_DISPOSITION, "attachment; filename=\"shares.csv\"")];
    Ok(private((head, shown.csv.clone())))
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
        let head = [(LOCATION, ADDRESS.to_owned()), (SET_COOKIE, shares.question.token.cookie())];
        return Ok(private((StatusCode::SEE_OTHER, head)));
    }
    Ok(if wants_page(&headers) {
        as_page(Refusal::WrongToken, &form(true))
    } else {
        Refusal::WrongToken.into_response()
    })
}

/// Browsers ask for pages, programs do not.
fn wants_page(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains("text/html"))
}

fn as_html(status: StatusCode, page: String) -> (StatusCode, [(HeaderName, &'static str); 1], String) {
    (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], page)
}

/// A refusal, as a page.
fn as_page(refusal: Refusal, body: &Markup) -> Response {
    private(as_html(refusal.status(), shell("Estimated shares", &Home::Server, body).into_string()))
}

/// No browser keeps it. A form says which origin it is of: without that, the guard takes it for one from elsewhere.
fn private(answer: impl IntoResponse) -> Response {
    ([(CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "same-origin")], answer).into_response()
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
