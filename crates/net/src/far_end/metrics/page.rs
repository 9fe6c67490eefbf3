//! The text format of Prometheus, version 0.0.4.

use std::fmt::Write as _;

/// Before every name.
const OURS: &str = "slowpath_";

/// A page of metrics.
#[derive(Debug, Default)]
pub(super) struct Page(String);

impl Page {
    pub(super) fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.single((name, "counter", help), value);
    }

    pub(super) fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.single((name, "gauge", help), value);
    }

    fn single(&mut self, about: (&str, &str, &str), value: u64) {
        self.head(about);
        let _ = writeln!(self.0, "{OURS}{} {value}", about.0);
    }

    /// One metric, with a value for each of these labels.
    pub(super) fn labelled<'a>(
        &mut self,
        about: (&str, &str, &str),
        label: &str,
        values: impl IntoIterator<Item = (&'a str, u64)>,
    ) {
        self.head(about);
        for (of, value) in values {
            let _ = writeln!(self.0, "{OURS}{}{{{label}=\"{}\"}} {value}", about.0, escaped(of));
        }
    }

    fn head(&mut self, (name, kind, help): (&str, &str, &str)) {
        let _ = writeln!(self.0, "# HELP {OURS}{name} {help}\n# TYPE {OURS}{name} {kind}");
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}

fn escaped(label: &str) -> String {
    label
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_as_prometheus_reads_it() {
        let mut page = Page::default();
        page.counter("sessions_total", "Clients.", 3);
        page.labelled(("bytes", "gauge", "Bytes."), "holder", [("a\"b\\", 1), ("c", 2)]);
        assert_eq!(
            page.text(),
            "# HELP slowpath_sessions_total Clients.\n# TYPE slowpath_sessions_total counter\nslowpath_sessions_total 3\n\
             # HELP slowpath_bytes Bytes.\n# TYPE slowpath_bytes gauge\nslowpath_bytes{holder=\"a\\\"b\\\\\"} 1\n\
             slowpath_bytes{holder=\"c\"} 2\n"
        );
    }
}
