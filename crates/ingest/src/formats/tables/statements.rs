//! `quantity,from,to,subject,value,low,high,unit,text`: figures that somebody states.

use super::rows;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::units::{Kilo, rate_bps, seconds, size_bytes};
use evidence::{Payload, Quantity, Statement};

pub(crate) static FORMAT: Format = Format {
    name: "statements (CSV)",
    group: Group::Tables,
    reads: "quantity,from,to,subject,value,low,high,unit,text, see docs/import.md",
    first: "q",
    has_command: false,
    marks: None,
    starts: |line| line.starts_with("quantity,") && line.contains(",value"),
    continues: super::is_remark,
    takes_in: Some(super::is_row),
    read,
};

/// A number with a unit in the quantity's own unit; `None` where the unit is none of that kind.
fn convert(quantity: Quantity, number: f64, unit: &str) -> Option<f64> {
    use Quantity as Q;
    let value = match quantity {
        Q::Rtt
        | Q::TimeToFirstLoss
        | Q::StallAfterLoss
        | Q::TimeToRecover
        | Q::WritePause
        | Q::BlockPause => seconds(number, unit)?,
        Q::LinkCapacity | Q::InputCapacity | Q::Rate | Q::PeakRate | Q::WriteRate => {
            rate_bps(number, unit, Kilo::Thousand)?.0
        }
        Q::QueueBytes | Q::ReceiveWindow | Q::SocketBuffer | Q::WriteBytes | Q::BlockBytes => {
            size_bytes(number, unit, Kilo::Thousand)? as f64
        }
        Q::Utilisation | Q::LossRatio => {
            let ratio = match unit {
                "" => number,
                "%" | "percent" => number / 100.0,
                _ => return None,
            };
            (ratio <= 1.0).then_some(ratio)?
        }
    };
    (value.is_finite() && value >= 0.0).then_some(value)
}

fn quantity(name: &str) -> Option<Quantity> {
    serde_json::from_value(name.into()).ok()
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    rows(block, findings, |row, number, findings| {
        let Some(quantity) = row.read("quantity", quantity)? else {
            return Err("no quantity".to_owned());
        };
        let unit = row.get("unit").unwrap_or("");
        let figure = |column: &str| {
            let Some(number) = row.read(column, |text| text.parse().ok())? else {
                return Ok(None);
            };
            convert(quantity, number, unit)
                .map(Some)
                .ok_or_else(|| format!("`{number} {unit}` in {column} does not fit the quantity"))
        };
        let (value, low, high) = (figure("value")?, figure("low")?, figure("high")?);
        let range = match (low, high) {
            (Some(low), Some(high)) if low <= high => Some((low, high)),
            (None, None) => None,
            _ => return Err("low and high are no range".to_owned()),
        };
        // Who states nothing but a range states its middle.
        let middle = range.map(|(low, high)| low + (high - low) / 2.0);
        let Some(value) = value.or(middle) else {
            return Err("neither a value nor a range".to_owned());
        };
        let statement = Statement {
            quantity,
            from: context.from_or(row.node("from")),
            to: context.to_or(row.node("to")),
            subject: row.get("subject").map(str::to_owned),
            value,
            range,
            text: row.get("text").unwrap_or("").to_owned(),
        };
        let at = row.time(context)?.or(context.at);
        findings.record_of(
            (number, number),
            "statements (CSV)",
            at,
            Payload::Statement(statement),
        );
        Ok(())
    });
}
