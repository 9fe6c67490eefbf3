//! Pings that do not send ICMP alone, as people name them, or are told so alike: hping3, nping, paping, tcping, psping, hrPING. Each is a table of what stands
//! around its figures.

use super::tally::Tally;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::{host, leading_host, rtt_ms};
use crate::invoked::{Invoked, invoked, target};
use crate::stray::is_stray;
use evidence::{DelayStatistics, Node, Payload, ProbeProtocol, Probes};

pub(crate) static FORMAT: Format = Format {
    name: "TCP pings",
    group: Group::Paths,
    reads: "hping3, nping, paping, tcping, psping, hrPING and `tailscale ping`: counts and times",
    first: "-BCHNPSTchlnpst",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "ping",
            "Connecting to ",
            "TCP connect to ",
            "Probing ",
            "pong from ",
            "len=",
        ])
    }),
    starts: |line| {
        header(line).is_some()
            || command(line).is_some()
            || answered(line).is_some()
            || summed_up(line).is_some()
            || ended(line).is_some()
    },
    continues,
    takes_in: Some(takes_in),
    read,
};

static PROGRAMS: &[&str] = &[
    "hping3", "hping2", "hping", "nping", "paping", "tcping", "psping", "psping64", "hrping",
];

/// Options that a value follows.
static WITH_VALUE: &[&str] = &[
    "-c",
    "-d",
    "-I",
    "-n",
    "-C",
    "-u",
    "-e",
    "-x",
    "-b",
    "--rate",
    "--delay",
    "--data-length",
    "-r",
];

fn command(line: &str) -> Option<Invoked<'_>> {
    if line.contains("ping") {
        invoked(line, PROGRAMS)
    } else {
        None
    }
}

/// What a header says: the tool, the host, how.
struct Header {
    tool: &'static str,
    to: Node,
    protocol: Option<ProbeProtocol>,
    size_bytes: Option<u32>,
}

fn header(line: &str) -> Option<Header> {
    let text = line.trim_ascii();
    let of = |tool, to: Node, protocol| {
        Some(Header {
            tool,
            to,
            protocol,
            size_bytes: None,
        })
    };
    if let Some(rest) = text.strip_prefix("HPING ") {
        // `HPING a.example (eth0 192.0.2.1): S set, 40 headers + 0 data bytes`
        let (name, rest) = rest.split_once(" (")?;
        let (inside, rest) = rest.split_once("): ")?;
        let mut to = host(name);
        let address = inside.rsplit(' ').next().and_then(|address| address.parse().ok());
        if address.is_some() && to.address != address {
            to.address = address;
        }
        let protocol = match rest {
            rest if rest.starts_with("icmp mode") => Some(ProbeProtocol::Icmp),
            rest if rest.starts_with("udp mode") => Some(ProbeProtocol::Udp),
            rest if rest.starts_with("S set") => Some(ProbeProtocol::TcpSyn),
            _ => None,
        };
        let bytes = rest.rsplit(", ").next().and_then(|sizes| {
            let (headers, data) = sizes.split_once(" headers + ")?;
            let data = data.strip_suffix(" data bytes")?;
            headers.parse::<u32>().ok()?.checked_add(data.parse().ok()?)
        });
        return Some(Header {
            tool: "hping",
            to,
            protocol,
            size_bytes: bytes,
        });
    }
    if let Some(rest) = text.strip_prefix("Connecting to ") {
        // paping: `Connecting to a.example [192.0.2.1] on TCP 443:`
        let (to, _) = rest.split_once(" on TCP ").filter(|_| text.ends_with(':'))?;
        return of("paping", bracketed(to), Some(ProbeProtocol::TcpSyn));
    }
    if text.starts_with("Starting Nping ") {
        return of("nping", Node::default(), None);
    }
    if text.starts_with("paping v") {
        return of("paping", Node::default(), None);
    }
    if text.starts_with("This is hrPING v") {
        return of("hrping", Node::default(), Some(ProbeProtocol::Icmp));
    }
    if text.starts_with("PsPing v") {
        return of("psping", Node::default(), None);
    }
    if let Some(rest) = text.strip_prefix("TCP connect to ") {
        // psping: `TCP connect to 192.0.2.1:443:`
        let (to, _) = rest.strip_suffix(':')?.rsplit_once(':')?;
        return of(
            "psping",
            host(to.trim_matches(['[', ']'])),
            Some(ProbeProtocol::TcpSyn),
        );
    }
    if let Some(rest) = text.strip_prefix("Probing ") {
        // tcping of Windows: `Probing 192.0.2.1:443/tcp - Port is open - time=12.3ms`
        return rest.contains("/tcp - ").then(|| probed(rest)).flatten();
    }
    pong(text).map(|(to, _)| Header {
        tool: "tailscale",
        to: leading_host(to).0,
        protocol: None,
        size_bytes: None,
    })
}

/// Of Tailscale: `pong from node-b (192.0.2.7) via DERP(fra) in 25ms`, who answered and when.
fn pong(text: &str) -> Option<(&str, &str)> {
    let (to, said) = text.strip_prefix("pong from ")?.split_once(" via ")?;
    let (_, time) = said.rsplit_once(" in ")?;
    time.ends_with("ms").then_some((to, time))
}

/// Who answers in a row of hping: `len=46 ip=192.0.2.1 ttl=64 … rtt=1.2 ms`. Its heading may have been left out.
fn answered(line: &str) -> Option<&str> {
    let (_, rest) = line.trim_ascii_start().strip_prefix("len=")?.split_once(" ip=")?;
    let (ip, rest) = rest.split_once(' ')?;
    rest.contains(" rtt=").then_some(ip)
}

/// Whom the statistics of tcping are of, which may have been copied alone: `Ping statistics for 192.0.2.1:443`. Windows' own ping names no
/// port.
fn summed_up(line: &str) -> Option<Node> {
    let (to, port) = line
        .trim_ascii()
        .strip_prefix("Ping statistics for ")?
        .rsplit_once(':')?;
    port.parse::<u16>().ok().map(|_| host(to))
}

/// Whom the statistics of hping are of: `--- a.example hping statistic ---`.
fn ended(line: &str) -> Option<&str> {
    let text = line.trim_ascii().strip_prefix("--- ")?;
    text.strip_suffix(" hping statistic ---")
}

/// `a.example [192.0.2.1]`, `192.0.2.1`
fn bracketed(text: &str) -> Node {
    match text.split_once(" [") {
        Some((name, address)) => {
            let mut node = host(name);
            node.address = address.trim_end_matches(']').parse().ok();
            node
        }
        None => host(text),
    }
}

fn probed(rest: &str) -> Option<Header> {
    let (to, _) = rest.split_once("/tcp")?;
    Some(Header {
        tool: "tcping",
        to: host(to.rsplit_once(':')?.0),
        protocol: Some(ProbeProtocol::TcpSyn),
        size_bytes: None,
    })
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        return true;
    }
    let header = header(line);
    if is_of_another(block, line) {
        return false;
    }
    let is_reply = REPLIES.iter().any(|words| text.starts_with(words));
    if header.is_some() && !is_reply {
        return !block.has(|line| self::header(line).is_some_and(|header| !header.to.is_unknown()));
    }
    (header.is_some() || kind(text).is_some())
        && !(is_over(block) && matches!(kind(text), Some(Line::Reply(_))))
}

/// Whether a reply names another host than the replies before it.
fn is_of_another(block: &Block, line: &str) -> bool {
    let is_reply = |line: &&str| {
        REPLIES
            .iter()
            .any(|words| line.trim_ascii_start().starts_with(words))
    };
    let named = |line: &str| header(line).map(|header| header.to).filter(|to| !to.is_unknown());
    let asked = |line: Option<&str>| line.filter(is_reply).and_then(named);
    let last = || asked(block.last_written());
    // Below a heading whoever answers is told by it.
    if let Some(first) = block.first().and_then(answered) {
        return answered(line).is_some_and(|ip| ip != first);
    }
    asked(Some(line)).is_some_and(|to| last().is_some_and(|last| last != to))
}

/// Replies that name who was asked.
const REPLIES: [&str; 3] = ["Probing ", "TCP connect to ", "pong from "];

/// Times of the statistics are the last.
fn is_over(block: &Block) -> bool {
    block
        .last_written()
        .is_some_and(|line| matches!(kind(line.trim_ascii()), Some(Line::Times(_))))
}

fn takes_in(block: &Block, line: &str) -> bool {
    let is_own = |line: &str| header(line).is_some() || kind(line.trim_ascii()).is_some();
    command(line).is_none() && !is_over(block) && !is_of_another(block, line) && is_stray(block, line, is_own)
}

/// A line below the header.
#[derive(Debug, PartialEq)]
enum Line<'t> {
    Reply(Option<u64>),
    Silent,
    /// An answer to a request that was answered before, which hping counts among what it received.
    Duplicate,
    /// Somebody's answer, of hping: who, and what it says.
    Error(&'t str, &'t str),
    Counts(Option<u64>, Option<u64>),
    Times(DelayStatistics),
    /// Whom hrPING asks, which it says on a line of its own.
    Target(&'t str),
    /// How large its packets are, if all are alike.
    Size(Option<u32>),
    Other,
}

fn kind(text: &str) -> Option<Line<'_>> {
    let begins = |list: &[&str]| list.iter().any(|start| text.starts_with(start));
    let behind = |name: &str| text.split_once(name).map(|(_, rest)| rest);
    if text.starts_with("len=")
        || text.starts_with("Connected to ")
        || text.starts_with("Probing ") && text.contains("ime=")
        || text.starts_with("From ") && text.contains(" seq=") && text.contains(" time=")
    {
        // hping `rtt=12.3 ms`, paping `time=12.34ms`, tcping `time=12.3ms`
        let time = behind("rtt=").or(behind("time="))?;
        return Some(Line::Reply(ms(time)));
    }
    if let Some((_, time)) = pong(text) {
        return Some(Line::Reply(ms(time)));
    }
    if begins(&["Connecting to ", "TCP connect to "]) && text.ends_with("ms") {
        // psping: `Connecting to 192.0.2.1:443 (warmup): from 192.0.2.9:50123: 12.34ms`
        if text.contains("(warmup)") {
            return Some(Line::Other);
        }
        return Some(Line::Reply(ms(text.rsplit(' ').next()?)));
    }
    if text.starts_with("Connecting to ") && text.contains("(warmup)") {
        return Some(Line::Other);
    }
    if text.starts_with("Connection timed out")
        || text.starts_with("Connecting to ") && text.contains("timed out")
        || text.starts_with("Probing ") && text.contains("No response")
        || text.starts_with("Timeout waiting for seq=")
    {
        return Some(Line::Silent);
    }
    if text.starts_with("ICMP ") && text.contains(" from ") {
        let (said, from) = text.split_once(" from ")?;
        return Some(Line::Error(from, said));
    }
    if let Some(to) = text.strip_prefix("Pinging ").filter(|to| to.ends_with(']')) {
        return Some(Line::Target(to));
    }
    if let Some(size) = text
        .strip_suffix(" bytes IP):")
        .filter(|text| text.starts_with("with "))
    {
        return Some(Line::Size(
            size.rsplit('(').next().and_then(|size| size.parse().ok()),
        ));
    }
    if text.starts_with("DUP! len=") {
        return Some(Line::Duplicate);
    }
    if text.starts_with("SENT (") || text.starts_with("RCVD (") {
        // nping prints both ways, and no round-trip time.
        return Some(Line::Other);
    }
    counts(text)
        .or_else(|| times(text))
        .or_else(|| is_other(text).then_some(Line::Other))
}

fn is_other(text: &str) -> bool {
    static OTHERS: &[&str] = &[
        "Connection statistics",
        "Source address is ",
        "Bandwidth in kbytes/sec: ",
        "[Aborting...]",
        "Approximate connection times",
        "Approximate trip times",
        "TCP connect statistics",
        "Ping statistics for ",
        "Nping done",
        "Copyright ",
        "Sysinternals ",
        "Control-C",
        "^C",
        "paping v",
        "Statistics for host",
        "Raw packets",
        "Was ",
        "Setting warmup",
        "Starting Nping",
        "PsPing ",
    ];
    OTHERS.iter().any(|start| text.starts_with(start))
        || ended(text).is_some()
        || text.contains(" iterations (warmup ")
}

fn ms(text: &str) -> Option<u64> {
    let digits = text
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let (number, unit) = text.split_at_checked(digits)?;
    unit.trim_ascii_start()
        .starts_with("ms")
        .then(|| rtt_ms(number))
        .flatten()
}

/// hping `4 packets tramitted, 4 packets received, 0% packet loss` (as it spells it), paping `Attempted = 4, Connected = 4, Failed = 0`,
/// tcping `4 probes sent.`, `4 successful, 0 failed.`, psping `Sent = 4, Received = 4, Lost = 0 (0% loss),`.
fn counts(text: &str) -> Option<Line<'static>> {
    let first = |text: &str| text.split_ascii_whitespace().next().and_then(|n| n.parse().ok());
    let field = |name: &str| {
        let (_, rest) = text.split_once(name)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest.get(..digits)?.parse().ok()
    };
    if text.contains(" packets tramitted, ") || text.contains(" packets transmitted, ") {
        let (sent, rest) = text.split_once(", ")?;
        return Some(Line::Counts(first(sent), first(rest)));
    }
    if text.starts_with("Attempted = ") {
        return Some(Line::Counts(field("Attempted = "), field("Connected = ")));
    }
    if text.starts_with("Packets: sent=") {
        return Some(Line::Counts(field("sent="), field("rcvd=")));
    }
    if text.starts_with("Sent = ") && text.contains("Received = ") {
        return Some(Line::Counts(field("Sent = "), field("Received = ")));
    }
    if text.ends_with(" probes sent.") {
        return Some(Line::Counts(first(text), None));
    }
    if text.contains(" successful, ") && text.contains(" failed.") {
        return Some(Line::Counts(None, first(text)));
    }
    if text.starts_with("Raw packets sent: ") {
        return Some(Line::Counts(field("Raw packets sent: "), field("| Rcvd: ")));
    }
    None
}

/// hping `round-trip min/avg/max = 1.2/2.3/3.4 ms`, the others `Minimum = 1.2ms, Maximum = 3.4ms, Average = 2.3ms`, nping `Max rtt:
/// 3.4ms | Min rtt: 1.2ms | Avg rtt: 2.3ms`.
fn times(text: &str) -> Option<Line<'static>> {
    if text.starts_with("round-trip min/avg/max") {
        return super::tally::statistics(text).map(Line::Times);
    }
    if let Some(figures) = text.strip_prefix("RTTs in ms: min/avg/max/dev: ") {
        let figures: Vec<_> = figures
            .split(" / ")
            .map(|ms| crate::host::delay(rtt_ms(ms)))
            .collect();
        let [min_ns, mean_ns, max_ns, deviation_ns] = figures.as_slice().try_into().ok()?;
        return Some(Line::Times(DelayStatistics {
            min_ns,
            mean_ns,
            max_ns,
            deviation_ns,
            ..DelayStatistics::default()
        }));
    }
    let is_nping = text.starts_with("Max rtt: ");
    if !is_nping && !text.starts_with("Minimum = ") {
        return None;
    }
    let field = |names: [&str; 2]| {
        let name = if is_nping { names[1] } else { names[0] };
        let (_, rest) = text.split_once(name)?;
        crate::host::delay(ms(rest))
    };
    let times = DelayStatistics {
        min_ns: field(["Minimum = ", "Min rtt: "]),
        mean_ns: field(["Average = ", "Avg rtt: "]),
        max_ns: field(["Maximum = ", "Max rtt: "]),
        ..DelayStatistics::default()
    };
    (times != DelayStatistics::default()).then_some(Line::Times(times))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut tally = Tally::default();
    let mut may_be_flood = false;
    let (mut tool, mut from, mut to, mut protocol) = ("", Node::default(), Node::default(), None);
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some(header) = header(line) {
            tool = header.tool;
            protocol = header.protocol.or(protocol);
            tally.size_bytes = header.size_bytes.or(tally.size_bytes);
            if to.is_unknown() || !header.to.is_unknown() {
                to = header.to;
            }
            if !text.starts_with("Probing ") && !text.starts_with("pong from ") {
                tally.has_header = true;
                continue;
            }
        } else if let Some(run) = command(line) {
            from = run.device.map(Node::named).unwrap_or_default();
            to = target(&run.words, WITH_VALUE);
            continue;
        }
        if let Some(named) = summed_up(line).filter(|_| number == block.first_line) {
            (tool, to, protocol) = ("tcping", named, Some(ProbeProtocol::TcpSyn));
            continue;
        }
        if let Some(ip) = answered(line).filter(|_| number == block.first_line) {
            (tool, to) = ("hping", host(ip));
        }
        if let Some(name) = ended(line).filter(|_| number == block.first_line) {
            (tool, to, may_be_flood) = ("hping", host(name), true);
            continue;
        }
        may_be_flood |= text.starts_with("hping in flood mode");
        match kind(text) {
            Some(Line::Reply(ns)) => tally.reply(ns),
            Some(Line::Silent) => tally.silent += 1,
            Some(Line::Duplicate) => tally.duplicates = Some(tally.duplicates.unwrap_or(0) + 1),
            Some(Line::Error(from, said)) => {
                let from = from.split_once("ip=").map_or(from, |(_, rest)| rest);
                tally.error(Some(leading_host(from).0), said, 1);
            }
            Some(Line::Counts(sent, received)) => {
                tally.has_statistics = true;
                tally.sent = sent.or(tally.sent);
                tally.received = received.or(tally.received);
            }
            Some(Line::Times(times)) => {
                tally.has_statistics = true;
                tally.summary = Some(times);
            }
            Some(Line::Target(named)) => to = bracketed(named),
            Some(Line::Size(size)) => tally.size_bytes = size.or(tally.size_bytes),
            Some(Line::Other) => {}
            None => findings.unread(number, line),
        }
    }
    if may_be_flood && tally.received == Some(0) {
        // A flood does not look at what comes back, and counts nothing of it. Statistics alone do not tell whether it was one.
        (tally.received, tally.summary) = (None, None);
    }
    let duplicates = tally.duplicates.unwrap_or(0);
    tally.received = tally.received.map(|received| received.saturating_sub(duplicates));
    let Some(mut row) = tally.row(None) else { return };
    row.to = context.to_or(to);
    let probes = Probes {
        from: context.from_or(from),
        protocol,
        rows: vec![row],
        ..Probes::default()
    };
    let lines = (block.first_line, block.last_written_line());
    let tool = if tool.is_empty() { "TCP ping" } else { tool };
    findings.record_of(lines, tool, context.at, Payload::Probes(probes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let hping = header("HPING a.example (eth0 192.0.2.1): S set, 40 headers + 0 data bytes").unwrap();
        assert_eq!(
            (hping.to.to_string().as_str(), hping.size_bytes),
            ("a.example (192.0.2.1)", Some(40))
        );
        assert_eq!(hping.protocol, Some(ProbeProtocol::TcpSyn));
        assert!(header("Connecting to a.example [192.0.2.1] on TCP 443:").is_some());
        assert!(header("Connecting to host a.example, port 5201").is_none());
    }

    /// hping counts them as received, of which there are more than were sent then.
    #[test]
    fn duplicates_make_up_for_no_loss() {
        let reply = |seq: u8| {
            format!("len=46 ip=192.0.2.1 ttl=64 DF id=0 sport=80 flags=SA seq={seq} win=29200 rtt=1.0 ms\n")
        };
        let text = "HPING 192.0.2.1 (eth0 192.0.2.1): S set, 40 headers + 0 data bytes\n".to_owned()
            + &reply(0)
            + "DUP! "
            + &reply(0)
            + &reply(1)
            + "\n--- 192.0.2.1 hping statistic ---\n3 packets transmitted, 3 packets received, 0% packet loss\n"
            + "round-trip min/avg/max = 1.0/1.0/1.0 ms\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        let Payload::Probes(probes) = &records[0].payload else {
            panic!()
        };
        let row = &probes.rows[0];
        assert_eq!(
            (row.sent, row.received, row.duplicates),
            (Some(3), Some(2), Some(1))
        );
    }

    #[test]
    fn counts_and_times() {
        assert_eq!(
            kind("4 packets tramitted, 3 packets received, 25% packet loss"),
            Some(Line::Counts(Some(4), Some(3)))
        );
        assert_eq!(
            kind("Attempted = 4, Connected = 4, Failed =  0 (0.00%)"),
            Some(Line::Counts(Some(4), Some(4)))
        );
        assert_eq!(
            kind("len=46 ip=192.0.2.1 ttl=57 DF id=0 sport=443 flags=SA seq=0 win=64240 rtt=12.3 ms"),
            Some(Line::Reply(Some(12_300_000)))
        );
        let Some(Line::Times(times)) = kind("Max rtt: 3.4ms | Min rtt: 1.2ms | Avg rtt: 2.3ms") else {
            panic!()
        };
        assert_eq!((times.min_ns, times.max_ns), (Some(1_200_000), Some(3_400_000)));
    }
}
