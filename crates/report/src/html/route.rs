//! The path hop by hop with the located fault between its hops, and each hop's round-trip times on one scale.

use super::chart::{number, scale};
use super::{anchor, cites};
use crate::path_view::{HopView, PathView, paths};
use crate::subject::{self, Part, Subject};
use crate::words;
use evidence::{End, Finding, HopRef, Location, Nanos, RedHerring, RttSummary, Verdict};
use maud::{Markup, html};

pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    let views = paths(subject.case, verdict.round);
    html! {
        section {
            h2 id=(anchor(subject, verdict, "path")) { "The path" }
            @if views.is_empty() { p.soft { "No route was measured in this round." } }
            @for view in &views {
                h3 { "From the " (words::end(view.vantage)) " to the " (words::end(view.vantage.other())) }
                (diagram(subject, verdict, view))
            }
        }
    }
}

fn diagram(subject: &Subject, verdict: &Verdict, view: &PathView) -> Markup {
    let longest = longest_rtt_ns(view);
    let complaint = &subject.case.complaint;
    let source = match view.vantage {
        End::From => &complaint.from.name,
        End::To => &complaint.to.name,
    };
    html! {
        (legend(view))
        ol.route {
            li.endpoint {
                span.ttl {}
                span.rail { b {} }
                span.who { (source) " " span.soft { (view.source) } }
                (axis(longest))
            }
            (fault_between(subject, verdict, view, 0))
            @for hop in &view.hops {
                (row(verdict, view, hop, longest))
                (fault_between(subject, verdict, view, hop.ttl))
            }
        }
        @if view.reached_ttl.is_none() { p.soft { (view.destination) " never answered." } }
    }
}

fn legend(view: &PathView) -> Markup {
    let idle = view.hops.iter().any(|h| h.idle.is_some());
    let loaded = view.hops.iter().any(|h| h.loaded.is_some());
    html! {
        p.legend {
            span { i.dot.probe {} "round-trip time of the route's probes, smallest" }
            @if idle { span { i.dot.idle {} "idle: median, bar from the smallest to 90 %" } }
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
            span.who { (who(hop)) (notes(verdict, hop)) }
            (track(hop, longest_ns))
            span.rtt { (rtt_text(hop)) }
        }
    }
}

fn who(hop: &HopView) -> Markup {
    html! {
        @if hop.routers.is_empty() { "no answer to " (words::plural(u64::from(hop.sent), "probe", "probes")) }
        @for (index, (address, name)) in hop.routers.iter().enumerate() {
            @if index > 0 { br; "or " }
            @match name {
                Some(name) => { (name) " " span.soft { (address) } }
                None => (address),
            }
        }
    }
}

/// What is remarkable about a hop and not the cause.
fn notes(verdict: &Verdict, hop: &HopView) -> Markup {
    let herrings = verdict.red_herrings.iter().filter(|h| match &h.location {
        Location::Hop { hop: there } => is(there, hop),
        _ => false,
    });
    let lost = hop.sent.saturating_sub(hop.answered);
    html! {
        @if !hop.mpls.is_empty() {
            span.note { "MPLS label " (hop.mpls.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")) }
        }
        @if hop.answered > 0 && lost > 0 { span.note { (hop.answered) " of " (hop.sent) " probes answered" } }
        @for RedHerring { why_not, .. } in herrings { span.note { "not the cause: " (why_not) } }
    }
}

fn rtt_text(hop: &HopView) -> Markup {
    let shown = hop.idle.map(|rtt| rtt.p50_ns).or(hop.rtt_ns);
    html! {
        @match shown { Some(ns) => (Nanos(ns)), None => span.soft { "—" } }
    }
}

fn track(hop: &HopView, longest_ns: u64) -> Markup {
    let at = |ns: u64| format!("left:{:.1}%", percent(ns, longest_ns));
    let bar = |rtt: &RttSummary| {
        let (from, to) = (percent(rtt.min_ns, longest_ns), percent(rtt.p90_ns, longest_ns));
        format!("left:{from:.1}%;width:{:.1}%", to - from)
    };
    let says = |what: &str, rtt: &RttSummary| {
        format!(
            "{what}: median {}, 90 % under {}",
            Nanos(rtt.p50_ns),
            Nanos(rtt.p90_ns)
        )
    };
    html! {
        span.track {
            @for tick in ticks_ms(longest_ns) { u style=(at((tick * 1e6) as u64)) {} }
            @if let Some(ns) = hop.rtt_ns { b.probe style=(at(ns)) title={ "route: " (Nanos(ns)) } {} }
            @for (rtt, class, what) in [(hop.idle, "idle", "idle"), (hop.loaded, "load", "under load")] {
                @if let Some(rtt) = rtt {
                    i.(class) style=(bar(&rtt)) {}
                    b.(class) style=(at(rtt.p50_ns)) title=(says(what, &rtt)) {}
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
    let medians = |h: &HopView| [h.rtt_ns, h.idle.map(|r| r.p50_ns), h.loaded.map(|r| r.p50_ns)];
    let longest = view.hops.iter().flat_map(medians).flatten().max().unwrap_or(0);
    (longest as f64 * 1.08) as u64
}

/// Findings on the link or stretch that begins behind hop `ttl`, as a row of their own between the two hops.
fn fault_between(subject: &Subject, verdict: &Verdict, view: &PathView, ttl: u8) -> Markup {
    html! {
        @for (index, finding) in verdict.findings.iter().enumerate() {
            @if let Location::Link { before, after } = &finding.location {
                @if before.ttl == ttl && matches(view, before) && matches(view, after) {
                    @let main = subject::part(verdict, index) == Part::Cause;
                    li.fault.minor[!main] {
                        span.ttl {}
                        span.rail {}
                        span.where {
                            b { (finding.code) " " (words::percent(finding.confidence)) } ": " (finding.claim)
                            @if after.ttl > before.ttl.saturating_add(1) {
                                " (on one of the links from hop " (before.ttl) " to hop " (after.ttl) ")"
                            }
                            (cites(subject, &all_cites(finding)))
                        }
                    }
                }
            }
        }
    }
}

fn all_cites(finding: &Finding) -> Vec<evidence::ObservationId> {
    finding
        .supports
        .iter()
        .flat_map(|a| a.cites.iter().cloned())
        .collect()
}

fn at_hop(finding: &Finding, view: &PathView, hop: &HopView) -> bool {
    match &finding.location {
        Location::Hop { hop: there } => is(there, hop),
        Location::Host { end } => *end != view.vantage && view.reached_ttl == Some(hop.ttl),
        Location::Interface { hop: there, .. } => there.as_ref().is_some_and(|there| is(there, hop)),
        Location::Link { .. } | Location::Segment { .. } | Location::OtherHost { .. } | Location::Path => {
            false
        }
    }
}

/// Whether the hop lies inside a stretch of several links, one of which has the fault.
fn inside_stretch(finding: &Finding, view: &PathView, hop: &HopView) -> bool {
    match &finding.location {
        Location::Link { before, after } => {
            matches(view, before) && matches(view, after) && before.ttl < hop.ttl && hop.ttl < after.ttl
        }
        _ => false,
    }
}

/// Whether the hop that a finding names is on this view: hop numbers of the other direction mean other routers.
fn matches(view: &PathView, there: &HopRef) -> bool {
    if there.ttl == 0 {
        return there.address.is_none_or(|address| address == view.source);
    }
    view.hops.iter().any(|hop| is(there, hop))
}

fn is(there: &HopRef, hop: &HopView) -> bool {
    there.ttl == hop.ttl
        && match there.address {
            Some(address) => hop.routers.iter().any(|(router, _)| *router == address),
            None => hop.routers.is_empty(),
        }
}
