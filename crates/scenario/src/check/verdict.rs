//! The complaint and the right answer to it.

use toml::Spanned;

use super::{Checked, Context};
use crate::model::{Role, Run, Scenario};
use crate::raw;
use crate::truth::{RedHerring, Truth, TruthLocation};

pub(super) fn run(context: &Context<'_>, raw: &Spanned<raw::Run>, scenario: &Scenario) -> Checked<Run> {
    let run = raw.get_ref();
    let mut ends = Vec::new();
    for name in [&run.from, &run.to] {
        let id = context.node(name)?;
        if scenario.node(id).role != Role::Host {
            return context.fail(
                &name.span(),
                format!("`{}` is a router: a run goes between hosts", name.get_ref()),
            );
        }
        ends.push(id);
    }
    if ends[0] == ends[1] {
        return context.fail(&run.to.span(), "a run needs two different hosts");
    }
    Ok(Run {
        from: ends[0],
        to: ends[1],
        expect_bps: run.expect.map(|r| r.bps),
        diagnose_args: run.diagnose_args.clone(),
    })
}

pub(super) fn truth(
    context: &Context<'_>,
    raw: &Spanned<raw::Truth>,
    scenario: &Scenario,
    outermost: bool,
) -> Checked<Truth> {
    let truth = raw.get_ref();
    if !is_code(truth.code.get_ref()) {
        let reason = format!("`{}` is not a fault code like MTU-001", truth.code.get_ref());
        return context.fail(&truth.code.span(), reason);
    }
    let location = location(context, truth, scenario)?;
    let mut red_herrings = Vec::new();
    for herring in &truth.red_herring {
        red_herrings.push(RedHerring {
            node: context.node(&herring.node)?,
            kind: herring.kind,
        });
    }
    let mut after = std::collections::BTreeMap::new();
    for (step, then) in &truth.after {
        if !outermost || !scenario.steps().contains(&step.get_ref().as_str()) {
            let reason = format!("no [[timeline]] entry has the step `{}`", step.get_ref());
            return context.fail(&step.span(), reason);
        }
        after.insert(
            step.get_ref().clone(),
            self::truth(context, then, scenario, false)?,
        );
    }
    Ok(Truth {
        code: truth.code.get_ref().clone(),
        also_accept: truth.also_accept.clone(),
        location,
        direction: truth.direction,
        threshold_bytes: truth.threshold_bytes,
        red_herrings,
        after,
    })
}

fn location(
    context: &Context<'_>,
    truth: &raw::Truth,
    scenario: &Scenario,
) -> Checked<Option<TruthLocation>> {
    match (&truth.link, &truth.host) {
        (Some(link), None) => {
            context.link(scenario, &link.from, &link.to)?;
            let (from, to) = (context.node(&link.from)?, context.node(&link.to)?);
            Ok(Some(TruthLocation::Link { from, to }))
        }
        (None, Some(host)) => Ok(Some(TruthLocation::Host(context.node(host)?))),
        (None, None) => Ok(None),
        (Some(_), Some(host)) => context.fail(&host.span(), "a truth has a `link` or a `host`, not both"),
    }
}

fn is_code(text: &str) -> bool {
    text.split_once('-').is_some_and(|(area, number)| {
        !area.is_empty()
            && area.bytes().all(|b| b.is_ascii_uppercase())
            && number.len() == 3
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}
