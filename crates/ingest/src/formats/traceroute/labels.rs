//! Label stack entries, as the traceroute of Junos, of Cisco's systems, of SR OS and of Linux print them.

use crate::mpls::entry;
use evidence::MplsLabel;

/// A line of labels below a hop: `MPLS Label=299824 CoS=0 TTL=1 S=1` (Junos, Comware), `[Label=16001 E=0 TTL=1 S=1]` (NX-OS),
/// `entry  1:  MPLS Label =  131071, Exp =   0, TTL =   1, S =  1` (SR OS) and the line above that one.
pub(super) fn is_label_line(text: &str) -> bool {
    text.starts_with("MPLS Label")
        || is_of_a_probe(text)
        || text.starts_with("returned MPLS Label Stack Object")
        || (text.starts_with("entry ") && text.contains("MPLS Label"))
}

/// NX-OS: `[Label=16001 E=0 TTL=1 S=1]` or `[No MPLS labels]`, a line for each probe.
pub(super) fn is_of_a_probe(text: &str) -> bool {
    text.starts_with("[Label=") || text.starts_with("[No MPLS labels]")
}

/// A number behind one of these names, with blanks around `=` or not.
fn value(text: &str, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| {
        text.match_indices(name).find_map(|(at, _)| {
            let begins = !text.get(..at)?.ends_with(|c: char| c.is_ascii_alphanumeric());
            let behind = text
                .get(at + name.len()..)?
                .trim_ascii_start()
                .strip_prefix('=')?;
            let behind = behind.trim_ascii_start();
            let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
            behind.get(..digits).filter(|_| begins)?.parse().ok()
        })
    })
}

/// The entry of a line of labels.
pub(super) fn of_line(text: &str) -> Option<MplsLabel> {
    entry(
        value(text, &["Label"]),
        value(text, &["CoS", "Exp", "EXP", "E", "TC"]),
        value(text, &["S"]),
        value(text, &["TTL"]),
    )
}

/// Cisco: `MPLS: Label 24001 Exp 0`, `MPLS: Labels 24001/17 Exp 0`. It prints no TTL.
pub(super) fn cisco(text: &str) -> impl Iterator<Item = Option<MplsLabel>> {
    let mut words = text.split_ascii_whitespace();
    let labels = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    // Where a screen broke the labels, the rest of the last one stands between.
    let is_torn = words.next().is_some_and(|word| word != "Exp");
    let labels = labels.map(|labels| if is_torn { "?" } else { labels });
    let exp = words.next().and_then(|n| n.parse().ok());
    let count = labels.map_or(0, |labels| labels.split('/').count());
    let labels = labels
        .into_iter()
        .flat_map(|labels| labels.split('/'))
        .enumerate();
    labels
        .map(move |(place, label)| entry(label.parse().ok(), exp, Some(u64::from(place + 1 == count)), None))
}

/// Linux' `-e`: `MPLS:L=24001,E=0,S=1,T=1/L=3,E=0,S=1,T=1`, between angles.
pub(super) fn linux(text: &str) -> impl Iterator<Item = Option<MplsLabel>> {
    text.trim_start_matches("MPLS:").split('/').map(|printed| {
        let value = |name: &str| {
            let part = printed.split(',').find_map(|part| part.strip_prefix(name));
            part.and_then(|n| n.parse::<u64>().ok())
        };
        entry(value("L="), value("E="), value("S="), value("T="))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_labels() {
        for line in [
            "MPLS Label=299824 CoS=0 TTL=1 S=1",
            "[Label=299824 E=0 TTL=1 S=1]",
            "entry  1:  MPLS Label = 299824, Exp =   0, TTL =   1, S = 1",
        ] {
            let label = of_line(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(
                (label.label, label.traffic_class, label.ttl, label.bottom),
                (299_824, 0, Some(1), true)
            );
        }
        assert_eq!(of_line("MPLS Label=x99824 CoS=0 TTL=1 S=1"), None);
    }
}
