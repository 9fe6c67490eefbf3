//! Sequences of messages that bytes decide, put to either side of the control channel: the bodies of the fuzz targets
//! `far_end_server` and `far_end_client`, which run as tests over a fixed row of seeds as well.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what cannot go on here is what is looked for"
)]

mod choices;
mod client;
mod pair;
mod server;

pub use client::client_hears;
pub use server::server_hears;

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngCore, SeedableRng};

    /// `body` with so many rows of bytes, the same ones each time.
    fn seeded(body: fn(&[u8]), rows: u64) {
        for seed in 0..rows {
            let mut random = SmallRng::seed_from_u64(seed);
            let mut bytes = vec![0; 16 + (random.next_u32() % 150) as usize];
            random.fill_bytes(&mut bytes);
            body(&bytes);
        }
    }

    #[test]
    fn a_session_survives_whatever_its_client_says() {
        seeded(server_hears, 100);
    }

    #[test]
    fn a_client_survives_whatever_its_far_end_says() {
        seeded(client_hears, 100);
    }

    #[test]
    fn no_bytes_are_a_conversation_too() {
        server_hears(&[]);
        client_hears(&[]);
    }
}
