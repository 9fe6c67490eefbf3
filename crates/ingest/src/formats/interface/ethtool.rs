//! Linux `ethtool IFACE`: speed, duplex and link.

use super::section::device;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::{NAMELESS, arguments, is_gap, is_interface, is_only};
use crate::formats::host::given::Given;
use crate::formats::interface::vyos::asked_of_vyos;
use crate::units::{Kilo, rate_bps, split};
use evidence::{InterfaceCounters, Payload, RateBps};

pub(crate) static SETTINGS: Format = Format {
    name: "ethtool",
    group: Group::Hosts,
    reads: "speed, duplex, auto-negotiation, port and link of a Linux host's interface",
    first: "Se",
    has_command: true,
    marks: Some(|| Marks::of(["Settings for ", "ethtool", " physical", "Supported ", "Mb/s"])),
    starts: |line| line.starts_with(SETTINGS_FOR) || is_command(line) || is_nameless(line),
    continues: |block, line| {
        // Where no message is shown, blanks stand in its place.
        line.starts_with(['\t', ' ']) && (line.starts_with('\t') || !line.trim_ascii().is_empty())
            || block.has(|line| line.starts_with(SETTINGS_FOR) || is_nameless(line)) && is_flush(line)
            || block.first().is_some_and(is_of_vyos) && is_of_driver(line)
            || line.starts_with("netlink error: ")
            || is_gap(block, line, is_command)
            || line.starts_with(SETTINGS_FOR) && is_only(block, is_command)
    },
    takes_in: None,
    read,
};

const SETTINGS_FOR: &str = "Settings for ";

/// Whether it is `ethtool eth0`, without an option.
fn is_command(line: &str) -> bool {
    is_of_vyos(line)
        || arguments(line, "ethtool").is_some_and(|mut words| {
            words
                .next()
                .is_some_and(|word| !word.starts_with('-') && is_interface(word))
                && words.next().is_none()
        })
}

/// VyOS prints what `ethtool -i` does right below: `show interfaces ethernet eth0 physical`.
fn is_of_vyos(line: &str) -> bool {
    asked_of_vyos(line, "physical").is_some()
}

/// The interface of a command that keeps some lines only: the heading that names it may be none of them.
fn filtered(line: &str) -> Option<&str> {
    arguments(line, "ethtool")
        .filter(|_| line.contains('|') && is_command(line))
        .and_then(|mut words| words.next())
}

/// What settings begin with, where their heading was left out; `grep` leaves of them what begins with the speed.
fn is_nameless(line: &str) -> bool {
    let line = line.trim_ascii();
    let is_speed = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
    line.starts_with("Supported ports: [")
        || line.starts_with("Supported link modes: ") && line.contains("base")
        || line
            .strip_prefix("Speed: ")
            .and_then(|value| value.strip_suffix("Mb/s"))
            .is_some_and(is_speed)
}

/// Keys that bear on nothing here, and those of which the value goes on below.
fn is_passed_over(key: &str) -> bool {
    const BEGINNINGS: [&str; 12] = [
        "Supported",
        "Supports",
        "Advertised",
        "Link partner",
        "PHYAD",
        "Wake-on",
        "Current message level",
        "MDI-X",
        "SQI",
        "Cannot get",
        "SecureOn",
        "master-slave",
    ];
    BEGINNINGS.iter().any(|beginning| key.starts_with(beginning))
}

/// Whether a line is one of these settings although its indentation is lost: one of the keys, or more of the list above.
fn is_flush(line: &str) -> bool {
    let is_mode = |word: &str| word.contains("base") && word.contains('/');
    let mut words = line.split_ascii_whitespace();
    match line.split_once(':') {
        Some((key, _)) => {
            is_passed_over(key)
                || matches!(key, "Speed" | "Duplex" | "Link Down Events")
                || KEPT.iter().any(|(kept, _)| *kept == key)
        }
        None => line == "drv probe link" || words.next().is_some_and(is_mode) && words.all(is_mode),
    }
}

/// Whether a line is one of what is said of the driver.
fn is_of_driver(line: &str) -> bool {
    line.split_once(':')
        .is_some_and(|(key, _)| DRIVER.iter().any(|(kept, _)| *kept == key) || is_passed_over_of_driver(key))
}

fn is_passed_over_of_driver(key: &str) -> bool {
    key.starts_with("supports-") || matches!(key, "bus-info" | "expansion-rom-version")
}

const DRIVER: [(&str, &str); 3] = [
    ("driver", "driver"),
    ("version", "driver version"),
    ("firmware-version", "firmware"),
];

/// What is kept in the tool's words: the key, and the name it gets.
const KEPT: [(&str, &str); 5] = [
    ("Auto-negotiation", "auto-negotiation"),
    ("Port", "port"),
    ("Lanes", "lanes"),
    ("Transceiver", "transceiver"),
    ("Link detected", "link"),
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut given: Given<String> = Given::default();
    let mut name = block.first().and_then(filtered).unwrap_or_default();
    let is_nameless = block.first().is_some_and(is_nameless);
    if is_nameless {
        findings.complain(block.first_line, NAMELESS);
    }
    for (number, line) in block.numbered() {
        if let Some(named) = line.strip_prefix(SETTINGS_FOR) {
            name = named.trim_end_matches([':', ' ']);
            continue;
        }
        match line.trim_ascii().split_once(':') {
            Some((key, _)) if is_passed_over(key) || is_passed_over_of_driver(key) => {}
            Some((key, _)) if DRIVER.iter().any(|(kept, _)| *kept == key) => {
                take(&mut given, findings, number, line);
            }
            Some(("Speed" | "Duplex" | "Link Down Events", _)) => take(&mut given, findings, number, line),
            Some((key, _)) if KEPT.iter().any(|(kept, _)| *kept == key) => {
                take(&mut given, findings, number, line);
            }
            // The list of link modes goes on: `1000baseT/Full`.
            None if line
                .trim_ascii()
                .split_ascii_whitespace()
                .all(|word| word.contains('/')) => {}
            _ if line.starts_with("netlink error") || number == block.first_line && !is_nameless => {}
            _ => findings.unread(number, line),
        }
    }
    if given.is_empty() || name.is_empty() && !is_nameless {
        return;
    }
    let interface = settings(&given, name, block, context);
    findings.record(
        block,
        "ethtool",
        context.at,
        Payload::InterfaceCounters(interface),
    );
}

fn take(given: &mut Given<String>, findings: &mut Findings, number: u64, line: &str) {
    if let Some((key, value)) = line.trim_ascii().split_once(':') {
        given.put(findings, number, key, value.trim_ascii().to_owned());
    }
}

fn settings(given: &Given<String>, name: &str, block: &Block, context: &Context) -> InterfaceCounters {
    let text = |key: &str| given.get(key).map(String::as_str);
    let mut interface = InterfaceCounters {
        device: device(block, context),
        interface: name.to_owned(),
        // "Unknown!" is no rate, and stays unknown.
        bandwidth_bps: text("Speed").and_then(speed),
        duplex: text("Duplex")
            .filter(|duplex| matches!(*duplex, "Full" | "Half"))
            .map(str::to_ascii_lowercase),
        up: text("Link detected").and_then(|link| match link.split(' ').next() {
            Some("yes") => Some(true),
            Some("no") => Some(false),
            _ => None,
        }),
        ..InterfaceCounters::default()
    };
    if let Some(Ok(events)) = text("Link Down Events").map(str::parse) {
        interface.other.insert("link_down_events".to_owned(), events);
    }
    for (key, kept) in KEPT.into_iter().chain(DRIVER) {
        // The link is told above, but why there is none ("no (No cable)") is not.
        if let Some(value) = text(key).filter(|value| !matches!(*value, "yes" | "no" | "")) {
            interface.settings.insert(kept.to_owned(), value.to_owned());
        }
    }
    interface
}

/// `10000Mb/s`. Nothing is negotiated at 0, and the largest number stands for "unknown".
fn speed(text: &str) -> Option<RateBps> {
    let (number, unit) = split(text)?;
    rate_bps(number, unit, Kilo::Thousand)
        .filter(|rate| rate.0 > 0.0 && number < f64::from(u32::MAX) && unit == "Mb/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_speeds() {
        assert!(is_command("[root@host ~]# ethtool ens1f0") && is_command("ethtool ens1f0"));
        assert!(!is_command("$ ethtool -k ens1f0") && !is_command("ethtool prints nothing"));
        let physical = "vyos@r1:~$ show interfaces ethernet eth0 physical";
        assert!(is_command(physical) && is_of_driver("driver: e1000e") && !is_of_driver("Speed: 10"));
        assert_eq!(speed("10000Mb/s"), Some(RateBps(1e10)));
        for unknown in ["Unknown!", "Unknown! (0)", "65535", "0Mb/s", "4294967295Mb/s"] {
            assert_eq!(speed(unknown), None, "{unknown}");
        }
    }
}
