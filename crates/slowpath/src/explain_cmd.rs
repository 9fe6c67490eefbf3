//! `slowpath explain`: the manual page of a fault, from the same declaration that judges it.

use crate::{exit, output};
use clap::Args;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Arguments of `slowpath explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code of a fault, for example MTU-002; without one, all faults are listed
    code: Option<String>,
}

/// Runs `slowpath explain`.
pub(crate) fn run(args: &ExplainArgs) -> ExitCode {
    let text = match args.code.as_deref() {
        None => list(),
        Some(code) => match diagnosis::explain(code) {
            Some(fault) => report::manual_text(fault.page, output::options()),
            None => return exit::usage(&unknown(code)),
        },
    };
    match output::try_print(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::usage(&format!("standard output: {error}")),
    }
}

fn list() -> String {
    let mut text = String::new();
    for fault in diagnosis::registry() {
        let _ = writeln!(text, "{:<9} {}", fault.code, fault.title());
    }
    text
}

/// The error for a code that is none, naming those that were perhaps meant.
fn unknown(code: &str) -> String {
    let codes: Vec<&str> = diagnosis::registry().iter().map(|fault| fault.code).collect();
    let near = near(code, &codes);
    let hint = if near.is_empty() {
        format!("known are {}", codes.join(", "))
    } else {
        format!("did you mean {}?", near.join(" or "))
    };
    format!("there is no fault {}; {hint}", report::clean(code))
}

/// The codes that `typed` is a slip or two away from, and those of the family that it begins with; nearest first.
fn near<'a>(typed: &str, codes: &[&'a str]) -> Vec<&'a str> {
    const SLIPS: usize = 2;
    let typed: Vec<char> = typed.trim().to_uppercase().chars().take(32).collect();
    let away = |code: &&'a str| (distance(&typed, &code.chars().collect::<Vec<char>>()), *code);
    let all: Vec<(usize, &str)> = codes.iter().map(away).collect();
    let nearest = all.iter().map(|(slips, _)| *slips).min().unwrap_or(0);
    let mut found = all;
    found.retain(|(slips, code)| (*slips <= SLIPS && *slips == nearest) || same_family(&typed, code));
    found.sort();
    found.into_iter().map(|(_, code)| code).collect()
}

/// `MTU`, `MTU-7` and `MTU-001` are of one family.
fn same_family(typed: &[char], code: &str) -> bool {
    let letters: String = typed.iter().take_while(|c| c.is_alphabetic()).collect();
    !letters.is_empty() && code.split('-').next() == Some(letters.as_str())
}

/// Edit distance after Levenshtein: insertions, deletions and replacements from one text to the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(b) {
            let replaced = diagonal + usize::from(from != to);
            diagonal = *cell;
            left = replaced.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_the_code_that_was_meant() {
        let codes = ["MTU-001", "MTU-002", "HOST-001", "LOSS-001", "OK-001"];
        for (typed, expected) in [
            ("mtu-02", vec!["MTU-002", "MTU-001"]),
            ("MTU", vec!["MTU-001", "MTU-002"]),
            ("LOS-001", vec!["LOSS-001"]),
            ("HOST-0O1", vec!["HOST-001"]),
            ("banana", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(near(typed, &codes), expected, "{typed}");
        }
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
        ] {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(distance(&a, &b), expected);
        }
    }

    #[test]
    fn every_fault_has_a_page_for_a_terminal() {
        for fault in diagnosis::registry() {
            let page = report::manual_text(fault.page, output::plain_options());
            assert!(
                page.starts_with(fault.code) && page.contains("\nReferences\n"),
                "{page}"
            );
            assert!(list().contains(fault.code));
        }
    }

    #[test]
    fn an_unknown_code_is_not_printed_raw() {
        assert!(!unknown("\u{1b}[31mMTU").contains('\u{1b}'));
    }
}
