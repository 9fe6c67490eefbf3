//! Telegraf's `internet_speed`: Mbit/s to and from a server of speedtest.net, and the delay in milliseconds.

use super::influx::{Line, TOOL};
use crate::Context;
use crate::findings::Findings;
use crate::units::ns_of_seconds;
use evidence::{Node, RateBps, Timestamp, Transfer};

#[derive(Debug)]
pub(super) struct SpeedTest {
    lines: (u64, u64),
    host: Node,
    server: Node,
    at: Option<Timestamp>,
    download: Option<f64>,
    upload: Option<f64>,
    latency: Option<f64>,
}

pub(super) fn is_of_speed_test(measurement: &str) -> bool {
    measurement == "internet_speed"
}

impl SpeedTest {
    pub(super) fn of(line: &Line<'_>, lines: (u64, u64)) -> Self {
        let tag = |name: &str| {
            line.tags
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.as_ref())
        };
        let number = |name: &str| {
            line.numbers
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| *value)
        };
        let node = |name: &str| {
            tag(name)
                .map(|host| Node::read(super::sample::without_port(host)))
                .unwrap_or_default()
        };
        Self {
            lines,
            host: node("host"),
            server: node("source"),
            at: line.at,
            download: number("download"),
            upload: number("upload"),
            latency: number("latency"),
        }
    }

    /// Adds a record for each way.
    pub(super) fn record(self, context: &Context, findings: &mut Findings) {
        let host = context.from_or(self.host.clone());
        let ways = [
            (self.download, &self.server, &host),
            (self.upload, &host, &self.server),
        ];
        for (mbps, from, to) in ways {
            let Some(mbps) = mbps.filter(|mbps| *mbps > 0.0) else {
                continue;
            };
            let transfer = Transfer {
                from: from.clone(),
                to: to.clone(),
                received_bps: Some(RateBps(mbps * 1e6)),
                rtt_ns: self
                    .latency
                    .filter(|ms| *ms > 0.0)
                    .and_then(|ms| ns_of_seconds(ms / 1e3)),
                ..Transfer::default()
            };
            findings.record_of(self.lines, TOOL, self.at.or(context.at), transfer.into());
        }
    }
}
