//! What goes with a rate: which resource its sender waited for, how its queue grew, what it retransmitted.
//!
//! Small tables of probabilities, one row per thing that limits. They hold experience and not physics, so they are few,
//! and none of them is sharp enough to decide alone.

use super::loss::{LossCause, path_loss};
use super::rate::{Limit, LimitedBy};
use super::ways::is_at_sender;
use crate::density::{log_sum_exp, normal};
use crate::{Control, Fault, Kind, Measurement, Rate};
use libm::log;

/// Log probability of a transfer's companions, given what limits it.
#[must_use]
pub fn waits(faults: &[Fault], measurement: &Measurement, seen: &Rate, limit: &Limit) -> f64 {
    let waits = &seen.waits;
    let high = |share: Option<f64>, p: f64| binary(share.map(|share| share >= 0.5), p);
    let retransmitted = waits.retransmitted.map_or(0.0, |(again, sent)| {
        retransmissions(faults, measurement, limit, again, sent)
    });
    let at = |is_there: fn(&Fault, &Measurement) -> bool| {
        let busy = |fault: &&Fault| fault.kind == Kind::ProcessorRate;
        faults
            .iter()
            .filter(busy)
            .any(|fault| is_there(fault, measurement))
    };
    // A sender without time keeps nobody waiting for the receiver.
    let window = match limit.by {
        LimitedBy::Fault(Kind::ProcessorRate) if at(is_at_sender) => 0.05,
        by => receive_window_share(by),
    };
    high(waits.receive_window, window)
        + high(waits.send_buffer, send_buffer_share(limit.by))
        + high(waits.application, application_share(limit.by))
        + binary(waits.stalled, stall(faults, measurement, limit.by))
        + waits
            .silent
            .map_or(0.0, |share| silence(faults, measurement, limit.by, share))
        + waits
            .rtt_growth
            .map_or(0.0, |growth| log(growth_odds(limit.by, seen.control, growth)))
        + processor(limit.by, waits.processor, at(is_at_sender))
        + retransmitted
}

fn binary(seen: Option<bool>, p: f64) -> f64 {
    match seen {
        Some(true) => log(p),
        Some(false) => log(1.0 - p),
        None => 0.0,
    }
}

/// How often the receiver's window is what the sender waits for, most of the time. With a deep queue on the way it is so
/// in a healthy transfer as well: the window grows until the queue holds what the path does not.
fn receive_window_share(by: LimitedBy) -> f64 {
    match by {
        LimitedBy::Fault(Kind::ReceiveWindow) => 0.96,
        LimitedBy::Fault(Kind::ReaderRate) => 0.8,
        LimitedBy::OwnWindow => 0.7,
        LimitedBy::Nothing => 0.2,
        LimitedBy::Fault(Kind::Capacity | Kind::Share) => 0.2,
        LimitedBy::Fault(Kind::ProcessorRate) => 0.5,
        LimitedBy::Fault(Kind::Unknown | Kind::AdapterRate) => 0.3,
        LimitedBy::Fault(Kind::UnknownLoss) => 0.1,
        _ => 0.03,
    }
}

/// Linux counts the send buffer's share unreliably behind shaped links.
fn send_buffer_share(by: LimitedBy) -> f64 {
    match by {
        LimitedBy::Fault(Kind::SendBuffer) => 0.8,
        LimitedBy::OwnWindow | LimitedBy::Fault(Kind::Unknown | Kind::AdapterRate) => 0.3,
        LimitedBy::Nothing | LimitedBy::Fault(Kind::Capacity | Kind::Share) => 0.15,
        _ => 0.05,
    }
}

fn application_share(by: LimitedBy) -> f64 {
    match by {
        LimitedBy::Fault(Kind::WriterRate) => 0.85,
        LimitedBy::Fault(Kind::ProcessorRate) => 0.5,
        LimitedBy::OwnPace => 0.8,
        LimitedBy::Fault(Kind::Unknown) => 0.2,
        // Where the path limits, there is always something unsent, and the kernel's clock of that is exact.
        _ => 0.015,
    }
}

/// Log density of the share of its time in which a transfer was silent. Interruptions make such times, and programs that
/// pause, and timeouts; a full link or a small window never does.
fn silence(faults: &[Fault], measurement: &Measurement, by: LimitedBy, share: f64) -> f64 {
    let interrupted = faults.iter().find(|fault| {
        let there = measurement.out.contains(&fault.element) || measurement.back.contains(&fault.element);
        fault.kind.is_interruption() && there
    });
    // Seldom ones can miss a test of some seconds.
    let often = match by {
        _ if interrupted.is_some() => 0.8,
        LimitedBy::Fault(Kind::SilentMtu | Kind::FilteredMtu) => 0.8,
        LimitedBy::Fault(
            Kind::ReaderRate | Kind::WriterRate | Kind::ProcessorRate | Kind::Unknown | Kind::UnknownLoss,
        ) => 0.3,
        LimitedBy::Fault(Kind::LossRatio | Kind::LossUnderLoad | Kind::ReceiveDrops)
            if path_loss(faults, &measurement.out, LossCause::Loaded) > 0.03 =>
        {
            0.3
        }
        LimitedBy::Fault(Kind::Policer | Kind::ShortQueue | Kind::Reordering) => 0.1,
        _ => 0.02,
    };
    if share < 0.01 {
        return log(1.0 - often);
    }
    // How long: the interruption's own share, and some more until the timer fires; of other causes anything.
    log(often) + interrupted.map_or(-log(5.0), |fault| normal(log(share), log(1.3 * fault.value), 0.6))
}

fn stall(faults: &[Fault], measurement: &Measurement, by: LimitedBy) -> f64 {
    match by {
        LimitedBy::Fault(Kind::SilentMtu | Kind::FilteredMtu) => 0.85,
        LimitedBy::Fault(Kind::Unknown | Kind::UnknownLoss | Kind::Interruption | Kind::RareInterruption) => {
            0.2
        }
        LimitedBy::Fault(Kind::LossRatio | Kind::LossUnderLoad)
            if path_loss(faults, &measurement.out, LossCause::Loaded) > 0.05 =>
        {
            0.3
        }
        LimitedBy::Fault(Kind::ShortQueue | Kind::ReaderRate | Kind::WriterRate) => 0.1,
        _ => 0.02,
    }
}

/// A limit with a queue before it makes the round trip longer; loss, windows and hosts do not.
pub(super) fn growth_odds(by: LimitedBy, control: Control, growth: f64) -> f64 {
    let [none, some, much] = match by {
        // BBR sends at the rate that it measured, and drains what queue it made (draft-ietf-ccwg-bbr, section 4.3).
        LimitedBy::Nothing | LimitedBy::Fault(Kind::Capacity | Kind::Share) if control == Control::Bbr => {
            [0.4, 0.4, 0.2]
        }
        LimitedBy::Fault(Kind::Capacity | Kind::Share) => [0.12, 0.28, 0.6],
        // Their queue stands before anybody else comes.
        LimitedBy::Fault(Kind::Rivals) => [0.35, 0.4, 0.25],
        LimitedBy::Nothing | LimitedBy::Fault(Kind::Interruption | Kind::RareInterruption) => {
            [0.35, 0.3, 0.35]
        }
        LimitedBy::Fault(
            Kind::ShortQueue | Kind::Unknown | Kind::UnknownLoss | Kind::AdapterRate | Kind::FlowLimit,
        ) => [0.5, 0.3, 0.2],
        // A reader that wakes now and then opens the whole window at once: bursts queue.
        LimitedBy::Fault(Kind::ReaderRate) => [0.4, 0.3, 0.3],
        LimitedBy::Fault(Kind::ProcessorRate) => [0.6, 0.25, 0.15],
        _ => [0.85, 0.12, 0.03],
    };
    match growth {
        g if g < 0.15 => none,
        g if g < 1.0 => some,
        _ => much,
    }
}

fn processor(by: LimitedBy, (sender, receiver): (Option<f64>, Option<f64>), at_sender: bool) -> f64 {
    let busy = |share: Option<f64>, p: f64| binary(share.map(|share| share >= 0.9), p);
    let usual = match by {
        LimitedBy::Nothing | LimitedBy::Fault(Kind::Unknown) => 0.1,
        _ => 0.03,
    };
    match by {
        LimitedBy::Fault(Kind::ProcessorRate) if at_sender => busy(sender, 0.85) + busy(receiver, 0.1),
        LimitedBy::Fault(Kind::ProcessorRate) => busy(receiver, 0.85) + busy(sender, 0.1),
        _ => busy(sender, usual) + busy(receiver, usual),
    }
}

/// Packets that slow start sends before it fills a long path: 10 Gbit/s over some 50 ms.
const SLOW_START_PACKETS: f64 = 3e4;

/// What share of its segments a transfer retransmits. Where loss limits it, that share is the loss; where a queue
/// overflows, any share up to some per cent.
fn retransmissions(faults: &[Fault], measurement: &Measurement, limit: &Limit, again: f64, sent: f64) -> f64 {
    let lost = path_loss(faults, &measurement.out, LossCause::Loaded);
    let ratio = (again + 0.5) / (sent + 1.0);
    let counting = 1.0 / (again + 0.5);
    let around = |mean: f64, sigma: f64| normal(log(ratio), log(mean), libm::sqrt(sigma * sigma + counting));
    let any = -log(14.0);
    let (clean, congested) = match limit.by {
        LimitedBy::Fault(Kind::FlowLimit) => (0.4, around(5e-3, 1.5)),
        // What comes late is taken for lost, until the sender has learnt.
        LimitedBy::Fault(Kind::Reordering) => (0.2, around(1e-2, 1.8)),
        LimitedBy::Fault(Kind::Policer | Kind::ShortQueue) => (0.05, around(1e-2, 1.2)),
        // Full segments are sent again and again, until smaller ones are tried.
        LimitedBy::Fault(Kind::SilentMtu | Kind::FilteredMtu) => (0.005, around(1e-2, 2.0)),
        LimitedBy::Fault(Kind::Capacity | Kind::Share) | LimitedBy::Nothing => (0.4, around(1e-3, 1.6)),
        // Each of those who share a queue loses there, again and again.
        LimitedBy::Fault(Kind::Rivals) => (0.1, around(3e-3, 1.5)),
        LimitedBy::Fault(Kind::Unknown) => (0.4, around(3e-3, 2.0)),
        LimitedBy::Fault(Kind::UnknownLoss) => (0.05, around(1e-2, 2.0)),
        LimitedBy::Fault(Kind::ReceiveDrops) => (0.05, around(1e-2, 2.0)),
        // The end of slow start overflows a queue once, whatever limits afterwards.
        _ => (0.8, around(1e-3, 2.0)),
    };
    // None, or one or two: half of a segment counts as none.
    let floor = (0.5 + lost * sent) / (sent + 1.0);
    if lost > 1e-6 {
        // So rare a loss leaves slow start to go on until it overflows a queue.
        let overflows = if lost < 1.0 / SLOW_START_PACKETS {
            0.5
        } else {
            0.15
        };
        return log_sum_exp(&[
            log(1.0 - overflows) + around(lost.max(floor), 0.6),
            log(overflows) + congested,
            log(0.02) + any,
        ]);
    }
    log_sum_exp(&[
        log(clean) + around(0.6 / (sent + 1.0), 1.0),
        log(1.0 - clean) + congested,
        log(0.02) + any,
    ])
}
