//! One name per host: records call the same host by its name, its address, or both.

use evidence::v1::{Case, End, Node, Party, Payload};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// How the hosts of a case are called.
pub(crate) struct Names {
    by_address: BTreeMap<IpAddr, String>,
    by_name: BTreeMap<String, String>,
    from: Node,
    to: Node,
}

impl Names {
    /// Learns which names and addresses belong together: from the complaint, then from records that hold both.
    pub(crate) fn new(case: &Case) -> Self {
        let mut names = Self {
            by_address: BTreeMap::new(),
            by_name: BTreeMap::new(),
            from: party(&case.complaint.from),
            to: party(&case.complaint.to),
        };
        let ends = [names.from.clone(), names.to.clone()];
        for node in &ends {
            names.learn(node);
            // A party whose address is unknown is still called as the user calls it.
            let called = node.name.clone().unwrap_or_default();
            names.by_name.entry(bare(&called)).or_insert(called);
        }
        for observation in case.observations() {
            if let Some((from, to)) = hosts(&observation.payload) {
                names.learn(from);
                names.learn(to);
            }
        }
        names
    }

    fn learn(&mut self, node: &Node) {
        let (Some(name), Some(address)) = (&node.name, node.address) else {
            return;
        };
        let key = bare(name);
        let known = self.by_address.get(&address).or_else(|| self.by_name.get(&key));
        let shown = known.cloned().unwrap_or_else(|| name.clone());
        self.by_address.entry(address).or_insert_with(|| shown.clone());
        self.by_name.entry(key).or_insert(shown);
    }

    /// What `node` is called throughout a report.
    pub(crate) fn of(&self, node: &Node) -> String {
        let by_address = node.address.and_then(|address| self.by_address.get(&address));
        let known = by_address.or_else(|| self.by_name.get(&bare(node.name.as_deref()?)));
        match (known, &node.name) {
            (Some(known), _) => known.clone(),
            (None, Some(name)) => name.clone(),
            (None, None) => node.to_string(),
        }
    }

    /// What the host at an end of the complaint is called.
    pub(crate) fn end(&self, end: End) -> String {
        match end {
            End::From => self.of(&self.from),
            End::To => self.of(&self.to),
        }
    }

    /// `A -> B`.
    pub(crate) fn pair(&self, from: &Node, to: &Node) -> String {
        format!("{} → {}", self.of(from), self.of(to))
    }

    /// The transfer that `sender` sends, as [`Names::pair`].
    pub(crate) fn ends(&self, sender: End) -> String {
        format!("{} → {}", self.end(sender), self.end(sender.other()))
    }
}

/// The two hosts that a record is about.
pub(crate) fn hosts(payload: &Payload) -> Option<(&Node, &Node)> {
    match payload {
        Payload::Trace(x) => Some((&x.from, &x.to)),
        Payload::Pings(x) => Some((&x.from, x.destination.as_ref().unwrap_or(&x.rows.first()?.to))),
        Payload::OneWay(x) => Some((&x.from, &x.to)),
        Payload::LinkCapacities(x) => Some((&x.from, &x.to)),
        Payload::Throughput(x) => Some((&x.from, &x.to)),
        Payload::Series(x) => Some((&x.from, &x.to)),
        Payload::RouteHistory(x) => Some((&x.from, &x.to)),
        Payload::CounterChain(x) => Some((&x.from, &x.to)),
        Payload::Statement(x) => Some((&x.from, &x.to)),
        _ => None,
    }
}

fn party(party: &Party) -> Node {
    Node {
        name: Some(party.name.clone()),
        address: party.address.or_else(|| party.name.parse().ok()),
    }
}

/// A name for comparing: letters without regard to case, no final dot.
pub(crate) fn bare(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::v1::{Complaint, Observation, Provenance, ThroughputRecord, Timestamp};

    fn case(records: &[(&str, &str)]) -> Case {
        let party = |name: &str| Party {
            name: name.into(),
            address: None,
        };
        let mut case = Case::new(Complaint {
            schema: 1,
            from: party("a.example"),
            to: party("b.example"),
            local_end: End::From,
            expected_bps: None,
            since: None,
            said_by: None,
            opened_at: Timestamp(0),
            utc_offset_s: None,
        });
        for (name, address) in records {
            let from = Node {
                name: Some((*name).into()),
                address: address.parse().ok(),
            };
            let record = ThroughputRecord {
                from,
                ..ThroughputRecord::default()
            };
            let provenance = Provenance::measured(End::From, Timestamp(0), 1, "test");
            case.add(Observation::new(provenance, Payload::Throughput(record)));
        }
        case
    }

    #[test]
    fn a_host_is_called_one_name_whatever_the_record_calls_it() {
        let names = Names::new(&case(&[("A.example.", "240.0.0.1"), ("other", "240.0.0.9")]));
        for node in ["240.0.0.1", "a.EXAMPLE", "A.example."] {
            assert_eq!(names.of(&Node::read(node)), "a.example", "{node}");
        }
        assert_eq!(names.of(&Node::read("240.0.0.9")), "other");
        assert_eq!(names.of(&Node::read("240.0.0.8")), "240.0.0.8");
        assert_eq!(names.of(&Node::default()), "an unnamed host");
        assert_eq!(names.ends(End::To), "b.example → a.example");
    }
}
