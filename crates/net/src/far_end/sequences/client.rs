//! A client that asks, and a far end that answers anything.

use super::super::channel::Channel;
use super::super::client::FarEnd;
use super::super::ends::Side;
use super::choices::Choices;
use super::pair::{channels, run};
use crate::Watch;
use evidence::{
    Ask, HostDrops, Node, NotMeasuredReason, Payload, ProbeProtocol, RateBps, StopReason, TcpAccount,
};
use probe::session::{
    Limits, PROTOCOL_VERSION, ReceivedSlice, Refusal, Stamp, TcpHalf, TcpPlan, TcpSlice, ToClient, ToServer,
    UdpReceived, UdpSent,
};
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// A far end that has gone ends the measurement within this.
const ENDS_WITHIN: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);

/// Asks a far end that says what `bytes` decide. Panics where the client does, where it waits for a far end that is gone,
/// where it shows a person what a terminal would obey, and where what it measured cannot be written and read again.
pub fn client_hears(bytes: &[u8]) {
    run(conversation(Choices::new(bytes)));
}

async fn conversation(mut choices: Choices<'_>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let peer = listener.local_addr().unwrap();
    let (near, far) = channels(&listener).await;
    let client = FarEnd::new(peer, peer, near, [0; 16], Limits::default(), "a fuzzer", "");
    let (ask, vantage) = question(&mut choices);
    let watch = Watch::new(CancellationToken::new(), |progress| is_plain(&progress.text));
    let speaking = speak(far, listener, &mut choices);
    let both = async { tokio::join!(client.perform(&ask, vantage, &watch), speaking) };
    let (answer, ()) = tokio::time::timeout(ENDS_WITHIN, both)
        .await
        .expect("the client waits for a far end that is gone");
    let payloads = answer.unwrap_or_else(|error| {
        is_plain(&error.to_string());
        Vec::new()
    });
    for payload in payloads {
        let written = serde_json::to_string(&payload).unwrap();
        let read: Payload = serde_json::from_str(&written).unwrap();
        assert_eq!(read, payload, "{written}");
    }
}

fn is_plain(text: &str) {
    assert!(!text.contains(char::is_control), "{text:?}");
}

fn question(choices: &mut Choices<'_>) -> (Ask, Side) {
    let (from, to) = (Node::read("here"), Node::read("there"));
    let side = choices.of(&[Side::Here, Side::There]);
    match choices.byte() % 4 {
        0 | 1 => {
            let ask = Ask::TcpThroughput {
                from,
                to,
                streams: choices.of(&[1, 2]),
                mss_bytes: None,
                socket_buffer_bytes: None,
                congestion_control: None,
                max_time_ms: 60,
                max_bytes: choices.maybe(|_| 100_000),
                watch_hops: false,
            };
            (ask, side)
        }
        2 => {
            let ask = Ask::UdpStream {
                from,
                to,
                size_bytes: 200,
                rate_bps: RateBps(1e6),
                duration_ms: 50,
            };
            (ask, side)
        }
        _ => {
            let ask = Ask::Route {
                from,
                to,
                protocol: ProbeProtocol::Udp,
                flows: 1,
            };
            (ask, Side::There)
        }
    }
}

/// Hears the question and answers; takes the bulk connections that come.
async fn speak(mut channel: Channel, listener: TcpListener, choices: &mut Choices<'_>) {
    let Ok(question) = channel.receive::<ToServer>().await else {
        return;
    };
    let apt = match &question {
        ToServer::Tcp { .. } => [7, 7, 7, 9],
        ToServer::Udp { .. } => [10, 11, 6, 10],
        _ => [2, 2, 3, 4],
    };
    let is_transfer = !matches!(question, ToServer::Perform { .. });
    let mut plan = match question {
        ToServer::Tcp { plan } => Some(plan),
        _ => None,
    };
    let mut held: Vec<TcpStream> = Vec::new();
    // Mostly as it should be at first: deeper states are reached by few random ways.
    if is_transfer && choices.mostly() {
        let accepted = ToClient::Accepted {
            key: [7; 16],
            plan: plan.take(),
        };
        if channel.send(&accepted).await.is_err() {
            return;
        }
        take(&listener, &mut held).await;
        let ready = ToClient::Ready {
            congestion_control: None,
        };
        if choices.mostly() && channel.send(&ready).await.is_err() {
            return;
        }
    }
    while !choices.is_over() {
        let sent = match choices.byte() % 8 {
            0 => channel.send_raw(&choices.raw()).await,
            1 => {
                take(&listener, &mut held).await;
                Ok(())
            }
            2 => {
                held.pop();
                Ok(())
            }
            3 => {
                let any = choices.byte();
                channel.send(&message(any, choices)).await
            }
            _ => channel.send(&message(choices.of(&apt), choices)).await,
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Takes what comes within a moment.
async fn take(listener: &TcpListener, held: &mut Vec<TcpStream>) {
    while let Ok(Ok((stream, _))) = tokio::time::timeout(PAUSE, listener.accept()).await {
        held.push(stream);
    }
}

/// A message of one of the twelve kinds.
fn message(kind: u8, choices: &mut Choices<'_>) -> ToClient {
    let text = |choices: &mut Choices<'_>| String::from_utf8_lossy(&choices.raw()).into_owned();
    match kind % 12 {
        0 => ToClient::Welcome {
            version: PROTOCOL_VERSION,
            program: text(choices),
            machine: text(choices),
            reflector: [1; 16],
            limits: Limits::default(),
        },
        1 => ToClient::Refused {
            why: choices.of(&[Refusal::Busy, Refusal::Full, Refusal::Version]),
            detail: text(choices),
        },
        2 => ToClient::Progress {
            text: text(choices),
            fraction: choices
                .maybe(|choices| choices.real() as f32)
                .filter(|share| share.is_finite()),
        },
        3 => ToClient::Performed { payloads: Vec::new() },
        4 => ToClient::Failed {
            reason: choices.of(&[NotMeasuredReason::Cancelled, NotMeasuredReason::Failed]),
            detail: text(choices),
        },
        5 => ToClient::Accepted {
            key: [choices.byte(); 16],
            plan: choices.maybe(plan),
        },
        6 => ToClient::Ready {
            congestion_control: choices.maybe(text),
        },
        8 => ToClient::Waiting {
            before: choices.small(),
            about_ms: choices.number(),
        },
        7 => ToClient::Slice {
            slice: slice(choices),
        },
        9 => ToClient::TcpReport {
            half: TcpHalf {
                congestion_control: text(choices),
                slices: choices.some(slice),
                accounts: choices.some(|_| TcpAccount::default()),
                bytes: choices.number(),
                active_ns: choices.number(),
                stop: choices.of(&[StopReason::Stable, StopReason::MaxTime, StopReason::PeerGone]),
                cpu: choices.maybe(Choices::real),
            },
            beside: Vec::new(),
        },
        10 => ToClient::UdpSent {
            half: UdpSent {
                sequences: choices.number(),
                packets: choices.number(),
                refused: choices.number(),
                interface_drops: choices.maybe(Choices::number),
                stamps: choices.some(stamp),
                active_ns: choices.number(),
                stop: choices.of(&[StopReason::MaxTime, StopReason::Cancelled]),
                cpu: choices.maybe(Choices::real),
            },
        },
        _ => ToClient::UdpReceived {
            half: UdpReceived {
                packets: choices.number(),
                duplicates: choices.number(),
                reordered: choices.number(),
                loss_runs: choices.some(|choices| (choices.number(), choices.number())),
                slices: choices.some(|choices| ReceivedSlice {
                    start_ns: choices.number(),
                    length_ns: choices.number(),
                    packets: choices.number(),
                    lost: choices.number() as i64,
                }),
                drops: HostDrops::default(),
                stamps: choices.some(stamp),
                active_ns: choices.number(),
                cpu: choices.maybe(Choices::real),
            },
        },
    }
}

fn stamp(choices: &mut Choices<'_>) -> Stamp {
    Stamp(choices.number(), choices.number() as i64)
}

fn slice(choices: &mut Choices<'_>) -> TcpSlice {
    TcpSlice {
        start_ns: choices.number(),
        length_ns: choices.number(),
        bytes: choices.number(),
        retransmits: choices.small(),
        cwnd_bytes: choices.number(),
        rtt_us: choices.small(),
        delivery_rate_bps: choices.maybe(Choices::real),
    }
}

fn plan(choices: &mut Choices<'_>) -> TcpPlan {
    TcpPlan {
        server_sends: choices.bool(),
        streams: choices.of(&[1, 2, 0, u16::MAX]),
        mss_bytes: choices.maybe(Choices::small),
        socket_buffer_bytes: choices.maybe(Choices::small),
        congestion_control: None,
        max_time_ms: choices.small(),
        max_bytes: choices.maybe(Choices::number),
        max_rate_bps: choices.maybe(Choices::real),
        watch_hops: choices.bool(),
    }
}
