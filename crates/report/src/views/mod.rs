//! What the observations of a round show, whoever made them, not yet in any format: every way of showing a case draws from
//! the same figures.
//!
//! A view arranges and subtracts. It never judges: where it marks something, a finding of the verdict named it, or two
//! figures of one record contradict each other.

mod align;
pub(crate) mod bands;
pub(crate) mod chain;
pub(crate) mod diagram;
pub(crate) mod hop;
mod http;
pub(crate) mod interfaces;
pub(crate) mod matrix;
pub(crate) mod measured;
mod outcome;
pub(crate) mod pairs;
pub(crate) mod path;
mod place;
pub(crate) mod routes;
pub(crate) mod series;
pub(crate) mod sizes;
pub(crate) mod steps;
pub(crate) mod transfer;

use crate::subject::Subject;
use crate::table::Table;
use evidence::Verdict;

/// Everything that a table can show of a round's observations.
pub(crate) fn tables(subject: &Subject, round: u32, verdict: Option<&Verdict>) -> Vec<Table> {
    let mut tables = routes::tables(subject, round, verdict, false);
    tables.extend(series::tables(subject, round));
    tables.extend(
        chain::groups(subject, round)
            .iter()
            .map(|group| group.table(verdict)),
    );
    tables.extend(sizes::tables(&subject.of_round(round), &subject.names, verdict));
    tables.extend(pairs::tables(subject, round));
    tables.extend(matrix::table(subject, round));
    tables.extend(transfer::tables(subject, round));
    tables.extend(interfaces::tables(subject, round, verdict));
    tables
}
