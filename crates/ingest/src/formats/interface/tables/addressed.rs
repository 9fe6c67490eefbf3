//! `show ip interface brief` of any maker: which interfaces are up, beside their addresses.
//!
//! Nearly every maker has it, with headings that differ and rows that do not: names first, an address or the word for none, and words for
//! the state. A row is read by its words, as its columns are narrower than many names.
//! <https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/ipaddr/command/ipaddr-cr-book/ipaddr-r1.html>,
//! <https://www.arista.com/en/um-eos/eos-ipv4>.

use super::counters::WORDS;
use super::gathered::{About, Gathered, Said};
use super::is_rule;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::cut::figure;
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use crate::when::is_router_clock;
use std::net::IpAddr;

pub(crate) static FORMAT: Format = Format {
    name: "show ip interface brief",
    group: Group::Interfaces,
    reads: "`show ip interface brief`, `display ip interface brief` of Cisco (IOS, IOS XE, IOS XR, NX-OS, ASA), Arista, Huawei, Comware, \
            Aruba, Dell, FastIron, SONiC, and `show interfaces terse` of Junos: state, and the MTU where it is there",
    first: "A-Zlv",
    has_command: true,
    marks: Some(|| {
        Marks::of(["Interface", "The number of interface that is", "     Address"])
            .and([
                "Flags:  I -",
                "link/admin",
                "[up/",
                "[down/",
                "[administratively down/",
                "/up  ]",
                "/down  ]",
            ])
            .or_at_prompt()
    }),
    starts: |line| {
        is_beside(line) || layout(line).is_some() || bracketed(line).is_some() || asked(line).is_some()
    },
    continues,
    takes_in: None,
    read,
};

const TOOL: &str = "show ip interface brief";

/// What stands in a row, one cell after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Address,
    /// One word of no use here.
    Word,
    /// The state that tells whether an interface is up.
    State,
    /// `up` behind a state: both must be.
    Also,
    /// What Huawei and Comware say of the protocol: down without an address, and the port carries all the same.
    Protocol,
    /// `protocol-up/link-up/admin-up`, `link/admin`, `admin/oper`.
    Joined,
    Mtu,
}

use Cell::{Address, Also, Joined, Mtu, Protocol, State, Word};

/// Headings, with single blanks, and what stands behind the name below them. Further cells may follow.
const LAYOUTS: &[(&str, &[Cell])] = &[
    (
        "Interface IP-Address OK? Method Status Protocol",
        &[Address, Word, Word, State, Also],
    ),
    (
        "Interface Name IP-Address OK Method Status Protocol",
        &[Address, Word, Word, State, Also],
    ),
    (
        "Interface IP-Address OK Method Status Protocol",
        &[Address, Word, Word, State, Also],
    ),
    (
        "Interface IP Address / IP Netmask Admin Protocol",
        &[Address, Word, Word, State, Also],
    ),
    ("Interface IP-Address Status Protocol", &[Address, State, Also]),
    // OneOS, SLX-OS
    (
        "Interface IP-Address OK? Status Protocol Description",
        &[Address, Word, State, Also],
    ),
    (
        "Interface IP-Address Vrf Status Protocol",
        &[Address, Word, State, Also],
    ),
    (
        "Interface IP Address Status Protocol MTU",
        &[Address, State, Also, Mtu],
    ),
    ("Interface IP Address Interface Status", &[Address, Joined]),
    (
        "Interface IP Address/Mask Physical Protocol",
        &[Address, State, Protocol],
    ),
    ("Interface Physical Protocol IP ", &[State, Protocol, Address]),
    ("Interface IPv4 address/mask Admin/Oper", &[Address, Joined]),
    ("Interface Master IPv4 address/mask ", &[Address, Joined]),
    (
        "Interface IPv4 address/mask Master Admin/Oper",
        &[Address, Joined],
    ),
    (
        "Interface IPv6 address/mask Master Admin/Oper",
        &[Address, Joined],
    ),
    ("Interface IPv6 address/mask Admin/Oper", &[Address, Joined]),
    ("Interface Master IPv6 address/mask ", &[Address, Joined]),
    (
        "Interface IPv6 Address/Link-local Address Interface Status",
        &[Address, Joined],
    ),
    ("Interface Status MTU IPv6 Address", &[State, Mtu, Address]),
    ("Interface Admin Link Proto Local Remote", TERSE),
];

/// Junos: what is set, and the link.
const TERSE: &[Cell] = &[State, Also];

/// Rows that a filter left without their heading: one of these fits at most.
const FILTERED: &[Cell] = &[];
const LAYOUTS_OF_FILTERED: &[&[Cell]] = &[
    &[Address, Word, Word, State, Also],
    &[Address, State, Also],
    &[Address, Joined],
];

/// What a prompt asks for, with what stands in rows without their heading, as a filter leaves them.
fn asked(line: &str) -> Option<Option<&'static [Cell]>> {
    let typed = command_line(line)?;
    let mut parts = typed.command.split('|');
    let mut words = parts.next()?.split_ascii_whitespace();
    let shortens = |word: &str, whole: &str, least: usize| word.len() >= least && whole.starts_with(word);
    let verb = words.next()?;
    if !shortens(verb, "show", 2) && !shortens(verb, "display", 3) || typed.command.contains("| display") {
        return None;
    }
    match words.next()? {
        "ip" | "ipv4" | "ipv6" => {
            let is_asked = words.next().is_some_and(|word| shortens(word, "interfaces", 3))
                && words.next().is_some_and(|word| shortens(word, "brief", 2));
            is_asked.then(|| typed.command.contains('|').then_some(FILTERED))
        }
        what if shortens(what, "interfaces", 3) => words.any(|word| word == "terse").then_some(Some(TERSE)),
        _ => None,
    }
}

fn layout(line: &str) -> Option<&'static [Cell]> {
    let line = line.trim_ascii();
    if !line.starts_with("Interface ") {
        return None;
    }
    let mut heading = String::with_capacity(line.len());
    for word in line.split_ascii_whitespace() {
        heading.push_str(word);
        heading.push(' ');
    }
    let fits = |known: &str| {
        heading
            .strip_prefix(known.trim_ascii_end())
            .is_some_and(|rest| rest.starts_with(' '))
    };
    LAYOUTS
        .iter()
        .find(|(known, _)| fits(known))
        .map(|(_, cells)| *cells)
}

/// `*down: administratively down`, `(s): spoofing`, above the tables of Huawei and Comware.
fn is_legend(line: &str) -> bool {
    let line = line.trim_ascii().trim_start_matches(['*', '^', '!', '#', '~']);
    line.starts_with("down: ") || line.starts_with('(') && line.get(2..4) == Some("):")
}

/// What is printed above and between them.
fn is_beside(line: &str) -> bool {
    const BESIDE: [&str; 7] = [
        "Flags:  I - Insight Enabled",
        "The number of interface that is ",
        "IP Interface Status for VRF ",
        "IPv6 Interface Status for VRF ",
        "prot/link/admin",
        "link/admin",
        "Address",
    ];
    let line = line.trim_ascii();
    let is_column = |text: &&str| text.len() < 16;
    BESIDE.iter().any(|text| match is_column(text) {
        true => line == *text,
        false => line.starts_with(text),
    }) || line == "Owner"
        // ArubaOS, above rows that say what IOS says of an interface.
        || line.starts_with("Interface ") && line.ends_with("[Status/Protocol]")
}

fn continues(block: &Block, line: &str) -> bool {
    if line.trim_ascii().is_empty() || is_rule(line) || is_beside(line) || layout(line).is_some() {
        return true;
    }
    let is_asked = |above: &str| asked(above).is_some_and(|cells| cells.is_some());
    if is_router_clock(line) {
        return block.last().is_some_and(is_asked);
    }
    let is_title = |above: &str| {
        is_rule(above)
            || is_beside(above)
            || layout(above).is_some()
            || is_asked(above)
            || is_router_clock(above)
    };
    // A blank line ends the rows.
    let is_below = block.last().is_some_and(|last| is_title(last) || is_row(last));
    is_below && is_row(line)
        || bracketed(line).is_some()
        || is_legend(line)
            && block
                .lines()
                .all(|above| asked(above).is_some() || is_legend(above))
}

/// Whether a line can be a row: a name of a port, or nothing, and an address behind it.
fn is_row(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    if bracketed(line).is_some() {
        return true;
    }
    words.next().is_some_and(|first| is_name(first) || is_rest(line))
        && (is_rest(line) || words.any(|word| is_address(word) || state(word).is_some()))
}

/// The rest of a row: further addresses, and with Junos the protocols that they are of.
fn is_rest(line: &str) -> bool {
    const PROTOCOLS: [&str; 10] = [
        "inet",
        "inet6",
        "mpls",
        "iso",
        "multiservice",
        "eth-switch",
        "vpls",
        "ccc",
        "-->",
        "tnp",
    ];
    let is_of_one = |word: &str| {
        is_address(word)
            || PROTOCOLS.contains(&word)
            || word == "0/0"
            || word == "(sub)"
            || word.starts_with("0x")
    };
    // `(loopback0)` below `unnumbered`: whose address it is.
    let is_lender = || {
        let name = line
            .trim_ascii()
            .strip_prefix('(')
            .and_then(|name| name.strip_suffix(')'));
        name.is_some_and(is_name)
    };
    line.starts_with("          ") && (line.split_ascii_whitespace().all(is_of_one) || is_lender())
        || is_further(line)
}

/// A further address of IPv6, of which each interface has several: alone below it, or below the column of addresses with what is said of
/// the address behind it.
fn is_further(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_first = words.next().is_some_and(|word| {
        word == "unassigned"
            || word.contains(':')
                && word
                    .split('/')
                    .next()
                    .is_some_and(|address| address.parse::<IpAddr>().is_ok())
    });
    let is_alone = words.next().is_none();
    is_first && (line.starts_with("    ") && is_alone || line.starts_with("                    "))
}

/// `GigabitEthernet0/0/0   [up/up]`: what IOS and IOS XR say of an interface above its addresses of IPv6.
fn bracketed(line: &str) -> Option<(&str, bool)> {
    let (name, states) = line.trim_ascii_end().strip_suffix(']')?.split_once('[')?;
    let (name, states) = (name.trim_ascii(), states.trim_ascii());
    let (link, protocol) = states.split_once('/')?;
    let is_up = |word: &str| match word {
        "administratively down" => Some(false),
        word => state(word),
    };
    let up = is_up(link)? & is_up(protocol)?;
    // "vlan 991"
    let is_numbered =
        |(kind, number): (&str, &str)| is_name(kind) && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_named = is_name(name) || name.split_once(' ').is_some_and(is_numbered);
    (is_named && !line.starts_with(' ')).then_some((name, up))
}

fn is_name(word: &str) -> bool {
    word.bytes()
        .find(|byte| *byte != b'.')
        .is_some_and(|byte| byte.is_ascii_alphabetic())
        && word.len() < 40
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"/.:-_".contains(&byte))
        && !word.ends_with(':')
}

/// An address with or without the length of its prefix, or what stands for none.
fn is_address(word: &str) -> bool {
    matches!(
        word,
        "unassigned" | "<unassigned>" | "unnumbered" | "unset" | "--" | "N/A"
    ) || word.split('/').next().is_some_and(|address| {
        address
            .split('%')
            .next()
            .unwrap_or(address)
            .parse::<IpAddr>()
            .is_ok()
    })
}

/// Whether a word says that something is up; `None` for other words.
fn state(word: &str) -> Option<bool> {
    let word = word.trim_start_matches(['*', '^', '!']);
    let word = word.split('(').next().unwrap_or(word).to_ascii_lowercase();
    match word.as_str() {
        "up" => Some(true),
        "down" | "deleted" | "shutdown" | "lowerlayerdown" | "notpresent" | "admindown" | "reset"
        | "standby" | "dormant" | "errdisabled" => Some(false),
        _ => None,
    }
}

/// What a row says: whether its interface is up, and its MTU.
struct Row {
    name: String,
    up: bool,
    mtu: Option<u64>,
}

fn row(cells: &[Cell], line: &str) -> Option<Row> {
    if cells.is_empty() {
        return LAYOUTS_OF_FILTERED.iter().find_map(|cells| row(cells, line));
    }
    let mut words = line.split_ascii_whitespace().peekable();
    let mut name = words.next().filter(|word| is_name(word))?.to_owned();
    // "Ethernet 1/1/1", with a sign behind it.
    let is_number =
        |word: &&str| word.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) && !is_address(word);
    if let Some(number) = words.next_if(is_number) {
        let number = number.split('(').next().unwrap_or(number);
        name = format!("{name} {number}");
    }
    // SONiC names what an interface is part of between the two.
    if cells == [Address, Joined] && words.peek().is_some_and(|word| !is_address(word)) {
        words.next();
    }
    let (mut up, mut mtu) = (None, None);
    for cell in cells {
        let word = words.next()?;
        match cell {
            Address => is_address(word).then_some(())?,
            Word => {}
            State if matches!(word, "administratively" | "admin") => {
                let behind = words.next()?;
                up = (behind == "down").then_some(false);
            }
            State => up = Some(state(word)?),
            Also => up = Some(state(word)? && up?),
            Protocol => state(word).map(|_| ())?,
            Mtu => mtu = Some(figure(word)?),
            Joined => {
                // SONiC has a word more before it.
                let joined = [Some(word), words.next()].into_iter().flatten().find_map(joined);
                up = Some(joined?);
            }
        }
    }
    Some(Row { name, up: up?, mtu })
}

/// `protocol-up/link-up/admin-up`, `up/up`: all of them must be up.
fn joined(word: &str) -> Option<bool> {
    let mut states = word
        .split('/')
        .map(|part| state(part.rsplit('-').next().unwrap_or(part)));
    let (first, second) = (states.next()??, states.next()??);
    let third = states.next().map_or(Some(true), |third| third)?;
    Some(first && second && third)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut gathered, device_of) = (Gathered::default(), device(block, context));
    let mut cells: Option<&[Cell]> = None;
    for (number, line) in block.numbered() {
        if let Some(asked) = asked(line).filter(|_| number == block.first_line) {
            cells = asked;
        } else if let Some(known) = layout(line) {
            gathered.head(line);
            cells = Some(known);
        } else if line.trim_ascii().is_empty()
            || is_rule(line)
            || is_beside(line)
            || is_legend(line)
            || is_router_clock(line)
        {
            // The number of those that are up stands above, and says of none which.
        } else if is_rest(line) {
            // A further address of the interface above.
        } else if let Some((name, up)) = bracketed(line) {
            gathered.say(findings, number, name, About::Up, Said::Flag(up));
        } else if let Some(row) = cells.and_then(|cells| row(cells, line)) {
            gathered.say(findings, number, &row.name, About::Up, Said::Flag(row.up));
            if let Some(mtu) = row.mtu {
                gathered.say(findings, number, &row.name, About::Mtu, Said::Count(mtu));
            }
        } else {
            findings.unread(number, line);
        }
    }
    if gathered.is_empty() && findings.is_empty() {
        findings.nothing_to_say();
    }
    gathered.record(WORDS, &device_of, TOOL, context, findings);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_their_words() {
        let up = |heading: &str, line: &str| {
            layout(heading)
                .and_then(|cells| row(cells, line))
                .map(|row| row.up)
        };
        let ios = "Interface              IP-Address      OK? Method Status                Protocol";
        assert_eq!(up(ios, "Vlan1 10.0.0.1 YES NVRAM up up"), Some(true));
        assert_eq!(
            up(ios, "Gi1 unassigned YES unset administratively down down"),
            Some(false)
        );
        assert_eq!(up(ios, "Gi1 unassigned YES unset up down"), Some(false));
        assert_eq!(up(ios, "Gi1 YES unset up down"), None, "a cell is missing");
        assert_eq!(
            up(ios, "TenGigabitEthernet 0/0 10.0.0.1 YES manual up up"),
            Some(true)
        );
        let nxos = "Interface            IP Address      Interface Status";
        assert_eq!(up(nxos, "Lo0 10.0.0.1 protocol-up/link-up/admin-up"), Some(true));
        assert_eq!(
            up(nxos, "Lo0 10.0.0.1 protocol-down/link-down/admin-up"),
            Some(false)
        );
        let sonic = "Interface  Master  IPv4 address/mask  Pri/Sec  Admin/Oper  BGP Neighbor  Neighbor IP";
        assert_eq!(
            up(sonic, "Ethernet8.10 192.0.2.1/24 Primary down/down N/A N/A"),
            Some(false)
        );
        assert_eq!(
            up(
                "Interface Admin Link Proto Local Remote",
                "ae0.0 up down inet 10.0.0.1/30"
            ),
            Some(false)
        );
        assert_eq!(up(sonic, "Ethernet0 Vrf1 192.0.2.1/24 up/up N/A N/A"), Some(true));
    }
}
