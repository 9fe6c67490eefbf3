//! What stands above tells of the output that comes next: at whose prompt it was printed, and when.

use crate::command::{asks_many, is_several, place};
use crate::context::Event;
use crate::prompt::CommandLine;
use evidence::{Node, Payload, Timestamp};

/// What is known of the next output. Prose ends it: behind it, anybody's output may follow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scene {
    /// The host that prints; unknown when nothing tells.
    place: Node,
    /// What was typed prints more than one output, all of them of this host.
    is_several: bool,
    /// What was typed runs on many hosts, and names each of them before what it says.
    is_of_many: bool,
    /// What `date` printed above.
    at: Option<Timestamp>,
}

/// What stands above a part of what a command prints that is run on several hosts.
const LONGEST_NAME: usize = 64;

impl Scene {
    /// Something was typed.
    pub(crate) fn typed(&mut self, typed: &CommandLine<'_>) {
        let place = place(typed);
        // A prompt that names no host says nothing against the one above.
        if place.is_some() || typed.device.is_some() {
            self.is_at(place);
        }
        self.is_several = is_several(typed.command);
        self.is_of_many = asks_many(typed.command);
    }

    /// A prompt of two lines, of which the first names the host.
    pub(crate) fn is_at(&mut self, place: Option<&str>) {
        let place = place.map(Node::read).unwrap_or_default();
        if place != self.place {
            self.at = None;
        }
        self.place = place;
    }

    /// Somebody said something.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }

    /// `date` printed this; a zone without one meaning makes no time of it.
    pub(crate) fn dated(&mut self, at: Option<Timestamp>) {
        self.at = at;
    }

    /// Words that stand before each line name the host, where the command runs on many.
    pub(crate) fn prefixed(&mut self, words: &str) {
        if self.is_of_many {
            self.place = host_before(words).map(Node::read).unwrap_or_default();
        }
    }

    /// Whether a line that no format knows tells whose the output below is: `dtn1 | CHANGED | rc=0 >>` of ansible, a name between rules
    /// of clush and dshbak.
    pub(crate) fn is_heading(&mut self, line: &str) -> bool {
        let text = line.trim_ascii();
        let ansible = || {
            let (name, behind) = text.split_once(" | ")?;
            let (_, code) = behind.split_once(" | rc=")?;
            let is_code = code
                .strip_suffix(" >>")
                .is_some_and(|code| code.parse::<i64>().is_ok());
            (is_code && is_name(name)).then_some(name)
        };
        let of_many = || {
            let is_rule = text.len() > 4 && text.bytes().all(|byte| byte == b'-');
            (self.is_of_many && (is_rule || is_name(text))).then_some(text)
        };
        let Some(name) = ansible().or_else(of_many) else {
            return false;
        };
        if !name.starts_with("--") {
            (self.place, self.is_several) = (Node::read(name), true);
        }
        true
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
            && is_of_device
            && counters.device.is_unknown()
        {
            counters.device.clone_from(&self.place);
        }
    }
}

/// `dtn1: `, of pdsh and clush.
fn host_before(words: &str) -> Option<&str> {
    let name = words.trim_ascii().strip_suffix(':')?;
    is_name(name).then_some(name)
}

/// Whether this may be a host's name, alone.
fn is_name(text: &str) -> bool {
    (1..=LONGEST_NAME).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}
