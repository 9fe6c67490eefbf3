//! Hosts as path tools print them: `name (address)`, a bare address, a name, and what documents leave of those.

use crate::masked::is_masked;
use crate::text::{nanos, nanos_of, split_once};
use evidence::Node;

/// No tool waits longer for an answer. What is larger is a clock that was set while it ran, a difference below zero that was
/// printed as unsigned (scamper prints 2^32 microseconds for an answer that came "before" its probe), or stands for no answer:
/// speedtest-cli counts an hour for each of three probes that failed, and prints a sixth of their sum.
pub(crate) const LONGEST_RTT_NS: u64 = 599_000_000_000;

/// Signs of shells and of documents that stand in no name of a host, whoever gave it (RFC 1123 allows letters, digits and hyphens; people
/// write more).
pub(crate) const NO_NAME: [char; 12] = ['<', '>', '[', ']', '{', '}', ';', '=', '$', '"', '|', '\n'];

/// What stands for an address that was taken out of a document.
fn is_stripped(text: &str) -> bool {
    matches!(text, "" | "???") || is_masked(text)
}

/// One word that names a host: an address or a name; nothing for an address that was taken out.
pub(crate) fn host(word: &str) -> Node {
    let word = word.trim_ascii();
    if is_stripped(word) {
        return Node::default();
    }
    // Marks of emphasis and of code, where it was quoted in a text.
    let word = word.trim_end_matches(['*', '`']);
    match split_once(word, b'%') {
        Some((address, _)) if address.parse::<std::net::IpAddr>().is_ok() => Node::read(address),
        _ => Node::read(word),
    }
}

/// A host at the beginning of `text`, and what follows: `name (address): rest`, `address, rest`, `name ( rest`.
pub(crate) fn leading_host(text: &str) -> (Node, &str) {
    let (word, address, rest) = split_host(text);
    let mut node = host(word);
    set_address(&mut node, address);
    (node, rest)
}

/// The word, the text in the place of the address behind it, and the rest.
pub(crate) fn split_host(text: &str) -> (&str, &str, &str) {
    let text = text.trim_ascii_start();
    if text.starts_with('(') {
        let (address, rest) = in_parentheses(text);
        return ("", address, rest);
    }
    let end = text
        .find(|c: char| c.is_whitespace() || c == '(')
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let bare = word.strip_suffix([':', ',']).unwrap_or(word);
    let next = rest.trim_ascii_start();
    if bare.len() == word.len() && next.starts_with('(') {
        let (address, rest) = in_parentheses(next);
        return (bare, address, rest);
    }
    (bare, "", rest)
}

/// The address in the parentheses that `text` begins with, and what follows. A parenthesis that a document left open, or
/// that holds something else, is passed over.
fn in_parentheses(text: &str) -> (&str, &str) {
    let inner = text.strip_prefix('(').unwrap_or(text);
    match inner.split_once(')') {
        Some((address, rest)) if is_address_place(address.trim_ascii()) => {
            (address, rest.strip_prefix([':', ',']).unwrap_or(rest))
        }
        _ => ("", inner),
    }
}

/// Whether this, in parentheses behind a name, stands where the address stands.
pub(crate) fn is_address_place(text: &str) -> bool {
    is_stripped(text) || without_scope(text).parse::<std::net::IpAddr>().is_ok()
}

/// `fe80::1%eth0` without the interface (RFC 4007, section 11).
fn without_scope(address: &str) -> &str {
    split_once(address, b'%').map_or(address, |(address, _)| address)
}

/// Adds the address that was printed beside the name. Tools print the address twice when it has no name.
pub(crate) fn set_address(node: &mut Node, address: &str) {
    // There is none behind most words.
    if address.is_empty() {
        return;
    }
    if let Ok(address) = without_scope(address.trim_ascii()).parse() {
        if node.address == Some(address) {
            node.name = None;
        }
        node.address = Some(address);
    }
}

/// A round-trip time that is printed in milliseconds; `None` for what cannot be one.
pub(crate) fn rtt_ms(number: &str) -> Option<u64> {
    nanos(number, 1e6).filter(|ns| *ns <= LONGEST_RTT_NS)
}

/// The same of a number that was read.
pub(crate) fn rtt_from_ms(ms: f64) -> Option<u64> {
    nanos_of(ms, 1e6).filter(|ns| *ns <= LONGEST_RTT_NS)
}

/// A delay as statistics hold it: one way it can be negative.
pub(crate) fn delay(ns: Option<u64>) -> Option<i64> {
    i64::try_from(ns?).ok()
}

/// A round-trip time of a JSON document, in milliseconds.
pub(crate) fn rtt_of_ms(ms: f64) -> Option<u64> {
    let ns = ms * 1e6;
    (ns >= 0.0 && ns <= LONGEST_RTT_NS as f64).then(|| ns.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        let node = |name: &str, address: &str| Node {
            name: (!name.is_empty()).then(|| name.to_owned()),
            address: address.parse().ok(),
        };
        for (text, expected, rest) in [
            (
                "a.example (240.0.0.1): seq",
                node("a.example", "240.0.0.1"),
                " seq",
            ),
            ("240.0.0.1 (240.0.0.1) 56", node("", "240.0.0.1"), " 56"),
            ("2001:db8::1(2001:db8::1) 56", node("", "2001:db8::1"), " 56"),
            ("2001:db8::1: seq", node("", "2001:db8::1"), " seq"),
            ("240.0.0.1, seq", node("", "240.0.0.1"), " seq"),
            (
                "Lindy ( icmp_seq=0. (ttl=3)",
                node("Lindy", ""),
                " icmp_seq=0. (ttl=3)",
            ),
            ("router (w.x.y.z     ) 1", node("router", ""), " 1"),
            ("(w.x.y.z ): 1-30", node("", ""), " 1-30"),
            ("w.x.y.z", node("", ""), ""),
            ("", node("", ""), ""),
            ("(", node("", ""), ""),
        ] {
            assert_eq!(leading_host(text), (expected, rest), "{text}");
        }
    }

    #[test]
    fn no_answer_comes_before_its_probe() {
        assert_eq!(rtt_ms("0.045"), Some(45_000));
        assert_eq!(rtt_ms("4294967.255"), None);
        assert_eq!(rtt_of_ms(4_294_967.223), None);
        assert_eq!(rtt_of_ms(-0.1), None);
    }
}
