//! Why the sender waited, and nothing beside: the part of a [`super::Tracker`] that decides on labels.

use super::path_mtu::{PathMtu, PathMtuStalls};
use super::sender::Sender;
use super::timeline::Tag;
use super::told::Told;
use super::{Label, LabelBytes, Setting};
use crate::flow::{Acked, Hears, Sent};

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

    /// As new, in the memory that it has.
    fn begin_again(&mut self, setting: &Setting, first: i64) {
        self.sender.begin(setting, first);
        self.path_mtu = PathMtu::default();
    }

    /// A segment with data.
    #[inline(always)]
    pub(super) fn sent(&mut self, sent: &Sent, told: &mut Told) {
        self.path_mtu.sent(sent, self.sender.una);
        self.sender.sent(sent, told);
    }

    /// An acknowledgement.
    #[inline(always)]
    pub(super) fn acked(&mut self, acked: &Acked, told: &mut Told) {
        self.sender.acked(acked, told);
        self.path_mtu.acked(acked);
    }

    /// The connection or the capture ended.
    pub(super) fn end(&mut self, end_ns: i64, told: &mut Told) -> Option<PathMtuStalls> {
        self.sender.finish(end_ns, told);
        let sender = &mut self.sender;
        let path_mtu = self.path_mtu.finish(sender.now, sender.units.mss);
        if let Some(stalls) = &path_mtu {
            let stall = Tag::Is(Label::PathMtuStall);
            sender
                .timeline
                .relabel(stalls.from_ns, stalls.to_ns, Tag::Is(Label::LossRecovery), stall);
        }
        path_mtu
    }

    /// Ends, and tells what [`super::Causes::label_bytes`] would.
    pub(super) fn label_bytes(&mut self, end_ns: i64) -> LabelBytes {
        self.end(end_ns, &mut Told::ignored());
        self.sender.timeline.label_bytes()
    }
}

/// Tells the bytes that were acknowledged under each label, of one direction after the other that nobody wants to know more of.
/// Most connections of a capture are such, and short: they share one memory for what is told on the way.
#[derive(Debug, Default)]
pub(crate) struct Labelling(Option<Reasons>);

/// A direction that is just told.
pub(crate) struct Labelled<'a> {
    reasons: &'a mut Reasons,
    setting: Setting,
    told: Told,
    has_begun: bool,
}

impl Labelling {
    /// Begins another direction.
    pub(crate) fn begin(&mut self, setting: Setting) -> Labelled<'_> {
        Labelled {
            reasons: self.0.get_or_insert_with(|| Reasons::new(&setting, 0)),
            setting,
            told: Told::ignored(),
            has_begun: false,
        }
    }
}

impl Hears for Labelled<'_> {
    #[inline(always)]
    fn sent(&mut self, sent: &Sent) {
        if !self.has_begun {
            self.reasons.begin_again(&self.setting, sent.time_ns.max(0));
            self.has_begun = true;
        }
        self.reasons.sent(sent, &mut self.told);
    }

    /// Before any data it answers nothing.
    #[inline(always)]
    fn acked(&mut self, acked: &Acked) {
        if self.has_begun {
            self.reasons.acked(acked, &mut self.told);
        }
    }
}

impl Labelled<'_> {
    /// As [`super::Causes::label_bytes`] of a [`super::Tracker`] that heard the same.
    pub(crate) fn bytes(self, end_ns: i64) -> LabelBytes {
        if self.has_begun {
            self.reasons.label_bytes(end_ns)
        } else {
            LabelBytes::default()
        }
    }
}
