//! `slowpath serve --access`: whom it serves, what SIGHUP changes, and what its owner reads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use evidence::{Ask, Node};
use net::far_end::{FarEnd, Side, Token, connect, new_token};
use net::{NetError, Watch};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A far end with files of its owner's, killed when dropped.
struct Owned {
    process: Child,
    out: BufReader<ChildStdout>,
    ready: Value,
    directory: tempfile::TempDir,
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A file as an editor puts it into the place of the old one.
fn put(path: PathBuf, text: &str) {
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o600)).unwrap();
    fs::rename(new, path).unwrap();
}

impl Owned {
    fn start(users: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        put(directory.path().join("users.toml"), users);
        let mut process = Command::new(env!("CARGO_BIN_EXE_slowpath"))
            .args([
                "serve",
                "--json",
                "--listen",
                "127.0.0.2:0",
                "--access",
                "users.toml",
            ])
            .args(["--audit", "audit.jsonl", "--metrics", "127.0.0.1:0"])
            .current_dir(&directory)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        Self {
            process,
            out,
            ready: serde_json::from_str(&line).unwrap(),
            directory,
        }
    }

    async fn client(&self, token: &str) -> Result<FarEnd, NetError> {
        let address: SocketAddr = self.ready["addresses"][0].as_str().unwrap().parse().unwrap();
        let token = Token::read(token).unwrap();
        connect(address.ip(), address.port(), &token, None, &Watch::quiet()).await
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.process.id() as i32), signal).unwrap();
    }

    /// Sends SIGHUP and gives what the log says of it.
    fn reload(&mut self) -> String {
        self.signal(Signal::SIGHUP);
        self.said("reload: ")
    }

    fn said(&mut self, begin: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "it ended");
            let said: Value = serde_json::from_str(&line).unwrap();
            let text = said["text"].as_str().unwrap_or_default();
            if text.starts_with(begin) {
                return text.to_owned();
            }
        }
    }

    fn audit(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.directory.path().join(name)).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Waits until the audit holds such a line: another process writes it.
    fn audited(&self, name: &str, event: &str) -> Value {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            let found = self.audit(name).into_iter().find(|line| line["event"] == event);
            if let Some(line) = found {
                return line;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("no `{event}` in {:?}", self.audit(name));
    }
}

async fn asks(far_end: &FarEnd) -> Result<Vec<evidence::Payload>, NetError> {
    let at = Node::named("there");
    far_end
        .perform(&Ask::HostFacts { at }, Side::There, &Watch::quiet())
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_changes_who_may_measure_and_a_mistake_changes_nothing() {
    let [a, b, c] = [(); 3].map(|()| new_token().unwrap());
    let users = |users: &[(&str, &String)]| {
        let one = |(name, token): &(&str, &String)| format!("[holder.{name}]\ntoken = \"{token}\"\n");
        users.iter().map(one).collect::<String>()
    };
    let mut owned = Owned::start(&users(&[("a", &a), ("b", &b)]));
    let path = owned.directory.path().to_owned();
    let (of_a, of_b) = (owned.client(&a).await.unwrap(), owned.client(&b).await.unwrap());
    assert!(asks(&of_a).await.is_ok() && asks(&of_b).await.is_ok());
    let asked = owned.audited("audit.jsonl", "asked");
    assert_eq!(
        (&asked["holder"], &asked["outcome"]),
        (&Value::from("a"), &Value::from("granted"))
    );
    assert_eq!(asked["from"], "127.0.0.1", "{asked}");

    put(path.join("users.toml"), "[holder.a]\ntoken = 7\n");
    let said = owned.reload();
    assert!(
        said.contains("stays as it was") && said.contains("users.toml, line 2: "),
        "{said}"
    );
    assert!(asks(&of_a).await.is_ok());

    // Whoever rotates logs has come as well.
    fs::rename(path.join("audit.jsonl"), path.join("audit.jsonl.1")).unwrap();
    put(path.join("users.toml"), &users(&[("b", &b), ("c", &c)]));
    let said = owned.reload();
    assert_eq!(said, "reload: new: c; gone, and their tests ended: a");
    assert!(asks(&of_a).await.is_err());
    assert!(matches!(owned.client(&a).await.err(), Some(NetError::Refused(_))));
    assert!(asks(&of_b).await.is_ok());
    assert!(asks(&owned.client(&c).await.unwrap()).await.is_ok());
    let left = owned.audited("audit.jsonl", "left");
    assert_eq!(left["holder"], "a", "{left}");

    fs::set_permissions(path.join("users.toml"), fs::Permissions::from_mode(0o644)).unwrap();
    let said = owned.reload();
    assert!(said.contains("chmod 600"), "{said}");

    let metrics = owned.ready["metrics"].as_str().unwrap().to_owned();
    let address = metrics.trim_start_matches("http://").trim_end_matches("/metrics");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(
        page.contains("slowpath_holder_bytes_total{holder=\"c\"}") && !page.contains("holder=\"a\""),
        "{page}"
    );

    // What happened last is written when it ends.
    owned.signal(Signal::SIGTERM);
    assert!(owned.process.wait().unwrap().success());
    let start = Instant::now();
    while owned
        .audit("audit.jsonl")
        .iter()
        .filter(|line| line["event"] == "left")
        .count()
        < 3
    {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:?}",
            owned.audit("audit.jsonl")
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let written = format!(
        "{:?}{:?}",
        owned.audit("audit.jsonl"),
        owned.audit("audit.jsonl.1")
    );
    assert!([a, b, c].iter().all(|token| !written.contains(token.as_str())));
}

fn serve(args: &[&str], directory: &tempfile::TempDir) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slowpath"));
    let command = command.arg("serve").args(args).current_dir(directory);
    command.env_remove("SLOWPATH_TOKEN_FILE").output().unwrap()
}

#[test]
fn a_check_tells_who_may_do_what_and_where_a_mistake_is() {
    let directory = tempfile::tempdir().unwrap();
    let token = serve(&["--new-token"], &directory);
    let token = String::from_utf8(token.stdout).unwrap();
    let (token, path) = (token.trim(), directory.path().join("users.toml"));
    let check = ["--check", "--listen", "127.0.0.1:0", "--access", "users.toml"];
    put(
        path.clone(),
        &format!("[holder.a]\ntoken = \"{token}\"\nmax-rate = \"1Gbit/s\"\n"),
    );
    let output = serve(&check, &directory);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        told.contains("may measure   a: 1 Gbit/s") && !told.contains(token),
        "{told}"
    );

    put(
        path.clone(),
        &format!("[holder.a]\ntoken = \"{token}\"\nmax-rate = \"1GB/s\"\n"),
    );
    let output = serve(&check, &directory);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        told.contains("users.toml, line 3: ") && told.contains("2Gbit/s"),
        "{told}"
    );

    fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
    let output = serve(&check, &directory);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("chmod 600"),
        "{output:?}"
    );
    fs::remove_file(&path).unwrap();
    assert_eq!(serve(&check, &directory).status.code(), Some(2));
}
