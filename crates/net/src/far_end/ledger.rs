//! What happened at a far end, for its owner: a line of the audit for each that came, asked and left, and the counts behind the
//! metrics. Keys and tokens appear in neither.

use super::session_client::Client;
use super::strangers::TurnedAway;
use crate::budget::Budget;
use probe::session::{BulkPlan, Meeting, TcpPlan, ToServer, UdpPlan};
use serde::Serialize;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Where the lines of the audit go. It must not wait: sessions call it.
pub type Audit = Arc<dyn Fn(&AuditEntry) + Send + Sync>;

/// A line of the audit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditEntry {
    /// Whose token it came with; empty where the owner names nobody, and of clients of iperf3, which have none.
    pub holder: String,
    /// From where.
    pub from: IpAddr,
    /// What happened.
    #[serde(flatten)]
    pub event: AuditEvent,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum AuditEvent {
    /// A client that has a token came in.
    Came {
        /// What it calls itself.
        program: String,
    },
    /// A client that has a token was not let in.
    TurnedAway {
        /// Why.
        why: String,
    },
    /// It asked for something.
    Asked {
        /// For what.
        asked: Value,
        /// What became of it.
        outcome: Outcome,
        /// Why it was refused or failed.
        why: Option<String>,
        /// What it moved, both directions together.
        bytes: u64,
        /// How long it took, waiting included.
        ms: u64,
    },
    /// It left.
    Left {
        /// What it moved, both directions together.
        bytes: u64,
        /// How long it was here.
        ms: u64,
    },
}

/// What became of something that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was allowed and carried out.
    Granted,
    /// The owner does not allow it, or it is not possible.
    Refused,
    /// It was allowed and failed.
    Failed,
    /// Its client stopped it, or went away.
    Stopped,
    /// The far end ended it: it stops, or the token was taken back.
    Ended,
}

impl Outcome {
    pub(super) const ALL: [(Self, &str); 5] = [
        (Self::Granted, "granted"),
        (Self::Refused, "refused"),
        (Self::Failed, "failed"),
        (Self::Stopped, "stopped"),
        (Self::Ended, "ended"),
    ];
}

/// An answer that gives no measurement, for the audit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) why: Option<String>,
}

impl Verdict {
    /// Of an answer that its client did not wait for.
    pub(super) fn gone() -> Self {
        Self {
            outcome: Outcome::Stopped,
            why: Some("the client went away".to_owned()),
        }
    }
}

/// Counts since the server runs.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) came: AtomicU64,
    pub(super) left: AtomicU64,
    pub(super) turned_away: AtomicU64,
    pub(super) no_token: AtomicU64,
    pub(super) made_room: AtomicU64,
    /// In the order of [`Outcome::ALL`].
    pub(super) asked: [AtomicU64; 5],
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

/// The audit, if its owner wants one, and the counts.
#[derive(Default)]
pub(crate) struct Ledger {
    audit: Option<Audit>,
    pub(super) counts: Counts,
}

impl Ledger {
    pub(super) fn new(audit: Option<Audit>) -> Self {
        Self {
            audit,
            counts: Counts::default(),
        }
    }

    fn write(&self, holder: &str, from: IpAddr, event: AuditEvent) {
        if let Some(audit) = &self.audit {
            audit(&AuditEntry {
                holder: holder.to_owned(),
                from,
                event,
            });
        }
    }

    /// One without a token was not let in.
    pub(crate) fn stranger(&self, how: TurnedAway) {
        add(match how {
            TurnedAway::NoToken => &self.counts.no_token,
            TurnedAway::MadeRoom => &self.counts.made_room,
        });
    }

    /// One with a token was not let in.
    pub(super) fn turned_away(&self, holder: &str, from: IpAddr, why: &str) {
        add(&self.counts.turned_away);
        self.write(holder, from, AuditEvent::TurnedAway { why: why.to_owned() });
    }
}

/// The stay of one client, from its greeting to its end.
pub(super) struct Stay<'a> {
    client: &'a Client,
    begun: Instant,
}

impl<'a> Stay<'a> {
    pub(super) fn begin(client: &'a Client, program: &str) -> Self {
        let ledger = &client.hub.ledger;
        add(&ledger.counts.came);
        let program = program.to_owned();
        ledger.write(&client.account.name, client.peer, AuditEvent::Came { program });
        Self {
            client,
            begun: Instant::now(),
        }
    }
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        let Client {
            hub, account, peer, ..
        } = self.client;
        add(&hub.ledger.counts.left);
        let left = AuditEvent::Left {
            bytes: self.client.budget.passed(),
            ms: ms_since(self.begun),
        };
        hub.ledger.write(&account.name, *peer, left);
    }
}

/// Something that is asked for, from its question to its answer.
pub(crate) struct Test<'a> {
    ledger: &'a Ledger,
    holder: &'a str,
    from: IpAddr,
    budget: &'a Budget,
    asked: Value,
    passed: u64,
    begun: Instant,
    verdict: Verdict,
}

impl<'a> Test<'a> {
    /// `None` for what moves nothing and needs no leave.
    pub(super) fn begin(client: &'a Client, message: &ToServer) -> Option<Self> {
        let mut test = Self::of_nobody(&client.hub.ledger, client.peer, &client.budget, asked(message)?);
        test.holder = &client.account.name;
        Some(test)
    }

    /// Of a client that has no token, which the owner allows all the same.
    pub(crate) fn of_nobody(ledger: &'a Ledger, from: IpAddr, budget: &'a Budget, asked: Value) -> Self {
        Self {
            ledger,
            holder: "",
            from,
            budget,
            asked,
            passed: budget.passed(),
            begun: Instant::now(),
            // Of one that is dropped before its end.
            verdict: Verdict {
                outcome: Outcome::Ended,
                why: None,
            },
        }
    }

    /// What it is, where that is known only now.
    pub(crate) fn asks(&mut self, asked: Value) {
        self.asked = asked;
    }

    /// It is over; `verdict` where the answer was no measurement.
    pub(crate) fn end(mut self, verdict: Option<Verdict>) {
        self.verdict = verdict.unwrap_or(Verdict {
            outcome: Outcome::Granted,
            why: None,
        });
    }
}

impl Drop for Test<'_> {
    fn drop(&mut self) {
        let Verdict { outcome, why } = self.verdict.clone();
        let of_outcome = Outcome::ALL.iter().zip(&self.ledger.counts.asked);
        of_outcome
            .filter(|((one, _), _)| *one == outcome)
            .for_each(|(_, count)| add(count));
        let event = AuditEvent::Asked {
            asked: self.asked.take(),
            outcome,
            why,
            bytes: self.budget.passed().saturating_sub(self.passed),
            ms: ms_since(self.begun),
        };
        self.ledger.write(self.holder, self.from, event);
    }
}

fn ms_since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// What a message asks for, without the keys that are in it.
fn asked(message: &ToServer) -> Option<Value> {
    Some(match message {
        ToServer::Tcp { plan } => tcp(plan, plan.server_sends),
        ToServer::Udp { plan } => udp(plan, plan.server_sends),
        ToServer::Meet { with, bulk } => {
            let (peer, waits) = match with {
                Meeting::Await { peer } => (*peer, true),
                Meeting::Join { peer, .. } => (peer.address, false),
            };
            // In the plan of a meeting the one that waits is the server.
            let mut told = match bulk.as_ref() {
                BulkPlan::Tcp { plan } => tcp(plan, plan.server_sends == waits),
                BulkPlan::Udp { plan } => udp(plan, plan.server_sends == waits),
            };
            if let Some(fields) = told.as_object_mut() {
                fields.insert("with".to_owned(), json!(peer));
            }
            told
        }
        ToServer::Perform { ask, .. } => json!({ "test": "probes", "ask": ask }),
        ToServer::Towards { ask, peers } => {
            let peers: Vec<IpAddr> = peers.iter().map(|peer| peer.address).collect();
            json!({ "test": "probes", "ask": ask, "towards": peers })
        }
        ToServer::Admit { peers } => json!({ "test": "admit", "peers": peers }),
        ToServer::Hello { .. } | ToServer::Count | ToServer::Go | ToServer::Stop { .. } => return None,
    })
}

fn tcp(plan: &TcpPlan, sends: bool) -> Value {
    json!({
        "test": "tcp", "far_end_sends": sends, "streams": plan.streams,
        "max_time_ms": plan.max_time_ms, "max_bytes": plan.max_bytes,
    })
}

fn udp(plan: &UdpPlan, sends: bool) -> Value {
    json!({
        "test": "udp", "far_end_sends": sends, "size_bytes": plan.size_bytes,
        "rate_bps": plan.rate_bps, "max_time_ms": plan.duration_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use probe::session::{LocalAsk, Peer, ReflectorOffer};

    #[test]
    fn no_key_is_written_down() {
        let session = [0xab; 16];
        let peer = Peer {
            address: [192, 0, 2, 1].into(),
            port: 9,
            session,
        };
        let plan = UdpPlan {
            server_sends: true,
            size_bytes: 1_400,
            rate_bps: 1e6,
            duration_ms: 10,
        };
        let messages = [
            ToServer::Meet {
                with: Meeting::Join { peer, key: session },
                bulk: Box::new(BulkPlan::Udp { plan }),
            },
            ToServer::Perform {
                ask: LocalAsk::PathMtu,
                reflector: Some(ReflectorOffer { port: 9, session }),
            },
            ToServer::Towards {
                ask: LocalAsk::PathMtu,
                peers: vec![peer],
            },
        ];
        for message in messages {
            let text = asked(&message).unwrap().to_string();
            assert!(!text.contains("171") && !text.contains("session"), "{text}");
        }
        assert_eq!(asked(&ToServer::Count), None);
    }
}
