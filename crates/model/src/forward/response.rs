//! The rate of TCP under random loss.

use crate::Control;
use libm::{pow, sqrt};

/// What the response functions need of a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Connection {
    /// Segment size, bytes.
    pub mss_bytes: f64,
    /// Round-trip time, seconds.
    pub rtt_s: f64,
    /// Congestion control of the sender.
    pub control: Control,
}

/// Linux adds its least variance, 200 ms, to the round-trip time for the retransmission timeout.
const LEAST_TIMEOUT_VARIANCE_S: f64 = 0.2;

/// The least retransmission timeout of RFC 6298 (2.4), which many systems keep to.
pub const STANDARD_TIMEOUT_S: f64 = 1.0;

impl Connection {
    /// Rate, bit/s, of Padhye, Firoiu, Towsley and Kurose (1998, equation 30) with one acknowledgement a segment and a
    /// retransmission timeout of `timeout_s`. For small loss it is MSS/RTT · 1.22/√p (Mathis, Semke, Mahdavi and Ott 1997,
    /// equation 3); timeouts matter above 1 % loss.
    #[must_use]
    pub fn pftk_bps(&self, loss_ratio: f64, timeout_s: f64) -> f64 {
        let p = loss_ratio.clamp(1e-12, 0.9);
        let recovery_s = self.rtt_s * sqrt(2.0 * p / 3.0);
        let timeouts_s = timeout_s * f64::min(1.0, 3.0 * sqrt(3.0 * p / 8.0)) * p * (1.0 + 32.0 * p * p);
        8.0 * self.mss_bytes / (recovery_s + timeouts_s)
    }

    /// Share of its time that a connection waits for timeouts, in the same model.
    #[must_use]
    pub fn share_of_timeouts(&self, loss_ratio: f64) -> f64 {
        let timeout_s = self.rtt_s + LEAST_TIMEOUT_VARIANCE_S;
        1.0 - self.pftk_bps(loss_ratio, timeout_s) / self.pftk_bps(loss_ratio, 0.0)
    }

    /// Reno's rate, bit/s, with the timeouts of Linux.
    #[must_use]
    pub fn reno_bps(&self, loss_ratio: f64) -> f64 {
        self.pftk_bps(loss_ratio, self.rtt_s + LEAST_TIMEOUT_VARIANCE_S)
    }

    /// CUBIC's rate, bit/s: 1.054 · (RTT/p)^¾ · MSS/RTT (RFC 9438 section 5.1), never below Reno's (section 4.3).
    #[must_use]
    pub fn cubic_bps(&self, loss_ratio: f64) -> f64 {
        let p = loss_ratio.clamp(1e-12, 0.9);
        let cubic = 8.0 * 1.054 * pow(self.rtt_s / p, 0.75) * self.mss_bytes / self.rtt_s;
        let reno = self.reno_bps(p);
        // With much loss there is no time for the cubic function: both are governed by timeouts.
        if p > 0.02 { reno } else { f64::max(cubic, reno) }
    }

    /// The rate that this congestion control reaches under random loss; `None` where loss hardly slows it.
    #[must_use]
    pub fn under_loss_bps(&self, loss_ratio: f64) -> Option<f64> {
        match self.control {
            Control::Reno => Some(self.reno_bps(loss_ratio)),
            Control::Cubic | Control::Unknown => Some(self.cubic_bps(loss_ratio)),
            // BBR takes up to some 15 % of loss for noise (measured: full rate at 15 %); then it breaks down.
            Control::Bbr => (loss_ratio > 0.15).then(|| self.reno_bps(loss_ratio)),
        }
    }

    /// The loss ratio under which the rate is `bps`: more cannot be on the path. `None` where loss hardly slows it.
    #[must_use]
    pub fn loss_allowing(&self, bps: f64) -> Option<f64> {
        let (mut low, mut high) = (1e-12_f64, 0.5_f64);
        for _ in 0..80 {
            let middle = sqrt(low * high);
            if self.under_loss_bps(middle)? > bps {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(sqrt(low * high))
    }
}

/// The rate, bit/s, of a window that is filled once a round trip (RFC 6349 section 3.3.1).
#[must_use]
pub fn window_bps(window_bytes: f64, rtt_s: f64) -> f64 {
    8.0 * window_bytes / rtt_s
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measured with Linux kernels over an emulated link of 1 Gbit/s, Mbit/s, one connection each: within 40 %.
    #[test]
    fn agrees_with_kernels() {
        for (rtt_s, p, reno, cubic) in [
            (0.020, 1e-3, 23.5, 22.9),
            (0.020, 1e-4, 78.6, 76.5),
            (0.060, 1e-3, 7.4, 7.9),
            (0.060, 1e-4, 24.6, 30.9),
            (0.128, 1e-4, 12.9, 18.7),
        ] {
            for (control, measured) in [(Control::Reno, reno), (Control::Cubic, cubic)] {
                let connection = Connection {
                    mss_bytes: 1448.0,
                    rtt_s,
                    control,
                };
                let predicted = connection.under_loss_bps(p).unwrap() / 1e6;
                let ratio = predicted / measured;
                assert!(
                    (0.6..1.67).contains(&ratio),
                    "{control:?} {rtt_s} {p}: {predicted} {measured}"
                );
            }
        }
    }

    #[test]
    fn more_loss_is_never_faster() {
        for control in [Control::Reno, Control::Cubic] {
            let connection = Connection {
                mss_bytes: 1448.0,
                rtt_s: 0.05,
                control,
            };
            let rates: Vec<f64> = (0..40)
                .filter_map(|i| connection.under_loss_bps(1e-7 * pow(1.5, f64::from(i))))
                .collect();
            assert!(rates.windows(2).all(|two| two[1] <= two[0]), "{control:?}");
        }
    }

    #[test]
    fn the_inverse_undoes_the_function() {
        for control in [Control::Reno, Control::Cubic] {
            let connection = Connection {
                mss_bytes: 8948.0,
                rtt_s: 0.128,
                control,
            };
            for loss in [1e-2, 1e-4, 2e-5, 1e-7] {
                let rate = connection.under_loss_bps(loss).unwrap();
                let back = connection.loss_allowing(rate).unwrap();
                assert!((back / loss - 1.0).abs() < 1e-6, "{control:?} {loss} {back}");
            }
        }
    }
}
