//! Lines of hops: names, addresses, times, stars, marks, AS numbers, reply TTLs, labels, in the order printed.

use super::hop_line::ttl;
use super::labels;
use crate::host::{host, is_address_place, rtt_ms, set_address};
use evidence::{MplsLabel, Node, TraceAnswer, TraceHop};

/// More answers, or probes without one, than this to one TTL are no trace.
const MOST_PROBES: usize = 1000;

/// Hops, read line by line.
#[derive(Debug, Default)]
pub(crate) struct Hops {
    hops: Vec<TraceHop>,
    node: Node,
    asn: Option<u32>,
    /// Label stack entries printed since the last answer: before the next one they are its own, else the hop's.
    labels: Vec<MplsLabel>,
    /// A number of which the next word says whether it is a time; within, that time, if it can be one.
    pending: Option<Option<u64>>,
    /// The host has been named, and nothing of its answers was printed yet.
    is_owed: bool,
    /// The hop names no host before its times, as Windows prints it.
    times_first: bool,
    /// The first and the last MTU that a search for the path MTU prints.
    mtus: Option<(u32, u32)>,
}

impl Hops {
    /// Takes a line: of a hop, or one that goes on with the last.
    pub(crate) fn line(&mut self, line: &str) {
        if let Some(label) = line.trim().strip_prefix("MPLS Label=") {
            return self.label(labels::junos(label));
        }
        // A number that begins a line is a wrapped time when "ms" follows it.
        let hop = ttl(line).filter(|(_, rest)| !rest.trim_start().starts_with("ms"));
        match hop {
            Some((ttl, rest)) => {
                self.hop(ttl);
                self.words(rest);
            }
            None => self.words(line),
        }
    }

    /// Begins a hop.
    fn hop(&mut self, ttl: u8) {
        self.settle();
        self.node = Node::default();
        self.asn = None;
        self.times_first = true;
        self.hops.push(TraceHop {
            ttl,
            ..TraceHop::default()
        });
    }

    /// The hops, and where the tool searched for the path MTU, the first and the last that it printed.
    pub(crate) fn finish(mut self) -> (Vec<TraceHop>, Option<(u32, u32)>) {
        self.settle();
        self.hops.retain(|hop| hop.sent() > 0);
        (self.hops, self.mtus)
    }

    /// A host that was named without a time did answer.
    fn settle(&mut self) {
        self.pending = None;
        if std::mem::take(&mut self.is_owed) {
            self.answer(None);
        }
        let labels = std::mem::take(&mut self.labels);
        if let Some(hop) = self.hops.last_mut().filter(|hop| hop.sent() > 0) {
            hop.add_labels(labels);
        }
    }

    fn answer(&mut self, rtt_ns: Option<u64>) {
        self.is_owed = false;
        let answer = TraceAnswer {
            node: self.node.clone(),
            rtt_ns,
            asn: self.asn,
            mpls: std::mem::take(&mut self.labels),
            ..TraceAnswer::default()
        };
        if let Some(hop) = self.hops.last_mut().filter(|hop| hop.answers.len() < MOST_PROBES) {
            hop.answers.push(answer);
        }
    }

    fn last_answer(&mut self) -> Option<&mut TraceAnswer> {
        self.hops.last_mut()?.answers.last_mut()
    }

    fn words(&mut self, text: &str) {
        let mut rest = text.split(" Request timed out").next().unwrap_or("").trim();
        while !rest.is_empty() {
            rest = match rest.as_bytes().first() {
                Some(b'(') => self.parentheses(rest),
                Some(b'[') => self.brackets(rest),
                Some(b'<') if rest.starts_with("<MPLS:") => {
                    let (entries, behind) = labels::linux(rest);
                    entries.for_each(|entry| self.label(entry));
                    behind
                }
                _ => self.word(rest),
            }
            .trim_start();
        }
    }

    /// `(240.0.0.1)`, `(w.x.y.z   )`, `(ttl=253!)`, or a parenthesis that a document left open.
    fn parentheses<'t>(&mut self, text: &'t str) -> &'t str {
        let inner = text.get(1..).unwrap_or("");
        self.times_first = false;
        let Some((content, rest)) = inner.split_once(')') else {
            return inner;
        };
        if let Some(ttl) = content.strip_prefix("ttl=") {
            let reply_ttl = ttl.trim_end_matches('!').parse().ok();
            if let Some(answer) = self.last_answer() {
                answer.reply_ttl = reply_ttl;
            }
        } else if is_address_place(content.trim()) {
            set_address(&mut self.node, content);
            self.is_owed |= self.node.address.is_some();
        } else {
            return inner;
        }
        rest.trim_start_matches(',')
    }

    /// `[AS3671 - SU-SLAC]`, `[AS1239/AS1240]`, `[*]`, `[mtu: 1500]`, `[MPLS: Label 24001 Exp 0]`.
    fn brackets<'t>(&mut self, text: &'t str) -> &'t str {
        let inner = text.get(1..).unwrap_or("");
        let Some((content, rest)) = inner.split_once(']') else {
            return inner;
        };
        if let Some(number) = content.strip_prefix("AS") {
            let digits = number.trim_start().bytes().take_while(u8::is_ascii_digit).count();
            self.asn = number.trim_start().get(..digits).and_then(|n| n.parse().ok());
        } else if let Some(mtu) = content.strip_prefix("mtu: ") {
            // scamper's `trace -M`: the MTU up to this hop.
            self.mtu(mtu);
        } else if content.starts_with("MPLS: ") {
            labels::cisco(content).for_each(|entry| self.label(entry));
        } else if let Ok(address) = content.parse() {
            self.address_in_brackets(address);
        }
        rest
    }

    fn word<'t>(&mut self, text: &'t str) -> &'t str {
        let end = text
            .find(|c: char| c.is_whitespace() || c == '(')
            .unwrap_or(text.len())
            .max(1);
        let (word, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        match word {
            "*" => self.star(),
            "ms" | "ms," | "msec" => {
                if let Some(rtt_ns) = self.pending.take() {
                    self.answer(rtt_ns);
                }
            }
            // "Less than a millisecond" of Windows is no figure, but an answer.
            "<1" => self.pending = Some(None),
            _ => self.other_word(word),
        }
        rest
    }

    fn star(&mut self) {
        self.settle();
        if let Some(hop) = self.hops.last_mut() {
            hop.unanswered = hop.unanswered.saturating_add(1).min(MOST_PROBES as u16);
        }
    }

    fn other_word(&mut self, word: &str) {
        if word.starts_with('!') {
            return self.mark(word);
        }
        if let Some(mtu) = word.strip_prefix("F=") {
            return self.mtu(mtu);
        }
        let number = word.strip_suffix("ms").unwrap_or(word);
        if number.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok() {
            if number.len() < word.len() {
                self.answer(rtt_ms(number));
            } else {
                self.pending = Some(rtt_ms(number));
            }
            return;
        }
        self.host(word);
    }

    /// A host: of the answers that follow, or, where times stand first, of those before it.
    fn host(&mut self, word: &str) {
        self.settle();
        self.node = host(word);
        self.asn = None;
        let has_answers = self.last_answer().is_some();
        if self.times_first && has_answers {
            self.name_the_answers();
        } else {
            self.times_first = false;
            self.is_owed = !self.node.is_unknown();
        }
    }

    /// Windows: `name [240.0.0.1]` behind the times.
    fn address_in_brackets(&mut self, address: std::net::IpAddr) {
        if self.times_first {
            self.node.address = Some(address);
            self.name_the_answers();
        }
    }

    fn name_the_answers(&mut self) {
        let node = &self.node;
        for answer in self.hops.last_mut().into_iter().flat_map(|hop| &mut hop.answers) {
            answer.node.clone_from(node);
        }
    }

    fn mtu(&mut self, printed: &str) {
        if let Ok(mtu) = printed.parse() {
            self.mtus = Some((self.mtus.map_or(mtu, |(first, _)| first), mtu));
        }
    }

    fn mark(&mut self, word: &str) {
        let mtu_bytes = word.strip_prefix("!F-").and_then(|mtu| mtu.parse().ok());
        let mark = word.chars().take(16).collect();
        if self.is_owed {
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
        text.lines().for_each(|line| hops.line(line));
        hops.finish().0
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
            ("  5     *        *        *     Request timed out.", "*; *; *"),
            (" 7  a (240.0.0.1) [AS1/AS2]  5.5 ms", "a (240.0.0.1) 5500 AS1"),
            (" 8  a (240.0.0.1)", "a (240.0.0.1) -"),
            ("  6 240.0.0.1 !A  *", "240.0.0.1 - !A; *"),
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
}
