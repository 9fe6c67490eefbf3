//! What a terminal or a browser shows of a line: no colours, no marks without width, blanks that are blanks.

use super::remarks::without_remarks;
use crate::prompt::{behind_prompt, is_bare_prompt};
use crate::when::is_router_clock;
use memchr::{memchr, memchr_iter, memchr3, memmem};
use std::borrow::Cow;

/// Whether any line of the text may hold something to take away: escapes, backspaces, or the first bytes of blanks that
/// are no ASCII. Asked of large pieces at once.
pub(crate) fn may_be_unclean(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks();
    if !words.iter().any(is_odd_word) && !rest.iter().any(is_odd) {
        return false;
    }
    // U+0080 to U+00AD, U+061C, U+2000 to U+206F, U+3000 and U+FEFF begin with these in UTF-8.
    memchr3(0x1b, 0x08, 0xc2, text).is_some()
        || memchr3(0xe2, 0xe3, 0xef, text).is_some()
        || memchr3(0x07, 0x7f, 0xd8, text).is_some()
}

/// Whether it is anything but printable ASCII and what parts lines and columns.
fn is_odd(byte: &u8) -> bool {
    !matches!(byte, b' '..0x7f | b'\t' | b'\n' | b'\r')
}

/// The same of eight bytes at once, as most text is printable ASCII: not left to a compiler that builds for size.
fn is_odd_word(word: &[u8; 8]) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let bytes = u64::from_le_bytes(*word);
    // The high bit of a byte: it is below a blank (or one before it is), it is 0x7f (or one before it is), it is no ASCII.
    let below = bytes.wrapping_sub(EACH * 0x20);
    let above = bytes.wrapping_add(EACH);
    (below | above | bytes) & (EACH * 0x80) != 0 && word.iter().any(is_odd)
}

/// The line as it is shown.
pub(crate) fn clean(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut left = line;
    while let Some(at) = left.find(|sign| is_hidden_or_blank(sign) || typed(sign).is_some()) {
        let (plain, from) = left.split_at(at);
        shown.push_str(plain);
        let mut rest = from.chars();
        match rest.next().unwrap_or_default() {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{8}' => {
                shown.pop();
            }
            '\u{9b}' => skip_control_sequence(&mut rest),
            blank if is_blank(blank) => shown.push(' '),
            sign => shown.extend(typed(sign)),
        }
        left = rest.as_str();
    }
    shown.push_str(left);
    shown
}

/// What was typed where a page sets the quotation marks of books: RouterOS prints `name="ether1"`.
fn typed(sign: char) -> Option<char> {
    match sign {
        '\u{201c}'..='\u{201f}' => Some('"'),
        '\u{2018}'..='\u{201b}' => Some('\''),
        _ => None,
    }
}

fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Also controls, soft hyphens, marks of zero width and of direction, separators, byte order marks.
fn is_hidden_or_blank(character: char) -> bool {
    is_blank(character)
        || matches!(
            character,
            '\u{7}'
                | '\u{8}'
                | '\u{1b}'
                | '\u{7f}'..='\u{9f}'
                | '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
        )
}

/// Behind ESC (ECMA-48): a control sequence up to its final byte, a string up to BEL or ESC `\`, else one character with
/// its intermediate bytes.
fn skip_escape(rest: &mut std::str::Chars<'_>) {
    let after = rest.clone().next();
    match after {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let ended = rest.find(|next| matches!(next, '\u{7}' | '\u{1b}'));
            if ended == Some('\u{1b}') {
                rest.next();
            }
        }
        Some(_) => {
            rest.find(|next| !(' '..='/').contains(next));
        }
        None => {}
    }
}

fn skip_control_sequence(rest: &mut std::str::Chars<'_>) {
    rest.find(|next| ('@'..='~').contains(next));
}

/// Whether a text may have marks of a web page, or of who shows it: each begins with one of these signs, or has it. Asked of large pieces
/// at once, and then of their lines.
pub(crate) fn may_be_of_page(text: &[u8]) -> bool {
    memchr3(b'&', b'<', b'*', text).is_some()
        || memchr3(b'`', b'\\', b'#', text).is_some()
        // An arrow, in UTF-8.
        || memchr(0xe2, text).is_some()
}

fn has_page_marks(text: &[u8]) -> bool {
    let is_entity = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        ENTITIES
            .iter()
            .any(|(entity, _)| rest.starts_with(entity.as_bytes()))
    };
    memchr_iter(b'&', text).any(is_entity)
        || memmem::find(text, b"pre>").is_some()
        || BREAKS
            .iter()
            .any(|mark| memmem::find(text, mark.as_bytes()).is_some())
        || EMPHASIS
            .iter()
            .any(|(_, close)| memmem::find(text, close.as_bytes()).is_some())
}

/// With what pages set words of an output apart; none is in a document that a tool writes.
const EMPHASIS: [(&str, &str); 2] = [("<mark>", "</mark>"), ("<strong>", "</strong>")];

/// What a page writes for signs that it uses itself, and for a blank; `&` last, as it may begin another.
const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&nbsp;", " "),
    ("&#37;", "%"),
    ("&#39;", "'"),
    ("&amp;", "&"),
];

/// The line as a web page shows it, and without what somebody wrote into it. A line with elements is one of a document, of which a parser
/// reads the signs.
pub(crate) fn as_shown(line: &str) -> Cow<'_, str> {
    if !may_be_of_page(line.as_bytes()) {
        return Cow::Borrowed(line);
    }
    let line = match without_remarks(line) {
        Cow::Owned(printed) => return Cow::Owned(as_shown(&printed).into_owned()),
        Cow::Borrowed(printed) => off_page(printed),
    };
    if let Some(plain) = without_emphasis(line) {
        return Cow::Owned(as_shown(&plain).into_owned());
    }
    if memchr3(b'&', b'<', b'>', line.as_bytes()).is_none() || line.contains(['<', '>']) {
        return Cow::Borrowed(line);
    }
    let mut signs = ENTITIES
        .iter()
        .filter(|(entity, _)| line.contains(entity))
        .peekable();
    if signs.peek().is_none() {
        return Cow::Borrowed(line);
    }
    let shown = signs.fold(line.to_owned(), |line, (entity, sign)| line.replace(entity, sign));
    // The arrow of a note is written as such a sign.
    Cow::Owned(without_remarks(&shown).into_owned())
}

/// The line with its words as they were before somebody set some apart.
fn without_emphasis(line: &str) -> Option<String> {
    let (open, close) = EMPHASIS
        .iter()
        .find(|(open, close)| line.contains(open) && line.contains(close))?;
    Some(line.replace(open, "").replace(close, ""))
}

/// With what a web page breaks a line, where the text keeps its own breaks too.
static BREAKS: [&str; 6] = ["<br>", "<br/>", "<br />", "<BR>", "<BR/>", "<BR />"];

/// The line without the marks with which a web page begins and ends what is shown as it is, and its lines: `<pre>ping …`, `… ms<br>`,
/// `… ms</code></pre>`.
fn off_page(line: &str) -> &str {
    let may_be_marked = line.trim_ascii_start().starts_with('<') || line.trim_ascii_end().ends_with('>');
    if !may_be_marked || !has_page_marks(line.as_bytes()) {
        return line;
    }
    let (mut rest, begins) = (line, ["<pre>", "<code>"]);
    while let Some(behind) = begins
        .iter()
        .find_map(|tag| rest.trim_ascii_start().strip_prefix(tag))
    {
        rest = behind;
    }
    while let Some(before) = ["</pre>", "</code>"]
        .iter()
        .chain(&BREAKS)
        .find_map(|tag| rest.trim_ascii_end().strip_suffix(tag))
    {
        rest = before;
    }
    rest
}

/// Lines that stand between outputs and hold nothing: fences of code, what `script` writes at both ends, prompts of pagers
/// and of shells, what routers say of themselves above every output.
pub(crate) fn is_furniture(line: &str) -> bool {
    let text = line.trim_ascii();
    match text.as_bytes().first() {
        Some(b'`' | b'~') => is_fence(text),
        Some(b'[') if is_asked_of_sudo(text) || is_job(text) || is_fence(text) => true,
        Some(b'-') if is_ruler(text) => true,
        Some(b'=') => is_ruler(text),
        Some(b'+') if is_frame(text) => true,
        Some(b'*') => is_ruler(text) || is_bare_prompt(text),
        // `<rpc-reply>` is a tag; hosts of VRP have names as they are written on devices.
        Some(b'<') => {
            is_pager(text)
                || is_bare_prompt(text) && text.as_bytes().get(1).is_some_and(u8::is_ascii_uppercase)
        }
        Some(b'-' | b'(') => is_pager(text) || is_bare_prompt(text),
        Some(b'{') => is_role(text) || is_fence(text) || is_bare_prompt(text),
        _ => {
            is_said(text)
                || text.ends_with("assword:")
                || is_timed(text)
                // What terminals show of Ctrl-C.
                || matches!(text, "^C" | "Control-C" | "Ctrl+C" | "Strg-C" | "STRG-C" | "STRG+C")
                || is_bare_prompt(text)
                || behind_prompt(text).is_some_and(|typed| typed.starts_with("bwctl "))
        }
    }
}

/// `[sudo] password for ops:`, in whichever language: `[sudo] Passwort für ops:`. In English something may have been typed behind it.
fn is_asked_of_sudo(text: &str) -> bool {
    let is_question = || text.len() < 80 && text.ends_with([':', '\u{ff1a}']);
    text.starts_with("[sudo] password for ")
        || (text.starts_with("[sudo] ") || text.starts_with("[sudo: ")) && is_question()
}

/// The line above a table in a frame: `+-----+-----+`.
fn is_frame(text: &str) -> bool {
    text.len() > 4
        && text.ends_with('+')
        && text.contains("--")
        && text.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'='))
}

/// What a shell says of what runs behind it: `[1] 40112`, `[1]+  Done  ping -c 5 a.example`.
pub(crate) fn is_job(text: &str) -> bool {
    const STATES: [&str; 5] = ["Done", "Exit ", "Running", "Stopped", "Terminated"];
    let Some((number, behind)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let said = behind.trim_start_matches(['+', '-']).trim_ascii();
    let is_started = behind.starts_with(' ') && are_digits(said) && said.len() > 1;
    let is_ended = STATES.iter().any(|state| said.starts_with(state));
    are_digits(number) && (is_started || is_ended)
}

/// What stands above and below code in Markdown, in forums and in Jira (`{code:bash}`).
pub(crate) fn is_fence(line: &str) -> bool {
    let text = line.trim_ascii();
    let is_of_jira = || {
        let mark = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        mark.is_some_and(|mark| matches!(mark.split(':').next(), Some("code" | "noformat")))
    };
    text.starts_with("```")
        || text.starts_with("~~~")
        || matches!(
            text,
            "[code]" | "[/code]" | "[CODE]" | "[/CODE]" | "<pre>" | "<code>"
        )
        || is_of_jira()
}

/// A rule over the width of a page, or of signs that nobody writes in a row but as one.
fn is_ruler(text: &str) -> bool {
    let least = if text.starts_with('=') { 8 } else { 40 };
    let is_of_stars = || text.bytes().all(|byte| byte == b'*');
    text.len() > least && (text.bytes().all(|byte| matches!(byte, b'-' | b'=')) || is_of_stars())
}

/// `{master:0}`, `{primary:node1}`: which of several engines a Junos prompt belongs to.
fn is_role(text: &str) -> bool {
    let role = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let role = role.map(|role| role.split(':').next().unwrap_or(role));
    role.is_some_and(|role| {
        [
            "master",
            "backup",
            "linecard",
            "primary",
            "secondary",
            "disabled",
            "hold",
        ]
        .contains(&role)
    })
}

/// What is said around the output of others: by `script`, by routers of themselves, by bwctl of the tools that it runs.
fn is_said(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'S') => {
            text.starts_with("Script started")
                || text.starts_with("Script done")
                || is_router_clock(text)
                || matches!(text, "SENDER START" | "SENDER END")
        }
        Some(b'R') => matches!(text, "RECEIVER START" | "RECEIVER END"),
        Some(b'r' | b'u' | b's') if is_time(text) => true,
        // What `uptime` prints: a load says nothing where the processors are not counted.
        // And what stands above rclone's statistics in its log.
        Some(b'0'..=b'9') => {
            memchr(b'v', text.as_bytes()).is_some() && text.contains("load average") && text.contains(" up ")
                || text.ends_with(" INFO  :")
                || text.ends_with(" NOTICE:")
        }
        Some(b'L') => text.starts_with("Load for five secs: "),
        Some(b'T') => text.starts_with("Time source is ") || is_router_clock(text),
        Some(b'W') => text.starts_with("Warning: Permanently added ") || is_router_clock(text),
        Some(b'M' | b'F') => is_router_clock(text),
        Some(b'b') => text.strip_prefix("bwctl: ").is_some_and(|said| {
            said.starts_with("Using tool: ") || said.ends_with(" until test results available")
        }),
        _ => false,
    }
}

/// What notes write between a command and what it printed, perhaps in bold. Within an output the same is a title of its own.
pub(crate) fn is_label(line: &str) -> bool {
    let text = line.trim_ascii();
    const LABELS: [&str; 3] = ["output", "example output", "sample output"];
    let label = text.trim_matches(['*', '_', ':', ' ']);
    label.len() < text.len() && LABELS.iter().any(|known| known.eq_ignore_ascii_case(label))
}

/// What `time` of a shell prints below the output of a command: `real\t3m2.112s`.
fn is_time(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let (Some("real" | "user" | "sys"), Some(time), None) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let figures = time.strip_suffix('s').unwrap_or(time);
    !figures.is_empty()
        && figures
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'm' | b'.' | b','))
}

/// What zsh's `time` prints: `scp a b:  0.11s user 0.22s system 11% cpu 3:02.41 total`.
pub(crate) fn is_timed(text: &str) -> bool {
    text.trim_ascii_end().ends_with(" total") && text.contains("% cpu ") && text.contains("s system ")
}

/// `--More--`, ` --More-- or (q)uit`, `---(more 45%)---`, `<--- More --->`, `-- MORE --, next page: Space, …`, `(END)`.
fn is_pager(text: &str) -> bool {
    let begins = |mark: &str| {
        text.get(..mark.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(mark))
    };
    [
        "--more--",
        "---(more",
        "<--- more --->",
        "-- more --",
        "---- more ----",
    ]
    .iter()
    .any(|mark| begins(mark))
        || text == "(END)"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_does_not_show_is_taken_away() {
        for (arrived, shown) in [
            ("\u{1b}[1;31mloss\u{1b}[0m 5%", "loss 5%"),
            ("\u{1b}]0;root@a: ~\u{7}root@a:~# ping b", "root@a:~# ping b"),
            ("\u{1b}]8;;http://a\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("time=1\u{a0}ms\u{200b}", "time=1 ms"),
            (
                "--More--\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}  0 runts",
                "  0 runts",
            ),
            ("\u{1b}(B\u{1b}[mx", "x"),
            ("cut \u{1b}[", "cut "),
            (
                "name=\u{201d}ether1\u{201c} l\u{2019}eau",
                "name=\"ether1\" l'eau",
            ),
        ] {
            assert!(may_be_unclean(arrived.as_bytes()), "{arrived:?}");
            assert_eq!(clean(arrived), shown, "{arrived:?}");
        }
        assert!(!may_be_unclean(
            b"64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.05 ms\r\n\tx"
        ));
    }

    #[test]
    fn marks_of_pages_are_taken_off() {
        for (line, shown) in [
            ("<pre>ping a.example", "ping a.example"),
            ("<pre><code>$ mtr a", "$ mtr a"),
            ("rtt 1 ms</code></pre>", "rtt 1 ms"),
            ("<pre>", ""),
            ("3 packets transmitted<br />", "3 packets transmitted"),
            ("rtt 1 ms<br></pre>", "rtt 1 ms"),
            ("a <br> b", "a <br> b"),
            ("<pressure>5</pressure>", "<pressure>5</pressure>"),
            ("<HUAWEI>ping a", "<HUAWEI>ping a"),
            ("&lt;1 ms &amp;lt;", "<1 ms &lt;"),
            ("<pre>a &lt; b", "a < b"),
            ("<a>&lt;b</a>", "<a>&lt;b</a>"),
            ("84&#37; lost", "84% lost"),
            ("a & b", "a & b"),
            (
                "  <mark>5 drops</mark>, <strong>0</strong> CRC",
                "  5 drops, 0 CRC",
            ),
            ("<mark>5 drops", "<mark>5 drops"),
        ] {
            assert_eq!(as_shown(line), shown);
        }
    }

    #[test]
    fn labels_of_notes() {
        assert!(
            ["**Output:**", "Sample output:", "__Output__"]
                .into_iter()
                .all(is_label)
        );
        assert!(
            !["output", "Output: 0 packets", "The output:"]
                .into_iter()
                .any(is_label)
        );
    }

    #[test]
    fn furniture_is_known_and_figures_are_none() {
        for line in [
            "```",
            "```text",
            "  ~~~",
            " --More-- ",
            "---(more 45%)---",
            "Script done on 2024-01-02",
            "[root@a ~]# ",
            "sw1#",
            "SW1#",
            "FW1# bwctl -c a.example",
            "FW1 (root) #",
            "X440.7 #",
            "*A:pe1#",
            "<SW1>",
            "[~SW1-10GE1/0/1]",
            "{master:0}[edit interfaces]",
            "*(ex)[/configure]",
            "(Cisco Controller) >",
            "sw1 [standalone: master] #",
            "lb1(cfg-sync In Sync)(/Common)(tmos)#",
        ] {
            assert!(is_furniture(line), "{line}");
        }
        for line in [
            "--- 192.0.2.1 ping statistics ---",
            "- - - - -",
            "<rpc-reply>",
            "(1.2.3.4)",
            "[1.2.3.4]",
            "[5 lost]",
            "a, b #",
            "erators), on interface <OK>",
            "what was sent (in all) >",
            // A title of what some devices sent.
            "Output:",
            "",
        ] {
            assert!(!is_furniture(line), "{line}");
        }
    }
}
