//! What `/ping` and `/tool traceroute` of RouterOS have in common: the prompt with its blanks, and times of several units.

use crate::host::LONGEST_RTT_NS;
use crate::invoked::{Invoked, invoked};
use crate::text::nanos;

/// `[admin@MikroTik] > ping 192.0.2.1 count=5`: the command of a line with RouterOS' prompt, which has a blank in it.
pub(super) fn command<'t>(line: &'t str, programs: &[&'static str]) -> Option<Invoked<'t>> {
    let is_prompt =
        line.starts_with('[') && line.split_once("] ").is_some_and(|(_, rest)| rest.contains('>'));
    if is_prompt { invoked(line, programs) } else { None }
}

/// `157ms`, `1s20ms`, `64ms338us`, `900us`
pub(super) fn time(word: &str) -> Option<u64> {
    let mut all = 0_u64;
    let mut rest = word;
    while !rest.is_empty() {
        let digits = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
            .count();
        let (number, unit) = rest.split_at_checked(digits).filter(|_| digits > 0)?;
        let letters = unit.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, behind) = unit.split_at_checked(letters)?;
        let scale = match unit {
            "ms" => 1e6,
            "us" => 1e3,
            "s" => 1e9,
            "ns" => 1.0,
            _ => return None,
        };
        all = all.checked_add(nanos(number, scale)?)?;
        rest = behind;
    }
    (!word.is_empty() && all <= LONGEST_RTT_NS).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_and_times() {
        let run = command("[admin@m1] > /ping 240.0.0.1 count=5", &["ping"]).unwrap();
        assert_eq!(run.device, Some("m1"));
        assert_eq!(command("[root@a ~]# ping 240.0.0.1", &["ping"]), None);
        assert_eq!(time("1s20ms"), Some(1_020_000_000));
        assert_eq!(time("64ms338us"), Some(64_338_000));
        for bad in ["", "ms", "5", "5x", "1ms2"] {
            assert_eq!(time(bad), None, "{bad}");
        }
    }
}
