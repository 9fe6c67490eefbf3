//! From the events of one half of a connection to [`Causes`].

use super::finding::{Counts, found};
use super::opening::Openings;
use super::policing::{Beside, Police, Seen, Shaping};
use super::queue::Queue;
use super::reasons::Reasons;
use super::receiver::Receiver;
use super::rhythm::Rhythm;
use super::told::Told;
use super::{Causes, LabelBytes, Setting, Vantage};
use crate::flow::{Acked, HalfEvent, Hears, Sent, SentKind};
use std::cmp::Ordering;
use std::ops::Range;

/// Follows one direction of a connection. Holds next to nothing before data come.
#[derive(Debug, Default)]
pub struct Tracker {
    setting: Setting,
    body: Option<Body>,
}

#[derive(Debug)]
struct Body {
    reasons: Reasons,
    /// By the event that is just looked at.
    told: Told,
    receiver: Receiver,
    openings: Openings,
    queue: Queue,
    counts: Counts,
    /// Not before a program pauses.
    rhythm: Option<Box<Rhythm>>,
    /// Not before a loss.
    police: Option<Box<Police>>,
    /// When data were sent for the first time last.
    last_new: i64,
    /// The newest round trip, and what two thirds of them are at most, nearly: it moves by a step with each.
    last_rtt: i64,
    usual_rtt: i64,
    /// Nothing is lost behind the capture point.
    is_at_receiver: bool,
    /// The largest rates of round trips in which nothing was repaired, bytes per second. Of one alone a stall before the capture
    /// point may be the reason, behind which packets come bunched.
    fastest: [f64; 2],
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
        self.setting.shorten_before(before_ns);
        if let Some(body) = &mut self.body {
            body.reasons.sender.shorten_lag(before_ns);
        }
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &HalfEvent) {
        event.tell(self);
    }

    #[cold]
    fn begin(&mut self, first_ns: i64) {
        self.body = Some(Body::new(&self.setting, first_ns.max(0)));
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

impl Hears for Tracker {
    #[inline(always)]
    fn sent(&mut self, sent: &Sent) {
        if self.body.is_none() {
            self.begin(sent.time_ns);
        }
        if let Some(body) = &mut self.body {
            body.sent(sent);
        }
    }

    /// One before any data answers nothing.
    #[inline(always)]
    fn acked(&mut self, acked: &Acked) {
        if let Some(body) = &mut self.body {
            body.acked(acked);
        }
    }
}

impl Tracker {
    /// Ends, and tells only the bytes under each label, as [`Tracker::end`] would.
    pub(crate) fn label_bytes(&mut self, end_ns: i64) -> LabelBytes {
        self.body
            .as_mut()
            .map_or_else(LabelBytes::default, |body| body.reasons.label_bytes(end_ns))
    }
}

impl Body {
    fn new(setting: &Setting, first: i64) -> Self {
        Self {
            reasons: Reasons::new(setting, first),
            told: Told::default(),
            receiver: Receiver::default(),
            openings: Openings::default(),
            queue: Queue::default(),
            counts: Counts::default(),
            rhythm: None,
            police: None,
            last_new: first,
            last_rtt: 0,
            usual_rtt: 0,
            is_at_receiver: setting.vantage() == Vantage::NearReceiver,
            fastest: [0.0; 2],
        }
    }

    fn heap_bytes(&self) -> usize {
        let rhythm = self.rhythm.as_ref().map_or(0, |rhythm| rhythm.bytes());
        let police = self.police.as_ref().map_or(0, |police| police.bytes());
        self.reasons.sender.heap_bytes()
            + self.openings.heap_bytes()
            + self.queue.heap_bytes()
            + rhythm
            + police
    }

    #[inline(always)]
    fn sent(&mut self, sent: &Sent) {
        self.note_sent(sent);
        self.reasons.sent(sent, &mut self.told);
        if self.told.is_something {
            self.hear();
        }
    }

    #[inline(always)]
    fn acked(&mut self, acked: &Acked) {
        self.reasons.acked(acked, &mut self.told);
        if let Some(rtt_ns) = acked.rtt_ns {
            self.note_rtt(rtt_ns.clamp(0, i64::MAX / 4));
        }
        let sender = &self.reasons.sender;
        let is_all = acked.ack >= sender.next;
        self.receiver.acked(acked, sender.units.mss, is_all);
        if self.told.is_something {
            self.hear();
        }
    }

    fn note_rtt(&mut self, rtt_ns: i64) {
        self.last_rtt = rtt_ns;
        if self.usual_rtt == 0 {
            self.usual_rtt = rtt_ns;
        }
        // A hundredth: finer than any queue that drops is long. Twice as far up as down: it rests where a third is above.
        let step = self.usual_rtt / 128 + 1;
        self.usual_rtt += match rtt_ns.cmp(&self.usual_rtt) {
            Ordering::Less => -step,
            Ordering::Equal => 0,
            Ordering::Greater => 2 * step,
        };
    }

    #[inline(always)]
    fn note_sent(&mut self, sent: &Sent) {
        self.counts.segments += 1;
        let sender = &self.reasons.sender;
        let now = sent.time_ns.max(sender.now);
        let before = self.last_new;
        match sent.kind {
            SentKind::New | SentKind::NewBehindGap => {
                self.last_new = now;
                let bytes = sent.end.saturating_sub(sent.start);
                self.receiver
                    .sent(now, bytes, sender.units.mss, sender.reaction_ns);
            }
            SentKind::Retransmitted(_) | SentKind::RetransmittedUpstream(_) => self.counts.again += 1,
            _ => {}
        }
        // Nearly all are new, and nothing was lost before them.
        if !matches!(sent.kind, SentKind::New) || (self.police.is_some() && self.is_at_receiver) {
            self.police(sent.kind, sent.start..sent.end, sent.lost_ns, (now, before));
        }
    }

    /// Losses, and what arrives after the first of them; `times` are its own and that of the new data before it. In parts, so that
    /// all other events need not lie in memory.
    #[inline(never)]
    fn police(&mut self, kind: SentKind, bytes: Range<u64>, lost_ns: Option<i64>, times: (i64, i64)) {
        let sender = &self.reasons.sender;
        let (now, before) = times;
        if !self.is_at_receiver {
            if let Some(lost_ns) = lost_ns {
                let police = self.police.get_or_insert_default();
                let times = (lost_ns.max(0), now);
                police.lost(times, bytes, (sender.next, self.last_new), self.last_rtt);
            }
            return;
        }
        match kind {
            SentKind::New | SentKind::NewBehindGap => {
                let begin = || Box::new(Police::at_receiver(sender.next, before));
                let police = self.police.get_or_insert_with(begin);
                let path = Seen {
                    mss: sender.units.mss,
                    base_rtt: sender.path.base_rtt,
                    newest_rtt: self.last_rtt,
                };
                police.arrived(now, bytes, sender.next, path);
            }
            kind => {
                if let Some(police) = &mut self.police {
                    police.arrived_again(now, bytes, kind == SentKind::Overtaken);
                }
            }
        }
    }

    /// What packets close together came through with, bytes per second. Behind its narrowest link a transfer cannot be faster than
    /// that link, not for a round trip either.
    fn link(&self) -> Option<f64> {
        let trains = self.reasons.sender.spacing.rate();
        let [_, twice] = self.fastest;
        let fastest = Some(twice).filter(|rate| self.is_at_receiver && *rate > 0.0);
        [trains, fastest].into_iter().flatten().reduce(f64::max)
    }

    #[inline(never)]
    fn hear(&mut self) {
        let told = std::mem::take(&mut self.told);
        if let Some(pause) = told.pause {
            self.rhythm.get_or_insert_default().paused(pause);
        }
        let Some(round) = told.round else { return };
        self.openings.round(round.start_ns, &round);
        if !round.is_repair && round.end_ns > round.start_ns {
            let [first, second] = self.fastest;
            self.fastest = [first.max(round.rate), second.max(round.rate.min(first))];
        }
        if let Some(queue) = round.queue_ns {
            self.queue.add(round.end_ns, queue);
        }
    }

    fn finish(&mut self, setting: &Setting, end_ns: i64) -> Causes {
        let path_mtu = self.reasons.end(end_ns, &mut self.told);
        self.hear();
        let trains = self.link();
        let sender = &mut self.reasons.sender;
        let mss = sender.units.mss;
        let (intervals, shares) = std::mem::take(&mut sender.timeline).finish();
        let capacity = sender.path.capacity(sender.spacing.rate());
        let mean_flight_bytes = sender.mean_flight();
        let base = sender.path.base_rtt;
        let first = sender.first_ns;
        let is_paced = sender.is_paced();
        let (rhythm, pauses) = self
            .rhythm
            .take()
            .map_or_else(Default::default, |rhythm| rhythm.finish());
        let beside = Beside {
            first_ns: first,
            flight: mean_flight_bytes,
            mss,
            base_rtt: base,
            usual_rtt: self.usual_rtt,
            least_rtt: self.receiver.min_rtt(),
            sees_queues: matches!(setting.vantage(), Vantage::NearSender | Vantage::Between),
            loss_ratio: self.counts.again as f64 / self.counts.segments.max(1) as f64,
            trains,
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
