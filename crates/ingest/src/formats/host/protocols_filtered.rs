//! What a filter left of `netstat -s` (`| grep -i retrans`): sentences without the headings that tell their groups. One that several
//! groups have is nobody's.

use super::protocols::{is_kernel_name, sentence, without_parentheses};
use super::protocols_words::{BSD, LINUX};

/// Whether a command keeps some lines only.
pub(super) fn is_filtered(line: &str) -> bool {
    let mut filters = line.split('|').skip(1);
    filters.any(|filter| {
        let name = filter.split_ascii_whitespace().next();
        matches!(
            name,
            Some("grep" | "egrep" | "fgrep" | "awk" | "sed" | "head" | "tail" | "findstr")
        )
    })
}

/// The kernel's name of the counter that a line has, with its group, and its value.
pub(super) fn counter(line: &str) -> Option<(String, u64)> {
    of_linux(line).or_else(|| of_bsd(line))
}

/// Counters of the group TcpExt without a sentence, beside those whose name tells it (`snmp4_net_list` in net/ipv4/proc.c).
const OF_TCP: [&str; 3] = ["BusyPollRxPackets", "IPReversePathFilter", "PFMemallocDrop"];

fn of_linux(line: &str) -> Option<(String, u64)> {
    let (text, value) = sentence(line)?;
    // Without -6 the groups of IPv6 are not printed.
    let groups = LINUX.iter().filter(|(group, _)| !group.ends_with('6'));
    let mut told = groups.filter_map(|(group, texts)| {
        let (_, kernel) = texts.iter().find(|(known, _)| *known == text)?;
        Some(format!("{group}.{kernel}"))
    });
    let name = match (told.next(), told.next()) {
        (Some(name), None) => name,
        (Some(_), Some(_)) => return None,
        // Counters without a sentence.
        (None, _) => {
            let is_such = text.starts_with("TCP") || OF_TCP.contains(&text.as_str());
            let is_tcp = is_such && line.contains(": ") && is_kernel_name("TcpExt", &text);
            is_tcp.then(|| format!("TcpExt.{text}"))?
        }
    };
    Some((name, value))
}

fn of_bsd(line: &str) -> Option<(String, u64)> {
    let (figure, text) = line.trim_ascii().split_once(' ')?;
    let (value, text) = (figure.parse().ok()?, without_parentheses(text));
    let mut told = BSD
        .iter()
        .filter_map(|(_, texts)| Some(texts.iter().find(|(known, _)| *known == text)?.1));
    let first = told.next()?;
    told.next().is_none().then(|| (first.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_that_of_the_sentence() {
        let of = |line| counter(line).map(|(name, value)| format!("{name} {value}"));
        assert_eq!(
            of("    3311 segments retransmitted").as_deref(),
            Some("Tcp.RetransSegs 3311")
        );
        assert_eq!(
            of("    TCPLostRetransmit: 57").as_deref(),
            Some("TcpExt.TCPLostRetransmit 57")
        );
        assert_eq!(
            of("\t88 data packets (91244 bytes) retransmitted").as_deref(),
            Some("Tcp.RetransSegs 88")
        );
        for nobodys in [
            "    InCsumErrors: 9",
            "    zorkmids 4711 of 17",
            "    InOctets: 12",
        ] {
            assert_eq!(of(nobodys), None, "{nobodys}");
        }
        assert!(is_filtered("$ netstat -s | grep -i retrans") && !is_filtered("$ netstat -s"));
    }
}
