//! One name per host: records call the same host by its name, its address, or both. Which of them mean one host is for
//! the map to say, so that a report and the diagnosis never disagree on it.

use evidence::{Case, Complaint, End, Node, Observation, Payload, Probes};
use model::{Map, MapBuilder, NodeId};

/// How the hosts of a case are called.
pub(crate) struct Names {
    map: Map,
    complaint: Option<Complaint>,
}

const ENDS: [End; 2] = [End::From, End::To];

impl Names {
    /// Learns which names and addresses belong together: from the complaint, then from records that hold both.
    pub(crate) fn new(case: &Case) -> Self {
        Self::of_records(&case.complaint, case.observations())
    }

    /// The same from records of one complaint that are not in a case.
    pub(crate) fn of_records(complaint: &Complaint, seen: &[Observation]) -> Self {
        let mut builder = builder(Some(complaint));
        for o in seen {
            builder.learn(&o.provenance.vantage);
            let ends = hosts(&o.payload).into_iter().flat_map(|(from, to)| [from, to]);
            ends.chain(routers(&o.payload))
                .for_each(|node| builder.learn(node));
        }
        Self {
            map: builder.build(),
            complaint: Some(complaint.clone()),
        }
    }

    /// The names for a record by itself, or beside a complaint.
    pub(crate) fn without_case(complaint: Option<&Complaint>) -> Self {
        Self {
            map: builder(complaint).build(),
            complaint: complaint.cloned(),
        }
    }

    /// The end of the complaint that a node is.
    pub(crate) fn end_of(&self, node: &Node) -> Option<End> {
        let complaint = self.complaint.as_ref()?;
        let by_map = || {
            let id = self.id(node)?;
            ENDS.into_iter().find(|end| self.id_of(*end) == Some(id))
        };
        complaint.end_of(node).or_else(by_map)
    }

    fn id_of(&self, end: End) -> Option<NodeId> {
        self.id(&self.complaint.as_ref()?.node(end))
    }

    /// The host or router that a record means: two records that mean one have the same.
    pub(crate) fn id(&self, node: &Node) -> Option<NodeId> {
        self.map.find(node)
    }

    /// What `node` is called throughout a report: an end as the user calls it.
    pub(crate) fn of(&self, node: &Node) -> String {
        if let Some(end) = self.end_of(node) {
            return self.end(end);
        }
        let known = self.map.find(node).map(|id| self.map.node(id));
        let name = known.and_then(|known| known.name).or_else(|| node.name.clone());
        name.unwrap_or_else(|| node.to_string())
    }

    /// What the host at an end of the complaint is called.
    pub(crate) fn end(&self, end: End) -> String {
        match &self.complaint {
            Some(complaint) => complaint.party(end).name.clone(),
            None => Node::default().to_string(),
        }
    }

    /// `A → B`.
    pub(crate) fn pair(&self, from: &Node, to: &Node) -> String {
        format!("{} → {}", self.of(from), self.of(to))
    }

    /// Where something was observed: `sender`, `receiver`, or the place itself.
    pub(crate) fn place(&self, vantage: &Node) -> String {
        match self.end_of(vantage) {
            Some(end) => crate::words::end(end).to_owned(),
            None if vantage.is_unknown() => "an unnamed place".to_owned(),
            None => self.of(vantage),
        }
    }

    /// The same within a sentence: `the sender`, or the host's name.
    pub(crate) fn the(&self, node: &Node) -> String {
        match self.end_of(node) {
            Some(end) => format!("the {}", crate::words::end(end)),
            None => self.of(node),
        }
    }
}

fn builder(complaint: Option<&Complaint>) -> MapBuilder {
    let mut builder = MapBuilder::default();
    if let Some(complaint) = complaint {
        ENDS.iter().for_each(|end| builder.anchor(&complaint.node(*end)));
    }
    builder
}

/// The two hosts that a record is about.
pub(crate) fn hosts(payload: &Payload) -> Option<(&Node, &Node)> {
    match payload {
        Payload::Trace(x) => Some((&x.from, &x.to)),
        Payload::Probes(x) => Some((&x.from, target(x)?)),
        Payload::Transfer(x) => Some((&x.from, &x.to)),
        Payload::LinkCapacities(x) => Some((&x.from, &x.to)),
        Payload::Series(x) => Some((&x.from, &x.to)),
        Payload::RouteHistory(x) => Some((&x.from, &x.to)),
        Payload::CounterChain(x) => Some((&x.from, &x.to)),
        Payload::Statement(x) => Some((&x.from, &x.to)),
        _ => None,
    }
}

/// The routers that a record names.
fn routers(payload: &Payload) -> Vec<&Node> {
    match payload {
        Payload::Trace(x) => x.hops().flat_map(|hop| &hop.answers).map(|a| &a.node).collect(),
        Payload::RouteHistory(x) => x.routes.iter().flat_map(|route| &route.hops).collect(),
        Payload::Probes(x) => {
            let rows = x.rows.iter();
            rows.flat_map(|row| row.answered_by.iter().chain([&row.to]))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Where probes went: the destination of a table of hops, or the one host that was asked.
pub(crate) fn target(probes: &Probes) -> Option<&Node> {
    let one = || probes.rows.first().map(|row| &row.to);
    probes.destination.as_ref().or_else(one)
}

/// A name for comparing: letters without regard to case, no final dot.
pub(crate) fn bare(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{Party, Provenance, Timestamp, Transfer};

    fn case(records: &[(&str, &str)]) -> Case {
        let party = |name: &str| Party {
            name: name.into(),
            address: None,
        };
        let mut case = Case::new(Complaint {
            schema: 2,
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
            let record = Transfer {
                from,
                ..Transfer::default()
            };
            let provenance = Provenance::measured(Node::default(), Timestamp(0), 1, "test");
            case.add(Observation::new(provenance, record.into()));
        }
        case
    }

    #[test]
    fn a_host_is_called_one_name_whatever_the_record_calls_it() {
        let names = Names::new(&case(&[("A.example.", "240.0.0.1"), ("other", "240.0.0.9")]));
        for node in ["240.0.0.1", "a.EXAMPLE", "A.example."] {
            assert_eq!(names.of(&Node::read(node)), "a.example", "{node}");
            assert_eq!(names.place(&Node::read(node)), "sender", "{node}");
        }
        assert_eq!(names.of(&Node::read("240.0.0.9")), "other");
        assert_eq!(names.of(&Node::read("240.0.0.8")), "240.0.0.8");
        assert_eq!(names.of(&Node::default()), "an unnamed host");
        assert_eq!(names.place(&Node::default()), "an unnamed place");
        assert_eq!(
            names.pair(&Node::read("b.example"), &Node::read("240.0.0.1")),
            "b.example → a.example"
        );
    }

    #[test]
    fn a_record_without_a_complaint_calls_hosts_as_it_does() {
        let names = Names::without_case(None);
        assert_eq!(names.of(&Node::named("a.example")), "a.example");
        assert_eq!(names.the(&Node::read("240.0.0.8")), "240.0.0.8");
    }
}
