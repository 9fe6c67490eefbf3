//! One test of iperf as its output tells it, before anything is summed.

use evidence::{Node, Timestamp};

/// Which way the data of a stream go, seen from the host that printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// One test: connections that were made together.
#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    pub(super) lines: (u64, u64),
    pub(super) is_iperf3: bool,
    pub(super) tool: Option<String>,
    pub(super) at: Option<Timestamp>,
    /// Whether this is the output of the server; `None` where no line tells.
    pub(super) server: Option<bool>,
    /// The server's port.
    pub(super) port: Option<u16>,
    /// The other host, as the user named it.
    pub(super) named: Option<String>,
    pub(super) udp: Option<bool>,
    pub(super) reverse: bool,
    pub(super) interrupted: bool,
    pub(super) window_bytes: Option<u64>,
    pub(super) mss_bytes: Option<u32>,
    pub(super) congestion_control: Option<String>,
    pub(super) streams: Vec<Stream>,
    /// The tool's own sums: as streams with an id that begins with `SUM`.
    pub(super) sums: Vec<Stream>,
}

impl Session {
    pub(super) fn has_figures(&self) -> bool {
        self.streams.iter().chain(&self.sums).any(Stream::has_figures)
    }

    /// The settings for a further test under the same heading (a server serves many).
    pub(super) fn successor(&self, line: u64) -> Self {
        Self {
            lines: (line, line),
            streams: Vec::new(),
            sums: Vec::new(),
            at: None,
            ..self.clone()
        }
    }

    /// Which way data go, unless the stream's own lines say otherwise.
    fn base_way(&self, stream: &Stream) -> Way {
        let port = self.port.unwrap_or(if self.is_iperf3 { 5201 } else { 5001 });
        let serves = match (stream.local_port, stream.remote_port) {
            (Some(local), Some(remote)) if (local == port) != (remote == port) => local == port,
            _ => self.server == Some(true),
        };
        if serves { Way::In } else { Way::Out }
    }

    /// Which way the data of a stream go.
    pub(super) fn way(&self, stream: &Stream) -> Way {
        if let Some(way) = stream.tagged {
            return way;
        }
        if self.is_iperf3 {
            // A sender prints retransmissions and counts of datagrams, whatever its role.
            return match (stream.prints_as_sender, stream.prints_as_receiver) {
                (true, false) => Way::Out,
                (false, true) => Way::In,
                _ => self.base_way(stream).reversed_if(self.reverse),
            };
        }
        let starred = stream.id.starts_with('*');
        // Without a line of its own, `[*1]` is the other way of connection 1; with one, it is a connection that the
        // test made backwards, and its ports tell.
        let reverse = if stream.announced {
            stream.reverse && !starred
        } else {
            starred
        };
        self.base_way(stream).reversed_if(reverse)
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
    pub(super) prints_as_sender: bool,
    pub(super) prints_as_receiver: bool,
    pub(super) local: Node,
    pub(super) remote: Node,
    pub(super) local_port: Option<u16>,
    pub(super) remote_port: Option<u16>,
    pub(super) mss_bytes: Option<u32>,
    pub(super) rtt_ns: Option<u64>,
    /// Slices; with iperf 2 the total is the last of them until the end.
    pub(super) slices: Vec<Figures>,
    pub(super) sent: Option<Figures>,
    pub(super) received: Option<Figures>,
    pub(super) datagrams_sent: Option<u64>,
    pub(super) reordered: Option<u64>,
}

impl Stream {
    /// A stream without a line of its own, between the hosts of a sibling.
    pub(super) fn beside(sibling: Option<&Self>, id: &str) -> Self {
        let mut stream = Self {
            id: id.to_owned(),
            ..Self::default()
        };
        if let Some(sibling) = sibling {
            stream.local = sibling.local.clone();
            stream.remote = sibling.remote.clone();
            (stream.local_port, stream.remote_port) = (sibling.local_port, sibling.remote_port);
            (stream.mss_bytes, stream.rtt_ns) = (sibling.mss_bytes, sibling.rtt_ns);
        }
        stream
    }

    fn has_figures(&self) -> bool {
        !self.slices.is_empty() || self.sent.is_some() || self.received.is_some()
    }
}

/// A line of figures.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) rate_bps: f64,
    pub(super) retransmits: Option<u64>,
    pub(super) cwnd_bytes: Option<u64>,
    pub(super) rtt_ns: Option<u64>,
    pub(super) jitter_ns: Option<u64>,
    pub(super) lost: Option<u64>,
    pub(super) datagrams: Option<u64>,
}
