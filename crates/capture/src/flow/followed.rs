//! What is kept of the events of a half: what its sender waited for, and what it carried over time.

use super::HalfEvent;
use super::kept::{Kept, place_of};
use super::slices::Slices;
use crate::causes::{Causes, LabelBytes, Labelling, Setting, Tracker};

/// So many events wait before they are looked at. A tracker is larger than the processor's nearest cache has room for when
/// thousands of connections take turns; it is fetched once for all of these. Most connections have ended before, and have none.
/// Each time that so many were looked at, waiting before or not, the tracker hears of the nearest round trip: what comes of a
/// connection depends on its own packets alone, and not on those that stand between them.
pub(super) const BATCH: usize = 32;

/// A request and its acknowledgement, and the end of the connection: half of all directions carry no more.
const FEW: usize = 4;

/// Events of a half from its first data on.
#[derive(Debug, Default)]
pub(super) struct Followed {
    waiting: Vec<Kept>,
    /// The place of the first that waits.
    base: u64,
    /// So many were looked at since the tracker heard of the nearest round trip.
    looked_at: u32,
    stage: Stage,
}

#[derive(Debug, Default)]
enum Stage {
    /// Nobody has looked at any event.
    #[default]
    Begun,
    /// Those before the ones that wait.
    Tracked(Box<Tracked>),
    /// The connection has ended: all is known.
    Whole(Box<(Causes, Slices)>),
    /// The connection has ended, and nobody wants to know more than this, if it was not told then.
    Told(Option<Box<LabelBytes>>),
}

#[derive(Debug, Default)]
struct Tracked {
    tracker: Tracker,
    slices: Slices,
}

/// What must be known to look at events: what the handshake told, and the smallest round trip on the sender's side since.
pub(super) struct Known<S> {
    pub setting: S,
    pub before_ns: Option<i64>,
}

impl<S: Fn() -> Setting> Known<S> {
    fn setting(&self) -> Setting {
        let mut setting = (self.setting)();
        if let Some(before_ns) = self.before_ns {
            setting.shorten_before(before_ns);
        }
        setting
    }
}

impl Followed {
    /// Whether data passed: before that there is nothing to explain.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        !self.waiting.is_empty() || !matches!(self.stage, Stage::Begun)
    }

    /// Takes an event; says whether memory may have changed.
    #[inline(always)]
    pub(super) fn note<S: Fn() -> Setting>(
        &mut self,
        event: HalfEvent,
        known: impl FnOnce() -> Known<S>,
    ) -> bool {
        if self.waiting.is_empty() {
            self.base = place_of(&event);
        }
        let Some(kept) = Kept::of(&event, self.base) else {
            return self.look(Some(event), &known());
        };
        let grows = self.waiting.len() == self.waiting.capacity();
        if grows {
            self.make_room();
        }
        self.waiting.push(kept);
        if self.waiting.len() + self.looked_at as usize >= BATCH {
            return self.look(None, &known());
        }
        grows
    }

    /// As [`Followed::note`], for a connection of which many packets come one behind the other: its tracker is near by, and to
    /// keep events for later costs more than to fetch it.
    #[inline(always)]
    pub(super) fn note_at_once<S: Fn() -> Setting>(
        &mut self,
        event: HalfEvent,
        known: impl FnOnce() -> Known<S>,
    ) -> bool {
        let Stage::Tracked(tracked) = &mut self.stage else {
            return self.note(event, known);
        };
        if !self.waiting.is_empty() {
            self.looked_at += tracked.take_all(&mut self.waiting, self.base);
        }
        tracked.take(&event);
        self.looked_at += 1;
        if (self.looked_at as usize) < BATCH {
            return false;
        }
        self.looked_at = 0;
        tracked.hear(known().before_ns);
        true
    }

    /// For few events at first, and then at once for all that ever wait: to double costs most connections three moves.
    #[cold]
    fn make_room(&mut self) {
        let wanted = if self.waiting.is_empty() { FEW } else { BATCH };
        self.waiting
            .reserve_exact(wanted - self.waiting.len().min(wanted));
    }

    /// Looks at what waits, and at an event that could not be kept.
    #[cold]
    fn look(&mut self, more: Option<HalfEvent>, known: &Known<impl Fn() -> Setting>) -> bool {
        if let Stage::Begun = self.stage {
            self.stage = Stage::Tracked(Box::default());
            if let Stage::Tracked(tracked) = &mut self.stage {
                tracked.tracker.set(known.setting());
            }
        }
        match &mut self.stage {
            Stage::Tracked(tracked) => {
                self.looked_at += tracked.take_all(&mut self.waiting, self.base);
                if let Some(event) = more {
                    tracked.take(&event);
                    self.looked_at += 1;
                }
                if self.looked_at as usize >= BATCH {
                    self.looked_at = 0;
                    tracked.hear(known.before_ns);
                }
            }
            // What comes behind the end belongs to nothing that a sender waits for.
            Stage::Begun | Stage::Whole(_) | Stage::Told(_) => self.waiting.clear(),
        }
        true
    }

    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        let stage = match &self.stage {
            Stage::Begun => 0,
            Stage::Told(labels) => labels.as_ref().map_or(0, |labels| size_of_val(&**labels)),
            Stage::Tracked(tracked) => {
                size_of::<Tracked>() + tracked.tracker.heap_bytes() + tracked.slices.heap_bytes()
            }
            Stage::Whole(whole) => {
                size_of::<(Causes, Slices)>() + whole.0.heap_bytes() + whole.1.heap_bytes()
            }
        };
        self.waiting.capacity() * size_of::<Kept>() + stage
    }

    /// The connection has ended: looks at all that waits, and keeps what came of it.
    pub(super) fn conclude(&mut self, last_ns: i64, known: &Known<impl Fn() -> Setting>) {
        if !self.has_begun() || matches!(self.stage, Stage::Whole(_) | Stage::Told(_)) {
            return;
        }
        let (causes, slices) = self.finish(last_ns, known);
        self.stage = Stage::Whole(Box::new((causes.unwrap_or_default(), slices)));
    }

    /// The connection has ended, and nobody wants to know more than its [`Followed::label_bytes`]: keeps these, unless they were
    /// told.
    pub(super) fn dismiss(&mut self, label_bytes: Option<LabelBytes>) {
        if self.has_begun() {
            self.stage = Stage::Told(label_bytes.map(Box::new));
            self.waiting.clear();
        }
    }

    /// That of a connection that has ended, of which all was told.
    pub(super) fn told() -> Self {
        Self {
            stage: Stage::Told(None),
            ..Self::default()
        }
    }

    /// Gives its memory back, unless events still wait.
    pub(super) fn empty_handed(&mut self) -> Vec<Kept> {
        if self.waiting.is_empty() {
            std::mem::take(&mut self.waiting)
        } else {
            Vec::new()
        }
    }

    /// Begins with the memory of another.
    pub(super) fn use_memory(&mut self, waiting: Vec<Kept>) {
        self.waiting = waiting;
    }

    /// What came of it; nothing where no data passed, or where nobody wanted it when the connection ended.
    pub(super) fn finish(
        &mut self,
        last_ns: i64,
        known: &Known<impl Fn() -> Setting>,
    ) -> (Option<Causes>, Slices) {
        if let Stage::Begun = self.stage
            && !self.waiting.is_empty()
        {
            self.look(None, known);
        }
        match std::mem::take(&mut self.stage) {
            Stage::Begun | Stage::Told(_) => (None, Slices::default()),
            Stage::Tracked(mut tracked) => {
                tracked.take_all(&mut self.waiting, self.base);
                (Some(tracked.tracker.end(last_ns)), tracked.slices)
            }
            Stage::Whole(whole) => (Some(whole.0), whole.1),
        }
    }

    /// Bytes that were acknowledged under each label: what [`Followed::finish`] would say of these.
    pub(super) fn label_bytes(
        &mut self,
        last_ns: i64,
        known: &Known<impl Fn() -> Setting>,
        labelling: &mut Labelling,
    ) -> LabelBytes {
        match &mut self.stage {
            Stage::Begun if self.waiting.is_empty() => LabelBytes::default(),
            Stage::Begun => {
                let events = self.waiting.iter().map(|kept| kept.event(self.base));
                labelling.bytes(&known.setting(), events, last_ns)
            }
            Stage::Tracked(tracked) => {
                tracked.take_all(&mut self.waiting, self.base);
                tracked.tracker.label_bytes(last_ns)
            }
            Stage::Whole(whole) => whole.0.label_bytes(),
            Stage::Told(labels) => labels.as_ref().map(|labels| **labels).unwrap_or_default(),
        }
    }
}

impl Tracked {
    #[inline(always)]
    fn take(&mut self, event: &HalfEvent) {
        match event {
            HalfEvent::Sent(sent) => {
                self.tracker.sent(sent);
                self.slices.sent(sent);
            }
            HalfEvent::Acked(acked) => {
                self.tracker.acked(acked);
                self.slices.acked(acked);
            }
        }
    }

    /// Takes what was kept; says how many that was.
    #[inline(never)]
    fn take_all(&mut self, kept: &mut Vec<Kept>, base: u64) -> u32 {
        let count = kept.len();
        for kept in kept.drain(..) {
            self.take(&kept.event(base));
        }
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Tells the tracker how near the sender is.
    #[cold]
    fn hear(&mut self, before_ns: Option<i64>) {
        if let Some(before_ns) = before_ns {
            self.tracker.shorten_before(before_ns);
        }
    }
}
