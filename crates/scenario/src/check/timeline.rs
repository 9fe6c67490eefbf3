//! The timeline: each entry changes one thing at one moment.

use std::ops::Range;

use super::context::{Checked, Context};
use super::ranges;
use crate::event::{Change, Event, When};
use crate::model::Scenario;
use crate::network::LinkId;
use crate::raw;

pub(super) fn events(context: &Context<'_>, file: &raw::File, scenario: &mut Scenario) -> Checked<()> {
    for spanned in &file.timeline {
        let when = when(context, spanned)?;
        for change in changes(context, scenario, spanned)? {
            scenario.timeline.push(Event {
                when: when.clone(),
                change,
            });
        }
    }
    Ok(())
}

fn when(context: &Context<'_>, spanned: &toml::Spanned<raw::Event>) -> Checked<When> {
    let (raw, span) = (spanned.get_ref(), spanned.span());
    match (raw.at, raw.every, &raw.step) {
        (Some(at_s), None, None) => Ok(When::At(instant(context, &span, "at", at_s)?)),
        (Some(at_s), Some(every_s), None) => {
            if every_s < SHORTEST_PERIOD_S {
                let reason =
                    format!("every = {every_s} is out of range: at least {SHORTEST_PERIOD_S} seconds");
                return context.fail(&span, reason);
            }
            Ok(When::Every {
                first_ns: instant(context, &span, "at", at_s)?,
                period_ns: instant(context, &span, "every", every_s)?,
            })
        }
        (None, Some(_), _) => context.fail(&span, "`every` needs the first time, `at`"),
        (None, None, Some(step)) => Ok(When::Step(step.clone())),
        _ => context.fail(&span, "a [[timeline]] entry needs either `at` or `step`"),
    }
}

/// Changes that come faster than this are a property of a link (loss, a policer), not events.
const SHORTEST_PERIOD_S: f64 = 0.1;
const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// A time in seconds after the network came up, as ns.
pub(super) fn instant(context: &Context<'_>, span: &Range<usize>, name: &str, given_s: f64) -> Checked<u64> {
    if (0.0..=SECONDS_OF_A_DAY).contains(&given_s) {
        return Ok((given_s * 1e9).round() as u64);
    }
    context.fail(
        span,
        format!("{name} = {given_s} is out of range: 0 to {SECONDS_OF_A_DAY} seconds"),
    )
}

fn changes(
    context: &Context<'_>,
    scenario: &Scenario,
    spanned: &toml::Spanned<raw::Event>,
) -> Checked<Vec<Change>> {
    let raw = spanned.get_ref();
    let mut changes = Vec::new();
    match (&raw.node, &raw.settings) {
        (Some(node), Some(settings)) => {
            ranges::settings(context, &settings.span(), settings.get_ref())?;
            changes.push(Change::Settings {
                node: context.node(node)?,
                set: settings.get_ref().clone(),
            });
        }
        (None, None) => {}
        _ => return context.fail(&spanned.span(), "`node` and `settings` go together"),
    }
    match (&raw.from, &raw.to) {
        (Some(from), Some(to)) => link_changes(context, scenario, raw, (from, to), &mut changes)?,
        (None, None) if raw.set.is_none() && raw.mtu.is_none() => {}
        _ => {
            return context.fail(
                &spanned.span(),
                "`set` and `mtu` need the link: both `from` and `to`",
            );
        }
    }
    if changes.is_empty() {
        let reason = "a [[timeline]] entry changes something: `node` with `settings`, or `from`, `to` with `set` or `mtu`";
        return context.fail(&spanned.span(), reason);
    }
    Ok(changes)
}

fn link_changes(
    context: &Context<'_>,
    scenario: &Scenario,
    raw: &raw::Event,
    (from, to): (&raw::Name, &raw::Name),
    changes: &mut Vec<Change>,
) -> Checked<()> {
    let link = context.link(scenario, from, to)?;
    let node = context.node(from)?;
    let Some(side) = scenario.link(link).side_of(node) else {
        return Ok(());
    };
    if let Some(set) = &raw.set {
        ranges::direction(context, set)?;
        changes.push(Change::Direction {
            link,
            side,
            set: set.get_ref().clone(),
        });
    }
    if let Some(mtu) = &raw.mtu {
        changes.push(Change::Mtu {
            link,
            side,
            mtu_bytes: ranges::mtu(context, mtu)?,
        });
    }
    Ok(())
}

pub(super) fn touches_direction(timeline: &[Event], id: LinkId) -> bool {
    timeline
        .iter()
        .any(|e| matches!(&e.change, Change::Direction { link, .. } if *link == id))
}
