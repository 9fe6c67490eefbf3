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

/// Whether a listing begins again with this line: it is the first such line once more, with other figures perhaps. What stands
/// twice in a row is a line that was doubled.
pub(in crate::formats) fn begins_again(block: &Block, line: &str, is_such: fn(&str) -> bool) -> bool {
    is_such(line)
        && block.last_written() != Some(line)
        && block
            .first_such(is_such)
            .is_some_and(|first| is_alike(first, line))
}

/// Whether two lines have the same words, and figures where the other has figures.
fn is_alike(one: &str, other: &str) -> bool {
    let is_figure = |word: &str| word.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let (mut words, mut others) = (one.split_ascii_whitespace(), other.split_ascii_whitespace());
    loop {
        match (words.next(), others.next()) {
            (None, None) => return true,
            (Some(word), Some(other)) if word == other || is_figure(word) && is_figure(other) => {}
            _ => return false,
        }
    }
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

/// What is said of figures whose heading is lost: they are some interface's.
pub(in crate::formats) const NAMELESS: &str = "no line names the interface that this is of";

/// Whether `text` looks like the name of a Linux interface: no blanks, no more than the kernel allows.
pub(in crate::formats) fn is_interface(text: &str) -> bool {
    // IFNAMSIZ in linux/if.h, with its final zero; `@` and the interface below it may follow.
    let name = text.split('@').next().unwrap_or("");
    (1..=15).contains(&name.len()) && !name.contains([' ', '/', ':', '\t']) && !SAID_OF.contains(&name)
}

/// What headings say of a command, `# ethtool -S output`, where it has the name of an interface.
const SAID_OF: [&str; 6] = ["output", "outputs", "result", "results", "shows", "says"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_begins_again() {
        let is_such = |line: &str| line.starts_with("Tcp");
        let mut block = Block::default();
        block.begin(1, "# nstat");
        for line in ["TcpInSegs 17 0.0", "TcpOutSegs 20 0.0"] {
            block.push(line);
        }
        assert!(begins_again(&block, "TcpInSegs 19 0.0", is_such));
        assert!(begins_again(&block, "TcpInSegs 17 0.0", is_such));
        for line in ["TcpOutSegs 20 0.0", "TcpInSegs 17", "UdpInSegs 17 0.0"] {
            assert!(!begins_again(&block, line, is_such), "{line}");
        }
        // A line that was doubled.
        block.truncate(2);
        assert!(!begins_again(&block, "TcpInSegs 17 0.0", is_such));
    }

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
