//! The two ends between which packets go, of a run or of others' traffic.

use super::context::{Checked, Context};
use crate::model::Scenario;
use crate::network::{NodeId, Role};
use crate::prefix::Family;
use crate::raw;

/// Two different hosts; `what` goes between them.
pub(super) fn two_hosts(
    context: &Context<'_>,
    (from, to): (&raw::Name, &raw::Name),
    scenario: &Scenario,
    what: &str,
) -> Checked<[NodeId; 2]> {
    let host = |name: &raw::Name| {
        let id = context.node(name)?;
        if scenario.node(id).role == Role::Host {
            return Ok(id);
        }
        let reason = format!("`{}` is a router: {what} goes between hosts", name.get_ref());
        context.fail(&name.span(), reason)
    };
    let ends = [host(from)?, host(to)?];
    if ends[0] == ends[1] {
        return context.fail(&to.span(), format!("{what} needs two different hosts"));
    }
    Ok(ends)
}

/// Whoever sends must at least be able to reach the other end, there and back, in some family.
pub(super) fn reachable(
    context: &Context<'_>,
    (from_name, to_name): (&raw::Name, &raw::Name),
    scenario: &Scenario,
) -> Checked<()> {
    let (from, to) = (context.node(from_name)?, context.node(to_name)?);
    let mut reason = None;
    for family in Family::BOTH {
        let there = scenario.paths(from, to, family);
        match there.and_then(|_| scenario.paths(to, from, family)) {
            Ok(_) => return Ok(()),
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    let reason = reason.map_or_else(String::new, |r| format!(": {r}"));
    let (from, to) = (from_name.get_ref(), to_name.get_ref());
    context.fail(
        &to_name.span(),
        format!("`{to}` cannot be reached from `{from}` and back{reason}"),
    )
}
