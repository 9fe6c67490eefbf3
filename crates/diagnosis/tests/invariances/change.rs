//! Changes of a whole case.

use evidence::{Case, Observation, Payload, Timestamp};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// The case of what `change` makes of each observation.
pub(crate) fn rebuilt(case: &Case, change: impl Fn(&Observation) -> Option<Observation>) -> Case {
    let mut rebuilt = Case::new(case.complaint.clone());
    rebuilt.journal.clone_from(&case.journal);
    let observations = case.observations().iter().filter_map(change);
    observations.for_each(|observation| rebuilt.add(observation));
    rebuilt
}

/// Its observations added in another order.
pub(crate) fn shuffled(case: &Case, random: &mut StdRng) -> Case {
    let mut order: Vec<&Observation> = case.observations().iter().collect();
    order.shuffle(random);
    let mut shuffled = Case::new(case.complaint.clone());
    shuffled.journal.clone_from(&case.journal);
    order
        .into_iter()
        .for_each(|observation| shuffled.add(observation.clone()));
    shuffled
}

/// Which record was added when says nothing: the times of import exchanged, within each round.
pub(crate) fn import_times_exchanged(case: &Case, random: &mut StdRng) -> Case {
    let mut changed = case.observations().to_vec();
    for round in case.rounds() {
        let its = |o: &&mut Observation| o.provenance.round == round && o.provenance.at_is_import_time;
        let mut times: Vec<Timestamp> = changed.iter_mut().filter(its).map(|o| o.provenance.at).collect();
        // Where all were added at once the times alone give no other order.
        times
            .iter_mut()
            .enumerate()
            .for_each(|(place, at)| at.0 += place as i64);
        times.shuffle(random);
        for (observation, at) in changed.iter_mut().filter(its).zip(times) {
            observation.provenance.at = at;
        }
    }
    let mut exchanged = Case::new(case.complaint.clone());
    exchanged.journal.clone_from(&case.journal);
    for observation in changed {
        exchanged.add(Observation::new(observation.provenance, observation.payload));
    }
    exchanged
}

/// Everything later by the same time.
pub(crate) fn shifted(case: &Case, by_ns: i64) -> Case {
    let mut case = rebuilt(case, |observation| {
        let (mut provenance, mut payload) = (observation.provenance.clone(), observation.payload.clone());
        provenance.at.0 += by_ns;
        match &mut payload {
            Payload::Series(series) => series.points.iter_mut().for_each(|point| point.0.0 += by_ns),
            Payload::RouteHistory(history) => history.seen.iter_mut().for_each(|seen| seen.0.0 += by_ns),
            _ => {}
        }
        Some(Observation::new(provenance, payload))
    });
    case.complaint.opened_at.0 += by_ns;
    case.journal.iter_mut().for_each(|entry| entry.at.0 += by_ns);
    case
}
