//! What a fault declares of itself: one place from which the registry, `slowpath explain`, the page in `docs/faults/`
//! and the report's text come.

use crate::facts::Facts;
use crate::judgement::Outcome;
use model::Kind;
use std::fmt::Write as _;

/// One cause of slowness that the program knows, with its manual page. A section left out does not compile.
#[derive(Debug)]
pub struct Fault {
    /// Its stable code: `MTU-002`.
    pub code: &'static str,
    /// Its folder in `faults/`, in words with underscores.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The manual page.
    pub sections: Sections,
    /// The rule, for faults that show in patterns over time, in statements and in chains of counters.
    pub(crate) rule: Option<Rule>,
    /// The parameter of the model that it perturbs: the inference weighs it against all others.
    pub(crate) parameter: Option<Parameter>,
}

/// How a fault is read from facts that are no measurements of the model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// How often it is the cause before anything was measured, as log-odds. A finding's confidence is
    /// `logistic(prior + the sum of its arguments' weights)`.
    pub(crate) prior: f64,
    pub(crate) judge: fn(&Facts) -> Vec<Outcome>,
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

/// The sections of a fault's manual page, each Markdown text.
#[derive(Debug)]
pub struct Sections {
    /// What it is.
    pub what_it_is: &'static str,
    /// Why it hurts.
    pub why_it_hurts: &'static str,
    /// How we know: what speaks for it and against it.
    pub how_we_know: &'static str,
    /// What looks like it, and what tells them apart.
    pub what_looks_like_it: &'static str,
    /// Remedy.
    pub remedy: &'static str,
    /// Whom to ask.
    pub whom_to_ask: &'static str,
    /// References: RFC sections, papers, incidents. At least one.
    pub references: &'static [&'static str],
}

impl Sections {
    /// The prose sections with their headings, in the order of the page.
    #[must_use]
    pub fn prose(&self) -> [(&'static str, &'static str); 6] {
        [
            ("What it is", self.what_it_is),
            ("Why it hurts", self.why_it_hurts),
            ("How we know", self.how_we_know),
            ("What looks like it", self.what_looks_like_it),
            ("Remedy", self.remedy),
            ("Whom to ask", self.whom_to_ask),
        ]
    }
}

impl Fault {
    /// The manual page as Markdown.
    #[must_use]
    pub fn page(&self) -> String {
        let mut page = format!("# {}: {}\n", self.code, self.title);
        for (heading, text) in self.sections.prose() {
            let _ = write!(page, "\n## {heading}\n\n{}\n", text.trim());
        }
        page.push_str("\n## References\n\n");
        for reference in self.sections.references {
            let _ = writeln!(page, "- {reference}");
        }
        page
    }
}
