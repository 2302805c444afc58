//! `/releases`: takes releases in (POST), lists what is held (GET), deletes it (DELETE).

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use textveil::MAX_TEXT_BYTES;

use crate::refusal::Refusal;
use crate::store::{Entry, Store};
use crate::submission::{self, Field, GUARANTEE};
use crate::terms::Terms;

/// The address of all three.
pub(crate) const ADDRESS: &str = "/releases";

/// A release of the longest text, quoted, and its guarantee.
const LARGEST_BODY: usize = 2 * MAX_TEXT_BYTES;

/// What is accepted, and where it goes.
pub(crate) struct Collector {
    terms: Terms,
    store: Store,
    public_fields: Vec<String>,
}

impl Collector {
    /// A collector for releases on `terms`, and for forms with these public fields.
    pub(crate) fn new(terms: Terms, store: Store, public_fields: Vec<String>) -> Self {
        Self { terms, store, public_fields }
    }

    /// What answers at [`ADDRESS`].
    pub(crate) fn routes(self) -> Router {
        Router::new()
            .route(ADDRESS, get(list).post(take_in).delete(clear))
            .layer(DefaultBodyLimit::max(LARGEST_BODY))
            .with_state(Arc::new(self))
    }

    /// The fields as they are to be kept: all of them, or none.
    fn checked(&self, fields: Vec<Field>) -> Result<Vec<Entry>, Refusal> {
        let mut given = BTreeMap::new();
        for (name, value) in fields {
            if given.insert(name, value).is_some() {
                return Err(Refusal::UnknownField);
            }
        }
        let mut entries = Vec::new();
        while let Some((field, text)) = given.pop_first() {
            if self.public_fields.contains(&field) {
                entries.push(Entry { field, text, guarantee: None });
                continue;
            }
            let declared = given.remove(&format!("{field}{GUARANTEE}")).ok_or(Refusal::Unmarked)?;
            let declared = serde_json::from_str(&declared).map_err(|_| Refusal::NotStated)?;
            let stated = self.terms.check(&text, &declared)?;
            entries.push(Entry { field, text, guarantee: serde_json::to_value(stated).ok() });
        }
        if entries.is_empty() { Err(Refusal::Unmarked) } else { Ok(entries) }
    }
}

async fn take_in(State(collector): State<Arc<Collector>>, request: Request) -> Result<Response, Refusal> {
    let entries = collector.checked(submission::read(request).await?)?;
    collector.store.keep(&entries).map_err(|_| Refusal::StorageFailed)?;
    Ok((StatusCode::CREATED, json(&json!({ "kept": entries.len() }))).into_response())
}

async fn list(State(collector): State<Arc<Collector>>) -> Result<Response, Refusal> {
    let rows = collector.store.list().map_err(|_| Refusal::StorageFailed)?;
    Ok(json(&rows).into_response())
}

fn json(value: &Value) -> impl IntoResponse + use<> {
    ([(CONTENT_TYPE, "application/json")], value.to_string())
}

async fn clear(State(collector): State<Arc<Collector>>) -> Result<StatusCode, Refusal> {
    collector.store.clear().map_err(|_| Refusal::StorageFailed)?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests;
