//! Loss and round-trip time per hop and packet size: many series of numbered probes side by side.
//!
//! The same machine serves twenty probes per hop and four hundred thousand to one. Every probe is a number in a dense
//! table, so that a late answer counts for its own probe, and a duplicate for none.

mod series;

pub use series::SeriesPlan;

use crate::{Answer, Identity, Machine, Probe, Refusal, Reply};
use evidence::{EchoContext, EchoMode, ProbeRow, Probes, ReplyKind, SizeProbeMode};
use series::SeriesState;
use std::net::IpAddr;

/// What to send, and how fast.
#[derive(Debug, Clone)]
pub struct EchoConfig {
    /// The series; sent interleaved.
    pub series: Vec<SeriesPlan>,
    /// Probes per series.
    pub count: u64,
    /// From one probe of a series to the next, nanoseconds.
    pub interval_ns: u64,
    /// Probes are released at most this often, nanoseconds: at high rates a few together cost fewer wake-ups.
    pub granularity_ns: u64,
    /// How long the last answers are waited for, nanoseconds.
    pub last_wait_ns: u64,
    /// Number of the first probe: random, so that it cannot be guessed off the path.
    pub first_sequence: u32,
}

#[derive(Debug, Clone, Copy)]
struct Record {
    series: u16,
    answered: bool,
    at_ns: u64,
}

/// Stands where no probe has the number.
const NO_SERIES: u16 = u16::MAX;
/// A sender that was held up makes good at most this time, and this many probes of a series: a larger burst would
/// overflow a queue and lose packets of its own.
const LARGEST_CATCH_UP_NS: u64 = 20_000_000;
const LARGEST_CATCH_UP_PROBES: u64 = 400;
/// Answers that do not name their probe are tried against those sent in this time.
const UNNAMED_PATIENCE_NS: u64 = 1_000_000_000;
/// Runs of fewer probes keep their identification unique; more than this would exhaust memory.
const MOST_PROBES: u64 = 20_000_000;

/// Sends series of probes and counts their answers. Drive it as a [`Machine`], then take [`Self::into_observation`].
#[derive(Debug)]
pub struct EchoMachine {
    config: EchoConfig,
    series: Vec<SeriesState>,
    records: Vec<Record>,
    unanswered: u64,
    started_ns: Option<u64>,
    last_sent_ns: u64,
    now_ns: u64,
}

impl EchoMachine {
    /// A run that has not started.
    #[must_use]
    pub fn new(config: EchoConfig) -> Self {
        let most_each = MOST_PROBES / (config.series.len() as u64).max(1);
        let count = config.count.min(most_each);
        let spacing = config.interval_ns / (config.series.len() as u64).max(1);
        let places = (0u64..).map(|place| place * spacing);
        let series = config
            .series
            .iter()
            .zip(places)
            .map(|(plan, at)| SeriesState::new(*plan, count, at))
            .collect();
        Self {
            config,
            series,
            records: Vec::new(),
            unanswered: 0,
            started_ns: None,
            last_sent_ns: 0,
            now_ns: 0,
        }
    }

    /// What was counted so far: a row for each series that sent anything.
    #[must_use]
    pub fn into_observation(
        self,
        source: IpAddr,
        destination: IpAddr,
        context: EchoContext,
        own_socket_drops: Option<u64>,
    ) -> Probes {
        let elapsed_ns = self
            .started_ns
            .map_or(0, |start| self.now_ns.saturating_sub(start));
        let planned_pps = 1e9 / (self.config.interval_ns.max(1) as f64);
        let sent = self.series.into_iter().filter(|series| series.sent > 0);
        let rows: Vec<ProbeRow> = sent.map(|series| series.into_row(planned_pps)).collect();
        Probes {
            from: source.into(),
            destination: Some(destination.into()),
            context: Some(context),
            own_socket_drops,
            elapsed_ns: Some(elapsed_ns),
            rows,
            ..Probes::default()
        }
    }

    /// Probes that left.
    #[must_use]
    pub fn packets_sent(&self) -> u64 {
        self.series.iter().map(|series| series.sent).sum()
    }

    fn next_due(&self) -> Option<(usize, u64)> {
        let start = self.started_ns?;
        let due = self
            .series
            .iter()
            .enumerate()
            .filter(|(_, series)| series.left > 0);
        due.map(|(index, series)| (index, start + series.next_at_ns))
            .min_by_key(|(_, at)| *at)
    }

    fn record(&mut self, series: usize, at_ns: u64) -> u32 {
        let next = |records: &Vec<Record>| self.config.first_sequence.wrapping_add(records.len() as u32);
        if next(&self.records) as u16 == 0 {
            // The low half must not be zero (see `Probe::sequence`): this number goes unused.
            self.records.push(Record {
                series: NO_SERIES,
                answered: true,
                at_ns: 0,
            });
        }
        let sequence = next(&self.records);
        self.records.push(Record {
            series: series as u16,
            answered: false,
            at_ns,
        });
        self.unanswered += 1;
        sequence
    }

    fn index(&self, sequence: u32) -> usize {
        sequence.wrapping_sub(self.config.first_sequence) as usize
    }

    /// The record that an answer names.
    fn find(&self, reply: &Reply, at_ns: u64) -> Option<usize> {
        match reply.identity {
            Identity::Sequence(sequence) => Some(self.index(sequence)),
            Identity::Low16(low) => {
                // The latest number with this low half: older ones were sent 65,536 probes ago.
                let last = self
                    .config
                    .first_sequence
                    .wrapping_add(self.records.len().checked_sub(1)? as u32);
                self.index(last)
                    .checked_sub(usize::from((last as u16).wrapping_sub(low)))
            }
            Identity::Unknown => self.find_unnamed(reply, at_ns),
        }
    }

    /// An answer that names no probe counts when one probe alone of that router's series is out.
    fn find_unnamed(&self, reply: &Reply, at_ns: u64) -> Option<usize> {
        let recent = self.records.iter().enumerate().rev();
        let recent = recent.take_while(|(_, record)| {
            record.series == NO_SERIES || at_ns.saturating_sub(record.at_ns) < UNNAMED_PATIENCE_NS
        });
        let mut fitting = recent.filter(|(_, record)| {
            let series = self.series.get(usize::from(record.series));
            !record.answered && series.is_some_and(|series| series.plan.address == Some(reply.from))
        });
        match (fitting.next(), fitting.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        }
    }
}

/// Whether an answer of this kind is what the series asks for.
fn is_answer(mode: EchoMode, kind: ReplyKind) -> bool {
    match mode {
        EchoMode::Expiring => kind == ReplyKind::TimeExceeded || kind.is_from_destination(),
        EchoMode::Direct => kind == ReplyKind::EchoReply,
        EchoMode::ToDestination => kind.is_from_destination(),
    }
}

impl Machine for EchoMachine {
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Probe> {
        self.now_ns = self.now_ns.max(now_ns);
        let start = *self.started_ns.get_or_insert(now_ns);
        let (index, due_ns) = self.next_due()?;
        if due_ns > now_ns {
            return None;
        }
        let sequence = self.record(index, now_ns);
        self.last_sent_ns = now_ns;
        let interval_ns = self.config.interval_ns;
        let catch_up_ns = LARGEST_CATCH_UP_NS.min(interval_ns * LARGEST_CATCH_UP_PROBES);
        let earliest = now_ns.saturating_sub(start).saturating_sub(catch_up_ns);
        let series = self.series.get_mut(index)?;
        series.left -= 1;
        series.next_at_ns = (series.next_at_ns + interval_ns).max(earliest);
        series.note_sent(now_ns);
        Some(Probe {
            sequence,
            flow: series.plan.flow,
            ttl: series.plan.send_ttl,
            size_bytes: series.plan.size_bytes,
            mode: SizeProbeMode::DontFragment,
        })
    }

    fn handle_sent(&mut self, sequence: u32, at_ns: u64) {
        let index = self.index(sequence);
        if let Some(record) = self.records.get_mut(index) {
            record.at_ns = at_ns;
        }
    }

    fn handle_refused(&mut self, sequence: u32, why: Refusal, _now_ns: u64) {
        let index = self.index(sequence);
        let Some(record) = self.records.get_mut(index).filter(|record| !record.answered) else {
            return;
        };
        record.answered = true;
        self.unanswered -= 1;
        if let Some(series) = self.series.get_mut(usize::from(record.series)) {
            series.sent -= 1;
            if matches!(why, Refusal::TooBig { .. }) {
                // It will not fit the next time either.
                series.left = 0;
            }
        }
    }

    fn handle_reply(&mut self, at_ns: u64, reply: &Reply) {
        self.now_ns = self.now_ns.max(at_ns);
        let found = self
            .find(reply, at_ns)
            .and_then(|index| self.records.get_mut(index));
        let Some(record) = found.filter(|record| !record.answered) else {
            return;
        };
        let Some(series) = self.series.get_mut(usize::from(record.series)) else {
            return;
        };
        if series.plan.flow != reply.flow {
            return;
        }
        match reply.answer {
            Answer::Reached(kind) if is_answer(series.plan.mode, kind) => {
                series.note_answer(at_ns.saturating_sub(record.at_ns), reply.from, kind);
            }
            Answer::TooBig { mtu_bytes } => series.note_too_big(reply.from, mtu_bytes),
            Answer::Reached(_) => return,
        }
        record.answered = true;
        self.unanswered -= 1;
    }

    fn handle_timeout(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
    }

    fn poll_timeout(&self) -> Option<u64> {
        if self.is_finished() {
            return None;
        }
        let due = self
            .next_due()
            .map(|(_, due_ns)| due_ns.max(self.now_ns + self.config.granularity_ns));
        Some(due.unwrap_or(self.last_sent_ns + self.config.last_wait_ns))
    }

    fn is_finished(&self) -> bool {
        let all_sent = self.started_ns.is_some() && self.series.iter().all(|series| series.left == 0);
        all_sent && (self.unanswered == 0 || self.now_ns >= self.last_sent_ns + self.config.last_wait_ns)
    }

    fn fraction_done(&self) -> f32 {
        let left: u64 = self.series.iter().map(|series| series.left).sum();
        let sent = self.packets_sent();
        sent as f32 / ((sent + left) as f32).max(1.0)
    }
}

#[cfg(test)]
mod tests;
