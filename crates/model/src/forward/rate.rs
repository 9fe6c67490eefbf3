//! The rate of a transfer: the least of all that limits it.

use super::response::Connection;
use super::ways::{is_at_receiver, is_at_sender, on_way};
use crate::density::{mixture, normal_below, student_t4, together};
use crate::{Bound, Fault, HEADER_BYTES, Kind, Measurement, Program, Rate};
use evidence::Transport;
use libm::log;

/// What limits a transfer in a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Which fault, or none.
    pub by: LimitedBy,
    /// ln of the rate that it allows, bit/s.
    pub ln_bps: f64,
    /// How badly that is known: standard deviation of the logarithm, the same error for all transfers of a pair of hosts.
    pub sigma: f64,
    /// ln of the rate that nothing can exceed, bit/s: no transfer is faster than the link or the policer on its way.
    pub ln_most_bps: f64,
}

/// What a limit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitedBy {
    /// Nothing away from normal: what hosts and path can do.
    Nothing,
    /// The window or buffer that the test itself asked for.
    OwnWindow,
    /// The rate that the test was told to send at.
    OwnPace,
    /// A fault.
    Fault(Kind),
}

/// A transfer over an unknown distance: tens of milliseconds are as good a guess as any within a factor of five.
const GUESSED_RTT_S: f64 = 0.03;
const GUESSED_RTT_SIGMA: f64 = 1.2;

/// Segment size where nobody told: what fits Ethernet.
const USUAL_MSS_BYTES: f64 = 1448.0;

/// What limits the transfer `rate` of `measurement` in a world with `faults`, where `normal_bps` is the rate that hosts
/// and path would give without any fault.
#[must_use]
pub fn limit(faults: &[Fault], measurement: &Measurement, rate: &Rate, normal_bps: f64) -> Limit {
    let mut least = Limit {
        by: LimitedBy::Nothing,
        ln_bps: log(normal_bps),
        sigma: 0.0,
        ln_most_bps: f64::INFINITY,
    };
    let mut most: f64 = f64::INFINITY;
    let mut meet = |by, bps: f64, sigma| {
        let ln_bps = log(bps.max(1.0));
        if ln_bps < least.ln_bps {
            least = Limit {
                by,
                ln_bps,
                sigma,
                ..least
            };
        }
    };
    if let (Some(window), Transport::Tcp) = (rate.window_bytes, rate.transport) {
        let (rtt_s, sigma) = rtt(rate);
        meet(
            LimitedBy::OwnWindow,
            8.0 * window * rate.streams / rtt_s,
            0.5 + sigma,
        );
    }
    // Where nothing passes on the way back, no acknowledgement comes, and TCP stops as well.
    let stopped = |fault: &&Fault| {
        let back = measurement.back.contains(&fault.element) && !measurement.out.contains(&fault.element);
        fault.kind.is_interruption() && rate.transport == Transport::Tcp && back
    };
    for fault in on_way(faults, measurement).chain(faults.iter().filter(stopped)) {
        if let Some((bps, sigma)) = allowed(fault, measurement, rate, normal_bps) {
            meet(LimitedBy::Fault(fault.kind), bps, sigma);
        }
        most = most.min(match fault.kind {
            Kind::Capacity | Kind::Policer => fault.value,
            Kind::FlowLimit => fault.value * rate.streams,
            _ => f64::INFINITY,
        });
    }
    least.ln_most_bps = log(most);
    least
}

fn rtt(rate: &Rate) -> (f64, f64) {
    match rate.min_rtt_s {
        // Below some hundred microseconds processing time counts as well.
        Some(rtt_s) => (rtt_s.max(1e-4), 0.0),
        None => (GUESSED_RTT_S, GUESSED_RTT_SIGMA),
    }
}

/// The rate that one fault allows, and how badly it is known; `None` when it does not touch this transfer.
fn allowed(fault: &Fault, measurement: &Measurement, rate: &Rate, normal_bps: f64) -> Option<(f64, f64)> {
    let tcp = rate.transport == Transport::Tcp;
    let value = fault.value;
    match fault.kind {
        Kind::LossRatio | Kind::LossUnderLoad if tcp => under_loss(rate, value, 0.5),
        // From which rate on a host drops is badly known: a slower transfer may meet none of it.
        Kind::ReceiveDrops if tcp && is_at_receiver(fault, measurement) => under_loss(rate, value, 1.2),
        // After each interruption the sender waits for its timer, and begins again with a small window (RFC 6298, 5681).
        Kind::Interruption | Kind::RareInterruption => {
            Some(((1.0 - value) * (1.0 - value) * normal_bps, 0.7))
        }
        Kind::LossRatio | Kind::LossUnderLoad | Kind::ReceiveDrops => None,
        Kind::Capacity => Some((0.95 * value, 0.15)),
        Kind::Share => Some((value, 0.35)),
        // Connections share a link evenly, if their round trips are alike (Chiu and Jain 1989).
        Kind::Rivals => tcp.then_some((normal_bps * rate.streams / (rate.streams + value), 0.4)),
        // A bucket that is empty drops whole windows: TCP gets between a third and nearly all of its rate (Flach et al.
        // 2016, "An Internet-Wide Analysis of Traffic Policing").
        Kind::Policer if tcp => Some((0.7 * value, 0.4)),
        Kind::Policer => Some((value, 0.15)),
        // A shaper or policer with a bucket for each connection: several get several times as much.
        Kind::FlowLimit => Some((0.9 * value * rate.streams, 0.2)),
        Kind::ShortQueue => tcp.then_some((value * normal_bps, 0.6)),
        // Several connections take turns in the timeouts.
        Kind::SilentMtu | Kind::FilteredMtu => {
            (tcp && packet_bytes(rate) > value).then(|| crawl(rate, normal_bps))
        }
        // TCP's segments are never fragmented; a program that sends large datagrams gets none through.
        Kind::Fragments => (rate.program == Program::Unsaid).then(|| crawl(rate, normal_bps)),
        // Linux gives TCP about half of a buffer as window (tcp_adv_win_scale), and the window bounds the bytes per
        // *smallest* round-trip time: a longer one may be the window's own queue (Little's law).
        Kind::ReceiveWindow => (tcp && is_at_receiver(fault, measurement)).then(|| window(rate, value)),
        Kind::SendBuffer => (tcp && is_at_sender(fault, measurement)).then(|| window(rate, value)),
        // So has a program that only measures read what came, unless its window says that it did not.
        Kind::ReaderRate => {
            let waits = rate.waits.receive_window;
            let shut = waits.is_some_and(|share| share >= 0.2);
            // A test of which nobody knows what it waited for met a slow host where it was as slow.
            let met = waits.is_none() && rate.bps < 1.5 * value;
            let reads = rate.program != Program::Test || shut || met;
            // A test reads each connection for itself; a disk is the same for all of them.
            let each = if shut { rate.streams } else { 1.0 };
            (tcp && reads && is_at_receiver(fault, measurement)).then_some((each * value, 0.3))
        }
        // A test program has always something to send, unless its kernel says that it had not.
        Kind::WriterRate => {
            let idle = rate.waits.application.is_some_and(|share| share >= 0.3);
            let writes = rate.program != Program::Test || idle;
            (writes && is_at_sender(fault, measurement)).then_some((rate.streams * value, 0.3))
        }
        Kind::ProcessorRate | Kind::AdapterRate => Some((value, 0.3)),
        // How much reordering costs depends on its extent and on how far the sender adapts (RFC 8985, RACK): badly known.
        Kind::Reordering => tcp.then_some((0.3 * normal_bps, 1.0)),
        Kind::Unknown | Kind::UnknownLoss => Some((value * normal_bps, 1.0)),
    }
}

/// What is left where no full packet passes: the transfer stands still, or what is not full gets through now and then.
fn crawl(rate: &Rate, normal_bps: f64) -> (f64, f64) {
    if rate.bps < STANDSTILL_BPS {
        (STANDSTILL_BPS, 0.5)
    } else {
        (1e-3 * normal_bps, 2.2)
    }
}

fn under_loss(rate: &Rate, loss_ratio: f64, sigma: f64) -> Option<(f64, f64)> {
    let (rtt_s, more) = rtt(rate);
    let connection = Connection {
        mss_bytes: rate.mss_bytes.unwrap_or(USUAL_MSS_BYTES),
        rtt_s,
        control: rate.control,
    };
    let (bps, timeouts) = (
        connection.under_loss_bps(loss_ratio)?,
        connection.share_of_timeouts(loss_ratio),
    );
    let sigma = together(together(sigma, more), TIMEOUTS_SIGMA * timeouts);
    Some((rate.streams * bps, sigma))
}

/// A transfer that lives from one timeout to the next has a rate that is badly known: the least timeout is 0.2 to 1 s, and
/// drops in bursts take retransmissions with them, so that the sender backs off further than a model of single losses says.
const TIMEOUTS_SIGMA: f64 = 1.5;

fn window(rate: &Rate, bytes: f64) -> (f64, f64) {
    let (rtt_s, more) = rtt(rate);
    (8.0 * bytes * rate.streams / rtt_s, 0.3 + more)
}

/// The IP packets that a transfer sends: what it was told, else what Ethernet's MTU allows at least.
fn packet_bytes(rate: &Rate) -> f64 {
    rate.mss_bytes.map_or(1500.0, |mss| mss + HEADER_BYTES)
}

/// One measurement's own error: standard deviation of ln(rate).
const TEST_NOISE: f64 = 0.2;
/// The same where a link is full.
const FULL_LINK_NOISE: f64 = 0.06;
/// Share of results that have nothing to do with the path, and the width of ln(rate) that they fall in.
const OUTLIERS: f64 = 0.04;
const OUTLIER_WIDTH: f64 = 14.0;
/// So far above the prediction, in ln(rate), no error of the model explains a rate.
const BEYOND: f64 = 1.5;
const IMPOSSIBLE: f64 = 0.003;
/// Programs, and devices on the way of one pair, set windows as often as hosts do: what is known of one path says little of
/// another whose length nobody knows.
const OTHER_WINDOWS: f64 = 0.2;
/// A transfer that stood still is noted with the smallest rate that TCP's timeouts give.
pub const STANDSTILL_BPS: f64 = 1e3;

fn of_unknown_distance(limit: &Limit) -> bool {
    let window = matches!(limit.by, LimitedBy::Fault(Kind::ReceiveWindow | Kind::SendBuffer));
    window && limit.sigma > GUESSED_RTT_SIGMA
}

/// Log density of ln(rate seen), given the limit and the error that the pair's transfers share (in standard deviations).
#[must_use]
pub fn rate(seen: &Rate, limit: &Limit, shared_error: f64) -> f64 {
    let expected = limit.ln_bps + shared_error * limit.sigma;
    let was = log(seen.bps.max(STANDSTILL_BPS));
    let noise = if seen.bps < STANDSTILL_BPS {
        2.0
    } else {
        TEST_NOISE
    };
    // Bursts let a short test exceed a limit, and the limit is known from tests that are no better.
    let beyond = if seen.bound == Bound::AtMost {
        0.0
    } else {
        ((was - limit.ln_most_bps) / 0.2).max(0.0)
    };
    let honest = -0.5 * beyond * beyond
        + match seen.bound {
            // Tests that fill one and the same link agree closely, unless the protocol's own ups and downs count.
            Bound::Exact if limit.by == LimitedBy::Fault(Kind::Capacity) => mixture(&[
                (0.3, student_t4(was, expected, FULL_LINK_NOISE)),
                (0.7, student_t4(was, expected, noise)),
            ]),
            Bound::Exact => student_t4(was, expected, noise),
            Bound::AtLeast => normal_below(expected, was, noise),
            Bound::AtMost => normal_below(-expected, -was, noise),
        };
    let astray = match seen.bound {
        Bound::Exact => -log(OUTLIER_WIDTH),
        Bound::AtLeast | Bound::AtMost => log(0.5),
    };
    // Slower than predicted is what an unknown trouble makes; faster than a limit allows, only a wrong record.
    let outliers = match seen.bound {
        Bound::AtMost => OUTLIERS,
        _ if was <= expected + BEYOND => OUTLIERS,
        _ if of_unknown_distance(limit) => OTHER_WINDOWS,
        _ => IMPOSSIBLE,
    };
    mixture(&[(1.0 - outliers, honest), (outliers, astray)])
}
