//! The path: a policer and a queue for data, delays for acknowledgements, and what passes the capture point.

use super::{Ack, Packet, Sim, What};
use rand::Rng;

impl Sim {
    pub(super) fn queue(&mut self, packet: Packet) {
        let size = (packet.end - packet.start + 66) as f64;
        let world = &self.run.world;
        if let Some((rate, depth)) = world.policer {
            let gained = (self.now - self.tokens_at) as f64 * rate / 8e9;
            self.tokens = (self.tokens + gained).min(depth);
            self.tokens_at = self.now;
            if self.tokens < size {
                self.run.lost += 1;
                return self.dropped(packet);
            }
            self.tokens -= size;
        }
        let waiting = (self.busy_until - self.now).max(0) as f64 * world.rate_bps / 8e9;
        let gone = world.hole.is_some_and(|hole| packet.end - packet.start > hole);
        let (loss, buffer, rate) = (world.loss, world.buffer, world.rate_bps);
        if waiting + size > buffer as f64 || gone || self.rng.random_bool(loss) {
            self.run.lost += 1;
            return self.dropped(packet);
        }
        let from = self.busy_until.max(self.now);
        self.busy_until = from + (size * 8e9 / rate) as i64;
        match self.run.busy.last_mut() {
            Some(last) if from <= last.1 => last.1 = self.busy_until,
            _ => self.run.busy.push((from, self.busy_until)),
        }
        let one_way = self.run.world.rtt / 2;
        let before = (one_way as f64 * self.run.world.point) as i64;
        let out = self.busy_until;
        if self.run.world.queue_before {
            let passes = (out + before - before / 2).max(self.last_data[1]);
            self.last_data[1] = passes;
            self.at(passes, What::Passed(packet));
            let delay = if one_way > before { self.jitter(0.5) } else { 0 };
            let time = (passes + (one_way - before) + delay).max(self.last_data[2]);
            self.last_data[2] = time;
            self.at(time, What::AtReceiver(packet));
        } else {
            let rest = (one_way - before) - (one_way - before) / 2;
            let delay = self.jitter(0.5);
            let time = (out + rest + delay).max(self.last_data[2]);
            self.last_data[2] = time;
            self.at(time, What::AtReceiver(packet));
        }
    }

    fn dropped(&mut self, _packet: Packet) {}

    pub(super) fn carry(&mut self, ack: Ack) {
        let one_way = self.run.world.rtt / 2;
        let before = (one_way as f64 * self.run.world.point) as i64;
        let delay = if one_way > before { self.jitter(0.3) } else { 0 };
        let passes = (self.now + one_way - before + delay).max(self.last_ack);
        self.last_ack = passes;
        self.at(passes, What::AckPassed(ack));
        let delay = if before > 0 { self.jitter(0.3) } else { 0 };
        let home = passes + before + delay + self.rng.random_range(2_000..20_000);
        self.at(home, What::AckHome(ack));
    }
}
