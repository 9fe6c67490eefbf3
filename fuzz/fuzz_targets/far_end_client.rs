//! Whatever a far end answers, in whatever order, to a client that asks.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| net::far_end::sequences::client_hears(bytes));
