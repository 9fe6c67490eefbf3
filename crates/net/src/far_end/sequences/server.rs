//! A session of the server, and a client that says anything.

use super::super::channel::Channel;
use super::super::hub::{Hub, UdpArrival};
use super::super::session;
use super::super::session_client::Client;
use super::super::{Limits, ServerConfig, Token};
use super::choices::Choices;
use super::pair::{channels, run, sockets};
use crate::Watch;
use evidence::ProbeProtocol;
use probe::SessionKey;
use probe::session::{LocalAsk, PROTOCOL_VERSION, ReflectorOffer, TcpPlan, ToClient, ToServer, UdpPlan};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// A session whose client has gone must be over within this; a transfer notices at its next tick.
const LEAVES_WITHIN: Duration = Duration::from_secs(20);
/// How long the client listens before it goes on.
const LISTENS: Duration = Duration::from_millis(15);

/// Puts what `bytes` decide to a session. Panics where the session does, where it outlives its client, and where it
/// leaves anything behind.
pub fn server_hears(bytes: &[u8]) {
    run(conversation(Choices::new(bytes)));
}

async fn conversation(mut choices: Choices<'_>) {
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let (near, far) = channels(&listener).await;
    let limits = Limits {
        max_rate_bps: Some(1e7),
        max_duration_ms: 50,
        max_bytes: Some(100_000),
    };
    let made = super::super::new_token().unwrap();
    let hub = Hub::new(ServerConfig {
        limits,
        ..ServerConfig::new(Vec::new(), Token::read(&made).unwrap())
    });
    let client = Client {
        hub: hub.clone(),
        peer: HERE,
        local: listener.local_addr().unwrap(),
        watch: Watch::quiet(),
    };
    let hello = ToServer::Hello {
        version: choices.of(&[PROTOCOL_VERSION, PROTOCOL_VERSION, PROTOCOL_VERSION, 1]),
        program: "a fuzzer".to_owned(),
    };
    let mut speaker = Speaker {
        channel: near,
        hub: hub.clone(),
        listener,
        key: SessionKey::default(),
        joined: Vec::new(),
    };
    let speaking = async move { while !choices.is_over() && speaker.acts(&mut choices).await.is_some() {} };
    let both = async { tokio::join!(session::run(far, hello, client), speaking) };
    tokio::time::timeout(LEAVES_WITHIN, both)
        .await
        .expect("the session outlives its client");
    assert!(hub.begin_bulk(HERE).is_ok(), "its transfer was left behind");
    assert!(!hub.expects_from(HERE), "connections are still expected");
}

/// The client.
struct Speaker {
    channel: Channel,
    hub: Arc<Hub>,
    listener: TcpListener,
    /// Of the transfer that was accepted last.
    key: SessionKey,
    /// Our ends of its connections.
    joined: Vec<TcpStream>,
}

impl Speaker {
    /// Does one thing. `None` when the session is over.
    async fn acts(&mut self, choices: &mut Choices<'_>) -> Option<()> {
        match choices.byte() % 8 {
            0 => self.channel.send_raw(&choices.raw()).await.ok(),
            1 => self.listens().await,
            2 => {
                let (ours, theirs) = sockets(&self.listener).await;
                self.joined.push(ours);
                let stream = choices.byte().into();
                self.hub.deliver_tcp(self.key, HERE, stream, theirs);
                Some(())
            }
            3 => {
                let from = SocketAddr::new(HERE, choices.of(&[9, 4_820]));
                let to = SocketAddr::new(HERE, self.listener.local_addr().ok()?.port());
                self.hub.deliver_udp(self.key, UdpArrival { from, to });
                Some(())
            }
            _ => {
                self.channel.send(&message(choices)).await.ok()?;
                self.listens().await
            }
        }
    }

    /// Hears what is said within a moment.
    async fn listens(&mut self) -> Option<()> {
        loop {
            match tokio::time::timeout(LISTENS, self.channel.receive::<ToClient>()).await {
                Ok(Ok(ToClient::Accepted { key, .. })) => self.key = key,
                Ok(Ok(ToClient::Failed { detail, .. })) => {
                    assert!(!detail.contains("its thread died"), "{detail}");
                }
                Ok(Ok(_)) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some(()),
            }
        }
    }
}

fn message(choices: &mut Choices<'_>) -> ToServer {
    match choices.byte() % 6 {
        0 => ToServer::Hello {
            version: choices.small(),
            program: String::from_utf8_lossy(&choices.raw()).into_owned(),
        },
        1 => ToServer::Perform {
            ask: ask(choices),
            reflector: choices.maybe(|choices| ReflectorOffer {
                port: choices.small() as u16,
                session: [choices.byte(); 16],
            }),
        },
        2 => ToServer::Tcp {
            plan: TcpPlan {
                server_sends: choices.bool(),
                streams: choices.of(&[1, 1, 2, 0, 128, u16::MAX]),
                mss_bytes: choices.maybe(Choices::small),
                socket_buffer_bytes: choices.maybe(Choices::small),
                congestion_control: choices
                    .maybe(|choices| choices.of(&["reno", "cubic", "", "\0"]).to_owned()),
                max_time_ms: choices.small(),
                max_bytes: choices.maybe(Choices::number),
                max_rate_bps: choices.maybe(Choices::real),
                watch_hops: choices.bool(),
            },
        },
        3 => ToServer::Udp {
            plan: UdpPlan {
                server_sends: choices.bool(),
                size_bytes: choices.of(&[200, 1_500, 0, 28, 65_535, u32::MAX]),
                rate_bps: choices.of(&[1e5, 1e6, 1e7, 1e-9, 1e300, -1.0]),
                duration_ms: choices.of(&[10, 50, 0, u32::MAX]),
            },
        },
        _ => ToServer::Stop {
            cancelled: choices.bool(),
            sent: choices.maybe(Choices::number),
        },
    }
}

fn ask(choices: &mut Choices<'_>) -> LocalAsk {
    match choices.byte() % 5 {
        0 => LocalAsk::HostFacts,
        1 => LocalAsk::PathMtu,
        2 => LocalAsk::Route {
            protocol: choices.of(&[ProbeProtocol::Udp, ProbeProtocol::Icmp]),
            flows: choices.byte(),
        },
        3 => LocalAsk::Echo {
            sizes_bytes: choices.some(Choices::small),
            count: choices.small(),
            interval_ms: choices.small(),
        },
        _ => LocalAsk::HopLoss {
            ttls: choices.some(Choices::byte),
            count: choices.number(),
            rate_pps: choices.small(),
        },
    }
}
