//! One complaint and everything gathered for it.

use crate::{End, Node, Observation, ObservationId, Party, RateBps, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// `case.json`: who complains that what is slow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Complaint {
    /// Version of the case format.
    pub schema: u32,
    /// The sender of the slow transfer.
    pub from: Party,
    /// Its receiver.
    pub to: Party,
    /// The end at which slowpath was run and the case is kept.
    pub local_end: End,
    /// The rate the user expects; `None` when nothing was said.
    pub expected_bps: Option<RateBps>,
    /// Since when it is slow, in the user's words.
    pub since: Option<String>,
    /// Who says so.
    pub said_by: Option<String>,
    /// When the case was opened.
    pub opened_at: Timestamp,
    /// The zone in which verdicts tell times, seconds east of UTC; `None`: UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utc_offset_s: Option<i32>,
}

impl Complaint {
    /// A complaint about no pair of hosts but all that the case measures, under one name: it names that twice, and no address.
    #[must_use]
    pub fn of_all(name: &str, opened_at: Timestamp) -> Self {
        let all = Party {
            name: name.to_owned(),
            address: None,
        };
        Self {
            schema: crate::CASE_SCHEMA_VERSION,
            from: all.clone(),
            to: all,
            local_end: End::From,
            expected_bps: None,
            since: None,
            said_by: None,
            opened_at,
            utc_offset_s: None,
        }
    }

    /// Whether it is about all pairs of hosts that the case measures ([`Complaint::of_all`]).
    #[must_use]
    pub fn is_of_all(&self) -> bool {
        self.from.address.is_none() && self.from == self.to
    }

    /// The host at an end, as the user gave it.
    #[must_use]
    pub fn party(&self, end: End) -> &Party {
        match end {
            End::From => &self.from,
            End::To => &self.to,
        }
    }

    /// The host at an end, as a node.
    #[must_use]
    pub fn node(&self, end: End) -> Node {
        self.party(end).node()
    }

    /// The end that a node is: by name or address; where it fits both (two ends on one host), by the name, or as exactly
    /// the one. `None` for another host and an
    /// unknown one. Names have to be equal; which host a looser name means is for rules to judge. Where both ends are
    /// one and the same host, it is the sender.
    #[must_use]
    pub fn end_of(&self, node: &Node) -> Option<End> {
        let fits = |end: &End| node.is(self.party(*end));
        let both = [End::From, End::To];
        let mut fitting = both.into_iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Some(one),
            (Some(_), Some(_)) => {
                let bare = Node {
                    name: node.name.clone(),
                    address: None,
                };
                let named = |end: &End| bare.same_as(&Node::named(&self.party(*end).name)) == Some(true);
                let addressed = |end: &End| node.address == self.node(*end).address;
                let only = |fits: &dyn Fn(&End) -> bool| match both.map(|end| fits(&end)) {
                    [true, false] => Some(End::From),
                    [false, true] => Some(End::To),
                    _ => None,
                };
                only(&named)
                    .or_else(|| only(&|end| *node == self.node(*end)))
                    .or_else(|| only(&addressed))
                    .or(Some(End::From))
            }
            _ => None,
        }
    }
}

/// A line of `journal.jsonl`: what people did or said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JournalEntry {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub who: String,
    /// Which network or host it concerns.
    pub network: Option<String>,
    /// What was done or said.
    pub what: String,
    /// The first round of measurements after it; `None` when it is not known to lie between two.
    pub before_round: Option<u32>,
}

/// What a case orders its observations by, whatever they say.
pub trait Observed {
    /// Its name.
    fn id(&self) -> &ObservationId;
    /// The round of measurements that it belongs to.
    fn round(&self) -> u32;
    /// When it was made.
    fn at(&self) -> Timestamp;
    /// The one that it corrects.
    fn supersedes(&self) -> Option<&ObservationId> {
        None
    }
}

impl Observed for Observation {
    fn id(&self) -> &ObservationId {
        &self.id
    }

    fn round(&self) -> u32 {
        self.provenance.round
    }

    fn at(&self) -> Timestamp {
        self.provenance.at
    }

    fn supersedes(&self) -> Option<&ObservationId> {
        self.provenance.supersedes.as_ref()
    }
}

/// A case in memory.
pub type Case = CaseOf<Observation>;

/// A case with observations of some format.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseOf<O> {
    /// The question.
    pub complaint: Complaint,
    /// What was seen, in the order (round, time, id), whatever order it was added in.
    observations: Vec<O>,
    /// What was corrected since: kept, and no evidence.
    superseded: Vec<O>,
    /// What people did.
    pub journal: Vec<JournalEntry>,
}

impl<O: Observed> CaseOf<O> {
    /// A case with nothing gathered yet.
    #[must_use]
    pub fn new(complaint: Complaint) -> Self {
        Self {
            complaint,
            observations: Vec::new(),
            superseded: Vec::new(),
            journal: Vec::new(),
        }
    }

    /// A case of observations that are in its order already. Several may have one id: what one observation became.
    pub(crate) fn of_ordered(complaint: Complaint, observations: Vec<O>, journal: Vec<JournalEntry>) -> Self {
        Self {
            complaint,
            observations,
            superseded: Vec::new(),
            journal,
        }
    }

    /// Adds an observation in its place. One that is there already (same id) changes nothing.
    pub fn add(&mut self, observation: O) {
        let key = |o: &O| (o.round(), o.at(), o.id().clone());
        if let Err(place) = self.observations.binary_search_by_key(&key(&observation), key) {
            self.observations.insert(place, observation);
        }
        self.set_aside();
    }

    /// Adds many at once: each in its place, those there already once.
    pub fn add_all(&mut self, observations: impl IntoIterator<Item = O>) {
        let key = |a: &O, b: &O| (a.round(), a.at(), a.id()).cmp(&(b.round(), b.at(), b.id()));
        self.observations.extend(observations);
        self.observations.sort_by(key);
        self.observations
            .dedup_by(|later, earlier| key(earlier, later).is_eq());
        self.set_aside();
    }

    /// Takes out what others correct, whichever came first. Who corrects a correction does not bring back the first.
    fn set_aside(&mut self) {
        let all = || self.observations.iter().chain(&self.superseded);
        let corrected: BTreeSet<ObservationId> = all().filter_map(Observed::supersedes).cloned().collect();
        if corrected.is_empty() {
            return;
        }
        let is_corrected = |o: &mut O| corrected.contains(o.id());
        self.superseded
            .extend(self.observations.extract_if(.., is_corrected));
        self.superseded.sort_by(|a, b| a.id().cmp(b.id()));
        self.superseded.dedup_by(|a, b| a.id() == b.id());
    }

    /// What was corrected since, by id.
    #[must_use]
    pub fn superseded(&self) -> &[O] {
        &self.superseded
    }

    /// All observations that nobody corrected, ordered by (round, time, id).
    #[must_use]
    pub fn observations(&self) -> &[O] {
        &self.observations
    }

    /// The rounds of measurement that the case holds, ascending.
    #[must_use]
    pub fn rounds(&self) -> Vec<u32> {
        let mut rounds: Vec<u32> = self.observations.iter().map(|o| o.round()).collect();
        rounds.dedup();
        rounds
    }

    /// The observations of one round.
    pub fn round(&self, round: u32) -> impl Iterator<Item = &O> {
        self.observations.iter().filter(move |o| o.round() == round)
    }

    /// Short numbers for people (`o1`, `o2`…), by id, in the order of the observations.
    #[must_use]
    pub fn short_numbers(&self) -> BTreeMap<&ObservationId, usize> {
        let mut ids: Vec<&ObservationId> = self.observations.iter().map(Observed::id).collect();
        ids.dedup();
        ids.into_iter()
            .enumerate()
            .map(|(index, id)| (id, index + 1))
            .collect()
    }
}
