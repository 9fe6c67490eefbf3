//! A network: hosts, routers, directed links, and the ways that packets take.
//!
//! One backbone from the sender (position 0) to the receiver (the last position), other hosts that hang on its routers,
//! and now and then another way back.

use std::net::Ipv4Addr;

/// A router or a host.
#[derive(Debug, Clone)]
pub struct Node {
    /// The name without that of an interface; `None`: its network names nothing.
    pub name: Option<String>,
    /// The network that it belongs to, a number.
    pub site: usize,
    /// How it answers probes.
    pub manners: Manners,
}

/// How a node answers probes. It forwards all the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manners {
    /// Probability that a probe now and then is answered; 0: silent.
    pub answers: f64,
    /// Answers a second at most.
    pub limit_pps: Option<f64>,
    /// Whether large echo requests to its own address are answered.
    pub answers_large: bool,
    /// Whether large datagrams to closed ports are answered, where it is a host.
    pub answers_large_datagrams: bool,
    /// What its busy processor adds to an answer, on average, seconds.
    pub slow_s: f64,
    /// Whether it sends "fragmentation needed" that arrives.
    pub says_too_big: bool,
}

/// One direction of a link.
#[derive(Debug, Clone)]
pub struct Link {
    /// The node before it.
    pub from: usize,
    /// The node behind it.
    pub to: usize,
    /// The other direction.
    pub mirror: usize,
    /// Address of the interface that receives: what a router answers expired packets with.
    pub address: Ipv4Addr,
    /// Name of that interface.
    pub interface: String,
    /// What it carries, bit/s.
    pub capacity_bps: f64,
    /// Share of it that others use, 0 to 1.
    pub busy: f64,
    /// How much that share swings.
    pub swings: f64,
    /// Room in the queue before it, seconds at its capacity.
    pub queue_s: f64,
    /// Propagation, seconds.
    pub delay_s: f64,
    /// Packets lost at any load, ratio.
    pub loss: f64,
    /// Packets lost beyond a rate: (bit/s at which it begins, ratio at ten times that rate).
    pub load_loss: Option<(f64, f64)>,
    /// A policer: (bit/s, burst in bytes).
    pub policer: Option<(f64, f64)>,
    /// A shaper that gives each flow its own queue: bit/s for each.
    pub flow_bps: Option<f64>,
    /// The largest IP packet that passes, bytes.
    pub mtu: u32,
    /// What its sending end believes that it carries, bytes: what is larger than `mtu` and not larger than this vanishes.
    pub believed_mtu: u32,
    /// Whether packets that are fragments pass.
    pub fragments_pass: bool,
    /// Share of packets that arrive late enough to look lost.
    pub reorders: f64,
    /// Mean time that the receiving end sleeps when little comes, seconds.
    pub sleeps_s: f64,
    /// Share of the time in which it moves data at all.
    pub awake: f64,
    /// Whether its receiving interface counts what it loses as errors.
    pub counts_errors: bool,
    /// Errors counted in the past, in the interface's life.
    pub old_errors: u64,
}

/// A host that tests start or end at.
#[derive(Debug, Clone)]
pub struct Host {
    /// Its node.
    pub node: usize,
    /// Its address.
    pub address: Ipv4Addr,
    /// The position on the backbone where it is, or where it hangs on.
    pub at: usize,
    /// The links to that position and back; `None` for the two ends.
    pub access: Option<(usize, usize)>,
    /// Properties of the machine.
    pub machine: Machine,
}

/// What a host can do.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Largest receive window, bytes.
    pub window_bytes: f64,
    /// Largest send buffer that TCP may fill, bytes.
    pub send_buffer_bytes: f64,
    /// What a program here reads, bit/s.
    pub reads_bps: f64,
    /// What its processor sends or receives, bit/s.
    pub cpu_bps: f64,
    /// A program that writes and pauses: (bytes, seconds).
    pub rhythm: Option<(f64, f64)>,
    /// Congestion control as a sender.
    pub control: Control,
    /// MTU of its interface, bytes.
    pub mtu: u32,
    /// Share of packets that it drops after they arrived, at and above the given rate.
    pub drops: Option<(f64, f64)>,
    /// Falls back to small segments in a black hole (RFC 4821).
    pub probes_mtu: bool,
    /// Files come from a disk at this rate, bit/s.
    pub disk_bps: f64,
    /// What a transfer waits before its first byte, seconds.
    pub start_s: f64,
    /// Error of its clock: (seconds, seconds per second).
    pub clock: (f64, f64),
}

/// Congestion control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// RFC 9438.
    Cubic,
    /// RFC 5681.
    Reno,
    /// Paced by a model of the path; single losses do not slow it.
    Bbr,
}

impl Control {
    /// Linux's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cubic => "cubic",
            Self::Reno => "reno",
            Self::Bbr => "bbr",
        }
    }
}

/// Another way back between two positions of the backbone.
#[derive(Debug, Clone)]
pub struct WayBack {
    /// Position at which it joins, nearer to the sender.
    pub join: usize,
    /// Position at which it leaves.
    pub leave: usize,
    /// Its links, from `leave` to `join`.
    pub links: Vec<usize>,
}

/// The whole network.
#[derive(Debug, Clone)]
pub struct Network {
    /// Hosts and routers.
    pub nodes: Vec<Node>,
    /// Directed links.
    pub links: Vec<Link>,
    /// Nodes from the sender to the receiver.
    pub backbone: Vec<usize>,
    /// Link from position i to i + 1.
    pub forward: Vec<usize>,
    /// Another way back.
    pub way_back: Option<WayBack>,
    /// The sender, the receiver, and others.
    pub hosts: Vec<Host>,
}

/// Index of the sender of the complaint in [`Network::hosts`].
pub const SENDER: usize = 0;
/// Index of its receiver.
pub const RECEIVER: usize = 1;

impl Network {
    /// The links that packets take from one host to another.
    #[must_use]
    pub fn way(&self, from: usize, to: usize) -> Vec<usize> {
        let (x, y) = (&self.hosts[from], &self.hosts[to]);
        let mut links: Vec<usize> = x.access.iter().map(|access| access.0).collect();
        links.extend(self.along(x.at, y.at));
        links.extend(y.access.iter().map(|access| access.1));
        links
    }

    /// The links between two positions of the backbone.
    fn along(&self, from: usize, to: usize) -> Vec<usize> {
        let back = |range: std::ops::Range<usize>| range.rev().map(|i| self.links[self.forward[i]].mirror);
        if from <= to {
            return self.forward[from..to].to_vec();
        }
        match &self.way_back {
            Some(other) if from >= other.leave && to <= other.join => back(other.leave..from)
                .chain(other.links.iter().copied())
                .chain(back(to..other.join))
                .collect(),
            _ => back(to..from).collect(),
        }
    }

    /// The links by which the answer of the node behind `way[index]` comes back to the host that sent the probe.
    #[must_use]
    pub fn answer_way(&self, way: &[usize], index: usize, host: usize) -> Vec<usize> {
        let node = self.links[way[index]].to;
        if let Some(other) = self.hosts.iter().position(|h| h.node == node) {
            return self.way(other, host);
        }
        let vantage = &self.hosts[host];
        match self.backbone.iter().position(|n| *n == node) {
            Some(position) => {
                let mut links = self.along(position, vantage.at);
                links.extend(vantage.access.iter().map(|access| access.1));
                links
            }
            None => way[..=index]
                .iter()
                .rev()
                .map(|link| self.links[*link].mirror)
                .collect(),
        }
    }

    /// Propagation along links, seconds.
    #[must_use]
    pub fn delay_s(&self, way: &[usize]) -> f64 {
        way.iter().map(|link| self.links[*link].delay_s).sum()
    }

    /// Round-trip time at rest between two hosts, seconds.
    #[must_use]
    pub fn rtt_s(&self, a: usize, b: usize) -> f64 {
        self.delay_s(&self.way(a, b)) + self.delay_s(&self.way(b, a)) + 0.000_1
    }

    /// The host at a node.
    #[must_use]
    pub fn host_at(&self, node: usize) -> Option<usize> {
        self.hosts.iter().position(|host| host.node == node)
    }

    /// The DNS name that the interface receiving from `link` has.
    #[must_use]
    pub fn name_behind(&self, link: usize) -> Option<String> {
        let link = &self.links[link];
        let name = self.nodes[link.to].name.as_ref()?;
        Some(match self.host_at(link.to) {
            Some(_) => name.clone(),
            None => format!("{}.{name}", link.interface.replace('/', "-")),
        })
    }
}
