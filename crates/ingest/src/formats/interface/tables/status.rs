//! `show interfaces status` and `show interfaces description`: cells with blanks in them, told by where they begin.

use super::cell::{is_absent, is_port, speed_bps};
use super::gathered::{About, Gathered, Said, Traffic};
use crate::findings::Findings;
use crate::text::begin_of;

/// Where the columns of a heading begin.
#[derive(Debug, Clone, Copy)]
pub(super) enum Heading {
    /// `Port Name Status Vlan Duplex Speed Type`; where the heading lost its blanks, nothing tells where a state begins.
    Status { status: Option<usize> },
    /// `Interface Status Protocol Description`; Junos: `Interface Admin Link Description`.
    Description {
        state: usize,
        protocol: usize,
        description: usize,
    },
    /// The rows alone, as a filter leaves them: their words tell.
    Described,
    /// EOS: `Port Name Intvl In Mbps % In Kpps Out Mbps % Out Kpps`.
    Rates,
}

/// The heading in this line.
pub(super) fn heading(line: &str) -> Option<Heading> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(16).collect();
    match words.as_slice() {
        ["Port", "Name", "Status", "Vlan", "Duplex", "Speed", ..] => Some(Heading::Status {
            status: line.find("  Status").map(|at| at + 2),
        }),
        ["Interface", "Status", "Protocol", "Description"] => description(line, "Status", "Protocol"),
        ["Interface", "PHY", "Protocol", "Description"] => description(line, "PHY", "PHY"),
        ["Interface", "Admin", "Link", "Description"] => description(line, "Admin", "Link"),
        [
            "Port",
            "Name",
            "Intvl",
            "In",
            "Mbps",
            "%",
            "In",
            "Kpps",
            "Out",
            "Mbps",
            "%",
            "Out",
            "Kpps",
        ] => Some(Heading::Rates),
        _ => None,
    }
}

fn description(line: &str, state: &str, protocol: &str) -> Option<Heading> {
    Some(Heading::Description {
        state: line.find(state)?,
        protocol: line.find(protocol)?,
        description: line.find("Description")?,
    })
}

/// Takes a row; what does not stand in its columns is complained about.
pub(super) fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    heading: Heading,
    row: &str,
) {
    let read = match heading {
        Heading::Status { status: Some(at) } => status_row(gathered, findings, number, at, row),
        Heading::Status { status: None } => squeezed_row(gathered, findings, number, row),
        Heading::Description {
            state,
            protocol,
            description,
        } => description_row(gathered, findings, number, (state, protocol, description), row)
            .or_else(|| described_row(gathered, findings, number, row)),
        Heading::Described => described_row(gathered, findings, number, row),
        Heading::Rates => rates_row(gathered, findings, number, row),
    };
    if read.is_none() {
        findings.complain(
            number,
            "the row does not stand in its columns: none of it is used",
        );
    }
}

/// The text from where a column begins, if a word begins there.
fn from_column(row: &str, start: usize) -> Option<&str> {
    let (before, text) = row.split_at_checked(start)?;
    (before.ends_with(' ') && !text.starts_with(' ') && !text.is_empty()).then_some(text)
}

const DUPLEX: [(&str, Option<&str>); 9] = [
    ("a-full", Some("full")),
    ("full", Some("full")),
    ("a-half", Some("half")),
    ("half", Some("half")),
    ("auto", None),
    ("unconf", None),
    ("unknown", None),
    ("--", None),
    ("a-auto", None),
];

const DOWN: &[&str] = &[
    "notconnect",
    "notconnec",
    "disabled",
    "err-disabled",
    "errdisabled",
    "inactive",
    "suspended",
    "suspnd",
    "xcvrAbsen",
    "xcvrInval",
    "sfpAbsent",
    "sfpInvali",
    "noOperMem",
    "linkFlapE",
    "faulty",
    "down",
    "channelDo",
    "udldDown",
    "adminDown",
];

/// So many letters of a state stand in a table of NX-OS that has all of its columns: `linkFlapE` is `linkFlapErr`.
const LETTERS_OF_NX_OS: usize = 9;

fn is_down(word: &str, down: &str) -> bool {
    word == down || down.len() == LETTERS_OF_NX_OS && word.starts_with(down)
}

pub(in crate::formats::interface) fn is_state(word: &str) -> Option<bool> {
    let word = word.trim_end_matches(':');
    (word == "connected" || word == "up")
        .then_some(true)
        .or_else(|| DOWN.iter().any(|down| is_down(word, down)).then_some(false))
}

fn status_row(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    start: usize,
    row: &str,
) -> Option<()> {
    let port = row.split_ascii_whitespace().next().filter(|port| is_port(port))?;
    let text = from_column(row, start).filter(|text| {
        text.split(' ')
            .next()
            .is_some_and(|word| is_state(word).is_some() || word == "monitoring")
    });
    // Rows that were squeezed: the last state that a VLAN, a duplex and a speed follow. Words of the name come before.
    let words: Vec<&str> = text.unwrap_or(row).split_ascii_whitespace().collect();
    let places = (1..words.len()).filter(|place| {
        let duplex = words
            .get(*place)
            .and_then(|word| DUPLEX.iter().find(|(known, _)| known == word));
        duplex.is_some()
    });
    let (duplex_at, state) = match text {
        Some(_) => {
            // "notconnect: TD 1": at least the state and a VLAN stand before.
            let duplex = places.clone().find(|place| *place >= 2)?;
            (duplex, *words.first()?)
        }
        None => places.clone().find_map(|duplex| {
            let state = (1..duplex)
                .rev()
                .take(4)
                .find(|place| words.get(*place).is_some_and(|word| is_state(word).is_some()))?;
            Some((duplex, *words.get(state)?))
        })?,
    };
    say_status(gathered, findings, number, port, state, words.get(duplex_at..)?);
    let name = text.and_then(|_| row.get(..start)?.trim_ascii().strip_prefix(port));
    let name = name
        .map(str::trim_ascii)
        .filter(|name| !name.is_empty() && !is_absent(name));
    if let Some(name) = name {
        gathered.say(
            findings,
            number,
            port,
            About::Description,
            Said::Text(name.to_owned()),
        );
    }
    Some(())
}

/// A row below a heading that lost its blanks, or below none: words of the name may be states too, so that only one place may fit,
/// and the name is what stands before it.
fn squeezed_row(gathered: &mut Gathered, findings: &mut Findings, number: u64, row: &str) -> Option<()> {
    let words: Vec<&str> = row.split_ascii_whitespace().collect();
    let port = words.first().filter(|port| is_port(port))?;
    let is_duplex = |word: &str| DUPLEX.iter().any(|(known, _)| *known == word);
    let is_speed = |word: &str| matches!(word, "auto" | "--") || speed_bps(word).is_some();
    let fits = |four: &&[&str]| matches!(four, [state, _, duplex, speed] if is_state(state).is_some() && is_duplex(duplex) && is_speed(speed));
    let mut fitting = words.get(1..)?.windows(4).filter(fits);
    let (Some([state, _, rest @ ..]), None) = (fitting.next(), fitting.next()) else {
        return None;
    };
    say_status(gathered, findings, number, port, state, rest);
    let before = row.get(..begin_of(state, row))?;
    let name = before.trim_ascii().strip_prefix(*port).map(str::trim_ascii);
    describe(
        gathered,
        findings,
        number,
        port,
        name.filter(|name| !is_absent(name)),
    );
    Some(())
}

/// What a row says: its state, and what stands from the duplex on.
fn say_status(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    port: &str,
    state: &str,
    rest: &[&str],
) {
    if let Some(up) = is_state(state) {
        gathered.say(findings, number, port, About::Up, Said::Flag(up));
    }
    let duplex = rest
        .first()
        .and_then(|word| DUPLEX.iter().find(|(known, _)| known == word));
    if let Some((_, Some(duplex))) = duplex {
        gathered.say(
            findings,
            number,
            port,
            About::Duplex,
            Said::Text((*duplex).to_owned()),
        );
    }
    if let Some(bps) = rest.get(1).and_then(|word| speed_bps(word)) {
        gathered.say(findings, number, port, About::Speed, Said::Number(bps));
    }
}

fn description_row(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    (state, protocol, description): (usize, usize, usize),
    row: &str,
) -> Option<()> {
    let port = row.split_ascii_whitespace().next().filter(|port| is_port(port))?;
    let state = from_column(row, state)?;
    let protocol = from_column(row, protocol)?.split(' ').next()?;
    let text = row
        .get(description..)
        .filter(|text| !text.trim_ascii().is_empty());
    if text.is_some() && from_column(row, description).is_none() {
        return None;
    }
    let up = state.starts_with("up") && (protocol == "up" || protocol.starts_with("up("));
    gathered.say(findings, number, port, About::Up, Said::Flag(up));
    describe(gathered, findings, number, port, text);
    Some(())
}

/// What people call a port, where there is anything.
fn describe(gathered: &mut Gathered, findings: &mut Findings, number: u64, port: &str, text: Option<&str>) {
    if let Some(text) = text.map(str::trim_ascii).filter(|text| !text.is_empty()) {
        let text = Said::Text(text.to_owned());
        gathered.say(findings, number, port, About::Description, text);
    }
}

/// A row without its heading: a port, its state and that of the protocol, and words of people.
fn described_row(gathered: &mut Gathered, findings: &mut Findings, number: u64, row: &str) -> Option<()> {
    let (port, rest) = row.split_once([' ', '\t']).filter(|(port, _)| is_port(port))?;
    let (up, rest) = without_state(rest)?;
    let (protocol, rest) = without_state(rest)?;
    gathered.say(findings, number, port, About::Up, Said::Flag(up && protocol));
    describe(gathered, findings, number, port, Some(rest));
    Some(())
}

/// Whether a port is up, which a text begins with, and what stands behind that. Junos leaves one blank behind `down`.
fn without_state(text: &str) -> Option<(bool, &str)> {
    const STATES: [(&str, bool); 6] = [
        ("up", true),
        ("down", false),
        ("admin down", false),
        ("admin-down", false),
        ("administratively down", false),
        ("deleted", false),
    ];
    let text = text.trim_ascii_start();
    STATES.iter().find_map(|(state, up)| {
        let rest = text.strip_prefix(state)?;
        (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some((*up, rest))
    })
}

/// The name before the figures may have any words: the last seven cells are those of the heading.
fn rates_row(gathered: &mut Gathered, findings: &mut Findings, number: u64, row: &str) -> Option<()> {
    let words: Vec<&str> = row.split_ascii_whitespace().collect();
    let port = words.first().filter(|port| is_port(port))?;
    let [
        interval,
        in_mbps,
        in_share,
        in_kpps,
        out_mbps,
        out_share,
        out_kpps,
    ] = words.get(words.len().checked_sub(7)?..)?
    else {
        return None;
    };
    let (minutes, seconds) = interval.split_once(':')?;
    let over: u64 = minutes
        .parse::<u64>()
        .ok()?
        .checked_mul(60)?
        .checked_add(seconds.parse().ok()?)?;
    let is_share = |share: &str| share.ends_with('%') || share == "-";
    if words.len() < 8 || !is_share(in_share) || !is_share(out_share) {
        return None;
    }
    let figure = |text: &str, scale: f64| {
        super::cell::number(text)
            .filter(|v| *v >= 0.0)
            .map(|v| Said::Number(v * scale))
    };
    for (traffic, said) in [
        (Traffic::InBps, figure(in_mbps, 1e6)?),
        (Traffic::InPps, figure(in_kpps, 1e3)?),
        (Traffic::OutBps, figure(out_mbps, 1e6)?),
        (Traffic::OutPps, figure(out_kpps, 1e3)?),
        (Traffic::OverS, Said::Count(over)),
    ] {
        gathered.say(findings, number, port, About::Load(traffic), said);
    }
    let before = row.get(..begin_of(interval, row))?;
    let name = before.trim_ascii().strip_prefix(*port);
    describe(gathered, findings, number, port, name);
    Some(())
}
