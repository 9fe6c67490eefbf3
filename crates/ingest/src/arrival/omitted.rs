//! Marks of omission: whoever wrote down an output left lines out, and says so.

/// What says that something was left out, and what may stand beside it.
const SAID: [&str; 12] = [
    "snip",
    "snipped",
    "cut",
    "omitted",
    "truncated",
    "removed",
    "skipped",
    "suppressed",
    "deleted",
    "trimmed",
    "elided",
    "snippage",
];
const BESIDE: [&str; 14] = [
    "output", "lines", "line", "rows", "text", "rest", "of", "the", "more", "some", "for", "here", "brevity",
    "and",
];
/// What marks are put in.
const FRAME: [char; 13] = ['[', ']', '<', '>', '(', ')', '{', '}', '-', '=', '*', '~', ' '];

/// Whether the line says that lines were left out here: `...`, `[...]`, `<snip>`, `--snip--`, `<<output omitted>>`, `[cut]`, `…`,
/// `.`, `... 12 lines omitted ...`. Words without a frame or dots are somebody's sentence.
pub(crate) fn is_omission(line: &str) -> bool {
    let text = line.trim_ascii();
    // Hardly any line is one, and most are told by their first sign.
    let may_be = text
        .bytes()
        .next()
        .is_some_and(|first| !first.is_ascii_alphanumeric() || matches!(first, b's' | b'S'));
    if !may_be || text.len() > 64 {
        return false;
    }
    // `!---` begins a remark in a configuration; behind dots `!` is an answer to a ping.
    let framed = text.trim_start_matches('!').trim_matches(FRAME);
    let inner = framed.trim_matches(['.', ' ', '\u{2026}']);
    let is_framed = framed.len() < text.len();
    let has_dots = inner.len() < framed.len();
    if inner.is_empty() {
        // A rule is none, and neither is an empty frame.
        return has_dots;
    }
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut words = inner.split([' ', '-', '.', ',']).filter(|word| !word.is_empty());
    let mut is_said = false;
    let is_mark = words.all(|word| {
        let word = word.to_ascii_lowercase();
        let says = SAID.contains(&word.as_str());
        is_said |= says;
        says || BESIDE.contains(&word.as_str()) || is_number(&word)
    });
    let is_alone = SAID.iter().any(|said| inner.eq_ignore_ascii_case(said));
    // `... more`: dots need no verb.
    let is_told = match is_said {
        true => is_framed || has_dots || is_alone,
        false => has_dots && !is_number_alone(inner),
    };
    is_mark && is_told
}

fn is_number_alone(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_known_and_nothing_else_is_one() {
        for mark in [
            "...",
            ".",
            "  ...  ",
            ". . .",
            "\u{2026}",
            "[...]",
            "(...)",
            "[\u{2026}]",
            "<...>",
            "<snip>",
            "[snip]",
            "--snip--",
            "-- SNIP --",
            "-----<snip>-----",
            "*snip*",
            "snip",
            "<output omitted>",
            "<<output omitted>>",
            "(output omitted)",
            "!--- Output suppressed.",
            "[cut]",
            "... 12 lines omitted ...",
            "... more",
            "[rest of the output truncated]",
        ] {
            assert!(is_omission(mark), "{mark}");
        }
        for other in [
            "",
            "-----",
            "- - - - -",
            "========",
            "[]",
            "...!!",
            "..!..",
            "! 5",
            ".5",
            "... 12",
            "snip the rest",
            "cut of the port",
            "Then some lines were omitted",
            "<BROADCAST>",
            "3 packets dropped",
            "...: 5",
            "[  5]",
            "--More--",
        ] {
            assert!(!is_omission(other), "{other}");
        }
    }
}
