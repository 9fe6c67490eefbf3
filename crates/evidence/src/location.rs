//! Where on the path something is, in words that two networks agree on: ends, hops and links by hop number,
//! address and name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::IpAddr;

/// One of the two ends of the transfer complained about: bytes flow from `From` to `To`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The end that sends the data.
    From,
    /// The end that receives the data.
    To,
}

impl End {
    /// The other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::From => Self::To,
            Self::To => Self::From,
        }
    }

    /// The direction of packets that this end sends to the other.
    #[must_use]
    pub fn outbound(self) -> Direction {
        match self {
            Self::From => Direction::Forward,
            Self::To => Direction::Reverse,
        }
    }
}

/// A direction relative to the transfer complained about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// With the data: from the sender to the receiver.
    Forward,
    /// Against the data: the way of the acknowledgements.
    Reverse,
    /// In both directions, or a matter in which direction has no part.
    Both,
    /// In one direction or the other: what was measured does not tell which.
    Either,
}

/// A hop as a traceroute shows it. The number counts from the vantage that saw it (1 is the first router).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct HopRef {
    /// The TTL at which it answers; 0 is the vantage itself.
    pub ttl: u8,
    /// Its address; `None` for a hop that never answered, or of which a record tells the name only.
    pub address: Option<IpAddr>,
    /// Its name in the DNS, where it has one.
    pub name: Option<String>,
}

impl fmt::Display for HopRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.address) {
            (Some(name), Some(address)) => write!(f, "hop {} ({name}, {address})", self.ttl),
            (None, Some(address)) => write!(f, "hop {} ({address})", self.ttl),
            // A record may tell a name and no address: the hop answered.
            (Some(name), None) => write!(f, "hop {} ({name})", self.ttl),
            (None, None) => write!(f, "hop {} (silent)", self.ttl),
        }
    }
}

/// Where a fault sits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Location {
    /// One of the two hosts.
    Host {
        /// Which of them.
        end: End,
    },
    /// A single hop.
    Hop {
        /// The hop.
        hop: HopRef,
    },
    /// The stretch between two hops. When their TTLs differ by one it is a single link; otherwise the hops
    /// between did not answer and the fault is on one of the links of the stretch.
    Link {
        /// The last hop before the fault, seen from the vantage.
        before: HopRef,
        /// The first hop behind the fault.
        after: HopRef,
    },
    /// The stretch between two points at which packets were counted, in the words of the record. The hops that it
    /// corresponds to are not known.
    Segment {
        /// The last point before the fault: `GEANT: GEANT (US) -> GEANT (UK)`.
        before: String,
        /// The first point behind it.
        after: String,
    },
    /// An interface of a router, switch or host.
    Interface {
        /// The device, as the record names it.
        device: String,
        /// The interface: `ATM5/0`.
        interface: String,
        /// The hop of the route that the device is, where it could be told.
        hop: Option<HopRef>,
    },
    /// A host that is none of the two ends: of another transfer that the records tell of.
    OtherHost {
        /// Its name or address.
        name: String,
    },
    /// Somewhere on the path: the evidence does not say where.
    Path,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host { end: End::From } => write!(f, "the sending host"),
            Self::Host { end: End::To } => write!(f, "the receiving host"),
            Self::Hop { hop } => write!(f, "{hop}"),
            Self::Link { before, after } => write!(f, "between {before} and {after}"),
            Self::Segment { before, after } => write!(f, "between the counters {before} and {after}"),
            Self::Interface {
                device, interface, ..
            } => write!(f, "interface {interface} of {device}"),
            Self::OtherHost { name } => write!(f, "the host {name}"),
            Self::Path => write!(f, "somewhere on the path"),
        }
    }
}
