//! The token of whoever may see what is held: a secret of the operator's, from a file or from the environment. As an
//! argument it would stand in the list of processes.
//!
//! A program shows it as `Authorization: Bearer TOKEN`. A browser sends it once and gets a cookie, which ends with the
//! browser. The cookie follows from the token and does not contain it. All collectors with one token take the same
//! cookie. Browsers send the cookies of a machine to every port, so collectors with other tokens name theirs otherwise.

use std::env::{VarError, var};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use textveil::Hex;

use crate::serve::refusal::Refusal;

/// The variable of the environment.
pub(crate) const VARIABLE: &str = "TEXTVEIL_COLLECTOR_TOKEN";

/// How many bytes it has at least.
const SHORTEST: usize = 16;

const SESSION: &str = "textveil-session";

/// How many digits of what a cookie holds are in its name.
const NAMED: usize = 8;

/// What a request must show. The token itself is not kept.
pub(crate) struct Token {
    digest: [u8; 32],
    /// What the cookie holds, in hexadecimal digits.
    session: String,
}

impl Token {
    /// That of a file, or of the environment without one; none if neither is there.
    ///
    /// # Errors
    /// It cannot be read, is too short, or has a character that no header can hold.
    pub(crate) fn read(file: Option<&Path>) -> Result<Option<Self>> {
        let (text, name) = match file {
            Some(path) => {
                let name = path.display().to_string();
                (fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?, name)
            }
            None => match var(VARIABLE) {
                Ok(text) => (text, VARIABLE.to_owned()),
                Err(VarError::NotPresent) => return Ok(None),
                Err(VarError::NotUnicode(_)) => bail!("{VARIABLE} is not UTF-8"),
            },
        };
        Self::of(text.trim_end_matches(['\r', '\n'])).with_context(|| format!("{name} holds no token")).map(Some)
    }

    /// # Errors
    /// It is too short, or has a character that no header can hold.
    pub(crate) fn of(token: &str) -> Result<Self> {
        ensure!(
            token.len() >= SHORTEST && token.bytes().all(|byte| byte.is_ascii_graphic()),
            "a token has at least {SHORTEST} characters: letters, digits and marks of ASCII, without spaces"
        );
        let session = Hex(&Sha256::digest([SESSION, token].concat())).to_string();
        Ok(Self { digest: Sha256::digest(token).into(), session })
    }

    /// Whether this is the token. How long it takes tells nothing: digests are compared, and all of them.
    pub(crate) fn is(&self, given: &str) -> bool {
        self.digest.ct_eq(Sha256::digest(given).as_slice()).into()
    }

    /// # Errors
    /// The request shows neither the token nor the cookie.
    pub(crate) fn admit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let name = self.name();
        let mut sessions = cookies
            .flat_map(|value| value.split(';'))
            .filter_map(|cookie| cookie.trim().strip_prefix(&*name)?.strip_prefix('='));
        let is_shown = bearer.is_some_and(|token| self.is(token))
            || sessions.any(|session| self.session.as_bytes().ct_eq(session.as_bytes()).into());
        if is_shown { Ok(()) } else { Err(Refusal::WrongToken) }
    }

    /// What a browser that has sent the token gets. Scripts cannot read it, and requests from other sites do not have it. If a
    /// proxy says that the browser came by HTTPS, it is sent by HTTPS alone.
    #[cfg(any(feature = "estimate", test))]
    pub(crate) fn cookie(&self, headers: &HeaderMap) -> String {
        let is_secure = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
        let secure = if is_secure { "; Secure" } else { "" };
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict{secure}", self.name(), self.session)
    }

    /// What the cookie is called.
    fn name(&self) -> String {
        format!("{SESSION}-{}", &self.session[..NAMED])
    }
}

/// No browser keeps an answer of what a token guards.
pub(crate) async fn private(mut answer: Response) -> Response {
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    const TOKEN: &str = "correct-horse-battery";

    fn asked(token: &Token, headers: &[(HeaderName, &str)]) -> bool {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().expect("a header")));
        token.admit(&headers.collect()).is_ok()
    }

    #[test]
    fn a_token_is_long_enough_and_fits_a_header() {
        for bad in ["", "fifteen-letters", "sixteen letters,", "sixteen-letters-é"] {
            assert!(Token::of(bad).is_err(), "{bad}");
        }
        assert!(Token::of("sixteen-letters,").is_ok());
    }

    #[test]
    fn the_token_and_the_cookie_are_taken_and_nothing_like_them() {
        let token = Token::of(TOKEN).expect("long enough");
        let cookie = token.cookie(&HeaderMap::new()).split(';').next().expect("a pair").to_owned();
        assert!(asked(&token, &[(AUTHORIZATION, &format!("Bearer {TOKEN}"))]));
        assert!(asked(&token, &[(COOKIE, &format!("a=b; {cookie}"))]));
        assert!(!cookie.contains(TOKEN));
        let again = Token::of(TOKEN).expect("long enough");
        assert!(asked(&again, &[(COOKIE, &cookie)]), "the same token, started again");
        let name = token.name();
        let other = Token::of(&TOKEN.replace('c', "k")).expect("long enough");
        let of_another = other.cookie(&HeaderMap::new()).replace(&other.name(), &name);
        assert!(
            other.name() != name
                && asked(&token, &[(COOKIE, &format!("{}; {cookie}", other.cookie(&HeaderMap::new())))])
        );
        for (name, value) in [
            (AUTHORIZATION, TOKEN.to_owned()),
            (AUTHORIZATION, "Bearer ".into()),
            (AUTHORIZATION, format!("Bearer {TOKEN}x")),
            (AUTHORIZATION, format!("Bearer {}", &TOKEN[1..])),
            (AUTHORIZATION, format!("Basic {TOKEN}")),
            (COOKIE, format!("{name}={TOKEN}")),
            (COOKIE, format!("{name}=")),
            (COOKIE, of_another),
        ] {
            assert!(!asked(&token, &[(name, &value)]), "{value}");
        }
        assert!(!asked(&token, &[]));
    }

    #[test]
    fn behind_https_the_cookie_is_sent_by_https_alone() {
        let token = Token::of(TOKEN).expect("long enough");
        let behind = |scheme: &str| {
            HeaderMap::from_iter([(HeaderName::from_static("x-forwarded-proto"), scheme.parse().expect("a header"))])
        };
        assert!(token.cookie(&behind("https")).ends_with("; SameSite=Strict; Secure"));
        assert!(token.cookie(&behind("http")).ends_with("; SameSite=Strict"));
        assert!(asked(&token, &[(COOKIE, token.cookie(&behind("https")).split(';').next().expect("a pair"))]));
    }
}
