//! Which lines are those of hops, told before they are read: prose has numbers and times too.

use crate::host::is_address_place;

/// The number that a hop's line begins with, and the rest; `None` for other lines.
pub(crate) fn ttl(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    let ttl = text.get(..digits)?.parse().ok().filter(|ttl| *ttl > 0)?;
    rest.starts_with([' ', '\t']).then_some((ttl, rest))
}

/// Whether a line is that of a hop: a number, and behind it times, stars, or a host with a parenthesis.
pub(crate) fn is_hop(line: &str) -> bool {
    ttl(line).is_some_and(|(_, rest)| {
        let rest = rest.trim();
        rest.starts_with('*') || has_time(rest) || is_host_alone(rest) || is_refusal(rest)
    })
}

/// `ms` or, on Cisco's systems, `msec`, as a word of its own.
fn has_time(text: &str) -> bool {
    [" ms", " msec"].into_iter().any(|unit| {
        text.match_indices(unit).any(|(place, _)| {
            text.get(place + unit.len()..)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    })
}

/// A hop whose times stand on the next line, or were cut.
fn is_host_alone(rest: &str) -> bool {
    let mut words = rest.split_ascii_whitespace();
    let (name, address) = (words.next(), words.next());
    let address = address.and_then(|word| word.strip_prefix('(')?.strip_suffix(')'));
    let named = name.is_some() && address.is_some_and(is_address_place);
    named || (name.is_some_and(|name| name.parse::<std::net::IpAddr>().is_ok()) && words.next().is_none())
}

/// `240.0.0.1 !A  *  !A`: Cisco prints no times beside its marks.
fn is_refusal(rest: &str) -> bool {
    let mut words = rest.split_ascii_whitespace();
    let host = words.next().is_some_and(|name| name.contains(['.', ':']));
    let marks = |word: &str| word == "*" || (word.starts_with('!') && word.len() <= 3);
    host && words.next().is_some_and(|word| word.starts_with('!'))
        && rest.split_ascii_whitespace().skip(1).all(marks)
}

/// Whether a line goes on with a hop: a time that was wrapped, a further answerer, labels.
pub(crate) fn is_continuation(line: &str) -> bool {
    let text = line.trim();
    let wrapped = text == "ms" || text.starts_with("ms ") || text.starts_with("* ") || text == "*";
    let indented = line.starts_with("   ") && has_time(text);
    let started = text.starts_with(|c: char| c.is_ascii_digit()) && has_time(text);
    wrapped || indented || started || text.starts_with("MPLS Label=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_hops() {
        for line in [
            "",
            "12 packets were lost",
            "300  a (240.0.0.1) 1 ms",
            "1",
            "2 of them (w) were slow",
            "3 e.g. !important things",
        ] {
            assert!(!is_hop(line), "{line}");
        }
    }
}
