//! Lines that stand in the middle of what a tool printed and are none of its own: a warning of the kernel, a line that was
//! damaged, a remark. The run goes on behind them; ended there, its rest would look like a run of its own without a head.

use crate::arrival::is_furniture;
use crate::block::{Block, Findings};
use crate::prompt::command_line;

/// So many lines that are not understood may follow one another.
const MOST_IN_A_ROW: usize = 3;

/// Whether a run goes through this line, which is not its own: shortly behind one that is, and neither behind a blank line nor
/// at a prompt.
pub(crate) fn is_stray(block: &Block, line: &str, is_own: impl Fn(&str) -> bool) -> bool {
    let text = line.trim();
    !text.is_empty()
        && command_line(text).is_none()
        && !is_furniture(text)
        && block.last().is_some_and(|last| !last.trim().is_empty())
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
        if !line.trim().is_empty() {
            self.lines.push((number, line));
        }
    }

    /// Complains about those that hold figures, and about those behind the run: these may be somebody's words.
    pub(crate) fn tell(self, block: &Block, findings: &mut Findings) {
        let is_stray = |number: u64| self.lines.iter().rev().any(|(stray, _)| *stray == number);
        let own = block
            .numbered()
            .filter(|(number, line)| !line.trim().is_empty() && !is_stray(*number));
        let last_own = own.last().map_or(0, |(number, _)| number);
        for (number, line) in &self.lines {
            if *number > last_own {
                findings.complain(*number, format!("not understood: {}", line.trim()));
            } else {
                findings.unread(*number, line);
            }
        }
    }
}
