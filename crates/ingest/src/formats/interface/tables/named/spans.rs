//! Words of a line, with where they stand.

/// Some text of a line, by where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span<'l> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: &'l str,
}

impl Span<'_> {
    pub(super) fn overlap(&self, start: usize, end: usize) -> usize {
        self.end.min(end).saturating_sub(self.start.max(start))
    }
}

pub(super) fn is_frame(byte: u8) -> bool {
    matches!(byte, b'|' | b'[' | b']')
}

/// The words of a line; frames stand between them.
pub(super) fn words(line: &str) -> impl Iterator<Item = Span<'_>> {
    let begin = line.as_ptr() as usize;
    line.split([' ', '\t', '|', '[', ']'])
        .filter(|word| !word.is_empty())
        .map(move |text| {
            let start = text.as_ptr() as usize - begin;
            Span {
                start,
                end: start + text.len(),
                text,
            }
        })
}

/// Words with a single blank between them, as one.
pub(super) fn phrases(line: &str) -> Vec<Span<'_>> {
    let mut phrases: Vec<Span<'_>> = Vec::new();
    for word in words(line) {
        let joined = phrases
            .last()
            .filter(|last| last.end + 1 == word.start)
            .and_then(|last| {
                let between = line.as_bytes().get(last.end)?;
                (*between == b' ').then_some(())?;
                Some(Span {
                    start: last.start,
                    end: word.end,
                    text: line.get(last.start..word.end)?,
                })
            });
        match (joined, phrases.last_mut()) {
            (Some(joined), Some(last)) => *last = joined,
            _ => phrases.push(word),
        }
    }
    phrases
}
