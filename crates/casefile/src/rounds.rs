//! Which round of measurements is meant: rounds are counted by what was observed and by the interventions between.

use evidence::Case;

/// Why a case has no two rounds to compare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SidesError {
    /// There are no observations.
    #[error("nothing was measured or added yet: there is nothing to compare")]
    Nothing,
    /// An intervention was noted, and then nothing was observed.
    #[error(
        "nothing was measured or added since the last intervention (round {round} is empty): measure again"
    )]
    NothingSince {
        /// The round that the intervention opened.
        round: u32,
    },
    /// The rounds stand the wrong way round.
    #[error("round {before} is not before round {after}")]
    WrongOrder {
        /// The round asked for as the one before.
        before: u32,
        /// The round after.
        after: u32,
    },
    /// Nothing was observed before the round after.
    #[error("round {after} is the first: there is nothing to compare it with")]
    First {
        /// The round after.
        after: u32,
    },
}

/// The round that records belong to unless somebody says otherwise: the last one that has observations, or the one
/// that an intervention opened since.
#[must_use]
pub fn current_round(case: &Case) -> u32 {
    let opened = case.journal.iter().filter_map(|entry| entry.before_round).max();
    let measured = case.rounds().last().copied();
    opened.max(measured).unwrap_or(1).max(1)
}

/// The round that begins with an intervention made now. Several interventions without a measurement between them open
/// one round.
#[must_use]
pub fn next_round(case: &Case) -> u32 {
    case.rounds().last().map_or(1, |last| last.saturating_add(1))
}

/// The rounds on both sides of the last intervention, as far as `before` and `after` do not name them; without an
/// intervention the last two.
///
/// # Errors
/// When there are no two rounds to compare.
pub fn sides(case: &Case, before: Option<u32>, after: Option<u32>) -> Result<(u32, u32), SidesError> {
    let rounds = case.rounds();
    let Some(newest) = rounds.last().copied() else {
        return Err(SidesError::Nothing);
    };
    let opened = case.journal.iter().filter_map(|entry| entry.before_round);
    // A round that begins where nothing was measured before is no side of an intervention.
    let intervention = opened.filter(|round| rounds.iter().any(|r| r < round)).max();
    let border = match intervention {
        Some(round) if after.is_none() && before.is_none() && round > newest => {
            return Err(SidesError::NothingSince { round });
        }
        Some(round) => round,
        None => u32::MAX,
    };
    let after = after.unwrap_or(newest);
    let last_before = rounds.iter().copied().filter(|r| *r < border && *r < after).max();
    match before.or(last_before) {
        Some(before) if before < after => Ok((before, after)),
        Some(before) => Err(SidesError::WrongOrder { before, after }),
        None => Err(SidesError::First { after }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{
        Complaint, End, HostFacts, JournalEntry, Node, Observation, Party, Payload, Provenance, Timestamp,
    };

    fn case(rounds: &[u32], opened_by_notes: &[Option<u32>]) -> Case {
        let party = |name: &str| Party {
            name: name.to_owned(),
            address: None,
        };
        let mut case = Case::new(Complaint {
            schema: evidence::CASE_SCHEMA_VERSION,
            from: party("a"),
            to: party("b"),
            local_end: End::From,
            expected_bps: None,
            since: None,
            said_by: None,
            opened_at: Timestamp(0),
            utc_offset_s: None,
        });
        for round in rounds {
            let facts: HostFacts = serde_json::from_value(serde_json::json!({
                "hostname": null, "kernel": null, "sysctls": {}, "congestion_control": null,
                "available_congestion_controls": [], "interface": null, "counters": {}, "cpu": null,
            }))
            .unwrap();
            let provenance = Provenance::measured(Node::default(), Timestamp(0), *round, "test");
            case.add(Observation::new(provenance, Payload::HostFacts(facts)));
        }
        case.journal = opened_by_notes
            .iter()
            .map(|before_round| JournalEntry {
                at: Timestamp(0),
                who: "noc".into(),
                network: None,
                what: "reset the interface".into(),
                before_round: *before_round,
            })
            .collect();
        case
    }

    #[test]
    fn rounds_are_counted_as_diagnose_counts_them() {
        for (measured, notes, current, next) in [
            (&[][..], &[][..], 1, 1),
            (&[1], &[], 1, 2),
            (&[1], &[None], 1, 2),
            (&[1], &[Some(2)], 2, 2),
            (&[1], &[Some(2), Some(2)], 2, 2),
            (&[1, 2], &[Some(2)], 2, 3),
            (&[1, 3], &[Some(2)], 3, 4),
            (&[u32::MAX], &[], u32::MAX, u32::MAX),
        ] {
            let case = case(measured, notes);
            assert_eq!(
                (current_round(&case), next_round(&case)),
                (current, next),
                "{measured:?} {notes:?}"
            );
        }
    }

    #[test]
    fn the_sides_are_those_of_the_last_intervention_unless_named() {
        for (measured, notes, before, after, expected) in [
            (&[1, 2][..], &[Some(2)][..], None, None, Ok((1, 2))),
            (&[1, 2], &[], None, None, Ok((1, 2))),
            (&[1, 2, 3], &[Some(2)], None, None, Ok((1, 3))),
            (&[1, 2, 3], &[Some(2)], Some(2), None, Ok((2, 3))),
            (&[1, 2, 3], &[Some(3)], None, Some(2), Ok((1, 2))),
            // Opened before anything was measured: no side of it was seen.
            (&[2, 3], &[Some(2)], None, None, Ok((2, 3))),
            (&[], &[], None, None, Err(SidesError::Nothing)),
            (
                &[1],
                &[Some(2)],
                None,
                None,
                Err(SidesError::NothingSince { round: 2 }),
            ),
            (&[1], &[], None, None, Err(SidesError::First { after: 1 })),
            (
                &[1, 2],
                &[],
                Some(2),
                None,
                Err(SidesError::WrongOrder { before: 2, after: 2 }),
            ),
        ] {
            assert_eq!(
                sides(&case(measured, notes), before, after),
                expected,
                "{measured:?} {notes:?} {before:?} {after:?}"
            );
        }
    }
}
