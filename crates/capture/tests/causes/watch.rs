//! What a capture point makes of a simulated transfer, and the truth about it.

use crate::sim::{MS, Run, Seen, Wait};
use capture::causes::Label;
use capture::flow::{Acked, HalfEvent, RetransmissionCause, Sent, SentKind};
use std::collections::BTreeMap;

/// What time stamps of a millisecond tell of queues before the capture point.
#[derive(Default)]
struct Stamps {
    packets: u32,
    began: i64,
    least: Option<i64>,
}

impl Stamps {
    fn waited_ms(&mut self, run: &Run, time: i64, sent: i64) -> u8 {
        if run.world.rtt as f64 * run.world.point < 2.0 * MS as f64 {
            return 0;
        }
        if self.packets == 0 {
            self.began = time;
        }
        self.packets += 1;
        let took = time - sent / MS * MS;
        let least = self.least.map_or(took, |least| least.min(took));
        self.least = Some(least);
        if self.packets < 32 || time - self.began < 250 * MS {
            return 0;
        }
        u8::try_from((took - least - MS).max(0) / MS).unwrap_or(u8::MAX)
    }
}

/// The events of a run.
pub(crate) fn events(run: &Run) -> Vec<HalfEvent> {
    let mut out: Vec<HalfEvent> = Vec::new();
    let mut times: BTreeMap<u64, (i64, bool)> = BTreeMap::new();
    let (mut high, mut una, mut edge, mut sacked) = (0_u64, 0_u64, Some(run.world.window), 0_u64);
    let most = run.world.offload * run.world.mss;
    let mut stamps = Stamps::default();
    for (time, seen) in &run.seen {
        match seen {
            Seen::Data(packet) => {
                let waited_ms = stamps.waited_ms(run, *time, packet.sent);
                let bytes = packet.end - packet.start;
                let flight = (high - una).saturating_sub(sacked);
                let again = times.contains_key(&packet.end);
                let cause = if packet.timer {
                    RetransmissionCause::Timeout
                } else {
                    RetransmissionCause::Fast
                };
                let kind = match () {
                    () if packet.start == high => SentKind::New,
                    () if packet.start > high => SentKind::NewBehindGap,
                    () if again => SentKind::Retransmitted(cause),
                    () => SentKind::RetransmittedUpstream(cause),
                };
                // Segmentation offload: the capture at the sender sees one.
                if let Some(HalfEvent::Sent(last)) = out.last_mut()
                    && run.world.point == 0.0
                    && kind == SentKind::New
                    && last.kind == SentKind::New
                    && last.time_ns == *time
                    && last.end - last.start + bytes <= most
                    && !last.is_pushed
                {
                    last.end = packet.end;
                    last.is_pushed = packet.push;
                    high = packet.end;
                    times.insert(packet.end, (*time, false));
                    continue;
                }
                let before = times.get(&packet.end);
                let behind = times.range(packet.end..).next().map(|(_, copy)| copy);
                let lost_ns = match kind {
                    SentKind::Retransmitted(_) => before.map(|copy| copy.0),
                    SentKind::RetransmittedUpstream(_) => behind.map(|copy| copy.0),
                    _ => None,
                };
                times.insert(packet.end, (*time, packet.copy > 0));
                high = high.max(packet.end);
                out.push(HalfEvent::Sent(Sent {
                    time_ns: *time,
                    start: packet.start,
                    end: packet.end,
                    kind,
                    is_pushed: packet.push,
                    waited_ms,
                    flight_bytes: flight,
                    window_edge: edge,
                    lost_ns,
                }));
            }
            Seen::Ack(ack) => {
                let newly = ack.ack.saturating_sub(una);
                let mut rtt = None;
                let newest = ack.got.iter().flatten().map(|got| got.1).max();
                if let Some(end) = newest
                    && let Some(&(sent, false)) = times.get(&end)
                {
                    rtt = Some(time - sent);
                }
                let more = ack.sacked.saturating_sub(sacked);
                let was_sacked = (sacked + more).saturating_sub(ack.sacked);
                una = una.max(ack.ack);
                sacked = ack.sacked;
                edge = Some(ack.edge.max(edge.unwrap_or(0)));
                times = times.split_off(&una.min(newest.unwrap_or(una)));
                out.push(HalfEvent::Acked(Acked {
                    time_ns: *time,
                    ack: una,
                    newly_acked_bytes: newly,
                    newly_sacked_bytes: more,
                    newly_arrived_bytes: newly.saturating_sub(was_sacked) + more,
                    is_duplicate: newly == 0,
                    is_dsack: false,
                    is_eifel: false,
                    window_bytes: Some(edge.unwrap_or(0) - una),
                    rtt_ns: rtt,
                    unseen_bytes: 0,
                }));
            }
        }
    }
    out
}

/// Time under each label, by what the sender knew of itself and the link's use in the round trip around each moment.
pub(crate) fn truth(run: &Run) -> BTreeMap<Label, i64> {
    let mut sums = BTreeMap::new();
    let step = (run.world.rtt / 8).max(1000);
    let half = run.world.rtt / 2;
    let busy = Busy::new(&run.busy);
    let ends: Vec<i64> = run
        .waits
        .iter()
        .skip(1)
        .map(|wait| wait.0)
        .chain([run.end])
        .collect();
    for (&(from, wait), &to) in run.waits.iter().zip(&ends) {
        let mut at = from;
        while at < to {
            let until = to.min(at + step);
            let middle = at / 2 + until / 2;
            let use_part = busy.between(middle - half, middle + half) as f64 / (2 * half) as f64;
            *sums.entry(label(wait, use_part)).or_insert(0) += until - at;
            at = until;
        }
    }
    sums
}

fn label(wait: Wait, use_part: f64) -> Label {
    let full = use_part > 0.95;
    match wait {
        Wait::Program => Label::Application,
        Wait::SendBuffer if full => Label::Bottleneck,
        Wait::SendBuffer => Label::SendBuffer,
        Wait::Window if full => Label::Bottleneck,
        Wait::Window => Label::ReceiverWindow,
        Wait::Repair => Label::LossRecovery,
        Wait::Opening | Wait::Regrow | Wait::Pace if full => Label::Bottleneck,
        Wait::Opening => Label::SlowStart,
        Wait::Regrow => Label::LossRecovery,
        Wait::Pace => Label::Bottleneck,
    }
}

/// Busy time of the link up to each span's end.
struct Busy<'a> {
    spans: &'a [(i64, i64)],
    sums: Vec<i64>,
}

impl<'a> Busy<'a> {
    fn new(spans: &'a [(i64, i64)]) -> Self {
        let mut sum = 0;
        let sums = spans
            .iter()
            .map(|&(from, to)| {
                sum += to - from;
                sum
            })
            .collect();
        Self { spans, sums }
    }

    fn before(&self, time: i64) -> i64 {
        let place = self.spans.partition_point(|&(_, to)| to <= time);
        let whole = if place == 0 { 0 } else { self.sums[place - 1] };
        whole + self.spans.get(place).map_or(0, |&(from, _)| (time - from).max(0))
    }

    fn between(&self, from: i64, to: i64) -> i64 {
        self.before(to) - self.before(from)
    }
}
