//! Wrong records: of another day, of another path, with a slip of the pen.

use crate::chance::Chance;
use crate::seen::Seen;

/// Makes a record say what is not so. `false`: nothing of this kind can be misread.
pub(super) fn spoil(seen: &mut Seen, chance: &mut Chance) -> bool {
    let factor = chance.pick(&[0.1, 0.2, 0.5, 2.0, 5.0, 8.0]);
    match seen {
        Seen::Tcp { run, .. } | Seen::Sockets { run, .. } => {
            run.mean_bps *= factor;
            run.steady_bps *= factor;
            run.slices.iter_mut().for_each(|slice| slice.bytes *= factor);
        }
        Seen::Udp { run, .. } => {
            let share = chance.log_between(1e-4, 0.2);
            let lost = chance.binomial(run.received, share);
            run.received -= lost;
            let mut left = lost;
            for slice in &mut run.slices {
                let here = left.min(slice.packets);
                slice.packets -= here;
                slice.lost += here;
                left -= here;
            }
        }
        Seen::Rows { rows, .. } => {
            let index = chance.whole(0, rows.len() - 1);
            let share = chance.between(0.01, 0.9);
            let row = &mut rows[index];
            row.answered -= chance.binomial(row.answered, share);
            row.rtts_s.truncate(row.answered as usize);
        }
        Seen::OneWay { sent, lost, .. } => {
            let share = chance.log_between(1e-3, 0.3);
            *lost = chance.binomial(*sent, share);
        }
        Seen::Counters(counted) => {
            let share = chance.log_between(1e-7, 1e-3);
            counted.crc += chance.binomial(counted.packets, share);
        }
        Seen::Said { value, .. } => *value *= factor,
        Seen::Chain { points, .. } => {
            let Some(last) = points.len().checked_sub(1) else {
                return false;
            };
            let at = chance.whole(0, last);
            points[at].1 = (points[at].1 as f64 * chance.pick(&[0.0, 0.1, 0.97, 1.03, 10.0])) as u64;
        }
        _ => return false,
    }
    true
}
