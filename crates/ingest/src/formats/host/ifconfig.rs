//! `ifconfig` of Linux (net-tools old and new, BusyBox), the BSDs, macOS and Solaris. What a column counts is said by the
//! programs' lib/interface.c: `frame` is framing errors, `overruns` those of the FIFO, and Linux adds what the ring had no
//! room for to `dropped`.

use super::command::{NAMELESS, arguments, is_gap, is_interface, is_only};
use super::ifconfig_section::{FLAGS, Head, Section};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::text::parted;
use evidence::Payload;

pub(crate) static FORMAT: Format = Format {
    name: "ifconfig",
    group: Group::Hosts,
    reads: "counters, MTU, media and state of interfaces: Linux (old and new, BusyBox), the BSDs, macOS, Solaris, AIX; \
            light of a transceiver with FreeBSD's `-v`",
    first: "A-Za-z",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            ": flags=",
            "Link encap:",
            "ifconfig",
            "X packets",
            "X errors",
            "X bytes",
        ])
    }),
    starts: |line| head(line).is_some() || is_command(line) || is_nameless(line),
    continues: |block, line| {
        if block.first().is_some_and(is_nameless) {
            return is_nameless(line) || line.starts_with([' ', '\t']) && is_flush(line.trim_ascii());
        }
        if is_only(block, is_command) {
            let is_left = || {
                block.first().is_some_and(|first| filtered(first).is_some()) && is_flush(line.trim_ascii())
            };
            return is_gap(block, line, is_command) || head(line).is_some() || is_left();
        }
        if line.trim_ascii().is_empty() {
            return block.last().is_some_and(|last| !last.trim_ascii().is_empty());
        }
        line.starts_with([' ', '\t']) || head(line).is_some() || is_flush(line)
    },
    takes_in: None,
    read,
};

/// A line of a page that was copied without its blanks.
fn is_flush(line: &str) -> bool {
    const FIRST: [&str; 14] = [
        "inet",
        "inet6",
        "ether",
        "loop",
        "unspec",
        "RX",
        "TX",
        "options",
        "media:",
        "status:",
        "nd6",
        "lladdr",
        "groups:",
        "collisions:",
    ];
    let first = line.split(' ').next().unwrap_or_default();
    FIRST.contains(&first)
        || FLAGS.contains(&first) && line.contains(" MTU:")
        || first.starts_with("collisions:")
        || ["Interrupt:", "Memory:", "Base"]
            .iter()
            .any(|key| first.starts_with(key))
            && line.contains([':', 'x'])
}

fn is_command(line: &str) -> bool {
    arguments(line, "ifconfig")
        .is_some_and(|mut words| words.next().is_none_or(|word| word.len() < 20) && words.count() < 3)
}

/// The interface of a command that keeps some lines only: the first line, which names it, may be none of them.
fn filtered(line: &str) -> Option<&str> {
    let name = arguments(line, "ifconfig")?.next()?;
    (line.contains('|') && is_command(line) && is_interface(name) && !name.starts_with('-')).then_some(name)
}

/// What counts an interface's packets, where the lines above were left out: `RX packets:9 errors:0`, `TX errors 0  dropped 0`,
/// `RX bytes:1 (1.0 B)`.
fn is_nameless(line: &str) -> bool {
    let line = line.trim_ascii_start();
    let Some(counted) = line.strip_prefix("RX ").or_else(|| line.strip_prefix("TX ")) else {
        return false;
    };
    let mut words = counted.split([' ', ':']).filter(|word| !word.is_empty());
    let (name, figure) = (words.next(), words.next());
    let is_figure = figure.is_some_and(|figure| figure.bytes().all(|byte| byte.is_ascii_digit()));
    let goes_on = |next: &str| match name {
        Some("packets") => matches!(next, "bytes" | "errors"),
        Some("errors") => next == "dropped",
        _ => name == Some("bytes") && next.starts_with('('),
    };
    is_figure && words.next().is_some_and(goes_on)
}

/// `eth0: flags=4163<UP,BROADCAST>  mtu 1500` or `eth0      Link encap:Ethernet  HWaddr …`.
fn head(line: &str) -> Option<Head<'_>> {
    if let Some((name, rest)) = parted(line, ": flags=")
        && is_name(name)
    {
        return Some(Head { name, rest });
    }
    let (name, rest) = line.split_once([' ', '\t'])?;
    let rest = rest.trim_ascii_start();
    (is_name(name) && rest.starts_with("Link encap:")).then_some(Head { name, rest })
}

/// Whether a text begins with a key, or the line ends behind it.
fn is_begun(text: &str, key: &str) -> bool {
    text.starts_with(key) || text == key.trim_ascii_end()
}

/// What stands behind the flags in the line of an interface of which somebody's page made one line of all.
fn further(rest: &str) -> impl Iterator<Item = &str> {
    let tells_mtu = rest.contains(" MTU:");
    let begins = move |at: &usize| {
        let (before, behind) = rest.split_at(*at);
        // `nd6 options=21<PERFORMNUD>` is one line.
        let is_of_nd6 = before.ends_with(" nd6");
        let Some(behind) = behind.get(1..) else {
            return false;
        };
        let is_flag = |text: &str| FLAGS.contains(&text);
        let has_flags = || {
            tells_mtu
                && is_flag(behind.split(' ').next().unwrap_or_default())
                && !before.rsplit(' ').next().is_some_and(is_flag)
        };
        (BEHIND_FLAGS.iter().any(|key| is_begun(behind, key)) || has_flags()) && !is_of_nd6
    };
    let mut places = memchr::memchr_iter(b' ', rest.as_bytes())
        .filter(begins)
        .peekable();
    std::iter::from_fn(move || {
        let at = places.next()?;
        rest.get(at + 1..places.peek().copied().unwrap_or(rest.len()))
    })
    .filter(|part| part.contains([' ', '=']))
}

/// What lines of an interface begin with.
const BEHIND_FLAGS: [&str; 19] = [
    "options=",
    "ether ",
    "hwaddr ",
    "lladdr ",
    "inet ",
    "inet6 ",
    "nd6 ",
    "media: ",
    "status: ",
    "groups: ",
    "loop ",
    "RX packets",
    "RX errors",
    "TX packets",
    "TX errors",
    "description: ",
    "Interrupt:",
    "Memory:",
    "Base address:",
];

/// Names may hold a colon, as those of an alias do: `eth0:1`.
fn is_name(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && !name.contains([' ', '\t', '/', '='])
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let of_command = block.first().and_then(filtered);
    let is_nameless = block.first().is_some_and(is_nameless);
    let name = of_command.or(is_nameless.then_some(""));
    let mut section = name.map(|name| Section::of(Head { name, rest: "" }, block.first_line));
    if is_nameless {
        findings.complain(block.first_line, NAMELESS);
    }
    for (number, line) in block.numbered() {
        if number == block.first_line && of_command.is_some() {
        } else if let Some(head) = head(line) {
            let mut next = Section::of(head, number);
            for part in further(next.head.rest) {
                next.take(findings, number, part);
            }
            close(section.replace(next), block, context, findings);
        } else if line.trim_ascii().is_empty() {
            close(section.take(), block, context, findings);
        } else if let Some(section) = section.as_mut() {
            section.take(findings, number, line);
        } else if number != block.first_line {
            findings.complain(
                number,
                format!("of an interface that is not named: {}", line.trim_ascii()),
            );
        }
    }
    close(section, block, context, findings);
}

fn close(section: Option<Section<'_>>, block: &Block, context: &Context, findings: &mut Findings) {
    if let Some(section) = section.filter(Section::is_told) {
        let lines = section.lines;
        let interface = section.into_interface(findings, block, context);
        findings.record_of(
            lines,
            "ifconfig",
            context.at,
            Payload::InterfaceCounters(interface),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        assert_eq!(
            head("eth0:1    Link encap:Ethernet  HWaddr 02").unwrap().name,
            "eth0:1"
        );
        assert_eq!(head("en0: flags=8863<UP> mtu 1500").unwrap().name, "en0");
        assert!(head("The link: flags=1 are").is_none() && head("eth0 Link is up").is_none());
    }
}
