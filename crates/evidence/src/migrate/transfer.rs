//! Transfers: what were our TCP transfers, our UDP streams, and those of other tools.

use super::probes::of_summary;
use crate::v1::{TcpInterval, TcpThroughput, ThroughputInterval, ThroughputRecord, UdpInterval, UdpStream};
use crate::{Node, OneWayDelay, Transfer, TransferInterval, TransferSide, Transport};

pub(super) fn of_tcp(run: TcpThroughput, from: Node, to: Node) -> Transfer {
    Transfer {
        from,
        to,
        protocol: Some(Transport::Tcp),
        streams: Some(run.streams),
        window_bytes: run.requested_socket_buffer_bytes.map(u64::from),
        mss_bytes: run.requested_mss_bytes,
        congestion_control: Some(run.congestion_control),
        duration_ns: Some(run.duration_ns),
        received_bps: run.mean_bps,
        steady_bps: run.steady_bps,
        bytes_received: Some(run.bytes_received),
        intervals: run.intervals.into_iter().map(of_tcp_interval).collect(),
        sender: Some(TransferSide {
            accounts: run.sender_accounts,
            cpu: run.sender_cpu,
        }),
        receiver: Some(TransferSide {
            accounts: run.receiver_accounts,
            cpu: run.receiver_cpu,
        }),
        stop: Some(run.stop),
        ports: run.ports,
        ..Transfer::default()
    }
}

fn of_tcp_interval(slice: TcpInterval) -> TransferInterval {
    TransferInterval {
        start_ns: slice.start_ns,
        length_ns: slice.length_ns,
        bytes_acked: Some(slice.bytes_acked),
        bytes_received: slice.bytes_received,
        retransmits: Some(slice.retransmits.into()),
        cwnd_bytes: Some(slice.cwnd_bytes),
        rtt_ns: Some(u64::from(slice.rtt_us) * 1_000),
        delivery_rate_bps: slice.delivery_rate_bps,
        ..TransferInterval::default()
    }
}

pub(super) fn of_udp(run: UdpStream, from: Node, to: Node) -> Transfer {
    let interval = |slice: UdpInterval| TransferInterval {
        start_ns: slice.start_ns,
        length_ns: slice.length_ns,
        packets_received: Some(slice.packets),
        packets_lost: Some(slice.lost),
        ..TransferInterval::default()
    };
    let cpu_of = |cpu| TransferSide {
        accounts: Vec::new(),
        cpu,
    };
    Transfer {
        from,
        to,
        protocol: Some(Transport::Udp),
        packet_size_bytes: Some(run.size_bytes),
        duration_ns: Some(run.duration_ns),
        target_bps: Some(run.target_bps),
        sent_bps: run.sent_bps,
        received_bps: run.received_bps,
        packets_sent: Some(run.packets_sent),
        packets_received: Some(run.packets_received),
        duplicates: Some(run.duplicates),
        reordered: Some(run.reordered),
        intervals: run.intervals.into_iter().map(interval).collect(),
        sender: Some(cpu_of(run.sender_cpu)),
        receiver: Some(cpu_of(run.receiver_cpu)),
        host_drops: Some(run.host_drops),
        loss_runs: run.loss_runs,
        one_way_delay: run.one_way_delay.map(|delay| OneWayDelay {
            same_clock: delay.same_clock,
            min_ns: delay.min_ns,
            above_min: of_summary(delay.above_min),
            samples: delay.samples,
        }),
        stop: Some(run.stop),
        ..Transfer::default()
    }
}

pub(super) fn of_record(record: ThroughputRecord) -> Transfer {
    let interval = |slice: ThroughputInterval| TransferInterval {
        start_ns: slice.start_ns,
        length_ns: slice.length_ns,
        rate_bps: Some(slice.rate_bps),
        retransmits: slice.retransmits,
        cwnd_bytes: slice.cwnd_bytes,
        packets_lost: slice
            .packets_lost
            .map(|lost| i64::try_from(lost).unwrap_or(i64::MAX)),
        ..TransferInterval::default()
    };
    Transfer {
        from: record.from,
        to: record.to,
        protocol: record.protocol,
        application: record.application,
        streams: record.streams,
        window_bytes: record.window_bytes,
        mss_bytes: record.mss_bytes,
        congestion_control: record.congestion_control,
        duration_ns: record.duration_ns,
        target_bps: record.target_bps,
        sent_bps: record.sent_bps,
        received_bps: record.received_bps,
        retransmits: record.retransmits,
        packets_sent: record.packets_sent,
        packets_lost: record.packets_lost,
        reordered: record.packets_reordered,
        jitter_ns: record.jitter_ns,
        rtt_ns: record.rtt_ns,
        note: record.note,
        intervals: record.intervals.into_iter().map(interval).collect(),
        ..Transfer::default()
    }
}
