//! Values that make no sense on their own.

use std::ops::Range;

use toml::Spanned;

use super::context::{Checked, Context};
use crate::change::{DirectionChange, Loss, SettingsChange};
use crate::network::Direction;

/// IPv4 hosts must be able to take 576 bytes (RFC 791); below it nothing here would be realistic.
const MIN_MTU_BYTES: u32 = 576;
/// The largest IPv4 packet.
const MAX_MTU_BYTES: u32 = 65_535;
/// Programs are stopped and continued by signals, whose moment is uncertain by a millisecond or so.
const MIN_CPU_PERIOD_NS: u64 = 10_000_000;
/// The congestion controls that scenarios may count on.
const CONGESTION_CONTROLS: [&str; 3] = ["cubic", "reno", "bbr"];

pub(super) fn mtu(context: &Context<'_>, given: &Spanned<u32>) -> Checked<u32> {
    let mtu_bytes = *given.get_ref();
    if (MIN_MTU_BYTES..=MAX_MTU_BYTES).contains(&mtu_bytes) {
        return Ok(mtu_bytes);
    }
    context.fail(
        &given.span(),
        format!("an MTU of {mtu_bytes} is out of range: {MIN_MTU_BYTES} to {MAX_MTU_BYTES}"),
    )
}

pub(super) fn direction(context: &Context<'_>, given: &Spanned<DirectionChange>) -> Checked<()> {
    let span = given.span();
    let change = given.get_ref();
    let ratio = |name: &str, value: f64| in_unit_range(context, &span, name, value);
    match change.loss {
        None | Some(Loss::None) => {}
        Some(Loss::Random(value)) => ratio("loss", value)?,
        Some(Loss::Every(0)) => {
            return context.fail(&span, "loss every 0th packet makes no sense: n starts at 1");
        }
        Some(Loss::Every(_)) => {}
        Some(Loss::GilbertElliott(model)) => {
            ratio("enter_bad", model.enter_bad)?;
            ratio("leave_bad", model.leave_bad)?;
            ratio("loss_good", model.loss_good)?;
            ratio("loss_bad", model.loss_bad)?;
        }
    }
    if let Some(reorder) = change.reorder {
        ratio("reorder", reorder.ratio)?;
    }
    ratio("duplicate", change.duplicate.unwrap_or(0.0))?;
    ratio("corrupt", change.corrupt.unwrap_or(0.0))?;
    if change
        .policer
        .is_some_and(|p| p.burst_bytes < u64::from(MIN_MTU_BYTES))
    {
        return context.fail(
            &span,
            format!("a policer's burst_bytes must be at least {MIN_MTU_BYTES}"),
        );
    }
    if change.queue_bytes.is_some_and(|q| q < u64::from(MIN_MTU_BYTES)) {
        return context.fail(
            &span,
            format!("queue_bytes must be at least {MIN_MTU_BYTES}, or no packet fits"),
        );
    }
    Ok(())
}

fn in_unit_range(context: &Context<'_>, span: &Range<usize>, name: &str, value: f64) -> Checked<()> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    context.fail(span, format!("{name} = {value} is not a ratio: 0 to 1"))
}

pub(super) fn settings(context: &Context<'_>, span: &Range<usize>, change: &SettingsChange) -> Checked<()> {
    if let Some(name) = &change.congestion_control
        && !CONGESTION_CONTROLS.contains(&name.as_str())
    {
        return context.fail(
            span,
            format!("congestion_control `{name}` is not one of {CONGESTION_CONTROLS:?}"),
        );
    }
    if change.tcp_mtu_probing.is_some_and(|mode| mode > 2) {
        return context.fail(span, "tcp_mtu_probing is 0, 1 or 2");
    }
    if change.cpu_percent.is_some_and(|percent| percent > 100) {
        return context.fail(span, "cpu_percent is a share: 0 to 100");
    }
    if change
        .cpu_period
        .is_some_and(|period| period.ns < MIN_CPU_PERIOD_NS)
    {
        return context.fail(span, "cpu_period is out of range: at least 10 ms");
    }
    for (name, value) in [
        ("tcp_rmem_max", change.tcp_rmem_max),
        ("tcp_wmem_max", change.tcp_wmem_max),
    ] {
        if value.is_some_and(|bytes| !(4096..=1 << 30).contains(&bytes)) {
            return context.fail(span, format!("{name} is out of range: 4096 to 1073741824 bytes"));
        }
    }
    Ok(())
}

pub(super) fn is_not_a_wire(direction: &Direction) -> bool {
    *direction != Direction::default()
}

/// A queue without a rate never fills: its writer expects something that will not happen.
pub(super) fn queue_needs_rate(
    context: &Context<'_>,
    span: &Range<usize>,
    direction: &Direction,
) -> Checked<()> {
    if direction.queue_bytes.is_some() && direction.rate_bps.is_none() {
        return context.fail(
            span,
            "queue_bytes without a rate has no effect: give the link a rate",
        );
    }
    Ok(())
}
