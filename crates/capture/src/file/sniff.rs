//! What bytes are, by how they begin.

use super::complaint::NotACapture;
use super::layout::ByteOrder;
use super::{pcap, pcapng};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Pcap,
    Pcapng,
}

/// So many bytes tell all that can be told.
pub(crate) const ENOUGH_BYTES: usize = 512;

const PACKED: &[(&[u8], &str)] = &[
    (&[0x1f, 0x8b], "gzip"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
    (&[0x04, 0x22, 0x4d, 0x18], "lz4"),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], "xz"),
    (b"BZh", "bzip2"),
    (b"PK\x03\x04", "zip"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
];

const OTHERS: &[(&[u8], &str)] = &[
    (b"snoop\0\0\0", "snoop (Solaris)"),
    (b"btsnoop\0", "btsnoop (Bluetooth)"),
    (b"GMBU", "Network Monitor (Microsoft)"),
    (b"RTSS", "Network Monitor (Microsoft)"),
    (b"TRSNIFF data", "Sniffer"),
    (b"XCP\0", "NetXRay"),
    (b"\x05VNF", "Visual Networks"),
    (b"iptrace ", "iptrace (AIX)"),
    (b"\x55\x55\x55\x55\xaa\xaa\xaa\xaa", "5View"),
    (b"NetS", "NetScaler"),
];

/// What bytes are that begin like this; `None` where more of them are needed.
pub(crate) fn sniff(bytes: &[u8], at_end: bool) -> Result<Option<Kind>, NotACapture> {
    if bytes.len() < 4 {
        return match (at_end, bytes.is_empty()) {
            (false, _) => Ok(None),
            (true, true) => Err(NotACapture::Empty),
            (true, false) => Err(other(bytes)),
        };
    }
    if pcap::magic(bytes).is_some() {
        return match (bytes.len() < pcap::FILE_HEADER_BYTES, at_end) {
            (false, _) => Ok(Some(Kind::Pcap)),
            (true, true) => Err(NotACapture::Cut),
            (true, false) => Ok(None),
        };
    }
    if bytes.starts_with(&pcapng::SECTION_TYPE) {
        return match (bytes.get(8..12).map(pcapng::order), at_end) {
            (Some(Some(_)), _) => Ok(Some(Kind::Pcapng)),
            (Some(None), _) => Err(other(bytes)),
            (None, true) => Err(NotACapture::Cut),
            (None, false) => Ok(None),
        };
    }
    if bytes.len() < ENOUGH_BYTES && !at_end {
        return Ok(None);
    }
    Err(other(bytes))
}

/// What bytes are that are no capture.
fn other(bytes: &[u8]) -> NotACapture {
    let named = |table: &[(&[u8], &'static str)]| {
        let found = table.iter().find(|(start, _)| bytes.starts_with(start));
        found.map(|(_, name)| *name)
    };
    if let Some(name) = named(PACKED) {
        return NotACapture::Packed(name);
    }
    if let Some(name) = named(OTHERS) {
        return NotACapture::OtherFormat(name);
    }
    if is_text(bytes) {
        return NotACapture::Text;
    }
    if is_event_trace(bytes) {
        return NotACapture::EventTrace;
    }
    if is_erf(bytes) {
        return NotACapture::OtherFormat("ERF (Endace)");
    }
    let start: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    NotACapture::Unknown(start.join(" "))
}

/// Text has no control characters but those of lines.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.get(..ENOUGH_BYTES).unwrap_or(bytes);
    start
        .iter()
        .all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b | b' '..=b'~' | 0x80..))
}

/// An ETL begins with the header of a buffer (WMI_BUFFER_HEADER, 72 bytes: the size of the buffer, how much of it is used
/// twice) and that of its first event, whose marker is 0xc0 (EVENT_TRACE_FLAG of a system trace header).
fn is_event_trace(bytes: &[u8]) -> bool {
    let size = |at| ByteOrder::Little.u32(bytes, at).unwrap_or(0);
    let buffer = size(0);
    buffer >= 1024
        && buffer.is_multiple_of(1024)
        && (1..=buffer).contains(&size(4))
        && size(8) <= buffer
        && bytes.get(75) == Some(&0xc0)
}

/// ERF has no magic number. A record begins with a little-endian time whose upper half is seconds, a type, flags, and big-endian
/// lengths.
fn is_erf(bytes: &[u8]) -> bool {
    let seconds = ByteOrder::Little.u32(bytes, 4).unwrap_or(0);
    let kind = bytes.get(8).map_or(0, |kind| kind & 0x7f);
    let record_bytes = ByteOrder::Big.u16(bytes, 10).unwrap_or(0);
    let wire_bytes = ByteOrder::Big.u16(bytes, 14).unwrap_or(0);
    // 1996, when DAG cards began; types of the ERF document end at 48.
    seconds > 820_454_400 && (1..=48).contains(&kind) && record_bytes > 16 && wire_bytes > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bytes: &[u8]) -> NotACapture {
        sniff(bytes, true).unwrap_err()
    }

    #[test]
    fn other_things_are_named() {
        assert_eq!(told(b""), NotACapture::Empty);
        assert_eq!(told(&[0x1f, 0x8b, 8, 0, 0]), NotACapture::Packed("gzip"));
        assert_eq!(told(&[0x28, 0xb5, 0x2f, 0xfd, 1]), NotACapture::Packed("zstd"));
        assert_eq!(told(&[0x04, 0x22, 0x4d, 0x18, 1]), NotACapture::Packed("lz4"));
        assert_eq!(
            told(b"snoop\0\0\0\0\0\0\x02"),
            NotACapture::OtherFormat("snoop (Solaris)")
        );
        assert_eq!(told(b"12:00:00.1 IP a > b: tcp 0\n"), NotACapture::Text);
        assert_eq!(told(&[0xd4, 0xc3, 0xb2, 0xa1, 2, 0]), NotACapture::Cut);
        assert_eq!(told(&[0x0a, 0x0d, 0x0d, 0x0a, 28, 0]), NotACapture::Cut);
        assert!(
            matches!(told(&[0, 1, 2, 3, 4, 5]), NotACapture::Unknown(start) if start.starts_with("00 01 02"))
        );
        // A section header whose byte order says nothing.
        assert!(matches!(
            told(&[0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 1, 2, 3, 4]),
            NotACapture::Unknown(_)
        ));
    }

    #[test]
    fn formats_without_magic() {
        let mut etl = vec![0; 512];
        etl[..12].copy_from_slice(&[0, 0, 1, 0, 0, 8, 0, 0, 0, 8, 0, 0]);
        etl[72..76].copy_from_slice(&[2, 0, 1, 0xc0]);
        assert_eq!(told(&etl), NotACapture::EventTrace);
        etl[75] = 0;
        assert!(matches!(told(&etl), NotACapture::Unknown(_)));

        let mut erf = vec![0; 100];
        erf[4..8].copy_from_slice(&1_700_000_000_u32.to_le_bytes());
        erf[8..16].copy_from_slice(&[2, 4, 0, 100, 0, 0, 0, 82]);
        assert_eq!(told(&erf), NotACapture::OtherFormat("ERF (Endace)"));
        erf[8] = 0;
        assert!(matches!(told(&erf), NotACapture::Unknown(_)));
    }

    #[test]
    fn few_bytes_are_waited_for() {
        for start in [
            &[0xd4_u8, 0xc3][..],
            &[0xd4, 0xc3, 0xb2, 0xa1, 2],
            &[0x0a, 0x0d, 0x0d, 0x0a, 0],
            &[0x1f, 0x8b, 8],
        ] {
            assert_eq!(sniff(start, false), Ok(None));
        }
    }
}
