//! What each end tells the other of its part when the test is over.

use super::error::Iperf3Error;
use serde_json::{Value, json};

/// More bytes, packets or errors than any stream has.
const MOST: f64 = 1e18;
/// Longer than any test, seconds.
const LONGEST_S: f64 = 90_000.0;
/// Letters of a version.
const MOST_VERSION: usize = 16;

/// One end's results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Results {
    /// Processor time of the process, per cent of one core.
    pub cpu_percent: Option<f64>,
    /// Whether `retransmits` means something: it is a sender's that counts them.
    pub has_retransmits: bool,
    /// Congestion control in use.
    pub congestion: Option<String>,
    /// The version of the program, where its output came along and tells it.
    pub version: Option<String>,
    /// One per stream.
    pub streams: Vec<StreamResult>,
}

/// What one end says of one stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StreamResult {
    /// Which stream: see [`stream_id`].
    pub id: u64,
    /// Bytes sent or received by the application.
    pub bytes: u64,
    /// Segments sent again; `None` where nobody counts them.
    pub retransmits: Option<u64>,
    /// UDP, receiver: delay variation (RFC 3550), seconds.
    pub jitter_s: f64,
    /// UDP, receiver: datagrams lost.
    pub lost: u64,
    /// UDP, sender: datagrams sent. Receiver: the largest number that came.
    pub packets: u64,
    /// Of `lost` and `packets`, those of the time that counts for no mean.
    pub omitted_lost: u64,
    /// See `omitted_lost`.
    pub omitted_packets: u64,
    /// From the start of the test to its end by this end's clock, seconds; old versions do not tell.
    pub length_s: Option<f64>,
}

/// The number that both ends give a stream, counted from 0: 1, 3, 4, 5 and on.
#[must_use]
pub fn stream_id(stream: u16) -> u64 {
    match stream {
        0 => 1,
        later => u64::from(later) + 2,
    }
}

impl Results {
    /// Bytes of all streams.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.streams.iter().fold(0, |sum, s| sum.saturating_add(s.bytes))
    }

    /// Segments sent again over all streams; `None` unless all tell.
    #[must_use]
    pub fn retransmits(&self) -> Option<u64> {
        let all: Option<Vec<u64>> = self.streams.iter().map(|s| s.retransmits).collect();
        let sum = |all: Vec<u64>| all.into_iter().fold(0, u64::saturating_add);
        all.filter(|_| self.has_retransmits).map(sum)
    }

    /// The longest stream, nanoseconds; `None` where the server does not tell.
    #[must_use]
    pub fn length_ns(&self) -> Option<u64> {
        let lengths = self.streams.iter().filter_map(|s| s.length_s);
        let longest = lengths.fold(0.0, f64::max);
        (longest > 0.0).then_some((longest * 1e9) as u64)
    }

    /// Reads what the other end says of a test of `streams`.
    ///
    /// # Errors
    /// No results, or figures that no transfer can have.
    pub fn read(text: &[u8], streams: u16) -> Result<Self, Iperf3Error> {
        let wrong = Iperf3Error::Results;
        let told: Value = serde_json::from_slice(text).map_err(|_| wrong("they are no JSON"))?;
        let list = told.get("streams").and_then(Value::as_array);
        let list = list.ok_or(wrong("they tell of no streams"))?;
        if list.len() != usize::from(streams) {
            return Err(wrong("they tell of another number of streams than were opened"));
        }
        let streams: Option<Vec<StreamResult>> = list.iter().map(stream).collect();
        let retransmits = told.get("sender_has_retransmits").and_then(Value::as_f64);
        Ok(Self {
            cpu_percent: number(&told, "cpu_util_total", 1e6),
            has_retransmits: retransmits == Some(1.0),
            congestion: told
                .get("congestion_used")
                .and_then(Value::as_str)
                .and_then(plain),
            version: version(&told),
            streams: streams.ok_or(wrong("a figure is missing, or no transfer can have it"))?,
        })
    }

    /// As they are sent.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let stream = |s: &StreamResult| {
            json!({
                "id": s.id,
                "bytes": s.bytes,
                // "Nobody counts" is -1, as a server without such a counter has it.
                "retransmits": s.retransmits.map_or(-1, |n| i64::try_from(n).unwrap_or(i64::MAX)),
                "jitter": s.jitter_s,
                "errors": s.lost,
                "omitted_errors": s.omitted_lost,
                "packets": s.packets,
                "omitted_packets": s.omitted_packets,
                "start_time": 0,
                "end_time": s.length_s.unwrap_or(0.0),
            })
        };
        let cpu = self.cpu_percent.unwrap_or(0.0);
        let mut told = json!({
            "cpu_util_total": cpu,
            "cpu_util_user": 0.0,
            "cpu_util_system": cpu,
            "sender_has_retransmits": i32::from(self.has_retransmits),
            "streams": self.streams.iter().map(stream).collect::<Vec<Value>>(),
        });
        if let (Some(name), Some(fields)) = (&self.congestion, told.as_object_mut()) {
            fields.insert("congestion_used".to_owned(), json!(name));
        }
        told.to_string().into_bytes()
    }
}

fn stream(told: &Value) -> Option<StreamResult> {
    let count = |name: &str| number(told, name, MOST).map(|n| n as u64);
    // A loss below zero is one that late packets made good more than once.
    let lost = told.get("errors").and_then(Value::as_f64)?.clamp(0.0, MOST) as u64;
    let start_s = number(told, "start_time", LONGEST_S);
    let end_s = number(told, "end_time", LONGEST_S);
    Some(StreamResult {
        id: count("id")?,
        bytes: exact(told, "bytes")?,
        // -1, which some versions write as the largest unsigned number: nobody counts.
        retransmits: count("retransmits"),
        jitter_s: number(told, "jitter", LONGEST_S)?,
        lost,
        // Who asks for a test here leaves nothing out.
        omitted_lost: 0,
        omitted_packets: 0,
        packets: exact(told, "packets")?,
        length_s: end_s.map(|end| (end - start_s.unwrap_or(0.0)).max(0.0)),
    })
}

/// A figure between 0 and `most`; `None` where it is missing or another.
fn number(told: &Value, name: &str, most: f64) -> Option<f64> {
    let number = told.get(name)?.as_f64()?;
    (0.0..=most).contains(&number).then_some(number)
}

/// A count that may be larger than what a float holds exactly.
fn exact(told: &Value, name: &str) -> Option<u64> {
    let rough = number(told, name, MOST)? as u64;
    Some(told.get(name)?.as_u64().unwrap_or(rough))
}

/// "3.12" of "iperf 3.12", in the server's output as JSON or as text.
fn version(told: &Value) -> Option<String> {
    let as_json = told.pointer("/server_output_json/start/version");
    let text = as_json.or_else(|| told.get("server_output_text"))?.as_str()?;
    let (_, rest) = text.split_once("iperf ")?;
    plain(rest.split_whitespace().next()?).filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

/// A word of a stranger: nothing that a terminal would obey, and no longer than such words are.
fn plain(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    (!word.is_empty() && word.len() <= MOST_VERSION && word.chars().all(is_plain)).then(|| word.to_owned())
}
