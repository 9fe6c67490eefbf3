//! Headings that name a host: `=== dtn1.example.org ===`, `## ops@dtn1`, `--- host dtn1: ethtool -S eth0 ---`.
//!
//! People head outputs by anything: `=== dtn1 ===`, `=== run1 ===`, `=== eth0 ===`. A heading names a host only where its form says so: an
//! address, a name with its domain, somebody at it, a name with its address, or the word `host`. Any other gives no place.

use super::Blocks;
use crate::Event;
use crate::formats::openings::Opening;
use crate::prompt::is_nobodys;
use crate::scene::is_name;
use std::net::IpAddr;

/// No heading is longer, bytes.
const LONGEST: usize = 120;

/// What the last words of files are: `iperf3.dtn1.log` is no host.
const FILES: [&str; 10] = [
    "txt", "log", "json", "csv", "conf", "out", "gz", "sh", "pcap", "xml",
];

/// What a heading holds between its signs: two or more of them in front, and as many behind if they are not those of Markdown.
fn framed(line: &str) -> Option<&str> {
    let text = line.trim_ascii();
    let sign = text
        .chars()
        .next()
        .filter(|c| matches!(c, '=' | '-' | '#' | '*'))?;
    if text.len() > LONGEST {
        return None;
    }
    let behind = text.trim_start_matches(sign);
    let inner = behind.trim_end_matches(sign);
    // Two stars are emphasis.
    let least = if sign == '*' { 3 } else { 2 };
    let is_framed = text.len() - behind.len() >= least && (sign == '#' || behind.len() - inner.len() > 1);
    let inner = inner.trim_ascii();
    (is_framed && !inner.is_empty() && (sign == '*' || behind.starts_with(' '))).then_some(inner)
}

/// The host that a heading surely names.
fn named(heading: &str) -> Option<&str> {
    let words: Vec<&str> = heading.trim_end_matches(':').split_ascii_whitespace().collect();
    let name = match words.as_slice() {
        [name] => name
            .split_once('@')
            .map(|(_, host)| host)
            .or_else(|| (is_address(name) || has_domain(name)).then_some(*name)),
        // Behind the word alone anything may stand: `Host Counters`.
        [word, name] if is_word_for_host(word) => {
            let is_told =
                word.ends_with(':') || name.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
            is_told.then_some(*name)
        }
        [name, address] => {
            let inner = address.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            inner.is_some_and(is_address).then_some(*name)
        }
        _ => None,
    };
    // A number alone counts the hosts of an exercise: `### Host 3`.
    let is_counted = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    name.filter(|name| is_address(name) || is_name(name) && !is_nobodys(name) && !is_counted(name))
}

fn is_word_for_host(word: &str) -> bool {
    let word = word.trim_end_matches(':');
    word.eq_ignore_ascii_case("host") || word.eq_ignore_ascii_case("hostname")
}

fn is_address(word: &str) -> bool {
    word.parse::<IpAddr>().is_ok()
}

/// Whether this is a name in a domain of two or more labels: `3.12` and `eth0.100` are none, nor is a file.
fn has_domain(name: &str) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    let begins_with_letter = |label: &&str| label.starts_with(|c: char| c.is_ascii_alphabetic());
    let last = labels.last().copied().unwrap_or_default();
    labels.len() > 2
        && labels.iter().all(begins_with_letter)
        && last.len() > 1
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !FILES.contains(&last)
}

/// What pyATS logs above the output of each command, which repeats it: `+++ cr1 with via 'cli': executing command 'show version' +++`.
fn executing(line: &str) -> Option<&str> {
    let (before, told) = line.trim_ascii_end().strip_suffix("' +++")?.split_once("+++ ")?;
    let (front, _) = told.split_once(": executing command '")?;
    let name = front.split(' ').next()?;
    // A stamp, and who logs.
    (before.len() < LONGEST && is_name(name)).then_some(name)
}

impl Blocks<'_> {
    /// Takes a heading that names the host of what stands below it, or a command in a frame, with whatever names its host in front.
    pub(super) fn takes_headed(&mut self, line: &str, sink: &mut dyn FnMut(Event)) -> bool {
        if let Some(name) = executing(line) {
            self.ends_before(sink);
            self.scene.is_at(Some(name));
            return true;
        }
        if !matches!(
            line.trim_ascii_start().as_bytes().first(),
            Some(b'=' | b'-' | b'#' | b'*')
        ) {
            return false;
        }
        let Some(heading) = framed(line) else {
            return false;
        };
        if let Some(name) = named(heading) {
            self.ends_before(sink);
            self.scene.is_headed(name);
            return true;
        }
        let Some((front, command)) = heading.split_once(": ") else {
            return false;
        };
        let name = named(front);
        let command = format!("{}# {}", name.unwrap_or_default(), command.trim_ascii());
        let is_one = front.split_ascii_whitespace().count() < 3;
        let Some(format) = Opening::new(&command)
            .begins()
            .filter(|format| is_one && format.has_command)
        else {
            return false;
        };
        self.ends_before(sink);
        if let Some(name) = name {
            self.scene.is_headed(name);
        }
        self.begin_given(format, &command, self.line);
        // Who or what that is, nobody knows: told with what the block says, as whoever begins to read at its line has to.
        self.is_headed_by_anything = name.is_none();
        true
    }

    /// Ends what is above this line.
    fn ends_before(&mut self, sink: &mut dyn FnMut(Event)) {
        self.line -= 1;
        self.close_all(sink);
        self.settle(None, sink);
        self.line += 1;
        self.complain_about_command(sink);
        self.complain_about_unknown(sink);
        self.scene.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pyats_names_the_host_of_a_command() {
        let line = "2025-01-02 03:04:05,678: %UNICON-INFO: +++ cr1 with via 'cli': executing command 'show version' +++";
        assert_eq!(executing(line), Some("cr1"));
        assert_eq!(
            executing("+++ cr1: executing command 'show version' +++ "),
            Some("cr1")
        );
        assert_eq!(executing("cr1: executing command 'show version'"), None);
        assert_eq!(executing("+++ 10 more: lines +++"), None);
    }

    #[test]
    fn a_heading_names_a_host_where_its_form_says_so() {
        for (line, host) in [
            ("=== dtn1.example.org ===", Some("dtn1.example.org")),
            ("## ops@dtn1", Some("dtn1")),
            ("--- host dtn1 ---", Some("dtn1")),
            ("### Host: dtn1", Some("dtn1")),
            ("***** 192.0.2.1 *****", Some("192.0.2.1")),
            ("===== dtn1 (192.0.2.1) =====", Some("dtn1")),
            ("## 2001:db8::1:", Some("2001:db8::1")),
            ("=== dtn1 ===", None),
            ("=== run1 ===", None),
            ("## eth0.100", None),
            ("## iperf3.dtn1.log", None),
            ("=== iperf 3.12.0 ===", None),
            ("# dtn1.example.org", None),
            ("--- a.example.org ping statistics ---", None),
            ("=== host ===", None),
            ("==== Host Counters ====", None),
            ("=== Host: storage ===", Some("storage")),
            ("- host dtn1", None),
            ("--host dtn1", None),
            ("## root@localhost", None),
        ] {
            assert_eq!(framed(line).and_then(named), host, "{line}");
        }
    }
}
