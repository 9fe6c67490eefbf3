//! The command above an output: with a prompt, or bare as people type it into a mail.

use crate::block::Block;
use crate::command::{Run, Words, place, prompted};
use crate::prompt::{command_line, is_bare_prompt};
use evidence::HostFacts;

/// The words behind a program's name, when the line runs this program.
pub(in crate::formats) fn arguments<'a>(line: &'a str, program: &str) -> Option<Words<'a>> {
    Run::of(line, &[program]).map(|run| run.words())
}

/// Whether the block so far is nothing but the command that printed what follows, and a blank line perhaps.
pub(in crate::formats) fn is_only(block: &Block, is_command: impl Fn(&str) -> bool) -> bool {
    (block.len() == 1 || block.len() == 2 && block.last().is_some_and(|last| last.trim_ascii().is_empty()))
        && block.first().is_some_and(is_command)
}

/// Whether a line is the blank one that people leave between a command and what it printed.
pub(in crate::formats) fn is_gap(block: &Block, line: &str, is_command: impl Fn(&str) -> bool) -> bool {
    block.len() == 1 && line.trim_ascii().is_empty() && block.first().is_some_and(is_command)
}

/// Whether a line that stands among rows is one of words or damaged: no blank one, and no prompt.
pub(in crate::formats) fn is_noise(line: &str) -> bool {
    !line.trim_ascii().is_empty() && command_line(line).is_none() && !is_bare_prompt(line)
}

/// The host that the prompt in the first line names.
pub(in crate::formats) fn hostname(block: &Block) -> Option<String> {
    let typed = block.first().and_then(prompted)?;
    place(&typed).map(str::to_owned)
}

/// What is said of the host that the prompt names: nothing yet.
pub(in crate::formats) fn facts(block: &Block) -> HostFacts {
    HostFacts {
        hostname: hostname(block),
        ..HostFacts::default()
    }
}

/// Whether `text` looks like the name of a Linux interface: no blanks, no more than the kernel allows.
pub(in crate::formats) fn is_interface(text: &str) -> bool {
    // IFNAMSIZ in linux/if.h, with its final zero; `@` and the interface below it may follow.
    let name = text.split('@').next().unwrap_or("");
    (1..=15).contains(&name.len()) && !name.contains([' ', '/', ':', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_with_and_without_a_prompt() {
        for line in [
            "ethtool -S eth0",
            "$ sudo ethtool -S eth0",
            "[root@host ~]# /sbin/ethtool -S eth0",
            "watch -n 1 ethtool -S eth0",
        ] {
            let words: Vec<&str> = arguments(line, "ethtool").unwrap().collect();
            assert_eq!(words, ["-S", "eth0"], "{line}");
        }
        assert!(arguments("ethtools -S eth0", "ethtool").is_none());
        assert!(arguments("", "ethtool").is_none() && arguments("sudo", "ethtool").is_none());
        assert!(is_interface("eth0.10@eth0") && !is_interface("") && !is_interface("a b"));
    }
}
