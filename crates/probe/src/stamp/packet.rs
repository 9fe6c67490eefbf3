//! The base packets (RFC 8762, section 4.2 and 4.3; the SSID is RFC 8972's, section 3), of the same size in both directions.
//! Bytes that must be zero are written as zero, and not looked at.

use super::seal::{Key, SEAL_BYTES};
use super::time::ErrorEstimate;

/// Whether packets carry a seal; the fields of those that do lie at other places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Unauthenticated.
    Open,
    /// Authenticated: HMAC-SHA-256 over the first 96 bytes, cut to 16.
    Authenticated,
}

/// Where the fields lie, from the start of the UDP payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) base: usize,
    pub(super) timestamp: usize,
    pub(super) error: usize,
    pub(super) ssid: usize,
    pub(super) receive_timestamp: usize,
    pub(super) sender_sequence: usize,
    pub(super) sender_timestamp: usize,
    pub(super) sender_error: usize,
    pub(super) sender_ttl: usize,
    seal: Option<usize>,
}

const OPEN: Layout = Layout {
    base: 44,
    timestamp: 4,
    error: 12,
    ssid: 14,
    receive_timestamp: 16,
    sender_sequence: 24,
    sender_timestamp: 28,
    sender_error: 36,
    sender_ttl: 40,
    seal: None,
};

const AUTHENTICATED: Layout = Layout {
    base: 112,
    timestamp: 16,
    error: 24,
    ssid: 26,
    receive_timestamp: 32,
    sender_sequence: 48,
    sender_timestamp: 64,
    sender_error: 72,
    sender_ttl: 80,
    seal: Some(96),
};

impl Mode {
    /// The mode of a holder of `key`.
    #[must_use]
    pub fn of(key: Option<&Key>) -> Self {
        match key {
            Some(_) => Self::Authenticated,
            None => Self::Open,
        }
    }

    /// Bytes of UDP payload of a packet without TLVs.
    #[must_use]
    pub fn base_bytes(self) -> usize {
        self.layout().base
    }

    pub(super) fn layout(self) -> &'static Layout {
        match self {
            Self::Open => &OPEN,
            Self::Authenticated => &AUTHENTICATED,
        }
    }
}

/// What a sender writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestPacket {
    /// Counted from 0.
    pub sequence: u32,
    /// When it was sent, as written.
    pub timestamp: [u8; 8],
    /// Of the sender's clock.
    pub error: ErrorEstimate,
    /// The session's number, chosen by the sender; 0: none (TWAMP Light has none).
    pub ssid: u16,
}

/// What a reflector writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reflected {
    /// A stateful reflector's own count; a stateless one copies the sender's.
    pub sequence: u32,
    /// When it was sent back, as written.
    pub timestamp: [u8; 8],
    /// Of the reflector's clock.
    pub error: ErrorEstimate,
    /// As received.
    pub ssid: u16,
    /// When the test packet arrived, as written.
    pub receive_timestamp: [u8; 8],
    /// As received.
    pub sender_sequence: u32,
    /// As received.
    pub sender_timestamp: [u8; 8],
    /// As received.
    pub sender_error: ErrorEstimate,
    /// The TTL or hop limit with which the test packet arrived; 0 where the reflector could not tell.
    pub sender_ttl: u8,
}

impl TestPacket {
    /// Writes the head of `packet` and leaves what follows the base as it is. `None`: it does not fit.
    #[must_use]
    pub fn write(&self, packet: &mut [u8], mode: Mode) -> Option<()> {
        let at = mode.layout();
        packet.get_mut(..at.base)?.fill(0);
        put(packet, 0, self.sequence.to_be_bytes())?;
        put(packet, at.timestamp, self.timestamp)?;
        put(packet, at.error, self.error.to_bytes())?;
        put(packet, at.ssid, self.ssid.to_be_bytes())
    }

    /// Reads one; `None`: too short.
    #[must_use]
    pub fn read(packet: &[u8], mode: Mode) -> Option<Self> {
        let at = mode.layout();
        packet.get(..at.base)?;
        Some(Self {
            sequence: u32::from_be_bytes(get(packet, 0)?),
            timestamp: get(packet, at.timestamp)?,
            error: ErrorEstimate::from_bytes(get(packet, at.error)?),
            ssid: u16::from_be_bytes(get(packet, at.ssid)?),
        })
    }
}

impl Reflected {
    /// Writes the head of `packet` and leaves what follows the base as it is. `None`: it does not fit.
    #[must_use]
    pub fn write(&self, packet: &mut [u8], mode: Mode) -> Option<()> {
        let at = mode.layout();
        let own = TestPacket {
            sequence: self.sequence,
            timestamp: self.timestamp,
            error: self.error,
            ssid: self.ssid,
        };
        own.write(packet, mode)?;
        put(packet, at.receive_timestamp, self.receive_timestamp)?;
        put(packet, at.sender_sequence, self.sender_sequence.to_be_bytes())?;
        put(packet, at.sender_timestamp, self.sender_timestamp)?;
        put(packet, at.sender_error, self.sender_error.to_bytes())?;
        put(packet, at.sender_ttl, [self.sender_ttl])
    }

    /// Reads one; `None`: too short.
    #[must_use]
    pub fn read(packet: &[u8], mode: Mode) -> Option<Self> {
        let at = mode.layout();
        let own = TestPacket::read(packet, mode)?;
        Some(Self {
            sequence: own.sequence,
            timestamp: own.timestamp,
            error: own.error,
            ssid: own.ssid,
            receive_timestamp: get(packet, at.receive_timestamp)?,
            sender_sequence: u32::from_be_bytes(get(packet, at.sender_sequence)?),
            sender_timestamp: get(packet, at.sender_timestamp)?,
            sender_error: ErrorEstimate::from_bytes(get(packet, at.sender_error)?),
            sender_ttl: u8::from_be_bytes(get(packet, at.sender_ttl)?),
        })
    }
}

/// Seals the base of `packet`, if its mode has a seal.
pub(super) fn seal(packet: &mut [u8], key: Option<&Key>) {
    let Some((key, at)) = key.zip(Mode::of(key).layout().seal) else {
        return;
    };
    let seal = packet.get(..at).map(|base| key.seal(&[base]));
    let _ = seal.and_then(|seal| put(packet, at, seal));
}

/// Whether the base of `packet` is whole: without a key, that it is long enough.
pub(super) fn is_whole(packet: &[u8], key: Option<&Key>) -> bool {
    let at = Mode::of(key).layout();
    let sealed = |key: &Key, seal: usize| {
        let parts = packet.get(..seal).zip(packet.get(seal..seal + SEAL_BYTES));
        parts.is_some_and(|(base, seal)| key.is_seal(&[base], seal))
    };
    packet.len() >= at.base && key.zip(at.seal).is_none_or(|(key, seal)| sealed(key, seal))
}

pub(super) fn put<const N: usize>(packet: &mut [u8], at: usize, bytes: [u8; N]) -> Option<()> {
    packet.get_mut(at..at + N)?.copy_from_slice(&bytes);
    Some(())
}

pub(super) fn get<const N: usize>(packet: &[u8], at: usize) -> Option<[u8; N]> {
    packet.get(at..at + N)?.try_into().ok()
}
