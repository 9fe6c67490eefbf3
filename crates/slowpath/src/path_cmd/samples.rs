//! Paths for the tests of what is shown: made of the same events as a measurement.

use super::route::Route;
use evidence::ProbeProtocol;
use net::path::{Answered, Asked, PathEvent, RoundEvent};
use std::net::IpAddr;
use std::time::Duration;

const MS: u64 = 1_000_000;

/// A hop of a sample: its address, its name, its round trip in ms, and of which rounds it answers.
pub(super) struct Sample {
    pub(super) address: &'static str,
    pub(super) name: &'static str,
    pub(super) rtt_ms: u64,
    pub(super) answers: fn(u64) -> bool,
}

pub(super) fn hop(address: &'static str, name: &'static str, rtt_ms: u64) -> Sample {
    Sample {
        address,
        name,
        rtt_ms,
        answers: |_| true,
    }
}

/// After `rounds` rounds over these hops, the last of which is the destination.
pub(super) fn after(rounds: u64, samples: &[Sample]) -> Route {
    let address = |sample: &Sample| sample.address.parse::<IpAddr>().unwrap();
    let destination = address(samples.last().unwrap());
    let mut route = Route::new(destination);
    let mut tell = |event| route.take(event, Duration::from_secs(1));
    tell(PathEvent::Protocol(ProbeProtocol::Icmp));
    tell(PathEvent::Round(RoundEvent::DestinationAt(Some(
        samples.len() as u8
    ))));
    for sample in samples.iter().filter(|sample| !sample.name.is_empty()) {
        tell(PathEvent::Name(address(sample), sample.name.to_owned()));
    }
    for round in 0..rounds {
        for (ttl, sample) in (1u8..).zip(samples) {
            let asked = match usize::from(ttl) == samples.len() {
                true => Asked::Destination,
                false => Asked::Hop(ttl),
            };
            // A queue that fills and empties.
            let rtt_ns = sample.rtt_ms * MS + round % 7 * sample.rtt_ms * MS / 5;
            let answer = (sample.answers)(round).then(|| Answered {
                from: address(sample),
                rtt_ns,
            });
            tell(PathEvent::Round(RoundEvent::Outcome { asked, round, answer }));
        }
    }
    route
}

pub(super) fn healthy() -> Vec<Sample> {
    vec![
        hop("192.0.2.1", "gw.a.example", 1),
        hop("203.0.113.7", "core.isp.example", 4),
        hop("203.0.113.9", "", 9),
        hop("198.51.100.2", "b.example", 10),
    ]
}

/// Hop 2 answers every third probe; hop 3 never does.
pub(super) fn limiting() -> Vec<Sample> {
    let mut samples = healthy();
    samples[1].answers = |round| round % 3 == 0;
    samples[2].answers = |_| false;
    samples
}

/// One probe in eight is lost from hop 3 on.
pub(super) fn losing() -> Vec<Sample> {
    let mut samples = healthy();
    samples.push(hop("198.51.100.9", "", 12));
    for sample in &mut samples[2..] {
        sample.answers = |round| round % 8 != 3;
    }
    samples
}

pub(super) fn ipv6_with_long_names() -> Vec<Sample> {
    vec![
        hop(
            "2001:db8:1111:2222:3333:4444:5555:6666",
            "ae-12-0.core-router-17.frankfurt-am-main.backbone.provider.example",
            1,
        ),
        hop("2001:db8::7", "evil\u{1b}[2J\u{202e}name", 4),
        hop("2001:db8:ffff:eeee:dddd:cccc:bbbb:aaaa", "", 9),
    ]
}
