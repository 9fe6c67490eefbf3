//! For xplot and jPlot: the time–sequence graph as `tcptrace -S` writes it, in its colours.
//!
//! The format: `X-type Y-type`, then commands of one line each, colours standing alone before what they colour; the text of
//! `atext` on the line behind it. Its times have microseconds, and its `unsigned` has 32 bits, so that more than 4 GB of
//! sequence space are written as `double` (xplot's manual; xplot.org).

use super::Picture;
use super::mark::{Mark, MarkKind};
use super::row::{AckedRow, SentRow};
use super::summary::endpoint;
use std::io::{self, Write};

pub(super) fn write(picture: &Picture, out: &mut impl Write) -> io::Result<()> {
    let origin = picture.origin_ns;
    let top = picture.sent.pyramid.leaves().iter();
    let top = top.filter_map(|leaf| leaf.new).map(|(_, end)| end).max();
    let edge = picture.acked.pyramid.leaves().iter();
    let edge = edge.filter_map(|leaf| leaf.edge).map(|(_, high)| high).max();
    let is_small = top.max(edge).unwrap_or(0) <= u64::from(u32::MAX);
    writeln!(out, "timeval {}", if is_small { "unsigned" } else { "double" })?;
    let summary = &picture.summary;
    let (from, to) = (endpoint(&summary.sender), endpoint(&summary.receiver));
    // The format has no comments: what is missing is said in the title.
    let mut title = format!("{from}_==>_{to} (time sequence graph)");
    for sentence in picture.missing() {
        title = format!("{title} {sentence}");
    }
    writeln!(out, "title\n{title}")?;
    writeln!(out, "xlabel\ntime\nylabel\nsequence offset")?;
    for row in picture.sent.packets() {
        segment(out, origin, &row)?;
    }
    let mut before = None;
    for row in picture.acked.packets() {
        acknowledgement(out, origin, before, &row)?;
        before = Some(row);
    }
    for mark in picture.sacks.as_slice() {
        let (at, start, end) = (time(origin, mark.time_ns), mark.start, mark.end);
        writeln!(out, "purple\nline {at} {start} {at} {end}")?;
    }
    for mark in picture.marks.as_slice() {
        letter(out, origin, mark)?;
    }
    writeln!(out, "go")
}

fn segment(out: &mut impl Write, origin: i64, row: &SentRow) -> io::Result<()> {
    let (at, start, end) = (time(origin, row.time_ns), row.start, row.end);
    let is_resent = (MarkKind::Fast as u8..=MarkKind::UnexplainedUpstream as u8).contains(&(row.code & 0x7f));
    writeln!(out, "{}", if is_resent { "red" } else { "white" })?;
    writeln!(
        out,
        "darrow {at} {start}\nuarrow {at} {end}\nline {at} {start} {at} {end}"
    )?;
    if row.code & 0x80 != 0 {
        writeln!(out, "diamond {at} {end}")?;
    }
    Ok(())
}

/// A step of the ACK line and of the window line: level from the one before, then up.
fn acknowledgement(
    out: &mut impl Write,
    origin: i64,
    before: Option<AckedRow>,
    row: &AckedRow,
) -> io::Result<()> {
    let at = time(origin, row.time_ns);
    if let Some(before) = before {
        let since = time(origin, before.time_ns);
        let level = before.ack;
        writeln!(
            out,
            "green\nline {since} {level} {at} {level}\nline {at} {level} {at} {}",
            row.ack
        )?;
        if row.is_duplicate {
            writeln!(out, "dtick {at} {}", row.ack)?;
        }
        if let (Some(level), Some(now)) = (before.edge(), row.edge()) {
            writeln!(
                out,
                "yellow\nline {since} {level} {at} {level}\nline {at} {level} {at} {now}"
            )?;
        }
    }
    Ok(())
}

fn letter(out: &mut impl Write, origin: i64, mark: &Mark) -> io::Result<()> {
    let (colour, letter) = match mark.kind {
        MarkKind::Fast | MarkKind::FastUpstream => ("red", "R"),
        MarkKind::Timeout | MarkKind::TimeoutUpstream => ("red", "RTO"),
        MarkKind::TailProbe | MarkKind::TailProbeUpstream => ("red", "TLP"),
        MarkKind::Unexplained | MarkKind::UnexplainedUpstream => ("red", "R?"),
        MarkKind::Overtaken => ("pink", "O"),
        MarkKind::Duplicated => ("blue", "HD"),
        MarkKind::KeepAlive => ("white", "KA"),
        MarkKind::WindowProbe => ("orange", "P"),
        MarkKind::Lost => ("red", "L"),
        MarkKind::Needless => ("orange", "N"),
        MarkKind::ZeroWindow => ("yellow", "Z"),
        MarkKind::Dsack => ("purple", "D"),
        MarkKind::Unseen => ("magenta", "U"),
        MarkKind::TooBig => ("orange", "MTU"),
        MarkKind::Syn => ("orange", "SYN"),
        MarkKind::Fin => ("orange", "FIN"),
        MarkKind::Rst => ("red", "RST"),
        MarkKind::Gap | MarkKind::Sack => return Ok(()),
    };
    let at = time(origin, mark.time_ns);
    writeln!(out, "{colour}\natext {at} {}\n{letter}", mark.end)
}

/// Seconds since 1970, with microseconds.
fn time(origin: i64, relative_ns: i64) -> String {
    let us = origin.saturating_add(relative_ns).div_euclid(1000);
    format!("{}.{:06}", us.div_euclid(1_000_000), us.rem_euclid(1_000_000))
}

#[cfg(test)]
mod tests {
    use crate::picture::testing::{conversation, small};

    #[test]
    fn a_small_conversation_for_xplot() {
        insta::assert_snapshot!(small().xplot());
    }

    #[test]
    fn sequence_space_beyond_32_bits_is_double() {
        let far = conversation(20, |n| n * 400_000_000);
        assert!(far.xplot().starts_with("timeval double\n"));
        assert!(
            conversation(20, |n| n * 1448)
                .xplot()
                .starts_with("timeval unsigned\n")
        );
    }
}
