//! `slowpath man`: manual pages, made of the definition that parses the command line.

use crate::examples::{self, Example};
use crate::{Cli, exit, output};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `slowpath man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command into this directory, which is made if it is not there [default: print that of slowpath]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

/// A page that cannot be made or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}: name a directory in which you may write, with --to")]
struct NotWritten {
    path: String,
    source: io::Error,
}

/// Runs `slowpath man`.
pub(crate) fn run(args: &ManArgs) -> ExitCode {
    let command = built();
    let Some(dir) = &args.to else {
        let page = page(&command, "");
        return output::finish(page.and_then(|page| output::try_print(&page)));
    };
    let about = |path: &Path| {
        let path = path.display().to_string();
        move |source| NotWritten { path, source }
    };
    let written = fs::create_dir_all(dir)
        .map_err(about(dir))
        .and_then(|()| write_below(&command, "", dir, &about));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::usage(&error.to_string()),
    }
}

/// Without the examples, which get a section of their own: in the text of others they would be filled up to long lines.
/// Built, so that each command knows the words before its own (`slowpath-case-add`).
fn built() -> Command {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    command
}

fn write_below<F>(
    command: &Command,
    words: &str,
    dir: &Path,
    about: &impl Fn(&Path) -> F,
) -> Result<(), NotWritten>
where
    F: FnOnce(io::Error) -> NotWritten,
{
    let file = dir.join(Man::new(command.clone()).get_filename());
    page(command, words)
        .and_then(|page| fs::write(&file, page))
        .map_err(about(&file))?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let inner = format!("{words} {}", sub.get_name());
        write_below(sub, inner.trim_start(), dir, about)?;
    }
    Ok(())
}

/// The page of the command behind the words `words`.
fn page(command: &Command, words: &str) -> io::Result<String> {
    let man = Man::new(command.clone())
        .source(concat!("slowpath ", env!("CARGO_PKG_VERSION")))
        .manual("slowpath");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    notes(command).to_writer(&mut page)?;
    section(examples::of(words)).to_writer(&mut page)?;
    // Each part brings the same definitions along; a page needs them once.
    let definitions = Roff::new().render();
    let text = String::from_utf8_lossy(&page).replace(&definitions, "");
    Ok(definitions + &text)
}

/// What stands behind the options in `--help`, a paragraph each.
fn notes(command: &Command) -> Roff {
    let mut roff = Roff::new();
    let Some(text) = command.get_after_long_help().or_else(|| command.get_after_help()) else {
        return roff;
    };
    roff.control("SH", ["NOTES"]);
    for paragraph in text.to_string().split("\n\n") {
        // What is set in is meant to stay as it is: a file to copy.
        let is_set_in = paragraph.lines().all(|line| line.starts_with("  "));
        roff.control("PP", []);
        if is_set_in {
            roff.control("nf", []);
        }
        for line in paragraph.lines() {
            roff.text([roman(line)]);
        }
        if is_set_in {
            roff.control("fi", []);
        }
    }
    roff
}

fn section(examples: &[Example]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]);
    for Example { line, shows } in examples {
        roff.control("TP", []);
        roff.text([bold(*line)]);
        roff.text([roman(*shows)]);
    }
    roff
}
