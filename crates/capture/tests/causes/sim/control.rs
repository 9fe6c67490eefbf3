//! What the sender learns from acknowledgements: what is lost, and how much may be on the way.

use super::{Ack, Control, MS, Sim};

impl Sim {
    pub(super) fn acked(&mut self, ack: Ack) {
        self.edge = self.edge.max(ack.edge);
        let mut fresh = 0;
        let mut sample = None;
        for (start, end) in ack.got.into_iter().flatten() {
            if let Some(segment) = self.segments.get_mut(&start)
                && segment.end == end
                && !segment.sacked
            {
                segment.sacked = true;
                if !segment.lost {
                    self.pipe = self.pipe.saturating_sub(end - start);
                }
                segment.lost = false;
                self.lost.remove(&start);
                if segment.copies == 1 {
                    sample = Some(self.now - segment.sent);
                }
                fresh += end - start;
                self.highest_sacked = self.highest_sacked.max(end);
            }
        }
        if ack.ack > self.una {
            let rest = self.segments.split_off(&ack.ack);
            self.lost = self.lost.split_off(&ack.ack);
            for (start, segment) in std::mem::replace(&mut self.segments, rest) {
                if !segment.sacked {
                    fresh += segment.end - start;
                    if !segment.lost {
                        self.pipe = self.pipe.saturating_sub(segment.end - start);
                    }
                    if segment.copies == 1 {
                        sample = Some(self.now - segment.sent);
                    }
                }
            }
            self.una = ack.ack;
            self.backoff = 0;
            self.arm();
        }
        if let Some(sample) = sample {
            self.srtt = (self.srtt * 7 + sample) / 8;
            self.base = self.base.min(sample);
        }
        self.detect();
        if self.recovery.is_some_and(|end| self.una >= end) {
            self.recovery = None;
        }
        self.grow(fresh, sample);
        self.send();
    }

    fn detect(&mut self) {
        let limit = self.highest_sacked.saturating_sub(3 * self.mss);
        let srtt = self.srtt;
        let now = self.now;
        let mut lost = false;
        self.looks += 1;
        let from = if self.looks.is_multiple_of(32) {
            self.una
        } else {
            self.looked.max(self.una)
        };
        if limit <= from {
            return;
        }
        self.looked = limit;
        for (&start, segment) in self.segments.range_mut(from..limit) {
            // A copy is lost when it should long have been answered.
            let late = segment.copies > 1 && now - segment.sent < srtt * 5 / 4;
            if !segment.sacked && !segment.lost && !late {
                segment.lost = true;
                self.lost.insert(start);
                self.pipe = self.pipe.saturating_sub(segment.end - start);
                lost = true;
            }
        }
        if lost && self.recovery.is_none() {
            self.recovery = Some(self.next);
            if self.run.world.control != Control::Bbr {
                self.had_loss = true;
                self.w_max = self.cwnd;
                let beta = if self.run.world.control == Control::Reno {
                    0.5
                } else {
                    0.7
                };
                self.ssthresh = (self.cwnd * beta).max(2.0 * self.mss as f64);
                self.cwnd = self.ssthresh;
                self.epoch = None;
            }
        }
    }

    fn grow(&mut self, fresh: u64, sample: Option<i64>) {
        let mss = self.mss as f64;
        if self.run.world.control == Control::Bbr {
            return self.grow_bbr(fresh);
        }
        if self.recovery.is_some() && self.backoff == 0 && self.cwnd >= self.ssthresh {
            return;
        }
        let limited = self.pipe + fresh + 3 * self.mss + self.run.world.offload * self.mss >= self.limit()
            || (self.cwnd < self.ssthresh && 2 * (self.pipe + fresh) >= self.limit());
        if !limited {
            return;
        }
        if self.cwnd < self.ssthresh {
            self.cwnd += fresh as f64;
            let slow = self.base.saturating_add((self.base / 8).max(4 * MS));
            if self.run.world.hystart && sample.is_some_and(|rtt| rtt > slow) && self.ssthresh == f64::MAX {
                self.ssthresh = self.cwnd;
            }
            return;
        }
        let reno = mss * fresh as f64 / self.cwnd;
        if self.run.world.control == Control::Reno {
            self.cwnd += reno;
            return;
        }
        let epoch = *self.epoch.get_or_insert(self.now);
        let w_max = self.w_max.max(self.cwnd.min(self.w_max + 1.0)) / mss;
        let k = (w_max * 0.3 / 0.4).cbrt();
        let t = (self.now - epoch + self.srtt) as f64 / 1e9;
        let target = (0.4 * (t - k).powi(3) + w_max) * mss;
        let by_cubic = if target > self.cwnd {
            (target - self.cwnd) * fresh as f64 / self.cwnd
        } else {
            0.0
        };
        self.cwnd += by_cubic.min(fresh as f64 / 2.0).max(0.53 * reno);
    }

    fn grow_bbr(&mut self, fresh: u64) {
        self.round_acked += fresh;
        if self.una < self.round_end {
            return;
        }
        let time = (self.now - self.round_start).max(1);
        let rate = self.round_acked as f64 * 1e9 / time as f64;
        if rate > self.bw * 1.25 {
            self.full = 0;
        } else {
            self.full += 1;
        }
        self.bw = self.bw.max(rate);
        if self.full >= 3 {
            self.gain_index = (self.gain_index + 1) % 8;
        }
        self.round_acked = 0;
        self.round_start = self.now;
        self.round_end = self.next;
        let gain = if self.full < 3 { 2.89 } else { 2.0 };
        self.cwnd = (gain * self.bw * self.base.min(self.srtt) as f64 / 1e9).max(10.0 * self.mss as f64);
        self.gain_at = self.now;
    }
}
