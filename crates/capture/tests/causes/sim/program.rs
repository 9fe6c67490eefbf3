//! The program that writes: all that fits, or blocks with pauses.

use super::{Program, Sim, What};
use rand::Rng;

impl Sim {
    pub(super) fn writes(&mut self) {
        let world = self.run.world.clone();
        loop {
            let held = self.written - self.una;
            if self.pausing || self.written >= world.total {
                return;
            }
            if held >= world.send_buffer || (self.blocked && held > world.send_buffer * 2 / 3) {
                self.blocked = true;
                self.boundaries.insert(self.written, ());
                return;
            }
            self.blocked = false;
            match &world.program {
                Program::Bulk => {
                    // Linux fills segments before it looks at the room.
                    let room = (world.send_buffer - held).div_ceil(world.mss) * world.mss;
                    self.written += (128 << 10).min(room);
                    self.boundaries.insert(self.written, ());
                }
                Program::Blocks(levels) => {
                    self.written += levels[0].0;
                    self.boundaries.insert(self.written, ());
                    let mut pause = levels[0].1;
                    for (place, level) in levels.iter().enumerate() {
                        self.done_blocks[place] += levels[0].0;
                        if self.done_blocks[place] >= level.0 {
                            self.done_blocks[place] = 0;
                            pause = level.1;
                        }
                    }
                    let spread: f64 = self.rng.random_range(0.9..1.1);
                    self.pausing = true;
                    // It begins when the block is on the line.
                    let line = (levels[0].0 as f64 * 8e9 / world.line_bps) as i64;
                    self.at(self.now + line + (pause as f64 * spread) as i64, What::Writes);
                }
            }
        }
    }
}
