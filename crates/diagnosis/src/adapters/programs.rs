//! Which program a transfer is of: one that measures, or one that people use.

use evidence::{Observation, Payload};
use model::{Map, NodeId};
use std::collections::BTreeMap;

/// Whether a program sends from memory to memory to measure a path; what names no program is one.
pub(crate) fn is_test_program(application: Option<&str>) -> bool {
    const PROGRAMS: [&str; 8] = [
        "iperf", "nuttcp", "ttcp", "netperf", "netcat", "ethr", "thrulay", "bwctl",
    ];
    application.is_none_or(|called| {
        let name = called.to_ascii_lowercase();
        // iperf3's -F reads or writes a file: then a disk is part of the test.
        let files = called.contains(" -F") || name.contains("file") || name.contains("disk");
        !files && PROGRAMS.iter().any(|program| name.contains(program))
    })
}

/// For each pair of hosts the application that got least, where several ran: it is the one complained about.
pub(super) fn slowest_programs(
    map: &Map,
    observations: &[&Observation],
) -> BTreeMap<(NodeId, NodeId), String> {
    let mut slowest: BTreeMap<(NodeId, NodeId), (f64, String)> = BTreeMap::new();
    for observation in observations {
        let Payload::Transfer(transfer) = &observation.payload else {
            continue;
        };
        let name = transfer
            .application
            .as_deref()
            .filter(|name| !is_test_program(Some(name)));
        let rate = transfer.received_bps.or(transfer.sent_bps);
        let ends = map.find(&transfer.from).zip(map.find(&transfer.to));
        if let (Some(name), Some(rate), Some(ends)) = (name, rate, ends)
            && slowest
                .get(&ends)
                .is_none_or(|(least, known)| (rate.0, name) < (*least, known.as_str()))
        {
            slowest.insert(ends, (rate.0, name.to_owned()));
        }
    }
    slowest
        .into_iter()
        .map(|(ends, (_, name))| (ends, name))
        .collect()
}
