//! iperf 2 and 3, nuttcp, ss.

use crate::network::{
    RECEIVER, SENDER, address, are_installed, imported, in_network, is_close, is_node, printed, read,
};
use evidence::{Observation, Payload, Sockets, TcpAccount, Transfer};
use lab::Lab;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// What runs until the test is over.
pub(crate) struct Running(Child);

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
    let running = Running(program.spawn().unwrap());
    std::thread::sleep(Duration::from_millis(700)); // until it listens
    running
}

const SLOWPATH: &str = env!("CARGO_BIN_EXE_slowpath");

/// Our own transfer from the sender to the receiver, or the other way with `-R` among the options.
fn own_transfer(lab: &Lab, token: &Path, options: &str) -> Transfer {
    own_transfer_with(lab, &format!("--token-file {}", token.display()), options)
}

/// The same with the far end that these options name.
pub(crate) fn own_transfer_with(lab: &Lab, far_end: &str, options: &str) -> Transfer {
    let command = format!("{SLOWPATH} throughput {RECEIVER} --json {far_end} {options} 2>/dev/null");
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

/// Ours and theirs beside each other: a far end of our own, and what is compared.
fn beside_our_own(middle: &str, compare: impl Fn(&Lab, &Path)) {
    in_network(middle, |lab| {
        let directory = tempfile::tempdir().unwrap();
        let token = directory.path().join("token");
        let _far_end = start(
            lab,
            RECEIVER,
            &[SLOWPATH, "serve", "--token-file", token.to_str().unwrap()],
        );
        compare(lab, &token);
    });
}

/// A tool: the programs, the server's command, the client's commands.
type Tool = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Each command of a tool that is installed gives one transfer, which is compared. A machine that stalls for some milliseconds
/// makes one transfer slower; what is read wrong is wrong each time: a command that differs is run twice more.
fn each(lab: &Lab, tools: &[Tool], compare: impl Fn(&str, &Transfer) -> Result<(), String>) {
    for (program, server, commands) in tools.iter().filter(|tool| are_installed(&[tool.0])) {
        let _server = start(lab, RECEIVER, server);
        for command in *commands {
            assert!(command.starts_with(program), "{command}");
            let differences = (0..3).map_while(|_| compare(command, &imported_transfer(lab, command)).err());
            let differences: Vec<String> = differences.collect();
            assert!(differences.len() < 3, "{command}: {differences:#?}");
        }
    }
}

fn imported_transfer(lab: &Lab, command: &str) -> Transfer {
    let mut records = imported(lab, SENDER, command);
    match (records.pop(), records.as_slice()) {
        (Some(Payload::Transfer(transfer)), []) => *transfer,
        (last, before) => panic!("{command}: one transfer was expected: {before:?}, {last:?}"),
    }
}

pub(crate) fn transfers_have_the_same_rate() {
    beside_our_own(
        "both = { delay = '5 ms', rate = '50 Mbit/s', queue_bytes = 125000 }",
        |lab, token| {
            let forward = own_transfer(lab, token, "-t 6");
            let reverse = own_transfer(lab, token, "-t 6 -R");
            let tools: [Tool; 3] = [
                (
                    "iperf3",
                    &["iperf3", "-s"],
                    &[
                        "iperf3 -c receiver -t 6",
                        "iperf3 -J -c receiver -t 6",
                        "iperf3 -R -c receiver -t 6 -f k",
                        "iperf3 -P 2 -c receiver -t 6",
                    ],
                ),
                (
                    "iperf",
                    &["iperf", "-s"],
                    &["iperf -c receiver -t 6 -i 1", "iperf -y C -c receiver -t 6"],
                ),
                (
                    "nuttcp",
                    &["nuttcp", "-S", "--nofork"],
                    &["nuttcp -T 6 receiver", "nuttcp -r -i1 -T 6 receiver"],
                ),
            ];
            each(lab, &tools, |command, theirs| {
                let is_reverse = command.contains(" -R") || command.contains(" -r");
                let ours = if is_reverse { &reverse } else { &forward };
                let sender = if is_reverse { RECEIVER } else { SENDER };
                assert!(
                    is_node(lab, &theirs.from, address(lab, sender)),
                    "{command}: {theirs:?}"
                );
                let rates =
                    [theirs, ours].map(|transfer| transfer.received_bps.or(transfer.sent_bps).unwrap().0);
                match is_close(rates[0], rates[1], 0.05) {
                    true => Ok(()),
                    false => Err(format!("{} bit/s against {} bit/s", rates[0], rates[1])),
                }
            });
        },
    );
}

pub(crate) fn loss_ratio(transfer: &Transfer) -> f64 {
    transfer.count_lost().unwrap() as f64 / transfer.packets_sent.unwrap() as f64
}

pub(crate) fn streams_lose_the_same_share() {
    beside_our_own(
        "both = { delay = '5 ms' }\na_to_b = { loss = { every = 50 } }",
        |lab, token| {
            let ours = own_transfer(lab, token, "-t 5 --udp 8Mbit/s --size 1028");
            let tools: [Tool; 3] = [
                (
                    "iperf3",
                    &["iperf3", "-s"],
                    &[
                        "iperf3 -u -b 8M -l 1000 -c receiver -t 5",
                        "iperf3 -J -u -b 8M -l 1000 -c receiver -t 5",
                    ],
                ),
                (
                    "iperf",
                    &["iperf", "-s", "-u"],
                    &["iperf -u -b 8m -l 1000 -c receiver -t 5"],
                ),
                (
                    "nuttcp",
                    &["nuttcp", "-S", "--nofork"],
                    &["nuttcp -u -R8m -l1000 -T 5 receiver"],
                ),
            ];
            each(lab, &tools, |_, theirs| {
                // Of 5,000 packets one more or less is lost, as the few of the control connection count as well.
                let ratios = [theirs, &ours].map(loss_ratio);
                match (ratios[0] - ratios[1]).abs() < 0.001 {
                    true => Ok(()),
                    false => Err(format!("{ratios:?} of the packets lost")),
                }
            });
        },
    );
}

fn own_account(lab: &Lab, token: &Path) -> TcpAccount {
    let sender = own_transfer(lab, token, "-t 4").sender.unwrap();
    sender.accounts.into_iter().next().unwrap()
}

pub(crate) fn connections_have_the_same_account() {
    if !are_installed(&["ss", "iperf3"]) {
        return;
    }
    beside_our_own(
        "both = { delay = '5 ms', rate = '50 Mbit/s', queue_bytes = 125000 }",
        |lab, token| {
            let ours = own_account(lab, token);
            let _server = start(lab, RECEIVER, &["iperf3", "-s"]);
            let _client = start(lab, SENDER, &["iperf3", "-c", RECEIVER, "-t", "8"]);
            std::thread::sleep(Duration::from_secs(2));
            for options in ["-tin", "-tinO", "-tinmep", "-Htin"] {
                let command = format!("ss {options} dport = :5201 2>/dev/null");
                let text = printed(lab, SENDER, &command);
                let records = read(SENDER, &command, &text);
                let [Payload::Sockets(Sockets { connections })] = records.as_slice() else {
                    panic!("{command}: sockets were expected: {records:?}")
                };
                // The control connection carries a few bytes.
                let most = connections.iter().max_by_key(|socket| socket.account.bytes_acked);
                let socket = most.unwrap();
                let theirs = &socket.account;
                assert_eq!(socket.congestion_control.as_deref(), Some("cubic"), "{text}");
                assert_eq!(
                    (theirs.send_mss_bytes, theirs.path_mtu_bytes, theirs.window_scale),
                    (ours.send_mss_bytes, ours.path_mtu_bytes, ours.window_scale),
                    "{text}"
                );
                let min_rtt = [theirs, &ours].map(|account| f64::from(account.min_rtt_us.unwrap()));
                assert!(is_close(min_rtt[0], min_rtt[1], 0.1), "{min_rtt:?}\n{text}");
                assert!(theirs.bytes_acked > Some(5_000_000), "{text}");
            }
        },
    );
}
