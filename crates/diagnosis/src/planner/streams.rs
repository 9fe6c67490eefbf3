//! UDP streams that could be asked for: what gets lost at a rate that the path surely carries, and at one that it does not.

use super::asks::{Ideas, Purpose};
use super::suspicion::Suspicion;
use evidence::{Ask, End, Node, RateBps};
use model::{Loss, NodeId, Seen};

/// Small packets: many for little bandwidth.
pub(super) const SMALL_BYTES: u32 = 200;
/// Streams of small packets: a look, and the longest that people wait for; and the fewest packets that tell of loss that matters.
const GLANCE_MS: f64 = 1_500.0;
const LONGEST_MS: f64 = 15_000.0;
const LEAST_PACKETS: f64 = 10_000.0;
/// Losses wanted before the ratio is believed: with 8 the 95 % interval is a factor of 2 either way.
pub(super) const LOSSES_WANTED: f64 = 8.0;
/// Losses that suffice.
const LOSSES_ENOUGH: f64 = 5.0;
/// Packets per hop, in units of 1/loss: a hop behind the loss then looks clean with probability e⁻⁶.
pub(super) const PER_HOP: f64 = 6.0;
/// More packets a second than this strain hosts and routers, and then lose packets by themselves.
pub(super) const MOST_PPS: f64 = 30_000.0;

impl Ideas<'_, '_> {
    pub(super) fn overload(&mut self) {
        const ABOVE: f64 = 1.3;
        const TRIED: f64 = 1.1;
        let Some(best) = self.view.best_tcp_bps() else {
            return;
        };
        let above = |target: RateBps| target.0 > TRIED * best;
        let done = self.view.udp(End::From).any(|t| t.target_bps.is_some_and(above));
        let size = self.end_to_end_bytes().unwrap_or(1_400.0).clamp(576.0, 1_400.0);
        self.stream(
            Purpose::Overload,
            End::From,
            size as u32,
            ABOVE * best,
            2_000.0,
            done,
        );
    }

    /// A rate at which the path is surely not filled: half of what it has proved to carry.
    pub(super) fn gentle_bps(&self) -> f64 {
        const UNPROVEN: f64 = 2e6;
        let packet_bits = f64::from(SMALL_BYTES) * 8.0;
        let half = self.view.proven_bps().map_or(UNPROVEN, |bps| bps / 2.0);
        half.clamp(100.0 * packet_bits, MOST_PPS * packet_bits)
    }

    /// How long small packets take to show the suspected loss where so many were sent already.
    pub(super) fn long_ms(&self, per_ms: f64, sent: f64) -> f64 {
        let wanted = (LOSSES_WANTED / self.suspicion.loss_ratio - sent).max(LEAST_PACKETS);
        (wanted / per_ms).clamp(GLANCE_MS, LONGEST_MS)
    }

    pub(super) fn streams(&mut self) {
        const MOST_STREAMS: usize = 4;
        let bps = self.gentle_bps();
        let per_ms = per_ms(bps);
        let small = |end: End| {
            let small = |t: &&evidence::Transfer| t.packet_size_bytes.is_some_and(|size| size <= SMALL_BYTES);
            self.view.udp(end).filter(small).count()
        };
        let (there, back) = (small(End::From), small(End::To) > 0);
        let Suspicion { loss_ratio, sent, .. } = self.suspicion;
        let long_ms = self.long_ms(per_ms, sent);
        self.stream(Purpose::Glance, End::From, SMALL_BYTES, bps, GLANCE_MS, there > 0);
        let seen = self.suspicion.lost >= LOSSES_ENOUGH || there >= MOST_STREAMS;
        self.stream(Purpose::Hunt, End::From, SMALL_BYTES, bps, long_ms, seen);
        let back_ms = (PER_HOP / loss_ratio / per_ms).clamp(GLANCE_MS, LONGEST_MS);
        self.stream(Purpose::Backward, End::To, SMALL_BYTES, bps, back_ms, back);
    }

    fn stream(&mut self, purpose: Purpose, sender: End, size_bytes: u32, bps: f64, ms: f64, done: bool) {
        let ids = match sender {
            End::From => (self.gathered.from, self.gathered.to),
            End::To => (self.gathered.to, self.gathered.from),
        };
        let ends = (self.view.node(sender), self.view.node(sender.other()));
        self.stream_between(ends, ids, purpose, (size_bytes, bps, ms), done);
    }

    /// The same between any two.
    pub(super) fn stream_between(
        &mut self,
        (from, to): (Node, Node),
        ids: (NodeId, NodeId),
        purpose: Purpose,
        (size_bytes, bps, ms): (u32, f64, f64),
        done: bool,
    ) {
        const HEADERS: f64 = 28.0;
        let size = f64::from(size_bytes);
        let seen = Seen::Loss(Loss {
            sent: (bps / (size * 8.0) * ms / 1e3).max(1.0),
            // A link carries the headers as well.
            offered_bps: Some(bps * size / (size - HEADERS)),
            size_bytes: Some(size),
            host_dropped: Some(0.0),
            ..Loss::default()
        });
        let one = self.measured(ids.0, ids.1, seen);
        let sees = self.over_ways(one);
        let ask = Ask::UdpStream {
            from,
            to,
            size_bytes,
            rate_bps: RateBps(bps),
            duration_ms: ms as u32,
        };
        self.add_open(purpose, ask, done, sees);
    }
}

/// Small packets in a millisecond at this rate.
pub(super) fn per_ms(bps: f64) -> f64 {
    bps / (f64::from(SMALL_BYTES) * 8.0) / 1e3
}
