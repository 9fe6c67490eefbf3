//! How what is drawn looks. The colours are those of the page by day.

use crate::causes::Label;

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Rgb(pub(in super::super) [u8; 3]);

impl Rgb {
    const fn of(hex: u32) -> Self {
        let [_, red, green, blue] = hex.to_be_bytes();
        Self([red, green, blue])
    }
}

impl std::fmt::Display for Rgb {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self([red, green, blue]) = self;
        write!(out, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Of what is written strong.
pub(in super::super) const INK: Rgb = Rgb::of(0x19_1d23);
/// Of all other words.
pub(in super::super) const SOFT: Rgb = Rgb::of(0x5b_6470);
/// Behind all.
pub(in super::super) const WHITE: Rgb = Rgb::of(0xff_ffff);

/// What a shape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Class {
    Data,
    Ack,
    Window,
    Sack,
    /// Lost, or sent again.
    Bad,
    /// Sent again because the timer ran out.
    Timeout,
    Odd,
    /// Bounds of packets that were not kept.
    Pale,
    Hair,
    Base,
    Cause(Label),
}

/// A pen's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Stroke {
    pub(in super::super) color: Rgb,
    pub(in super::super) width: f64,
}

/// A brush's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Fill {
    pub(in super::super) color: Rgb,
    pub(in super::super) opacity: f64,
}

impl Class {
    pub(in super::super) const ALL: [Self; 19] = [
        Self::Data,
        Self::Ack,
        Self::Window,
        Self::Sack,
        Self::Bad,
        Self::Timeout,
        Self::Odd,
        Self::Pale,
        Self::Hair,
        Self::Base,
        Self::Cause(Label::Application),
        Self::Cause(Label::SendBuffer),
        Self::Cause(Label::ReceiverWindow),
        Self::Cause(Label::Bottleneck),
        Self::Cause(Label::LossRecovery),
        Self::Cause(Label::SlowStart),
        Self::Cause(Label::PathMtuStall),
        Self::Cause(Label::Idle),
        Self::Cause(Label::Unknown),
    ];

    pub(in super::super) fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Ack => "ack",
            Self::Window => "window",
            Self::Sack => "sack",
            Self::Bad => "bad",
            Self::Timeout => "rto",
            Self::Odd => "odd",
            Self::Pale => "pale",
            Self::Hair => "hair",
            Self::Base => "base",
            Self::Cause(label) => label_name(label),
        }
    }

    /// `None` where only its inside is painted.
    pub(in super::super) fn stroke(self) -> Option<Stroke> {
        let (color, width) = match self {
            Self::Data => (0x22_303f, 1.0),
            Self::Ack => (0x0a_7d5c, 1.0),
            Self::Window => (0xb0_7a00, 1.0),
            Self::Sack => (0x8a_5cc7, 1.0),
            Self::Bad => (0xd3_301f, 1.5),
            Self::Timeout => (0xb5_007c, 2.0),
            Self::Odd => (0x1f_78c8, 1.5),
            Self::Hair => (0xec_eff2, 1.0),
            Self::Base => (0xb9_c1cb, 1.0),
            Self::Pale | Self::Cause(_) => return None,
        };
        Some(Stroke {
            color: Rgb::of(color),
            width,
        })
    }

    /// `None` where only its outline is painted.
    pub(in super::super) fn fill(self) -> Option<Fill> {
        let (color, opacity) = match self {
            Self::Pale => (0x22_303f, 0.15),
            Self::Cause(label) => (label_color(label), 0.7),
            _ => return None,
        };
        Some(Fill {
            color: Rgb::of(color),
            opacity,
        })
    }
}

fn label_color(label: Label) -> u32 {
    match label {
        Label::Application => 0x1f_78c8,
        Label::SendBuffer => 0x5b_4bb5,
        Label::ReceiverWindow => 0xb0_7a00,
        Label::Bottleneck => 0x8f_a0b3,
        Label::LossRecovery => 0xd3_301f,
        Label::SlowStart => 0x0a_7d5c,
        Label::PathMtuStall => 0xb5_007c,
        Label::Idle => 0xdf_e3e8,
        Label::Unknown => 0x7d_8793,
    }
}

fn label_name(label: Label) -> &'static str {
    match label {
        Label::Application => "application",
        Label::SendBuffer => "send-buffer",
        Label::ReceiverWindow => "receiver-window",
        Label::Bottleneck => "bottleneck",
        Label::LossRecovery => "loss-recovery",
        Label::SlowStart => "slow-start",
        Label::PathMtuStall => "path-mtu-stall",
        Label::Idle => "idle",
        Label::Unknown => "unknown",
    }
}
