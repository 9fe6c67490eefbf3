//! How long it takes to read and to judge a case of 30,000 records: pings of one host, by its one address and by as many
//! addresses as there are records. Prints seconds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use evidence::Observation;
use serde_json::json;
use std::time::Instant;

const RECORDS: usize = 30_000;

const CASE: &str = r#"{"schema":2,"from":{"name":"a.example","address":null},"to":{"name":"b.example","address":null},
"local_end":"from","expected_bps":1e9,"since":null,"said_by":null,"opened_at":0}"#;

fn line(index: usize, address: &str) -> String {
    let min_ns = 9_000_000 + index * 97 % 3_000_000;
    let provenance = json!({ "vantage": { "name": "a.example" }, "at": index, "round": 1, "tool": "ping" });
    let row = json!({
        "to": { "name": "b.example", "address": address }, "size_bytes": 84, "way": "round-trip",
        "sent": 10, "received": 10 - usize::from(index % 4 == 3),
        "delay": { "min_ns": min_ns, "mean_ns": min_ns + 300_000 },
    });
    let payload = json!({ "type": "probes", "from": {}, "rows": [row] });
    let provenance = serde_json::from_value(provenance).unwrap();
    Observation::new(provenance, serde_json::from_value(payload).unwrap()).to_line()
}

fn main() {
    for addresses in [1, RECORDS] {
        let mut lines = String::new();
        for index in 0..RECORDS {
            let address = index % addresses;
            lines += &line(index, &format!("10.{}.{}.9", address / 250, address % 250));
        }
        let started = Instant::now();
        let (case, complaints) = evidence::case_from_parts(CASE, &lines, "").unwrap();
        let read = started.elapsed().as_secs_f64();
        assert_eq!(
            (case.observations().len(), complaints.len()),
            (RECORDS, 0),
            "{complaints:?}"
        );
        let verdict = diagnosis::judge_round(&case, 1);
        let judged = started.elapsed().as_secs_f64() - read;
        println!("{RECORDS} records, {addresses} addresses: read in {read:.2} s, judged in {judged:.2} s");
        println!("{}", verdict.summary);
    }
}
