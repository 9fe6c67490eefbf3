//! What a tool saw, before it is written in anybody's vocabulary.
//!
//! `emit` alone turns this into observations; everything else of this crate is untouched when the vocabulary changes.

use crate::physics::{TcpRun, TcpSetup, UdpRun, UdpSetup};

/// Somebody whom a record names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// A host: index into [`crate::map::Network::hosts`].
    Host(usize),
    /// The interface that receives from this link.
    Behind(usize),
    /// Hop of the former route: its index.
    Former(usize),
}

/// One TTL of a trace.
#[derive(Debug, Clone)]
pub struct Hop {
    /// The TTL.
    pub ttl: u8,
    /// Probes.
    pub sent: u16,
    /// Who is there, whether or not it answered.
    pub who: Who,
    /// Round-trip times of the answers, seconds.
    pub rtts_s: Vec<f64>,
}

/// What became of the probes of one size to one hop.
#[derive(Debug, Clone)]
pub struct Cell {
    /// TTL; `None`: to the destination.
    pub ttl: Option<u8>,
    /// Who should answer.
    pub who: Who,
    /// IP packet size, bytes.
    pub size_bytes: u32,
    /// Routers may cut it up.
    pub may_fragment: bool,
    /// Probes.
    pub sent: u16,
    /// Answers.
    pub answered: u16,
    /// Who said that it is too big, and which MTU it named.
    pub too_big: Option<(Who, u32)>,
}

/// How a hop was probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probed {
    /// Packets expire at it.
    Expiring,
    /// Packets are for it.
    Direct,
    /// It is the destination.
    Destination,
}

/// Many probes of one size to one hop.
#[derive(Debug, Clone)]
pub struct Row {
    /// How.
    pub probed: Probed,
    /// The TTL at which it is.
    pub ttl: u8,
    /// Who.
    pub who: Who,
    /// IP packet size, bytes.
    pub size_bytes: u32,
    /// Don't fragment; `None` where the tool does not say.
    pub whole: Option<bool>,
    /// Probes.
    pub sent: u64,
    /// Answers.
    pub answered: u64,
    /// Some of the round-trip times, seconds.
    pub rtts_s: Vec<f64>,
    /// Probes a second.
    pub rate_pps: f64,
    /// Who said that it is too big, and which MTU it named.
    pub too_big: Option<(Who, u32)>,
}

/// Counters of an interface.
#[derive(Debug, Clone)]
pub struct Counted {
    /// The link: the interface is the one that receives from it.
    pub link: usize,
    /// Packets received.
    pub packets: u64,
    /// Received with a wrong checksum.
    pub crc: u64,
    /// Received sound and dropped.
    pub no_buffer: u64,
    /// Dropped from the queue towards the other end of the link.
    pub output_drops: u64,
    /// Counting since, seconds before.
    pub counting_for_s: Option<u64>,
    /// Its configured rate, bit/s.
    pub bandwidth_bps: Option<f64>,
    /// Traffic received, bit/s.
    pub input_bps: Option<f64>,
    /// Half duplex.
    pub half_duplex: bool,
}

/// Settings and load of a host.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which host.
    pub host: usize,
    /// Largest receive buffer, bytes.
    pub receive_buffer_max: u64,
    /// Largest send buffer, bytes.
    pub send_buffer_max: u64,
    /// Its interface's MTU, bytes.
    pub mtu: u32,
    /// Its interface's speed, Mbit/s.
    pub speed_mbps: Option<u32>,
    /// Congestion control.
    pub control: &'static str,
    /// Busy share of all processors.
    pub busy: f64,
    /// Processors.
    pub cores: u32,
    /// Packets that its interface dropped for want of a buffer, since it came up.
    pub missed: u64,
    /// Packets that its interface received.
    pub packets: u64,
}

/// What a figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Round-trip time, seconds.
    Rtt,
    /// Capacity of a link, bit/s.
    LinkCapacity,
    /// Use of a link, 0 to 1.
    Utilisation,
    /// Packets lost, 0 to 1.
    LossRatio,
    /// Window of the receiver, bytes.
    ReceiveWindow,
    /// Rate of the transfer, bit/s.
    Rate,
    /// One write of the program, bytes.
    WriteBytes,
    /// Its pause, seconds.
    WritePause,
    /// Its rate within a write, bit/s.
    WriteRate,
}

/// What a series is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Rate, bit/s.
    Rate,
    /// Loss, 0 to 1.
    Loss,
    /// Round-trip time, seconds.
    Rtt,
}

/// What was seen.
#[derive(Debug, Clone)]
pub enum Seen {
    /// A route.
    Trace {
        /// From host.
        from: usize,
        /// To host.
        to: usize,
        /// The TTLs.
        hops: Vec<Hop>,
        /// Whether the destination answered.
        reached: bool,
        /// The path MTU that the tool concluded.
        path_mtu: Option<u32>,
    },
    /// Which sizes reach which hop.
    Sizes {
        /// From host.
        from: usize,
        /// To host.
        to: usize,
        /// MTU of the own interface.
        interface_mtu: u32,
        /// TTL of the destination, where it answered.
        destination_ttl: Option<u8>,
        /// The table.
        cells: Vec<Cell>,
    },
    /// Loss and delay per hop.
    Rows {
        /// From host.
        from: usize,
        /// To host.
        to: usize,
        /// A transfer ran meanwhile.
        loaded: bool,
        /// The table.
        rows: Vec<Row>,
    },
    /// A TCP transfer.
    Tcp {
        /// What was asked for.
        setup: TcpSetup,
        /// What happened.
        run: TcpRun,
        /// The program.
        program: &'static str,
    },
    /// A UDP stream.
    Udp {
        /// What was asked for.
        setup: UdpSetup,
        /// What happened.
        run: UdpRun,
    },
    /// One-way probes.
    OneWay {
        /// From host.
        from: usize,
        /// To host.
        to: usize,
        /// Packets sent.
        sent: u64,
        /// Packets lost.
        lost: u64,
        /// Packets that came late.
        reordered: u64,
        /// Least, median and largest delay by the hosts' clocks, seconds.
        delays_s: [f64; 3],
    },
    /// An interface's counters.
    Counters(Counted),
    /// The packets of one stream, counted behind some links of its way.
    Chain {
        /// The stream.
        setup: UdpSetup,
        /// What it counted.
        run: UdpRun,
        /// (index in the way, packets) of the points that somebody read.
        points: Vec<(usize, u64)>,
    },
    /// The sender's connection as its kernel lists it.
    Sockets {
        /// The transfer.
        setup: TcpSetup,
        /// What happened.
        run: TcpRun,
    },
    /// Settings of a host.
    Settings(Settings),
    /// A figure that somebody states.
    Said {
        /// From host.
        from: usize,
        /// To host.
        to: usize,
        /// Of what.
        figure: Figure,
        /// The value.
        value: f64,
        /// Who or what it is about.
        subject: Option<String>,
        /// In words.
        text: String,
    },
    /// A quantity over weeks: (days, value).
    Series {
        /// From host.
        from: usize,
        /// To host.
        to: usize,
        /// Of what.
        level: Level,
        /// The points.
        points: Vec<(f64, f64)>,
    },
    /// The history of the route from the sender to the receiver: days at which it was looked at, and whether it was the
    /// former one.
    Routes {
        /// (days, former).
        seen: Vec<(f64, bool)>,
    },
    /// Capacities of links as delay over size tells them: (index in the way, bit/s).
    Capacities {
        /// From host.
        from: usize,
        /// To host.
        to: usize,
        /// The estimates.
        rows: Vec<(usize, f64, f64)>,
    },
    /// A far end of ours was not there, and what was asked for could not be measured.
    Refused {
        /// Without a far end.
        no_far_end: bool,
    },
}

/// How a record came to the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Measured by slowpath.
    Own,
    /// Printed by another tool.
    Tool(&'static str),
}

/// A record of the case.
#[derive(Debug, Clone)]
pub struct Record {
    /// What was seen.
    pub seen: Seen,
    /// How it came.
    pub origin: Origin,
    /// The host on which it was made.
    pub vantage: usize,
    /// When, seconds after the case was opened.
    pub at_s: f64,
    /// How often it was handed in.
    pub copies: u32,
    /// What it says is not so: another time, another path, a slip of the pen.
    pub is_wrong: bool,
}
