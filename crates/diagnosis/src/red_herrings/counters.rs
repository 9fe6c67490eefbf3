//! Counters that contradict each other: what is wrong with which, and what the others leave of it.

use crate::adapters::remarks;
use crate::adapters::stations::ChainTest;
use crate::facts::Facts;
use crate::faults::words;
use evidence::{Direction, Location, RateBps, RedHerring};
use stats::{Role, Standing, Station};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const CODE: &str = "contradictory-counters";

/// The same hosts send packets of about the same size over one protocol; further apart, a figure is wrong.
const SIZES_APART: f64 = 3.0;

pub(super) fn find(facts: &Facts) -> Vec<RedHerring> {
    let of = |find: fn(&ChainTest) -> Option<RedHerring>| facts.chains.iter().filter_map(find);
    let counts = of(rising).chain(of(mute)).chain(of(misquoted));
    counts.chain(sizes(facts)).collect()
}

fn herring(test: &ChainTest, seen: String, why_not: String, location: Location) -> RedHerring {
    RedHerring {
        code: CODE.into(),
        seen: format!("{}: {seen}", test.name()),
        why_not,
        location,
        cites: vec![test.id.clone()],
    }
}

/// Later counters count more than earlier ones.
fn rising(test: &ChainTest) -> Option<RedHerring> {
    let wrong: Vec<&Station> = with_standing(test, Standing::Distrusted).collect();
    let doubtful: Vec<&Station> = with_standing(test, Standing::Doubtful).collect();
    let (first, last) = (
        wrong.first().or(doubtful.first())?,
        wrong.last().or(doubtful.last())?,
    );
    let location = Location::Segment {
        before: first.label.clone(),
        after: last.label.clone(),
    };
    if wrong.is_empty() {
        let counts: Vec<String> = doubtful.iter().map(|station| count(station)).collect();
        let seen = format!("counts rise along the path: {}", counts.join(", "));
        let why_not = "a path makes no packets, so one of them is wrong, and nothing tells which: nothing is concluded \
                       from them";
        return Some(herring(test, seen, why_not.into(), location));
    }
    let behind = max_behind(test, last);
    let missed = wrong
        .iter()
        .filter_map(|station| behind?.checked_sub(station.packets?))
        .max()
        .filter(|missed| *missed > 0);
    let seen = format!(
        "{} counted {}, {}",
        names(&wrong),
        counts(&wrong),
        other_counts(test, &wrong, behind)
    );
    let mut why_not = match missed {
        Some(missed) => format!(
            "a path makes no packets, so the {} against the others missed at least {}",
            if wrong.len() == 1 { "one" } else { "few" },
            words::count(missed)
        ),
        None => "a path makes no packets, so they count too many".to_owned(),
    };
    why_not.push_str(&consequences(test, &wrong));
    Some(herring(test, seen, why_not, location))
}

/// What is left when the wrong counters are put aside.
fn consequences(test: &ChainTest, wrong: &[&Station]) -> String {
    let mut text = String::new();
    let believed: Vec<(&Station, u64)> = test.trusted().collect();
    let sent = believed
        .first()
        .filter(|(station, _)| station.role == Role::Sender);
    let last = believed
        .iter()
        .rev()
        .find(|(station, _)| station.role == Role::Point);
    let (Some((_, sent)), Some((last, counted))) = (sent, last) else {
        return text;
    };
    let before = sent.saturating_sub(*counted);
    let apparent: Vec<u64> = wrong
        .iter()
        .filter_map(|station| sent.checked_sub(station.packets?))
        .collect();
    if let Some(apparent) = apparent.iter().max().filter(|apparent| **apparent > before) {
        let _ = write!(
            text,
            ". The {} that seem lost before them cannot be: of {} sent, {} were counted as far as “{}”, so that at most \
             {} were lost up to there",
            words::count(*apparent),
            words::count(*sent),
            words::count(*counted),
            last.label,
            words::count(before)
        );
    }
    let Some(reported) = test.what.reported_lost else {
        return text;
    };
    let behind = reported.saturating_sub(before);
    let _ = write!(
        text,
        ". Of the {} that the receiver misses, {} were lost behind it",
        words::count(reported),
        words::count(behind)
    );
    let subtracted = apparent.iter().find_map(|apparent| {
        let claimed = behind
            .checked_sub(*apparent)
            .filter(|claimed| *claimed > 0 && *apparent > 0)?;
        test.what
            .remarks
            .iter()
            .any(|text| remarks::names(text, claimed))
            .then_some(claimed)
    });
    if let Some(claimed) = subtracted {
        let _ = write!(text, ", not the {} of the record", words::count(claimed));
    }
    text
}

fn with_standing(test: &ChainTest, standing: Standing) -> impl Iterator<Item = &Station> {
    test.stations
        .iter()
        .filter(move |station| station.standing == standing)
}

fn count(station: &Station) -> String {
    let packets = station.packets.map_or_else(|| "nothing".into(), words::count);
    format!("“{}” {packets}", station.label)
}

fn names(stations: &[&Station]) -> String {
    match stations {
        [one] => format!("“{}”", one.label),
        [first, .., last] => format!(
            "{} counters from “{}” to “{}”",
            stations.len(),
            first.label,
            last.label
        ),
        [] => String::new(),
    }
}

/// "5,074,727", or the least and the most.
fn counts(stations: &[&Station]) -> String {
    let counts = || stations.iter().filter_map(|station| station.packets);
    match (counts().min(), counts().max()) {
        (Some(least), Some(most)) if least < most => {
            format!("{} to {}", words::count(least), words::count(most))
        }
        (Some(least), _) => words::count(least),
        _ => "nothing".into(),
    }
}

fn other_counts(test: &ChainTest, wrong: &[&Station], behind: Option<u64>) -> String {
    let least_wrong = wrong.iter().filter_map(|station| station.packets).min();
    match (behind, least_wrong) {
        (Some(behind), Some(least)) if behind > least => {
            format!("but behind them {} were counted", words::count(behind))
        }
        _ => {
            let before = test.trusted().next().map(|(_, count)| count).unwrap_or_default();
            format!("but before them only {} were", words::count(before))
        }
    }
}

/// The most that is believed to have been counted behind a station.
fn max_behind(test: &ChainTest, last: &Station) -> Option<u64> {
    let at = test.stations.iter().position(|station| station == last)?;
    let behind = test.stations.iter().skip(at + 1);
    behind
        .filter(|station| station.standing == Standing::Trusted && station.role == Role::Point)
        .filter_map(|station| station.packets)
        .max()
}

/// A counter that shows 0 of a transfer that ran.
fn mute(test: &ChainTest) -> Option<RedHerring> {
    let mute: Vec<&Station> = with_standing(test, Standing::Mute).collect();
    let (first, last) = (mute.first()?, mute.last()?);
    let others = test.trusted().next().map(|(_, count)| count)?;
    let seen = format!(
        "{} counted 0, where others counted {}",
        names(&mute),
        words::count(others)
    );
    let mut why_not =
        "the transfer ran, so packets passed there: it did not count, and nothing was lost".to_owned();
    let owned = test.what.remarks.iter().find(|remark| {
        let text = remark.to_lowercase();
        ["misconfig", "not count", "not configured"]
            .iter()
            .any(|word| text.contains(word))
    });
    if let Some(remark) = owned {
        let _ = write!(why_not, " (“{}”)", remark.trim());
    }
    let location = Location::Segment {
        before: first.label.clone(),
        after: last.label.clone(),
    };
    Some(herring(test, seen, why_not, location))
}

/// A remark that names a number of lost packets that no two counters of its test are apart.
fn misquoted(test: &ChainTest) -> Option<RedHerring> {
    if test
        .stations
        .iter()
        .any(|station| matches!(station.standing, Standing::Distrusted | Standing::Doubtful))
    {
        return None;
    }
    let counts: BTreeSet<u64> = test.trusted().map(|(_, count)| count).collect();
    let apart: BTreeSet<u64> = counts
        .iter()
        .flat_map(|more| counts.range(..more).map(move |less| more - less))
        .collect();
    let lost = |text: &&String| remarks::lost(text).is_some_and(|lost| lost > 0 && !apart.contains(&lost));
    let wrong = test.what.remarks.iter().find(lost)?;
    let (most, least) = (counts.last()?, counts.first()?);
    if most == least {
        return None;
    }
    let seen = format!(
        "the record says “{}”, but its counters are {} apart",
        wrong.trim(),
        words::count(most - least)
    );
    let why_not = "the counters agree with one another: they are taken, not the remark".into();
    Some(herring(test, seen, why_not, Location::Path))
}

/// Rate, length and number of packets of one test make packets of quite another size than those of the others.
fn sizes(facts: &Facts) -> Vec<RedHerring> {
    // The rate is that of the data: acknowledgements are packets of another size.
    let sized = |test: &ChainTest| {
        let bytes = test
            .mean_packet_bytes()
            .filter(|_| test.direction == Some(Direction::Forward))?;
        Some((bytes, test.what.protocol?))
    };
    let tests = &facts.chains;
    tests
        .iter()
        .filter_map(|test| {
            let (bytes, protocol) = sized(test)?;
            let same = |other: &&ChainTest| other.id != test.id && other.what.protocol == Some(protocol);
            // The longest of the others: least is missing from it at its ends.
            let other = tests
                .iter()
                .filter(same)
                .filter(|other| sized(other).is_some())
                .max_by(|a, b| {
                    a.what
                        .duration_ns
                        .cmp(&b.what.duration_ns)
                        .then_with(|| b.id.cmp(&a.id))
                })?;
            let (usual, _) = sized(other)?;
            let shorter = test.what.duration_ns < other.what.duration_ns;
            (shorter && bytes * SIZES_APART < usual).then(|| size_herring(test, other, bytes, usual))
        })
        .flatten()
        .collect()
}

fn size_herring(test: &ChainTest, other: &ChainTest, bytes: f64, usual: f64) -> Option<RedHerring> {
    let seconds = test.what.duration_ns? as f64 / 1e9;
    let packets = test.sent().or_else(|| Some(test.trusted().next()?.1))?;
    let rate = RateBps(test.rate_bps()?);
    let would = RateBps(packets as f64 * usual * 8.0 / seconds);
    let seen = format!(
        "{} packets in {seconds:.0} s at {rate} would be of {bytes:.0} bytes each; in {} they are of {usual:.0}",
        words::count(packets),
        other.name()
    );
    let why_not = format!(
        "rate, length and counts do not belong together: packets of that size make {would}; the counts of lost packets \
         stand whatever the rate was"
    );
    let mut herring = herring(test, seen, why_not, Location::Path);
    herring.cites.push(other.id.clone());
    Some(herring)
}
