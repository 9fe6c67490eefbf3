//! Names that may mean one host: records name hosts as their authors wrote them, `fntst-1-fnal.gov` for `fntst-1.fnal.gov`,
//! without the domain, or by the site alone (`NRAO`).

/// Whether two names may mean one host: the same letters and digits, one being the other without (a part of) its
/// domain, or one being the other's site.
#[must_use]
pub fn same_loosely(a: &str, b: &str) -> bool {
    same_device(a, b)
        || letters(a) == letters(b) && !letters(a).is_empty()
        || same_but_for_interface(a, b)
        || is_site_of(a, b)
        || is_site_of(b, a)
}

/// Names of one device, with and without its domain: `RTR-DMZ`, `rtr-dmz.slac.stanford.edu`.
#[must_use]
pub fn same_device(a: &str, b: &str) -> bool {
    let (a, b) = (labels(a), labels(b));
    let shorter = a.len().min(b.len());
    !a.concat().is_empty() && !b.concat().is_empty() && a.get(..shorter) == b.get(..shorter)
}

/// `cemp1-eth1.switch.ch` is an interface of `cemp1.switch.ch`.
#[must_use]
pub fn same_but_for_interface(a: &str, b: &str) -> bool {
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
pub(super) fn is_site_of(site: &str, host: &str) -> bool {
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

/// The letters and digits of a name.
#[must_use]
pub fn letters(name: &str) -> String {
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
}
