//! A table before it has a form: text, Markdown and HTML each lay the same cells out in their own way.

/// What a cell says about itself, beyond its text. Never the only carrier: a reader without colours has the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Plain,
    /// Sound.
    Good,
    /// What hurts.
    Bad,
    /// Suspicious, or not to be trusted.
    Warn,
    /// Absent: missing, silent, not tested.
    Soft,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// Said instead where the whole text does not fit.
    pub(crate) short: Option<String>,
    pub(crate) tone: Tone,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::toned(text, Tone::Plain)
    }

    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            short: None,
            tone,
        }
    }

    /// What was not recorded.
    pub(crate) fn absent() -> Self {
        Self::toned("—", Tone::Soft)
    }

    pub(crate) fn short(mut self, short: impl Into<String>) -> Self {
        self.short = Some(short.into());
        self
    }
}

impl<T: Into<String>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::absent, Self::new)
    }
}

/// One row. The first cell names the row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Row {
    pub(crate) cells: Vec<Cell>,
    /// Why the row stands out: a finding's code.
    pub(crate) mark: Option<String>,
}

impl Row {
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Self { cells, mark: None }
    }
}

/// A table with a title, what it is drawn from, and what has to be said about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Table {
    pub(crate) title: String,
    /// Short numbers of the observations that it shows.
    pub(crate) cites: Vec<usize>,
    /// Headings; the first is that of the rows' names.
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
}

impl Table {
    /// The numbers as `[o1 o2]`; a long list is cut.
    pub(crate) fn cited(&self) -> String {
        const MOST: usize = 8;
        let mut numbers: Vec<String> = self.cites.iter().take(MOST).map(|n| format!("o{n}")).collect();
        if self.cites.len() > MOST {
            numbers.push(format!("and {} more", self.cites.len() - MOST));
        }
        match numbers.is_empty() {
            true => String::new(),
            false => format!("[{}]", numbers.join(" ")),
        }
    }
}
