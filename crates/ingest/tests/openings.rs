//! Which formats a line is offered to: marks and first bytes rule out no line of any text that is known.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{corpus, fixtures};
use ingest::overlooked;

#[test]
fn no_line_of_the_corpus_is_missed() {
    let mut count = 0;
    for path in corpus().into_iter().chain(fixtures()) {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        for line in text.lines() {
            assert_eq!(overlooked(line), [""; 0], "{line:?} of {}", path.display());
            count += 1;
        }
    }
    assert!(count > 10_000);
}
