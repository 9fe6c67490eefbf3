//! A far end that was reached: by a connection to it, or by one from it to this host.

use crate::resolve;
use crate::ssh::Session;
use evidence::{Ask, Payload};
use net::far_end::{self, FarEnd, Met, Own, Side, Waiting, between};
use net::{NetError, Tuning, Watch};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// What a person is told of a far end that had to connect to this host.
pub(crate) const TURNED: &str = "nothing reaches the far end's port: it has connected to this host instead";

/// A SYN and two retransmissions of it, and that they greet each other.
const TURNED_WITHIN: Duration = Duration::from_secs(8);

/// A far end that was reached.
pub(crate) struct Far {
    pub(crate) end: Box<FarEnd>,
    /// This host as the other end of transfers, where the far end connected to it: nothing else reaches it.
    own: Option<Own>,
}

impl From<FarEnd> for Far {
    fn from(end: FarEnd) -> Self {
        Self {
            end: Box::new(end),
            own: None,
        }
    }
}

impl From<Met> for Far {
    fn from(Met { far, own }: Met) -> Self {
        Self {
            end: Box::new(far),
            own: Some(own),
        }
    }
}

impl Far {
    /// Connects to the far end that ssh started; where nothing gets there, has it connect to this host.
    ///
    /// # Errors
    /// In words: both directions failed.
    pub(crate) async fn of_session(
        session: &Session,
        address: IpAddr,
        source: Option<IpAddr>,
        watch: &Watch,
    ) -> Result<Self, String> {
        session.keep_alive();
        let port = session.port(address);
        let error = match far_end::connect(address, port, session.token(), source, watch).await {
            Ok(far) => return Ok(far.into()),
            Err(error) => error,
        };
        if watch.cancel.is_cancelled() {
            return Err(error.to_string());
        }
        watch.report(
            format!("nothing reaches port {port} there: the far end connects to this host instead"),
            None,
        );
        turned(session, address, source, watch).await.map_err(|why| {
            format!(
                "{error}. ssh started the far end there, so a firewall may be in between: let this host reach port {port} \
                 there, TCP and UDP. The other direction was tried as well: {why}"
            )
        })
    }

    /// Whether it connected to this host, as nothing gets through to it.
    pub(crate) fn has_dialed(&self) -> bool {
        self.own.is_some()
    }

    /// For transfers over sockets that are like this here.
    pub(crate) fn tuned(self, tuning: Tuning) -> Self {
        Self {
            end: Box::new(self.end.tuned(tuning)),
            ..self
        }
    }

    /// Carries out what it has a part in, with this host as the other end. With one that dialed connections are opened from
    /// there.
    ///
    /// # Errors
    /// As [`FarEnd::perform`].
    pub(crate) async fn perform(
        &self,
        ask: &Ask,
        side: Side,
        watch: &Watch,
    ) -> Result<Vec<Payload>, NetError> {
        match (&self.own, side) {
            (Some(own), Side::Here) if ask.needs_both_ends() => {
                between(ask, own.end(), &self.end, watch).await
            }
            (Some(own), Side::There) if ask.needs_both_ends() => {
                between(ask, &self.end, own.end(), watch).await
            }
            _ => self.end.perform(ask, side, watch).await,
        }
    }
}

/// Has the far end that ssh started connect to this host, or says why it does not.
async fn turned(
    session: &Session,
    address: IpAddr,
    source: Option<IpAddr>,
    watch: &Watch,
) -> Result<Far, String> {
    let own = source.or_else(|| resolve::source_towards(address));
    let own = own.ok_or("no address of this host leads there")?;
    let waiting = Waiting::bind(vec![SocketAddr::new(own, 0)], session.token().clone());
    let waiting = waiting.map_err(|error| error.to_string())?;
    let at = waiting.addresses().first().copied();
    let at = at.ok_or("no port could be opened")?;
    if !session.has_it_dial(at) {
        return Err("ssh has ended".to_owned());
    }
    match tokio::time::timeout(TURNED_WITHIN, waiting.far_end(watch)).await {
        Ok(Ok(met)) => Ok(met.into()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("the far end does not reach this host at {at} either")),
    }
}
