//! Figures that people state: the same quantities, with less trust.

use super::Intake;
use evidence::{Observation, Quantity, Statement, Transport};
use model::{Bound, Control, Kind, Loss, Program, Rate, Seen, Setting, Trust, Waits};

/// Calls `note` with a stated round-trip time, nanoseconds.
pub(super) fn rtts(statement: &Statement, mut note: impl FnMut(f64)) {
    if statement.quantity == Quantity::Rtt {
        note(statement.value * 1e9);
    }
}

pub(super) fn measure(intake: &mut Intake, statement: &Statement, observation: &Observation) {
    // A figure with a subject is about a program or a device, and about the path only through it.
    let unknown = evidence::Node::default();
    let Some((from, to)) = intake.ends(&statement.from, &statement.to, &unknown) else {
        return;
    };
    let about_path = !statement.from.is_unknown() && !statement.to.is_unknown();
    let seen = match statement.quantity {
        Quantity::Rate if about_path => Seen::Rate(bare_rate(
            statement.value,
            intake.rtts.between(from, to),
            Program::Unsaid,
        )),
        Quantity::LossRatio if about_path && (0.0..=1.0).contains(&statement.value) => Seen::Loss(Loss {
            sent: 1000.0,
            lost: (statement.value * 1000.0).round(),
            offered_bps: None,
            round_trip: false,
            router_answers: false,
            under_load: true,
            size_bytes: None,
            host_dropped: None,
            reordered: None,
            mean_run: None,
            queued_s: None,
        }),
        Quantity::ReceiveWindow if statement.value > 0.0 => Seen::Setting(Setting {
            kind: Kind::ReceiveWindow,
            value: statement.value,
            min_rtt_s: intake.rtts.between(from, to),
        }),
        Quantity::SocketBuffer if statement.value > 0.0 && about_path => Seen::Setting(Setting {
            kind: Kind::SendBuffer,
            value: statement.value,
            min_rtt_s: intake.rtts.between(from, to),
        }),
        _ => return,
    };
    intake.put(from, to, seen, Trust::Stated, &observation.id);
}

/// A rate of which nothing else is known.
pub(super) fn bare_rate(bps: f64, min_rtt_s: Option<f64>, program: Program) -> Rate {
    Rate {
        bps: bps.max(0.0),
        bound: Bound::Exact,
        transport: Transport::Tcp,
        streams: 1.0,
        window_bytes: None,
        mss_bytes: None,
        control: Control::Unknown,
        min_rtt_s,
        program,
        waits: Waits::default(),
    }
}
