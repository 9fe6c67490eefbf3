//! What a transfer is to do, as the client asks for it, and what the far end allows.

use serde::{Deserialize, Serialize};

/// Smallest IP packet of a UDP stream: the header, UDP and IPv6.
const MIN_UDP_SIZE_BYTES: u32 = 68;
const MAX_STREAMS: u16 = 128;
/// How late a sender of UDP may be.
const MOST_LATE_NS: u64 = 1_500_000_000;
const SHORTEST_LATE_NS: u64 = 250_000_000;
/// What a connection may bring before its receiver can hold it back: the largest window without a scale (RFC 7323, section 2).
const FIRST_WINDOW_BYTES: u64 = 65_535;
/// The share of a byte limit, and the seconds of a rate limit, that the first windows of all streams may take.
const FIRST_SHARE: u64 = 10;
const FIRST_S: f64 = 0.5;
const LEAST_WINDOW_BYTES: u64 = 4_096;

/// What the far end's owner allows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Rate of any transfer, bit/s; `None` is no limit.
    pub max_rate_bps: Option<f64>,
    /// Length of any transfer, milliseconds.
    pub max_duration_ms: u32,
    /// Bytes of any transfer; `None` is no limit.
    pub max_bytes: Option<u64>,
}

impl Limits {
    /// Bytes that a connection may bring unasked, all together: what is tolerated of these limits.
    fn unasked_bytes(&self) -> u64 {
        let of_rate = self.max_rate_bps.map(|bps| (bps / 8.0 * FIRST_S) as u64);
        let of_bytes = self.max_bytes.map(|bytes| bytes / FIRST_SHARE);
        least(of_rate, of_bytes).unwrap_or(u64::MAX)
    }

    /// Parallel connections that these limits allow, at least one.
    fn streams(&self) -> u16 {
        let streams = (self.unasked_bytes() / FIRST_WINDOW_BYTES).max(1);
        u16::try_from(streams).map_or(MAX_STREAMS, |streams| streams.min(MAX_STREAMS))
    }

    /// The window with which a connection begins, where the usual one would bring more than these limits tolerate.
    #[must_use]
    pub fn first_window_bytes(&self) -> Option<u32> {
        let least = self.unasked_bytes().max(LEAST_WINDOW_BYTES);
        u32::try_from(least)
            .ok()
            .filter(|bytes| u64::from(*bytes) < FIRST_WINDOW_BYTES)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_rate_bps: None,
            max_duration_ms: 60_000,
            max_bytes: None,
        }
    }
}

/// Why a transfer is refused. The text is for the person at the client.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The number of parallel connections is out of range.
    #[error("{0} streams: between 1 and {MAX_STREAMS} are possible")]
    Streams(u16),
    /// More connections than the owner's limits can hold back.
    #[error(
        "{asked} streams: at most {allowed} within the limits of the far end's owner, as each brings {FIRST_WINDOW_BYTES} bytes before it can be held back"
    )]
    TooManyStreams {
        /// What was asked for.
        asked: u16,
        /// What is allowed.
        allowed: u16,
    },
    /// The segment size is out of range.
    #[error("a segment size of {0} bytes: between 88 and 65495 are possible")]
    Mss(u32),
    /// A packet size out of range.
    #[error("UDP packets of {0} bytes: between {MIN_UDP_SIZE_BYTES} and 65535 are possible")]
    Size(u32),
    /// A rate that is not one.
    #[error("a rate of {0} bit/s is none")]
    Rate(f64),
    /// The far end's owner allows less.
    #[error("at most {allowed} Mbit/s are allowed here, not {asked} Mbit/s", allowed = allowed / 1e6, asked = asked / 1e6)]
    OverRate {
        /// What was asked for, bit/s.
        asked: f64,
        /// What is allowed, bit/s.
        allowed: f64,
    },
    /// The far end's owner allows less.
    #[error("at most {allowed_ms} ms are allowed here, not {asked_ms} ms")]
    OverTime {
        /// What was asked for.
        asked_ms: u32,
        /// What is allowed.
        allowed_ms: u32,
    },
    /// The far end's owner allows less.
    #[error("at most {allowed} bytes are allowed here, not {asked}")]
    OverBytes {
        /// What was asked for.
        asked: u64,
        /// What is allowed.
        allowed: u64,
    },
    /// A congestion control name that no kernel has.
    #[error("`{0}` is not the name of a congestion control")]
    CongestionControl(String),
}

/// A bulk TCP transfer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpPlan {
    /// Whether the far end sends; else the client does.
    pub server_sends: bool,
    /// Parallel connections.
    pub streams: u16,
    /// `TCP_MAXSEG` to ask for.
    pub mss_bytes: Option<u32>,
    /// Socket buffer to ask for at both ends.
    pub socket_buffer_bytes: Option<u32>,
    /// Congestion control to ask for at the sender.
    pub congestion_control: Option<String>,
    /// Time limit.
    pub max_time_ms: u32,
    /// Byte limit.
    pub max_bytes: Option<u64>,
    /// Rate limit, bit/s, set by the far end's owner.
    pub max_rate_bps: Option<f64>,
    /// Whether the sender probes the hops meanwhile.
    pub watch_hops: bool,
}

impl TcpPlan {
    /// Whether this plan, as the far end accepted it, takes no more of the client than `asked` does: it may be shorter, smaller
    /// and slower, and differs in nothing else.
    #[must_use]
    pub fn is_no_more_than(&self, asked: &Self) -> bool {
        let otherwise = Self {
            max_time_ms: asked.max_time_ms,
            max_bytes: asked.max_bytes,
            max_rate_bps: asked.max_rate_bps,
            ..self.clone()
        };
        let bytes = asked
            .max_bytes
            .is_none_or(|most| self.max_bytes.is_some_and(|bytes| bytes <= most));
        let rate = asked
            .max_rate_bps
            .is_none_or(|most| self.max_rate_bps.is_some_and(|rate| rate <= most));
        otherwise == *asked
            && self.max_time_ms <= asked.max_time_ms
            && bytes
            && rate
            && self.max_rate_bps.is_none_or(is_rate)
    }

    /// The plan within `limits`: how long and how much are cut to what is allowed, since the transfer ends early
    /// in the normal course anyway and says why. What no kernel can do is refused.
    ///
    /// # Errors
    /// Values that make no transfer.
    pub fn within(&self, limits: &Limits) -> Result<Self, PlanError> {
        if !(1..=MAX_STREAMS).contains(&self.streams) {
            return Err(PlanError::Streams(self.streams));
        }
        let allowed = limits.streams();
        if self.streams > allowed {
            return Err(PlanError::TooManyStreams {
                asked: self.streams,
                allowed,
            });
        }
        if let Some(mss) = self.mss_bytes.filter(|mss| !(88..=65_495).contains(mss)) {
            return Err(PlanError::Mss(mss));
        }
        if let Some(name) = self
            .congestion_control
            .as_ref()
            .filter(|name| !is_control_name(name))
        {
            return Err(PlanError::CongestionControl(name.chars().take(32).collect()));
        }
        if let Some(rate) = self.max_rate_bps.filter(|rate| !is_rate(*rate)) {
            return Err(PlanError::Rate(rate));
        }
        Ok(Self {
            max_time_ms: self.max_time_ms.min(limits.max_duration_ms),
            max_bytes: least(self.max_bytes, limits.max_bytes),
            max_rate_bps: match (self.max_rate_bps, limits.max_rate_bps) {
                (Some(asked), Some(allowed)) => Some(asked.min(allowed)),
                (one, other) => one.or(other),
            },
            ..self.clone()
        })
    }
}

/// A paced UDP stream.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UdpPlan {
    /// Whether the far end sends; else the client does.
    pub server_sends: bool,
    /// IP packet size.
    pub size_bytes: u32,
    /// Rate of IP packets, bit/s.
    pub rate_bps: f64,
    /// Length.
    pub duration_ms: u32,
}

impl UdpPlan {
    /// Whether the stream is possible and allowed. A stream at another rate than asked for would answer another
    /// question, so nothing is cut here.
    ///
    /// # Errors
    /// Values that make no stream, or more than the owner allows.
    pub fn check(&self, limits: &Limits) -> Result<(), PlanError> {
        if !(MIN_UDP_SIZE_BYTES..=65_535).contains(&self.size_bytes) {
            return Err(PlanError::Size(self.size_bytes));
        }
        if !is_rate(self.rate_bps) {
            return Err(PlanError::Rate(self.rate_bps));
        }
        if let Some(allowed) = limits.max_rate_bps.filter(|allowed| self.rate_bps > *allowed) {
            return Err(PlanError::OverRate {
                asked: self.rate_bps,
                allowed,
            });
        }
        if self.duration_ms > limits.max_duration_ms {
            return Err(PlanError::OverTime {
                asked_ms: self.duration_ms,
                allowed_ms: limits.max_duration_ms,
            });
        }
        let asked = self.bytes();
        match limits.max_bytes.filter(|allowed| asked > *allowed) {
            Some(allowed) => Err(PlanError::OverBytes { asked, allowed }),
            None => Ok(()),
        }
    }

    /// How long sending may take: a sender that is late may take a little longer than planned, and one that cannot reach the rate
    /// ends at this time, not when all is sent.
    #[must_use]
    pub fn longest_ns(&self) -> u64 {
        let planned = u64::from(self.duration_ms) * 1_000_000;
        planned + (planned / 4).min(MOST_LATE_NS) + SHORTEST_LATE_NS
    }

    /// Time between the starts of two packets, nanoseconds.
    #[must_use]
    pub fn spacing_ns(&self) -> f64 {
        f64::from(self.size_bytes) * 8e9 / self.rate_bps
    }

    /// Bytes of all its packets.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.packets().saturating_mul(u64::from(self.size_bytes))
    }

    /// Packets of the stream, at least 1.
    #[must_use]
    pub fn packets(&self) -> u64 {
        ((f64::from(self.duration_ms) * 1e6 / self.spacing_ns()) as u64).max(1)
    }
}

fn is_rate(rate_bps: f64) -> bool {
    (1.0..=1e13).contains(&rate_bps)
}

/// Kernel names are at most 15 letters (`TCP_CA_NAME_MAX`).
fn is_control_name(name: &str) -> bool {
    (1..16).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp() -> TcpPlan {
        TcpPlan {
            server_sends: false,
            streams: 1,
            mss_bytes: None,
            socket_buffer_bytes: None,
            congestion_control: None,
            max_time_ms: 10_000,
            max_bytes: Some(1_000),
            max_rate_bps: None,
            watch_hops: false,
        }
    }

    #[test]
    fn no_more_connections_than_can_be_held_back() {
        let limits = |max_rate_bps, max_bytes| Limits {
            max_rate_bps,
            max_bytes,
            ..Limits::default()
        };
        for (limits, streams, window) in [
            (Limits::default(), 128, None),
            (limits(Some(1e6), None), 1, Some(62_500)),
            (limits(Some(1e5), None), 1, Some(6_250)),
            (limits(Some(1e3), None), 1, Some(4_096)),
            (limits(Some(1e7), None), 9, None),
            (limits(Some(1e10), None), 128, None),
            (limits(Some(1e10), Some(1_000_000)), 1, None),
            (limits(None, Some(10_000_000)), 15, None),
        ] {
            assert_eq!(
                (limits.streams(), limits.first_window_bytes()),
                (streams, window),
                "{limits:?}"
            );
            let plan = |streams| TcpPlan { streams, ..tcp() };
            assert!(plan(streams).within(&limits).is_ok());
            assert!(plan(streams + 1).within(&limits).is_err());
        }
    }

    const STRICT: Limits = Limits {
        max_rate_bps: Some(1e8),
        max_duration_ms: 5_000,
        max_bytes: Some(500),
    };

    #[test]
    fn a_tcp_transfer_is_cut_to_what_is_allowed() {
        let cut = tcp().within(&STRICT).unwrap();
        assert_eq!(
            (cut.max_time_ms, cut.max_bytes, cut.max_rate_bps),
            (5_000, Some(500), Some(1e8))
        );
        let free = tcp().within(&Limits::default()).unwrap();
        assert_eq!(free, tcp());
        let slower = TcpPlan {
            max_rate_bps: Some(1e6),
            ..tcp()
        };
        assert_eq!(slower.within(&STRICT).unwrap().max_rate_bps, Some(1e6));
    }

    #[test]
    fn an_accepted_plan_may_be_less_and_nothing_more() {
        let asked = tcp();
        assert!(asked.is_no_more_than(&asked));
        assert!(asked.within(&STRICT).unwrap().is_no_more_than(&asked));
        let anything = TcpPlan {
            max_bytes: None,
            ..tcp()
        };
        assert!(anything.within(&STRICT).unwrap().is_no_more_than(&anything));
        for more in [
            TcpPlan {
                max_time_ms: u32::MAX,
                ..tcp()
            },
            TcpPlan {
                max_bytes: None,
                ..tcp()
            },
            TcpPlan {
                max_bytes: Some(1_001),
                ..tcp()
            },
            TcpPlan {
                streams: 60_000,
                ..tcp()
            },
            TcpPlan {
                server_sends: true,
                ..tcp()
            },
            TcpPlan {
                watch_hops: true,
                ..tcp()
            },
            TcpPlan {
                max_rate_bps: Some(f64::NAN),
                ..tcp()
            },
            TcpPlan {
                congestion_control: Some("bbr".to_owned()),
                ..tcp()
            },
        ] {
            assert!(!more.is_no_more_than(&asked), "{more:?}");
        }
    }

    #[test]
    fn impossible_transfers_are_refused() {
        let limits = Limits::default();
        for plan in [
            TcpPlan { streams: 0, ..tcp() },
            TcpPlan {
                streams: 129,
                ..tcp()
            },
            TcpPlan {
                mss_bytes: Some(0),
                ..tcp()
            },
            TcpPlan {
                mss_bytes: Some(70_000),
                ..tcp()
            },
            TcpPlan {
                congestion_control: Some("cubic; rm".to_owned()),
                ..tcp()
            },
            TcpPlan {
                congestion_control: Some(String::new()),
                ..tcp()
            },
            TcpPlan {
                max_rate_bps: Some(-1.0),
                ..tcp()
            },
        ] {
            assert!(plan.within(&limits).is_err(), "{plan:?}");
        }
    }

    #[test]
    fn a_udp_stream_is_refused_rather_than_changed() {
        let plan = UdpPlan {
            server_sends: true,
            size_bytes: 1500,
            rate_bps: 1e6,
            duration_ms: 1_000,
        };
        assert_eq!(plan.check(&Limits::default()), Ok(()));
        assert_eq!(plan.packets(), 83);
        for (plan, limits) in [
            (
                UdpPlan {
                    size_bytes: 40,
                    ..plan
                },
                Limits::default(),
            ),
            (
                UdpPlan {
                    size_bytes: 65_536,
                    ..plan
                },
                Limits::default(),
            ),
            (
                UdpPlan {
                    rate_bps: 0.0,
                    ..plan
                },
                Limits::default(),
            ),
            (
                UdpPlan {
                    rate_bps: 2e8,
                    ..plan
                },
                STRICT,
            ),
            (
                UdpPlan {
                    duration_ms: 5_001,
                    ..plan
                },
                STRICT,
            ),
            (plan, STRICT),
        ] {
            assert!(plan.check(&limits).is_err(), "{plan:?}");
        }
    }
}
