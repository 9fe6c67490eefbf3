//! A command that runs one of the tools that ask a host: the device at whose prompt it was typed, and the host that it asks.

use crate::command::Run;
use crate::host::host;
use evidence::Node;
use std::net::IpAddr;

/// A command, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Invoked<'t> {
    /// The host that the prompt names.
    pub(crate) device: Option<&'t str>,
    /// Which of the programs it runs.
    pub(crate) program: &'static str,
    /// The words behind it.
    pub(crate) words: Vec<&'t str>,
}

/// Options, and words of routers, that a value follows.
static WITH_VALUE: &[&str] = &[
    "repeat",
    "size",
    "data-size",
    "bypass-routing-instance",
    "-s",
    "-g",
    "-i",
    "-w",
    "-z",
    "-f",
    "-m",
    "-q",
    "-p",
    "-t",
    "-l",
    "-N",
    "-M",
    "-P",
    "-D",
    "-O",
    "-h",
    "-j",
    "-S",
    "-a",
    "-vpn-instance",
    "source",
    "src",
    "interface",
    "vrf",
    "vpn-instance",
    "routing-instance",
    "router",
    "timeout",
    "ttl",
    "probe",
    "port",
    "wait",
    "tos",
    "logical-system",
    "gateway",
    "next-hop",
    "min-ttl",
    "max-ttl",
    "count",
    "numeric-timeout",
    "--port",
    "--interface",
    "--source",
    "--max-hops",
    "--first",
    "--queries",
    "--wait",
    "--module",
    "--tos",
];

/// The command of a line that runs one of these programs. Without a prompt only an option, an address, or a host alone tells it
/// from prose.
pub(crate) fn invoked<'t>(line: &'t str, programs: &[&'static str]) -> Option<Invoked<'t>> {
    let run = Run::of(line, programs)?;
    let program = programs.iter().find(|program| **program == run.program)?;
    let words: Vec<&str> = run.words().collect();
    let is_address = |word: &&str| {
        let word = word.strip_prefix("address=").unwrap_or(word);
        word.parse::<IpAddr>().is_ok()
    };
    let is_host = |word: &&str| is_address(word) || word.contains('.') && !word.ends_with('.');
    let is_asked = || {
        words.len() <= 12 && words.iter().any(is_address) && !line.trim_ascii_end().ends_with(['.', ':', ','])
    };
    let sure = run.is_typed() || matches!(words.as_slice(), [one] if is_host(one)) || is_asked();
    sure.then_some(Invoked {
        device: run.device,
        program,
        words,
    })
}

/// The host among the arguments; unknown where it cannot be told from the values of options.
pub(crate) fn target(words: &[&str], more_with_value: &[&str]) -> Node {
    let mut candidates: Vec<&str> = Vec::new();
    let mut is_value = false;
    let mut has_words = false;
    let mut last = "";
    for word in words {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if WITH_VALUE.contains(word) || more_with_value.contains(word) {
            is_value = true;
            has_words = true;
        } else if !word.starts_with('-') {
            let bare = word.strip_prefix("address=").unwrap_or(word);
            let is_host = bare.parse::<IpAddr>().is_ok()
                || (bare.contains('.') && bare.contains(|c: char| c.is_ascii_alphabetic()));
            if is_host {
                candidates.push(bare);
            } else if last.is_empty() {
                last = bare;
            } else {
                has_words = true;
            }
        }
    }
    match (candidates.as_slice(), has_words) {
        ([one], _) => host(one),
        ([], false) if last.starts_with(|c: char| c.is_ascii_alphabetic()) => host(last),
        _ => Node::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_prose() {
        for (line, device, to) in [
            ("FGT1 # execute ping 240.0.0.1", Some("FGT1"), "240.0.0.1"),
            ("[admin@m1] > ping 240.0.0.1 count=5", Some("m1"), "240.0.0.1"),
            ("ping 240.0.0.1 count 10 rapid", None, "240.0.0.1"),
            ("ping vrf blue 240.0.0.1 source lo0", None, "240.0.0.1"),
            ("$ ping -c 4 -I 240.0.0.9 a.example", None, "a.example"),
        ] {
            let run = invoked(line, &["ping"]).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(
                (run.device, target(&run.words, &["-c", "-I"]).to_string().as_str()),
                (device, to),
                "{line}"
            );
        }
        for prose in ["ping works", "ping", "we ping 240.0.0.1", "ping to 240.0.0.1:"] {
            assert_eq!(invoked(prose, &["ping"]), None, "{prose}");
        }
    }
}
