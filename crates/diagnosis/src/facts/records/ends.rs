//! Which end of the complaint a record means. Records name hosts as their authors wrote them: `fntst-1-fnal.gov` for
//! `fntst-1.fnal.gov`, without the domain, or by the site alone (`NRAO`).

use evidence::{Complaint, End, Node, Party, Vantage};

/// The end that a record means by `node`; `None` for another host, an unknown one, and one that may be either.
pub(crate) fn end_of(node: &Node, complaint: &Complaint) -> Option<End> {
    let exactly = |end| node.is(party(complaint, end));
    let loosely = |end| is_loosely(node, party(complaint, end));
    only(exactly).or_else(|| only(loosely))
}

/// The end at which a record starts: the host it names, else where it was made.
pub(crate) fn start_of(from: &Node, vantage: &Vantage, complaint: &Complaint) -> Option<End> {
    if from.is_unknown() {
        return vantage.end();
    }
    end_of(from, complaint)
}

/// An end of the complaint.
pub(crate) fn party(complaint: &Complaint, end: End) -> &Party {
    match end {
        End::From => &complaint.from,
        End::To => &complaint.to,
    }
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
        || is_site_of(a, b)
        || is_site_of(b, a)
}

/// Names of one device, with and without its domain: `RTR-DMZ`, `rtr-dmz.slac.stanford.edu`.
pub(crate) fn same_device(a: &str, b: &str) -> bool {
    let (a, b) = (labels(a), labels(b));
    let shorter = a.len().min(b.len());
    !a.concat().is_empty() && !b.concat().is_empty() && a.get(..shorter) == b.get(..shorter)
}

/// A single word that is a label of the other's domain: `NRAO`, `perfsonar-10.cv.nrao.edu`.
fn is_site_of(site: &str, host: &str) -> bool {
    const LEAST_LETTERS: usize = 3;
    let site = site.trim().to_ascii_lowercase();
    let one_word = site.len() >= LEAST_LETTERS && site.bytes().all(|b| b.is_ascii_alphanumeric());
    let labels = labels(host);
    // The first label is the host, the last one a country or a kind of network.
    let domain = labels.get(1..labels.len().saturating_sub(1)).unwrap_or(&[]);
    one_word && domain.contains(&site)
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
}
