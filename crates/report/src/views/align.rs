//! Routes side by side: hops that several routes have in common stand on one row, in the order of every route.
//!
//! Each route is laid against the rows so far by the longest common subsequence (Hunt and McIlroy, 1976), the longest
//! route first. With three routes or more this need not be the best alignment of all; it is always a correct one.

use super::path::MOST_HOPS;
use evidence::Node;

/// One hop of a route to align.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AlignHop {
    /// Its number on its own route.
    pub(crate) ttl: u8,
    /// Who answered; unknown for a silent hop.
    pub(crate) node: Node,
    /// Smallest round-trip time, nanoseconds.
    pub(crate) rtt_ns: Option<u64>,
}

/// One row: the hop of each route, or nothing.
pub(crate) type AlignedRow<'a> = Vec<Option<&'a AlignHop>>;

/// Aligns `routes`; every hop of every route is in exactly one row, in its own order.
pub(crate) fn align<'a>(routes: &[&'a [AlignHop]]) -> Vec<AlignedRow<'a>> {
    let mut order: Vec<usize> = (0..routes.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(routes.get(*index).map_or(0, |route| route.len())));
    let mut rows: Vec<AlignedRow> = Vec::new();
    for column in order {
        let route = routes.get(column).copied().unwrap_or_default();
        let route = route.get(..MOST_HOPS).unwrap_or(route);
        rows = merge(rows, route, column, routes.len());
    }
    rows
}

fn merge<'a>(
    rows: Vec<AlignedRow<'a>>,
    route: &'a [AlignHop],
    column: usize,
    columns: usize,
) -> Vec<AlignedRow<'a>> {
    let matches = common(&rows, route);
    let own = |hop: &'a AlignHop| {
        let mut row = vec![None; columns];
        if let Some(place) = row.get_mut(column) {
            *place = Some(hop);
        }
        row
    };
    let stretch = |from: usize, to: usize| route.get(from..to).unwrap_or_default().iter().map(own);
    let mut merged = Vec::with_capacity(rows.len() + route.len());
    let mut due = matches.iter().enumerate().peekable();
    for (index, mut row) in rows.into_iter().enumerate() {
        let Some((nth, (_, at))) = due.next_if(|(_, (r, _))| *r == index) else {
            merged.push(row);
            continue;
        };
        if nth == 0 {
            merged.extend(stretch(0, *at));
        }
        if let Some(place) = row.get_mut(column) {
            *place = route.get(*at);
        }
        merged.push(row);
        // What this route has of its own follows at once: where a route ends early, its end must not slide down to
        // the end of the others.
        let next = matches.get(nth + 1).map_or(route.len(), |(_, h)| *h);
        merged.extend(stretch(at + 1, next));
    }
    if matches.is_empty() {
        merged.extend(stretch(0, route.len()));
    }
    merged
}

/// The longest common subsequence of the rows and a route, as (row, hop), ascending in both.
fn common(rows: &[AlignedRow], route: &[AlignHop]) -> Vec<(usize, usize)> {
    let width = route.len() + 1;
    // longest[row][hop]: length of the longest common subsequence of what follows.
    let mut longest = vec![0_u32; (rows.len() + 1) * width];
    let at = |row: usize, hop: usize| row * width + hop;
    for (r, row) in rows.iter().enumerate().rev() {
        for (h, hop) in route.iter().enumerate().rev() {
            let get = |index: usize| longest.get(index).copied().unwrap_or(0);
            let best = match same_row(row, hop) {
                true => get(at(r + 1, h + 1)) + 1,
                false => get(at(r + 1, h)).max(get(at(r, h + 1))),
            };
            if let Some(place) = longest.get_mut(at(r, h)) {
                *place = best;
            }
        }
    }
    let get = |row, hop| longest.get(at(row, hop)).copied().unwrap_or(0);
    let (mut r, mut h, mut found) = (0, 0, Vec::new());
    while let (Some(row), Some(hop)) = (rows.get(r), route.get(h)) {
        if same_row(row, hop) {
            found.push((r, h));
            (r, h) = (r + 1, h + 1);
        } else if get(r + 1, h) >= get(r, h + 1) {
            r += 1;
        } else {
            h += 1;
        }
    }
    found
}

/// A silent hop is the same as another only at the same number: nothing else is known of it.
fn same_row(row: &AlignedRow, hop: &AlignHop) -> bool {
    row.iter()
        .flatten()
        .any(|there| match (there.node.is_unknown(), hop.node.is_unknown()) {
            (true, true) => there.ttl == hop.ttl,
            (false, false) => there.node.same_as(&hop.node) == Some(true),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(text: &str) -> Vec<AlignHop> {
        let hop = |(ttl, c): (u8, char)| AlignHop {
            ttl,
            node: if c == '*' {
                Node::default()
            } else {
                Node::named(&c.to_string())
            },
            rtt_ns: None,
        };
        (1..).zip(text.chars()).map(hop).collect()
    }

    fn shown(routes: &[&str]) -> Vec<String> {
        let routes: Vec<Vec<AlignHop>> = routes.iter().map(|r| route(r)).collect();
        let slices: Vec<&[AlignHop]> = routes.iter().map(Vec::as_slice).collect();
        let letter = |hop: &Option<&AlignHop>| match hop {
            Some(hop) => hop.node.name.clone().unwrap_or("*".into()),
            None => ".".into(),
        };
        align(&slices)
            .iter()
            .map(|row| row.iter().map(letter).collect())
            .collect()
    }

    #[test]
    fn common_hops_stand_on_one_row() {
        assert_eq!(shown(&["abcd", "abxd"]), ["aa", "bb", ".x", "c.", "dd"]);
    }

    #[test]
    fn a_path_that_is_the_union_of_two_others() {
        assert_eq!(
            shown(&["abc", "cde", "abde"]),
            ["a.a", "b.b", "cc.", ".dd", ".ee"]
        );
    }

    #[test]
    fn silent_hops_match_by_number_only() {
        assert_eq!(shown(&["a*c", "a*c"]), ["aa", "**", "cc"]);
        assert_eq!(shown(&["a*c", "ab*c"]), ["aa", "*.", ".b", ".*", "cc"]);
    }

    #[test]
    fn every_hop_is_shown_once_in_its_order() {
        for routes in [
            ["abcdefgh", "hgfedcba", "acegbdfh"],
            ["", "ab", "ba"],
            ["aaaa", "aa", "a"],
        ] {
            let rows = shown(&routes);
            for (column, route) in routes.iter().enumerate() {
                let letters: String = rows.iter().filter_map(|row| row.chars().nth(column)).collect();
                assert_eq!(letters.replace('.', ""), *route);
            }
        }
    }
}
