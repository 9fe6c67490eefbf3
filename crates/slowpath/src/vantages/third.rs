//! Third places: far ends at neither end of the transfer. Each of them, and each end, measures with any other.

use super::{Vantages, between};
use crate::far::Far;
use crate::places;
use crate::ssh::Session;
use evidence::{Ask, Node, NotMeasuredReason, Party, Payload};
use net::far_end::{FarEnd, Side};
use net::path::PathTarget;
use net::{LocalVantage, NetError, Watch, perform_local};
use std::net::IpAddr;

/// A third place, or why it takes no part.
pub(crate) struct Third {
    party: Party,
    far: Result<Far, String>,
    /// Held: what ssh started ends with it.
    _session: Option<Session>,
}

/// Somebody who measures.
enum Who<'a> {
    Here,
    There(&'a Far),
}

/// Why an ask could not be carried out.
type Obstacle = (NotMeasuredReason, String);

impl Third {
    /// One that was found at `address`.
    pub(crate) fn of(reached: places::Reached, address: Option<IpAddr>) -> Self {
        let party = Party {
            name: reached.name.clone(),
            address,
        };
        let (far, session) = match reached.into_far() {
            Ok((far, session)) => (Ok(far), session),
            Err(why) => (Err(why), None),
        };
        Self {
            party,
            far,
            _session: session,
        }
    }

    /// Its name, and why it takes no part.
    pub(crate) fn absent(&self) -> Option<(&str, &str)> {
        let why = self.far.as_ref().err()?;
        Some((&self.party.name, why))
    }

    /// Its name, where it had to connect to this host.
    pub(crate) fn dialed(&self) -> Option<&str> {
        let far = self.far.as_ref().ok()?;
        far.has_dialed().then_some(&self.party.name)
    }

    /// It as the case knows it.
    pub(crate) fn node(&self) -> Node {
        self.party.node()
    }
}

impl Vantages {
    /// Whether an ask concerns a third place.
    pub(super) fn is_of_third(&self, ask: &Ask) -> bool {
        let named = [Some(ask.vantage()), ask.target()];
        named.into_iter().flatten().any(|node| self.third(node).is_some())
    }

    fn third(&self, node: &Node) -> Option<&Third> {
        self.thirds.iter().find(|third| third.node() == *node)
    }

    /// Who measures at a place, and how the case calls it.
    fn who(&self, node: &Node) -> Result<(Who<'_>, &Party), Obstacle> {
        if let Some(third) = self.third(node) {
            let absent = |why: &String| {
                (
                    NotMeasuredReason::NoFarEnd,
                    format!("{}: {why}", third.party.name),
                )
            };
            return Ok((Who::There(third.far.as_ref().map_err(absent)?), &third.party));
        }
        let unknown = || (NotMeasuredReason::Unsupported, format!("{node} takes no part"));
        let end = self.complaint.end_of(node).ok_or_else(unknown)?;
        let party = self.complaint.party(end);
        let far = if end == self.complaint.local_end {
            match &self.near {
                Some(near) => near,
                None => return Ok((Who::Here, party)),
            }
        } else {
            let absent = || (NotMeasuredReason::NoFarEnd, self.why_single_ended.clone());
            self.far.as_ref().ok_or_else(absent)?
        };
        Ok((Who::There(far), party))
    }

    /// Carries out an ask that concerns a third place.
    pub(super) async fn of_third(&self, ask: &Ask, watch: &Watch) -> Result<Vec<Payload>, Obstacle> {
        let failed = |error: NetError| (error.reason(), error.to_string());
        let (at, from) = self.who(ask.vantage())?;
        let Some(target) = ask.target() else {
            let Who::There(far) = at else {
                return Err((NotMeasuredReason::Unsupported, "it is this host".to_owned()));
            };
            return far.perform(ask, Side::There, watch).await.map_err(failed);
        };
        let (other, to) = self.who(target)?;
        let measured = match (at, other) {
            (Who::Here, Who::There(far)) if ask.needs_both_ends() => {
                far.perform(ask, Side::Here, watch).await
            }
            (Who::Here, Who::There(far)) => self.towards(ask, &far.end, watch).await,
            (Who::There(far), Who::Here) => far.perform(ask, Side::There, watch).await,
            (Who::There(at), Who::There(other)) => between::perform(ask, &at.end, &other.end, watch).await,
            (Who::Here, Who::Here) => Err(NetError::Unsupported("both are this host".to_owned())),
        };
        let mut seen = measured.map_err(failed)?;
        seen.iter_mut()
            .for_each(|payload| super::name_ends(payload, from, to));
        Ok(seen)
    }

    /// From this host, which needs no far end to probe.
    async fn towards(&self, ask: &Ask, far: &FarEnd, watch: &Watch) -> Result<Vec<Payload>, NetError> {
        let destination = far.peer_address().ip();
        let source = self.local.target.source;
        let mut vantage = LocalVantage {
            target: PathTarget {
                destination,
                source: source.filter(|source| source.is_ipv4() == destination.is_ipv4()),
                reflector: far.reflector(),
            },
            known_route: None,
        };
        Ok(vec![perform_local(ask, &mut vantage, watch).await?])
    }
}
