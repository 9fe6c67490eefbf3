//! One datagram in or out, with what the kernel tells beside it: receive stamp, TTL, and the error queue.

use super::control::{self, QueuedError};
use std::io;
use std::mem::{size_of, zeroed};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

/// Room for every control message that we ask for, several times over.
const CONTROL_BYTES: usize = 512;
pub(crate) const IP_RECVERR_RFC4884: libc::c_int = 26;
pub(crate) const IPV6_RECVERR_RFC4884: libc::c_int = 31;

/// A datagram that was received.
#[derive(Debug, Clone, Copy)]
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
    // SAFETY: `sockaddr_storage` is plain bytes, all of them initialised, of this length.
    let name = unsafe { std::slice::from_raw_parts((&raw const name).cast::<u8>(), size_of_val(&name)) };
    let filled: usize = header.msg_controllen as _;
    let told = control::read(control.0.get(..filled).unwrap_or(&control.0));
    Ok(Some(Received {
        length: (length as usize).min(buffer.len()),
        from: control::read_address(name.get(..header.msg_namelen as usize).unwrap_or(name)),
        stamp_ns: told.stamp_ns,
        ttl: told.ttl,
        error: told.error,
    }))
}

/// Control messages need the alignment of `cmsghdr`.
#[repr(C, align(8))]
struct Control([u8; CONTROL_BYTES]);

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
