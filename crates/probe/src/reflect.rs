//! The packets of the far end's UDP reflector.
//!
//! A destination answers probes to closed ports at about one a second (Linux: `icmp_ratelimit`), and pings with a
//! packet as large as the request. The reflector answers every probe of an authenticated session with one small
//! packet that says which size arrived, so that the forward path is tested alone. A reply is never larger than the
//! smallest valid request: the reflector cannot amplify.

/// Length of a reply, and least length of a request, in bytes of UDP payload.
pub const REFLECT_BYTES: usize = 36;

const REQUEST_MAGIC: [u8; 4] = *b"SPq1";
const REPLY_MAGIC: [u8; 4] = *b"SPr1";

/// What the control channel gave both ends of a session: packets without it are not answered.
pub type SessionKey = [u8; 16];

/// A request as the reflector reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReflectRequest {
    /// The session it claims.
    pub session: SessionKey,
    /// Chosen by the prober, returned unchanged.
    pub sequence: u32,
}

/// The reflector's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReflectReply {
    /// The session.
    pub session: SessionKey,
    /// The request's sequence number.
    pub sequence: u32,
    /// UDP payload bytes of the request as it arrived (after reassembly, if it was fragmented).
    pub received_bytes: u32,
    /// The reflector's clock when it arrived, nanoseconds since the Unix epoch.
    pub received_at_ns: u64,
}

impl ReflectRequest {
    /// Writes the request at the front of `payload`, leaving the rest as padding. `None` when it does not fit.
    #[must_use]
    pub fn write(&self, payload: &mut [u8]) -> Option<()> {
        let head = payload.get_mut(..REFLECT_BYTES)?;
        head.fill(0);
        head[..4].copy_from_slice(&REQUEST_MAGIC);
        head[4..20].copy_from_slice(&self.session);
        head[20..24].copy_from_slice(&self.sequence.to_be_bytes());
        Some(())
    }

    /// Reads a request; `None` when it is something else or too short.
    #[must_use]
    pub fn read(payload: &[u8]) -> Option<Self> {
        let head = payload.get(..REFLECT_BYTES)?;
        let (session, sequence) = read_common(head, REQUEST_MAGIC)?;
        Some(Self { session, sequence })
    }
}

impl ReflectReply {
    /// The reply as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; REFLECT_BYTES] {
        let mut bytes = [0; REFLECT_BYTES];
        bytes[..4].copy_from_slice(&REPLY_MAGIC);
        bytes[4..20].copy_from_slice(&self.session);
        bytes[20..24].copy_from_slice(&self.sequence.to_be_bytes());
        bytes[24..28].copy_from_slice(&self.received_bytes.to_be_bytes());
        bytes[28..36].copy_from_slice(&self.received_at_ns.to_be_bytes());
        bytes
    }

    /// Reads a reply; `None` when it is something else or too short.
    #[must_use]
    pub fn read(payload: &[u8]) -> Option<Self> {
        let head = payload.get(..REFLECT_BYTES)?;
        let (session, sequence) = read_common(head, REPLY_MAGIC)?;
        Some(Self {
            session,
            sequence,
            received_bytes: u32::from_be_bytes(head.get(24..28)?.try_into().ok()?),
            received_at_ns: u64::from_be_bytes(head.get(28..36)?.try_into().ok()?),
        })
    }
}

fn read_common(head: &[u8], magic: [u8; 4]) -> Option<(SessionKey, u32)> {
    if head.get(..4)? != magic {
        return None;
    }
    Some((
        head.get(4..20)?.try_into().ok()?,
        u32::from_be_bytes(head.get(20..24)?.try_into().ok()?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn requests_and_replies_survive_the_wire(session: [u8; 16], sequence: u32, size in 36usize..2000, at: u64) {
            let request = ReflectRequest { session, sequence };
            let mut payload = vec![0xff; size];
            request.write(&mut payload).unwrap();
            prop_assert_eq!(ReflectRequest::read(&payload), Some(request));
            prop_assert_eq!(ReflectReply::read(&payload), None);
            let reply = ReflectReply { session, sequence, received_bytes: size as u32, received_at_ns: at };
            prop_assert_eq!(ReflectReply::read(&reply.to_bytes()), Some(reply));
            prop_assert_eq!(ReflectRequest::read(&reply.to_bytes()), None);
        }

        #[test]
        fn foreign_bytes_are_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(ReflectRequest::read(&bytes).is_some(), bytes.len() >= 36 && bytes.starts_with(b"SPq1"));
        }
    }
}
