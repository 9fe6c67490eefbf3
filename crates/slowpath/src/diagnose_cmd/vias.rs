//! The third places that the command line names: far ends elsewhere, from which a part of the path is seen.

use super::DiagnoseArgs;
use super::ends::Ends;
use crate::config::Config;
use crate::console::Console;
use crate::exit;
use crate::far::TURNED;
use crate::places::{At, Found, Place, Secret, file};
use crate::resolve::FamilyArgs;
use crate::vantages::Third;
use futures::future::join_all;
use std::process::ExitCode;

/// The places as they are named, before anything is looked up.
pub(super) fn named(args: &DiagnoseArgs) -> Result<Vec<Place>, ExitCode> {
    let mut places: Vec<Place> = Vec::new();
    for host in &args.via {
        places.push(place(args, host).map_err(|what| exit::usage(&what))?);
    }
    if let Some(path) = &args.via_file {
        let listed = file::read(path, 1)?.places.into_iter();
        // This host is in the file for the sake of a mesh.
        places.extend(listed.filter(|place| !matches!(place.at, At::Here(_))));
    }
    let twice = places.iter().enumerate().find(|(index, place)| {
        let before = &places[..*index];
        before
            .iter()
            .any(|other| other.name.eq_ignore_ascii_case(&place.name))
    });
    if let Some((_, place)) = twice {
        return Err(exit::usage(&format!(
            "{} is named twice as a third place",
            place.name
        )));
    }
    if places.len() > file::MOST_PLACES {
        return Err(exit::usage(&format!(
            "at most {} third places",
            file::MOST_PLACES
        )));
    }
    Ok(places)
}

/// A host as the command line names it: `host`, `host:port` or `user@host`.
fn place(args: &DiagnoseArgs, host: &str) -> Result<Place, String> {
    if let Some(login) = args.ssh.login(host) {
        return Ok(Place {
            name: login.host,
            site: None,
            at: At::Ssh(host.to_owned()),
        });
    }
    let (host, port) = file::host_and_port(host)?;
    let secret = args
        .far_end
        .token_file
        .clone()
        .map_or(Secret::Configured, Secret::File);
    Ok(Place {
        name: host.clone(),
        site: None,
        at: At::Served { host, port, secret },
    })
}

/// Finds them, in the family of addresses that the path has: ways of another one share no router with it. A file may list the
/// ends of the path as well: these are no third places.
pub(super) fn find(
    args: &DiagnoseArgs,
    places: &[Place],
    ends: &Ends,
    config: &Config,
) -> Result<Vec<Found>, ExitCode> {
    let family = FamilyArgs {
        ipv4: ends.remote.is_ipv4(),
        ipv6: ends.remote.is_ipv6(),
    };
    let complaint = ends.complaint(args);
    let mut found = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let one = Found::find(place, family, &args.ssh, config);
        let address = one.address().ok().flatten();
        let is_end = [&complaint.from, &complaint.to]
            .iter()
            .any(|party| party.name == place.name || address.is_some() && party.address == address);
        match (is_end, index < args.via.len()) {
            (false, _) => found.push(one),
            (true, true) => {
                return Err(exit::usage(&format!(
                    "--via {}: it is an end of the transfer itself. Name a host elsewhere",
                    place.name
                )));
            }
            (true, false) => {}
        }
    }
    Ok(found)
}

/// Connects to all of them. One that is not to be had is told, and recorded where it is asked for something.
pub(super) async fn reach(found: Vec<Found>, console: &Console) -> Vec<Third> {
    if found.is_empty() {
        return Vec::new();
    }
    let watch = console.begin("third places");
    let reaching = found.into_iter().map(|found| async {
        let address = found.address().ok().flatten();
        Third::of(found.reach(&watch).await, address)
    });
    let thirds = join_all(reaching).await;
    for (name, why) in thirds.iter().filter_map(Third::absent) {
        console.warn(&format!("{name} takes no part: {why}"));
    }
    for name in thirds.iter().filter_map(Third::dialed) {
        console.line(&format!("{name}: {TURNED}"));
    }
    thirds
}
