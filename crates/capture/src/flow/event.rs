//! What happens to the data of one direction of a connection, as the capture point sees it.
//!
//! Sequence numbers are counted from the first byte of data (0), over any wrap. Times are those of the capture.

/// What happened at one half of a connection: its data one way, and the acknowledgements that answer them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HalfEvent {
    /// A segment with data (or a FIN, or a probe) passed the capture point.
    Sent(Sent),
    /// An acknowledgement passed it, the other way.
    Acked(Acked),
}

/// Who hears of events, of each kind by itself: to put a [`HalfEvent`] together and to take it apart again takes longer than most of
/// what comes of one.
pub(crate) trait Hears {
    fn sent(&mut self, sent: &Sent);
    fn acked(&mut self, acked: &Acked);
}

impl HalfEvent {
    #[inline(always)]
    pub(crate) fn tell(&self, to: &mut (impl Hears + ?Sized)) {
        match self {
            Self::Sent(sent) => to.sent(sent),
            Self::Acked(acked) => to.acked(acked),
        }
    }
}

/// A segment with data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// When, nanoseconds since 1970.
    pub time_ns: i64,
    /// Its first byte.
    pub start: u64,
    /// The byte behind its last.
    pub end: u64,
    /// What it is.
    pub kind: SentKind,
    /// The sending program has written no more than this for now (PSH).
    pub is_pushed: bool,
    /// How long it waited in queues between its sender and the capture point, milliseconds, as the sender's time stamps tell; 255 is
    /// that or longer, and 0 that nothing tells of any wait.
    pub waited_ms: u8,
    /// Bytes on the way before it, as this capture point knows: sent, neither acknowledged nor SACKed.
    pub flight_bytes: u64,
    /// The byte behind the last that the receiver's window allows; `None` while it is not known (no acknowledgement yet, or
    /// the scale of the window was not captured and cannot be told).
    pub window_edge: Option<u64>,
    /// Of a retransmission, about when what it replaces was lost: when the copy before it passed here or, of data that never
    /// passed, those behind them.
    pub lost_ns: Option<i64>,
}

/// What a segment with data is to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentKind {
    /// The next bytes.
    New,
    /// Bytes behind a gap: what lies in the gap was lost or overtaken before the capture point, or the capture dropped it.
    NewBehindGap,
    /// Bytes that passed before.
    Retransmitted(RetransmissionCause),
    /// Bytes of a gap that never passed before, and come too late to have been overtaken: they were lost on the way to the
    /// capture point and retransmitted.
    RetransmittedUpstream(RetransmissionCause),
    /// Bytes of a gap that others have overtaken on the way to the capture point.
    Overtaken,
    /// The same packet twice (IP identification, time stamp): duplicated by the network or by the capture.
    Duplicated,
    /// A keep-alive: no byte, or one that was acknowledged.
    KeepAlive,
    /// A probe of a closed window.
    WindowProbe,
}

/// Why a segment was retransmitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetransmissionCause {
    /// Duplicate acknowledgements or SACK told of the loss (RFC 5681, 6675, 8985).
    Fast,
    /// The retransmission timer ran out (RFC 6298).
    Timeout,
    /// A probe for a lost tail (RFC 8985 section 7): the last segment again, before the timer runs out.
    TailProbe,
    /// Nothing tells.
    Unknown,
}

/// An acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acked {
    /// When, nanoseconds since 1970.
    pub time_ns: i64,
    /// All bytes before this have arrived.
    pub ack: u64,
    /// Bytes that are acknowledged now and were not before.
    pub newly_acked_bytes: u64,
    /// Bytes that are SACKed now and were not before.
    pub newly_sacked_bytes: u64,
    /// Bytes of which nobody had told yet that they have arrived: acknowledged or SACKed for the first time. What was SACKed and
    /// is acknowledged now is not among them.
    pub newly_arrived_bytes: u64,
    /// It says nothing new, while data are on the way (RFC 5681 section 2).
    pub is_duplicate: bool,
    /// It tells of bytes that arrived twice (DSACK, RFC 2883).
    pub is_dsack: bool,
    /// It answers what was sent before a retransmission of the lowest segment that it acknowledges: that one was not needed
    /// (Eifel, RFC 3522).
    pub is_eifel: bool,
    /// The receiver's window now, bytes; `None` where its scale is not known.
    pub window_bytes: Option<u64>,
    /// Time since the data that it answers passed the capture point, nanoseconds: the part of the round trip that lies
    /// behind it. Never of retransmitted data (Karn), unless time stamps tell which copy was answered.
    pub rtt_ns: Option<i64>,
    /// Bytes that it acknowledges and that never passed the capture point: the capture dropped them.
    pub unseen_bytes: u64,
}
