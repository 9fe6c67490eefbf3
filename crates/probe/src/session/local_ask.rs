//! What the far end can be asked to measure by itself.

use evidence::{Ask, ProbeProtocol};
use serde::{Deserialize, Serialize};

/// Probes per second that a far end sends at most, of one ask and of all together: measuring must not become flooding.
pub const MOST_PROBE_PPS: u32 = 20_000;

/// An ask that one end of a session carries out by itself, without its hosts: whoever carries it out is where its packets
/// start, and they go to the other end. So neither end has to know the other's names, and there are no words in which the
/// far end could be told to probe anybody else. Its fields are those of [`Ask`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LocalAsk {
    /// [`Ask::HostFacts`].
    HostFacts,
    /// [`Ask::Route`].
    Route {
        /// Which packets to send.
        protocol: ProbeProtocol,
        /// How many flow identifiers to try. At least 1.
        flows: u8,
    },
    /// [`Ask::PathMtu`].
    PathMtu,
    /// [`Ask::Echo`].
    Echo {
        /// IP packet sizes in bytes to try at each hop.
        sizes_bytes: Vec<u32>,
        /// Probes per hop and size.
        count: u32,
        /// The pause between two probes to the same hop, in milliseconds.
        interval_ms: u32,
    },
    /// [`Ask::HopLoss`].
    HopLoss {
        /// The TTLs to test, each as a stream of its own.
        ttls: Vec<u8>,
        /// Probes per TTL.
        count: u64,
        /// Probes per second, over all TTLs together.
        rate_pps: u32,
    },
}

impl LocalAsk {
    /// The same ask no faster than a far end carries it out: its probes take longer, and tell as much.
    #[must_use]
    pub fn for_a_far_end(mut self) -> Self {
        if let Self::HopLoss { rate_pps, .. } = &mut self {
            *rate_pps = (*rate_pps).min(MOST_PROBE_PPS);
        }
        self
    }

    /// `ask` without its hosts; `None` where both ends have to take part, which is what plans are for.
    #[must_use]
    pub fn of(ask: &Ask) -> Option<Self> {
        Some(match ask {
            Ask::HostFacts { .. } => Self::HostFacts,
            Ask::Route { protocol, flows, .. } => Self::Route {
                protocol: *protocol,
                flows: *flows,
            },
            Ask::PathMtu { .. } => Self::PathMtu,
            Ask::Echo {
                sizes_bytes,
                count,
                interval_ms,
                ..
            } => Self::Echo {
                sizes_bytes: sizes_bytes.clone(),
                count: *count,
                interval_ms: *interval_ms,
            },
            Ask::HopLoss {
                ttls,
                count,
                rate_pps,
                ..
            } => Self::HopLoss {
                ttls: ttls.clone(),
                count: *count,
                rate_pps: *rate_pps,
            },
            Ask::TcpThroughput { .. } | Ask::UdpStream { .. } => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_end_is_asked_for_no_more_than_it_sends() {
        let hops = |rate_pps| LocalAsk::HopLoss {
            ttls: vec![3],
            count: 640,
            rate_pps,
        };
        assert_eq!(hops(30_000).for_a_far_end(), hops(MOST_PROBE_PPS));
        assert_eq!(hops(500).for_a_far_end(), hops(500));
        assert_eq!(LocalAsk::PathMtu.for_a_far_end(), LocalAsk::PathMtu);
    }
}
