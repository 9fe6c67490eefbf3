//! What the checks look things up in, and how they say what is wrong.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::ScenarioError;
use crate::model::Scenario;
use crate::network::{LinkId, NodeId};
use crate::raw;

pub(super) type Checked<T> = Result<T, ScenarioError>;

/// What the checks look things up in.
pub(super) struct Context<'a> {
    pub(super) text: &'a str,
    pub(super) names: BTreeMap<String, NodeId>,
}

impl Context<'_> {
    pub(super) fn fail<T>(&self, span: &Range<usize>, reason: impl Into<String>) -> Checked<T> {
        Err(ScenarioError::at(self.text, span, reason))
    }

    pub(super) fn node(&self, name: &raw::Name) -> Checked<NodeId> {
        match self.names.get(name.get_ref()) {
            Some(id) => Ok(*id),
            None => self.fail(
                &name.span(),
                format!(
                    "unknown node `{}`: no [[host]] or [[router]] has this name",
                    name.get_ref()
                ),
            ),
        }
    }

    pub(super) fn link(&self, scenario: &Scenario, from: &raw::Name, to: &raw::Name) -> Checked<LinkId> {
        let (x, y) = (self.node(from)?, self.node(to)?);
        match scenario.link_between(x, y) {
            Some(link) => Ok(link),
            None => self.fail(
                &to.span(),
                format!("no link joins `{}` and `{}`", from.get_ref(), to.get_ref()),
            ),
        }
    }
}
