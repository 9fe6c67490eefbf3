//! What the words of a line say of its hop, one after another.

use super::Hops;
use crate::formats::traceroute::labels;
use crate::formats::traceroute::token::{Token, Tokens};
use crate::host::{host, is_address_place, set_address};
use evidence::ReplyKind;
use std::net::IpAddr;

impl Hops {
    pub(super) fn words(&mut self, text: &str) {
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
        // A share is what another tool prints of a hop.
        let is_first = || {
            self.node.is_unknown()
                && !word.ends_with('%')
                && self.hops.last().is_some_and(|printed| printed.hop.sent() == 0)
        };
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

    fn mtu(&mut self, printed: &str) {
        let ttl = self.hops.last().map(|printed| printed.hop.ttl);
        if let (Ok(mtu), Some(ttl)) = (printed.parse(), ttl) {
            self.mtus.push((ttl, mtu));
        }
    }
}
