//! What somebody wrote into an output that is shown to others: a note behind an arrow (`RX: 256  <-- too small?`) or the mark of remarks
//! (`rx_missed_errors: 12  # in a day`), marks of emphasis around
//! figures (`rx_missed_errors: **4954**`), and of code around all of it, of which a line has one end.

use crate::text::parted;
use memchr::{memchr, memchr_iter, memchr3};
use std::borrow::Cow;

/// What Markdown puts around what is to be seen first.
const BOLD: &str = "**";
const ARROW: &str = "\u{2190}";
const REMARK: &str = " # ";
const CODE: u8 = b'`';

/// The line as the tool printed it.
pub(super) fn without_remarks(line: &str) -> Cow<'_, str> {
    let line = without_remark(line);
    if let Some(plain) = without_escapes(line) {
        return Cow::Owned(without_remarks(&plain).into_owned());
    }
    if memchr3(b'*', b'<', CODE, line.as_bytes()).is_none() && !line.contains(ARROW) {
        return Cow::Borrowed(line);
    }
    let line = off_code(line);
    let line = without_note(line).unwrap_or(line);
    without_emphasis(line).map_or(Cow::Borrowed(line), Cow::Owned)
}

/// The line without the strokes that Markdown puts before signs of its own, `\*:68`, `rx\_missed\_errors: 12`; `None` where there are none.
/// Below a folder of Windows a name may begin so, and a stroke before it is one of a string that a program reads.
fn without_escapes(line: &str) -> Option<String> {
    let is_path = || line.contains(":\\");
    let is_escape = |at: usize| {
        let (before, behind) = (
            line.get(..at).unwrap_or_default(),
            line.get(at + 1..).unwrap_or_default(),
        );
        let is_word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_alphanumeric());
        match behind.chars().next() {
            Some('*') => !before.ends_with('\\'),
            Some('_') => !is_path() && is_word(before.chars().next_back()) && is_word(behind.chars().nth(1)),
            _ => false,
        }
    };
    let escapes: Vec<usize> = memchr_iter(b'\\', line.as_bytes())
        .filter(|at| is_escape(*at))
        .collect();
    (!escapes.is_empty()).then(|| {
        let kept = line
            .char_indices()
            .filter(|(at, _)| escapes.binary_search(at).is_err());
        kept.map(|(_, sign)| sign).collect()
    })
}

/// Without the mark before the first line of what was written as code within prose, or behind its last line; or without those
/// around a line that was written as code by itself.
fn off_code(line: &str) -> &str {
    // GNU's programs quote `so'.
    let is_quote = || memchr(b'\'', line.as_bytes()).is_some();
    let marks = memchr_iter(CODE, line.as_bytes()).take(3).count();
    if marks == 2 {
        let text = line.trim_ascii();
        let inner = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
        return inner.filter(|inner| !inner.is_empty()).unwrap_or(line);
    }
    if marks != 1 || is_quote() {
        return line;
    }
    let inner = line.trim_ascii_start().strip_prefix('`');
    let inner = inner.or_else(|| line.trim_ascii_end().strip_suffix('`'));
    inner.unwrap_or(line)
}

/// The line without what somebody wrote behind it: `811 CRC   <---- here!!`, `12 underruns <<<<<`, `5230 packets  ← it is matched`.
fn without_note(line: &str) -> Option<&str> {
    line.match_indices(['<', '\u{2190}']).find_map(|(at, _)| {
        let (before, note) = line.split_at_checked(at)?;
        let is_apart = before.ends_with([' ', '\t']) && !before.trim_ascii().is_empty();
        let row = before.trim_ascii_end();
        let bare = without_mark(row);
        // Behind the mark of a remark an arrow is no tool's, whatever follows it.
        let is_remark = || bare.len() < row.len() && (note.starts_with("<-") || note.starts_with(ARROW));
        (is_apart && (is_note(note) || is_remark())).then_some(bare)
    })
}

/// Without the mark of a remark that stands in front of the arrow: `4 dropped # <-- too many`.
fn without_mark(line: &str) -> &str {
    let before = line.strip_suffix('#').or_else(|| line.strip_suffix("//"));
    let before = before.filter(|before| before.ends_with([' ', '\t']) && !before.trim_ascii().is_empty());
    before.map_or(line, str::trim_ascii_end)
}

/// So many figures at the end of a line are a row of a table: no command ends with them.
const ROW: usize = 4;

/// The row of an output without the remark of words behind it: `rx_missed_errors: 12  # in a day`. Prompts and commands have the same mark
/// (`web1 /srv # df`), so what stands before it is to be what neither is: a counter with its name, a row of figures, or a figure with words.
fn without_remark(line: &str) -> &str {
    let Some((row, remark)) = parted(line, REMARK) else {
        return line;
    };
    let is_figure = |word: &str| {
        word.starts_with(|sign: char| sign.is_ascii_digit())
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
    };
    let mut words = row.split_ascii_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_counter = || {
        let name = first
            .strip_suffix(':')
            .filter(|name| name.contains('_') || is_word(name));
        name.is_some() && second.is_some_and(is_figure) && words.clone().next().is_none()
    };
    let is_said = || line.starts_with("    ") && is_figure(first) && second.is_some_and(is_word);
    let is_row = || {
        let last = || row.split_ascii_whitespace().rev().take(ROW);
        last().count() == ROW && last().all(is_figure)
    };
    let is_of_words = remark
        .trim_ascii_start()
        .starts_with(|sign: char| sign.is_alphabetic() || matches!(sign, '(' | '!'));
    if is_of_words && (is_counter() || is_said() || is_row()) {
        row.trim_ascii_end()
    } else {
        line
    }
}

/// Whether an arrow to the left and words stand here. Tools print such arrows between two addresses, and `ss` one at the end of a line.
fn is_note(text: &str) -> bool {
    let run = |text: &str, sign: char| text.len() - text.trim_start_matches(sign).len();
    let said = text.strip_prefix(ARROW).or_else(|| {
        let heads = run(text, '<');
        let rest = text.trim_start_matches('<');
        let length = run(rest, '-').max(run(rest, '='));
        let is_bare = rest.trim_start_matches(['-', '=']).trim_ascii().is_empty();
        let is_arrow = heads > 2 || heads > 0 && length > 1 && !(is_bare && length < 3);
        is_arrow.then(|| rest.trim_start_matches(['-', '=']))
    });
    let said = said.map(|said| said.trim_ascii().trim_end_matches(['<', '-', '=']));
    said.is_some_and(|said| {
        said.is_empty()
            || said.starts_with(|sign: char| sign.is_alphabetic() || sign == '(' || sign == '!')
                && !said.contains(|sign: char| sign.is_ascii_digit() || "|<>\"$".contains(sign))
    })
}

/// The line without the marks around the figures that somebody points at, `     **0 input errors, 0 CRC,** 0 frame`; `None` where there are
/// none. A line that begins with them, or with `- `, is a title or a label of the text around, unless a figure stands there, or all of it
/// is between them and says a value.
fn without_emphasis(line: &str) -> Option<String> {
    let (before, rest) = line.split_once(BOLD)?;
    let (inner, behind) = rest.split_once(BOLD)?;
    // Figures of a range have strokes between them.
    let is_blank = |sign: Option<char>| sign.is_none_or(|sign| matches!(sign, ' ' | '\t' | '/'));
    let is_of_text = before.trim_ascii().is_empty() && before.len() < 2 || before.ends_with("- ");
    let is_pointed_at = |inner: &str| {
        // Of a whole line that stood further in.
        let inner = if is_of_text {
            inner.trim_ascii_start()
        } else {
            inner
        };
        inner
            .trim_start_matches('(')
            .starts_with(|sign: char| sign.is_ascii_alphanumeric())
            && !inner.ends_with([' ', '*', ':'])
            && (!is_of_text
                || inner.starts_with(|sign: char| sign.is_ascii_digit())
                || is_said(inner, behind))
    };
    if !is_blank(before.chars().next_back())
        || !is_blank(behind.chars().next().filter(|sign| !",.;)".contains(*sign)))
        || !is_pointed_at(inner)
    {
        return None;
    }
    let behind = without_emphasis(behind).unwrap_or_else(|| behind.to_owned());
    Some([before, inner, &behind].concat())
}

/// Whether a line that is all between marks says what something counts or is, which no title does: `rx_missed: 12`, `eth0/1 is up, …`.
fn is_said(inner: &str, behind: &str) -> bool {
    let figure = |sign: char| sign.is_ascii_digit();
    let begins_with_figure = |said: &str| said.trim_ascii_start().starts_with(figure);
    let is_counted = || inner.split([':', '=']).skip(1).any(begins_with_figure);
    let is_listed = || inner.contains(", ") && inner.contains(figure) && !inner.contains(". ");
    behind.trim_ascii().is_empty() && (is_counted() || is_listed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_wrote_into_a_line_is_taken_off() {
        for (line, printed) in [
            ("RX: 256 <-- too small?", "RX: 256"),
            (
                "  3  192.0.2.9  88 ms  <==== slow from here",
                "  3  192.0.2.9  88 ms",
            ),
            (
                "  812 input errors, 811 CRC   <---- here!!",
                "  812 input errors, 811 CRC",
            ),
            (
                "  200 packets output, 0 underruns <<<<<",
                "  200 packets output, 0 underruns",
            ),
            ("eth4  UC1  77  3072   <=== dropped <===", "eth4  UC1  77  3072"),
            ("rx_missed: 7 \u{2190} look", "rx_missed: 7"),
            (
                "    12 segments retransmitted # <-- all of them",
                "    12 segments retransmitted",
            ),
            ("lab1# <-- here", "lab1#"),
            (
                "     rx_missed_errors: 4954  # in a day",
                "     rx_missed_errors: 4954",
            ),
            ("TcpTimeouts: 31 # (was 12 before)", "TcpTimeouts: 31"),
            (
                "    1207 segments retransmitted # all at night",
                "    1207 segments retransmitted",
            ),
            (
                "12:00:02 eth0 1.00 2.00 0.10 0.20 # idle",
                "12:00:02 eth0 1.00 2.00 0.10 0.20",
            ),
            ("     **tx_dropped: 12**", "     tx_dropped: 12"),
            ("1024  1000  0.00  **92.5**  0.9", "1024  1000  0.00  92.5  0.9"),
            (
                "     **0 input errors, 0 CRC,** 0 frame",
                "     0 input errors, 0 CRC, 0 frame",
            ),
            (
                "Ethernet0 U 7 **N/A N/A** 0 **12** 0",
                "Ethernet0 U 7 N/A N/A 0 12 0",
            ),
            ("**4** of **5** lost", "4 of 5 lost"),
            (
                "Eth1/1 is down **(errDisabled, port: error)**",
                "Eth1/1 is down (errDisabled, port: error)",
            ),
            ("Min/Avg/Max: 2/**18**/38 ms", "Min/Avg/Max: 2/18/38 ms"),
            (
                "**GigabitEthernet0/1 is up, line protocol is up**",
                "GigabitEthernet0/1 is up, line protocol is up",
            ),
            ("**rx_missed_errors: 12**", "rx_missed_errors: 12"),
            (
                "**     0 output errors, 0 resets**",
                "     0 output errors, 0 resets",
            ),
            ("**Total output drops: 12; fifo**", "Total output drops: 12; fifo"),
            ("`Upload: 3 Mbit/s", "Upload: 3 Mbit/s"),
            ("  Upload: 3 Mbit/s`", "  Upload: 3 Mbit/s"),
            ("udp UNCONN 0 0 \\*:68 \\*:\\*", "udp UNCONN 0 0 *:68 *:*"),
            ("     rx\\_missed\\_errors: 12", "     rx_missed_errors: 12"),
            (
                "12 segments retransmitted # <-- in \"all\", 40 %",
                "12 segments retransmitted",
            ),
        ] {
            assert_eq!(without_remarks(line), printed);
        }
    }

    #[test]
    fn what_tools_print_and_titles_stay() {
        for line in [
            "see `ping`",
            "C:\\_tmp\\_x",
            "{\"like\": \"eth\\\\*\"}",
            "web1 ~ # ethtool -S eth0",
            "root@web1 /srv/2024 # df",
            "12:00:02 web1 7 # ls",
            "10.0.0.1 10:22 # ping gw",
            "iperf3 -c gw -P 4 -t 10 # four streams",
            "MTU: 1500 9000 # which?",
            "rx_packets: 12 # 40",
            "`a.img' at 5 (9%)",
            "a ` b",
            "u_str ESTAB 0 0 * 7 * 9 <-> ino:3",
            "ino:9 sk:1 <--",
            "10.0.0.1:80 <-- 10.0.0.2:443",
            "192.0.2.1:22 <-- 198.51.100.1:22  12",
            "port 1 <--> port 2",
            "cat <<EOF",
            "jq . <<< \"$x\"",
            "<--- More --->",
            "<<<<<<< HEAD",
            "2**10**2 packets",
            "2**32 and 2**16",
            "**** 5 lost ****",
            " 2  ** * 5 ms **",
            " 3  * ** ** *",
            "**Output of `ping`**",
            "**Test 3**",
            "**Ping, from here**",
            "**Step 2: the other switch**",
            "**Host 3:** up, 1 Gbit/s",
            "- **Host:** a",
            "f(*args, **more)",
        ] {
            assert_eq!(without_remarks(line), line);
        }
    }
}
