//! What of the hops is sure when all lines are read: lines that are missing, doubled or cut show in how many probes each hop has.

use super::{Found, Hops, Printed};

impl Hops {
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
                if printed.hop.unanswered > 0 {
                    let reason = match printed.hop.answers.as_slice() {
                        [] => "fewer stars than others have probes: the hop is not used",
                        _ => "fewer answers and stars than others have probes: the stars are not counted",
                    };
                    self.unread.push((printed.line, reason.to_owned()));
                }
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
}
