//! One TCP segment, as far as the analysis looks at it.

use crate::{Endpoint, FlowKey, Way};

/// One TCP segment without its payload, as some capture point saw it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// When the capture saw it, nanoseconds since 1970; captures are not always in the order of time.
    pub time_ns: i64,
    /// Its connection.
    pub key: FlowKey,
    /// [`FlowKey::hash`] of it, with the seed of the decoder.
    pub hash: u64,
    /// Its direction.
    pub way: Way,
    /// It is known to be of the connection of the one before it in its [`Segments`]; others may be.
    pub follows: bool,
    /// Sequence number of its first byte, or of its SYN.
    pub seq: u32,
    /// Acknowledgement number; means nothing without [`Flags::ACK`].
    pub ack: u32,
    /// TCP payload, bytes, as the IP header tells, however little was captured. More than an MTU where the capture was made
    /// above segmentation offload, and above 65,535 with BIG TCP.
    pub payload_bytes: u32,
    /// The window as it stands in the header: neither scaled nor known to be scaled.
    pub window: u16,
    /// TCP flags.
    pub flags: Flags,
    /// IP packet, bytes, headers included; of a segment that was cut into fragments the sum of them, each with its header.
    pub ip_bytes: u32,
    /// IPv4 identification; `None` for IPv6 without a fragment header.
    pub ip_id: Option<u16>,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// Traffic class: DSCP and ECN.
    pub traffic_class: u8,
    /// IPv4 "don't fragment"; always true of IPv6.
    pub dont_fragment: bool,
    /// Into how many IP fragments it was cut; 1 for a whole packet.
    pub fragments: u16,
    /// Its options, as far as they were captured.
    pub options: Options,
}

impl Segment {
    /// Nothing yet.
    pub const BLANK: Self = Self {
        time_ns: 0,
        key: FlowKey {
            low: Endpoint::UNSPECIFIED,
            high: Endpoint::UNSPECIFIED,
        },
        hash: 0,
        way: Way::Up,
        follows: false,
        seq: 0,
        ack: 0,
        payload_bytes: 0,
        window: 0,
        flags: Flags(0),
        ip_bytes: 0,
        ip_id: None,
        ttl: 0,
        traffic_class: 0,
        dont_fragment: false,
        fragments: 1,
        options: Options {
            mss_bytes: None,
            window_scale: None,
            sack_permitted: false,
            timestamps: None,
            sack: SackBlocks {
                blocks: [(0, 0); 4],
                count: 0,
            },
            fast_open: false,
            is_cut: false,
        },
    };

    /// Sequence space that it takes: payload, SYN and FIN.
    #[must_use]
    pub fn sequence_length(&self) -> u32 {
        let marks = u32::from(self.flags.has(Flags::SYN)) + u32::from(self.flags.has(Flags::FIN));
        self.payload_bytes.saturating_add(marks)
    }
}

/// Segments one after the other, in memory that is used again: a capture has millions of them, and to clear the place of each
/// costs more than to write what it is.
#[derive(Debug, Default)]
pub struct Segments {
    /// Behind the first `count` stands what was there before.
    all: Vec<Segment>,
    count: usize,
}

impl Segments {
    /// The place of one more. What stands in it is to be overwritten, as a decoder does.
    #[inline]
    pub fn place(&mut self) -> Option<&mut Segment> {
        if self.count == self.all.len() {
            self.all.push(Segment::BLANK);
        }
        let place = self.all.get_mut(self.count);
        self.count += 1;
        place
    }

    /// Puts one behind so many others.
    pub fn insert(&mut self, place: usize, segment: Segment) {
        self.all.truncate(self.count);
        let place = place.min(self.count);
        if let Some(next) = self.all.get_mut(place) {
            next.follows = false;
        }
        self.all.insert(place, segment);
        self.count += 1;
    }

    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> &[Segment] {
        self.all.get(..self.count).unwrap_or_default()
    }

    /// Forgets them, and keeps their memory.
    pub fn clear(&mut self) {
        self.count = 0;
    }
}

/// TCP flags (RFC 9293 section 3.1, and AE of RFC 9768).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// The sender has finished.
    pub const FIN: Self = Self(1);
    /// The connection begins.
    pub const SYN: Self = Self(2);
    /// The connection is aborted.
    pub const RST: Self = Self(4);
    /// The sending program has written all of this.
    pub const PSH: Self = Self(8);
    /// The acknowledgement number holds.
    pub const ACK: Self = Self(16);
    /// Urgent data.
    pub const URG: Self = Self(32);
    /// Congestion was experienced.
    pub const ECE: Self = Self(64);
    /// The congestion window was reduced.
    pub const CWR: Self = Self(128);
    /// Accurate ECN.
    pub const AE: Self = Self(256);

    /// Whether all of these are set.
    #[must_use]
    pub fn has(self, these: Self) -> bool {
        self.0 & these.0 == these.0
    }
}

/// TCP options. What was not captured is absent, and [`Options::is_cut`] says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Maximum segment size (RFC 9293), bytes.
    pub mss_bytes: Option<u16>,
    /// Window scale (RFC 7323), a shift of 0 to 14.
    pub window_scale: Option<u8>,
    /// SACK permitted (RFC 2018).
    pub sack_permitted: bool,
    /// Time stamps (RFC 7323): value, echo.
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks (RFC 2018), a DSACK (RFC 2883) first.
    pub sack: SackBlocks,
    /// TCP Fast Open (RFC 7413): a cookie or a request for one.
    pub fast_open: bool,
    /// The snap length cut the options, or they are malformed: what is absent may have been there.
    pub is_cut: bool,
}

/// Up to four blocks (RFC 2018: as many as there is room for).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SackBlocks {
    blocks: [(u32, u32); 4],
    count: u8,
}

impl SackBlocks {
    /// Adds a block, from its first byte to the one behind its last; what has no room is dropped.
    pub fn push(&mut self, block: (u32, u32)) {
        if let Some(place) = self.blocks.get_mut(usize::from(self.count)) {
            *place = block;
            self.count += 1;
        }
    }

    /// Whether there are none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The blocks, in the order of the option.
    #[must_use]
    pub fn as_slice(&self) -> &[(u32, u32)] {
        self.blocks.get(..usize::from(self.count)).unwrap_or_default()
    }
}

/// A router said that a packet of a connection is too large (ICMP type 3 code 4, RFC 1191; ICMPv6 type 2, RFC 4443).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TooBig {
    /// When the capture saw it, nanoseconds since 1970.
    pub time_ns: i64,
    /// The connection that it quotes.
    pub key: FlowKey,
    /// [`FlowKey::hash`] of it.
    pub hash: u64,
    /// The direction of the packet that was too large.
    pub way: Way,
    /// Who says so.
    pub from: std::net::IpAddr,
    /// The MTU that it tells, bytes; 0 from routers older than RFC 1191.
    pub mtu_bytes: u32,
    /// Sequence number of the packet, where the quote reaches that far.
    pub seq: Option<u32>,
}
