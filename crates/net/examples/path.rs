//! Tries the path probes by hand: `cargo run -p net --example path -- route|mtu|echo|loss ADDRESS [udp|icmp|tcp] [best|unprivileged]`.

use evidence::{EchoContext, ProbeProtocol};
use net::Watch;
use net::path::{self, EchoPlan, PathTarget, Sockets};

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |index: usize| arguments.get(index).map(String::as_str);
    let destination = word(1).ok_or("which address?")?.parse()?;
    let target = PathTarget {
        destination,
        source: None,
        reflector: None,
    };
    let protocol = match word(2) {
        Some("icmp") => ProbeProtocol::Icmp,
        Some("tcp") => ProbeProtocol::TcpSyn,
        _ => ProbeProtocol::Udp,
    };
    let sockets = match word(3) {
        Some("unprivileged") => Sockets::Unprivileged,
        _ => Sockets::Best,
    };
    let watch = Watch::quiet();
    let json = match word(0) {
        Some("route") => {
            serde_json::to_string_pretty(&path::route_with(&target, protocol, 1, sockets, &watch).await?)?
        }
        Some("mtu") => {
            serde_json::to_string_pretty(&path::path_mtu_with(&target, None, sockets, &watch).await?)?
        }
        Some("echo") => {
            let plan = EchoPlan {
                sizes_bytes: vec![64, 1500],
                count: 20,
                interval_ms: 50,
            };
            serde_json::to_string_pretty(
                &path::echo_with(&target, None, &plan, EchoContext::Idle, sockets, &watch).await?,
            )?
        }
        Some("loss") => serde_json::to_string_pretty(
            &path::hop_loss_with(&target, &[3, 30], 100_000, 60_000, sockets, &watch).await?,
        )?,
        _ => return Err("route, mtu, echo or loss?".into()),
    };
    println!("{json}");
    Ok(())
}
