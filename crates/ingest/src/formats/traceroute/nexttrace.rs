//! nexttrace: a hop on two lines, the address with what is known of it, and below that its name and times.
//!
//! `3   198.51.100.1    AS64500  [EXAMPLE-NET]   Germany Berlin  example.net`
//! `                    r3.example   9.12 ms / 9.4 ms / * ms`

use super::hop_line::hop_ttl;
use super::hops::Hops;
use crate::block::Block;
use std::net::IpAddr;

/// Lines above the hops.
const PREAMBLE_LINES: usize = 12;

/// Whether nexttrace printed the block: it says so, or its times stand between slashes.
pub(super) fn is_of(block: &Block) -> bool {
    block.begins_with(PREAMBLE_LINES, |line| {
        let says_so = line.starts_with("NextTrace ") || line.len() < 200 && line.contains("nexttrace ");
        says_so || is_times(line)
    })
}

/// `r3.example  9.12 ms / 9.4 ms / * ms`, `0.45 ms / * ms / 0.46 ms`
fn is_times(line: &str) -> bool {
    line.starts_with(' ') && line.contains(" ms / ")
}

/// The number and the address of a hop's first line.
fn address(line: &str) -> Option<(IpAddr, &str)> {
    let (_, rest) = hop_ttl(line)?;
    let rest = rest.trim_ascii_start();
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (word, behind) = rest.split_at_checked(end)?;
    Some((word.parse().ok()?, behind))
}

pub(super) fn is_hop(block: &Block, line: &str) -> bool {
    is_of(block) && address(line).is_some()
}

pub(super) fn is_continuation(block: &Block, line: &str) -> bool {
    line.starts_with(' ')
        && (line.contains(" ms / ") || line.trim_ascii_end().ends_with(" ms"))
        && is_of(block)
}

/// Probes of a hop, unless it is told otherwise.
const QUERIES: usize = 3;

/// Takes a line as traceroute prints it: without what is known of the address but its AS, and with a star for each probe where
/// one stands for all.
pub(super) fn line(hops: &mut Hops, number: u64, line: &str) {
    let silent = hop_ttl(line).filter(|(_, rest)| rest.trim_ascii() == "*");
    if let Some((ttl, _)) = silent {
        let stars = " *".repeat(hops.most_probes().unwrap_or(QUERIES));
        return hops.line(number, &format!("{ttl}{stars}"));
    }
    let Some((address, behind)) = address(line) else {
        return hops.line(number, line);
    };
    let (ttl, _) = hop_ttl(line).unwrap_or((0, ""));
    let system = behind
        .split_whitespace()
        .next()
        .filter(|word| word.starts_with("AS") && word.len() < 16)
        .unwrap_or("");
    hops.line(number, &format!("{ttl} {address} {system}"));
}

#[cfg(test)]
mod tests {
    use crate::Context;
    use evidence::Payload;

    #[test]
    fn one_star_is_a_silent_hop() {
        let text = "traceroute to 240.0.0.9, 30 hops max, 32 byte packets\n\
                    1   240.0.0.1     *        [RFC1918]\n                    0.70 ms / 0.80 ms / 1.20 ms\n\
                    2   *\n3   *\n\
                    4   240.0.0.9     AS64500  [EXAMPLE]\n                    31.20 ms / 30.11 ms / 32.90 ms\n5   *\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        let Payload::Trace(trace) = &records[0].payload else {
            panic!()
        };
        let hops: Vec<_> = trace.flows[0]
            .hops
            .iter()
            .map(|hop| (hop.ttl, hop.answers.len(), hop.unanswered))
            .collect();
        assert_eq!(hops, [(1, 3, 0), (2, 0, 3), (3, 0, 3), (4, 3, 0), (5, 0, 3)]);
    }
}
