//! One TCP segment, as far as the analysis looks at it.

use crate::{Endpoint, FlowKey, Way};
use std::hint::black_box;
use std::mem::offset_of;

/// One TCP segment without its payload, as some capture point saw it.
///
/// What is written and read of each stands in its first line of the caches, and whose it is in the second: of millions of segments
/// in [`Segments`] most follow another of their connection, and only the first line of those is ever touched.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Segment {
    /// When the capture saw it, nanoseconds since 1970; captures are not always in the order of time.
    pub time_ns: i64,
    /// Sequence number of its first byte, or of its SYN.
    pub seq: u32,
    /// Acknowledgement number; means nothing without [`Flags::ACK`].
    pub ack: u32,
    /// TCP payload, bytes, as the IP header tells, however little was captured. More than an MTU where the capture was made
    /// above segmentation offload, and above 65,535 with BIG TCP.
    pub payload_bytes: u32,
    /// IP packet, bytes, headers included; of a segment that was cut into fragments the sum of them, each with its header.
    pub ip_bytes: u32,
    /// Its options but SACK, as far as they were captured.
    pub options: Options,
    /// IPv4 identification; `None` for IPv6 without a fragment header.
    pub ip_id: Option<u16>,
    /// The window as it stands in the header: neither scaled nor known to be scaled.
    pub window: u16,
    /// TCP flags.
    pub flags: Flags,
    /// Into how many IP fragments it was cut; 1 for a whole packet.
    pub fragments: u16,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// Traffic class: DSCP and ECN.
    pub traffic_class: u8,
    /// Its direction.
    pub way: Way,
    /// IPv4 "don't fragment"; always true of IPv6.
    pub dont_fragment: bool,
    /// So many before it in its [`Segments`] are known to be of its connection, one behind the other, 255 at most; others may be.
    pub follows: u8,
    /// So many of [`Segment::sack_blocks`] hold.
    pub sack_count: u8,
    /// Its connection.
    pub key: FlowKey,
    /// [`FlowKey::hash`] of it, with the seed of the decoder.
    pub hash: u64,
    /// SACK blocks (RFC 2018: as many as there is room for), a DSACK (RFC 2883) first.
    pub sack_blocks: [(u32, u32); 4],
}

const _: () = assert!(offset_of!(Segment, sack_count) < 64 && offset_of!(Segment, key) == 64);

impl Segment {
    /// Nothing yet.
    pub const BLANK: Self = Self {
        time_ns: 0,
        seq: 0,
        ack: 0,
        payload_bytes: 0,
        ip_bytes: 0,
        options: Options {
            mss_bytes: None,
            window_scale: None,
            sack_permitted: false,
            timestamps: None,
            fast_open: false,
            is_cut: false,
        },
        ip_id: None,
        window: 0,
        flags: Flags(0),
        fragments: 1,
        ttl: 0,
        traffic_class: 0,
        way: Way::Up,
        dont_fragment: false,
        follows: 0,
        sack_count: 0,
        key: FlowKey {
            low: Endpoint::UNSPECIFIED,
            high: Endpoint::UNSPECIFIED,
        },
        hash: 0,
        sack_blocks: [(0, 0); 4],
    };

    /// Its SACK blocks, from their first byte to the one behind their last, in the order of the option.
    #[must_use]
    #[inline]
    pub fn sack(&self) -> &[(u32, u32)] {
        self.sack_blocks
            .get(..usize::from(self.sack_count))
            .unwrap_or_default()
    }

    /// Adds a SACK block; what has no room is dropped.
    pub fn add_sack(&mut self, block: (u32, u32)) {
        if let Some(place) = self.sack_blocks.get_mut(usize::from(self.sack_count)) {
            *place = block;
            self.sack_count += 1;
        }
    }

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
    /// Behind the first `count` stands what was there before, and so it does in key, hash and SACK blocks of those that follow.
    all: Vec<Segment>,
    count: usize,
}

impl Segments {
    /// The place of one more. What stands in it is to be overwritten, as a decoder does: key and hash only where it does not follow.
    #[inline]
    pub(crate) fn place(&mut self) -> Option<&mut Segment> {
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
        if let Some((key, hash)) = self.whose(place) {
            // Those that followed do so from here on.
            let next = self.all.iter_mut().skip(place);
            for (behind, next) in next.take_while(|next| next.follows > 0).enumerate() {
                next.follows = u8::try_from(behind).unwrap_or(u8::MAX);
                (next.key, next.hash) = (key, hash);
            }
        }
        self.all.insert(
            place,
            Segment {
                follows: 0,
                ..segment
            },
        );
        self.count += 1;
    }

    /// Whose the segment is that stands there.
    fn whose(&self, place: usize) -> Option<(FlowKey, u64)> {
        let upto = self.stored().get(..=place)?;
        let first = upto.iter().rfind(|segment| segment.follows == 0)?;
        Some((first.key, first.hash))
    }

    /// All of them, as they are stored: whose one is that follows tells the last before it that does not.
    #[must_use]
    pub(crate) fn stored(&self) -> &[Segment] {
        self.all.get(..self.count).unwrap_or_default()
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, each with its connection.
    pub fn iter(&self) -> impl Iterator<Item = Segment> {
        let (mut key, mut hash) = (Segment::BLANK.key, 0);
        self.stored().iter().map(move |segment| {
            if segment.follows == 0 {
                (key, hash) = (segment.key, segment.hash);
            }
            let mut whole = Segment {
                key,
                hash,
                ..*segment
            };
            for block in whole.sack_blocks.iter_mut().skip(usize::from(segment.sack_count)) {
                *block = (0, 0);
            }
            whole
        })
    }

    /// Whether many of each connection stand one behind the other.
    #[must_use]
    pub fn is_of_few(&self) -> bool {
        const RUN: usize = 32;
        let sample = self.stored().iter().skip(RUN).step_by(RUN);
        let (mut looked_at, mut follow) = (0, 0);
        for segment in sample {
            looked_at += 1;
            follow += usize::from(usize::from(segment.follows) >= RUN);
        }
        2 * follow > looked_at
    }

    /// Brings them to the caches of this processor, none of them waiting for another: where another processor has written them, each
    /// takes as long to come as it takes to follow several.
    pub fn fetch(&self) {
        let whose = |segment: &Segment| if segment.follows == 0 { segment.hash } else { 0 };
        black_box(self.stored().iter().fold(0, |all, segment| all ^ whose(segment)));
    }

    /// Forgets them, and keeps their memory.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// As [`Segments::clear`], where another processor has read them: the caches of this one have each to themselves again, none
    /// waiting for another.
    pub fn reclaim(&mut self) {
        for segment in self.all.iter_mut().take(self.count) {
            if segment.follows == 0 {
                segment.hash = 0;
            }
            segment.follows = 0;
        }
        self.count = 0;
    }
}

impl FromIterator<Segment> for Segments {
    fn from_iter<T: IntoIterator<Item = Segment>>(segments: T) -> Self {
        let mut all: Vec<Segment> = Vec::new();
        let mut of = None;
        for mut segment in segments {
            if of == Some((segment.key, segment.hash)) {
                segment.follows = all.last().map_or(0, |last| last.follows).saturating_add(1);
                (segment.key, segment.hash) = (Segment::BLANK.key, 0);
            } else {
                segment.follows = 0;
                of = Some((segment.key, segment.hash));
            }
            all.push(segment);
        }
        Self {
            count: all.len(),
            all,
        }
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

/// TCP options but SACK blocks. What was not captured is absent, and [`Options::is_cut`] says so.
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
    /// TCP Fast Open (RFC 7413): a cookie or a request for one.
    pub fast_open: bool,
    /// The snap length cut the options, or they are malformed: what is absent may have been there.
    pub is_cut: bool,
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
