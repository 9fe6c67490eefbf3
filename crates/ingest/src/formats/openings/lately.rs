//! The formats that lines began which were asked about lately. A log or a desk's files have the same headings and commands over and over,
//! and which format begins with a line depends on the line alone.

use crate::dictionary::hash;
use crate::format::Format;
use std::cell::RefCell;

/// So many lines are remembered, each in a place of its own: with their texts they fit into the cache of a processor.
const LINES: usize = 8_192;
/// A longer line hardly comes again, bytes.
const LONGEST: usize = 160;

/// A line, and the format that begins with it.
type Known = (String, Option<&'static Format>);

thread_local! {
    static LATELY: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// The format that begins with a line, as it was found before or is found now.
pub(super) fn known(line: &str, find: impl FnOnce() -> Option<&'static Format>) -> Option<&'static Format> {
    if line.len() > LONGEST {
        return find();
    }
    let place = hash(line) % LINES;
    let known = |all: &RefCell<Vec<Known>>| {
        let all = all.borrow();
        let (text, format) = all.get(place).filter(|(text, _)| text == line)?;
        // An empty line begins nothing, and is what no line was remembered in.
        Some(*format).filter(|_| !text.is_empty())
    };
    LATELY.with(known).unwrap_or_else(|| {
        let format = find();
        LATELY.with(|all| remember(&mut all.borrow_mut(), place, line, format));
        format
    })
}

fn remember(all: &mut Vec<Known>, place: usize, line: &str, format: Option<&'static Format>) {
    all.resize_with(LINES, Known::default);
    if let Some((text, known)) = all.get_mut(place) {
        line.clone_into(text);
        *known = format;
    }
}
