//! Where a redirect may lead.

use super::{HttpError, Target};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Redirects that are followed. Download sites use two or three; more are a circle.
pub const MOST_REDIRECTS: usize = 10;

/// What `from` leads to with this `Location`, after `followed` redirects before.
///
/// # Errors
/// It is one too many, cannot be read, or leaves TLS.
pub fn follow(from: &Target, location: &str, followed: usize) -> Result<Target, HttpError> {
    if followed >= MOST_REDIRECTS {
        return Err(HttpError::TooManyRedirects(from.to_string(), followed));
    }
    let to = from.join(location)?;
    if from.is_secure() && !to.is_secure() {
        return Err(HttpError::Downgrade {
            from: from.to_string(),
            to: to.whole().to_owned(),
        });
    }
    Ok(to)
}

/// Whether a server at `from` may send us to `to`. A public one that leads into a private network would have us knock at doors
/// that it cannot reach itself.
#[must_use]
pub fn may_lead(from: IpAddr, to: IpAddr) -> bool {
    is_public(to) || !is_public(from)
}

/// Addresses that the whole Internet can reach (the registries of special-purpose addresses, RFC 6890).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => embedded(v6).map_or_else(|| is_public_v6(v6), is_public_v4),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && b & 0xc0 == 64;
    let special = a == 0 || a >= 240 || (a, b, c) == (192, 0, 0) || (a == 198 && b & 0xfe == 18);
    !(shared
        || special
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

/// Global unicast (2000::/3) without documentation's prefix.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    first & 0xe000 == 0x2000 && (first, second) != (0x2001, 0x0db8)
}

/// The IPv4 address that an IPv6 address stands for: mapped (RFC 4291), translated (RFC 6052), or 6to4 (RFC 3056).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let of = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match s {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(of(high, low)),
        [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    }
}
