//! Speed tests as JSON: `speedtest -f json` of Ookla in bytes a second, `speedtest-cli --json` in bit/s, and `ndt7-client -format json
//! -quiet` with the unit beside each figure.
//!
//! <https://www.speedtest.net/apps/cli>, <https://github.com/sivel/speedtest-cli>, <https://github.com/m-lab/ndt7-client-go>

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::host;
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at};
use crate::units::ns_of_seconds;
use crate::when;
use evidence::{DelayStatistics, EchoContext, Node, Payload, ProbeRow, Probes, RateBps, Timestamp, Transfer};
use serde_json::Value;

pub(crate) static OOKLA: JsonKind = JsonKind {
    name: "speedtest -f json",
    reads: "Ookla's own: rates, bytes and round trips of both ways, loss",
    group: Group::Transfers,
    is: |value| {
        f64_at(value, "/download/bandwidth").is_some() || f64_at(value, "/upload/bandwidth").is_some()
    },
    read: read_ookla,
};

pub(crate) static SIVEL: JsonKind = JsonKind {
    name: "speedtest-cli --json",
    reads: "rates and bytes of both ways, the round trip before",
    group: Group::Transfers,
    is: |value| text_at(value, "/server/sponsor").is_some() && f64_at(value, "/download").is_some(),
    read: read_sivel,
};

pub(crate) static NDT: JsonKind = JsonKind {
    name: "ndt7-client -format json",
    reads: "its summary (-quiet): rates of both ways, the shortest round trip",
    group: Group::Transfers,
    is: |value| text_at(value, "/ServerFQDN").is_some() && value.get("Download").is_some(),
    read: read_ndt,
};

/// Who tested with whom, when, and where it says so.
struct Test<'a> {
    tool: &'static str,
    lines: (u64, u64),
    at: Option<Timestamp>,
    context: &'a Context,
    local: Node,
    server: Node,
}

/// What was moved one way.
struct Moved {
    is_upload: bool,
    bps: Option<f64>,
    bytes: Option<u64>,
    duration_ns: Option<u64>,
}

impl Test<'_> {
    fn tell_transfer(&self, findings: &mut Findings, moved: &Moved) {
        let rate = moved.bps.filter(|bps| bps.is_finite() && *bps > 0.0).map(RateBps);
        if rate.is_none() {
            return;
        }
        let (from, to) = match moved.is_upload {
            true => (&self.local, &self.server),
            false => (&self.server, &self.local),
        };
        let transfer = Transfer {
            from: self.context.from_or(from.clone()),
            to: self.context.to_or(to.clone()),
            duration_ns: moved.duration_ns.filter(|ns| *ns > 0),
            sent_bps: rate.filter(|_| moved.is_upload),
            received_bps: rate.filter(|_| !moved.is_upload),
            bytes_received: moved.bytes.filter(|bytes| *bytes > 0),
            ..Transfer::default()
        };
        findings.record_of(self.lines, self.tool, self.at, transfer.into());
    }

    fn tell_probes(
        &self,
        findings: &mut Findings,
        context: Option<EchoContext>,
        delay: DelayStatistics,
        loss_ratio: Option<f64>,
    ) {
        let delay = (delay != DelayStatistics::default()).then_some(delay);
        if delay.is_none() && loss_ratio.is_none() {
            return;
        }
        let row = ProbeRow {
            to: self.context.to_or(self.server.clone()),
            loss_ratio,
            delay,
            ..ProbeRow::default()
        };
        let probes = Probes {
            from: self.context.from_or(self.local.clone()),
            context,
            rows: vec![row],
            ..Probes::default()
        };
        findings.record_of(self.lines, self.tool, self.at, Payload::Probes(probes));
    }
}

fn node(value: &Value, pointer: &str) -> Node {
    let text = text_at(value, pointer).filter(|text| !text.is_empty());
    // A port behind a name is none of it.
    let bare = text.map(|text| match text.split_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => text,
    });
    bare.map(host).unwrap_or_default()
}

fn ns_at(value: &Value, pointer: &str) -> Option<i64> {
    let ms = f64_at(value, pointer).filter(|ms| *ms > 0.0)?;
    i64::try_from(ns_of_seconds(ms / 1e3)?).ok()
}

fn at(value: &Value, context: &Context) -> Option<Timestamp> {
    let told = text_at(value, "/timestamp").and_then(|at| when::iso8601(at, context.utc_offset_s));
    told.or(context.at)
}

fn read_ookla(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let test = Test {
        tool: "speedtest",
        lines,
        at: at(value, context),
        context,
        local: node(value, "/interface/internalIp"),
        server: node(value, "/server/host"),
    };
    let delay = |mean: &str, of: &str| DelayStatistics {
        min_ns: ns_at(value, &format!("{of}/low")),
        mean_ns: ns_at(value, mean),
        max_ns: ns_at(value, &format!("{of}/high")),
        ..DelayStatistics::default()
    };
    test.tell_probes(
        findings,
        Some(EchoContext::Idle),
        delay("/ping/latency", "/ping"),
        None,
    );
    for (way, is_upload) in [("/download", false), ("/upload", true)] {
        let moved = Moved {
            is_upload,
            bps: f64_at(value, &format!("{way}/bandwidth")).map(|rate| rate * 8.0),
            bytes: u64_at(value, &format!("{way}/bytes")),
            duration_ns: f64_at(value, &format!("{way}/elapsed")).and_then(|ms| ns_of_seconds(ms / 1e3)),
        };
        test.tell_transfer(findings, &moved);
        let of_way = format!("{way}/latency");
        let loaded = delay(&format!("{of_way}/iqm"), &of_way);
        test.tell_probes(findings, Some(EchoContext::UnderLoad), loaded, None);
    }
    let lost = f64_at(value, "/packetLoss").filter(|percent| (0.0..=100.0).contains(percent));
    let lost = lost.map(|percent| percent / 100.0);
    test.tell_probes(findings, None, DelayStatistics::default(), lost);
}

fn read_sivel(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let test = Test {
        tool: "speedtest",
        lines,
        at: at(value, context),
        context,
        // What it calls the client's address is that of whatever hides it.
        local: Node::default(),
        server: node(value, "/server/host"),
    };
    let delay = DelayStatistics {
        mean_ns: ns_at(value, "/ping"),
        ..DelayStatistics::default()
    };
    test.tell_probes(findings, Some(EchoContext::Idle), delay, None);
    for (rate, bytes, is_upload) in [
        ("/download", "/bytes_received", false),
        ("/upload", "/bytes_sent", true),
    ] {
        let moved = Moved {
            is_upload,
            bps: f64_at(value, rate),
            bytes: u64_at(value, bytes),
            duration_ns: None,
        };
        test.tell_transfer(findings, &moved);
    }
}

fn read_ndt(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let test = Test {
        tool: "ndt7",
        lines,
        at: context.at,
        context,
        local: node(value, "/ClientIP"),
        server: node(value, "/ServerFQDN"),
    };
    // Old versions have one round trip, and the rates without a name of their own.
    let of_unit = |path: &str, unit: &str| {
        let told = text_at(value, &format!("{path}/Unit"))?;
        let figure = f64_at(value, &format!("{path}/Value"))?;
        (told == unit).then_some(figure)
    };
    let shortest = of_unit("/MinRTT", "ms").or_else(|| of_unit("/Download/Latency", "ms"));
    let shortest = shortest
        .filter(|ms| *ms > 0.0)
        .and_then(|ms| ns_of_seconds(ms / 1e3));
    let delay = DelayStatistics {
        min_ns: shortest.and_then(|ns| i64::try_from(ns).ok()),
        ..DelayStatistics::default()
    };
    test.tell_probes(findings, None, delay, None);
    for (way, is_upload) in [("/Download", false), ("/Upload", true)] {
        let rate = of_unit(&format!("{way}/Throughput"), "Mbit/s").or_else(|| of_unit(way, "Mbit/s"));
        if rate.is_none()
            && value
                .get(way.trim_start_matches('/'))
                .is_some_and(Value::is_object)
        {
            findings.complain_of(lines, "a rate without a unit that is known");
        }
        let moved = Moved {
            is_upload,
            bps: rate.map(|rate| rate * 1e6),
            bytes: None,
            duration_ns: None,
        };
        test.tell_transfer(findings, &moved);
    }
}
