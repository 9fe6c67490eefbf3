//! From the file as written to a scenario in which every reference holds.

mod context;
mod ends;
mod ranges;
mod timeline;
mod topology;
mod traffic;
mod verdict;

use std::collections::BTreeMap;

use crate::model::Scenario;
use crate::network::LinkId;
use crate::raw;
use context::{Checked, Context};

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
        ends::reachable(&context, (&raw.from, &raw.to), &scenario)?;
    }
    if let Some(truth) = &file.truth {
        scenario.truth = Some(verdict::truth(&context, truth, &scenario, true)?);
    }
    Ok(scenario)
}
