//! Rows of `show ip interface brief`: a name, an address or the word for none, and words for the state.

use crate::formats::interface::cut::figure;
use crate::masked::is_masked;
use std::net::IpAddr;

/// What stands in a row, one cell after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
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

/// Rows that a filter left without their heading: one of these layouts fits at most.
pub(super) const FILTERED: &[Cell] = &[];
const LAYOUTS_OF_FILTERED: &[&[Cell]] = &[
    &[Address, Word, Word, State, Also],
    &[Address, State, Also],
    &[Address, Joined],
];

/// Whether a line can be a row: a name of a port, or nothing, and an address behind it.
pub(super) fn is_row(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    if bracketed(line).is_some() {
        return true;
    }
    words.next().is_some_and(|first| is_name(first) || is_rest(line))
        && (is_rest(line)
            || words.any(|word| is_address(word) || state(word).is_some() || joined(word).is_some()))
}

/// The rest of a row: further addresses, and with Junos the protocols that they are of.
pub(super) fn is_rest(line: &str) -> bool {
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
pub(super) fn bracketed(line: &str) -> Option<(&str, bool)> {
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
    }) || word.contains(['.', ':']) && is_masked(word)
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
pub(super) struct Row {
    pub(super) name: String,
    pub(super) up: bool,
    pub(super) mtu: Option<u64>,
}

pub(super) fn row(cells: &[Cell], line: &str) -> Option<Row> {
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
    if cells == [Address, Joined]
        && words
            .peek()
            .is_some_and(|word| !is_address(word) && *word != "No")
    {
        words.next();
    }
    let (mut up, mut mtu) = (None, None);
    for cell in cells {
        let word = words.next()?;
        match cell {
            // AOS-CX says `No Address`.
            Address if word == "No" => {
                words.next_if_eq(&"Address")?;
            }
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
