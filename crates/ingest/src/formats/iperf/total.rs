//! Which lines of figures are of the whole: iperf 2 does not mark its totals, and a line of iperf3 may have lost its mark.

use super::session::{Session, Shape, Stream, Told, Way};

/// The usual slice: alone it is the first of a test that was cut.
const ONE_SECOND_NS: u64 = 1_000_000_000;

/// Takes the totals out of the slices.
pub(super) fn find(session: &mut Session) {
    let is_iperf3 = session.is_iperf3;
    if !is_iperf3 {
        for stream in session.streams.iter_mut().chain(&mut session.sums) {
            take_report(stream);
        }
    }
    let whole = session.clone();
    for stream in session.streams.iter_mut().chain(&mut session.sums) {
        let Some(total) = spanning(stream, is_iperf3) else {
            continue;
        };
        let way = whole.way(stream);
        let Some(told) = stream.slices.remove(&total).and_then(Told::get) else {
            continue;
        };
        let home = match (is_iperf3, way) {
            (false, Some(Way::Out)) => &mut stream.sent,
            (false, Some(Way::In)) => &mut stream.received,
            _ => &mut stream.unmarked,
        };
        home.tell(told);
    }
}

/// Of a client's own slices none tells of jitter: what does is the server's report, also without its heading.
fn take_report(stream: &mut Stream) {
    let is_report = |shape: Shape| shape == Shape::UdpReceiver;
    let own = stream.figures().any(|figures| !is_report(figures.shape));
    if !own {
        return;
    }
    let reports: Vec<_> = stream.figures().filter(|f| is_report(f.shape)).collect();
    for report in reports {
        stream.slices.remove(&(report.start_ns, report.end_ns));
        stream.received.tell(report);
    }
}

/// The slice that spans the others: it begins with the first, and the middle of each other lies within. Alone and from the
/// beginning on, it is a total of iperf 2, which prints slices on demand only.
fn spanning(stream: &Stream, is_iperf3: bool) -> Option<(u64, u64)> {
    let first = stream.slices.keys().next()?.0;
    let longest = *stream
        .slices
        .keys()
        .take_while(|(start, _)| *start == first)
        .last()?;
    if stream.slices.len() == 1 {
        let may_be_whole = first == 0 && longest.1 != ONE_SECOND_NS;
        // A sender of iperf3 has what the receiver missed in its total alone, with the count of what it sent below.
        let is_report = stream
            .figures()
            .all(|figures| figures.shape == Shape::UdpReceiver);
        let totals = [stream.sent, stream.received, stream.unmarked];
        let has_total = totals.into_iter().any(|told| told.get().is_some());
        let is_senders = is_report
            && !has_total
            && first == 0
            && (stream.datagrams_sent.is_some() || may_be_whole && !stream.announced);
        let is_whole = match is_iperf3 {
            true => is_senders,
            false => may_be_whole,
        };
        return is_whole.then_some(longest);
    }
    let within = stream
        .slices
        .keys()
        .filter(|slice| **slice != longest)
        .all(|(start, end)| start / 2 + end / 2 <= longest.1);
    within.then_some(longest)
}
