//! The timeline: each entry changes one thing at one moment.

use super::{Checked, Context, ranges};
use crate::model::{Change, Event, LinkId, Scenario, When};
use crate::raw;

pub(super) fn events(context: &Context<'_>, file: &raw::File, scenario: &mut Scenario) -> Checked<()> {
    for spanned in &file.timeline {
        let raw = spanned.get_ref();
        let when = match (raw.at, &raw.step) {
            (Some(at_s), None) if (0.0..=86_400.0).contains(&at_s) => When::At((at_s * 1e9).round() as u64),
            (Some(at_s), None) => {
                return context.fail(
                    &spanned.span(),
                    format!("at = {at_s} is out of range: 0 to 86400 seconds"),
                );
            }
            (None, Some(step)) => When::Step(step.clone()),
            _ => {
                return context.fail(
                    &spanned.span(),
                    "a [[timeline]] entry needs either `at` or `step`",
                );
            }
        };
        for change in changes(context, scenario, spanned)? {
            scenario.timeline.push(Event {
                when: when.clone(),
                change,
            });
        }
    }
    Ok(())
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
