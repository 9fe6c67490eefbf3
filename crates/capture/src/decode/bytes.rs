//! Reading bytes of which the end may not have been captured.

use super::counts::Other;
use crate::file::Frame;

/// What is left of a frame behind the headers that were read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest<'a> {
    /// What was captured of it.
    pub(super) captured: &'a [u8],
    /// How long it was on the wire.
    pub(super) wire_bytes: u32,
}

impl<'a> Rest<'a> {
    #[inline]
    pub(super) fn of(frame: &Frame<'a>) -> Self {
        let captured_bytes = u32::try_from(frame.captured.len()).unwrap_or(u32::MAX);
        Self {
            captured: frame.captured,
            // Nothing is captured that was not there, whatever the file says.
            wire_bytes: frame.wire_bytes.max(captured_bytes),
        }
    }

    /// What is behind so many bytes.
    #[inline]
    pub(super) fn behind(self, bytes: usize) -> Result<Self, Other> {
        match self.captured.get(bytes..) {
            Some(captured) => Ok(Self {
                captured,
                wire_bytes: self.wire_bytes.saturating_sub(bytes as u32),
            }),
            None => Err(self.lacking(bytes)),
        }
    }

    /// No more than so many bytes: what is behind is padding.
    #[inline]
    pub(super) fn within(self, bytes: u32) -> Self {
        Self {
            captured: self.captured.get(..bytes as usize).unwrap_or(self.captured),
            wire_bytes: bytes,
        }
    }

    /// Why so many bytes are not there: they were not captured, or never existed.
    #[cold]
    pub(super) fn lacking(self, bytes: usize) -> Other {
        if bytes <= self.wire_bytes as usize {
            Other::Cut
        } else {
            Other::Malformed
        }
    }

    /// The first bytes.
    #[inline]
    pub(super) fn first<const N: usize>(self) -> Result<&'a [u8; N], Other> {
        self.captured.first_chunk().ok_or_else(|| self.lacking(N))
    }

    #[inline]
    pub(super) fn u16(self, at: usize) -> Result<u16, Other> {
        be16(self.captured, at).ok_or_else(|| self.lacking(at + 2))
    }

    #[inline]
    pub(super) fn u8(self, at: usize) -> Result<u8, Other> {
        self.captured.get(at).copied().ok_or_else(|| self.lacking(at + 1))
    }
}

#[inline]
pub(super) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[inline]
pub(super) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
