//! Probes, traces and capacities of links.

use super::{Gate, MOST, is_ratio};
use crate::host::LONGEST_RTT_NS;
use evidence::{DelayStatistics, LinkCapacities, ProbeRow, Probes, Trace, Way};

/// Tools round a loss to whole percents, up or down, and count probes that are still under way one way or the other.
const LOSS_ROUNDED: f64 = 0.015;

impl Gate {
    pub(super) fn probes(&mut self, probes: &mut Probes) -> bool {
        self.node(&mut probes.from);
        for row in &mut probes.rows {
            self.node(&mut row.to);
            let errors = row.errors.iter_mut().filter_map(|error| error.from.as_mut());
            errors.for_each(|from| self.node(from));
        }
        let before = self.reasons.len();
        self.packet_size(&mut probes.interface_mtu_bytes, "an MTU of");
        self.check(&mut probes.destination_ttl, "a TTL of", |ttl| ttl > 0);
        for row in &mut probes.rows {
            self.row(row);
        }
        let told = |row: &ProbeRow| {
            row.sent.is_some()
                || row.received.is_some()
                || row.lost.is_some()
                || row.loss_ratio.is_some()
                || row.delay.is_some()
                || !row.errors.is_empty()
        };
        self.reasons.len() == before || probes.rows.iter().any(told)
    }

    fn row(&mut self, row: &mut ProbeRow) {
        for (field, name) in [
            (&mut row.sent, "probes sent:"),
            (&mut row.received, "answers:"),
            (&mut row.lost, "probes lost:"),
            (&mut row.duplicates, "duplicates:"),
            (&mut row.reordered, "probes out of order:"),
        ] {
            self.count(field, name);
        }
        self.check(&mut row.loss_ratio, "a share lost of", is_ratio);
        self.check(&mut row.rate_pps, "probes per second:", |pps| {
            (0.0..1e12).contains(&pps)
        });
        self.check(&mut row.ttl, "a TTL of", |ttl| ttl > 0);
        self.packet_size(&mut row.size_bytes, "packets of this many bytes:");
        // Answers in excess of the probes are duplicates, which some tools do not count apart: twice as many are not.
        let twice = row.duplicates.unwrap_or_else(|| row.sent.unwrap_or(0).max(1));
        self.contradict(
            &mut row.received,
            &mut row.sent,
            |received, sent| received <= sent.saturating_add(twice) && (sent > 0 || received == 0),
            |received, sent| format!("{received} answers to {sent} probes cannot be"),
        );
        self.contradict(
            &mut row.lost,
            &mut row.sent,
            |lost, sent| lost <= sent,
            |lost, sent| format!("{lost} probes lost of {sent} sent cannot be"),
        );
        self.loss_of_counts(row);
        let before = self.reasons.len();
        if let Some(delay) = &mut row.delay {
            if row.way == Way::RoundTrip {
                self.round_trips(delay);
            }
            self.delays(delay);
            if self.reasons.len() > before && *delay == DelayStatistics::default() {
                row.delay = None;
            }
        }
    }

    /// The share that was printed and that of the counts.
    fn loss_of_counts(&mut self, row: &mut ProbeRow) {
        let sent = row.sent.filter(|sent| *sent > 0);
        if let (Some(told), Some(lost), Some(sent)) = (row.loss_ratio, row.count_lost(), sent) {
            let counted = lost as f64 / sent as f64;
            // One more or less may still be under way.
            if (told - counted).abs() > LOSS_ROUNDED + 1.0 / sent as f64 {
                (row.loss_ratio, row.sent, row.received, row.lost) = (None, None, None, None);
                let told = told * 100.0;
                self.say(format!(
                    "{told:.1} % lost and {lost} of {sent} lost contradict each other: neither is used"
                ));
            }
        }
    }

    fn round_trips(&mut self, delay: &mut DelayStatistics) {
        for field in figures(delay) {
            if let Some(ns) = field.take_if(|ns| !(0..=LONGEST_RTT_NS as i64).contains(ns)) {
                self.say(format!("a round-trip time of {:.3} s cannot be", ns as f64 / 1e9));
            }
        }
    }

    /// The smallest is no larger than the mean, and so on.
    pub(super) fn delays(&mut self, delay: &mut DelayStatistics) {
        let [min, p50, p90, p99, max] = [
            delay.min_ns,
            delay.p50_ns,
            delay.p90_ns,
            delay.p99_ns,
            delay.max_ns,
        ];
        let mut ascending = [min, p50, p90, p99, max];
        for low in 0..ascending.len() {
            for high in low + 1..ascending.len() {
                if let [a, .., b] = &mut ascending[low..=high] {
                    self.in_order(a, b);
                }
            }
        }
        [
            delay.min_ns,
            delay.p50_ns,
            delay.p90_ns,
            delay.p99_ns,
            delay.max_ns,
        ] = ascending;
        self.in_order(&mut delay.min_ns, &mut delay.mean_ns);
        self.in_order(&mut delay.mean_ns, &mut delay.max_ns);
        if let Some(ns) = delay.deviation_ns.take_if(|ns| *ns < 0) {
            self.say(format!("a deviation of {ns} ns cannot be"));
        }
    }

    fn in_order(&mut self, low: &mut Option<i64>, high: &mut Option<i64>) {
        let ms = |ns: i64| ns as f64 / 1e6;
        self.contradict(
            low,
            high,
            |low, high| low <= high,
            |low, high| {
                format!(
                    "delays of {} ms and {} ms in this order cannot be",
                    ms(low),
                    ms(high)
                )
            },
        );
    }

    pub(super) fn trace(&mut self, trace: &mut Trace) -> bool {
        self.node(&mut trace.from);
        self.node(&mut trace.to);
        self.packet_size(&mut trace.size_bytes, "packets of this many bytes:");
        self.packet_size(&mut trace.path_mtu_bytes, "a path MTU of");
        let had_hops = trace.hops().next().is_some();
        for flow in &mut trace.flows {
            self.check(&mut flow.reached_ttl, "a TTL of", |ttl| ttl > 0);
            self.retain(&mut flow.hops, "hops with a TTL of 0", |hop| hop.ttl > 0);
            for answer in flow.hops.iter_mut().flat_map(|hop| &mut hop.answers) {
                self.node(&mut answer.node);
                self.wait(&mut answer.rtt_ns, "a round-trip time");
                self.packet_size(&mut answer.mtu_bytes, "an MTU of");
            }
        }
        !had_hops && trace.path_mtu_bytes.is_some()
            || trace.hops().next().is_some()
            || self.reasons.is_empty()
    }

    pub(super) fn capacities(&mut self, path: &mut LinkCapacities) -> bool {
        let before = path.links.len();
        self.retain(&mut path.links, "links with a TTL of 0", |link| link.ttl > 0);
        for link in &mut path.links {
            self.rate(&mut link.capacity_bps, "a capacity");
            self.wait(&mut link.rtt_ns, "a round-trip time");
            self.check(&mut link.latency_ns, "a latency in nanoseconds of", |ns| {
                ns.unsigned_abs() <= LONGEST_RTT_NS && ns.unsigned_abs() < MOST
            });
        }
        before == 0 || !path.links.is_empty()
    }
}

fn figures(delay: &mut DelayStatistics) -> [&mut Option<i64>; 6] {
    [
        &mut delay.min_ns,
        &mut delay.mean_ns,
        &mut delay.p50_ns,
        &mut delay.p90_ns,
        &mut delay.p99_ns,
        &mut delay.max_ns,
    ]
}
