//! Time stamps before lines, as loggers, `ts`, `journalctl` and terminals write them.

use super::logger;

/// The bytes of a stamp, the blank behind it included; `None` where the line does not begin with one.
///
/// `2024-01-02T03:04:05.678Z `, `[2024-01-02 03:04:05,678] `, `12:00:01 `, `[12:00:01.5]: `, `1700000000.123456 `,
/// `Tue Jan  2 03:04:05 2024 `, `Jan  2 03:04:05 `, and of syslog the host and the program behind it: `Jan  2 03:04:05 dtn1 ping[12]: `, of
/// a container the stream: `2024-01-02T03:04:05.678901234Z stdout F `; and what else a logger puts there.
pub(crate) fn length(line: &str) -> Option<usize> {
    let open = usize::from(line.starts_with(['[', '(']));
    let text = line.get(open..)?;
    // Nearly every line is told to have none by its first byte.
    let (mut end, is_syslog) = match text.as_bytes().first()? {
        b'0'..=b'9' => {
            let kinds = [date_and_time, clock, epoch];
            (kinds.iter().find_map(|kind| kind(text))?, false)
        }
        b'A'..=b'Z' => match ctime(text).or_else(|| glog(text)) {
            Some(end) => (end, false),
            None => (syslog(text)?, true),
        },
        _ => return None,
    };
    let text = text.get(end..)?;
    let close = usize::from(open == 1 && text.starts_with([']', ')']));
    if close != open {
        return None;
    }
    end += open + close;
    let behind = line.get(end..)?;
    let brackets = logger::brackets(behind);
    let behind = behind.get(brackets..)?;
    let behind = behind.strip_prefix(':').unwrap_or(behind);
    end = line.len() - behind.len();
    if behind.is_empty() {
        return Some(end);
    }
    let behind = behind.strip_prefix([' ', '\t'])?;
    end = line.len() - behind.len();
    Some(
        end + if is_syslog {
            program(behind).unwrap_or(0)
        } else {
            logger::words(behind, brackets > 0)
        },
    )
}

/// Bytes that are digits, from the start.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// `2024-01-02`, a `T` or a blank, a clock.
fn date_and_time(text: &str) -> Option<usize> {
    let date = text.get(..10)?;
    let separator = date.as_bytes().get(4).copied()?;
    let is_date = matches!(separator, b'-' | b'/')
        && date.bytes().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 {
                byte == separator
            } else {
                byte.is_ascii_digit()
            }
        });
    let rest = text.get(10..).filter(|_| is_date)?;
    let rest = rest.strip_prefix(['T', ' ', '_'])?;
    Some(11 + clock(rest)?)
}

/// `03:04:05`, with a fraction and a zone or without.
fn clock(text: &str) -> Option<usize> {
    let fits = |(at, byte): (usize, u8)| {
        if at % 3 == 2 {
            byte == b':'
        } else {
            byte.is_ascii_digit()
        }
    };
    if !text.get(..8)?.bytes().enumerate().all(fits) {
        return None;
    }
    let mut end = 8;
    if let Some(fraction) = text.get(end..)?.strip_prefix(['.', ','])
        && digits(fraction) > 0
    {
        end += 1 + digits(fraction);
    }
    let zone = text.get(end..)?;
    end += match zone.as_bytes().first() {
        Some(b'Z') => 1,
        Some(b'+' | b'-') => {
            let written = zone
                .bytes()
                .skip(1)
                .take_while(|byte| byte.is_ascii_digit() || *byte == b':');
            1 + written.count()
        }
        _ => 0,
    };
    Some(end)
}

/// Seconds since 1970 with a fraction: ten digits since 2001.
fn epoch(text: &str) -> Option<usize> {
    let fraction = text.get(10..)?.strip_prefix('.').filter(|_| digits(text) == 10)?;
    Some(11 + digits(fraction)).filter(|_| digits(fraction) > 0)
}

/// `Jan  2 03:04:05`.
fn syslog(text: &str) -> Option<usize> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let day = MONTHS.iter().find_map(|month| text.strip_prefix(month))?;
    let day = day.strip_prefix(' ')?.trim_ascii_start();
    let time = day
        .get(digits(day)..)?
        .strip_prefix(' ')
        .filter(|_| digits(day) > 0)?;
    Some(text.len() - time.len() + clock(time)?)
}

/// `Tue Jan  2 03:04:05 2024`, as iperf3's `--timestamps` writes it; `Tue Jan  2 03:04:05 CET 2024`, as date(1) does.
fn ctime(text: &str) -> Option<usize> {
    const DAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
    let rest = DAYS.iter().find_map(|day| text.strip_prefix(day))?;
    let year = rest.get(syslog(rest)?..)?.strip_prefix(' ')?;
    let year = match year.split_once(' ') {
        Some((zone, year)) if zone.len() <= 5 && zone.bytes().all(|byte| byte.is_ascii_uppercase()) => year,
        _ => year,
    };
    (digits(year) == 4).then(|| text.len() - year.len() + 4)
}

/// `I0102 03:04:05.678901      17 log.go:245]`, of programs in Go and C++: level, day, clock, thread and place.
fn glog(text: &str) -> Option<usize> {
    let day = text.strip_prefix(['I', 'W', 'E', 'F'])?;
    let time = day.get(4..)?.strip_prefix(' ').filter(|_| digits(day) == 4)?;
    let thread = time.get(clock(time)?..)?.trim_ascii_start();
    let place = thread
        .get(digits(thread)..)?
        .strip_prefix(' ')
        .filter(|_| digits(thread) > 0)?;
    let (place, behind) = place.split_once(']')?;
    (!place.contains(' ')).then(|| text.len() - behind.len())
}

/// `dtn1 ping[12]: ` behind a stamp of syslog.
fn program(text: &str) -> Option<usize> {
    let (head, rest) = text.split_once(": ")?;
    let (host, program) = head.split_once(' ')?;
    let is_word = |word: &str| !word.is_empty() && !word.contains(' ');
    (is_word(host) && is_word(program)).then(|| text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_every_kind_are_known() {
        for line in [
            "2024-01-02T03:04:05.678Z |PING a",
            "2024-01-02T03:04:05+0100 |PING a",
            "[2024-01-02 03:04:05,678] |PING a",
            "2024/01/02 03:04:05 |PING a",
            "[12:00:01] |PING a",
            "12:00:01.25: |PING a",
            "1700000000.123456 |PING a",
            "[1700000000.123456] |PING a",
            "2024-01-02T03:04:05.678901234Z stdout F |PING a",
            "2024-01-02T03:04:05.678901234Z stderr F|",
            "Jan  2 03:04:05 |PING a",
            "Nov 22 03:04:05 dtn1 ping[12]: |PING a",
            "Tue Jan  2 03:04:05 2024 |CPU Utilization: a",
            "Tue Jan  2 03:04:05 CET 2024: |PING a",
            "12:00:01|",
            "I0102 03:04:05.678901      17 log.go:245] |PING a",
            "2024-01-02 03:04:05.678[1756][DEBUG] run.cmd[6603].stdout |PING a",
            "2024-01-02 03:04:05,678 - run - INFO - |PING a",
        ] {
            let at = line.find('|').unwrap();
            assert_eq!(length(&line.replace('|', "")), Some(at), "{line}");
        }
        for line in [
            "PING a",
            "2024-01-02 is a day",
            "12:00 noon",
            "1700000000 packets",
            "[  5] 0.00",
            "January 2024",
            "[12:00:01 x",
            "",
        ] {
            assert_eq!(length(line), None, "{line}");
        }
    }
}
