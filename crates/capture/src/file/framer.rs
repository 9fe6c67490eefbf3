//! The walk over the records of a capture.

mod blocks;

use super::complaint::{Complaint, NotACapture, Trouble};
use super::description::{Description, InterfaceDescription};
use super::frames::Packets;
use super::layout::{ByteOrder, Layout, Lengths, PcapLayout, Section};
use super::resync::{Chain, Judgement, search};
use super::sniff::{Kind, sniff};
use super::{MAX_RECORD_BYTES, pcap, pcapng};
use std::sync::Arc;

/// Interfaces of a section that are read: a large router has hundreds.
const MAX_INTERFACES: usize = 4096;
/// Complaints that are kept: whoever reads them has seen enough.
const MAX_COMPLAINTS: usize = 64;

/// Walks over the records of a capture, in order, and remembers what the file says about itself and what is wrong with it.
#[derive(Debug, Clone)]
pub struct Framer {
    layout: Arc<Layout>,
    has_begun: bool,
    /// Bytes of the file before those that will be offered next.
    offset: u64,
    /// Where the damage began behind which records are looked for.
    damaged_at: Option<u64>,
    /// A large block that is skipped: where it begins, and how many bytes of it are to come.
    skip: Option<(u64, u64)>,
    /// Time of the last packet.
    last_ns: i64,
    packets: u64,
    description: Description,
    complaints: Vec<Complaint>,
    further_complaints: u64,
}

/// What [`Framer::advance`] found at the front of the bytes that it was given.
#[derive(Debug, Clone)]
pub struct Step {
    /// Bytes that are done with: the next call wants those behind them.
    pub consumed: usize,
    /// The packets in them.
    pub packets: Packets,
}

impl Default for Framer {
    fn default() -> Self {
        Self::new()
    }
}

/// Packet records in a row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    pub(crate) bytes: usize,
    pub(crate) packets: u64,
    /// Where the last packet begins.
    pub(crate) last: Option<usize>,
}

impl Run {
    /// Adds a packet whose record is so long.
    #[inline]
    pub(crate) fn add(&mut self, record_bytes: usize) {
        self.last = Some(self.bytes);
        self.bytes += record_bytes;
        self.packets += 1;
    }
}

impl Framer {
    /// If so many bytes are offered, at least one is consumed.
    pub const WINDOW_BYTES: usize = 2 * MAX_RECORD_BYTES;

    /// At the beginning of a file.
    #[must_use]
    pub fn new() -> Self {
        let nothing = PcapLayout {
            order: ByteOrder::Little,
            link_type: 0,
            header_bytes: 16,
            fraction_ns: 1000,
            snap_bytes: 0,
            lengths: Lengths::CapturedFirst,
        };
        Self {
            layout: Arc::new(Layout::Pcap(nothing)),
            has_begun: false,
            offset: 0,
            damaged_at: None,
            skip: None,
            last_ns: 0,
            packets: 0,
            description: Description::default(),
            complaints: Vec::new(),
            further_complaints: 0,
        }
    }

    /// Goes on at the front of `bytes`, which follow those that were consumed so far. `at_end` says that no more will come.
    ///
    /// A step ends before interfaces change, so several may be in the same bytes: call again until nothing is consumed, then
    /// add bytes, up to [`Framer::WINDOW_BYTES`]. At the end of the file all is consumed.
    ///
    /// # Errors
    /// At the beginning: the bytes are no capture.
    pub fn advance(&mut self, bytes: &[u8], at_end: bool) -> Result<Step, NotACapture> {
        let began = self.offset;
        let mut start = 0;
        loop {
            let rest = bytes.get(start..).unwrap_or_default();
            let taken = self.take_other(rest, at_end)?;
            if taken == 0 {
                break;
            }
            start += taken;
            self.offset = began + start as u64;
        }
        let run = self.run(bytes.get(start..).unwrap_or_default(), at_end);
        let packets = Packets {
            layout: Arc::clone(&self.layout),
            range: start..start + run.bytes,
            before_ns: self.last_ns,
            first: self.packets,
            count: run.packets,
        };
        let consumed = start + run.bytes;
        self.last_ns = run.last.map_or(self.last_ns, |last| {
            let last = bytes.get(start + last..).unwrap_or_default();
            self.time_of(last).unwrap_or(self.last_ns)
        });
        self.packets += run.packets;
        self.offset = began + consumed as u64;
        Ok(Step { consumed, packets })
    }

    /// What the capture says about itself, as far as it was read.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What is wrong with it, the first so many.
    #[must_use]
    pub fn complaints(&self) -> &[Complaint] {
        &self.complaints
    }

    /// Complaints beyond those that are kept.
    #[must_use]
    pub fn further_complaints(&self) -> u64 {
        self.further_complaints
    }

    /// Packets so far.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Bytes of the file so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    fn complain(&mut self, at: u64, trouble: Trouble) {
        if self.complaints.len() < MAX_COMPLAINTS {
            self.complaints.push(Complaint { at, trouble });
        } else {
            self.further_complaints = self.further_complaints.saturating_add(1);
        }
    }

    /// Takes what is no packet from the front of bytes. 0 where a packet begins, and where more bytes are needed.
    fn take_other(&mut self, bytes: &[u8], at_end: bool) -> Result<usize, NotACapture> {
        if !self.has_begun {
            return self.begin(bytes, at_end);
        }
        if bytes.is_empty() {
            return Ok(0);
        }
        if let Some((began, left)) = self.skip {
            return Ok(self.skip(began, left, bytes, at_end));
        }
        if let Some(damaged_at) = self.damaged_at {
            let taken = self.look_for_records(bytes, damaged_at, at_end);
            // Where a record begins right here, it is to be looked at: it may be no packet.
            if taken > 0 || self.damaged_at.is_some() {
                return Ok(taken);
            }
        }
        let (kind, judgement) = self.judge(bytes, at_end);
        Ok(match judgement {
            Judgement::Whole(length) => self.take_block(kind, bytes, length, at_end),
            Judgement::Incomplete(needed) if at_end => self.take_rest(bytes, needed),
            Judgement::Incomplete(_) => 0,
            Judgement::Damaged => {
                self.damaged_at = Some(self.offset);
                1
            }
        })
    }

    /// The header of the file.
    fn begin(&mut self, bytes: &[u8], at_end: bool) -> Result<usize, NotACapture> {
        let Some(kind) = sniff(bytes, at_end)? else {
            return Ok(0);
        };
        self.has_begun = true;
        let Some((layout, format)) = pcap::file_header(bytes).filter(|_| kind == Kind::Pcap) else {
            let order = bytes.get(8..12).and_then(pcapng::order);
            self.layout = Arc::new(Layout::Pcapng(Section {
                order: order.unwrap_or(ByteOrder::Little),
                first_interface: 0,
                interfaces: Vec::new(),
            }));
            return self.take_other(bytes, at_end);
        };
        self.layout = Arc::new(Layout::Pcap(layout));
        self.description.format = Some(format);
        self.description.sections = 1;
        self.description.push_interface(InterfaceDescription {
            link_type: layout.link_type,
            snap_bytes: layout.snap_bytes,
            ..InterfaceDescription::default()
        });
        Ok(pcap::FILE_HEADER_BYTES)
    }

    fn judge(&self, bytes: &[u8], at_end: bool) -> (u32, Judgement) {
        match &*self.layout {
            Layout::Pcap(layout) => (pcapng::ENHANCED_PACKET, layout.judge(bytes, at_end)),
            Layout::Pcapng(section) => pcapng::judge(bytes, section.order),
        }
    }

    fn time_of(&self, record: &[u8]) -> Option<i64> {
        match &*self.layout {
            Layout::Pcap(layout) => Some(layout.frame(record)?.0.time_ns),
            Layout::Pcapng(section) => Some(section.frame(record, self.last_ns)?.0?.time_ns),
        }
    }

    fn skip(&mut self, began: u64, left: u64, bytes: &[u8], at_end: bool) -> usize {
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let missing_bytes = left - length as u64;
        self.skip = (missing_bytes > 0).then_some((began, missing_bytes));
        if at_end && missing_bytes > 0 {
            self.complain(began, Trouble::Cut { missing_bytes });
        }
        length
    }

    /// The file ends within a record, or the length of that is damaged and there are others behind.
    fn take_rest(&mut self, bytes: &[u8], needed: u64) -> usize {
        // A full chain, as if more bytes were to come: the rest of a packet that was cut is short, but any payload.
        let resumes = |bytes: &[u8]| match self.resumes(bytes, false) {
            Chain::Yes => Chain::Yes,
            Chain::No | Chain::Wait => Chain::No,
        };
        if let (at, Chain::Yes) = search(bytes, 1, resumes) {
            let resumed_at = Some(self.offset + at as u64);
            self.complain(self.offset, Trouble::Damaged { resumed_at });
            return at;
        }
        let missing_bytes = needed.saturating_sub(bytes.len() as u64);
        self.complain(self.offset, Trouble::Cut { missing_bytes });
        bytes.len()
    }

    fn resumes(&self, bytes: &[u8], at_end: bool) -> Chain {
        match &*self.layout {
            Layout::Pcap(layout) => layout.resumes(bytes, at_end, self.last_ns),
            Layout::Pcapng(section) => pcapng::resumes(bytes, section.order, at_end),
        }
    }

    fn look_for_records(&mut self, bytes: &[u8], damaged_at: u64, at_end: bool) -> usize {
        let (at, found) = search(bytes, 0, |bytes| self.resumes(bytes, at_end));
        let resumed_at = (found == Chain::Yes).then_some(self.offset + at as u64);
        if resumed_at.is_some() || (at_end && at == bytes.len()) {
            self.complain(damaged_at, Trouble::Damaged { resumed_at });
            self.damaged_at = None;
        }
        at
    }

    /// Walks over packets, as far as they are whole and the interfaces stay.
    fn run(&mut self, bytes: &[u8], at_end: bool) -> Run {
        if !self.has_begun || self.damaged_at.is_some() || self.skip.is_some() {
            return Run::default();
        }
        let layout = Arc::clone(&self.layout);
        match &*layout {
            Layout::Pcap(layout) => pcap_run(layout, bytes, at_end),
            Layout::Pcapng(section) => self.pcapng_run(section, bytes),
        }
    }
}

fn pcap_run(layout: &PcapLayout, bytes: &[u8], at_end: bool) -> Run {
    let mut run = Run::default();
    loop {
        layout.pass_plain(bytes, &mut run);
        let rest = bytes.get(run.bytes..).unwrap_or_default();
        let Judgement::Whole(length) = layout.judge(rest, at_end) else {
            return run;
        };
        run.add(length);
    }
}
