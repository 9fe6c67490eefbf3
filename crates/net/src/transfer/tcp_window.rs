//! The receive buffer of a connection whose bytes are limited: what the kernel takes in ahead of us has crossed the network as well.

use crate::sys::tcp_socket;
use std::net::TcpStream;
use std::os::fd::AsFd;

/// The seconds of a rate that may wait unread, over all streams: a buffer is found at up to twice that, and one second is
/// tolerated.
const UNREAD_S: f64 = 0.4;
/// The share of a byte limit that may wait unread. A tenth is tolerated; a buffer takes in a packet more than it has room for, and
/// a socket that is being read queues some beside it.
const UNREAD_SHARE: u64 = 20;
/// A buffer is never made smaller: less would stop the sender between two segments.
const LEAST_BYTES: u64 = 4_096;
/// `SO_BUF_LOCK` and its bit for the receive buffer (`asm-generic/socket.h`, `net/sock.h`), which `libc` does not name.
const SO_BUF_LOCK: i32 = 72;
const SOCK_RCVBUF_LOCK: u32 = 2;

/// The buffer of one of several streams, which is only ever made smaller.
pub(super) struct Window<'a> {
    stream: &'a TcpStream,
    streams: u64,
    is_fixed: bool,
}

impl<'a> Window<'a> {
    /// The buffer of `stream`, one of so many.
    pub(super) fn of(stream: &'a TcpStream, streams: usize) -> Self {
        Self {
            stream,
            streams: streams.max(1) as u64,
            is_fixed: false,
        }
    }

    /// Keeps what waits unread to a part of a second of the rate over all streams. Reading slowly fills the buffer then, and the
    /// sender waits. To be called before each read: a kernel that tunes buffers takes a full one for a reason to double it.
    pub(super) fn hold_to_rate(&mut self, bps: f64) {
        let unread = self.share((bps / 8.0 * UNREAD_S) as u64);
        let buffer = self.buffer();
        if self.is_fixed || buffer < unread {
            return;
        }
        // As large as it is now, where that is little more: one that is set could not be larger than net.core.rmem_max.
        if buffer > 2 * unread || !self.ends_tuning() {
            self.set_buffer(unread);
        }
        self.is_fixed = true;
    }

    /// Fixes the buffer at what may wait beyond `most` bytes, before the first read, where the kernel's tuning could make it
    /// larger than that. A sender on a long path is then slower than it could be, unless its owner allows more bytes or
    /// a larger net.core.rmem_max.
    pub(super) fn hold_to_bytes(&mut self, most: u64) {
        let unread = self.share(most / UNREAD_SHARE);
        if unread < largest_tuned_bytes() {
            self.set_buffer(unread);
            self.is_fixed = true;
        }
    }

    fn share(&self, bytes: u64) -> u64 {
        (bytes / self.streams).max(LEAST_BYTES)
    }

    fn buffer(&self) -> u64 {
        tcp_socket::get_u32(self.stream.as_fd(), libc::SOL_SOCKET, libc::SO_RCVBUF).map_or(0, u64::from)
    }

    /// The kernel doubles what is asked for, and tunes the buffer no more.
    fn set_buffer(&self, bytes: u64) {
        let half = u32::try_from(bytes / 2).unwrap_or(u32::MAX);
        // What cannot be set stays as wide as the kernel has it; what is read is limited all the same.
        let _ = tcp_socket::set_u32(self.stream.as_fd(), libc::SOL_SOCKET, libc::SO_RCVBUF, half);
    }

    /// Linux 5.16 and later.
    fn ends_tuning(&self) -> bool {
        let lock = SOCK_RCVBUF_LOCK;
        tcp_socket::set_u32(self.stream.as_fd(), libc::SOL_SOCKET, SO_BUF_LOCK, lock).is_ok()
    }
}

/// How large the kernel may make a buffer by itself (`tcp(7)`, `tcp_rmem`), bytes.
fn largest_tuned_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_rmem").unwrap_or_default();
    let most = text.split_whitespace().nth(2).and_then(|most| most.parse().ok());
    most.unwrap_or(u64::MAX)
}
