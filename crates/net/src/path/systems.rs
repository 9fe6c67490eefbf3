//! Autonomous systems of hops, beside the probing and never in its way: from a table of the user's, or from Team Cymru's DNS.

use probe::asn::{Asn, AsnTable, origin_answer, origin_question};
use simple_dns::rdata::RData;
use simple_dns::{CLASS, Name, Packet, PacketFlag, QCLASS, QTYPE, Question, RCODE, TYPE};
use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

/// More hops than any path has: bounds what a forged route could make us ask.
const MOST_QUESTIONS: usize = 64;
/// A resolver that is not there is asked twice.
const PATIENCE: Duration = Duration::from_secs(2);
const TRIES: usize = 2;
/// As resolvers take of the file (resolv.conf(5)).
const MOST_SERVERS: usize = 3;
const DNS_PORT: u16 = 53;
/// Longer answers do not come over UDP unless asked for (RFC 1035).
const MOST_ANSWER_BYTES: usize = 1_232;

/// Whom to ask.
#[derive(Debug, Clone)]
pub enum Systems {
    /// A table.
    Table(Arc<AsnTable>),
    /// Team Cymru's zone, through these resolvers.
    Dns(Vec<SocketAddr>),
}

impl Systems {
    /// The DNS, through the resolvers of this host.
    #[must_use]
    pub fn of_system() -> Self {
        let text = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
        Self::Dns(resolvers(&text))
    }
}

/// The servers that resolv.conf(5) names; the host itself where it names none.
fn resolvers(text: &str) -> Vec<SocketAddr> {
    let named = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == "nameserver").then_some(())?;
        // A zone of an address that is local to a link is not understood: such a server is left out.
        words.next()?.parse::<IpAddr>().ok()
    });
    let named: Vec<SocketAddr> = named
        .take(MOST_SERVERS)
        .map(|server| SocketAddr::new(server, DNS_PORT))
        .collect();
    match named.is_empty() {
        true => vec![SocketAddr::new(Ipv4Addr::LOCALHOST.into(), DNS_PORT)],
        false => named,
    }
}

/// Asks for each address once.
pub(super) struct Asker {
    systems: Systems,
    asked: BTreeSet<IpAddr>,
}

impl Asker {
    pub(super) fn new(systems: Systems) -> Self {
        Self {
            systems,
            asked: BTreeSet::new(),
        }
    }

    /// The system of an address that was not asked for before; what is not known is not told.
    pub(super) async fn ask(&mut self, address: IpAddr) -> Option<Asn> {
        if self.asked.len() >= MOST_QUESTIONS || !self.asked.insert(address) {
            return None;
        }
        match &self.systems {
            Systems::Table(table) => table.origin(address),
            Systems::Dns(servers) => origin(servers, address).await,
        }
    }
}

async fn origin(servers: &[SocketAddr], address: IpAddr) -> Option<Asn> {
    let name = origin_question(address)?;
    for _ in 0..TRIES {
        for server in servers {
            if let Ok(Ok(text)) = timeout(PATIENCE, text_of(*server, &name)).await {
                return text.as_deref().and_then(origin_answer);
            }
        }
    }
    None
}

/// The first text of a name; `None`: it has none.
async fn text_of(server: SocketAddr, name: &str) -> io::Result<Option<Vec<u8>>> {
    let invalid = |_| io::Error::from(io::ErrorKind::InvalidData);
    let any: IpAddr = match server.is_ipv6() {
        true => Ipv6Addr::UNSPECIFIED.into(),
        false => Ipv4Addr::UNSPECIFIED.into(),
    };
    // A port of its own for each question: whoever would forge an answer has to guess that and the number.
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(server).await?;
    let number = super::secret::secret_number() as u16;
    let name = Name::new(name).map_err(invalid)?;
    let mut question = Packet::new_query(number);
    question.set_flags(PacketFlag::RECURSION_DESIRED);
    question.questions.push(Question::new(
        name.clone(),
        QTYPE::TYPE(TYPE::TXT),
        QCLASS::CLASS(CLASS::IN),
        false,
    ));
    socket.send(&question.build_bytes_vec().map_err(invalid)?).await?;
    let mut bytes = [0; MOST_ANSWER_BYTES];
    loop {
        let length = socket.recv(&mut bytes).await?;
        // What is no answer to this question is passed over: the right one may still come.
        if let Some(text) = answer(bytes.get(..length).unwrap_or_default(), number, &name) {
            return Ok(text);
        }
    }
}

/// What an answer says; `None`: it is none to this question.
fn answer(bytes: &[u8], number: u16, name: &Name<'_>) -> Option<Option<Vec<u8>>> {
    let packet = Packet::parse(bytes).ok()?;
    let asks = |question: &Question<'_>| question.qname == *name && question.qtype == QTYPE::TYPE(TYPE::TXT);
    let is_ours = packet.id() == number && packet.has_flags(PacketFlag::RESPONSE);
    if !is_ours || !packet.questions.iter().any(asks) {
        return None;
    }
    if packet.rcode() != RCODE::NoError {
        return Some(None);
    }
    let texts = packet.answers.iter().filter(|record| record.name == *name);
    let mut texts = texts.filter_map(|record| match &record.rdata {
        RData::TXT(text) => String::try_from(text.clone()).ok().map(String::into_bytes),
        _ => None,
    });
    Some(texts.next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use simple_dns::ResourceRecord;
    use simple_dns::rdata::TXT;
    use std::future::Future;

    /// A resolver on loopback that answers each question with what `say` makes of it.
    async fn with_resolver<T>(
        say: impl Fn(&Packet<'_>) -> Vec<Vec<u8>> + Send + 'static,
        ask: impl AsyncFnOnce(SocketAddr) -> T,
    ) -> T {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let at = socket.local_addr().unwrap();
        let answering = tokio::spawn(async move {
            let mut bytes = [0; 600];
            while let Ok((length, from)) = socket.recv_from(&mut bytes).await {
                let question = Packet::parse(&bytes[..length]).unwrap();
                for answer in say(&question) {
                    socket.send_to(&answer, from).await.unwrap();
                }
            }
        });
        let told = ask(at).await;
        answering.abort();
        told
    }

    fn reply(question: &Packet<'_>, number: u16, texts: &[&str]) -> Vec<u8> {
        let mut reply = Packet::new_reply(number);
        reply.questions = question.questions.clone();
        for text in texts {
            let text = TXT::new().with_string(text).unwrap();
            let name = question.questions[0].qname.clone();
            reply
                .answers
                .push(ResourceRecord::new(name, CLASS::IN, 60, RData::TXT(text)));
        }
        reply.build_bytes_vec().unwrap()
    }

    fn asn_of(say: impl Fn(&Packet<'_>) -> Vec<Vec<u8>> + Send + 'static) -> Option<Asn> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let asked: std::pin::Pin<Box<dyn Future<Output = Option<Asn>>>> =
            Box::pin(with_resolver(say, async |at| {
                origin(&[at], [192, 0, 2, 7].into()).await
            }));
        runtime.block_on(asked)
    }

    #[test]
    fn an_answer_names_the_system() {
        let asn = asn_of(|question| {
            assert_eq!(
                question.questions[0].qname.to_string(),
                "7.2.0.192.origin.asn.cymru.com"
            );
            vec![reply(
                question,
                question.id(),
                &["64496 | 192.0.2.0/24 | ZZ | none |"],
            )]
        });
        assert_eq!(asn, Some(64_496));
    }

    #[test]
    fn what_is_no_answer_to_the_question_is_passed_over() {
        let asn = asn_of(|question| {
            let mut other = question.clone();
            other.questions[0].qname = Name::new("8.2.0.192.origin.asn.cymru.com").unwrap();
            vec![
                b"nonsense".to_vec(),
                reply(question, question.id().wrapping_add(1), &["1 | forged"]),
                reply(&other, question.id(), &["2 | of another name"]),
                reply(question, question.id(), &["64497 | 192.0.2.0/24"]),
            ]
        });
        assert_eq!(asn, Some(64_497));
    }

    #[test]
    fn without_a_text_nothing_is_known() {
        assert_eq!(asn_of(|question| vec![reply(question, question.id(), &[])]), None);
        assert_eq!(
            asn_of(|question| vec![reply(question, question.id(), &["\u{1b}[2J"])]),
            None
        );
    }

    #[test]
    fn resolvers_are_those_of_the_host() {
        let of = |text: &str| {
            resolvers(text)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        let text = "# x\nsearch a.example\nnameserver 192.0.2.53\nnameserver fe80::1%eth0\nnameserver 2001:db8::53 # two\noptions ndots:1\n";
        assert_eq!(of(text), ["192.0.2.53:53", "[2001:db8::53]:53"]);
        assert_eq!(of(""), ["127.0.0.1:53"]);
    }
}
