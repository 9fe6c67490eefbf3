//! Numbers and times as exports and spreadsheets write them: decimal commas, thousands, units behind figures, dates in the
//! order of one country or another.

use super::column::{Unit, unit};
use super::rows::Figure;
use crate::{Context, when};
use evidence::Timestamp;

/// What the comma is in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comma {
    Decimal,
    Thousands,
    /// `1,234`: every comma has three digits behind it, so that nobody can tell.
    Unknown,
}

/// What the comma is, from all figures.
pub(super) fn comma<'c>(cells: impl Iterator<Item = &'c str>) -> Comma {
    let mut comma = Comma::Unknown;
    for cell in cells {
        let number = cell.split(' ').next().unwrap_or(cell);
        let is_number = number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.' | b'-'));
        let Some(last) = number.rfind(',').filter(|_| is_number) else {
            continue;
        };
        let many = number.bytes().filter(|byte| *byte == b',').count() > 1;
        match number.rfind('.') {
            Some(point) if point > last => return Comma::Thousands,
            Some(_) => return Comma::Decimal,
            None if many => return Comma::Thousands,
            None if number.len() - last - 1 != 3 => comma = Comma::Decimal,
            None => {}
        }
    }
    comma
}

fn number(text: &str, comma: Comma) -> Option<f64> {
    let digits = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'))
    };
    let plain = match (comma, text.contains(',')) {
        (_, false) => text.to_owned(),
        (Comma::Thousands, true) => text.replace(',', ""),
        (Comma::Decimal, true) => text.replace('.', "").replace(',', "."),
        (Comma::Unknown, true) => return None,
    };
    plain
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && digits(&plain))
}

/// A figure of a column of this unit; `Err` for what is none.
pub(super) fn figure(cell: &str, wanted: Option<Unit>, comma: Comma) -> Result<Option<Figure>, ()> {
    let cell = cell.trim_ascii();
    if matches!(
        cell,
        "" | "-"
            | "U"
            | "NaN"
            | "nan"
            | "-nan"
            | "NAN"
            | "null"
            | "NULL"
            | "None"
            | "N/A"
            | "n/a"
            | "undefined"
            | "No data"
    ) {
        return Ok(None);
    }
    if let Some(value) = number(cell, comma) {
        return Ok(Some(Figure::Bare(value)));
    }
    let end = cell
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+')))
        .ok_or(())?;
    let (value, of) = cell.split_at(end);
    let (kind, scale) = unit(of).ok_or(())?;
    let value = number(value, comma).ok_or(())?;
    if Some(kind) == wanted {
        Ok(Some(Figure::Scaled(value * scale)))
    } else {
        Err(())
    }
}

/// A time in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    At(Timestamp),
    /// A time of a zone that is not told, or a date of which the order of day and month is not.
    Somewhere,
}

/// Seconds, milliseconds, microseconds or nanoseconds since 1970, by how many digits there are of them.
pub(super) fn epoch(text: &str) -> Option<Timestamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !whole
        .bytes()
        .chain(fraction.bytes())
        .all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let unit: usize = match whole.len() {
        9 | 10 => 9,
        13 => 6,
        16 => 3,
        19 => 0,
        _ => return None,
    };
    // Digits, not a float: its last bits are not the tool's.
    let mut digits: String = fraction
        .chars()
        .chain(std::iter::repeat('0'))
        .take(unit)
        .collect();
    digits.insert_str(0, whole);
    digits.parse().ok().map(Timestamp)
}

/// A time; `None` for what is none.
pub(super) fn time(text: &str, context: &Context) -> Option<Time> {
    let text = text.trim_ascii();
    if let Some(at) = epoch(text) {
        return Some(Time::At(at));
    }
    let text = text
        .strip_suffix(" UTC")
        .or_else(|| text.strip_suffix(" GMT"))
        .map_or_else(|| text.to_owned(), |civil| format!("{}Z", civil.trim_ascii()));
    let text = dashed(&text)?;
    if let Some(at) = when::iso8601(&text, context.utc_offset_s) {
        return Some(Time::At(at));
    }
    // A clock of 12 hours is left alone, as is a date whose order is not sure: it is a time all the same.
    let is_time = when::iso8601(&text, Some(0)).is_some() || is_date(&text);
    is_time.then_some(Time::Somewhere)
}

/// The date with dashes, year first, where the order is sure: `2024/01/31`, `31.01.2024`, `31/01/2024`.
fn dashed(text: &str) -> Option<String> {
    let (date, rest) = text.split_at(text.find([' ', 'T']).unwrap_or(text.len()));
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let [a, b, c] = parts.as_slice() else {
        return Some(text.to_owned());
    };
    let number = |part: &str| part.parse::<u32>().ok();
    let (first, second) = (number(a)?, number(b)?);
    let (year, month, day) = if a.len() == 4 {
        (a, b, c)
    } else if date.contains('.') || first > 12 {
        (c, b, a)
    } else if second > 12 {
        (c, a, b)
    } else {
        return Some(text.to_owned());
    };
    Some(format!("{year}-{month:0>2}-{day:0>2}{rest}"))
}

/// Three numbers between slashes or dashes, and a clock or nothing.
fn is_date(text: &str) -> bool {
    let (date, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
    let is_number =
        |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let rest = rest.trim_ascii().trim_end_matches(" AM").trim_end_matches(" PM");
    date.split(['/', '-']).count() == 3
        && date.split(['/', '-']).all(is_number)
        && (rest.is_empty() || when::clock(rest.split('.').next().unwrap_or(rest)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas() {
        let of = |cells: &[&str]| comma(cells.iter().copied());
        assert_eq!(of(&["1,5", "2,25"]), Comma::Decimal);
        assert_eq!(of(&["1,234", "1,234,567"]), Comma::Thousands);
        assert_eq!(of(&["1,234.5"]), Comma::Thousands);
        assert_eq!(of(&["1.234,5"]), Comma::Decimal);
        assert_eq!(of(&["1,234", "12"]), Comma::Unknown);
        assert_eq!(
            figure("1.234,5", None, Comma::Decimal),
            Ok(Some(Figure::Bare(1234.5)))
        );
        assert_eq!(figure("1,234", None, Comma::Unknown), Err(()));
        assert_eq!(
            figure("1.5 Mb/s", Some(Unit::Rate), Comma::Unknown),
            Ok(Some(Figure::Scaled(1.5e6)))
        );
        assert_eq!(figure("12 ms", Some(Unit::Rate), Comma::Unknown), Err(()));
        assert_eq!(figure("null", None, Comma::Unknown), Ok(None));
        assert_eq!(figure("1x", None, Comma::Unknown), Err(()));
    }

    #[test]
    fn times() {
        let at = Some(Time::At(Timestamp(1_706_693_400_000_000_000)));
        let context = Context {
            utc_offset_s: Some(0),
            ..Context::default()
        };
        for text in [
            "2024-01-31T09:30:00Z",
            "2024-01-31 09:30:00",
            "2024/01/31 09:30",
            "31.01.2024 09:30:00",
            "31/01/2024 09:30",
            "1/31/2024 09:30",
            "2024-01-31 09:30:00 UTC",
            "1706693400",
            "1706693400000",
            "1706693400000000000",
        ] {
            assert_eq!(time(text, &context), at, "{text}");
        }
        assert_eq!(
            time("2024-01-31 09:30:00", &Context::default()),
            Some(Time::Somewhere)
        );
        assert_eq!(
            time("01/02/2024 09:30", &context),
            Some(Time::Somewhere),
            "which month?"
        );
        for bad in ["", "x024-01-31 09:30:00", "12", "noon", "a/b/c"] {
            assert_eq!(time(bad, &context), None, "{bad}");
        }
    }
}
