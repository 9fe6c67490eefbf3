//! What a name of a counter means in a direction, and putting values where they belong.

use super::dialect::{Meaning, Section, Way, Word};
use crate::units;
use evidence::{CounterKind, InterfaceCounters};

/// Light and temperature of a transceiver, a lane a line.
pub(super) fn take_light(interface: &mut InterfaceCounters, field: &str, text: &str) {
    let Some((number, unit)) = units::split(text) else {
        return;
    };
    // Without light there is no such power.
    if !matches!(unit, "" | "dBm" | "C" | "Celsius") || number.abs() > 200.0 {
        return;
    }
    let optics = interface.optics.get_or_insert_default();
    match field {
        "rx-dbm" => optics.received_dbm.push(number),
        "tx-dbm" => optics.sent_dbm.push(number),
        _ => optics.temperature_c = Some(number),
    }
}

pub(super) fn meaning(word: &Word, way: Way, last: Way) -> (Option<Meaning>, Way) {
    let of = |way| match way {
        Way::In => (word.input, Way::In),
        Way::Out => (word.output, Way::Out),
        Way::Both | Way::Unsaid => (None, way),
    };
    match (way, word.input, word.output) {
        (Way::In | Way::Out, ..) => of(way),
        (_, Some(_), None) => of(Way::In),
        (_, None, _) => of(Way::Out),
        (_, input, output) if input == output => (input, Way::Unsaid),
        _ => of(last),
    }
}

pub(super) fn own_name(section: Option<&'static Section>, way: Way, name: &str) -> String {
    let own = section.map_or(["{}", "{}"], |section| section.own);
    let [received, sent] = own;
    match way {
        Way::Out => filled(sent, name),
        Way::In => filled(received, name),
        Way::Both | Way::Unsaid => match received == sent {
            true => filled(received, name),
            false => name.to_owned(),
        },
    }
}

/// What a name becomes: `RX {}`.
fn filled(shape: &str, name: &str) -> String {
    match shape {
        "{}" => name.to_owned(),
        _ => shape.replace("{}", name),
    }
}

/// Puts a value where there is none, or the same.
pub(super) fn set<T: PartialEq>(slot: &mut Option<T>, value: Option<T>, what: &str) -> Result<(), String> {
    match (&slot, &value) {
        (Some(known), Some(new)) if known != new => {
            *slot = None;
            Err(format!("{what} is given twice with different values"))
        }
        (_, None) => Ok(()),
        _ => {
            *slot = value;
            Ok(())
        }
    }
}

/// The kind of counter of this name.
pub(super) fn kind(name: &str) -> Option<CounterKind> {
    use CounterKind as K;
    Some(match name {
        "InputPackets" => K::InputPackets,
        "InputBytes" => K::InputBytes,
        "InputErrors" => K::InputErrors,
        "InputCrc" => K::InputCrc,
        "InputOverrun" => K::InputOverrun,
        "InputQueueDrops" => K::InputQueueDrops,
        "InputDiscards" => K::InputDiscards,
        "InputNoBuffer" => K::InputNoBuffer,
        "InputPauses" => K::InputPauses,
        "OutputPackets" => K::OutputPackets,
        "OutputBytes" => K::OutputBytes,
        "OutputErrors" => K::OutputErrors,
        "OutputDrops" => K::OutputDrops,
        "OutputPauses" => K::OutputPauses,
        "Collisions" => K::Collisions,
        "CarrierTransitions" => K::CarrierTransitions,
        _ => return None,
    })
}
