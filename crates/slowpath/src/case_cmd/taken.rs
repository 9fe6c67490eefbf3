//! What was taken for whose: the line that `case add` and `case amend` print for an observation.

use evidence::{Complaint, Observation, Payload};

/// `4f0c…  trace: a.example to b.example, …; seen from a.example`.
pub(super) fn taken(observation: &Observation, complaint: &Complaint) -> String {
    let vantage = &observation.provenance.vantage;
    let place = if vantage.is_unknown() {
        "where it was made is not known".to_owned()
    } else {
        format!("made at {}", report::clean(&vantage.to_string()))
    };
    let what = report::payload_line(&observation.payload, Some(complaint));
    format!("{}  {what}; {place}", observation.id)
}

/// Whether nobody can tell of which host or path it speaks until somebody says where it was made.
pub(super) fn is_homeless(observation: &Observation) -> bool {
    let needs_a_place = match &observation.payload {
        Payload::Trace(_) | Payload::Probes(_) | Payload::Sockets(_) => true,
        Payload::HostFacts(facts) => facts.hostname.is_none(),
        Payload::InterfaceCounters(interface) => interface.device.is_unknown(),
        Payload::Transfer(transfer) => transfer.from.is_unknown() || transfer.to.is_unknown(),
        _ => false,
    };
    needs_a_place && observation.provenance.vantage.is_unknown()
}
