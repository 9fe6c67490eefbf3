//! Several files of one run, and one transfer of which both ends tell.

use super::{Moved, NO_RATE};
use crate::Context;
use crate::findings::Findings;
use evidence::{Timestamp, Transfer};

/// One of several files that one run moved.
#[derive(Debug)]
pub(super) struct Part {
    lines: (u64, u64),
    at: Option<Timestamp>,
    transfer: Transfer,
}

/// What stood behind a part, the most telling of it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Since {
    #[default]
    Nothing,
    /// How far one is.
    Progress,
    /// A name or a heading.
    Words,
}

/// Of several files one of fewer bytes says nothing of the path: it is over within the first round trips, or was the body of a
/// redirection.
const LEAST_PART_BYTES: u64 = 1 << 16;

impl Moved<'_> {
    /// A line that says nothing of use.
    pub(in crate::formats::flows) fn pass(&mut self) {
        self.seen |= !self.tool.measures;
        self.since_part = Since::Words;
    }

    /// What was said is of one file of several.
    pub(in crate::formats::flows) fn keep_part(
        &mut self,
        is_named: bool,
        context: &Context,
        findings: &mut Findings,
    ) {
        let way = self.way;
        let since = std::mem::take(&mut self.since_part);
        if let Some(lines) = self.lines.filter(|_| !self.ends.stays && self.is_of_no_rate()) {
            findings.complain_of(lines, NO_RATE);
        }
        if let Some(lines) = self.lines.filter(|_| !self.ends.stays) {
            self.keep_lines(lines, context, is_named, since);
        }
        self.clear();
        self.way = way;
    }

    fn keep_lines(&mut self, lines: (u64, u64), context: &Context, is_named: bool, since: Since) {
        if let Some(transfer) = self.transfer(context) {
            let is_same = |part: &mut Part| match is_named {
                true => since < Since::Words,
                false => {
                    let of = |transfer: &Transfer| (transfer.bytes_received, transfer.duration_ns);
                    since == Since::Nothing && of(&part.transfer) == of(&transfer)
                }
            };
            self.parts.pop_if(is_same);
            self.parts.push(Part {
                lines,
                at: self.at(context),
                transfer,
            });
        } else if self.bytes("B").is_some_and(|bytes| bytes > 0) && !self.is_of_no_rate() {
            self.small = Some((self.small.map_or(lines.0, |small| small.0), lines.1));
        }
    }

    /// What was said is one end's account of a transfer that the other end tells of as well.
    pub(in crate::formats::flows) fn keep_end(&mut self, context: &Context, findings: &mut Findings) {
        let rate = |transfer: &Transfer| transfer.sent_bps.or(transfer.received_bps);
        if let Some(lines) = self.lines.filter(|_| !self.ends.stays)
            && let Some(transfer) = self.transfer(context)
        {
            match self.parts.as_mut_slice() {
                [] => self.parts.push(Part {
                    lines,
                    at: self.at(context),
                    transfer,
                }),
                [sent] if sent.transfer.bytes_received == transfer.bytes_received => {
                    sent.lines.1 = lines.1;
                    sent.transfer.sent_bps = rate(&sent.transfer);
                    sent.transfer.received_bps = rate(&transfer);
                    sent.transfer.duration_ns = transfer.duration_ns;
                }
                _ => findings.complain_of(
                    lines,
                    "the other end's account of the transfer above tells of other bytes: it is not used",
                ),
            }
        }
        self.clear();
    }

    /// A sum of them follows.
    pub(in crate::formats::flows) fn forget_parts(&mut self) {
        let begins = self.parts.first().map(|part| part.lines.0);
        if let Some((begin, (first, _))) = begins.zip(self.lines.as_mut()) {
            *first = begin.min(*first);
        }
        self.parts.clear();
        self.small = None;
    }

    /// Gives the files that no sum was printed of, each as a transfer.
    pub(in crate::formats::flows) fn tell_parts(&mut self, findings: &mut Findings) {
        let are_several = self.parts.len() > 1;
        let mut small = self.small.take();
        for part in std::mem::take(&mut self.parts) {
            let is_small = part
                .transfer
                .bytes_received
                .is_some_and(|bytes| bytes < LEAST_PART_BYTES);
            if !(are_several && is_small) {
                small = None;
                findings.record_of(part.lines, self.tool.name, part.at, part.transfer.into());
            }
        }
        if let Some(lines) = small {
            findings.complain_of(lines, "files of few bytes each: their rates are not used");
        }
    }
}
