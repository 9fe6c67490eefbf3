//! What statistics of a ping count, and the line above them, in any language.

use crate::host::leading_host;
use crate::text::{holds, split};
use evidence::Node;

/// Counts that statistics print.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Counts {
    pub(super) sent: Option<u64>,
    pub(super) received: Option<u64>,
    pub(super) duplicates: Option<u64>,
    /// What came back instead of replies.
    pub(super) errors: Option<u64>,
    pub(super) lost_percent: Option<f64>,
}

/// How "statistics" begins, or what is in it, in the languages that iputils is translated into: in letters of ASCII, and in others.
static STATISTICS: [&str; 4] = ["tatisti", "statysty", "tatiszt", "tilasto"];
static STATISTICS_ELSEWHERE: [&str; 6] = ["tatíst", "tadíst", "татист", "统计", "統計", "통계"];

fn is_statistics(text: &str) -> bool {
    let has = |known: &&str| holds(text, known);
    STATISTICS.iter().any(has) || !text.is_ascii() && STATISTICS_ELSEWHERE.iter().any(has)
}

/// `--- a.example ping statistics ---`, `----a.example PING Statistics----`, `--- statistiques ping a.example ---`, `--- Ping statistics
/// for a.example ---`: the words beside these two are the host, and what other languages put before it. RIPE Atlas' tool begins it
/// with two.
pub(super) fn heading(text: &str) -> Option<Node> {
    let inner = text.strip_prefix("--")?.trim_matches(['-', ' ']);
    // httping counts whole requests of a URL: there and back more than once.
    if !is_statistics(inner) || holds(inner, "://") {
        return None;
    }
    // Of one that was cut the last word may be no host.
    if !text.ends_with('-') {
        return Some(Node::default());
    }
    if let Some(rest) = inner.strip_prefix("Ping statistics for ") {
        return Some(leading_host(rest).0);
    }
    let is_ping = |word: &str| {
        ["ping", "ping4", "ping6"]
            .iter()
            .any(|name| word.eq_ignore_ascii_case(name))
    };
    let rest: Vec<&str> = inner
        .split_ascii_whitespace()
        .filter(|word| !is_statistics(word) && !is_ping(word))
        .collect();
    let host = match rest.as_slice() {
        [only] => only,
        // "estadísticas ping de a.example"
        [_, last] if inner.split_ascii_whitespace().next().is_some_and(is_statistics) => last,
        // The host may have been taken out: "---  ping statistics ---".
        _ => return Some(Node::default()),
    };
    Some(crate::host::host(host))
}

/// `5 packets transmitted, 4 received, 20% packet loss, time 4ms`, in any language and in one line or several (Huawei).
pub(super) fn counts(text: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let is_transmitted = holds(text, "transmitted");
    let english = is_transmitted || holds(text, "received");
    if !english && !text.bytes().any(|byte| matches!(byte, b'%' | b'(')) {
        return None;
    }
    // Whatever moves data tells how much was received.
    if english && !is_transmitted && !holds(text, "packet") {
        return None;
    }
    let parts = split(text, b',').flat_map(|part| part.split('，'));
    for (place, part) in parts.enumerate() {
        let number = only_number(part);
        if part.contains('+') && ["err", "Fehler", "ошиб"].iter().any(|word| part.contains(word)) {
            counts.errors = number;
        } else if holds(part, "duplicate") {
            counts.duplicates = number;
        } else if part.contains('%') {
            counts.lost_percent = counts.lost_percent.or(percent(part));
        } else if part.contains('+') {
        } else if holds(part, "transmitted") || (!english && place == 0) {
            counts.sent = number;
        } else if holds(part, "received") || (!english && place == 1) {
            counts.received = number;
        }
    }
    if english {
        return Some(counts);
    }
    if text.ends_with("packet loss") && !text.contains(',') {
        return counts.lost_percent.map(|_| counts);
    }
    // In another language the three figures show that they are these: they agree.
    let (sent, received, lost) = (counts.sent?, counts.received?, counts.lost_percent?);
    let is_agreed = counts_agree(sent, received, lost);
    (sent > 0 && is_agreed).then_some(counts)
}

/// Whether a share of lost packets, rounded or cut to whole percents, is that of the counts.
pub(super) fn counts_agree(sent: u64, received: u64, lost_percent: f64) -> bool {
    if sent == 0 {
        return true;
    }
    let counted = 100.0 * sent.saturating_sub(received) as f64 / sent as f64;
    (counted - lost_percent).abs() <= 1.0
}

/// The one whole number of a text; letters at it make it none.
fn only_number(text: &str) -> Option<u64> {
    let mut found = None;
    for word in text
        .as_bytes()
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.')
    {
        if word.first().is_some_and(u8::is_ascii_digit) {
            if found.is_some() {
                return None;
            }
            found = Some(std::str::from_utf8(word).ok()?.parse().ok()?);
        } else if word.iter().any(u8::is_ascii_digit) {
            return None;
        }
    }
    found
}

fn percent(text: &str) -> Option<f64> {
    let before = text.split_once('%')?.0.trim_ascii_end();
    let begin = before
        .rfind(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map_or(0, |at| {
            at + before
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
        });
    before.get(begin..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_any_language() {
        let told = |sent, received| Some((Some(sent), Some(received)));
        for (line, expected) in [
            (
                "5 packets transmitted, 4 received, +1 errors, 20% packet loss, time 4ms",
                told(5, 4),
            ),
            (
                "5 Pakete übertragen, 4 empfangen, 20% Paketverlust, Zeit 4004ms",
                told(5, 4),
            ),
            (
                "5 paquets transmis, 5 reçus, 0 % paquets perdus, temps 4004 ms",
                told(5, 5),
            ),
            (
                "已发送 5 个包， 已接收 5 个包, 0% packet loss, time 4004ms",
                told(5, 5),
            ),
            ("5 packet(s) transmitted", Some((Some(5), None))),
            ("4 packet(s) received", Some((None, Some(4)))),
            (
                "x packets transmitted, 4 received, 20% packet loss",
                Some((None, Some(4))),
            ),
            ("5 of them, 4 of us, 3% of all", None),
            ("50% of 5", None),
        ] {
            let counted = counts(line).map(|counts| (counts.sent, counts.received));
            assert_eq!(counted, expected, "{line}");
        }
    }

    #[test]
    fn headings_of_statistics() {
        for (line, host) in [
            ("--- a.example ping statistics ---", "a.example"),
            ("-- a.example ping statistics ---", "a.example"),
            ("----a.example PING Statistics----", "a.example"),
            ("--- Ping statistics for 192.0.2.1 ---", "192.0.2.1"),
            ("--- 192.0.2.1 ping6 statistics ---", "192.0.2.1"),
            ("--- a.example Ping-Statistiken ---", "a.example"),
            ("--- statistiques ping a.example ---", "a.example"),
            ("--- statistiche ping gw ---", "gw"),
            ("--- estadísticas ping de 192.0.2.1 ---", "192.0.2.1"),
            ("--- a.example statystyki ping ---", "a.example"),
        ] {
            assert_eq!(
                heading(line).map(|node| node.to_string()).as_deref(),
                Some(host),
                "{line}"
            );
        }
        assert_eq!(heading("---  ping statistics ---"), Some(Node::default()));
        assert_eq!(heading("--- more ---"), None);
    }
}
