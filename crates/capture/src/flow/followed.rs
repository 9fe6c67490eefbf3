//! What is kept of the events of a half: what its sender waited for, and what it carried over time.

mod aside;
mod tracked;

pub use aside::Backlog;

use super::HalfEvent;
use super::kept::Kept;
use super::slices::Slices;
use crate::causes::{Causes, LabelBytes, Labelling, Setting};
use aside::Aside;
use std::sync::Arc;
use tracked::{Looks, Tracked};

/// When an event is looked at: an argument of what takes packets, which is made once for each of these.
pub(super) mod when {
    /// With others.
    pub(in crate::flow) const LATER: u8 = 0;
    pub(in crate::flow) const AT_ONCE: u8 = 1;
    /// When others may follow what comes behind.
    pub(in crate::flow) const ASIDE: u8 = 2;
}

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
    /// The same, but for those that wait for somebody else.
    Aside(Box<Aside>),
    /// The connection has ended: all is known.
    Whole(Box<(Causes, Slices)>),
    /// The connection has ended, and nobody wants to know more than this, if it was not told then.
    Told(Option<Box<LabelBytes>>),
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
        let Some(kept) = Kept::of(&event) else {
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
        match &mut self.stage {
            Stage::Tracked(tracked) => {
                tracked.take_next(&mut self.waiting, &event, &mut self.looked_at, known)
            }
            _ => self.note(event, known),
        }
    }

    /// As [`Followed::note_at_once`], for one that was put aside.
    #[inline(always)]
    pub(super) fn note_aside<S: Fn() -> Setting>(
        &mut self,
        event: HalfEvent,
        known: impl FnOnce() -> Known<S>,
    ) -> bool {
        match &mut self.stage {
            Stage::Aside(aside) => aside.take_next(&mut self.waiting, &event, &mut self.looked_at, known),
            _ => self.note(event, known),
        }
    }

    /// From now on others may look at its events, if anybody has looked at any.
    pub(super) fn put_aside(&mut self) {
        if let Stage::Tracked(tracked) = &mut self.stage {
            self.stage = Stage::Aside(Box::new(Aside::new(std::mem::take(tracked))));
        }
    }

    /// Nobody else looks at its events any more, and all are looked at.
    pub(super) fn take_back(&mut self) {
        if let Stage::Aside(aside) = &mut self.stage {
            self.stage = Stage::Tracked(aside.taken_back());
        }
    }

    /// Others may look at all so far.
    pub(super) fn hand_over(&mut self) {
        if let Stage::Aside(aside) = &mut self.stage {
            aside.hand_over();
        }
    }

    /// What others may look at.
    pub(super) fn backlog(&self) -> Option<&Arc<Backlog>> {
        match &self.stage {
            Stage::Aside(aside) => Some(aside.backlog()),
            _ => None,
        }
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
        let looks: &mut dyn Looks = match &mut self.stage {
            Stage::Tracked(tracked) => &mut **tracked,
            Stage::Aside(aside) => &mut **aside,
            // What comes behind the end belongs to nothing that a sender waits for.
            Stage::Begun | Stage::Whole(_) | Stage::Told(_) => {
                self.waiting.clear();
                return true;
            }
        };
        self.looked_at += looks.take_all(&mut self.waiting);
        if let Some(event) = more {
            event.tell(looks);
            self.looked_at += 1;
        }
        if self.looked_at as usize >= BATCH {
            self.looked_at = 0;
            looks.hear(known.before_ns);
        }
        true
    }

    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        let stage = match &self.stage {
            Stage::Begun => 0,
            Stage::Told(labels) => labels.as_ref().map_or(0, |labels| size_of_val(&**labels)),
            Stage::Tracked(tracked) => tracked.heap_bytes(),
            Stage::Aside(aside) => aside.heap_bytes,
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
        self.take_back();
        match std::mem::take(&mut self.stage) {
            Stage::Begun | Stage::Aside(_) | Stage::Told(_) => (None, Slices::default()),
            Stage::Tracked(mut tracked) => {
                tracked.take_all(&mut self.waiting);
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
        self.take_back();
        match &mut self.stage {
            Stage::Begun if self.waiting.is_empty() => LabelBytes::default(),
            Stage::Aside(_) => LabelBytes::default(),
            Stage::Begun => {
                let mut labelled = labelling.begin(known.setting());
                self.waiting.iter().for_each(|kept| kept.tell(&mut labelled));
                labelled.bytes(last_ns)
            }
            Stage::Tracked(tracked) => {
                tracked.take_all(&mut self.waiting);
                tracked.tracker.label_bytes(last_ns)
            }
            Stage::Whole(whole) => whole.0.label_bytes(),
            Stage::Told(labels) => labels.as_ref().map(|labels| **labels).unwrap_or_default(),
        }
    }
}
