//! A path whose loss, rate and round-trip time were measured every hour for ten days; on the sixth something begins.

use super::records::{complaint, record};
use evidence::v1::{Case, Node, Payload, Series, SeriesMetric, Timestamp};

const HOURS: i64 = 240;
const BEGINS: i64 = 130;

/// Values before and behind the step.
pub struct Levels {
    pub loss: (f64, f64),
    pub rate_mbps: (f64, f64),
    /// `None`: nobody measured it.
    pub rtt_ms: Option<f64>,
}

/// A value an hour, off its level by up to a tenth in a way that never changes.
fn series(metric: SeriesMetric, (before, behind): (f64, f64)) -> Payload {
    let point = |hour: i64| {
        let level = if hour < BEGINS { before } else { behind };
        let turn = (hour as f64 * 12.9898).sin() * 43_758.545;
        let noise = 1.0 + 0.1 * turn.fract();
        (Timestamp(hour * 3_600_000_000_000), level * noise)
    };
    Payload::Series(Series {
        from: Node::named("a.example"),
        to: Node::named("b.example"),
        metric,
        points: (0..HOURS).map(point).collect(),
    })
}

pub fn case(levels: &Levels) -> Case {
    let mut case = complaint("a.example", "b.example", Some(400e6));
    let mut add = |payload| record(&mut case, 1, "series", payload);
    let (before, behind) = levels.rate_mbps;
    add(series(SeriesMetric::Throughput, (before * 1e6, behind * 1e6)));
    add(series(SeriesMetric::LossRatio, levels.loss));
    if let Some(ms) = levels.rtt_ms {
        add(series(SeriesMetric::Rtt, (ms / 1e3, ms / 1e3)));
    }
    case
}
