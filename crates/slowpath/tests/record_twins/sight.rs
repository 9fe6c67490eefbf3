//! How far the usual tools can see in each set: what may be claimed of its text alone, and no more.

use std::fmt;

/// What the text shows of the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Nothing: there is no fault, or none that these records show.
    Nothing,
    /// Its family, but not where on the path.
    Path,
    /// Its family, and a place of so many links; 0 is a host.
    Links(usize),
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(f, "no fault"),
            Self::Path => write!(f, "the family, somewhere on the path"),
            Self::Links(0) => write!(f, "the family and the host"),
            Self::Links(1) => write!(f, "the family and the link"),
            Self::Links(links) => write!(f, "the family and a stretch of {links} links"),
        }
    }
}

/// A line of the table.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(crate) set: &'static str,
    /// By what the users of the two hosts can print.
    pub(crate) users: Reach,
    /// With the counters of the routers.
    pub(crate) operators: Reach,
    pub(crate) why: &'static str,
}

const fn healthy(set: &'static str, why: &'static str) -> Sight {
    Sight {
        set,
        users: Reach::Nothing,
        operators: Reach::Nothing,
        why,
    }
}

/// All sets, in the order of their names.
pub(crate) const SIGHTS: &[Sight] = &[
    Sight {
        set: "capacity-100m",
        users: Reach::Path,
        operators: Reach::Links(1),
        why: "TCP gets what UDP of two higher rates leaves of itself; no tool of the users looks at hops under load. \
              Routers count fewer packets behind the link than before it",
    },
    healthy(
        "healthy-red-herrings",
        "three hops answer badly, and everything passes them",
    ),
    Sight {
        set: "loss-long-rtt",
        users: Reach::Path,
        operators: Reach::Links(1),
        why: "TCP resends a few of 100,000 segments, and UDP below the path's rate loses as few; twenty pings to each hop \
              lose none. Routers' counters differ by these few packets",
    },
    healthy(
        "near-miss-mtu-step-down",
        "large packets end at a router that says so, and TCP heeds it",
    ),
    healthy(
        "near-miss-reverse-loss",
        "one acknowledgement in 200 is lost, which TCP does not feel",
    ),
    healthy(
        "near-miss-window",
        "the window is small, and larger than the path's product",
    ),
    Sight {
        set: "nrao-sarao-2021",
        users: Reach::Links(1),
        operators: Reach::Links(1),
        why: "packets of 9000 bytes are answered up to the last hop before the link, those of 1500 behind it as well",
    },
    healthy(
        "nrao-sarao-2021+fix",
        "the interface takes what the other side sends",
    ),
    Sight {
        set: "nrao-sarao-2021-170ms",
        users: Reach::Links(1),
        operators: Reach::Links(1),
        why: "packets of 9000 bytes are answered up to the last hop before the link, those of 1500 behind it as well",
    },
    Sight {
        set: "pmtud-icmp-filtered",
        users: Reach::Links(1),
        operators: Reach::Links(1),
        why: "packets of 9000 bytes are answered up to the last hop before the link, those of 1500 behind it as well",
    },
    Sight {
        set: "receive-window-132k",
        users: Reach::Links(0),
        operators: Reach::Links(0),
        why: "the sender's ss says how long it waited for the receiver's window, and how large that is",
    },
    healthy(
        "receive-window-132k+fix",
        "the window is larger than the path's product",
    ),
];
