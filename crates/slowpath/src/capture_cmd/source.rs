//! The bytes of a capture: a file or standard input, compressed or not.

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a capture, decompressed.
pub(crate) struct Source {
    reader: Box<dyn Read + Send>,
    /// A file that was not compressed, of which several may read at once.
    pub(crate) plain: Option<Arc<File>>,
    /// Bytes that were read so far, compressed as they are.
    read_bytes: Arc<AtomicU64>,
    /// The size of the file; `None` of a pipe.
    pub(crate) size_bytes: Option<u64>,
}

/// Less than any read of a whole chunk asks for, so that these go past the buffer into the chunk itself.
const BUFFER_BYTES: usize = 1 << 16;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

impl Source {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// When it cannot be opened or its first bytes cannot be read.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::of(io::stdin())?.0);
        }
        let file = Arc::new(File::open(path)?);
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let (mut source, is_compressed) = Self::of(Arc::clone(&file))?;
        if metadata.is_file() {
            source.size_bytes = Some(metadata.len());
            source.plain = (!is_compressed).then_some(file);
        }
        Ok(source)
    }

    /// Bytes of a stream, and whether they are compressed.
    fn of(reader: impl Read + Send + 'static) -> io::Result<(Self, bool)> {
        let read_bytes = Arc::new(AtomicU64::new(0));
        let counted = Counted {
            reader,
            bytes: Arc::clone(&read_bytes),
        };
        let mut counted = BufReader::with_capacity(BUFFER_BYTES, counted);
        let first = counted.fill_buf()?;
        let (is_gzip, is_zstd) = (first.starts_with(&GZIP), first.starts_with(&ZSTD));
        let reader: Box<dyn Read + Send> = if is_gzip {
            Box::new(MultiGzDecoder::new(counted))
        } else if is_zstd {
            Box::new(Zstd {
                frame: Some(frame(counted)?),
            })
        } else {
            Box::new(counted)
        };
        let source = Self {
            reader,
            plain: None,
            read_bytes,
            size_bytes: None,
        };
        Ok((source, is_gzip || is_zstd))
    }

    /// How much of the file was read.
    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

struct Counted<R> {
    reader: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.bytes.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

type Frame<R> = StreamingDecoder<R, FrameDecoder>;

fn frame<R: Read>(reader: R) -> io::Result<Frame<R>> {
    StreamingDecoder::new(reader).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Zstandard frames one behind the other (RFC 8878 section 3): what `zstd` writes with several threads, and what `cat` joins.
struct Zstd<R: BufRead> {
    /// `None` at the end.
    frame: Option<Frame<R>>,
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame {
            let length = frame.read(buffer)?;
            if length > 0 || buffer.is_empty() {
                return Ok(length);
            }
            self.frame = self
                .frame
                .take()
                .map_or(Ok(None), |done| next_frame(done.into_inner()))?;
        }
        Ok(0)
    }
}

/// The frame behind the one that ended.
fn next_frame<R: BufRead>(mut reader: R) -> io::Result<Option<Frame<R>>> {
    loop {
        let head = reader.fill_buf()?;
        if head.is_empty() {
            return Ok(None);
        }
        // Skippable frames hold nothing that was compressed (RFC 8878 section 3.1.2): magic 0x184D2A5?, little-endian.
        if head.first().is_none_or(|byte| byte & 0xf0 != 0x50) {
            return frame(reader).map(Some);
        }
        let mut head = [0; 8];
        reader.read_exact(&mut head)?;
        let [.., a, b, c, d] = head;
        let length = u64::from(u32::from_le_bytes([a, b, c, d]));
        io::copy(&mut (&mut reader).take(length), &mut io::sink())?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Source::of(io::Cursor::new(bytes))?.0.read_to_end(&mut all)?;
        Ok(all)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn what_is_compressed_is_read_as_if_it_were_not() {
        let plain: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(read(plain.clone()).unwrap(), plain);
        for pack in [gzip, zstd] {
            assert_eq!(read(pack(&plain)).unwrap(), plain);
            // Two files that somebody joined.
            let (first, second) = plain.split_at(1_000);
            let joined = [pack(first), pack(second)].concat();
            assert_eq!(read(joined).unwrap(), plain);
        }
        let skippable = [&[0x52, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9][..], &zstd(b"end")].concat();
        let joined = [zstd(b"begin "), skippable].concat();
        assert_eq!(read(joined).unwrap(), b"begin end");
    }

    #[test]
    fn what_is_cut_is_an_error_behind_what_there_was() {
        let plain = vec![7; 100_000];
        for pack in [gzip, zstd] {
            let packed = pack(&plain);
            assert!(read(packed[..packed.len() - 5].to_vec()).is_err());
        }
        assert!(read(Vec::new()).unwrap().is_empty());
    }
}
