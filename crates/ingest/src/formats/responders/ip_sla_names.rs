//! What Cisco calls the figures of IP SLA: IOS in words, IOS XR in words without blanks.

pub(super) const RTT: &str = "RTT Min/Avg/Max";
pub(super) const THERE: &str = "Source to Destination Latency one way Min/Avg/Max";
pub(super) const BACK: &str = "Destination to Source Latency one way Min/Avg/Max";
pub(super) const ANSWERED: &str = "Number Of RTT";
pub(super) const ONE_WAY: &str = "Number of Latency one-way Samples";
pub(super) const LOST_THERE: &str = "Loss Source to Destination";
pub(super) const LOST_BACK: &str = "Loss Destination to Source";
pub(super) const LOST_SOMEWHERE: &str = "Tail Drop";
pub(super) const LATEST: &str = "Latest RTT";
pub(super) const STARTED: &str = "Latest operation start time";
pub(super) const TYPE: &str = "Type of operation";
pub(super) const CODE: &str = "Latest operation return code";
pub(super) const SHAKEN: &str = "Latest TCP Connection RTT";
pub(super) const WELL: &str = "Number of successes";
pub(super) const BADLY: &str = "Number of failures";
pub(super) const OUT_OF_ORDER: &str = "Out Of Sequence";
pub(super) const LATE: &str = "Packet Late Arrival";
pub(super) const SKIPPED: &str = "Packet Skipped";

/// Of `aggregated`: an hour, of which the figures below are.
pub(super) const HOUR: &str = "Start Time Index";
/// IOS XR has names of one word for the same, and each end of a range apart; Eltex has its own, and a range of all operations.
pub(super) const OTHERS: &[(&str, &str)] = &[
    ("Latest latency value", LATEST),
    ("Latency Min/Avg/Max", RTT),
    ("NumOfRTT", ANSWERED),
    ("NumOfOW", ONE_WAY),
    ("PacketLossSD", LOST_THERE),
    ("PacketLossDS", LOST_BACK),
    ("PacketMIA", LOST_SOMEWHERE),
    ("PacketOutOfSequence", OUT_OF_ORDER),
    ("PacketLateArrival", LATE),
    ("PacketSkipped", SKIPPED),
];
pub(super) const RTT_APART: [&str; 3] = ["RTTMin", "RTTAvg", "RTTMax"];
pub(super) const THERE_APART: [&str; 3] = ["OWMinSD", "OWAvgSD", "OWMaxSD"];
pub(super) const BACK_APART: [&str; 3] = ["OWMinDS", "OWAvgDS", "OWMaxDS"];

/// Every name, those that are not used among them.
pub(super) const NAMES: &[&str] = &[
    HOUR,
    "Latest latency value",
    "Latency Min/Avg/Max",
    "Number of operations",
    "Failed operations due to TimeOut/Unable Send/Bad Reply",
    "Failed operations due to Unreachable Net/Host/Protocol",
    "Failed operations due to Exceeded TTL/Time of reassembly",
    "NumOfRTT",
    "NumOfOW",
    "PacketLossSD",
    "PacketLossDS",
    "PacketMIA",
    "PacketOutOfSequence",
    "PacketLateArrival",
    "PacketSkipped",
    "RTTMin",
    "RTTAvg",
    "RTTMax",
    "RTTSum",
    "RTTSum2",
    "OWMinSD",
    "OWAvgSD",
    "OWMaxSD",
    "OWSumSD",
    "OWSum2SD",
    "OWMinDS",
    "OWAvgDS",
    "OWMaxDS",
    "OWSumDS",
    "OWSum2DS",
    "Errors",
    "Busies",
    "InvalidTimestamp",
    "MinOfPositivesSD",
    "MaxOfPositivesSD",
    "NumOfPositivesSD",
    "SumOfPositivesSD",
    "Sum2PositivesSD",
    "MinOfNegativesSD",
    "MaxOfNegativesSD",
    "NumOfNegativesSD",
    "SumOfNegativesSD",
    "Sum2NegativesSD",
    "MinOfPositivesDS",
    "MaxOfPositivesDS",
    "NumOfPositivesDS",
    "SumOfPositivesDS",
    "Sum2PositivesDS",
    "MinOfNegativesDS",
    "MaxOfNegativesDS",
    "NumOfNegativesDS",
    "SumOfNegativesDS",
    "Sum2NegativesDS",
    "JitterAve",
    "JitterSDAve",
    "JitterDSAve",
    "Interarrival jitterout",
    "Interarrival jitterin",
    "Modification time",
    "Start time",
    "Number of operations attempted",
    "Number of operations skipped",
    "Current seconds left in Life",
    "Operational frequency(seconds)",
    "Connection loss occurred",
    "Timeout occurred",
    "Latest RTT (milliseconds)",
    "Next operation start time",
    "MinOfICPIF",
    "MaxOfICPIF",
    "MinOfMOS",
    "MaxOfMOS",
    "Number of Failed Operations due to a Disconnect",
    "Number of Failed Operations due to a Timeout",
    "Number of Failed Operations due to a Busy",
    "Number of Failed Operations due to a No Connection",
    "Number of Failed Operations due to an Internal Error",
    "Number of Failed Operations due to a Sequence Error",
    "Number of Failed Operations due to a Verify Error",
    RTT,
    THERE,
    BACK,
    ANSWERED,
    ONE_WAY,
    LOST_THERE,
    LOST_BACK,
    LOST_SOMEWHERE,
    LATEST,
    STARTED,
    TYPE,
    WELL,
    BADLY,
    OUT_OF_ORDER,
    LATE,
    SKIPPED,
    "Number Of RTT Over Threshold",
    "Source to Destination Latency one way Sum/Sum2",
    "Destination to Source Latency one way Sum/Sum2",
    "Number of SD Jitter Samples",
    "Number of DS Jitter Samples",
    "Number of Jitter Samples",
    "Source to Destination Jitter Min/Avg/Max",
    "Destination to Source Jitter Min/Avg/Max",
    "Source to Destination Loss Periods Number",
    "Source to Destination Loss Period Length Min/Max",
    "Source to Destination Inter Loss Period Length Min/Max",
    "Destination to Source Loss Periods Number",
    "Destination to Source Loss Period Length Min/Max",
    "Destination to Source Inter Loss Period Length Min/Max",
    "Calculated Planning Impairment Factor (ICPIF)",
    "Calculated Planning Impairment Factor",
    "Mean Opinion Score (MOS)",
    "MOS score",
    "ICPIF",
    CODE,
    SHAKEN,
    "Latest DNS RTT",
    "Latest HTTP Transaction RTT",
    "DNS RTT",
    "TCP Connection RTT",
    "HTTP Transaction RTT",
    "Over thresholds occurred",
    "Operation time to live",
    "Operational state of entry",
    "Last time this entry was reset",
];

/// Whether operations that ask a web server have it, of the last time or of an hour.
pub(super) fn is_of_server_name(name: &str) -> bool {
    ["DNS RTT", "TCP Connection RTT", "HTTP Transaction RTT"]
        .iter()
        .any(|of_server| name.ends_with(of_server))
}
