//! The rhythm in which an application hands over its data: writes with pauses between them, and longer pauses after
//! larger blocks. From the figures of a rhythm follows the rate, whatever the network carries.

use super::Records;
use super::stated::Stated;
use crate::judgement::join_cites;
use evidence::{Node, ObservationId, Quantity, RateBps};
use std::collections::BTreeSet;

/// One application between two hosts: its rhythm and the rate that it reached.
#[derive(Debug)]
pub(crate) struct Rhythm {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) application: String,
    pub(crate) write_bytes: f64,
    pub(crate) pause_s: f64,
    pub(crate) write_rate: RateBps,
    /// (bytes of a block, pause after it in seconds).
    pub(crate) block: Option<(f64, f64)>,
    pub(crate) measured: RateBps,
    pub(crate) cites: Vec<ObservationId>,
}

impl Rhythm {
    /// Every application of which writes, pauses and the rate reached are known.
    pub(crate) fn all(records: &Records) -> Vec<Self> {
        let transfers: BTreeSet<(&Node, &Node, &str)> = records
            .transfers
            .iter()
            .filter_map(|t| Some((&t.what.from, &t.what.to, t.what.application.as_deref()?)))
            .collect();
        transfers
            .into_iter()
            .filter_map(|(from, to, application)| Self::of(records, from, to, application))
            .collect()
    }

    fn of(records: &Records, from: &Node, to: &Node, application: &str) -> Option<Self> {
        // A figure about this application, else one that holds for all between the two.
        let figure = |quantity| -> Option<Stated> {
            let said = records.stated_between(quantity, from, to);
            let own = said.iter().find(|s| s.subject.as_deref() == Some(application));
            own.or_else(|| said.iter().find(|s| s.subject.is_none())).cloned()
        };
        let (bytes, pause, rate) = (
            figure(Quantity::WriteBytes)?,
            figure(Quantity::WritePause)?,
            figure(Quantity::WriteRate)?,
        );
        let block = figure(Quantity::BlockBytes).zip(figure(Quantity::BlockPause));
        // The fastest run: slower ones of the same program may have had other reasons.
        let (measured, run) = records
            .transfers
            .iter()
            .filter(|t| &t.what.from == from && &t.what.to == to)
            .filter(|t| t.what.application.as_deref() == Some(application))
            .filter_map(|t| Some((t.rate()?, t.id.clone())))
            .max_by(|(a, x), (b, y)| a.0.total_cmp(&b.0).then_with(|| y.cmp(x)))?;
        let sound = bytes.value > 0.0 && pause.value >= 0.0 && rate.value > 0.0 && measured.0 > 0.0;
        let ids = |figures: &[&Stated]| figures.iter().map(|f| f.id.clone()).collect::<Vec<_>>();
        let mut cites = ids(&[&bytes, &pause, &rate]);
        if let Some((size, pause)) = &block {
            cites.extend(ids(&[size, pause]));
        }
        sound.then(|| Self {
            from: from.clone(),
            to: to.clone(),
            application: application.to_owned(),
            write_bytes: bytes.value,
            pause_s: pause.value,
            write_rate: RateBps(rate.value),
            block: block.map(|(size, pause)| (size.value, pause.value)),
            measured,
            cites: join_cites([&cites, &vec![run]]),
        })
    }

    /// Rate of writes and the pauses between them.
    pub(crate) fn of_writes(&self) -> RateBps {
        RateBps(self.write_bytes * 8.0 / self.write_s())
    }

    /// Rate with the longer pauses as well.
    pub(crate) fn predicted(&self) -> RateBps {
        match self.block {
            Some((bytes, pause_s)) if bytes > 0.0 && pause_s >= 0.0 => {
                let writes = bytes / self.write_bytes;
                RateBps(bytes * 8.0 / (writes * self.write_s() + pause_s))
            }
            _ => self.of_writes(),
        }
    }

    fn write_s(&self) -> f64 {
        self.write_bytes * 8.0 / self.write_rate.0 + self.pause_s
    }
}
