//! Transfers: figures that cannot be, and figures of one transfer that must agree.

use super::{Gate, MOST, is_rate};
use evidence::{RateBps, Transfer, TransferInterval, Transport};

/// Two figures of one transfer that must agree, and how exactly.
struct Agreement {
    /// The figures as they stand, where the record has both.
    pair: fn(&Transfer) -> Option<(f64, f64)>,
    /// Whether they agree.
    agree: fn(&Transfer, f64, f64) -> bool,
    /// Both, named.
    words: fn(f64, f64) -> String,
    /// Takes both out.
    take: fn(&mut Transfer),
}

/// Rates are printed with three digits, and hosts stop their clocks at different moments: they agree to so much.
const CLOSE: f64 = 0.05;
/// Sender and receiver: data that a test's warm-up left in buffers arrive during the test.
const IN_BUFFERS_BITS: f64 = 16e6;

/// iperf3 counts packets in 32 bits with a sign, and stays there.
const FULL: u64 = i32::MAX as u64;

const AGREEMENTS: [Agreement; 8] = [
    Agreement {
        pair: |t| Some((t.packets_lost? as f64, t.packets_sent? as f64)),
        agree: |_, lost, sent| lost <= sent,
        words: |lost, sent| format!("{lost} packets lost of {sent} sent cannot be"),
        take: |t| (t.packets_lost, t.packets_sent) = (None, None),
    },
    Agreement {
        pair: |t| Some((t.packets_received? as f64, t.packets_sent? as f64)),
        agree: |t, received, sent| received <= sent + t.duplicates.unwrap_or(0) as f64,
        words: |received, sent| format!("{received} packets received of {sent} sent cannot be"),
        take: |t| (t.packets_received, t.packets_sent) = (None, None),
    },
    Agreement {
        pair: |t| {
            let arrived = t.packets_sent?.checked_sub(t.packets_lost?)?;
            let bits = t.received_bps.or(t.sent_bps)?.0 * seconds(t.duration_ns?);
            Some((bits / 8.0, arrived as f64))
        },
        // A datagram carries 65,507 bytes at most. One that carries none is not counted by any of these tools.
        agree: |_, bytes, arrived| {
            arrived < 10.0 || bytes < 1e3 || (1.0..=65_507.0 * (1.0 + CLOSE)).contains(&(bytes / arrived))
        },
        words: |bytes, arrived| format!("{arrived} packets with {bytes:.0} bytes together cannot be"),
        take: |t| (t.packets_lost, t.packets_sent) = (None, None),
    },
    Agreement {
        pair: |t| Some((t.received_bps?.0, t.sent_bps?.0)),
        agree: |t, received, sent| {
            let warm = match t.protocol {
                Some(Transport::Udp) => 0.0,
                _ => IN_BUFFERS_BITS / t.duration_ns.map_or(1.0, seconds).max(0.1),
            };
            received <= sent * (1.0 + 2.0 * CLOSE) + warm
        },
        words: |received, sent| {
            let (received, sent) = (RateBps(received), RateBps(sent));
            format!("{received} arrived of {sent} sent: that cannot be")
        },
        take: |t| (t.received_bps, t.sent_bps) = (None, None),
    },
    Agreement {
        pair: |t| {
            Some((
                t.bytes_received? as f64 * 8.0 / seconds(t.duration_ns?),
                t.received_bps?.0,
            ))
        },
        agree: |_, counted, told| (counted - told).abs() <= 2.0 * CLOSE * counted.max(told),
        words: |counted, told| {
            let (counted, told) = (RateBps(counted), RateBps(told));
            format!("{told} told and {counted} by bytes and time contradict each other")
        },
        take: |t| (t.bytes_received, t.received_bps) = (None, None),
    },
    Agreement {
        pair: |t| Some((bits_of_intervals(t)?, bits_of_whole(t)?)),
        agree: |t, parts, whole| {
            let low = least_bits(t).unwrap_or(whole);
            parts <= whole * (1.0 + CLOSE) + 1e3 && (low <= parts * (1.0 + CLOSE) + 1e3 || !is_covered(t))
        },
        words: |parts, whole| {
            let (parts, whole) = (parts / 8.0, whole / 8.0);
            format!("intervals of {parts:.0} bytes together and a whole of {whole:.0} contradict each other")
        },
        take: |t| {
            (t.sent_bps, t.received_bps) = (None, None);
            // They may be of one stream among several, and so is the window.
            t.intervals
                .iter_mut()
                .for_each(|slice| (slice.rate_bps, slice.cwnd_bytes) = (None, None));
        },
    },
    Agreement {
        pair: |t| {
            Some((
                sum(t, |slice| slice.retransmits.map(|n| n as f64))?,
                t.retransmits? as f64,
            ))
        },
        agree: counts_agree,
        words: |parts, whole| {
            format!("{parts} retransmits in the intervals and {whole} in all contradict each other")
        },
        take: |t| {
            t.retransmits = None;
            t.intervals.iter_mut().for_each(|slice| slice.retransmits = None);
        },
    },
    Agreement {
        pair: |t| {
            Some((
                sum(t, |slice| slice.packets_lost.map(|n| n as f64))?,
                t.packets_lost? as f64,
            ))
        },
        agree: |t, parts, whole| {
            let late = t.reordered.unwrap_or(0) as f64;
            counts_agree(t, (parts - late).max(0.0), whole) || counts_agree(t, parts, whole)
        },
        words: |parts, whole| {
            format!("{parts} packets lost in the intervals and {whole} in all contradict each other")
        },
        take: |t| {
            (t.packets_lost, t.packets_sent) = (None, None);
            t.intervals.iter_mut().for_each(|slice| slice.packets_lost = None);
        },
    },
];

/// What the intervals count is a part of the whole, and all of it where they cover the whole; tools sum up at slightly
/// another moment than they slice.
fn counts_agree(t: &Transfer, parts: f64, whole: f64) -> bool {
    let more = |a: f64, b: f64| a > b * 1.2 + 10.0;
    parts <= whole + 2.0 + whole * 0.01 && !(more(whole, parts) && is_covered(t))
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Sum over the intervals where each of them has the figure; `None` without intervals.
fn sum(t: &Transfer, of: impl Fn(&TransferInterval) -> Option<f64>) -> Option<f64> {
    let mut total = None;
    for slice in &t.intervals {
        total = Some(total.unwrap_or(0.0) + of(slice)?);
    }
    total
}

fn bits_of_intervals(t: &Transfer) -> Option<f64> {
    sum(t, |slice| Some(slice.rate_bps?.0 * seconds(slice.length_ns)))
}

/// The larger of what was sent and what arrived: the intervals are of either.
fn bits_of_whole(t: &Transfer) -> Option<f64> {
    let rates = [t.sent_bps, t.received_bps]
        .into_iter()
        .flatten()
        .map(|rate| rate.0);
    Some(rates.reduce(f64::max)? * seconds(t.duration_ns?))
}

fn least_bits(t: &Transfer) -> Option<f64> {
    let rates = [t.sent_bps, t.received_bps]
        .into_iter()
        .flatten()
        .map(|rate| rate.0);
    Some(rates.reduce(f64::min)? * seconds(t.duration_ns?))
}

/// Whether the intervals follow on each other from the beginning to the end.
fn is_covered(t: &Transfer) -> bool {
    let Some(length) = t.duration_ns else {
        return false;
    };
    let slack = length / 50;
    let mut end = 0_u64;
    for slice in &t.intervals {
        if slice.start_ns.abs_diff(end) > slack {
            return false;
        }
        end = slice.start_ns.saturating_add(slice.length_ns);
    }
    end.abs_diff(length) <= slack
}

impl Gate {
    pub(super) fn transfer(&mut self, t: &mut Transfer) -> bool {
        self.node(&mut t.from);
        self.node(&mut t.to);
        let before = self.reasons.len();
        self.rates_and_counts(t);
        self.intervals(&mut t.intervals);
        for agreement in &AGREEMENTS {
            if let Some((a, b)) = (agreement.pair)(t)
                && !(agreement.agree)(t, a, b)
            {
                (agreement.take)(t);
                self.say(format!("{}: neither is used", (agreement.words)(a, b)));
            }
        }
        for side in [&mut t.sender, &mut t.receiver].into_iter().flatten() {
            self.check(&mut side.cpu, "a processor share of", |share| {
                (0.0..1e6).contains(&share)
            });
            side.accounts.iter_mut().for_each(|account| self.account(account));
        }
        if let Some(delay) = &mut t.one_way_delay {
            self.delays(&mut delay.above_min);
        }
        self.reasons.len() == before || holds_something(t)
    }

    fn rates_and_counts(&mut self, t: &mut Transfer) {
        let mut packets = [&mut t.packets_sent, &mut t.packets_received, &mut t.packets_lost];
        if packets.iter().any(|count| **count == Some(FULL)) {
            packets.iter_mut().for_each(|count| **count = None);
            self.say(format!(
                "{FULL} packets are where a counter of 32 bits ends: packets are not counted"
            ));
        }
        self.rate(&mut t.sent_bps, "a rate at the sender");
        self.rate(&mut t.received_bps, "a rate at the receiver");
        self.rate(&mut t.steady_bps, "a steady rate");
        self.rate(&mut t.target_bps, "a target rate");
        for (field, name) in [
            (&mut t.window_bytes, "a window of"),
            (&mut t.bytes_received, "received bytes:"),
            (&mut t.retransmits, "retransmits:"),
            (&mut t.packets_sent, "packets sent:"),
            (&mut t.packets_received, "packets received:"),
            (&mut t.packets_lost, "packets lost:"),
            (&mut t.duplicates, "duplicates:"),
            (&mut t.reordered, "packets out of order:"),
        ] {
            self.count(field, name);
        }
        self.check(&mut t.streams, "streams:", |n| n > 0);
        self.check(&mut t.mss_bytes, "an MSS of", |bytes| {
            (1..=65_535).contains(&bytes)
        });
        self.packet_size(&mut t.packet_size_bytes, "packets of this many bytes:");
        self.wait(&mut t.jitter_ns, "a jitter");
        self.wait(&mut t.rtt_ns, "a round-trip time");
        self.check(&mut t.duration_ns, "a length in nanoseconds of", |ns| ns < MOST);
        let moved = [t.sent_bps, t.received_bps]
            .into_iter()
            .flatten()
            .any(|rate| rate.0 > 0.0);
        let counted = [t.bytes_received, t.packets_received, t.packets_sent]
            .into_iter()
            .flatten()
            .any(|n| n > 0);
        if t.duration_ns == Some(0) && (moved || counted) {
            t.duration_ns = None;
            self.say("data that were moved in no time at all cannot be: the length is not used");
        }
        // All packets lie within the test: no two can be further from each other than it is long.
        let longest = t.duration_ns.map(|ns| ns as f64 * (1.0 + CLOSE));
        let is_longer = |jitter: &mut u64| longest.is_some_and(|longest| *jitter as f64 > longest);
        if t.jitter_ns.take_if(is_longer).is_some() {
            self.say("a jitter that is longer than the test cannot be: it is not used");
        }
    }

    fn intervals(&mut self, slices: &mut Vec<TransferInterval>) {
        self.retain(
            slices,
            "intervals, in which data were moved in no time,",
            |slice| {
                let moved = slice.rate_bps.is_some_and(|rate| rate.0 > 0.0);
                slice.length_ns > 0 || !moved
            },
        );
        self.each(slices, "the rate", |slice| {
            slice.rate_bps.take_if(|rate| !is_rate(rate.0)).is_some()
                | slice.delivery_rate_bps.take_if(|rate| !is_rate(rate.0)).is_some()
        });
        self.each(slices, "a count", |slice| {
            let fields = [
                &mut slice.bytes_acked,
                &mut slice.bytes_received,
                &mut slice.retransmits,
                &mut slice.cwnd_bytes,
                &mut slice.packets_received,
            ];
            let wrapped = fields
                .into_iter()
                .filter_map(|field| field.take_if(|n| *n >= MOST))
                .count();
            // Lost less late is negative where an earlier interval's packets arrive; no more can be late than arrived.
            let arrived = slice.packets_received;
            let late = |lost: &mut i64| *lost < 0 && arrived.is_some_and(|n| lost.unsigned_abs() > n);
            let impossible = slice.packets_lost.take_if(late).is_some();
            wrapped > 0 || impossible
        });
        self.each(slices, "the round-trip time", |slice| {
            slice
                .rtt_ns
                .take_if(|ns| *ns > crate::host::LONGEST_RTT_NS)
                .is_some()
        });
    }
}

/// Whether somebody could still learn something of the transfer.
fn holds_something(t: &Transfer) -> bool {
    let figures = [
        t.bytes_received,
        t.retransmits,
        t.packets_sent,
        t.packets_received,
        t.packets_lost,
        t.rtt_ns,
        t.jitter_ns,
    ];
    let of_slice = |slice: &TransferInterval| {
        slice.rate().is_some()
            || slice.retransmits.is_some()
            || slice.packets_lost.is_some()
            || slice.cwnd_bytes.is_some()
    };
    [t.sent_bps, t.received_bps, t.steady_bps]
        .iter()
        .any(Option::is_some)
        || figures.iter().any(Option::is_some)
        || t.intervals.iter().any(of_slice)
        || [&t.sender, &t.receiver].into_iter().any(Option::is_some)
}
