//! `case.json` and `journal.jsonl` as somebody else's program left them. The two are divided by a zero byte.
#![no_main]

use evidence::{case_from_parts, complaint_from_json, complaint_to_json, journal_from_jsonl, to_json_line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (header, journal) = text.split_once('\0').unwrap_or((&text, &text));

    let (entries, _) = journal_from_jsonl(journal);
    let written: String = entries.iter().map(to_json_line).collect();
    assert_eq!(journal_from_jsonl(&written), (entries, vec![]));

    if let Ok(complaint) = complaint_from_json(header) {
        assert_eq!(complaint_from_json(&complaint_to_json(&complaint)), Ok(complaint));
        assert!(case_from_parts(header, "", journal).is_ok(), "only the header can refuse a case");
    }
});
