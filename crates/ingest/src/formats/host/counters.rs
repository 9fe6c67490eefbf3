//! Counters of a host's protocols by the kernel's names, as its files and tools that read them give them.

/// Groups that bear on transfers, the longer name first where one begins another; those that are left out, as `None`.
const GROUPS: [(&str, Option<&str>); 14] = [
    ("TcpExt", Some("TcpExt")),
    ("Tcp", Some("Tcp")),
    ("IpExt", Some("IpExt")),
    ("Ip6", Some("Ip6")),
    ("Ip", Some("Ip")),
    ("Icmp6", Some("Icmp6")),
    ("IcmpMsg", None),
    ("Icmp", Some("Icmp")),
    ("UdpLite6", None),
    ("UdpLite", None),
    ("Udp6", Some("Udp6")),
    ("Udp", Some("Udp")),
    ("MPTcpExt", None),
    ("Sctp", None),
];

/// Divides `TcpRetransSegs` into its group, `None` for one that is known and left out, and the name in it.
pub(in crate::formats) fn divided(name: &str) -> Option<(Option<&'static str>, &str)> {
    let (prefix, group) = GROUPS.iter().find(|(prefix, _)| name.starts_with(prefix))?;
    let rest = name.strip_prefix(prefix)?;
    // Every name begins with a capital.
    rest.starts_with(|first: char| first.is_ascii_uppercase())
        .then_some((*group, rest))
}

/// The group of this very name, as in front of a colon in `/proc/net/snmp`.
pub(in crate::formats) fn group(name: &str) -> Option<Option<&'static str>> {
    GROUPS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, group)| *group)
}

/// Settings that stand among the counters: no counts.
pub(in crate::formats) fn is_setting(group: &str, name: &str) -> bool {
    matches!(
        (group, name),
        ("Ip", "Forwarding" | "DefaultTTL") | ("Tcp", "RtoAlgorithm" | "RtoMin" | "RtoMax" | "MaxConn")
    )
}
