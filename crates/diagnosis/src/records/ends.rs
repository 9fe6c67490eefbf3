//! Which end of the complaint a record means. Records name hosts as their authors wrote them: `fntst-1-fnal.gov` for
//! `fntst-1.fnal.gov`, without the domain, or by the site alone (`NRAO`).

use evidence::{Complaint, Direction, End, Node, Party};
use model::names::{letters, same_but_for_interface};
pub(crate) use model::names::{same_device, same_loosely};

/// The end that a record means by `node`; `None` for another host, an unknown one, and one that may be either.
pub(crate) fn end_of(node: &Node, complaint: &Complaint) -> Option<End> {
    let loosely = |end| is_loosely(node, complaint.party(end));
    complaint.end_of(node).or_else(|| only(loosely))
}

/// Which way packets between two nodes go, relative to the data complained about; `None` when they are not about the two
/// ends. One node that the record does not name is the other end.
pub(crate) fn direction(from: &Node, to: &Node, complaint: &Complaint) -> Option<Direction> {
    let (start, end) = (end_of(from, complaint), end_of(to, complaint));
    let start = match (start, end) {
        (Some(start), Some(end)) if start != end => start,
        (Some(start), None) if to.is_unknown() => start,
        (None, Some(end)) if from.is_unknown() => end.other(),
        _ => return None,
    };
    Some(start.outbound())
}

/// Whether two records mean the same host or the same site.
pub(crate) fn is_same_place(a: &Node, b: &Node) -> bool {
    let named = || a.name.as_deref().zip(b.name.as_deref());
    a.same_as(b) == Some(true) || named().is_some_and(|(a, b)| same_loosely(a, b))
}

/// Whether two records mean the same host, though one may name an interface of it.
pub(crate) fn is_same_host(a: &Node, b: &Node) -> bool {
    let named = || a.name.as_deref().zip(b.name.as_deref());
    let alike = |(a, b)| same_device(a, b) || letters(a) == letters(b) || same_but_for_interface(a, b);
    a.same_as(b) == Some(true) || named().is_some_and(alike)
}

/// Whether a record is about data from the sender of the complaint to its receiver.
pub(crate) fn goes_between(from: &Node, to: &Node, complaint: &Complaint) -> bool {
    end_of(from, complaint) == Some(End::From) && end_of(to, complaint) == Some(End::To)
}

/// The node, or where it is unknown the other.
pub(crate) fn or<'a>(node: &'a Node, other: &'a Node) -> &'a Node {
    if node.is_unknown() { other } else { node }
}

fn only(fits: impl Fn(End) -> bool) -> Option<End> {
    match (fits(End::From), fits(End::To)) {
        (true, false) => Some(End::From),
        (false, true) => Some(End::To),
        _ => None,
    }
}

fn is_loosely(node: &Node, party: &Party) -> bool {
    let addresses_differ = node.address.zip(party.address).is_some_and(|(a, b)| a != b);
    let named = node
        .name
        .as_deref()
        .is_some_and(|name| same_loosely(name, &party.name));
    named && !addresses_differ
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_direction_is_told_by_both_ends_or_not_at_all() {
        let party = |name: &str| Party {
            name: name.into(),
            address: None,
        };
        let complaint = Complaint {
            schema: evidence::CASE_SCHEMA_VERSION,
            from: party("a-1.north.example"),
            to: party("b.south.example"),
            local_end: End::From,
            expected_bps: None,
            since: None,
            said_by: None,
            opened_at: evidence::Timestamp(0),
            utc_offset_s: None,
        };
        let told = |from: &str, to: &str| direction(&Node::read(from), &Node::read(to), &complaint);
        assert_eq!(told("a-1-north.example", "SOUTH"), Some(Direction::Forward));
        assert_eq!(
            told("b.south.example", "a-1.north.example"),
            Some(Direction::Reverse)
        );
        assert_eq!(told("", "North"), Some(Direction::Reverse));
        assert_eq!(told("a-1.north.example", "c.east.example"), None);
        assert_eq!(told("", ""), None);
    }
}
