//! The bytes that open bulk connections and head the packets of a UDP stream, and the account kept of their numbers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probe::session::{Arrival, DataHello, SequenceAccount, UdpHeader, UdpHello};

/// Longer than the window in which duplicates are told, so that it slides.
const STREAM: u64 = 3 << 20;

fuzz_target!(|bytes: &[u8]| {
    if let Some(hello) = DataHello::read(bytes) {
        assert_eq!(hello.to_bytes().as_slice(), bytes);
    }
    if let Some(hello) = UdpHello::read(bytes) {
        assert_eq!(hello.to_bytes().as_slice(), bytes);
    }
    if let Some(header) = UdpHeader::read(bytes) {
        let mut payload = bytes.to_vec();
        header.write(&mut payload).expect("it was long enough to be read");
        assert_eq!(payload, bytes);
    }

    let mut account = SequenceAccount::new(STREAM);
    let (mut new, mut late, mut duplicates) = (0, 0, 0);
    for number in bytes.chunks_exact(4) {
        let number = u64::from(u32::from_le_bytes([number[0], number[1], number[2], number[3]]));
        match account.arrive(number % (STREAM + 16)) {
            Arrival::New { .. } => new += 1,
            Arrival::Late => late += 1,
            Arrival::Duplicate => duplicates += 1,
            Arrival::Strange => {}
        }
    }
    let totals = account.finish(STREAM);
    assert_eq!((totals.received, totals.duplicates), (new + late, duplicates));
    assert_eq!(totals.received + totals.lost, STREAM);
});
