//! From frames to TCP segments: what lies below TCP is taken off.
//!
//! A [`Decoder`] has no state, so that any number of threads share one. The inner-most IP packet counts: of a tunnel the
//! connection that it carries, not the tunnel. Segments that were cut into IP fragments need a [`Defragmenter`], which is fed
//! in the order of the capture.

mod bytes;
mod counts;
mod fragments;
mod icmp;
mod ip;
mod ipv4;
mod ipv6;
mod layer;
mod link;
mod mpls;
mod options;
mod overlay;
mod plain;
mod ppp;
mod sorted;
mod tcp;
mod whose;

pub use counts::{Counts, Other};
pub use fragments::{Defragmenter, Fragment};
pub use sorted::{Sorted, Wanted};

use crate::file::Frame;
use crate::{Segment, TooBig};
use bytes::Rest;
use ip::Ip;
use layer::{IPV4, IPV6, Layer};
use whose::{Before, Whose};

/// What a frame holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Packet {
    /// A TCP segment.
    Tcp(Segment),
    /// A router's word that a segment was too large.
    TooBig(TooBig),
    /// A piece of a TCP segment.
    Fragment(Fragment),
    /// Anything else.
    Other(Other),
}

/// Takes off the layers below TCP.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decoder {
    seed: u64,
}

/// Headers below TCP at most, tags and labels counted one by one: what is deeper was made to keep us busy. A provider's
/// worst, QinQ, MPLS with a pseudowire, VXLAN within and IP in IP, has fewer than twelve.
const MAX_LAYERS: usize = 24;

impl Decoder {
    /// A decoder whose [`Segment::hash`] is seeded so; all that work on one capture need the same seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// What a frame holds.
    #[must_use]
    pub fn decode(&self, frame: &Frame<'_>) -> Packet {
        let mut segment = Segment::BLANK;
        self.decode_into(frame, &mut Before::default(), |_| Some(&mut segment))
            .unwrap_or(Packet::Tcp(segment))
    }

    /// What a frame holds, unless it is a TCP segment: that is written where `room` wants segments of its connection, over
    /// whatever stands there. This is done for each packet of a capture, and moving a segment just after it was written costs
    /// as much as decoding it, as the processor has to wait for its small fields. `before` is of the frames before it.
    #[inline(always)]
    fn decode_into<'s>(
        &self,
        frame: &Frame<'_>,
        before: &mut Before,
        room: impl FnOnce(&Whose) -> Option<&'s mut Segment>,
    ) -> Option<Packet> {
        // Each version for itself: what is known to have addresses of four bytes is sorted and hashed in half of the time.
        match plain::packet(frame) {
            Some((IPV4, packet)) => {
                if let Some((ends, plain)) = plain::v4(packet) {
                    let whose = || before.whose(ends, || plain.whose(self.seed));
                    return plain.write(frame, whose, room);
                }
            }
            Some((IPV6, packet)) => {
                if let Some(plain) = plain::v6(packet) {
                    before.forget();
                    return plain.write(frame, || plain.whose(self.seed), room);
                }
            }
            _ => {}
        }
        before.forget();
        match self.decode_any(frame) {
            Packet::Tcp(segment) => {
                let whose = Whose {
                    key: segment.key,
                    hash: segment.hash,
                    way: segment.way,
                    follows: 0,
                };
                if let Some(place) = room(&whose) {
                    *place = segment;
                }
                None
            }
            other => Some(other),
        }
    }

    /// The long way, for any frame.
    #[inline(never)]
    fn decode_any(&self, frame: &Frame<'_>) -> Packet {
        match innermost(frame) {
            Ok(ip) if ip.protocol == ip::TCP && ip.piece.is_none() => {
                tcp::read(frame.time_ns, &ip, self.seed)
            }
            Ok(ip) => self.other(frame.time_ns, &ip),
            Err(other) => Packet::Other(other),
        }
    }

    fn other(&self, time_ns: i64, ip: &Ip<'_>) -> Packet {
        match ip.protocol {
            // Destination options may stand before TCP in what was cut (RFC 8200 section 4.5).
            ip::TCP | ip::DESTINATION_OPTIONS => fragments::read(time_ns, ip, self.seed),
            _ => icmp::read(time_ns, ip, self.seed),
        }
    }
}

/// The IP packet in which no other is. What it holds is TCP, a fragment of that, or ICMP.
#[inline]
fn innermost<'a>(frame: &Frame<'a>) -> Result<Ip<'a>, Other> {
    let mut rest = Rest::of(frame);
    let mut layer = link::first(frame.link_type)?;
    for _ in 0..MAX_LAYERS {
        let ip = match layer {
            Layer::Ipv4 => ipv4::read(rest)?,
            Layer::Ipv6 => ipv6::read(rest)?,
            _ => {
                (layer, rest) = layer.peel(rest)?;
                continue;
            }
        };
        if ip.protocol == ip::TCP {
            return Ok(ip);
        }
        match within(&ip)? {
            Some(inner) => (layer, rest) = inner,
            None => return Ok(ip),
        }
    }
    Err(Other::TooDeep)
}

/// The tunnel in an IP packet; `None` where the packet itself is of use.
fn within<'a>(ip: &Ip<'a>) -> Result<Option<(Layer, Rest<'a>)>, Other> {
    if ip.piece.is_some_and(|piece| piece.offset_bytes > 0) {
        let may_be_tcp = ip.protocol == ip::DESTINATION_OPTIONS;
        return if may_be_tcp {
            Ok(None)
        } else {
            Err(Other::Fragment)
        };
    }
    let layer = match ip.protocol {
        ip::UDP => return overlay::udp(ip.payload).map(Some),
        ip::ICMP | ip::ICMPV6 => return Ok(None),
        ip::IPV4 => Layer::Ipv4,
        ip::IPV6 => Layer::Ipv6,
        ip::GRE => Layer::Gre,
        ip::ETHER_IP => Layer::EtherIp,
        ip::MPLS => Layer::Mpls,
        ip::ESP => return Err(Other::Encrypted),
        _ => return Err(Other::OtherIp),
    };
    Ok(Some((layer, ip.payload)))
}
