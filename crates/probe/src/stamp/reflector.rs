//! What is sent back for a packet that came, and for which none is.
//!
//! An answer has the size of the packet, to the byte: there is nothing to gain in sending to a reflector with somebody else's
//! address. What two reflectors could send to each other for ever is not answered at all: an answer of any reflector
//! holds a time of its receiver from a moment ago where a test packet holds zeros or padding.

use super::packet::{self, Mode, Reflected, TestPacket, get};
use super::seal::Key;
use super::sessions::{SessionId, Sessions};
use super::time::{Clock, ErrorEstimate, TimeFormat};
use super::{PORT, tlv};
use std::net::SocketAddr;

/// An echo of an answer of ours, or an answer to it, comes within this time.
const LOOP_NS: i64 = 10 * 1_000_000_000;
/// Below are services (RFC 6335): what is sent to one in somebody else's name may draw an answer from it.
const FIRST_USER_PORT: u16 = 1_024;

/// What a reflector is told by its owner.
#[derive(Debug, Clone)]
pub struct ReflectorConfig {
    /// With a key only authenticated packets are answered.
    pub key: Option<Key>,
    /// Whether it numbers its answers by itself.
    pub stateful: bool,
    /// Whether the sender may choose the DSCP of the way back (Class of Service TLV); else it is that of the packet.
    pub grants_class: bool,
    /// Sessions counted at the same time.
    pub max_sessions: usize,
}

/// How a packet came.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// Its source.
    pub from: SocketAddr,
    /// Our address and port that it was sent to.
    pub to: SocketAddr,
    /// When the kernel took it in, nanoseconds since 1970.
    pub at_ns: i64,
    /// TTL or hop limit.
    pub ttl: Option<u8>,
    /// DSCP and ECN.
    pub tos: Option<u8>,
}

/// What is sent back to where the packet came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// UDP payload, as long as that which came.
    pub packet: Vec<u8>,
    /// Its DSCP.
    pub dscp: u8,
}

/// Why nothing is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// Shorter than a base packet: the answer would be larger.
    Short,
    /// Its seal is not good.
    NotAuthentic,
    /// It comes from the port of a service, or from none.
    Port,
    /// It is an answer, or an echo of one.
    Loop,
    /// So many sessions go on already.
    NoRoom,
}

/// A reflector; holds what it has counted.
#[derive(Debug)]
pub struct Reflector {
    config: ReflectorConfig,
    sessions: Sessions,
}

impl Reflector {
    /// One that has seen nothing.
    #[must_use]
    pub fn new(config: ReflectorConfig) -> Self {
        let sessions = Sessions::at_most(config.max_sessions);
        Self { config, sessions }
    }

    /// What is sent back for `packet`, at `transmit_ns` since 1970 by `clock`. `now_ns` is of a clock that never jumps.
    ///
    /// # Errors
    /// Why nothing is.
    pub fn answer(
        &mut self,
        packet: &[u8],
        arrival: &Arrival,
        (clock, transmit_ns): (Clock, i64),
        now_ns: u64,
    ) -> Result<Reply, Silence> {
        let test = self.admit(packet, arrival)?;
        let key = self.config.key.as_ref();
        let mode = Mode::of(key);
        let sequence = match self.config.stateful {
            true => self
                .sessions
                .next(id(&test, arrival), now_ns)
                .ok_or(Silence::NoRoom)?,
            false => test.sequence,
        };
        let mut reply = packet.to_vec();
        let head = Reflected {
            sequence,
            timestamp: TimeFormat::Ntp.write(transmit_ns),
            error: ErrorEstimate::of(clock),
            ssid: test.ssid,
            receive_timestamp: TimeFormat::Ntp.write(arrival.at_ns),
            sender_sequence: test.sequence,
            sender_timestamp: test.timestamp,
            sender_error: test.error,
            sender_ttl: arrival.ttl.unwrap_or(0),
        };
        head.write(&mut reply, mode).ok_or(Silence::Short)?;
        let seen = tlv::Seen {
            sender_sequence: test.sequence.to_be_bytes(),
            sequence: sequence.to_be_bytes(),
            destination_port: arrival.to.port(),
            source_port: arrival.from.port(),
            tos: arrival.tos,
            synchronised: clock.synchronised,
            grants_class: self.config.grants_class,
        };
        let tail = reply.get_mut(mode.base_bytes()..).unwrap_or_default();
        let granted = tlv::reflect(tail, &seen, key);
        packet::seal(&mut reply, key);
        Ok(Reply {
            packet: reply,
            dscp: granted.or(arrival.tos.map(|tos| tos >> 2)).unwrap_or(0),
        })
    }

    /// Whether a packet would be answered, as far as it alone tells. Nothing is counted.
    ///
    /// # Errors
    /// Why it would not.
    pub fn admit(&self, packet: &[u8], arrival: &Arrival) -> Result<TestPacket, Silence> {
        let mode = Mode::of(self.config.key.as_ref());
        let port = arrival.from.port();
        if port < FIRST_USER_PORT && port != PORT {
            return Err(Silence::Port);
        }
        let test = TestPacket::read(packet, mode).ok_or(Silence::Short)?;
        if !packet::is_whole(packet, self.config.key.as_ref()) {
            return Err(Silence::NotAuthentic);
        }
        let at = mode.layout();
        // An echo of an answer of ours, or an answer to one.
        let quoted = [at.receive_timestamp, at.sender_timestamp];
        match quoted
            .iter()
            .any(|at| is_time_of_ours(packet, *at, arrival.at_ns))
        {
            true => Err(Silence::Loop),
            false => Ok(test),
        }
    }
}

fn id(test: &TestPacket, arrival: &Arrival) -> SessionId {
    SessionId {
        sender: arrival.from,
        reflector: arrival.to,
        ssid: test.ssid,
    }
}

/// Whether eight bytes are a time of our clock from a moment ago: of random padding one in a hundred million is.
fn is_time_of_ours(packet: &[u8], at: usize, now_ns: i64) -> bool {
    let time = get(packet, at).map(|bytes| TimeFormat::Ntp.read(bytes, now_ns));
    time.is_some_and(|time| now_ns.saturating_sub(time).saturating_abs() < LOOP_NS)
}
