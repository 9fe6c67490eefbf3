//! `slowpath serve --stdio`: a far end for as long as whoever started it is there.

use net::NetError;
use net::far_end::{AllowedPeers, Token};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{self, BufRead, Read};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// A far end that hears nothing for so long ends: a connection that died without a word is not heard of otherwise.
const SILENCE_MS: u16 = 60_000;
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

/// How whoever started a far end tells it where to connect to: nothing reaches its port.
pub(crate) const DIAL: &str = "dial ";

/// Cancels when standard input ends or is silent for [`SILENCE_MS`], and tells at which clients whoever started us waits
/// ([`DIAL`]). The thread ends with the process: nothing else ends a read.
pub(super) fn hear(cancel: CancellationToken) -> UnboundedReceiver<SocketAddr> {
    let (sender, clients) = unbounded_channel();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        while let Some(heard) = heard() {
            for byte in heard {
                if byte != b'\n' {
                    line.push(byte);
                    line.truncate(LONGEST_LINE as usize);
                    continue;
                }
                if let Some(client) = client(&line) {
                    // Nobody to hear it: we are about to end.
                    let _ = sender.send(client);
                }
                line.clear();
            }
        }
        cancel.cancel();
    });
    clients
}

fn client(line: &[u8]) -> Option<SocketAddr> {
    let line = std::str::from_utf8(line).ok()?;
    line.trim_end().strip_prefix(DIAL)?.parse().ok()
}

/// What was said since; `None` when nobody is there any more.
fn heard() -> Option<Vec<u8>> {
    let mut input = io::stdin().lock();
    let mut polled = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
    match poll(&mut polled, PollTimeout::from(SILENCE_MS)) {
        Ok(0) => None,
        Ok(_) => {
            let mut bytes = vec![0; 512];
            let count = input.read(&mut bytes).ok().filter(|count| *count > 0)?;
            bytes.truncate(count);
            Some(bytes)
        }
        Err(error) => (error == nix::errno::Errno::EINTR).then(Vec::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_client_waits_is_an_address_and_nothing_else() {
        assert_eq!(
            client(b"dial 192.0.2.7:40000"),
            Some("192.0.2.7:40000".parse().unwrap())
        );
        assert_eq!(
            client(b"dial [2001:db8::7]:4820\r"),
            Some("[2001:db8::7]:4820".parse().unwrap())
        );
        for other in [
            &b""[..],
            b"dial",
            b"dial host:4820",
            b"dial 192.0.2.7",
            b"call 192.0.2.7:1",
            b"dial \xff:1",
        ] {
            assert_eq!(client(other), None);
        }
    }
}
