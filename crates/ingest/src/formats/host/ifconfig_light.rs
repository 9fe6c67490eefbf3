//! What FreeBSD's `ifconfig -v` prints of a transceiver.

use super::given::Given;
use crate::findings::Findings;
use evidence::Optics;

/// Figures of light, by lane, and the temperature.
#[derive(Default)]
pub(super) struct Light(Given<f64>);

impl Light {
    /// FreeBSD's `ifconfig -v`: `module temperature: 49.41 C voltage: 3.29 Volts`, `lane 1: RX power: 0.98 mW (-0.11 dBm) TX
    /// bias: 7.60 mA`, and of a module with one lane `RX: 0.49 mW (-3.02 dBm) TX: 0.66 mW (-1.74 dBm)`.
    pub(super) fn take(&mut self, findings: &mut Findings, number: u64, line: &str) {
        if let Some((_, degrees)) = line.split_once("temperature: ") {
            match degrees.split(' ').next().map(str::parse) {
                Some(Ok(degrees)) => self.0.put(findings, number, "temperature", degrees),
                _ => findings.unread(number, line),
            }
            return;
        }
        let lane = line.strip_prefix("lane ").and_then(|rest| rest.split(':').next());
        let lane = match lane.map(str::parse::<u32>) {
            None => 1,
            Some(Ok(lane)) => lane,
            Some(Err(_)) => return findings.unread(number, line),
        };
        for (way, marks) in [("rx", ["RX power: ", "RX: "]), ("tx", ["TX power: ", "TX: "])] {
            let Some((_, power)) = marks.iter().find_map(|mark| line.split_once(mark)) else {
                continue;
            };
            match power
                .split_once('(')
                .and_then(|(_, rest)| rest.split_once(" dBm"))
            {
                Some((dbm, _)) if dbm.parse::<f64>().is_ok_and(f64::is_finite) => {
                    let dbm = dbm.parse().unwrap_or_default();
                    self.0.put(findings, number, format!("{way}{lane:03}"), dbm);
                }
                // No light at all is an infinity below.
                Some((dbm, _)) if dbm.contains("-inf") || dbm.contains("-Inf") => {}
                _ => findings.unread(number, line),
            }
        }
    }

    /// What a transceiver measures, lane by lane; nothing of a direction of which a lane is missing.
    pub(super) fn into_optics(self) -> Option<Optics> {
        let values = self.0.into_values();
        let lanes = |way: &str| -> Vec<f64> {
            let of_way: Vec<(&String, f64)> = values
                .iter()
                .filter(|(name, _)| name.starts_with(way))
                .map(|(name, dbm)| (name, *dbm))
                .collect();
            let is_whole = (1..)
                .zip(&of_way)
                .all(|(lane, (name, _))| **name == format!("{way}{lane:03}"));
            of_way
                .into_iter()
                .map(|(_, dbm)| dbm)
                .filter(|_| is_whole)
                .collect()
        };
        let optics = Optics {
            received_dbm: lanes("rx"),
            sent_dbm: lanes("tx"),
            temperature_c: values.get("temperature").copied(),
            ..Optics::default()
        };
        (optics != Optics::default()).then_some(optics)
    }
}
