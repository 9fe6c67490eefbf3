//! Measurements without a case around them: the path as `slowpath path` prints it, one line a hop as traceroute's users know
//! it, and a transfer as `slowpath throughput` does, second by second.

use super::paper::{Paper, Role, Style};
use super::table;
use crate::names::Names;
use crate::observations;
use crate::table::Table;
use crate::views::measured::paths;
use crate::views::path::PathView;
use crate::views::{sizes, transfer};
use crate::words;
use evidence::{Complaint, Observation, Payload};

const WIDTH: usize = 100;
/// A transfer of an hour still shows each second.
const MOST_SECONDS: usize = 3_600;

/// The table of `slowpath path`: what measurements of the path between the ends of `complaint` saw, hop by hop.
#[must_use]
pub fn path_table(seen: &[Observation], complaint: &Complaint) -> String {
    let names = Names::of_records(complaint, seen);
    let numbered: Vec<(usize, &Observation)> = (1..).zip(seen).collect();
    let mut paper = Paper::new(WIDTH, Style::Plain);
    let ways = paths(&numbered, &names);
    let mut tables: Vec<Table> = ways.iter().map(PathView::table).collect();
    tables.extend(sizes::tables(&numbered, &names, None));
    for mut table in tables {
        // There is no list of observations beside it that the numbers would lead to.
        table.cites.clear();
        table::write(&mut paper, &table);
        paper.blank();
    }
    for observation in seen {
        match &observation.payload {
            Payload::Trace(trace) => {
                if let Some(found) = trace.routing_loop() {
                    paper.line(
                        0,
                        (Role::Label, "trace"),
                        5,
                        vec![(Role::Plain, found.to_string())],
                    );
                }
            }
            _ => line(&mut paper, observation, &names),
        }
    }
    paper.finish()
}

/// The table of `slowpath throughput`: one transfer between the ends of `complaint`, slice by slice, or anything else that
/// a transfer brought along.
#[must_use]
pub fn transfer_table(observation: &Observation, complaint: &Complaint) -> String {
    let names = Names::without_case(Some(complaint));
    let mut paper = Paper::new(WIDTH, Style::Plain);
    if let Payload::Transfer(transfer) = &observation.payload {
        let table = transfer::table(transfer, &names, MOST_SECONDS);
        match table.rows.is_empty() {
            true => table.notes.into_iter().for_each(|note| {
                paper.line(0, (Role::Plain, ""), 0, vec![(Role::Plain, note)]);
            }),
            false => table::write(&mut paper, &table),
        }
    }
    line(&mut paper, observation, &names);
    paper.finish()
}

fn line(paper: &mut Paper, observation: &Observation, names: &Names) {
    let kind = words::kind(&observation.payload);
    let text = observations::summary(&observation.payload, names);
    paper.line(0, (Role::Label, kind), 5, vec![(Role::Plain, text)]);
}
