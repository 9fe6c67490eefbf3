//! A transfer in the lab with captures at both ends.

use crate::network::{RECEIVER, SENDER, printed};
use evidence::{Observation, Payload, TcpAccount, Transfer};
use lab::Lab;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const SLOWPATH: &str = env!("CARGO_BIN_EXE_slowpath");

/// What runs until the test is over.
pub(crate) struct Running(Child);

impl Running {
    fn interrupt(&mut self) {
        let pid = nix::unistd::Pid::from_raw(self.0.id().try_into().unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn start(lab: &Lab, host: &str, command: &[&str]) -> Running {
    let mut program = lab.command(host, command[0]).unwrap();
    program
        .args(&command[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Running(program.spawn().unwrap())
}

/// The interface of a host of the lab: it has one beside loopback.
fn interface(lab: &Lab, host: &str) -> String {
    let links = printed(lab, host, "ip -o link show");
    let names = links.lines().filter_map(|line| line.split(": ").nth(1));
    let name = names
        .map(|name| name.split('@').next().unwrap())
        .find(|name| *name != "lo");
    name.unwrap_or_else(|| panic!("no interface:\n{links}"))
        .to_owned()
}

/// Two captures of what went on meanwhile.
pub(crate) struct Captured {
    pub(crate) folder: tempfile::TempDir,
}

impl Captured {
    /// Captures at both ends while `act` goes on.
    pub(crate) fn during<T>(lab: &Lab, act: impl FnOnce(&Path) -> T) -> (Self, T) {
        let folder = tempfile::tempdir().unwrap();
        let file = |host: &str| folder.path().join(host).with_extension("pcap");
        let mut captures: Vec<Running> = [SENDER, RECEIVER]
            .iter()
            .map(|host| {
                let name = interface(lab, host);
                let file = file(host);
                start(
                    lab,
                    host,
                    &[
                        SLOWPATH,
                        "capture",
                        "--live",
                        &name,
                        "--write",
                        file.to_str().unwrap(),
                    ],
                )
            })
            .collect();
        wait_for(&[file(SENDER), file(RECEIVER)]);
        let acted = act(folder.path());
        // The last packets are handed over after a while.
        std::thread::sleep(Duration::from_millis(300));
        captures.iter_mut().for_each(Running::interrupt);
        drop(captures);
        (Self { folder }, acted)
    }

    pub(crate) fn file(&self, host: &str) -> PathBuf {
        self.folder.path().join(host).with_extension("pcap")
    }

    /// `--point` of it.
    pub(crate) fn point(&self, host: &str) -> String {
        format!("{host}={}", self.file(host).display())
    }

    /// What `slowpath capture` prints as JSON of the largest connection at this host.
    pub(crate) fn flow(&self, host: &str) -> Value {
        json(&[
            "capture",
            self.file(host).to_str().unwrap(),
            "--json",
            "--flow",
            "1",
        ])
    }

    /// What it says of both captures together.
    pub(crate) fn comparison(&self) -> Value {
        let (sender, receiver) = (self.point(SENDER), self.point(RECEIVER));
        json(&["capture", "--point", &sender, "--point", &receiver, "--json"])
    }
}

/// Until the captures have begun: their files are there.
fn wait_for(files: &[PathBuf]) {
    let began = Instant::now();
    while !files.iter().all(|file| file.exists()) {
        assert!(began.elapsed() < Duration::from_secs(10), "no capture began");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn json(arguments: &[&str]) -> Value {
    let output = Command::new(SLOWPATH).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// A far end at the receiver, and the file of its token.
pub(crate) fn far_end(lab: &Lab, folder: &Path) -> (Running, PathBuf) {
    let token = folder.join("token");
    let command = [SLOWPATH, "serve", "--token-file", token.to_str().unwrap()];
    let running = start(lab, RECEIVER, &command);
    wait_for(std::slice::from_ref(&token));
    std::thread::sleep(Duration::from_millis(700)); // until it listens
    (running, token)
}

/// Our own transfer from the sender to the receiver.
pub(crate) fn own_transfer(lab: &Lab, folder: &Path, options: &str) -> Transfer {
    let (_far_end, token) = far_end(lab, folder);
    let command = format!(
        "{SLOWPATH} throughput {RECEIVER} --json --token-file {} {options} 2>/dev/null",
        token.display()
    );
    let shown = printed(lab, SENDER, &command);
    let observations = shown
        .lines()
        .filter_map(|line| serde_json::from_str::<Observation>(line).ok());
    let transfers = observations.filter_map(|observation| match observation.payload {
        Payload::Transfer(transfer) => Some(*transfer),
        _ => None,
    });
    let last = transfers.reduce(|_, later| later);
    last.unwrap_or_else(|| panic!("no transfer:\n{shown}"))
}

/// The kernel's account of its only connection.
pub(crate) fn account(transfer: &Transfer) -> &TcpAccount {
    &transfer.sender.as_ref().unwrap().accounts[0]
}

/// The half of a connection that carried most.
pub(crate) fn main_half(flow: &Value) -> &Value {
    let halves = flow["halves"].as_array().unwrap();
    halves
        .iter()
        .max_by_key(|half| half["unique_bytes"].as_u64())
        .unwrap()
}

/// The share of its time that a half spent under a label.
pub(crate) fn share(half: &Value, label: &str) -> f64 {
    let shares = half["causes"]["shares"].as_array().unwrap();
    let time = |share: &Value| share["time_ns"].as_f64().unwrap();
    let total: f64 = shares.iter().map(time).sum();
    let of: f64 = shares
        .iter()
        .filter(|share| share["label"] == label)
        .map(time)
        .sum();
    of / total
}
