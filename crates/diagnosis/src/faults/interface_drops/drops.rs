//! How many packets an interface drops on input, over which time, and how much of that while the transfer runs.

use crate::facts::Facts;
use crate::facts::records::interfaces::{Class, Counted, Interface, Span};
use crate::facts::records::stated::Stated;
use crate::faults::words;
use crate::judgement::Weighing;
use evidence::{CounterKind, Quantity};
use stats::Ratio;

/// Less than this share is what any device drops in a burst now and then.
const SUBSTANTIAL: f64 = 1e-3;
/// From here on TCP crawls.
const MUCH: f64 = 1e-2;
/// Fewer packets than this are chance, whatever their share.
const LEAST_DROPPED: u64 = 100;

/// An average over all times is this much below what happens under load, at most as far as we would guess: transfers
/// ran for a quarter of the time or less.
const LOADED_SHARE: f64 = 4.0;
/// The share is one of all packets in the window: those of a transfer come in bursts and may fare so much worse.
const BURSTS_SHARE: f64 = 2.0;
/// No more than half of the packets.
const LOSS_AT_MOST: f64 = 0.5;

/// Drops on input of one interface.
pub(super) struct Drops<'a> {
    pub(super) interface: &'a Interface,
    counted: &'a Counted,
    ratio: Ratio,
    kind: CounterKind,
    /// What somebody compared while the transfer ran.
    pub(super) stated: Option<Stated>,
    /// Share lost while the transfer runs: (least, most).
    pub(super) under_load: (f64, f64),
}

impl<'a> Drops<'a> {
    /// `None` where the interface drops nothing to speak of, or does not count it.
    pub(super) fn of(facts: &Facts, interface: &'a Interface) -> Option<Self> {
        let counted = interface.worst(Class::Dropped);
        let (count, kind) = counted.leading(Class::Dropped)?;
        let ratio = Ratio::new(count, counted.received().filter(|received| *received > 0)?);
        if count < LEAST_DROPPED || ratio.interval().0 < SUBSTANTIAL {
            return None;
        }
        let share = ratio.estimate()?;
        let stated = stated(facts, interface, kind);
        let under_load = match (&stated, counted.span) {
            (Some(stated), _) => (stated.low, stated.high),
            (None, Span::Between(_)) => {
                let (low, high) = ratio.interval();
                (low, (BURSTS_SHARE * high).min(LOSS_AT_MOST).max(high))
            }
            (None, Span::SinceCleared(_)) => (share, (LOADED_SHARE * share).min(LOSS_AT_MOST).max(share)),
        };
        Some(Self {
            interface,
            counted,
            ratio,
            kind,
            stated,
            under_load,
        })
    }

    pub(super) fn share(&self) -> f64 {
        self.ratio.estimate().unwrap_or(0.0)
    }

    /// Whether the figures are of the time of the transfer, not of days.
    pub(super) fn is_current(&self) -> bool {
        self.stated.is_some() || matches!(self.counted.span, Span::Between(_))
    }

    pub(super) fn cites(&self) -> Vec<evidence::ObservationId> {
        let said: Vec<_> = self.stated.iter().map(|stated| stated.id.clone()).collect();
        crate::judgement::join_cites([&self.counted.cites, &said])
    }

    pub(super) fn claim(&self) -> String {
        let under_load = match &self.stated {
            Some(stated) if stated.high > stated.low => format!(
                "; {} to {} while the transfer runs",
                words::loss(stated.low),
                words::loss(stated.high)
            ),
            Some(stated) => format!("; {} while the transfer runs", words::loss(stated.value)),
            None => String::new(),
        };
        format!(
            "{} drops packets on input ({}): {}{under_load}",
            self.interface.words(),
            kind_words(self.kind),
            self.figures()
        )
    }

    /// "2,300,788 of 37,439,574 received since it was cleared 9 days ago (6.15 %)"
    fn figures(&self) -> String {
        format!(
            "{} of {} received {} ({})",
            words::thousands(self.ratio.events),
            words::thousands(self.ratio.trials),
            span_words(self.counted.span),
            words::loss(self.share())
        )
    }

    pub(super) fn weigh(&self, weighing: &mut Weighing) {
        let much = self.share() >= MUCH;
        let (weight, remark) = match (self.counted.span, much) {
            (Span::Between(_), true) => (2.5, ""),
            (Span::Between(_), false) => (1.5, ""),
            (Span::SinceCleared(_), true) => (1.5, AVERAGE),
            (Span::SinceCleared(_), false) => (0.8, AVERAGE),
        };
        weighing.add(weight, format!("{}{remark}", self.figures()), &self.counted.cites);
        if let Some(stated) = &self.stated {
            let text = format!(
                "compared while the transfer ran: {} to {} of the packets received",
                words::loss(stated.low),
                words::loss(stated.high)
            );
            let weight = if stated.low >= MUCH { 1.5 } else { 0.8 };
            weighing.add(weight, text, std::slice::from_ref(&stated.id));
        }
    }
}

const AVERAGE: &str =
    ": an average over that time, and no more than a lower bound of what happens under load";

fn span_words(span: Span) -> String {
    const HOUR_S: u64 = 3_600;
    match span {
        Span::Between(seconds) => format!("in {seconds:.0} s"),
        Span::SinceCleared(Some(seconds)) if seconds >= 48 * HOUR_S => {
            format!("since it was cleared {} days ago", seconds / (24 * HOUR_S))
        }
        Span::SinceCleared(Some(seconds)) if seconds >= HOUR_S => {
            format!("since it was cleared {} hours ago", seconds / HOUR_S)
        }
        Span::SinceCleared(Some(seconds)) => format!("since it was cleared {seconds} s ago"),
        Span::SinceCleared(None) => "since it was cleared, nobody knows when".into(),
    }
}

fn kind_words(kind: CounterKind) -> &'static str {
    match kind {
        CounterKind::InputIgnored => "ignored",
        CounterKind::InputOverrun => "overrun",
        CounterKind::InputNoBuffer => "no buffer",
        CounterKind::InputQueueDrops => "input queue drops",
        CounterKind::InputDiscards => "discarded",
        _ => "dropped",
    }
}

/// A loss ratio that somebody states of this interface: its subject names it or its device, or it names the counter.
fn stated(facts: &Facts, interface: &Interface, kind: CounterKind) -> Option<Stated> {
    let about = |text: &str| {
        let text = text.to_ascii_lowercase();
        let device = interface.device.name.iter().map(|name| name.to_ascii_lowercase());
        let mut names = device.chain([interface.name.to_ascii_lowercase(), kind_words(kind).to_owned()]);
        names.any(|name| !name.is_empty() && text.contains(&name))
    };
    let found = facts.records.stated(Quantity::LossRatio, &facts.complaint);
    let by_subject = |stated: &&Stated| stated.subject.as_deref().is_some_and(about);
    let by_text = |stated: &&Stated| stated.subject.is_none() && about(&stated.text);
    let sound = |stated: &&Stated| stated.low > 0.0 && stated.high <= 1.0;
    let chosen = found.iter().filter(sound).find(by_subject);
    chosen
        .or_else(|| found.iter().filter(sound).find(by_text))
        .cloned()
}
