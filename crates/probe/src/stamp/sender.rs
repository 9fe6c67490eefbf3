//! The sender: when the next packet leaves, and which answers count.

use super::account::{Answered, index_of, sequence_of};
use super::outcome::Outcome;
use super::packet::{self, Mode, Reflected, TestPacket};
use super::seal::Key;
use super::time::{Clock, ErrorEstimate, TimeFormat};
use super::tlv;
use crate::session::{Pace, Pacer};
use std::collections::BTreeSet;

/// How long answers are waited for after the last packet, at least; three times the largest round trip where that is longer.
const LAST_WAIT_NS: u64 = 1_000_000_000;
/// Of a packet that came more often than this something else is wrong, and memory is not for it.
const MOST_ANSWERS_EACH: usize = 4;

/// What to send.
#[derive(Debug, Clone)]
pub struct SenderPlan {
    /// Packets, at least 1.
    pub count: u32,
    /// From one packet to the next, nanoseconds.
    pub interval_ns: u64,
    /// UDP payload, bytes; `None`: the smallest that holds all TLVs.
    pub payload_bytes: Option<usize>,
    /// The session's number; 0: none.
    pub ssid: u16,
    /// DSCP of the packets, and the one wished for the answers.
    pub dscp: u8,
    /// For authenticated mode.
    pub key: Option<Key>,
    /// This host's clock.
    pub clock: Clock,
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Send the next packet: [`Sender::packet`].
    Send,
    /// Nothing before this time of the caller's monotonic clock, unless an answer comes.
    Wait(u64),
    /// All packets are sent and answered, or were waited for.
    Done,
}

/// Why an answer does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ignored {
    /// Shorter than a base packet.
    Short,
    /// Its seal is not good.
    NotAuthentic,
    /// It answers no packet of this session.
    Foreign,
}

#[derive(Debug, Clone, Copy)]
struct Sent {
    timestamp: [u8; 8],
    /// By the kernel where it told, else when the packet was written.
    at_ns: i64,
    answers: usize,
}

/// The sender's state.
#[derive(Debug)]
pub struct Sender {
    plan: SenderPlan,
    packet: Vec<u8>,
    pacer: Pacer,
    /// Packets that may leave before the pacer is asked again.
    due: u32,
    error: ErrorEstimate,
    sent: Vec<Sent>,
    answers: Vec<Answered>,
    answered: usize,
    returned: tlv::Returned,
    far: Option<ErrorEstimate>,
    has_short: bool,
    is_stopped: bool,
    last_sent_ns: u64,
    largest_rtt_ns: i64,
}

impl Sender {
    /// A sender whose first packet leaves at `now_ns` of the caller's monotonic clock; `None`: the size holds no base packet, or
    /// exceeds it by less than a TLV needs.
    #[must_use]
    pub fn new(plan: SenderPlan, now_ns: u64) -> Option<Self> {
        let key = plan.key.as_ref();
        let base = Mode::of(key).base_bytes();
        let size = plan.payload_bytes.unwrap_or(base + tlv::usual_bytes(key));
        let tail = tlv::compose(size.checked_sub(base)?, plan.dscp, key, plan.ssid.into())?;
        let mut packet = vec![0; base];
        packet.extend(tail);
        Some(Self {
            packet,
            pacer: Pacer::new(plan.interval_ns as f64, now_ns),
            due: 0,
            error: ErrorEstimate::of(plan.clock),
            sent: Vec::new(),
            answers: Vec::new(),
            answered: 0,
            returned: tlv::Returned::default(),
            far: None,
            has_short: false,
            is_stopped: false,
            last_sent_ns: now_ns,
            largest_rtt_ns: 0,
            plan,
        })
    }

    /// UDP payload of each packet, bytes.
    #[must_use]
    pub fn payload_bytes(&self) -> usize {
        self.packet.len()
    }

    /// Packets sent, and how many of them were answered.
    #[must_use]
    pub fn progress(&self) -> (u32, u32) {
        (self.sent.len() as u32, self.answered as u32)
    }

    /// Share of the packets that were sent, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f32 {
        self.sent.len() as f32 / self.plan.count.max(1) as f32
    }

    /// No more packets: what is on its way is still waited for.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// What to do at `now_ns` of the monotonic clock. Several packets that are due leave one by one.
    pub fn poll(&mut self, now_ns: u64) -> Turn {
        if !self.is_stopped && self.sent.len() < self.plan.count as usize {
            if self.due == 0 {
                match self.pacer.poll(now_ns) {
                    Pace::Send(count) => self.due = count,
                    Pace::Wait(until) => return Turn::Wait(until),
                }
            }
            self.due -= 1;
            self.last_sent_ns = now_ns;
            return Turn::Send;
        }
        let patience_ns = LAST_WAIT_NS.max(3 * self.largest_rtt_ns.unsigned_abs());
        let until = self.last_sent_ns.saturating_add(patience_ns);
        match self.answered >= self.sent.len() || now_ns >= until {
            true => Turn::Done,
            false => Turn::Wait(until),
        }
    }

    /// The next packet, to be sent at `at_ns` since 1970.
    pub fn packet(&mut self, at_ns: i64) -> &[u8] {
        let index = self.sent.len() as u32;
        let head = TestPacket {
            sequence: sequence_of(index),
            timestamp: TimeFormat::Ntp.write(at_ns),
            error: self.error,
            ssid: self.plan.ssid,
        };
        let key = self.plan.key.as_ref();
        let mode = Mode::of(key);
        let _ = head.write(&mut self.packet, mode);
        let tail = self.packet.get_mut(mode.base_bytes()..).unwrap_or_default();
        tlv::seal_test(tail, head.sequence, key);
        packet::seal(&mut self.packet, key);
        self.sent.push(Sent {
            timestamp: head.timestamp,
            at_ns,
            answers: 0,
        });
        &self.packet
    }

    /// The last packet did not leave: its number is used for the next one.
    pub fn withdraw(&mut self) {
        self.sent.pop();
    }

    /// The kernel says when the packet `index`, counted from 0, left.
    pub fn left(&mut self, index: u32, at_ns: i64) {
        if let Some(sent) = self.sent.get_mut(index as usize) {
            let taken_ns = at_ns.saturating_sub(sent.at_ns);
            sent.at_ns = at_ns;
            for answer in self.answers.iter_mut().rev().filter(|a| a.index == index) {
                answer.sent_ns = answer.sent_ns.saturating_add(taken_ns);
            }
        }
    }

    /// An answer came at `at_ns` since 1970.
    ///
    /// # Errors
    /// Why it does not count.
    pub fn receive(&mut self, bytes: &[u8], at_ns: i64, ttl: Option<u8>) -> Result<(), Ignored> {
        let key = self.plan.key.as_ref();
        let mode = Mode::of(key);
        let Some(answer) = Reflected::read(bytes, mode) else {
            self.has_short = true;
            return Err(Ignored::Short);
        };
        if !packet::is_whole(bytes, key) {
            return Err(Ignored::NotAuthentic);
        }
        // What TWAMP Light has no field for comes back as zero.
        let is_ours = answer.ssid == self.plan.ssid || answer.ssid == 0;
        let index = index_of(answer.sender_sequence).filter(|_| is_ours);
        let sent = index.and_then(|index| Some((index, self.sent.get_mut(index as usize)?)));
        let quotes =
            |sent: &Sent| sent.timestamp == answer.sender_timestamp && sent.answers < MOST_ANSWERS_EACH;
        let Some((index, sent)) = sent.filter(|(_, sent)| quotes(sent)) else {
            return Err(Ignored::Foreign);
        };
        sent.answers += 1;
        let answered = Answered {
            index,
            sequence: answer.sender_sequence,
            reflector_sequence: answer.sequence,
            sent_ns: sent.at_ns,
            arrived_ns: answer.error.format.read(answer.receive_timestamp, at_ns),
            answered_ns: answer.error.format.read(answer.timestamp, at_ns),
            returned_ns: at_ns,
            ttl_there: answer.sender_ttl,
            ttl_here: ttl,
        };
        self.answered += usize::from(sent.answers == 1);
        self.largest_rtt_ns = self.largest_rtt_ns.max(at_ns.saturating_sub(sent.at_ns));
        let tail = bytes.get(mode.base_bytes()..).unwrap_or_default();
        let returned = tlv::read(tail, answer.sequence, key);
        if returned != tlv::Returned::default() {
            self.returned = returned;
        }
        self.far = Some(answer.error);
        self.answers.push(answered);
        Ok(())
    }

    /// What it adds up to.
    #[must_use]
    pub fn finish(self) -> Outcome {
        let span_ns = self.sent.first().zip(self.sent.last());
        let span_ns = span_ns.map_or(0, |(first, last)| last.at_ns.saturating_sub(first.at_ns));
        // A duplicate has the times of its copy.
        let mut seen = BTreeSet::new();
        let firsts = self.answers.iter().filter(|answer| seen.insert(answer.index));
        let samples = firsts.copied().collect();
        let account = super::account::account(self.sent.len() as u32, &self.answers);
        Outcome::new(
            account,
            samples,
            (self.plan.clock, self.far),
            self.returned,
            u64::try_from(span_ns).unwrap_or(0),
            self.has_short,
        )
    }
}
