//! A program that somebody ran, as the line above its output tells: behind which prompt, by means of what, and with which words.
//!
//! What a format makes of the words is its own. How a command is found, what runs it for somebody (`sudo`, `timeout 30`,
//! `ip netns exec h1`, `ssh host`), where it ends and what its quotation marks hold is the same for all.

mod bare;
mod dates;
pub(crate) mod options;
mod place;
mod prompted;
mod runners;
mod script;
mod watched;
mod words;

pub(crate) use bare::bare;
pub(crate) use dates::Dates;
pub(crate) use place::{place, shows_file};
pub(crate) use prompted::{prompted, with_blanks};
pub(crate) use script::{Step, steps, words as said_words};
pub(crate) use watched::watched;
pub(crate) use words::Words;

use crate::prompt::CommandLine;
use crate::text;
use runners::{Where, runner};

/// A program that a line runs.
#[derive(Debug, Clone)]
pub(crate) struct Run<'l> {
    /// The host that it runs on, where the prompt or a login tells.
    pub(crate) device: Option<&'l str>,
    /// Whether a prompt stands before it. Without one, prose may begin like this.
    pub(crate) is_prompted: bool,
    /// Its name without the folder, `.exe` and a version.
    pub(crate) program: &'l str,
    /// What was typed, with what runs the program.
    pub(crate) typed: &'l str,
    words: Words<'l>,
}

/// The prompt of mininet, which is that of all its hosts: the first word names one.
const MININET: &str = "mininet";
/// No command is longer, bytes: what a script builds may be, and a document in one line.
const LONGEST: usize = 1_000;
/// No more words stand between what runs a program and the program.
const MOST_BETWEEN: usize = 20;

impl<'l> Run<'l> {
    /// The program of a line, if it is such a one; none where the line runs two of them.
    pub(crate) fn find(line: &'l str, is_such: impl Fn(&str) -> bool) -> Option<Self> {
        if line.len() > LONGEST {
            return None;
        }
        let at_prompt = prompted(line);
        let typed = at_prompt.unwrap_or(CommandLine::on(
            None,
            // In a text it may end as a sentence or a heading does.
            line.trim_ascii().trim_end_matches([':', ',', '.']),
        ));
        let device = typed.device();
        let mut found = None;
        for (place, command) in commands(typed.command).enumerate() {
            let Some((program, device, words)) = such(command, device, at_prompt.is_some(), &is_such) else {
                continue;
            };
            if found.is_some() {
                // Where the one's output ends, and which host or interface the other was about, nobody tells.
                return None;
            }
            // Prose, too, goes on behind a semicolon.
            if place == 0 || at_prompt.is_some() {
                found = Some(Self {
                    device,
                    is_prompted: at_prompt.is_some(),
                    program,
                    typed: typed.command,
                    words,
                });
            }
        }
        found
    }

    /// The program of a line, if it is one of these.
    pub(crate) fn of(line: &'l str, programs: &[&str]) -> Option<Self> {
        // Asked of every line: what holds the name of none is no command of theirs.
        programs
            .iter()
            .any(|program| text::holds(line, program))
            .then(|| Self::find(line, |name| programs.contains(&name)))?
    }

    /// The words behind its name.
    pub(crate) fn words(&self) -> Words<'l> {
        self.words.clone()
    }

    /// Whether it is typed as a command is and prose is not: at a prompt, or with an option first.
    pub(crate) fn is_typed(&self) -> bool {
        self.is_prompted || self.words.peek().is_some_and(options::is_option)
    }
}

/// The program of a command, if it is such a one: its name, the host that it runs on, and the words behind it.
fn such<'l>(
    command: &'l str,
    mut device: Option<&'l str>,
    is_prompted: bool,
    is_such: impl Fn(&str) -> bool,
) -> Option<(&'l str, Option<&'l str>, Words<'l>)> {
    let mut words = Words::of(command);
    if device == Some(MININET) {
        device = words.next();
    }
    loop {
        let name = name(words.next()?);
        // `ip netns exec ns1 ip -s link`: it runs itself.
        if name == "ip" && words.peek().is_some_and(|word| matches!(word, "netns" | "vrf")) {
            let mut inner = words.clone();
            inner.next();
            if inner.next() == Some("exec") && inner.next().is_some() {
                (words, device) = (inner, None);
                continue;
            }
        }
        if is_such(name) {
            return Some((name, device, words.within()));
        }
        let place = runner(name)?;
        let between = words.clone();
        for passed in 0.. {
            let next = words.peek()?;
            if is_such(self::name(next)) || passed == 0 && runner(self::name(next)).is_some() {
                break;
            }
            let is_prose = !is_prompted && next.ends_with([',', '.', ':']);
            if is_prose || passed == MOST_BETWEEN {
                return None;
            }
            words.next();
        }
        device = match place {
            Where::Here => device,
            Where::Login => place::login(between),
            Where::Elsewhere => None,
        };
    }
}

/// The commands of a line that run one after the other: behind `;`, `&&` and `||`, outside of quotation marks.
fn commands(line: &str) -> impl Iterator<Item = &str> {
    divided(line, &[";", "&&", "||"])
}

/// What stands between signs of the shell, outside of quotation marks.
pub(crate) fn divided<'l>(line: &'l str, signs: &'static [&'static str]) -> impl Iterator<Item = &'l str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let end = first_of(line, signs);
        let command = end.map_or(line, |at| line.get(..at).unwrap_or_default());
        rest = end.map(|at| {
            line.get(at..)
                .unwrap_or_default()
                .trim_start_matches([';', '&', '|'])
        });
        Some(command.trim_ascii())
    })
}

/// Where the first of some signs of the shell stands outside of quotation marks. Most commands have none.
fn first_of(line: &str, signs: &[&str]) -> Option<usize> {
    let bytes = line.as_bytes();
    memchr::memchr3(b';', b'&', b'|', bytes)?;
    let mut open = None;
    bytes.iter().enumerate().position(|(at, byte)| {
        match (open, byte) {
            (Some(mark), byte) if mark == byte => open = None,
            (None, b'\'' | b'"') => open = Some(byte),
            (None, b';' | b'&' | b'|') => {
                let behind = bytes.get(at..).unwrap_or_default();
                return signs.iter().any(|sign| behind.starts_with(sign.as_bytes()));
            }
            _ => {}
        }
        false
    })
}

/// Whether what was typed prints more than one output: commands in a row, loops.
pub(crate) fn is_several(command: &str) -> bool {
    let count = divided(command, &[";", "&&"])
        .filter(|command| !command.is_empty())
        .count();
    // What runs elsewhere, or in another shell, stands in quotation marks.
    count > 1 || runs_another(command) && [";", "&&"].iter().any(|sign| command.contains(sign))
}

/// Whether what was typed runs on many hosts at once.
pub(crate) fn asks_many(command: &str) -> bool {
    first_program(command).is_some_and(|(name, _)| runners::asks_many(name))
}

/// The program that a command runs on this host, which may run another one elsewhere, and the words behind it.
fn first_program(command: &str) -> Option<(&str, Words<'_>)> {
    let mut words = Words::of(command);
    loop {
        let name = name(words.next()?);
        if runner(name) != Some(Where::Here) {
            return Some((name, words));
        }
    }
}

/// Whether the first word of a line is the name of what runs another program.
pub(crate) fn runs_another(line: &str) -> bool {
    let first = line.split_ascii_whitespace().next().unwrap_or_default();
    runner(name(first)).is_some()
}

/// The name of a program without its folder, and without what differs from host to host: `.exe`, a version (`nuttcp-8.1.4`).
fn name(word: &str) -> &str {
    // A shell of its own runs what stands in brackets.
    let word = match word.as_bytes().first() {
        Some(b'(' | b'{') => word.trim_start_matches(['(', '{']),
        _ => word,
    };
    let folder = word.bytes().rposition(|byte| matches!(byte, b'/' | b'\\'));
    let name = folder.and_then(|at| word.get(at + 1..)).unwrap_or(word);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match text::split_once(name, b'-') {
        Some((program, version))
            if version.starts_with(|c: char| c.is_ascii_digit())
                && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            program
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_a_program_changes_nothing_but_the_place() {
        for (line, device) in [
            ("mtr -r b.example", None),
            ("mtr -r b.example:", None),
            ("$ mtr -r b.example", None),
            ("root@a1:~# mtr -r b.example", Some("a1")),
            ("root@a1:~# sudo -u x /usr/sbin/mtr -r b.example", Some("a1")),
            (
                "[root@a1 ~]# LC_ALL=C timeout -k 5 30 mtr -r b.example",
                Some("a1"),
            ),
            (
                "a1# numactl -N 0 taskset -c 2,3 mtr -r b.example | tee log",
                Some("a1"),
            ),
            ("a1# time mtr -r 'b.example'; date", Some("a1")),
            ("a1# watch -n1 \"mtr -r b.example\"", Some("a1")),
            ("c1# ssh a1 'mtr -r b.example; date' | tee log", Some("a1")),
            ("a1# mtr -r b.example > /tmp/x 2>&1 &", Some("a1")),
            ("root@c1:~# ssh -p 22 -i key ops@a1 mtr -r b.example", Some("a1")),
            ("root@c1:~# ip netns exec h1 mtr -r b.example", None),
            ("root@c1:~# kubectl exec -it pod -- mtr -r b.example", None),
            ("mininet> h1 mtr -r b.example", Some("h1")),
            ("PS C:\\x> mtr-0.95.exe -r b.example", None),
            ("root@a1 ~ # mtr -r b.example", Some("a1")),
            ("(base) ops@a1:~/x$ mtr -r b.example", Some("a1")),
            ("user@a1 ~ % mtr -r b.example # from the office", Some("a1")),
            ("\u{279c}  ~ git:(main) \u{2717} mtr -r b.example", None),
            ("+ mtr -r b.example", None),
        ] {
            let run = Run::of(line, &["mtr"]).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((run.program, run.device), ("mtr", device), "{line}");
            assert_eq!(run.words().collect::<Vec<_>>(), ["-r", "b.example"], "{line}");
            assert_eq!(run.is_prompted, !line.starts_with("mtr"), "{line}");
            assert!(run.is_typed(), "{line}");
        }
    }

    #[test]
    fn of_two_in_one_line_nobody_knows_which_printed_what() {
        for line in [
            "$ tc -s qdisc show dev a && tc -s qdisc show dev b",
            "tc -s qdisc show dev a; tc -s qdisc show dev b",
            "a1# tc -s qdisc || ssh b1 tc -s qdisc",
        ] {
            assert!(Run::of(line, &["tc"]).is_none(), "{line}");
        }
        for line in [
            "$ cd /tmp; tc -s qdisc",
            "$ tc -s qdisc; date",
            "$ tc -s qdisc 'a; tc b'",
        ] {
            assert!(Run::of(line, &["tc"]).is_some(), "{line}");
        }
        for (typed, several) in [
            ("ss; date", true),
            ("ssh b1 'ss; date'", true),
            ("awk '{print $1; print $2}' f", false),
            ("a || b", false),
        ] {
            assert_eq!(is_several(typed), several, "{typed}");
        }
    }

    #[test]
    fn prose_runs_nothing() {
        for line in [
            "",
            "we ran mtr -r b.example",
            "In one case > 5 % were lost, mtr says",
            "ssh",
            "time is short, and mtr",
        ] {
            let run = Run::of(line, &["mtr"]).filter(Run::is_typed);
            assert!(run.is_none(), "{line}: {run:?}");
        }
    }
}
