//! The steps of a diagnosis, in the order in which they are worth their cost.

use super::{View, loss, means};
use crate::faults::fitting_mss;
use evidence::v1::{Ask, End, ProbeProtocol, RateBps};

type Step = fn(&View<'_>) -> Option<Ask>;

/// In order. What decides between hypotheses stands before what only explains anomalies.
pub(super) const ALL: [Step; 14] = [
    settings_here,
    settings_there,
    route,
    plain_transfer,
    path_mtu,
    fitting_transfer,
    parallel_transfer,
    quick_loss,
    overload,
    loss::hunt,
    idle_echo,
    loss::way_back,
    loss::locate,
    loss::confirm,
];

fn settings_here(view: &View<'_>) -> Option<Ask> {
    settings(view, view.facts.complaint.local_end)
}

fn settings_there(view: &View<'_>) -> Option<Ask> {
    settings(view, view.facts.complaint.local_end.other()).filter(|_| view.both_ends)
}

fn settings(view: &View<'_>, at: End) -> Option<Ask> {
    view.facts.host(at).is_none().then_some(Ask::HostFacts { at })
}

/// Several flow identifiers: a fault on one of several parallel links hits only some flows.
fn route(view: &View<'_>) -> Option<Ask> {
    let path = view.facts.path(view.probe_from.outbound());
    path.route_cites.is_empty().then_some(Ask::Route {
        from: view.probe_from,
        protocol: ProbeProtocol::Udp,
        flows: 4,
    })
}

fn path_mtu(view: &View<'_>) -> Option<Ask> {
    let path = view.facts.path(view.probe_from.outbound());
    (!path.sizes.was_probed()).then_some(Ask::PathMtu {
        from: view.probe_from,
    })
}

/// Before the sizes are probed: routers' answers to large probes may teach the sending kernel a path MTU that it would
/// not have had, and then this transfer would not meet the fault that the user meets.
fn plain_transfer(view: &View<'_>) -> Option<Ask> {
    let none_yet = view.both_ends && view.facts.plain_run().is_none();
    none_yet.then(|| transfer(1, None, transfer_time_ms(view), true))
}

/// A transfer stops by itself as soon as it is stable; this is how long it may take. A loss-based sender on a long path
/// starts at line rate and comes down loss by loss, each many round trips after the last: with less time, small loss
/// looks fast. Through a black hole nothing comes, however long one waits.
fn transfer_time_ms(view: &View<'_>) -> u32 {
    const BLACK_HOLE_MS: u64 = 5_000;
    let patient = (3_000 + 220 * view.base_rtt_ms()).clamp(5_000, 30_000);
    let time = if view.hole.is_some() {
        BLACK_HOLE_MS
    } else {
        patient
    };
    u32::try_from(time).unwrap_or(30_000)
}

fn transfer(streams: u16, mss_bytes: Option<u32>, max_time_ms: u32, watch_hops: bool) -> Ask {
    Ask::TcpThroughput {
        sender: End::From,
        streams,
        mss_bytes,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms,
        max_bytes: None,
        watch_hops,
    }
}

/// The counterfactual of a black hole: the same transfer with segments that fit.
fn fitting_transfer(view: &View<'_>) -> Option<Ask> {
    let hole = view.hole.as_ref().filter(|_| view.both_ends)?;
    view.facts.plain_run()?;
    let mss = fitting_mss(view.facts, hole);
    let done = view
        .facts
        .tcp
        .iter()
        .any(|run| run.requested_mss_bytes.is_some_and(|asked| asked <= mss));
    let time_ms = u32::try_from((3_000 + 15 * view.base_rtt_ms()).min(6_000)).unwrap_or(6_000);
    (!done).then(|| transfer(1, Some(mss), time_ms, false))
}

/// Tells what limits each connection alone (window, loss) from what all share (link, processor).
fn parallel_transfer(view: &View<'_>) -> Option<Ask> {
    const STREAMS: u16 = 4;
    let run = view
        .facts
        .plain_run()
        .filter(|run| !run.stalled && run.rate.0 > 0.0)?;
    let wanted = view.both_ends && !view.fast_enough() && view.hole.is_none() && run.out_of_cpu().is_none();
    (wanted && view.facts.parallel_run().is_none())
        .then(|| transfer(STREAMS, None, transfer_time_ms(view).min(12_000), true))
}

/// Once the cause is at hand: thousands of small packets say that loss has no part in it.
fn quick_loss(view: &View<'_>) -> Option<Ask> {
    const PACKETS_PER_S: f64 = 8_000.0;
    const LEAST_MS: f64 = 1_500.0;
    const LONGEST_MS: f64 = 5_000.0;
    let explained = view.hole.is_some() || view.window_limits();
    let wanted = view.both_ends && explained && view.facts.plain_run().is_some();
    let seen = view.facts.udp.iter().any(|run| run.sender == End::From);
    (wanted && !seen).then(|| {
        let bits = f64::from(loss::SMALL_BYTES) * 8.0;
        let rate = loss::gentle_rate(view).min(PACKETS_PER_S * bits);
        Ask::UdpStream {
            sender: End::From,
            size_bytes: loss::SMALL_BYTES,
            rate_bps: RateBps(rate),
            duration_ms: (loss::packets_to_exclude(view) / rate * bits * 1e3).clamp(LEAST_MS, LONGEST_MS)
                as u32,
        }
    })
}

/// More than TCP gets, in large packets: does more arrive?
fn overload(view: &View<'_>) -> Option<Ask> {
    const ABOVE: f64 = 1.3;
    // Connections that add up to more than this do not share what limits them.
    const ALONE: f64 = 1.5;
    let scaling = view.facts.scaling().filter(|scaling| scaling.factor() < ALONE)?;
    let busy = [view.facts.plain_run(), view.facts.parallel_run()]
        .into_iter()
        .flatten()
        .any(|r| r.out_of_cpu().is_some());
    let best = scaling.single.0.max(scaling.parallel.0);
    let rate = ABOVE * best;
    let tried = view
        .facts
        .udp
        .iter()
        .any(|run| run.sender == End::From && run.target.0 > 1.1 * best);
    let wanted = view.both_ends && view.loss_or_capacity() && !busy && !tried;
    let packet = view.facts.data_path().sizes.end_to_end_bytes().unwrap_or(1_400);
    wanted.then(|| Ask::UdpStream {
        sender: End::From,
        size_bytes: packet.clamp(576, 1_400),
        rate_bps: RateBps(rate),
        duration_ms: 2_000,
    })
}

/// Every hop, three sizes: shows the anomalies that are not the cause, and the delays at rest.
fn idle_echo(view: &View<'_>) -> Option<Ask> {
    let path = view.facts.path(view.probe_from.outbound());
    let mut sizes_bytes = vec![64];
    let largest = path.sizes.interface_mtu_bytes.unwrap_or(1_500);
    sizes_bytes.extend([1_400, largest].into_iter().filter(|size| *size <= largest));
    sizes_bytes.dedup();
    (!path.echo.surveyed()).then_some(Ask::Echo {
        from: view.probe_from,
        sizes_bytes,
        count: 50,
        interval_ms: 30,
    })
}

/// Whether an ask that needs raw sockets may be tried.
pub(super) fn permitted(view: &View<'_>, ask: &Ask) -> bool {
    means::permitted(ask, view.means, view.facts.complaint.local_end)
}
