//! What stands above tells of the output that comes next: at whose prompt it was printed, and when.

use crate::command::{Dates, asks_many, is_several, place, prompted};
use crate::context::Event;
use crate::host::host;
use crate::prompt::{CommandLine, is_nobodys};
use crate::script::{Said, Script};
use crate::when::clock;
use evidence::{Node, Payload, Timestamp};

/// What is known of the next output. Prose ends it: behind it, anybody's output may follow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scene {
    /// The host that prints; unknown when nothing tells.
    place: Node,
    /// What was typed prints more than one output, all of them of this host.
    is_several: bool,
    /// What was typed is what devices alone take: whatever it prints of ports is of the device, which a script's output may not be.
    is_asked: bool,
    /// What was typed runs on many hosts, and names each of them before what it says.
    is_of_many: bool,
    /// The name before each line of the output above, where no command tells whether it is a host's.
    before: Option<String>,
    /// The line above is a rule of those that stand around the names of hosts.
    is_below_rule: bool,
    /// What `date` printed above.
    at: Option<Timestamp>,
    /// What a date among what was typed is about.
    dates: Dates,
    /// What was typed, where it tells more of what comes than one command does.
    pub(crate) script: Script,
    /// The host that named itself, at whose prompt things are typed.
    named: Option<String>,
}

/// Longer words between rules are no names of hosts.
const LONGEST_NAME: usize = 64;

impl Scene {
    /// Something was typed.
    pub(crate) fn typed(&mut self, typed: &CommandLine<'_>) {
        self.script = Script::default();
        let device = typed.device();
        let named = self.named.take().filter(|_| device.is_none());
        let place = place(&at(typed, named.as_deref()));
        let is_here = place.is_some() && place == named.as_deref();
        if self.is_several {
            self.is_at(None);
        }
        // A prompt that names no host says nothing against the one above.
        if place.is_some() || device.is_some() || named.is_some() {
            self.is_at(place);
        }
        if self.dates != Dates::Next {
            self.at = None;
        }
        self.dates = Dates::of(typed.command);
        self.is_several = is_several(typed.command);
        self.is_of_many = asks_many(typed.command);
        self.is_asked = ["show ", "sh ", "display ", "dis ", "monitor "]
            .iter()
            .any(|verb| typed.command.starts_with(verb));
        self.named = named.filter(|_| is_here);
    }

    /// One of several commands that were typed prints what comes next.
    pub(crate) fn stepped(&mut self, typed: &CommandLine<'_>) {
        self.place = place_at(typed, self.named.as_deref());
    }

    /// What comes is of any of the commands that were typed.
    pub(crate) fn is_anywhere(&mut self) {
        self.place = self.place_of(self.script.all()).unwrap_or_default();
    }

    /// What comes is of none of the commands of which it is known what they print.
    pub(crate) fn is_of_others(&mut self) {
        if let Some(anywhere) = self.place_of(self.script.all()) {
            self.place = self.place_of(self.script.coming()).unwrap_or(anywhere);
        }
    }

    /// A line says what is below it, as a command that was typed made it do.
    pub(crate) fn hears(&mut self, line: &str) -> bool {
        let Some((place, said)) = self.script.hears(line) else {
            return false;
        };
        self.script.passes(place);
        if let Some(place) = self.place_of(self.script.coming()) {
            self.place = place;
        }
        if let Said::Host(name) = said {
            self.names(name);
        }
        true
    }

    /// A line of `uname -a` names its host: `Linux dtn1 5.14.0-362.el9.x86_64 #1 SMP …`, `FreeBSD dtn1 13.2-RELEASE FreeBSD 13.2-RELEASE …`.
    pub(crate) fn is_uname(&mut self, line: &str) -> bool {
        let mut words = line.split_ascii_whitespace();
        let (Some(system), Some(name), Some(version), Some(build)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return false;
        };
        let is_system = matches!(system, "Linux" | "Darwin" | "FreeBSD" | "NetBSD");
        let is_version = version.starts_with(|c: char| c.is_ascii_digit());
        // The kernel's own `Linux version 5.14.0 (…)` is none.
        let is_such = is_system && is_version && (build.starts_with('#') || build == system);
        if is_such {
            self.names(name);
        }
        is_such
    }

    /// Where these commands print; no place where there are several.
    fn place_of(&self, commands: impl Iterator<Item = String>) -> Option<Node> {
        let named = self.named.as_deref();
        let mut places = commands.filter_map(|command| Some(place_at(&prompted(&command)?, named)));
        let first = places.next()?;
        let is_one = places.all(|other| other == first);
        Some(if is_one { first } else { Node::default() })
    }

    /// A line says which host this is; what stands in a prompt is known better.
    pub(crate) fn names(&mut self, name: &str) {
        if !is_name(name) || is_nobodys(name) {
            return;
        }
        if self.place.is_unknown() {
            self.place = host(name);
        }
        self.named = Some(name.to_owned());
    }

    /// A prompt of two lines, of which the first names the host.
    pub(crate) fn is_at(&mut self, place: Option<&str>) {
        let place = place.map(host).unwrap_or_default();
        if place != self.place {
            self.at = None;
        }
        self.place = place;
    }

    /// Somebody said something.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }

    /// What is below was printed then.
    pub(crate) fn printed(&mut self, at: Option<Timestamp>) {
        self.at = at;
    }

    /// Whether nothing but a clock was asked for.
    pub(crate) fn awaits_date(&self) -> bool {
        self.dates == Dates::Next
    }

    /// `date` printed this; a zone without one meaning makes no time of it.
    pub(crate) fn dated(&mut self, at: Option<Timestamp>) {
        if self.dates != Dates::Above {
            self.at = at;
        }
    }

    /// Notes the name before each line of an output; whether that of the output above was another.
    pub(crate) fn is_other_name(&mut self, name: &str) -> bool {
        let before = self.before.replace(name.to_owned());
        before.is_some_and(|before| before != name)
    }

    /// The same scene for the lines of another output among these, of which one was read.
    pub(crate) fn again(&self, read: &Self) -> Self {
        Self {
            before: read.before.clone(),
            ..self.clone()
        }
    }

    /// Words that stand before each line name the host, where the command runs on many.
    pub(crate) fn prefixed(&mut self, words: &str) {
        if self.is_of_many {
            self.place = host_before(words).map(host).unwrap_or_default();
        }
    }

    /// Whether a line that no format knows tells whose the output below is: `dtn1 | CHANGED | rc=0 >>` of ansible, a name between rules
    /// of clush and dshbak.
    pub(crate) fn is_heading(&mut self, line: &str) -> bool {
        let text = line.trim_ascii();
        // Above what a looking glass was asked; where it is a gateway's address nobody is named.
        if let Some(name) = text.strip_prefix("Router: ")
            && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        {
            self.is_at(None);
            self.names(name);
            return is_name(name);
        }
        if let Some(name) = of_globalping(text) {
            (self.place, self.at) = (Node::named(&name), None);
            return true;
        }
        let is_rule = self.is_of_many && text.len() > 4 && text.bytes().all(|byte| byte == b'-');
        let is_below_rule = std::mem::replace(&mut self.is_below_rule, is_rule);
        let Some(name) = of_ansible(text)
            .or_else(|| of_pssh(text))
            .or(is_below_rule.then_some(text))
            .filter(|_| !is_rule)
        else {
            return is_rule;
        };
        // Those that print the same stand together: `dtn[1-2] (2)`.
        let place = is_name(name).then(|| host(name));
        (self.place, self.at) = (place.unwrap_or_default(), None);
        true
    }

    /// The host of all that stands below, up to the next heading, prompt or prose.
    pub(crate) fn is_headed(&mut self, name: &str) {
        *self = Self {
            place: host(name),
            is_several: true,
            ..Self::default()
        };
    }

    /// Whether what was typed runs on many hosts.
    pub(crate) fn is_of_many(&self) -> bool {
        self.is_of_many
    }

    /// Whether this host prints.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        !self.place.is_unknown() && self.place == host(name)
    }

    /// Whether more than one output is to come.
    pub(crate) fn is_several(&self) -> bool {
        self.is_several
    }

    /// The scene of an output that ends here.
    pub(crate) fn take(&mut self) -> Self {
        let scene = self.clone();
        if !self.is_several {
            (self.place, self.at) = (Node::default(), None);
        }
        scene
    }

    /// The event with what the scene tells and the output itself does not. `is_of_device`: its counters are of the device that prints.
    /// `at` stands for the time of outputs without one.
    pub(crate) fn tell(&self, event: &mut Event, is_of_device: bool, at: Option<Timestamp>) {
        let Event::Record(record) = event else { return };
        if self.at.is_some() && record.at == at {
            record.at = self.at;
        }
        record.place.clone_from(&self.place);
        if let Payload::InterfaceCounters(counters) = &mut record.payload
            && (is_of_device || self.is_asked)
            && counters.device.is_unknown()
        {
            counters.device.clone_from(&self.place);
        }
    }
}

/// Where a command prints.
fn place_at(typed: &CommandLine<'_>, named: Option<&str>) -> Node {
    place(&at(typed, named)).map(host).unwrap_or_default()
}

/// What was typed, at the prompt of this host where the prompt names none.
fn at<'l>(typed: &CommandLine<'l>, named: Option<&'l str>) -> CommandLine<'l> {
    CommandLine::on(typed.device().or(named), typed.command)
}

/// Where the next of Globalping's measurements was made, as its command prints it above each: `> Osaka, JP, AS, Example KK (AS64511)`, which its
/// JSON has in pieces (<https://github.com/jsdelivr/globalping-cli>).
fn of_globalping(text: &str) -> Option<String> {
    let (place, number) = text.strip_prefix("> ")?.strip_suffix(')')?.rsplit_once(" (AS")?;
    let mut parts = place.split(", ");
    let (city, country, continent) = (parts.next()?, parts.next()?, parts.next()?);
    let is_code = |code: &str| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_place = is_code(country) && is_code(continent) && parts.next().is_some();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_place && is_number).then(|| format!("{city}, {country} (AS{number})"))
}

/// `dtn1 | CHANGED | rc=0 >>`
fn of_ansible(text: &str) -> Option<&str> {
    let (name, behind) = text.split_once(" | ")?;
    let (_, code) = behind.split_once(" | rc=")?;
    let is_code = code
        .strip_suffix(" >>")
        .is_some_and(|code| code.parse::<i64>().is_ok());
    (is_code && is_name(name)).then_some(name)
}

/// `[1] 12:00:00 [SUCCESS] ops@dtn1:22`
fn of_pssh(text: &str) -> Option<&str> {
    let (number, behind) = text.strip_prefix('[')?.split_once("] ")?;
    let (time, behind) = behind.split_once(" [")?;
    let (result, behind) = behind.split_once("] ")?;
    let is_such =
        number.parse::<u32>().is_ok() && clock(time).is_some() && matches!(result, "SUCCESS" | "FAILURE");
    let host = behind.split(' ').next().filter(|_| is_such)?;
    let host = host.rsplit('@').next()?;
    host.split(':').next().filter(|host| is_name(host))
}

/// `dtn1: `, of pdsh and clush.
pub(crate) fn host_before(line: &str) -> Option<&str> {
    // Asked of many lines: names are short, and digits alone are the number of a line.
    let begin = line.as_bytes();
    let begin = begin.get(..=LONGEST_NAME).unwrap_or(begin);
    let (name, behind) = line.split_at_checked(memchr::memchr(b':', begin)?)?;
    let is_before = matches!(behind.as_bytes(), [b':'] | [b':', b' ', ..]);
    let is_such = is_before && is_name(name) && !name.bytes().all(|byte| byte.is_ascii_digit());
    is_such.then_some(name)
}

/// Whether this may be a host's name, alone.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=LONGEST_NAME).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}
