//! Lines of hops: names, addresses, times, stars, marks, AS numbers, reply TTLs, labels, in the order printed.

use super::hop_line::hop_ttl;
use super::labels;
use super::token::{Token, Tokens};
use crate::host::{host, is_address_place, set_address};
use evidence::{MplsLabel, Node, ReplyKind, TraceAnswer, TraceHop};
use std::net::IpAddr;

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

    /// The hops, what the MTUs say, and what was not understood.
    pub(crate) fn finish(mut self) -> Found {
        self.settle();
        self.pending = None;
        self.keep_one_of_each();
        let probes = self.usual_probes();
        let is_full = |printed: &Printed| usize::from(printed.hop.sent()) == probes;
        self.label_each();
        let is_whole = self.unread.is_empty() && self.hops.iter().all(is_full);
        self.keep_what_is_sure(probes);
        Found {
            is_whole,
            has_mtu_of_each: self.has_mtu_of_each,
            hops: self
                .hops
                .into_iter()
                .map(|printed| printed.hop)
                .filter(|hop| hop.sent() > 0)
                .collect(),
            mtus: self.mtus,
            unread: self.unread,
        }
    }

    /// A hop that stands twice is kept where both say the same.
    fn keep_one_of_each(&mut self) {
        let mut kept: Vec<Printed> = Vec::with_capacity(self.hops.len());
        for printed in std::mem::take(&mut self.hops) {
            match kept.last_mut().filter(|last| last.hop.ttl == printed.hop.ttl) {
                Some(last) => {
                    self.number = printed.line;
                    if last.hop != printed.hop {
                        last.contradicts = true;
                    }
                    self.complain(format!("hop {} stands twice", printed.hop.ttl));
                }
                None => kept.push(printed),
            }
        }
        kept.retain(|printed| !printed.contradicts);
        self.hops = kept;
    }

    /// NX-OS prints a line of labels for each probe: they are those of the answers in their order, where there are as many.
    fn label_each(&mut self) {
        for printed in self.hops.iter_mut().filter(|printed| !printed.labels.is_empty()) {
            let hop = &mut printed.hop;
            if hop.unanswered > 0 || hop.answers.len() != printed.labels.len() {
                let reason = "not a line of labels for each probe: they are not used";
                self.unread.push((printed.line, reason.to_owned()));
                continue;
            }
            for (answer, label) in hop.answers.iter_mut().zip(&printed.labels) {
                answer.mpls.extend(*label);
            }
        }
    }

    /// Every hop is probed equally often: stars of a hop that shows fewer probes are not all, and lines that go on with a hop
    /// that shows more, or behind which hops are missing, may belong to a hop that was lost.
    fn keep_what_is_sure(&mut self, probes: usize) {
        let next: Vec<Option<u8>> = self
            .hops
            .iter()
            .skip(1)
            .map(|next| Some(next.hop.ttl))
            .chain([None])
            .collect();
        for (printed, next) in self.hops.iter_mut().zip(next) {
            let is_gap = next.is_some_and(|next| next > printed.hop.ttl.saturating_add(1));
            if let Some((answers, stars)) = printed.first_line
                && (is_gap || usize::from(printed.hop.sent()) > probes)
            {
                printed.hop.answers.truncate(answers);
                printed.hop.unanswered = stars;
                if let Some(first) = printed.hop.answers.first_mut().filter(|_| is_gap) {
                    first.mpls.clear();
                }
                let reason = "the lines below this hop may belong to one that is missing";
                self.unread.push((printed.line, reason.to_owned()));
            }
            if usize::from(printed.hop.sent()) < probes {
                printed.hop.unanswered = 0;
            }
        }
    }

    /// How many probes most hops show.
    fn usual_probes(&self) -> usize {
        let mut counts = std::collections::BTreeMap::new();
        for printed in &self.hops {
            *counts.entry(usize::from(printed.hop.sent())).or_insert(0_usize) += 1;
        }
        let most = counts.into_iter().max_by_key(|(probes, hops)| (*hops, *probes));
        most.map_or(0, |(probes, _)| probes)
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

    fn words(&mut self, text: &str) {
        let mut tokens = Tokens::of(text);
        while let Some(token) = tokens.next() {
            match token {
                Token::Star => self.star(),
                Token::Time(rtt_ns) => self.answer(rtt_ns),
                Token::Unit => {
                    if let Some(rtt_ns) = self.pending.take() {
                        self.answer(Some(rtt_ns));
                    }
                }
                Token::Number(number) => self.number_alone(number, &mut tokens),
                Token::Parentheses(content, is_closed) => self.parentheses(content, is_closed),
                Token::Brackets(content) => self.brackets(content),
                Token::Angles(content) => self.angles(content),
                Token::Mark(mark) => self.mark(mark),
                Token::Word(word) => {
                    if self.word(word, &mut tokens) {
                        return;
                    }
                }
            }
        }
    }

    /// A number without a unit: what BSD's -v counts, or a time of which the unit was wrapped.
    fn number_alone(&mut self, number: &str, tokens: &mut Tokens<'_>) {
        let mut ahead = tokens.clone();
        if ahead.next() == Some(Token::Word("bytes")) {
            // `54 bytes to 192.0.2.1`
            let to = ahead.next();
            if matches!(to, Some(Token::Word("to" | "from"))) && ahead.next().is_some() {
                *tokens = ahead;
            }
        } else if tokens.rest().is_empty() {
            self.pending = crate::host::rtt_ms(number);
        } else {
            self.complain(format!("a number without a unit: {number}"));
        }
    }

    /// `(240.0.0.1)`, `(w.x.y.z   )`, `(ttl=253!)`, or a parenthesis that a document left open.
    fn parentheses(&mut self, content: &str, is_closed: bool) {
        if !is_closed {
            self.times_first = false;
        } else if let Some(ttl) = content
            .strip_prefix("ttl=")
            .or_else(|| content.strip_prefix("TTL="))
        {
            let reply_ttl = ttl.trim_end_matches('!').parse().ok();
            if let Some(answer) = self.last_answer() {
                answer.reply_ttl = reply_ttl;
            }
        } else if is_address_place(content) {
            set_address(&mut self.node, content);
            self.is_owed |= self.node.address.is_some() && !self.has_times_first();
            self.name_again();
        } else if self.is_owed && self.node.name.is_none() && !content.contains(' ') {
            // GNU inetutils prints the address first.
            self.node.name = host(content).name;
        }
    }

    /// `[AS3671 - SU-SLAC]`, `[AS1239/AS1240]`, `[*]`, `[mtu: 1500]`, `[MPLS: Label 24001 Exp 0]`, `[240.0.0.1]`, `[open]`.
    fn brackets(&mut self, content: &str) {
        if let Some(number) = content.strip_prefix("AS") {
            let digits = number
                .trim_ascii_start()
                .bytes()
                .take_while(u8::is_ascii_digit)
                .count();
            self.asn = number
                .trim_ascii_start()
                .get(..digits)
                .and_then(|n| n.parse().ok());
        } else if let Some(mtu) = content.strip_prefix("mtu: ") {
            // scamper's `trace -M`: the MTU up to this hop.
            self.has_mtu_of_each = true;
            self.mtu(mtu);
        } else if content.starts_with("MPLS: ") {
            labels::cisco(content).for_each(|entry| self.label(entry));
        } else if content.starts_with("Label=") {
            self.label(labels::of_line(content));
        } else if let Ok(address) = content.parse::<IpAddr>() {
            self.node.address = Some(address);
            self.is_owed |= !self.has_times_first();
            self.name_again();
        } else {
            self.flag(content);
        }
    }

    /// `<MPLS:L=1,E=0,S=1,T=1>`, `<syn,ack>`, `<gw.example>`.
    fn angles(&mut self, content: &str) {
        if content.starts_with("MPLS:") {
            labels::linux(content).for_each(|entry| self.label(entry));
        } else if !self.flag(content) && self.is_owed && self.node.name.is_none() {
            self.node.name = host(content).name;
        }
    }

    /// What a TCP probe met: `[open]`, `<syn,ack>`, `<rst,ack>`, and with `-O info` the options, `<syn,ack,mss=1460,sack>`. It
    /// stands between the host and its times.
    fn flag(&mut self, content: &str) -> bool {
        let mut flags = content.split(',');
        let has = |flag: &str| content.split(',').any(|one| one == flag);
        let kind = match flags.next() {
            Some("open") => ReplyKind::SynAck,
            Some("closed") => ReplyKind::Reset,
            _ if has("rst") => ReplyKind::Reset,
            _ if has("syn") && has("ack") => ReplyKind::SynAck,
            // No name has commas.
            _ => return flags.next().is_some(),
        };
        self.kind = Some(kind);
        true
    }

    /// Whether times stood before the host, as Windows prints it.
    fn has_times_first(&self) -> bool {
        self.times_first
            && self
                .hops
                .last()
                .is_some_and(|printed| !printed.hop.answers.is_empty())
    }

    /// Takes a word; whether what follows it in the line is a remark of the tool's.
    fn word(&mut self, word: &str, tokens: &mut Tokens<'_>) -> bool {
        if let Some(mtu) = word.strip_prefix("F=") {
            self.mtu(mtu);
        } else if let Some(asn) = word
            .strip_prefix("AS")
            .filter(|n| n.starts_with(|c: char| c.is_ascii_digit()))
        {
            self.system(asn.parse().ok());
        } else if let Some(hops) = word.strip_prefix("'-").and_then(|rest| rest.strip_suffix('\'')) {
            // Linux' --back: how many hops the answer came, where they are not as many.
            let return_hops = hops.parse().ok();
            if let Some(answer) = self.last_answer() {
                answer.return_hops = return_hops;
            }
        } else if word == "MRU" && matches!(tokens.peek(), Some(Token::Number(_))) {
            // What the next link of an MPLS path takes, as its router says.
            tokens.next();
        } else if self.is_host(word, tokens.peek()) {
            self.host(word.trim_end_matches([',', ':']));
            return self.refusal(tokens);
        } else if !word.contains(|c: char| c.is_alphabetic()) && word.contains(|c: char| c.is_ascii_digit()) {
            self.complain(format!("not understood: {word}"));
        } else {
            self.ends_with_word = tokens.rest().trim_ascii().is_empty();
        }
        false
    }

    /// Whether a word names a host: an address, a name that something shows to be one, the first word of a hop, or the one
    /// behind the times where those stand first. What else stands in the line is a remark: of places, owners, reasons.
    fn is_host(&self, word: &str, next: Option<Token<'_>>) -> bool {
        let is_address = || word.trim_end_matches([',', ':']).parse::<IpAddr>().is_ok();
        let is_first =
            || self.node.is_unknown() && self.hops.last().is_some_and(|printed| printed.hop.sent() == 0);
        let is_told = match next {
            Some(Token::Parentheses(address, closed)) => !closed || is_address_place(address),
            Some(Token::Brackets(address)) => address.parse::<IpAddr>().is_ok(),
            Some(Token::Time(_)) => word.contains(['.', '-']),
            _ => false,
        };
        let is_behind_times = || self.has_times_first() && self.node.is_unknown();
        is_told || is_address() || is_first() || is_behind_times()
    }

    /// Windows: `240.0.0.1  reports: Destination host unreachable.`, in whichever language.
    fn refusal(&mut self, tokens: &Tokens<'_>) -> bool {
        let text = tokens.rest();
        let is_phrase = self.is_owed && text.contains(':') && matches!(tokens.peek(), Some(Token::Word(_)));
        let is_phrase = is_phrase && !text.bytes().any(|byte| byte.is_ascii_digit());
        if is_phrase {
            self.mark(text);
        }
        is_phrase
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

    fn mtu(&mut self, printed: &str) {
        let ttl = self.hops.last().map(|printed| printed.hop.ttl);
        if let (Ok(mtu), Some(ttl)) = (printed.parse(), ttl) {
            self.mtus.push((ttl, mtu));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn hops(text: &str) -> Vec<TraceHop> {
        let mut hops = Hops::default();
        (1..)
            .zip(text.lines())
            .for_each(|(number, line)| hops.line(number, line));
        hops.finish().hops
    }

    /// What one line gives: host, microseconds, AS, TTL of the reply and mark of each answer; stars.
    fn short(line: &str) -> String {
        let [hop] = &hops(line)[..] else {
            return "no hop".to_owned();
        };
        let mut all: Vec<String> = hop
            .answers
            .iter()
            .map(|a| {
                let rtt = a.rtt_ns.map_or("-".to_owned(), |ns| (ns / 1000).to_string());
                let asn = a.asn.map_or(String::new(), |n| format!(" AS{n}"));
                let ttl = a.reply_ttl.map_or(String::new(), |n| format!(" ttl{n}"));
                let mark = a.mark.as_ref().map_or(String::new(), |m| format!(" {m}"));
                format!("{} {rtt}{asn}{ttl}{mark}", a.node)
            })
            .collect();
        all.extend((0..hop.unanswered).map(|_| "*".to_owned()));
        all.join("; ")
    }

    #[test]
    fn what_lines_of_hops_say() {
        for (line, says) in [
            (
                " 1  240.0.0.1 (240.0.0.1)  0.5 ms *  0.7 ms",
                "240.0.0.1 500; 240.0.0.1 700; *",
            ),
            (
                " 1  a (240.0.0.1)  1 ms b (240.0.0.2)  2 ms",
                "a (240.0.0.1) 1000; b (240.0.0.2) 2000",
            ),
            (
                " 2  240.0.0.1  0.5 ms  0.6 ms !H",
                "240.0.0.1 500; 240.0.0.1 600 !H",
            ),
            (" 3  * * *", "*; *; *"),
            (
                " 3  RTR-DMZ ( [AS3671 - SU-SLAC]  1.13 ms (ttl=253)",
                "RTR-DMZ 1130 AS3671 ttl253",
            ),
            (
                " 2  router  (w.x.y.z     ) [AS32 - A B C]  1.06 ms (ttl=254!)",
                "router 1060 AS32 ttl254",
            ),
            (
                "  4    <1 ms    2 ms     *     240.0.0.1",
                "240.0.0.1 -; 240.0.0.1 2000; *",
            ),
            (
                "  4    <1 \u{fffd}\u{fffd}    2 \u{fffd}\u{fffd}   12 \u{fffd}\u{fffd}  a.example [240.0.0.1]",
                "a.example (240.0.0.1) -; a.example (240.0.0.1) 2000; a.example (240.0.0.1) 12000",
            ),
            ("  5     *        *        *     Request timed out.", "*; *; *"),
            (
                "  5     *        *        *     要求がタイムアウトしました。",
                "*; *; *",
            ),
            (
                "  5  240.0.0.1  meldet: Zielhost nicht erreichbar.",
                "240.0.0.1 - meldet: Zielhost nicht erreichbar",
            ),
            (
                "  5  12 ms  11 ms  *  a.example (240.0.0.1)",
                "a.example (240.0.0.1) 12000; a.example (240.0.0.1) 11000; *",
            ),
            (" 7  a (240.0.0.1) [AS1/AS2]  5.5 ms", "a (240.0.0.1) 5500 AS1"),
            (
                " 7  240.0.0.1  5.5 ms  *  AS64500  Example Net Berlin",
                "240.0.0.1 5500 AS64500; *",
            ),
            (" 8  a (240.0.0.1)", "a (240.0.0.1) -"),
            (
                " 8   240.0.0.1 (gw)  3.025ms  2.5ms",
                "gw (240.0.0.1) 3025; gw (240.0.0.1) 2500",
            ),
            (" 8  240.0.0.1 54 bytes to 240.0.0.9  1.5 ms", "240.0.0.1 1500"),
            (" 8  0.0.0.0  * * *", "*; *; *"),
            ("  6 240.0.0.1 !A  *", "240.0.0.1 - !A; *"),
            ("  6 240.0.0.1 !A  *  !A", "240.0.0.1 - !A; 240.0.0.1 - !A; *"),
            (
                "  4 a (240.0.0.1) [AS 65000] 4 msec *  8 msec",
                "a (240.0.0.1) 4000 AS65000; a (240.0.0.1) 8000 AS65000; *",
            ),
            (
                "  5 240.0.0.1 [MPLS: Label 24001 Exp 0] 12 msec !H",
                "240.0.0.1 12000 !H",
            ),
            (" 9  w.x.y.z  4294967.255 ms", "an unnamed host -"),
        ] {
            assert_eq!(short(line), says, "{line}");
        }
    }

    #[test]
    fn times_on_the_next_line_and_labels() {
        let wrapped = hops(
            " 4  a (240.0.0.1)  2.323 ms  2.327 \nms\n    b (240.0.0.2) 3 ms\n MPLS Label=476 CoS=0 TTL=127 S=0",
        );
        let rtts: Vec<Option<u64>> = wrapped[0].answers.iter().map(|answer| answer.rtt_ns).collect();
        assert_eq!(rtts, [Some(2_323_000), Some(2_327_000), Some(3_000_000)]);
        let label = MplsLabel {
            label: 476,
            traffic_class: 0,
            bottom: false,
            ttl: Some(127),
        };
        assert_eq!(wrapped[0].answers[0].mpls, [label]);
        let cisco =
            hops("  5 240.0.0.1 [MPLS: Labels 24001/17 Exp 4] 12 msec 8 msec 12 msec\n    240.0.0.2 8 msec");
        assert_eq!(cisco[0].answers.len(), 4);
        let labels: Vec<(u32, u8)> = cisco[0].answers[0]
            .mpls
            .iter()
            .map(|l| (l.label, l.traffic_class))
            .collect();
        assert_eq!(labels, [(24_001, 4), (17, 4)]);
        let linux = hops(" 1  a (240.0.0.1) <MPLS:L=24001,E=0,S=1,T=1/L=3,E=0,S=1,T=1>  1 ms");
        assert_eq!(linux[0].answers[0].mpls.len(), 2);
    }

    #[test]
    fn stars_of_a_cut_line_are_not_counted() {
        let cut = hops(" 1  240.0.0.1  1 ms  2 ms  3 ms\n 2  240.0.0.2  1 ms  *\n 3  * * *\n 4  *");
        let stars: Vec<(u8, usize, u16)> = cut
            .iter()
            .map(|h| (h.ttl, h.answers.len(), h.unanswered))
            .collect();
        assert_eq!(stars, [(1, 3, 0), (2, 1, 0), (3, 0, 3)]);
    }

    #[test]
    fn lines_of_a_hop_that_was_lost_are_not_the_last_ones() {
        let labels =
            hops(" 1  240.0.0.1  1 ms  2 ms\n   MPLS Label=476 CoS=0 TTL=1 S=1\n 3  240.0.0.3  2 ms  2 ms");
        assert_eq!(labels[0].answers[0].mpls, []);
        let further =
            hops(" 1  240.0.0.1  1 ms  2 ms\n    240.0.0.9  2 ms *\n 2  240.0.0.3  2 ms  2 ms\n 3  * *");
        assert_eq!(further[0].answers.len(), 2);
    }

    #[test]
    fn a_hop_that_stands_twice() {
        let same = hops(" 1  240.0.0.1  1 ms\n 1  240.0.0.1  1 ms\n 2  240.0.0.2  1 ms");
        assert_eq!(same.len(), 2);
        let other = hops(" 1  240.0.0.1  1 ms\n 1  240.0.0.1  2 ms\n 2  240.0.0.2  1 ms");
        assert_eq!(other.len(), 1);
    }
}
