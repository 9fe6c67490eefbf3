//! The receive window of a connection whose bytes are limited: what the kernel takes in ahead of us has crossed the network as well.

use crate::sys::tcp_socket;
use std::net::TcpStream;
use std::os::fd::AsFd;

/// The part of the rate's second that may wait unread, over all streams: half of what is tolerated.
const UNREAD_S: f64 = 0.5;
/// A window is never made smaller: less would stop the sender between two segments.
const LEAST_BYTES: u64 = 4_096;
/// The share of the byte limit by which a sender may exceed it.
const TOLERATED_SHARE: u64 = 10;

/// The window of one of several streams, which is only ever narrowed.
pub(super) struct Window<'a> {
    stream: &'a TcpStream,
    streams: u64,
}

impl<'a> Window<'a> {
    /// The window of `stream`, one of so many.
    pub(super) fn of(stream: &'a TcpStream, streams: usize) -> Self {
        let streams = streams.max(1) as u64;
        Self { stream, streams }
    }

    fn option(&self, level: i32, name: i32) -> u64 {
        tcp_socket::get_u32(self.stream.as_fd(), level, name).map_or(u64::MAX, u64::from)
    }

    fn set(&self, level: i32, name: i32, bytes: u64) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        // What cannot be set stays as wide as the kernel has it; what is read is limited all the same.
        let _ = tcp_socket::set_u32(self.stream.as_fd(), level, name, bytes);
    }

    /// Fixes the buffer at what may wait unread of a rate over all streams, where the kernel would have a larger one: reading
    /// slowly fills it, and the sender waits.
    pub(super) fn hold_to_rate(&self, bps: f64) {
        let unread = ((bps / 8.0 * UNREAD_S) as u64 / self.streams).max(LEAST_BYTES);
        if unread < self.option(libc::SOL_SOCKET, libc::SO_RCVBUF) {
            // The kernel doubles what is asked for.
            self.set(libc::SOL_SOCKET, libc::SO_RCVBUF, unread / 2);
        }
    }

    /// Of a limit of `most` bytes, after `read` of them over all streams, lets no more in than is left, and what is tolerated.
    /// A sender that keeps to the limit never meets this window: twice its share of what is left fits in.
    pub(super) fn narrow(&self, most: u64, read: u64) {
        let left = most.saturating_sub(read).saturating_add(most / TOLERATED_SHARE);
        let share = match self.streams {
            1 => left,
            streams => left.saturating_mul(2) / streams,
        };
        let wanted = share.max(LEAST_BYTES);
        if wanted < self.option(libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP) {
            self.set(libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, wanted);
        }
    }
}
