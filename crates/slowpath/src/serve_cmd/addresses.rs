//! Where `serve` listens, or whom it dials, as people write it.

use crate::places::file::host_and_port;
use crate::resolve::{self, FamilyArgs};
use net::far_end::DEFAULT_PORT;
use std::net::{IpAddr, SocketAddr};

/// An address of this host, with a port or at the usual one.
pub(super) fn listening(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    match bare.unwrap_or(text).parse::<IpAddr>() {
        Ok(address) => Ok(SocketAddr::new(address, DEFAULT_PORT)),
        Err(_) => {
            Err("write an address of this host: 192.0.2.1, 192.0.2.1:4820 or [2001:db8::1]:4820".to_owned())
        }
    }
}

/// Where the client waits that is to be dialed.
pub(super) fn client(dial: &str) -> Result<SocketAddr, String> {
    let (host, port) = host_and_port(dial)?;
    let port = port.unwrap_or(DEFAULT_PORT);
    let any = FamilyArgs {
        ipv4: false,
        ipv6: false,
    };
    let address = resolve::serving(&host, any, port).map_err(|error| error.to_string())?;
    Ok(SocketAddr::new(address, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_alone_is_served_at_the_usual_port() {
        let read = |text: &str| listening(text).map(|address| address.to_string());
        for (text, address) in [
            ("192.0.2.1", "192.0.2.1:4820"),
            ("192.0.2.1:0", "192.0.2.1:0"),
            ("2001:db8::1", "[2001:db8::1]:4820"),
            ("[2001:db8::1]", "[2001:db8::1]:4820"),
            ("[2001:db8::1]:5000", "[2001:db8::1]:5000"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(address));
        }
        for text in ["", "localhost", "192.0.2.1:", "192.0.2.1:70000", "[192.0.2.1"] {
            assert!(
                read(text).is_err_and(|why| why.contains("192.0.2.1:4820")),
                "{text}"
            );
        }
    }
}
