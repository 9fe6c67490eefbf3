//! The ethtool ioctl: what a network driver tells of itself. Any user may ask.
//!
//! The ioctl and not its netlink successor: it answers on every kernel, tells what netlink does not (driver name,
//! the driver's own counters), and stays in the namespace in which its socket was opened.

use socket2::{Domain, Socket, Type};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsRawFd;

// linux/ethtool.h
const GDRVINFO: u32 = 0x03;
const GRINGPARAM: u32 = 0x10;
const GSTRINGS: u32 = 0x1b;
const GSTATS: u32 = 0x1d;
const GSSET_INFO: u32 = 0x37;
const GFEATURES: u32 = 0x3a;
const GLINKSETTINGS: u32 = 0x4c;
const STRINGS_STATS: u32 = 1;
const STRINGS_FEATURES: u32 = 4;
const STRING_BYTES: usize = 32;

/// No driver has more strings in a set; a larger count is not believed.
const MAX_STRINGS: usize = 16_384;

/// Speed and duplex of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// Speed in Mbit/s; `None` when the driver does not know it.
    pub(crate) speed_mbps: Option<u32>,
    /// `full` or `half`; `None` when the driver does not know it.
    pub(crate) duplex: Option<&'static str>,
}

/// Ring sizes in descriptors, current and largest; `None` for a ring that the driver does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rings {
    pub(crate) rx: Option<(u32, u32)>,
    pub(crate) tx: Option<(u32, u32)>,
}

/// Asks drivers of the namespace in which it was opened.
pub(crate) struct Ethtool {
    socket: Socket,
}

impl Ethtool {
    pub(crate) fn open() -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None)
            .or_else(|_| Socket::new(Domain::IPV6, Type::DGRAM, None))?;
        Ok(Self { socket })
    }

    /// The driver's name.
    pub(crate) fn driver(&self, interface: &str) -> Option<String> {
        // struct ethtool_drvinfo: cmd, driver[32], 4 more strings of 32, 12 reserved, 5 counts.
        let answer = self.ask(interface, &[GDRVINFO], 196).ok()?;
        text(answer.get(4..36)?)
    }

    /// Speed and duplex.
    pub(crate) fn link(&self, interface: &str) -> Option<Link> {
        // struct ethtool_link_settings is 48 bytes and followed by three bit maps. Asked with a map length of 0 the
        // kernel refuses and says (negated) which length it wants; 3 maps of at most 127 words fit in here.
        const BYTES: usize = 48 + 3 * 127 * 4;
        let words = self.ask(interface, &[GLINKSETTINGS], BYTES).ok()?;
        let wanted = words.get(15).map(|byte| (*byte as i8).unsigned_abs())?;
        let header = [GLINKSETTINGS, 0, 0, u32::from_ne_bytes([0, 0, 0, wanted])];
        link_from(&self.ask(interface, &header, BYTES).ok()?)
    }

    /// Ring sizes.
    pub(crate) fn rings(&self, interface: &str) -> Option<Rings> {
        rings_from(&self.ask(interface, &[GRINGPARAM], 36).ok()?)
    }

    /// Offloads that are on, or off and could be switched on. Those that the hardware does not have are absent.
    pub(crate) fn offloads(&self, interface: &str) -> BTreeMap<String, bool> {
        let names = self.strings(interface, STRINGS_FEATURES);
        let blocks = names.len().div_ceil(32);
        let Ok(blocks_u32) = u32::try_from(blocks) else {
            return BTreeMap::new();
        };
        match self.ask(interface, &[GFEATURES, blocks_u32], 8 + 16 * blocks) {
            Ok(answer) if blocks > 0 => offloads_from(&names, &answer),
            _ => BTreeMap::new(),
        }
    }

    /// The driver's own counters (`ethtool -S`).
    pub(crate) fn counters(&self, interface: &str) -> BTreeMap<String, u64> {
        let names = self.strings(interface, STRINGS_STATS);
        let Ok(count) = u32::try_from(names.len()) else {
            return BTreeMap::new();
        };
        if names.is_empty() {
            return BTreeMap::new();
        }
        match self.ask(interface, &[GSTATS, count], with_room(8 + 8 * names.len())) {
            Ok(answer) => counters_from(&names, &answer),
            Err(_) => BTreeMap::new(),
        }
    }

    /// The names in one of the driver's string sets.
    fn strings(&self, interface: &str, set: u32) -> Vec<String> {
        // struct ethtool_sset_info: cmd, reserved, mask (u64), one count per bit set.
        let [a, b, c, d, e, f, g, h] = (1u64 << set).to_ne_bytes();
        let (low, high) = (u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h]));
        let count = self
            .ask(interface, &[GSSET_INFO, 0, low, high], 20)
            .ok()
            .filter(|answer| word(answer, 8) == Some(low) && word(answer, 12) == Some(high))
            .and_then(|answer| word(&answer, 16))
            .and_then(|count| usize::try_from(count).ok())
            .filter(|count| (1..=MAX_STRINGS).contains(count));
        let Some(count) = count else {
            return Vec::new();
        };
        let header = [GSTRINGS, set, u32::try_from(count).unwrap_or(0)];
        let answer = self.ask(interface, &header, with_room(12 + STRING_BYTES * count));
        answer.map_or_else(|_| Vec::new(), |answer| strings_from(&answer))
    }

    /// Sends the words of `header` in a zeroed buffer of `bytes` bytes, and returns what the kernel made of it.
    ///
    /// `bytes` is at least what the kernel writes for the command in `header`: each caller above takes it from
    /// `linux/ethtool.h`.
    fn ask(&self, interface: &str, header: &[u32], bytes: usize) -> io::Result<Vec<u8>> {
        let mut buffer: Vec<u8> = header.iter().flat_map(|word| word.to_ne_bytes()).collect();
        buffer.resize(bytes.max(buffer.len()), 0);
        // SAFETY: all-zero bytes are a valid `ifreq`.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        // The last byte stays zero: it ends the name.
        if interface.len() >= request.ifr_name.len() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        for (place, byte) in request.ifr_name.iter_mut().zip(interface.bytes()) {
            *place = byte as libc::c_char;
        }
        request.ifr_ifru.ifru_data = buffer.as_mut_ptr().cast();
        // SAFETY: the descriptor is open; `request` and the buffer it points to live until the call returns, and
        // the buffer holds what the kernel writes for this command.
        let done = unsafe { libc::ioctl(self.socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) };
        if done < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(buffer)
        }
    }
}

/// The kernel writes as many entries as the driver has *now*, whatever the caller made room for: a queue added
/// since the count was read must not end beyond the buffer.
fn with_room(bytes: usize) -> usize {
    2 * bytes + 64 * 1024
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes)
}

/// A string that a zero byte ends; `None` when it is empty or no text.
fn text(bytes: &[u8]) -> Option<String> {
    let text = bytes.split(|byte| *byte == 0).next()?;
    std::str::from_utf8(text)
        .ok()
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn link_from(answer: &[u8]) -> Option<Link> {
    Some(Link {
        // 0 from drivers without a link, all ones (16 or 32 bits) from those that do not know.
        speed_mbps: word(answer, 4).filter(|speed| !matches!(*speed, 0 | 0xffff | u32::MAX)),
        duplex: match answer.get(8)? {
            0 => Some("half"),
            1 => Some("full"),
            _ => None,
        },
    })
}

fn rings_from(answer: &[u8]) -> Option<Rings> {
    let pair = |current: usize, largest: usize| {
        let (current, largest) = (word(answer, current)?, word(answer, largest)?);
        Some((current, largest)).filter(|_| largest > 0)
    };
    // cmd, rx_max, rx_mini_max, rx_jumbo_max, tx_max, rx, rx_mini, rx_jumbo, tx
    (answer.len() >= 36).then(|| Rings {
        rx: pair(20, 4),
        tx: pair(32, 16),
    })
}

/// The entries of a `struct ethtool_gstrings`; an unreadable one is empty, so that the others keep their places.
fn strings_from(answer: &[u8]) -> Vec<String> {
    let count = word(answer, 8).map_or(0, |count| count as usize);
    let data = answer.get(12..).unwrap_or_default();
    data.chunks_exact(STRING_BYTES)
        .take(count)
        .map(|entry| text(entry).unwrap_or_default())
        .collect()
}

/// `struct ethtool_gfeatures`: per 32 features the words available, requested, active, never_changed.
fn offloads_from(names: &[String], answer: &[u8]) -> BTreeMap<String, bool> {
    let bit = |index: usize, which: usize| {
        let word = word(answer, 8 + 16 * (index / 32) + 4 * which)?;
        Some(word >> (index % 32) & 1 == 1)
    };
    names
        .iter()
        .enumerate()
        .filter(|(_, name)| name.starts_with("tx-") || name.starts_with("rx-"))
        .filter_map(|(index, name)| {
            let (available, active) = (bit(index, 0)?, bit(index, 2)?);
            (available || active).then(|| (name.clone(), active))
        })
        .collect()
}

/// `struct ethtool_stats`: cmd, count, values.
fn counters_from(names: &[String], answer: &[u8]) -> BTreeMap<String, u64> {
    // A driver that gained or lost counters since the names were read: which value is whose is not known.
    if word(answer, 4).map(|count| count as usize) != Some(names.len()) {
        return BTreeMap::new();
    }
    let values = answer.get(8..).unwrap_or_default().chunks_exact(8);
    let values = values.filter_map(|value| value.try_into().ok().map(u64::from_ne_bytes));
    names
        .iter()
        .cloned()
        .zip(values)
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

#[cfg(test)]
#[path = "ethtool_tests.rs"]
mod tests;
