//! Whether there is colour. `anstream` takes the codes out at the two doors ([`crate::output`], [`crate::terminal`]); here is
//! only who decides: the option, then the environment, then the configuration, and else what standard output is.

use crate::config::{Config, Origin, Setting};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal};

/// When there is colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Also in files and pipes
    Always,
    /// Nowhere
    Never,
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        })
    }
}

/// Who decides, and what.
pub(crate) fn setting(option: Option<When>, config: &Config) -> Setting<When> {
    let given = |value, origin| Some(Setting { value, origin });
    option
        .and_then(|when| given(when, Origin::Option("--color")))
        .or_else(|| environment(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned())))
        .or_else(|| config.color())
        .unwrap_or(Setting {
            value: When::Auto,
            origin: Origin::Default,
        })
}

/// What the variables say that others agreed on (no-color.org, bixense.com/clicolors), in the order in which `anstream` reads
/// them. A terminal that shows no colours is a fact and no taste, but one that the environment tells.
fn environment(variable: impl Fn(&str) -> Option<String>) -> Option<Setting<When>> {
    let is = |name: &'static str, holds: fn(&str) -> bool, value| {
        let set = variable(name).is_some_and(|text| holds(&text));
        set.then_some(Setting {
            value,
            origin: Origin::Environment(name),
        })
    };
    is("NO_COLOR", |text| !text.is_empty(), When::Never)
        .or_else(|| {
            is(
                "CLICOLOR_FORCE",
                |text| !text.is_empty() && text != "0",
                When::Always,
            )
        })
        .or_else(|| is("CLICOLOR", |text| text == "0", When::Never))
        .or_else(|| is("TERM", |text| text == "dumb", When::Never))
}

/// The option, found before the command line is read: how its own errors and help are shown depends on it.
pub(crate) fn option_among(args: impl Iterator<Item = OsString>) -> Option<When> {
    let mut args = args
        .map(|arg| arg.to_string_lossy().into_owned())
        .take_while(|arg| arg != "--");
    let mut found = None;
    while let Some(arg) = args.next() {
        let value = match arg.strip_prefix("--color") {
            Some("") => args.next(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        found = value
            .and_then(|value| When::from_str(&value, false).ok())
            .or(found);
    }
    found
}

/// What `clap` shows in our place. Asked for `Auto`, it would show colours on a terminal that has none where CI is set.
pub(crate) fn of_help(when: When) -> clap::ColorChoice {
    match when {
        When::Auto => clap::ColorChoice::Auto,
        When::Always => clap::ColorChoice::Always,
        When::Never => clap::ColorChoice::Never,
    }
}

/// Makes it so for the whole process.
pub(crate) fn choose(when: When) {
    let choice = match when {
        // `anstream` takes this for the wish of colours everywhere, whose text says the opposite. Only standard output has any.
        When::Auto
            if env::var_os("CLICOLOR_FORCE").is_some_and(|text| text == "0")
                && !io::stdout().is_terminal() =>
        {
            anstream::ColorChoice::Never
        }
        When::Auto => anstream::ColorChoice::Auto,
        When::Always => anstream::ColorChoice::Always,
        When::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// What was chosen, for a process of ours that shows something in our place.
pub(crate) fn chosen() -> When {
    match anstream::ColorChoice::global() {
        anstream::ColorChoice::Auto => When::Auto,
        anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => When::Always,
        anstream::ColorChoice::Never => When::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_found_in_both_forms_and_no_value_of_another_is_taken_for_it() {
        let found = |args: &[&str]| option_among(args.iter().map(OsString::from));
        assert_eq!(found(&["path", "--color", "never", "h"]), Some(When::Never));
        assert_eq!(found(&["--color=always", "path"]), Some(When::Always));
        assert_eq!(found(&["--color=always", "--color", "auto"]), Some(When::Auto));
        assert_eq!(found(&["path", "--color", "blue"]), None);
        assert_eq!(found(&["path", "--color"]), None);
        assert_eq!(found(&["lab", "exec", "--", "ls", "--color=always"]), None);
    }

    #[test]
    fn variables_decide_in_their_order() {
        let decided = |set: &[(&str, &str)]| {
            let variable = |name: &str| {
                set.iter()
                    .find(|(n, _)| *n == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            environment(variable).map(|setting| (setting.value, setting.origin.to_string()))
        };
        let is = |value, name: &str| Some((value, name.to_owned()));
        assert_eq!(decided(&[]), None);
        assert_eq!(
            decided(&[
                ("NO_COLOR", ""),
                ("CLICOLOR_FORCE", "0"),
                ("CLICOLOR", "1"),
                ("TERM", "xterm")
            ]),
            None
        );
        assert_eq!(
            decided(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]),
            is(When::Never, "NO_COLOR")
        );
        assert_eq!(
            decided(&[("CLICOLOR_FORCE", "1"), ("CLICOLOR", "0")]),
            is(When::Always, "CLICOLOR_FORCE")
        );
        assert_eq!(
            decided(&[("CLICOLOR", "0"), ("TERM", "xterm")]),
            is(When::Never, "CLICOLOR")
        );
        assert_eq!(decided(&[("TERM", "dumb")]), is(When::Never, "TERM"));
    }
}
