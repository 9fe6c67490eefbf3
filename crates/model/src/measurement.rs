//! One quantity with its conditions, between places on the map, whoever made it.

use crate::density::log_mean_exp;
use crate::{ElementId, Fault, NodeId};
use evidence::{ObservationId, Transport};

/// What an observation says: one quantity, seen between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The sender of the packets.
    pub from: NodeId,
    /// Their receiver: a host, or the router that answers.
    pub to: NodeId,
    /// The elements that the packets cross, in order; hosts included.
    pub out: Vec<ElementId>,
    /// The elements that answers or acknowledgements cross.
    pub back: Vec<ElementId>,
    /// What was seen.
    pub seen: Seen,
    /// How much its maker is to be trusted.
    pub trust: Trust,
    /// Elements of its ways that it may not cross: its record names a host by its site alone, which may have others.
    pub maybe: Vec<ElementId>,
    /// Where equal routes were open to the packets: of each, the elements of `out` that it alone crosses. Which one they took
    /// is not known. Beside a transfer it is that transfer that had the choice.
    pub routes: Vec<Vec<ElementId>>,
    /// The observations that it comes from.
    pub cites: Vec<ObservationId>,
}

impl Measurement {
    /// The faults that the packets may have met, for each route that was open to them; `None` where that makes no difference.
    /// A router picks the route of a connection by a hash of its addresses and ports (RFC 2992): each is as likely.
    #[must_use]
    pub fn by_route(&self, faults: &[Fault]) -> Option<Vec<Vec<Fault>>> {
        let alone = |fault: &&Fault| self.routes.iter().any(|route| route.contains(&fault.element));
        faults.iter().any(|fault| alone(&fault)).then(|| {
            let met = |route: &Vec<ElementId>| {
                let meets = |fault: &&Fault| !alone(fault) || route.contains(&fault.element);
                faults.iter().filter(meets).copied().collect()
            };
            self.routes.iter().map(met).collect()
        })
    }

    /// The rate that was seen, if it is one.
    #[must_use]
    pub fn rate(&self) -> Option<&Rate> {
        match &self.seen {
            Seen::Rate(rate) => Some(rate),
            _ => None,
        }
    }

    /// The loss that was seen, if it is one.
    #[must_use]
    pub fn loss(&self) -> Option<&Loss> {
        match &self.seen {
            Seen::Loss(loss) => Some(loss),
            _ => None,
        }
    }

    /// The delivery that was seen, if it is one.
    #[must_use]
    pub fn delivery(&self) -> Option<&Delivery> {
        match &self.seen {
            Seen::Delivery(delivery) => Some(delivery),
            _ => None,
        }
    }

    /// The average of a likelihood over the routes that were open; all in natural logarithms.
    #[must_use]
    pub fn over_routes(&self, faults: &[Fault], at: impl Fn(&[Fault]) -> f64) -> f64 {
        match self.by_route(faults) {
            None => at(faults),
            Some(each) => log_mean_exp(&each.iter().map(|met| at(met)).collect::<Vec<_>>()),
        }
    }
}

/// How a figure came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// Printed by a program.
    Measured,
    /// Told by a person.
    Stated,
}

/// A quantity with its conditions.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// Rate of a transfer.
    Rate(Rate),
    /// Packets lost of packets sent.
    Loss(Loss),
    /// Whether packets of a size arrive.
    Delivery(Delivery),
    /// How much longer packets take while the path is loaded.
    Queue(Queue),
    /// How far delays scatter while nobody loads the path on purpose.
    Rest(Rest),
    /// Packets that somebody counted as gone.
    Count(Count),
    /// A setting of a host.
    Setting(Setting),
}

/// Time stamps in every segment (RFC 7323), bytes.
pub const OPTIONS_BYTES: f64 = 12.0;
/// IP and TCP header with time stamps (RFC 791, 9293), bytes.
pub const HEADER_BYTES: f64 = 40.0 + OPTIONS_BYTES;

/// Whether a rate is the rate, or bounds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// It is the rate.
    Exact,
    /// The rate was at least this: the test ended before it was steady, or was paced.
    AtLeast,
    /// The rate was at most this.
    AtMost,
}

/// Rate of one transfer, all its connections together.
#[derive(Debug, Clone, PartialEq)]
pub struct Rate {
    /// bit/s; 0 for a transfer that stood still.
    pub bps: f64,
    /// Whether it is the rate or a bound.
    pub bound: Bound,
    /// TCP or UDP.
    pub transport: Transport,
    /// Parallel connections.
    pub streams: f64,
    /// Window or socket buffer that was asked for, bytes per connection.
    pub window_bytes: Option<f64>,
    /// Segment size, bytes; `None`: the hosts' choice.
    pub mss_bytes: Option<f64>,
    /// Congestion control.
    pub control: Control,
    /// Smallest round-trip time between its ends, seconds.
    pub min_rtt_s: Option<f64>,
    /// What sends.
    pub program: Program,
    /// What the sender waited for, and other companions of the rate.
    pub waits: Waits,
}

impl Rate {
    /// A rate, bit/s, of which nothing else is known but the smallest round-trip time, seconds.
    #[must_use]
    pub fn bare(bps: f64, min_rtt_s: Option<f64>, program: Program) -> Self {
        Self {
            bps: bps.max(0.0),
            bound: Bound::Exact,
            transport: Transport::Tcp,
            streams: 1.0,
            window_bytes: None,
            mss_bytes: None,
            control: Control::Unknown,
            min_rtt_s,
            program,
            waits: Waits::default(),
        }
    }
}

/// What sends the data of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// A test program: from memory to memory.
    Test,
    /// An application that a record names: its disk, its protocol and its processor are part of the rate.
    Named,
    /// Nobody says which, nor over which transport: what a person gets.
    Unsaid,
}

/// What went with a TCP transfer. Each is `None` where nobody looked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Waits {
    /// Share of the busy time in which the receiver's window was the limit.
    pub receive_window: Option<f64>,
    /// Share of the busy time in which the send buffer was the limit.
    pub send_buffer: Option<f64>,
    /// Share of the time in which the sending program gave nothing to send.
    pub application: Option<f64>,
    /// Segments retransmitted, of segments sent.
    pub retransmitted: Option<(f64, f64)>,
    /// Round-trip time under this load over the smallest, less 1.
    pub rtt_growth: Option<f64>,
    /// The transfer stood still for whole retransmission timeouts, or to its end.
    pub stalled: Option<bool>,
    /// Share of its time in which nothing arrived for several round trips, between times in which much did.
    pub silent: Option<f64>,
    /// The busiest thread at sender and receiver, share of a core.
    pub processor: (Option<f64>, Option<f64>),
}

/// Congestion control of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Control {
    /// Reno and its kin (RFC 5681).
    Reno,
    /// CUBIC (RFC 9438).
    Cubic,
    /// BBR: loss does not slow it until there is much.
    Bbr,
    /// Nobody told.
    Unknown,
}

/// Packets lost of packets sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loss {
    /// Sent.
    pub sent: f64,
    /// Lost.
    pub lost: f64,
    /// Rate at which they were sent, bit/s; `None`: few packets, such as pings.
    pub offered_bps: Option<f64>,
    /// Arrived after a packet sent later (RFC 4737), where the receiver counts such.
    pub reordered: Option<f64>,
    /// The answer must come back as well.
    pub round_trip: bool,
    /// A router answers, which may not want to.
    pub router_answers: bool,
    /// Something else loaded the path meanwhile.
    pub under_load: bool,
    /// IP packet size, bytes.
    pub size_bytes: Option<f64>,
    /// Dropped by the receiving host, by its own count, and not among the lost; `None` where nobody read its counters.
    pub host_dropped: Option<f64>,
    /// Packets lost in a row, mean, where somebody counted runs on this way: so many losses are one event.
    pub mean_run: Option<f64>,
    /// How long such a run of this stream lasted, mean, seconds.
    pub run_s: Option<f64>,
    /// Packets sent per second; `None` where nobody told.
    pub pps: Option<f64>,
    /// Median one-way delay of a stream above its smallest, seconds; `None` where nobody stamped its packets.
    pub queued_s: Option<f64>,
}

/// Whether packets of a size arrive.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// IP packet size, bytes.
    pub size_bytes: f64,
    /// Whether routers might fragment them.
    pub dont_fragment: bool,
    /// The MTU of the sender's interface, bytes: it cuts larger packets into fragments itself, if it may.
    pub sender_mtu_bytes: f64,
    /// Probes sent.
    pub sent: f64,
    /// Probes answered.
    pub answered: f64,
    /// A router said "fragmentation needed", or the own host knew: nobody is left in the dark.
    pub told: bool,
    /// A router answers, which may refuse large packets.
    pub router_answers: bool,
}

impl Delivery {
    /// Whether the sender cuts it into fragments.
    #[must_use]
    pub fn is_fragmented(&self) -> bool {
        !self.dont_fragment && self.size_bytes > self.sender_mtu_bytes
    }

    /// The largest packet that it travels in, bytes.
    #[must_use]
    pub fn packet_bytes(&self) -> f64 {
        if self.is_fragmented() {
            self.sender_mtu_bytes
        } else {
            self.size_bytes
        }
    }
}

/// Delay above the smallest, while the path is loaded by a transfer.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    /// Delay above the smallest, seconds.
    pub above_min_s: f64,
    /// The smallest delay, seconds.
    pub min_s: f64,
    /// The transfer that loads the path.
    pub load: Rate,
    /// The elements that the load crosses, hosts included.
    pub load_out: Vec<ElementId>,
}

impl Queue {
    /// The load as a measurement of its own: it goes on where probes of a router stop.
    #[must_use]
    pub fn load_way(&self, probes: &Measurement) -> Measurement {
        Measurement {
            out: self.load_out.clone(),
            seen: Seen::Rate(self.load.clone()),
            ..probes.clone()
        }
    }
}

/// How far the delays of packets scatter while the one who asks loads nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Rest {
    /// The median delay above the smallest, seconds.
    pub above_min_s: f64,
    /// A host answers: it may sleep or be busy.
    pub by_host: bool,
}

/// Packets that somebody counted as gone: an interface of those that it received or sent, or two counters along a path of
/// those that passed the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Count {
    /// Gone.
    pub bad: f64,
    /// Of so many packets.
    pub of: f64,
    /// What became of them, as far as the counter tells.
    pub what: Counted,
    /// Counted while the path was looked at; otherwise since an unknown or long time.
    pub fresh: bool,
    /// The rate at which the packets came, as a share of the highest at which any were counted there; 1 where nobody told.
    pub load: f64,
    /// Which test or counter it is, in the words of its record.
    pub label: String,
    /// What its record remarks on the packets that are gone, as printed.
    pub remark: Option<String>,
}

/// What became of packets that somebody counted as gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    /// They came in damaged: checksum, framing.
    Damaged,
    /// They came in sound, and the device had no room for them.
    Dropped,
    /// They found the queue of an outgoing link full.
    Overflowed,
    /// A later counter misses them.
    Missing,
}

/// A setting of a host, read or told.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Which parameter it sets.
    pub kind: crate::Kind,
    /// Its value, in the kind's unit.
    pub value: f64,
    /// Of a limit that holds for every connection between two hosts, their smallest round-trip time, seconds; `None` for what
    /// a host allows anybody, for one moment of a connection, and where nobody knows the distance.
    pub min_rtt_s: Option<f64>,
}
