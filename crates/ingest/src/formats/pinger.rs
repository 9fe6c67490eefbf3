//! PingER's tables: median loss in per cent between two sites, a column for each day of a month.
//!
//! The table names neither the month nor the year. Where whoever imports tells when it was made, the days are those of
//! that month; otherwise they stay without a date.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::host::host;
use crate::when;
use evidence::{Node, Payload, ProbeRow, Probes, Series, SeriesMetric, Timestamp};
use jiff::tz::Offset;

pub(crate) static FORMAT: Format = Format {
    name: "PingER",
    group: Group::Histories,
    reads: "loss between sites, a column a day",
    first: "M",
    has_command: false,
    marks: None,
    starts: |line| line.starts_with(HEAD),
    continues: |_, line| !line.starts_with(HEAD) && row(line).is_some(),
    takes_in: None,
    read,
};

const HEAD: &str = "Monitoring-Site";

/// Two sites and a figure a day; `None` where there was no measurement.
struct Row<'t> {
    from: &'t str,
    to: &'t str,
    loss_ratios: Vec<Option<f64>>,
}

/// `oceanus.slac    argus.stanford 0.10  0.52  .  0.49`: a dot is a day without a measurement.
fn row(line: &str) -> Option<Row<'_>> {
    let mut words = line.split_ascii_whitespace();
    let (from, to) = (words.next()?, words.next()?);
    if figure(from).or(figure(to)).is_some() {
        return None;
    }
    let loss_ratios: Option<Vec<Option<f64>>> = words.map(figure).collect();
    let loss_ratios = loss_ratios.filter(|figures| !figures.is_empty())?;
    Some(Row {
        from,
        to,
        loss_ratios,
    })
}

fn figure(word: &str) -> Option<Option<f64>> {
    if matches!(word, "." | "-") {
        return Some(None);
    }
    let percent: f64 = word.trim_end_matches('%').parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(Some(percent / 100.0))
}

/// The days of the head, which have no order that could be relied on.
fn days(head: &str) -> Vec<Option<i8>> {
    let words = head.split_ascii_whitespace().skip(2);
    words.map(|word| word.parse().ok()).collect()
}

/// Midnight of a day of the month that `made` falls in, both by the clock of `utc_offset_s`; `None` for a day that was
/// not over yet, so that the table must be about another month.
fn midnight(day: i8, made: Timestamp, utc_offset_s: i32) -> Option<Timestamp> {
    let offset = Offset::from_seconds(utc_offset_s).ok()?;
    let instant = jiff::Timestamp::from_nanosecond(i128::from(made.0)).ok()?;
    let date = offset.to_datetime(instant).date();
    let start = when::timestamp((date.year(), date.month(), day), (0, 0, 0), utc_offset_s)?;
    (start <= made).then_some(start)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let days = days(block.first().unwrap_or_default());
    for (number, line) in block.numbered().skip(1) {
        let Some(row) = row(line) else {
            findings.unread(number, line);
            continue;
        };
        if row.loss_ratios.len() > days.len() {
            findings.complain(number, "more figures than days");
            continue;
        }
        let payload = match context.at {
            Some(made) => series(&row, &days, made, context.utc_offset_s.unwrap_or(0)),
            None => Some(undated(&row)),
        };
        match payload {
            Some(payload) => findings.record_of((number, number), "PingER", context.at, payload),
            None => findings.complain(number, "none of these days is in the month of the import's time"),
        }
    }
}

fn series(row: &Row, days: &[Option<i8>], made: Timestamp, utc_offset_s: i32) -> Option<Payload> {
    let points = days.iter().zip(&row.loss_ratios);
    let mut points: Vec<(Timestamp, f64)> = points
        .filter_map(|(day, loss)| Some((midnight((*day)?, made, utc_offset_s)?, (*loss)?)))
        .collect();
    points.sort_by_key(|(at, _)| *at);
    (!points.is_empty()).then(|| {
        Payload::Series(Series {
            from: host(row.from),
            to: host(row.to),
            metric: SeriesMetric::LossRatio,
            points,
        })
    })
}

/// A row a day, without its date.
fn undated(row: &Row) -> Payload {
    let to: Node = host(row.to);
    let rows = row.loss_ratios.iter().flatten().map(|loss| ProbeRow {
        to: to.clone(),
        loss_ratio: Some(*loss),
        ..ProbeRow::default()
    });
    Payload::Probes(Probes {
        from: host(row.from),
        rows: rows.collect(),
        ..Probes::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
Monitoring-Site Remote-Site     1     2     3    31
a.example       b.example    0.10     .  2.00  0.5
a.example       c.example    0.10  0.52  2.00  0.5  7
";

    fn payloads(at: Option<i64>) -> (Vec<Payload>, usize) {
        let context = Context {
            at: at.map(Timestamp),
            ..Context::default()
        };
        let (records, complaints) = crate::import(TABLE.as_bytes(), &context);
        (records.into_iter().map(|r| r.payload).collect(), complaints.len())
    }

    #[test]
    fn dates_are_not_invented() {
        let (payloads, complaints) = payloads(None);
        let [Payload::Probes(pings)] = payloads.as_slice() else {
            panic!("{payloads:?}")
        };
        let losses: Vec<_> = pings.rows.iter().filter_map(|row| row.loss_ratio).collect();
        assert_eq!(losses, [0.001, 0.02, 0.005]);
        assert_eq!(complaints, 1, "more figures than days");
    }

    #[test]
    fn days_are_those_of_the_month_told() {
        const DAY_NS: i64 = 86_400_000_000_000;
        let may_1_2000 = 11_078 * DAY_NS;
        let (payloads, _) = payloads(Some(may_1_2000 + 17 * DAY_NS));
        let [Payload::Series(series)] = payloads.as_slice() else {
            panic!("{payloads:?}")
        };
        let expected = [
            (Timestamp(may_1_2000), 0.001),
            (Timestamp(may_1_2000 + 2 * DAY_NS), 0.02),
        ];
        assert_eq!(series.points, expected, "the 31st had not come yet");
    }
}
