//! The receiver: which segments it acknowledges when, and how much room the program that reads leaves.

use super::{Ack, MS, Packet, Sim, What};

impl Sim {
    pub(super) fn receive(&mut self, packet: Packet) {
        self.drain();
        if packet.start > self.expected {
            self.got.insert(packet.start, packet.end);
        } else if packet.end > self.expected {
            self.advance(packet.end);
        }
        self.owed += 1;
        let is_gap = !self.got.is_empty() || packet.copy > 0;
        if self.owed >= self.run.world.ack_every || is_gap {
            let first = self.owed_seg.replace((packet.start, packet.end));
            let other = first.filter(|_| self.owed > 1);
            self.emit_ack([other, self.owed_seg]);
        } else {
            self.owed_seg = Some((packet.start, packet.end));
            self.owed_id += 1;
            let id = self.owed_id;
            self.at(self.now + 40 * MS, What::DelayedAck(id));
        }
    }

    fn advance(&mut self, end: u64) {
        let from = self.expected;
        self.expected = end;
        while let Some((&start, &stop)) = self.got.range(..=self.expected).next() {
            self.got.remove(&start);
            self.expected = self.expected.max(stop);
        }
        if self.run.world.reads_bps.is_some() {
            self.unread += (self.expected - from) as f64;
        }
    }

    fn drain(&mut self) {
        if let Some(rate) = self.run.world.reads_bps {
            let read = (self.now - self.read_at) as f64 * rate / 8e9;
            self.unread = (self.unread - read).max(0.0);
            self.read_at = self.now;
        }
    }

    pub(super) fn acknowledge(&mut self) {
        let seg = self.owed_seg;
        self.emit_ack([seg, None]);
    }

    fn emit_ack(&mut self, got: [Option<(u64, u64)>; 2]) {
        self.owed = 0;
        self.owed_seg = None;
        self.owed_id += 1;
        let window = self.run.world.window.saturating_sub(self.unread as u64);
        let edge = (self.expected + window).max(self.last_edge);
        self.last_edge = edge;
        let sacked = self.got.iter().map(|(start, end)| end - start).sum();
        let ack = Ack {
            ack: self.expected,
            edge,
            got,
            sacked,
        };
        if self.run.world.reads_bps.is_some() && edge < self.expected + 4 * self.mss {
            self.at(self.now + 2 * MS, What::Reads);
        }
        self.carry(ack);
    }

    pub(super) fn reads(&mut self) {
        self.drain();
        let window = self.run.world.window.saturating_sub(self.unread as u64);
        let edge = self.expected + window;
        if edge >= self.last_edge + 2 * self.mss {
            self.emit_ack([None, None]);
        } else {
            self.at(self.now + 2 * MS, What::Reads);
        }
    }
}
