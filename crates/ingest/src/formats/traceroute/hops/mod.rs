//! Lines of hops: names, addresses, times, stars, marks, AS numbers, reply TTLs, labels, in the order printed.

mod sure;
#[cfg(test)]
mod tests;
mod words;

use super::hop_line::hop_ttl;
use super::labels;
use super::token::{Token, Tokens};
use crate::host::host;
use evidence::{MplsLabel, Node, ReplyKind, TraceAnswer, TraceHop};

/// More answers, or probes without one, than this to one TTL are no trace.
const MOST_PROBES: usize = 1000;
/// No traceroute's own mark is longer than that, letters.
const LONGEST_MARK: usize = 60;

/// Hops, read line by line.
#[derive(Debug, Default)]
pub(crate) struct Hops {
    hops: Vec<Printed>,
    /// The number of the line that is being read.
    number: u64,
    node: Node,
    asn: Option<u32>,
    /// What a TCP probe met at the host.
    kind: Option<ReplyKind>,
    /// Label stack entries printed since the last answer: before the next one they are its own, else the hop's.
    labels: Vec<MplsLabel>,
    /// A number at the end of a line, of which the unit stands on the next.
    pending: Option<u64>,
    /// The line ends with a word that is nothing by itself: the beginning of a name, if the next line begins with the rest.
    ends_with_word: bool,
    /// The host has been named, and nothing of its answers was printed yet.
    is_owed: bool,
    /// The last thing printed was a star: a mark behind it is an answer of its own (Cisco: `!A * !A`).
    is_behind_star: bool,
    /// The hop names no host before its times, as Windows prints it.
    times_first: bool,
    /// What a search for the path MTU prints, with the hop.
    mtus: Vec<(u8, u32)>,
    /// It is printed at every hop (scamper), not where it changes (Linux).
    has_mtu_of_each: bool,
    /// What was not understood: the line and the reason.
    unread: Vec<(u64, String)>,
}

/// A hop as it was printed.
#[derive(Debug, Default)]
struct Printed {
    hop: TraceHop,
    line: u64,
    /// How many answers and stars its first line holds, where more lines follow.
    first_line: Option<(usize, u16)>,
    /// Printed twice, with different figures.
    contradicts: bool,
    /// Label stack entries, one for each probe or none (NX-OS).
    labels: Vec<Option<MplsLabel>>,
}

/// What the lines gave.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) hops: Vec<TraceHop>,
    /// Where the tool searched for the path MTU, what it printed, with the hop.
    pub(crate) mtus: Vec<(u8, u32)>,
    /// It printed one at every hop.
    pub(crate) has_mtu_of_each: bool,
    /// Every hop shows as many probes as the others, and no line is missing.
    pub(crate) is_whole: bool,
    /// What was not understood: the line and the reason.
    pub(crate) unread: Vec<(u64, String)>,
}

impl Hops {
    /// Takes a line: of a hop, or one that goes on with the last.
    pub(crate) fn line(&mut self, number: u64, line: &str) {
        self.number = number;
        match hop_ttl(line) {
            Some((ttl, rest)) => {
                self.ends_with_word = false;
                self.begin(ttl);
                self.words(rest);
            }
            None => self.continuation(line),
        }
    }

    /// Begins a hop.
    fn begin(&mut self, ttl: u8) {
        self.settle();
        self.is_behind_star = false;
        self.drop_pending();
        self.node = Node::default();
        self.asn = None;
        self.kind = None;
        self.times_first = true;
        self.hops.push(Printed {
            hop: TraceHop {
                ttl,
                ..TraceHop::default()
            },
            line: self.number,
            ..Printed::default()
        });
    }

    fn continuation(&mut self, line: &str) {
        let text = line.trim_ascii();
        if text.is_empty() {
            return;
        }
        let is_wrapped = matches!(Tokens::of(text).next(), Some(Token::Unit));
        // The rest of the number that the line above was cut in looks like a time.
        let is_torn = !is_wrapped && self.pending.is_some();
        if !is_wrapped {
            self.drop_pending();
            // What follows is this line's: a host that the one above named has answered.
            if let Some(printed) = self.hops.last_mut() {
                let so_far = (
                    printed.hop.answers.len() + usize::from(self.is_owed),
                    printed.hop.unanswered,
                );
                printed.first_line.get_or_insert(so_far);
            }
        }
        if labels::is_label_line(text) {
            if labels::is_of_a_probe(text) {
                if let Some(printed) = self
                    .hops
                    .last_mut()
                    .filter(|printed| printed.labels.len() < MOST_PROBES)
                {
                    printed.labels.push(labels::of_line(text));
                }
            } else if let Some(label) = labels::of_line(text) {
                self.label(Some(label));
            } else if text.bytes().any(|byte| byte.is_ascii_digit()) {
                self.complain(format!("no label stack entry: {text}"));
            }
            return;
        }
        if self.hops.is_empty() {
            return self.complain(format!("not understood: {text}"));
        }
        let mut tokens = Tokens::of(text);
        let first = tokens.next();
        let is_rest = is_torn && matches!(first, Some(Token::Time(_) | Token::Number(_)));
        let is_rest_of_name = std::mem::take(&mut self.ends_with_word)
            && !line.starts_with([' ', '\t'])
            && matches!(
                (first, tokens.peek()),
                (Some(Token::Word(_)), Some(Token::Parentheses(..)))
            );
        if is_rest_of_name {
            self.complain("a name that began on the line above: only its address is used".to_owned());
            self.host("*");
        }
        let is_coarser = matches!(first, Some(Token::Time(Some(_)))) && self.is_coarser(text);
        if is_coarser {
            self.complain("a time that may have begun on the line above: it is not used".to_owned());
        }
        let is_rest = is_rest || is_rest_of_name || is_coarser;
        self.words(if is_rest { tokens.rest() } else { text });
    }

    /// Whether the time that a line begins with has no fraction, where times of the hop above have one: a tool prints all times alike, so
    /// this is the end of one of which the beginning is lost.
    fn is_coarser(&self, text: &str) -> bool {
        let number = text.split(|c: char| !(c.is_ascii_digit() || c == '.')).next();
        let has_fraction = |answer: &TraceAnswer| answer.rtt_ns.is_some_and(|ns| ns % 1_000_000 > 0);
        number.is_some_and(|number| !number.contains('.'))
            && self
                .hops
                .last()
                .is_some_and(|printed| printed.hop.answers.iter().any(has_fraction))
    }

    fn complain(&mut self, reason: String) {
        if self.unread.len() < MOST_PROBES {
            self.unread.push((self.number, reason));
        }
    }

    /// A number whose unit never came may be half of one.
    fn drop_pending(&mut self) {
        if self.pending.take().is_some() {
            self.complain("the line above is cut within a time".to_owned());
        }
    }

    /// A host that was named without a time did answer.
    fn settle(&mut self) {
        if std::mem::take(&mut self.is_owed) {
            self.answer(None);
        }
        let labels = std::mem::take(&mut self.labels);
        if let Some(hop) = self.hop().filter(|hop| hop.sent() > 0) {
            hop.add_labels(labels);
        }
    }

    /// Probes of the hop that shows most so far.
    pub(super) fn most_probes(&self) -> Option<usize> {
        let sent = self.hops.iter().map(|printed| usize::from(printed.hop.sent()));
        sent.max().filter(|most| *most > 0)
    }

    fn hop(&mut self) -> Option<&mut TraceHop> {
        self.hops.last_mut().map(|printed| &mut printed.hop)
    }

    fn answer(&mut self, rtt_ns: Option<u64>) {
        self.is_owed = false;
        self.is_behind_star = false;
        let answer = TraceAnswer {
            node: self.node.clone(),
            rtt_ns,
            asn: self.asn,
            kind: self.kind,
            mpls: std::mem::take(&mut self.labels),
            ..TraceAnswer::default()
        };
        if let Some(hop) = self.hop().filter(|hop| hop.answers.len() < MOST_PROBES) {
            hop.answers.push(answer);
        }
    }

    fn last_answer(&mut self) -> Option<&mut TraceAnswer> {
        self.hop()?.answers.last_mut()
    }

    /// Whether times stood before the host, as Windows prints it.
    fn has_times_first(&self) -> bool {
        self.times_first
            && self
                .hops
                .last()
                .is_some_and(|printed| !printed.hop.answers.is_empty())
    }

    fn star(&mut self) {
        self.settle();
        self.is_behind_star = true;
        if let Some(hop) = self.hop() {
            hop.unanswered = hop.unanswered.saturating_add(1).min(MOST_PROBES as u16);
        }
    }

    /// A host: of the answers that follow, or, where times stand first, of those before it.
    fn host(&mut self, word: &str) {
        let node = host(word);
        // A name on a line of its own goes with the address above.
        if self.is_owed && node.address.is_none() && self.node.name.is_none() {
            self.node.name = node.name;
            return;
        }
        // And an address behind its name, as no time stands between them.
        if self.is_owed && self.node.address.is_none() && node.address.is_some() {
            self.node.address = node.address;
            return;
        }
        self.settle();
        let is_nobody = node.address.is_some_and(|address| address.is_unspecified());
        self.node = if is_nobody { Node::default() } else { node };
        self.asn = None;
        self.kind = None;
        if self.has_times_first() {
            self.name_again();
        } else {
            self.times_first = false;
            self.is_owed = !self.node.is_unknown();
        }
    }

    /// Where times stand first the host is that of the answers before it.
    fn name_again(&mut self) {
        if !self.has_times_first() {
            self.times_first = false;
            return;
        }
        let node = self.node.clone();
        for answer in self.hop().into_iter().flat_map(|hop| &mut hop.answers) {
            answer.node.clone_from(&node);
        }
    }

    /// `AS15169` behind the times is that of the answers before it.
    fn system(&mut self, asn: Option<u32>) {
        self.asn = asn;
        if self.is_owed {
            return;
        }
        let node = self.node.clone();
        let answers = self.hop().into_iter().flat_map(|hop| &mut hop.answers);
        for answer in answers.filter(|answer| answer.asn.is_none() && answer.node == node) {
            answer.asn = asn;
        }
    }

    fn mark(&mut self, word: &str) {
        let mtu_bytes = word.strip_prefix("!F-").and_then(|mtu| mtu.parse().ok());
        let mark = word.trim_end_matches('.').chars().take(LONGEST_MARK).collect();
        if self.is_owed || (self.is_behind_star && !self.node.is_unknown()) {
            self.answer(None);
        }
        if let Some(answer) = self.last_answer() {
            answer.mtu_bytes = mtu_bytes;
            answer.mark = Some(mark);
        }
    }

    fn label(&mut self, entry: Option<MplsLabel>) {
        if let Some(entry) = entry
            && !self.hops.is_empty()
            && self.labels.len() < MOST_PROBES
            && !self.labels.contains(&entry)
        {
            self.labels.push(entry);
        }
    }
}
