//! Which of a host's addresses answers (RFC 8305, "happy eyeballs"). No thread is started: rights belong to threads, and this
//! runs before they are given up.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, connect, getsockopt, socket, sockopt::SocketError,
};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long an address is waited for before the next one is tried beside it (RFC 8305 section 5).
const STAGGER: Duration = Duration::from_millis(250);
/// How long the last one is waited for.
const LAST: Duration = Duration::from_secs(1);

/// A connection that is being opened.
type Attempt = (SocketAddr, OwnedFd);

/// The first of these addresses, the preferred one first, that takes a connection; `None` where none does.
pub(super) fn first_to_answer(candidates: &[SocketAddr]) -> Option<SocketAddr> {
    let mut attempts: Vec<Attempt> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        attempts.extend(begin(*candidate));
        let is_last = index + 1 == candidates.len();
        let patience = if is_last { LAST } else { STAGGER };
        if let Some(open) = opened(&mut attempts, Instant::now() + patience) {
            return Some(open);
        }
    }
    None
}

/// Begins to connect; `None` where that fails at once, for want of a route for example.
fn begin(to: SocketAddr) -> Option<Attempt> {
    let family = if to.is_ipv4() {
        AddressFamily::Inet
    } else {
        AddressFamily::Inet6
    };
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let socket = socket(family, SockType::Stream, flags, None).ok()?;
    match connect(socket.as_raw_fd(), &SockaddrStorage::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Some((to, socket)),
        Err(_) => None,
    }
}

/// Waits for one of them to be open; drops those that fail.
fn opened(attempts: &mut Vec<Attempt>, until: Instant) -> Option<SocketAddr> {
    while !attempts.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        let mut polled: Vec<PollFd> = attempts
            .iter()
            .map(|(_, socket)| PollFd::new(socket.as_fd(), PollFlags::POLLOUT))
            .collect();
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        match poll(&mut polled, timeout) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(Errno::EINTR) => continue,
            Err(_) => return None,
        }
        let done: Vec<bool> = polled.iter().map(|one| one.any().unwrap_or(false)).collect();
        let is_open = |socket: &OwnedFd| getsockopt(socket, SocketError) == Ok(0);
        let mut each = attempts.iter().zip(&done);
        if let Some(((address, _), _)) = each.find(|((_, socket), done)| **done && is_open(socket)) {
            return Some(*address);
        }
        let mut done = done.into_iter();
        attempts.retain(|_| !done.next().unwrap_or(false));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    fn listening(at: &str) -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind(at).unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    #[test]
    fn the_preferred_address_is_taken_where_both_answer() {
        let (_first, first) = listening("127.0.0.1:0");
        let (_second, second) = listening("127.0.0.1:0");
        assert_eq!(first_to_answer(&[first, second]), Some(first));
        assert_eq!(first_to_answer(&[second, first]), Some(second));
    }

    #[test]
    fn one_that_refuses_is_passed_over() {
        let (closed, refuses) = listening("127.0.0.1:0");
        drop(closed);
        let (_listener, open) = listening("127.0.0.1:0");
        assert_eq!(first_to_answer(&[refuses, open]), Some(open));
        assert_eq!(first_to_answer(&[refuses]), None);
        assert_eq!(first_to_answer(&[]), None);
    }

    /// A listener whose queue is full drops what comes: to who connects that is a path that swallows packets.
    #[test]
    fn one_that_is_silent_is_passed_over() {
        let (full, silent) = listening("127.0.0.1:0");
        nix::sys::socket::listen(&full, nix::sys::socket::Backlog::new(0).unwrap()).unwrap();
        let _fill = TcpStream::connect(silent).unwrap();
        let (_listener, open) = listening("127.0.0.1:0");
        assert_eq!(first_to_answer(&[silent, open]), Some(open));
    }
}
