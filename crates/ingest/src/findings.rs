//! What a format answers about a block.

use crate::block::Block;
use crate::leaves::leaf_count;
use crate::plausible::Gate;
use crate::{Event, ImportComplaint, Record};
use evidence::{Node, Payload, Timestamp, Transfer};

/// So many complaints about one block are kept: of a block that is all noise nobody reads more.
const MOST_COMPLAINTS: usize = 1_000;
/// Longer reasons are cut, letters: what a line says may be as long as the line.
const LONGEST_REASON: usize = 300;

/// What is said of lines that are none of any format.
pub(crate) const UNKNOWN: &str = "no format that slowpath knows";

/// What reading a block gave.
#[derive(Default)]
pub(crate) struct Findings<'s> {
    /// What was not handed on.
    pub(crate) events: Vec<Event>,
    /// Where events go at once. Of a block that is read once and is long, they would take more memory than its text.
    sink: Option<&'s mut dyn FnMut(Event)>,
    pub(crate) has_record: bool,
    complaints: usize,
    /// Where among the events the complaint is that stands for further ones.
    counting: Option<usize>,
    /// The block was understood, and has nothing to record.
    pub(crate) is_understood: bool,
    /// All of it stands above an output that another format has: the command of that, and what a screen has at its top.
    pub(crate) is_above_another: bool,
    /// What begins with this line or behind it may be another host's than that of the prompt above.
    pub(crate) placeless_from: Option<u64>,
}

impl<'s> Findings<'s> {
    /// Findings that hand on what there is from the first record on: without a record a block may turn out to be none.
    pub(crate) fn handed_to(sink: &'s mut dyn FnMut(Event)) -> Self {
        Self {
            sink: Some(sink),
            ..Self::default()
        }
    }

    /// What was not handed on, the complaint that stands for others last.
    pub(crate) fn left(self) -> Findings<'static> {
        Findings {
            events: self.events,
            sink: None,
            has_record: self.has_record,
            complaints: self.complaints,
            counting: self.counting,
            is_understood: self.is_understood,
            is_above_another: self.is_above_another,
            placeless_from: self.placeless_from,
        }
    }

    /// Whether there is neither a record nor a complaint so far.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_record && self.complaints == 0
    }

    fn push(&mut self, event: Event) {
        match self.sink.as_mut().filter(|_| self.has_record) {
            Some(sink) => {
                let before = self.counting.replace(0).unwrap_or(self.events.len());
                self.events.drain(..before).for_each(&mut *sink);
                self.counting = self.counting.filter(|_| !self.events.is_empty());
                sink(event);
            }
            None => self.events.push(event),
        }
    }

    /// Adds a record made of the whole block.
    pub(crate) fn record(&mut self, block: &Block, tool: &str, at: Option<Timestamp>, payload: Payload) {
        self.record_of((block.first_line, block.last_line()), tool, at, payload);
    }

    /// Adds a record made of these lines, less what cannot be.
    pub(crate) fn record_of(
        &mut self,
        lines: (u64, u64),
        tool: &str,
        at: Option<Timestamp>,
        mut payload: Payload,
    ) {
        let mut gate = Gate::default();
        if gate.pass(&mut payload) {
            self.has_record = true;
            self.push(Event::Record(Box::new(Record {
                payload,
                at,
                tool: tool.to_owned(),
                lines,
                place: Node::default(),
            })));
        }
        for reason in gate.reasons {
            self.complain_of(lines, reason);
        }
    }

    /// The transfers that were found and not handed on, the last one first.
    pub(crate) fn transfers(&mut self) -> impl Iterator<Item = &mut Transfer> {
        self.events.iter_mut().rev().filter_map(|event| match event {
            Event::Record(record) => match &mut record.payload {
                Payload::Transfer(transfer) => Some(&mut **transfer),
                _ => None,
            },
            Event::Complaint(_) => None,
        })
    }

    /// Takes over what was found in some lines of the block, read by themselves.
    pub(crate) fn take_over(&mut self, found: Findings<'static>) {
        self.is_understood |= found.is_understood;
        for event in found.events {
            match event {
                Event::Record(_) => {
                    self.has_record = true;
                    self.push(event);
                }
                Event::Complaint(told) => self.complain_of((told.first_line, told.last_line), told.reason),
            }
        }
    }

    /// How much there is to complain about; a block that gave nothing at all is a complaint.
    pub(crate) fn complaint_count(&self) -> u64 {
        let further = self.events.iter().map(|event| match event {
            Event::Complaint(complaint) => 1 + complaint.further,
            Event::Record(_) => 0,
        });
        further.sum::<u64>() + u64::from(self.is_empty() && !self.is_understood)
    }

    /// The lines that a complaint is about which is about no other.
    pub(crate) fn lines_complained_about(&self) -> impl Iterator<Item = u64> {
        self.events.iter().filter_map(|event| match event {
            Event::Complaint(complaint) => {
                (complaint.first_line == complaint.last_line).then_some(complaint.first_line)
            }
            Event::Record(_) => None,
        })
    }

    /// Gives the lines that are told of other numbers.
    pub(crate) fn renumber(&mut self, of: impl Fn((u64, u64)) -> (u64, u64)) {
        self.placeless_from = self.placeless_from.map(|line| of((line, line)).0);
        for event in &mut self.events {
            event.renumber(&of);
        }
    }

    /// What begins with this line may be of another host than the prompt names. `false`: it is too late to say so.
    pub(crate) fn lose_place(&mut self, line: u64) -> bool {
        if self.sink.is_none() {
            self.placeless_from = Some(self.placeless_from.map_or(line, |known| known.min(line)));
        }
        self.sink.is_none()
    }

    /// How many figures and words the records hold.
    pub(crate) fn figure_count(&self) -> usize {
        let counts = self.events.iter().map(|event| match event {
            Event::Record(record) => leaf_count(&record.payload),
            Event::Complaint(_) => 0,
        });
        counts.sum()
    }

    /// The block was understood, but is no record: not to be complained about.
    pub(crate) fn nothing_to_say(&mut self) {
        self.is_understood = true;
    }

    /// The block is the top of the next one.
    pub(crate) fn above_another(&mut self) {
        (self.is_understood, self.is_above_another) = (true, true);
    }

    /// A line inside of a recognised block that the format did not understand. If it holds a figure, somebody will miss that
    /// figure: it is complained about. Lines of words alone are not.
    pub(crate) fn unread(&mut self, number: u64, line: &str) {
        if line.bytes().any(|byte| byte.is_ascii_digit()) {
            self.complain(number, format!("not understood: {}", line.trim_ascii()));
        }
    }

    /// Complains about one line. What leads to a complaint is rare: its code stands apart from what reads nearly all lines.
    #[cold]
    pub(crate) fn complain(&mut self, line: u64, reason: impl Into<String>) {
        self.complain_of((line, line), reason);
    }

    /// Complains about these lines.
    #[cold]
    pub(crate) fn complain_of(&mut self, lines: (u64, u64), reason: impl Into<String>) {
        if self.complaints < MOST_COMPLAINTS {
            self.complaints += 1;
            let complaint = Event::Complaint(ImportComplaint {
                first_line: lines.0,
                last_line: lines.1,
                reason: shortened(reason.into()),
                further: 0,
            });
            if self.complaints < MOST_COMPLAINTS {
                return self.push(complaint);
            }
            self.counting = Some(self.events.len());
            self.events.push(complaint);
        } else if let Some(last) = self.counting
            && let Some(Event::Complaint(complaint)) = self.events.get_mut(last)
        {
            complaint.further += 1;
        }
    }
}

fn shortened(mut reason: String) -> String {
    if let Some((end, _)) = reason.char_indices().nth(LONGEST_REASON) {
        reason.truncate(end);
        reason.push('…');
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::HostFacts;

    #[test]
    fn what_is_handed_on_is_what_would_be_kept() {
        let fill = |findings: &mut Findings| {
            let mut lines = Block::default();
            lines.begin(7, "head");
            for line in 1..=1_200 {
                findings.complain(line, "noise");
                if line % 500 == 3 {
                    let payload = Payload::HostFacts(HostFacts {
                        hostname: Some(line.to_string()),
                        ..HostFacts::default()
                    });
                    findings.record(&lines, "tool", None, payload);
                }
            }
        };
        let mut kept = Findings::default();
        fill(&mut kept);
        let mut handed = Vec::new();
        let mut sink = |event| handed.push(event);
        let mut findings = Findings::handed_to(&mut sink);
        findings.complain(0, "before the first record");
        assert!(!findings.is_empty() && !findings.has_record);
        let mut findings = Findings::handed_to(&mut sink);
        fill(&mut findings);
        let left = findings.left();
        let [Event::Complaint(last)] = &left.events[..] else {
            panic!("{:?}", left.events);
        };
        assert_eq!((last.first_line, last.further), (1_000, 200));
        // The complaint that counts the others comes last; all else is in its order.
        kept.events.retain(|event| event != &left.events[0]);
        assert_eq!(handed, kept.events);
    }

    #[test]
    fn a_block_that_is_all_noise_costs_no_more_than_a_noisy_one() {
        let mut findings = Findings::default();
        for line in 1..=50_000 {
            findings.complain(line, "ä".repeat(10_000));
        }
        assert_eq!(findings.events.len(), MOST_COMPLAINTS);
        let Some(Event::Complaint(last)) = findings.events.last() else {
            panic!("no complaint");
        };
        assert_eq!((last.first_line, last.further), (1_000, 49_000));
        assert_eq!(last.reason.chars().count(), LONGEST_REASON + 1);
    }
}
