//! What came of probes of one size to one hop, of any origin.

use crate::table::{Cell, Tone};
use crate::words;
use evidence::{Nanos, ProbeError, ProbeRow, TraceHop};

/// What came of all probes of one size to one hop.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Outcome {
    sent: u64,
    received: u64,
    /// Share lost where counts are not recorded; the last one told.
    share: Option<f64>,
    rtt_ns: Option<u64>,
    /// What came back instead of an answer.
    pub(super) error: Option<String>,
}

/// An outcome as far as a reader tells columns apart.
#[derive(Debug, PartialEq)]
pub(super) enum Class<'a> {
    All,
    Some,
    None,
    Untold,
    Told(&'a str),
}

impl Outcome {
    /// The share lost; `None` where the record does not tell.
    fn loss(&self) -> Option<f64> {
        match self.sent {
            0 => self.share,
            sent => Some(sent.saturating_sub(self.received) as f64 / sent as f64),
        }
    }

    pub(super) fn class(&self) -> Class<'_> {
        match (&self.error, self.loss()) {
            (Some(error), _) => Class::Told(error),
            (None, None) => Class::Untold,
            (None, Some(loss)) if loss <= 0.0 => Class::All,
            (None, Some(loss)) if loss >= 1.0 => Class::None,
            (None, Some(_)) => Class::Some,
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.sent = self.sent.saturating_add(other.sent);
        self.received = self.received.saturating_add(other.received);
        self.share = other.share.or(self.share);
        self.rtt_ns = self.rtt_ns.into_iter().chain(other.rtt_ns).min();
        self.error = other.error.or(self.error.take());
    }

    /// What a trace saw of a hop.
    pub(super) fn of_hop(hop: &TraceHop) -> Self {
        let told = hop.answers.iter().find_map(|a| a.mtu_bytes);
        Self {
            sent: u64::from(hop.sent()),
            received: hop.answers.len() as u64,
            share: None,
            rtt_ns: hop.answers.iter().filter_map(|a| a.rtt_ns).min(),
            error: told.map(|mtu| format!("≤{mtu}")),
        }
    }

    /// What a row of probes tells.
    pub(super) fn of_row(row: &ProbeRow) -> Self {
        let counted = row.sent.zip(row.received);
        let (sent, received) = counted.unwrap_or_default();
        let rtt = row
            .delay
            .and_then(|delay| delay.mean_ns.or(delay.p50_ns).or(delay.min_ns));
        // A router's word counts where nothing else came back.
        let error = row.errors.first().filter(|_| received == 0);
        Self {
            sent,
            received,
            share: row.loss_ratio,
            rtt_ns: rtt.and_then(|ns| u64::try_from(ns).ok()),
            error: error.map(|error| match (&error.from, error.mtu_bytes) {
                (None, _) => "own limit".to_owned(),
                (Some(_), Some(mtu)) => format!("≤{mtu}"),
                (Some(_), None) if error.text == ProbeError::FRAGMENTATION_NEEDED => "too big".to_owned(),
                (Some(_), None) => error.text.clone(),
            }),
        }
    }

    /// As a cell; `mute`: the hop answers no size at all, which says nothing of sizes.
    pub(super) fn cell(&self, mute: bool) -> Cell {
        let rtt = self
            .rtt_ns
            .map_or(String::new(), |rtt| format!(", {}", Nanos(rtt)));
        if let Some(error) = &self.error {
            let short: String = error.chars().take(16).collect();
            return Cell::toned(format!("{error}{rtt}"), Tone::Warn).short(short);
        }
        let text = match (self.sent, self.share) {
            (0, None) => return Cell::toned("not told", Tone::Soft),
            (0, Some(share)) => format!("{} lost", words::share(share)),
            (sent, _) => format!("{}/{}", words::count(self.received), words::count(sent)),
        };
        let tone = match self.class() {
            _ if mute => Tone::Soft,
            Class::All => Tone::Good,
            Class::None => Tone::Bad,
            _ => Tone::Warn,
        };
        Cell::toned(format!("{text}{rtt}"), tone).short(text)
    }
}
