//! A static web server for this machine alone.
//!
//! It answers GET and HEAD for files below its mounts, to requests that name this machine as their host (so
//! that no page from elsewhere reaches it through a changed DNS entry), and sends every page with the
//! strictest policy that the product supports.

use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, anyhow};
use tiny_http::{Header, Method, Request, Response, ResponseBox};

/// What a page may do: run this server's scripts and WebAssembly, show its images and talk to it alone.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Sent with every answer. A browser asks again each time, so that a rebuilt package shows at the next
/// reload.
const HEADERS: [(&str, &str); 7] = [
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-cache"),
];

/// A directory under an address.
pub(crate) struct Mount {
    /// `/`, or `/name/`.
    pub(crate) prefix: &'static str,
    /// What is served there.
    pub(crate) directory: PathBuf,
}

/// A server that listens on the loopback address.
pub(crate) struct Server {
    http: tiny_http::Server,
    port: u16,
    mounts: Vec<Mount>,
}

impl Server {
    /// Listens on `port` of 127.0.0.1; 0 takes any free one. The first mount whose prefix fits serves a
    /// request.
    pub(crate) fn bind(port: u16, mounts: Vec<Mount>) -> Result<Self> {
        let http = tiny_http::Server::http(("127.0.0.1", port))
            .map_err(|error| anyhow!("cannot listen on port {port}: {error}; --port 0 takes any free one"))?;
        let port = http.server_addr().to_ip().context("the server has no address")?.port();
        Ok(Self { http, port, mounts })
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers requests until [`Self::stop`].
    pub(crate) fn serve(&self) {
        for request in self.http.incoming_requests() {
            let response = self.answer(&request);
            // A browser that has gone away is no fault of ours.
            let _ = request.respond(response);
        }
    }

    /// Ends [`Self::serve`].
    pub(crate) fn stop(&self) {
        self.http.unblock();
    }

    fn answer(&self, request: &Request) -> ResponseBox {
        let host =
            request.headers().iter().find(|header| header.field.equiv("Host")).map(|header| header.value.as_str());
        if !host.is_some_and(|host| self.is_this_machine(host)) {
            return refuse(421);
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return refuse(405);
        }
        let Some(path) = self.resolve(request.url()) else { return refuse(404) };
        let Ok((file, version)) = open(&path) else { return refuse(404) };
        let known = request
            .headers()
            .iter()
            .any(|header| header.field.equiv("If-None-Match") && header.value.as_str() == version);
        if known {
            return with_headers(Response::empty(304).with_header(header("ETag", &version)).boxed());
        }
        let response = Response::from_file(file).with_chunked_threshold(usize::MAX);
        let response =
            response.with_header(header("Content-Type", media_type(&path))).with_header(header("ETag", &version));
        with_headers(response.boxed())
    }

    fn is_this_machine(&self, host: &str) -> bool {
        ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{}", self.port))
    }

    /// The file that an address means, if it is one of ours.
    fn resolve(&self, url: &str) -> Option<PathBuf> {
        let path = url.split(['?', '#']).next()?;
        let (directory, rest) =
            self.mounts.iter().find_map(|mount| Some((&mount.directory, path.strip_prefix(mount.prefix)?)))?;
        let rest = Path::new(rest);
        // Only plain names: no parent, no root, no drive. Escapes are not decoded, as no file of ours needs
        // one.
        if path.contains(['\\', '%']) || !rest.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let file = directory.join(rest);
        let file = if file.is_dir() { file.join("index.html") } else { file };
        // A link inside the directory must not lead out of it either.
        let file = file.canonicalize().ok()?;
        (file.is_file() && file.starts_with(directory.canonicalize().ok()?)).then_some(file)
    }
}

/// A file and the tag of its present content: length and time of change.
fn open(path: &Path) -> std::io::Result<(File, String)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok((file, format!("\"{:x}-{:x}\"", metadata.len(), changed.as_nanos())))
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "webmanifest") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("md" | "txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn refuse(status: u16) -> ResponseBox {
    with_headers(Response::empty(status).boxed())
}

fn with_headers(mut response: ResponseBox) -> ResponseBox {
    for (name, value) in HEADERS {
        response.add_header(header(name, value));
    }
    response
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("all headers above are ASCII")
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    /// What the server answers to `lines`, sent as they are; `{port}` stands for its port.
    fn answers(requests: &[&str]) -> Vec<String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mounts = vec![
            Mount { prefix: "/source/", directory: source.clone() },
            Mount { prefix: "/", directory: source.join("..") },
        ];
        let server = Server::bind(0, mounts).expect("a free port");
        std::thread::scope(|scope| {
            scope.spawn(|| server.serve());
            let answers = requests.iter().map(|request| {
                let request = request.replace("{port}", &server.port.to_string());
                let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
                write!(stream, "{request}\r\nConnection: close\r\n\r\n").expect("it reads");
                let mut answer = String::new();
                stream.read_to_string(&mut answer).expect("it answers");
                answer
            });
            let answers = answers.collect();
            server.stop();
            answers
        })
    }

    #[test]
    fn files_come_with_their_type_and_the_policy() {
        let [page, head] = &answers(&[
            "GET /source/server.rs?x HTTP/1.1\r\nHost: 127.0.0.1:{port}",
            "HEAD /Cargo.toml HTTP/1.1\r\nHost: localhost:{port}",
        ])[..] else {
            unreachable!("two requests")
        };
        assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
        assert!(
            page.contains("\r\nContent-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ")
        );
        assert!(page.contains("//! A static web server"));
        assert!(head.starts_with("HTTP/1.1 200 ") && !head.contains("[package]"), "{head}");
        assert_eq!(media_type(Path::new("a/textveil_wasm.wasm")), "application/wasm");
    }

    #[test]
    fn what_a_browser_has_is_not_sent_again() {
        let first = &answers(&["GET /Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}"])[0];
        let tag = first.lines().find_map(|line| line.strip_prefix("ETag: ")).expect("a tag");
        let again = format!("GET /Cargo.toml HTTP/1.1\r\nIf-None-Match: {tag}\r\nHost: 127.0.0.1:{{port}}");
        let second = &answers(&[&again])[0];
        assert!(second.starts_with("HTTP/1.1 304 ") && !second.contains("[package]"), "{second}");
    }

    #[test]
    fn nothing_outside_the_mounts_and_nothing_for_another_host() {
        let statuses = [
            ("GET /source/../Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /../Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /source/%2e%2e/Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /source//etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /absent HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /Cargo.toml HTTP/1.1\r\nHost: attacker.example:{port}", "421"),
            ("GET /Cargo.toml HTTP/1.1\r\nX-No-Host: 1", "421"),
            ("POST /Cargo.toml HTTP/1.1\r\nContent-Length: 0\r\nHost: 127.0.0.1:{port}", "405"),
        ];
        for (answer, (request, status)) in answers(&statuses.map(|(request, _)| request)).iter().zip(statuses) {
            assert_eq!(answer.split(' ').nth(1), Some(status), "{request}");
        }
    }
}
