//! Far ends in hosts of the lab, and a mesh of them seen from one host.

use lab::Lab;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_slowpath");
pub(crate) const TOKEN: &str = "slowpath_4f6d1c0b8a2e59d37b1f0a6c9e8d24735b60aa1e795625fc";

/// Far ends that end when dropped, and the directory with the file of places.
pub(crate) struct Places {
    /// With the hosts that they run in.
    serving: Vec<(String, Child)>,
    pub(crate) directory: tempfile::TempDir,
}

impl Drop for Places {
    fn drop(&mut self) {
        for (_, child) in &mut self.serving {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A scenario of this repository.
pub(crate) fn up(scenario: &str) -> Lab {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let text = fs::read_to_string(path.join(format!("{scenario}.toml"))).unwrap();
    let scenario = scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    Lab::up(&scenario, 1).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn program(lab: &Lab, host: &str) -> Command {
    let mut command = lab.command(host, PROGRAM).unwrap();
    command.env("SLOWPATH_CONFIG", "/dev/null");
    command
}

impl Places {
    /// `h1` is this host; a far end runs in each of the others but those that are `silent`, and allows tests with these peers.
    pub(crate) fn serve(lab: &Lab, hosts: usize, silent: &[usize], allow_peers: Option<&str>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let token = directory.path().join("token");
        fs::write(&token, TOKEN).unwrap();
        fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
        let mut file = "[[place]]\nname = \"h1\"\nhere = true\n".to_owned();
        let mut serving = Vec::new();
        for host in 2..=hosts {
            let _ = write!(
                file,
                "[[place]]\nname = \"h{host}\"\naddress = \"h{host}.example\"\ntoken-file = \"token\"\n"
            );
            if silent.contains(&host) {
                continue;
            }
            let mut command = program(lab, &format!("h{host}.example"));
            command.args(["serve", "--quiet", "--token-file"]).arg(&token);
            command.args(allow_peers.map(|peers| format!("--allow-peers={peers}")));
            command.stdin(Stdio::null()).stdout(Stdio::piped());
            serving.push((format!("h{host}.example"), command.spawn().unwrap()));
        }
        for (_, child) in &mut serving {
            let mut lines = BufReader::new(child.stdout.take().unwrap())
                .lines()
                .map_while(Result::ok);
            assert!(lines.any(|line| line.contains("listening on")));
        }
        fs::write(directory.path().join("mesh.toml"), file).unwrap();
        Self { serving, directory }
    }

    /// `slowpath mesh` of these places in `h1`.
    pub(crate) fn mesh(&self, lab: &Lab, args: &[&str]) -> Command {
        let mut command = program(lab, "h1.example");
        command
            .arg("mesh")
            .arg(self.directory.path().join("mesh.toml"))
            .arg("--case")
            .arg(self.case())
            .args(args);
        command
    }

    /// `slowpath diagnose` in `h1`, between two of the other places.
    pub(crate) fn diagnose(&self, lab: &Lab, from: &str, to: &str) -> Command {
        let mut command = program(lab, "h1.example");
        command
            .args(["diagnose", "--json", "--from", from, to, "--case"])
            .arg(self.case())
            .arg("--token-file")
            .arg(self.directory.path().join("token"));
        command
    }

    /// `slowpath diagnose` in `h1`, from there to another place.
    pub(crate) fn diagnose_from_here(&self, lab: &Lab, to: &str) -> Command {
        let mut command = program(lab, "h1.example");
        command
            .args(["diagnose", "--json", to, "--case"])
            .arg(self.case())
            .arg("--token-file")
            .arg(self.directory.path().join("token"));
        command
    }

    /// `slowpath serve --dial` in a host, with the token of all.
    pub(crate) fn dial(&self, lab: &Lab, host: &str, client: &str) -> Child {
        let mut command = program(lab, host);
        command.args(["serve", "--dial", client, "--token-file"]);
        command.arg(self.directory.path().join("token"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Waits until a diagnosis has made so many observations.
    pub(crate) fn await_observations(&self, running: &mut Child, count: usize) {
        let path = self.case().join("observations.jsonl");
        let made = || fs::read_to_string(&path).map_or(0, |text| text.lines().count());
        while made() < count && running.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(made() >= count, "it ended with {} observations", made());
    }

    /// Ends the far end in a host, without a word.
    pub(crate) fn end(&mut self, host: &str) {
        for (_, child) in self.serving.iter_mut().filter(|(name, _)| name == host) {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn case(&self) -> PathBuf {
        self.directory.path().join("mesh.case")
    }
}
