//! `/releases`: takes releases in (POST), lists what is held (GET), deletes it (DELETE). With a token, only who shows it
//! may list and delete.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use chrono::NaiveDate;
use serde::Deserialize;
use serde_json::{Value, json};
use textveil::MAX_TEXT_BYTES;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::serve::refusal::{Refusal, Refused, refused};
use crate::serve::server::WORKERS;
use crate::serve::store::{Entry, Store};
use crate::serve::submission::{self, Digest, Field, GUARANTEE, NONCE, OF_RELEASES};
use crate::serve::terms::Terms;
use crate::serve::token::{Token, private};

/// The address of all three.
pub(crate) const ADDRESS: &str = "/releases";

/// A release of the longest text, quoted, and its guarantee.
const LARGEST_BODY: usize = 2 * MAX_TEXT_BYTES;

/// What is accepted, and where it goes.
pub(crate) struct Collector {
    pub(crate) terms: Terms,
    pub(crate) store: Arc<Store>,
    pub(crate) fields: Fields,
    /// Within what time a body must come.
    pub(crate) time_limit: Duration,
    /// Who lists and deletes must show it, if there is one.
    pub(crate) token: Option<Arc<Token>>,
    /// Where a browser goes on after its form was stored, if the operator says so.
    pub(crate) thanks: Option<String>,
}

/// The names that fields may have. Nothing else is stored under a name, since a name can say as much as a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    /// The fields of releases.
    pub(crate) private: Vec<String>,
    /// The fields that are stored as they come.
    pub(crate) public: Vec<String>,
}

impl Fields {
    /// A name that cannot be told from another, or is reserved, and what is wrong with it.
    pub(crate) fn ambiguous(&self) -> Option<(&str, &'static str)> {
        let guarantees: Vec<String> = self.private.iter().map(|name| format!("{name}{GUARANTEE}")).collect();
        let mut names = Vec::new();
        for name in self.private.iter().chain(&self.public).map(String::as_str) {
            let why = match name {
                "" => Some("is no name"),
                NONCE => Some("is the name of the nonce"),
                _ if OF_RELEASES.contains(&name) => Some("is the name of a part of releases"),
                _ if guarantees.iter().any(|guarantee| guarantee == name) => {
                    Some("is the name of the guarantee of another field")
                }
                _ if names.contains(&name) => Some("is named twice"),
                _ => None,
            };
            if let Some(why) = why {
                return Some((name, why));
            }
            names.push(name);
        }
        None
    }
}

impl Collector {
    /// What answers at [`ADDRESS`].
    pub(crate) fn routes(self) -> Router {
        let routes = Router::new()
            .route(ADDRESS, get(list).post(take_in).delete(delete))
            .layer(DefaultBodyLimit::max(LARGEST_BODY));
        let routes = if self.token.is_some() { routes.layer(map_response(private)) } else { routes };
        routes.with_state(Arc::new(self))
    }

    /// # Errors
    /// There is a token, and the request does not show it.
    fn admit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.token.as_ref().map_or(Ok(()), |token| token.admit(headers))
    }

    /// The fields as they are to be kept, all of them or none, and their digest.
    fn checked(&self, fields: Vec<Field>) -> Result<(Vec<Entry>, Digest), Refused> {
        let mut given = BTreeMap::new();
        for (name, value) in fields {
            if given.insert(name, value).is_some() {
                return Err(Refusal::UnknownField.into());
            }
        }
        let nonce = given.remove(NONCE);
        let mut entries = Vec::new();
        while let Some((field, text)) = given.pop_first() {
            if self.fields.public.contains(&field) {
                entries.push(Entry { field, text, guarantee: None });
                continue;
            }
            if !self.fields.private.contains(&field) {
                return Err(Refusal::UnknownField.into());
            }
            let declared = given.remove(&format!("{field}{GUARANTEE}")).ok_or(Refusal::Unmarked)?;
            let declared = serde_json::from_str(&declared).map_err(|_| Refusal::NotStated)?;
            let refused = |refusal| Refused::new(refusal, self.terms.why(refusal, &declared));
            let stated = self.terms.check(&text, &declared).map_err(refused)?;
            let guarantee = Some(serde_json::to_value(stated).map_err(|_| Refusal::NotStated)?);
            entries.push(Entry { field, text, guarantee });
        }
        if entries.is_empty() {
            return Err(Refusal::Empty.into());
        }
        let digest = submission::digest(nonce.as_deref(), &entries)?;
        Ok((entries, digest))
    }
}

/// The places of those that compute or wait for the disk.
static PLACES: Semaphore = Semaphore::const_new(WORKERS);

/// Runs what computes or waits for the disk, so that other requests go on. Whoever leaves before it begins gives the place
/// to others: otherwise clients that send and leave could make all others wait.
///
/// # Errors
/// Those of the work, and [`Refusal::Internal`] if it panics.
pub(crate) async fn aside<T: Send + 'static, E: From<Refusal> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    let place = PLACES.acquire().await.map_err(|_| Refusal::Internal)?;
    let work = move || {
        let done = work();
        drop(place);
        done
    };
    spawn_blocking(work).await.unwrap_or_else(|_| Err(Refusal::Internal.into()))
}

async fn take_in(State(collector): State<Arc<Collector>>, request: Request) -> Response {
    let to_person = shows_pages(request.headers());
    let thanks = collector.thanks.as_deref().filter(|_| to_person);
    match (taken_in(Arc::clone(&collector), request).await, thanks) {
        (Err(refused), _) if to_person => refused.as_page(),
        (Err(refused), _) => refused.into_response(),
        (Ok(_), Some(page)) => Redirect::to(page).into_response(),
        (Ok(0), None) => json(&json!({
            "kept": 0,
            "code": "already-held",
            "message": "The same submission has come before. It counts once.",
        }))
        .into_response(),
        (Ok(kept), None) => (StatusCode::CREATED, json(&json!({ "kept": kept }))).into_response(),
    }
}

/// How many fields were stored: none if they are held already.
async fn taken_in(collector: Arc<Collector>, request: Request) -> Result<usize, Refused> {
    let fields = timeout(collector.time_limit, submission::read(request)).await.map_err(|_| Refusal::TooSlow)??;
    aside(move || {
        let (entries, digest) = collector.checked(fields)?;
        Ok(if collector.store.keep(&entries, digest)? { entries.len() } else { 0 })
    })
    .await
}

/// Whether the answer is shown to a person: a browser that sends a form by itself asks for a page, and a script does not.
pub(super) fn shows_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|kind| kind.trim_start().starts_with("text/html"))
}

async fn list(State(collector): State<Arc<Collector>>, headers: HeaderMap) -> Result<Response, Refusal> {
    collector.admit(&headers)?;
    let mut rows = aside(move || collector.store.list()).await?;
    rows["refused"] = json!(refused());
    Ok(json(&rows).into_response())
}

fn json(value: &Value) -> impl IntoResponse + use<> {
    ([(CONTENT_TYPE, "application/json")], value.to_string())
}

/// What a request deletes: without a day, everything. So an unknown name is an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Old {
    before: Option<String>,
}

async fn delete(
    State(collector): State<Arc<Collector>>,
    headers: HeaderMap,
    old: Result<Query<Old>, QueryRejection>,
) -> Result<StatusCode, Refusal> {
    collector.admit(&headers)?;
    let Query(Old { before }) = old.map_err(|_| Refusal::InvalidDay)?;
    // Only in full: "26-11-01" is a day of the year 26, and would delete nothing.
    let day = |text: String| text.parse::<NaiveDate>().ok().filter(|day| day.to_string() == text);
    let before = before.map(|text| day(text).ok_or(Refusal::InvalidDay)).transpose()?;
    aside(move || match before {
        Some(day) => collector.store.delete_before(day),
        None => collector.store.clear(),
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests;
