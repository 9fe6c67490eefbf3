//! A request for an observation, with what it costs and who carries it out.

use crate::{Node, ProbeProtocol, RateBps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One measurement that a node can be asked for.
///
/// Asks are plain data: they stand in a case beside what they gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "ask", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Ask {
    /// Settings and counters of a host and of the interface that leads to the other end of the complaint.
    HostFacts {
        /// Which host.
        at: Node,
    },
    /// The hops from `from` to `to`, all TTLs in parallel, constant flow identifier per flow (Paris).
    Route {
        /// Where the probes start.
        from: Node,
        /// Where they are sent to.
        to: Node,
        /// Which packets to send.
        protocol: ProbeProtocol,
        /// How many flow identifiers to try, to show load balancing. At least 1.
        flows: u8,
    },
    /// Which packet sizes reach which hops, with and without "don't fragment".
    PathMtu {
        /// Where the probes start.
        from: Node,
        /// Where they are sent to.
        to: Node,
    },
    /// Loss and round-trip time per hop and packet size.
    Echo {
        /// Where the probes start.
        from: Node,
        /// Where they are sent to.
        to: Node,
        /// IP packet sizes in bytes to try at each hop.
        sizes_bytes: Vec<u32>,
        /// Probes per hop and size.
        count: u32,
        /// The pause between two probes to the same hop, in milliseconds.
        interval_ms: u32,
    },
    /// Loss up to each of the named hops, with many small packets: finds loss ratios too small for [`Ask::Echo`].
    HopLoss {
        /// Where the probes start.
        from: Node,
        /// Where they are sent to.
        to: Node,
        /// The TTLs to test, each as a stream of its own.
        ttls: Vec<u8>,
        /// Probes per TTL.
        count: u64,
        /// Probes per second, over all TTLs together.
        rate_pps: u32,
    },
    /// A bulk TCP transfer.
    TcpThroughput {
        /// Who sends.
        from: Node,
        /// Who receives.
        to: Node,
        /// Parallel connections, at least 1.
        streams: u16,
        /// Maximum segment size to request (`TCP_MAXSEG`), bytes of payload; `None` leaves the kernel's choice.
        mss_bytes: Option<u32>,
        /// Socket buffer to request at both ends, bytes; `None` leaves the kernel's automatic tuning.
        socket_buffer_bytes: Option<u32>,
        /// Congestion control to request by name; `None` leaves the host's default. What ran is always recorded.
        congestion_control: Option<String>,
        /// Stop after this time at the latest, milliseconds.
        max_time_ms: u32,
        /// Stop after this many bytes at the latest; `None` is no limit.
        max_bytes: Option<u64>,
        /// Probe every hop while the transfer runs ([`crate::Probes`] with context `UnderLoad` result as well).
        watch_hops: bool,
    },
    /// A paced stream of UDP packets.
    UdpStream {
        /// Who sends.
        from: Node,
        /// Who receives.
        to: Node,
        /// IP packet size in bytes.
        size_bytes: u32,
        /// Rate of IP packets in bit/s.
        rate_bps: RateBps,
        /// Length of the stream, milliseconds.
        duration_ms: u32,
    },
}

/// What an ask takes from the network and from the person who waits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Wall time expected, milliseconds.
    pub time_ms: u64,
    /// Bytes put on the wire at most, as far as known beforehand; `None` when only time bounds it.
    pub bytes: Option<u64>,
    /// How much others on the path notice.
    pub intrusiveness: Intrusiveness,
    /// What the operating system must allow.
    pub privilege: Privilege,
}

/// How much other users of the path notice an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Intrusiveness {
    /// Nothing leaves the host.
    None,
    /// A few packets, as a traceroute sends.
    Light,
    /// A steady stream well under the path's capacity.
    Moderate,
    /// Fills the path for its duration.
    Heavy,
}

/// What an ask needs from the operating system of its vantage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Privilege {
    /// Any user may.
    None,
    /// Raw sockets (`CAP_NET_RAW`).
    RawSocket,
}

impl Ask {
    /// What carrying this out costs, before it is tried. Estimates are upper bounds on a path of 30 hops.
    #[must_use]
    pub fn cost(&self) -> Cost {
        use Intrusiveness as I;
        let light = |time_ms, bytes| Cost {
            time_ms,
            bytes,
            intrusiveness: I::Light,
            privilege: Privilege::None,
        };
        match self {
            Self::HostFacts { .. } => Cost {
                time_ms: 50,
                bytes: Some(0),
                intrusiveness: I::None,
                privilege: Privilege::None,
            },
            Self::Route { protocol, flows, .. } => Cost {
                privilege: match protocol {
                    ProbeProtocol::Udp => Privilege::None,
                    ProbeProtocol::Icmp | ProbeProtocol::TcpSyn => Privilege::RawSocket,
                },
                ..light(1_500, Some(u64::from(*flows) * 60 * 30))
            },
            Self::PathMtu { .. } => light(3_000, Some(400 * 9_000)),
            Self::Echo {
                sizes_bytes,
                count,
                interval_ms,
                ..
            } => {
                let per_round: u64 = sizes_bytes.iter().map(|size| u64::from(*size)).sum();
                let time_ms = u64::from(*count) * u64::from(*interval_ms) + 1_000;
                light(time_ms, Some(per_round * u64::from(*count) * 30))
            }
            Self::HopLoss {
                ttls,
                count,
                rate_pps,
                ..
            } => {
                let packets = count.saturating_mul(ttls.len() as u64);
                Cost {
                    time_ms: packets.saturating_mul(1_000) / u64::from((*rate_pps).max(1)) + 1_000,
                    bytes: Some(packets.saturating_mul(64)),
                    intrusiveness: I::Moderate,
                    privilege: Privilege::RawSocket,
                }
            }
            Self::TcpThroughput {
                max_time_ms,
                max_bytes,
                ..
            } => Cost {
                time_ms: u64::from(*max_time_ms) + 500,
                bytes: *max_bytes,
                intrusiveness: I::Heavy,
                privilege: Privilege::None,
            },
            Self::UdpStream {
                rate_bps,
                duration_ms,
                ..
            } => Cost {
                time_ms: u64::from(*duration_ms) + 500,
                bytes: Some((rate_bps.0 / 8.0 * f64::from(*duration_ms) / 1e3) as u64),
                intrusiveness: I::Moderate,
                privilege: Privilege::None,
            },
        }
    }

    /// The node that carries the ask out: where its packets start, or whose settings are read.
    #[must_use]
    pub fn vantage(&self) -> &Node {
        match self {
            Self::HostFacts { at } => at,
            Self::Route { from, .. }
            | Self::PathMtu { from, .. }
            | Self::Echo { from, .. }
            | Self::HopLoss { from, .. }
            | Self::TcpThroughput { from, .. }
            | Self::UdpStream { from, .. } => from,
        }
    }

    /// Where its packets go; `None` when it sends none.
    #[must_use]
    pub fn target(&self) -> Option<&Node> {
        match self {
            Self::HostFacts { .. } => None,
            Self::Route { to, .. }
            | Self::PathMtu { to, .. }
            | Self::Echo { to, .. }
            | Self::HopLoss { to, .. }
            | Self::TcpThroughput { to, .. }
            | Self::UdpStream { to, .. } => Some(to),
        }
    }

    /// Whether the target must take part (a far end of our own), not only answer as any host would.
    #[must_use]
    pub fn needs_both_ends(&self) -> bool {
        matches!(self, Self::TcpThroughput { .. } | Self::UdpStream { .. })
    }
}
