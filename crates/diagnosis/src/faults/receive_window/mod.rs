//! HOST-001: the receiver allows too little data under way.

mod recorded;
mod sockets;

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use crate::facts::Facts;
use crate::facts::capacity::Scaling;
use crate::facts::response::window_rate;
use crate::facts::transfer::{BUSY_CORE, TcpRun};
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::v1::{Direction, End, Explains, Location, RateRange};
use model::Kind;

const PRIOR: f64 = -2.5;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-001",
    name: "receive_window",
    title: "receive window too small for the path",
    sections: Sections {
        what_it_is: "The receiving host lets the sender have less data under way than the path holds (its \
            bandwidth-delay product): its socket buffer, or the limit of the kernel's automatic tuning, is too small.",
        why_it_hurts: "A sender may send one window per round trip and then waits. The rate cannot exceed window/RTT: \
            85 kB at 60 ms is 11 Mbit/s, however fast the links are. Over 1 ms the same host reaches 680 Mbit/s, so \
            nobody notices nearby.",
        how_we_know: "- The sending kernel says that it was limited by the receiver's window for most of its busy time \
            (`tcpi_rwnd_limited`).\n\
            - The rate is the advertised window divided by the round-trip time.\n\
            - Several connections together are that many times as fast.\n\
            - The receiver's `net.ipv4.tcp_rmem` maximum is below the bandwidth-delay product of the expected rate.\n\
            - Records: the same count in `ss -ti` of the sender; or the window that somebody found at the receiver, over the round-trip time. Where the rate was \
            higher with the same window, or stays low with a larger one, it is a limit of its own and not the cause.",
        what_looks_like_it: "- **A slow reader**: the program at the receiver does not keep up, and the window closes \
            although the buffer is large. Then the receiver's CPU or disk is busy and the window is not filled once a \
            round trip.\n\
            - **A small send buffer**: the sender waits for its own buffer (`tcpi_sndbuf_limited`, which Linux counts \
            unreliably).\n\
            - **Loss** (LOSS-001) also limits each connection alone; then segments are sent again.",
        remedy: "Raise the third value of `net.ipv4.tcp_rmem` at the receiver to twice the bandwidth-delay product \
            (the kernel keeps part of the buffer for itself), leave window scaling on, and do not set the socket \
            buffer in the application: that switches automatic tuning off.",
        whom_to_ask: "The administrator of the receiving host, and of the application if it sets SO_RCVBUF.",
        references: &[
            "RFC 7323 section 2: window scaling; RFC 9293 section 3.8.6: window management",
            "Linux Documentation/networking/ip-sysctl.rst: tcp_rmem, tcp_window_scaling, tcp_adv_win_scale",
            "Throughput from SLAC to Caltech, SLAC 2003: 132 kB at the Caltech host",
        ],
    },
    prior: PRIOR,
    judge: Some(judge),
    parameter: Some(Parameter {
        kind: Kind::ReceiveWindow,
        prior: 0.10,
        claim: |bytes| {
            format!(
                "a receive window of about {} is the limit",
                words::about_bytes(bytes)
            )
        },
        remedy: "raise the receiver's limits (on Linux net.ipv4.tcp_rmem and net.core.rmem_max) to twice the rate wanted \
                 times the round-trip time, and let the program leave its buffer size to the kernel",
    }),
};

/// Limited by the window for this share of the busy time or more: it is what limits.
const MOSTLY: f64 = 0.5;
/// Below this share, something else does.
const HARDLY: f64 = 0.2;
/// The rate is between half and one and a half windows a round trip: the window is filled.
const FILLED: std::ops::Range<f64> = 0.5..1.5;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let Some(run) = facts.running_run() else {
        let missing = "no running TCP transfer between the two ends was measured".into();
        let said = sockets::judge(facts).or_else(|| recorded::judge(facts));
        return vec![said.unwrap_or(Outcome::Inconclusive { missing })];
    };
    let Some(share) = run.receive_window_share else {
        let missing = "the sending kernel gave no account of what limited a running transfer";
        return vec![Outcome::Inconclusive {
            missing: missing.into(),
        }];
    };
    if share < HARDLY {
        let why = format!(
            "the sender was limited by the receiver's window for {:.0} % of its busy time{}",
            share * 100.0,
            own_buffer(facts, run)
        );
        return vec![Outcome::Contradicts {
            weight: -4.0,
            why,
            cites: vec![run.id.clone()],
        }];
    }
    vec![weigh(facts, run, share)]
}

/// Where the sender's own buffer limits instead, that is said: there is no rule for it yet.
fn own_buffer(facts: &Facts, run: &TcpRun) -> String {
    let Some(share) = run.send_buffer_share.filter(|share| *share >= MOSTLY) else {
        return String::new();
    };
    let limit = facts.host(run.sender).and_then(|host| host.send_buffer_max_bytes);
    let setting = limit.map_or_else(String::new, |bytes| {
        format!(" (net.ipv4.tcp_wmem: {} at most)", words::buffer(bytes))
    });
    format!(
        "; its own send buffer limited it for {:.0} %{setting}",
        share * 100.0
    )
}

fn weigh(facts: &Facts, run: &TcpRun, share: f64) -> Outcome {
    let mut weighing = Weighing::default();
    let text = format!(
        "the sending kernel was limited by the receiver's window for {:.0} % of its busy time",
        share * 100.0
    );
    weighing.add(weight_of(share), text, std::slice::from_ref(&run.id));
    let predicted = predicted(facts, run);
    let ratio = predicted.map(|rate| run.rate.0 / rate.max(1.0));
    weigh_window(&mut weighing, facts, run, ratio);
    weigh_reader(&mut weighing, run);
    weigh_scaling(&mut weighing, facts);
    weigh_settings(&mut weighing, facts);
    let explains = match ratio {
        // With other segments than the user's programs send, it is what limits next.
        Some(_) if !run.is_plain() => Explains::No,
        Some(ratio) if FILLED.contains(&ratio) && share >= MOSTLY => Explains::Yes,
        Some(_) => Explains::No,
        None => Explains::Unknown,
    };
    let window = run
        .peer_window_bytes
        .map_or_else(String::new, |bytes| format!(" of {}", words::buffer(bytes)));
    let rtt = facts
        .base_rtt
        .as_ref()
        .map_or_else(String::new, |rtt| format!(" at {}", evidence::v1::Nanos(rtt.ns)));
    let allowed = predicted.map_or_else(String::new, |rate| {
        format!(" than {}", evidence::v1::RateBps(rate))
    });
    Outcome::Supports(Box::new(Supported {
        claim: format!("the receive window{window}{rtt} allows no more{allowed}"),
        location: Location::Host {
            end: run.sender.other(),
        },
        direction: Direction::Forward,
        weighing,
        explains,
        allows_bps: predicted.map(|rate| words::range(FILLED.start * rate, rate, FILLED.end * rate)),
        after_fix_bps: after_fix(facts, run),
        remedy: remedy(facts, run),
        ask_whom: format!("the administrator of {}", facts.name(run.sender.other())),
        cannot_tell_from: None,
    }))
}

/// What the kernel's count is worth: it is taken while the connection waits, whatever the reason that it waits.
fn weight_of(share: f64) -> f64 {
    match share {
        share if share >= 0.8 => 3.5,
        share if share >= MOSTLY => 2.5,
        _ => 0.5,
    }
}

/// Window a round trip, with the round-trip time that the transfer itself had.
fn predicted(facts: &Facts, run: &TcpRun) -> Option<f64> {
    let rtt_ns = run
        .loaded_rtt_ns
        .or(run.min_rtt_ns)
        .or(facts.base_rtt.as_ref().map(|rtt| rtt.ns))?;
    Some(window_rate(run.peer_window_bytes?, rtt_ns as f64 / 1e9)?.0)
}

fn weigh_window(weighing: &mut Weighing, facts: &Facts, run: &TcpRun, ratio: Option<f64>) {
    let (Some(ratio), Some(window), Some(predicted)) = (ratio, run.peer_window_bytes, predicted(facts, run))
    else {
        return;
    };
    let predicted = evidence::v1::RateBps(predicted);
    let figures = format!(
        "{} a round trip give {predicted}, measured {}",
        words::buffer(window),
        run.rate
    );
    if FILLED.contains(&ratio) {
        weighing.add(2.0, figures, std::slice::from_ref(&run.id));
    } else {
        weighing.add(
            -2.5,
            format!("{figures}: the window is not what is filled"),
            std::slice::from_ref(&run.id),
        );
    }
}

fn weigh_reader(weighing: &mut Weighing, run: &TcpRun) {
    if let Some(share) = run.receiver_cpu.filter(|share| *share >= BUSY_CORE) {
        let text = format!(
            "the receiving program used {:.0} % of a core: it may read too slowly",
            share * 100.0
        );
        weighing.add(-3.5, text, std::slice::from_ref(&run.id));
    }
}

fn weigh_scaling(weighing: &mut Weighing, facts: &Facts) {
    let (Some(scaling), Some(parallel)) = (facts.scaling(), facts.parallel_run()) else {
        return;
    };
    let Scaling {
        parallel: sum,
        streams,
        ..
    } = scaling;
    let cites = [parallel.id.clone()];
    if scaling.is_proportional() {
        weighing.add(
            1.5,
            format!("{streams} connections together reach {sum}: each is limited alone"),
            &cites,
        );
    } else if scaling.is_flat() {
        weighing.add(
            -1.5,
            format!("{streams} connections together reach no more: {sum}"),
            &cites,
        );
    }
}

fn weigh_settings(weighing: &mut Weighing, facts: &Facts) {
    let (Some(host), Some(expected), Some(rtt)) = (facts.host(End::To), facts.expected(), &facts.base_rtt)
    else {
        return;
    };
    let needed = (expected.0 * rtt.seconds() / 8.0) as u64;
    if host.window_scaling == Some(false) && needed > 65_535 {
        weighing.add(
            1.0,
            "the receiver has window scaling switched off: 64 KiB at most",
            &host.cites,
        );
    }
    let Some(limit) = host.receive_buffer_max_bytes else {
        return;
    };
    let figures = format!(
        "the receiver's buffer may grow to {}, {expected} need {} under way",
        words::buffer(limit),
        words::buffer(needed)
    );
    if limit < needed {
        weighing.add(1.0, figures, &host.cites);
    } else if limit >= 2 * needed {
        weighing.add(-1.0, figures, &host.cites);
    }
}

/// At least what several such windows together brought; the expected rate where nothing shows that it is out of reach.
fn after_fix(facts: &Facts, run: &TcpRun) -> Option<RateRange> {
    let shown = facts
        .parallel_run()
        .map_or(0.0, |parallel| parallel.rate.0)
        .max(run.rate.0);
    let ceiling = facts
        .measured_capacity(End::From)
        .or(facts.interface_limit().map(|(_, rate)| rate));
    let hoped = facts.expected().map_or(shown, |rate| rate.0).max(shown);
    let best = ceiling.map_or(hoped, |rate| hoped.min(rate.0.max(shown)));
    (best > 1.2 * run.rate.0).then(|| words::range(shown, best, ceiling.map_or(best, |rate| rate.0)))
}

fn remedy(facts: &Facts, run: &TcpRun) -> String {
    let goal = facts
        .expected()
        .or(facts.parallel_run().map(|parallel| parallel.rate));
    let needed = goal
        .zip(facts.base_rtt.as_ref())
        .map(|(rate, rtt)| (rate, (2.0 * rate.0 * rtt.seconds() / 8.0) as u64));
    let receiver = facts.name(run.sender.other());
    match needed {
        Some((rate, bytes)) => format!(
            "on {receiver}: sysctl net.ipv4.tcp_rmem=\"4096 131072 {bytes}\" (twice the bandwidth-delay product of {rate}); \
             applications must not set SO_RCVBUF"
        ),
        None => format!(
            "on {receiver}: raise the third value of net.ipv4.tcp_rmem to twice rate × round-trip time; applications \
             must not set SO_RCVBUF"
        ),
    }
}
