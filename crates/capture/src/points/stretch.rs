//! What became of the packets of one direction of a stretch.

use super::Way;
use super::changes::Changes;
use super::delay::Delays;
use super::entry::Slot;
use super::observation::{Marks, Observation};
use super::reorder::Order;
use super::report::{Bursts, Loss, PacketCounts, SizeClass};

/// Borders of the size classes, bytes of the IP packet: bare headers; the sizes that IPv4 and IPv6 promise to carry (576, 1280);
/// PPPoE, tunnels and Ethernet (1,400 to 1,500); and jumbo frames. Losses from one border on are those of an MTU.
const BORDERS: [u32; 9] = [128, 576, 1280, 1400, 1460, 1492, 1500, 9000, u32::MAX];

/// A packet that entered the stretch, or left it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried<'a> {
    pub(super) slot: &'a Slot,
    /// Where it stands in for one packet or several of the wire.
    pub(super) packets: u64,
    /// One of them, bytes.
    pub(super) wire_bytes: u32,
}

#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) way: Way,
    pub(super) data: PacketCounts,
    pub(super) bare: PacketCounts,
    pub(super) losses: Vec<Loss>,
    pub(super) unlisted: u64,
    most_losses: usize,
    bursts: Bursts,
    run: u64,
    last_lost: Option<(u64, u64)>,
    sizes: [(u64, u64); BORDERS.len()],
    pub(super) largest_passed_bytes: u32,
    pub(super) smallest_lost_bytes: Option<u32>,
    pub(super) order: Order,
    pub(super) delays: Delays,
    pub(super) changes: Changes,
    /// Of the bare packets that left it: those that did not enter it.
    pub(super) bare_from_nowhere: u64,
}

impl Stretch {
    pub(super) fn new(way: Way, most_losses: usize) -> Self {
        Self {
            way,
            data: PacketCounts::default(),
            bare: PacketCounts::default(),
            losses: Vec::new(),
            unlisted: 0,
            most_losses,
            bursts: Bursts::default(),
            run: 0,
            last_lost: None,
            sizes: Default::default(),
            largest_passed_bytes: 0,
            smallest_lost_bytes: None,
            order: Order::default(),
            delays: Delays::default(),
            changes: Changes::default(),
            bare_from_nowhere: 0,
        }
    }

    pub(super) fn counts(&mut self, carried: &Carried<'_>) -> &mut PacketCounts {
        if carried.slot.is_bare {
            &mut self.bare
        } else {
            &mut self.data
        }
    }

    /// Seen at both ends. `is_sure`: no other packet could be taken for it.
    pub(super) fn passed(
        &mut self,
        carried: &Carried<'_>,
        before: &Observation,
        behind: &Observation,
        is_sure: bool,
    ) {
        let packets = carried.packets;
        let counts = self.counts(carried);
        counts.sent += packets;
        counts.arrived += packets;
        self.size(carried.wire_bytes).0 += packets;
        self.largest_passed_bytes = self.largest_passed_bytes.max(carried.wire_bytes);
        if is_sure {
            self.delays
                .add(before.time_ns, behind.time_ns.saturating_sub(before.time_ns));
        }
        self.changes.compare(before, behind, carried.slot.is_cut);
    }

    /// Entered, and was seen nowhere behind.
    pub(super) fn lost(&mut self, carried: &Carried<'_>, before: &Observation, seq: u32) {
        if before.marks.has(Marks::COPY) {
            self.counts(carried).repeated_at_from += carried.packets;
            return;
        }
        let packets = carried.packets;
        let counts = self.counts(carried);
        counts.sent += packets;
        counts.lost += packets;
        let size = self.size(carried.wire_bytes);
        size.0 += packets;
        size.1 += packets;
        self.smallest_lost_bytes = Some(
            self.smallest_lost_bytes
                .map_or(carried.wire_bytes, |least| least.min(carried.wire_bytes)),
        );
        self.run_on(before.ordinal, carried);
        if self.losses.len() < self.most_losses {
            self.losses.push(Loss {
                time_ns: before.time_ns,
                seq,
                length_bytes: carried.slot.length,
                packets: packets.min(u64::from(u32::MAX)) as u32,
                ip_bytes: carried.wire_bytes,
            });
        } else {
            self.unlisted += 1;
        }
    }

    /// A loss continues a run when it was sent right behind the one before: the next packet, or the next bytes of one segment.
    fn run_on(&mut self, ordinal: u64, carried: &Carried<'_>) {
        let end = carried.slot.end();
        let follows = self.last_lost.is_some_and(|(last, last_end)| {
            ordinal == last.saturating_add(1) || ordinal == last && last_end == carried.slot.start
        });
        if !follows {
            self.end_run();
        }
        self.run += carried.packets;
        self.last_lost = Some((ordinal, end));
    }

    fn end_run(&mut self) {
        if self.run > 0 {
            self.bursts.runs += 1;
            self.bursts.single += u64::from(self.run == 1);
            self.bursts.longest_packets = self.bursts.longest_packets.max(self.run);
        }
        self.run = 0;
    }

    pub(super) fn bursts(&mut self) -> Bursts {
        self.end_run();
        self.bursts
    }

    fn size(&mut self, bytes: u32) -> &mut (u64, u64) {
        let class = BORDERS
            .partition_point(|&border| border < bytes)
            .min(BORDERS.len() - 1);
        &mut self.sizes[class]
    }

    pub(super) fn sizes(&self) -> Vec<SizeClass> {
        let classes = BORDERS.iter().zip(self.sizes);
        classes
            .filter(|(_, (sent, _))| *sent > 0)
            .map(|(&up_to_bytes, (sent, lost))| SizeClass {
                up_to_bytes,
                sent,
                lost,
            })
            .collect()
    }
}
