//! Rows as CSV.

use super::rows::{COLUMNS, Value};
use super::sorter::Sorted;
use super::values;
use std::io::{self, Write};

/// A line of names, and a line for each row. What is not known is empty.
pub(super) fn write(rows: &Sorted, out: &mut impl Write) -> io::Result<()> {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    writeln!(out, "{}", names.join(","))?;
    rows.each(|bytes| {
        for (place, value) in values(bytes)?.into_iter().enumerate() {
            if place > 0 {
                out.write_all(b",")?;
            }
            cell(value, out)?;
        }
        out.write_all(b"\n")
    })
}

fn cell(value: Value<'_>, out: &mut impl Write) -> io::Result<()> {
    match value {
        Value::Moment(ns) => {
            let sign = if ns < 0 { "-" } else { "" };
            let (seconds, rest) = (
                ns.unsigned_abs() / 1_000_000_000,
                ns.unsigned_abs() % 1_000_000_000,
            );
            write!(out, "{sign}{seconds}.{rest:09}")
        }
        Value::Count(count) => count.map_or(Ok(()), |count| write!(out, "{count}")),
        Value::Number(number) => number.map_or(Ok(()), |number| write!(out, "{number}")),
        Value::Word(word) => word.map_or(Ok(()), |word| out.write_all(word.as_bytes())),
    }
}
