//! Which congestion control, as far as losses show it.

use serde::Serialize;

/// How the sender reacts to losses.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Control {
    /// What a loss left of the bytes on the way, mean of the recoveries in which nothing else limited the flight.
    pub left: Option<f64>,
    /// Their standard deviation.
    pub left_spread: f64,
    /// Such recoveries.
    pub recoveries: u32,
    /// What that is like.
    pub family: Option<ControlFamily>,
}

/// Families of congestion control that a capture can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlFamily {
    /// Halves its window on a loss (RFC 5681).
    Reno,
    /// Leaves 0.7 of it (RFC 9438 section 4.6).
    Cubic,
    /// Goes on as before: it follows a model of the path and not losses, as BBR does.
    Unreactive,
}

/// What losses left of the flight.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cuts {
    count: u32,
    sum: f64,
    squares: f64,
}

/// One recovery may be spoilt by a second loss within it; three that agree are not.
const LEAST: u32 = 3;
/// Half of the distance between the factors of Reno and CUBIC: further off is neither.
const PLAY: f64 = 0.1;
/// Spread above which they do not agree.
const MOST_SPREAD: f64 = 0.15;

impl Cuts {
    pub(super) fn add(&mut self, left: f64) {
        // The flight may be small for other reasons, or have grown for long.
        if (0.2..=1.5).contains(&left) {
            self.count = self.count.saturating_add(1);
            self.sum += left;
            self.squares += left * left;
        }
    }

    pub(super) fn told(&self, is_paced: bool) -> Control {
        if self.count == 0 {
            return Control::default();
        }
        let count = f64::from(self.count);
        let mean = self.sum / count;
        let spread = (self.squares / count - mean * mean).max(0.0).sqrt();
        let is_told = self.count >= LEAST && spread <= MOST_SPREAD;
        let family = match mean {
            _ if !is_told => None,
            mean if (mean - 0.5).abs() < PLAY => Some(ControlFamily::Reno),
            mean if (mean - 0.7).abs() <= PLAY => Some(ControlFamily::Cubic),
            mean if mean >= 0.9 && is_paced => Some(ControlFamily::Unreactive),
            _ => None,
        };
        Control {
            left: Some(mean),
            left_spread: spread,
            recoveries: self.count,
            family,
        }
    }
}
