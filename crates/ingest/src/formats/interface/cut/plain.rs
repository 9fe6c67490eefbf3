//! Most lines of counters: nothing but figures, words and commas.

use super::{LONGEST_NAME, Pair, is_time};
use crate::text::{grouped, split};

/// The pairs of a line of nothing but digits, words of letters, single blanks and commas, in one pass: most are so, and such words need
/// not be looked at for what no name has. `None` of any other line, whatever it holds.
pub(super) fn plain_pairs(text: &str) -> Option<Vec<Pair<'_>>> {
    let (mut pairs, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (number, behind) = rest.split_at_checked(count_of(rest.as_bytes(), u8::is_ascii_digit))?;
        let behind = behind.strip_prefix(' ')?;
        let name = plain_name(behind)?;
        pairs.push((name, Some(grouped(number)?)));
        rest = behind.get(name.len()..)?;
        rest = rest.strip_prefix(',').unwrap_or(rest);
        rest = rest.strip_prefix(' ').unwrap_or(rest);
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// The words of letters up to a comma, a digit or the end. One letter alone may be odd.
fn plain_name(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut begin = 0;
    loop {
        let end = begin + count_of(bytes.get(begin..)?, u8::is_ascii_alphabetic);
        if end < begin + 2 {
            return None;
        }
        match (bytes.get(end), bytes.get(end + 1)) {
            (None | Some(b','), _) | (Some(b' '), Some(b'0'..=b'9')) => {
                let (name, last) = (text.get(..end)?, text.get(begin..end)?);
                let is_name = name.len() <= LONGEST_NAME && last != "rate";
                return (is_name && !split(name, b' ').next().is_some_and(is_time)).then_some(name);
            }
            (Some(b' '), _) => begin = end + 1,
            _ => return None,
        }
    }
}

/// How many bytes are such, from the first on.
fn count_of(bytes: &[u8], is_such: impl Fn(&u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_such(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::super::any_pairs;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_plain_is_read_as_any_line_is(
            words in prop::collection::vec("[0-9]{1,3}|[a-z]{1,2}|packets|rate|minutes?|n/a|[-,.();x/]", 0..9),
            blank in "  ?",
        ) {
            for text in [words.join(&blank), words.join(" "), words.concat()] {
                prop_assert!(plain_pairs(&text).is_none_or(|pairs| Some(pairs) == any_pairs(&text)), "{text}");
            }
        }
    }
}
