//! `slowpath serve --stdio`: a far end for as long as whoever started it is there.

use net::NetError;
use net::far_end::{AllowedPeers, Token};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{self, BufRead, Read};
use std::os::fd::AsFd;
use tokio_util::sync::CancellationToken;

/// A far end that hears nothing for so long ends: a connection that died without a word is not heard of otherwise.
pub(crate) const SILENCE_MS: u16 = 60_000;
/// Longer lines are no token.
const LONGEST_LINE: u64 = 2_048;

/// What the first line says.
pub(super) struct Told {
    pub(super) token: Token,
    pub(super) port: Option<u16>,
    /// Other far ends with which this one may exchange probes.
    pub(super) allow_peers: Vec<AllowedPeers>,
}

/// Reads the first line: the token, the port that is wanted, and the third places that are allowed, separated by blanks.
///
/// # Errors
/// There is none, or it is no token.
pub(super) fn told() -> Result<Told, NetError> {
    let mut line = String::new();
    let read = io::stdin().lock().take(LONGEST_LINE).read_line(&mut line);
    read.map_err(|source| NetError::Os {
        doing: "reading the token from standard input".to_owned(),
        source,
    })?;
    let mut words = line.split_ascii_whitespace();
    Ok(Told {
        token: Token::read(words.next().unwrap_or_default())?,
        port: words.next().and_then(|port| port.parse().ok()),
        allow_peers: words.filter_map(|peers| peers.parse().ok()).collect(),
    })
}

/// Cancels when standard input ends or is silent for [`SILENCE_MS`]. The thread ends with the process: nothing else ends a read.
pub(super) fn end_with_input(cancel: CancellationToken) {
    std::thread::spawn(move || {
        while is_heard() {}
        cancel.cancel();
    });
}

fn is_heard() -> bool {
    let mut input = io::stdin().lock();
    let mut polled = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
    match poll(&mut polled, PollTimeout::from(SILENCE_MS)) {
        Ok(0) => false,
        Ok(_) => matches!(input.read(&mut [0; 512]), Ok(count) if count > 0),
        Err(error) => error == nix::errno::Errno::EINTR,
    }
}
