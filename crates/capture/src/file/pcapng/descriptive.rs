//! Blocks that describe: section, interface, statistics.

use super::options::{COMMENT, options};
use crate::file::description::{
    CaptureStatistics, Description, Format, InterfaceDescription, add_text, short_text,
};
use crate::file::layout::{ByteOrder, Clock, Interface};

/// Options of a block: behind its fixed part, before its second length.
fn options_of(block: &[u8], fixed_bytes: usize, order: ByteOrder) -> impl Iterator<Item = (u16, &[u8])> {
    let end = block.len().saturating_sub(4);
    options(block.get(fixed_bytes..end).unwrap_or_default(), order)
}

/// Reads a section header block.
pub(crate) fn section(block: &[u8], description: &mut Description) -> Option<ByteOrder> {
    let order = super::order(block.get(8..12)?)?;
    description.format = Some(Format::Pcapng);
    description.sections = description.sections.saturating_add(1);
    for (code, value) in options_of(block, 24, order) {
        match code {
            COMMENT => add_text(&mut description.comments, value),
            2 => add_text(&mut description.hardware, value),
            3 => add_text(&mut description.os, value),
            4 => add_text(&mut description.application, value),
            _ => {}
        }
    }
    Some(order)
}

/// Reads an interface description block.
pub(crate) fn interface(block: &[u8], order: ByteOrder, description: &mut Description) -> Option<Interface> {
    let mut told = InterfaceDescription {
        link_type: order.u16(block, 8)?,
        snap_bytes: order.u32(block, 12)?,
        ..InterfaceDescription::default()
    };
    let (mut resolution, mut offset_s) = (6, 0);
    for (code, value) in options_of(block, 16, order) {
        match code {
            COMMENT => add_text(&mut description.comments, value),
            2 => told.name = Some(short_text(value)),
            3 => told.description = Some(short_text(value)),
            8 => told.rate_bps = order.u64(value, 0),
            9 => resolution = value.first().copied().unwrap_or(resolution),
            // The first byte tells how it is written; 0 is text.
            11 => told.filter = value.strip_prefix(&[0]).map(short_text),
            12 => told.os = Some(short_text(value)),
            14 => offset_s = order.u64(value, 0).unwrap_or(0) as i64,
            15 => told.hardware = Some(short_text(value)),
            _ => {}
        }
    }
    let read = Interface {
        link_type: told.link_type,
        snap_bytes: told.snap_bytes,
        clock: Clock::new(resolution, offset_s),
    };
    description.push_interface(told);
    Some(read)
}

/// Reads an interface statistics block: what it counts, and of which interface of the section.
pub(crate) fn interface_statistics(block: &[u8], order: ByteOrder) -> Option<(u32, CaptureStatistics)> {
    let mut counted = CaptureStatistics::default();
    for (code, value) in options_of(block, 20, order) {
        let place = match code {
            4 => &mut counted.received,
            5 => &mut counted.dropped_by_interface,
            6 => &mut counted.accepted,
            7 => &mut counted.dropped_by_os,
            8 => &mut counted.delivered,
            _ => continue,
        };
        *place = order.u64(value, 0);
    }
    Some((order.u32(block, 8)?, counted))
}

/// Keeps the comments among the options of a packet.
pub(crate) fn comments(bytes: &[u8], order: ByteOrder, description: &mut Description) {
    for (code, value) in options(bytes, order) {
        if code == COMMENT {
            add_text(&mut description.comments, value);
        }
    }
}
