//! Ways side by side: stops that several ways have in common stand on one row, in the order of every way.
//!
//! Each way is laid against the rows so far by the longest common subsequence (Hunt and McIlroy, 1976), the longest
//! way first. With three ways or more this need not be the best alignment of all; it is always a correct one.

/// Who a stop is: two stops that share a number are one.
pub(super) type Ids = Vec<u32>;

/// One row: for each way the index of its stop there, or nothing.
pub(super) type Row = Vec<Option<usize>>;

/// Aligns `ways`; every stop of every way is in exactly one row, in its own order.
pub(super) fn align(ways: &[Vec<Ids>]) -> Vec<Row> {
    let mut order: Vec<usize> = (0..ways.len()).collect();
    order.sort_by_key(|column| std::cmp::Reverse(ways.get(*column).map_or(0, Vec::len)));
    order
        .into_iter()
        .fold(Vec::new(), |rows, column| merge(rows, ways, column))
}

fn merge(rows: Vec<Row>, ways: &[Vec<Ids>], column: usize) -> Vec<Row> {
    let way = ways.get(column).map_or(&[][..], Vec::as_slice);
    let matches = common(&rows, ways, way);
    let own = |stop: usize| -> Row { (0..ways.len()).map(|c| (c == column).then_some(stop)).collect() };
    let mut merged = Vec::with_capacity(rows.len() + way.len());
    let first = matches.first().map_or(way.len(), |(_, stop)| *stop);
    let mut due = matches.iter().enumerate().peekable();
    for (index, mut row) in rows.into_iter().enumerate() {
        let Some((nth, (_, at))) = due.next_if(|(_, (r, _))| *r == index) else {
            merged.push(row);
            continue;
        };
        if nth == 0 {
            merged.extend((0..first).map(own));
        }
        if let Some(place) = row.get_mut(column) {
            *place = Some(*at);
        }
        merged.push(row);
        // What this way has of its own follows at once: where a way ends early, its end must not slide down to the
        // end of the others.
        let next = matches.get(nth + 1).map_or(way.len(), |(_, stop)| *stop);
        merged.extend((at + 1..next).map(own));
    }
    if matches.is_empty() {
        merged.extend((0..first).map(own));
    }
    merged
}

/// The longest common subsequence of the rows and a way, as (row, stop), ascending in both.
fn common(rows: &[Row], ways: &[Vec<Ids>], way: &[Ids]) -> Vec<(usize, usize)> {
    let width = way.len() + 1;
    let here = |row: &Row, ids: &Ids| {
        let there = row.iter().zip(ways).filter_map(|(stop, way)| way.get((*stop)?));
        there.flatten().any(|id| ids.contains(id))
    };
    // longest[row][stop]: length of the longest common subsequence of what follows.
    let mut longest = vec![0_u32; (rows.len() + 1) * width];
    for (r, row) in rows.iter().enumerate().rev() {
        for (s, ids) in way.iter().enumerate().rev() {
            let get = |r: usize, s: usize| longest.get(r * width + s).copied().unwrap_or(0);
            let best = match here(row, ids) {
                true => get(r + 1, s + 1) + 1,
                false => get(r + 1, s).max(get(r, s + 1)),
            };
            if let Some(place) = longest.get_mut(r * width + s) {
                *place = best;
            }
        }
    }
    let get = |r: usize, s: usize| longest.get(r * width + s).copied().unwrap_or(0);
    let (mut r, mut s, mut found) = (0, 0, Vec::new());
    while let (Some(row), Some(ids)) = (rows.get(r), way.get(s)) {
        if here(row, ids) {
            found.push((r, s));
            (r, s) = (r + 1, s + 1);
        } else if get(r + 1, s) >= get(r, s + 1) {
            r += 1;
        } else {
            s += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ways: &[&str]) -> Vec<String> {
        let ids: Vec<Vec<Ids>> = ways
            .iter()
            .map(|way| way.bytes().map(|b| vec![b.into()]).collect())
            .collect();
        let cell = |(way, stop): (&&str, Option<usize>)| stop.map_or('.', |stop| way.as_bytes()[stop].into());
        let rows = align(&ids).into_iter();
        rows.map(|row| ways.iter().zip(row).map(cell).collect()).collect()
    }

    #[test]
    fn common_stops_stand_on_one_row() {
        assert_eq!(shown(&["abcd", "abxd"]), ["aa", "bb", ".x", "c.", "dd"]);
    }

    #[test]
    fn a_way_that_is_the_union_of_two_others() {
        assert_eq!(
            shown(&["abc", "cde", "abde"]),
            ["a.a", "b.b", "cc.", ".dd", ".ee"]
        );
    }

    #[test]
    fn every_stop_is_shown_once_in_its_order() {
        for ways in [
            ["abcdefgh", "hgfedcba", "acegbdfh"],
            ["", "ab", "ba"],
            ["aaaa", "aa", "a"],
        ] {
            let rows = shown(&ways);
            for (column, way) in ways.iter().enumerate() {
                let letters: String = rows.iter().filter_map(|row| row.chars().nth(column)).collect();
                assert_eq!(letters.replace('.', ""), *way);
            }
        }
    }
}
