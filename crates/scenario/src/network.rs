//! What a network is made of: hosts and routers, links, and what happens to packets in each direction of a link.

use std::net::IpAddr;

use crate::change::{DirectionChange, Loss, Policer, Reorder, SettingsChange};

/// Index of a node in [`crate::Scenario::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub usize);

/// Index of a link in [`crate::Scenario::links`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub usize);

/// One of the two ends of a link. As a direction: the one that leaves from this end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The end written as `a`; the direction `a_to_b`.
    A,
    /// The end written as `b`; the direction `b_to_a`.
    B,
}

impl Side {
    /// Both sides, in the order of the arrays in [`Link`].
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// The opposite end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// Position in the arrays of [`Link`].
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
        }
    }
}

/// What a node does with packets that are not for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Drops them; measurements start and end here.
    Host,
    /// Forwards them.
    Router,
}

/// A host or a router.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name; in DNS too, when `in_dns`.
    pub name: String,
    /// Host or router.
    pub role: Role,
    /// Whether its addresses resolve to its name and back.
    pub in_dns: bool,
    /// Addresses of the node itself (on its loopback), in addition to those of its link ends.
    pub addresses: Vec<IpAddr>,
    /// Its behaviour and limits.
    pub settings: Settings,
}

/// Behaviour and limits of a node. See [`SettingsChange`] for the meaning of each field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Never says "time exceeded".
    pub no_time_exceeded: bool,
    /// Says nothing at all itself.
    pub mute: bool,
    /// ICMP errors a second, `None` for practically unlimited.
    pub icmp_rate_limit_per_s: Option<u32>,
    /// Ignores echo requests to itself above this IP packet size in bytes.
    pub ignores_echo_over_bytes: Option<u32>,
    /// Never says "fragmentation needed".
    pub no_frag_needed: bool,
    /// Drops TCP and UDP that it did not ask for.
    pub firewalled: bool,
    /// TCP receive buffer limit in bytes.
    pub tcp_rmem_max: u32,
    /// TCP send buffer limit in bytes.
    pub tcp_wmem_max: u32,
    /// TCP congestion control.
    pub congestion_control: String,
    /// TCP's own path-MTU probing, 0 to 2.
    pub tcp_mtu_probing: u8,
    /// Share of each `cpu_period_ns` in which the node's programs run, 0 to 100 percent.
    pub cpu_percent: u8,
    /// Length of one turn of running and standing still, in ns.
    pub cpu_period_ns: u64,
}

impl Default for Settings {
    /// A well-tuned host and a talkative router: the fault of a scenario must be the only one.
    fn default() -> Self {
        Self {
            no_time_exceeded: false,
            mute: false,
            icmp_rate_limit_per_s: None,
            ignores_echo_over_bytes: None,
            no_frag_needed: false,
            firewalled: false,
            tcp_rmem_max: 64 << 20,
            tcp_wmem_max: 64 << 20,
            congestion_control: "cubic".to_owned(),
            tcp_mtu_probing: 0,
            cpu_percent: 100,
            cpu_period_ns: 100_000_000,
        }
    }
}

impl Settings {
    /// Takes over the fields that `change` sets. A limit of 0 removes `ignores_echo_over_bytes` and
    /// `icmp_rate_limit_per_s`.
    pub fn apply(&mut self, change: &SettingsChange) {
        fn set<T: Clone>(to: &mut T, from: &Option<T>) {
            if let Some(value) = from {
                to.clone_from(value);
            }
        }
        fn limit(to: &mut Option<u32>, from: Option<u32>) {
            if let Some(value) = from {
                *to = (value > 0).then_some(value);
            }
        }
        set(&mut self.no_time_exceeded, &change.no_time_exceeded);
        set(&mut self.mute, &change.mute);
        limit(&mut self.icmp_rate_limit_per_s, change.icmp_rate_limit_per_s);
        limit(&mut self.ignores_echo_over_bytes, change.ignores_echo_over_bytes);
        set(&mut self.no_frag_needed, &change.no_frag_needed);
        set(&mut self.firewalled, &change.firewalled);
        set(&mut self.tcp_rmem_max, &change.tcp_rmem_max);
        set(&mut self.tcp_wmem_max, &change.tcp_wmem_max);
        set(&mut self.congestion_control, &change.congestion_control);
        set(&mut self.tcp_mtu_probing, &change.tcp_mtu_probing);
        set(&mut self.cpu_percent, &change.cpu_percent);
        set(
            &mut self.cpu_period_ns,
            &change.cpu_period.map(|period| period.ns),
        );
    }
}

/// A link between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The ends a and b.
    pub ends: [End; 2],
    /// What happens to packets from a to b, and from b to a.
    pub directions: [Direction; 2],
    /// Whether segmentation offloads stay on. They make one "packet" of up to 64 kB where a real network has
    /// many, so they are off unless a file wants throughput and nothing else.
    pub offloads: bool,
    /// Whether any direction has, or will get by the timeline, a property that a plain wire lacks.
    pub emulated: bool,
}

impl Link {
    /// The end on this side.
    #[must_use]
    pub fn end(&self, side: Side) -> &End {
        &self.ends[side.index()]
    }

    /// The direction that leaves from this side.
    #[must_use]
    pub fn from_side(&self, side: Side) -> &Direction {
        &self.directions[side.index()]
    }

    /// The side on which `node` sits, if it is an end of this link.
    #[must_use]
    pub fn side_of(&self, node: NodeId) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.end(*side).node == node)
    }
}

/// One end of a link: an interface of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The node.
    pub node: NodeId,
    /// Its addresses on this interface, at most one of each family.
    pub addresses: Vec<IpAddr>,
    /// Largest IP packet that the node sends into this link.
    pub mtu_bytes: u32,
}

/// What happens to packets in one direction of a link. See [`DirectionChange`] for the meaning of each field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Direction {
    /// Serialisation rate in bit/s, `None` for unlimited.
    pub rate_bps: Option<u64>,
    /// One-way delay in ns.
    pub delay_ns: u64,
    /// Queue limit in bytes; meaningless without a rate.
    pub queue_bytes: Option<u64>,
    /// Largest IP packet that the far interface takes.
    pub accept_bytes: Option<u32>,
    /// Loss on the wire.
    pub loss: Loss,
    /// Packets held back.
    pub reorder: Option<Reorder>,
    /// Share of packets that arrive twice.
    pub duplicate_ratio: f64,
    /// Share of packets that arrive with a flipped bit.
    pub corrupt_ratio: f64,
    /// Token bucket in front of the queue.
    pub policer: Option<Policer>,
}

impl Direction {
    /// Shortest default queue: one full GSO burst must fit, or the sender's own burst is lost at its first link.
    const MIN_DEFAULT_QUEUE_BYTES: u64 = 65_536;

    /// Takes over the fields that `change` sets.
    pub fn apply(&mut self, change: &DirectionChange) {
        self.rate_bps = change.rate.map(|r| r.bps).or(self.rate_bps);
        self.delay_ns = change.delay.map_or(self.delay_ns, |d| d.ns);
        self.queue_bytes = change.queue_bytes.or(self.queue_bytes);
        self.accept_bytes = change.accept_bytes.or(self.accept_bytes);
        self.loss = change.loss.unwrap_or(self.loss);
        self.reorder = change.reorder.or(self.reorder);
        self.duplicate_ratio = change.duplicate.unwrap_or(self.duplicate_ratio);
        self.corrupt_ratio = change.corrupt.unwrap_or(self.corrupt_ratio);
        self.policer = change.policer.or(self.policer);
    }

    /// The queue limit in bytes that is in force: the given one, or 50 ms of the rate and at least 64 kB.
    /// `None` without a rate, because nothing queues then.
    #[must_use]
    pub fn effective_queue_bytes(&self) -> Option<u64> {
        let rate_bps = self.rate_bps?;
        Some(
            self.queue_bytes
                .unwrap_or((rate_bps / 8 / 20).max(Self::MIN_DEFAULT_QUEUE_BYTES)),
        )
    }

    /// The longest time a packet can wait in the queue, in ns. `None` without a rate.
    #[must_use]
    pub fn queue_time_ns(&self) -> Option<u64> {
        let bytes = self.effective_queue_bytes()?;
        Some((u128::from(bytes) * 8_000_000_000 / u128::from(self.rate_bps?)) as u64)
    }
}
