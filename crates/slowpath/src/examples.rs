//! The examples at the end of every `--help` and in every manual page. They stand in one table ([`table::all`]) that the tests
//! below read as a shell and the command line would: an option that is renamed breaks the build, not a reader's trust.

mod table;

use clap::Command;
use std::fmt::Write as _;

/// A command, and what it is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Example {
    /// As it is typed.
    pub(crate) line: &'static str,
    /// In a few words.
    pub(crate) shows: &'static str,
}

/// The examples of a command, by its words behind `slowpath`: `case add`.
pub(crate) fn of(words: &str) -> &'static [Example] {
    let entry = table::all().find(|(command, _)| *command == words);
    entry.map_or(&[], |(_, examples)| examples)
}

/// The command line with examples at the end of the help of each command.
pub(crate) fn shown_in(command: Command) -> Command {
    below(command, "")
}

fn below(mut command: Command, words: &str) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    for name in names {
        let inner = format!("{words} {name}");
        command = command.mut_subcommand(&name, |sub| below(sub, inner.trim_start()));
    }
    let examples = text(of(words), &command);
    let behind = |help: Option<&clap::builder::StyledStr>| match help {
        Some(help) => format!("{}\n\n{examples}", help.ansi()),
        None => examples.clone(),
    };
    let short = behind(command.get_after_help());
    let long = command.get_after_long_help().map(|help| behind(Some(help)));
    command = command.after_help(short);
    match long {
        Some(long) => command.after_long_help(long),
        None => command,
    }
}

/// The explanation stands below its command: beside it, one of the two would be cut on a narrow terminal.
fn text(examples: &[Example], command: &Command) -> String {
    let heading = command.get_styles().get_header();
    let mut text = format!("{heading}Examples:{heading:#}");
    for Example { line, shows } in examples {
        let _ = write!(text, "\n  {line}\n      {shows}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::CommandFactory;

    /// The words of a command line as a shell makes them, as far as the examples need it: quotes, and no expansion.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in line.chars() {
            match quote {
                Some(open) if c == open => quote = None,
                Some(_) => word.get_or_insert_default().push(c),
                None if c == '\'' || c == '"' => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                None if c.is_whitespace() => words.extend(word.take()),
                None => word.get_or_insert_default().push(c),
            }
        }
        assert_eq!(quote, None, "a quotation mark is open: {line}");
        words.extend(word);
        words
    }

    /// The runs of slowpath in a line: other commands may stand before or behind a pipe, a redirection behind it.
    fn runs(line: &str) -> Vec<Vec<String>> {
        let commands = line
            .split(" | ")
            .map(|part| part.split(" > ").next().unwrap_or(part));
        let of_ours = commands.filter_map(|part| Some(&part[part.find("slowpath ")?..]));
        of_ours.map(words).collect()
    }

    fn all_commands(command: &Command, words: &str, found: &mut Vec<String>) {
        found.push(words.to_owned());
        for sub in command.get_subcommands() {
            let inner = format!("{words} {}", sub.get_name());
            all_commands(sub, inner.trim_start(), found);
        }
    }

    #[test]
    fn every_command_has_one_to_five_examples_of_itself() {
        let mut commands = Vec::new();
        all_commands(&Cli::command(), "", &mut commands);
        for command in &commands {
            let examples = of(command);
            assert!(
                (1..=5).contains(&examples.len()),
                "`slowpath {command}`: {} examples",
                examples.len()
            );
            for Example { line, .. } in examples {
                let own = runs(line).iter().any(|run| {
                    run.join(" ")
                        .starts_with(format!("slowpath {command}").trim_end())
                });
                assert!(own, "`{line}` is no example of `slowpath {command}`");
            }
        }
        let strays: Vec<&str> = table::all()
            .map(|(command, _)| *command)
            .filter(|name| !commands.contains(&(*name).to_owned()))
            .collect();
        assert!(
            strays.is_empty(),
            "examples of commands that are not there: {strays:?}"
        );
    }

    #[test]
    fn every_example_is_understood() {
        for Example { line, .. } in table::all().flat_map(|(_, examples)| *examples) {
            for run in runs(line) {
                if let Err(error) = Cli::command().try_get_matches_from(run) {
                    panic!("`{line}`:\n{error}");
                }
            }
        }
    }

    #[test]
    fn an_example_that_is_out_of_date_would_be_found() {
        for line in [
            "slowpath path dtn.example.org --no-such-option",
            "slowpath case add",
            "slowpath nothing",
        ] {
            let mut runs = runs(line);
            assert!(
                Cli::command().try_get_matches_from(runs.remove(0)).is_err(),
                "{line}"
            );
        }
        assert_eq!(
            runs("tcpdump -w - | slowpath capture - > 'a b'"),
            [["slowpath", "capture", "-"]]
        );
        assert_eq!(words("a 'b c' \"d e\"f ''"), ["a", "b c", "d ef", ""]);
    }

    #[test]
    fn they_fit_on_a_terminal_of_eighty_columns() {
        for Example { line, shows } in table::all().flat_map(|(_, examples)| *examples) {
            assert!(line.chars().count() <= 78, "too wide: {line}");
            assert!(shows.chars().count() <= 74, "too wide: {shows}");
        }
    }

    #[test]
    fn help_ends_with_them_and_keeps_what_stood_there() {
        fn check(command: &mut Command, words: &str) {
            let help = command.render_long_help().to_string();
            let (_, examples) = help
                .split_once("Examples:\n")
                .unwrap_or_else(|| panic!("{words}: {help}"));
            assert_eq!(
                examples.trim_end().lines().count(),
                of(words).len() * 2,
                "{words}: {examples}"
            );
            for sub in command
                .get_subcommands_mut()
                .filter(|sub| sub.get_name() != "help")
            {
                let inner = format!("{words} {}", sub.get_name());
                check(sub, inner.trim_start());
            }
        }
        let mut command = shown_in(Cli::command());
        check(&mut command, "");
        assert!(
            command
                .render_help()
                .to_string()
                .contains("Exit codes: 0 fast enough")
        );
        let serve = command.find_subcommand_mut("serve").unwrap();
        assert!(
            serve
                .render_long_help()
                .to_string()
                .contains("One port serves everything")
        );
    }
}
