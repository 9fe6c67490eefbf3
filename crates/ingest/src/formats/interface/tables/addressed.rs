//! `show ip interface brief` of any maker: which interfaces are up, beside their addresses.
//!
//! Nearly every maker has it, with headings that differ and rows that do not: names first, an address or the word for none, and words for
//! the state. A row is read by its words, as its columns are narrower than many names.
//! <https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/ipaddr/command/ipaddr-cr-book/ipaddr-r1.html>,
//! <https://www.arista.com/en/um-eos/eos-ipv4>.

use super::addressed_rows::{
    Cell::{self, Address, Also, Joined, Mtu, Protocol, State, Word},
    FILTERED, bracketed, is_rest, is_row, row,
};
use super::counters::WORDS;
use super::gathered::{About, Gathered, Said};
use super::is_rule;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use crate::when::is_router_clock;

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
    // A blank line ends the rows, unless one stands below each (AOS-CX).
    let place = block.len().checked_sub(1 + block.blank_count());
    let last = place.and_then(|place| block.get(place));
    let above = place.and_then(|place| block.get(place.checked_sub(1)?));
    let is_below = match block.blank_count() {
        0 => last.is_some_and(|last| is_title(last) || is_row(last)),
        1 => {
            last.is_some_and(is_row)
                && above.is_some_and(|above| is_beside(above) || above.trim_ascii().is_empty())
        }
        _ => false,
    };
    is_below && is_row(line)
        || bracketed(line).is_some()
        || is_legend(line) && !block.has(|above| asked(above).is_none() && !is_legend(above))
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
