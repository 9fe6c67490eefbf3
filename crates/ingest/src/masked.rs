//! Addresses and names that somebody hid before showing a text to others: two hosts may have the same mask, so that it names none.

use crate::text::split;

/// What people write instead.
const WORDS: [&str; 6] = [
    "redacted",
    "removed",
    "hidden",
    "censored",
    "anonymized",
    "anonymised",
];

/// Whether a word is a mask: `x.x.x.x`, `203.0.113.xx`, `w.x.y.z`, `2001:db8:xxxx::1`, `xxx`, `***`, `[redacted]`.
pub(crate) fn is_masked(text: &str) -> bool {
    // Most words that are asked about are addresses.
    if text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.')) {
        return false;
    }
    let is_bracket = |byte: &u8| matches!(byte, b'[' | b']' | b'<' | b'>' | b'(' | b')' | b'{' | b'}');
    let bracketed =
        text.as_bytes().first().is_some_and(is_bracket) || text.as_bytes().last().is_some_and(is_bracket);
    let word = match bracketed {
        true => text.trim_matches(['[', ']', '<', '>', '(', ')', '{', '}']),
        false => text,
    };
    let count = |sign: u8| word.bytes().filter(|byte| *byte == sign).count();
    let points = count(b'.');
    if points > 0 {
        points == 3 && is_masked_v4(word) || has_masked_label(word)
    } else if count(b':') > 1 {
        is_masked_v6(word)
    } else {
        is_one_over_and_over(word, is_sign)
            || word.len() > 1 && is_one_over_and_over(word, |byte| matches!(byte, b'x' | b'X'))
            || WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
            || is_variable(word)
    }
}

/// `$SERVER`, `${HOST}`, `IP_ADDRESS`, `YOUR_SERVER_IP`: what somebody put there for others to fill in. No host is called so.
fn is_variable(word: &str) -> bool {
    let kinds = ["IP", "ADDR", "ADDRESS", "HOST", "HOSTNAME", "NAME", "SERVER"];
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    word.starts_with('$')
        || split(word, b'_').nth(1).is_some()
            && word.bytes().all(is_capital)
            && split(word, b'_').any(|part| kinds.contains(&part))
}

/// Four groups, of digits or of one mark over and over, not all of digits.
fn is_masked_v4(word: &str) -> bool {
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_mask =
        |group: &str| is_one_over_and_over(group, |byte| byte.is_ascii_alphabetic() || is_sign(byte));
    let is_group = |group: &str| (1..=3).contains(&group.len()) && (is_digits(group) || is_mask(group));
    let mut groups = split(word, b'.');
    groups.all(is_group) && !split(word, b'.').all(is_digits)
}

/// `***.example.net`: several hosts of the domain are written so. Letters over and over may be somebody's name: `xx.example`.
fn has_masked_label(word: &str) -> bool {
    split(word, b'.').any(|label| is_one_over_and_over(label, |byte| matches!(byte, b'*' | b'#' | b'?')))
}

/// Groups of hexadecimal digits or of one other mark over and over, not all of digits.
fn is_masked_v6(word: &str) -> bool {
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_mask = |group: &str| {
        is_one_over_and_over(group, |byte| {
            byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit() || is_sign(byte)
        })
    };
    let is_group = |group: &str| group.len() <= 4 && (is_digits(group) || is_mask(group));
    word.split(':').all(is_group) && !word.split(':').all(is_digits)
}

fn is_one_over_and_over(group: &str, is_mark: impl Fn(u8) -> bool) -> bool {
    let mut bytes = group.bytes();
    let first = bytes.next();
    first.is_some_and(|first| is_mark(first) && bytes.all(|byte| byte == first))
}

/// Signs that people write in the place of letters.
fn is_sign(byte: u8) -> bool {
    matches!(byte, b'*' | b'#' | b'?' | b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_name_nobody() {
        for mask in [
            "x.x.x.x",
            "w.x.y.z",
            "XX.XX.XX.XX",
            "203.0.113.xxx",
            "10.x.x.7",
            "1.2.*.*",
            "***.example.net",
            "gw.*.example",
            "198.51.100.#",
            "aaa.bbb.ccc.ddd",
            "2001:db8:xxxx::1",
            "xxxx:xxxx::x",
            "xxx",
            "***",
            "[redacted]",
            "<REDACTED>",
            "[x.x.x.x]",
            "$SERVER",
            "${HOST}",
            "IP_ADDRESS",
            "<YOUR_SERVER_IP>",
            "-",
        ] {
            assert!(is_masked(mask), "{mask}");
        }
        for host in [
            "203.0.113.7",
            "2001:db8::1",
            "fe80::ff",
            "x1.example",
            "CORE_SW1",
            "server_ip",
            "HOST",
            "a.b.example",
            "x",
            "xen",
            "1.2.3.4.x",
            "gw-1",
            "a.b.c",
            "ae1.cr1.fra.net",
            "",
            "redacted.example",
        ] {
            assert!(!is_masked(host), "{host}");
        }
    }
}
