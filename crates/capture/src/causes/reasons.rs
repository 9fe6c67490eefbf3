//! Why the sender waited, and nothing beside: the part of a [`super::Tracker`] that decides on labels.

use super::path_mtu::{PathMtu, PathMtuStalls};
use super::sender::{Sender, Told};
use super::timeline::Tag;
use super::{Label, LabelBytes, Setting};
use crate::flow::HalfEvent;

/// The gaps of a sender, and the black holes that explain some of them.
#[derive(Debug)]
pub(super) struct Reasons {
    pub(super) sender: Sender,
    path_mtu: PathMtu,
}

impl Reasons {
    /// From the first data on.
    pub(super) fn new(setting: &Setting, first: i64) -> Self {
        Self {
            sender: Sender::new(setting, first),
            path_mtu: PathMtu::default(),
        }
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, event: &HalfEvent) -> Told {
        match event {
            HalfEvent::Sent(sent) => {
                self.path_mtu.sent(sent, self.sender.una);
                self.sender.sent(sent)
            }
            HalfEvent::Acked(acked) => {
                let told = self.sender.acked(acked);
                self.path_mtu.acked(acked);
                told
            }
        }
    }

    /// The connection or the capture ended.
    pub(super) fn end(&mut self, end_ns: i64) -> (Told, Option<PathMtuStalls>) {
        let told = self.sender.finish(end_ns);
        let sender = &mut self.sender;
        let path_mtu = self.path_mtu.finish(sender.now, sender.units.mss);
        if let Some(stalls) = &path_mtu {
            let stall = Tag::Is(Label::PathMtuStall);
            sender
                .timeline
                .relabel(stalls.from_ns, stalls.to_ns, Tag::Is(Label::LossRecovery), stall);
        }
        (told, path_mtu)
    }

    /// Ends, and tells what [`super::Causes::label_bytes`] would.
    pub(super) fn label_bytes(&mut self, end_ns: i64) -> LabelBytes {
        self.end(end_ns);
        self.sender.timeline.label_bytes()
    }
}

/// Bytes that were acknowledged under each label, of a direction that nobody wants to know more of: as
/// [`super::Causes::label_bytes`] of a [`super::Tracker`] that took these events.
pub(crate) fn label_bytes(
    setting: &Setting,
    events: impl IntoIterator<Item = HalfEvent>,
    end_ns: i64,
) -> LabelBytes {
    let mut reasons: Option<Reasons> = None;
    for event in events {
        match (&mut reasons, &event) {
            (Some(reasons), event) => _ = reasons.take(event),
            // Acknowledgements before any data answer nothing.
            (None, HalfEvent::Acked(_)) => {}
            (none, HalfEvent::Sent(sent)) => {
                let begun = none.insert(Reasons::new(setting, sent.time_ns.max(0)));
                begun.take(&event);
            }
        }
    }
    reasons.map_or_else(LabelBytes::default, |mut reasons| reasons.label_bytes(end_ns))
}
