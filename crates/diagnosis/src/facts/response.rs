//! Response functions: the rate that a TCP sender can hold at a given loss ratio, round-trip time and segment size.
//!
//! They turn "there is loss" into "this loss allows 69 Mbit/s", which is what separates a cause from a blemish.

use evidence::RateBps;

/// Families of congestion control that answer loss alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CongestionControl {
    /// Halves its window on loss (RFC 5681).
    Reno,
    /// RFC 9438.
    Cubic,
    /// Model-based: takes no notice of a few per cent of random loss.
    Bbr,
    /// Loss-based in some other way, or unknown: between Reno and several times CUBIC.
    Other,
}

impl CongestionControl {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "reno" | "newreno" => Self::Reno,
            "cubic" => Self::Cubic,
            name if name.starts_with("bbr") => Self::Bbr,
            _ => Self::Other,
        }
    }
}

/// What a response function needs to know of a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Connection {
    pub(crate) control: CongestionControl,
    pub(crate) mss_bytes: u32,
    pub(crate) rtt_s: f64,
}

/// Linux adds its least variance, 200 ms, to the round-trip time for the retransmission timeout.
const LEAST_TIMEOUT_VARIANCE_S: f64 = 0.2;

/// The least retransmission timeout of RFC 6298 (2.4), which many systems keep to.
pub(crate) const STANDARD_TIMEOUT_S: f64 = 1.0;

impl Connection {
    /// Rate of Padhye, Firoiu, Towsley and Kurose (1998) with one acknowledgement a segment (b = 1). For small loss it is
    /// that of Mathis, Semke, Mahdavi and Ott (1997) with C = √(3/2) = 1.22; timeouts matter above 1 % loss.
    pub(crate) fn pftk_bps(&self, loss: f64) -> f64 {
        self.pftk_with_timeout_bps(loss, self.rtt_s + LEAST_TIMEOUT_VARIANCE_S)
    }

    /// The same with a retransmission timeout of `timeout_s`: systems differ in how short theirs may get.
    pub(crate) fn pftk_with_timeout_bps(&self, loss: f64, timeout_s: f64) -> f64 {
        let recovery_s = self.rtt_s * (2.0 * loss / 3.0).sqrt();
        let timeouts_s =
            timeout_s * (3.0 * (3.0 * loss / 8.0).sqrt()).min(1.0) * loss * (1.0 + 32.0 * loss * loss);
        f64::from(self.mss_bytes) * 8.0 / (recovery_s + timeouts_s)
    }

    /// Rate of CUBIC, RFC 9438 section 5.1: its average window is (C·(3+β)/(4·(1−β)))^¼·(RTT/p)^¾ = 1.054·(RTT/p)^¾
    /// segments; in the Reno-friendly region it is Reno's. In the lab this held within 30 %.
    pub(crate) fn cubic_bps(&self, loss: f64) -> f64 {
        let window_segments = 1.054 * (self.rtt_s / loss).powf(0.75);
        self.pftk_bps(loss).max(self.segment_rate_bps() * window_segments)
    }

    /// The rate that loss alone allows; `None` where no response function holds (BBR under its tolerance) or there is
    /// no loss to speak of.
    pub(crate) fn allowed(&self, loss: f64) -> Option<RateBps> {
        if loss <= 0.0 || self.rtt_s <= 0.0 {
            return None;
        }
        match self.control {
            CongestionControl::Reno => Some(RateBps(self.pftk_bps(loss))),
            CongestionControl::Cubic => Some(RateBps(self.cubic_bps(loss))),
            // Between the two; the rule widens the range for it.
            CongestionControl::Other => Some(RateBps((self.pftk_bps(loss) * self.cubic_bps(loss)).sqrt())),
            CongestionControl::Bbr => None,
        }
    }

    /// The loss ratio at which [`Self::allowed`] is `rate`: what must be excluded before loss is. `None` for BBR.
    pub(crate) fn loss_allowing(&self, rate: RateBps) -> Option<f64> {
        self.allowed(0.5)?;
        if rate.0 <= 0.0 {
            return None;
        }
        let (mut low, mut high) = (1e-12_f64, 0.5_f64);
        for _ in 0..80 {
            let middle = (low * high).sqrt();
            if self.allowed(middle)?.0 > rate.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some((low * high).sqrt())
    }

    fn segment_rate_bps(&self) -> f64 {
        f64::from(self.mss_bytes) * 8.0 / self.rtt_s
    }
}

/// The rate of a window that is filled once a round trip.
pub(crate) fn window_rate(window_bytes: u64, rtt_s: f64) -> Option<RateBps> {
    (rtt_s > 0.0).then(|| RateBps(window_bytes as f64 * 8.0 / rtt_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lab's own table (link 1 Gbit/s, MTU 1500; Mbit/s measured with CUBIC and Reno): every cell within a factor
    /// of 1.6, the tolerance of the loss rule being 2.
    #[test]
    fn predictions_agree_with_what_kernels_did() {
        let cells = [
            (20.0, 1e-3, 23.5, 22.9),
            (20.0, 1e-4, 78.6, 76.5),
            (20.0, 1e-5, 244.0, 248.0),
            (60.0, 1e-3, 7.4, 7.9),
            (60.0, 1e-4, 24.6, 30.9),
            (60.0, 1e-5, 86.0, 155.0),
            (128.0, 1e-3, 4.3, 4.6),
            (128.0, 1e-4, 12.9, 18.7),
            (128.0, 1e-5, 30.3, 113.0),
        ];
        for (rtt_ms, loss, reno, cubic) in cells {
            for (control, measured) in [(CongestionControl::Reno, reno), (CongestionControl::Cubic, cubic)] {
                let connection = Connection {
                    control,
                    mss_bytes: 1448,
                    rtt_s: rtt_ms / 1e3,
                };
                let predicted = connection.allowed(loss).unwrap().0 / 1e6;
                let ratio = predicted / measured;
                assert!(
                    (0.625..1.6).contains(&ratio),
                    "{control:?} {rtt_ms} ms {loss}: {predicted} for {measured}"
                );
            }
        }
    }

    #[test]
    fn the_inverse_undoes_the_function() {
        for control in [
            CongestionControl::Reno,
            CongestionControl::Cubic,
            CongestionControl::Other,
        ] {
            let connection = Connection {
                control,
                mss_bytes: 8948,
                rtt_s: 0.128,
            };
            for loss in [1e-2, 1e-4, 2e-5, 1e-7] {
                let back = connection
                    .loss_allowing(connection.allowed(loss).unwrap())
                    .unwrap();
                assert!((back / loss - 1.0).abs() < 1e-6, "{control:?} {loss} {back}");
            }
        }
    }

    #[test]
    fn bbr_has_no_response_function() {
        let connection = Connection {
            control: CongestionControl::named("bbr"),
            mss_bytes: 1448,
            rtt_s: 0.1,
        };
        assert_eq!(connection.allowed(1e-3), None);
        assert_eq!(connection.loss_allowing(RateBps(1e8)), None);
    }
}
