//! The paths of all flows: equal routes differ from flow to flow, and so does what is wrong on one of them.

use super::rounds::News;
use super::route::Route;
use net::path::PathEvent;
use std::net::IpAddr;
use std::time::Duration;

/// A path for each flow, at least one.
#[derive(Debug, Clone)]
pub(super) struct Flows(Vec<Route>);

impl Flows {
    pub(super) fn new(destination: IpAddr, count: usize) -> Self {
        Self(vec![Route::new(destination); count.max(1)])
    }

    /// What came from the network at `at`, counted from the start.
    pub(super) fn take(&mut self, news: News, at: Duration) {
        match news {
            News::Trace(trace) => self.0.iter_mut().for_each(|route| route.take_trace(&trace)),
            // Who an address is, is the same for all.
            News::Event(_, event @ (PathEvent::Name(..) | PathEvent::System(..))) => {
                self.0.iter_mut().for_each(|route| route.take(event.clone(), at));
            }
            News::Event(flow, event) => {
                if let Some(route) = self.0.get_mut(flow) {
                    route.take(event, at);
                }
            }
        }
    }

    pub(super) fn reset(&mut self) {
        self.0.iter_mut().for_each(Route::reset);
    }

    pub(super) fn all(&self) -> &[Route] {
        &self.0
    }

    /// The one that a number chooses which only grows, and which of how many it is, from 1.
    pub(super) fn chosen(&self, number: usize) -> (&Route, usize, usize) {
        let place = number % self.0.len();
        (&self.0[place], place + 1, self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use net::path::{Answered, Asked, RoundEvent};

    fn answer(flow: usize, last: u8) -> News {
        let answer = Some(Answered {
            from: [203, 0, 113, last].into(),
            rtt_ns: 1,
        });
        let asked = Asked::Hop(1);
        News::Event(
            flow,
            PathEvent::Round(RoundEvent::Outcome {
                asked,
                round: 0,
                answer,
            }),
        )
    }

    #[test]
    fn each_flow_has_hops_of_its_own_and_all_share_names() {
        let mut flows = Flows::new([192, 0, 2, 1].into(), 2);
        flows.take(answer(0, 1), Duration::ZERO);
        flows.take(answer(1, 2), Duration::ZERO);
        flows.take(answer(9, 3), Duration::ZERO);
        for last in [1, 2] {
            let address = [203, 0, 113, last].into();
            flows.take(
                News::Event(0, PathEvent::Name(address, format!("r{last}.example"))),
                Duration::ZERO,
            );
            flows.take(News::Event(1, PathEvent::System(address, 64_496)), Duration::ZERO);
        }
        let first = |number| {
            let (route, place, count) = flows.chosen(number);
            let row = route.rows()[0];
            (row.name.map(str::to_owned), row.system, place, count)
        };
        assert_eq!(first(0), (Some("r1.example".to_owned()), Some(64_496), 1, 2));
        assert_eq!(first(1), (Some("r2.example".to_owned()), Some(64_496), 2, 2));
        assert_eq!(first(2), first(0), "and round again");
        flows.reset();
        assert!(
            flows
                .all()
                .iter()
                .all(|route| route.rows().iter().all(|row| row.hop.sent() == 0))
        );
    }
}
