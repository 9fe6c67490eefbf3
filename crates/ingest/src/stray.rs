//! Lines that stand in the middle of what a tool printed and are none of its own: a warning of the kernel, a line that was
//! damaged, a remark. The run goes on behind them; ended there, its rest would look like a run of its own without a head.

use crate::block::Block;
use crate::prompt::{command_line, is_bare_prompt};

/// So many lines that are not understood may follow one another.
const MOST_IN_A_ROW: usize = 3;

/// Whether a run goes through this line, which is not its own: shortly behind one that is, and neither behind a blank line nor
/// at a prompt.
pub(crate) fn is_stray(block: &Block, line: &str, is_own: impl Fn(&str) -> bool) -> bool {
    let text = line.trim();
    !text.is_empty()
        && command_line(text).is_none()
        && !is_bare_prompt(text)
        && block.last().is_some_and(|last| !last.trim().is_empty())
        && block.lines().rev().take(MOST_IN_A_ROW).any(|line| is_own(line))
}
