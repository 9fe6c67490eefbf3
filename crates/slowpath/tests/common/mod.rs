//! A desk to work at: a directory that goes away with the test, and the program run in it.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod pcap;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Two lines of a route archive; they carry their own times.
pub(crate) const HISTORY: &str = "\
08/27/2003 06:05:05      3 1061989505   3   (134.79.243.1),(134.79.135.15),(192.41.208.50),
08/27/2003 06:20:07      3 1061990407   31   (134.79.243.1),(137.164.22.84),(192.12.19.252),
";

/// A trace as traceroute prints it: no time, and not where it started.
pub(crate) const TRACE_FROM_A: &str = "\
traceroute to b.example (198.51.100.2), 30 hops max, 60 byte packets
 1  gw.a.example (192.0.2.254)  0.310 ms  0.305 ms  0.301 ms
 2  core.isp.example (203.0.113.7)  4.120 ms  4.118 ms  4.101 ms
 3  b.example (198.51.100.2)  9.912 ms  9.902 ms  9.899 ms
";

/// The most memory that a program has until it ends, KiB.
pub(crate) fn peak_kib(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        peak = peak.max(kib.unwrap_or(0));
        thread::sleep(Duration::from_millis(2));
    }
    peak
}

/// The directory.
pub(crate) struct Desk {
    directory: tempfile::TempDir,
}

/// What a run of the program gave.
pub(crate) struct Run {
    code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with_input(args, "")
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> Run {
        self.run_command(self.command(args).env("NO_COLOR", "1"), args, input)
    }

    /// With these variables, and none of those that settings come from beside them.
    pub(crate) fn run_in(&self, environment: &[(&str, &str)], args: &[&str]) -> Run {
        self.run_command(self.command(args).envs(environment.iter().copied()), args, "")
    }

    /// The program in the directory, with nobody's settings.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slowpath"));
        command
            .args(args)
            .current_dir(self.directory.path())
            .env("USER", "tester")
            .env("SLOWPATH_CONFIG", "/dev/null");
        for name in [
            "SLOWPATH_TOKEN_FILE",
            "NO_COLOR",
            "CLICOLOR",
            "CLICOLOR_FORCE",
            "COLUMNS",
            "CI",
        ] {
            command.env_remove(name);
        }
        command
    }

    fn run_command(&self, command: &mut Command, args: &[&str], input: &str) -> Run {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that ends without reading is no failure of the test.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let run = Run {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!run.stderr.contains("panicked"), "{args:?}: {}", run.stderr);
        run
    }

    /// `slowpath case new` for a transfer from a.example to b.example.
    pub(crate) fn new_case(&self, name: &str) {
        let ends = ["--from", "a.example=192.0.2.1", "--to", "b.example=198.51.100.2"];
        let rest = [
            "--expect",
            "2Gbit/s",
            "--since",
            "Tuesday",
            "--opened",
            "2003-08-27",
        ];
        self.run(&[&["case", "new", name][..], &ends, &rest].concat())
            .exits(0);
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Adds text at the end of a file, which may not be there yet.
    pub(crate) fn append(&self, name: &str, text: &str) {
        let path = self.path(name);
        let mut file = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Writes over a file, a read-only one too.
    pub(crate) fn replace(&self, name: &str, text: &str) {
        self.remove(name);
        self.write(name, text);
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Names that begin with a dot: temporary ones, if there are any.
    pub(crate) fn hidden_names(&self, directory: &str) -> Vec<String> {
        let mut names = self.names(directory);
        names.retain(|name| name.starts_with('.'));
        names
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Every file below a directory, with its content.
    pub(crate) fn tree(&self, directory: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path(directory), &mut files);
        files
    }

    pub(crate) fn lines(&self, name: &str) -> Vec<Value> {
        let text = self.read(name);
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// How many observations are whole: a writer that was killed may leave half a line.
    pub(crate) fn observations_that_parse(&self, case: &str) -> usize {
        let text = self.read(&format!("{case}/observations.jsonl"));
        let whole = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
        text.lines().filter(whole).count()
    }

    pub(crate) fn observations(&self, case: &str) -> Vec<Value> {
        self.lines(&format!("{case}/observations.jsonl"))
    }
}

fn collect(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

impl Run {
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn out(&self, text: &str) -> &Self {
        assert!(self.stdout.contains(text), "no `{text}` in:\n{}", self.stdout);
        self
    }

    #[track_caller]
    pub(crate) fn err(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "no `{text}` in:\n{}", self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn not_err(&self, text: &str) -> &Self {
        assert!(!self.stderr.contains(text), "`{text}` in:\n{}", self.stderr);
        self
    }
}

/// The same command with the signal as a person at a shell would have it: what runs in the background ignores it, and hands that on.
pub(crate) fn interruptible(command: &Command) -> Command {
    let mut with_default = Command::new("env");
    with_default
        .arg("--default-signal=INT")
        .arg(command.get_program())
        .args(command.get_args());
    let set = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    with_default.envs(set);
    if let Some(directory) = command.get_current_dir() {
        with_default.current_dir(directory);
    }
    with_default
}
