//! What a fault declares of itself: one place from which the registry, `slowpath explain` and the report's text come.

use model::Kind;

/// One cause of slowness that the program knows, with its manual page.
#[derive(Debug)]
pub struct Fault {
    /// Its stable code: `MTU-002`.
    pub code: &'static str,
    /// The manual page, as Markdown: a heading of code and title, then [`SECTIONS`].
    pub page: &'static str,
    /// The parameters of the model that it perturbs: the inference weighs each against all others.
    pub(crate) parameters: &'static [Parameter],
}

/// How a fault enters the model, and how it is told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    /// Which parameter of which kind of element is away from normal.
    pub(crate) kind: Kind,
    /// How often it is the cause, as a share of all complaints. What all faults leave is "nothing" and "unknown".
    pub(crate) prior: f64,
    /// What is wrong, given the value of the parameter in its unit; the place is added behind it.
    pub(crate) claim: fn(f64) -> String,
    /// What to do, in a sentence.
    pub(crate) remedy: &'static str,
}

/// How much rarer a second fault is at the element of a first: less than elsewhere, as what breaks one thing breaks others.
pub(crate) const SECOND_AT_SAME_ELEMENT: f64 = 0.32;

/// What every manual page tells, in this order.
pub const SECTIONS: [&str; 7] = [
    "What it is",
    "Why it hurts",
    "How we know",
    "What looks like it",
    "Remedy",
    "Whom to ask",
    "References",
];

impl Fault {
    /// What it is, in a few words: the heading of its page.
    #[must_use]
    pub fn title(&self) -> &'static str {
        let heading = self.page.lines().next().unwrap_or_default();
        heading.split_once(": ").map_or("", |(_, title)| title)
    }

    /// The text of a section of its page, in one line.
    pub(crate) fn section(&self, heading: &str) -> String {
        let mut sections = self.page.split("\n## ");
        let text = sections
            .find_map(|section| section.strip_prefix(heading))
            .unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
