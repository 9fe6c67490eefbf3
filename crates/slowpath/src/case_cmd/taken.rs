//! What was taken for whose: the line that `case add` and `case amend` print for an observation.

use evidence::{Complaint, Observation, Payload};

/// `4f0c…  trace: a.example to b.example, …; seen from a.example`.
pub(super) fn taken(observation: &Observation, complaint: &Complaint) -> String {
    let vantage = &observation.provenance.vantage;
    let what = report::payload_line(&observation.payload, Some(complaint));
    let place = match &observation.payload {
        // It is filed under its sender, and either end may have printed it.
        Payload::Transfer(transfer) if transfer.from.same_as(vantage) == Some(true) => String::new(),
        _ if vantage.is_unknown() => "; where it was made is not known".to_owned(),
        _ => format!("; made at {}", report::clean(&vantage.to_string())),
    };
    format!("{}  {what}{place}", observation.id)
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
