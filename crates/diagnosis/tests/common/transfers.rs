//! What the synthetic path does to transfers.

use super::World;
use evidence::v1::{
    End, HostDrops, Payload, RateBps, StopReason, TcpAccount, TcpInterval, TcpThroughput, UdpStream,
};

impl World {
    fn rtt_s(&self) -> f64 {
        self.rtt_ms / 1e3
    }

    /// The rate that one connection reaches, and whether the receiver's window is what limits it.
    fn one_connection(&self, mss: u32) -> (f64, bool) {
        let window = self.window as f64 * 8.0 / self.rtt_s();
        let loss = self
            .loss
            .map_or(f64::INFINITY, |(_, loss)| self.response(mss, loss));
        let free = loss.min(self.capacity * 0.95).min(self.cpu_limit);
        (window.min(free), window < free)
    }

    /// Whether one connection fills the slowest link.
    pub(super) fn fills_the_path(&self) -> bool {
        // A reader that takes a twentieth of it leaves the path idle.
        !self.slow_reader && self.one_connection(self.mtu.0.min(self.mtu.1) - 52).0 >= 0.9 * self.capacity
    }

    /// RFC 9438 with the Reno-friendly region after Mathis; BBR does not care.
    fn response(&self, mss: u32, loss: f64) -> f64 {
        let per_rtt = f64::from(mss) * 8.0 / self.rtt_s();
        match self.control {
            "bbr" => f64::INFINITY,
            "reno" => per_rtt * 1.22 / loss.sqrt(),
            _ => per_rtt * (1.054 * (self.rtt_s() / loss).powf(0.75)).max(1.22 / loss.sqrt()),
        }
    }

    pub(super) fn tcp(
        &self,
        sender: End,
        streams: u16,
        requested_mss: Option<u32>,
        max_time_ms: u32,
    ) -> Payload {
        let headers = if self.is_ipv6() { 60 } else { 40 };
        let own = self.mtu.0.min(self.mtu.1) - headers;
        let path = self
            .honest_mtu
            .filter(|_| self.hole.is_none())
            .map_or(u32::MAX, |(_, mtu)| mtu - headers);
        let mss = requested_mss.unwrap_or(own).min(own).min(path);
        let swallowed = self.hole.is_some_and(|hole| mss + headers > hole.passes);
        let (one, by_window) = self.one_connection(mss - 12);
        let rate = if swallowed {
            0.0
        } else {
            (one * f64::from(streams))
                .min(self.capacity * 0.95)
                .min(self.cpu_limit)
        };
        let limited = by_window || self.slow_reader;
        let rate = if self.slow_reader { rate.min(50e6) } else { rate };
        let full = rate >= self.capacity * 0.9;
        let duration_ms = if swallowed { 3_500 } else { u64::from(max_time_ms) };
        let slices = (duration_ms / 100) as usize;
        let rtt_us = ((self.rtt_ms + if full { 12.0 } else { 0.0 }) * 1e3) as u32;
        let slice = |index: usize| TcpInterval {
            start_ns: index as u64 * 100_000_000,
            length_ns: 100_000_000,
            bytes_acked: (rate / 80.0) as u64,
            bytes_received: Some((rate / 80.0) as u64),
            retransmits: 0,
            cwnd_bytes: 1_000_000,
            rtt_us,
            delivery_rate_bps: None,
        };
        let bytes = (rate / 8.0 * duration_ms as f64 / 1e3) as u64;
        let segments = bytes / u64::from(mss) + 10;
        let again = self.loss.map_or(0, |(_, loss)| (segments as f64 * loss) as u64)
            + if full { segments / 5_000 } else { 0 };
        let busy_us = duration_ms * 1_000;
        let account = TcpAccount {
            data_segments_out: Some(segments / u64::from(streams)),
            retransmitted_segments: Some(if swallowed { 10 } else { again / u64::from(streams) }),
            busy_us: Some(busy_us),
            receive_window_limited_us: Some(if limited { busy_us * 9 / 10 } else { 0 }),
            send_buffer_limited_us: Some(0),
            send_mss_bytes: Some(mss - 12),
            peer_window_bytes: Some(self.window),
            min_rtt_us: Some((self.rtt_ms * 1e3) as u32),
            rtt_us: Some(rtt_us),
            ..TcpAccount::default()
        };
        let measured = (rate > 0.0).then_some(RateBps(rate));
        let (source, destination) = self.addresses(sender);
        Payload::TcpThroughput(TcpThroughput {
            sender,
            source,
            destination,
            streams,
            requested_mss_bytes: requested_mss,
            requested_socket_buffer_bytes: None,
            congestion_control: self.control.into(),
            bytes_received: bytes,
            duration_ns: duration_ms * 1_000_000,
            mean_bps: measured,
            steady_bps: measured,
            intervals: (0..slices).map(slice).collect(),
            sender_accounts: vec![account; usize::from(streams)],
            receiver_accounts: vec![],
            stop: if swallowed {
                StopReason::Stalled
            } else {
                StopReason::Stable
            },
            sender_cpu: Some(if rate >= self.cpu_limit { 0.99 } else { 0.2 }),
            receiver_cpu: Some(if self.slow_reader { 0.98 } else { 0.2 }),
            ports: vec![],
        })
    }

    pub(super) fn udp(&self, sender: End, size_bytes: u32, rate: f64, duration_ms: u32) -> Payload {
        let seconds = f64::from(duration_ms) / 1e3;
        let sent = (rate * seconds / 8.0 / f64::from(size_bytes)) as u64;
        let ratio = match sender {
            End::From => self.loss.map_or(0.0, |(_, loss)| loss),
            End::To => self.loss_back,
        };
        let too_large = self
            .hole
            .is_some_and(|hole| sender == End::From && size_bytes > hole.passes);
        let carried = if too_large {
            0.0
        } else {
            (self.capacity / rate).min(1.0)
        };
        let random = (sent as f64 * ratio).round() as u64;
        let arrived = ((sent as f64 * carried) as u64).saturating_sub(random);
        let received = arrived.saturating_sub(self.socket_drops);
        let (source, destination) = self.addresses(sender);
        Payload::UdpStream(UdpStream {
            sender,
            source,
            destination,
            size_bytes,
            target_bps: RateBps(rate),
            packets_sent: sent,
            packets_received: received,
            duplicates: 0,
            reordered: 0,
            sent_bps: Some(RateBps(rate)),
            received_bps: RateBps::of_bytes(received * u64::from(size_bytes), (seconds * 1e9) as u64),
            host_drops: HostDrops {
                sender_refused: Some(0),
                sender_interface: Some(0),
                receiver_socket: Some(self.socket_drops),
                receiver_interface: Some(0),
            },
            loss_runs: self.loss_runs(if carried < 1.0 { 0 } else { random }),
            intervals: vec![],
            one_way_delay: None,
            duration_ns: (seconds * 1e9) as u64,
            stop: StopReason::MaxTime,
            sender_cpu: Some(0.2),
            receiver_cpu: Some(0.2),
        })
    }

    /// Single losses on the path, and one run of what the receiving socket dropped.
    fn loss_runs(&self, random: u64) -> Vec<(u64, u64)> {
        let single = (0..random.min(999)).map(|index| (100_000 + index * 1_000, 1));
        let dropped = (self.socket_drops > 0).then_some((0, self.socket_drops));
        dropped.into_iter().chain(single).collect()
    }
}
