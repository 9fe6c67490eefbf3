//! Which ports are bundled, and which of them carry: `show etherchannel summary`, `show port-channel summary`, `show port-channel dense`,
//! `show interfaces portchannel`.
//!
//! Makers agree on the shape: a row a bundle, with signs in parentheses behind the names, and members that may go on in further lines. What
//! a sign says of a port is the same everywhere, but that SONiC's `D` is a port that was not chosen, and may be up.
//! <https://www.cisco.com/c/en/us/td/docs/switches/lan/catalyst9300/software/release/17-9/command_reference/b_179_9300_cr.html>,
//! <https://www.arista.com/en/um-eos/eos-port-channels-and-lacp>,
//! <https://github.com/sonic-net/sonic-utilities/blob/master/doc/Command-Reference.md>

use super::gathered::{About, Gathered, Said};
use super::is_rule;
use super::port::is_port_cell;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;

pub(crate) static FORMAT: Format = Format {
    name: "bundles of ports",
    group: Group::Interfaces,
    reads: "`show etherchannel summary`, `show port-channel summary` and `dense`, `show interfaces portchannel` of Cisco (IOS, IOS XE, \
            NX-OS), Arista, Dell OS10 and SONiC: which bundles and members are up, and which port is in which bundle",
    first: "FGNP",
    has_command: true,
    marks: Some(|| {
        Marks::of(LEGENDS)
            .and(["Flags", "Port-channel", "Port-Channel", "Group Port-", "Team Dev"])
            .or_at_prompt()
    }),
    starts: |line| is_first_legend(line) || is_heading(line) || is_command(line),
    continues,
    takes_in: None,
    read,
};

const TOOL: &str = "bundles of ports";

/// How wide a screen is, in characters.
const SCREEN: usize = 80;

/// What the first line of a legend tells of bundles.
const LEGENDS: [&str; 5] = [
    "P - bundled",
    "P/bndl - bundled",
    "P - Up in port-channel",
    "A - active, I - inactive",
    "P - member up",
];

fn is_first_legend(line: &str) -> bool {
    let text = line.trim_ascii_start();
    // EOS sets its title above the middle of a legend, or fills its line up with blanks, which get lost.
    text.trim_ascii_end() == "Flags"
        || text.starts_with("Flags:") && LEGENDS.iter().any(|legend| text.contains(legend))
}

/// Headings, with single blanks.
const HEADINGS: [&str; 6] = [
    "Group Port-channel Protocol Ports",
    // ASA
    "Group Port-channel Protocol Span-cluster Ports",
    "Group Port- Type Protocol Member Ports",
    "Group Port-Channel Type Protocol Member Ports",
    "Port-Channel Protocol Ports",
    "No. Team Dev Protocol Ports",
];

fn is_heading(line: &str) -> bool {
    let words = || line.split_ascii_whitespace();
    HEADINGS.iter().any(|heading| words().eq(heading.split(' ')))
}

fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let mut words = typed
            .command
            .split('|')
            .next()
            .unwrap_or_default()
            .split_ascii_whitespace();
        let shortens = |word: Option<&str>, whole: &str, least: usize| {
            word.is_some_and(|word| word.len() >= least && whole.starts_with(word))
        };
        let is_show = shortens(words.next(), "show", 2);
        let of = words.next();
        let what = words.next();
        is_show
            && (shortens(of, "etherchannel", 5) && shortens(what, "summary", 3)
                || shortens(of, "port-channel", 6)
                    && (shortens(what, "summary", 3) || shortens(what, "dense", 3))
                || shortens(of, "interfaces", 3) && what == Some("portchannel"))
    })
}

/// What stands above the heading: what the signs mean, and how many bundles there are.
fn is_above(line: &str) -> bool {
    let text = line.trim_ascii();
    text == "Flags" || text == "Channel" || text.starts_with("Number of ") || is_legend(line)
}

/// `P - bundled in port-channel`, `P/bndl -  Bundled`, which IOS XE prints below its table.
fn is_legend(line: &str) -> bool {
    let text = line.trim_ascii();
    let text = text.strip_prefix("Flags:").unwrap_or(text).trim_ascii_start();
    let is_sign = |sign: &str| sign.len() < 5 && sign.bytes().all(|byte| byte.is_ascii_graphic());
    text.split_once(" - ")
        .is_some_and(|(signs, _)| signs.trim_ascii_end().split('/').all(is_sign))
}

/// NX-OS goes on with its heading in a second line.
fn continues(block: &Block, line: &str) -> bool {
    if line.trim_ascii().is_empty() || is_rule(line) || is_heading(line) {
        return true;
    }
    if command_line(line).is_some() {
        return false;
    }
    let has_heading = block.has(is_heading);
    row(line).is_some() && (has_heading || block.first().is_some_and(is_command))
        || (!has_heading || line.trim_ascii() == "Channel") && is_above(line)
        || is_legend(line)
}

/// A name with the signs behind it: `Te1/1/1(P)`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Signed {
    name: String,
    signs: String,
}

impl Signed {
    /// `LACP(A)(Up)` has two pairs of parentheses, and OS10 sets them off.
    fn of(text: &str) -> Option<Self> {
        let (name, signs) = text.strip_suffix(')')?.split_once('(')?;
        let is_sign = |byte: u8| byte.is_ascii_alphabetic() || b"*+-^".contains(&byte);
        let signs: Vec<&str> = signs.split(")(").collect();
        let is_fit = !name.is_empty()
            && signs
                .iter()
                .all(|sign| sign.bytes().all(is_sign) && !sign.is_empty());
        is_fit.then(|| Self {
            name: name.to_owned(),
            signs: signs.join(" "),
        })
    }

    fn has<const N: usize>(&self, signs: [char; N]) -> bool {
        self.signs.contains(signs)
    }
}

/// A row: the bundle, where it names one, and members.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    bundle: Option<(String, Option<bool>)>,
    members: Vec<Member>,
}

/// A member: whether it carries, where its signs tell.
#[derive(Debug, PartialEq, Eq)]
struct Member {
    signed: Signed,
    up: Option<bool>,
}

/// The cells of a row; signs that are set off are those of the name before them.
fn cells(line: &str) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    for word in line.split_ascii_whitespace() {
        match cells.last_mut().filter(|_| word.starts_with('(')) {
            Some(last) => last.push_str(word),
            None => cells.push(word.to_owned()),
        }
    }
    cells
}

/// What stands before the signs, in small letters.
fn unsigned(cell: &str) -> String {
    cell.split('(').next().unwrap_or_default().to_ascii_lowercase()
}

fn is_bundle(cell: &str) -> bool {
    let name = unsigned(cell);
    let kinds = ["portchannel", "port-channel", "po"];
    let number = kinds.iter().find_map(|kind| name.strip_prefix(kind));
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_protocol(cell: &str) -> bool {
    // Behind that of an ASA stands whether a cluster shares the bundle.
    const PROTOCOLS: [&str; 11] = [
        "lacp", "pagp", "static", "none", "on", "eth", "dynamic", "-", "--", "yes", "no",
    ];
    PROTOCOLS.contains(&unsigned(cell).as_str())
}

/// Whether a bundle is up. SONiC tells it behind the protocol.
fn is_up(signed: &Signed, is_sonic: bool) -> Option<bool> {
    let (up, down) = if is_sonic {
        (signed.signs.ends_with("Up"), signed.signs.ends_with("Dw"))
    } else {
        (signed.has(['U']), signed.has(['D', 'M', 'N']))
    };
    up.then_some(true).or(down.then_some(false))
}

/// Whether a member carries.
fn carries(signed: &Signed, is_sonic: bool) -> Option<bool> {
    let (up, down) = if is_sonic {
        (signed.has(['S']), false)
    } else {
        (signed.has(['P']) || signed.signs == "bndl", signed.has(['D']))
    };
    up.then_some(true).or(down.then_some(false))
}

fn row(line: &str) -> Option<Row> {
    let cells = cells(line);
    let is_number = |cell: &String| cell.bytes().all(|byte| byte.is_ascii_digit());
    let has_group = cells.first().is_some_and(is_number);
    let mut cells = cells
        .iter()
        .skip(usize::from(has_group))
        .map(String::as_str)
        .peekable();
    let named = cells.next_if(|cell| is_bundle(cell));
    let told: Vec<&str> = std::iter::from_fn(|| cells.next_if(|cell| is_protocol(cell))).collect();
    // The rest of a row has members alone. Of SONiC's bundles nothing stands behind the name.
    let (is_further, is_sonic) = match named {
        Some(named) => (false, !named.contains('(')),
        None => (
            line.starts_with("          ") && !has_group && told.is_empty(),
            false,
        ),
    };
    let mut signed = named.into_iter().chain(told).filter_map(Signed::of);
    let state = signed.next().map(|signed| is_up(&signed, is_sonic));
    if !is_further && (named.is_none() || state.is_none()) {
        return None;
    }
    // The ports of the other switch of a pair, of Arista, are not this one's.
    let members = cells.filter(|cell| !cell.starts_with("PEt")).map(|cell| {
        let signed = Signed::of(cell).filter(|signed| is_port_cell(&signed.name))?;
        Some(Member {
            up: carries(&signed, is_sonic),
            signed,
        })
    });
    let members = members.collect::<Option<Vec<Member>>>()?;
    let bundle = named.map(|named| {
        let name = named.split('(').next().unwrap_or(named);
        (name.to_owned(), state.flatten())
    });
    (bundle.is_some() || !members.is_empty()).then_some(Row { bundle, members })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut gathered, mut last) = (Gathered::default(), None::<String>);
    let most = block.lines().filter_map(row).map(|row| row.members.len()).max();
    let mut above: Option<(&str, usize)> = None;
    for (number, line) in block.numbered() {
        if is_heading(line) {
            gathered.head(line);
            last = None;
        } else if line.trim_ascii().is_empty() || is_rule(line) || is_command(line) {
            // Members go on right below their bundle.
            last = last.filter(|_| is_command(line));
        } else if let Some(row) = row(line) {
            // A line is filled before the next begins.
            let is_full = |(above, count): (&str, usize)| {
                let next = line.split_ascii_whitespace().next().unwrap_or_default();
                Some(count) == most || above.trim_ascii_end().len() + 1 + next.len() > SCREEN
            };
            if row.bundle.is_none() && !above.is_some_and(is_full) {
                last = None;
            }
            above = Some((line, row.members.len()));
            let Some(bundle) = row
                .bundle
                .as_ref()
                .map(|(name, _)| name.clone())
                .or_else(|| last.clone())
            else {
                findings.complain(number, "ports below no bundle: they are not used");
                continue;
            };
            if let Some((name, Some(up))) = &row.bundle {
                gathered.say(findings, number, name, About::Up, Said::Flag(*up));
            }
            for Member { signed, up } in row.members {
                if let Some(up) = up {
                    gathered.say(findings, number, &signed.name, About::Up, Said::Flag(up));
                }
                let about = About::Setting(format!("member {}", signed.name));
                gathered.say(findings, number, &bundle, about, Said::Text(signed.signs));
            }
            last = Some(bundle);
        } else if !is_above(line) {
            last = None;
            findings.unread(number, line);
        }
    }
    let says_nothing = |line: &str| {
        line.trim_ascii().is_empty()
            || is_rule(line)
            || is_command(line)
            || is_heading(line)
            || is_above(line)
    };
    if gathered.is_empty() && findings.is_empty() && block.lines().all(says_nothing) {
        findings.nothing_to_say();
    }
    gathered.record(&[], &device(block, context), TOOL, context, findings);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_their_signs() {
        let told = |member: Member| (member.signed.name, member.up);
        let members = |row: Row| row.members.into_iter().map(told).collect::<Vec<_>>();
        let read = |line: &str| row(line).map(|row| (row.bundle.clone(), members(row)));
        let name = str::to_owned;
        assert_eq!(
            read("2      Po2(SD)         LACP      Gi1/0/1(D)     Gi1/0/2(s)"),
            Some((
                Some((name("Po2"), Some(false))),
                vec![(name("Gi1/0/1"), Some(false)), (name("Gi1/0/2"), None)]
            ))
        );
        assert_eq!(
            read("    2  PortChannel0002  LACP(A)(Up)  Ethernet116(S) Ethernet120(D)"),
            Some((
                Some((name("PortChannel0002"), Some(true))),
                vec![(name("Ethernet116"), Some(true)), (name("Ethernet120"), None)]
            ))
        );
        assert_eq!(
            read("   Po1(U)             LACP(a)     Et1(PG+) PEt3(P)"),
            Some((Some((name("Po1"), Some(true))), vec![(name("Et1"), Some(true))]))
        );
        assert_eq!(read("3      Po3(SU)         LACP      some words"), None);
    }
}
