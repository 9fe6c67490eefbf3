//! The path hop by hop with the located fault between its hops, and each hop's round-trip times on one scale.

use super::chart::{number, scale};
use super::{anchor, cites, table};
use crate::subject::{self, Part, Subject};
use crate::views::path::{HopView, PathView, Spread, paths};
use crate::views::{chain, of_round, place};
use crate::words;
use evidence::{End, Finding, HopRef, Location, Nanos, Node, ObservationId, RedHerring, Verdict};
use maud::{Markup, html};

/// More diagrams than this are a table's work: the routes side by side.
const MOST_DIAGRAMS: usize = 4;

pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    let shown = worth_drawing(subject, verdict);
    html! {
        section {
            h2 id=(anchor(subject, verdict, "path")) { "The path" }
            @if shown.is_empty() { p.soft { "No route was measured in this round." } }
            (segments(subject, verdict))
            @for view in &shown {
                h3 { (title(view)) " " (table::links(&view.numbers)) }
                (diagram(subject, verdict, view))
            }
            @if !shown.is_empty() { (untraced(&shown)) }
        }
    }
}

/// Ways between the two ends that nothing shows: packets may well take another one than in the other direction.
fn untraced(shown: &[PathView]) -> Markup {
    let is_shown = |end: End| {
        shown
            .iter()
            .any(|view| view.between_ends && view.starts_at == Some(end))
    };
    html! {
        @for end in [End::From, End::To].into_iter().filter(|end| !is_shown(*end)) {
            p.soft { "No trace shows the way from the " (words::end(end)) " to the " (words::end(end.other())) "." }
        }
    }
}

/// The ways between the two ends, and those on which a located place is.
fn worth_drawing(subject: &Subject, verdict: &Verdict) -> Vec<PathView> {
    let mut all = paths(&of_round(subject, verdict.round), &subject.names);
    let is_on = |view: &PathView| shows_a_finding(verdict, view);
    all.sort_by_key(|view| {
        let number = view.numbers.first().copied();
        (!is_on(view), !view.between_ends, view.starts_at, number)
    });
    let worth = all.iter().filter(|view| view.between_ends || is_on(view)).count();
    // With none of them, any route is better than none.
    all.truncate(worth.clamp(1, MOST_DIAGRAMS));
    all
}

fn title(view: &PathView) -> String {
    let pair = match view.starts_at.filter(|_| view.between_ends) {
        Some(end) => format!(
            "From the {} to the {}, {}",
            words::end(end),
            words::end(end.other()),
            view.pair
        ),
        None => view.pair.clone(),
    };
    match &view.note {
        Some(note) => format!("{pair}, {note}"),
        None => pair,
    }
}

/// Findings between two packet counters: which hops those are is not known.
fn segments(subject: &Subject, verdict: &Verdict) -> Markup {
    let located = verdict
        .findings
        .iter()
        .filter(|f| matches!(f.location, Location::Segment { .. }));
    let counters = !chain::groups(subject, verdict.round).is_empty();
    html! {
        @for finding in located {
            p {
                b { (finding.code) } " lies " (finding.location) ". Which hops of a route these are is not recorded. "
                @if counters { a href={ "#" (anchor(subject, verdict, "counters")) } { "The counters" } }
            }
        }
    }
}

fn shows_a_finding(verdict: &Verdict, view: &PathView) -> bool {
    verdict.findings.iter().any(|finding| match &finding.location {
        Location::Hop { hop } => position(view, hop).is_some(),
        Location::Link { .. } => stretch(finding, view).is_some(),
        Location::Interface { .. } => view.hops.iter().any(|hop| is_device_of(finding, hop)),
        _ => false,
    })
}

fn diagram(subject: &Subject, verdict: &Verdict, view: &PathView) -> Markup {
    let longest = longest_rtt_ns(view);
    html! {
        @if longest > 0 { (legend(view)) }
        ol.route {
            li.endpoint {
                span.ttl {}
                span.rail { b {} }
                span.who { (host(&subject.names.of(&view.source), &view.source)) }
                @if longest > 0 { (axis(longest)) }
            }
            (fault_between(subject, verdict, view, 0))
            @for hop in &view.hops {
                // Data come in at the side of the sender: before the hop where the view starts there.
                @if view.starts_at != Some(End::To) { (faults_at(subject, verdict, hop)) }
                (row(verdict, view, hop, longest))
                @if view.starts_at == Some(End::To) { (faults_at(subject, verdict, hop)) }
                (fault_between(subject, verdict, view, hop.ttl))
            }
        }
        @if view.reached_ttl.is_none() { p.soft { (view.destination) " does not appear: it never answered, or the record does not say." } }
    }
}

/// A host as the report calls it, and its address beside a name.
fn host(name: &str, node: &Node) -> Markup {
    let address = node.address.map(|address| address.to_string());
    html! { (name) @if let Some(address) = address.filter(|address| address != name) { " " span.soft { (address) } } }
}

fn legend(view: &PathView) -> Markup {
    let idle = view.hops.iter().any(|h| h.idle.is_some());
    let loaded = view.hops.iter().any(|h| h.loaded.is_some());
    html! {
        p.legend {
            span { i.dot.probe {} "round-trip time of the trace's probes, smallest" }
            @if idle { span { i.dot.idle {} "pings: median, bar from the smallest to 90 %" } }
            @if loaded { span { i.dot.load {} "the same while a transfer ran" } }
            @if view.flows > 1 { span { (view.flows) " flows traced; a hop with several routers is load balanced" } }
        }
    }
}

fn row(verdict: &Verdict, view: &PathView, hop: &HopView, longest_ns: u64) -> Markup {
    let destination = view.reached_ttl == Some(hop.ttl);
    let suspect = verdict.findings.iter().any(|f| at_hop(f, view, hop));
    let torn = verdict.findings.iter().any(|f| inside_stretch(f, view, hop));
    html! {
        li.silent[hop.routers.is_empty()].endpoint[destination].suspect[suspect].slow[suspect].torn[torn] {
            span.ttl { (hop.ttl) }
            span.rail { b {} }
            span.who { (who(hop)) (notes(verdict, view, hop)) }
            @if longest_ns > 0 {
                (track(hop, longest_ns))
                span.rtt { (rtt_text(hop)) }
            }
        }
    }
}

fn who(hop: &HopView) -> Markup {
    html! {
        @if hop.routers.is_empty() { "no answer" @if hop.sent > 0 { " to " (words::plural(u64::from(hop.sent), "probe", "probes")) } }
        @for (index, router) in hop.routers.iter().enumerate() {
            @if index > 0 { br; "or " }
            @match (&router.name, router.address) {
                (Some(name), Some(address)) => { (name) " " span.soft { (address) } }
                (Some(name), None) => (name),
                (None, address) => @if let Some(address) = address { (address) },
            }
        }
    }
}

/// What is remarkable about a hop and not the cause.
fn notes(verdict: &Verdict, view: &PathView, hop: &HopView) -> Markup {
    let herrings = verdict.red_herrings.iter().filter(|h| match &h.location {
        Location::Hop { hop: there } => position(view, there) == Some(hop.ttl),
        _ => false,
    });
    let told: Vec<&str> = hop.told.iter().map(String::as_str).collect();
    let lost = hop.sent.saturating_sub(hop.answered);
    // What every hop answers is nothing to note at each of them: only where less gets through than before.
    let nearer = view.hops.iter().take_while(|other| other.ttl < hop.ttl);
    let before = nearer.filter_map(|other| other.largest_bytes).min();
    let largest = hop
        .largest_bytes
        .filter(|size| before.is_some_and(|before| *size < before));
    html! {
        @if !hop.mpls.is_empty() {
            span.note { "MPLS label " (hop.mpls.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")) }
        }
        @if !told.is_empty() { span.note { (told.join("; ")) } }
        @if let Some(size) = largest { span.note { "unfragmented, up to " (size) " bytes are answered" } }
        @if hop.answered > 0 && lost > 0 { span.note { (hop.answered) " of " (hop.sent) " probes answered" } }
        @for RedHerring { why_not, .. } in herrings { span.note { "not the cause: " (why_not) } }
    }
}

fn rtt_text(hop: &HopView) -> Markup {
    let shown = hop.idle.map(|rtt| rtt.usual_ns).or(hop.rtt_ns);
    html! {
        @match shown { Some(ns) => (Nanos(ns)), None => span.soft { "—" } }
    }
}

fn track(hop: &HopView, longest_ns: u64) -> Markup {
    let at = |ns: u64| format!("left:{:.1}%", percent(ns, longest_ns));
    let bar = |rtt: &Spread| {
        let (from, to) = (percent(rtt.min_ns, longest_ns), percent(rtt.high_ns, longest_ns));
        format!("left:{from:.1}%;width:{:.1}%", to - from)
    };
    let says = |what: &str, rtt: &Spread| {
        format!(
            "{what}: median {}, 90 % under {}",
            Nanos(rtt.usual_ns),
            Nanos(rtt.high_ns)
        )
    };
    html! {
        span.track {
            @for tick in ticks_ms(longest_ns) { u style=(at((tick * 1e6) as u64)) {} }
            @if let Some(ns) = hop.rtt_ns { b.probe style=(at(ns)) title={ "trace: " (Nanos(ns)) } {} }
            @for (rtt, class, what) in [(hop.idle, "idle", "pings"), (hop.loaded, "load", "under load")] {
                @if let Some(rtt) = rtt {
                    i.(class) style=(bar(&rtt)) {}
                    b.(class) style=(at(rtt.usual_ns)) title=(says(what, &rtt)) {}
                }
            }
        }
    }
}

fn axis(longest_ns: u64) -> Markup {
    html! {
        span.axis {
            @for tick in ticks_ms(longest_ns) {
                span style=(format!("left:{:.1}%", percent((tick * 1e6) as u64, longest_ns))) { (number(tick)) " ms" }
            }
        }
    }
}

fn ticks_ms(longest_ns: u64) -> Vec<f64> {
    let longest = longest_ns as f64 / 1e6;
    let (step, _) = scale(longest, 4.0);
    (0..=8)
        .map(|n| f64::from(n) * step)
        .filter(|t| *t <= longest)
        .collect()
}

fn percent(ns: u64, longest_ns: u64) -> f64 {
    (100.0 * ns as f64 / longest_ns.max(1) as f64).min(100.0)
}

/// The scale's end: all medians fit; a single wild 90th percentile is cut off rather than squeezing the rest.
fn longest_rtt_ns(view: &PathView) -> u64 {
    let medians = |h: &HopView| [h.rtt_ns, h.idle.map(|r| r.usual_ns), h.loaded.map(|r| r.usual_ns)];
    let longest = view.hops.iter().flat_map(medians).flatten().max().unwrap_or(0);
    (longest as f64 * 1.08) as u64
}

/// Findings on the link or stretch that begins behind hop `ttl`, as a row of their own between the two hops.
fn fault_between(subject: &Subject, verdict: &Verdict, view: &PathView, ttl: u8) -> Markup {
    html! {
        @for (index, finding) in verdict.findings.iter().enumerate() {
            @if let Some((first, last)) = stretch(finding, view) {
                @if first == ttl {
                    @let note = (last > first.saturating_add(1)).then(|| format!(" (on one of the links from hop {first} to hop {last})"));
                    (fault_row(subject, verdict, index, finding, note.as_deref()))
                }
            }
        }
    }
}

/// Findings at an interface of this hop.
fn faults_at(subject: &Subject, verdict: &Verdict, hop: &HopView) -> Markup {
    html! {
        @for (index, finding) in verdict.findings.iter().enumerate() {
            @if is_device_of(finding, hop) { (fault_row(subject, verdict, index, finding, None)) }
        }
    }
}

fn fault_row(
    subject: &Subject,
    verdict: &Verdict,
    index: usize,
    finding: &Finding,
    note: Option<&str>,
) -> Markup {
    let main = subject::part(verdict, index) == Part::Cause;
    html! {
        li.fault.minor[!main] {
            span.ttl {}
            span.rail {}
            span.where {
                b { (finding.code) " " (words::percent(finding.confidence)) } ": " (finding.claim)
                @if let Some(note) = note { (note) }
                (cites(subject, &all_cites(finding)))
            }
        }
    }
}

fn all_cites(finding: &Finding) -> Vec<ObservationId> {
    finding
        .supports
        .iter()
        .flat_map(|a| a.cites.iter().cloned())
        .collect()
}

fn at_hop(finding: &Finding, view: &PathView, hop: &HopView) -> bool {
    match &finding.location {
        Location::Hop { hop: there } => position(view, there) == Some(hop.ttl),
        Location::Host { end } => view.starts_at == Some(end.other()) && view.reached_ttl == Some(hop.ttl),
        Location::Interface { .. } => is_device_of(finding, hop),
        Location::OtherHost { name } => hop
            .routers
            .iter()
            .any(|router| place::is_device(name, None, router)),
        Location::Link { .. } | Location::Segment { .. } | Location::Path => false,
    }
}

fn is_device_of(finding: &Finding, hop: &HopView) -> bool {
    match &finding.location {
        Location::Interface {
            device, hop: there, ..
        } => hop
            .routers
            .iter()
            .any(|router| place::is_device(device, there.as_ref(), router)),
        _ => false,
    }
}

fn hops(view: &PathView) -> Vec<(u8, &[Node])> {
    // The vantage itself is hop 0.
    let source = std::slice::from_ref(&view.source);
    let hops = view.hops.iter().map(|hop| (hop.ttl, hop.routers.as_slice()));
    std::iter::once((0, source)).chain(hops).collect()
}

/// The hop numbers on this view between which the finding lies.
fn stretch(finding: &Finding, view: &PathView) -> Option<(u8, u8)> {
    let hops = hops(view);
    let (first, last) = place::stretch(&finding.location, &hops)?;
    Some((hops.get(first)?.0, hops.get(last)?.0))
}

/// Whether the hop lies inside a stretch of several links, one of which has the fault.
fn inside_stretch(finding: &Finding, view: &PathView, hop: &HopView) -> bool {
    stretch(finding, view).is_some_and(|(first, last)| first < hop.ttl && hop.ttl < last)
}

/// The number that the hop which a finding names has on this view.
fn position(view: &PathView, there: &HopRef) -> Option<u8> {
    let hops = hops(view);
    place::position(there, &hops)
        .and_then(|index| hops.get(index))
        .map(|hop| hop.0)
}
