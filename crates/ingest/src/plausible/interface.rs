//! Counters of interfaces.

use super::hosts::is_cut;
use super::{Gate, HIGHEST_RATE_BPS};
use evidence::{CounterKind, InterfaceCounters, RateBps};

/// Devices average what they show, and count the preamble or leave it out: so much above the speed is still the speed.
const ABOVE_SPEED: f64 = 1.1;
/// "1d" is up to a day too short: a mean since then may come out at almost twice the speed.
const ABOVE_SPEED_SINCE: f64 = 2.2;
/// Some makers count errors beside the packets, not among them, so that errors alone prove nothing; so many times the
/// packets are no count.
const ERRORS_A_PACKET: u64 = 100;
/// Below it, errors without packets are a broken cable.
const MANY_ERRORS: u64 = 100_000_000;

/// What `ifSpeed` says of any interface that is faster (RFC 2863), in bits or rounded to kilobits by what asked for it. No link runs at it.
const FULL_IF_SPEED_BPS: std::ops::RangeInclusive<f64> = 4_294_967_000.0..=4_294_967_295.0;

/// Whether an interface has no wire. The bandwidth of such a one is a figure for routing, or a default: a tunnel of 100 kbit/s carries
/// whatever its path does, and a VLAN more than any of its ports.
fn is_of_software(name: &str) -> bool {
    const KINDS: [&str; 9] = [
        "bdi", "bvi", "dialer", "loopback", "null", "nve", "tunnel", "virtual-", "vlan",
    ];
    // As people type them.
    const SHORT: [&str; 2] = ["tu", "vl"];
    let begins = |kind: &str| {
        name.get(..kind.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(kind))
    };
    let is_numbered = |kind: &str| name.as_bytes().get(kind.len()).is_some_and(u8::is_ascii_digit);
    KINDS.iter().any(|kind| begins(kind)) || SHORT.iter().any(|kind| begins(kind) && is_numbered(kind))
}

impl Gate {
    pub(super) fn interface(&mut self, seen: &mut InterfaceCounters) -> bool {
        self.node(&mut seen.device);
        if seen.interface.contains('$') {
            self.say(format!("{} is no name of an interface", seen.interface));
            seen.interface.clear();
        }
        if is_cut(&seen.interface) {
            self.say(format!("the name of an interface is cut: {}", seen.interface));
            seen.interface.clear();
        }
        let before = self.reasons.len();
        self.counters(&mut seen.counters);
        self.counters(&mut seen.other);
        self.check(&mut seen.mtu_bytes, "an MTU of", |bytes| bytes > 0);
        self.rate(&mut seen.bandwidth_bps, "a bandwidth");
        let is_full = |speed: RateBps| FULL_IF_SPEED_BPS.contains(&speed.0);
        if is_of_software(&seen.interface) || seen.bandwidth_bps.is_some_and(is_full) {
            seen.bandwidth_bps = None;
        }
        self.load(seen);
        self.means(seen);
        self.errors(seen);
        if let Some(optics) = &mut seen.optics {
            for dbm in [&mut optics.received_dbm, &mut optics.sent_dbm] {
                self.retain(dbm, "figures of light", |dbm| dbm.is_finite());
            }
            self.check(&mut optics.temperature_c, "a temperature of", |c| {
                (-273.0..2_000.0).contains(&c)
            });
        }
        let understood = !is_bare(seen);
        if !understood && self.reasons.len() == before {
            self.say(format!("nothing of interface {} was understood", seen.interface));
        }
        understood
    }

    fn load(&mut self, seen: &mut InterfaceCounters) {
        let before = self.reasons.len();
        let Some(load) = &mut seen.load else {
            return;
        };
        for (rate, name) in [
            (&mut load.input_bps, "an input rate"),
            (&mut load.output_bps, "an output rate"),
        ] {
            self.rate(rate, name);
            self.contradict(
                rate,
                &mut seen.bandwidth_bps,
                |load, speed| load.0 <= speed.0 * ABOVE_SPEED || speed.0 == 0.0,
                |load, speed| format!("{name} of {load} over an interface of {speed} cannot be"),
            );
        }
        for pps in [&mut load.input_pps, &mut load.output_pps] {
            self.check(pps, "packets per second:", |pps| {
                (0.0..=HIGHEST_RATE_BPS).contains(&pps)
            });
        }
        let rates = load.input_bps.is_some() || load.output_bps.is_some();
        if self.reasons.len() > before && !rates && load.input_pps.is_none() && load.output_pps.is_none() {
            seen.load = None;
        }
    }

    /// What was counted, in the time that it was counted in.
    fn means(&mut self, seen: &mut InterfaceCounters) {
        for kind in [CounterKind::InputBytes, CounterKind::OutputBytes] {
            let (Some(bytes), Some(s)) = (seen.counters.get(&kind).copied(), seen.counting_for_s) else {
                continue;
            };
            let (Some(mean), Some(speed)) = (
                RateBps::of_bytes(bytes, s.saturating_mul(1_000_000_000)),
                seen.bandwidth_bps.filter(|speed| speed.0 > 0.0),
            ) else {
                continue;
            };
            if mean.0 > speed.0 * ABOVE_SPEED_SINCE {
                seen.counters.remove(&kind);
                seen.counting_for_s = None;
                self.say(format!(
                    "{bytes} bytes in {s} s over an interface of {speed} cannot be: neither bytes nor time are used"
                ));
            }
        }
    }

    fn errors(&mut self, seen: &mut InterfaceCounters) {
        let packets = |kind: CounterKind| seen.counters.get(&kind).copied();
        let gross: Vec<(CounterKind, u64, u64)> = seen
            .counters
            .iter()
            .filter_map(|(kind, count)| Some((*kind, *count, packets(kind.share_of()?)?)))
            .filter(|(_, count, of)| *count > MANY_ERRORS && *count > of.saturating_mul(ERRORS_A_PACKET))
            .collect();
        for (kind, count, of) in gross {
            seen.counters.remove(&kind);
            self.say(format!(
                "{kind:?} {count} beside {of} packets cannot be: it is not used"
            ));
        }
    }
}

/// Whether there is nothing but its name. Tables of descriptions say no more than that it is up.
fn is_bare(seen: &InterfaceCounters) -> bool {
    seen.up.is_none()
        && seen.counters.is_empty()
        && seen.other.is_empty()
        && seen.load.is_none()
        && seen.optics.is_none()
        && seen.mtu_bytes.is_none()
        && seen.bandwidth_bps.is_none()
        && seen.duplex.is_none()
        && seen.counting_for_s.is_none()
        && seen.settings.is_empty()
}
