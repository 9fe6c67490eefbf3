//! What the text around the tables says of the test.

use super::footnote;
use crate::text::grouped;
use crate::when;
use evidence::{RateBps, Timestamp, Transport};

pub(super) const DATE: &str = "Date of test:";
const DURATION: &str = "Duration:";
const PROFILE: &str = "Test profile:";
const ACHIEVED: &str = "Achieved Bandwidth:";
const OUTGOING: &str = "Effective outgoing rate:";
const RECEIVED: &str = "Effective received rate:";
const TOTAL: &str = "Total packets sent from ";
const RESULTS: &str = "Results:";

/// What the text says.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The heading, without its number.
    pub(super) title: String,
    pub(super) at: Option<Timestamp>,
    pub(super) duration_ns: Option<u64>,
    pub(super) profile: String,
    pub(super) outgoing: Option<Rates>,
    /// What arrived; TCP's "achieved bandwidth" too.
    pub(super) received: Option<Rates>,
    pub(super) totals: Vec<Directed>,
    pub(super) results: Vec<Directed>,
}

/// The rates of one line, one for each phase of the test.
#[derive(Debug)]
pub(super) struct Rates {
    pub(super) text: String,
    rates: Vec<RateBps>,
}

/// A figure of one direction: `Total packets sent from FNAL to DESY: 183,783`.
#[derive(Debug)]
pub(super) struct Directed {
    /// Places of sender and receiver; `None` where the line does not say.
    pub(super) way: Option<(String, String)>,
    pub(super) kind: FigureKind,
    pub(super) packets: Option<u64>,
    /// The line as printed.
    pub(super) text: String,
    pub(super) marks: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FigureKind {
    Sent,
    /// By the receiving host's own account.
    ReportedLost,
    /// By the receiving host's own account.
    ReportedReordered,
    /// Whatever the author concluded from the counters: a remark.
    Conclusion,
}

/// Whether a line says something of the test.
pub(super) fn is_fact(text: &str) -> bool {
    [
        DATE, DURATION, PROFILE, ACHIEVED, OUTGOING, RECEIVED, TOTAL, RESULTS,
    ]
    .iter()
    .any(|key| text.starts_with(key))
        || is_result(text)
}

fn is_result(text: &str) -> bool {
    text.starts_with(RESULTS)
        || text.starts_with("No loss found")
        || ["packets lost", "packets re-ordered", "packets reordered"]
            .iter()
            .any(|words| text.contains(words) && text.as_bytes().first().is_some_and(u8::is_ascii_digit))
}

impl Facts {
    /// Takes a line of text; `Err` says what is wrong with it. Lines that say nothing of the test are prose.
    pub(super) fn take(&mut self, text: &str) -> Result<(), String> {
        let value = |key: &str| text.strip_prefix(key).map(str::trim_ascii);
        if let Some(date) = value(DATE) {
            self.at = Some(at(date).ok_or_else(|| format!("`{date}` is no date with a zone"))?);
        } else if let Some(length) = value(DURATION) {
            let ns = seconds(length).ok_or_else(|| format!("`{length}` is no duration"))?;
            self.duration_ns = Some(ns);
        } else if let Some(profile) = value(PROFILE) {
            self.profile = profile.to_owned();
        } else if let Some(printed) = value(OUTGOING) {
            self.outgoing = Some(Rates::read(text, printed)?);
        } else if let Some(printed) = value(RECEIVED).or_else(|| value(ACHIEVED)) {
            self.received = Some(Rates::read(text, printed)?);
        } else if text.starts_with(TOTAL) {
            let (line, figure) = text.rsplit_once(':').unwrap_or((text, ""));
            let packets = grouped(footnote::without_marks(figure))
                .ok_or_else(|| format!("`{}` is no number of packets", figure.trim_ascii()))?;
            self.totals
                .push(Directed::new(FigureKind::Sent, Some(packets), line, text));
        } else if is_result(text) {
            let result = result(text);
            // Without its end it would be taken for the way of the data.
            if result.way.is_none() && text.contains(" from ") {
                return Err(format!("a way of which one end is missing: {text}"));
            }
            self.results.push(result);
        } else if text.bytes().any(|byte| byte.is_ascii_digit()) {
            return Err(format!("not understood: {text}"));
        }
        Ok(())
    }

    /// TCP or UDP, where the heading or the profile says so.
    pub(super) fn protocol(&self) -> Option<Transport> {
        let says = |name: &str| self.words().any(|word| word.eq_ignore_ascii_case(name));
        match (says("TCP"), says("UDP")) {
            (true, false) => Some(Transport::Tcp),
            (false, true) => Some(Transport::Udp),
            _ => None,
        }
    }

    /// Parallel streams. Streams that follow each other are not parallel.
    pub(super) fn streams(&self) -> Option<u16> {
        if self.profile.contains("followed by") {
            return None;
        }
        let words: Vec<&str> = self.words().collect();
        words.windows(2).find_map(|pair| match pair {
            [number, "parallel" | "stream" | "streams"] => number.parse().ok(),
            _ => None,
        })
    }

    /// The mean over the test: one rate, or a rate for each phase of which the length is told.
    pub(super) fn mean(&self, rates: &Rates) -> Option<RateBps> {
        if let [only] = rates.rates.as_slice() {
            return Some(*only);
        }
        let lengths = self.phase_lengths_s();
        let total: f64 = lengths.iter().sum();
        if lengths.len() != rates.rates.len() || total <= 0.0 {
            return None;
        }
        let bits: f64 = rates.rates.iter().zip(&lengths).map(|(r, s)| r.0 * s).sum();
        Some(RateBps(bits / total)).filter(|mean| mean.0.is_finite())
    }

    /// `… for 10 seconds, followed by … for 180 seconds`
    fn phase_lengths_s(&self) -> Vec<f64> {
        let words: Vec<&str> = self.profile.split_ascii_whitespace().collect();
        let lengths = words.windows(3).filter_map(|three| match three {
            ["for", number, unit] if unit.starts_with("second") => number.parse().ok(),
            _ => None,
        });
        lengths.filter(|s: &f64| s.is_finite() && *s > 0.0).collect()
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        let texts = [self.title.as_str(), self.profile.as_str()];
        texts
            .into_iter()
            .flat_map(|text| text.split([' ', ',']))
            .filter(|word| !word.is_empty())
    }
}

impl Rates {
    fn read(text: &str, printed: &str) -> Result<Self, String> {
        let rates: Result<Vec<RateBps>, _> = footnote::without_marks(printed)
            .split(',')
            .map(str::parse)
            .collect();
        Ok(Self {
            text: text.to_owned(),
            rates: rates.map_err(|error| error.to_string())?,
        })
    }

    /// The rates of several phases, which one field cannot hold.
    pub(super) fn are_several(&self) -> bool {
        self.rates.len() > 1
    }
}

impl Directed {
    fn new(kind: FigureKind, packets: Option<u64>, line: &str, text: &str) -> Self {
        Self {
            way: way(line),
            kind,
            packets,
            text: text.to_owned(),
            marks: footnote::marks(text),
        }
    }
}

/// `10,352 packets lost*^{2.2.3.1} (as reported by receiving host) on the way from FNAL to DESY`
fn result(text: &str) -> Directed {
    let figure = text.trim_start_matches(RESULTS).trim_ascii();
    let packets = figure.split_ascii_whitespace().next().and_then(grouped);
    let reported = figure.contains("reported by receiving host");
    let kind = match packets {
        Some(_) if reported && figure.contains("packets lost") => FigureKind::ReportedLost,
        Some(_) if reported && !figure.contains("lost") => FigureKind::ReportedReordered,
        _ => FigureKind::Conclusion,
    };
    Directed::new(kind, packets, figure, text)
}

/// The places in `… from FNAL to DESY …`.
fn way(line: &str) -> Option<(String, String)> {
    let (_, behind) = line.split_once("from ")?;
    let (from, to) = behind.split_once(" to ")?;
    let word = |text: &str| {
        let word = text
            .split_ascii_whitespace()
            .next()?
            .trim_matches([':', ',', '.', '(']);
        (!word.is_empty()).then(|| word.to_owned())
    };
    (!from.contains(' ')).then_some((word(from)?, word(to)?))
}

/// `Dec 8, 2005 16:44GMT`
fn at(date: &str) -> Option<Timestamp> {
    let mut words = date.split_ascii_whitespace();
    let month = when::month(words.next()?)?;
    let day = words.next()?.trim_end_matches(',').parse().ok()?;
    let year = words.next()?.parse().ok()?;
    let time = words.next()?;
    let digits = time
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b':')
        .count();
    let (clock, attached) = time.split_at_checked(digits)?;
    let zone = if attached.is_empty() {
        words.next()?
    } else {
        attached
    };
    when::timestamp(
        (year, month, day),
        when::clock(clock)?,
        when::zone_offset_s(zone)?,
    )
}

/// `10 seconds`, `180 s`, `2 minutes`
fn seconds(text: &str) -> Option<u64> {
    let mut words = text.split_ascii_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    let unit_s = match words.next()?.trim_end_matches('s') {
        "" | "sec" | "second" => 1,
        "min" | "minute" => 60,
        "hour" => 3600,
        _ => return None,
    };
    number.checked_mul(unit_s)?.checked_mul(1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(lines: &[&str]) -> Facts {
        let mut facts = Facts::default();
        lines.iter().for_each(|line| facts.take(line).unwrap());
        facts
    }

    #[test]
    fn only_the_receiving_host_reports() {
        let facts = facts(&[
            "Results: 2 packets lost on the way from FNAL to DESY (see Table 2.2.1.1)",
            "No loss found on the way from DESY to FNAL (see Table 2.2.1.2)",
            "Results: 10,352 packets lost*^{3.1} (as reported by receiving host) on the way from FNAL to DESY (see",
            "63 packets re-ordered (as reported by receiving host)",
        ]);
        let read: Vec<_> = facts.results.iter().map(|r| (r.kind, r.packets)).collect();
        assert_eq!(
            read,
            [
                (FigureKind::Conclusion, Some(2)),
                (FigureKind::Conclusion, None),
                (FigureKind::ReportedLost, Some(10_352)),
                (FigureKind::ReportedReordered, Some(63)),
            ]
        );
        let way = facts.results.get(1).and_then(|r| r.way.clone());
        assert_eq!(way, Some(("DESY".to_owned(), "FNAL".to_owned())));
    }

    #[test]
    fn phases_are_averaged_only_when_their_lengths_are_told() {
        let line = "Effective outgoing rate: 92.6 Mbps, 265 Mbps";
        let told = "Test profile: 100 Mbps UDP stream for 10 seconds, followed by 300 Mbps UDP stream for 180 seconds";
        let mean = |lines: &[&str]| {
            let facts = facts(lines);
            facts.outgoing.as_ref().and_then(|rates| facts.mean(rates))
        };
        let expected = (92.6e6 * 10.0 + 265e6 * 180.0) / 190.0;
        assert!(mean(&[told, line]).is_some_and(|r| (r.0 - expected).abs() < 1.0));
        assert_eq!(mean(&[line]), None);
        assert_eq!(mean(&["Effective outgoing rate: 497 Mbps"]), Some(RateBps(497e6)));
        assert_eq!(facts(&[told]).streams(), None, "one after the other");
        assert_eq!(
            facts(&["Test profile: 10 parallel TCP streams"]).streams(),
            Some(10)
        );
    }

    #[test]
    fn hostile_figures_are_errors() {
        for line in [
            "Duration: 99999999999999999999 seconds",
            "Duration: soon",
            "Date of test: Dec 38, 2005 16:44GMT",
            "Date of test: Dec 8, 2005 16:44",
            "Effective outgoing rate: fast",
            "Total packets sent from A to B: many",
            "Total packets sent from A to B",
        ] {
            assert!(Facts::default().take(line).is_err(), "{line}");
        }
        assert!(Facts::default().take("").is_ok());
    }
}
