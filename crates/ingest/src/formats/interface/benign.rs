//! Lines about interfaces that hold nothing to record: addresses, times, settings. Nobody need be told that they are not
//! read.

use super::cut::figure;

/// Words of what is measured or of what a path depends on, by what they begin with: a line with one of them is worth a
/// complaint where it is not understood.
const MEASURES: &[&str] = &[
    "abort", "align", "bandwidth", "bits", "bps", "broadcast", "buffer", "byte", "carrier", "collision", "crc", "dbm",
    "discard", "drop", "duplex", "error", "fcs", "fragment", "frame", "giant", "ignored", "input", "jabber", "kbit", "load",
    "loss", "lost", "mbit", "mtu", "multicast", "octet", "output", "overrun", "oversize", "packet", "pause", "pkt", "pps",
    "power", "queue", "rate", "received", "runt", "rx", "sent", "speed", "symbol", "temperature", "throttle", "transmi",
    "tx", "underrun", "undersize", "unicast", "utili",
];

/// Whether a line, squeezed, has digits but nothing that would be missed: they are those of addresses, times and names, or
/// of a setting.
pub(super) fn is_benign(line: &str) -> bool {
    let mut digits = line.split([' ', ',', '(', ')', ';', '=']).filter(|word| has_digit(word));
    digits.clone().all(is_identifier) || is_list(line) || !is_measure(line) && (is_setting(line) || digits.all(is_numbered))
}

/// The rest of a list of VLANs: numbers and ranges of them.
fn is_list(line: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    line.contains('-')
        && line
            .split([' ', ',', '-'])
            .filter(|part| !part.is_empty())
            .all(is_number)
        && line.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b',' | b' '))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a word says of what is measured; in what is longer it stands behind a hyphen or a slash too.
fn is_measure(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        MEASURES.iter().any(|measure| {
            word.get(..measure.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(measure))
        })
    })
}

/// Addresses, times, dates, names of ports and models: digits that count nothing.
fn is_identifier(word: &str) -> bool {
    let word = word.trim_matches(['.', ':', '"', '\'', '[', ']', '<', '>', '*']);
    let word = word.split_once('%').map_or(word, |(word, _)| word);
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let address = word.split('/').next().unwrap_or(word);
    let all = |by: char, least: usize, fits: &dyn Fn(&str) -> bool| {
        word.split(by).count() >= least && word.split(by).all(fits)
    };
    address.parse::<std::net::IpAddr>().is_ok()
        // MAC addresses, clocks, dates.
        || all(':', 3, &is_hex)
        || all('-', 3, &is_hex)
        || all('.', 3, &is_hex)
        || word.to_ascii_lowercase().contains("base")
        || word.strip_prefix("0x").is_some_and(is_hex)
        || is_name(word)
}

/// Letters with digits behind them: `Eth-Trunk4.100`, `IEEE802.3ad`, `ME909s-120`; no `10Mbps`, no `12x4`.
fn is_name(word: &str) -> bool {
    word.bytes().take_while(u8::is_ascii_alphabetic).count() > 1 && !word.contains(':')
}

/// Places and dates, `1/0/24`, `12:30`; where something is measured they may be counts.
fn is_numbered(word: &str) -> bool {
    let numbers = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_identifier(word) || ['/', ':'].into_iter().any(|by| word.contains(by) && word.split(by).all(numbers))
}

/// `Name: value` and `Name is value`.
fn is_setting(line: &str) -> bool {
    let named = |link: &str| {
        line.split_once(link)
            .is_some_and(|(name, value)| !value.is_empty() && name.len() < 48 && is_plain(name))
    };
    named(": ") || named(" is ") || named(" = ")
}

/// Words, and no figure among them.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.split(' ').all(|word| figure(word).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_is_no_setting() {
        for yes in [
            "Hardware address is 0012.3456.789a",
            "IPv6 address: 2001:db8::1/64",
            "Broadcast address: 192.0.2.255",
            "Tunnel source 192.0.2.1, destination 198.51.100.1",
            "Last link flapping: 14 weeks 4 days",
            "Port priority: 7",
            "VLAN ID is 17",
            "UnTagged VLANs: 1",
        ] {
            assert!(is_benign(yes), "{yes}");
        }
        for no in [
            "zorkmids 4711 of 17",
            "5 input errors",
            "Input peak: 5",
            "The maximum frame length is 9216",
            "CRC: 1x3",
            "drops 1:5",
            "Output queue: 0/40/0",
            "12 34",
        ] {
            assert!(!is_benign(no), "{no}");
        }
    }
}
