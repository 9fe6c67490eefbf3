//! The receive buffer of a connection whose bytes are limited: what the kernel takes in ahead of us has crossed the network as well.

use crate::sys::tcp_socket;
use std::net::TcpStream;
use std::os::fd::AsFd;

/// The seconds of a rate that may wait unread, over all streams: a buffer is found at up to twice that, and one second is
/// tolerated.
const UNREAD_S: f64 = 0.4;
/// The share of a byte limit that may wait beyond it. A tenth is tolerated; a buffer takes in a packet more than it has room for,
/// and a socket that is being read queues some beside it.
const BEYOND_SHARE: u64 = 20;
/// A buffer is never made smaller: less would stop the sender between two segments.
const LEAST_BYTES: u64 = 4_096;
/// `SO_BUF_LOCK` and its bit for the receive buffer (`asm-generic/socket.h`, `net/sock.h`), which `libc` does not name.
const SO_BUF_LOCK: i32 = 72;
const SOCK_RCVBUF_LOCK: u32 = 2;

/// The buffer of one of several streams, which is only ever made smaller. To be told before each read: a kernel that tunes
/// buffers takes a full one for a reason to double it.
pub(super) struct Window<'a> {
    stream: &'a TcpStream,
    streams: u64,
    is_fixed: bool,
    /// The largest buffer that can be asked for, and that the kernel makes by itself.
    most_asked: u64,
    most_tuned: u64,
}

impl<'a> Window<'a> {
    /// The buffer of `stream`, one of so many.
    pub(super) fn of(stream: &'a TcpStream, streams: usize) -> Self {
        Self {
            stream,
            streams: streams.max(1) as u64,
            is_fixed: false,
            // The kernel doubles what is asked for.
            most_asked: 2 * setting("core/rmem_max", 0),
            most_tuned: setting("ipv4/tcp_rmem", 2),
        }
    }

    /// Keeps what waits unread to a part of a second of the rate over all streams. Reading slowly fills the buffer then, and the
    /// sender waits.
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

    /// Of a limit of `most` bytes, after `read` of them over all streams, lets no more wait than is left and a little. A sender that
    /// keeps to the limit has nothing to send beyond this buffer. Where what is left is more than can be asked for, the
    /// kernel goes on tuning, unless an owner's limit `is_strict`: then a sender on a long path may wait for the window.
    pub(super) fn hold_to_bytes(&self, most: u64, read: u64, is_strict: bool) {
        // Of several streams one may wait unread, with what was left then, until the others have read all.
        let left = match self.streams {
            2.. if is_strict => 0,
            _ => most.saturating_sub(read),
        };
        let left = self.share(left.saturating_add(most / BEYOND_SHARE));
        let may_exceed = left < self.most_tuned;
        if left <= self.most_asked || (is_strict && may_exceed) {
            self.set_buffer(left.min(self.most_asked));
        }
    }

    /// How much to read at once under a limit of `most` bytes: the buffer fills again while it is read.
    pub(super) fn portion(&self, most: u64) -> usize {
        usize::try_from(self.share(most / BEYOND_SHARE / 2)).unwrap_or(usize::MAX)
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

/// A figure of a setting of the kernel below /proc/sys/net (`tcp(7)`); unlimited where it cannot be read.
fn setting(name: &str, place: usize) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/sys/net/{name}")).unwrap_or_default();
    let figure = text
        .split_whitespace()
        .nth(place)
        .and_then(|figure| figure.parse().ok());
    figure.unwrap_or(u64::from(u32::MAX))
}
