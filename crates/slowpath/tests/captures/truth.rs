//! What was known beforehand, and what the captures say.

use crate::network::{RECEIVER, SENDER, in_network, is_close, printed};
use crate::transfer::{Captured, SLOWPATH, account, far_end, json, main_half, own_transfer, share};
use evidence::{Observation, Payload, Transport};
use lab::{DropReason, Lab};
use serde_json::Value;
use std::process::Command;

fn lost_by_the_network(lab: &Lab) -> u64 {
    let reports = lab.counters();
    let forward = reports
        .iter()
        .filter(|report| (report.from.as_str(), report.to.as_str()) == ("r2", "r3"));
    forward
        .map(|report| report.counters.dropped(DropReason::Loss) + report.counters.dropped(DropReason::Queue))
        .sum()
}

/// Every loss has a retransmission at the sender and a gap at the receiver, and lies between the two captures.
pub(crate) fn losses_are_found_where_they_are() {
    let link = "both = { delay = '10 ms', rate = '100 Mbit/s', queue_bytes = 400000 }\n\
        a_to_b = { loss = { every = 211 } }";
    in_network(link, |lab| {
        let (captured, transfer) = Captured::during(lab, |folder| {
            own_transfer(lab, folder, "-t 4 --congestion-control cubic")
        });
        let kernel = account(&transfer);
        let flow = captured.flow(SENDER);
        let half = main_half(&flow);
        assert_eq!(half["unseen_bytes"], 0, "the capture missed packets");
        let again = half["retransmitted_packets"].as_u64().unwrap();
        let by_kernel = kernel.retransmitted_segments.unwrap();
        assert!(by_kernel >= 10, "{kernel:?}");
        assert_eq!(
            again, by_kernel,
            "retransmitted by the capture and by the kernel: {half}"
        );
        assert_eq!(
            half["retransmitted_bytes"].as_u64(),
            kernel.retransmitted_bytes,
            "{half}"
        );
        let comparison = captured.comparison();
        let directions = comparison["stretches"][0]["directions"].as_array().unwrap();
        let lost: Vec<u64> = directions
            .iter()
            .map(|direction| direction["data"]["lost"].as_u64().unwrap())
            .collect();
        // Those of the control connection are among what the link dropped.
        let dropped = lost_by_the_network(lab);
        let found: u64 = lost.iter().sum();
        assert!(
            found <= dropped && found + 3 >= dropped,
            "{found} of {dropped} losses: {comparison}"
        );
        assert!(lost.contains(&0), "the way back loses nothing: {lost:?}");
        let case = Case::of(&captured, &flow);
        let added = case.add(&[
            "--point",
            &captured.point(SENDER),
            "--point",
            &captured.point(RECEIVER),
        ]);
        let verdict = case.verdict();
        let first = verdict["rounds"][0]["findings"][0].to_string();
        assert!(
            first.contains("\"LOSS") && first.contains(SENDER) && first.contains(RECEIVER),
            "{added}\n{verdict:#}"
        );
    });
}

/// A case about the transfer that was captured.
struct Case(String);

impl Case {
    fn of(captured: &Captured, flow: &Value) -> Self {
        let case = captured.folder.path().join("x.case").to_str().unwrap().to_owned();
        let address = |end: &str| flow["key"][end]["address"].as_str().unwrap().to_owned();
        let is_up = flow["opened"] == "up";
        let (from, to) = if is_up { ("low", "high") } else { ("high", "low") };
        let (from, to) = (address(from), address(to));
        let opened = ["case", "new", &case, "--from", &from, "--to", &to];
        run(&[&opened[..], &["--expect", "500Mbit/s"]].concat());
        Self(case)
    }

    fn add(&self, what: &[&str]) -> String {
        let added = run(&[&["case", "add", &self.0], what].concat());
        assert!(added.contains(" added"), "{added}");
        added
    }

    fn verdict(&self) -> Value {
        json(&["case", "show", &self.0, "--json"])
    }
}

fn run(arguments: &[&str]) -> String {
    let output = Command::new(SLOWPATH).args(arguments).output().unwrap();
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The kernel's own time under the receiver's window is the referee.
pub(crate) fn a_full_window_is_told() {
    in_network("both = { delay = '20 ms' }", |lab| {
        let (captured, transfer) =
            Captured::during(lab, |folder| own_transfer(lab, folder, "-t 5 --buffer 200000"));
        let kernel = account(&transfer);
        let referee = kernel.receive_window_limited_us.unwrap() as f64 / kernel.busy_us.unwrap() as f64;
        let half = captured.flow(SENDER);
        let told = share(main_half(&half), "receiver-window");
        assert!(
            (told - referee).abs() <= 0.05 || told > 0.9 && referee > 0.9,
            "{told} by the capture, {referee} by the kernel: {}",
            main_half(&half)["causes"]["shares"]
        );
    });
}

pub(crate) fn a_narrow_link_is_told() {
    let link = "both = { delay = '10 ms', rate = '40 Mbit/s', queue_bytes = 300000 }";
    in_network(link, |lab| {
        let (captured, _) = Captured::during(lab, |folder| {
            own_transfer(lab, folder, "-t 6 --congestion-control cubic")
        });
        let flow = captured.flow(SENDER);
        let half = main_half(&flow);
        let by_network = share(half, "bottleneck") + share(half, "loss-recovery");
        assert!(by_network > 0.8, "{}", half["causes"]["shares"]);
        assert!(
            share(half, "application") + share(half, "receiver-window") < 0.1,
            "{}",
            half["causes"]["shares"]
        );
    });
}

/// 100 kB, then a pause of 20 ms, and so on: neither network nor receiver limits it.
pub(crate) fn a_program_that_pauses_is_told() {
    const WRITER: &str = "import socket,time\n\
        s=socket.create_connection(('receiver',6001))\n\
        for _ in range(150):\n s.sendall(b'x'*100000)\n time.sleep(0.02)\n\
        s.close()\n";
    const READER: &str = "import socket\n\
        l=socket.create_server(('',6001))\nc,_=l.accept()\n\
        while c.recv(1<<20): pass\n";
    if Command::new("python3").arg("--version").output().is_err() {
        println!("SKIPPED captures: python3 is not installed");
        return;
    }
    in_network("both = { delay = '1 ms' }", |lab| {
        let (captured, ()) = Captured::during(lab, |_| {
            let _reader = crate::transfer::start(lab, RECEIVER, &["python3", "-c", READER]);
            std::thread::sleep(std::time::Duration::from_millis(700));
            let status = lab
                .command(SENDER, "python3")
                .unwrap()
                .args(["-c", WRITER])
                .status()
                .unwrap();
            assert!(status.success());
        });
        let flow = captured.flow(SENDER);
        let half = main_half(&flow);
        let told = share(half, "application") + share(half, "idle");
        assert!(told > 0.7, "{}", half["causes"]["shares"]);
        let level = &half["causes"]["rhythm"][0];
        assert!(
            level["block_bytes"]
                .as_f64()
                .is_some_and(|bytes| is_close(bytes, 100_000.0, 0.1)),
            "{}",
            half["causes"]["rhythm"]
        );
    });
}

/// A capture in a case is a measurement like another.
pub(crate) fn a_capture_becomes_evidence() {
    in_network("both = { delay = '20 ms' }", |lab| {
        let (captured, _) = Captured::during(lab, |folder| own_transfer(lab, folder, "-t 5 --buffer 150000"));
        let case = Case::of(&captured, &captured.flow(SENDER));
        let added = case.add(&[captured.file(SENDER).to_str().unwrap()]);
        let verdict = case.verdict();
        let first = &verdict["rounds"][0]["findings"][0]["code"];
        // Which of the two hosts' limits it is, one capture need not tell; that it is none of the path it must.
        assert!(
            first.as_str().is_some_and(|code| code.starts_with("HOST")),
            "{added}\n{verdict:#}"
        );
    });
}

/// `diagnose --capture` keeps the headers of its own transfers, and the transfers name them.
pub(crate) fn own_tests_are_captured() {
    in_network("both = { delay = '10 ms', rate = '50 Mbit/s' }", |lab| {
        let folder = tempfile::tempdir().unwrap();
        let (_far_end, token) = far_end(lab, folder.path());
        let case = folder.path().join("x.case");
        let command = format!(
            "{SLOWPATH} diagnose {RECEIVER} --token-file {} --case {} --max-time 20 --capture 2>&1",
            token.display(),
            case.display()
        );
        let shown = printed(lab, SENDER, &command);
        assert!(
            shown.contains("its packets: limited by the narrowest link"),
            "{shown}"
        );
        let observations = std::fs::read_to_string(case.join("observations.jsonl")).unwrap();
        let observations = observations
            .lines()
            .map(|line| serde_json::from_str::<Observation>(line).unwrap());
        let transfers: Vec<Observation> = observations
            .filter(
                |o| matches!(&o.payload, Payload::Transfer(told) if told.protocol == Some(Transport::Tcp)),
            )
            .collect();
        assert!(!transfers.is_empty(), "{shown}");
        for transfer in transfers {
            let raw = transfer
                .provenance
                .raw_sha256
                .expect("a transfer without its capture");
            let flow = json(&[
                "capture",
                case.join("raw").join(raw).to_str().unwrap(),
                "--json",
                "--flow",
                "1",
            ]);
            let Payload::Transfer(told) = transfer.payload else {
                continue;
            };
            let bytes = told.bytes_received.unwrap() as f64 / f64::from(told.streams.unwrap());
            let seen = main_half(&flow)["unique_bytes"].as_f64().unwrap();
            assert!(
                (seen / bytes - 1.0).abs() < 0.3,
                "{seen} of {bytes} bytes captured: {shown}"
            );
        }
        let verified = run(&["case", "verify", case.to_str().unwrap()]);
        assert!(!verified.contains("raw"), "{verified}");
    });
}

/// What a token bucket drops is told from what a queue or chance drops.
pub(crate) fn a_policer_is_told() {
    let policer = "a_to_b = { policer = { rate = '50 Mbit/s', burst_bytes = 1000000 } }";
    in_network(&format!("both = {{ delay = '10 ms' }}\n{policer}"), |lab| {
        // Not each is told: a transfer of seconds meets the empty bucket a few times only. What is told is right.
        let mut told = [SENDER, RECEIVER].map(|host| (host, 0));
        for _ in 0..3 {
            let (captured, _) = Captured::during(lab, |folder| {
                own_transfer(lab, folder, "-t 8 --congestion-control cubic")
            });
            for (host, count) in &mut told {
                let flow = captured.flow(host);
                let found = &main_half(&flow)["causes"]["policing"];
                let rate = found["rate_bytes_per_s"].as_f64();
                let payload = 50e6 / 8.0 * 1448.0 / 1500.0;
                assert!(
                    rate.is_none_or(|rate| is_close(rate, payload, 0.1)),
                    "{host}: {payload}: {found}"
                );
                *count += i32::from(rate.is_some());
            }
        }
        assert!(
            told.iter().all(|(_, count)| *count > 0),
            "of three policed transfers: {told:?}"
        );
    });
    for link in [
        "both = { delay = '10 ms', rate = '50 Mbit/s', queue_bytes = 30000 }",
        "both = { delay = '10 ms', rate = '400 Mbit/s' }\na_to_b = { loss = { random = 0.002 } }",
    ] {
        in_network(link, |lab| {
            let (captured, _) = Captured::during(lab, |folder| {
                own_transfer(lab, folder, "-t 5 --congestion-control cubic")
            });
            for host in [SENDER, RECEIVER] {
                let flow = captured.flow(host);
                let found = &main_half(&flow)["causes"]["policing"];
                assert!(found.is_null(), "{host}: {found}");
            }
        });
    }
}

/// Bytes that were SACKed and are acknowledged later have arrived once.
pub(crate) fn packets_out_of_order_make_no_link_faster() {
    let link = "both = { delay = '10 ms', rate = '100 Mbit/s' }\n\
        a_to_b = { reorder = { ratio = 0.02, by = '3 ms' } }";
    in_network(link, |lab| {
        let (captured, _) = Captured::during(lab, |folder| {
            own_transfer(lab, folder, "-t 5 --congestion-control cubic")
        });
        for host in [SENDER, RECEIVER] {
            let flow = captured.flow(host);
            let half = main_half(&flow);
            let rate = half["causes"]["bottleneck_bytes_per_s"].as_f64().unwrap();
            let payload = 100e6 / 8.0 * 1448.0 / 1500.0;
            assert!(is_close(rate, payload, 0.1), "{host}: {rate} of {payload}");
            assert!(
                share(half, "bottleneck") > 0.9,
                "{host}: {}",
                half["causes"]["shares"]
            );
        }
    });
}
