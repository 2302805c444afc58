//! Why something is not taken in: a code for programs, a sentence for people, and nothing of what was sent.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A reason to refuse. None holds a word of what is refused, so that no answer and no log can tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A page from elsewhere has sent it.
    CrossOrigin,
    /// Neither JSON nor a form.
    UnsupportedMediaType,
    /// More than a release of the longest text.
    TooLarge,
    /// Not what its content type says.
    Malformed,
    /// A field that is neither private nor public here, or one given twice.
    UnknownField,
    /// A text without a guarantee.
    Unmarked,
    /// A guarantee that textveil would not state, on terms that are known here.
    NotStated,
    /// One that it would, on terms that are too weak.
    TermsNotAccepted,
    /// A text that cannot have come out under its guarantee.
    NotARelease,
    /// The database has failed; nothing was stored.
    StorageFailed,
}

impl Refusal {
    /// The stable code.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::CrossOrigin => "cross-origin",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::TooLarge => "too-large",
            Self::Malformed => "malformed",
            Self::UnknownField => "unknown-field",
            Self::Unmarked => "unmarked",
            Self::NotStated => "not-stated",
            Self::TermsNotAccepted => "terms-not-accepted",
            Self::NotARelease => "not-a-release",
            Self::StorageFailed => "storage-failed",
        }
    }

    const fn status(self) -> StatusCode {
        match self {
            Self::CrossOrigin => StatusCode::FORBIDDEN,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::StorageFailed => StatusCode::INTERNAL_SERVER_ERROR,
            Self::UnknownField | Self::Unmarked | Self::NotStated | Self::TermsNotAccepted | Self::NotARelease => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::CrossOrigin => "Only pages of this server may send here.",
            Self::UnsupportedMediaType => "Send JSON, application/x-www-form-urlencoded or multipart/form-data.",
            Self::TooLarge => "This is longer than a release of the longest text.",
            Self::Malformed => "This is not what its content type says.",
            Self::UnknownField => "There is a field that is neither private nor public here, or one stands twice.",
            Self::Unmarked => "There is a text without a guarantee. It was not stored.",
            Self::NotStated => {
                "The guarantee is not one that textveil states on any terms known here. Nothing was stored."
            }
            Self::TermsNotAccepted => {
                "The guarantee is true, but weaker than this collector accepts. Nothing was stored."
            }
            Self::NotARelease => "The text cannot have come out under its guarantee. Nothing was stored.",
            Self::StorageFailed => "The database has failed. Nothing was stored.",
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = json!({ "code": self.code(), "message": self.message() }).to_string();
        (self.status(), [(CONTENT_TYPE, "application/json")], body).into_response()
    }
}
