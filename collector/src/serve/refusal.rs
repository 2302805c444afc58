//! Why something is not taken in: a code for programs, a sentence for people, and nothing of what was sent.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// The refused requests of a reason, since the start.
struct Count {
    refused: u64,
    /// When the operator was told last.
    told: Instant,
}

/// By the code of the reason. Nothing of a request is kept.
static REFUSED: Mutex<BTreeMap<&str, Count>> = Mutex::new(BTreeMap::new());

/// The least time between two lines about one reason.
const BETWEEN: Duration = Duration::from_secs(60);

/// What the operator reads. A thread of its own writes it, because a full pipe makes the writer wait.
static LINES: LazyLock<SyncSender<String>> = LazyLock::new(|| {
    let (sender, lines) = sync_channel(8);
    thread::spawn(move || {
        for line in lines {
            // Without standard error there is nobody to tell.
            let _ = writeln!(io::stderr(), "{line}");
            *unwritten() -= 1;
            WRITTEN.notify_all();
        }
    });
    sender
});

/// How many lines that thread has not written yet.
static UNWRITTEN: Mutex<usize> = Mutex::new(0);

/// That thread has written a line.
static WRITTEN: Condvar = Condvar::new();

/// How long the program waits in the end until its last lines are written.
const LAST_LINES: Duration = Duration::from_secs(1);

fn unwritten() -> MutexGuard<'static, usize> {
    UNWRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the operator, and waits for nobody: it may be called while the database is locked. If nobody reads the lines, the
/// next ones are dropped.
fn tell(line: String) {
    let mut unwritten = unwritten();
    if LINES.try_send(line).is_ok() {
        *unwritten += 1;
    }
}

/// Stands for the thread that writes to the operator. Whoever drops it waits for the last lines, also after a panic. If
/// nobody reads them, the wait is short.
pub(crate) struct Lines(());

impl Lines {
    /// Starts the thread. The hook of panics could not start one if the system has no threads left.
    pub(crate) fn begin() -> Self {
        LazyLock::force(&LINES);
        Self(())
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        drop(WRITTEN.wait_timeout_while(unwritten(), LAST_LINES, |unwritten| *unwritten > 0));
    }
}

/// How many requests were refused since the start, by the code of the reason.
pub(crate) fn refused() -> BTreeMap<&'static str, u64> {
    let counts = REFUSED.lock().unwrap_or_else(PoisonError::into_inner);
    counts.iter().map(|(code, Count { refused, .. })| (*code, *refused)).collect()
}

/// A reason to refuse. None holds a word of what is refused, so that no answer and no log can tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It was sent to another host, or by a proxy that keeps its own.
    OtherHost,
    /// A page from elsewhere has sent it.
    CrossOrigin,
    /// Whoever asks has not shown the token.
    WrongToken,
    /// Neither JSON nor a form.
    UnsupportedMediaType,
    /// More than a release of the longest text.
    TooLarge,
    /// The body has not come within the time limit.
    TooSlow,
    /// Not what its content type says.
    Malformed,
    /// A field that the operator has not named, or one given twice.
    UnknownField,
    /// A nonce of another length or of other characters.
    InvalidNonce,
    /// No field at all.
    Empty,
    /// A text without a guarantee.
    Unmarked,
    /// A guarantee that textveil would not state, on terms that are known here.
    NotStated,
    /// One that declares other or weaker terms than the operator accepts.
    TermsNotAccepted,
    /// A text that cannot have come out under its guarantee.
    NotARelease,
    /// Another program has kept the database busy, or its server has not answered in time.
    StorageBusy,
    /// There is no space left for the database.
    StorageFull,
    /// The database has failed.
    StorageFailed,
    /// The code of the collector has failed.
    Internal,
    /// Not a day before which to delete.
    InvalidDay,
    /// The shares are being counted for somebody else.
    SharesBusy,
    /// Nothing is held that shares could be of.
    NoReleases,
    /// What is held gives no shares.
    NotEstimated,
}

impl Refusal {
    /// Every reason, in the order of the help text.
    pub(crate) const ALL: [Self; 22] = [
        Self::OtherHost,
        Self::CrossOrigin,
        Self::WrongToken,
        Self::UnsupportedMediaType,
        Self::TooLarge,
        Self::TooSlow,
        Self::Malformed,
        Self::UnknownField,
        Self::InvalidNonce,
        Self::Empty,
        Self::Unmarked,
        Self::NotStated,
        Self::TermsNotAccepted,
        Self::NotARelease,
        Self::StorageBusy,
        Self::StorageFull,
        Self::StorageFailed,
        Self::Internal,
        Self::InvalidDay,
        Self::SharesBusy,
        Self::NoReleases,
        Self::NotEstimated,
    ];

    /// The stable code.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::OtherHost => "other-host",
            Self::CrossOrigin => "cross-origin",
            Self::WrongToken => "wrong-token",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::TooLarge => "too-large",
            Self::TooSlow => "too-slow",
            Self::Malformed => "malformed",
            Self::UnknownField => "unknown-field",
            Self::InvalidNonce => "invalid-nonce",
            Self::Empty => "empty",
            Self::Unmarked => "unmarked",
            Self::NotStated => "not-stated",
            Self::TermsNotAccepted => "terms-not-accepted",
            Self::NotARelease => "not-a-release",
            Self::StorageBusy => "storage-busy",
            Self::StorageFull => "storage-full",
            Self::StorageFailed => "storage-failed",
            Self::Internal => "internal",
            Self::InvalidDay => "invalid-day",
            Self::SharesBusy => "shares-busy",
            Self::NoReleases => "no-releases",
            Self::NotEstimated => "not-estimated",
        }
    }

    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::OtherHost => StatusCode::MISDIRECTED_REQUEST,
            Self::CrossOrigin => StatusCode::FORBIDDEN,
            Self::WrongToken => StatusCode::UNAUTHORIZED,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Malformed | Self::InvalidDay => StatusCode::BAD_REQUEST,
            Self::StorageBusy | Self::StorageFailed | Self::SharesBusy => StatusCode::SERVICE_UNAVAILABLE,
            Self::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NoReleases => StatusCode::NOT_FOUND,
            Self::NotEstimated => StatusCode::CONFLICT,
            Self::UnknownField
            | Self::InvalidNonce
            | Self::Empty
            | Self::Unmarked
            | Self::NotStated
            | Self::TermsNotAccepted
            | Self::NotARelease => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::OtherHost => {
                "This collector answers at 127.0.0.1 and localhost alone. A proxy must send such a Host, with the port."
            }
            Self::CrossOrigin => "Only pages of this server may send here.",
            Self::WrongToken => "This needs the token of the collector, as \"Authorization: Bearer TOKEN\".",
            Self::UnsupportedMediaType => "Send JSON, application/x-www-form-urlencoded or multipart/form-data.",
            Self::TooLarge => "This is longer than a release of the longest text.",
            Self::TooSlow => "The request did not arrive within the time limit. Nothing was stored.",
            Self::Malformed => "This is not what its content type says.",
            Self::UnknownField => {
                "A field has a name that this collector does not take (see --field, and --public-field for fields in clear), \
                 or a name came twice. A release as JSON is the field `text`. Nothing was stored."
            }
            Self::InvalidNonce => {
                "The nonce must have 22 to 64 characters, each a letter, a digit, - or _. Nothing was stored."
            }
            Self::Empty => "No field has come. Nothing was stored.",
            Self::Unmarked => "A text has no guarantee: next to a field NAME, send NAME-guarantee. Nothing was stored.",
            Self::NotStated => {
                "The guarantee is not one that textveil states on any terms known here. The client may have another version, \
                 table or list than this collector (see --table, --statements). Nothing was stored."
            }
            Self::TermsNotAccepted => {
                "The guarantee declares other or weaker terms than this collector accepts (see --max-epsilon, \
                 --mechanism, --allow-clear). Nothing was stored."
            }
            Self::NotARelease => "The text cannot have come out under its guarantee. Nothing was stored.",
            Self::StorageBusy => "The database is busy, or does not answer in time. Send the same request again later.",
            Self::StorageFull => "The database has no space left. Send the same request again later.",
            Self::StorageFailed => "The database has failed. Send the same request again later.",
            Self::Internal => {
                "The collector has an error in its own code. Its operator finds the place on its standard error."
            }
            Self::InvalidDay => {
                "DELETE /releases deletes everything, and DELETE /releases?before=2026-11-29 what came before that day. \
                 Nothing was deleted."
            }
            Self::SharesBusy => "The shares are being counted. Ask again in some seconds.",
            Self::NoReleases => "The collector holds no releases yet. There are no shares to show.",
            Self::NotEstimated => "No shares can be estimated from the releases that are held.",
        }
    }
}

impl Refusal {
    /// In how many seconds to ask again.
    pub(crate) fn later(self) -> Option<[(HeaderName, &'static str); 1]> {
        (self == Self::SharesBusy).then_some([(RETRY_AFTER, "5")])
    }

    /// The same, after the operator was told its cause. No cause may hold what was sent or stored.
    pub(crate) fn told(self, cause: impl Display) -> Self {
        tell(format!("textveil-collector: {}: {cause}", self.code()));
        self
    }

    /// Counts it. Whatever makes an answer of a refusal calls this once. The operator reads of the first request of each
    /// reason, and at most once a minute of more. Otherwise nobody would notice a client that loses every answer, or
    /// somebody who guesses the token.
    pub(crate) fn count(self) {
        let mut counts = REFUSED.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !counts.contains_key(self.code());
        let count = counts.entry(self.code()).or_insert_with(|| Count { refused: 0, told: Instant::now() });
        count.refused += 1;
        // The collector has already told the cause of its own faults.
        let is_own = matches!(self, Self::StorageBusy | Self::StorageFull | Self::StorageFailed | Self::Internal);
        if !is_own && (is_first || count.told.elapsed() >= BETWEEN) {
            count.told = Instant::now();
            tell(format!("textveil-collector: {}: {} refused so far. {}", self.code(), count.refused, self.message()));
        }
    }

    /// The answer, with the reason next to the message.
    pub(crate) fn with(self, why: Option<String>) -> Response {
        self.count();
        let mut body = json!({ "code": self.code(), "message": self.message() });
        if let Some(why) = why {
            body["why"] = why.into();
        }
        let asks = (self == Self::WrongToken).then_some([(WWW_AUTHENTICATE, "Bearer")]);
        (self.status(), asks, self.later(), [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}

/// A refusal with what stands in the way, which tells nothing of the text.
#[derive(Debug)]
pub(crate) struct Refused {
    refusal: Refusal,
    why: Option<String>,
}

impl Refused {
    pub(crate) const fn new(refusal: Refusal, why: Option<String>) -> Self {
        Self { refusal, why }
    }

    /// The answer for a person whose browser sent the form by itself. What stands in the way is for the operator.
    pub(crate) fn as_page(&self) -> Response {
        let Self { refusal, .. } = self;
        refusal.count();
        // Perhaps a person chose not to send the only field. Perhaps the browser has no scripts, and sent no private field.
        let [what, advice] = if *refusal == Refusal::Empty {
            [
                "Nothing was stored",
                "The form held no answer. If you wrote one, this browser could not make it private, and did not send it.",
            ]
        } else {
            ["Your answer was not stored", "Please go back and try again. Your browser may still have what you wrote."]
        };
        let page = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
             <title>Not sent</title></head><body><h1>{what}</h1><p>{advice}</p>\
             <p>If it happens again, tell those who run this page this code: {}.</p></body></html>",
            refusal.code()
        );
        (refusal.status(), refusal.later(), [(CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, why: None }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        self.refusal.with(self.why)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.with(None)
    }
}
