//! Packets that this host's own interface and softirq backlog dropped: loss that must not be blamed on the path.

use std::net::IpAddr;

/// Lifetime counters of the interface that has an address, and of the backlog. `None`: not readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HostCounters {
    received_dropped: Option<u64>,
    transmitted_dropped: Option<u64>,
    backlog_dropped: Option<u64>,
    /// UDP datagrams with a wrong checksum: damaged on their way, and counted with what the socket dropped.
    damaged: Option<u64>,
}

impl HostCounters {
    /// Reads the counters for the interface that has `address`.
    ///
    /// From the calling thread's own `/proc`: network namespaces belong to threads.
    pub(super) fn read(address: IpAddr) -> Self {
        let read =
            |name: &str| std::fs::read_to_string(format!("/proc/thread-self/net/{name}")).unwrap_or_default();
        let (devices, backlog) = (read("dev"), read("softnet_stat"));
        let drops = crate::host::interface_of(address).and_then(|name| interface_drops(&devices, &name));
        Self {
            received_dropped: drops.map(|(received, _)| received),
            transmitted_dropped: drops.map(|(_, transmitted)| transmitted),
            backlog_dropped: backlog_drops(&backlog),
            damaged: damaged(&read("snmp"), &read("snmp6")),
        }
    }

    /// Packets dropped on the way out since `before`.
    pub(super) fn sent_since(&self, before: &Self) -> Option<u64> {
        Some(
            self.transmitted_dropped?
                .saturating_sub(before.transmitted_dropped?),
        )
    }

    /// Datagrams that arrived with a wrong checksum since `before`.
    pub(super) fn damaged_since(&self, before: &Self) -> Option<u64> {
        Some(self.damaged?.saturating_sub(before.damaged?))
    }

    /// Packets dropped on the way in since `before`, by the interface or the backlog. The backlog is the whole
    /// machine's: an upper bound.
    pub(super) fn received_since(&self, before: &Self) -> Option<u64> {
        let interface = self.received_dropped.zip(before.received_dropped);
        let backlog = self.backlog_dropped.zip(before.backlog_dropped);
        if interface.is_none() && backlog.is_none() {
            return None;
        }
        let since = |pair: Option<(u64, u64)>| pair.map_or(0, |(after, before)| after.saturating_sub(before));
        Some(since(interface) + since(backlog))
    }
}

/// Drops (received, transmitted) of an interface in the text of `/proc/net/dev`.
fn interface_drops(devices: &str, name: &str) -> Option<(u64, u64)> {
    let (_, counters) = devices
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(interface, _)| interface.trim() == name)?;
    let mut fields = counters.split_whitespace();
    // bytes packets errs drop fifo frame compressed multicast, then the same again for what was sent.
    let received = fields.nth(3)?.parse().ok()?;
    let transmitted = fields.nth(7)?.parse().ok()?;
    Some((received, transmitted))
}

/// Sum over the processors of the second column of `/proc/net/softnet_stat`; `None` when a line is not understood.
fn backlog_drops(softnet: &str) -> Option<u64> {
    let dropped = |line: &str| u64::from_str_radix(line.split_whitespace().nth(1)?, 16).ok();
    let counts: Option<Vec<u64>> = softnet.lines().map(dropped).collect();
    counts
        .filter(|counts| !counts.is_empty())
        .map(|counts| counts.iter().sum())
}

/// Datagrams with a wrong checksum in the texts of `/proc/net/snmp` and `/proc/net/snmp6` (RFC 4113 counts them among
/// `udpInErrors`).
fn damaged(snmp: &str, snmp6: &str) -> Option<u64> {
    let mut udp = snmp.lines().filter_map(|line| line.strip_prefix("Udp:"));
    let (names, values) = (udp.next()?, udp.next()?);
    let mut fields = names.split_whitespace().zip(values.split_whitespace());
    let v4: u64 = fields.find(|(name, _)| *name == "InCsumErrors")?.1.parse().ok()?;
    let v6 = snmp6
        .lines()
        .filter_map(|line| line.split_once(char::is_whitespace));
    let v6 = v6.filter(|(name, _)| *name == "Udp6InCsumErrors");
    let v6: u64 = v6.filter_map(|(_, value)| value.trim().parse::<u64>().ok()).sum();
    Some(v4.saturating_add(v6))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICES: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:  100       1    0    2    0     0          0         0   100       1    0    3    0     0       0          0
  eth0:1000000000  7    0   11    0     0          0         0   100       1    0   13    0     0       0          0
";

    #[test]
    fn drops_are_read_from_the_right_columns() {
        assert_eq!(interface_drops(DEVICES, "lo"), Some((2, 3)));
        assert_eq!(interface_drops(DEVICES, "eth0"), Some((11, 13)));
        assert_eq!(interface_drops(DEVICES, "eth1"), None);
        assert_eq!(interface_drops("eth0: 1 2", "eth0"), None);
        assert_eq!(backlog_drops("0001 0000000a 0\n0001 00000001 0\n"), Some(11));
        assert_eq!((backlog_drops(""), backlog_drops("0001 zz\n")), (None, None));
    }

    #[test]
    fn damaged_datagrams_are_found_by_name() {
        let snmp = "Tcp: A\nTcp: 1\nUdp: InDatagrams InErrors InCsumErrors\nUdp: 9 8 7\nUdpLite: InCsumErrors\nUdpLite: 5\n";
        assert_eq!(
            damaged(snmp, "Udp6InErrors 1\nUdp6InCsumErrors   \t4\n"),
            Some(11)
        );
        assert_eq!(damaged(snmp, ""), Some(7));
        assert_eq!(damaged("Udp: InDatagrams\nUdp: 3\n", ""), None);
        assert_eq!(damaged("", "Udp6InCsumErrors 4"), None);
    }

    #[test]
    fn this_host_has_counters_for_loopback() {
        let counters = HostCounters::read(IpAddr::from([127, 0, 0, 1]));
        assert!(
            counters.received_dropped.is_some() && counters.backlog_dropped.is_some(),
            "{counters:?}"
        );
        assert_eq!(counters.sent_since(&counters), Some(0));
        assert_eq!(counters.received_since(&counters), Some(0));
        assert_eq!(counters.damaged_since(&counters), Some(0));
    }

    #[test]
    fn unknown_is_not_zero() {
        let unknown = HostCounters {
            received_dropped: None,
            transmitted_dropped: None,
            backlog_dropped: None,
            damaged: None,
        };
        assert_eq!(
            (unknown.sent_since(&unknown), unknown.received_since(&unknown)),
            (None, None)
        );
    }
}
