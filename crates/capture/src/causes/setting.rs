//! What is known of a transfer before its data come: where the capture point lies, and the segment size.

use crate::Way;
use crate::flow::Handshake;
use serde::Serialize;

/// Where the capture point lies on the path, and what the handshake agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Setting {
    /// The part of the round trip between the capture point and the sender of the data, nanoseconds: an acknowledgement needs
    /// it until the data that it releases pass the point. `None` where the handshake was not captured.
    pub before_ns: Option<i64>,
    /// The part between the capture point and the receiver.
    pub behind_ns: Option<i64>,
    /// Payload of a full segment, bytes: the receiver's MSS less the options that each segment carries.
    pub mss_bytes: Option<u32>,
}

/// Time stamps take twelve bytes of each segment (RFC 7323 appendix A).
const TIME_STAMP_BYTES: u32 = 12;

impl Setting {
    /// What a handshake tells of the data that go `way`, if `opened` is the direction from the one who opened the connection.
    #[must_use]
    #[inline]
    pub fn of(handshake: &Handshake, opened: Option<Way>, way: Way) -> Self {
        // A repeated SYN leaves in doubt which copy was answered (Karn).
        let is_clear = handshake.syn_retransmissions == 0;
        let by_opener = opened == Some(way);
        let (before, behind) = if by_opener {
            (handshake.synack_to_ack_ns, handshake.syn_to_synack_ns)
        } else {
            (handshake.syn_to_synack_ns, handshake.synack_to_ack_ns)
        };
        let kept = |part: Option<i64>| part.filter(|&ns| is_clear && opened.is_some() && ns >= 0);
        let [up, down] = &handshake.options;
        let both_stamp = [up, down]
            .iter()
            .all(|side| side.as_ref().is_some_and(|seen| seen.timestamps));
        let receiver = handshake
            .options
            .get(way.reversed().index())
            .and_then(Option::as_ref);
        let options = if both_stamp { TIME_STAMP_BYTES } else { 0 };
        let mss = receiver
            .and_then(|seen| seen.mss_bytes)
            .map(|mss| u32::from(mss).saturating_sub(options));
        Self {
            before_ns: kept(before),
            behind_ns: kept(behind),
            mss_bytes: mss.filter(|&mss| mss > 0),
        }
    }

    /// The part before the capture point took no longer than this once, nanoseconds.
    pub(crate) fn shorten_before(&mut self, before_ns: i64) {
        if let Some(known) = &mut self.before_ns {
            *known = before_ns.min(*known);
        }
    }

    /// Where the capture point lies.
    #[must_use]
    pub fn vantage(&self) -> Vantage {
        let (Some(before), Some(behind)) = (self.before_ns, self.behind_ns) else {
            return Vantage::Unknown;
        };
        // Within an eighth of the round trip the order of acknowledgements and data is that of the end itself, as delays
        // of hosts are of that size.
        let near = (before.saturating_add(behind) / 8).max(0);
        match (before <= near, behind <= near) {
            (true, _) => Vantage::NearSender,
            (false, true) => Vantage::NearReceiver,
            (false, false) => Vantage::Between,
        }
    }
}

/// Where the capture point lies on the path of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vantage {
    /// At their sender, or close to it.
    NearSender,
    /// At their receiver.
    NearReceiver,
    /// Somewhere on the path.
    Between,
    /// The handshake was not captured, or does not tell.
    #[default]
    Unknown,
}
