//! Levels of a rate over time, each over the way that the data took meanwhile.

use super::{Intake, Routing};
use crate::declaration::SECOND_AT_SAME_ELEMENT;
use evidence::{Complaint, End};
use model::{ElementId, MapBuilder, NodeId, Program, Rate, Seen, Trust};

/// What is in question where slow levels of a rate went another way than fast ones.
#[derive(Debug, Default)]
pub(crate) struct Epochs {
    /// The part of the way that only the slow levels crossed.
    pub(crate) detour: Vec<ElementId>,
    /// Whatever came and went on the way just then, by itself.
    passing: Option<ElementId>,
    /// ln of how much rarer than elsewhere a fault is at either.
    ln_rarity: (f64, f64),
}

impl Epochs {
    /// ln of how much rarer a fault is at an element than its kind and its length say; `None` for elements that no epoch
    /// sets apart.
    pub(crate) fn ln_rarity(&self, element: ElementId) -> Option<f64> {
        if self.passing == Some(element) {
            return Some(self.ln_rarity.1);
        }
        self.detour.contains(&element).then_some(self.ln_rarity.0)
    }
}

/// Of the ways that the data took, the slow route seen last is that of the transfer complained about.
pub(super) fn learn(builder: &mut MapBuilder, routing: &Routing, complaint: &Complaint) {
    let Some(parting) = routing.parting() else { return };
    let hops = routing.routes.nodes(parting.route);
    let numbered = hops.enumerate().map(|(place, hop)| {
        let ttl = u8::try_from(place + 1).unwrap_or(u8::MAX);
        (ttl, hop.cloned())
    });
    let [from, to] = [End::From, End::To].map(|end| complaint.node(end));
    builder.taken(&from, &to, numbered.collect());
}

pub(super) fn take_in(intake: &mut Intake, routing: &Routing, (from, to): (NodeId, NodeId)) -> Epochs {
    let (Some(rates), Some(parting)) = (&routing.rates, routing.parting()) else {
        return Epochs::default();
    };
    let path = intake.map.path(from, to);
    let element_before = |place: usize| {
        let node = intake
            .map
            .find(routing.routes.nodes(parting.route).nth(place)??)?;
        path.hops.iter().position(|hop| hop.node == node)
    };
    let first = element_before(parting.hops.0).map_or(0, |before| before + 1);
    let last = element_before(parting.hops.1).unwrap_or(path.ways.len().saturating_sub(1));
    let detour = path.ways.get(first..=last).unwrap_or(&[]).to_vec();
    let passing = intake.map.somewhere(from, to);
    let length = |id: &ElementId| intake.map.element(*id).links();
    let longer = path.ways.iter().map(length).sum::<f64>() / length(&passing);
    // Slow ways that share no link are narrow each by itself: what makes one so, where both end, makes others so.
    let each = (parting.ways - 1) as f64 * libm::log(SECOND_AT_SAME_ELEMENT);
    let ln_rarity = (each, routing.ln_chance() + libm::log(longer));
    // A level is what the transfers of a history tell together.
    let between = |m: &model::Measurement| (m.from, m.to) == (from, to) && matches!(m.seen, Seen::Rate(_));
    intake
        .measurements
        .retain(|m| !between(m) || !m.cites.iter().all(|id| rates.cites.binary_search(id).is_ok()));
    // When the other transfers ran nobody knows.
    let undated = intake.measurements.iter_mut().filter(|m| between(m));
    undated.for_each(|m| m.out.insert(1, passing));
    for (number, regime) in rates.steps.regimes.iter().enumerate() {
        let Some(goes_there) = parting.goes_there.get(number).copied().flatten() else {
            continue;
        };
        // Whatever sends, it is the same all along: what it suffers from itself, it suffers at every level.
        let seen = Rate::bare(regime.level, intake.rtts.between(from, to), Program::Named);
        let seen = Seen::Rate(seen);
        let cites = rates.cites.first().or(routing.routes.cites.first());
        let Some(id) = cites else { continue };
        intake.put(from, to, seen, Trust::Measured, id);
        let Some(level) = intake.measurements.last_mut() else {
            continue;
        };
        level
            .cites
            .extend(rates.cites.iter().chain(&routing.routes.cites).cloned());
        level
            .out
            .retain(|element| goes_there || !detour.contains(element));
        if rates.is_slow(number) == Some(true) {
            level.out.insert(1, passing);
        }
    }
    Epochs {
        detour,
        passing: Some(passing),
        ln_rarity,
    }
}
