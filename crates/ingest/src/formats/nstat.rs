//! `nstat`: the counters of a host's protocols. Without `-a` it prints their growth since it was last run.

use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::prompt::command_line;
use evidence::{HostFacts, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "nstat",
    group: Group::Hosts,
    reads: "counters of IP, ICMP, TCP and UDP",
    first: "#ITU",
    has_command: true,
    starts,
    continues: |_, line| counter(line).is_some() || line.starts_with('#') && !line.contains(' '),
    takes_in: None,
    read,
};

/// Groups that bear on transfers, the longer name first where one begins another; those that are left out, as `None`.
const GROUPS: [(&str, Option<&str>); 12] = [
    ("TcpExt", Some("TcpExt")),
    ("Tcp", Some("Tcp")),
    ("IpExt", Some("IpExt")),
    ("Ip6", Some("Ip6")),
    ("Ip", Some("Ip")),
    ("Icmp6", Some("Icmp6")),
    ("IcmpMsg", None),
    ("Icmp", Some("Icmp")),
    ("UdpLite", None),
    ("Udp6", Some("Udp6")),
    ("Udp", Some("Udp")),
    ("MPTcpExt", None),
];

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'#') if line.trim_end() == "#kernel" => true,
        Some(b'I' | b'T' | b'U') => counter(line).is_some(),
        Some(b'[' | b'$' | b'%' | b'#' | b'a'..=b'z') => {
            command_line(line).is_some_and(|command| command.arguments_of("nstat").is_some())
        }
        _ => false,
    }
}

/// `TcpRetransSegs                  108                0.0`: the group, the name in it and the count.
fn counter(line: &str) -> Option<(Option<&'static str>, &str, u64)> {
    let (prefix, group) = GROUPS.iter().find(|(prefix, _)| line.starts_with(prefix))?;
    let mut words = line.split_ascii_whitespace();
    let name = words.next()?.strip_prefix(prefix)?;
    let count = words.next()?.parse().ok()?;
    let rate: f64 = words.next()?.parse().ok()?;
    let whole = words.next().is_none() && rate.is_finite() && !name.is_empty();
    whole.then_some((*group, name, count))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let counters: BTreeMap<String, u64> = block
        .lines()
        .filter_map(|line| {
            let (group, name, count) = counter(line)?;
            Some((format!("{}.{name}", group?), count))
        })
        .collect();
    if counters.is_empty() {
        return;
    }
    let prompt = block.first().and_then(command_line);
    let facts = HostFacts {
        hostname: prompt.and_then(|prompt| prompt.device).map(str::to_owned),
        counters,
        ..HostFacts::default()
    };
    findings.record(block, "nstat", context.at, Payload::HostFacts(facts));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_kernel_files() {
        assert_eq!(
            counter("TcpExtTCPLostRetransmit         7                  0.0"),
            Some((Some("TcpExt"), "TCPLostRetransmit", 7))
        );
        assert_eq!(
            counter("UdpLiteInDatagrams              1                  0.0"),
            Some((None, "InDatagrams", 1)),
            "known, and left out"
        );
        for bad in [
            "",
            "Tcp",
            "Ip addresses 3 4",
            "TcpX -1 0.0",
            "TcpX 1 0.0 more",
            "IpX 1 nan",
        ] {
            assert_eq!(counter(bad), None, "{bad}");
        }
    }
}
