//! Whatever a client that has the token says, in whatever order, to a session of the far end.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| net::far_end::sequences::server_hears(bytes));
