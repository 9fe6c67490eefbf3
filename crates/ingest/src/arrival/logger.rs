//! What loggers write between the time of a line and what was logged: levels, threads, places in a program. It differs from line to line as
//! the time does, so that words which are the same before each line do not tell it.

/// Words of a level, in letters of either case.
const LEVELS: [&str; 10] = [
    "trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical", "inf",
];

/// The facilities and levels of syslog, as OpenWrt's `logread` and syslog-ng write them: `kern.crit`, `daemon.info`.
pub(crate) fn is_facility(word: &str) -> bool {
    const FACILITIES: [&str; 11] = [
        "kern", "user", "daemon", "auth", "authpriv", "syslog", "cron", "local0", "local1", "local4",
        "local7",
    ];
    const LEVELS: [&str; 10] = [
        "emerg", "alert", "crit", "err", "error", "warn", "warning", "notice", "info", "debug",
    ];
    word.split_once('.')
        .is_some_and(|(facility, level)| FACILITIES.contains(&facility) && LEVELS.contains(&level))
}

/// The bytes of brackets right behind a time: `[1756][DEBUG]`.
pub(super) fn brackets(text: &str) -> usize {
    let mut rest = text;
    while let Some((inner, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        if inner.len() > LONGEST_BRACKET {
            break;
        }
        rest = behind;
    }
    text.len() - rest.len()
}

/// No thread or level is longer.
const LONGEST_BRACKET: usize = 40;

/// The bytes of a logger's words and the blanks behind them. Places, threads and programs are told by the level before them, or by the
/// brackets right behind the time: elsewhere they may be what was logged.
pub(super) fn words(text: &str, mut is_logger: bool) -> usize {
    let mut rest = text;
    loop {
        if let Some(behind) = dashed(rest) {
            return text.len() - behind.len();
        }
        let (word, behind) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let taken = match word {
            _ if is_level(word) => {
                is_logger = true;
                Some(behind)
            }
            _ if is_stream(word) => {
                Some(
                    behind
                        .strip_prefix("F ")
                        .unwrap_or(if behind == "F" { "" } else { behind }),
                )
            }
            _ if is_facility(word) => behind
                .split_once(": ")
                .filter(|(program, _)| !program.contains(' '))
                .map(|parts| parts.1),
            _ if is_logger && (is_place(word) || is_thread(word)) => Some(behind),
            _ => None,
        };
        match taken {
            Some(behind) => rest = behind,
            None => return text.len() - rest.len(),
        }
    }
}

/// `INFO`, `[info]`
fn is_level(word: &str) -> bool {
    let bare = word.trim_matches(['[', ']', '(', ')']);
    (bare.len() < word.len() || bare.bytes().all(|byte| byte.is_ascii_uppercase()))
        && LEVELS.iter().any(|level| level.eq_ignore_ascii_case(bare))
}

/// `stdout` of a container's runtime, `[stdout]`, `runner.cmd[6603].stdout`
fn is_stream(word: &str) -> bool {
    let bare = word.trim_matches(['[', ']', ':', '|']);
    ["stdout", "stderr"].iter().any(|stream| {
        bare.strip_suffix(stream)
            .is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// `runner.py:88`, `(log.go:245)`
fn is_place(word: &str) -> bool {
    let bare = word.trim_matches(['[', ']', '(', ')', ':']);
    bare.rsplit_once(':').is_some_and(|(file, line)| {
        let name = file.rsplit_once('.').map_or("", |(name, _)| name);
        !line.is_empty()
            && line.bytes().all(|byte| byte.is_ascii_digit())
            && name.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

/// `[worker-3]`, `runner[6603]:`; iperf's `[SUM]` is none.
fn is_thread(word: &str) -> bool {
    let has_letter = || word != "[SUM]" && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    (word.starts_with('[') && word.ends_with(']') || word.ends_with("]:") && word.contains('['))
        && has_letter()
}

/// What stands behind `- runner - INFO - `: parts between dashes, of which one is a level.
fn dashed(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix("- ")?;
    let mut has_level = false;
    for _ in 0..MOST_DASHED {
        let parts = rest
            .split_once(" - ")
            .or_else(|| Some((rest.strip_suffix(" -")?, "")));
        let Some((part, behind)) = parts.filter(|(part, _)| !part.contains(' ') && *part != "-") else {
            break;
        };
        has_level |= is_level(part);
        rest = behind;
    }
    has_level.then_some(rest)
}

/// No logger writes more of them.
const MOST_DASHED: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_loggers() {
        for line in [
            "INFO |PING a",
            "[info] |PING a",
            "DEBUG [worker-3] runner.py:88 |PING a",
            "stdout F |PING a",
            "stderr F|",
            "run.cmd[6603].stdout |PING a",
            "- runner - INFO - |PING a",
            "- INFO - |- - - -",
            "- INFO -|",
            "kern.info kernel: |eth0: Link is Up",
            "|PING a",
            "|[  5]   0.00-1.00   sec",
            "INFO |[  5]   0.00-1.00   sec",
            "INFO |[SUM]   0.00-1.00   sec",
            "|[worker-3] PING",
            "|- - - - -",
            "|WARNING: pinging broadcast address",
        ] {
            let at = line.find('|').unwrap();
            assert_eq!(words(&line.replacen('|', "", 1), false), at, "{line}");
        }
        assert_eq!(brackets("[1756][DEBUG] run"), 13);
        assert!(!is_facility("b.example") && !is_facility("kern"));
    }
}
