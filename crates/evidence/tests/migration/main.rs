//! Format 1 becomes format 2 without loss: whatever is made of an old payload, the old payload can be made of it again.

mod basics;
mod observations;
mod paths;
mod transfers;

use basics::complaint;
use evidence::migrate::{self, back};
use evidence::v1::{End, MplsLabel, Node, Payload, Trace, TraceHop, Vantage, to_json_line};
use evidence::{Payload as New, observations_from_jsonl};
use observations::observation;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn every_field_of_every_kind_arrives(old in observation()) {
        let complaint = complaint();
        let new = migrate::observation(old.clone(), &complaint);
        let [back] = back::observation(&new, &complaint).try_into().map_err(|_| TestCaseError::fail("one for one"))?;
        prop_assert_eq!(&back.payload, &old.payload);
        prop_assert_eq!(back.provenance, old.provenance);
        prop_assert_eq!((new.id, new.provenance.was), (old.id.clone(), Some(old.id)));
    }

    #[test]
    fn what_is_written_in_format_2_is_read_back(old in observation()) {
        let new = migrate::observation(old.clone(), &complaint());
        let (read, complaints) = observations_from_jsonl(&new.to_line(), &complaint());
        prop_assert_eq!(complaints, vec![]);
        prop_assert_eq!((&read[0].payload, &read[0].provenance), (&new.payload, &new.provenance));
        prop_assert_ne!(&read[0].id, &old.id, "what is written now has a name of its own");
    }

    #[test]
    fn a_line_of_format_1_is_read_under_its_own_name(old in observation(), place in any::<prop::sample::Index>()) {
        let line = to_json_line(&old);
        let (read, complaints) = observations_from_jsonl(&line, &complaint());
        prop_assert_eq!(complaints, vec![]);
        prop_assert_eq!(&read, &[migrate::observation(old.clone(), &complaint())]);
        // Beside a line of the present format, and still checked by its name.
        let both = format!("{line}{}", read[0].to_line());
        prop_assert_eq!(observations_from_jsonl(&both, &complaint()).0.len(), 2);
        let digits: Vec<usize> = line.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
        let at = *place.get(&digits);
        let digit = if line[at..].starts_with('1') { "2" } else { "1" };
        let altered = format!("{}{digit}{}", &line[..at], &line[at + 1..]);
        let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok();
        prop_assume!(value(&altered) != value(&line));
        prop_assert!(observations_from_jsonl(&altered, &complaint()).0.is_empty());
    }
}

#[test]
fn kinds_that_did_not_change_pass_as_they_are() {
    let statement = evidence::Statement {
        quantity: evidence::Quantity::Rtt,
        from: Node::named("a.example"),
        to: Node::default(),
        subject: None,
        value: 0.1,
        range: Some((0.05, 0.2)),
        text: "about 100 ms".to_owned(),
    };
    let vantage = Vantage::Elsewhere { place: String::new() };
    let new = migrate::payload(Payload::Statement(statement.clone()), &vantage, &complaint());
    assert_eq!(new, New::Statement(statement));
}

#[test]
fn an_end_is_known_by_its_name_or_address_and_by_its_name_first() {
    let complaint = complaint();
    let node = |name: &str, address: &str| Node {
        name: (!name.is_empty()).then(|| name.to_owned()),
        address: address.parse().ok(),
    };
    for (node, end) in [
        (complaint.node(End::From), Some(End::From)),
        (complaint.node(End::To), Some(End::To)),
        (node("A.example.", ""), Some(End::From)),
        (node("", "240.0.0.2"), Some(End::To)),
        // Behind a translator: the name is what stays.
        (node("a.example", "10.0.0.1"), Some(End::From)),
        (complaint.to.node_at("10.0.0.2".parse().unwrap()), Some(End::To)),
        // The name of one at the address of the other.
        (node("a.example", "240.0.0.2"), Some(End::From)),
        (node("c.example", "240.0.0.3"), None),
        (Node::default(), None),
    ] {
        assert_eq!(complaint.end_of(&node), end, "{node}");
    }
    // One host at both ends, by its name and by its address.
    let mut loopback = complaint.clone();
    loopback.from.address = loopback.node(End::To).address;
    for end in [End::From, End::To] {
        assert_eq!(loopback.end_of(&loopback.node(end)), Some(end));
    }
    // One host at both ends, by one name: it is both, and told as the sender.
    let mut alone = complaint;
    alone.to = alone.from.clone();
    assert_eq!(alone.end_of(&alone.node(End::To)), Some(End::From));
}

#[test]
fn a_label_stack_without_an_answer_came_in_an_answer() {
    let label = MplsLabel {
        label: 16,
        traffic_class: 0,
        bottom: true,
        ttl: None,
    };
    let hop = TraceHop {
        ttl: 3,
        unanswered: 2,
        mpls: vec![label],
        ..TraceHop::default()
    };
    let old = Trace {
        hops: vec![hop],
        ..Trace::default()
    };
    let vantage = Vantage::End(End::From);
    let New::Trace(new) = migrate::payload(Payload::Trace(old.clone()), &vantage, &complaint()) else {
        panic!("a trace is a trace");
    };
    assert_eq!(new.flows[0].hops[0].answers[0].mpls, [label]);
    assert_eq!(
        back::payloads(&New::Trace(new), &complaint()),
        [Payload::Trace(old)]
    );
}
