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

/// Reno's rate, bit/s: MSS/RTT · 1.22/√p (Mathis, Semke, Mahdavi and Ott 1997, equation 3), with the retransmission
/// timeouts of much loss (Padhye, Firoiu, Towsley and Kurose 1998, equation 30, RTO 0.2 s as Linux's least).
#[must_use]
pub fn reno_bps(connection: &Connection, loss_ratio: f64) -> f64 {
    let Connection { mss_bytes, rtt_s, .. } = *connection;
    let p = loss_ratio.clamp(1e-9, 0.9);
    let rto_s = f64::max(0.2, 2.0 * rtt_s);
    let recovery = rtt_s * sqrt(2.0 * p / 3.0);
    let timeouts = rto_s * f64::min(1.0, 3.0 * sqrt(3.0 * p / 8.0)) * p * (1.0 + 32.0 * p * p);
    8.0 * mss_bytes / (recovery + timeouts)
}

/// CUBIC's rate, bit/s: 1.054 · (RTT/p)^¾ · MSS/RTT (RFC 9438 section 5.1), never below Reno's (section 4.3).
#[must_use]
pub fn cubic_bps(connection: &Connection, loss_ratio: f64) -> f64 {
    let Connection { mss_bytes, rtt_s, .. } = *connection;
    let p = loss_ratio.clamp(1e-9, 0.9);
    let cubic = 8.0 * 1.054 * pow(rtt_s / p, 0.75) * mss_bytes / rtt_s;
    let reno = reno_bps(connection, p);
    // With much loss there is no time for the cubic function: both are governed by timeouts.
    if p > 0.02 { reno } else { f64::max(cubic, reno) }
}

impl Connection {
    /// The rate that this congestion control reaches under random loss; `None` where loss hardly slows it.
    #[must_use]
    pub fn under_loss_bps(&self, loss_ratio: f64) -> Option<f64> {
        match self.control {
            Control::Reno => Some(reno_bps(self, loss_ratio)),
            Control::Cubic | Control::Unknown => Some(cubic_bps(self, loss_ratio)),
            // BBR takes up to some 15 % of loss for noise (measured: full rate at 15 %); then it breaks down.
            Control::Bbr => (loss_ratio > 0.15).then(|| reno_bps(self, loss_ratio)),
        }
    }
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
}
