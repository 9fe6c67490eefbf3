//! Headings that clush and dshbak put above the outputs of each host: its name between two rules of a length that nobody else draws.

use super::Blocks;
use crate::scene::is_name;

/// How long the rules of clush and of dshbak are.
const LENGTHS: [usize; 2] = [15, 16];

/// What was seen of a heading.
#[derive(Debug, Default)]
pub(super) struct Ruled {
    /// The line and the length of the rule above.
    rule: Option<(u64, usize)>,
    /// What stands below it, in the next line.
    name: Option<String>,
}

impl Ruled {
    /// Takes a line that no format knows; the name that it ends the heading of, and the line that this begins in.
    fn takes(&mut self, number: u64, line: &str) -> Option<(u64, String)> {
        let text = line.trim_ascii_end();
        let is_rule = LENGTHS.contains(&text.len()) && text.bytes().all(|byte| byte == b'-');
        match (self.rule.take(), self.name.take()) {
            (Some((begin, length)), Some(name)) if is_rule && length == text.len() && begin + 2 == number => {
                return Some((begin, name));
            }
            (Some((begin, length)), None) if !is_rule && begin + 1 == number && is_name(text) => {
                self.rule = Some((begin, length));
                self.name = Some(text.to_owned());
            }
            _ => self.rule = is_rule.then_some((number, text.len())),
        }
        None
    }
}

impl Blocks<'_> {
    /// Whether a line that no format knows ends such a heading: what is below it is of that host.
    pub(super) fn takes_ruled(&mut self, line: &str) -> bool {
        let Some((begin, name)) = self.ruled.takes(self.line, line) else {
            return false;
        };
        // Its first two lines were not known yet.
        self.unknown = self
            .unknown
            .filter(|(first, _)| *first < begin)
            .map(|(first, _)| (first, begin - 1));
        self.scene.is_headed(&name);
        true
    }
}
