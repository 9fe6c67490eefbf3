//! What a far end says when it is ready.

use super::secret::Shown;
use net::far_end::Server;
use net::rights::Restricted;
use std::io::{self, Write};
use std::net::SocketAddr;

/// Tells how to reach us, or whom we connect to. The line that starts with "listening on" is the last: who waits for it may connect.
pub(super) fn announce(
    is_json: bool,
    shown: &Shown,
    (server, client): (&Server, Option<SocketAddr>),
    restricted: &Restricted,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let listed =
        |addresses: Vec<SocketAddr>| -> Vec<String> { addresses.iter().map(ToString::to_string).collect() };
    let (addresses, iperf3) = (listed(server.addresses()), listed(server.iperf3_addresses()));
    let metrics = server.metrics_at().map(|at| at.to_string());
    if is_json {
        let (token, file, access) = match shown {
            Shown::Text(token) => (Some(token), None, None),
            Shown::File(path) => (None, Some(path), None),
            Shown::Access(path) => (None, None, Some(path)),
            Shown::Given => (None, None, None),
        };
        let ready = serde_json::json!({
            "event": if client.is_some() { "dialing" } else { "listening" }, "client": client,
            "addresses": addresses, "iperf3": iperf3, "token": token, "token_file": file, "access": access,
            "metrics": metrics,
            "raw_sockets": restricted.has_raw, "not_applied": restricted.not_applied,
        });
        writeln!(out, "{ready}")?;
        return out.flush();
    }
    match shown {
        Shown::File(path) => writeln!(out, "token in {}", path.display())?,
        Shown::Access(path) => writeln!(out, "tokens in {}", path.display())?,
        Shown::Text(token) => writeln!(out, "token {token}")?,
        Shown::Given => {}
    }
    if !restricted.not_applied.is_empty() {
        writeln!(
            out,
            "some rights cannot be given up here: `slowpath serve --check` says which"
        )?;
    }
    if !restricted.has_raw {
        writeln!(
            out,
            "no raw sockets here: path probes from this end are limited to UDP (see `slowpath doctor`)"
        )?;
    }
    if !iperf3.is_empty() {
        writeln!(out, "iperf3 clients are served on {}", iperf3.join(" and "))?;
    }
    if let Some(metrics) = metrics {
        writeln!(out, "metrics at {metrics}")?;
    }
    match client {
        Some(client) => writeln!(
            out,
            "connecting to {client}, until `slowpath diagnose --listen` waits there"
        )?,
        None => writeln!(out, "listening on {} (TCP and UDP)", addresses.join(" and "))?,
    }
    out.flush()
}
