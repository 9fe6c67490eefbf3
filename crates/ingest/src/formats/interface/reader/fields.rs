//! What stands in the places of a rule's pattern, by their names.

use super::{Reader, Stop, Target};
use crate::formats::interface::cut::{self, Pair};
use crate::formats::interface::dialect::Way;
use crate::formats::interface::names::Name;
use crate::formats::interface::pattern::{Captures, SETTING};
use crate::formats::interface::places::starts_without_case;
use crate::formats::interface::taken::{kind, own_name, set};
use crate::formats::interface::value;
use evidence::{InterfaceLoad, RateBps};

impl<'l> Reader<'l> {
    pub(super) fn apply(&mut self, found: &Captures<'l>) -> Result<(), Stop> {
        let over = found.iter().find(|(field, _)| *field == "over");
        let over = over.map_or(self.interval, |(_, text)| value::over_s(text.trim_ascii()));
        // What was held for the line below is for no other, which says nothing without it.
        match found.iter().any(|(field, _)| *field == "of-held") {
            true if self.queue.is_empty() => {
                return Err("figures of what the line above names, which is missing".to_owned());
            }
            true => {}
            false => self.queue.clear(),
        }
        // A rate that was given before is another interface's, and so are those behind it on the line.
        let mut rates = Ok(());
        for (field, text) in found {
            let text = text.trim_ascii();
            match *field {
                "*" | "w" | "n" | "eq" | "points" | "member" | "over" | "of-held" => {}
                // Its figures stand behind it on the line.
                "of-queue" => self.queue = format!("queue {text}"),
                "of-member" => self.queue = format!("member {text}"),
                "mark" => self.queue = self.nest.named(&format!("WRED {text}")),
                // Figures of the same stand on the line below.
                "held-mark" => self.queue = self.nest.named(&format!("WRED {text}")),
                "in-held" => self.queue = format!("input {text}"),
                "out-held" => self.queue = format!("output {text}"),
                "interval" => self.interval = value::over_s(text),
                "list" => self.take_list(text, None)?,
                "in-list" => self.take_list(text, Some(Way::In))?,
                "out-list" => self.take_list(text, Some(Way::Out))?,
                "in-names" => self.take_names(text, Way::In)?,
                "out-names" => self.take_names(text, Way::Out)?,
                "in-rate" | "out-rate" | "in-bits" | "out-bits" | "in-bytes" | "out-bytes" | "in-kbits"
                | "out-kbits" | "in-mbits" | "out-mbits" | "in-kpps" | "out-kpps" | "in-pps" | "out-pps" => {
                    rates = rates.and(self.take_load(field, text, over));
                }
                _ => self.take_field(field, text)?,
            }
        }
        if found
            .iter()
            .any(|(field, _)| matches!(*field, "of-queue" | "of-member" | "mark"))
        {
            self.queue.clear();
        }
        rates
    }

    fn take_list(&mut self, text: &'l str, way: Option<Way>) -> Result<(), Stop> {
        let way = way
            .or(self.section().map(|section| section.way))
            .unwrap_or(Way::Unsaid);
        self.whole(cut::figure_first(text), way, text)
    }

    fn take_names(&mut self, text: &'l str, way: Way) -> Result<(), Stop> {
        self.whole(cut::name_first(text), way, text)
    }

    fn whole(&mut self, pairs: Option<Vec<Pair<'l>>>, way: Way, text: &str) -> Result<(), Stop> {
        match self.take_pairs(pairs, way)? {
            true => Ok(()),
            false => Err(format!("not understood: {text}")),
        }
    }

    fn take_field(&mut self, field: &'static str, text: &str) -> Result<(), Stop> {
        match field {
            // `slot 0 subslot 1 port 3` is 0/1/3.
            "itself" if self.interface.interface != text => {
                Err(format!("a line of {text}, as if the head above it were missing"))
            }
            "itself" => Ok(()),
            "slot" => {
                let numbers = text
                    .split(' ')
                    .filter(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
                self.take_name(&numbers.collect::<Vec<_>>().join("/"))
            }
            "vlan" => self.take_name(&format!("Vlan{text}")),
            "eth" => self.take_name(&format!("Eth{text}")),
            "ethernet" => self.take_name(&format!("Ethernet{text}")),
            "stack" => self.take_name("IP"),
            "flow" => {
                self.take_words("sessions", text)?;
                self.take_name("flows")
            }
            "cpp" => self.take_name(&format!("QFP {text}")),
            "if" | "ifword" | "ifname" | "port" | "alone" | "controller" | "management" | "numbers"
            | "exos" | "srl" | "tunnel" => self.take_name(text.trim_end_matches('*')),
            "state" | "sole-state" | "bare" | "link" => {
                self.take_state(field, text);
                Ok(())
            }
            "description" => {
                let text = text.trim_matches('"');
                let description = (!text.is_empty()).then(|| text.to_owned());
                set(&mut self.interface.description, description, field)
            }
            "mtu" | "first-mtu" | "duplex" | "cleared" => self.take_setting(field, text),
            "kbit" | "speed" | "speed-duplex" | "bandwidth" | "speed-mbit" => self.take_speed(field, text),
            "rx-dbm" | "tx-dbm" | "temperature" | "module-temperature" | "lane" | "of-lane" | "alarm"
            | "rx-flag" | "tx-flag" | "rx-mw" | "tx-mw" => self.take_light(field, text),
            "policy-in" | "policy-out" | "queue" | "policy" | "group" | "level" | "match" | "FPC" | "PFE" => {
                self.take_nested(field, text)
            }
            "plane" => {
                "Control Plane".clone_into(&mut self.interface.interface);
                Ok(())
            }
            "absent" => {
                self.is_nothing = true;
                self.interface.up = (text == "disabled").then_some(false);
                Ok(())
            }
            "unserved" => {
                self.is_nothing = true;
                Ok(())
            }
            "sonet-alarms" | "sonet-defects" => self.take_alarms(field, text),
            _ => match field.strip_prefix(SETTING) {
                Some(name) => self.take_words(name, text),
                None => self.take_kind(field, text),
            },
        }
    }

    /// A setting that stays in the device's words.
    fn take_words(&mut self, name: &str, text: &str) -> Result<(), Stop> {
        self.is_of_told_class()?;
        if value::is_unset(text) {
            return Ok(());
        }
        let (name, text) = (self.grouped(name.into()).into_owned(), text.trim_end_matches(','));
        match self.interface.settings.get(&name) {
            Some(known) if known != text => {
                // Either may be another's.
                self.interface.settings.remove(&name);
                Err(format!("{name} is given twice with different values"))
            }
            _ => {
                self.interface.settings.insert(name, text.to_owned());
                Ok(())
            }
        }
    }

    /// What stands where classes do is of one that is named.
    fn is_of_told_class(&self) -> Result<(), Stop> {
        match self.section().is_some_and(|section| section.is_of_group) && !self.nest.is_told() {
            true => Err("figures of a class that is not told".to_owned()),
            false => Ok(()),
        }
    }

    fn take_name(&mut self, text: &str) -> Result<(), Stop> {
        let name = text.trim_matches(['"', ',']).to_owned();
        match self.interface.interface.as_str() {
            "" => self.interface.interface = name,
            known if known != name => return Err(format!("{name} below the head of {known}")),
            _ => {}
        }
        Ok(())
    }

    fn take_state(&mut self, field: &str, text: &str) {
        let (up, said) = (self.interface.up, value::is_up(text));
        self.interface.up = match (field, up, said) {
            // The protocol is down where the line is down, and may be where it is not.
            ("link", Some(false), _) => Some(false),
            // Without the state of the line it says nothing: spoofed ones are up.
            ("link", None, Some(true)) => None,
            (_, up, said) => said.or(up),
        };
    }

    fn take_setting(&mut self, field: &'static str, text: &str) -> Result<(), Stop> {
        let interface = &mut self.interface;
        match field {
            // Switched ports have none, and Junos prints 0.
            "mtu" => {
                let mtu = cut::figure(text).and_then(|mtu| mtu.try_into().ok());
                set(&mut interface.mtu_bytes, mtu.filter(|mtu| *mtu > 0), field)
            }
            "first-mtu" => {
                interface.mtu_bytes = interface.mtu_bytes.or(text.parse().ok().filter(|mtu| *mtu > 0));
                Ok(())
            }
            "duplex" => {
                let duplex = value::duplex(text).map(str::to_owned);
                set(&mut interface.duplex, duplex, field)
            }
            _ => set(
                &mut interface.counting_for_s,
                value::since_s(text),
                "last clearing",
            ),
        }
    }

    fn take_speed(&mut self, field: &str, text: &str) -> Result<(), Stop> {
        let interface = &mut self.interface;
        let speed = match field {
            "kbit" => {
                let bps = cut::figure(text).map(|kbit| RateBps(kbit as f64 * 1e3));
                let bps = bps.filter(|bps| bps.0 > 0.0);
                return set(&mut interface.bandwidth_bps, bps, "bandwidth");
            }
            // Of bundles too.
            "bandwidth" => return set(&mut interface.bandwidth_bps, value::speed(text), "bandwidth"),
            // That of a bundle is the speed of one of its ports.
            "speed" if starts_without_case(&interface.interface, "po") => None,
            "speed" => value::speed(text),
            "speed-mbit" => value::speed(&format!("{text} Mbps")),
            // What a port could negotiate says nothing while it is down.
            _ if interface.up != Some(true) => None,
            _ => {
                let (speed, duplex) = value::speed_and_duplex(text);
                interface.bandwidth_bps = interface.bandwidth_bps.or(speed);
                return set(&mut interface.duplex, duplex.map(str::to_owned), "duplex");
            }
        };
        // What it is configured with stands before what it negotiated.
        interface.bandwidth_bps = interface.bandwidth_bps.or(speed);
        Ok(())
    }

    fn take_light(&mut self, field: &'static str, text: &str) -> Result<(), Stop> {
        let interface = &mut self.interface;
        match field {
            "lane" => self.light.begin(text),
            "of-lane" => self.light.turn_to(text),
            "alarm" => {
                self.light.alarm(interface, text);
                Ok(())
            }
            "rx-flag" | "tx-flag" => {
                let way = if field == "rx-flag" {
                    "Rx Power"
                } else {
                    "Tx Power"
                };
                if let Some(flag) = value::flag(text) {
                    self.light.alarm(interface, &format!("{way} {flag}"));
                }
                Ok(())
            }
            "rx-mw" => self.light.say(interface, "light received", format!("{text} mW")),
            "tx-mw" => self.light.say(interface, "light sent", format!("{text} mW")),
            _ => self.light.take(interface, field, text),
        }
    }

    fn take_nested(&mut self, field: &str, text: &str) -> Result<(), Stop> {
        match field {
            "policy-in" => self.nest.begin("input", text),
            "policy-out" => self.nest.begin("output", text),
            "policy" => self.nest.policy(self.indentation, text),
            "group" => {
                // The line that names the policy is one that a filter took: it is another one's where classes come again.
                match self.way {
                    _ if !self.nest.is_empty() => {}
                    Some(way) => self.nest.begin(way, "policy")?,
                    None if self.is_filtered => self.nest.begin_untold(),
                    None => {}
                }
                self.nest.group(self.indentation, text)
            }
            "level" => self.nest.name_level(text),
            "FPC" | "PFE" => self.nest.part(field, text),
            "queue" => {
                self.nest.queue(text);
                Ok(())
            }
            _ => {
                self.nest.matches(self.indentation);
                Ok(())
            }
        }
    }

    fn take_alarms(&mut self, field: &str, text: &str) -> Result<(), Stop> {
        let title = field.replace("sonet-", "SONET ");
        let names = text.split(',').map(str::trim_ascii);
        for name in names.filter(|name| !matches!(*name, "" | "None")) {
            let name = format!("{title} {name}");
            let place = (0, 0, Name::Made(name.clone().into()));
            self.put(place, Target::Own(name), 1)?;
        }
        Ok(())
    }

    /// A place that is named after a kind of counter.
    fn take_kind(&mut self, field: &'static str, text: &str) -> Result<(), Stop> {
        // Above the first title counters stand between settings.
        self.counted |= self.section > 0;
        let target = match kind(field) {
            Some(kind) => Target::Kind(kind),
            None => {
                let section = self.section();
                let way = section.map_or(Way::Unsaid, |section| section.way);
                Target::Own(self.grouped(own_name(section, way, field).into()).into_owned())
            }
        };
        self.is_of_told_class()?;
        if self.nest.is_of_match(self.indentation, field) {
            return Ok(());
        }
        let key = Name::Made(self.grouped(field.into()));
        match cut::figure(text.split(' ').next().unwrap_or(text)) {
            Some(value) => self.put((self.section, 0, key), target, value),
            None => Ok(()),
        }
    }

    /// Where several averages are printed, the first stands: it is the shortest.
    fn take_load(&mut self, field: &str, text: &str, over: Option<u64>) -> Result<(), Stop> {
        let bits = |text: &str| text.replace(',', "").parse().ok().map(RateBps);
        let in_unit = |unit: &str| value::rate(&format!("{} {unit}", text.replace(',', "")));
        let (bps, pps) = match field {
            "in-rate" | "out-rate" => (value::rate(text), None),
            "in-bits" | "out-bits" => (bits(text), None),
            "in-bytes" | "out-bytes" => (bits(text).map(|bytes| RateBps(bytes.0 * 8.0)), None),
            "in-kbits" | "out-kbits" => (in_unit("Kbps"), None),
            "in-mbits" | "out-mbits" => (in_unit("Mbps"), None),
            "in-kpps" | "out-kpps" => (None, value::packets_per_s(&format!("{text} Kpps"))),
            _ => (None, value::packets_per_s(text)),
        };
        if bps.is_none() && pps.is_none() {
            return Ok(());
        }
        let load = self.interface.load.get_or_insert(InterfaceLoad {
            over_s: over,
            ..InterfaceLoad::default()
        });
        if load.over_s != over {
            return Ok(());
        }
        let is_input = field.starts_with("in");
        let (bps_slot, pps_slot) = match is_input {
            true => (&mut load.input_bps, &mut load.input_pps),
            false => (&mut load.output_bps, &mut load.output_pps),
        };
        set(bps_slot, bps, "rate")?;
        set(pps_slot, pps, "rate")
    }
}
