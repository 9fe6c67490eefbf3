//! Hours of the day in which the holder of a token may measure. UTC, as the two ends seldom share a zone, and as it knows no hour
//! that comes twice a year.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

const DAY_S: u64 = 86_400;
const DAY_MIN: u16 = 1_440;

/// A part of every day: from its first minute up to, and without, its last. Across midnight where it ends before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    from_min: u16,
    to_min: u16,
}

/// A text that is no such part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no part of a day: write two times in UTC such as \"20:00-06:00\", which are not the same")]
pub struct NotHours(String);

impl Hours {
    /// How long it is from `unix_s` until they begin: nothing when they have.
    #[must_use]
    pub fn wait(&self, unix_s: u64) -> Duration {
        let of_day = unix_s % DAY_S;
        let begin = u64::from(self.from_min) * 60;
        let lasts = (u64::from(self.to_min) * 60 + DAY_S - begin) % DAY_S;
        // 00:00-24:00 is all day.
        let since = (of_day + DAY_S - begin) % DAY_S;
        if lasts == 0 || since < lasts {
            Duration::ZERO
        } else {
            Duration::from_secs(DAY_S - since)
        }
    }
}

impl FromStr for Hours {
    type Err = NotHours;

    fn from_str(text: &str) -> Result<Self, NotHours> {
        let not = || NotHours(text.to_owned());
        let (from, to) = text.split_once('-').ok_or_else(not)?;
        let from_min = minute_of_day(from).filter(|from| *from < DAY_MIN);
        let (from_min, to_min) = from_min.zip(minute_of_day(to)).ok_or_else(not)?;
        if from_min == to_min {
            return Err(not());
        }
        Ok(Self { from_min, to_min })
    }
}

fn minute_of_day(text: &str) -> Option<u16> {
    let (hour, minute) = text.trim().split_once(':')?;
    let number = |text: &str| {
        let is_plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| is_plain)
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    let of_day = hour * 60 + minute;
    (minute < 60 && of_day <= DAY_MIN).then_some(of_day)
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
        write!(f, "{} to {} UTC", time(self.from_min), time(self.to_min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 12 May 2031.
    const MIDNIGHT: u64 = 1_936_310_400;

    fn wait_s(hours: &str, at: &str) -> u64 {
        let hours: Hours = hours.parse().unwrap();
        let at = u64::from(minute_of_day(at).unwrap()) * 60;
        hours.wait(MIDNIGHT + at).as_secs()
    }

    #[test]
    fn they_fire_and_a_minute_earlier_or_later_they_do_not() {
        for (hours, at, wait) in [
            ("20:00-06:00", "20:00", 0),
            ("20:00-06:00", "19:59", 60),
            ("20:00-06:00", "05:59", 0),
            ("20:00-06:00", "06:00", 14 * 3_600),
            ("20:00-06:00", "00:00", 0),
            ("08:30-12:00", "08:29", 60),
            ("08:30-12:00", "08:30", 0),
            ("08:30-12:00", "11:59", 0),
            ("08:30-12:00", "12:00", 20 * 3_600 + 1_800),
            ("00:00-24:00", "23:59", 0),
            ("22:00-24:00", "21:00", 3_600),
            ("22:00-00:00", "23:59", 0),
        ] {
            assert_eq!(wait_s(hours, at), wait, "{hours} at {at}");
        }
    }

    #[test]
    fn what_is_no_part_of_a_day_is_refused() {
        for text in [
            "",
            "20:00",
            "20-06",
            "20:00-20:00",
            "24:00-06:00",
            "20:60-06:00",
            "25:00-06:00",
            "8:00-9:00",
            "20:00-06:00-07:00",
            "+1:00-02:00",
        ] {
            assert!(text.parse::<Hours>().is_err(), "{text}");
        }
        assert_eq!(
            "20:00-06:00".parse::<Hours>().unwrap().to_string(),
            "20:00 to 06:00 UTC"
        );
    }

    proptest! {
        /// After the wait they have begun, and a second before they had not.
        #[test]
        fn a_wait_ends_when_they_begin(from in 0u16..1_440, to in 0u16..=1_440, at in 0u64..10 * DAY_S) {
            prop_assume!(from != to);
            let hours = Hours { from_min: from, to_min: to };
            let wait = hours.wait(at).as_secs();
            prop_assert_eq!(hours.wait(at + wait), Duration::ZERO);
            prop_assert!(wait == 0 || hours.wait(at + wait - 1) == Duration::from_secs(1));
        }
    }
}
