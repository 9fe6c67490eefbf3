//! What a case holds, as far as `slowpath case add` has to know it.

use super::add::AddArgs;
use crate::vantages::now;
use casefile::current_round;
use evidence::{Case, Complaint, Node, Observation, ObservationId, Payload, Provenance, Timestamp};
use ingest::Origin;
use std::collections::{BTreeMap, HashSet};
use std::mem::{Discriminant, discriminant};

/// Little of each observation, as they may be millions.
pub(super) struct Held {
    pub(super) complaint: Complaint,
    current_round: u32,
    ids: HashSet<u128>,
    /// Where the records of a file belong, by its hash.
    files: BTreeMap<String, OfFile>,
    pub(super) of_format_1: OfFormat1,
}

/// What the records of a file have in common.
#[derive(Clone, Copy)]
struct OfFile {
    round: u32,
    /// When those were added that tell no time of their own.
    added_at: Option<Timestamp>,
}

impl Held {
    pub(super) fn of(case: Case) -> Self {
        let mut files: BTreeMap<String, OfFile> = BTreeMap::new();
        // As it was added, before it was corrected.
        let all = || case.superseded().iter().chain(case.observations());
        for provenance in all().map(|o| &o.provenance) {
            let Some(sha256) = &provenance.raw_sha256 else {
                continue;
            };
            let (round, added_at) = (provenance.round, Some(provenance.at));
            let added_at = added_at.filter(|_| provenance.at_is_import_time);
            files
                .entry(sha256.clone())
                .and_modify(|file| {
                    file.round = file.round.min(round);
                    file.added_at = file.added_at.or(added_at);
                })
                .or_insert(OfFile { round, added_at });
        }
        Self {
            current_round: current_round(&case),
            ids: all().filter_map(|o| short(&o.id)).collect(),
            files,
            of_format_1: OfFormat1::of(&case),
            complaint: case.complaint,
        }
    }

    /// Whether an observation is not in the case; it is then.
    pub(super) fn is_new(&mut self, id: &ObservationId) -> bool {
        short(id).is_none_or(|short| self.ids.insert(short))
    }

    /// What the records of a file have in common. One that is in the case already keeps its round and the time at which it was
    /// added: the same bytes are the same records, and get the same names.
    pub(super) fn origin(&mut self, args: &AddArgs, sha256: &str) -> Origin {
        let file = self.files.entry(sha256.to_owned()).or_insert(OfFile {
            round: args.round.unwrap_or(self.current_round),
            added_at: None,
        });
        let given_now = || args.now.and_then(|at| at.instant(None)).unwrap_or_else(now);
        Origin {
            raw_sha256: sha256.to_owned(),
            place: args.place.as_deref().map(Node::read),
            round: args.round.unwrap_or(file.round),
            added_at: *file.added_at.get_or_insert_with(given_now),
        }
    }
}

/// Half of an id's digits: that two share them by chance will not happen, and they take a tenth of the room. `None`: no
/// hash, so none that is made here.
fn short(id: &ObservationId) -> Option<u128> {
    u128::from_str_radix(id.0.get(..32)?, 16).ok()
}

/// What an earlier version of this program added, under ids of format 1.
#[derive(Clone)]
pub(super) struct OfFormat1(Vec<(Provenance, Discriminant<Payload>)>);

impl OfFormat1 {
    pub(super) fn of(case: &Case) -> Self {
        let is_old = |o: &&Observation| o.provenance.was.is_some();
        let old = case.observations().iter().filter(is_old);
        Self(
            old.map(|o| (o.provenance.clone(), discriminant(&o.payload)))
                .collect(),
        )
    }

    /// Whether it has the same lines of the same file.
    pub(super) fn has(&self, new: &Observation) -> bool {
        let (new, kind) = (&new.provenance, discriminant(&new.payload));
        self.0.iter().any(|(old, its)| {
            (old.raw_lines, old.round, *its) == (new.raw_lines, new.round, kind)
                && old.raw_sha256 == new.raw_sha256
        })
    }
}
