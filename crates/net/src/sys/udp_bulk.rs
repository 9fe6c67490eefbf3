//! Many UDP packets per system call, with kernel stamps and drop counters.
//!
//! Sending: one by one, several with `sendmmsg`, or one large buffer that the kernel cuts (UDP_SEGMENT, GSO).
//! Receiving: `recvmmsg` into buffers in which the kernel may leave several packets of one size together (UDP_GRO).

use super::control::control_messages;
use super::tcp_socket::{get_bytes, set_u32};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::null_mut;

const SO_MEMINFO: libc::c_int = 55;
/// Index of the drop counter among the words of `SO_MEMINFO`.
const MEMINFO_DROPS: usize = 8;
const SCM_TIMESTAMPING: libc::c_int = libc::SO_TIMESTAMPING;
/// Buffers of one receive call. Each holds the largest packet train that the kernel puts together.
const BUFFERS: usize = 16;
const BUFFER_BYTES: usize = 1 << 16;
const CONTROL_BYTES: usize = 256;
/// Packets of one `sendmmsg` call.
pub(crate) const MAX_BATCH: usize = 64;

/// Sets a socket up for sending a stream: no fragmentation, local drops reported, transmit stamps on request.
pub(crate) fn prepare_sender(socket: BorrowedFd<'_>, is_v6: bool, buffer_bytes: u32) -> io::Result<()> {
    dont_fragment(socket, is_v6)?;
    // Without IP_RECVERR the kernel hides that its own queueing discipline dropped a packet (`ENOBUFS`).
    let (level, name) = if is_v6 {
        (libc::IPPROTO_IPV6, libc::IPV6_RECVERR)
    } else {
        (libc::IPPROTO_IP, libc::IP_RECVERR)
    };
    set_u32(socket, level, name, 1)?;
    let _ = set_u32(socket, libc::SOL_SOCKET, libc::SO_SNDBUF, buffer_bytes);
    let flags =
        libc::SOF_TIMESTAMPING_SOFTWARE | libc::SOF_TIMESTAMPING_OPT_ID | libc::SOF_TIMESTAMPING_OPT_TSONLY;
    // A kernel without stamps still carries the stream; the delay is then not measured.
    let _ = set_u32(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, flags);
    Ok(())
}

/// Sets a socket up for receiving a stream. Gives whether the kernel puts packets together.
pub(crate) fn prepare_receiver(socket: BorrowedFd<'_>, buffer_bytes: u32) -> io::Result<bool> {
    // The first is allowed beyond the host's limit, with the privilege.
    if set_u32(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, buffer_bytes).is_err() {
        set_u32(socket, libc::SOL_SOCKET, libc::SO_RCVBUF, buffer_bytes)?;
    }
    set_u32(socket, libc::SOL_SOCKET, libc::SO_RXQ_OVFL, 1)?;
    let flags = libc::SOF_TIMESTAMPING_SOFTWARE | libc::SOF_TIMESTAMPING_RX_SOFTWARE;
    let _ = set_u32(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, flags);
    Ok(set_u32(socket, libc::IPPROTO_UDP, libc::UDP_GRO, 1).is_ok())
}

/// Sends with "don't fragment" whatever the kernel believes of the path's MTU.
fn dont_fragment(socket: BorrowedFd<'_>, is_v6: bool) -> io::Result<()> {
    if is_v6 {
        set_u32(
            socket,
            libc::IPPROTO_IPV6,
            libc::IPV6_MTU_DISCOVER,
            libc::IPV6_PMTUDISC_PROBE as u32,
        )
    } else {
        set_u32(
            socket,
            libc::IPPROTO_IP,
            libc::IP_MTU_DISCOVER,
            libc::IP_PMTUDISC_PROBE as u32,
        )
    }
}

/// Packets that the kernel has dropped for want of room in this socket's receive buffer (`SO_MEMINFO`).
pub(crate) fn socket_drops(socket: BorrowedFd<'_>) -> Option<u32> {
    let mut words = [0u8; 36];
    let length = get_bytes(socket, libc::SOL_SOCKET, SO_MEMINFO, &mut words).ok()?;
    let word = words
        .get(..length)?
        .get(MEMINFO_DROPS * 4..MEMINFO_DROPS * 4 + 4)?;
    Some(u32::from_ne_bytes(word.try_into().ok()?))
}

fn result_of(value: isize) -> io::Result<usize> {
    usize::try_from(value).map_err(|_| io::Error::last_os_error())
}

/// Sends one packet on a connected socket, with a transmit stamp if asked for.
pub(crate) fn send(socket: BorrowedFd<'_>, payload: &[u8], stamped: bool) -> io::Result<()> {
    let flags = libc::SOF_TIMESTAMPING_TX_SOFTWARE;
    let control = stamped.then(|| {
        (
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPING,
            flags.to_ne_bytes().to_vec(),
        )
    });
    send_with(socket, payload, control)
}

/// Sends `payload` as packets of `segment_bytes` each, the last one may be shorter, cut by the kernel.
pub(crate) fn send_segmented(socket: BorrowedFd<'_>, payload: &[u8], segment_bytes: u16) -> io::Result<()> {
    send_with(
        socket,
        payload,
        Some((
            libc::IPPROTO_UDP,
            libc::UDP_SEGMENT,
            segment_bytes.to_ne_bytes().to_vec(),
        )),
    )
}

fn send_with(
    socket: BorrowedFd<'_>,
    payload: &[u8],
    control: Option<(libc::c_int, libc::c_int, Vec<u8>)>,
) -> io::Result<()> {
    let mut part = libc::iovec {
        iov_base: payload.as_ptr().cast_mut().cast(),
        iov_len: payload.len(),
    };
    let mut space = ControlSpace([0; CONTROL_BYTES]);
    // SAFETY: an all-zero msghdr is a valid one: null pointers and zero lengths.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    if let Some((level, kind, value)) = &control {
        message.msg_control = space.0.as_mut_ptr().cast();
        // SAFETY: CMSG_SPACE and CMSG_LEN only compute. The values are at most 4 bytes, so the one header and its
        // value fit CONTROL_BYTES, and CMSG_FIRSTHDR points into `space`, which is aligned for a cmsghdr.
        unsafe {
            message.msg_controllen = libc::CMSG_SPACE(value.len() as u32) as _;
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = *level;
            (*header).cmsg_type = *kind;
            (*header).cmsg_len = libc::CMSG_LEN(value.len() as u32) as _;
            std::ptr::copy_nonoverlapping(value.as_ptr(), libc::CMSG_DATA(header), value.len());
        }
    }
    // SAFETY: `message` points to `part` and `space`, which live through the call; the kernel only reads them.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    result_of(sent).map(|_| ())
}

/// Control messages must be aligned as their header is.
#[repr(C, align(8))]
struct ControlSpace([u8; CONTROL_BYTES]);

/// Sends packets on a connected socket with one call; gives how many the kernel took.
pub(crate) fn send_many(socket: BorrowedFd<'_>, payloads: &[&[u8]]) -> io::Result<usize> {
    let payloads = payloads.get(..MAX_BATCH).unwrap_or(payloads);
    let mut parts = [libc::iovec {
        iov_base: null_mut(),
        iov_len: 0,
    }; MAX_BATCH];
    // SAFETY: all-zero mmsghdrs are valid: null pointers and zero lengths.
    let mut messages: [libc::mmsghdr; MAX_BATCH] = unsafe { zeroed() };
    for ((payload, part), message) in payloads.iter().zip(&mut parts).zip(&mut messages) {
        part.iov_base = payload.as_ptr().cast_mut().cast();
        part.iov_len = payload.len();
        message.msg_hdr.msg_iov = part;
        message.msg_hdr.msg_iovlen = 1;
    }
    // SAFETY: the first `payloads.len()` messages point to `parts`, which point to `payloads`; all live through the
    // call and the kernel writes to `messages` only.
    let sent = unsafe {
        libc::sendmmsg(
            socket.as_raw_fd(),
            messages.as_mut_ptr(),
            payloads.len() as u32,
            libc::MSG_NOSIGNAL as _,
        )
    };
    result_of(sent as isize)
}

/// A transmit stamp: the how-manieth stamped packet of the socket, and when it left, nanoseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TransmitStamp {
    /// Counted from 0.
    pub(crate) index: u32,
    /// When it left.
    pub(crate) at_ns: i64,
}

/// Takes one entry from the error queue: `Ok(None)` is something else than a stamp.
///
/// # Errors
/// `WouldBlock` when the queue is empty.
pub(crate) fn transmit_stamp(socket: BorrowedFd<'_>) -> io::Result<Option<TransmitStamp>> {
    let mut space = ControlSpace([0; CONTROL_BYTES]);
    let mut byte = [0u8; 1];
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    // SAFETY: an all-zero msghdr is valid.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = space.0.as_mut_ptr().cast();
    message.msg_controllen = CONTROL_BYTES as _;
    // SAFETY: `message` points to buffers of the lengths it names, which live through the call.
    let received = unsafe {
        libc::recvmsg(
            socket.as_raw_fd(),
            &raw mut message,
            libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT,
        )
    };
    result_of(received)?;
    let (mut at_ns, mut index) = (None, None);
    // SAFETY: the kernel has just filled `message`, whose control buffer is `space`.
    unsafe {
        each_control(&message, |level, kind, value| match (level, kind) {
            (libc::SOL_SOCKET, SCM_TIMESTAMPING) => at_ns = software_stamp(value),
            (libc::IPPROTO_IP, libc::IP_RECVERR) | (libc::IPPROTO_IPV6, libc::IPV6_RECVERR) => {
                index = stamp_index(value);
            }
            _ => {}
        });
    }
    Ok(at_ns
        .zip(index)
        .map(|(at_ns, index)| TransmitStamp { index, at_ns }))
}

/// The number in a `sock_extended_err` of a transmit stamp.
fn stamp_index(value: &[u8]) -> Option<u32> {
    let is_stamp = *value.get(4)? == libc::SO_EE_ORIGIN_TIMESTAMPING;
    is_stamp
        .then(|| value.get(12..16)?.try_into().ok().map(u32::from_ne_bytes))
        .flatten()
}

/// The first of the three `timespec`s of SCM_TIMESTAMPING: the software stamp.
fn software_stamp(value: &[u8]) -> Option<i64> {
    let seconds = i64::from_ne_bytes(value.get(..8)?.try_into().ok()?);
    let nanoseconds = i64::from_ne_bytes(value.get(8..16)?.try_into().ok()?);
    (seconds != 0).then(|| seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
}

/// Calls `handle(level, type, data)` for each control message.
///
/// # Safety
/// The kernel must have filled `message`, and its control buffer must still live.
unsafe fn each_control(message: &libc::msghdr, mut handle: impl FnMut(libc::c_int, libc::c_int, &[u8])) {
    if message.msg_control.is_null() {
        return;
    }
    let filled: usize = message.msg_controllen as _;
    // SAFETY: by the caller's promise so many bytes of the control buffer were filled.
    let control: &[u8] = unsafe { std::slice::from_raw_parts(message.msg_control.cast(), filled) };
    for (level, kind, data) in control_messages(control) {
        handle(level, kind, data);
    }
}

/// One or several packets of one size, as received.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Train<'a> {
    /// The payloads, one after the other.
    pub(crate) bytes: &'a [u8],
    /// Length of each; the last may be shorter.
    pub(crate) segment_bytes: usize,
    /// When the kernel received the first, nanoseconds since the epoch.
    pub(crate) at_ns: Option<i64>,
    /// Drops of this socket before it, as counted when it was queued.
    pub(crate) drops: Option<u32>,
}

/// Buffers for receiving.
pub(crate) struct TrainReceiver {
    bytes: Vec<u8>,
    control: Vec<ControlSpace>,
}

impl TrainReceiver {
    pub(crate) fn new() -> Self {
        Self {
            bytes: vec![0; BUFFERS * BUFFER_BYTES],
            control: (0..BUFFERS).map(|_| ControlSpace([0; CONTROL_BYTES])).collect(),
        }
    }

    /// Waits for packets, as long as the socket's timeout says, and handles all that are there.
    pub(crate) fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        mut handle: impl FnMut(Train<'_>),
    ) -> io::Result<()> {
        let mut parts = [libc::iovec {
            iov_base: null_mut(),
            iov_len: 0,
        }; BUFFERS];
        // SAFETY: all-zero mmsghdrs are valid.
        let mut messages: [libc::mmsghdr; BUFFERS] = unsafe { zeroed() };
        let buffers = self.bytes.chunks_exact_mut(BUFFER_BYTES).zip(&mut self.control);
        for (((bytes, control), part), message) in buffers.zip(&mut parts).zip(&mut messages) {
            part.iov_base = bytes.as_mut_ptr().cast();
            part.iov_len = bytes.len();
            message.msg_hdr.msg_iov = part;
            message.msg_hdr.msg_iovlen = 1;
            message.msg_hdr.msg_control = control.0.as_mut_ptr().cast();
            message.msg_hdr.msg_controllen = CONTROL_BYTES as _;
        }
        // SAFETY: each message points to one part, one buffer and one control space of the lengths it names, all of
        // which live through the call.
        let received = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                messages.as_mut_ptr(),
                BUFFERS as u32,
                libc::MSG_WAITFORONE as _,
                null_mut(),
            )
        };
        let count = result_of(received as isize)?;
        for (message, bytes) in messages
            .iter()
            .take(count)
            .zip(self.bytes.chunks_exact(BUFFER_BYTES))
        {
            let bytes = bytes.get(..message.msg_len as usize).unwrap_or(bytes);
            // SAFETY: the kernel has just filled this message; its control space lives in `self.control`.
            handle(unsafe { train(&message.msg_hdr, bytes) });
        }
        Ok(())
    }
}

/// # Safety
/// As [`each_control`].
unsafe fn train<'a>(message: &libc::msghdr, bytes: &'a [u8]) -> Train<'a> {
    let mut train = Train {
        bytes,
        segment_bytes: bytes.len().max(1),
        at_ns: None,
        drops: None,
    };
    let word = |value: &[u8]| Some(u32::from_ne_bytes(value.get(..4)?.try_into().ok()?));
    // SAFETY: by the caller's promise.
    unsafe {
        each_control(message, |level, kind, value| match (level, kind) {
            (libc::SOL_SOCKET, SCM_TIMESTAMPING) => train.at_ns = software_stamp(value),
            (libc::SOL_SOCKET, libc::SO_RXQ_OVFL) => train.drops = word(value),
            (libc::IPPROTO_UDP, libc::UDP_GRO) => {
                if let Some(size) = word(value).filter(|size| *size > 0) {
                    train.segment_bytes = size as usize;
                }
            }
            _ => {}
        });
    }
    train
}

const _: () = assert!(size_of::<ControlSpace>() == CONTROL_BYTES);

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;
    use std::os::fd::AsFd;
    use std::time::Duration;

    fn pair() -> (UdpSocket, UdpSocket) {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.connect(receiver.local_addr().unwrap()).unwrap();
        receiver.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        prepare_sender(sender.as_fd(), false, 1 << 20).unwrap();
        (sender, receiver)
    }

    fn packets(receiver: &UdpSocket, count: usize) -> Vec<(u8, usize, Option<i64>)> {
        let mut seen = Vec::new();
        let mut trains = TrainReceiver::new();
        while seen.len() < count {
            let handle = |train: Train<'_>| {
                for packet in train.bytes.chunks(train.segment_bytes) {
                    seen.push((packet[0], packet.len(), train.at_ns));
                }
            };
            trains.receive(receiver.as_fd(), handle).unwrap();
        }
        seen
    }

    #[test]
    fn all_ways_of_sending_arrive_alike() {
        let (sender, receiver) = pair();
        prepare_receiver(receiver.as_fd(), 1 << 20).unwrap();
        send(sender.as_fd(), &[1; 100], true).unwrap();
        assert_eq!(send_many(sender.as_fd(), &[&[2; 100], &[3; 100]]).unwrap(), 2);
        let three: Vec<u8> = [[4u8; 100], [5; 100], [6; 100]].concat();
        send_segmented(sender.as_fd(), &three, 100).unwrap();
        let seen = packets(&receiver, 6);
        assert_eq!(
            seen.iter()
                .map(|(first, length, _)| (*first, *length))
                .collect::<Vec<_>>(),
            (1..=6).map(|first| (first, 100)).collect::<Vec<_>>()
        );
        let stamp = transmit_stamp(sender.as_fd()).unwrap().unwrap();
        assert_eq!(stamp.index, 0);
        assert!(transmit_stamp(sender.as_fd()).is_err());
        let received = seen[0].2.unwrap_or(stamp.at_ns);
        assert!(
            (0..1_000_000_000).contains(&(received - stamp.at_ns)),
            "{received} {stamp:?}"
        );
    }

    #[test]
    fn a_full_socket_counts_what_it_drops() {
        let (sender, receiver) = pair();
        prepare_receiver(receiver.as_fd(), 4_096).unwrap();
        set_u32(receiver.as_fd(), libc::SOL_SOCKET, libc::SO_RCVBUF, 4_096).unwrap();
        for _ in 0..200 {
            send(sender.as_fd(), &[0; 1_000], false).unwrap();
        }
        let drops = socket_drops(receiver.as_fd()).unwrap();
        assert!((150..200).contains(&drops), "{drops}");
    }

    #[test]
    fn control_bytes_that_are_too_short_are_nothing() {
        assert_eq!((software_stamp(&[0; 15]), stamp_index(&[4; 12])), (None, None));
        assert_eq!(software_stamp(&[0; 48]), None);
    }
}
