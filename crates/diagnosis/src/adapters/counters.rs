//! What interfaces count. An interface is on the way of all packets that cross its device.

use super::intake::Intake;
use crate::adapters::interfaces::{Counts, Interface, Span, interfaces};
use crate::records::Records;
use evidence::{CounterKind, Observation, Payload, Quantity, Statement};
use model::{Count, Counted, Trust};

/// All interfaces of which counters tell.
pub(super) fn all(observations: &[&Observation]) -> Vec<Interface> {
    let counters = |o: &&&Observation| matches!(o.payload, Payload::InterfaceCounters(_));
    let records = Records::of(observations.iter().filter(counters).copied());
    interfaces(&records.interfaces)
}

/// Puts the interfaces on the map, each with the sides that it counts.
pub(super) fn places(intake: &mut Intake, interfaces: &[Interface]) {
    for interface in interfaces {
        let Some(device) = intake.map.find(&interface.device) else {
            continue;
        };
        for what in CLASSES {
            if interface.worst(what).lost(what).is_some() {
                intake
                    .places
                    .add_interface(device, &interface.name, is_input(what));
            }
        }
    }
}

const CLASSES: [Counted; 3] = [Counted::Damaged, Counted::Dropped, Counted::Overflowed];

fn is_input(what: Counted) -> bool {
    what != Counted::Overflowed
}

pub(super) fn take_in(intake: &mut Intake, interfaces: &[Interface], observations: &[&Observation]) {
    for interface in interfaces {
        let Some(device) = intake.map.find(&interface.device) else {
            continue;
        };
        let counted = |what| {
            let counts = interface.worst(what);
            let (lost, kind) = counts.lost(what)?;
            let count = Count {
                bad: lost.events.min(lost.trials) as f64,
                of: lost.trials as f64,
                what,
                fresh: matches!(counts.span, Span::Between(_)),
                load: 1.0,
                label: format!("{}{}", kind_words(kind), span_words(counts)),
                remark: None,
            };
            Some((count, Trust::Measured, counts.cites.clone()))
        };
        let said = |observation: &&Observation| match &observation.payload {
            Payload::Statement(said) => Some((
                stated(said, interface)?,
                Trust::Stated,
                vec![observation.id.clone()],
            )),
            _ => None,
        };
        let counted = CLASSES.into_iter().filter_map(counted);
        for (count, trust, cites) in counted.chain(observations.iter().filter_map(said)) {
            let places = &intake.places;
            let mut out = places.interface(intake.map, device, &interface.name, is_input(count.what));
            // What a host has no room for it drops, by whatever interface it came.
            if count.what == Counted::Dropped && [intake.from, intake.to].contains(&device) {
                out = vec![intake.map.host(device)];
            }
            intake.put_count((device, device), out, count, trust, cites);
        }
    }
}

/// A loss ratio that somebody states of this interface, as they compared its counters while the transfer ran.
fn stated(said: &Statement, interface: &Interface) -> Option<Count> {
    let sound = said.quantity == Quantity::LossRatio && said.value > 0.0 && said.value <= 1.0;
    let about = |text: &str| {
        let text = text.to_ascii_lowercase();
        let device = interface.device.name.iter();
        let mut names = device
            .chain([&interface.name])
            .map(|name| name.to_ascii_lowercase());
        names.any(|name| !name.is_empty() && text.contains(&name))
    };
    if !sound || !said.subject.as_deref().map_or_else(|| about(&said.text), about) {
        return None;
    }
    let (low, high) = said.range.unwrap_or((said.value, said.value));
    Some(Count {
        bad: STATED_OF * said.value,
        of: STATED_OF,
        what: Counted::Dropped,
        fresh: true,
        load: 1.0,
        label: format!(
            "{} to {} while the transfer runs, as stated",
            words::loss(low.min(said.value)),
            words::loss(high.max(said.value))
        ),
        remark: None,
    })
}

/// A ratio that a person tells is as exact as a hundred packets.
const STATED_OF: f64 = 100.0;

fn kind_words(kind: CounterKind) -> &'static str {
    match kind {
        CounterKind::InputIgnored => "ignored",
        CounterKind::InputOverrun => "overrun",
        CounterKind::InputNoBuffer => "no buffer",
        CounterKind::InputQueueDrops => "input queue drops",
        CounterKind::InputDiscards => "discarded",
        CounterKind::InputCrc => "checksum errors",
        CounterKind::InputFraming => "framing errors",
        CounterKind::OutputDrops => "output drops",
        _ => "errors",
    }
}

fn span_words(counts: &Counts) -> String {
    const HOUR_S: u64 = 3_600;
    let cleared = match counts.span {
        Span::Between(seconds) => return format!(" in {seconds:.0} s"),
        Span::SinceCleared(None) => return " since it was cleared, nobody knows when".to_owned(),
        Span::SinceCleared(Some(seconds)) => seconds,
    };
    let (time, unit) = match cleared {
        ..HOUR_S => (cleared, "s"),
        HOUR_S..172_800 => (cleared / HOUR_S, "hours"),
        _ => (cleared / (24 * HOUR_S), "days"),
    };
    format!(" since it was cleared {time} {unit} ago")
}
