//! Blocks of pcapng: those that change how packets are read, and those between packets.

use super::{Framer, MAX_INTERFACES, Run};
use crate::file::complaint::Trouble;
use crate::file::layout::{Layout, Section};
use crate::file::pcapng;
use crate::file::resync::Judgement;
use std::sync::Arc;

impl Framer {
    /// A whole block of pcapng that is no packet.
    pub(super) fn take_block(&mut self, kind: u32, bytes: &[u8], length: usize, at_end: bool) -> usize {
        let Some(block) = bytes.get(..length) else {
            return self.skip(self.offset, length as u64, bytes, at_end);
        };
        match kind {
            pcapng::SECTION => self.take_section(block),
            pcapng::INTERFACE => self.take_interface(block),
            // A packet, or what may stand between packets.
            _ => return 0,
        }
        length
    }

    fn take_section(&mut self, block: &[u8]) {
        let Some(order) = pcapng::section(block, &mut self.description) else {
            return;
        };
        let first_interface = match &*self.layout {
            Layout::Pcap(_) => 0,
            Layout::Pcapng(section) => {
                let count = u32::try_from(section.interfaces.len()).unwrap_or(u32::MAX);
                section.first_interface.saturating_add(count)
            }
        };
        self.layout = Arc::new(Layout::Pcapng(Section {
            order,
            first_interface,
            interfaces: Vec::new(),
        }));
    }

    fn take_interface(&mut self, block: &[u8]) {
        let Layout::Pcapng(section) = &*self.layout else {
            return;
        };
        if section.interfaces.len() >= MAX_INTERFACES {
            return self.complain(self.offset, Trouble::TooManyInterfaces);
        }
        let Some(interface) = pcapng::interface(block, section.order, &mut self.description) else {
            return;
        };
        // Copied only while packets that were handed out still hold it.
        if let Layout::Pcapng(section) = Arc::make_mut(&mut self.layout) {
            section.interfaces.push(interface);
        }
    }

    pub(super) fn pcapng_run(&mut self, section: &Section, bytes: &[u8]) -> Run {
        let mut run = Run::default();
        while let Some(rest) = bytes.get(run.bytes..).filter(|rest| !rest.is_empty()) {
            let (kind, Judgement::Whole(length)) = pcapng::judge(rest, section.order) else {
                break;
            };
            let Some(block) = rest.get(..length) else {
                break;
            };
            if matches!(kind, pcapng::SECTION | pcapng::INTERFACE) {
                break;
            }
            let at = self.offset + run.bytes as u64;
            if self.pass(section, kind, block, at) {
                run.add(length);
            } else {
                run.bytes += length;
            }
        }
        run
    }

    /// Passes over a block; whether it is a packet that can be read.
    #[inline]
    fn pass(&mut self, section: &Section, kind: u32, block: &[u8], at: u64) -> bool {
        let Some(id) = pcapng::packet_interface(kind, block, section.order) else {
            self.pass_other(section, kind, block);
            return false;
        };
        if id as usize >= section.interfaces.len() {
            self.complain_once(at, Trouble::UnknownInterface(id));
            return false;
        }
        if kind == pcapng::SIMPLE_PACKET {
            self.complain_once(at, Trouble::NoTime);
        } else if let Some(options) = pcapng::packet_options(block, section.order)
            && self.description.has_room_for_comments()
        {
            pcapng::comments(options, section.order, &mut self.description);
        }
        true
    }

    #[cold]
    fn pass_other(&mut self, section: &Section, kind: u32, block: &[u8]) {
        if kind != pcapng::STATISTICS {
            return;
        }
        let Some((id, counted)) = pcapng::interface_statistics(block, section.order) else {
            return;
        };
        let place = section.first_interface.saturating_add(id) as usize;
        let is_known = (id as usize) < section.interfaces.len();
        if let Some(interface) = self.description.interfaces.get_mut(place).filter(|_| is_known) {
            interface.statistics = Some(counted);
        }
    }

    /// The same trouble again is not told again.
    #[cold]
    fn complain_once(&mut self, at: u64, trouble: Trouble) {
        if !self
            .complaints
            .iter()
            .any(|complaint| complaint.trouble == trouble)
        {
            self.complain(at, trouble);
        }
    }
}
