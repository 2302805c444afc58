//! A server of Postgres for a test, with a folder, a port and a password of its own.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long it may take to start, or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// The password of the only user, "textveil".
pub const PASSWORD: &str = "p%40ss-of-the-test";

/// Postgres that runs until this is dropped.
pub struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    program: Command,
    server: Child,
}

impl Postgres {
    /// Starts one, with these settings (`fsync=off`) and these arguments of `initdb`.
    ///
    /// # Panics
    /// Postgres is not installed, or does not start.
    pub fn start(settings: &[&str], made: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a place for temporary files");
        let programs = programs();
        let password = folder.path().join("password");
        fs::write(&password, PASSWORD.replace("%40", "@")).expect("a file");
        if is_root() {
            done(Command::new("chown").args(["-R", "postgres"]).arg(folder.path()));
        }
        let data = folder.path().join("data");
        let mut initdb = as_other(&programs.join("initdb"));
        initdb.args(["--username=textveil", "--auth=scram-sha-256", "--no-locale", "--no-sync"]);
        initdb.arg("--pwfile").arg(&password).arg("--pgdata").arg(&data);
        done(initdb.args(if made.is_empty() { &["--encoding=UTF8"] } else { made }));
        let (port, program, server) = launch(&programs, &data, settings);
        let mut started = Self { folder, programs, port, program, server };
        // Another program may have taken the port meanwhile.
        for _ in 0..2 {
            if started.answers() {
                return started;
            }
            (started.port, started.program, started.server) = launch(&started.programs, &data, settings);
        }
        started.wait();
        started
    }

    /// Ends all of it at once, as a loss of power does.
    ///
    /// # Panics
    /// It does not run.
    pub fn crash(&mut self) {
        // Its other processes end when they see that it is gone.
        self.server.kill().and_then(|()| self.server.wait()).expect("it runs");
        let since = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            assert!(since.elapsed() < PATIENCE, "its port is still in use");
            sleep(Duration::from_millis(50));
        }
    }

    /// Starts it again after a crash.
    ///
    /// # Panics
    /// It does not start.
    pub fn go_on(&mut self) {
        let _ = fs::remove_file(self.folder.path().join("data/postmaster.pid"));
        self.server = self.program.spawn().expect("postgres");
        self.wait();
    }

    fn wait(&mut self) {
        assert!(self.answers(), "Postgres did not start");
    }

    /// Waits until it answers. Returns false if it ends instead.
    fn answers(&mut self) -> bool {
        let since = Instant::now();
        loop {
            let answered = self.asked("postgres", "SELECT 1").status.success();
            // If it has ended because its port was taken, another server may have answered.
            if self.server.try_wait().expect("a process").is_some() {
                return false;
            }
            if answered {
                return true;
            }
            assert!(since.elapsed() < PATIENCE, "Postgres does not answer");
            sleep(Duration::from_millis(50));
        }
    }

    /// The file of a table.
    ///
    /// # Panics
    /// There is no such table.
    pub fn file(&self, database: &str, table: &str) -> PathBuf {
        self.folder.path().join("data").join(self.query(database, &format!("SELECT pg_relation_filepath('{table}')")))
    }

    /// Ends the sessions of all others.
    ///
    /// # Panics
    /// It does not run.
    pub fn end_sessions(&self) {
        let others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        self.query("postgres", &format!("SELECT pg_terminate_backend(pid, 10000) {others}"));
    }

    /// The connection string of a database.
    pub fn address(&self, database: &str) -> String {
        format!("postgres://textveil:{PASSWORD}@127.0.0.1:{}/{database}", self.port)
    }

    /// Makes a new database, and returns its connection string.
    pub fn database(&self, name: &str) -> String {
        self.query("postgres", &format!("CREATE DATABASE {name}"));
        self.address(name)
    }

    /// What psql shows of a query, a row a line and a bar between columns.
    ///
    /// # Panics
    /// The query fails.
    pub fn query(&self, database: &str, sql: &str) -> String {
        let Output { status, stdout, stderr } = self.asked(database, sql);
        assert!(status.success(), "{sql}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).expect("UTF-8").trim_end().to_owned()
    }

    fn asked(&self, database: &str, sql: &str) -> Output {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["--no-psqlrc", "--no-align", "--tuples-only", "--command", sql, &self.address(database)]);
        psql.output().expect("psql")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // It ends its other processes at once, and nothing is written.
        let _ = Command::new("kill").args(["-QUIT", &self.server.id().to_string()]).status();
        let _ = self.server.wait();
    }
}

/// Debian keeps the programs of a server where no search path leads.
fn programs() -> PathBuf {
    let debian =
        fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|version| version.path().join("bin"));
    let found = debian.filter(|folder| folder.join("initdb").exists()).max();
    let named = || {
        let output = Command::new("pg_config").arg("--bindir").output().ok()?;
        Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
            .filter(|folder| folder.join("initdb").exists())
    };
    found.or_else(named).expect("Postgres is not installed (Debian: postgresql)")
}

/// Starts the server on a port that was free a moment ago: the port, and the program to start it again.
fn launch(programs: &Path, data: &Path, settings: &[&str]) -> (u16, Command, Child) {
    let port = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr()).expect("a port").port();
    let mut program = as_other(&programs.join("postgres"));
    program.arg("-D").arg(data).args(["-p", &port.to_string(), "-c", "unix_socket_directories="]);
    program.args(settings.iter().flat_map(|setting| ["-c", setting]));
    program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = program.spawn().expect("postgres");
    (port, program, server)
}

/// Postgres does not run as root.
fn as_other(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]).arg(program);
    command
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.starts_with(b"0\n"))
}

fn done(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
