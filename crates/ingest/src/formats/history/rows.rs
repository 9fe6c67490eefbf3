//! Rows of figures, a time each, under heads that say what they are: what monitoring draws as curves.
//!
//! A rate at an interface is a record of its own for each time, as a device's own average is; delays and losses of a path
//! are a series. A figure that is missing (`nan`, `U`, nothing) is a measurement that failed, not a zero.

use super::column::{Column, Unit, Way, What};
use crate::Context;
use crate::findings::Findings;
use evidence::{InterfaceCounters, InterfaceLoad, Node, Payload, RateBps, Series, SeriesMetric, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// A figure of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Figure {
    /// In the unit of its column.
    Bare(f64),
    /// With a unit of its own, in that of the metric.
    Scaled(f64),
}

/// The lines of a row, and its figures.
type Row = ((u64, u64), Vec<Option<Figure>>);

/// A table that is read.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) tool: String,
    /// What each column is; `None` for one that is complained about.
    pub(super) columns: Vec<Option<Column>>,
    pub(super) device: Node,
    /// The interface of the columns that name none.
    pub(super) interface: String,
    /// The time that a figure is the average of.
    pub(super) over_s: Option<u64>,
    rows: BTreeMap<Timestamp, Row>,
    undated: Vec<Row>,
    /// Times that are given twice, and not with the same figures.
    disputed: BTreeSet<Timestamp>,
}

impl Rows {
    pub(super) fn of(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            ..Self::default()
        }
    }

    /// What heads say. Those that say too little are complained about; `unit`: what figures without a unit are in.
    pub(super) fn of_heads<'h>(
        heads: impl Iterator<Item = &'h str>,
        unit: Option<f64>,
        line: u64,
        findings: &mut Findings,
    ) -> Vec<Option<Column>> {
        let mut columns: Vec<Option<Column>> = Vec::new();
        for head in heads {
            let mut column = super::column::column(head);
            match &mut column {
                Some(of) if matches!(of.what, What::Traffic(_)) => of.scale = of.scale.or(unit),
                // Nearly all tools save rates of them, and those that save counts do not say so.
                Some(of) if of.what == What::Errors => findings.complain(
                    line,
                    format!("whether `{head}` is a rate or a count is not told: it is not used"),
                ),
                Some(_) => {}
                None => findings.complain(line, format!("what the column `{head}` holds is not told")),
            }
            columns.push(column);
        }
        let mut alike: BTreeMap<(What, String), Vec<usize>> = BTreeMap::new();
        for (place, column) in columns.iter().enumerate() {
            if let Some(of) = column.as_ref().filter(|of| of.what.unit().is_some()) {
                alike.entry((of.what, of.name.clone())).or_default().push(place);
            }
        }
        for twins in alike.into_values().filter(|twins| twins.len() > 1) {
            findings.complain(
                line,
                "columns that cannot be told apart by their heads are not used",
            );
            for twin in twins {
                columns[twin] = None;
            }
        }
        columns
    }

    /// Complains about columns of which no unit is told, where figures do not have any themselves.
    pub(super) fn need_units(&mut self, heads: &[&str], line: u64, findings: &mut Findings) {
        let undecided: Vec<usize> = (0..self.columns.len())
            .filter(|place| {
                let column = self.columns.get(*place).and_then(Option::as_ref);
                let bare = |row: &Vec<Option<Figure>>| matches!(row.get(*place), Some(Some(Figure::Bare(_))));
                column.is_some_and(|column| column.scale.is_none() && column.what.unit().is_some())
                    && (self.rows.values().any(|(_, row)| bare(row))
                        || self.undated.iter().any(|(_, row)| bare(row)))
            })
            .collect();
        for place in undecided {
            let head = heads.get(place).copied().unwrap_or_default();
            findings.complain(
                line,
                format!("the unit of `{head}` is not told: its figures are not used"),
            );
            if let Some(column) = self.columns.get_mut(place) {
                *column = None;
            }
        }
    }

    pub(super) fn push(
        &mut self,
        lines: (u64, u64),
        at: Option<Timestamp>,
        figures: Vec<Option<Figure>>,
        findings: &mut Findings,
    ) {
        let Some(at) = at else {
            return self.undated.push((lines, figures));
        };
        if self.disputed.contains(&at) {
            return;
        }
        match self.rows.get(&at) {
            Some((_, known)) if *known != figures => {
                findings.complain_of(
                    lines,
                    "the same time is given twice, with other figures: neither is used",
                );
                self.rows.remove(&at);
                self.disputed.insert(at);
            }
            Some(_) => {}
            None => {
                self.rows.insert(at, (lines, figures));
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.undated.is_empty() && self.disputed.is_empty()
    }

    /// Adds the records.
    pub(super) fn record(self, context: &Context, findings: &mut Findings) {
        self.complain_about_errors(findings);
        let dated = self
            .rows
            .iter()
            .map(|(at, (lines, row))| (Some(*at), *lines, row));
        let undated = self.undated.iter().map(|(lines, row)| (None, *lines, row));
        for (at, lines, row) in dated.chain(undated) {
            for counters in self.loads(row, context) {
                findings.record_of(
                    lines,
                    &self.tool,
                    at.or(context.at),
                    Payload::InterfaceCounters(counters),
                );
            }
        }
        for (place, column) in self.columns.iter().enumerate() {
            if let Some(column) = column {
                self.record_series(place, column, context, findings);
            }
        }
    }

    fn complain_about_errors(&self, findings: &mut Findings) {
        let is_error = |place: usize| {
            self.columns
                .get(place)
                .and_then(Option::as_ref)
                .is_some_and(|column| column.what == What::Errors)
        };
        let went_wrong = |row: &Vec<Option<Figure>>| {
            row.iter().enumerate().any(|(place, figure)| match figure {
                Some(Figure::Bare(value) | Figure::Scaled(value)) => *value > 0.0 && is_error(place),
                None => false,
            })
        };
        let bad: Vec<(u64, u64)> = self
            .rows
            .values()
            .filter(|(_, row)| went_wrong(row))
            .map(|(lines, _)| *lines)
            .collect();
        if let (Some(first), Some(last)) = (bad.first(), bad.last()) {
            let reason = format!(
                "errors or discards per second in {} rows: slowpath has no place for such rates",
                bad.len()
            );
            findings.complain_of((first.0, last.1), reason);
        }
    }

    fn value(column: &Column, figure: Option<Figure>) -> Option<f64> {
        match figure? {
            // Times a million, a decimal fraction has a tail that nobody wrote.
            Figure::Bare(value) if column.what.unit() == Some(Unit::Rate) => {
                Some((value * column.scale? * 1e3).round() / 1e3)
            }
            Figure::Bare(value) => Some(value * column.scale?),
            Figure::Scaled(value) => Some(value),
        }
    }

    /// What a row says of each interface.
    fn loads(&self, row: &[Option<Figure>], context: &Context) -> Vec<InterfaceCounters> {
        let mut loads: BTreeMap<&str, InterfaceLoad> = BTreeMap::new();
        for (column, figure) in self.columns.iter().zip(row) {
            let Some(column) = column else {
                continue;
            };
            let Some(value) = Self::value(column, *figure) else {
                continue;
            };
            let name = if column.name.is_empty() {
                &self.interface
            } else {
                &column.name
            };
            let load = loads.entry(name).or_insert(InterfaceLoad {
                over_s: self.over_s,
                ..InterfaceLoad::default()
            });
            match column.what {
                What::Traffic(Way::In) => load.input_bps = Some(RateBps(value)),
                What::Traffic(Way::Out) => load.output_bps = Some(RateBps(value)),
                What::Packets(Way::In) => load.input_pps = Some(value),
                What::Packets(Way::Out) => load.output_pps = Some(value),
                _ => {}
            }
        }
        let said = |load: &InterfaceLoad| {
            load.input_bps.is_some()
                || load.output_bps.is_some()
                || load.input_pps.is_some()
                || load.output_pps.is_some()
        };
        loads
            .into_iter()
            .filter(|(_, load)| said(load))
            .map(|(name, load)| InterfaceCounters {
                device: context.from_or(self.device.clone()),
                interface: name.to_owned(),
                load: Some(load),
                ..InterfaceCounters::default()
            })
            .collect()
    }

    fn record_series(&self, place: usize, column: &Column, context: &Context, findings: &mut Findings) {
        let metric = match column.what {
            What::Rtt => SeriesMetric::Rtt,
            What::Loss => SeriesMetric::LossRatio,
            What::Throughput => SeriesMetric::Throughput,
            _ => return,
        };
        let value = |row: &Vec<Option<Figure>>| Self::value(column, row.get(place).copied().flatten());
        let points: Vec<(Timestamp, f64)> = self
            .rows
            .iter()
            .filter_map(|(at, (_, row))| Some((*at, value(row)?)))
            .collect();
        let lines = self.rows.values().map(|(lines, _)| *lines);
        let lines = lines.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
        if let (Some((first, _)), Some(lines)) = (points.first().copied(), lines) {
            let to = if column.name.is_empty() {
                Node::default()
            } else {
                Node::read(&column.name)
            };
            let series = Series {
                from: context.from_or(Node::default()),
                to: context.to_or(to),
                metric,
                points,
            };
            findings.record_of(lines, &self.tool, Some(first), Payload::Series(series));
        }
    }
}
