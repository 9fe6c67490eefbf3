//! Segments of two connections as hostile hosts would send them: followed, explained, drawn, and compared with what another
//! capture saw of them. The memory that was allowed holds, and no byte is counted twice.
#![no_main]

use capture::flow::{Brief, Extent, FlowReport, Limits, Sink, Table};
use capture::picture::{self, Recorder, Summary};
use capture::points::{Comparison, Settings};
use capture::{Endpoint, Flags, FlowKey, Segment, Way};
use libfuzzer_sys::fuzz_target;
use std::net::{IpAddr, Ipv4Addr};

const MEMORY_BYTES: usize = 1 << 20;

/// Twelve bytes each: what varies most in few bits, so that numbers meet.
fn segment(bytes: &[u8; 12], now_ns: &mut i64) -> Segment {
    let [time, marks, kind, seq, seq_fine, ack, length, window, stamp, echo, sack, id] = *bytes;
    *now_ns += match time >> 6 {
        0 => i64::from(time) * 1_000,
        1 => i64::from(time) * 1_000_000,
        2 => i64::from(time) * 100_000_000,
        _ => -i64::from(time) * 1_000_000,
    };
    let end = |last, port| Endpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)), port };
    let (a, b) = (end(1, 1_000 + u16::from(kind >> 7)), end(2, 80));
    let (key, way) = if kind & 1 == 0 { FlowKey::of(a, b) } else { FlowKey::of(b, a) };
    // Around the wrap, in steps of a segment and in single bytes.
    let place = |coarse: u8, fine: u8| (u32::from(coarse) * 1_448 + u32::from(fine)).wrapping_sub(100_000);
    let mut segment = Segment::BLANK;
    segment.time_ns = *now_ns;
    segment.key = key;
    segment.hash = key.hash(7);
    segment.way = way;
    segment.seq = place(seq, seq_fine & 3);
    segment.ack = place(ack, seq_fine >> 6);
    segment.payload_bytes = match length {
        0..64 => 0,
        64..128 => 1_448,
        128..192 => u32::from(length - 127),
        _ => u32::from(length) * 500,
    };
    segment.window = u16::from(window) * 257;
    segment.flags = Flags(u16::from(marks) | if kind & 2 == 0 { Flags::ACK.0 } else { 0 });
    segment.ip_bytes = segment.payload_bytes + 40;
    segment.ip_id = (id > 0).then_some(u16::from(id));
    segment.traffic_class = kind >> 5 & 3;
    if kind & 4 != 0 {
        segment.options.timestamps = Some((u32::from(stamp), u32::from(echo)));
    }
    if kind & 8 != 0 {
        segment.add_sack((place(sack, 0), place(sack.wrapping_add(1 + (echo & 7)), 0)));
    }
    if segment.flags.has(Flags::SYN) {
        segment.options.window_scale = (stamp & 1 == 0).then_some(stamp % 15);
        segment.options.mss_bytes = (echo & 1 == 0).then_some(1_460);
        segment.options.sack_permitted = id & 1 == 0;
    }
    segment
}

/// Wants all whole.
#[derive(Default)]
struct All(Vec<FlowReport>);

impl Sink for All {
    fn wants(&self, _: &Extent) -> bool {
        true
    }

    fn whole(&mut self, flow: FlowReport) {
        self.0.push(flow);
    }

    fn brief(&mut self, _: &Brief) {}
}

/// The connections of segments that come so many at a time; whether others may look at their events, the first of them decides.
fn together(segments: &[Segment], count: usize, may_share: bool) -> Vec<FlowReport> {
    let (mut table, mut all) = (Table::new(Limits::default()), All::default());
    for few in segments.chunks(count) {
        table.share(may_share && few.first().is_some_and(|first| first.window & 1 == 0));
        table.take_all(&few.iter().copied().collect(), &mut all);
        if few.len() % 2 == 0 {
            table.backlogs().for_each(|backlog| backlog.work());
        }
    }
    table.finish_into(&mut all);
    all.0
}

fuzz_target!(|bytes: &[u8]| {
    let mut now_ns = 1_700_000_000_000_000_000;
    let segments: Vec<Segment> = bytes.as_chunks().0.iter().map(|one| segment(one, &mut now_ns)).collect();
    let mut table = Table::new(Limits { memory_bytes: MEMORY_BYTES, ..Limits::default() });
    let mut reports: Vec<FlowReport> = Vec::new();
    table.watch_all();
    let mut recorder = Recorder::new(picture::Limits { packet_bytes: 1 << 16, boxes: 64, marks: 64 });
    for segment in &segments {
        table.take_observed(segment, &mut |report| reports.push(report), &mut |_, way, event, segment| {
            if way == Way::Up {
                recorder.take(event, segment.sack().first().map(|&(from, to)| [(from.into(), to.into())]).as_ref().map_or(&[], |one| one));
            }
        });
        assert!(table.memory_bytes() <= MEMORY_BYTES || table.counts().live <= 1);
    }
    table.finish(&mut |report| reports.push(report));
    let packets: u64 = reports.iter().flat_map(|report| &report.halves).map(|half| half.packets).sum();
    assert_eq!(packets, segments.len() as u64);
    for half in reports.iter().flat_map(|report| &report.halves) {
        assert!(half.unique_bytes <= half.payload_bytes);
    }
    assert_eq!(together(&segments, 90, true), together(&segments, segments.len().max(1), false));
    if let Some(first) = reports.first() {
        let _ = capture::measured::payloads(first);
        let half = first.halves[0].clone();
        let (sender, receiver) = (first.key.low, first.key.high);
        let picture = recorder.finish(Summary { capture: String::new(), sender, receiver, half });
        let _ = picture.svg(400, 300);
    }
    // The second capture misses what the last bit of the identification says.
    let mut comparison = Comparison::new(&["a", "b"], Settings { window_packets: 64, ..Settings::default() });
    let kept = |place: usize, segment: &&Segment| place == 0 || segment.ip_id.is_none_or(|id| id & 1 == 0);
    let mut points = [0, 1].map(|place| segments.iter().filter(move |segment| kept(place, segment)));
    while let Some(place) = comparison.wants() {
        match points[place].next() {
            Some(segment) => comparison.feed(place, segment),
            None => comparison.end(place, None),
        }
    }
    let _ = capture::counted::chains(&comparison.finish());
});
