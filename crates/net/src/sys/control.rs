//! What the kernel tells beside a datagram (cmsg(3)), read within the lengths that it tells and that came.

use std::mem::{offset_of, size_of};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

/// `SO_EE_RFC4884_FLAG_INVALID`: the kernel found the extension structure broken.
const EXTENSION_INVALID: u8 = 1;

/// What control messages told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Kernel receive stamp, nanoseconds since the Unix epoch.
    pub(super) stamp_ns: Option<u64>,
    /// TTL or hop limit the datagram arrived with.
    pub(super) ttl: Option<u8>,
    /// What the error queue says.
    pub(super) error: Option<QueuedError>,
}

/// `sock_extended_err` (ip(7), `IP_RECVERR`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueuedError {
    /// Whether the network said it (or this host).
    pub(crate) is_icmp: bool,
    pub(crate) errno: i32,
    pub(crate) kind: u8,
    pub(crate) code: u8,
    /// The next-hop MTU for `EMSGSIZE`.
    pub(crate) info: u32,
    /// Who sent the ICMP error.
    pub(crate) offender: Option<IpAddr>,
    /// Where the RFC 4884 extension structure starts in the data.
    pub(crate) extension_at: Option<usize>,
}

/// Reads the control messages that the kernel returned.
pub(super) fn read(control: &[u8]) -> Told {
    let mut told = Told::default();
    for (level, kind, data) in control_messages(control) {
        match (level, kind) {
            (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) => {
                told.stamp_ns = read_stamp(data).or(told.stamp_ns);
            }
            (libc::IPPROTO_IP, libc::IP_TTL) | (libc::IPPROTO_IPV6, libc::IPV6_HOPLIMIT) => {
                let ttl = word(data, 0).map(i32::from_ne_bytes);
                told.ttl = ttl.and_then(|ttl| u8::try_from(ttl).ok()).or(told.ttl);
            }
            (libc::IPPROTO_IP, libc::IP_RECVERR) | (libc::IPPROTO_IPV6, libc::IPV6_RECVERR) => {
                told.error = read_queued(data).or(told.error);
            }
            _ => {}
        }
    }
    told
}

/// The control messages (cmsg(3)) that stand in `control`: level, type and data of each. One that says it is shorter than its own
/// header, or longer than what was returned, is none, and nobody knows where the next one would begin.
pub(super) fn control_messages(control: &[u8]) -> impl Iterator<Item = (libc::c_int, libc::c_int, &[u8])> {
    // The header is padded to the data's alignment, and each message to the next header's.
    const ALIGNMENT: usize = size_of::<usize>();
    const HEADER: usize = size_of::<libc::cmsghdr>().next_multiple_of(ALIGNMENT);
    let mut rest = control;
    std::iter::from_fn(move || {
        let length = rest.get(..size_of::<usize>())?.try_into().ok()?;
        let length = usize::from_ne_bytes(length);
        let message = rest.get(..length)?;
        let level = i32::from_ne_bytes(word(message, offset_of!(libc::cmsghdr, cmsg_level))?);
        let kind = i32::from_ne_bytes(word(message, offset_of!(libc::cmsghdr, cmsg_type))?);
        let data = message.get(HEADER..)?;
        rest = rest.get(length.next_multiple_of(ALIGNMENT)..).unwrap_or_default();
        Some((level, kind, data))
    })
}

/// Four bytes at `at`.
fn word(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at + 4)?.try_into().ok()
}

/// Two bytes at `at`.
fn half(bytes: &[u8], at: usize) -> Option<[u8; 2]> {
    bytes.get(at..at + 2)?.try_into().ok()
}

/// A `timespec`, in nanoseconds.
fn read_stamp(data: &[u8]) -> Option<u64> {
    const SECONDS: usize = size_of::<libc::time_t>();
    let seconds = libc::time_t::from_ne_bytes(data.get(..SECONDS)?.try_into().ok()?);
    let rest = data.get(SECONDS..SECONDS + size_of::<libc::c_long>())?;
    let nanoseconds = libc::c_long::from_ne_bytes(rest.try_into().ok()?);
    let seconds = u64::try_from(seconds).ok()?.checked_mul(1_000_000_000)?;
    seconds.checked_add(u64::try_from(nanoseconds).ok()?)
}

/// A `sock_extended_err`, followed by the offender's address: u32 errno; u8 origin, type, code, padding; u32 info, data.
fn read_queued(data: &[u8]) -> Option<QueuedError> {
    let [origin, kind, code, _] = word(data, 4)?;
    let (errno, info) = (
        i32::from_ne_bytes(word(data, 0)?),
        u32::from_ne_bytes(word(data, 8)?),
    );
    // struct sock_ee_data_rfc4884 { __u16 len; __u8 flags; __u8 reserved; } shares the place of `ee_data`.
    let [low, high, flags, _] = word(data, 12)?;
    let at = usize::from(u16::from_ne_bytes([low, high]));
    let is_icmp = matches!(origin, libc::SO_EE_ORIGIN_ICMP | libc::SO_EE_ORIGIN_ICMP6);
    let offender = data
        .get(size_of::<libc::sock_extended_err>()..)
        .and_then(read_address);
    Some(QueuedError {
        is_icmp,
        errno,
        kind,
        code,
        info,
        offender: offender.map(|address| address.ip()),
        extension_at: (is_icmp && at > 0 && flags & EXTENSION_INVALID == 0).then_some(at),
    })
}

/// A `sockaddr_in` or `sockaddr_in6` (ip(7), ipv6(7)); `None` when it is another one, or cut.
pub(super) fn read_address(address: &[u8]) -> Option<SocketAddr> {
    let family = u16::from_ne_bytes(half(address, 0)?);
    let port = u16::from_be_bytes(half(address, 2)?);
    match libc::c_int::from(family) {
        libc::AF_INET => {
            let ip = Ipv4Addr::from(word(address, 4)?);
            Some(SocketAddrV4::new(ip, port).into())
        }
        libc::AF_INET6 => {
            let ip: [u8; 16] = address.get(8..24)?.try_into().ok()?;
            let scope = u32::from_ne_bytes(word(address, 24)?);
            Some(SocketAddrV6::new(ip.into(), port, 0, scope).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    const NOTHING: Told = Told {
        stamp_ns: None,
        ttl: None,
        error: None,
    };

    /// A control message that says it is `length` bytes long, with what data there are, padded.
    fn message(length: usize, level: i32, kind: i32, data: &[u8]) -> Vec<u8> {
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(level.to_ne_bytes());
        bytes.extend(kind.to_ne_bytes());
        bytes.resize(size_of::<libc::cmsghdr>(), 0);
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(size_of::<usize>()), 0);
        bytes
    }

    fn whole(level: i32, kind: i32, data: &[u8]) -> Vec<u8> {
        message(size_of::<libc::cmsghdr>() + data.len(), level, kind, data)
    }

    fn ttl(ttl: i32) -> Vec<u8> {
        whole(libc::IPPROTO_IP, libc::IP_TTL, &ttl.to_ne_bytes())
    }

    fn stamp() -> Vec<u8> {
        let data = [7_i64.to_ne_bytes(), 5_i64.to_ne_bytes()].concat();
        whole(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &data)
    }

    /// Time exceeded, said by 192.0.2.1, the extension at 128.
    fn queued() -> Vec<u8> {
        let mut data = 113_u32.to_ne_bytes().to_vec();
        data.extend([libc::SO_EE_ORIGIN_ICMP, 11, 0, 0]);
        data.extend(1400_u32.to_ne_bytes());
        data.extend(128_u16.to_ne_bytes());
        data.extend([0, 0]);
        data.extend((libc::AF_INET as u16).to_ne_bytes());
        data.extend([0, 0, 192, 0, 2, 1]);
        data.resize(16 + 16, 0);
        data
    }

    #[test]
    fn whole_messages_are_read() {
        let error = whole(libc::IPPROTO_IP, libc::IP_RECVERR, &queued());
        let told = read(&[stamp(), ttl(61), error].concat());
        assert_eq!((told.stamp_ns, told.ttl), (Some(7_000_000_005), Some(61)));
        let error = told.error.unwrap();
        assert_eq!(
            (error.errno, error.kind, error.code, error.info),
            (113, 11, 0, 1400)
        );
        assert_eq!(error.offender, Some("192.0.2.1".parse().unwrap()));
        assert_eq!((error.is_icmp, error.extension_at), (true, Some(128)));
    }

    #[test]
    fn a_message_that_lies_about_its_length_is_none() {
        let header = size_of::<libc::cmsghdr>();
        let four = 61_i32.to_ne_bytes();
        for length in [
            0,
            1,
            8,
            header - 1,
            header,
            header + 3,
            header + 9,
            4_096,
            usize::MAX - 7,
            usize::MAX,
        ] {
            let lying = message(length, libc::IPPROTO_IP, libc::IP_TTL, &four);
            assert_eq!(read(&lying), NOTHING, "{length}");
            // What came before it counts, and what follows cannot be found, or not be taken for something else.
            let told = read(&[stamp(), lying, ttl(62)].concat());
            assert_eq!(told.stamp_ns, Some(7_000_000_005), "{length}");
            assert!(
                matches!(told.ttl, None | Some(62 | 61)),
                "{length}: {:?}",
                told.ttl
            );
        }
    }

    #[test]
    fn what_is_cut_anywhere_is_what_came_whole_or_nothing() {
        let parts = [
            stamp(),
            ttl(61),
            whole(libc::IPPROTO_IP, libc::IP_RECVERR, &queued()),
        ];
        let control = parts.concat();
        let all = read(&control);
        for length in 0..control.len() {
            let cut = read(&control[..length]);
            assert!(cut.stamp_ns.is_none() || cut.stamp_ns == all.stamp_ns);
            assert!(cut.ttl.is_none() || cut.ttl == all.ttl);
            assert_eq!(cut.error, None, "cut at {length} of {}", control.len());
        }
    }

    #[test]
    fn data_shorter_than_its_kind_is_ignored() {
        let all = queued();
        for length in 0..all.len() {
            let message = whole(libc::IPPROTO_IP, libc::IP_RECVERR, &all[..length]);
            let error = read(&message).error;
            // The offender's family, port and address are eight bytes.
            assert_eq!(error.is_some(), length >= 16, "{length}");
            assert_eq!(
                error.and_then(|error| error.offender).is_some(),
                length >= 24,
                "{length}"
            );
        }
        for length in 0..16 {
            let message = whole(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &[1; 16][..length]);
            assert_eq!(read(&message), NOTHING, "{length}");
        }
        let before_1970 = [(-1_i64).to_ne_bytes(), 0_i64.to_ne_bytes()].concat();
        let message = whole(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &before_1970);
        assert_eq!(read(&message), NOTHING);
    }

    #[test]
    fn addresses_that_are_cut_are_none() {
        let mut v6 = (libc::AF_INET6 as u16).to_ne_bytes().to_vec();
        v6.extend(443_u16.to_be_bytes());
        v6.extend([0; 4]);
        v6.extend("2001:db8::1".parse::<Ipv6Addr>().unwrap().octets());
        v6.extend(0_u32.to_ne_bytes());
        for length in 0..v6.len() {
            assert_eq!(read_address(&v6[..length]), None, "{length}");
        }
        assert_eq!(read_address(&v6), Some("[2001:db8::1]:443".parse().unwrap()));
        v6[0] = 0xee;
        assert_eq!(read_address(&v6), None);
    }
}
