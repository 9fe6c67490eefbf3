//! The lines of one interface, read by a dialect.
//!
//! What is taken stays provisional to the end: a name that comes again with another figure, or one that only counts what is
//! sent under a title of what is received, shows that a line is missing, and from there on nothing is taken.

use super::cut::{self, Pair};
use super::dialect::{Cut, Meaning, Place, Rule, Section, Way};
use super::line::Line;
use super::names::{Known, Name};
use super::nest::Nest;
use super::pattern::{self, Captures, starts_without_case};
use super::prepared::{Prepared, Row};
use super::taken::{Light, kind, meaning, own_name, set};
use super::value;
use crate::sieve::Glance;
use evidence::{CounterKind, InterfaceCounters, InterfaceLoad, RateBps};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What a dialect makes of the lines of an interface.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) interface: InterfaceCounters,
    /// Lines, and what is wrong with them.
    pub(super) complaints: Vec<((u64, u64), String)>,
    /// Lines below the head that were understood.
    pub(super) understood: usize,
    /// Its head says all: that nothing is installed there.
    pub(super) is_nothing: bool,
}

/// A counter that was taken.
struct Taken {
    value: u64,
    target: Target,
}

enum Target {
    Kind(CounterKind),
    Own(String),
}

/// A counter's place: section, direction and the maker's name.
type Key<'l> = (usize, u8, Name<'l>);

/// A dialect that reads an interface line by line.
pub(super) struct Reader<'l> {
    pub(super) prepared: &'static Prepared,
    /// The lines below the head, and how many of them were read.
    below: &'l [Line<'l>],
    read: usize,
    interface: InterfaceCounters,
    section: usize,
    taken: BTreeMap<Key<'l>, Taken>,
    /// The text of each rule for lines above the counters, by the rule's first words.
    seen: BTreeMap<&'static str, &'l str>,
    /// The time over which rates are averaged, where a line above them tells.
    interval: Option<u64>,
    complaints: Vec<((u64, u64), String)>,
    understood: usize,
    /// Lines below the head are indented.
    is_indented: bool,
    /// Counters were taken, not only what is printed above them.
    counted: bool,
    /// A name on the line in hand that is the beginning of another.
    cut_name: Option<String>,
    /// What the names of counters stand below: a policy and its classes.
    nest: Nest,
    /// The queue that the line in hand is about.
    queue: String,
    /// Light of a transceiver, by its lanes.
    light: Light,
    /// Of the line in hand.
    indentation: usize,
    /// The head says that there is nothing.
    is_nothing: bool,
}

/// The section below a title that is not known.
const NOWHERE: usize = usize::MAX;

/// Why nothing more is taken of an interface.
type Stop = String;

impl<'l> Reader<'l> {
    /// Begins with the head; `None` where the first line is none of this dialect.
    pub(super) fn begin(prepared: &'static Prepared, lines: &'l [Line<'l>]) -> Option<Self> {
        let (head, below) = lines.split_first()?;
        let found = prepared.head(&head.text)?;
        let mut reader = Self::new(prepared, below);
        // A head gives each value once.
        let _ = reader.apply(&found);
        reader.is_indented = below
            .iter()
            .find(|line| !line.text.is_empty())
            .is_some_and(|line| line.indentation > 0);
        Some(reader)
    }

    /// Reads the next line; whether there was one.
    pub(super) fn step(&mut self) -> bool {
        let Some(line) = self.below.get(self.read) else {
            return false;
        };
        self.read += 1;
        if line.is_empty() {
            return true;
        }
        if let Err(why) = self.take(line) {
            let last = self.below.last().map_or(line.number, |last| last.number);
            let called = self.called();
            let why = format!("{why}: nothing of {called} is read from here on");
            self.complaints.push(((line.number, last), why));
            self.read = self.below.len();
        }
        true
    }

    /// How many lines below the head were not understood so far.
    pub(super) fn missed(&self) -> usize {
        self.read - self.understood
    }

    /// How much there is to complain about so far.
    pub(super) fn complaint_count(&self) -> usize {
        self.complaints.len()
    }

    fn new(prepared: &'static Prepared, below: &'l [Line<'l>]) -> Self {
        Self {
            prepared,
            below,
            read: 0,
            interface: InterfaceCounters::default(),
            section: 0,
            taken: BTreeMap::new(),
            seen: BTreeMap::new(),
            interval: None,
            complaints: Vec::new(),
            understood: 0,
            is_indented: false,
            counted: false,
            cut_name: None,
            nest: Nest::default(),
            queue: String::new(),
            light: Light::default(),
            indentation: 0,
            is_nothing: false,
        }
    }

    fn called(&self) -> &str {
        match self.interface.interface.as_str() {
            "" => "the interface",
            name => name,
        }
    }

    fn complain(&mut self, lines: (u64, u64), why: String) {
        self.complaints.push((lines, why));
    }

    fn section(&self) -> Option<&'static Section> {
        self.prepared.dialect.sections.get(self.section)
    }

    fn take(&mut self, line: &'l Line<'l>) -> Result<(), Stop> {
        let whole = line;
        let (number, indentation) = (line.number, line.indentation);
        let line: &'l str = &line.text;
        self.understood += 1;
        self.indentation = indentation;
        let glance = whole.glance();
        let mut rows = self.prepared.rows(self.section, line, &glance);
        match rows.find(|(row, _)| self.is_open_to(row)) {
            Some((Row::Title(section), found)) => {
                self.section = section;
                return self.apply(&found);
            }
            Some((Row::Rule(_, rule), found)) => {
                self.keep_place(rule, line)?;
                return self.apply(&found);
            }
            None => {}
        }
        if self.take_counters(line)? {
            if let Some(name) = self.cut_name.take() {
                self.complain((number, number), format!("the name of a counter is cut: {name}"));
            }
            return Ok(());
        }
        self.understood -= 1;
        // It may be the first one of another device's output.
        if indentation == 0
            && (self.is_indented || whole.has_figure_or_name())
            && !(self.prepared.dialect.is_flat && whole.is_setting())
        {
            return Err(format!("not understood: {line}"));
        }
        // Between settings there are titles as well.
        let is_below_settings = !self.counted && self.section == 0;
        let is_title = line.ends_with(':') && !is_below_settings || self.prepared.is_like_title(line);
        if is_title && self.prepared.dialect.sections.len() > 1 {
            self.section = NOWHERE;
            self.nest.lose();
        }
        if whole.has_figure() && !whole.is_setting() {
            self.complain((number, number), format!("not understood: {line}"));
        }
        Ok(())
    }

    /// Below a title that is not known only titles and lines without figures are.
    fn is_open_to(&self, row: &Row) -> bool {
        match row {
            Row::Rule(_, rule) => self.section != NOWHERE || !pattern::has_value(rule.pattern),
            Row::Title(_) => true,
        }
    }

    /// A line that stands above counters must not stand below them, nor come again with another text.
    fn keep_place(&mut self, rule: &Rule, line: &'l str) -> Result<(), Stop> {
        match rule.place {
            Place::Any => return Ok(()),
            Place::Never => return Err("the title or head above this line is missing".to_owned()),
            Place::Above | Place::Once | Place::Sole => {}
        }
        if self.counted {
            // Nothing of this interface stood above the counters: they are those of the one before it.
            if self.seen.is_empty() {
                self.taken.clear();
            }
            return Err(
                "a line below counters that stands above them, as if the head of an interface were missing"
                    .to_owned(),
            );
        }
        // "Hardware is …" and "Hardware: …" are the same in two dialects.
        let first_word = rule.pattern.split([' ', ':', '{']).next().unwrap_or("");
        let key = match rule.place {
            Place::Once | Place::Sole => first_word,
            _ => rule.pattern,
        };
        match self.seen.get(key) {
            Some(_) if rule.place == Place::Sole => Err(format!("given again: {line}")),
            Some(seen) if *seen != line && rule.place == Place::Once => Err(format!("given twice: {line}")),
            Some(_) => Ok(()),
            None => {
                self.seen.insert(key, line);
                Ok(())
            }
        }
    }

    /// Whether the line holds counters of this section.
    fn take_counters(&mut self, line: &'l str) -> Result<bool, Stop> {
        let Some(section) = self.section() else {
            return Ok(false);
        };
        match section.cut {
            Cut::No => Ok(false),
            Cut::FigureFirst => self.take_pairs(cut::figure_first(line), section.way),
            Cut::NameFirst => self.take_pairs(cut::name_first(line), section.way),
            Cut::Either => self.take_pairs(cut::either(line), section.way),
            Cut::Alternating => self.take_pairs(cut::alternating(line), section.way),
            Cut::Equated => self.take_pairs(cut::equated(line), section.way),
            Cut::Columns(columns) => {
                let Some((name, figures)) = cut::columns(line, columns) else {
                    return Ok(false);
                };
                let ways = match section.way {
                    Way::Both => [Way::In, Way::Out],
                    way => [way, way],
                };
                for (way, figure) in ways.into_iter().zip(figures) {
                    self.count(&mut Way::Unsaid, way, name.into(), figure)?;
                }
                Ok(true)
            }
            Cut::Seconds => self.take_seconds(line),
        }
    }

    fn take_pairs(&mut self, pairs: Option<Vec<Pair<'l>>>, way: Way) -> Result<bool, Stop> {
        let Some(pairs) = pairs else {
            return Ok(false);
        };
        // The first counters are known ones: what else has figures in front of words stands above them.
        let knows = |name: &str| self.prepared.known(self.section, name).word.is_some();
        let has_words = self.section().is_some_and(|section| !section.words.is_empty());
        if has_words && !self.counted && !pairs.iter().any(|(name, _)| knows(name)) {
            return Ok(false);
        }
        // "37439574 packets input, 2747274064 bytes": the bytes are those of the packets before them.
        let mut last = Way::Unsaid;
        for (name, figure) in pairs {
            self.count(&mut last, way, name.into(), figure)?;
        }
        Ok(true)
    }

    /// SONET: `BIP-B1   46   51  OK`, seconds and count; `ES-S   46`, seconds.
    fn take_seconds(&mut self, line: &'l str) -> Result<bool, Stop> {
        let line = line
            .trim_end_matches(|c: char| c.is_ascii_alphabetic())
            .trim_ascii_end();
        let Some((name, figures)) = cut::columns(line, 2) else {
            return Ok(false);
        };
        let name = match figures.len() {
            1 => Cow::Owned(format!("{name} seconds")),
            _ => name.into(),
        };
        let figure = figures.last().copied().flatten();
        self.count(&mut Way::Unsaid, Way::In, name, figure)?;
        Ok(true)
    }

    /// Takes a counter by the maker's name of it. `last` is the direction of the one before it on the line.
    fn count(
        &mut self,
        last: &mut Way,
        way: Way,
        name: Cow<'l, str>,
        figure: Option<u64>,
    ) -> Result<(), Stop> {
        let known = self.prepared.known(self.section, &name);
        if known.is_beginning {
            self.cut_name = Some(name.into_owned());
            return Ok(());
        }
        let (meaning, way) = self.meaning(&name, known, way, *last)?;
        if way != Way::Unsaid {
            *last = way;
        }
        self.counted = true;
        let Some(value) = figure else {
            return Ok(());
        };
        let target = match meaning {
            Meaning::Kind(kind) => Target::Kind(kind),
            Meaning::Own => Target::Own(
                self.grouped(own_name(self.section(), way, &name).into())
                    .into_owned(),
            ),
        };
        let name = match self.stands_below() {
            true => Name::Made(self.grouped(name.to_ascii_lowercase().into())),
            false => Name::of(name),
        };
        self.put((self.section, way as u8, name), target, value)
    }

    fn meaning(&mut self, name: &str, known: Known, way: Way, last: Way) -> Result<(Meaning, Way), Stop> {
        let (meaning, way) = match known.word {
            None if self.section().is_some_and(|section| section.is_closed) => (None, way),
            None => (Some(Meaning::Own), way),
            Some(word) => meaning(word, way, last),
        };
        let Some(meaning) = meaning else {
            self.forget_section(self.section);
            return Err(format!(
                "{name} is not counted in this direction, as if a title were missing"
            ));
        };
        Ok((meaning, way))
    }

    /// Gives up what was taken in a section.
    fn forget_section(&mut self, section: usize) {
        self.taken.retain(|(of, ..), _| *of != section);
    }

    /// Whether names stand below a queue, or a policy and class.
    fn stands_below(&self) -> bool {
        !self.queue.is_empty() || !self.nest.is_empty()
    }

    /// The name behind those of its policy and class.
    fn grouped<'n>(&self, name: Cow<'n, str>) -> Cow<'n, str> {
        match self.queue.as_str() {
            "" if !self.stands_below() => name,
            "" => Cow::Owned(self.nest.named(&name)),
            queue => Cow::Owned(format!("{queue} {name}")),
        }
    }

    fn put(&mut self, key: Key<'l>, target: Target, value: u64) -> Result<(), Stop> {
        let section = key.0;
        match self.taken.entry(key) {
            Entry::Vacant(place) => {
                place.insert(Taken { value, target });
                Ok(())
            }
            Entry::Occupied(mut known) if known.get().value == value => {
                known.insert(Taken { value, target });
                Ok(())
            }
            Entry::Occupied(known) => {
                let name = known.key().2.shown();
                // Either may be another's, and so may what stands beside it.
                self.forget_section(section);
                Err(format!("{name} is given twice with different figures"))
            }
        }
    }

    fn apply(&mut self, found: &Captures<'l>) -> Result<(), Stop> {
        let over = found.iter().find(|(field, _)| *field == "over");
        let over = over.map_or(self.interval, |(_, text)| value::over_s(text.trim_ascii()));
        for (field, text) in found {
            let text = text.trim_ascii();
            match *field {
                "*" | "w" | "n" | "eq" | "member" | "over" => {}
                // Its figures stand behind it on the line.
                "of-queue" => self.queue = format!("queue {text}"),
                "interval" => self.interval = value::over_s(text),
                "list" => self.take_list(text, None)?,
                "in-list" => self.take_list(text, Some(Way::In))?,
                "out-list" => self.take_list(text, Some(Way::Out))?,
                "in-names" => self.take_names(text, Way::In)?,
                "out-names" => self.take_names(text, Way::Out)?,
                "in-rate" | "out-rate" | "in-bits" | "out-bits" | "in-bytes" | "out-bytes" | "in-mbits"
                | "out-mbits" | "in-pps" | "out-pps" => self.take_load(field, text, over)?,
                _ => self.take_field(field, text)?,
            }
        }
        if found.iter().any(|(field, _)| *field == "of-queue") {
            self.queue.clear();
        }
        Ok(())
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
        let interface = &mut self.interface;
        match field {
            "if" | "ifword" | "ifname" | "port" | "alone" => {
                let name = text.trim_matches(['"', ',']).to_owned();
                match interface.interface.as_str() {
                    "" => interface.interface = name,
                    known if known != name => return Err(format!("{name} below the head of {known}")),
                    _ => {}
                }
                Ok(())
            }
            "state" | "bare" => {
                interface.up = value::is_up(text).or(interface.up);
                Ok(())
            }
            // The protocol is down where the line is down, and may be where it is not.
            "link" => {
                let link = value::is_up(text);
                interface.up = match (interface.up, link) {
                    (Some(false), _) => Some(false),
                    // Without the state of the line it says nothing: spoofed ones are up.
                    (None, Some(true)) => None,
                    (up, link) => link.or(up),
                };
                Ok(())
            }
            "description" => {
                let text = text.trim_matches('"');
                set(
                    &mut interface.description,
                    (!text.is_empty()).then(|| text.to_owned()),
                    field,
                )
            }
            // Switched ports have none, and Junos prints 0.
            "mtu" => set(
                &mut interface.mtu_bytes,
                cut::figure(text)
                    .and_then(|mtu| mtu.try_into().ok())
                    .filter(|mtu| *mtu > 0),
                field,
            ),
            "first-mtu" => {
                interface.mtu_bytes = interface.mtu_bytes.or(text.parse().ok().filter(|mtu| *mtu > 0));
                Ok(())
            }
            "kbit" => {
                let bps = cut::figure(text)
                    .map(|kbit| RateBps(kbit as f64 * 1e3))
                    .filter(|bps| bps.0 > 0.0);
                set(&mut interface.bandwidth_bps, bps, "bandwidth")
            }
            // What it is configured with stands before what it negotiated.
            // That of a bundle is the speed of one of its ports.
            "speed" if starts_without_case(&interface.interface, "po") => Ok(()),
            "speed" => {
                interface.bandwidth_bps = interface.bandwidth_bps.or(value::speed(text));
                Ok(())
            }
            // What a port could negotiate says nothing while it is down.
            "speed-duplex" if interface.up == Some(true) => {
                let (speed, duplex) = value::speed_and_duplex(text);
                interface.bandwidth_bps = interface.bandwidth_bps.or(speed);
                set(&mut interface.duplex, duplex.map(str::to_owned), "duplex")
            }
            "speed-duplex" => Ok(()),
            // Of bundles too.
            "bandwidth" => set(&mut interface.bandwidth_bps, value::speed(text), "bandwidth"),
            "speed-mbit" => {
                let speed = value::speed(&format!("{text} Mbps"));
                interface.bandwidth_bps = interface.bandwidth_bps.or(speed);
                Ok(())
            }
            "rx-dbm" | "tx-dbm" | "temperature" => self.light.take(interface, field, text),
            "lane" => self.light.begin(text),
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
                self.light
                    .alarm(interface, &format!("{way} {}", value::flag(text)));
                Ok(())
            }
            "rx-mw" => self.light.say(interface, "light received", format!("{text} mW")),
            "tx-mw" => self.light.say(interface, "light sent", format!("{text} mW")),
            "policy-in" => self.nest.begin("input", text),
            "policy-out" => self.nest.begin("output", text),
            "queue" => {
                self.nest.queue(text);
                Ok(())
            }
            "policy" => self.nest.policy(self.indentation, text),
            "group" => self.nest.group(self.indentation, text),
            "level" => self.nest.name_level(text),
            "match" => {
                self.nest.matches(self.indentation);
                Ok(())
            }
            "plane" => {
                "Control Plane".clone_into(&mut interface.interface);
                Ok(())
            }
            "absent" => {
                self.is_nothing = true;
                Ok(())
            }
            "duplex" => {
                let duplex = value::duplex(text).map(str::to_owned);
                set(&mut interface.duplex, duplex, field)
            }
            "cleared" => set(
                &mut interface.counting_for_s,
                value::since_s(text),
                "last clearing",
            ),
            "sonet-alarms" | "sonet-defects" => {
                let title = field.replace("sonet-", "SONET ");
                for name in text
                    .split(',')
                    .map(str::trim_ascii)
                    .filter(|name| !matches!(*name, "" | "None"))
                {
                    let name = format!("{title} {name}");
                    let place = (0, 0, Name::Made(name.clone().into()));
                    self.put(place, Target::Own(name), 1)?;
                }
                Ok(())
            }
            _ => self.take_kind(field, text),
        }
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
        if self.section().is_some_and(|section| section.is_of_group) && !self.nest.is_told() {
            return Err("figures of a class that is not told".to_owned());
        }
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
        let megabits = |text: &str| value::rate(&format!("{text} Mbps"));
        let (bps, pps) = match field {
            "in-rate" | "out-rate" => (value::rate(text), None),
            "in-bits" | "out-bits" => (bits(text), None),
            "in-bytes" | "out-bytes" => (bits(text).map(|bytes| RateBps(bytes.0 * 8.0)), None),
            "in-mbits" | "out-mbits" => (megabits(text), None),
            _ => (None, value::packets_per_s(text)),
        };
        if bps.is_none() && pps.is_none() {
            return Ok(());
        }
        let load = self.interface.load.get_or_insert(InterfaceLoad {
            over_s: over,
            input_bps: None,
            input_pps: None,
            output_bps: None,
            output_pps: None,
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

    pub(super) fn finish(mut self) -> Reading {
        std::mem::take(&mut self.light).finish(&mut self.interface);
        let counters = &mut self.interface.counters;
        for taken in self.taken.into_values() {
            match taken.target {
                // Several names can mean the same: a sum would count twice.
                Target::Kind(kind) => {
                    let counted = counters.entry(kind).or_insert(taken.value);
                    *counted = (*counted).max(taken.value);
                }
                Target::Own(name) => {
                    self.interface.other.insert(name, taken.value);
                }
            }
        }
        Reading {
            interface: self.interface,
            complaints: self.complaints,
            understood: self.understood,
            is_nothing: self.is_nothing,
        }
    }
}

/// Whether a line without indentation is one of an interface of this dialect: what it looks like, or a counter that it knows.
/// `figure_first` holds how most dialects cut the line, once one of them did.
pub(super) fn claims<'l>(
    prepared: &'static Prepared,
    line: &'l str,
    glance: &Glance,
    figure_first: &OnceCell<Option<Vec<Pair<'l>>>>,
) -> bool {
    let dialect = prepared.dialect;
    let looks_so = |row: Row| match row {
        Row::Title(_) => true,
        Row::Rule(_, rule) => pattern::is_telling(rule.pattern),
    };
    if prepared.rows_anywhere(line, glance).any(looks_so) {
        return true;
    }
    let mut sections = dialect.sections.iter().enumerate();
    sections.any(|(place, section)| {
        let knows = |name: &str| dialect.is_flat || prepared.known(place, name).word.is_some();
        let counts = |pairs: &Option<Vec<Pair<'_>>>| {
            pairs
                .as_ref()
                .is_some_and(|pairs| pairs.iter().any(|(name, _)| knows(name)))
        };
        match section.cut {
            Cut::FigureFirst => counts(figure_first.get_or_init(|| cut::figure_first(line))),
            Cut::NameFirst => counts(&cut::name_first(line)),
            Cut::Either => counts(&cut::either(line)),
            Cut::Alternating => counts(&cut::alternating(line)),
            Cut::Equated => counts(&cut::equated(line)),
            Cut::Columns(columns) => cut::columns(line, columns).is_some_and(|(name, _)| knows(name)),
            Cut::Seconds | Cut::No => false,
        }
    })
}
