//! Synthetic cases, shaped like the incident of NRAO and SARAO in 2021: twelve hops, the second silent, and packets
//! over 1508 bytes vanishing between hops 8 and 9. The verdicts are written by hand: what a report shows must not
//! depend on which rules exist.
#![allow(dead_code, unreachable_pub, clippy::expect_used)]

mod observe;
pub mod records;
mod verdicts;

use evidence::{
    Case, Complaint, End, JournalEntry, Observation, Party, Payload, RateBps, Timestamp, VerdictFile,
};

pub fn path_table(seen: &[Observation]) -> String {
    report::path_table(seen, &complaint())
}

pub fn transfer_table(observation: &Observation) -> String {
    report::transfer_table(observation, &complaint())
}

pub fn payload_line(payload: &Payload) -> String {
    report::payload_line(payload, Some(&complaint()))
}

/// 2021-06-18 07:06:40 UTC.
pub const START: Timestamp = Timestamp(1_624_000_000_000_000_000);

/// Addresses and names as the incident's report shows them.
pub const HOPS: [(&str, &str); 12] = [
    ("198.124.238.37", "esneteastrt1-eastdcpt1.es.net"),
    ("198.124.218.17", "newycr5-ip-a-esneteastrt1.es.net"),
    ("134.55.37.77", "aofacr5-ip-a-newycr5.es.net"),
    ("64.57.28.14", "et-2-1-5.197.rtsw.newy32aoa.net.internet2.edu"),
    ("162.252.70.138", "ae-3.4079.rtsw.wash.net.internet2.edu"),
    ("162.252.70.137", "ae-0.4079.rtsw2.ashb.net.internet2.edu"),
    ("162.252.70.74", "ae-2.4079.rtsw.ashb.net.internet2.edu"),
    ("192.122.175.14", ""),
    ("192.35.48.33", "br01-udc-et-1-0-0-20.net.virginia.edu"),
    ("128.143.236.6", "cr01-udc-et-4-2-0.net.virginia.edu"),
    ("128.143.236.89", "cr01-gil-et-7-0-0.net.virginia.edu"),
    ("198.51.208.55", "perfsonar-10.cv.nrao.edu"),
];

/// Round-trip times in microseconds as the incident's traceroute shows them.
pub const RTT_US: [u64; 12] = [
    549, 1_969, 2_330, 2_323, 7_571, 8_095, 18_414, 8_221, 10_310, 12_609, 12_407, 10_058,
];

pub fn complaint() -> Complaint {
    Complaint {
        schema: evidence::CASE_SCHEMA_VERSION,
        from: Party {
            name: "bnlpt1.es.net".into(),
            address: Some("198.124.238.38".parse().expect("an address")),
        },
        to: Party {
            name: "perfsonar-10.cv.nrao.edu".into(),
            address: Some("198.51.208.55".parse().expect("an address")),
        },
        local_end: End::From,
        expected_bps: Some(RateBps(2e9)),
        since: Some("the campus router was replaced".into()),
        said_by: Some("data manager, SARAO".into()),
        opened_at: START,
        utc_offset_s: None,
    }
}

/// The slow round.
pub fn nrao() -> (Case, VerdictFile) {
    let mut case = Case::new(complaint());
    let seen = observe::slow_round(1, START);
    let verdict = verdicts::black_hole(1, &seen);
    seen.into_iter().for_each(|o: Observation| case.add(o));
    (case, verdicts::file(vec![verdict]))
}

/// The slow round, a repair, and a round after it.
pub fn nrao_repaired() -> (Case, VerdictFile) {
    let (mut case, mut file) = nrao();
    case.journal = vec![
        JournalEntry {
            at: START.plus_ns(3_600_000_000_000),
            who: "data manager".into(),
            network: None,
            what: "mailed the case to the operators of both ends of the link".into(),
            before_round: Some(2),
        },
        JournalEntry {
            at: START.plus_ns(9_000_000_000_000),
            who: "UVA network engineering".into(),
            network: Some("net.virginia.edu".into()),
            what: "br01-udc et-1/0/0.20: MTU raised from 1518 to 9192, as on the other side".into(),
            before_round: Some(2),
        },
    ];
    let seen = observe::fast_round(2, START.plus_ns(10_800_000_000_000));
    file.rounds.push(verdicts::fast(2, &seen));
    seen.into_iter().for_each(|o| case.add(o));
    (case, file)
}

/// Healthy from the start, with anomalies that are not the cause of anything.
pub fn healthy() -> (Case, VerdictFile) {
    let mut case = Case::new(complaint());
    let seen = observe::fast_round(1, START);
    let verdict = verdicts::fast(1, &seen);
    seen.into_iter().for_each(|o| case.add(o));
    (case, verdicts::file(vec![verdict]))
}

/// No far end: routes and packet sizes only.
pub fn single_ended() -> (Case, VerdictFile) {
    let mut case = Case::new(Complaint {
        expected_bps: None,
        since: None,
        said_by: None,
        ..complaint()
    });
    let seen = observe::single_ended_round(1, START);
    let verdict = verdicts::single_ended(1, &seen);
    seen.into_iter().for_each(|o| case.add(o));
    (case, verdicts::file(vec![verdict]))
}

/// Opened, nothing measured.
pub fn empty() -> (Case, VerdictFile) {
    (Case::new(complaint()), verdicts::file(Vec::new()))
}

/// A case in which everything that a stranger can name carries `text`.
pub fn hostile(text: &str) -> (Case, VerdictFile) {
    let (mut case, mut file) = nrao_repaired();
    case.complaint.from.name = text.into();
    case.complaint.to.name = text.into();
    case.complaint.since = Some(text.into());
    case.complaint.said_by = Some(text.into());
    for entry in &mut case.journal {
        entry.who = text.into();
        entry.network = Some(text.into());
        entry.what = text.into();
    }
    case.add(observe::hostile_host(3, START, text));
    case.add(observe::hostile_route(3, START, text));
    case.add(observe::hostile_gap(3, START, text));
    file.rounds.iter_mut().for_each(|v| verdicts::poison(v, text));
    file.rounds.push(verdicts::fast(3, &[]));
    file.rounds.iter_mut().for_each(|v| verdicts::poison(v, text));
    (case, file)
}

/// One of many transfers of ten minutes each, 100 ms by 100 ms.
pub fn long_run(second: i64) -> Observation {
    observe::long_run(1, START.plus_ns(second * 1_000_000_000))
}
