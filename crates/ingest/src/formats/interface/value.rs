//! Texts of ages, rates and speeds as devices print them.

use crate::units;
use evidence::RateBps;

/// An age in seconds: `00:12:34`, `1d02h`, `1w2d`, `2y13w`, `3d 00:04`, `4 days, 02:03:04`; `None` for `never`, which means since
/// the start of a device that does not say when.
pub(super) fn age_s(text: &str) -> Option<u64> {
    let mut sum = 0_u64;
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let mut some = false;
    while let Some(word) = words.next() {
        let part = if let Ok(number) = word.parse::<u64>() {
            number.checked_mul(unit_s(words.next()?)?)?
        } else {
            age_word_s(word)?
        };
        sum = sum.checked_add(part)?;
        some = true;
    }
    some.then_some(sum)
}

fn unit_s(unit: &str) -> Option<u64> {
    let units = [
        ("year", 365 * 86_400),
        ("week", 7 * 86_400),
        ("day", 86_400),
        ("hour", 3_600),
        ("minute", 60),
        ("min", 60),
        ("second", 1),
        ("sec", 1),
    ];
    if unit == "s" {
        return Some(1);
    }
    let unit = unit.strip_suffix('s').unwrap_or(unit);
    units.into_iter().find(|(name, _)| *name == unit).map(|(_, s)| s)
}

fn age_word_s(text: &str) -> Option<u64> {
    if text.contains(':') {
        let mut parts = text.split(':').rev().map(|part| part.parse::<u64>().ok());
        let mut units = match text.matches(':').count() {
            // Junos: hours and minutes.
            1 => [60, 3_600, 0].into_iter(),
            2 => [1, 60, 3_600].into_iter(),
            _ => return None,
        };
        return parts.try_fold(0_u64, |sum, part| {
            sum.checked_add(part?.checked_mul(units.next()?)?)
        });
    }
    let (mut seconds, mut number) = (0_u64, None::<u64>);
    for byte in text.bytes() {
        let unit_s = match byte {
            b'0'..=b'9' => {
                let so_far = number.unwrap_or(0).checked_mul(10)?;
                number = Some(so_far.checked_add(u64::from(byte - b'0'))?);
                continue;
            }
            b'y' => 365 * 86_400,
            b'w' => 7 * 86_400,
            b'd' => 86_400,
            b'h' => 3600,
            b'm' => 60,
            b's' => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.take()?.checked_mul(unit_s)?)?;
    }
    number.is_none().then_some(seconds)
}

/// The age in `2010-05-17 07:51:28 PDT (3d 00:04 ago)`, `00:12:34`, `3d02h`, `4 days ago`.
pub(super) fn since_s(text: &str) -> Option<u64> {
    let inner = text.split_once('(').map_or(text, |(_, inner)| inner);
    let inner = inner.split_once(')').map_or(inner, |(inner, _)| inner);
    age_s(inner.trim_ascii().trim_end_matches("ago"))
}

/// The time averaged over, seconds: `30 second`, `5 minutes`, `300`.
pub(super) fn over_s(text: &str) -> Option<u64> {
    let text = text.replace('-', " ");
    let mut words = text.split_ascii_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    number.checked_mul(words.next().map_or(Some(1), unit_s)?)
}

/// A rate with its unit: `9.73 Mbps`, `1234 bits/sec`, `3456 bytes/sec`, `1,234 kbps`, `00.12 Mbits/sec`.
pub(super) fn rate(text: &str) -> Option<RateBps> {
    let (number, unit) =
        units::split(&text.replace(',', "")).map(|(number, unit)| (number, unit.to_owned()))?;
    (!unit.is_empty())
        .then(|| units::rate_bps(number, &unit, units::Kilo::Thousand))
        .flatten()
}

/// Packets per second: `456 Kpps`, `12 packets/sec`, `12`.
pub(super) fn packets_per_s(text: &str) -> Option<f64> {
    let text = text.replace(',', "");
    let (number, unit) = units::split(&text)?;
    let (scale, rest) = match unit.as_bytes().first() {
        Some(b'K' | b'k') => (1e3, unit.get(1..)?),
        Some(b'M') => (1e6, unit.get(1..)?),
        Some(b'G') => (1e9, unit.get(1..)?),
        _ => (1.0, unit),
    };
    let fits = matches!(
        rest,
        "" | "pps"
            | "packets/sec"
            | "pkts/sec"
            | "packet/sec"
            | "packets/s"
            | "frames/sec"
            | "p/s"
            | "Pkts/sec"
    );
    (fits && (0.0..1e15).contains(&number)).then_some(number * scale)
}

/// The speed of a link: `10Gbps`, `1000mbps`, `10 Gb/s`, `1000Mbit`, `100000baseT`, and of SONET the name of the container
/// (ITU-T G.707). `None` for `auto` and for 0, which is what devices print for an unknown one.
pub(super) fn speed(text: &str) -> Option<RateBps> {
    // The line goes on below behind a comma.
    let optical = match text.trim_ascii().trim_end_matches(',') {
        "OC3" => 155.52e6,
        "OC12" => 622.08e6,
        "OC48" => 2_488.32e6,
        "OC192" => 9_953.28e6,
        "OC768" => 39_813.12e6,
        other => return electrical(other),
    };
    Some(RateBps(optical))
}

fn electrical(text: &str) -> Option<RateBps> {
    let (number, unit) = units::split(text)?;
    let unit = unit.to_ascii_lowercase();
    let scale = match unit.as_str() {
        "kb" | "kbit" | "kbps" | "kb/s" | "kbit/s" | "kbits" | "kbit/sec" | "kilobits" => 1e3,
        "m" | "mb" | "mbit" | "mbps" | "mb/s" | "mbit/s" | "mbits" | "mbit/sec" | "mbits/sec" | "mbits/s"
        | "mbps full" | "baset" => 1e6,
        "g" | "gb" | "gbit" | "gbps" | "gb/s" | "gbit/s" | "gbits" | "gigabits" | "gbit/sec" | "gige"
        | "gig" | "gigabit" => 1e9,
        "t" | "tb" | "tbps" | "tbit" => 1e12,
        "bps" | "bit/s" => 1.0,
        _ => return None,
    };
    let bps = number * scale;
    (bps > 0.0 && bps < 1e16).then_some(RateBps(bps))
}

/// Speed and duplex together: `100full`, `1000FDx`, `10GigFD`, `1000/full`, `Auto-100full`, `1000Mbps (Duplex: full)`.
pub(super) fn speed_and_duplex(text: &str) -> (Option<RateBps>, Option<&'static str>) {
    let text = text.trim_end_matches('*').to_ascii_lowercase();
    let text = text
        .strip_prefix("auto-")
        .unwrap_or(&text)
        .replace(" (duplex: ", "/");
    let text = text.trim_end_matches(')');
    let duplexes = [
        ("full", "full"),
        ("half", "half"),
        ("fdx", "full"),
        ("hdx", "half"),
        ("fd", "full"),
        ("hd", "half"),
    ];
    let found = duplexes
        .into_iter()
        .find_map(|(word, duplex)| Some((text.strip_suffix(word)?, duplex)));
    let Some((speed_text, duplex)) = found else {
        return (None, None);
    };
    let speed_text = speed_text.trim_end_matches(['/', '-', ' ']);
    match speed_text.parse::<u32>() {
        Ok(_) => (speed(&format!("{speed_text} mbps")), Some(duplex)),
        Err(_) => (speed(speed_text), Some(duplex)),
    }
}

/// `full` or `half`, however it is written.
pub(super) fn duplex(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase();
    let words = [
        ("full", "full"),
        ("half", "half"),
        ("fdx", "full"),
        ("hdx", "half"),
    ];
    words
        .into_iter()
        .find(|(word, _)| text.contains(word))
        .map(|(_, duplex)| duplex)
}

/// Whether it is up, of a word for a state; `None` for what says neither.
pub(super) fn is_up(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let down = [
        "down", "admin", "reset", "disabled", "shutdown", "deleted", "not ", "no",
    ];
    if text.starts_with("up") || text == "enabled" || text == "yes" {
        Some(true)
    } else if down.iter().any(|state| text.starts_with(state)) {
        Some(false)
    } else {
        None
    }
}

/// The marks of an alarm and of a warning behind a figure of a transceiver, in words.
pub(super) fn flag(mark: &str) -> Option<&'static str> {
    match mark {
        "++" | "H-AL" => Some("high alarm"),
        "+" | "H-WN" => Some("high warning"),
        "--" | "L-AL" => Some("low alarm"),
        "-" | "L-WN" => Some("low warning"),
        _ => None,
    }
}

/// Words that say that nothing is set.
pub(super) fn is_unset(text: &str) -> bool {
    const WORDS: [&str; 7] = ["default", "disabled", "none", "n/a", "no", "-", "--"];
    let first = text.split([' ', ',']).next().unwrap_or(text);
    WORDS.iter().any(|word| first.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages() {
        for (text, seconds) in [
            ("1w2d", Some(777_600)),
            ("10w1d", Some(6_134_400)),
            ("00:12:34", Some(754)),
            ("1d02h", Some(93_600)),
            ("never", None),
            ("", None),
            ("99999999999999999999w", None),
            ("12", None),
            ("1:2:3:4", None),
            ("2010-05-17 07:51:28 PDT (00:04:33 ago)", Some(273)),
            ("2012-11-12 08:52:01 UTC (2w3d 05:12 ago)", Some(1_487_520)),
            ("4 days, 02:03:04 ago", Some(352_984)),
            ("Never", None),
            ("(soon ago)", None),
            ("(-1:00 ago)", None),
        ] {
            assert_eq!(since_s(text), seconds, "{text}");
        }
        assert_eq!(
            (over_s("5 minute"), over_s("30-second"), over_s("300")),
            (Some(300), Some(30), Some(300))
        );
    }

    #[test]
    fn speeds_and_rates() {
        assert_eq!(speed("10Gbps"), Some(RateBps(1e10)));
        assert_eq!(speed("1000mbps"), Some(RateBps(1e9)));
        assert_eq!(speed("1000mbps,"), Some(RateBps(1e9)));
        assert_eq!(speed("100000baseT"), Some(RateBps(1e11)));
        assert_eq!(speed("OC192"), Some(RateBps(9_953.28e6)));
        assert_eq!((speed("Auto"), speed("0 Mbps")), (None, None));
        assert_eq!(rate("3456 bytes/sec"), Some(RateBps(27_648.0)));
        assert_eq!(rate("1.5 Gbps"), Some(RateBps(1.5e9)));
        assert_eq!(rate("15"), None, "of what?");
        assert_eq!(packets_per_s("456 Kpps"), Some(456e3));
        assert_eq!(packets_per_s("456 Kbps"), None);
    }
}
