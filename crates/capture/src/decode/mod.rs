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
mod ppp;
mod tcp;

pub use counts::{Counts, Other};
pub use fragments::{Defragmenter, Fragment};

use crate::file::Frame;
use crate::{Segment, TooBig};
use bytes::Rest;
use ip::Ip;
use layer::Layer;

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

/// What is left when the headers of an IP packet are off.
enum Inner<'a> {
    Layer(Layer, Rest<'a>),
    Packet(Packet),
}

impl Decoder {
    /// A decoder whose [`Segment::hash`] is seeded so; all that work on one capture need the same seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// What a frame holds.
    #[must_use]
    #[inline]
    pub fn decode(&self, frame: &Frame<'_>) -> Packet {
        self.tried(frame).unwrap_or_else(Packet::Other)
    }

    #[inline]
    fn tried(&self, frame: &Frame<'_>) -> Result<Packet, Other> {
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
            match self.inside(frame, &ip)? {
                Inner::Packet(packet) => return Ok(packet),
                Inner::Layer(inner, within) => (layer, rest) = (inner, within),
            }
        }
        Err(Other::TooDeep)
    }

    /// What an IP packet holds.
    #[inline]
    fn inside<'a>(&self, frame: &Frame<'_>, ip: &Ip<'a>) -> Result<Inner<'a>, Other> {
        if ip.protocol != ip::TCP {
            return self.inside_other(frame, ip);
        }
        if ip.piece.is_some() {
            return Ok(Inner::Packet(Packet::Fragment(fragments::read(
                frame, ip, self.seed,
            )?)));
        }
        tcp::read(frame.time_ns, ip, self.seed).map(|segment| Inner::Packet(Packet::Tcp(segment)))
    }

    fn inside_other<'a>(&self, frame: &Frame<'_>, ip: &Ip<'a>) -> Result<Inner<'a>, Other> {
        if ip.piece.is_some_and(|piece| piece.offset_bytes > 0) {
            // Destination options may stand before TCP in what was cut (RFC 8200 section 4.5).
            if ip.protocol == ip::DESTINATION_OPTIONS {
                return Ok(Inner::Packet(Packet::Fragment(fragments::read(
                    frame, ip, self.seed,
                )?)));
            }
            return Err(Other::Fragment);
        }
        let layer = match ip.protocol {
            ip::UDP => return overlay::udp(ip.payload).map(|(layer, rest)| Inner::Layer(layer, rest)),
            ip::ICMP | ip::ICMPV6 => {
                let too_big = icmp::read(frame.time_ns, ip, self.seed).ok_or(Other::Icmp)?;
                return Ok(Inner::Packet(Packet::TooBig(too_big)));
            }
            ip::IPV4 => Layer::Ipv4,
            ip::IPV6 => Layer::Ipv6,
            ip::GRE => Layer::Gre,
            ip::ETHER_IP => Layer::EtherIp,
            ip::MPLS => Layer::Mpls,
            ip::ESP => return Err(Other::Encrypted),
            _ => return Err(Other::OtherIp),
        };
        Ok(Inner::Layer(layer, ip.payload))
    }
}
