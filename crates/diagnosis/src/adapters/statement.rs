//! Figures that people state: the same quantities, with less trust.

use super::intake::Intake;
use evidence::{Observation, Quantity, Statement};
use model::{Kind, Loss, Program, Rate, Seen, Setting, Trust};

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
    let min_rtt_s = intake.rtts.between(from, to);
    let setting = |kind| {
        Seen::Setting(Setting {
            kind,
            value: statement.value,
            min_rtt_s,
        })
    };
    let seen = match statement.quantity {
        Quantity::Rate if about_path => Seen::Rate(Rate::bare(statement.value, min_rtt_s, Program::Unsaid)),
        Quantity::LossRatio if about_path && (0.0..=1.0).contains(&statement.value) => Seen::Loss(Loss {
            sent: 1000.0,
            lost: (statement.value * 1000.0).round(),
            under_load: true,
            ..Loss::default()
        }),
        Quantity::ReceiveWindow if statement.value > 0.0 => setting(Kind::ReceiveWindow),
        Quantity::SocketBuffer if statement.value > 0.0 && about_path => setting(Kind::SendBuffer),
        _ => return,
    };
    intake.put(from, to, seen, Trust::Stated, &observation.id);
}
