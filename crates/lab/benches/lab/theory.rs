//! Reno under loss against M. Mathis et al., "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm"
//! (1997): rate = MSS / RTT × C / √p, with C = √(3/2) for periodic loss and an acknowledgement counted for each
//! segment, as Linux does. Every n-th packet is lost, which is the model's own assumption.
//!
//! All cells run side by side, each between a pair of hosts of its own: together they load the machine with some
//! 150 Mbit/s, and one after the other they would take ten minutes.

use std::time::Duration;

use lab::{Lab, LabError};

use crate::table::Table;
use crate::tcp::Transfer;

const RTTS_MS: [u32; 3] = [20, 60, 128];
const LOSS_EVERY: [u32; 2] = [1_000, 10_000];
const TOLERANCE: f64 = 0.25;
/// 1500 less 20 for IP, 20 for TCP and 12 for its timestamps.
const MSS_BYTES: f64 = 1448.0;

struct Cell {
    name: String,
    rtt_ms: u32,
    every: u32,
}

impl Cell {
    fn mathis_mbps(&self) -> f64 {
        let loss_ratio = 1.0 / f64::from(self.every);
        MSS_BYTES * 8.0 / (f64::from(self.rtt_ms) / 1e3) * 1.5f64.sqrt() / loss_ratio.sqrt() / 1e6
    }
}

pub(crate) fn measure(table: &mut Table, quick: bool) -> Result<(), Box<dyn std::error::Error>> {
    let pairs = RTTS_MS
        .iter()
        .flat_map(|rtt_ms| LOSS_EVERY.map(|every| (*rtt_ms, every)));
    let wanted = pairs.filter(|(rtt_ms, every)| !quick || (*rtt_ms <= 60 && *every <= 1_000));
    let cells: Vec<Cell> = wanted
        .map(|(rtt_ms, every)| Cell {
            name: format!("{rtt_ms}x{every}"),
            rtt_ms,
            every,
        })
        .collect();
    let mut text = "title = 'theory'\n".to_owned();
    for Cell { name, rtt_ms, every } in &cells {
        text += &format!(
            "[[host]]\nname = 'a{name}'\ncongestion_control = 'reno'\n[[host]]\nname = 'b{name}'\n\
             [[link]]\na = {{ node = 'a{name}' }}\nb = {{ node = 'b{name}' }}\n\
             both = {{ delay = '{} us', rate = '1 Gbit/s', queue_bytes = 20000000 }}\n\
             a_to_b = {{ loss = {{ every = {every} }} }}\n",
            rtt_ms * 500
        );
    }
    let scenario = scenario::parse(&text)?;
    let lab = Lab::up(&scenario, 1)?;
    // At 128 ms and 1e-4 one sawtooth takes ten seconds: six of them, after those that slow start needs to come down.
    let (warm_up, counted) = if quick { (5, 15) } else { (25, 65) };
    let rates = std::thread::scope(|scope| {
        let start = |index: usize, cell: &Cell| {
            let (from, to) = (format!("a{}", cell.name), format!("b{}", cell.name));
            let address = scenario.links[index].ends[1].addresses[0];
            let lab = &lab;
            scope.spawn(move || {
                Transfer {
                    from: &from,
                    to: &to,
                    address,
                    congestion_control: "reno",
                    warm_up: Duration::from_secs(warm_up),
                    counted: Duration::from_secs(counted),
                }
                .run(lab)
            })
        };
        let threads: Vec<_> = cells
            .iter()
            .enumerate()
            .map(|(index, cell)| start(index, cell))
            .collect();
        let join = |t: std::thread::ScopedJoinHandle<'_, Result<f64, LabError>>| {
            t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads
            .into_iter()
            .map(join)
            .collect::<Result<Vec<f64>, LabError>>()
    })?;
    for (cell, bps) in cells.iter().zip(rates) {
        let (theory, measured) = (cell.mathis_mbps(), bps / 1e6);
        let name = format!("Reno at {} ms, loss 1 in {}", cell.rtt_ms, cell.every);
        let within = (measured / theory - 1.0).abs() <= TOLERANCE;
        let bar = format!("{theory:.1} Mbit/s +-25 %");
        table.line(&name, &format!("{measured:.1} Mbit/s"), &bar, within);
    }
    table.note(&format!("{}", lab.validity()));
    Ok(())
}
