//! What is corrected counts no more, in whatever order a case is put together.
#![allow(clippy::unwrap_used)]

use evidence::{
    Case, Complaint, End, HostFacts, Node, Observation, ObservationId, Party, Payload, Provenance, Timestamp,
};

fn case() -> Case {
    let party = |name: &str| Party {
        name: name.to_owned(),
        address: None,
    };
    Case::new(Complaint {
        schema: evidence::CASE_SCHEMA_VERSION,
        from: party("a.example"),
        to: party("b.example"),
        local_end: End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: Timestamp(0),
        utc_offset_s: None,
    })
}

fn seen_from(place: &str, supersedes: Option<&ObservationId>) -> Observation {
    let provenance = Provenance {
        supersedes: supersedes.cloned(),
        ..Provenance::measured(Node::named(place), Timestamp(0), 1, "test")
    };
    Observation::new(provenance, Payload::HostFacts(HostFacts::default()))
}

#[test]
fn the_last_correction_stands() {
    let first = seen_from("first.example", None);
    let second = seen_from("second.example", Some(&first.id));
    let third = seen_from("third.example", Some(&second.id));
    let other = seen_from("other.example", None);
    let all = [&first, &second, &third, &other];
    for turn in 0..4 {
        let mut order = all.map(Clone::clone);
        order.rotate_left(turn);
        let (mut one_by_one, mut at_once) = (case(), case());
        order.iter().for_each(|o| one_by_one.add(o.clone()));
        at_once.add_all(order);
        // What was set aside does not come back.
        at_once.add(first.clone());
        assert_eq!(one_by_one, at_once);
        let standing: Vec<_> = at_once.observations().iter().map(|o| &o.id).collect();
        assert_eq!(standing.len(), 2);
        assert!(standing.contains(&&third.id) && standing.contains(&&other.id));
        assert_eq!(at_once.superseded().len(), 2);
    }
}
