//! The words for values: one place decides how a time, a number or a share is written.

mod terms;

pub(crate) use terms::{ask, direction, end, hop_who, kind, metric, obstacle, place, protocol, state, stop};

use evidence::{JournalEntry, Nanos, Provenance, Timestamp};

/// `2026-11-21 07:58:02 UTC`.
pub(crate) fn when(at: Timestamp) -> String {
    formatted(at, "%Y-%m-%d %H:%M:%S UTC")
}

/// `2026-11-21 07:58`.
pub(crate) fn minute(at: Timestamp) -> String {
    formatted(at, "%Y-%m-%d %H:%M")
}

/// A long time as a person says it: `36 s`, `12 min`, `3.5 h`, `9 d`.
pub(crate) fn long(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    let in_units = |of: f64, unit: &str| {
        let text = format!("{:.1}", seconds / of);
        format!("{} {unit}", text.trim_end_matches(".0"))
    };
    match seconds {
        s if s < 90.0 => Nanos(ns).to_string(),
        s if s < 5_400.0 => in_units(60.0, "min"),
        s if s < 2.0 * 86_400.0 => in_units(3_600.0, "h"),
        _ => in_units(86_400.0, "d"),
    }
}

/// The text with a capital first letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// `07:58:02.125`: for lists that name the day once.
pub(crate) fn clock(at: Timestamp) -> String {
    formatted(at, "%H:%M:%S.%3f")
}

/// A time in `strftime` words.
pub(crate) fn formatted(at: Timestamp, format: &str) -> String {
    match jiff::Timestamp::from_nanosecond(i128::from(at.0)) {
        Ok(time) => time.strftime(format).to_string(),
        Err(_) => format!("{} ns", at.0),
    }
}

/// When an observation was made, as far as its record tells.
pub(crate) fn made(provenance: &Provenance) -> String {
    match provenance.at_is_import_time {
        true => "time not recorded".to_owned(),
        false => when(provenance.at),
    }
}

/// `2026-11-21 07:58:02 UTC, NOC (net.example): interface reset`.
pub(crate) fn journal_line(entry: &JournalEntry) -> String {
    let network = entry
        .network
        .as_deref()
        .map_or(String::new(), |n| format!(" ({n})"));
    format!("{}, {}{network}: {}", when(entry.at), entry.who, entry.what)
}

/// Whether it is the name of a raw record: only such a name may become a link.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `line 12`, `lines 12 to 31`.
pub(crate) fn lines((first, last): (u64, u64)) -> String {
    match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    }
}

/// A factor for people: two digits at least, no false precision.
pub(crate) fn times(factor: f64) -> String {
    match factor {
        f if f >= 1e6 => "a million or more".to_owned(),
        f if f >= 9.95 => count(f.round() as u64),
        f => format!("{f:.1}"),
    }
}

/// A share for people: `0.025 %`, `0 %`.
pub(crate) fn share(ratio: f64) -> String {
    if ratio == 0.0 || !ratio.is_finite() {
        return if ratio == 0.0 {
            "0 %".to_owned()
        } else {
            "? %".to_owned()
        };
    }
    // Below one in a million a percentage is a row of zeros.
    if ratio.abs() < 1e-6 {
        return format!("{ratio:.1e}");
    }
    let percent = 100.0 * ratio;
    let decimals = (1.0 - libm::log10(percent.abs()).floor()).clamp(0.0, 6.0) as usize;
    format!("{percent:.decimals$} %")
}

/// A whole number with thousands separated: `12,000`.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 hop`, `12 hops`.
pub(crate) fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// `83.2 kB`; decimal prefixes as for rates.
pub(crate) fn bytes(n: u64) -> String {
    let value = n as f64;
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.1} kB", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", value / 1e6),
        _ => format!("{:.2} GB", value / 1e9),
    }
}

/// A probability for people. Never 0 % nor 100 %: nothing measured is certain.
pub(crate) fn percent(probability: f64) -> String {
    match probability * 100.0 {
        p if !p.is_finite() => "? %".to_owned(),
        p if p > 99.0 => "> 99 %".to_owned(),
        p if p < 1.0 => "< 1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// A ratio of lost packets for people: `0 of 100`, `3 of 12,000 (0.025 %)`.
pub(crate) fn lost_of(lost: u64, sent: u64) -> String {
    if lost == 0 || sent == 0 {
        return format!("{} of {}", count(lost), count(sent));
    }
    format!(
        "{} of {} ({})",
        count(lost),
        count(sent),
        share(lost as f64 / sent as f64)
    )
}

/// Hop numbers with runs joined: `1-8, 10`.
pub(crate) fn ranges(numbers: &[u8]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut run: Option<(u8, u8)> = None;
    let show = |(first, last): (u8, u8)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    for &n in numbers {
        run = match run {
            Some((first, last)) if last.checked_add(1) == Some(n) => Some((first, n)),
            Some(done) => {
                out.push(show(done));
                Some((n, n))
            }
            None => Some((n, n)),
        };
    }
    out.extend(run.map(show));
    out.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "hop", "hops"), "1 hop");
        assert_eq!(bytes(94_210), "94.2 kB");
        assert_eq!(ranges(&[1, 3, 4, 5, 9]), "1, 3-5, 9");
        assert_eq!(lost_of(3, 12_000), "3 of 12,000 (0.025 %)");
        assert_eq!(lost_of(0, 12_000), "0 of 12,000");
        assert_eq!(lost_of(12, 12), "12 of 12 (100 %)");
    }

    #[test]
    fn no_confidence_reads_as_certainty() {
        for (probability, shown) in [
            (1.0, "> 99 %"),
            (0.995, "> 99 %"),
            (0.97, "97 %"),
            (0.0, "< 1 %"),
            (f64::NAN, "? %"),
        ] {
            assert_eq!(percent(probability), shown);
        }
    }

    #[test]
    fn times_are_utc() {
        assert_eq!(
            when(Timestamp(1_624_000_000_125_000_000)),
            "2021-06-18 07:06:40 UTC"
        );
        assert_eq!(clock(Timestamp(1_624_000_000_125_000_000)), "07:06:40.125");
    }
}
