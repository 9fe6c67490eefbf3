//! Another value from the same tool.

use evidence::{Observation, Payload, ProbeRow, RateBps, Transfer, Transport};

const A_MINUTE_NS: i64 = 60_000_000_000;
/// Share lost where nothing was lost before.
const LOST: f64 = 0.3;

/// What a record says, contradicted by records of a minute later.
pub(crate) fn all(record: &Observation) -> Vec<(String, Observation)> {
    let payloads: Vec<(&str, Payload)> = match &record.payload {
        Payload::Transfer(transfer) => {
            let mut all = vec![
                ("ten times the rate", Payload::from(faster(transfer, 10.0))),
                ("a tenth of the rate", Payload::from(faster(transfer, 0.1))),
            ];
            let udp = transfer.protocol == Some(Transport::Udp);
            all.extend(udp.then(|| ("other loss", Payload::from(lossy(transfer)))));
            all
        }
        Payload::Probes(probes) => {
            let mut other = probes.clone();
            other.rows.iter_mut().for_each(lose);
            vec![("other loss", Payload::Probes(other))]
        }
        Payload::Statement(statement) => {
            let mut other = statement.clone();
            other.value *= if statement.value.abs() < 0.1 || statement.value > 1.0 {
                10.0
            } else {
                0.1
            };
            other.range = None;
            vec![("another figure", Payload::Statement(other))]
        }
        Payload::LinkCapacities(capacities) => {
            let mut other = capacities.clone();
            let rates = other
                .links
                .iter_mut()
                .filter_map(|link| link.capacity_bps.as_mut());
            rates.for_each(|rate| rate.0 *= 10.0);
            vec![("ten times the capacities", Payload::LinkCapacities(other))]
        }
        _ => Vec::new(),
    };
    let described = crate::subjects::describe(record);
    let later = |(what, payload): (&str, Payload)| {
        let mut provenance = record.provenance.clone();
        provenance.at.0 += A_MINUTE_NS;
        provenance.was = None;
        provenance.raw_sha256 = provenance.raw_sha256.map(|_| "c".repeat(64));
        (
            format!("{what} beside {described}"),
            Observation::new(provenance, payload),
        )
    };
    payloads.into_iter().map(later).collect()
}

/// As the tool would have printed it: all rates and bytes, and no accounts of the kernel, which would tell of the other run.
fn faster(transfer: &Transfer, times: f64) -> Transfer {
    let mut other = transfer.clone();
    let scaled = |rate: Option<RateBps>| rate.map(|rate| RateBps(rate.0 * times));
    let counted = |count: Option<u64>| count.map(|count| (count as f64 * times) as u64);
    other.sent_bps = scaled(other.sent_bps);
    other.received_bps = scaled(other.received_bps);
    other.steady_bps = scaled(other.steady_bps);
    other.bytes_received = counted(other.bytes_received);
    other.packets_sent = counted(other.packets_sent);
    other.packets_received = counted(other.packets_received);
    other.packets_lost = counted(other.packets_lost);
    (other.sender, other.receiver) = (None, None);
    other.intervals.clear();
    other
}

fn lossy(transfer: &Transfer) -> Transfer {
    let mut other = transfer.clone();
    let sent = other
        .packets_sent
        .or_else(|| Some(other.packets_received? + other.packets_lost?));
    let had = other.count_lost().unwrap_or(0);
    let lost = |sent: u64| if had > 0 { 0 } else { (sent as f64 * LOST) as u64 };
    other.packets_lost = sent.map(lost);
    other.packets_received = sent.map(|sent| sent - lost(sent));
    let arrived = if had > 0 { 1.0 } else { 1.0 - LOST };
    other.received_bps = other.sent_bps.map(|rate| RateBps(rate.0 * arrived));
    other.loss_runs.clear();
    other.intervals.clear();
    other
}

fn lose(row: &mut ProbeRow) {
    let had = row.loss().unwrap_or(0.0) > 0.0;
    if let Some(sent) = row.sent {
        let lost = if had {
            0
        } else {
            ((sent as f64 * LOST) as u64).max(1).min(sent)
        };
        row.received = Some(sent - lost);
        row.lost = row.lost.map(|_| lost);
    }
    row.loss_ratio = row.loss_ratio.map(|_| if had { 0.0 } else { LOST });
}
