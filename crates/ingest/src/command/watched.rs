//! The head of a screen of watch(1).

/// A command that is run again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Watched<'l> {
    pub(crate) command: &'l str,
    /// Where, of versions that tell.
    pub(crate) host: Option<&'l str>,
    pub(crate) date: &'l str,
}

/// `Every 2.0s: ethtool -S eth0       dtn1: Fri Nov 22 10:12:01 2024`. A command that was too long for the screen ends with dots, and
/// is none.
pub(crate) fn watched(line: &str) -> Option<Watched<'_>> {
    let (seconds, rest) = line.strip_prefix("Every ")?.split_once("s: ")?;
    seconds.replace(',', ".").parse::<f64>().ok()?;
    let (command, behind) = rest.trim_ascii().rsplit_once("  ")?;
    let command = command.trim_ascii_end();
    let (host, date) = match behind.split_once(": ") {
        Some((host, date)) => (Some(host), date),
        None => (None, behind),
    };
    let is_whole = !command.ends_with("...") && !date.is_empty();
    is_whole.then_some(Watched {
        command,
        host: host.filter(|host| !host.contains(' ')),
        date,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_screens() {
        let date = "Fri Nov 22 10:12:01 2024";
        let head = |host, command| Some(Watched { command, host, date });
        for (line, expected) in [
            (
                "Every 2.0s: ethtool -S eth0          dtn1: Fri Nov 22 10:12:01 2024",
                head(Some("dtn1"), "ethtool -S eth0"),
            ),
            (
                "Every 0,5s: ss -tin    Fri Nov 22 10:12:01 2024",
                head(None, "ss -tin"),
            ),
            (
                "Every 2.0s: ethtool -S enp5...  dtn1: Fri Nov 22 10:12:01 2024",
                None,
            ),
            ("Every 2 days: it is  down", None),
        ] {
            assert_eq!(watched(line), expected, "{line}");
        }
    }
}
