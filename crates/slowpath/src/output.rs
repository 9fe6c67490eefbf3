//! Standard output: how wide it is, and writing to it as long as somebody reads. Whatever goes through here is cleaned, as on
//! standard error ([`crate::terminal`]).

use crate::{exit, terminal};
use evidence::{Case, VerdictFile};
use report::{Detail, Style, TextOptions};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Longer lines than this are hard to read, however wide the terminal.
const WIDEST: u16 = 110;
/// When there is no terminal to ask: a file, a pipe, a ticket.
const WITHOUT_TERMINAL: u16 = 100;

/// How to lay text out for standard output. Colour codes are always there: `anstream` takes them out where standard
/// output is no terminal or the user wants none (`NO_COLOR`).
pub(crate) fn options() -> TextOptions {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.min(WIDEST));
    TextOptions {
        width: terminal.unwrap_or(WITHOUT_TERMINAL).into(),
        style: Style::Ansi,
    }
}

/// Layout for a file.
pub(crate) fn plain_options() -> TextOptions {
    TextOptions {
        width: WITHOUT_TERMINAL.into(),
        style: Style::Plain,
    }
}

/// In which form a verdict is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The newest, whole.
    Text,
    /// How slow, why, where, how sure, and what to do.
    Brief,
    /// Those of all rounds.
    Json,
    /// The same on one line, after the observations on lines of their own.
    JsonLine,
}

/// Prints a verdict.
pub(crate) fn verdict(case: &Case, verdicts: &VerdictFile, form: Form) {
    match form {
        Form::Text => print(&report::verdict_text(case, verdicts, options())),
        Form::Brief => print(&report::case_text(case, verdicts, Detail::Brief, options())),
        Form::Json => print(&report::json(verdicts)),
        Form::JsonLine => print_json(&evidence::to_json_line(verdicts)),
    }
}

/// Writes to standard output. A failure is said on standard error and changes nothing else: the exit code is the
/// result's.
pub(crate) fn print(text: &str) {
    if let Err(error) = try_print(text) {
        terminal::complain(&format!("standard output: {error}"));
    }
}

/// Writes a document or a line of JSON to standard output, characters that act unseen as `\u` escapes: a program reads
/// what was there.
pub(crate) fn print_json(json: &str) {
    print(&report::json_escaped(json));
}

/// The exit code of a command whose only result is what it printed.
pub(crate) fn finish(written: io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::usage(&format!("standard output: {error}")),
    }
}

/// Writes to standard output, for commands whose only result is that text. Line feeds and colours stay.
///
/// # Errors
/// When it cannot be written; a reader who has seen enough (`| head`) is no error.
pub(crate) fn try_print(text: &str) -> io::Result<()> {
    let text = report::clean_screen(text);
    // Where there are no colours, none need be looked for.
    let written = match text.contains('\u{1b}') {
        true => write(anstream::stdout().lock(), &text),
        false => write(anstream::stdout().into_inner().lock(), &text),
    };
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn write(mut stdout: impl Write, text: &str) -> io::Result<()> {
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
