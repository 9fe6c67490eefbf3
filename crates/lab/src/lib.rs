//! Real network namespaces with known truth.
//!
//! This crate brings a [`scenario::Scenario`] up with real kernels: every host and router is a network
//! namespace, plain links are veth pairs, and links with a rate, a delay or loss run in a user-space emulator
//! between two TUN devices. It exists because a diagnosis is only worth something if it was right where the
//! truth is known.
//!
//! It must never know the rules of diagnosis, and it runs no other program to build a network. Nothing is left
//! behind: see [`enter_sandbox`].
//!
//! `unsafe` lives in `sys` alone.
#![deny(unsafe_code)]

mod build;
mod clock;
mod emulator;
mod error;
mod lab;
mod names;
mod namespace;
mod nft;
mod processors;
mod sandbox;
mod secret;
mod shared;
mod sys;
mod sysctl;
mod traffic;
mod validity;
mod wiring;

pub use emulator::{DirectionCounters, DropReason};
pub use error::LabError;
pub use lab::Lab;
pub use sandbox::{enter_sandbox, is_rootless};
pub use secret::InheritedFile;
pub use validity::{DirectionReport, Validity};
