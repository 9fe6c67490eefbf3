//! `show ip sla summary`: one operation a line.

use crate::host::host;
use evidence::Node;

pub(super) const SUMMARY: &str = "IPSLAs Latest Operation Summary";

pub(super) fn is_summary(line: &str) -> bool {
    line.trim_ascii() == SUMMARY
}

/// What columns of a summary hold, in one line or in two, with a blank within a name or without.
pub(super) fn is_heading(text: &str) -> bool {
    const HEADINGS: [&str; 5] = [
        "IDTypeDestinationStatsReturnLast",
        "IDTypeDestinationStatsReturnCodeLastRun",
        "IDTypeDestinationStateStats(ms)ReturnCodeLastRun",
        "(ms)CodeRun",
        "CodeRun",
    ];
    HEADINGS.iter().any(|heading| {
        let words = text.split_ascii_whitespace();
        words.flat_map(str::bytes).eq(heading.bytes())
    })
}

/// `*1  icmp-echo  192.0.2.1  RTT=24  OK  12 seconds ago`, and before that `1  icmp-echo  192.0.2.1  Active  24  OK  …`: the type, to whom,
/// how long.
pub(super) fn summarised(text: &str) -> Option<(&str, Node, Option<i64>)> {
    let marked = text.strip_prefix(['*', '^', '~']);
    let mut words = marked.unwrap_or(text).split_ascii_whitespace();
    let (number, kind, to) = (words.next()?, words.next()?, words.next()?);
    let rtt = match marked {
        Some(_) => {
            let said = words.next()?;
            said.strip_prefix("RTT=").or((said == "-").then_some(said))?
        }
        None => words
            .next()
            .filter(|state| matches!(*state, "Active" | "Inactive" | "Pending"))
            .and(words.next())?,
    };
    let (figure, unit_ns) = match rtt.strip_suffix('u') {
        Some(us) => (us, 1_000),
        None => (rtt, 1_000_000),
    };
    let rtt = match figure {
        "-" => None,
        figure => Some(figure.parse::<i64>().ok()?.checked_mul(unit_ns)?),
    };
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let code = words.next().filter(|_| is_number)?;
    Some((kind, host(to), rtt.filter(|_| is_answered(code))))
}

/// Whether an operation that ended so has a round trip: one above its threshold has one, and of one that failed 0 may be printed.
pub(super) fn is_answered(code: &str) -> bool {
    code == "OK" || code.starts_with("Over")
}

/// Operations whose time is that of a server as well.
pub(super) fn is_of_server(kind: &str) -> bool {
    ["http", "dns", "ftp", "dhcp"].contains(&kind)
}
