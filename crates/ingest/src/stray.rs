//! Lines that stand in the middle of what a tool printed and are none of its own: a warning of the kernel, a line that was
//! damaged, a remark. The run goes on behind them; ended there, its rest would look like a run of its own without a head.

use crate::arrival::{is_furniture, may_be_rest_of_figure};
use crate::block::Block;
use crate::findings::Findings;
use crate::prompt::command_line;

/// So many lines that are not understood may follow one another.
const MOST_IN_A_ROW: usize = 3;

/// Whether a run goes through this line, which is not its own: shortly behind one that is, and neither behind a blank line nor
/// at a prompt.
pub(crate) fn is_stray(block: &Block, line: &str, is_own: impl Fn(&str) -> bool) -> bool {
    let text = line.trim_ascii();
    !text.is_empty()
        && command_line(text).is_none()
        && !is_furniture(text)
        && !may_be_rest_of_figure(block, line)
        && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
        && block.lines().rev().take(MOST_IN_A_ROW).any(is_own)
}

/// Lines of a block that its format did not understand, until it is known whether the run goes on behind them.
#[derive(Debug, Default)]
pub(crate) struct Strays<'b> {
    lines: Vec<(u64, &'b str)>,
}

impl<'b> Strays<'b> {
    /// A line that was not understood.
    pub(crate) fn push(&mut self, number: u64, line: &'b str) {
        if !line.trim_ascii().is_empty() {
            self.lines.push((number, line));
        }
    }

    /// Complains about those that hold figures, and about those behind the run: these may be somebody's words. The number of
    /// the run's last line.
    pub(crate) fn tell(self, block: &Block, findings: &mut Findings) -> u64 {
        let is_stray = |number: u64| {
            self.lines
                .binary_search_by_key(&number, |(stray, _)| *stray)
                .is_ok()
        };
        let own = block
            .numbered()
            .filter(|(number, line)| !line.trim_ascii().is_empty() && !is_stray(*number));
        let last_own = own.last().map_or(0, |(number, _)| number);
        for (number, line) in &self.lines {
            if *number > last_own {
                findings.complain(*number, format!("not understood: {}", line.trim_ascii()));
            } else {
                findings.unread(*number, line);
            }
        }
        last_own.max(block.first_line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_within_a_run_are_told_and_words_behind_it() {
        let mut block = Block::default();
        let mut strays = Strays::default();
        block.begin(1, "own");
        for number in 2..=100_000 {
            block.push("stray");
            strays.push(number, if number == 5 { "stray 5" } else { "stray" });
        }
        block.push("own");
        block.push("behind");
        strays.push(100_002, "behind");
        let mut findings = Findings::default();
        assert_eq!(strays.tell(&block, &mut findings), 100_001);
        let lines = findings.events.iter().map(crate::Event::first_line);
        assert_eq!(lines.collect::<Vec<_>>(), [5, 100_002]);
    }
}
