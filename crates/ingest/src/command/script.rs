//! What a line of several commands or a loop prints, part by part: whose output each part is, the words of `echo` in front of it tell.

use super::{Words, divided, name, options};
use crate::command::runners::{Where, runner};

/// A part of what is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A line with these words, of `echo`.
    Says(String),
    /// A line with the name of the host.
    Names,
    /// A line that says nothing of what is below it: a user, a folder.
    Word,
    /// What this command prints.
    Runs(String),
}

/// More parts, and deeper loops, nobody types.
const MOST_STEPS: usize = 500;
const DEEPEST: usize = 4;

/// What prints nothing, or what is known for what it is wherever it stands.
const QUIET: [&str; 14] = [
    "date", "sleep", "true", ":", "cd", "clear", "export", "set", "wait", "uptime", "sync", "exit", "mkdir",
    "unset",
];
/// What prints a line that says nothing of other outputs.
const OF_ONE_WORD: [&str; 6] = ["whoami", "id", "pwd", "nproc", "arch", "uname"];
/// What no order of outputs can be told of: whether, and how often, the commands in them run.
const CONDITIONAL: [&str; 7] = ["while", "until", "if", "case", "select", "function", "eval"];

/// The parts, in their order; `None` where they cannot be told before it runs.
pub(crate) fn steps(command: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    list(command, DEEPEST, &mut steps)?;
    Some(steps)
}

fn list(commands: &str, depth: usize, steps: &mut Vec<Step>) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let commands: Vec<&str> = divided(commands, &[";", "&&"]).collect();
    let mut rest = commands.as_slice();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if let Some(head) = first.strip_prefix("for ") {
            let end = end_of_loop(behind)?;
            let body = behind.get(..end)?.join("; ");
            rest = behind.get(end + 1..)?;
            each(head, body.strip_prefix("do ")?, depth, steps)?;
        } else if !first.is_empty() {
            one(first, depth, steps)?;
        }
        if steps.len() > MOST_STEPS {
            return None;
        }
    }
    Some(())
}

/// Where the loop ends that was begun before these commands.
fn end_of_loop(commands: &[&str]) -> Option<usize> {
    let mut open = 1;
    commands.iter().position(|command| {
        let command = command.strip_prefix("do ").unwrap_or(command);
        open += i32::from(command.starts_with("for "));
        // What is printed may be written down on the way.
        let is_end = command == "done" || command.starts_with("done | tee ");
        open -= i32::from(is_end);
        open == 0
    })
}

/// `i in eth0 eth1`: the body with each of the words.
fn each(head: &str, body: &str, depth: usize, steps: &mut Vec<Step>) -> Option<()> {
    let (variable, words) = head.trim_ascii().split_once(" in ")?;
    // What a shell makes words of is not known here.
    if words.contains(['$', '*', '?', '{', '`', '(', '\'', '"']) {
        return None;
    }
    words
        .split_ascii_whitespace()
        .try_for_each(|word| list(&with_value(body, variable, word), depth, steps))
}

/// The commands with a value for a variable. In single quotation marks it is another shell's.
fn with_value(commands: &str, variable: &str, value: &str) -> String {
    let mut written = String::with_capacity(commands.len());
    let (mut rest, mut open) = (commands, None);
    while let Some(sign) = rest.chars().next() {
        let behind = rest.strip_prefix('$').filter(|_| open != Some('\''));
        let behind = behind.and_then(|name| behind_name(name, variable));
        if let Some(behind) = behind {
            written.push_str(value);
            rest = behind;
            continue;
        }
        match open {
            Some(mark) if mark == sign => open = None,
            None if matches!(sign, '\'' | '"') => open = Some(sign),
            _ => {}
        }
        written.push(sign);
        rest = rest.get(sign.len_utf8()..).unwrap_or_default();
    }
    written
}

/// What stands behind `i` or `{i}`, where that is the whole name.
fn behind_name<'l>(text: &'l str, variable: &str) -> Option<&'l str> {
    if let Some(inner) = text.strip_prefix('{') {
        return inner.strip_prefix(variable)?.strip_prefix('}');
    }
    let behind = text.strip_prefix(variable)?;
    let is_whole = !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    is_whole.then_some(behind)
}

/// One command.
fn one(command: &str, depth: usize, steps: &mut Vec<Step>) -> Option<()> {
    let mut words = Words::of(command);
    let first = words.next()?;
    if CONDITIONAL.contains(&first)
        || command.contains("||")
        || command.ends_with('&')
        || first.contains(['(', '{'])
    {
        return None;
    }
    match name(first) {
        "echo" => steps.extend(said(command)?),
        "hostname" if words.all(options::is_option) => steps.push(Step::Names),
        program if QUIET.contains(&program) => {}
        program if OF_ONE_WORD.contains(&program) => steps.push(Step::Word),
        program if runner(program) == Some(Where::Login) => return there(command, depth, steps),
        _ => steps.push(Step::Runs(command.to_owned())),
    }
    Some(())
}

/// What `echo` says; nothing for a blank line.
fn said(command: &str) -> Option<Option<Step>> {
    let text = command.split_once("echo").map(|(_, text)| text.trim_ascii())?;
    let is_option = ["-n", "-e", "-ne", "-en"]
        .iter()
        .any(|option| text.starts_with(option));
    let is_quoted = |mark| text.len() > 1 && text.starts_with(mark) && text.find(mark) != text.rfind(mark);
    let is_sent = text.contains(['|', '>', '<']) && !is_quoted('"') && !is_quoted('\'');
    if is_option || is_sent || text.contains(['$', '`', '\\']) {
        return None;
    }
    let text = words(&text.replace(['"', '\''], ""));
    Some((!text.is_empty()).then_some(Step::Says(text)))
}

/// The words with one blank between them.
pub(crate) fn words(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// `ssh h1 'a; b'`: each of the commands in quotation marks runs there.
fn there(command: &str, depth: usize, steps: &mut Vec<Step>) -> Option<()> {
    let mark = command.chars().find(|sign| matches!(sign, '\'' | '"'));
    let within = mark.and_then(|mark| {
        let (before, behind) = command.split_once(mark)?;
        Some((before, behind.strip_suffix(mark)?, mark))
    });
    let Some((before, within, mark)) = within.filter(|(_, within, mark)| !within.contains(*mark)) else {
        steps.push(Step::Runs(command.to_owned()));
        return Some(());
    };
    let mut inner = Vec::new();
    list(within, depth, &mut inner)?;
    steps.extend(inner.into_iter().map(|step| match step {
        Step::Runs(inner) => Step::Runs(format!("{before}{mark}{inner}{mark}")),
        other => other,
    }));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str) -> Option<Vec<String>> {
        let told = |step| match step {
            Step::Says(words) => format!("says {words}"),
            Step::Names => "names".to_owned(),
            Step::Word => "word".to_owned(),
            Step::Runs(command) => command,
        };
        Some(steps(command)?.into_iter().map(told).collect())
    }

    #[test]
    fn loops_are_written_out() {
        for (command, parts) in [
            ("a x; b y && c", vec!["a x", "b y", "c"]),
            (
                "for i in x y; do echo \"== $i  ==\"; a -S $i; done",
                vec!["says == x ==", "a -S x", "says == y ==", "a -S y"],
            ),
            (
                "for h in g h; do ssh $h 'hostname; a ${x}; sleep 1'; done",
                vec!["names", "ssh g 'a ${x}'", "names", "ssh h 'a ${x}'"],
            ),
            (
                "for i in x y; do for j in 1 2; do a $i$j $ij; done; done | tee log",
                vec!["a x1 $ij", "a x2 $ij", "a y1 $ij", "a y2 $ij"],
            ),
            ("cd /tmp; whoami; a", vec!["word", "a"]),
            ("ssh h \"a | b\"", vec!["ssh h \"a | b\""]),
            ("echo; a", vec!["a"]),
        ] {
            assert_eq!(
                told(command).as_deref(),
                Some(
                    parts
                        .iter()
                        .map(|part| (*part).to_owned())
                        .collect::<Vec<_>>()
                        .as_slice()
                ),
                "{command}"
            );
        }
        for command in [
            "for i in $(ls); do a $i; done",
            "for i in x; do a $i",
            "while true; do a; done",
            "a || b",
            "(a; b)",
            "echo $(date); a",
            "for i in x y; do a $i; done | sort",
        ] {
            assert_eq!(told(command), None, "{command}");
        }
    }
}
