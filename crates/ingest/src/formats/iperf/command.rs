//! The command above the output: what it does not say was not asked for.

use super::session::Session;
use crate::command::options::{Options, Part, parts};
use crate::command::{self, Run, prompted};
use crate::text::holds;
use crate::units::{Kilo, rate_bps, split};

/// Options with a value (iperf3(1), 3.21).
static OF_IPERF3: Options = Options {
    letters: "pfiBbctnklPwMSLOFATCImX",
    words: &[
        "client",
        "port",
        "bitrate",
        "bandwidth",
        "congestion",
        "linux-congestion",
    ],
};

/// Those of iperf 2 (iperf(1), 2.2).
static OF_IPERF2: Options = Options {
    letters: "bcfFiklLMnopPStTwxyZBV",
    words: &["client", "port", "bandwidth", "linux-congestion"],
};

/// Whether a line runs iperf 2 or iperf3 (`true`), and with which words.
pub(super) fn of(line: &str) -> Option<(bool, impl Iterator<Item = &str>)> {
    // Asked of every line: what they all begin with is looked for once.
    let run = holds(line, "iperf").then(|| Run::of(line, &["iperf3", "iperf2", "iperf"]))??;
    run.is_typed().then(|| (run.program == "iperf3", run.words()))
}

/// The host at whose prompt the line was typed.
pub(super) fn place(line: &str) -> Option<String> {
    command::place(&prompted(line)?).map(str::to_owned)
}

/// `-c host -u -b 100M -R -p 5202`, long options too.
pub(super) fn apply<'t>(session: &mut Session, is_iperf3: bool, words: impl Iterator<Item = &'t str>) {
    session.is_iperf3 = is_iperf3;
    let options = if is_iperf3 { &OF_IPERF3 } else { &OF_IPERF2 };
    for part in parts(words, options) {
        let Part::Option(name, value) = part else {
            continue;
        };
        match name {
            // Without one of these it is not whole: what it does not say may have been asked for.
            "c" | "client" => {
                (session.asks, session.has_command) = (true, true);
                session.named = value.map(str::to_owned);
            }
            "s" | "server" => (session.serves, session.has_command) = (true, true),
            "u" | "udp" => session.udp = Some(true),
            "sctp" => session.is_other = true,
            "R" | "reverse" => session.reverse = true,
            "p" | "port" => session.port = value.and_then(|port| port.parse().ok()),
            "b" | "bitrate" | "bandwidth" => {
                let rate = value.and_then(split);
                session.target_bps = rate
                    .and_then(|(number, unit)| {
                        let unit = format!("{unit}bps");
                        rate_bps(number, &unit, Kilo::Thousand)
                    })
                    .filter(|rate| rate.0 > 0.0);
            }
            "C" | "congestion" | "Z" | "linux-congestion" if value.is_some() => {
                session.congestion_control = value.map(str::to_owned);
            }
            _ => {}
        }
    }
}
