//! Whether the links of the path are busy, from whatever record tells: averages of interfaces, stated utilisation,
//! capacities of links, and what goes the other way.

use crate::adapters::interfaces::{Interface, hop_of, interfaces};
use crate::facts::{Facts, directions};
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
/// A link of which only the share in use is told is no narrower than others where it is used to less than this.
const UTILISATION_LOW: f64 = 0.5;

/// What a link has free, bit/s, in words, and where that stands.
type Free = (f64, String, ObservationId);

impl Headroom {
    /// `None` where no record tells of a link of the path.
    pub(crate) fn of(facts: &Facts) -> Option<Self> {
        let all = interfaces(&facts.records.interfaces);
        let mut all: Vec<Free> = all
            .iter()
            .filter_map(|interface| of_interface(facts, interface))
            .collect();
        all.extend(of_statements(facts, !all.is_empty()));
        all.extend(of_inferred(facts));
        all.retain(|(free, ..)| *free >= 0.0);
        let free = all.iter().map(|(free, ..)| *free).fold(f64::INFINITY, f64::min);
        let (mut figures, mut cites): (Vec<_>, Vec<_>) =
            all.into_iter().map(|(_, text, id)| (text, id)).unzip();
        if let Some(back) = directions::faster_back(facts) {
            figures.push(format!("the other way {} go through", back.fast));
            cites.extend(back.cites);
        }
        cites.sort();
        cites.dedup();
        free.is_finite().then_some(Self {
            figures,
            free: RateBps(free),
            cites,
        })
    }
}

/// Of a device that is on no route its interfaces tell nothing of the path.
fn of_interface(facts: &Facts, interface: &Interface) -> Option<Free> {
    let hop = hop_of(&interface.device, &facts.records, &facts.complaint);
    let on_path = hop.is_some() || interface.device.is_unknown();
    let (load, bandwidth) = interface.load.zip(interface.bandwidth.filter(|_| on_path))?;
    let carried = [load.input_bps, load.output_bps].into_iter().flatten();
    let most = carried.map(|rate| rate.0).max_by(f64::total_cmp)?;
    let text = format!("{} carries {} of {bandwidth}", interface.words(), RateBps(most));
    Some((
        bandwidth.0 - most,
        text,
        interface.lifetime.cites.first()?.clone(),
    ))
}

fn of_statements(facts: &Facts, others: bool) -> Vec<Free> {
    let stated = |quantity| facts.records.stated(quantity, &facts.complaint).into_iter();
    let one = |used: crate::records::Stated| {
        let subject = used.subject.as_deref().unwrap_or("the link");
        let busy = used.high.clamp(0.0, 1.0);
        let text = format!("{subject} is used to {:.0} %", busy * 100.0);
        match stated(Quantity::LinkCapacity).find(|link| link.subject == used.subject) {
            Some(link) => {
                let text = format!("{text} of {}", RateBps(link.low));
                Some((link.low * (1.0 - busy), text, used.id))
            }
            None => (busy <= UTILISATION_LOW && others).then_some((f64::INFINITY, text, used.id)),
        }
    };
    stated(Quantity::Utilisation).filter_map(one).collect()
}

fn of_inferred(facts: &Facts) -> impl Iterator<Item = Free> {
    facts.records.capacities.iter().filter_map(|record| {
        let links = record.what.links.iter();
        let known = links.filter_map(|link| Some(link.capacity_bps?.0).filter(|bps| *bps > 0.0));
        let slowest = known.min_by(f64::total_cmp)?;
        let text = format!("the slowest link is inferred to carry {}", RateBps(slowest));
        Some((INFERRED_SHARE * slowest, text, record.id.clone()))
    })
}
