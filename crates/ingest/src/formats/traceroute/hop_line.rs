//! Which lines are those of hops, told before they are read: prose has numbers and times too.

use super::labels::is_label_line;
use super::token::{Token, Tokens};
use crate::host::is_address_place;
use std::net::IpAddr;

/// The number that a hop's line begins with, and the rest; `None` for other lines.
pub(crate) fn ttl(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_ascii_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    let ttl = text.get(..digits)?.parse().ok().filter(|ttl| *ttl > 0)?;
    rest.starts_with([' ', '\t']).then_some((ttl, rest))
}

/// A hop of Cisco's trace of an MPLS path, without the letter in front: `L 1 192.0.2.2 MRU 1500 [Labels: 16 Exp: 0] 4 ms`.
pub(super) fn of_mpls_path(line: &str) -> Option<&str> {
    let (mark, rest) = line.trim_ascii_start().split_once(' ')?;
    let is_mark =
        mark.len() == 1 && mark.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '!' | '.'));
    let (_, behind) = is_mark.then(|| hop_ttl(rest)).flatten()?;
    let is_silent = matches!(Tokens::of(behind).next(), Some(Token::Star));
    (is_silent
        || behind
            .trim_ascii_start()
            .split(' ')
            .next()?
            .parse::<IpAddr>()
            .is_ok())
    .then_some(rest)
}

/// `  0 192.0.2.1 1 msec`: the own router, which counts as no hop.
pub(super) fn is_own_router(line: &str) -> bool {
    let address = line.trim_ascii_start().strip_prefix("0 ").map(str::trim_start);
    address.is_some_and(|rest| {
        let mut words = rest.split_ascii_whitespace();
        words.next().is_some_and(|word| word.parse::<IpAddr>().is_ok()) && words.next().is_some()
    })
}

/// Like [`ttl`], but not where the number is a time of the line above: `2.3` at its end, and `ms` here.
pub(super) fn hop_ttl(line: &str) -> Option<(u8, &str)> {
    ttl(line).filter(|(_, rest)| {
        // Most are told by their first letter.
        let first = rest.trim_ascii_start().bytes().next();
        let is_no_unit = |byte: u8| byte == b'*' || byte.is_ascii_alphanumeric() && byte != b'm';
        (first.is_some_and(is_no_unit) || !matches!(Tokens::of(rest).next(), None | Some(Token::Unit)))
            && !ends_bracket(rest)
    })
}

/// Whether a bracket of the line above ends in this one, as a screen breaks `[MPLS: Label 24001 Exp 0]` within its figures.
fn ends_bracket(line: &str) -> bool {
    line.split_once(']')
        .is_some_and(|(before, _)| !before.contains('['))
}

/// Whether a line is that of a hop, within a trace.
pub(crate) fn is_hop(line: &str) -> bool {
    let Some((_, rest)) = hop_ttl(line) else {
        return false;
    };
    let mut tokens = Tokens::of(rest);
    let first = match tokens.next() {
        Some(Token::Star | Token::Time(_)) => return true,
        Some(first) => first,
        None => return false,
    };
    is_host(first, tokens.peek()) || has_time(rest)
}

/// An address, or a name with an address behind it.
fn is_host(token: Token<'_>, next: Option<Token<'_>>) -> bool {
    let Token::Word(word) = token else {
        return matches!(token, Token::Parentheses(address, _) if is_address_place(address));
    };
    let word = word.trim_end_matches([',', ':']);
    if word.parse::<IpAddr>().is_ok() {
        return true;
    }
    match next {
        Some(Token::Parentheses(address, closed)) => {
            !closed || is_address_place(address) && !address.is_empty()
        }
        Some(Token::Brackets(address)) => address.parse::<IpAddr>().is_ok(),
        _ => false,
    }
}

fn has_time(text: &str) -> bool {
    Tokens::of(text).any(|token| matches!(token, Token::Time(_)))
}

/// Whether a hop's line says how long answers took, or that none came, and nothing else: tables of routes and of sizes have numbers and
/// hosts too.
pub(super) fn is_timed_hop(line: &str) -> bool {
    let Some((_, rest)) = hop_ttl(line) else {
        return false;
    };
    let has_host = matches!(Tokens::of(rest).next(), Some(Token::Word(_)));
    let mut behind = Tokens::of(rest).skip(usize::from(has_host));
    let (mut times, mut stars) = (0, 0);
    let is_known = behind.all(|token| {
        times += u32::from(matches!(token, Token::Time(_)));
        stars += u32::from(matches!(token, Token::Star));
        !matches!(token, Token::Word(_) | Token::Number(_) | Token::Unit)
    });
    is_known && (times > 0 || stars > 1)
}

/// Whether a line can be nothing but that of a hop, so that a trace may begin with it: a paste that begins in the middle. Only
/// hosts, times, stars, marks and what stands in brackets; at least two stars, or an address and a time.
pub(super) fn is_sure_hop(line: &str) -> bool {
    let Some((_, rest)) = hop_ttl(line) else {
        return false;
    };
    let (mut times, mut stars, mut hosts) = (0, 0, 0);
    let mut tokens = Tokens::of(rest);
    while let Some(token) = tokens.next() {
        match token {
            Token::Time(_) => times += 1,
            Token::Star => stars += 1,
            _ if is_host(token, tokens.peek()) => hosts += 1,
            Token::Parentheses(..) | Token::Brackets(_) | Token::Angles(_) | Token::Mark(_) => {}
            Token::Word(word) if word.starts_with("AS") || word.starts_with("F=") || word.contains('.') => {}
            // "Request timed out.", in whichever language.
            Token::Word(_) if times == 0 && stars == 3 => {}
            Token::Word(_) | Token::Number(_) | Token::Unit => return false,
        }
    }
    (hosts > 0 && times > 0) || (stars > 1 && times == 0 && hosts == 0)
}

/// Whether a line goes on with a hop: a time that was wrapped, a further answerer, labels. A first word that is neither a
/// host nor a time, or a number without a unit, is another's.
pub(crate) fn is_continuation(line: &str) -> bool {
    if is_label_line(line.trim_ascii()) {
        return true;
    }
    let mut tokens = Tokens::of(line);
    let Some(first) = tokens.next() else { return false };
    let begins = match first {
        Token::Unit | Token::Time(_) | Token::Star => true,
        // `!` alone begins the last hop of an MPLS path.
        Token::Mark(mark) => mark.len() > 1,
        // BSD's -a: `    [AS64500] a.example (192.0.2.1)  1.2 ms`
        Token::Brackets(content) => content.starts_with("AS") && line.starts_with("  "),
        Token::Word(word) => {
            is_host(first, tokens.peek())
                || (line.starts_with("   ")
                    && word.contains(['.', '-'])
                    && matches!(tokens.peek(), Some(Token::Time(_))))
        }
        _ => false,
    };
    let is_known = |token: &Token<'_>| !matches!(token, Token::Number(_));
    begins
        && (matches!(first, Token::Unit | Token::Star | Token::Mark(_)) || has_time(line) || is_ended(line))
        && Tokens::of(line).all(|token| is_known(&token) || ends_with(line, token))
}

/// A number that ends a line has its unit on the next one.
fn ends_with(line: &str, token: Token<'_>) -> bool {
    matches!(token, Token::Number(number) if line.trim_ascii_end().ends_with(number))
}

/// `240.0.0.2 !H`, `240.0.0.2 *`: an answer without a time.
fn is_ended(line: &str) -> bool {
    Tokens::of(line)
        .skip(1)
        .any(|token| matches!(token, Token::Star | Token::Mark(_) | Token::Number(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_hops() {
        for line in [
            "",
            "12 packets were lost",
            "300  a (240.0.0.1) 1 ms",
            "1",
            "2 of them (w) were slow",
            "3 e.g. !important things",
            "12 ms  13 ms",
        ] {
            assert!(!is_hop(line), "{line}");
        }
    }

    #[test]
    fn what_a_trace_may_begin_with() {
        for yes in [
            " 4  a.example (192.0.2.1)  1.2 ms  1.3 ms  *",
            "7 2001:db8::1 4 msec 3 msec *",
            " 5  * * *",
            "  6    12 ms    12 ms    12 ms  a.example [192.0.2.1]",
            "  6     *        *        *     Zeitüberschreitung der Anforderung.",
        ] {
            assert!(is_sure_hop(yes), "{yes}");
        }
        for no in [
            "64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=1.0 ms",
            "2 * 3",
            "1 * one",
            "3 times 192.0.2.1 answered after 12 ms",
            "4 ms later",
            "10 192.0.2.1",
            " 3  a.example  1.2 ms",
        ] {
            assert!(!is_sure_hop(no), "{no}");
        }
    }

    #[test]
    fn what_goes_on_with_a_hop() {
        for yes in [
            "ms",
            "    240.0.0.2 8 msec *",
            "    b.example (240.0.0.2) 3 ms",
            "  * 12 ms",
            "   MPLS Label=476 CoS=0 TTL=127 S=0",
        ] {
            assert!(is_continuation(yes), "{yes}");
        }
        for no in [
            "",
            "    zorkmids 4711 of 17",
            "after 12 ms it came",
            "12 of 17 took 3 ms",
            "Trace",
        ] {
            assert!(!is_continuation(no), "{no}");
        }
    }
}
