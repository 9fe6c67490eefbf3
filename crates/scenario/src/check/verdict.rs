//! The complaint and the right answer to it.

use toml::Spanned;

use super::context::{Checked, Context};
use super::ends;
use crate::model::{Run, Scenario};
use crate::raw;
use crate::truth::{FaultFamily, PathDirection, RedHerring, TrueFault, Truth, TruthLocation};

pub(super) fn run(context: &Context<'_>, raw: &Spanned<raw::Run>, scenario: &Scenario) -> Checked<Run> {
    let run = raw.get_ref();
    let [from, to] = ends::two_hosts(context, (&run.from, &run.to), scenario, "a run")?;
    Ok(Run {
        from,
        to,
        expect_bps: run.expect.map(|r| r.bps),
        far_end: run.far_end,
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
    let fault = Fault {
        codes: (&truth.code, &truth.also_accept),
        family: truth.family,
        place: (truth.link.as_ref(), truth.host.as_ref()),
        direction: truth.direction,
        threshold_bytes: truth.threshold_bytes,
    };
    let further = truth.further.iter().map(|f| Fault {
        codes: (&f.code, &f.also_accept),
        family: f.family,
        place: (f.link.as_ref(), f.host.as_ref()),
        direction: f.direction,
        threshold_bytes: f.threshold_bytes,
    });
    let further: Checked<Vec<TrueFault>> = further.map(|f| f.checked(context, scenario)).collect();
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
        fault: fault.checked(context, scenario)?,
        further: further?,
        red_herrings,
        after,
    })
}

/// The fields that the main fault and a further one have in common: serde cannot both flatten and deny unknown fields.
struct Fault<'a> {
    codes: (&'a Spanned<String>, &'a [Spanned<String>]),
    family: Option<FaultFamily>,
    place: (Option<&'a raw::TruthLink>, Option<&'a raw::Name>),
    direction: Option<PathDirection>,
    threshold_bytes: Option<u32>,
}

impl Fault<'_> {
    fn checked(&self, context: &Context<'_>, scenario: &Scenario) -> Checked<TrueFault> {
        let (code, also_accept) = self.codes;
        Ok(TrueFault {
            code: checked_code(context, code)?,
            also_accept: also_accept
                .iter()
                .map(|c| checked_code(context, c))
                .collect::<Checked<_>>()?,
            family: self.family,
            location: location(context, self.place, scenario)?,
            direction: self.direction,
            threshold_bytes: self.threshold_bytes,
        })
    }
}

fn checked_code(context: &Context<'_>, code: &Spanned<String>) -> Checked<String> {
    if is_code(code.get_ref()) {
        return Ok(code.get_ref().clone());
    }
    let reason = format!("`{}` is not a fault code like MTU-001", code.get_ref());
    context.fail(&code.span(), reason)
}

fn location(
    context: &Context<'_>,
    place: (Option<&raw::TruthLink>, Option<&raw::Name>),
    scenario: &Scenario,
) -> Checked<Option<TruthLocation>> {
    match place {
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
