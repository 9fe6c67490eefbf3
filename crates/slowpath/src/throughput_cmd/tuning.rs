//! The options of `throughput` about the sockets of this host, and the rate.

use super::ThroughputArgs;
use evidence::RateBps;
use net::Tuning;

/// The rate of `-u` where none is given, as iperf3 has it.
const UDP_BPS: RateBps = RateBps(1e6);
/// The rate of a stream that is to be as fast as it can: no host reaches it.
const UNLIMITED_BPS: RateBps = RateBps(1e12);

/// A rate; 0 is the absence of a limit.
///
/// # Errors
/// In words, when it is no rate.
pub(super) fn rate(text: &str) -> Result<RateBps, String> {
    match text {
        "0" => Ok(RateBps(0.0)),
        _ => text.parse().map_err(|error| format!("{error}")),
    }
}

/// An octet as iperf3 takes it: decimal, `0x..` or octal.
///
/// # Errors
/// In words, when it is none.
pub(super) fn octet(text: &str) -> Result<u8, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let read = match (hexadecimal, text.strip_prefix('0')) {
        (Some(digits), _) => u8::from_str_radix(digits, 16),
        (None, Some(digits)) if !digits.is_empty() => u8::from_str_radix(digits, 8),
        _ => text.parse(),
    };
    read.map_err(|_| format!("`{text}` is no octet: give 0 to 255, or 0x00 to 0xff"))
}

impl ThroughputArgs {
    /// The rate of the UDP stream; `None`: it is TCP.
    pub(super) fn udp_rate(&self) -> Option<RateBps> {
        let given = self.bitrate.unwrap_or(UDP_BPS);
        let asked = self.udp.or_else(|| self.sends_udp.then_some(given))?;
        Some(if asked.0 > 0.0 { asked } else { UNLIMITED_BPS })
    }

    /// What is asked of the sockets of this host.
    pub(super) fn tuning(&self) -> Tuning {
        let of_tcp = self
            .bitrate
            .filter(|rate| rate.0 > 0.0 && self.udp_rate().is_none());
        Tuning {
            max_rate_bps: of_tcp.map(|rate| rate.0),
            traffic_class: self.tos.or(self.dscp.map(|dscp| dscp << 2)),
            local_port: self.cport,
        }
    }

    pub(super) fn is_tuned(&self) -> bool {
        self.tuning() != Tuning::default()
    }

    /// # Errors
    /// In words, what does not go together.
    pub(super) fn check_tuning(&self) -> Result<(), String> {
        let class = self.tuning().traffic_class;
        let wrong = [
            (
                self.udp.is_some() && self.bitrate.is_some(),
                "--udp has the rate already: leave out --bitrate, or use -u with it",
            ),
            (
                class.is_some_and(|class| class > 0) && self.reverse && !self.bidir,
                "--dscp and --tos mark what this host sends, and with --reverse the far end sends: run it there for that",
            ),
            (
                self.cport
                    .is_some_and(|port| u32::from(port) + u32::from(self.streams) > 65_536),
                "there are not so many ports behind that of --cport",
            ),
            (self.omit >= 3_600, "--omit takes seconds, less than 3600"),
        ];
        match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, message)) => Err(message.to_owned()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Parsed {
        #[command(flatten)]
        args: ThroughputArgs,
    }

    #[test]
    fn octets_are_read_as_iperf3_reads_them() {
        for (text, wanted) in [
            ("0", 0),
            ("184", 184),
            ("0xb8", 184),
            ("0XB8", 184),
            ("0270", 184),
            ("255", 255),
        ] {
            assert_eq!(octet(text), Ok(wanted), "{text}");
        }
        for text in ["", "256", "0x100", "-1", "08", "ef", "0x"] {
            assert!(octet(text).is_err(), "{text}");
        }
    }

    #[test]
    fn zero_is_no_limit() {
        assert_eq!(rate("0"), Ok(RateBps(0.0)));
        assert_eq!(rate("5M"), Ok(RateBps(5e6)));
        assert!(rate("fast").is_err());
        let asked = |options: &[&str]| {
            let words = [&["throughput", "h2.example"][..], options].concat();
            Parsed::try_parse_from(words).unwrap().args.udp_rate()
        };
        assert_eq!(asked(&["-u"]), Some(UDP_BPS));
        assert_eq!(asked(&["-u", "-b", "0"]), Some(UNLIMITED_BPS));
        assert_eq!(asked(&["-u", "-b", "5M"]), Some(RateBps(5e6)));
        assert_eq!(asked(&["-b", "0"]), None);
    }
}
