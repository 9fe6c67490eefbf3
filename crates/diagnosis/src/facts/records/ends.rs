//! Which end of the complaint a record means. Records name hosts as their authors wrote them: `fntst-1-fnal.gov` for
//! `fntst-1.fnal.gov`, without the domain, or by the site alone (`NRAO`).

use evidence::{Complaint, Direction, End, Node, Party};

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

/// Whether two names may mean one host: the same letters and digits, one being the other without (a part of) its
/// domain, or one being the other's site.
pub(crate) fn same_loosely(a: &str, b: &str) -> bool {
    same_device(a, b)
        || letters(a) == letters(b) && !letters(a).is_empty()
        || same_but_for_interface(a, b)
        || is_site_of(a, b)
        || is_site_of(b, a)
}

/// Names of one device, with and without its domain: `RTR-DMZ`, `rtr-dmz.slac.stanford.edu`.
pub(crate) fn same_device(a: &str, b: &str) -> bool {
    let (a, b) = (labels(a), labels(b));
    let shorter = a.len().min(b.len());
    !a.concat().is_empty() && !b.concat().is_empty() && a.get(..shorter) == b.get(..shorter)
}

/// `cemp1-eth1.switch.ch` is an interface of `cemp1.switch.ch`.
fn same_but_for_interface(a: &str, b: &str) -> bool {
    let (a, b) = (labels(a), labels(b));
    let extends = |long: &str, short: &str| {
        let rest = long.strip_prefix(short).filter(|_| !short.is_empty());
        rest.is_some_and(|rest| rest.starts_with('-'))
    };
    match (a.split_first(), b.split_first()) {
        (Some((host_a, domain_a)), Some((host_b, domain_b))) => {
            let both_ways = extends(host_a, host_b) || extends(host_b, host_a);
            !domain_a.is_empty() && domain_a == domain_b && both_ways
        }
        _ => false,
    }
}

/// A name without domain, one word of which is a label of the other's domain, or the end of it: `NRAO` and `NRAO (US)` for
/// `perfsonar-10.cv.nrao.edu`, `ESnet` for `chi-pt1.es.net`.
fn is_site_of(site: &str, host: &str) -> bool {
    const LEAST_LETTERS: usize = 3;
    if site.contains('.') {
        return false;
    }
    let labels = labels(host);
    // The first label is the host, the last one a country or a kind of network.
    let domain = labels.get(1..labels.len().saturating_sub(1)).unwrap_or(&[]);
    let end = labels
        .get(labels.len().saturating_sub(2)..)
        .filter(|_| labels.len() > 2);
    let end = end.map(<[String]>::concat);
    site.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() >= LEAST_LETTERS)
        .map(str::to_ascii_lowercase)
        .any(|word| domain.contains(&word) || end.as_ref() == Some(&word))
}

fn labels(name: &str) -> Vec<String> {
    let bare = name.trim().trim_end_matches('.').to_ascii_lowercase();
    bare.split('.').map(str::to_owned).collect()
}

fn letters(name: &str) -> String {
    let kept = name.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_many_spellings() {
        for (a, b, same) in [
            ("fntst-1-fnal.gov", "fntst-1.fnal.gov", true),
            ("FNAL", "fntst-1.fnal.gov", true),
            ("NRAO", "perfsonar-10.cv.nrao.edu", true),
            ("DESY (Germany)", "dcache33.desy.de", true),
            ("ESnet", "chi-pt1.es.net", true),
            ("cemp1-eth1.switch.ch", "cemp1.switch.ch", true),
            ("cemp1-eth1.switch.ch", "cemp2.switch.ch", false),
            ("RTR-DMZ", "rtr-dmz.slac.example.", true),
            ("rtr-dmz.slac", "RTR-DMZ.SLAC.example", true),
            ("RTR-DMZ", "RTR-DMZ2", false),
            ("a.one.example", "a.two.example", false),
            ("edu", "perfsonar-10.cv.nrao.edu", false),
            ("perfsonar-10.cv.nrao.edu", "perfsonar-11.cv.nrao.edu", false),
            ("", "a", false),
        ] {
            assert_eq!(same_loosely(a, b), same, "{a} {b}");
            assert_eq!(same_loosely(b, a), same, "{b} {a}");
        }
    }

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
