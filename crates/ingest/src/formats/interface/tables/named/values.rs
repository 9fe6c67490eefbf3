//! What the cells of a row say.

use super::heading::Column;
use super::meaning::Holds;
use super::rows::{is_nothing, measure};
use crate::findings::Findings;
use crate::formats::interface::cut::figure;
use crate::formats::interface::tables::cell::{celsius, dbm, speed_bps};
use crate::formats::interface::tables::columns::Holds as PortHolds;
use crate::formats::interface::tables::gathered::{About, Gathered, Said, Traffic};
use crate::formats::interface::tables::{port, status};
use crate::formats::interface::value;
use crate::units::{Kilo, rate_bps};

pub(super) const TOOL: &str = "table of ports";

/// Notes what a row says of its port.
pub(super) fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    columns: &[Column],
    cells: &[&str],
) {
    let find = |is: fn(&Holds) -> bool| {
        columns
            .iter()
            .zip(cells)
            .find(|(column, _)| is(&column.holds))
            .map(|(_, cell)| *cell)
    };
    let Some(cell) = find(|holds| *holds == Holds::Port) else {
        return;
    };
    if cell.is_empty() || matches!(cell, "Total" | "Totals") {
        return;
    }
    let Some(name) = port::name(cell).or_else(|| behind_state(columns, cells, cell)) else {
        return findings.complain(
            number,
            "no name of a port stands where the heading has them: the row is not used",
        );
    };
    let label = find(|holds| *holds == Holds::Label).unwrap_or_default();
    let lane = find(|holds| *holds == Holds::Lane)
        .and_then(|lane| lane.parse().ok())
        .unwrap_or(0);
    let states = || said_of(columns, cells, |holds| *holds == Holds::Up).filter(|cell| !is_nothing(cell));
    if let Some(unknown) = states().find(|cell| up(cell).is_none()) {
        findings.complain(number, format!("no state of a port: {unknown}"));
    }
    let states: Vec<bool> = states().filter_map(|cell| up(cell).flatten()).collect();
    let is_up = (!states.is_empty()).then(|| states.iter().all(|up| *up));
    if let Some(up) = is_up {
        gathered.say(findings, number, &name, About::Up, Said::Flag(up));
    }
    let speed = columns
        .iter()
        .zip(cells)
        .find_map(|(column, cell)| speed_of(&column.holds, cell));
    for (column, cell) in columns.iter().zip(cells) {
        if is_nothing(cell) {
            continue;
        }
        for (about, said) in said(column, cell, lane, speed) {
            // What a port could negotiate says nothing while it is down.
            if is_up == Some(false) && matches!(about, About::Speed | About::Duplex) {
                continue;
            }
            let about = match about {
                About::Kind(_) | About::Counter(_) if !label.is_empty() => {
                    About::Counter(format!("{label} {}", column.name))
                }
                about => about,
            };
            gathered.say(findings, number, &name, about, said);
        }
        if is_lost(column, cell) {
            findings.complain(
                number,
                format!("{} is rounded, or has no unit: {cell}", column.name),
            );
        }
    }
}

/// The name of any interface of a Linux host, without a digit too, where the row begins with Cumulus' words for its state: `UP     bridge`.
fn behind_state(columns: &[Column], cells: &[&str], cell: &str) -> Option<String> {
    const STATES: [&str; 4] = ["UP", "DN", "ADMDN", "PRTDN"];
    const LONGEST: usize = 15;
    let is_state = columns.first().is_some_and(|column| column.holds == Holds::Up)
        && cells.first().is_some_and(|state| STATES.contains(state));
    let is_name = cell.len() <= LONGEST
        && cell.starts_with(|first: char| first.is_ascii_alphabetic())
        && cell
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    (is_state && is_name).then(|| cell.to_owned())
}

fn said_of<'c>(
    columns: &'c [Column],
    cells: &'c [&'c str],
    is: fn(&Holds) -> bool,
) -> impl Iterator<Item = &'c str> {
    columns
        .iter()
        .zip(cells)
        .filter(move |(column, _)| is(&column.holds))
        .map(|(_, cell)| *cell)
}

/// Whether a cell has a figure that cannot be used as what its column holds.
fn is_lost(column: &Column, cell: &str) -> bool {
    match &column.holds {
        Holds::Kind(_) | Holds::Named(_) => figure(unbracketed(cell)).is_none(),
        Holds::Load(traffic, factor) => load(*traffic, *factor, cell).is_none(),
        Holds::Rate(_) => with_unit(cell).is_none() && measure(cell).is_some_and(|(value, _)| value != 0.0),
        _ => false,
    }
}

fn unbracketed(cell: &str) -> &str {
    cell.strip_prefix('(')
        .and_then(|cell| cell.strip_suffix(')'))
        .unwrap_or(cell)
}

/// A rate whose unit stands behind it: bit/s, or packets a second.
fn with_unit(cell: &str) -> Option<(bool, f64)> {
    let (value, unit) = measure(cell)?;
    match unit {
        "" => None,
        "pps" => Some((false, value)),
        unit => rate_bps(value, unit, Kilo::Thousand).map(|rate| (true, rate.0)),
    }
}

/// What a cell says.
fn said(column: &Column, cell: &str, lane: u32, speed: Option<f64>) -> Vec<(About, Said)> {
    let value = || measure(cell).map(|(value, _)| value);
    let light = || measure(cell).filter(|(_, unit)| matches!(*unit, "" | "dBm"));
    let light = || {
        light()
            .and_then(|(value, _)| dbm(&value.to_string()))
            .map(Said::Number)
    };
    let one = |about: About, said: Option<Said>| said.map(|said| vec![(about, said)]).unwrap_or_default();
    match &column.holds {
        Holds::Kind(kind) => one(About::Kind(*kind), figure(unbracketed(cell)).map(Said::Count)),
        Holds::Named(name) => one(
            About::Counter(name.clone()),
            figure(unbracketed(cell)).map(Said::Count),
        ),
        Holds::Load(traffic, factor) => one(
            About::Load(*traffic),
            load(*traffic, *factor, cell).map(Said::Number),
        ),
        Holds::Rate(way) => with_unit(cell).map_or_else(Vec::new, |(is_bits, value)| {
            vec![(About::Load(way.traffic(is_bits)), Said::Number(value))]
        }),
        Holds::Share(way) => {
            let share = value().filter(|share| (0.0..=100.0).contains(share));
            match share.zip(speed) {
                Some((share, speed)) => vec![(
                    About::Load(way.traffic(true)),
                    Said::Number(share / 100.0 * speed),
                )],
                // Of what it is a share nothing tells: it is kept as it stands.
                None => one(
                    About::Setting(way.before("utilisation")),
                    share.map(|_| Said::Text(cell.to_owned())),
                ),
            }
        }
        Holds::Received => one(About::Received(lane), light()),
        Holds::Sent => one(About::Sent(lane), light()),
        Holds::Temperature => one(
            About::Temperature,
            value()
                .and_then(|value| celsius(&value.to_string()))
                .map(Said::Number),
        ),
        Holds::Mtu => one(About::Mtu, figure(cell).map(Said::Count)),
        Holds::Speed(_) => one(About::Speed, speed_of(&column.holds, cell).map(Said::Number)),
        Holds::Duplex => one(
            About::Duplex,
            duplex(cell).map(|duplex| Said::Text(duplex.to_owned())),
        ),
        Holds::Description => one(
            About::Description,
            Some(Said::Text(cell.trim_matches('"').to_owned())),
        ),
        Holds::Mode => port::said(&PortHolds::SpeedAndDuplex, cell).unwrap_or_default(),
        Holds::Port | Holds::Up | Holds::Lane | Holds::Label | Holds::Untold | Holds::Nothing => Vec::new(),
    }
}

/// A rate in the unit of its heading, or in its own where it has one: `10.24 MB/s` under `RX_BPS`.
pub(super) fn load(traffic: Traffic, factor: f64, cell: &str) -> Option<f64> {
    let (value, unit) = measure(cell)?;
    if unit.is_empty() {
        return Some(value * factor);
    }
    let is_of_bits = matches!(traffic, Traffic::InBps | Traffic::OutBps);
    match (with_unit(cell), unit) {
        (Some((is_bits, rate)), _) => (is_bits == is_of_bits).then_some(rate),
        (None, "/s") => (!is_of_bits).then_some(value),
        _ => None,
    }
}

/// The speed that a cell tells, bit/s: in the unit of the heading, in its own, or in Mbit/s.
fn speed_of(holds: &Holds, cell: &str) -> Option<f64> {
    let Holds::Speed(scale) = holds else { return None };
    let bare = figure(cell)
        .filter(|figure| *figure > 0)
        .map(|figure| figure as f64);
    match (scale, bare) {
        (Some(scale), Some(figure)) => Some(figure * scale.factor()),
        _ => speed_bps(cell.trim_end_matches("(D)")),
    }
}

fn duplex(cell: &str) -> Option<&'static str> {
    match cell.to_ascii_lowercase().as_str() {
        "f" | "full" | "a-full" => Some("full"),
        "h" | "half" | "a-half" => Some("half"),
        text => value::duplex(text),
    }
}

/// Words for up and down; an inner `None` for what says neither, and nothing of others.
pub(in crate::formats::interface) fn up(cell: &str) -> Option<Option<bool>> {
    let word = cell.trim_start_matches(['*', '#', '^', '!']).to_ascii_lowercase();
    let word = word.split('(').next().unwrap_or_default().trim_ascii();
    match word {
        "u" | "a" | "linkup" => Some(Some(true)),
        "d" | "x" | "r" | "np" | "dn" | "admdn" | "linkdown" | "link down" | "notconnect"
        | "not-connected" | "errdisabled" => Some(Some(false)),
        // How a port takes part in VLANs and spanning trees.
        "trunking" | "not-trunking" | "trnk-bndl" | "other" | "forward" | "forwarding" | "blocking" | "e"
        | "enable" | "enabled" => Some(None),
        // "1000 Full", under "Physical Status".
        _ if value::speed_and_duplex(cell).0.is_some() => Some(None),
        _ => port::up(word).or_else(|| status::is_state(cell).map(Some)),
    }
}
