//! The table of `cake`: a column a class of traffic, which it calls a tin.

/// The names of the columns.
#[derive(Debug, Default)]
pub(super) struct Tins<'a> {
    names: Vec<&'a str>,
}

impl<'a> Tins<'a> {
    /// `Bulk  Best Effort        Video        Voice`
    pub(super) fn of(heading: &'a str) -> Self {
        let names = heading.split("  ").map(str::trim_ascii);
        Self {
            names: names.filter(|name| !name.is_empty()).collect(),
        }
    }

    /// `drops   0   42100   29   0`: a count of each tin, by its name; `None` of a row that has more or fewer.
    pub(super) fn row(&self, line: &str) -> Option<impl Iterator<Item = (String, u64)>> {
        let mut words = line.split_ascii_whitespace();
        let what = words.next()?;
        let counts: Vec<u64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
        let named = move |(name, count): (&&str, u64)| (format!("tin {name}.{what}"), count);
        (counts.len() == self.names.len()).then(|| self.names.iter().zip(counts).map(named))
    }
}

/// First words of the lines of `cake` that say nothing of what it did to packets.
pub(super) fn is_of_cake(first: &str) -> bool {
    matches!(
        first,
        "memory"
            | "capacity"
            | "min/max"
            | "average"
            | "thresh"
            | "target"
            | "interval"
            | "pk_delay"
            | "av_delay"
            | "sp_delay"
            | "backlog"
            | "pkts"
            | "bytes"
            | "way_inds"
            | "way_miss"
            | "way_cols"
            | "ack_drop"
            | "sp_flows"
            | "bk_flows"
            | "un_flows"
            | "max_len"
            | "quantum"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tin_has_its_count() {
        let tins = Tins::of("Bulk  Best Effort        Video");
        let row = tins.row("drops   0   42   7").map(Iterator::collect::<Vec<_>>);
        let named = [("Bulk", 0), ("Best Effort", 42), ("Video", 7)];
        assert_eq!(
            row.unwrap_or_default(),
            named.map(|(name, count)| (format!("tin {name}.drops"), count))
        );
        for bad in ["drops 0 42", "drops 0 42 7 9", "drops 0 x 7"] {
            assert!(tins.row(bad).is_none(), "{bad}");
        }
    }
}
