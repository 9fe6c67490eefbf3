//! How much one emulated link carries.

use std::time::Duration;

use lab::Lab;

use crate::table::Table;
use crate::tcp::Transfer;

/// MTU in bytes, and the bar in Mbit/s.
const BARS: [(u32, f64); 2] = [(1500, 300.0), (9000, 1000.0)];

pub(crate) fn measure(table: &mut Table, quick: bool) -> Result<(), Box<dyn std::error::Error>> {
    let counted = Duration::from_secs(if quick { 2 } else { 8 });
    for (mtu, bar) in BARS {
        let text = format!(
            "title = 'throughput'\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n\
             [[link]]\na = {{ node = 'a' }}\nb = {{ node = 'b' }}\nmtu = {mtu}\n\
             both = {{ delay = '1 ms', rate = '10 Gbit/s', queue_bytes = 8000000 }}\n"
        );
        let scenario = scenario::parse(&text)?;
        let lab = Lab::up(&scenario, 1)?;
        let Some(&address) = scenario.links[0].ends[1].addresses.first() else {
            continue;
        };
        let transfer = Transfer {
            from: "a",
            to: "b",
            address,
            congestion_control: "cubic",
            warm_up: Duration::from_secs(1),
            counted,
        };
        let mbps = transfer.run(&lab)? / 1e6;
        let name = format!("one CUBIC stream, one link, MTU {mtu}");
        table.line(
            &name,
            &format!("{mbps:.0} Mbit/s"),
            &format!(">= {bar} Mbit/s"),
            mbps >= bar,
        );
        table.note(&format!("{}", lab.validity()));
    }
    Ok(())
}
