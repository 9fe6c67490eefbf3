//! A session of the server, and a client that says anything.

use super::super::channel::Channel;
use super::super::config::ServerConfig;
use super::super::hub::{Hub, UdpArrival};
use super::super::session;
use super::super::session_client::Client;
use super::super::token::{Token, new_token};
use super::choices::Choices;
use super::pair::{channels, run, sockets};
use crate::Watch;
use evidence::ProbeProtocol;
use probe::SessionKey;
use probe::session::{
    BulkPlan, Limits, LocalAsk, Meeting, PROTOCOL_VERSION, ReflectorOffer, TcpPlan, ToClient, ToServer,
    UdpPlan,
};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
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
    let made = new_token().unwrap();
    let config = ServerConfig {
        limits,
        ..ServerConfig::new(Vec::new(), Token::read(&made).unwrap())
    };
    let hub = Hub::new(config, None);
    let account = hub.accounts.all().remove(0);
    let client = Client {
        hub: hub.clone(),
        budget: account.budget.clone(),
        account,
        can_wait: choices.bool(),
        peer: HERE,
        local: listener.local_addr().unwrap(),
        dialed: None,
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
            2 => self.joins(choices.byte().into()).await,
            3 => self.says_hello(choices.of(&[9, 4_820])),
            _ => {
                let message = message(choices);
                self.channel.send(&message).await.ok()?;
                self.listens().await?;
                // What was accepted mostly goes on as it should: deeper states are reached by few random ways.
                let bulk = match message {
                    ToServer::Tcp { plan } => BulkPlan::Tcp { plan },
                    ToServer::Udp { plan } => BulkPlan::Udp { plan },
                    ToServer::Meet { bulk, .. } => *bulk,
                    _ => return Some(()),
                };
                match bulk {
                    BulkPlan::Tcp { plan } if choices.mostly() => {
                        for stream in 0..plan.streams.min(4) {
                            self.joins(stream).await?;
                        }
                        self.listens().await
                    }
                    BulkPlan::Udp { .. } if choices.mostly() => {
                        self.says_hello(9)?;
                        self.listens().await
                    }
                    _ => Some(()),
                }
            }
        }
    }

    /// Opens a bulk connection, and sends a little over it.
    async fn joins(&mut self, stream: u16) -> Option<()> {
        let (mut ours, theirs) = sockets(&self.listener).await;
        self.hub.deliver_tcp(self.key, HERE, stream, theirs);
        // Nobody may be there to read it.
        let _ = ours.write_all(&[7; 1_000]).await;
        self.joined.push(ours);
        Some(())
    }

    /// Sends the UDP hello of a stream, as from this port.
    fn says_hello(&mut self, port: u16) -> Option<()> {
        let to = SocketAddr::new(HERE, self.listener.local_addr().ok()?.port());
        let from = SocketAddr::new(HERE, port);
        self.hub.deliver_udp(self.key, UdpArrival { from, to });
        Some(())
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
    match choices.byte() % 10 {
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
        2 => ToServer::Tcp { plan: tcp(choices) },
        3 => ToServer::Udp { plan: udp(choices) },
        4 => ToServer::Meet {
            with: Meeting::Await {
                peer: choices.of(&[HERE, HERE, HERE, IpAddr::from([192, 0, 2, 1])]),
            },
            bulk: Box::new(match choices.bool() {
                true => BulkPlan::Tcp { plan: tcp(choices) },
                false => BulkPlan::Udp { plan: udp(choices) },
            }),
        },
        5 => ToServer::Admit {
            peers: choices.some(|choices| choices.of(&[HERE, IpAddr::from([192, 0, 2, 1])])),
        },
        6 => ToServer::Count,
        7 => ToServer::Go,
        _ => ToServer::Stop {
            cancelled: choices.bool(),
            sent: choices.maybe(Choices::number),
        },
    }
}

fn tcp(choices: &mut Choices<'_>) -> TcpPlan {
    TcpPlan {
        server_sends: choices.bool(),
        streams: choices.of(&[1, 1, 1, 2, 2, 3, 0, u16::MAX]),
        mss_bytes: choices.rarely(Choices::small),
        socket_buffer_bytes: choices.rarely(Choices::small),
        congestion_control: choices.rarely(|choices| choices.of(&["reno", "cubic", "", "\0"]).to_owned()),
        max_time_ms: choices.of(&[5, 20, 50, 1, 0, u32::MAX]),
        max_bytes: choices.maybe(Choices::number),
        max_rate_bps: choices.rarely(Choices::real),
        watch_hops: choices.bool(),
    }
}

fn udp(choices: &mut Choices<'_>) -> UdpPlan {
    UdpPlan {
        server_sends: choices.bool(),
        size_bytes: choices.of(&[200, 200, 1_000, 1_500, 0, 28, 65_535, u32::MAX]),
        rate_bps: choices.of(&[1e5, 1e6, 1e6, 1e7, 1e7, 1e-9, 1e300, -1.0]),
        duration_ms: choices.of(&[10, 20, 50, 50, 0, u32::MAX]),
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
