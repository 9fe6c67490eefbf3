//! Times for people, as what is said of a case has them.

use evidence::Timestamp;

/// For a person: `2003-08-27 06:05:05 UTC`.
#[must_use]
pub fn utc(at: Timestamp) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(at.0)).map_or_else(
        |_| format!("{} ns", at.0),
        |instant| instant.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_utc() {
        assert_eq!(
            utc(Timestamp(1_061_989_505_000_000_000)),
            "2003-08-27 13:05:05 UTC"
        );
    }
}
