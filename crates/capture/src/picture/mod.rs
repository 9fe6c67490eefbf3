//! The picture of one direction of a connection: what tcptrace and xplot drew, with levels of detail.
//!
//! A [`Recorder`] takes the events as they come and keeps three things: boxes that bound many packets ([`pyramid`], for a
//! view of the whole), the packets themselves in deflated tiles (for a view of a few), and marks, which are never thinned.
//! The [`Picture`] is written as a page that needs no network, as SVG or PNG, and for xplot.
//!
//! Memory is bounded by [`Limits`]. Where a bound was met, the picture says what is missing.

mod column;
mod drawing;
mod mark;
mod page;
mod png;
mod pyramid;
mod recorder;
mod row;
mod scene;
mod series;
mod summary;
mod svg;
#[cfg(test)]
mod testing;
mod units;
mod xplot;

pub use mark::{Mark, MarkKind};
pub use recorder::Recorder;
pub use summary::Summary;

use mark::Marks;
use row::{AckedRow, SentRow};
use series::Series;
use std::io;

/// How much a [`Recorder`] may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of deflated packets; about four a packet. Beyond it a view cannot reach single packets.
    pub packet_bytes: usize,
    /// Boxes of the finest level in each of two series, about 150 bytes each. Beyond it boxes hold more packets.
    pub boxes: usize,
    /// Marks, 32 bytes each, and as many SACK blocks. Those beyond it are counted only.
    pub marks: usize,
}

impl Default for Limits {
    /// For about twenty million packets each way, which make a page of some 210 MB. A page of a quarter of that was tried.
    fn default() -> Self {
        Self {
            packet_bytes: 160 << 20,
            boxes: 1 << 18,
            marks: 1 << 20,
        }
    }
}

/// A picture that is complete.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The time that all others count from, nanoseconds since 1970.
    origin_ns: i64,
    sent: Series<SentRow>,
    acked: Series<AckedRow>,
    marks: Marks,
    sacks: Marks,
    summary: Summary,
}

impl Picture {
    /// The page as text. See [`Picture::write_html`] for large ones.
    #[must_use]
    pub fn html(&self) -> String {
        text(|out| self.write_html(out))
    }

    /// Writes the page: one file that opens from a disk and needs nothing else.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_html(&self, out: &mut impl io::Write) -> io::Result<()> {
        page::write(self, out)
    }

    /// The whole transfer as a static SVG, so many units wide and high.
    #[must_use]
    pub fn svg(&self, width: u32, height: u32) -> String {
        svg::write(&drawing::draw(self, width, height))
    }

    /// Writes the same as PNG: two pixels wide and high for each unit, fewer where that were too many.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_png(&self, width: u32, height: u32, out: &mut impl io::Write) -> io::Result<()> {
        out.write_all(&png::write(&drawing::draw(self, width, height))?)
    }

    /// For xplot and jPlot as text. See [`Picture::write_xplot`] for large ones.
    #[must_use]
    pub fn xplot(&self) -> String {
        text(|out| self.write_xplot(out))
    }

    /// Writes the time–sequence graph in the format of xplot, every packet that was kept in it.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_xplot(&self, out: &mut impl io::Write) -> io::Result<()> {
        xplot::write(self, out)
    }

    /// From the first packet to the last, nanoseconds since the origin.
    fn span_ns(&self) -> (i64, i64) {
        let marks = self.marks.as_slice();
        let marked = marks.first().zip(marks.last());
        let marked = marked.map(|(first, last)| (first.time_ns, last.time_ns));
        let spans = [self.sent.span_ns, self.acked.span_ns, marked];
        spans
            .into_iter()
            .flatten()
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
            .unwrap_or((0, 0))
    }

    /// What is not in the picture, in sentences; nothing where all is.
    fn missing(&self) -> Vec<String> {
        let mut said = Vec::new();
        let unseen = [
            (self.sent.rows - self.sent.kept_rows, "data packets"),
            (self.acked.rows - self.acked.kept_rows, "acknowledgements"),
        ];
        for (rows, what) in unseen.into_iter().filter(|(rows, _)| *rows > 0) {
            said.push(format!(
                "The last {} {what} are here as bounds only, not one by one: the limit of memory was reached.",
                units::count(rows)
            ));
        }
        for (marks, what) in [(&self.marks, "marks"), (&self.sacks, "SACK blocks")] {
            if marks.missing() > 0 {
                said.push(format!(
                    "{} more {what} are counted and not drawn: the limit was reached.",
                    units::count(marks.missing())
                ));
            }
        }
        said
    }
}

/// What a writer writes, as text.
fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    // A vector takes all that is written to it.
    let _ = write(&mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}
