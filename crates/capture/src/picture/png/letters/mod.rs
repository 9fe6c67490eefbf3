//! Words as shapes. A host that measures has no fonts, so the letters are here: those of DejaVu Sans that the pictures use
//! (`LICENSE` beside them; `make-letters.sh` takes them out of the whole fonts).

use crate::picture::scene::{Anchor, Text};
use tiny_skia::PathBuilder;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

const PLAIN: &[u8] = include_bytes!("sans.ttf");
const STRONG: &[u8] = include_bytes!("sans-bold.ttf");

/// Both weights; nothing where one cannot be read.
pub(super) struct Letters {
    plain: Option<Face<'static>>,
    strong: Option<Face<'static>>,
}

impl Letters {
    pub(super) fn new() -> Self {
        Self {
            plain: Face::parse(PLAIN, 0).ok(),
            strong: Face::parse(STRONG, 0).ok(),
        }
    }

    /// The shape of a text at its place, in units; nothing where it has no letters to be seen.
    pub(super) fn outline(&self, text: &Text) -> Option<tiny_skia::Path> {
        let face = if text.is_strong { &self.strong } else { &self.plain };
        let face = face.as_ref()?;
        let scale = text.size as f32 / f32::from(face.units_per_em());
        let glyphs: Vec<(GlyphId, f32)> = text.words.chars().map(|letter| glyph(face, letter)).collect();
        let width: f32 = glyphs.iter().map(|(_, advance)| advance * scale).sum();
        let before = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let mut pen = Pen {
            path: PathBuilder::new(),
            x: text.x as f32 - before,
            y: text.y as f32,
            scale,
        };
        for (glyph, advance) in glyphs {
            // A space has no outline.
            let _ = face.outline_glyph(glyph, &mut pen);
            pen.x += advance * scale;
        }
        pen.path.finish()
    }
}

/// A letter and how far the next one stands from it; an empty box for one that is not here.
fn glyph(face: &Face<'_>, letter: char) -> (GlyphId, f32) {
    let glyph = face.glyph_index(letter).unwrap_or_default();
    (glyph, f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)))
}

/// Draws in the units of a font, of which y grows upwards.
struct Pen {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(words: &str, text: impl FnOnce(Text) -> Text) -> (f32, f32) {
        let shape = Letters::new().outline(&text(Text::new(100.0, 50.0, words)));
        let bounds = shape.expect("letters have shapes").bounds();
        (bounds.left(), bounds.right())
    }

    #[test]
    fn every_letter_of_a_picture_is_there() {
        let letters = Letters::new();
        for face in [&letters.plain, &letters.strong] {
            let face = face.as_ref().expect("our own fonts");
            for letter in (' '..='~').chain("→·µ–—…".chars()) {
                assert!(face.glyph_index(letter).is_some(), "{letter:?}");
            }
        }
    }

    #[test]
    fn a_text_stands_where_its_anchor_says() {
        let (left, right) = width("none lost", |text| text);
        assert!((100.0..102.0).contains(&left) && right > 140.0, "{left} {right}");
        let (left, right) = width("none lost", |text| text.anchored(Anchor::End));
        assert!((98.0..=100.0).contains(&right) && left < 60.0, "{left} {right}");
        let (left, right) = width("none lost", |text| text.anchored(Anchor::Middle));
        assert!((98.0..102.0).contains(&((left + right) / 2.0)), "{left} {right}");
        assert!(Letters::new().outline(&Text::new(0.0, 0.0, "  ")).is_none());
    }

    #[test]
    fn strong_letters_are_wider_and_large_ones_larger() {
        let plain = width("none lost", |text| text);
        let strong = width("none lost", Text::strong);
        let large = width("none lost", |text| text.sized(22.0));
        assert!(strong.1 > plain.1 + 1.0, "{strong:?} {plain:?}");
        let ratio = (large.1 - large.0) / (plain.1 - plain.0);
        assert!((1.99..2.01).contains(&ratio), "{ratio}");
    }
}
