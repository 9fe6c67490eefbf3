//! The way to the content: redirects, and the request that is answered with it.

use super::Http;
use super::feed::Feed;
use super::link::{Answer, Link, Way, told};
use crate::sys::thread_time::monotonic_ns;
use crate::{NetError, Watch};
use evidence::HttpExchange;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, HOST, RANGE, USER_AGENT};
use hyper::{Method, Request, Response};
use probe::http::{Asked, Head, HttpError, Next, Target, follow, may_lead};
use probe::session::TcpPlan;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a server may think before the head of its answer is there.
pub(super) const ANSWER: Duration = Duration::from_secs(30);
/// Time for looking up the host of a redirect.
const LOOKUP: Duration = Duration::from_secs(10);
const PROGRAM: &str = concat!("slowpath/", env!("CARGO_PKG_VERSION"));

/// Where the content is looked for.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) target: Target,
    address: IpAddr,
    lookup: Option<Duration>,
    redirects: Vec<String>,
}

/// A connection, and what was answered on it.
pub(super) struct Exchange {
    pub(super) link: Link,
    pub(super) head: Head,
    pub(super) body: Incoming,
    /// When the head was there, monotonic clock.
    pub(super) answered_ns: u64,
    first_byte_ns: u64,
}

impl Http {
    pub(super) fn start(&self) -> Place {
        Place {
            target: self.target.clone(),
            address: self.address,
            lookup: self.lookup,
            redirects: Vec::new(),
        }
    }

    /// Follows redirects to where what is `asked` for can be had.
    pub(super) async fn arrive(
        self: &Arc<Self>,
        asked: Asked,
        plan: &TcpPlan,
        watch: &Watch,
    ) -> Result<(Place, Exchange), NetError> {
        let mut place = self.start();
        loop {
            watch.report(format!("asking for {}", place.target), None);
            let exchange = self.ask(&place, asked, plan, watch).await?;
            match exchange.head.next(&place.target, asked)? {
                Next::Content => return Ok((place, exchange)),
                Next::Elsewhere(location) => place = self.redirected(&place, &location, watch).await?,
            }
        }
    }

    /// Asks on a connection of its own.
    pub(super) async fn ask(
        self: &Arc<Self>,
        place: &Place,
        asked: Asked,
        plan: &TcpPlan,
        watch: &Watch,
    ) -> Result<Exchange, NetError> {
        let way = self.way(place, plan, watch)?;
        on_thread(move || {
            let mut link = Link::open(&way)?;
            let request = request(&way.target, asked, Feed::nothing(), link.is_http2)?;
            let began_ns = monotonic_ns();
            let answer = link.send(request);
            let (head, body) = answered(&link, answer, &way.target)?;
            let answered_ns = monotonic_ns();
            Ok(Exchange {
                link,
                head,
                body,
                answered_ns,
                first_byte_ns: answered_ns - began_ns,
            })
        })
        .await
    }

    pub(super) fn way(&self, place: &Place, plan: &TcpPlan, watch: &Watch) -> Result<Way, NetError> {
        let protocols: &[&str] = match self.wishes.http1_only {
            true => &["http/1.1"],
            false => &["h2", "http/1.1"],
        };
        let tls = place.target.is_secure().then(|| self.trust.client(protocols));
        Ok(Way {
            target: place.target.clone(),
            address: place.address,
            source: self.wishes.source,
            plan: plan.clone(),
            tls: tls.transpose()?,
            cancel: watch.cancel.clone(),
        })
    }

    async fn redirected(&self, place: &Place, location: &str, watch: &Watch) -> Result<Place, NetError> {
        let target = follow(&place.target, location, place.redirects.len())?;
        let from = || place.target.to_string();
        let mut redirects = place.redirects.clone();
        redirects.push(from());
        let same_host = target.host() == place.target.host();
        let (address, lookup) = match same_host {
            true => (place.address, place.lookup),
            false => self.found(place, &target, watch).await?,
        };
        if !may_lead(place.address, address) {
            return Err(NetError::Web(HttpError::IntoPrivate {
                from: from(),
                to: target.whole().to_owned(),
                address,
            }));
        }
        Ok(Place {
            target,
            address,
            lookup,
            redirects,
        })
    }

    /// The address of another host. Evidence is of one path: then it has to be the same server by another name.
    async fn found(
        &self,
        place: &Place,
        target: &Target,
        watch: &Watch,
    ) -> Result<(IpAddr, Option<Duration>), NetError> {
        watch.report(format!("redirected to {target}"), None);
        let began_ns = monotonic_ns();
        let host = target.host();
        let looking = tokio::net::lookup_host((host.as_str(), target.port()));
        let found = tokio::select! {
            found = tokio::time::timeout(LOOKUP, looking) => found.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())),
            () = watch.cancel.cancelled() => return Err(NetError::Cancelled),
        };
        let lookup = Duration::from_nanos(monotonic_ns() - began_ns);
        let unknown = |why: &str| {
            let text = format!("{} redirects to {target}, and {host} {why}", place.target);
            NetError::NoWebServer(text)
        };
        let found = found.map_err(|error| unknown(&format!("cannot be looked up ({error})")))?;
        let found: Vec<IpAddr> = found
            .map(|socket| socket.ip())
            .filter(|address| (self.wishes.admits)(address))
            .collect();
        if self.wishes.is_evidence && !found.contains(&place.address) {
            return Err(NetError::Web(HttpError::OtherServer {
                from: place.target.to_string(),
                to: target.whole().to_owned(),
            }));
        }
        let lookup = Some(lookup).filter(|_| target.address().is_none());
        match found.contains(&place.address) {
            true => Ok((place.address, lookup)),
            false => {
                let first = found.first().copied();
                Ok((
                    first.ok_or_else(|| unknown("has no address of that family"))?,
                    lookup,
                ))
            }
        }
    }

    /// What is known of an exchange before its content.
    pub(super) fn exchange(&self, place: &Place, method: &Method, link: &Link) -> HttpExchange {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        HttpExchange {
            url: place.target.to_string(),
            method: method.to_string(),
            version: Some(link.version().to_owned()),
            tls: link.tls.clone(),
            is_unchecked: link.tls.is_some() && self.trust.is_unchecked,
            redirects: place.redirects.clone(),
            lookup_ns: place.lookup.map(nanos),
            connect_ns: Some(link.connect_ns),
            tls_ns: link.tls_ns,
            ..HttpExchange::default()
        }
    }

    /// The same of a download.
    pub(super) fn answered_with(&self, place: &Place, exchange: &Exchange) -> HttpExchange {
        HttpExchange {
            status: Some(exchange.head.status),
            server: exchange.head.server.clone(),
            content_bytes: exchange.head.whole_bytes(),
            cached_for_s: exchange.head.age_s,
            first_byte_ns: Some(exchange.first_byte_ns),
            ..self.exchange(place, &Method::GET, &exchange.link)
        }
    }
}

/// Waits for the head of an answer.
fn answered(link: &Link, answer: Answer, target: &Target) -> Result<(Head, Incoming), NetError> {
    match link.drive(ANSWER, answer)? {
        Some(Ok(response)) => Ok(head_of(response)),
        Some(Err(error)) => Err(told(&error)),
        None => Err(NetError::Silent(format!(
            "{target} took the request, and then said nothing for {} seconds",
            ANSWER.as_secs()
        ))),
    }
}

/// Head and body of a response.
pub(super) fn head_of(response: Response<Incoming>) -> (Head, Incoming) {
    let (parts, body) = response.into_parts();
    let fields = parts.headers.iter();
    let head = Head::read(
        parts.status.as_u16(),
        parts.status.canonical_reason().unwrap_or_default(),
        fields.map(|(name, value)| (name.as_str(), value.as_bytes())),
    );
    (head, body)
}

/// A request for `asked`. HTTP/2 names the whole URL, HTTP/1.1 the host in a field of its own (RFC 9112 section 3.2).
pub(super) fn request(
    target: &Target,
    asked: Asked,
    feed: Feed,
    is_http2: bool,
) -> Result<Request<Feed>, NetError> {
    let method = match asked {
        Asked::Store => Method::PUT,
        Asked::Whole | Asked::Part { .. } => Method::GET,
    };
    let mut request = Request::builder().method(method);
    request = match is_http2 {
        true => request.uri(format!(
            "{}://{}{}",
            if target.is_secure() { "https" } else { "http" },
            target.authority(),
            target.path_and_query()
        )),
        false => request
            .uri(target.path_and_query())
            .header(HOST, target.authority()),
    };
    request = request
        .header(USER_AGENT, PROGRAM)
        .header(ACCEPT, "*/*")
        .header(ACCEPT_ENCODING, "identity");
    if let Some(range) = asked.range() {
        request = request.header(RANGE, range);
    }
    request
        .body(feed)
        .map_err(|error| NetError::Unsupported(format!("{target} cannot be asked for: {error}")))
}

/// Runs what blocks on a thread of its own, in the network namespace of the caller.
pub(super) async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NetError> + Send + 'static,
) -> Result<T, NetError> {
    let (sender, done) = oneshot::channel();
    let started = std::thread::Builder::new()
        .name("slowpath-http".to_owned())
        .spawn(move || {
            let _ = sender.send(work());
        });
    started.map_err(|error| NetError::os("starting a thread", error))?;
    done.await.unwrap_or(Err(NetError::Cancelled))
}
