//! The sender: when it sends and what it waits for, pacing, segmentation offload, and timeouts.

use super::{Control, MS, Packet, Segment, Sim, Wait, What};
use rand::Rng;

impl Sim {
    fn wait(&mut self, wait: Wait) {
        if self.run.waits.last().is_none_or(|last| last.1 != wait) {
            self.run.waits.push((self.now, wait));
        }
    }

    pub(super) fn limit(&self) -> u64 {
        (self.cwnd as u64).max(self.mss)
    }

    pub(super) fn send(&mut self) {
        self.writes();
        let repairing = |sim: &Self| {
            if sim.recovery.is_some() {
                Wait::Repair
            } else {
                sim.opening()
            }
        };
        let mut burst = 0;
        loop {
            if self.now < self.pace_next {
                if !self.pace_armed {
                    self.pace_armed = true;
                    let late = self.rng.random_range(0..100_000);
                    self.at(self.pace_next + late, What::Paced);
                }
                let full = self.pipe + self.mss > self.limit();
                return self.wait(if full { repairing(self) } else { Wait::Pace });
            }
            let lost = self
                .lost
                .first()
                .and_then(|&start| Some((start, *self.segments.get(&start)?)));
            if self.pipe + self.mss > self.limit() {
                return self.wait(repairing(self));
            }
            if let Some((start, segment)) = lost {
                self.transmit(start, segment.end, segment.push, false);
                continue;
            }
            let left = self.written - self.next;
            let bytes = left.min(self.mss);
            if bytes == 0 {
                let wait = if self.blocked {
                    Wait::SendBuffer
                } else {
                    Wait::Program
                };
                return self.wait(wait);
            }
            let room = self.edge.saturating_sub(self.next);
            if room < bytes {
                return self.wait(Wait::Window);
            }
            // Segmentation offload: wait for a third of the window or a burst, as Linux does.
            let chunk = (self.run.world.offload * self.mss).min(left);
            let space = (self.limit() - self.pipe).min(room);
            let third = self.limit().min(self.edge - self.una) / 3;
            let is_burst = self.run.world.offload > 1 && burst < bytes;
            if is_burst && self.pipe > 0 && space < chunk.min(third).max(self.mss) {
                let wait = if room <= self.limit() - self.pipe {
                    Wait::Window
                } else {
                    repairing(self)
                };
                return self.wait(wait);
            }
            // What it waited for it sends in one go.
            burst = if is_burst { chunk.min(space) } else { burst }.saturating_sub(bytes);
            let end = self.next + bytes;
            let push = self.boundaries.range(self.next + 1..=end).next().is_some() || end == self.written;
            let start = self.next;
            self.next = end;
            self.boundaries = self.boundaries.split_off(&(end + 1));
            self.segments.insert(
                start,
                Segment {
                    end,
                    sent: self.now,
                    copies: 0,
                    sacked: false,
                    lost: false,
                    push,
                },
            );
            self.transmit(start, end, push, false);
        }
    }

    fn opening(&self) -> Wait {
        if self.had_loss {
            Wait::Regrow
        } else {
            Wait::Opening
        }
    }

    fn transmit(&mut self, start: u64, end: u64, push: bool, timer: bool) {
        let now = self.now;
        let Some(segment) = self.segments.get_mut(&start) else {
            return;
        };
        segment.sent = now;
        segment.copies += 1;
        segment.lost = false;
        self.lost.remove(&start);
        let copy = segment.copies - 1;
        self.pipe += end - start;
        let packet = Packet {
            start,
            end,
            copy,
            push,
            timer,
            sent: now,
        };
        let size = (end - start + 66) as f64;
        let leaves = self.line_free.max(now) + (size * 8e9 / self.run.world.line_bps) as i64;
        self.line_free = leaves;
        self.pace(size);
        let one_way = self.run.world.rtt / 2;
        let before = (one_way as f64 * self.run.world.point) as i64;
        if self.run.world.queue_before {
            let delay = self.jitter(0.5);
            let time = (leaves + before / 2 + delay).max(self.last_data[0]);
            self.last_data[0] = time;
            self.at(time, What::AtQueue(packet));
        } else {
            let delay = if before > 0 { self.jitter(0.5) } else { 0 };
            // With offload the capture sees the burst before the line does.
            let out = if before == 0 && self.run.world.offload > 1 {
                now
            } else {
                leaves
            };
            let time = (out + before + delay).max(self.last_data[1]);
            self.last_data[1] = time;
            self.at(time, What::Passed(packet));
            let time = (time.max(leaves) + (one_way - before) / 2).max(self.last_data[0]);
            self.last_data[0] = time;
            self.at(time, What::AtQueue(packet));
        }
        if self.timer_id == 0 || self.pipe == end - start {
            self.arm();
        }
    }

    fn pace(&mut self, size: f64) {
        let world = &self.run.world;
        if !world.paced && world.control != Control::Bbr {
            return;
        }
        let rate = if world.control == Control::Bbr {
            let gain = if self.full < 3 {
                2.89
            } else {
                [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0][self.gain_index]
            };
            (self.bw * gain).max(10.0 * self.mss as f64 * 1e9 / self.srtt as f64)
        } else {
            let gain = if self.cwnd < self.ssthresh / 2.0 { 2.0 } else { 1.2 };
            gain * self.cwnd * 1e9 / self.srtt as f64
        };
        // A millisecond's worth at once.
        let burst = (rate * 1e-3).max(2.0 * size);
        let from = self.pace_next.max(self.now - (burst * 1e9 / rate) as i64);
        let next = from + (size * 1e9 / rate) as i64;
        self.pace_next = next;
        if next - self.now < (burst * 1e9 / rate) as i64 {
            self.pace_next = next.min(self.now);
        }
        if next > self.now {
            // Owed until the burst is paid.
            self.pace_next = next;
        }
    }

    pub(super) fn arm(&mut self) {
        self.timer_id += 1;
        let rto = (self.srtt * 2).max(200 * MS + self.srtt) << self.backoff.min(6);
        let id = self.timer_id;
        self.at(self.now + rto, What::Timer(id));
    }

    pub(super) fn timeout(&mut self) {
        self.backoff += 1;
        let flight = (self.next - self.una) as f64;
        self.had_loss = true;
        if self.recovery.is_none() || self.backoff == 1 {
            self.w_max = self.cwnd;
            self.ssthresh = (flight * 0.7).max(2.0 * self.mss as f64);
        }
        self.cwnd = self.mss as f64;
        self.epoch = None;
        self.recovery = Some(self.next);
        if let Some(hole) = self.run.world.hole
            && self.backoff >= 3
        {
            self.mss = self.mss.min(hole);
            self.resegment();
        }
        self.pipe = 0;
        for segment in self.segments.values_mut() {
            segment.lost = !segment.sacked;
        }
        self.lost = self
            .segments
            .iter()
            .filter(|(_, segment)| segment.lost)
            .map(|(&start, _)| start)
            .collect();
        self.wait(Wait::Repair);
        if let Some((&start, &segment)) = self.segments.iter().find(|(_, segment)| !segment.sacked) {
            self.transmit(start, segment.end, segment.push, true);
        }
        self.arm();
        self.send();
    }

    fn resegment(&mut self) {
        let old = std::mem::take(&mut self.segments);
        for (start, segment) in old {
            let mut from = start;
            while from < segment.end {
                let end = segment.end.min(from + self.mss);
                self.segments.insert(from, Segment { end, ..segment });
                from = end;
            }
        }
    }
}
