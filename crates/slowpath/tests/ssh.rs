//! Far ends that ssh starts: with a real sshd on loopback, and nothing of it is left, however we end.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a client is killed at a random moment; `SLOWPATH_KILLS=100` for the long form.
const KILLS: u64 = 8;

/// One test at a time: they look at all far ends of this machine that ssh started.
static ALONE: Mutex<()> = Mutex::new(());

/// An sshd for the user who runs the tests, in a directory that goes away; ended when dropped.
struct Host {
    directory: tempfile::TempDir,
    sshd: Child,
}

impl Host {
    /// `None`, loudly, where there is no sshd.
    fn start() -> Option<Self> {
        let sshd = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/sbin/sshd"];
        let Some(sshd) = sshd.iter().find(|path| Path::new(path).exists()) else {
            println!("SKIPPED far ends through ssh: no sshd here (Debian: openssh-server)");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).display().to_string();
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f", &path(key)])
                .status();
            assert!(made.unwrap().success());
        }
        fs::create_dir(path("tmp")).unwrap();
        fs::create_dir_all("/run/sshd").ok();
        // Closed again at once: the port is sshd's.
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.unwrap().port();
        let server = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPidFile none\n\
             PermitRootLogin yes\nSetEnv TMPDIR={}\n",
            path("host"),
            path("user.pub"),
            path("tmp"),
        );
        fs::write(path("sshd_config"), server).unwrap();
        let client = format!(
            "Host far near\nHostName 127.0.0.1\nPort {port}\nIdentityFile {}\nUserKnownHostsFile /dev/null\n\
             StrictHostKeyChecking no\nBatchMode yes\nLogLevel ERROR\n",
            path("user"),
        );
        fs::write(path("ssh_config"), client).unwrap();
        let mut sshd = Command::new(sshd)
            .args(["-D", "-f", &path("sshd_config"), "-E", &path("log")])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        // Not asked by a connection: to a port on which nobody listens yet, that could be answered by itself.
        let log = || fs::read_to_string(path("log")).unwrap_or_default();
        while !log().contains("Server listening") {
            assert!(sshd.try_wait().unwrap().is_none(), "sshd ended: {}", log());
            assert!(Instant::now() < until, "sshd does not listen: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Self { directory, sshd })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn client(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slowpath"));
        let ssh = format!("ssh -F {}", self.path("ssh_config").display());
        command
            .args(args)
            .current_dir(&self.directory)
            .env("SLOWPATH_SSH", ssh)
            .env("NO_COLOR", "1")
            .env_remove("SLOWPATH_TOKEN_FILE")
            .stdin(Stdio::null());
        command
    }

    /// Processes of far ends, and files, that are left there.
    fn left(&self) -> Vec<String> {
        let files = fs::read_dir(self.path("tmp")).unwrap();
        let mut left: Vec<String> = files
            .map(|file| file.unwrap().path().display().to_string())
            .collect();
        for process in fs::read_dir("/proc").unwrap().flatten() {
            let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains("serve --stdio") {
                left.push(format!("{}: {line}", process.path().display()));
            }
        }
        left
    }

    #[track_caller]
    fn is_clean_within(&self, within: Duration) {
        let until = Instant::now() + within;
        while !self.left().is_empty() {
            assert!(Instant::now() < until, "left behind: {:?}", self.left());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(!err.contains("panicked"), "{err}");
    format!("{out}{err}")
}

/// One after the other: each looks at what is left on this machine.
#[test]
fn a_login_is_all_that_a_far_end_needs() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(host) = Host::start() else { return };
    both_directions_are_measured(&host);
    a_diagnosis_has_two_ends(&host);
    two_logins_are_the_two_ends(&host);
    nothing_is_left_after_a_kill(&host);
}

fn both_directions_are_measured(host: &Host) {
    for args in [
        &["throughput", "--ssh", "far", "-t", "0.5"][..],
        &["throughput", "--ssh", "far", "-t", "0.5", "-R"],
    ] {
        let output = host.client(args).output().unwrap();
        let text = text(&output);
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(
            text.contains("bit/s mean") && text.contains("a copy runs for this time"),
            "{text}"
        );
        host.is_clean_within(Duration::from_secs(1));
    }
}

fn a_diagnosis_has_two_ends(host: &Host) {
    let args = ["diagnose", "--ssh", "far", "--max-time", "4", "--case", "of.case"];
    let output = host.client(&args).output().unwrap();
    let text = text(&output);
    assert!(!text.contains("testing from this end only"), "{text}");
    assert!(text.contains("packets lost"), "{text}");
    let complaint = fs::read_to_string(host.path("of.case/case.json")).unwrap();
    assert!(
        complaint.contains("far") && complaint.contains("127.0.0.1"),
        "{complaint}"
    );
    host.is_clean_within(Duration::from_secs(1));
}

/// Both on loopback: the point is who is started, who may meet, and that nothing is left.
fn two_logins_are_the_two_ends(host: &Host) {
    let args = ["diagnose", "--ssh", "far", "--from", "near", "--max-time", "4"];
    let output = host.client(&args).output().unwrap();
    let text = text(&output);
    assert!(
        text.contains("UDP: near to far") && text.contains("trace: 1 hop from near"),
        "{text}"
    );
    assert!(host.path("near-far.case/case.json").exists(), "{text}");
    host.is_clean_within(Duration::from_secs(1));
}

fn nothing_is_left_after_a_kill(host: &Host) {
    let kills = std::env::var("SLOWPATH_KILLS")
        .ok()
        .and_then(|count| count.parse().ok());
    let mut state: u64 = 20_240_229;
    for round in 0..kills.unwrap_or(KILLS) {
        // Knuth's multiplier: the moments need no better generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let moment = Duration::from_millis((state >> 33) % 2_500);
        let mut client = host
            .client(&["throughput", "--ssh", "far", "-t", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(moment);
        client.kill().unwrap();
        client.wait().unwrap();
        println!("round {round}: killed after {} ms", moment.as_millis());
        host.is_clean_within(Duration::from_secs(10));
    }
}

/// A program that stands for ssh, and runs or says what it likes.
fn with_ssh(script: &str, args: &[&str]) -> (Option<i32>, String) {
    let directory = tempfile::tempdir().unwrap();
    let ssh = directory.path().join("ssh");
    fs::write(&ssh, format!("#!/bin/sh\n[ \"$1\" = -G ] && exit 1\n{script}\n")).unwrap();
    fs::set_permissions(&ssh, PermissionsExt::from_mode(0o700)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_slowpath"))
        .args(args)
        .args(["--ssh-command", ssh.to_str().unwrap()])
        .env("TMPDIR", directory.path())
        .current_dir(&directory)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = text(&output);
    let left = fs::read_dir(&directory).unwrap().count();
    assert_eq!(left, 1, "only the script itself may be left: {said}");
    (output.status.code(), said)
}

#[test]
fn what_is_in_the_way_is_named() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let host = ["throughput", "me@127.0.0.1", "-t", "0.3"];
    for (script, args, named) in [
        ("exit 255", &host[..], "ended before the far end was ready"),
        (
            "echo 'slowpath-greeting|FreeBSD|amd64||'; cat >/dev/null",
            &host,
            "needs Linux",
        ),
        (
            "echo 'slowpath-greeting|Linux|riscv64||'; cat >/dev/null",
            &host,
            "riscv64",
        ),
        (
            "echo 'slowpath-greeting|Linux|'$(uname -m)'||'; head -c 100000 >/dev/null; echo 'slowpath-failed|no room'",
            &host,
            "no room",
        ),
        ("yes", &host, "ended before the far end was ready"),
        (
            "exec sh -s",
            &["throughput", "me@127.0.0.1", "--ssh-copy", "/bin/false"],
            "does not run there",
        ),
        (
            "exec sh -s",
            &["throughput", "me@127.0.0.1", "--ssh-copy", "/nonexistent"],
            "/nonexistent",
        ),
    ] {
        let (code, said) = with_ssh(script, args);
        assert_eq!(code, Some(4), "{script}: {said}");
        assert!(said.contains(named), "{script}: {said}");
    }
    let (code, said) = with_ssh("exit 1", &["diagnose", "me@192.0.2.1", "--from", "me@192.0.2.2"]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("ssh to me@192.0.2.2 ended before"), "{said}");
    // What only this host could do, and a host whose token nobody knows.
    for (args, named) in [
        (
            &["diagnose", "me@192.0.2.1", "--from", "me@192.0.2.2", "--capture"][..],
            "leave it out",
        ),
        (
            &["diagnose", "192.0.2.1", "--from", "me@192.0.2.2"][..],
            "user@192.0.2.1",
        ),
    ] {
        let (code, said) = with_ssh("exit 1", args);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(named), "{said}");
    }
}

#[test]
fn without_a_directory_for_programs_it_says_so() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (code, said) = with_ssh(
        "TMPDIR=/proc XDG_RUNTIME_DIR= HOME=/proc; export TMPDIR HOME; exec sh -s",
        &["throughput", "me@127.0.0.1", "-t", "0.3"],
    );
    // /dev/shm is the last resort, where programs may be run from it.
    match code {
        Some(0) => assert!(said.contains("bit/s mean"), "{said}"),
        _ => assert!(said.contains("no directory there takes a program"), "{said}"),
    }
}
