//! Round places on an axis, with SI prefixes.

/// Where ticks stand, and what is written there.
pub(super) struct Axis {
    /// Values in the unit of the data, and their labels in [`Axis::unit`].
    pub(super) ticks: Vec<(f64, String)>,
    /// With its prefix.
    pub(super) unit: String,
}

impl Axis {
    /// At most about `most` ticks from `low` to `high`; one unit of the data is `scale` of `unit`.
    pub(super) fn new(low: f64, high: f64, most: f64, unit: &str, scale: f64) -> Self {
        let step = round_step((high - low) / most.max(1.0));
        let size = low.abs().max(high.abs()) * scale;
        let prefixes = [
            (1e15, "P"),
            (1e12, "T"),
            (1e9, "G"),
            (1e6, "M"),
            (1e3, "k"),
            (1.0, ""),
            (1e-3, "m"),
            (1e-6, "µ"),
            (1e-9, "n"),
        ];
        // Nobody writes kiloseconds, or millibytes.
        let fits = |factor: f64| if unit == "s" { factor <= 1.0 } else { factor >= 1.0 };
        let mut usable = prefixes.into_iter().filter(|(factor, _)| fits(*factor));
        let (factor, prefix) = usable.find(|(factor, _)| size >= *factor).unwrap_or((1.0, ""));
        let mut ticks = Vec::new();
        let mut at = (low / step).ceil() * step;
        while at <= high && ticks.len() < 50 {
            let text = format!("{:.3}", at * scale / factor);
            let text = text.trim_end_matches('0').trim_end_matches('.');
            let text = if text == "-0" { "0" } else { text };
            ticks.push((at, text.to_owned()));
            at += step;
        }
        Self {
            ticks,
            unit: format!("{prefix}{unit}"),
        }
    }
}

/// 1, 2 or 5 times a power of ten, no less than `rough`.
fn round_step(rough: f64) -> f64 {
    if !(rough.is_finite() && rough > 0.0) {
        return 1.0;
    }
    let mut power = 1.0;
    while power * 10.0 <= rough {
        power *= 10.0;
    }
    while power > rough {
        power /= 10.0;
    }
    let steps = [1.0, 2.0, 5.0].map(|n| n * power);
    steps
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let axis = Axis::new(0.0, 7.3e9, 5.0, "B", 1.0);
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!((labels, axis.unit.as_str()), (vec!["0", "2", "4", "6"], "GB"));
        let axis = Axis::new(0.0, 45e6, 6.0, "s", 1e-9);
        assert_eq!(axis.ticks.len(), 5);
        assert_eq!(axis.unit, "ms");
    }

    #[test]
    fn no_range_is_no_trouble() {
        assert!(Axis::new(3.0, 3.0, 5.0, "B", 1.0).ticks.len() < 3);
        assert!(Axis::new(f64::NAN, f64::NAN, 5.0, "B", 1.0).ticks.is_empty());
    }
}
