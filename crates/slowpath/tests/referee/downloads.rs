//! A web server as our far end: what is wrong on the path of a download is named, with nothing of ours at the server.

use crate::network::{are_installed, printed};
use crate::rates::{Running, start};
use evidence::{Payload, Verdict, VerdictFile};
use lab::Lab;
use scenario::Scenario;
use std::path::{Path, PathBuf};

const SLOWPATH: &str = env!("CARGO_BIN_EXE_slowpath");
const SENDER: &str = "sender.example";
const RECEIVER: &str = "receiver.example";

/// A web server with a file that no transfer comes to the end of.
struct Server {
    _running: Running,
    directory: tempfile::TempDir,
}

impl Server {
    /// `None`, loudly, where there is no nginx.
    fn start(lab: &Lab) -> Option<Self> {
        let program = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"];
        let Some(program) = program.into_iter().find(|path| Path::new(path).exists()) else {
            println!("SKIPPED referee nginx: it is not installed");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("files")).unwrap();
        // Sparse: it takes no room.
        let big = std::fs::File::create(at("files/big")).unwrap();
        big.set_len(64 << 30).unwrap();
        let dir = directory.path().display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {dir}/{name};"))
            .concat();
        let config = format!(
            "user root; daemon off; pid {dir}/pid; worker_processes 1; events {{}}\n\
             http {{ access_log off; sendfile on; {temporary}\n server {{ listen 80; root {dir}/files; }} }}\n"
        );
        std::fs::write(at("nginx.conf"), config).unwrap();
        let [config, log] = ["nginx.conf", "error.log"].map(|name| at(name).display().to_string());
        Some(Self {
            _running: start(lab, SENDER, &[program, "-c", &config, "-e", &log]),
            directory,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The workers go with their master, which is told in order.
        let pid = std::fs::read_to_string(self.path("pid")).unwrap_or_default();
        if let Ok(pid) = pid.trim().parse() {
            let _ =
                nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM);
        }
    }
}

/// A network of the repository.
fn network(name: &str) -> Scenario {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenarios/{name}.toml"));
    scenario::parse(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// Brings it up, and checks what is said of the download there at the receiver.
fn diagnosed(name: &str, check: impl Fn(&Verdict)) {
    for _ in 0..3 {
        let lab = Lab::up(&network(name), 1).unwrap_or_else(|error| panic!("{error}"));
        let Some(server) = Server::start(&lab) else {
            return;
        };
        let command = format!(
            "{SLOWPATH} diagnose http://{SENDER}/big --expect '300 Mbit/s' --case {} --json --quiet 2>{}",
            server.path("slow.case").display(),
            server.path("errors").display()
        );
        let shown = printed(&lab, RECEIVER, &command);
        let errors = std::fs::read_to_string(server.path("errors")).unwrap_or_default();
        let verdicts: VerdictFile =
            serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{error}:\n{shown}\n{errors}"));
        if lab.validity().is_valid() {
            let verdict = verdicts.rounds.last().unwrap();
            println!("{name}: {}", verdict.summary);
            return check(verdict);
        }
        println!("the machine was too busy to emulate links: {}", lab.validity());
    }
    println!("SKIPPED referee download in `{name}`: the machine was too busy to emulate links, three times");
}

pub(crate) fn a_small_receive_window_is_named() {
    diagnosed("receive-window-132k", |verdict| {
        let found = verdict.findings.first().map(|finding| finding.code.as_str());
        assert_eq!(found, Some("HOST-001"), "{verdict:#?}");
    });
}

/// Without the sender's account a link that is full and one that is policed look much alike: what is named is one of them.
pub(crate) fn a_link_that_is_full_is_taken_for_nothing_else() {
    diagnosed("capacity-100m", |verdict| {
        let others = verdict
            .findings
            .iter()
            .find(|finding| !finding.code.starts_with("CAP-"));
        assert!(
            others.is_none() && verdict.summary.contains("link"),
            "{verdict:#?}"
        );
        let rate = verdict.measured_bps.unwrap().0;
        assert!((80e6..100e6).contains(&rate), "{rate}");
    });
}

/// The figure of curl beside ours, on a path that sets the rate.
pub(crate) fn the_rate_is_that_of_curl() {
    if !are_installed(&["curl"]) {
        return;
    }
    let lab = Lab::up(&network("capacity-100m"), 1).unwrap_or_else(|error| panic!("{error}"));
    let Some(_server) = Server::start(&lab) else {
        return;
    };
    let url = format!("http://{SENDER}/big");
    for streams in [1, 4] {
        let shown = printed(
            &lab,
            RECEIVER,
            &format!("{SLOWPATH} throughput {url} -t 5 -P {streams} --json 2>/dev/null"),
        );
        let seen: evidence::Observation =
            serde_json::from_str(shown.trim()).unwrap_or_else(|e| panic!("{e}: {shown}"));
        let Payload::Transfer(transfer) = seen.payload else {
            panic!("{shown}")
        };
        let ours = transfer.received_bps.unwrap().0;
        let theirs = printed(
            &lab,
            RECEIVER,
            &format!("curl -s -o /dev/null -m 5 -w '%{{speed_download}}' {url}"),
        );
        let theirs: f64 = theirs.trim().parse::<f64>().unwrap() * 8.0;
        println!(
            "{streams} streams: {:.1} Mbit/s, curl with one {:.1} Mbit/s",
            ours / 1e6,
            theirs / 1e6
        );
        assert!(
            transfer.receiver.unwrap().accounts[0].min_rtt_us > Some(15_000),
            "the path's delay"
        );
        if lab.validity().is_valid() {
            assert!(
                (theirs * 0.7..theirs * 1.4).contains(&ours),
                "{ours} and {theirs}"
            );
        }
    }
}
