//! A far end on loopback, and how the kernel shows it to others.

use net::Watch;
use net::far_end::{FarEnd, Token, connect};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

/// The user that owns nothing.
pub(crate) const NOBODY: u32 = 65_534;
/// The program's own traffic and nothing else; the token is of no account to anybody.
const TOKEN: &str = "slowpath_0d9e7f3b52c8461ab90e6d17f42c83a5b1d6e094d088cc29";

pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// `slowpath serve`, killed when dropped.
pub(crate) struct Server {
    process: Child,
    port: u16,
    pub(crate) directory: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let token = directory.path().join("token");
        fs::write(&token, TOKEN).unwrap();
        fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
        // Another address of this host, so that results tell the two ends.
        let mut process = Command::new(env!("CARGO_BIN_EXE_slowpath"))
            .args(["serve", "--json", "--listen", "127.0.0.2:0", "--token-file"])
            .arg(&token)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let address = ready["addresses"][0].as_str().unwrap();
        let port = address.rsplit(':').next().unwrap().parse().unwrap();
        Self {
            process,
            port,
            directory,
        }
    }

    pub(crate) async fn client(&self) -> FarEnd {
        let address = [127, 0, 0, 2].into();
        connect(
            address,
            self.port,
            &Token::read(TOKEN).unwrap(),
            None,
            &Watch::quiet(),
        )
        .await
        .unwrap()
    }

    /// A field of every thread's status, as the kernel shows it to others.
    pub(crate) fn of_all_threads(&self, field: &str) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id())).unwrap();
        tasks
            .map(|task| fs::read_to_string(task.unwrap().path().join("status")).unwrap())
            .map(|status| value(&status, field))
            .collect()
    }

    /// The program with the port and the token.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slowpath"));
        let directory = self.directory.path();
        command
            .args(args)
            .args(["--port", &self.port.to_string(), "--token-file"])
            .arg(directory.join("token"))
            .current_dir(directory);
        command
    }
}

/// A field of a thread's status.
pub(crate) fn value(status: &str, field: &str) -> String {
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.unwrap_or("").trim_start_matches(':').trim().to_owned()
}
