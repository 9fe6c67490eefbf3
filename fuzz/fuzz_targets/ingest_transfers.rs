//! Text of transfer tools, and anything else, in pieces of odd sizes: the sizes change nothing, every line that is named
//! is there, and what is recorded can be written into a case. The first byte is the size of a piece.
#![no_main]

use ingest::{Context, Event, Importer, import};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((size, text)) = bytes.split_first() else {
        return;
    };
    let context = Context::default();
    let (mut records, mut complaints) = (Vec::new(), Vec::new());
    let mut sink = |event| match event {
        Event::Record(record) => records.push(*record),
        Event::Complaint(complaint) => complaints.push(complaint),
    };
    let mut importer = Importer::new(&context);
    for piece in text.chunks(usize::from(*size) | 1) {
        importer.feed(piece, &mut sink);
    }
    importer.finish(&mut sink);
    assert_eq!((&records, &complaints), (&import(text, &context).0, &import(text, &context).1));

    // Carriage returns alone may end lines as well.
    let last = text.split(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
    for (first, end) in records.iter().map(|record| record.lines) {
        assert!(1 <= first && first <= end && end <= last, "lines {first} to {end} of {last}");
    }
    for record in &records {
        let written = serde_json::to_string(&record.payload).expect("a payload is JSON");
        let read: evidence::Payload = serde_json::from_str(&written).expect("and comes back");
        assert_eq!(read, record.payload);
    }
});
