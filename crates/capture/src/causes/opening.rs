//! Slow starts, and how they ended.

use super::Label;
use super::timeline::Tag;
use super::told::RoundTold;
use serde::Serialize;

/// The congestion window was opened from small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SlowStartPhase {
    /// From, nanoseconds since 1970.
    pub from_ns: i64,
    /// To: the end of the round trip that was the last.
    pub to_ns: i64,
    /// Most bytes on the way in it.
    pub flight_bytes: u64,
    /// How it ended.
    pub exit: Exit,
}

/// How a slow start ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// A loss.
    Loss,
    /// Without a loss, when packets began to queue or the link was busy: the sender noticed the delay (HyStart++, RFC 9406),
    /// or its model of the path did.
    Queue,
    /// Without a loss or a queue that is seen: HyStart was misled by jitter or by bursts of acknowledgements, or the send
    /// buffer was full.
    Early,
    /// The receiver's window was reached.
    Window,
    /// The program gave no more.
    Application,
    /// The transfer ended first.
    End,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Openings {
    phases: Vec<SlowStartPhase>,
    open: Option<SlowStartPhase>,
    last_flight: u64,
    begun: bool,
}

const MOST: usize = 16;

impl Openings {
    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        self.phases.capacity() * size_of::<SlowStartPhase>()
    }

    /// A round trip that began then ended.
    pub(super) fn round(&mut self, start: i64, told: &RoundTold) {
        let grew = told.max_flight > self.last_flight.saturating_add(self.last_flight / 4);
        // From the beginning, or after a timeout, which leaves one segment.
        let begins = !self.begun || (told.is_timeout && !told.is_window);
        self.begun = true;
        self.last_flight = if told.is_timeout { 0 } else { told.max_flight };
        let Some(mut phase) = self.open.take() else {
            if begins {
                self.open = Some(SlowStartPhase {
                    from_ns: start,
                    to_ns: told.end_ns,
                    flight_bytes: told.max_flight,
                    exit: Exit::End,
                });
            }
            return;
        };
        if told.is_timeout {
            self.open = Some(phase);
            return;
        }
        phase.to_ns = told.end_ns;
        phase.flight_bytes = phase.flight_bytes.max(told.max_flight);
        let full = told.window == Tag::Is(Label::Bottleneck);
        let exit = match () {
            () if told.is_repair => Some(Exit::Loss),
            () if grew => None,
            () if told.is_window => Some(Exit::Window),
            () if told.is_queued || full => Some(Exit::Queue),
            () if told.is_other => Some(Exit::Application),
            () => Some(Exit::Early),
        };
        match exit {
            Some(exit) => self.close(SlowStartPhase { exit, ..phase }),
            None => self.open = Some(phase),
        }
    }

    fn close(&mut self, phase: SlowStartPhase) {
        if self.phases.len() < MOST {
            self.phases.push(phase);
        }
    }

    pub(super) fn finish(&mut self) -> Vec<SlowStartPhase> {
        if let Some(phase) = self.open.take() {
            self.close(phase);
        }
        std::mem::take(&mut self.phases)
    }
}
