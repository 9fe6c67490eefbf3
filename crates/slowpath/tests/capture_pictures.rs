//! The picture of a connection in a document: the ending of the file's name decides on its form.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod common;

use common::Desk;

const CAPTURE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fuzz/seeds/capture_file/connection.pcap"
);

#[test]
fn the_ending_decides_between_svg_and_png() {
    let desk = Desk::new();
    for name in ["one.svg", "one.png", "two.PNG", "plain"] {
        desk.run(&["capture", CAPTURE, "--svg", name])
            .exits(0)
            .err("written: ");
    }
    let png = desk.bytes("one.png");
    let (signature, rest) = png.split_at(8);
    assert_eq!(signature, b"\x89PNG\r\n\x1a\n");
    // The first chunk has the sides: two pixels for each unit of the SVG.
    let (sides, text) = (&rest[8..16], desk.read("one.svg"));
    assert_eq!(sides, [2_400_u32.to_be_bytes(), 1_400_u32.to_be_bytes()].concat());
    assert!(text.contains("viewBox=\"0 0 1200 700\""), "{text}");
    assert_eq!(png, desk.bytes("two.PNG"));
    assert_eq!(text, desk.read("plain"));
}
