//! The same from a list of the sender's connections: its kernel counts what limited each of them.

use super::{FILLED, HARDLY, MOSTLY, recorded};
use crate::facts::Facts;
use crate::facts::records::connections::SenderConnection;
use crate::facts::response::window_rate;
use crate::faults::words;
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::v1::{Direction, End, Explains, Location, Nanos, RateBps};

/// `None` without such a list, or where its kernel is too old to count.
pub(super) fn judge(facts: &Facts) -> Option<Outcome> {
    let connection = SenderConnection::of(&facts.records, &facts.complaint)?;
    let share = connection.receive_window_share()?;
    if share < HARDLY {
        let percent = share * 100.0;
        return Some(Outcome::Contradicts {
            weight: -4.0,
            why: format!(
                "the sender was limited by the receiver's window for {percent:.0} % of its busy time"
            ),
            cites: vec![connection.id],
        });
    }
    Some(weigh(facts, &connection, share))
}

fn weigh(facts: &Facts, connection: &SenderConnection, share: f64) -> Outcome {
    let mut weighing = Weighing::default();
    let text = format!(
        "the sending kernel was limited by the receiver's window for {:.0} % of its busy time",
        share * 100.0
    );
    let cites = std::slice::from_ref(&connection.id);
    weighing.add(super::weight_of(share), text, cites);
    let predicted = predicted(connection);
    let rate = connection.rate.or_else(|| facts.measured_rate());
    let filled = predicted.as_ref().zip(rate).map(|((predicted, figures), rate)| {
        let is_filled = FILLED.contains(&(rate.0 / predicted.0.max(1.0)));
        let text = format!("{figures}, measured {rate}");
        if is_filled {
            weighing.add(2.0, text, cites);
        } else {
            weighing.add(-2.5, format!("{text}: the window is not what is filled"), cites);
        }
        is_filled
    });
    let explains = match filled {
        Some(filled) if filled && share >= MOSTLY => Explains::Yes,
        Some(_) => Explains::No,
        None => Explains::Unknown,
    };
    let allowed = predicted
        .as_ref()
        .map_or_else(String::new, |(rate, _)| format!(" than {rate}"));
    let goal = facts.expected();
    Outcome::Supports(Box::new(Supported {
        claim: format!("the receive window allows no more{allowed}"),
        location: Location::Host { end: End::To },
        direction: Direction::Forward,
        weighing,
        explains,
        allows_bps: predicted
            .map(|(rate, _)| words::range(FILLED.start * rate.0, rate.0, FILLED.end * rate.0)),
        after_fix_bps: goal.and_then(|goal| recorded::after_fix(explains, goal)),
        remedy: recorded::remedy(facts, goal),
        ask_whom: format!("the administrator of {}", facts.name(End::To)),
        cannot_tell_from: None,
    }))
}

/// A window a round trip, and how that comes about. The smoothed round trip has the queues in it that the window met.
fn predicted(connection: &SenderConnection) -> Option<(RateBps, String)> {
    let window = connection.account.peer_window_bytes?;
    let rtt_us = connection.account.rtt_us.or(connection.account.min_rtt_us)?;
    let rate = window_rate(window, f64::from(rtt_us) / 1e6)?;
    let rtt = Nanos(u64::from(rtt_us) * 1_000);
    Some((
        rate,
        format!("{} a round trip of {rtt} give {rate}", words::buffer(window)),
    ))
}
