//! Whether the hosts kept up: a program that this machine runs too late finds its socket overflown, which is loss that no
//! scenario asked for and that no emulated link knows of.

use lab::Lab;

use crate::lab_cmd::failure::Failure;

/// Of the datagrams that arrived, so many may be lost for want of a reader. A twin shows them (`nstat`), and they stay far
/// below what makes a path slow.
const MOST_DROPPED_RATIO: f64 = 0.005;

/// What hosts did with the datagrams that arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Datagrams {
    /// Read by their programs.
    pub(super) delivered: u64,
    /// Dropped because a socket's buffer was full.
    pub(super) dropped: u64,
}

impl Datagrams {
    /// Of these hosts together, since the network came up.
    pub(super) fn of(lab: &Lab, hosts: [&str; 2]) -> Result<Self, Failure> {
        let mut sum = Self::default();
        for host in hosts {
            let text = lab.inside(host, || {
                Ok(std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap_or_default())
            })?;
            let one = Self::read(&text);
            sum.delivered += one.delivered;
            sum.dropped += one.dropped;
        }
        Ok(sum)
    }

    /// `Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors …`, and below it the figures.
    fn read(snmp: &str) -> Self {
        let mut lines = snmp.lines().filter_map(|line| line.strip_prefix("Udp: "));
        let (names, figures) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
        let pairs = names
            .split_ascii_whitespace()
            .zip(figures.split_ascii_whitespace());
        let mut read = Self::default();
        for (name, figure) in pairs {
            match name {
                "InDatagrams" => read.delivered = figure.parse().unwrap_or(0),
                "RcvbufErrors" => read.dropped = figure.parse().unwrap_or(0),
                _ => {}
            }
        }
        read
    }

    /// Whether so few were dropped that the records may be believed.
    pub(super) fn kept_up(self) -> bool {
        self.dropped as f64 <= MOST_DROPPED_RATIO * (self.delivered + self.dropped) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_their_names() {
        let snmp = "Ip: Forwarding\nIp: 1\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n\
            Udp: 995 1 7 20 5 0\nUdpLite: InDatagrams\nUdpLite: 0\n";
        let read = Datagrams::read(snmp);
        assert_eq!((read.delivered, read.dropped), (995, 5));
        assert!(read.kept_up());
        assert!(
            !Datagrams {
                delivered: 994,
                dropped: 6
            }
            .kept_up()
        );
        assert!(Datagrams::read("").kept_up(), "no datagrams, none dropped");
    }
}
