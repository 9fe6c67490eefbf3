//! Far ends behind a stateful firewall, which the lab puts up in their host: nothing arrives there that it did not ask for.

use crate::far_ends::{Places, TOKEN, program, up};
use evidence::{Ask, Node, Payload, RateBps};
use lab::Lab;
use net::Watch;
use net::far_end::{DEFAULT_PORT, Token, between, connect};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};

const LAB: &str = "198.18.0.0/15";

fn faults(verdict: &Value) -> Vec<&Value> {
    let findings = verdict["rounds"][0]["findings"].as_array().unwrap();
    let is_fault = |finding: &&Value| !finding["code"].as_str().unwrap().starts_with("OK-");
    findings.iter().filter(is_fault).collect()
}

pub(crate) fn who_cannot_be_reached_dials_and_is_measured_with() {
    let lab = up("via-filtered");
    lab.step("close").unwrap();
    let places = Places::serve(&lab, 1, &[], None);
    let mut running = places
        .diagnose_from_here(&lab, "h2.example")
        .arg("--listen")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(running.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let shown = told.find(|line| line.contains("serve --dial")).unwrap();
    let client = shown
        .split_whitespace()
        .find(|word| word.contains(":4820"))
        .unwrap();
    let mut far = places.dial(&lab, "h2.example", client);
    let rest = std::thread::spawn(move || told.inspect(|line| println!("{line}")).count());
    let output = running.wait_with_output().unwrap();
    rest.join().unwrap();
    far.kill().unwrap();
    far.wait().unwrap();
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_both_ends_took_part(&places, &verdict);
    assert!(
        verdict["rounds"][0]["measured_bps"].as_f64().unwrap() > 1e6,
        "{verdict:#}"
    );
    assert!(
        faults(&verdict).iter().all(|found| found["code"] != "MTU-002"),
        "{verdict:#}"
    );
}

fn assert_both_ends_took_part(places: &Places, verdict: &Value) {
    let (case, complaints) = casefile::CaseDir::read(&places.case()).unwrap();
    assert!(complaints.is_empty(), "{complaints:?}");
    let transfers = case.observations().iter().filter_map(|o| match &o.payload {
        Payload::Transfer(transfer) => Some(&**transfer),
        _ => None,
    });
    let moved = |t: &&evidence::Transfer| {
        t.bytes_received
            .or(t.packets_received)
            .is_some_and(|count| count > 0)
    };
    assert!(transfers.filter(moved).count() >= 2, "{verdict:#}");
    // Both hosts have told of themselves.
    let settings = |o: &&evidence::Observation| matches!(o.payload, Payload::HostFacts(_));
    assert_eq!(case.observations().iter().filter(settings).count(), 2);
}

/// What stands for ssh, which comes through, as through a network for management: it enters a host beside its firewall.
struct Entered {
    there: Child,
    command: PathBuf,
}

impl Entered {
    fn new(lab: &Lab, places: &Places, host: &str) -> Self {
        let there = lab.command(host, "sleep").unwrap().arg("600").spawn().unwrap();
        let directory = places.directory.path();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_slowpath"), directory.join("slowpath")).unwrap();
        let command = directory.join("ssh");
        let enter = format!(
            "#!/bin/sh\n[ \"$1\" = -G ] && exit 1\nPATH={}:$PATH exec nsenter --target {} --net --uts sh -s\n",
            directory.display(),
            there.id()
        );
        std::fs::write(&command, enter).unwrap();
        std::fs::set_permissions(&command, PermissionsExt::from_mode(0o700)).unwrap();
        Self { there, command }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let _ = self.there.kill();
        let _ = self.there.wait();
    }
}

pub(crate) fn what_ssh_started_behind_a_firewall_connects_to_this_host() {
    let lab = up("via-filtered");
    lab.step("close").unwrap();
    let places = Places::serve(&lab, 1, &[], None);
    let ssh = Entered::new(&lab, &places, "h2.example");
    let output = program(&lab, "h1.example")
        .args(["diagnose", "--json", "--ssh", "h2.example", "--ssh-command"])
        .arg(&ssh.command)
        .arg("--case")
        .arg(places.case())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{told}");
    assert!(told.contains("it has connected to this host instead"), "{told}");
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_both_ends_took_part(&places, &verdict);
    let measured = verdict["rounds"][0]["measured_bps"].as_f64();
    assert!(measured.is_some_and(|bps| bps > 1e6), "{verdict:#}");
}

/// A third place as well: it is measured with from where it can connect, and what its firewall drops is no loss.
pub(crate) fn a_third_place_behind_a_firewall_connects_to_this_host() {
    let lab = up("via-filtered");
    lab.step("close").unwrap();
    let places = Places::serve(&lab, 3, &[2], Some(LAB));
    let ssh = Entered::new(&lab, &places, "h2.example");
    let output = places
        .diagnose_from_here(&lab, "h3.example")
        .args(["--via", "me@h2.example", "--ssh-command"])
        .arg(&ssh.command)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{told}");
    assert!(
        told.contains("h2.example: nothing reaches the far end's port"),
        "{told}"
    );
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(faults(&verdict).is_empty(), "{verdict:#}");
    let (case, complaints) = casefile::CaseDir::read(&places.case()).unwrap();
    assert!(complaints.is_empty(), "{complaints:?}");
    let is_there = |o: &&evidence::Observation| o.provenance.vantage.to_string().contains("h2.example");
    let settings = |o: &evidence::Observation| matches!(o.payload, Payload::HostFacts(_));
    let there: Vec<_> = case.observations().iter().filter(is_there).collect();
    assert!(there.iter().any(|o| settings(o)), "{there:#?}");
}

pub(crate) fn a_mesh_has_a_place_behind_a_firewall_probe_the_others() {
    let lab = up("via-filtered");
    lab.step("close").unwrap();
    let places = Places::serve(&lab, 3, &[2], Some(LAB));
    let ssh = Entered::new(&lab, &places, "h2.example");
    let file = places.directory.path().join("mesh.toml");
    let by_token = "address = \"h2.example\"\ntoken-file = \"token\"";
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(by_token));
    std::fs::write(&file, text.replace(by_token, "address = \"me@h2.example\"")).unwrap();
    let output = places
        .mesh(&lab, &["--json", "--ssh-command"])
        .arg(&ssh.command)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{told}");
    assert!(told.contains("h2: nothing reaches the far end's port"), "{told}");
    let matrix: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pair = |from: &str, to: &str| {
        let pairs = matrix["pairs"].as_array().unwrap();
        pairs
            .iter()
            .find(|pair| pair["from"] == from && pair["to"] == to)
            .unwrap_or_else(|| panic!("{matrix:#}"))
    };
    // Answers come through the firewall, as who sits behind it has asked.
    for (from, to) in [("h2", "h3"), ("h3", "h2"), ("h1", "h3")] {
        let found = pair(from, to);
        assert!(found["sent"].as_u64().unwrap() > 50, "{found:#}");
        assert!(found["loss_ratio"].as_f64().unwrap() < 0.05, "{found:#}");
    }
    let unknown = pair("h1", "h2");
    assert!(unknown["sent"].is_null(), "{unknown:#}");
    assert!(
        unknown["not_measured"]
            .to_string()
            .contains("connected to this host"),
        "{unknown:#}"
    );
    assert!(
        matrix["verdict"]["findings"].as_array().unwrap().is_empty(),
        "{matrix:#}"
    );
}

/// The receiver's sessions stand when its firewall is put up, and so do those of a client that may pass: the receiver then opens the
/// connections of a transfer, whichever of the two sends.
pub(crate) fn between_two_others_the_one_that_can_connects() {
    let lab = up("via-filtered");
    let places = Places::serve(&lab, 3, &[], Some(LAB));
    let token = Token::read(TOKEN).unwrap();
    let address = |host: &str| {
        let scenario = lab.scenario();
        scenario.addresses_of(scenario.node_id(host).unwrap())[0]
    };
    let (closed, open) = (address("h2.example"), address("h3.example"));
    lab.inside("h1.example", || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let quiet = Watch::quiet();
            let reach = async |host| connect(host, DEFAULT_PORT, &token, None, &quiet).await.unwrap();
            let (closed, open) = (reach(closed).await, reach(open).await);
            lab.step("close").unwrap();
            for (sender, receiver) in [(&open, &closed), (&closed, &open)] {
                for ask in [tcp(), udp()] {
                    let measured = between(&ask, sender, receiver, &quiet).await.unwrap();
                    let Some(Payload::Transfer(transfer)) = measured.first() else {
                        panic!("{measured:?}");
                    };
                    let received = transfer.bytes_received.or(transfer.packets_received);
                    assert!(received.is_some_and(|count| count > 0), "{transfer:#?}");
                    assert_eq!(transfer.from.address, Some(sender.peer_address().ip()));
                }
            }
        });
        Ok(())
    })
    .unwrap();
    drop(places);
}

pub(crate) fn a_port_that_is_closed_is_named_and_the_rest_is_measured_from_here() {
    let lab = up("via-filtered");
    lab.step("close").unwrap();
    let places = Places::serve(&lab, 2, &[], None);
    let output = places.diagnose_from_here(&lab, "h2.example").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{told}");
    assert!(told.contains("testing from this end only"), "{told}");
    assert!(told.contains("4820") && told.contains("--listen"), "{told}");
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(faults(&verdict).is_empty(), "{verdict:#}");
    let (case, _) = casefile::CaseDir::read(&places.case()).unwrap();
    let traced = |o: &evidence::Observation| matches!(o.payload, evidence::Payload::Trace(_));
    assert!(case.observations().iter().any(traced));
}

/// Between the two that it is carried out with, whatever it names.
fn tcp() -> Ask {
    Ask::TcpThroughput {
        from: Node::named("sender"),
        to: Node::named("receiver"),
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 1_000,
        max_bytes: None,
        watch_hops: false,
    }
}

fn udp() -> Ask {
    Ask::UdpStream {
        from: Node::named("sender"),
        to: Node::named("receiver"),
        size_bytes: 500,
        rate_bps: RateBps(1e6),
        duration_ms: 1_000,
    }
}
