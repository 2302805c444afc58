//! A web server for this machine alone: some routes, and files next to them.
//!
//! It answers requests that name this machine as their host (so that no page from elsewhere reaches it through a changed
//! DNS entry), changes nothing for a page of another origin, and sends every page with the strictest policy that the
//! product supports.
//!
//! A slow client holds one connection, and not for long. The head of a request has a time limit, and so has the connection;
//! `releases` has one for bodies. The number of connections is limited: others wait until they are accepted.

use std::future::poll_fn;
use std::net::Ipv4Addr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{self, Runtime};
#[cfg(unix)]
use tokio::signal::unix::{self, SignalKind};
use tokio::sync::Semaphore;
use tokio::sync::oneshot::Receiver;
use tokio::time::{sleep, timeout};
use tower_http::services::ServeDir;

use crate::serve::files::Files;
use crate::serve::refusal::Refusal;

/// What a page may do: run this server's scripts and WebAssembly, show its images, talk and send forms to it alone.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Sent with every answer. A browser asks again each time, so that a rebuilt package shows at the next
/// reload. A form says which origin it came from only where its page may say so to this server.
const HEADERS: [(&str, &str); 7] = [
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-cache"),
];

/// Files under an address.
pub(crate) struct Mount {
    /// `/`, or `/name/`.
    pub(crate) prefix: String,
    /// What is served there.
    pub(crate) files: Files,
}

/// How much of the server clients may take.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// How long a request's head, or its body, may take to arrive.
    pub(crate) time: Duration,
    /// How many connections there are at once.
    pub(crate) connections: usize,
}

impl Limits {
    /// How long a connection may last: many requests, or a large file.
    fn lifetime(self) -> Duration {
        self.time * 12
    }
}

/// How many requests at once compute or wait for the disk.
pub(crate) const WORKERS: usize = 8;

/// How long to wait when the system gives no socket.
const PAUSE: Duration = Duration::from_millis(100);

/// A server that listens on the loopback address.
pub(crate) struct Server {
    limits: Limits,
    runtime: Runtime,
    listener: TcpListener,
    port: u16,
}

impl Server {
    /// Listens on `port` of 127.0.0.1; 0 takes any free one.
    ///
    /// # Errors
    /// The port is taken, or the system gives no sockets.
    pub(crate) fn bind(port: u16, limits: Limits) -> Result<Self> {
        let mut runtime = runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().max_blocking_threads(WORKERS).build().context("cannot start a server")?;
        let listener = runtime
            .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)))
            .with_context(|| format!("cannot listen on port {port} (--port 0 takes any free one)"))?;
        let port = listener.local_addr().context("the server has no address")?.port();
        Ok(Self { limits, runtime, listener, port })
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers requests until somebody ends the program (Ctrl-C, SIGTERM) or `input` brings the end, and waits within the time
    /// limit for what is being stored then. What no route answers, the mount with the longest prefix that fits does.
    pub(crate) fn serve(self, routes: Router, mounts: Vec<Mount>, input: Option<Receiver<()>>) {
        let Self { limits, runtime, listener, port } = self;
        let app = site(port, routes, mounts);
        runtime.spawn(async move {
            let free = Arc::new(Semaphore::new(limits.connections));
            // It never returns: nobody closes the semaphore, and a connection that fails ends alone.
            while let Ok(place) = Arc::clone(&free).acquire_owned().await {
                let Ok((stream, _)) = listener.accept().await else {
                    sleep(PAUSE).await;
                    continue;
                };
                let app = app.clone();
                tokio::spawn(async move {
                    converse(stream, app, limits).await;
                    drop(place);
                });
            }
        });
        let signals = match runtime.block_on(ended(input)) {
            End::Signal => 1,
            // A supervisor may close the input and send a signal, too.
            End::Input => 2,
        };
        end_at_once(signals);
        runtime.shutdown_timeout(limits.time);
    }
}

/// What ends the program.
enum End {
    Signal,
    Input,
}

/// Waits until somebody ends the program, or until `input` brings the end.
async fn ended(input: Option<Receiver<()>>) -> End {
    let (mut signal, mut input) = (pin!(signal()), input);
    poll_fn(|context| {
        // A sender that is gone counts as the end.
        let is_input = input.as_mut().is_some_and(|input| Pin::new(input).poll(context).is_ready());
        if is_input { Poll::Ready(End::Input) } else { signal.as_mut().poll(context).map(|()| End::Signal) }
    })
    .await
}

/// Waits for Ctrl-C or SIGTERM.
#[cfg(unix)]
async fn signal() {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| unix::signal(kind).ok()).collect();
    poll_fn(|context| {
        if signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready()) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Ends the program after `signals` further ones, without waiting for what the first one waits for.
fn end_at_once(signals: u32) {
    thread::spawn(move || {
        if let Ok(runtime) = runtime::Builder::new_current_thread().enable_io().build() {
            (0..signals).for_each(|_| runtime.block_on(signal()));
            std::process::exit(1);
        }
    });
}

/// Answers the requests of a connection, until it ends or has lasted long enough.
async fn converse(stream: TcpStream, app: Router, limits: Limits) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.time);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)));
    if timeout(limits.lifetime(), connection.as_mut()).await.is_err() {
        // The connection is over; a request that is being answered may still finish.
        connection.as_mut().graceful_shutdown();
        let _ = timeout(limits.time, connection).await;
    }
}

/// Routes and mounts, behind the guard.
pub(crate) fn site(port: u16, routes: Router, mounts: Vec<Mount>) -> Router {
    let unguarded = mounts.into_iter().fold(routes, |router, Mount { prefix, files }| {
        // A client that takes `FILE.br` or `FILE.gz` gets it instead of the file.
        let root = files.root().to_owned();
        let files = ServeDir::with_backend(root, files).precompressed_br().precompressed_gzip();
        let files = files.redirect_path_prefix(prefix.trim_end_matches('/'));
        if prefix == "/" { router.fallback_service(files) } else { router.nest_service(&prefix, files) }
    });
    unguarded.layer(from_fn_with_state(port, guard))
}

/// Refuses what is not meant for this machine or comes from another origin. Adds each header to the answers that lack it.
async fn guard(State(port): State<u16>, request: Request, next: Next) -> Response {
    let host = header(request.headers(), &HOST).filter(|host| is_ours(host, port));
    let mut answer = match host {
        None => Refusal::OtherHost.into_response(),
        Some(host) if !request.method().is_safe() && !is_same_origin(request.headers(), host) => {
            Refusal::CrossOrigin.into_response()
        }
        Some(_) => next.run(request).await,
    };
    for (name, value) in HEADERS {
        answer.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    answer
}

/// Whether a host is this machine at this port. Clients leave port 80 out.
fn is_ours(host: &str, port: u16) -> bool {
    let (name, named) = host.split_once(':').unwrap_or((host, "80"));
    ["127.0.0.1", "localhost"].contains(&name) && *named == port.to_string()
}

/// Whether no page of another origin has sent it. Current browsers say so in `Sec-Fetch-Site`, which no page can change. They
/// also know the address of a proxy before this server. For older browsers, the origin is compared. Programs that are no
/// browser send neither header.
fn is_same_origin(headers: &HeaderMap, host: &str) -> bool {
    match header(headers, &HeaderName::from_static("sec-fetch-site")) {
        Some(site) => site == "same-origin" || site == "none",
        None => header(headers, &ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host)),
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    const LIMITS: Limits = Limits { time: Duration::from_secs(10), connections: 64 };

    /// What `client` makes of a server of this crate's files and of temporary ones; it gets the port.
    fn served<T>(client: impl FnOnce(u16) -> T) -> T {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mount = |prefix: &str, directory: &Path| {
            let files = Files::of(directory, &Arc::from([])).expect("a folder");
            Mount { prefix: prefix.into(), files }
        };
        let mounts = vec![
            mount("/source/", &root.join("src")),
            mount("/package/", root),
            mount("/temporary/", &std::env::temp_dir()),
            mount("/", root),
        ];
        let server = Server::bind(0, LIMITS).expect("a free port");
        let port = server.port;
        // It lasts as long as the tests do.
        thread::spawn(|| server.serve(Router::new(), mounts, None));
        client(port)
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
            "GET /source/serve/server.rs?x HTTP/1.1\r\nHost: 127.0.0.1:{port}",
            "HEAD /Cargo.toml HTTP/1.1\r\nHost: localhost:{port}",
        ]);
        assert_eq!(status(&page), "200");
        assert!(page.contains("//! A web server"));
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
        let [answer] = answers(["GET /package/src HTTP/1.1\r\nHost: 127.0.0.1:{port}"]);
        assert_eq!(header(&answer, "Location"), Some("/package/src/"), "{answer}");
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
    fn who_takes_a_compressed_file_gets_it_with_a_tag_of_its_own() {
        let file = format!("textveil-packed-{}.js", std::process::id());
        let path = |ending: &str| std::env::temp_dir().join(format!("{file}{ending}"));
        let endings = [("", "plain"), (".br", "by brotli"), (".gz", "by gzip")];
        for (ending, content) in endings {
            std::fs::write(path(ending), content).expect("a place for temporary files");
        }
        let requests = ["identity", "gzip, deflate, br", "gzip"].map(|taken| {
            format!("GET /temporary/{file} HTTP/1.1\r\nAccept-Encoding: {taken}\r\nHost: localhost:{{port}}")
        });
        let answers = answers(requests.each_ref().map(String::as_str));
        for (ending, _) in endings {
            std::fs::remove_file(path(ending)).expect("it was written above");
        }
        let expected = [(None, "plain"), (Some("br"), "by brotli"), (Some("gzip"), "by gzip")];
        for (answer, (encoding, content)) in answers.iter().zip(expected) {
            assert_eq!(header(answer, "Content-Encoding"), encoding, "{answer}");
            assert_eq!(header(answer, "Content-Type"), Some("text/javascript"), "{answer}");
            assert_eq!(header(answer, "Vary"), Some("accept-encoding"), "{answer}");
            assert!(answer.ends_with(content), "{answer}");
        }
        let tags = answers.each_ref().map(|answer| header(answer, "ETag").expect("a tag"));
        assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
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
            assert_eq!(answer.contains("\"code\":\"other-host\""), expected == "421", "{answer}");
        }
    }

    #[test]
    fn a_host_without_a_port_is_at_port_80() {
        for (host, port, expected) in [
            ("localhost", 80, true),
            ("127.0.0.1:80", 80, true),
            ("localhost", 8787, false),
            ("attacker.example", 80, false),
            ("localhost:", 80, false),
        ] {
            assert_eq!(is_ours(host, port), expected, "{host} {port}");
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
        let first = Server::bind(0, LIMITS).expect("a free port");
        let second = Server::bind(first.port, LIMITS).err().expect("an error");
        assert!(format!("{second:#}").starts_with(&format!("cannot listen on port {}", first.port)), "{second:#}");
    }
}
