//! TCP options.

use super::bytes::{be16, be32};
use crate::Segment;

const END: u8 = 0;
const NOTHING: u8 = 1;
const SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const ALIGNED_TIMESTAMPS: [u8; 4] = [NOTHING, NOTHING, TIMESTAMPS, 10];
const FAST_OPEN: u8 = 34;
const EXPERIMENT: u8 = 254;
/// Fast Open before it had a number of its own (RFC 7413 section 4.1.1, RFC 6994).
const FAST_OPEN_EXPERIMENT: u16 = 0xf989;

/// RFC 7323 section 2.3: a larger shift counts as this.
const MAX_WINDOW_SCALE: u8 = 14;

/// Reads options over their defaults: `bytes` begin with them, `length` is how long the header says they are.
#[inline(always)]
pub(super) fn read(segment: &mut Segment, bytes: &[u8], length: usize) {
    if length == 0 {
        return;
    }
    // What nearly every segment has: two bytes of padding and time stamps (RFC 7323 appendix A).
    if length == 12
        && let Some((&ALIGNED_TIMESTAMPS, times)) = bytes.split_first_chunk()
        && let Some(timestamps) = be32(times, 0).zip(be32(times, 4))
    {
        segment.options.timestamps = Some(timestamps);
        return;
    }
    read_all(segment, bytes.get(..length).unwrap_or(bytes), length);
}

#[inline(never)]
fn read_all(segment: &mut Segment, captured: &[u8], length: usize) {
    let mut rest = captured;
    let mut left = length;
    while left > 0 {
        let size = match rest {
            [END, ..] => return,
            [NOTHING, ..] => 1,
            [_, size, ..] if *size >= 2 => usize::from(*size),
            // Cut within, or a length that cannot be.
            _ => {
                segment.options.is_cut = true;
                return;
            }
        };
        if size > 1 {
            let Some(option) = rest.get(..size) else {
                segment.options.is_cut = true;
                return;
            };
            take(segment, option);
        }
        rest = rest.get(size..).unwrap_or_default();
        left = left.saturating_sub(size);
    }
}

/// Takes one option over; of a length that its kind cannot have, it is as if it were not there (RFC 9293 section 3.2).
fn take(segment: &mut Segment, option: &[u8]) {
    let options = &mut segment.options;
    match *option {
        [SEGMENT_SIZE, 4, a, b] => options.mss_bytes = Some(u16::from_be_bytes([a, b])),
        [WINDOW_SCALE, 3, shift] => options.window_scale = Some(shift.min(MAX_WINDOW_SCALE)),
        [SACK_PERMITTED, 2] => options.sack_permitted = true,
        [TIMESTAMPS, 10, ..] => options.timestamps = be32(option, 2).zip(be32(option, 6)),
        [SACK, _, ref blocks @ ..] if blocks.len().is_multiple_of(8) => {
            for block in blocks.chunks_exact(8) {
                if let Some(block) = be32(block, 0).zip(be32(block, 4)) {
                    segment.add_sack(block);
                }
            }
        }
        [FAST_OPEN, ..] => options.fast_open = true,
        [EXPERIMENT, ..] if be16(option, 2) == Some(FAST_OPEN_EXPERIMENT) => options.fast_open = true,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    fn read(bytes: &[u8], length: usize) -> Options {
        segment(bytes, length).options
    }

    fn segment(bytes: &[u8], length: usize) -> Segment {
        let mut segment = Segment::BLANK;
        super::read(&mut segment, bytes, length);
        segment
    }

    fn whole(bytes: &[u8]) -> Options {
        read(bytes, bytes.len())
    }

    #[test]
    fn a_syn() {
        let read = whole(&[2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 7, 0, 0, 0, 0, 1, 3, 3, 7]);
        let expected = Options {
            mss_bytes: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some((7, 0)),
            ..Options::default()
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn time_stamps_alone_read_the_same_either_way() {
        let bytes = [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8];
        let mut slowly = Segment::BLANK;
        read_all(&mut slowly, &bytes, 12);
        assert_eq!(whole(&bytes), slowly.options);
        assert_eq!(whole(&bytes).timestamps, Some((0x0102_0304, 0x0506_0708)));
        // Behind the options there is payload, which must not be taken for them.
        assert_eq!(
            read(&[1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 2, 4, 0, 0], 12),
            whole(&bytes)
        );
    }

    #[test]
    fn sack_blocks() {
        let mut bytes = vec![1, 1, 5, 34];
        bytes.extend((0..32).map(|n| n as u8));
        let read = segment(&bytes, bytes.len());
        assert_eq!(read.sack().len(), 4);
        assert_eq!(read.sack()[0], (0x0001_0203, 0x0405_0607));
        assert!(!read.options.is_cut);
        assert_eq!(segment(&[5, 9, 0, 0, 0, 0, 0, 0, 0], 9).sack(), []);
    }

    #[test]
    fn what_is_cut_says_so() {
        let bytes = [2, 4, 5, 180, 1, 3, 3, 7, 4, 2, 1, 1];
        for cut in 0..bytes.len() {
            let read = read(&bytes[..cut], bytes.len());
            assert!(read.is_cut, "{cut} bytes");
            assert_eq!(read.mss_bytes.is_some(), cut >= 4);
            assert_eq!(read.window_scale.is_some(), cut >= 8);
        }
        assert!(!whole(&bytes).is_cut);
        // The end of the list came before the cut.
        assert!(!read(&[4, 2, 0], 8).is_cut);
    }

    #[test]
    fn malformed_lengths() {
        for bytes in [&[2_u8, 0, 5, 180][..], &[2, 1, 5, 180], &[8, 20, 1, 1], &[2]] {
            assert!(whole(bytes).is_cut, "{bytes:?}");
        }
        // A wrong length for its kind: not there, and what follows is.
        let read = whole(&[3, 4, 9, 9, 4, 2, 0, 0]);
        assert_eq!(
            (read.window_scale, read.sack_permitted, read.is_cut),
            (None, true, false)
        );
    }

    #[test]
    fn fast_open_by_either_number() {
        assert!(whole(&[34, 2, 1, 1]).fast_open);
        assert!(whole(&[254, 4, 0xf9, 0x89]).fast_open);
        assert!(!whole(&[254, 4, 0xf9, 0x88]).fast_open);
    }

    #[test]
    fn a_shift_of_more_than_14_counts_as_14() {
        assert_eq!(whole(&[3, 3, 200, 0]).window_scale, Some(14));
    }
}
