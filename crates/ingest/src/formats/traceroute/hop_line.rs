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
        rest.starts_with('*') || rest.ends_with(" ms") || rest.contains(" ms ") || is_host_alone(rest)
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

/// Whether a line goes on with a hop: a time that was wrapped, a further answerer, labels.
pub(crate) fn is_continuation(line: &str) -> bool {
    let text = line.trim();
    let wrapped = text == "ms" || text.starts_with("ms ") || text.starts_with("* ") || text == "*";
    let indented = line.starts_with("   ") && (text.ends_with(" ms") || text.contains(" ms "));
    let started =
        text.starts_with(|c: char| c.is_ascii_digit()) && (text.ends_with(" ms") || text.contains(" ms "));
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
        ] {
            assert!(!is_hop(line), "{line}");
        }
    }
}
