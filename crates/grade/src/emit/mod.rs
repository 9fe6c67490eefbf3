//! A world's evidence in the words of `evidence`: the only place of this crate that knows them.

mod account;
mod own;
mod record;
mod times;
mod writer;

use crate::chance::Chance;
use crate::map::{RECEIVER, SENDER};
use crate::seen::{Origin, Record};
use crate::world::World;
use evidence::{
    CASE_SCHEMA_VERSION, Case, Complaint, End, Node, Observation, Payload, Provenance, RateBps, Timestamp,
};
use times::OPENED_S;
use writer::{Naming, Writer, other_end, party};

/// The case of a world: its complaint and its evidence.
#[must_use]
pub(crate) fn case(world: &World, records: &[Record]) -> Case {
    let mut chance = Chance::stream(world.seed, world.number.wrapping_mul(64) + 62);
    let naming = chance.pick(&[Naming::Both, Naming::Both, Naming::Addresses, Naming::Names]);
    let writer = Writer {
        world,
        network: &world.network,
        naming,
    };
    let mut case = Case::new(complaint(world, records));
    for record in records {
        for copy in 0..record.copies {
            let Some(payload) = writer.payload(record, &mut chance.clone()) else {
                continue;
            };
            case.add(Observation::new(writer.provenance(record, copy), payload));
        }
        // What chance does to the next record does not depend on copies of this one.
        chance = Chance::stream(world.seed, world.number ^ (record.at_s.to_bits() >> 3));
    }
    case
}

fn complaint(world: &World, records: &[Record]) -> Complaint {
    let own_from = records
        .iter()
        .find(|r| r.origin == Origin::Own)
        .map_or(SENDER, |r| r.vantage);
    Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party(&world.network, SENDER),
        to: party(&world.network, RECEIVER),
        local_end: if own_from == RECEIVER { End::To } else { End::From },
        expected_bps: world.expected_bps.map(RateBps),
        since: None,
        said_by: None,
        opened_at: Timestamp(OPENED_S * 1_000_000_000),
        utc_offset_s: None,
    }
}

impl Writer<'_> {
    fn payload(&self, record: &Record, chance: &mut Chance) -> Option<Payload> {
        match record.origin {
            Origin::Own => self.own(&record.seen, record.vantage),
            Origin::Tool(tool) => self.recorded(&record.seen, tool, chance),
        }
    }

    fn provenance(&self, record: &Record, copy: u32) -> Provenance {
        let at = Timestamp(OPENED_S * 1_000_000_000 + (record.at_s * 1e9) as i64);
        let tool = match record.origin {
            Origin::Own => "slowpath 0.1.0",
            Origin::Tool(tool) => tool,
        };
        let vantage = match other_end(record.vantage) {
            Some(_) => self.party(record.vantage),
            None => Node::read(&self.host_name(record.vantage)),
        };
        Provenance {
            // A copy was handed in by somebody else, out of another file.
            raw_lines: (copy > 0).then_some((u64::from(copy), u64::from(copy) + 1)),
            ..Provenance::measured(vantage, at, 1, tool)
        }
    }
}
