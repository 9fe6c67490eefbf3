//! RouterOS: interfaces as entries, `0 R name="ether1" mtu=1500 …`, and queues, `0 name="cust-17" target=192.0.2.17/32 rate=…`.

use super::gathered::{About, Gathered, Said};
use super::routeros_cells::{is_running, spaced};
use crate::findings::Findings;
use std::collections::BTreeSet;

/// ` 0  R  name="ether1" default-name="ether1" mtu=1500 …`: a number, flags, and keys or a comment behind them. Messages of a log have
/// names and types too.
pub(super) fn is_entry(line: &str) -> bool {
    let text = line.trim_ascii_start();
    let mut words = text.split_ascii_whitespace();
    let is_flags = |word: &&str| word.bytes().all(|byte| byte.is_ascii_uppercase());
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
        && text.contains(" name=")
        && words
            .next()
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        && words
            .find(|word| !is_flags(word))
            .is_some_and(|word| word == ";;;" || word.contains('='))
        && ["mtu=", "rx-byte=", " type=", " target=", " packet-mark="]
            .iter()
            .any(|key| text.contains(key))
        && !is_foreign(text)
}

/// Whether it is an entry of another menu: a host of the DNS cache has a name and a type, too, and what netwatch asks.
fn is_foreign(text: &str) -> bool {
    const FOREIGN: [&str; 4] = [" data=", " ttl=", " apn=", " host="];
    FOREIGN.iter().any(|key| text.contains(key))
}

/// An entry whose first line is what somebody wrote about it.
pub(super) fn is_comment(line: &str) -> bool {
    let text = line.trim_ascii_start();
    text.as_bytes().first().is_some_and(u8::is_ascii_digit) && text.contains(" ;;; ") && !text.contains('=')
}

/// Of an interface that runs, which other menus have no flag for: ` 1 RS ;;; to the attic`.
pub(super) fn is_running_comment(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().skip(1);
    let is_running = words.next().is_some_and(|flags| {
        flags.starts_with('R') && flags.len() < 4 && flags.bytes().all(|flag| flag.is_ascii_uppercase())
    });
    is_running && words.next() == Some(";;;") && is_comment(line)
}

pub(super) fn take_entry(gathered: &mut Gathered, findings: &mut Findings, number: u64, entry: &str) {
    let Some(at) = entry.find(" name=") else {
        return findings.complain(number, "an interface without its name");
    };
    let (flags, rest) = entry.split_at_checked(at).unwrap_or((entry, ""));
    let flags = flags.split_once("comment=").map_or(flags, |(flags, _)| flags);
    let flags = flags.split_once(";;;").map_or(flags, |(flags, _)| flags);
    let pairs = pairs(rest);
    let named = pairs.iter().find(|(key, _)| *key == "name");
    let Some(name) = named
        .map(|(_, name)| name.trim_matches('"'))
        .filter(|name| !name.is_empty())
    else {
        return findings.complain(number, "figures of an interface without its name");
    };
    if pairs.iter().any(|(key, _)| *key == "target") {
        return take_queue(gathered, findings, number, name, &pairs);
    }
    if pairs.iter().any(|(key, _)| *key == "packet-mark") {
        return take_tree(gathered, findings, number, name, &pairs);
    }
    gathered.say(findings, number, name, About::Up, Said::Flag(is_running(flags)));
    // The end of a line that was cut may be half a figure.
    let keys: BTreeSet<&str> = pairs.iter().map(|(key, _)| *key).collect();
    let is_followed = |key: &str| {
        let behind = FOLLOWING.iter().find(|(before, _)| *before == key);
        behind.is_none_or(|(_, behind)| behind.iter().any(|key| keys.contains(key)))
    };
    let is_whole = pairs.iter().all(|(key, _)| is_followed(key));
    if !is_whole {
        findings.complain(
            number,
            format!("counters of {name} are missing: none of them is used"),
        );
    }
    for (key, value) in &pairs {
        let counted = ["rx-", "tx-", "fp-", "driver-"]
            .iter()
            .any(|begin| key.starts_with(begin));
        if *key != "actual-mtu" && !(counted && is_whole) {
            continue;
        }
        let about = if counted {
            About::Counter((*key).to_owned())
        } else {
            About::Mtu
        };
        match spaced(value) {
            Some(figure) => gathered.say(findings, number, name, about, Said::Count(figure)),
            None => findings.complain(number, format!("{key} is no figure: {value}")),
        }
    }
}

/// Takes what a queue counts: what its target sent before the stroke, what went to it behind. A sum of both, which most are set not to
/// count, follows each, so that what was cut is told.
fn take_queue(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    name: &str,
    pairs: &[(&str, &str)],
) {
    let queue = format!("queue {name}");
    for key in ["bytes", "packets", "dropped"] {
        let of_key = |wanted: &str| pairs.iter().find(|(known, _)| *known == wanted);
        let is_whole = of_key(&format!("total-{key}")).is_some();
        let Some((_, value)) = of_key(key).filter(|_| is_whole) else {
            findings.complain(number, format!("{key} of queue {name} are missing"));
            continue;
        };
        let counts = value.split_once('/');
        let counts = counts.and_then(|(up, down)| Some([("from", spaced(up)?), ("to", spaced(down)?)]));
        for (way, count) in counts.into_iter().flatten() {
            let about = About::Counter(format!("{key} {way} the target"));
            gathered.say(findings, number, &queue, about, Said::Count(count));
        }
    }
}

/// Takes what a queue of a tree counts, which goes one way: what it sent, and what it dropped. What it holds at the moment is no counter.
fn take_tree(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    name: &str,
    pairs: &[(&str, &str)],
) {
    let queue = format!("queue {name}");
    for key in ["bytes", "packets", "dropped"] {
        let value = pairs.iter().find(|(known, _)| *known == key);
        match value.and_then(|(_, value)| spaced(value)) {
            Some(count) => {
                let about = About::Counter(key.to_owned());
                gathered.say(findings, number, &queue, about, Said::Count(count));
            }
            None => findings.complain(number, format!("{key} of queue {name} are missing")),
        }
    }
}

/// What stands behind each counter.
const FOLLOWING: &[(&str, &[&str])] = &[
    ("rx-byte", &["tx-byte"]),
    ("tx-byte", &["rx-packet"]),
    ("rx-packet", &["tx-packet"]),
    ("tx-packet", &["rx-drop", "rx-error", "tx-queue-drop"]),
    ("rx-drop", &["tx-drop"]),
    // Ports of a switch have sizes of packets there.
    ("tx-drop", &["tx-queue-drop", "rx-error", "tx-rx-64"]),
    ("tx-queue-drop", &["rx-error"]),
    ("rx-error", &["tx-error"]),
    // Of the ports of a switch.
    ("driver-rx-byte", &["driver-rx-packet"]),
    ("driver-rx-packet", &["driver-tx-byte", "rx-bytes"]),
    ("driver-tx-byte", &["driver-tx-packet"]),
    ("driver-tx-packet", &["rx-bytes"]),
    ("rx-bytes", &["rx-unicast", "rx-packet", "rx-broadcast"]),
    ("rx-unicast", &["rx-broadcast"]),
    ("rx-broadcast", &["rx-pause"]),
    ("rx-pause", &["rx-multicast"]),
    ("rx-multicast", &["rx-fcs-error"]),
    ("rx-fcs-error", &["rx-align-error", "rx-fragment"]),
    ("rx-align-error", &["rx-fragment"]),
    ("rx-fragment", &["rx-overflow", "rx-unknown-op", "rx-control"]),
    ("rx-unknown-op", &["rx-code-error", "rx-length-error"]),
    ("rx-code-error", &["rx-jabber", "rx-carrier-error"]),
    ("rx-jabber", &["rx-drop"]),
    ("tx-bytes", &["tx-unicast", "tx-packet", "tx-broadcast"]),
    ("tx-unicast", &["tx-broadcast"]),
    ("tx-broadcast", &["tx-pause"]),
    ("tx-pause", &["tx-multicast"]),
    (
        "tx-multicast",
        &["tx-collision", "tx-excessive-collision", "tx-underrun"],
    ),
    ("tx-collision", &["tx-excessive-collision"]),
    ("tx-excessive-collision", &["tx-multiple-collision"]),
    ("tx-multiple-collision", &["tx-single-collision"]),
    ("tx-single-collision", &["tx-deferred", "tx-excessive-deferred"]),
    ("tx-deferred", &["tx-late-collision"]),
    ("tx-late-collision", &["tx-drop", "tx-rx-64"]),
    ("tx-rx-64", &["tx-rx-65-127"]),
    ("tx-rx-65-127", &["tx-rx-128-255"]),
    ("tx-rx-128-255", &["tx-rx-256-511"]),
    ("tx-rx-256-511", &["tx-rx-512-1023"]),
    ("tx-rx-512-1023", &["tx-rx-1024-1518", "tx-rx-1024-max"]),
];

/// `key=value` with values of several words: a key is what stands in front of an equals sign.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_ascii_start();
    while let Some((key, behind)) = rest.split_once('=') {
        let next = behind
            .find('=')
            .and_then(|equals| behind.get(..equals)?.rfind(' '));
        let (value, after) = match behind.strip_prefix('"').and_then(|quoted| quoted.find('"')) {
            Some(end) => behind.split_at_checked(end + 2).unwrap_or((behind, "")),
            None => behind
                .split_at_checked(next.unwrap_or(behind.len()))
                .unwrap_or((behind, "")),
        };
        pairs.push((key.trim_ascii(), value.trim_ascii()));
        rest = after.trim_ascii_start();
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_have_blanks() {
        assert_eq!(
            pairs("name=\"a b\" mtu=1500 rx-byte=1 234 tx-byte=5"),
            [
                ("name", "\"a b\""),
                ("mtu", "1500"),
                ("rx-byte", "1 234"),
                ("tx-byte", "5")
            ]
        );
    }
}
