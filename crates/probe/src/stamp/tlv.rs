//! The optional part of a packet (RFC 8972, section 4): flags, type, length and value, one after the other. The sender sets U;
//! a reflector that understands a TLV clears it, marks what is malformed (M), and all of them where their seal is not
//! good (I).

use super::packet::{get, put};
use super::seal::{Key, SEAL_BYTES};
use rand::rngs::SmallRng;
use rand::{RngCore, SeedableRng};

const UNRECOGNISED: u8 = 0x80;
const MALFORMED: u8 = 0x40;
const NOT_INTACT: u8 = 0x20;
const HEAD_BYTES: usize = 4;

/// A source of time, and the way a stamp is made (RFC 8972, tables 5 and 7).
const SYNCHRONISED_BY_NTP: u8 = 1;
const FREE_RUNNING: u8 = 5;
const STAMPED_IN_SOFTWARE: u8 = 2;

/// The types that this end understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlvKind {
    /// Bytes that make the packet larger.
    ExtraPadding = 1,
    /// The ports that the reflector saw.
    Location = 2,
    /// How the reflector's clock is set, and how it stamps.
    TimestampInformation = 3,
    /// The DSCP that arrived, and the one wished for the way back.
    ClassOfService = 4,
    /// A seal over the sequence number and all TLVs before it.
    Hmac = 8,
}

impl TlvKind {
    const ALL: [Self; 5] = [
        Self::ExtraPadding,
        Self::Location,
        Self::TimestampInformation,
        Self::ClassOfService,
        Self::Hmac,
    ];

    fn of(kind: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|known| *known as u8 == kind)
    }

    /// As the registry calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ExtraPadding => "Extra Padding",
            Self::Location => "Location",
            Self::TimestampInformation => "Timestamp Information",
            Self::ClassOfService => "Class of Service",
            Self::Hmac => "HMAC",
        }
    }

    fn allows(self, length: usize) -> bool {
        match self {
            Self::ExtraPadding => true,
            // Sub-TLVs may follow the ports.
            Self::Location => length >= 4,
            Self::TimestampInformation | Self::ClassOfService => length == 4,
            Self::Hmac => length == SEAL_BYTES,
        }
    }
}

/// What a Class of Service TLV tells when it comes back (RFC 8972, section 4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassOfService {
    /// The DSCP with which the test packet arrived at the reflector.
    pub arrived_dscp: u8,
    /// Its ECN field.
    pub arrived_ecn: u8,
    /// The reflector did not send back with the DSCP that was wished for.
    pub wish_denied: bool,
}

/// Where a TLV lies among the optional bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tlv {
    at: usize,
    kind: u8,
    length: usize,
}

impl Tlv {
    fn value(self) -> usize {
        self.at + HEAD_BYTES
    }

    fn is(self, kind: TlvKind) -> bool {
        self.kind == kind as u8
    }
}

/// All TLVs that are whole, and where one begins that is not.
fn walk(tail: &[u8]) -> (Vec<Tlv>, Option<usize>) {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < tail.len() {
        let head = get::<2>(tail, at + 2).map(u16::from_be_bytes);
        let Some((length, kind)) = head.map(usize::from).zip(tail.get(at + 1).copied()) else {
            return (found, Some(at));
        };
        if tail.len() - at - HEAD_BYTES < length {
            return (found, Some(at));
        }
        found.push(Tlv { at, kind, length });
        at += HEAD_BYTES + length;
    }
    (found, None)
}

/// Whether the TLVs are as their author wrote them (RFC 8972, section 4.8). Without a key nobody can tell; with one, all but
/// padding has to stand before a good seal.
fn is_intact(tail: &[u8], tlvs: &[Tlv], sequence: [u8; 4], key: Option<&Key>) -> bool {
    let Some(key) = key else { return true };
    let is_padding = |tlv: &Tlv| tlv.is(TlvKind::ExtraPadding);
    let Some(place) = tlvs.iter().position(|tlv| tlv.is(TlvKind::Hmac)) else {
        return tlvs.iter().all(is_padding);
    };
    let is_sealed = |seal: &Tlv| {
        let parts = tail
            .get(..seal.at)
            .zip(tail.get(seal.value()..seal.value() + seal.length));
        parts.is_some_and(|(before, bytes)| key.is_seal(&[&sequence, before], bytes))
    };
    tlvs.iter().skip(place + 1).all(is_padding) && tlvs.get(place).is_some_and(is_sealed)
}

fn seal(tail: &mut [u8], tlvs: &[Tlv], sequence: [u8; 4], key: Option<&Key>) {
    let place = tlvs.iter().find(|tlv| tlv.is(TlvKind::Hmac));
    if let Some((key, tlv)) = key.zip(place)
        && let Some(before) = tail.get(..tlv.at)
    {
        let seal = key.seal(&[&sequence, before]);
        let _ = put(tail, tlv.value(), seal);
    }
}

/// What a reflector knows of a packet that it sends back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// As it came.
    pub(super) sender_sequence: [u8; 4],
    /// As it goes.
    pub(super) sequence: [u8; 4],
    pub(super) destination_port: u16,
    pub(super) source_port: u16,
    /// The former TOS byte, DSCP and ECN; `None` where the kernel did not tell.
    pub(super) tos: Option<u8>,
    pub(super) synchronised: bool,
    /// Whether the sender's wish for the way back is granted.
    pub(super) grants_class: bool,
}

/// Turns the TLVs of a test packet into those of its answer, in place. Gives the DSCP that the sender wishes for the way back,
/// where it is granted.
pub(super) fn reflect(tail: &mut [u8], seen: &Seen, key: Option<&Key>) -> Option<u8> {
    let (tlvs, torn) = walk(tail);
    if !is_intact(tail, &tlvs, seen.sender_sequence, key) {
        for tlv in &tlvs {
            mark(tail, tlv.at, NOT_INTACT, 0);
        }
        torn.into_iter().for_each(|at| mark(tail, at, MALFORMED, 0));
        return None;
    }
    let mut granted = None;
    let mut malformed = torn;
    for tlv in &tlvs {
        let known = TlvKind::of(tlv.kind);
        // Without a key a seal says nothing.
        let Some(kind) = known.filter(|kind| *kind != TlvKind::Hmac || key.is_some()) else {
            mark(tail, tlv.at, UNRECOGNISED, MALFORMED | NOT_INTACT);
            continue;
        };
        if !kind.allows(tlv.length) {
            // What follows is copied as it came.
            malformed = Some(tlv.at);
            break;
        }
        mark(tail, tlv.at, 0, UNRECOGNISED | MALFORMED | NOT_INTACT);
        granted = fill(tail, *tlv, kind, seen).or(granted);
    }
    malformed.into_iter().for_each(|at| mark(tail, at, MALFORMED, 0));
    seal(tail, &tlvs, seen.sequence, key);
    granted
}

fn mark(tail: &mut [u8], at: usize, set: u8, clear: u8) {
    if let Some(flags) = tail.get_mut(at) {
        *flags = *flags & !clear | set;
    }
}

/// Writes what the reflector knows into a TLV that it understands.
fn fill(tail: &mut [u8], tlv: Tlv, kind: TlvKind, seen: &Seen) -> Option<u8> {
    match kind {
        TlvKind::ExtraPadding | TlvKind::Hmac => None,
        TlvKind::Location => {
            let ports = [
                seen.destination_port.to_be_bytes(),
                seen.source_port.to_be_bytes(),
            ];
            let _ = put(
                tail,
                tlv.value(),
                [ports[0][0], ports[0][1], ports[1][0], ports[1][1]],
            );
            None
        }
        TlvKind::TimestampInformation => {
            let source = match seen.synchronised {
                true => SYNCHRONISED_BY_NTP,
                false => FREE_RUNNING,
            };
            let way = [source, STAMPED_IN_SOFTWARE];
            let _ = put(tail, tlv.value(), [way[0], way[1], way[0], way[1]]);
            None
        }
        TlvKind::ClassOfService => {
            let wish = get::<1>(tail, tlv.value())?[0] >> 2;
            let tos = seen.tos.unwrap_or(0);
            let (dscp, ecn) = (tos >> 2, tos & 3);
            let denied = u8::from(!seen.grants_class);
            let _ = put(
                tail,
                tlv.value(),
                [wish << 2 | dscp >> 4, (dscp & 0xf) << 4 | ecn << 2 | denied],
            );
            seen.grants_class.then_some(wish)
        }
    }
}

/// The optional bytes of a test packet that is to be `room` bytes longer than its base: as many TLVs as find room, in order of
/// what they tell, then their seal, then padding. `None`: no TLV is so short.
pub(super) fn compose(room: usize, dscp: u8, key: Option<&Key>, seed: u64) -> Option<Vec<u8>> {
    let wanted = [
        (TlvKind::ClassOfService, [dscp << 2, 0, 0, 0]),
        (TlvKind::TimestampInformation, [0; 4]),
        (TlvKind::Location, [0; 4]),
    ];
    let seal_bytes = key.map_or(0, |_| HEAD_BYTES + SEAL_BYTES);
    let bytes_of = |count: usize| match count {
        0 => 0,
        count => count * (HEAD_BYTES + 4) + seal_bytes,
    };
    let fits = |count: &usize| {
        let rest = room.checked_sub(bytes_of(*count));
        rest.is_some_and(|rest| rest == 0 || rest >= HEAD_BYTES)
    };
    let count = (0..=wanted.len()).rev().find(fits)?;
    let mut tail = Vec::with_capacity(room);
    for (kind, value) in wanted.iter().take(count) {
        tail.extend([UNRECOGNISED, *kind as u8, 0, 4]);
        tail.extend(value);
    }
    if count > 0 && key.is_some() {
        tail.extend([UNRECOGNISED, TlvKind::Hmac as u8, 0, SEAL_BYTES as u8]);
        tail.extend([0; SEAL_BYTES]);
    }
    let padding = room - tail.len();
    if padding > 0 {
        let [high, low] = u16::try_from(padding - HEAD_BYTES).ok()?.to_be_bytes();
        tail.extend([UNRECOGNISED, TlvKind::ExtraPadding as u8, high, low]);
        let begin = tail.len();
        tail.resize(room, 0);
        // Not zeros: a link that compresses would carry fewer bytes (RFC 8972, section 4.1).
        tail.get_mut(begin..)
            .into_iter()
            .for_each(|padding| SmallRng::seed_from_u64(seed).fill_bytes(padding));
    }
    Some(tail)
}

/// The bytes of [`compose`] with all TLVs and no padding.
pub(super) fn usual_bytes(key: Option<&Key>) -> usize {
    3 * (HEAD_BYTES + 4) + key.map_or(0, |_| HEAD_BYTES + SEAL_BYTES)
}

/// Seals the TLVs of a test packet.
pub(super) fn seal_test(tail: &mut [u8], sequence: u32, key: Option<&Key>) {
    let (tlvs, _) = walk(tail);
    seal(tail, &tlvs, sequence.to_be_bytes(), key);
}

/// What came back beside the base packet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Returned {
    /// Which TLVs the reflector understood.
    pub(super) understood: Vec<TlvKind>,
    pub(super) class: Option<ClassOfService>,
    /// The source port with which the test packet arrived.
    pub(super) source_port: Option<u16>,
}

/// Reads the TLVs of an answer. Nothing counts where one is malformed or the seal is not good.
pub(super) fn read(tail: &[u8], sequence: u32, key: Option<&Key>) -> Returned {
    let (tlvs, torn) = walk(tail);
    let flag = |tlv: &Tlv, flag: u8| tail.get(tlv.at).is_some_and(|flags| flags & flag != 0);
    let refused = tlvs.iter().any(|tlv| flag(tlv, MALFORMED | NOT_INTACT));
    if torn.is_some() || refused || !is_intact(tail, &tlvs, sequence.to_be_bytes(), key) {
        return Returned::default();
    }
    let mut returned = Returned::default();
    for tlv in tlvs.iter().filter(|tlv| !flag(tlv, UNRECOGNISED)) {
        let known = TlvKind::of(tlv.kind).filter(|kind| kind.allows(tlv.length));
        let Some(kind) = known.filter(|kind| !returned.understood.contains(kind)) else {
            continue;
        };
        returned.understood.push(kind);
        let Some([a, b, c, d]) = get::<4>(tail, tlv.value()) else {
            continue;
        };
        match kind {
            TlvKind::ClassOfService => {
                returned.class = Some(ClassOfService {
                    arrived_dscp: (a & 3) << 4 | b >> 4,
                    arrived_ecn: b >> 2 & 3,
                    wish_denied: b & 3 != 0,
                });
            }
            TlvKind::Location => {
                returned.source_port = Some(u16::from_be_bytes([c, d])).filter(|port| *port != 0);
            }
            TlvKind::ExtraPadding | TlvKind::TimestampInformation | TlvKind::Hmac => {}
        }
    }
    returned
}
