//! `show interface(s)` of either maker: the command is the same, and only the first line of an interface tells which.

use super::section::{device, record, sections};
use super::{cisco, juniper};
use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::prompt::command_line;

pub(crate) static FORMAT: Format = Format {
    name: "show interfaces",
    group: Group::Interfaces,
    reads: "Cisco (IOS, IOS XR, NX-OS) and Juniper (brief to extensive), one interface or several",
    first: "A-Za-z",
    has_command: true,
    starts: |line| is_head(line) || is_command(line),
    continues: |_, line| {
        line.is_empty() || line.starts_with(' ') || line.starts_with("admin state is") || is_head(line)
    },
    takes_in: None,
    read,
};

fn is_head(line: &str) -> bool {
    cisco::is_head(line) || juniper::is_head(line)
}

/// Whether a line is a prompt with `show interface` or a shorter form of it, which routers take as well.
fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let mut words = typed.command.split_ascii_whitespace();
        let shortens = |word: Option<&str>, whole: &str, least: usize| {
            word.is_some_and(|word| word.len() >= least && whole.starts_with(word))
        };
        shortens(words.next(), "show", 2) && shortens(words.next(), "interfaces", 3)
    })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let device = device(block, context);
    for lines in sections(block, is_head) {
        let is_juniper = lines.first().is_some_and(|(_, head)| juniper::is_head(head));
        let mut interface = if is_juniper {
            juniper::read(&lines)
        } else {
            cisco::read(&lines)
        };
        interface.device = device.clone();
        record(findings, context, "show interfaces", &lines, interface);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts() {
        for yes in [
            "rtr-dmz>show interface",
            "user@router> show interfaces xe-0/0/0 extensive",
            "r#sh int",
        ] {
            assert!(is_command(yes), "{yes}");
        }
        for no in [
            "show interfaces",
            "rtr>show ip interface",
            "rtr>s i",
            "$ ping show",
        ] {
            assert!(!is_command(no), "{no}");
        }
    }
}
