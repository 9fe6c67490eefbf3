//! From a record to an observation: who saw it, when, and where its text is.

use crate::Record;
use evidence::{Complaint, Node, Observation, Payload, Provenance, Timestamp};

/// What the records of one file have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// SHA-256 of the file, lower-case hexadecimal.
    pub raw_sha256: String,
    /// Where they were made, as the one who imports says; `None`: where each record says that it starts, else at whose prompt
    /// it was printed.
    pub place: Option<Node>,
    /// The round of measurements that they belong to, from 1.
    pub round: u32,
    /// When they are added: the time of those that tell none.
    pub added_at: Timestamp,
}

impl Origin {
    /// The observation that a record of this file is, in a case of this complaint.
    #[must_use]
    pub fn observation(&self, record: Record, complaint: &Complaint) -> Observation {
        let provenance = Provenance {
            vantage: self.vantage(&record, complaint),
            at: record.at.unwrap_or(self.added_at),
            at_is_import_time: record.at.is_none(),
            round: self.round,
            tool: record.tool,
            raw_sha256: Some(self.raw_sha256.clone()),
            // Lines count from 1: what is no text has none.
            raw_lines: Some(record.lines).filter(|(first, _)| *first > 0),
            supersedes: None,
            was: None,
        };
        Observation::new(provenance, record.payload)
    }

    /// An end goes by the name that the complaint gives it, however the record calls it.
    fn vantage(&self, record: &Record, complaint: &Complaint) -> Node {
        let starting = || starting_host(&record.payload).filter(|node| !node.is_unknown());
        let said = self.place.as_ref().or_else(starting);
        let node = said.unwrap_or(&record.place).clone();
        complaint.end_of(&node).map_or(node, |end| complaint.node(end))
    }
}

/// The host that a record was made from, for the kinds that begin somewhere.
fn starting_host(payload: &Payload) -> Option<&Node> {
    match payload {
        Payload::Trace(trace) => Some(&trace.from),
        Payload::Probes(table) => Some(&table.from),
        Payload::LinkCapacities(path) => Some(&path.from),
        Payload::Transfer(transfer) => Some(&transfer.from),
        Payload::RouteHistory(history) => Some(&history.from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{End, Party, Trace};

    fn complaint() -> Complaint {
        let party = |name: &str, address: &str| Party {
            name: name.to_owned(),
            address: Some(address.parse().unwrap()),
        };
        Complaint {
            schema: evidence::CASE_SCHEMA_VERSION,
            from: party("a.example", "192.0.2.1"),
            to: party("b.example", "192.0.2.2"),
            local_end: End::From,
            expected_bps: None,
            since: None,
            said_by: None,
            opened_at: Timestamp(0),
            utc_offset_s: None,
        }
    }

    fn observed(from: &str, place: Option<&str>, at: Option<i64>) -> Provenance {
        let record = Record {
            payload: Payload::Trace(Trace {
                from: Node::read(from),
                ..Trace::default()
            }),
            at: at.map(Timestamp),
            tool: "traceroute".to_owned(),
            lines: (3, 9),
            place: Node::default(),
        };
        let origin = Origin {
            raw_sha256: "00".to_owned(),
            place: place.map(Node::read),
            round: 2,
            added_at: Timestamp(7),
        };
        origin.observation(record, &complaint()).provenance
    }

    #[test]
    fn an_end_has_the_name_of_the_complaint() {
        let complaint = complaint();
        assert_eq!(
            observed("192.0.2.1", None, None).vantage,
            complaint.node(End::From)
        );
        assert_eq!(
            observed("", Some("B.example."), None).vantage,
            complaint.node(End::To)
        );
        assert_eq!(
            observed("a.example", Some("gw.example"), None).vantage,
            Node::named("gw.example")
        );
        assert!(observed("", None, None).vantage.is_unknown());
    }

    #[test]
    fn a_record_without_a_time_says_so() {
        let read = observed("", None, None);
        assert_eq!(
            (read.at, read.at_is_import_time, read.round),
            (Timestamp(7), true, 2)
        );
        let read = observed("", None, Some(5));
        assert_eq!((read.at, read.at_is_import_time), (Timestamp(5), false));
        assert_eq!(read.raw_lines, Some((3, 9)));
    }
}
