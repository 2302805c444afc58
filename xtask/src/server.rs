//! A static web server for this machine alone.
//!
//! It answers GET and HEAD for files below its mounts, to requests that name this machine as their host (so
//! that no page from elsewhere reaches it through a changed DNS entry), and sends every page with the
//! strictest policy that the product supports.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::HOST;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::Notify;
use tower_http::services::ServeDir;

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
    /// Runs the connections, on the thread that serves; ends them when it is dropped.
    runtime: Runtime,
    port: u16,
    stopped: Notify,
}

impl Server {
    /// Listens on `port` of 127.0.0.1; 0 takes any free one. The mount with the longest prefix that fits
    /// serves a request.
    pub(crate) fn bind(port: u16, mounts: Vec<Mount>) -> Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build().context("cannot start a server")?;
        let listener = runtime
            .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)))
            .with_context(|| format!("cannot listen on port {port} (--port 0 takes any free one)"))?;
        let port = listener.local_addr().context("the server has no address")?.port();
        let site = site(port, mounts);
        runtime.spawn(async move { axum::serve(listener, site).await });
        Ok(Self { runtime, port, stopped: Notify::new() })
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers requests until [`Self::stop`].
    pub(crate) fn serve(&self) {
        self.runtime.block_on(self.stopped.notified());
    }

    /// Ends [`Self::serve`], whatever connections are open.
    pub(crate) fn stop(&self) {
        self.stopped.notify_one();
    }
}

/// All mounts, behind the guard.
fn site(port: u16, mounts: Vec<Mount>) -> Router {
    let unguarded = mounts.into_iter().fold(Router::new(), |router, Mount { prefix, directory }| {
        let files = ServeDir::new(directory).redirect_path_prefix(prefix.trim_end_matches('/'));
        if prefix == "/" { router.fallback_service(files) } else { router.nest_service(prefix, files) }
    });
    unguarded.layer(from_fn_with_state(port, guard))
}

/// Refuses what is not meant for this machine, and adds the headers to every answer.
async fn guard(State(port): State<u16>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let ours = host.is_some_and(|host| ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{port}")));
    let answer = if ours { next.run(request).await } else { StatusCode::MISDIRECTED_REQUEST.into_response() };
    (HEADERS, answer).into_response()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    /// Stops the server also when a claim fails, so that the test ends.
    struct Stopping<'a>(&'a Server);

    impl Drop for Stopping<'_> {
        fn drop(&mut self) {
            self.0.stop();
        }
    }

    /// What `client` makes of a server of this crate's files and of temporary ones; it gets the port.
    fn served<T>(client: impl FnOnce(u16) -> T) -> T {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mounts = vec![
            Mount { prefix: "/source/", directory: root.join("src") },
            Mount { prefix: "/temporary/", directory: std::env::temp_dir() },
            Mount { prefix: "/", directory: root.to_owned() },
        ];
        let server = Server::bind(0, mounts).expect("a free port");
        std::thread::scope(|scope| {
            scope.spawn(|| server.serve());
            let _stopping = Stopping(&server);
            client(server.port)
        })
    }

    /// A connection on which an answer that does not come is an error.
    fn connect(port: u16) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a limit above zero");
        stream
    }

    /// What the server answers to `requests`, sent as they are; `{port}` stands for its port.
    fn answers<const N: usize>(requests: [&str; N]) -> [String; N] {
        served(|port| {
            requests.map(|request| {
                let request = request.replace("{port}", &port.to_string());
                let mut stream = connect(port);
                write!(stream, "{request}\r\nConnection: close\r\n\r\n").expect("it reads");
                let mut answer = String::new();
                stream.read_to_string(&mut answer).expect("it answers");
                answer
            })
        })
    }

    fn status(answer: &str) -> &str {
        answer.split(' ').nth(1).expect("a status line")
    }

    fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
        let mut fields = answer.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(": "));
        fields.find_map(|(field, value)| field.eq_ignore_ascii_case(name).then_some(value))
    }

    #[test]
    fn files_are_sent_and_their_heads_alone_when_asked() {
        let [page, head] = answers([
            "GET /source/server.rs?x HTTP/1.1\r\nHost: 127.0.0.1:{port}",
            "HEAD /Cargo.toml HTTP/1.1\r\nHost: localhost:{port}",
        ]);
        assert_eq!(status(&page), "200");
        assert!(page.contains("//! A static web server"));
        assert_eq!(status(&head), "200");
        assert!(!head.contains("[package]"), "{head}");
    }

    #[test]
    fn what_a_page_loads_comes_with_its_type() {
        let types = [
            ("html", "text/html"),
            ("css", "text/css"),
            ("js", "text/javascript"),
            ("mjs", "application/javascript"),
            ("json", "application/json"),
            ("svg", "image/svg+xml"),
            ("wasm", "application/wasm"),
            ("tvt", "application/octet-stream"),
        ];
        let files = types.map(|(extension, _)| format!("textveil-{}.{extension}", std::process::id()));
        for file in &files {
            std::fs::write(std::env::temp_dir().join(file), []).expect("a place for temporary files");
        }
        let requests =
            files.each_ref().map(|file| format!("GET /temporary/{file} HTTP/1.1\r\nHost: localhost:{{port}}"));
        let answers = answers(requests.each_ref().map(String::as_str));
        for file in &files {
            std::fs::remove_file(std::env::temp_dir().join(file)).expect("it was written above");
        }
        for (answer, (_, expected)) in answers.iter().zip(types) {
            assert_eq!(header(answer, "Content-Type"), Some(expected));
        }
    }

    #[test]
    fn a_directory_is_left_for_its_address_with_a_slash() {
        let [answer] = answers(["GET /source/test HTTP/1.1\r\nHost: 127.0.0.1:{port}"]);
        assert_eq!(header(&answer, "Location"), Some("/source/test/"), "{answer}");
    }

    #[test]
    fn every_answer_carries_the_policy() {
        for answer in answers([
            "GET /Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}",
            "GET /absent HTTP/1.1\r\nHost: 127.0.0.1:{port}",
            "GET /Cargo.toml HTTP/1.1\r\nHost: attacker.example",
            "PUT /Cargo.toml HTTP/1.1\r\nContent-Length: 0\r\nHost: 127.0.0.1:{port}",
        ]) {
            for (name, value) in HEADERS {
                assert_eq!(header(&answer, name), Some(value), "{answer}");
            }
        }
    }

    #[test]
    fn what_a_browser_has_is_not_sent_again() {
        let [first] = answers(["GET /Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}"]);
        let tag = header(&first, "ETag").expect("a tag");
        let again = format!("GET /Cargo.toml HTTP/1.1\r\nIf-None-Match: {tag}\r\nHost: 127.0.0.1:{{port}}");
        let [second] = answers([&again]);
        assert_eq!(status(&second), "304");
        assert!(!second.contains("[package]"), "{second}");
    }

    #[test]
    fn nothing_outside_the_mounts_and_nothing_for_another_host() {
        let statuses = [
            ("GET /source/../Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /../Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /source/%2e%2e/Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /source//etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /source/Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /absent HTTP/1.1\r\nHost: 127.0.0.1:{port}", "404"),
            ("GET /Cargo.toml HTTP/1.1\r\nHost: attacker.example:{port}", "421"),
            ("GET /Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1", "421"),
            ("GET /Cargo.toml HTTP/1.1\r\nX-No-Host: 1", "421"),
            ("POST /Cargo.toml HTTP/1.1\r\nContent-Length: 0\r\nHost: 127.0.0.1:{port}", "405"),
        ];
        for (answer, (request, expected)) in answers(statuses.map(|(request, _)| request)).iter().zip(statuses) {
            assert_eq!(status(answer), expected, "{request}");
        }
    }

    #[test]
    fn many_connections_at_once_kept_open_are_all_answered() {
        served(|port| {
            let _silent = [(); 8].map(|()| connect(port));
            let mut kept = [(); 32].map(|()| connect(port));
            for stream in &mut kept {
                write!(stream, "GET /Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").expect("it reads");
            }
            for (index, stream) in kept.iter_mut().enumerate() {
                let mut start = [0; 12];
                stream.read_exact(&mut start).unwrap_or_else(|error| unreachable!("connection {index}: {error}"));
                assert_eq!(&start, b"HTTP/1.1 200", "connection {index}");
            }
        });
    }

    #[test]
    fn a_port_in_use_is_said_to_be() {
        let first = Server::bind(0, vec![]).expect("a free port");
        let second = Server::bind(first.port, vec![]).err().expect("an error");
        assert!(format!("{second:#}").starts_with(&format!("cannot listen on port {}", first.port)), "{second:#}");
    }
}
