//! Round-trip times of the hops of one way on one scale.

use super::chart::{number, scale};
use crate::views::hop::{HopView, Spread};
use crate::views::path::PathView;
use evidence::Nanos;
use maud::{Markup, html};

/// The end of a scale, nanoseconds; zero where no time is known.
#[derive(Clone, Copy)]
pub(super) struct Scale(u64);

impl Scale {
    /// All medians fit; a single wild 90th percentile is cut off rather than squeezing the rest.
    pub(super) fn over(way: &PathView) -> Option<Self> {
        let medians = |h: &HopView| [h.rtt_ns, h.idle.map(|r| r.usual_ns), h.loaded.map(|r| r.usual_ns)];
        let longest = way.hops.iter().flat_map(medians).flatten().max().unwrap_or(0);
        (longest > 0).then_some(Self((longest as f64 * 1.08) as u64))
    }

    fn percent(self, ns: u64) -> f64 {
        (100.0 * ns as f64 / self.0.max(1) as f64).min(100.0)
    }

    fn at(self, ns: u64) -> String {
        format!("left:{:.1}%", self.percent(ns))
    }

    /// Round times: (nanoseconds, label).
    fn ticks(self) -> Vec<(u64, String)> {
        let longest = self.0 as f64 / 1e6;
        let (step, _) = scale(longest, 3.0);
        let times = (0..=8).map(|n| f64::from(n) * step).filter(|ms| *ms <= longest);
        times.map(|ms| ((ms * 1e6) as u64, number(ms))).collect()
    }

    pub(super) fn axis(self) -> Markup {
        html! {
            span.axis {
                @for (ns, label) in self.ticks() { span style=(self.at(ns)) { (label) @if ns == 0 { " ms" } } }
            }
        }
    }

    /// The times of one hop as marks, and the one to tell in figures.
    pub(super) fn track(self, hop: &HopView) -> Markup {
        let bar = |rtt: &Spread| {
            let (from, to) = (self.percent(rtt.min_ns), self.percent(rtt.high_ns));
            format!("left:{from:.1}%;width:{:.1}%", to - from)
        };
        let told = hop.idle.map(|rtt| rtt.usual_ns).or(hop.rtt_ns);
        html! {
            span.track {
                @for (ns, _) in self.ticks() { u style=(self.at(ns)) {} }
                @if let Some(ns) = hop.rtt_ns { b.probe style=(self.at(ns)) title={ "trace: " (Nanos(ns)) } {} }
                @for (rtt, class, what) in [(hop.idle, "idle", "pings"), (hop.loaded, "load", "under load")] {
                    @if let Some(rtt) = rtt {
                        i.(class) style=(bar(&rtt)) {}
                        b.(class) style=(self.at(rtt.usual_ns))
                            title={ (what) ": median " (Nanos(rtt.usual_ns)) ", 90 % under " (Nanos(rtt.high_ns)) } {}
                    }
                }
            }
            span.rtt { @match told { Some(ns) => (Nanos(ns)), None => span.soft { "—" } } }
        }
    }
}

/// What the marks mean, of those that the ways have.
pub(super) fn legend<'a>(ways: impl Iterator<Item = &'a PathView> + Clone) -> Markup {
    let any = |is: fn(&HopView) -> bool| ways.clone().any(|way| way.hops.iter().any(is));
    html! {
        @if any(|hop| hop.rtt_ns.is_some()) { span { i.dot.probe {} "round-trip time of the trace's probes, smallest" } }
        @if any(|hop| hop.idle.is_some()) { span { i.dot.idle {} "pings: median, bar from the smallest to 90 %" } }
        @if any(|hop| hop.loaded.is_some()) { span { i.dot.load {} "the same while a transfer ran" } }
        @if let Some(flows) = ways.map(|way| way.flows).max().filter(|flows| *flows > 1) {
            span { (flows) " flows traced; a hop with several routers is load balanced" }
        }
    }
}
