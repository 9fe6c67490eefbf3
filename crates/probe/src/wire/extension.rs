//! ICMP extension structures (RFC 4884), of which MPLS label stacks (RFC 4950) are read.

use super::checksum::internet_checksum;
use super::field::{be16, be32};
use evidence::MplsLabel;

const VERSION: u8 = 2;
const MPLS_CLASS: u8 = 1;
const INCOMING_STACK: u8 = 1;
/// Deeper stacks than this exist on no network; the limit bounds what a hostile packet can make us keep.
const MAX_LABELS: usize = 16;

/// The label stack in an extension structure, outermost first; empty when there is none or the structure is broken.
#[must_use]
pub fn mpls_labels(structure: &[u8]) -> Vec<MplsLabel> {
    read_labels(structure).unwrap_or_default()
}

fn read_labels(structure: &[u8]) -> Option<Vec<MplsLabel>> {
    // A zero checksum means that none was computed.
    let unchecked = be16(structure, 2)? == 0;
    if structure.first()? >> 4 != VERSION || !(unchecked || internet_checksum(&[structure]) == 0) {
        return None;
    }
    let mut labels = Vec::new();
    let mut objects = structure.get(4..)?;
    while let Some(length) = be16(objects, 0).map(usize::from) {
        let (Some(body), Some(rest)) = (objects.get(4..length), objects.get(length..)) else {
            break;
        };
        if objects.get(2..4)? == [MPLS_CLASS, INCOMING_STACK] {
            labels.extend(
                body.as_chunks::<4>()
                    .0
                    .iter()
                    .filter_map(|entry| read_label(entry)),
            );
        }
        objects = rest;
    }
    labels.truncate(MAX_LABELS);
    Some(labels)
}

fn read_label(entry: &[u8]) -> Option<MplsLabel> {
    let word = be32(entry, 0)?;
    Some(MplsLabel {
        label: word >> 12,
        traffic_class: (word >> 9 & 7) as u8,
        bottom: word >> 8 & 1 == 1,
        ttl: Some(word as u8),
    })
}
