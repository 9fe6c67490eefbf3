//! The table: one line a measurement, printed as it comes.

pub(crate) struct Table {
    passed: bool,
}

impl Table {
    pub(crate) fn new() -> Self {
        println!("{:<44} {:>14} {:>22}  result", "measurement", "measured", "bar");
        Self { passed: true }
    }

    pub(crate) fn line(&mut self, name: &str, measured: &str, bar: &str, pass: bool) {
        self.passed &= pass;
        println!(
            "{name:<44} {measured:>14} {bar:>22}  {}",
            if pass { "pass" } else { "FAIL" }
        );
    }

    pub(crate) fn note(&self, text: &str) {
        println!("  {text}");
    }

    pub(crate) fn all_passed(&self) -> bool {
        self.passed
    }
}
