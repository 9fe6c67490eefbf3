//! From the file as written to a scenario in which every reference holds.

mod ranges;
mod timeline;
mod topology;
mod traffic;
mod verdict;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::ScenarioError;
use crate::model::{LinkId, NodeId, Scenario};
use crate::raw;
use crate::routing::Family;

type Checked<T> = Result<T, ScenarioError>;

/// What the checks look things up in.
struct Context<'a> {
    text: &'a str,
    names: BTreeMap<String, NodeId>,
}

impl Context<'_> {
    fn fail<T>(&self, span: &Range<usize>, reason: impl Into<String>) -> Checked<T> {
        Err(ScenarioError::at(self.text, span, reason))
    }

    fn node(&self, name: &raw::Name) -> Checked<NodeId> {
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

    fn link(&self, scenario: &Scenario, from: &raw::Name, to: &raw::Name) -> Checked<LinkId> {
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

pub(crate) fn check(text: &str, file: raw::File) -> Checked<Scenario> {
    let mut context = Context {
        text,
        names: BTreeMap::new(),
    };
    let mut scenario = Scenario {
        title: file.title.clone(),
        description: file.description.trim().to_owned(),
        nodes: Vec::new(),
        links: Vec::new(),
        routes: Vec::new(),
        traffic: Vec::new(),
        timeline: Vec::new(),
        run: None,
        truth: None,
    };
    topology::nodes(&mut context, &file, &mut scenario)?;
    topology::links(&context, &file, &mut scenario)?;
    topology::assign_addresses(&file, &mut scenario);
    topology::routes(&context, &file, &mut scenario)?;
    timeline::events(&context, &file, &mut scenario)?;
    scenario.traffic = traffic::traffic(&context, &file, &scenario)?;
    for (index, link) in scenario.links.iter_mut().enumerate() {
        link.emulated = link.directions.iter().any(ranges::is_not_a_wire)
            || timeline::touches_direction(&scenario.timeline, LinkId(index));
    }
    if let Some(run) = &file.run {
        scenario.run = Some(verdict::run(&context, run, &scenario)?);
        let raw = run.get_ref();
        reachable(&context, (&raw.from, &raw.to), &scenario)?;
    }
    if let Some(truth) = &file.truth {
        scenario.truth = Some(verdict::truth(&context, truth, &scenario, true)?);
    }
    Ok(scenario)
}

/// Whoever sends must at least be able to reach the other end, there and back, in some family.
fn reachable(
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
