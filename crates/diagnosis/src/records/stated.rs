//! Figures that people state, looked up by what they are about.

use super::ends::goes_between;
use super::round::Records;
use evidence::{Complaint, Node, ObservationId, Quantity, Statement};

/// A stated figure with where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stated {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) subject: Option<String>,
    pub(crate) text: String,
    pub(crate) id: ObservationId,
}

impl Records {
    /// Figures of this quantity about the transfer complained about, or about no transfer in particular; ascending.
    pub(crate) fn stated(&self, quantity: Quantity, complaint: &Complaint) -> Vec<Stated> {
        self.stated_where(quantity, |said| {
            said.from.is_unknown() && said.to.is_unknown() || goes_between(&said.from, &said.to, complaint)
        })
    }

    /// Figures of this quantity about transfers between these two; ascending.
    pub(crate) fn stated_between(&self, quantity: Quantity, from: &Node, to: &Node) -> Vec<Stated> {
        let same = |a: &Node, b: &Node| a.same_as(b) == Some(true);
        self.stated_where(quantity, |said| same(&said.from, from) && same(&said.to, to))
    }

    /// Figures of this quantity about what `about` says; ascending.
    pub(super) fn stated_where(&self, quantity: Quantity, about: impl Fn(&Statement) -> bool) -> Vec<Stated> {
        let mut found: Vec<Stated> = self
            .statements
            .iter()
            .filter(|said| said.what.quantity == quantity && about(&said.what))
            .filter(|said| said.what.value.is_finite())
            .map(|said| {
                let (low, high) = said.what.range.unwrap_or((said.what.value, said.what.value));
                Stated {
                    value: said.what.value,
                    low: low.min(said.what.value),
                    high: high.max(said.what.value),
                    subject: said.what.subject.clone(),
                    text: said.what.text.clone(),
                    id: said.id.clone(),
                }
            })
            .collect();
        found.sort_by(|a, b| a.value.total_cmp(&b.value).then_with(|| a.id.cmp(&b.id)));
        found
    }
}
