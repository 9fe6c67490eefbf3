//! What names mean, whatever a schema joins their words by: `in-octets`, `in_octets` and `inOctets` are the same.
//!
//! A name must carry its direction, or count what has only one.

use evidence::CounterKind::{self, *};

/// What a leaf says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Means {
    Count(CounterKind),
    /// Packets to one, a group, all: 0, 1, 2 of the way in; 3, 4, 5 of the way out.
    Part(usize),
    Description,
    Up,
    Mtu,
    /// bit/s in such units.
    Speed(f64),
    /// Speed in words: `1000Mb/s`, `10 Gbps`, `SPEED_10GB`.
    SpeedText,
    /// In words, or in Mbit/s where no unit stands behind it: `10G`, `a-1000`.
    SpeedOrMbit,
    /// In Mbit/s, and how both ways share it where a letter tells: `1000F`.
    SpeedAndDuplex,
    Duplex,
    /// Rates: in bit/s of such units, packets; out bit/s, packets.
    InBps(f64),
    InPps,
    OutBps(f64),
    OutPps,
    OverS,
    Received,
    Sent,
    Celsius,
    ReceivedLowWarning,
    /// The device.
    Device,
    /// Known to be no counter.
    Nothing,
}

use Means::{
    Celsius, Count, Description, Duplex, InBps, InPps, Mtu, Nothing, OutBps, OutPps, OverS, Part, Received,
    ReceivedLowWarning, Sent, Speed, SpeedText, Up,
};

/// Sorted by name, lower case and without signs.
static WORDS: &[(&str, Means)] = &[
    ("adminstatus", Nothing),
    ("alias", Description),
    ("babble", Nothing),
    ("bandwidth", Nothing),
    ("carriertransitions", Count(CarrierTransitions)),
    ("collisions", Count(Collisions)),
    ("crc", Count(InputCrc)),
    ("crcerrors", Count(InputCrc)),
    ("deferred", Nothing),
    ("desc", Description),
    ("description", Description),
    ("duplex", Duplex),
    ("duplexmode", Duplex),
    ("fcserrors", Count(InputCrc)),
    ("framingerrors", Count(InputFraming)),
    ("giantframes", Count(InputGiants)),
    ("giants", Count(InputGiants)),
    ("ifalias", Description),
    ("ifindex", Nothing),
    ("ifinoctets", Count(InputBytes)),
    ("inbits1secrate", InBps(1.0)),
    ("inbitsrate", InBps(1.0)),
    ("inbroadcastpackets", Part(2)),
    ("inbroadcastpkts", Part(2)),
    ("incrcerrors", Count(InputCrc)),
    ("indiscardpackets", Count(InputDiscards)),
    ("indiscards", Count(InputDiscards)),
    ("inerrorpackets", Count(InputErrors)),
    ("inerrors", Count(InputErrors)),
    ("infcserrors", Count(InputCrc)),
    ("inmacpauseframes", Count(InputPauses)),
    ("inmulticastpackets", Part(1)),
    ("inmulticastpkts", Part(1)),
    ("inoctets", Count(InputBytes)),
    ("inpackets", Count(InputPackets)),
    ("inpkts", Count(InputPackets)),
    ("inpktsrate", InPps),
    ("inputbps", InBps(1.0)),
    ("inputbytes", Count(InputBytes)),
    ("inputcrcerrors", Count(InputCrc)),
    ("inputdiscards", Count(InputDiscards)),
    ("inputdrops", Count(InputQueueDrops)),
    ("inputerrors", Count(InputErrors)),
    ("inputfifoerrors", Count(InputOverrun)),
    ("inputgiants", Count(InputGiants)),
    ("inputpackets", Count(InputPackets)),
    ("inputpps", InPps),
    ("inputresourceerrors", Count(InputNoBuffer)),
    ("inputrunts", Count(InputRunts)),
    ("inrate", InBps(1.0)),
    ("inratepkts", InPps),
    ("interfaceresets", Count(InterfaceResets)),
    ("intotalpkts", Count(InputPackets)),
    ("inucastpkts", Part(0)),
    ("inunicastpackets", Part(0)),
    ("inunicastpkts", Part(0)),
    ("latecollisions", Count(LateCollisions)),
    ("lineprotocol", Up),
    ("lineprotocolstatus", Up),
    ("linkstatus", Up),
    ("loadinterval", OverS),
    ("mtu", Mtu),
    ("operationstatus", Up),
    ("operstate", Up),
    ("operstatus", Up),
    ("outbitsrate", OutBps(1.0)),
    ("outbroadcastpackets", Part(5)),
    ("outbroadcastpkts", Part(5)),
    ("outdiscardpackets", Count(OutputDrops)),
    ("outdiscards", Count(OutputDrops)),
    ("outerrorpackets", Count(OutputErrors)),
    ("outerrors", Count(OutputErrors)),
    ("outmacpauseframes", Count(OutputPauses)),
    ("outmulticastpackets", Part(4)),
    ("outmulticastpkts", Part(4)),
    ("outoctets", Count(OutputBytes)),
    ("outpackets", Count(OutputPackets)),
    ("outpkts", Count(OutputPackets)),
    ("outpktsrate", OutPps),
    ("outputbps", OutBps(1.0)),
    ("outputbytes", Count(OutputBytes)),
    ("outputcollisions", Count(Collisions)),
    ("outputdiscards", Count(OutputDrops)),
    ("outputdrops", Count(OutputDrops)),
    ("outputerrors", Count(OutputErrors)),
    ("outputfifoerrors", Count(OutputUnderruns)),
    ("outputpackets", Count(OutputPackets)),
    ("outputpps", OutPps),
    ("outrate", OutBps(1.0)),
    ("outratepkts", OutPps),
    ("outtotalpkts", Count(OutputPackets)),
    ("outucastpkts", Part(3)),
    ("outunicastpackets", Part(3)),
    ("outunicastpkts", Part(3)),
    ("overrun", Count(InputOverrun)),
    ("runtframes", Count(InputRunts)),
    ("runts", Count(InputRunts)),
    ("rxbroadcastpackets", Part(2)),
    ("rxbyte", Count(InputBytes)),
    ("rxbytes", Count(InputBytes)),
    ("rxdiscards", Count(InputDiscards)),
    ("rxdrop", Count(InputDiscards)),
    ("rxdropped", Count(InputDiscards)),
    ("rxerror", Count(InputErrors)),
    ("rxerrors", Count(InputErrors)),
    ("rxfcserror", Count(InputCrc)),
    ("rxmulticastpackets", Part(1)),
    ("rxoctets", Count(InputBytes)),
    ("rxpacket", Count(InputPackets)),
    ("rxpackets", Count(InputPackets)),
    ("rxpause", Count(InputPauses)),
    ("rxpower", Received),
    ("rxpowerlowwarn", ReceivedLowWarning),
    ("rxunicastpackets", Part(0)),
    ("temperature", Celsius),
    ("totaloutputdrops", Count(OutputDrops)),
    ("txbroadcastpackets", Part(5)),
    ("txbyte", Count(OutputBytes)),
    ("txbytes", Count(OutputBytes)),
    ("txdiscards", Count(OutputDrops)),
    ("txdrop", Count(OutputDrops)),
    ("txdropped", Count(OutputDrops)),
    ("txerror", Count(OutputErrors)),
    ("txerrors", Count(OutputErrors)),
    ("txmulticastpackets", Part(4)),
    ("txoctets", Count(OutputBytes)),
    ("txpacket", Count(OutputPackets)),
    ("txpackets", Count(OutputPackets)),
    ("txpause", Count(OutputPauses)),
    ("txpower", Sent),
    ("txunicastpackets", Part(3)),
    ("underrun", Count(OutputUnderruns)),
    ("underruns", Count(OutputUnderruns)),
];

/// A name in lower case, without what joins its words.
pub(super) fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let letters = name
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b'_' | b' ' | b'.'));
    plain.extend(letters.map(|byte| char::from(byte.to_ascii_lowercase())));
    plain
}

/// What a schema's own table, else that of all, has for a name. The table of a schema may name the element above too.
/// All of these are given plain.
pub(super) fn meaning(own: &[(&str, Means)], above: &str, name: &str) -> Option<Means> {
    // Most are told by their last letter.
    let last = name.as_bytes().last();
    let ends_so = |known: &str| known.as_bytes().last() == last;
    let own = || own.iter().filter(|(known, _)| ends_so(known));
    let below = own().find(|(known, _)| {
        let path = known.strip_suffix(name).and_then(|path| path.strip_suffix('/'));
        path == Some(above)
    });
    let alone = || own().find(|(known, _)| *known == name);
    let own = below.or_else(alone).map(|(_, means)| *means);
    own.or_else(|| {
        let place = WORDS.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        WORDS.get(place).map(|(_, means)| *means)
    })
}

/// The SI prefix of a table's speed.
pub(super) const fn speed(unit: f64) -> Means {
    Speed(unit)
}

/// A speed in words.
pub(super) const SPEED_TEXT: Means = SpeedText;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_found() {
        for pair in WORDS.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{:?}", pair);
        }
        assert_eq!(
            meaning(&[], "counters", &plain("in-octets")),
            Some(Count(InputBytes))
        );
        assert_eq!(meaning(&[("eth/x", Mtu)], "eth", "x"), Some(Mtu));
    }
}
