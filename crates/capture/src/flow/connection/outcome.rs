//! What is told of a connection, and what is kept of it when it has ended.

use super::Connection;
use super::phase::Phase;
use crate::Way;
use crate::causes::Labelling;
use crate::flow::brief::{Brief, Extent, Sink};
use crate::flow::ended::Lingering;
use crate::flow::half::Half;
use crate::flow::handshake::Opening;
use crate::flow::report::{Ending, FlowReport};
use crate::flow::retired::Retired;
use crate::flow::spare::Spare;

impl Connection {
    /// One that had no slot, of this number among those that linger.
    pub(in crate::flow) fn revived(one: &Lingering, number: u32, serial: u32) -> Option<Self> {
        let kept = one.retired.as_ref()?;
        Some(Self {
            key: kept.key,
            tag: one.tag,
            serial,
            last_ns: kept.previous_ns,
            first_ns: kept.previous_ns,
            previous_ns: kept.previous_ns,
            ended_ns: one.ended_ns,
            ended_as: number,
            phase: Phase::Closed,
            is_watched: false,
            is_refused: true,
            is_told: true,
            is_ending: false,
            is_usual: false,
            clock_went_back: 0,
            counted_bytes: 0,
            opening: Opening::passed(kept.had_syn),
            halves: kept.halves.map(|half| half.revived()),
        })
    }

    /// What must be kept for late packets once all was told, where it is little.
    fn retired(&self) -> Option<Retired> {
        let [up, down] = &self.halves;
        Some(Retired {
            key: self.key,
            previous_ns: self.previous_ns,
            had_syn: [Way::Up, Way::Down].map(|way| self.opening.has_syn(way)),
            halves: [up.retired()?, down.retired()?],
        })
    }

    /// Where both sides have finished, looks at what is kept of it while that is near: what comes later are copies of its last
    /// packets. Where it is not wanted whole, tells what sums over connections need; what is left then, if it is little, is
    /// returned, and the connection can go.
    pub(in crate::flow) fn conclude(
        &mut self,
        sink: &mut dyn Sink,
        labelling: &mut Labelling,
        spare: &mut Spare,
    ) -> Option<Retired> {
        self.is_ending = false;
        let retired = self.sum_up(sink, labelling);
        for half in &mut self.halves {
            spare.collect(half);
            half.recount();
        }
        retired
    }

    fn sum_up(&mut self, sink: &mut dyn Sink, labelling: &mut Labelling) -> Option<Retired> {
        if self.phase != Phase::Closed {
            return None;
        }
        self.is_refused = !self.is_wanted(sink);
        if self.is_refused {
            return self.tell_sums(sink, labelling);
        }
        sink.expect(&self.extent());
        let (last_ns, opening) = (self.last_ns, &self.opening);
        for (half, way) in self.halves.iter_mut().zip([Way::Up, Way::Down]) {
            let known = half.known(|| opening.setting(way));
            half.followed.conclude(last_ns, &known);
        }
        None
    }

    /// Tells all that nobody wants more of, where what is left then is little.
    fn tell_sums(&mut self, sink: &mut dyn Sink, labelling: &mut Labelling) -> Option<Retired> {
        let retired = self.retired();
        if retired.is_some() {
            sink.brief(&self.brief(labelling));
        }
        let (last_ns, opening) = (self.last_ns, &self.opening);
        for (half, way) in self.halves.iter_mut().zip([Way::Up, Way::Down]) {
            let known = half.known(|| opening.setting(way));
            let followed = &mut half.followed;
            let label_bytes = retired
                .is_none()
                .then(|| followed.label_bytes(last_ns, &known, labelling));
            half.dismiss(label_bytes);
        }
        retired
    }

    /// Whether it is to be handed out whole.
    pub(in crate::flow) fn is_wanted(&self, sink: &dyn Sink) -> bool {
        !self.is_refused && sink.wants(&self.extent())
    }

    fn extent(&self) -> Extent {
        let bytes = self.halves.iter().map(Half::unique_bytes);
        Extent {
            unique_bytes: bytes.fold(0, u64::saturating_add),
            first_ns: self.first_ns,
        }
    }

    /// What sums over connections need of it.
    pub(in crate::flow) fn brief(&mut self, labelling: &mut Labelling) -> Brief {
        let mut brief = Brief {
            connections: u64::from(!self.is_told),
            clock_went_back: u64::from(self.clock_went_back),
            ..Brief::default()
        };
        let (last_ns, opening) = (self.last_ns, &self.opening);
        for (half, way) in self.halves.iter_mut().zip([Way::Up, Way::Down]) {
            half.sum_up(&mut brief, last_ns, || opening.setting(way), labelling);
        }
        brief
    }

    /// What is known of it.
    pub(in crate::flow) fn report(&mut self, is_evicted: bool) -> FlowReport {
        let has_finished = self.halves.iter().all(|half| half.fin_end != 0);
        let ending = match self.phase {
            Phase::Reset(..) => Ending::Reset,
            Phase::Closed => Ending::Closed,
            Phase::Open if has_finished => Ending::Closed,
            Phase::Open if is_evicted => Ending::Evicted,
            Phase::Open => Ending::Open,
        };
        let last_ns = self.last_ns;
        let (opening, [up, down]) = (&self.opening, &mut self.halves);
        FlowReport {
            key: self.key,
            first_ns: self.first_ns,
            last_ns,
            opened: self.opening.opened,
            handshake: self.opening.report(),
            ending,
            halves: [
                up.report(last_ns, || opening.setting(Way::Up)),
                down.report(last_ns, || opening.setting(Way::Down)),
            ],
            clock_went_back: u64::from(self.clock_went_back),
        }
    }
}
