//! One datagram in or out, with what the kernel tells beside it: receive stamp, TTL, and the error queue.

use std::io;
use std::mem::{offset_of, size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

/// Room for every control message that we ask for, several times over.
const CONTROL_BYTES: usize = 512;
pub(crate) const IP_RECVERR_RFC4884: libc::c_int = 26;
pub(crate) const IPV6_RECVERR_RFC4884: libc::c_int = 31;
/// `SO_EE_RFC4884_FLAG_INVALID`: the kernel found the extension structure broken.
const EXTENSION_INVALID: u8 = 1;

/// A datagram that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Received {
    /// Bytes in the buffer.
    pub(crate) length: usize,
    /// Sender; for the error queue the destination of the packet that failed.
    pub(crate) from: Option<SocketAddr>,
    /// Kernel receive stamp, nanoseconds since the Unix epoch.
    pub(crate) stamp_ns: Option<u64>,
    /// TTL or hop limit it arrived with.
    pub(crate) ttl: Option<u8>,
    /// What the error queue says.
    pub(crate) error: Option<QueuedError>,
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

/// Receives one datagram without waiting; `None` when there is none.
pub(crate) fn receive(
    fd: BorrowedFd<'_>,
    buffer: &mut [u8],
    from_error_queue: bool,
) -> io::Result<Option<Received>> {
    let mut control = Control([0; CONTROL_BYTES]);
    // SAFETY: all-zero is a valid value of these plain C structures.
    let (mut name, mut header): (libc::sockaddr_storage, libc::msghdr) = unsafe { (zeroed(), zeroed()) };
    let mut part = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    header.msg_name = (&raw mut name).cast();
    header.msg_namelen = size_of::<libc::sockaddr_storage>() as u32;
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = control.0.as_mut_ptr().cast();
    header.msg_controllen = CONTROL_BYTES as _;
    let flags = libc::MSG_DONTWAIT | if from_error_queue { libc::MSG_ERRQUEUE } else { 0 };
    // SAFETY: the header points to `name`, `part`, `buffer` and `control`, all alive, with their true lengths.
    let length = unsafe { libc::recvmsg(fd.as_raw_fd(), &raw mut header, flags) };
    if length < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::WouldBlock {
            Ok(None)
        } else {
            Err(error)
        };
    }
    let mut received = Received {
        length: (length as usize).min(buffer.len()),
        from: None,
        stamp_ns: None,
        ttl: None,
        error: None,
    };
    // SAFETY: `sockaddr_storage` is plain bytes, all of them initialised, of this length.
    let name = unsafe { std::slice::from_raw_parts((&raw const name).cast::<u8>(), size_of_val(&name)) };
    received.from = read_address(name.get(..header.msg_namelen as usize).unwrap_or(name));
    let filled: usize = header.msg_controllen as _;
    read_control(control.0.get(..filled).unwrap_or(&control.0), &mut received);
    Ok(Some(received))
}

/// Control messages need the alignment of `cmsghdr`.
#[repr(C, align(8))]
pub(crate) struct Control(pub(crate) [u8; CONTROL_BYTES]);

/// Reads what is known of the control messages that the kernel returned.
fn read_control(control: &[u8], received: &mut Received) {
    for (level, kind, data) in control_messages(control) {
        match (level, kind) {
            (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) => {
                received.stamp_ns = read_stamp(data).or(received.stamp_ns);
            }
            (libc::IPPROTO_IP, libc::IP_TTL) | (libc::IPPROTO_IPV6, libc::IPV6_HOPLIMIT) => {
                let ttl = word(data, 0).map(i32::from_ne_bytes);
                received.ttl = ttl.and_then(|ttl| u8::try_from(ttl).ok()).or(received.ttl);
            }
            (libc::IPPROTO_IP, libc::IP_RECVERR) | (libc::IPPROTO_IPV6, libc::IPV6_RECVERR) => {
                received.error = read_queued(data).or(received.error);
            }
            _ => {}
        }
    }
}

/// The control messages (cmsg(3)) that stand in `control`: level, type and data of each. One that says it is shorter than its own
/// header, or longer than what was returned, is none, and nobody knows where the next one would begin.
pub(crate) fn control_messages(control: &[u8]) -> impl Iterator<Item = (libc::c_int, libc::c_int, &[u8])> {
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
fn read_address(address: &[u8]) -> Option<SocketAddr> {
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

/// Sends `payload` on a connected socket, with a TTL (or hop limit) for this packet alone.
pub(crate) fn send_with_ttl(
    fd: BorrowedFd<'_>,
    is_v6: bool,
    ttl: Option<u8>,
    payload: &[u8],
) -> io::Result<()> {
    let mut control = Control([0; CONTROL_BYTES]);
    // SAFETY: all-zero is a valid `msghdr`.
    let mut header: libc::msghdr = unsafe { zeroed() };
    let mut part = libc::iovec {
        iov_base: payload.as_ptr().cast_mut().cast(),
        iov_len: payload.len(),
    };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    if let Some(ttl) = ttl {
        let (level, kind) = match is_v6 {
            true => (libc::IPPROTO_IPV6, libc::IPV6_HOPLIMIT),
            false => (libc::IPPROTO_IP, libc::IP_TTL),
        };
        header.msg_control = control.0.as_mut_ptr().cast();
        // SAFETY: the control buffer is aligned and larger than one message with an int.
        unsafe {
            header.msg_controllen = libc::CMSG_SPACE(size_of::<libc::c_int>() as u32) as _;
            let message = libc::CMSG_FIRSTHDR(&raw const header);
            (*message).cmsg_level = level;
            (*message).cmsg_type = kind;
            (*message).cmsg_len = libc::CMSG_LEN(size_of::<libc::c_int>() as u32) as _;
            std::ptr::write_unaligned(libc::CMSG_DATA(message).cast(), libc::c_int::from(ttl));
        }
    }
    // SAFETY: the header points to live buffers with their true lengths.
    let sent = unsafe { libc::sendmsg(fd.as_raw_fd(), &raw const header, libc::MSG_DONTWAIT) };
    if sent < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// `setsockopt` with a value of any plain type.
pub(crate) fn set_option<T: Copy>(fd: BorrowedFd<'_>, level: i32, name: i32, value: T) -> io::Result<()> {
    // SAFETY: the pointer and the length describe `value`.
    let done = unsafe {
        let length = size_of::<T>() as libc::socklen_t;
        libc::setsockopt(fd.as_raw_fd(), level, name, (&raw const value).cast(), length)
    };
    if done < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Datagrams that the kernel dropped because this socket's buffer was full (`SO_MEMINFO`); `None` when unknown.
pub(crate) fn dropped_by_socket(fd: BorrowedFd<'_>) -> Option<u64> {
    const SK_MEMINFO_DROPS: usize = 8;
    let mut words = [0u32; 16];
    let mut length = size_of_val(&words) as libc::socklen_t;
    // SAFETY: the pointer and the length describe `words`.
    let done = unsafe {
        let place = words.as_mut_ptr().cast();
        libc::getsockopt(
            fd.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            place,
            &raw mut length,
        )
    };
    (done == 0 && length as usize > SK_MEMINFO_DROPS * 4).then(|| u64::from(words[SK_MEMINFO_DROPS]))
}

/// Waits until one of `fds` can be read or has an error, at most `timeout`.
pub(crate) fn wait_readable(fds: &[RawFd], timeout: Duration) -> io::Result<()> {
    let mut entries: Vec<libc::pollfd> = fds
        .iter()
        .map(|fd| libc::pollfd {
            fd: *fd,
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    let limit = libc::timespec {
        tv_sec: timeout.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(timeout.subsec_nanos()),
    };
    // SAFETY: the pointer and the count describe `entries`; no signal mask is given.
    let ready = unsafe {
        libc::ppoll(
            entries.as_mut_ptr(),
            entries.len() as libc::nfds_t,
            &raw const limit,
            std::ptr::null(),
        )
    };
    match ready {
        0.. => Ok(()),
        _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    const NOTHING: Received = Received {
        length: 0,
        from: None,
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

    fn read(control: &[u8]) -> Received {
        let mut received = NOTHING;
        read_control(control, &mut received);
        received
    }

    #[test]
    fn whole_messages_are_read() {
        let error = whole(libc::IPPROTO_IP, libc::IP_RECVERR, &queued());
        let read = read(&[stamp(), ttl(61), error].concat());
        assert_eq!((read.stamp_ns, read.ttl), (Some(7_000_000_005), Some(61)));
        let error = read.error.unwrap();
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
            let read = read(&[stamp(), lying, ttl(62)].concat());
            assert_eq!(read.stamp_ns, Some(7_000_000_005), "{length}");
            assert!(
                matches!(read.ttl, None | Some(62 | 61)),
                "{length}: {:?}",
                read.ttl
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
        let error = queued();
        for length in 0..error.len() {
            let message = whole(libc::IPPROTO_IP, libc::IP_RECVERR, &error[..length]);
            let read = read(&message).error;
            // The offender's family, port and address are eight bytes.
            assert_eq!(read.is_some(), length >= 16, "{length}");
            assert_eq!(
                read.and_then(|error| error.offender).is_some(),
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
        v6.extend("2001:db8::1".parse::<std::net::Ipv6Addr>().unwrap().octets());
        v6.extend(0_u32.to_ne_bytes());
        for length in 0..v6.len() {
            assert_eq!(read_address(&v6[..length]), None, "{length}");
        }
        assert_eq!(read_address(&v6), Some("[2001:db8::1]:443".parse().unwrap()));
        v6[0] = 0xee;
        assert_eq!(read_address(&v6), None);
    }
}
