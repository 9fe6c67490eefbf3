//! Prompts that hold blanks: themes of shells, appliances.

use crate::prompt::{CommandLine, command_line, is_shell, is_tag};

/// What such prompts end with, and a blank behind it.
const SIGNS: [char; 9] = [
    '>', '#', '$', '%', '\u{276f}', '\u{279c}', '\u{bb}', '\u{3bb}', '\u{2717}',
];
/// What such a sign may begin with.
static MAY_BE_SIGN: [bool; 256] = {
    let mut may_be = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        may_be[byte] = matches!(byte as u8, b'>' | b'#' | b'$' | b'%') || byte >= 0x80;
        byte += 1;
    }
    may_be
};
/// No prompt is longer, bytes.
const LONGEST: usize = 80;

/// The command of a line that has a prompt of any kind: `root@a ~ # ping …`, `FGT # execute …`, `[admin@m1] > tool …`, `(wlc1) >ping …`,
/// `(base) ops@a:~$ …`, `➜  ~ ping …`, `+ ping …` of a script that tells what it does.
///
/// Prose holds such signs too, so it is asked only of lines that hold the name of a program.
pub(crate) fn prompted(line: &str) -> Option<CommandLine<'_>> {
    command_line(line).or_else(|| with_blanks(line))
}

/// The same, where `command_line` found none.
pub(crate) fn with_blanks(line: &str) -> Option<CommandLine<'_>> {
    // An indentation stands before each line of a copy, and is none of the prompt.
    let text = line.trim_ascii_end();
    let traced = text.strip_prefix("+ ").or_else(|| text.strip_prefix("++ "));
    if let Some(command) = traced {
        return Some(CommandLine::on(None, command));
    }
    // The theme of zsh that most use has its sign in front: the folder, and what git says of it, follow.
    if let Some(rest) = without_environment(text).strip_prefix('\u{279c}') {
        return behind_folder(rest.trim_start());
    }
    // pfSense: `[2.7.2-RELEASE][admin@fw1.example]/root: ifconfig`.
    if let Some((_, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once("]["))
        && let Some((who, behind)) = rest.split_once(']')
        && let Some((folder, command)) = behind.split_once(": ")
    {
        let is_whole = who.contains('@') && folder.starts_with(['/', '~']) && !folder.contains(' ');
        return is_whole.then(|| CommandLine::on(device(who), command.trim_ascii()));
    }
    // Most lines have none of the signs.
    let begin = text.as_bytes();
    let begin = begin.get(..LONGEST).unwrap_or(begin);
    begin.iter().position(|byte| MAY_BE_SIGN[usize::from(*byte)])?;
    let (at, sign) = text
        .char_indices()
        .take_while(|(at, _)| *at < LONGEST)
        .find(|(at, sign)| SIGNS.contains(sign) && is_prompt(text, *at, *sign))?;
    let command = text.get(at + sign.len_utf8()..)?.trim_ascii();
    (!command.is_empty()).then(|| CommandLine::on(text.get(..at).and_then(device), command))
}

/// Without the environment of Python that stands before prompts: `(base) ➜  ~ ifconfig`.
fn without_environment(text: &str) -> &str {
    let named = text.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    named
        .filter(|(name, _)| !name.contains(' '))
        .map_or(text, |(_, rest)| rest)
}

/// Whether what ends with this sign is a prompt: it stands apart from the words around it or belongs to a bracket, and what is before it
/// names a user's host, an appliance or a folder.
fn is_prompt(text: &str, at: usize, sign: char) -> bool {
    let (Some(before), Some(behind)) = (text.get(..at), text.get(at + sign.len_utf8()..)) else {
        return false;
    };
    let is_apart = behind.starts_with(' ') || sign == '>' && before.trim_end().ends_with(')');
    let name = before.trim_end();
    if name.starts_with([' ', '\t']) {
        return false;
    }
    let words = name.split_ascii_whitespace().count();
    is_apart
        && match words {
            0 => before.is_empty() && sign != '>' && sign != '#',
            // `5 % of`, `Test # 5`: a word that is no name, or a sign that is part of a sentence.
            // Root in a container: `/ # ping …`.
            1 if matches!(name, "/" | "~") => matches!(sign, '#' | '$'),
            1 => name.bytes().any(|byte| byte.is_ascii_alphabetic()) && (sign != '%' || name.contains('@')),
            // What stands before each line of a copy, such as a clock, is not part of the prompt.
            // A flag of an interface is none: `eth1.10@eth1: <BROADCAST,UP>`.
            2..=4 if name.contains(['<', ',']) => false,
            2..=4 => {
                let first = name.split(' ').next().unwrap_or_default();
                first.contains('@')
                    || first.starts_with('(')
                    || first == "PS"
                    || words == 2 && (name.ends_with(" ~") || sign == '$' && is_of_macos(first))
            }
            _ => false,
        }
}

/// The host in a prompt: behind the user's name, the only word, before a folder, or as macOS' bash has it (`Mac:~ anna`).
fn device(prompt: &str) -> Option<&str> {
    let prompt = without_status(prompt.trim_ascii());
    // A tag around code: `<CodeBlock>{`$ ping …`.
    if prompt.starts_with('<') && prompt.contains('>') {
        return None;
    }
    let host = match prompt.split_once('@') {
        Some((_, behind)) => behind,
        None if is_before_folder(prompt) => prompt,
        None if !prompt.contains(' ') => prompt.trim_start_matches(['(', '[', '<']),
        None => return None,
    };
    let host = host
        .split([' ', ':', '(', ']', ')', '>', '~'])
        .next()
        .unwrap_or("");
    let is_name = host.bytes().any(|byte| byte.is_ascii_alphabetic());
    (is_name && !is_time(host) && !is_shell(host) && !is_tag(host)).then_some(host)
}

/// The shell of Android puts before it what the last command ended with: `130|pixel:/ $`.
fn without_status(prompt: &str) -> &str {
    let told = prompt.split_once('|');
    told.filter(|(status, _)| status.parse::<u8>().is_ok())
        .map_or(prompt, |(_, prompt)| prompt)
}

/// `dtn1 ~`, `Mac:~ anna`, `Mac:Documents anna`
fn is_before_folder(prompt: &str) -> bool {
    let mut words = prompt.split(' ');
    let (Some(first), Some(second), None) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    matches!(second.as_bytes().first(), Some(b'~' | b'/')) || is_of_macos(first)
}

/// `Annas-MacBook-Pro:~`: the host and the folder, before the user.
fn is_of_macos(word: &str) -> bool {
    word.split_once(':').is_some_and(|(host, folder)| {
        !folder.is_empty()
            && host.bytes().any(|byte| byte.is_ascii_alphabetic())
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
    })
}

/// `2024-03-05T10:11:12Z $ …`: a clock that a log writes before each line is no host.
fn is_time(word: &str) -> bool {
    let date = word.split_once('T').map_or(word, |(date, _)| date);
    date.split('-').count() == 3 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// `~ git:(main) ✗ ping …`: the command behind the folder.
fn behind_folder(text: &str) -> Option<CommandLine<'_>> {
    let (_, mut command) = text.split_once(' ')?;
    command = command.trim_start();
    if let Some(rest) = command.strip_prefix("git:(") {
        command = rest.split_once(')')?.1.trim_start();
    }
    command = command.trim_start_matches(['\u{2717}', '\u{2718}', ' ']);
    (!command.is_empty()).then_some(CommandLine::on(None, command))
}
