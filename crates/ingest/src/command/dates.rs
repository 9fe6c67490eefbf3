//! A date among what commands print.

use super::{commands, first_program};

/// Programs that print nothing to be read, or a date.
const QUIET: [&str; 7] = ["date", "sleep", "echo", "true", "done", ":", "uptime"];

/// What `date` that was typed is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Dates {
    /// It stands before what else prints, or nobody knows what was typed.
    #[default]
    Below,
    /// It was typed alone: whatever is typed next is printed soon.
    Next,
    /// It stands behind what else prints.
    Above,
}

impl Dates {
    /// What a date among what these commands print is about.
    pub(crate) fn of(command: &str) -> Self {
        let names = || {
            commands(command).filter_map(|command| {
                let mut words = command.split_ascii_whitespace();
                match (words.next(), words.next()) {
                    // What routers call it.
                    (Some("show" | "display" | "sh" | "dis"), Some("clock")) => Some("date"),
                    _ => Some(first_program(command)?.0),
                }
            })
        };
        let mut behind = names().skip_while(|name| *name != "date");
        if behind.any(|name| !QUIET.contains(&name)) {
            Self::Below
        } else if names().all(|name| QUIET.contains(&name)) {
            Self::Next
        } else {
            Self::Above
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_date_is_about() {
        for (typed, dates) in [
            ("date; ss", Dates::Below),
            ("while true; do date; ip -s link; sleep 10; done", Dates::Below),
            ("(date -u; uptime; ss -tin)", Dates::Below),
            ("date", Dates::Next),
            ("show clock detail", Dates::Next),
            ("ss; date", Dates::Above),
            ("while true; do ip -s link; date; sleep 10; done", Dates::Above),
        ] {
            assert_eq!(Dates::of(typed), dates, "{typed}");
        }
    }
}
