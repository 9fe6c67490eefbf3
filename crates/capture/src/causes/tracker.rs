//! From the events of one half of a connection to [`Causes`].

use super::finding::{Counts, found};
use super::opening::Openings;
use super::path_mtu::PathMtu;
use super::policing::{Beside, Police, Shaping};
use super::queue::Queue;
use super::receiver::Receiver;
use super::rhythm::Rhythm;
use super::sender::{Sender, Told};
use super::timeline::Tag;
use super::{Causes, Label, Setting};
use crate::flow::{HalfEvent, Sent, SentKind};

/// Follows one direction of a connection. Holds next to nothing before data come.
#[derive(Debug, Default)]
pub struct Tracker {
    setting: Setting,
    body: Option<Body>,
}

#[derive(Debug)]
struct Body {
    sender: Sender,
    receiver: Receiver,
    path_mtu: PathMtu,
    openings: Openings,
    queue: Queue,
    counts: Counts,
    /// Not before a program pauses.
    rhythm: Option<Box<Rhythm>>,
    /// Not before a loss.
    police: Option<Box<Police>>,
    last_queue: i64,
}

impl Tracker {
    /// Begins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells what the handshake told; before the first data, or it is not heard.
    pub fn set(&mut self, setting: Setting) {
        self.setting = setting;
    }

    /// The part of the round trip between the capture point and the sender took no longer than this once, nanoseconds: handshakes
    /// are slower than what follows, as hosts have to wake up for them.
    pub fn shorten_before(&mut self, before_ns: i64) {
        if let Some(known) = &mut self.setting.before_ns {
            *known = before_ns.min(*known);
        }
        if let Some(body) = &mut self.body {
            body.sender.shorten_lag(before_ns);
        }
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &HalfEvent) {
        let body = match (&mut self.body, event) {
            (Some(body), _) => body,
            // Acknowledgements before any data answer nothing.
            (None, HalfEvent::Acked(_)) => return,
            (none, HalfEvent::Sent(sent)) => none.insert(Body::new(&self.setting, sent.time_ns.max(0))),
        };
        body.take(event);
    }

    /// Bytes that hang on it.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.body.as_ref().map_or(0, Body::heap_bytes)
    }

    /// Ends, at the time of the connection's last packet or the capture's. Empty where no data passed.
    #[must_use]
    pub fn finish(mut self, end_ns: i64) -> Causes {
        self.end(end_ns)
    }

    /// As [`Tracker::finish`], where it lies: it is large. Nothing can be asked of it afterwards.
    pub(crate) fn end(&mut self, end_ns: i64) -> Causes {
        let setting = self.setting;
        self.body
            .as_mut()
            .map_or_else(Causes::default, |body| body.finish(&setting, end_ns))
    }
}

impl Body {
    fn new(setting: &Setting, first: i64) -> Self {
        Self {
            sender: Sender::new(setting, first),
            receiver: Receiver::default(),
            path_mtu: PathMtu::default(),
            openings: Openings::default(),
            queue: Queue::default(),
            counts: Counts::default(),
            rhythm: None,
            police: None,
            last_queue: 0,
        }
    }

    fn heap_bytes(&self) -> usize {
        let rhythm = self.rhythm.as_ref().map_or(0, |rhythm| rhythm.bytes());
        let police = self.police.as_ref().map_or(0, |police| police.bytes());
        self.sender.heap_bytes() + self.openings.heap_bytes() + self.queue.heap_bytes() + rhythm + police
    }

    fn take(&mut self, event: &HalfEvent) {
        let told = match event {
            HalfEvent::Sent(sent) => {
                self.sent(sent);
                self.sender.sent(sent)
            }
            HalfEvent::Acked(acked) => {
                let told = self.sender.acked(acked);
                let is_all = acked.ack >= self.sender.next;
                self.receiver.acked(acked, self.sender.units.mss, is_all);
                self.path_mtu.acked(acked);
                told
            }
        };
        self.hear(&told);
    }

    fn sent(&mut self, sent: &Sent) {
        self.counts.segments += 1;
        let mss = self.sender.units.mss;
        let now = sent.time_ns.max(self.sender.now);
        match sent.kind {
            SentKind::New | SentKind::NewBehindGap => {
                let bytes = sent.end.saturating_sub(sent.start);
                self.receiver.sent(now, bytes, mss, self.sender.reaction_ns);
                self.path_mtu.sent(sent, self.sender.una);
            }
            SentKind::Retransmitted(_) | SentKind::RetransmittedUpstream(_) => {
                self.counts.again += 1;
                self.path_mtu.sent(sent, self.sender.una);
                if let Some(lost_ns) = sent.lost_ns {
                    let police = self.police.get_or_insert_default();
                    police.lost(
                        (lost_ns.max(0), now),
                        sent.start..sent.end,
                        self.sender.next,
                        self.last_queue,
                    );
                }
            }
            _ => {}
        }
    }

    fn hear(&mut self, told: &Told) {
        if let Some(pause) = told.pause {
            self.rhythm.get_or_insert_default().paused(pause);
        }
        let Some(round) = &told.round else { return };
        self.openings.round(round.start_ns, round);
        if let Some(queue) = round.queue_ns {
            self.queue.add(round.end_ns, queue);
            self.last_queue = queue;
        }
    }

    fn finish(&mut self, setting: &Setting, end_ns: i64) -> Causes {
        let told = self.sender.finish(end_ns);
        self.hear(&told);
        let sender = &mut self.sender;
        let mss = sender.units.mss;
        let path_mtu = self.path_mtu.finish(sender.now, mss);
        if let Some(stalls) = &path_mtu {
            let stall = Tag::Is(Label::PathMtuStall);
            sender
                .timeline
                .relabel(stalls.from_ns, stalls.to_ns, Tag::Is(Label::LossRecovery), stall);
        }
        let (intervals, shares) = std::mem::take(&mut sender.timeline).finish();
        let capacity = sender.path.capacity(sender.spacing.rate());
        let mean_flight_bytes = sender.mean_flight();
        let base = sender.path.base_rtt;
        let first = sender.first_ns;
        let is_paced = sender.gaps > 0 && sender.paced_gaps > sender.gaps / 2;
        let (rhythm, pauses) = self
            .rhythm
            .take()
            .map_or_else(Default::default, |rhythm| rhythm.finish());
        let beside = Beside {
            first_ns: first,
            flight: mean_flight_bytes,
            mss,
            base_rtt: base,
            loss_ratio: self.counts.again as f64 / self.counts.segments.max(1) as f64,
            trains: sender.spacing.rate(),
        };
        let mut causes = Causes {
            intervals,
            shares,
            vantage: setting.vantage(),
            window_limited_ns: sender.window_ns,
            busy_ns: sender.busy_ns,
            mean_flight_bytes,
            max_flight_bytes: sender.max_flight,
            min_rtt_ns: (base < i64::MAX).then_some(base),
            bottleneck_bytes_per_s: capacity,
            queue: self.queue.finish(),
            rhythm,
            pauses,
            slow_starts: self.openings.finish(),
            control: sender.path.cuts.told(is_paced),
            is_paced,
            receiver: self.receiver.finish(),
            policing: self.police.take().and_then(|police| police.finish(&beside)),
            shaping: shaping(sender.path.capacity(None), sender.spacing.rate()),
            path_mtu,
            finding: None,
        };
        causes.finding = found(&causes, self.counts, mss);
        causes
    }
}

/// A queue stands although packets come through faster when close together: by more than trains are too fast from jitter.
fn shaping(queued: Option<f64>, trains: Option<f64>) -> Option<Shaping> {
    let (rate, burst) = (queued?, trains?);
    (burst > 1.5 * rate).then_some(Shaping {
        rate_bytes_per_s: rate,
        burst_bytes_per_s: burst,
    })
}
