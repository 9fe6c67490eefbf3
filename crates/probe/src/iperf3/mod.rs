//! iperf3's protocol, both sides of it, without a socket: what is said on the control connection, how each stream opens,
//! what a datagram holds, and how the server's word on its end and our own half become one observation.
//!
//! Nobody at the other end is authenticated, and nothing is encrypted: all that comes is hostile. Its length is bounded,
//! each step has its time, and a figure that no transfer can have is refused.

mod control;
mod datagram;
mod error;
mod join;
mod parameters;
mod request;
mod results;
mod state;

pub use control::{Control, Event};
pub use datagram::{CONNECT_BYTES, CONNECT_MESSAGE, CONNECT_REPLY, Datagram, Jitter, is_connect_reply};
pub use error::Iperf3Error;
pub use join::{join_tcp_received, join_tcp_sent, join_udp_received, join_udp_sent};
pub use parameters::Parameters;
pub use request::{Request, RequestError, Senders};
pub use results::{Results, StreamResult, stream_id};
pub use state::State;

/// The port of `iperf3 -s`, TCP and UDP.
pub const DEFAULT_PORT: u16 = 5201;
/// Length of [`Cookie`].
pub const COOKIE_BYTES: usize = 37;
/// What the control connection and each TCP stream of one test begin with: 36 letters and a NUL.
pub type Cookie = [u8; COOKIE_BYTES];

/// A cookie out of 36 random bytes.
#[must_use]
pub fn cookie(chance: [u8; COOKIE_BYTES - 1]) -> Cookie {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut cookie = [0; COOKIE_BYTES];
    for (letter, chance) in cookie.iter_mut().zip(chance) {
        *letter = LETTERS[usize::from(chance % 32)];
    }
    cookie
}

#[cfg(test)]
mod tests;
