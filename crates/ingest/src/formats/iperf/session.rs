//! One test of iperf as its output tells it, before anything is summed.

use evidence::{Node, RateBps, Timestamp};
use std::collections::BTreeMap;

/// Which way the data of a stream go, seen from the host that printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    Out,
    In,
}

impl Way {
    pub(super) fn reversed_if(self, reverse: bool) -> Self {
        match (self, reverse) {
            (way, false) => way,
            (Self::Out, true) => Self::In,
            (Self::In, true) => Self::Out,
        }
    }
}

/// What kind of figures a line has behind the rate: they tell the protocol, and who prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Shape {
    #[default]
    Plain,
    /// Retransmissions.
    TcpSender,
    /// Sizes of reads.
    TcpReceiver,
    /// A count of datagrams.
    UdpSender,
    /// Jitter, and how many of how many were lost.
    UdpReceiver,
    /// Requests are sent now and then, and come back: the rate says nothing, their times do.
    Bounced,
}

impl Shape {
    pub(super) fn is_udp(self) -> Option<bool> {
        match self {
            Self::Plain => None,
            Self::TcpSender | Self::TcpReceiver | Self::Bounced => Some(false),
            Self::UdpSender | Self::UdpReceiver => Some(true),
        }
    }
}

/// A line of figures.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) rate_bps: f64,
    pub(super) shape: Shape,
    pub(super) retransmits: Option<u64>,
    pub(super) cwnd_bytes: Option<u64>,
    pub(super) rtt_ns: Option<u64>,
    pub(super) jitter_ns: Option<u64>,
    pub(super) lost: Option<u64>,
    pub(super) datagrams: Option<u64>,
}

impl Figures {
    pub(super) fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

/// A figure that is told once. Told again, it is the same, or neither counts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Told {
    #[default]
    Nothing,
    Once(Figures),
    Differently,
}

impl Told {
    /// `false`: it was told differently before.
    pub(super) fn tell(&mut self, figures: Figures) -> bool {
        match *self {
            Self::Nothing => *self = Self::Once(figures),
            Self::Once(before) if before == figures => {}
            Self::Once(_) => *self = Self::Differently,
            Self::Differently => {}
        }
        *self != Self::Differently
    }

    pub(super) fn or(self, other: Self) -> Option<Figures> {
        self.get().or(other.get())
    }

    pub(super) fn get(self) -> Option<Figures> {
        match self {
            Self::Once(figures) => Some(figures),
            Self::Nothing | Self::Differently => None,
        }
    }
}

/// One test: connections that were made together.
#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    pub(super) lines: (u64, u64),
    pub(super) is_iperf3: bool,
    pub(super) tool: Option<String>,
    pub(super) at: Option<Timestamp>,
    /// There is the heading of a server, of a client; both where iperf 2 tests both ways.
    pub(super) serves: bool,
    pub(super) asks: bool,
    /// The command that printed it is there: what it does not say was not asked for.
    pub(super) has_command: bool,
    /// The server's port.
    pub(super) port: Option<u16>,
    /// The other host, as the user named it.
    pub(super) named: Option<String>,
    /// Where iperf3 says that it connects to.
    pub(super) connecting: Option<String>,
    /// The host at whose prompt the client was started.
    pub(super) place: Option<String>,
    pub(super) udp: Option<bool>,
    /// Neither TCP nor UDP: SCTP.
    pub(super) is_other: bool,
    pub(super) reverse: bool,
    pub(super) interrupted: bool,
    /// A server's client ended the test before its time.
    pub(super) client_left: bool,
    /// A line of figures could not be read: sums over the rest are not the whole.
    pub(super) has_holes: bool,
    /// What stands behind a rate could not be read.
    pub(super) is_odd: bool,
    /// `Sent` and `Received` stand above its totals, as the first versions of iperf3 print them.
    pub(super) has_sides: bool,
    /// Connections of several tests are made before any has figures.
    pub(super) is_mixed: bool,
    /// A server's connections overlap with those of another test.
    pub(super) overlaps: bool,
    pub(super) window_bytes: Option<u64>,
    pub(super) mss_bytes: Option<u32>,
    pub(super) default_mss_bytes: Option<u32>,
    pub(super) target_bps: Option<RateBps>,
    pub(super) congestion_control: Option<String>,
    pub(super) streams: Vec<Stream>,
    /// What the server says of the test above (`--get-server-output`).
    pub(super) is_far_output: bool,
    /// The tool's own sums: as streams with an id that begins with `SUM`.
    pub(super) sums: Vec<Stream>,
}

impl Session {
    pub(super) fn has_figures(&self) -> bool {
        self.streams.iter().chain(&self.sums).any(Stream::has_figures)
    }

    /// Whether another output is the other end's of the same connections.
    pub(super) fn is_told_by(&self, far: &Self) -> bool {
        let mut all = far.streams.iter();
        self.asks != far.asks
            && !far.streams.is_empty()
            && all.all(|other| self.streams.iter().any(|near| near.is_other_end_of(other)))
    }

    /// Takes what the other end says of the same test: the totals that are missing here. `false`: there is no test for it to be of.
    pub(super) fn join(&mut self, far: &Self) -> bool {
        if !self.has_figures() || self.serves {
            return false;
        }
        let is_alone = self.streams.len() == 1 && far.streams.len() == 1;
        for near in &mut self.streams {
            let is_same =
                |other: &&Stream| near.tagged.is_none() && (near.is_other_end_of(other) || is_alone);
            if let Some(other) = far.streams.iter().find(is_same) {
                // An end that was not told what the other did prints zeros.
                let told = |told: Told| told.get().filter(|total| total.rate_bps > 0.0).map(Told::Once);
                for (own, others) in [(&mut near.sent, other.sent), (&mut near.received, other.received)] {
                    if *own == Told::Nothing {
                        *own = told(others).unwrap_or_default();
                    }
                }
            }
        }
        self.lines.1 = far.lines.1;
        true
    }

    /// Whether it is the heading of a server and nothing else.
    pub(super) fn is_idle(&self) -> bool {
        self.serves && !self.asks && self.named.is_none() && self.streams.is_empty() && self.sums.is_empty()
    }

    /// The settings for a further test under the same heading (a server serves many).
    pub(super) fn successor(&self, line: u64) -> Self {
        Self {
            lines: (line, line),
            streams: Vec::new(),
            sums: Vec::new(),
            at: None,
            has_holes: false,
            overlaps: false,
            is_mixed: false,
            is_far_output: false,
            ..self.clone()
        }
    }

    /// A stream without a line of its own: between the hosts of its siblings, where all of them are between the same two. A
    /// server of iperf 2 may serve several clients.
    pub(super) fn unannounced(&self, id: &str) -> Stream {
        let mut stream = Stream {
            id: id.to_owned(),
            ..Stream::default()
        };
        let own = self.streams.iter().find(|other| other.base() == base(id));
        let between_two = self.is_iperf3 || self.asks && !self.serves;
        if let Some(sibling) = own.or(self.streams.first().filter(|_| between_two)) {
            stream.local = sibling.local.clone();
            stream.remote = sibling.remote.clone();
        }
        // Connections of one test of iperf3 are made by the same end.
        if let Some(own) = own.or(self.streams.first().filter(|_| self.is_iperf3)) {
            (stream.local_port, stream.remote_port) = (own.local_port, own.remote_port);
        }
        if let Some(own) = own {
            (stream.mss_bytes, stream.rtt_ns) = (own.mss_bytes, own.rtt_ns);
        }
        stream
    }

    /// Whether the ports of a stream tell that this host serves.
    fn serves_by_ports(&self, stream: &Stream) -> Option<bool> {
        let port = self.port.unwrap_or(if self.is_iperf3 { 5201 } else { 5001 });
        match (stream.local_port, stream.remote_port) {
            (Some(local), Some(remote)) if (local == port) != (remote == port) => Some(local == port),
            _ => None,
        }
    }

    /// Which way data go, unless the stream's own lines say otherwise.
    fn base_way(&self, stream: &Stream) -> Option<Way> {
        let serves = self.serves_by_ports(stream).or(match (self.serves, self.asks) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        })?;
        Some(if serves { Way::In } else { Way::Out })
    }

    /// Which way the data of a stream go; `None` where nothing tells.
    pub(super) fn way(&self, stream: &Stream) -> Option<Way> {
        if stream.tagged.is_some() {
            return stream.tagged;
        }
        if self.is_iperf3 {
            self.way_of_iperf3(stream)
        } else {
            self.way_of_iperf2(stream)
        }
    }

    fn way_of_iperf3(&self, stream: &Stream) -> Option<Way> {
        // A sender prints retransmissions and counts of datagrams, whatever its role.
        if let Some(way) = stream.way_of_slices() {
            return Some(way);
        }
        // Connections that have no mark go the same way: the total of one tells that of the others.
        let told = |of: fn(&Stream) -> Told| {
            let untagged = self
                .streams
                .iter()
                .chain(&self.sums)
                .filter(|other| other.tagged.is_none());
            let mut all = std::iter::once(stream).chain(untagged);
            // Who was not told has 0 in the line of the other side.
            let moved = self
                .streams
                .iter()
                .any(|s| s.figures().any(|slice| slice.rate_bps > 0.0));
            all.find_map(|stream| of(stream).get().filter(|total| !moved || total.rate_bps > 0.0))
        };
        let (sent, received) = (told(|stream| stream.sent), told(|stream| stream.received));
        let base = self.base_way(stream);
        if self.reverse {
            return base.map(|way| way.reversed_if(true));
        }
        match base? {
            // Where the server speaks for itself alone; with headings above the totals both sides stand in a whole text.
            Way::In => match (sent, received) {
                _ if self.has_sides => self.has_command.then_some(Way::In),
                (Some(_), None) => Some(Way::Out),
                (None, Some(_)) => Some(Way::In),
                _ => self.has_command.then_some(Way::In),
            },
            // The other host counts retransmissions, and this one does not: so it is the other that sends.
            Way::Out if sent.is_some_and(|sent| sent.shape == Shape::TcpSender) && stream.has_slices() => {
                Some(Way::In)
            }
            Way::Out if sent.or(received).is_some() || self.has_command => Some(Way::Out),
            Way::Out => None,
        }
    }

    fn way_of_iperf2(&self, stream: &Stream) -> Option<Way> {
        if let Some(way) = stream.way_of_slices() {
            return Some(way);
        }
        // Only where data go out a total is put there.
        if stream.sent != Told::Nothing {
            return Some(Way::Out);
        }
        let starred = stream.id.starts_with('*');
        if stream.announced {
            // Without a line of its own, `[*1]` is the other way of connection 1; with one, it is a connection that the
            // test made backwards, and its ports tell.
            let reverse = stream.reverse && !starred;
            return self.base_way(stream).map(|way| way.reversed_if(reverse));
        }
        let is_sum = stream.id.starts_with("SUM");
        match (self.serves, self.asks) {
            (false, true) if is_sum => {
                (!self.streams.iter().any(|s| s.reverse || s.id.starts_with('*'))).then_some(Way::Out)
            }
            (false, true) => Some(Way::Out.reversed_if(starred)),
            // Whoever asked a server, and for which way, stands in the line of the connection.
            _ => starred
                .then(|| self.base_way(stream))
                .flatten()
                .map(|way| way.reversed_if(true)),
        }
    }
}

/// One connection, or a sum over all.
#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    pub(super) id: String,
    /// The way that iperf3 prints with `--bidir`.
    pub(super) tagged: Option<Way>,
    /// It has a line `local … connected with …` of its own.
    pub(super) announced: bool,
    pub(super) reverse: bool,
    pub(super) local: Node,
    pub(super) remote: Node,
    pub(super) local_port: Option<u16>,
    pub(super) remote_port: Option<u16>,
    pub(super) mss_bytes: Option<u32>,
    pub(super) rtt_ns: Option<u64>,
    /// By beginning and end; with iperf 2 the total is among them until the end.
    pub(super) slices: BTreeMap<(u64, u64), Told>,
    pub(super) sent: Told,
    pub(super) received: Told,
    /// A total that is not marked as that of either side.
    pub(super) unmarked: Told,
    pub(super) datagrams_sent: Option<u64>,
    pub(super) reordered: Option<u64>,
}

/// The id of both ways of a connection of iperf 2: `[ *1]` is the way back of `[  1]`.
pub(super) fn base(id: &str) -> &str {
    id.trim_start_matches('*')
}

impl Stream {
    fn is_other_end_of(&self, other: &Self) -> bool {
        let between = |stream: &Self| (stream.local.address, stream.local_port);
        let towards = |stream: &Self| (stream.remote.address, stream.remote_port);
        self.announced
            && other.announced
            && between(self) == towards(other)
            && towards(self) == between(other)
    }

    pub(super) fn base(&self) -> &str {
        base(&self.id)
    }

    pub(super) fn has_figures(&self) -> bool {
        self.has_slices()
            || [self.sent, self.received, self.unmarked]
                .iter()
                .any(|t| *t != Told::Nothing)
    }

    pub(super) fn has_slices(&self) -> bool {
        !self.slices.is_empty()
    }

    pub(super) fn figures(&self) -> impl Iterator<Item = Figures> {
        self.slices.values().filter_map(|told| told.get())
    }

    fn way_of_slices(&self) -> Option<Way> {
        let shapes = || self.figures().map(|figures| figures.shape);
        let sends =
            shapes().any(|shape| matches!(shape, Shape::TcpSender | Shape::UdpSender | Shape::Bounced));
        let receives = shapes().any(|shape| matches!(shape, Shape::TcpReceiver | Shape::UdpReceiver));
        match (sends, receives) {
            (true, false) => Some(Way::Out),
            (false, true) => Some(Way::In),
            _ => None,
        }
    }
}
