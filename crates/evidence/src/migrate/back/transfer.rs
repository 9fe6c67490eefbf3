//! Transfers: ours between the two ends, and those of other tools.

use super::probes::{positive, to_summary};
use crate::v1::{
    self, Payload, TcpInterval, TcpThroughput, ThroughputInterval, ThroughputRecord, UdpInterval, UdpStream,
};
use crate::{Complaint, End, OneWayDelay, RateBps, Transfer, TransferInterval, Transport};

pub(super) fn to_transfer(transfer: &Transfer, complaint: &Complaint) -> Payload {
    let own = || {
        let sender = complaint.end_of(&transfer.from)?;
        match transfer.protocol? {
            Transport::Tcp => to_tcp(transfer, sender).map(Payload::TcpThroughput),
            Transport::Udp => to_udp(transfer, sender).map(Payload::UdpStream),
        }
    };
    own().unwrap_or_else(|| Payload::Throughput(to_record(transfer)))
}

fn to_tcp(transfer: &Transfer, sender: End) -> Option<TcpThroughput> {
    let slice = |slice: &TransferInterval| {
        Some(TcpInterval {
            start_ns: slice.start_ns,
            length_ns: slice.length_ns,
            bytes_acked: slice.bytes_acked?,
            bytes_received: slice.bytes_received,
            retransmits: u32::try_from(slice.retransmits?).ok()?,
            cwnd_bytes: slice.cwnd_bytes?,
            rtt_us: u32::try_from(slice.rtt_ns? / 1_000).ok()?,
            delivery_rate_bps: slice.delivery_rate_bps,
        })
    };
    let (at_sender, at_receiver) = (transfer.sender.as_ref()?, transfer.receiver.as_ref()?);
    Some(TcpThroughput {
        sender,
        source: transfer.from.address?,
        destination: transfer.to.address?,
        streams: transfer.streams?,
        requested_mss_bytes: transfer.mss_bytes,
        requested_socket_buffer_bytes: transfer
            .window_bytes
            .map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX)),
        congestion_control: transfer.congestion_control.clone()?,
        bytes_received: transfer.bytes_received?,
        duration_ns: transfer.duration_ns?,
        mean_bps: transfer.received_bps,
        steady_bps: transfer.steady_bps,
        intervals: transfer.intervals.iter().map(slice).collect::<Option<_>>()?,
        sender_accounts: at_sender.accounts.clone(),
        receiver_accounts: at_receiver.accounts.clone(),
        stop: transfer.stop?,
        sender_cpu: at_sender.cpu,
        receiver_cpu: at_receiver.cpu,
        ports: transfer.ports.clone(),
    })
}

fn to_udp(transfer: &Transfer, sender: End) -> Option<UdpStream> {
    let slice = |slice: &TransferInterval| {
        Some(UdpInterval {
            start_ns: slice.start_ns,
            length_ns: slice.length_ns,
            packets: slice.packets_received?,
            lost: slice.packets_lost?,
        })
    };
    let delay = |delay: &OneWayDelay| {
        Some(v1::OneWayDelay {
            same_clock: delay.same_clock,
            min_ns: delay.min_ns,
            above_min: to_summary(&delay.above_min)?,
            samples: delay.samples.clone(),
        })
    };
    Some(UdpStream {
        sender,
        source: transfer.from.address?,
        destination: transfer.to.address?,
        size_bytes: transfer.packet_size_bytes?,
        target_bps: transfer.target_bps?,
        packets_sent: transfer.packets_sent?,
        packets_received: transfer.packets_received?,
        duplicates: transfer.duplicates?,
        reordered: transfer.reordered?,
        sent_bps: transfer.sent_bps,
        received_bps: transfer.received_bps,
        host_drops: transfer.host_drops.clone()?,
        loss_runs: transfer.loss_runs.clone(),
        intervals: transfer.intervals.iter().map(slice).collect::<Option<_>>()?,
        one_way_delay: transfer.one_way_delay.as_ref().and_then(delay),
        duration_ns: transfer.duration_ns?,
        stop: transfer.stop?,
        sender_cpu: transfer.sender.as_ref()?.cpu,
        receiver_cpu: transfer.receiver.as_ref()?.cpu,
    })
}

fn to_record(transfer: &Transfer) -> ThroughputRecord {
    let slice = |slice: &TransferInterval| {
        Some(ThroughputInterval {
            start_ns: slice.start_ns,
            length_ns: slice.length_ns,
            rate_bps: slice.rate()?,
            retransmits: slice.retransmits,
            cwnd_bytes: slice.cwnd_bytes,
            packets_lost: slice.packets_lost.and_then(positive),
        })
    };
    let summed = |bytes: u64| RateBps::of_bytes(bytes, transfer.duration_ns?);
    ThroughputRecord {
        from: transfer.from.clone(),
        to: transfer.to.clone(),
        protocol: transfer.protocol,
        application: transfer.application.clone(),
        streams: transfer.streams,
        window_bytes: transfer.window_bytes,
        mss_bytes: transfer.mss_bytes,
        congestion_control: transfer.congestion_control.clone(),
        duration_ns: transfer.duration_ns,
        target_bps: transfer.target_bps,
        sent_bps: transfer.sent_bps,
        received_bps: transfer.received_bps.or_else(|| summed(transfer.bytes_received?)),
        retransmits: transfer.retransmits,
        packets_sent: transfer.packets_sent,
        packets_lost: transfer.count_lost(),
        packets_reordered: transfer.reordered,
        jitter_ns: transfer.jitter_ns,
        rtt_ns: transfer.rtt_ns,
        note: transfer.note.clone(),
        intervals: transfer.intervals.iter().filter_map(slice).collect(),
    }
}
