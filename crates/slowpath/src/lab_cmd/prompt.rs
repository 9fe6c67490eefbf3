//! A network that is left up for a person to look around in.

use lab::Lab;
use std::io::{self, BufRead, Write};

use super::failure::Failure;
use crate::{output, terminal};

const HELP: &str = "\
HOST              a shell in that host or router
HOST COMMAND…     one command there
step NAME         take a step of the timeline
counters          what the emulated links have seen
hosts             the names
quit              take the network down";

/// Reads commands from standard input until it ends.
pub(super) fn run(lab: &Lab) -> Result<(), Failure> {
    terminal::note("The network is up. Commands:");
    HELP.lines().for_each(terminal::note);
    let mut lines = io::stdin().lock().lines();
    loop {
        let mut prompt = io::stderr();
        prompt.write_all(b"lab> ").and_then(|()| prompt.flush())?;
        let Some(line) = lines.next().transpose()? else {
            return Ok(());
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["quit" | "exit"] => return Ok(()),
            ["help" | "?"] => HELP.lines().for_each(terminal::note),
            ["hosts"] => lab
                .scenario()
                .nodes
                .iter()
                .for_each(|n| output::print(&format!("{}\n", n.name))),
            ["counters"] => counters(lab),
            ["step", name] => report(lab.step(name).map_err(|e| e.to_string())),
            [host] => report(start(lab, host, &["/bin/sh"])),
            [host, command @ ..] => report(start(lab, host, command)),
        }
    }
}

fn report(result: Result<(), String>) {
    if let Err(message) = result {
        terminal::note(&message);
    }
}

fn start(lab: &Lab, host: &str, words: &[&str]) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(());
    };
    let mut command = lab.command(host, program).map_err(|e| e.to_string())?;
    command
        .args(arguments)
        .status()
        .map(|_| ())
        .map_err(|e| format!("{program}: {e}"))
}

fn counters(lab: &Lab) {
    for direction in lab.counters() {
        let counters = direction.counters;
        let drops = lab::DropReason::ALL
            .iter()
            .zip(counters.drops)
            .filter(|(_, count)| *count > 0);
        let drops: Vec<String> = drops
            .map(|(reason, count)| format!("{} {count}", reason.name()))
            .collect();
        output::print(&format!(
            "{} -> {}: in {} packets, {} bytes; out {}; dropped: {}\n",
            direction.from,
            direction.to,
            counters.packets_in,
            counters.bytes_in,
            counters.packets_out,
            if drops.is_empty() {
                "none".to_owned()
            } else {
                drops.join(", ")
            }
        ));
    }
}
