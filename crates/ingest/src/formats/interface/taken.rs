//! What a name of a counter means in a direction, and putting values where they belong.

use super::dialect::{Meaning, Section, Way, Word};
use crate::text::split_once;
use crate::units;
use evidence::{CounterKind, InterfaceCounters};
use std::collections::BTreeMap;

/// Light by its lane, as it is read: the lanes are put in their order when all are known.
#[derive(Debug, Default)]
pub(super) struct Light {
    /// The lane that lines are about, from 1 on; 0 for a transceiver that names none.
    lane: u32,
    received: BTreeMap<u32, f64>,
    sent: BTreeMap<u32, f64>,
    /// The module's temperature, as each lane repeats it.
    temperatures: Vec<f64>,
}

impl Light {
    /// A title names the lane of the lines below it.
    pub(super) fn begin(&mut self, lane: &str) -> Result<(), String> {
        // Lanes are counted from 0 or from 1 on.
        let lane = lane.parse::<u32>().ok().and_then(|lane| lane.checked_add(1));
        let lane = lane.ok_or_else(|| "which lane?".to_owned())?;
        if self.received.remove(&0).is_some() | self.sent.remove(&0).is_some() {
            return Err("light above the first lane, as if its title were missing".to_owned());
        }
        if lane <= self.lane {
            return Err(format!("lane {} below lane {}", lane - 1, self.lane - 1));
        }
        self.lane = lane;
        Ok(())
    }

    /// A line names the lane that it is about itself, so that lines may come in any order. What a module says of all its light together
    /// stands above them, and is no lane.
    pub(super) fn turn_to(&mut self, lane: &str) -> Result<(), String> {
        self.received.remove(&0);
        self.sent.remove(&0);
        let lane = lane.parse::<u32>().ok().and_then(|lane| lane.checked_add(1));
        self.lane = lane.ok_or_else(|| "which lane?".to_owned())?;
        Ok(())
    }

    /// Takes what a line says of the lane in hand.
    pub(super) fn take(
        &mut self,
        interface: &mut InterfaceCounters,
        field: &str,
        text: &str,
    ) -> Result<(), String> {
        // Without light there is no such power: `N/A`, `-inf`.
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        // Behind what is outside its limits stands a mark.
        let figure = text.trim_end_matches(['!', '*', '+', '-', ' ']);
        let known = units::split(figure)
            .filter(|(number, unit)| matches!(*unit, "" | "dBm" | "C" | "Celsius") && number.abs() <= 200.0);
        let Some((number, _)) = known else {
            return Err(format!("no figure of light or heat: {text}"));
        };
        let lanes = match field {
            "module-temperature" => {
                self.temperatures.push(number);
                return Ok(());
            }
            "rx-dbm" => &mut self.received,
            "tx-dbm" => &mut self.sent,
            // Of its lanes each has a laser; the module's own temperature stands above them.
            _ if self.lane > 0 => return Ok(()),
            _ => {
                let optics = interface.optics.get_or_insert_default();
                return set(&mut optics.temperature_c, Some(number), "temperature");
            }
        };
        match lanes.insert(self.lane, number) {
            Some(before) if before != number => Err(format!("two figures of light in one lane: {text}")),
            _ => Ok(()),
        }
    }

    /// An alarm that is raised, of the lane in hand.
    pub(super) fn alarm(&self, interface: &mut InterfaceCounters, name: &str) {
        let name = match self.lane.checked_sub(1) {
            Some(lane) => format!("lane {lane} {name}"),
            None => name.to_owned(),
        };
        let alarms = &mut interface.optics.get_or_insert_default().alarms;
        if !alarms.contains(&name) {
            alarms.push(name);
        }
    }

    /// A power without its logarithm stays in the device's words.
    pub(super) fn say(
        &self,
        interface: &mut InterfaceCounters,
        name: &str,
        said: String,
    ) -> Result<(), String> {
        let name = match self.lane.checked_sub(1) {
            Some(lane) => format!("{name}, lane {lane}"),
            None => name.to_owned(),
        };
        match interface.settings.get(&name) {
            Some(known) if *known != said => Err(format!("{name} is given twice with different values")),
            _ => {
                interface.settings.insert(name, said);
                Ok(())
            }
        }
    }

    /// Puts the lanes in their order. With one missing the others would be taken for it: whether they are not told for that.
    pub(super) fn finish(self, interface: &mut InterfaceCounters) -> bool {
        if let [first, further @ ..] = &self.temperatures[..]
            && further.iter().all(|other| other == first)
        {
            interface.optics.get_or_insert_default().temperature_c = Some(*first);
        }
        // Of a lane without light only the other way may tell from where on lanes are counted.
        let firsts = [&self.received, &self.sent].map(|lanes| lanes.keys().next().copied());
        let first = firsts.into_iter().flatten().min().unwrap_or(0).min(2);
        let is_whole =
            |lanes: &BTreeMap<u32, f64>| (first..).zip(lanes.keys()).all(|(place, lane)| place == *lane);
        let is_lost = !is_whole(&self.received) || !is_whole(&self.sent);
        let in_order = |lanes: BTreeMap<u32, f64>| -> Vec<f64> {
            if is_whole(&lanes) {
                lanes.into_values().collect()
            } else {
                Vec::new()
            }
        };
        let (received, sent) = (in_order(self.received), in_order(self.sent));
        if !received.is_empty() || !sent.is_empty() {
            let optics = interface.optics.get_or_insert_default();
            (optics.received_dbm, optics.sent_dbm) = (received, sent);
        }
        is_lost
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
    match split_once(shape, b'{') {
        Some((before, behind)) => [before, name, behind.strip_prefix('}').unwrap_or(behind)].concat(),
        None => shape.to_owned(),
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
        "InputFraming" => K::InputFraming,
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
        "OutputUnderruns" => K::OutputUnderruns,
        "Collisions" => K::Collisions,
        "CarrierTransitions" => K::CarrierTransitions,
        _ => return None,
    })
}
