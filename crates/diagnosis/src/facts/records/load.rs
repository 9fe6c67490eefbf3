//! Whether the links of the path are busy, from whatever record tells: averages of interfaces, stated utilisation,
//! capacities of links, and what goes the other way.

use super::direction;
use super::interfaces::{Interface, hop_of, interfaces};
use crate::facts::Facts;
use evidence::{ObservationId, Quantity, RateBps};

/// The path has far more room than the transfer uses.
#[derive(Debug, Clone)]
pub(crate) struct Headroom {
    /// Figures in words.
    pub(crate) figures: Vec<String>,
    /// The least that a link is known to have free.
    pub(crate) free: RateBps,
    pub(crate) cites: Vec<ObservationId>,
}

/// pathchar and its kin are wrong by half at times (Downey, SIGCOMM 1999).
const INFERRED_SHARE: f64 = 0.5;

/// Where only the share in use is told, a link of the slowest kind that carries such transfers is assumed.
const UTILISATION_LOW: f64 = 0.5;

impl Headroom {
    /// `None` where no record tells of a link of the path.
    pub(crate) fn of(facts: &Facts) -> Option<Self> {
        let mut found = Self {
            figures: Vec::new(),
            free: RateBps(f64::INFINITY),
            cites: Vec::new(),
        };
        // Of a device that is on no route its interfaces tell nothing of the path.
        let hop = |device: &evidence::Node| hop_of(device, &facts.records, &facts.complaint);
        let on_path =
            |interface: &Interface| interface.device.is_unknown() || hop(&interface.device).is_some();
        let all = interfaces(&facts.records.interfaces);
        for interface in all.into_iter().filter(on_path) {
            found.add_interface(&interface);
        }
        found.add_statements(facts);
        found.add_inferred(facts);
        if !found.free.0.is_finite() {
            return None;
        }
        found.add_other_way(facts);
        found.cites.sort();
        found.cites.dedup();
        Some(found)
    }

    fn take(&mut self, free: f64, text: String, id: &ObservationId) {
        if free.is_finite() && free >= 0.0 {
            self.free = RateBps(self.free.0.min(free));
            self.figures.push(text);
            self.cites.push(id.clone());
        }
    }

    fn add_interface(&mut self, interface: &Interface) {
        let (Some(load), Some(bandwidth), Some(id)) = (
            interface.load,
            interface.bandwidth,
            interface.lifetime.cites.first(),
        ) else {
            return;
        };
        let carried = [load.input_bps, load.output_bps].into_iter().flatten();
        let Some(most) = carried.map(|rate| rate.0).max_by(f64::total_cmp) else {
            return;
        };
        let text = format!("{} carries {} of {bandwidth}", interface.words(), RateBps(most));
        self.take(bandwidth.0 - most, text, id);
    }

    fn add_statements(&mut self, facts: &Facts) {
        let capacities = facts.records.stated(Quantity::LinkCapacity, &facts.complaint);
        for used in facts.records.stated(Quantity::Utilisation, &facts.complaint) {
            let of = capacities.iter().find(|link| link.subject == used.subject);
            let subject = used.subject.as_deref().unwrap_or("the link");
            let busy = used.high.clamp(0.0, 1.0);
            if let Some(link) = of {
                let text = format!(
                    "{subject} is used to {:.0} % of {}",
                    busy * 100.0,
                    RateBps(link.low)
                );
                self.take(link.low * (1.0 - busy), text, &used.id);
            } else if busy <= UTILISATION_LOW && self.free.0.is_finite() {
                let text = format!("{subject} is used to {:.0} %", busy * 100.0);
                self.take(self.free.0, text, &used.id);
            }
        }
    }

    fn add_inferred(&mut self, facts: &Facts) {
        for record in &facts.records.capacities {
            let slowest = record
                .what
                .links
                .iter()
                .filter_map(|link| Some(link.capacity_bps?.0))
                .filter(|capacity| *capacity > 0.0)
                .min_by(f64::total_cmp);
            if let Some(slowest) = slowest {
                let text = format!("the slowest link is inferred to carry {}", RateBps(slowest));
                self.take(INFERRED_SHARE * slowest, text, &record.id);
            }
        }
    }

    fn add_other_way(&mut self, facts: &Facts) {
        let pair = direction::of_complaint(&facts.records, &facts.complaint);
        if let Some(pair) = pair.filter(direction::BothWays::differ) {
            let text = format!("the other way {} go through", pair.fast.rate);
            self.figures.push(text);
            self.cites.extend(pair.cites());
        }
    }
}
