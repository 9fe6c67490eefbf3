//! Conversations in a few words: each line is a packet, and what it is expected to be.
//!
//! `TIME SENDER WORDS [-> EXPECTED]`: milliseconds, `>` (client) or `<` (server), then
//! `S` `SA` `A` `R` (SYN, SYN-ACK, ACK, RST), `0:1000` data from byte 0 to 999, `fin`, `ack=N`, `sack=A:B` (as often as
//! wanted), `win=N` (as in the header), `ts=VALUE,ECHO`, `id=N`, `ttl=N`, `psh`. Numbers count from the first byte of each
//! side; an acknowledgement that is not told is the last one told. Lines with `#` are remarks.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses a part of it"
)]

use capture::flow::{FlowReport, HalfEvent, Limits, RetransmissionCause, SentKind, Table};
use capture::{Endpoint, Flags, FlowKey, Options, Segment, Way};

/// What the words of a script leave open.
#[derive(Debug, Clone, Copy)]
pub struct World {
    pub client_isn: u32,
    pub server_isn: u32,
    pub start_ns: i64,
    pub is_client_low: bool,
    pub mss_bytes: u16,
    pub scale: Option<u8>,
    pub counts_ids: bool,
    pub has_sack: bool,
}

impl Default for World {
    fn default() -> Self {
        Self {
            client_isn: 1000,
            server_isn: 5_000_000,
            start_ns: 1_700_000_000_000_000_000,
            is_client_low: true,
            mss_bytes: 1000,
            scale: Some(0),
            counts_ids: false,
            has_sack: true,
        }
    }
}

/// A packet, and what it should be.
#[derive(Debug, Clone)]
pub struct Line {
    pub text: String,
    pub segment: Segment,
    pub expected: Option<String>,
}

/// The first three packets, 20 ms from end to end, captured at the client.
pub const OPENING: &str = "
    0 > S win=65535
    20 < SA win=65535
    20.01 > A ack=0 win=65535
";

impl World {
    pub fn key(&self) -> (FlowKey, Way) {
        let low = Endpoint {
            address: [10, 0, 0, 1].into(),
            port: 1234,
        };
        let high = Endpoint {
            address: [10, 0, 0, 2].into(),
            port: 80,
        };
        if self.is_client_low {
            FlowKey::of(low, high)
        } else {
            FlowKey::of(high, low)
        }
    }

    pub fn read(&self, script: &str) -> Vec<Line> {
        let mut reader = Reader {
            world: *self,
            acks: [0; 2],
            windows: [65_535; 2],
            ids: [100, 7000],
        };
        script
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| reader.line(line))
            .collect()
    }
}

struct Reader {
    world: World,
    acks: [u32; 2],
    windows: [u16; 2],
    ids: [u16; 2],
}

impl Reader {
    fn line(&mut self, text: &str) -> Line {
        let (packet, expected) = match text.split_once("->") {
            Some((packet, expected)) => (packet, Some(expected.trim().to_owned())),
            None => (text, None),
        };
        let mut words = packet.split_whitespace();
        let time_ms: f64 = words
            .next()
            .unwrap()
            .parse()
            .unwrap_or_else(|_| panic!("no time: {text}"));
        let side = usize::from(match words.next() {
            Some(">") => false,
            Some("<") => true,
            _ => panic!("no sender: {text}"),
        });
        let (key, client_way) = self.world.key();
        let isns = [self.world.client_isn, self.world.server_isn];
        let (own, other) = (isns[side].wrapping_add(1), isns[1 - side].wrapping_add(1));
        self.ids[side] = self.ids[side].wrapping_add(1);
        let mut segment = Segment {
            time_ns: self.world.start_ns + (time_ms * 1e6).round() as i64,
            key,
            hash: key.hash(7),
            way: if side == 0 {
                client_way
            } else {
                client_way.reversed()
            },
            seq: own,
            ack: 0,
            payload_bytes: 0,
            window: self.windows[side],
            flags: Flags::ACK,
            ip_bytes: 40,
            ip_id: self.world.counts_ids.then_some(self.ids[side]),
            ttl: 64,
            traffic_class: 0,
            dont_fragment: true,
            fragments: 1,
            options: Options::default(),
            ..Segment::BLANK
        };
        for word in words {
            self.word(word, side, own, other, &mut segment);
        }
        segment.window = self.windows[side];
        if segment.flags.has(Flags::ACK) {
            segment.ack = other.wrapping_add(self.acks[side]);
        }
        segment.ip_bytes += segment.payload_bytes;
        Line {
            text: text.to_owned(),
            segment,
            expected,
        }
    }

    fn word(&mut self, word: &str, side: usize, own: u32, other: u32, segment: &mut Segment) {
        let number = |text: &str| {
            text.parse::<i64>()
                .unwrap_or_else(|_| panic!("no number: {word}")) as u32
        };
        let pair = |text: &str, sign: char| text.split_once(sign).map(|(a, b)| (number(a), number(b)));
        let add = |flags: Flags, flag: Flags| Flags(flags.0 | flag.0);
        match word {
            "S" | "SA" => {
                segment.flags = if word == "S" {
                    Flags::SYN
                } else {
                    add(Flags::SYN, Flags::ACK)
                };
                segment.seq = own.wrapping_sub(1);
                segment.options.mss_bytes = Some(self.world.mss_bytes);
                segment.options.window_scale = self.world.scale;
                segment.options.sack_permitted = self.world.has_sack;
            }
            "A" => {}
            "R" => segment.flags = add(segment.flags, Flags::RST),
            "fin" => segment.flags = add(segment.flags, Flags::FIN),
            "psh" => segment.flags = add(segment.flags, Flags::PSH),
            _ => match word.split_once('=') {
                Some(("ack", n)) => self.acks[side] = number(n),
                Some(("seq", n)) => segment.seq = own.wrapping_add(number(n)),
                Some(("win", n)) => self.windows[side] = number(n) as u16,
                Some(("id", n)) => segment.ip_id = Some(number(n) as u16),
                Some(("ttl", n)) => segment.ttl = number(n) as u8,
                Some(("ts", stamps)) => segment.options.timestamps = pair(stamps, ','),
                Some(("sack", block)) => {
                    let (start, end) = pair(block, ':').unwrap();
                    segment.add_sack((other.wrapping_add(start), other.wrapping_add(end)));
                }
                _ => {
                    let (start, end) = pair(word, ':').unwrap_or_else(|| panic!("no such word: {word}"));
                    // What a SYN carries lies behind it.
                    segment.seq = own
                        .wrapping_add(start)
                        .wrapping_sub(u32::from(segment.flags.has(Flags::SYN)));
                    segment.payload_bytes = end.wrapping_sub(start);
                }
            },
        }
    }
}

/// What was said of one packet.
pub fn word_of(event: &HalfEvent) -> String {
    let cause = |cause| match cause {
        RetransmissionCause::Fast => "fast",
        RetransmissionCause::Timeout => "timeout",
        RetransmissionCause::TailProbe => "tail-probe",
        RetransmissionCause::Unknown => "unexplained",
    };
    match event {
        HalfEvent::Sent(sent) => match sent.kind {
            SentKind::New => "new".to_owned(),
            SentKind::NewBehindGap => "behind-gap".to_owned(),
            SentKind::Retransmitted(why) => cause(why).to_owned(),
            SentKind::RetransmittedUpstream(why) => format!("upstream-{}", cause(why)),
            SentKind::Overtaken => "overtaken".to_owned(),
            SentKind::Duplicated => "copy".to_owned(),
            SentKind::KeepAlive => "keep-alive".to_owned(),
            SentKind::WindowProbe => "window-probe".to_owned(),
        },
        HalfEvent::Acked(acked) if acked.is_dsack => "dsack".to_owned(),
        HalfEvent::Acked(acked) if acked.is_duplicate => "duplicate".to_owned(),
        HalfEvent::Acked(acked) if acked.unseen_bytes > 0 => format!("unseen={}", acked.unseen_bytes),
        HalfEvent::Acked(acked) => match acked.rtt_ns {
            Some(rtt_ns) => format!("rtt={}", rtt_ns as f64 / 1e6),
            None => "ack".to_owned(),
        },
    }
}

/// Runs packets through a table.
pub fn run(segments: &[Segment]) -> (Vec<Vec<(Way, HalfEvent)>>, Vec<FlowReport>) {
    let mut table = Table::new(Limits::default());
    table.watch_all();
    let (mut events, mut reports) = (Vec::new(), Vec::new());
    for segment in segments {
        let mut of_this = Vec::new();
        table.take_observed(
            segment,
            &mut |report| reports.push(report),
            &mut |_, way, event, _| of_this.push((way, *event)),
        );
        events.push(of_this);
    }
    table.finish(&mut |report| reports.push(report));
    (events, reports)
}

/// Runs a script, opening included, and compares each expectation. Returns the connection, client first.
pub fn check(world: World, script: &str) -> FlowReport {
    check_all(world, &format!("{OPENING}{script}")).remove(0)
}

/// Runs a script as it stands.
pub fn check_all(world: World, script: &str) -> Vec<FlowReport> {
    let lines = world.read(script);
    let segments: Vec<Segment> = lines.iter().map(|line| line.segment).collect();
    let (events, reports) = run(&segments);
    let mut wrong = Vec::new();
    for (line, events) in lines.iter().zip(&events) {
        let found: Vec<String> = events.iter().map(|(_, event)| word_of(event)).collect();
        if let Some(expected) = &line.expected
            && found.join(" ") != *expected
        {
            wrong.push(format!("{}\n      found: {}", line.text, found.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "\n  {}\n", wrong.join("\n  "));
    reports
        .into_iter()
        .map(|report| client_first(report, world))
        .collect()
}

fn client_first(mut report: FlowReport, world: World) -> FlowReport {
    if world.key().1 == Way::Down {
        report.halves.swap(0, 1);
    }
    report
}
