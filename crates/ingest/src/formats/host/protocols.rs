//! `netstat -s`: the counters of a host's protocols, in sentences (Linux, the BSDs, macOS) or by name (Windows, Solaris).
//! `netstat -e` of Windows, which is often asked for with it, sums the interfaces.

use super::command::{arguments, begins_again, facts, is_only};
use super::counters::{group, is_setting};
use super::given::Given;
use super::protocols_abroad;
use super::protocols_filtered::{self, is_filtered};
use super::protocols_words::{BSD, LINUX, Texts, WINDOWS};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::text::parted;
use evidence::{HostFacts, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "netstat -s",
    group: Group::Hosts,
    reads: "counters of IP, TCP and UDP: Linux, FreeBSD, OpenBSD, macOS, Windows (also `-e`, and in other languages below the command), Solaris",
    first: "A-Za-z",
    has_command: true,
    marks: Some(|| {
        let words = ["Interface Statistics", "netstat"].into_iter();
        let headings = WINDOWS.iter().map(|(heading, ..)| *heading);
        Marks::of(words.chain(headings)).or(|line| line.trim_ascii_end().ends_with(':') || is_solaris(line))
    }),
    starts: |line| head(line).is_some() || is_solaris(line) || is_command(line),
    continues,
    takes_in: None,
    read,
};

/// In whose sentences a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Linux,
    Bsd,
    Windows,
    /// The table of `netstat -e`.
    WindowsInterfaces,
}

/// Groups of the BSDs and macOS, most of which bear on nothing here.
const BSD_GROUPS: [&str; 26] = [
    "tcp", "udp", "ip", "icmp", "igmp", "ip6", "icmp6", "rip6", "arp", "ipsec", "ipsec6", "ah", "esp",
    "ipcomp", "sctp", "pim", "carp", "pfsync", "pfkey", "mptcp", "divert", "udp6", "tcp6", "pim6", "ipv6",
    "mld6",
];

/// The heading of a group: whose it is and what it is called. `Some(name)` that no table has is known and left out.
fn head(line: &str) -> Option<(Dialect, &str)> {
    let line = line.trim_ascii_end();
    if line == "Interface Statistics" {
        return Some((Dialect::WindowsInterfaces, line));
    }
    if WINDOWS.iter().any(|(heading, ..)| *heading == line) {
        return Some((Dialect::Windows, line));
    }
    let name = line.strip_suffix(':')?;
    if group(name).is_some() || matches!(name, "Icmp6" | "IcmpMsg6" | "MPTcpExt" | "Raw" | "SctpExt") {
        return Some((Dialect::Linux, name));
    }
    BSD_GROUPS.contains(&name).then_some((Dialect::Bsd, name))
}

/// `TCP     tcpRtoAlgorithm     =     4     tcpRtoMin           =   400`
fn is_solaris(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let first = words.next();
    matches!(
        first,
        Some(
            "TCP"
                | "UDP"
                | "RAWIP"
                | "IPv4"
                | "IPv6"
                | "ICMPv4"
                | "ICMPv6"
                | "IGMP:"
                | "SCTP"
                | "IP"
                | "ICMP"
        )
    ) && words.next().is_some_and(|name| solaris_name(name).is_some())
        && line.contains('=')
}

/// The group and the name of `tcpRetransSegs`.
fn solaris_name(name: &str) -> Option<(&'static str, &str)> {
    const GROUPS: [(&str, &str); 9] = [
        ("tcp", "Tcp"),
        ("udp", "Udp"),
        ("ipv6", "Ip6"),
        ("ip", "Ip"),
        ("icmpv6", ""),
        ("icmp", ""),
        ("rawip", ""),
        ("sctp", ""),
        ("igmp", ""),
    ];
    GROUPS.iter().find_map(|(prefix, group)| {
        let rest = name.strip_prefix(prefix)?;
        (rest.starts_with(|letter: char| letter.is_ascii_uppercase())).then_some((*group, rest))
    })
}

fn is_command(line: &str) -> bool {
    arguments(line, "netstat").is_some_and(|mut words| {
        words.any(|word| {
            let letters = word.strip_prefix(['-', '/']).unwrap_or_default();
            let asks = letters.contains('s') && letters.bytes().all(|byte| b"aensptuw46".contains(&byte));
            asks || matches!(word, "-e" | "/e" | "--statistics")
        })
    })
}

/// Whether a group is printed once more: that is another output.
fn is_group_again(block: &Block, line: &str) -> bool {
    begins_again(block, line, is_solaris)
        || head(line).is_some()
            && block.last_written() != Some(line)
            && block.lines().any(|before| before == line)
}

fn continues(block: &Block, line: &str) -> bool {
    let blank = line.trim_ascii().is_empty();
    if is_group_again(block, line) {
        return false;
    }
    if is_only(block, is_command) {
        let is_left =
            || block.first().is_some_and(is_filtered) && protocols_filtered::counter(line).is_some();
        return blank
            || head(line).is_some()
            || is_solaris(line)
            || protocols_abroad::heading(line).is_some()
            || is_left();
    }
    if protocols_abroad::is_such(block) {
        return blank || protocols_abroad::continues(line);
    }
    if block.len() == 2
        && block.first().is_some_and(is_command)
        && block.last().is_some_and(|last| last.trim_ascii().is_empty())
    {
        return head(line).is_some() || is_solaris(line);
    }
    let first = block.first_such(|line| head(line).is_some() || is_solaris(line));
    let is_near = block.last().is_none_or(|last| !last.trim_ascii().is_empty());
    match first.and_then(head) {
        // A page that was copied may have blank lines between the sentences: what stands behind one must be known.
        Some((Dialect::Linux, _)) if blank => is_near,
        Some((Dialect::Linux, _)) if !is_near => line.starts_with([' ', '\t']) && is_known_sentence(line),
        Some((Dialect::Linux | Dialect::Bsd, _)) => {
            // A page that was copied without its blanks.
            let is_bare =
                |line: &str| line.starts_with(|first: char| first.is_ascii_digit()) && line.contains(' ');
            !blank && line.starts_with([' ', '\t'])
                || head(line).is_some()
                || is_bare(line)
                    && block
                        .last()
                        .is_some_and(|last| is_bare(last) || head(last).is_some())
        }
        Some(_) => {
            let is_row = line.starts_with([' ', '\t'])
                || two_columns(line).is_some()
                || line.starts_with("Unknown protocols");
            // `netstat -s -p tcp` of Windows lists the sockets below its counters; `Proto` it says in every language.
            let lists_sockets = line.trim_ascii_start().starts_with("Proto ");
            !lists_sockets && (blank || head(line).is_some() || is_row)
        }
        None => blank || is_solaris(line) || line.starts_with([' ', '\t']),
    }
}

/// Lines of a group, as they come.
struct Reader<'f, 's> {
    given: Given<u64>,
    open: Option<(Dialect, String)>,
    /// A line of another group was found in this one: a heading is lost, and nobody knows where.
    broken: bool,
    findings: &'f mut Findings<'s>,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut reader = Reader {
        given: Given::default(),
        open: None,
        broken: false,
        findings,
    };
    let is_left = block
        .first()
        .is_some_and(|first| is_command(first) && is_filtered(first));
    let is_abroad = protocols_abroad::is_such(block);
    if is_abroad {
        protocols_abroad::read(block, &mut reader.given, reader.findings);
    }
    for (number, line) in block.numbered().take_while(|_| !is_abroad) {
        if let Some((dialect, name)) = head(line) {
            reader.open = Some((dialect, name.to_owned()));
            reader.broken = false;
        } else if line.trim_ascii().is_empty() || number == block.first_line && is_command(line) {
        } else if let Some((name, value)) =
            protocols_filtered::counter(line).filter(|_| is_left && reader.open.is_none())
        {
            reader.given.put(reader.findings, number, name, value);
        } else if line.contains('=') && !matches!(reader.open, Some((Dialect::Windows, _))) {
            reader.take_solaris(number, line);
        } else {
            reader.take(number, line);
        }
    }
    let given = reader.given;
    if !given.is_empty() {
        let facts = HostFacts {
            counters: given.into_values(),
            ..facts(block)
        };
        findings.record(block, "netstat -s", context.at, Payload::HostFacts(facts));
    }
}

impl Reader<'_, '_> {
    fn take(&mut self, number: u64, line: &str) {
        if self.broken {
            return;
        }
        match self.open.clone() {
            Some((Dialect::Linux, name)) => self.take_linux(number, line, &name),
            Some((Dialect::Bsd, name)) => self.take_bsd(number, line, &name),
            Some((Dialect::Windows, name)) => self.take_windows(number, line, &name),
            Some((Dialect::WindowsInterfaces, _)) => self.take_columns(number, line),
            None => self.findings.unread(number, line),
        }
    }

    fn take_linux(&mut self, number: u64, line: &str, name: &str) {
        // Messages by their type stand below these, further to the right.
        if line.trim_ascii().ends_with("histogram:") || is_message_type(line) && name.starts_with("Icmp") {
            return;
        }
        let Some((text, value)) = sentence(line) else {
            return self.findings.unread(number, line);
        };
        let Some((_, texts)) = LINUX.iter().find(|(group, _)| *group == name) else {
            return;
        };
        // A longer sentence begins with this one, and may have been cut; it stands in front of this one.
        let is_cut =
            text == "packets pruned from receive queue" && self.given.get("TcpExt.PruneCalled").is_none();
        if is_cut || matches!(text.as_str(), "Forwarding" | "DefaultTTL") {
            if is_cut {
                self.findings.unread(number, line);
            }
            return;
        }
        let known = |texts: &Texts| {
            texts
                .iter()
                .find(|(known, _)| *known == text)
                .map(|(_, kernel)| *kernel)
        };
        if let Some(kernel) = known(texts) {
            self.given
                .put(self.findings, number, format!("{name}.{kernel}"), value);
        } else if LINUX.iter().any(|(_, texts)| known(texts).is_some()) {
            self.findings
                .complain(number, format!("not of {name}: {}", line.trim_ascii()));
            self.broken = true;
        } else if is_kernel_name(name, &text) && line.contains(": ") {
            self.given
                .put(self.findings, number, format!("{name}.{text}"), value);
        } else {
            self.findings.unread(number, line);
        }
    }

    fn take_bsd(&mut self, number: u64, line: &str, name: &str) {
        let line = line.trim_ascii();
        if !matches!(name, "tcp" | "udp" | "ip") {
            let begins = line.starts_with(|first: char| first.is_ascii_digit());
            if !begins && !line.contains(':') {
                self.findings.unread(number, line);
            }
            return;
        }
        let Some((figure, text)) = line.split_once(' ') else {
            return;
        };
        let is_heading = line.ends_with(':');
        match figure.parse::<u64>() {
            Ok(value) => {
                let text = without_parentheses(text);
                let texts = BSD
                    .iter()
                    .find(|(group, _)| *group == name)
                    .map(|(_, texts)| *texts);
                let known = |(known, _): &&(&str, &str)| *known == text;
                if let Some((_, kernel)) = texts.unwrap_or_default().iter().find(known) {
                    self.given.put(self.findings, number, *kernel, value);
                }
            }
            Err(_) if is_heading => {}
            Err(_) => self.findings.unread(number, line),
        }
    }

    fn take_windows(&mut self, number: u64, line: &str, name: &str) {
        let Some((_, group, texts)) = WINDOWS.iter().find(|(heading, ..)| *heading == name) else {
            return;
        };
        let Some((text, figure)) = line.split_once('=') else {
            // Messages by their type, received and sent.
            if !group.is_empty() || two_columns(line).is_none() {
                self.findings.unread(number, line);
            }
            return;
        };
        let known = |texts: &Texts| {
            texts
                .iter()
                .find(|(known, _)| *known == text.trim_ascii())
                .map(|(_, kernel)| *kernel)
        };
        match (known(texts), figure.trim_ascii().parse()) {
            (Some(kernel), Ok(value)) => {
                self.given
                    .put(self.findings, number, format!("{group}.{kernel}"), value)
            }
            (None, _) if WINDOWS.iter().any(|(_, _, texts)| known(texts).is_some()) => {
                self.findings
                    .complain(number, format!("not of {name}: {}", line.trim_ascii()));
                self.broken = true;
            }
            _ => self.findings.unread(number, line),
        }
    }

    /// `Bytes                    1234567890       987654321`, received and sent.
    fn take_columns(&mut self, number: u64, line: &str) {
        match two_columns(line) {
            Some((name, received, sent)) => {
                let name = name.replace(' ', "");
                self.given.put(
                    self.findings,
                    number,
                    format!("Interfaces.{name}Received"),
                    received,
                );
                self.given
                    .put(self.findings, number, format!("Interfaces.{name}Sent"), sent);
            }
            None if line.starts_with("Unknown protocols") => {}
            None => self.findings.unread(number, line),
        }
    }

    fn take_solaris(&mut self, number: u64, line: &str) {
        let spaced = line.replace('=', " = ");
        let mut words = spaced.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            let Some((group, name)) = solaris_name(word) else {
                if words.peek().is_none_or(|next| solaris_name(next).is_none()) {
                    self.findings.unread(number, line);
                }
                continue;
            };
            let figure = (words.next() == Some("=")).then(|| words.next()).flatten();
            match figure.map(str::parse) {
                Some(Ok(value))
                    if !group.is_empty() && !is_setting(group, name) && name != "ReasmTimeout" =>
                {
                    self.given
                        .put(self.findings, number, format!("{group}.{name}"), value);
                }
                _ if group.is_empty() || is_setting(group, name) || name == "ReasmTimeout" => {}
                _ => self.findings.unread(number, line),
            }
        }
    }
}

/// A sentence with one figure in it: the text without the figure. `TCPTimeouts: 12`, `12 resets sent`,
/// `Detected reordering 7 times using SACK`.
pub(super) fn sentence(line: &str) -> Option<(String, u64)> {
    let line = line.trim_ascii();
    if let Some((name, figure)) = parted(line, ": ") {
        return Some((name.to_owned(), figure.trim_ascii().parse().ok()?));
    }
    let is_figure = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut figures = line.split_ascii_whitespace().filter(is_figure);
    let value = figures.next()?.parse().ok()?;
    let words: Vec<&str> = line
        .split_ascii_whitespace()
        .filter(|word| !is_figure(word))
        .collect();
    figures.next().is_none().then(|| (words.join(" "), value))
}

/// Whether a line is a sentence of Linux or a counter that has none, of whatever group.
fn is_known_sentence(line: &str) -> bool {
    sentence(line).is_some_and(|(text, _)| {
        LINUX.iter().any(|(group, texts)| {
            texts.iter().any(|(known, _)| *known == text)
                || line.contains(": ") && is_kernel_name(group, &text)
        })
    })
}

/// `        echo requests: 700`, `        InType3: 5`
fn is_message_type(line: &str) -> bool {
    line.starts_with("        ")
        && line
            .split_once(": ")
            .is_some_and(|(_, count)| count.trim_ascii().parse::<u64>().is_ok())
}

/// Counters that have no sentence: whether the name is one of this group.
pub(super) fn is_kernel_name(group: &str, name: &str) -> bool {
    let of_ip = ["In", "Out", "Reasm", "Frag", "Forwarding"]
        .iter()
        .any(|begins| name.starts_with(begins));
    let whole = name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && name.starts_with(|letter: char| letter.is_ascii_uppercase());
    match group {
        "IpExt" => whole && of_ip,
        "TcpExt" => whole && !of_ip && !name.starts_with("MP"),
        _ => false,
    }
}

/// The words without what stands in parentheses, and without a final `s` each.
pub(super) fn without_parentheses(text: &str) -> String {
    let mut bare = String::new();
    for part in text.split('(').enumerate().map(|(place, part)| match place {
        0 => part,
        _ => part.split_once(')').map_or("", |(_, rest)| rest),
    }) {
        for word in part.split_ascii_whitespace() {
            let blank = if bare.is_empty() { "" } else { " " };
            let word = word
                .strip_suffix("s,")
                .map_or(word.strip_suffix('s').unwrap_or(word).to_owned(), |word| {
                    format!("{word},")
                });
            bare.push_str(blank);
            bare.push_str(&word);
        }
    }
    bare
}

/// `Unicast packets             1234567         7654321`
pub(super) fn two_columns(line: &str) -> Option<(&str, u64, u64)> {
    let (rest, second) = line.trim_ascii().rsplit_once(' ')?;
    let (name, first) = rest.trim_ascii_end().rsplit_once(' ')?;
    let name = name.trim_ascii();
    let first = first.parse().ok()?;
    (!name.is_empty() && !name.contains(|letter: char| letter.is_ascii_digit())).then_some((
        name,
        first,
        second.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        assert_eq!(
            sentence("    Detected reordering 7 times using SACK"),
            Some(("Detected reordering times using SACK".to_owned(), 7))
        );
        assert_eq!(
            sentence("    TCPTimeouts: 12"),
            Some(("TCPTimeouts".to_owned(), 12))
        );
        assert_eq!(sentence("    zorkmids 4711 of 17"), None);
        assert_eq!(
            without_parentheses("data packets (1448 bytes) retransmitted"),
            "data packet retransmitted"
        );
        assert_eq!(
            without_parentheses("output packets dropped due to no bufs, etc."),
            "output packet dropped due to no buf, etc."
        );
        assert_eq!(two_columns("Bytes     12   34"), Some(("Bytes", 12, 34)));
        assert_eq!(solaris_name("tcpRetransSegs"), Some(("Tcp", "RetransSegs")));
    }

    #[test]
    fn a_lost_heading_gives_nothing_to_another_group() {
        let text = "Tcp:\n    5 resets sent\n    7 packets received\n    8 packet receive errors\n    InCsumErrors: 9\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        let Payload::HostFacts(facts) = &records[0].payload else {
            panic!()
        };
        assert_eq!((facts.counters.len(), complaints.len()), (1, 1), "{facts:?}");
    }
}
