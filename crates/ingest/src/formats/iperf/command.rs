//! The command above the output: what it does not say was not asked for.

use super::session::Session;
use crate::prompt::command_line;
use crate::units::{Kilo, rate_bps, split};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Whether a line runs iperf 2 or iperf3 (`true`), and with which words.
pub(super) fn of(line: &str) -> Option<(bool, impl Iterator<Item = &str>)> {
    // Asked of every line: what all the names are made of is looked for first.
    PROGRAM.find(line.as_bytes())?;
    let bare = line.trim_start_matches("./");
    let typed = bare.starts_with("iperf") && line.contains(" -");
    let command = match typed {
        true => line,
        false => command_line(line)?.command,
    };
    let mut words = command.split_ascii_whitespace();
    let mut program = words.next()?;
    if WRAPPERS.contains(&program) {
        program = words.find(|word| version(word).is_some())?;
    }
    Some((version(program)?, words))
}

static PROGRAM: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("iperf"));

/// Programs that run another.
const WRAPPERS: [&str; 21] = [
    "sudo",
    "time",
    "timeout",
    "nohup",
    "nice",
    "chrt",
    "taskset",
    "numactl",
    "stdbuf",
    "ip",
    "nsenter",
    "docker",
    "podman",
    "kubectl",
    "oc",
    "ssh",
    "proxychains",
    "proxychains4",
    "torsocks",
    "flock",
    "env",
];

/// Whether a word names iperf3 (`true`) or iperf 2.
fn version(program: &str) -> Option<bool> {
    let name = program.rsplit(['/', '\\']).next()?;
    match name.strip_suffix(".exe").unwrap_or(name) {
        "iperf3" => Some(true),
        "iperf" | "iperf2" => Some(false),
        _ => None,
    }
}

/// `-c host -u -b 100M -R -p 5202`, long options too.
pub(super) fn apply<'t>(session: &mut Session, is_iperf3: bool, words: impl Iterator<Item = &'t str>) {
    (session.has_command, session.is_iperf3) = (true, is_iperf3);
    let mut words = words
        .flat_map(|word| word.splitn(if word.starts_with("--") { 2 } else { 1 }, '='))
        .peekable();
    while let Some(word) = words.next() {
        let mut value = || words.next_if(|value| !value.starts_with('-'));
        match word {
            "-c" | "--client" => {
                session.asks = true;
                session.named = value().map(str::to_owned);
            }
            "-s" | "--server" => session.serves = true,
            "-u" | "--udp" => session.udp = Some(true),
            "-R" | "--reverse" => session.reverse = true,
            "-p" | "--port" => session.port = value().and_then(|port| port.parse().ok()),
            "-b" | "--bitrate" | "--bandwidth" => {
                let rate = value().and_then(split);
                session.target_bps = rate
                    .and_then(|(number, unit)| {
                        let unit = format!("{unit}bps");
                        rate_bps(number, &unit, Kilo::Thousand)
                    })
                    .filter(|rate| rate.0 > 0.0);
            }
            "-C" | "--congestion" | "-Z" | "--linux-congestion" => {
                session.congestion_control = value().map(str::to_owned);
            }
            _ => {}
        }
    }
}
