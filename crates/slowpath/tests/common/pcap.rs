//! Captures of IPv4 and TCP, packet by packet.

/// What a file begins with: microseconds, packets of IP.
pub(crate) fn head() -> Vec<u8> {
    let words = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 128, 101];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// A record of IPv4 and TCP without options; its payload is not in it.
pub(crate) fn record(
    time_us: u64,
    ends: [([u8; 4], u16); 2],
    flags: u8,
    (seq, ack): (u32, u32),
    payload: u16,
) -> Vec<u8> {
    let [from, to] = ends;
    let mut bytes = Vec::with_capacity(56);
    let seconds = 1_700_000_000 + (time_us / 1_000_000) as u32;
    for word in [seconds, (time_us % 1_000_000) as u32, 40, 40 + u32::from(payload)] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0x45, 0]);
    bytes.extend((40 + payload).to_be_bytes());
    bytes.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
    bytes.extend(from.0);
    bytes.extend(to.0);
    bytes.extend(from.1.to_be_bytes());
    bytes.extend(to.1.to_be_bytes());
    bytes.extend(seq.to_be_bytes());
    bytes.extend(ack.to_be_bytes());
    bytes.extend([0x50, flags, 0x7f, 0xff, 0, 0, 0, 0]);
    bytes
}
