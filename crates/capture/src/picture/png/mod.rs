//! A drawing as PNG, painted as a browser would paint its SVG.

mod letters;

use super::scene::{Area, Class, INK, Item, Path, Rgb, SOFT, Scene, Step, Text, WHITE};
use letters::Letters;
use std::io;
use tiny_skia::{FillRule, Mask, Paint, PathBuilder, Pixmap, Rect, Stroke, Transform};

/// Of a unit of the drawing: so that letters are sharp where the picture is printed, or looked at on a dense screen.
const PIXELS: f64 = 2.0;
/// A report has no use for more, and each takes four bytes while it is painted.
const MOST_PIXELS: f64 = 64e6;

/// The bytes of a file.
///
/// # Errors
/// When no picture of this size can be made.
pub(super) fn write(scene: &Scene) -> io::Result<Vec<u8>> {
    let scale = PIXELS.min((MOST_PIXELS / (scene.width * scene.height)).sqrt());
    let side = |units: f64| (units * scale).round() as u32;
    let pixels = Pixmap::new(side(scene.width), side(scene.height));
    let mut pixels = pixels.ok_or_else(|| io::Error::other("no picture is so large"))?;
    pixels.fill(color(WHITE, 1.0));
    let mut painter = Painter {
        pixels,
        transform: Transform::from_scale(scale as f32, scale as f32),
        letters: Letters::new(),
    };
    painter.items(&scene.items, None);
    painter.pixels.encode_png().map_err(io::Error::other)
}

struct Painter {
    pixels: Pixmap,
    transform: Transform,
    letters: Letters,
}

impl Painter {
    fn items(&mut self, items: &[Item], mask: Option<&Mask>) {
        for item in items {
            match item {
                Item::Path(class, path) => self.shape(*class, outline(path), mask),
                Item::Bar(bar) => self.shape(bar.class, rectangle(&bar.area), mask),
                Item::Text(text) => self.text(text, mask),
                Item::Within(area, items) => self.within(area, items),
            }
        }
    }

    fn shape(&mut self, class: Class, shape: Option<tiny_skia::Path>, mask: Option<&Mask>) {
        let Some(shape) = shape else { return };
        if let Some(fill) = class.fill() {
            self.fill(&shape, fill.color, fill.opacity, mask);
        }
        if let Some(stroke) = class.stroke() {
            let pen = Stroke {
                width: stroke.width as f32,
                ..Stroke::default()
            };
            let paint = paint(stroke.color, 1.0);
            self.pixels
                .stroke_path(&shape, &paint, &pen, self.transform, mask);
        }
    }

    fn fill(&mut self, shape: &tiny_skia::Path, rgb: Rgb, opacity: f64, mask: Option<&Mask>) {
        let paint = paint(rgb, opacity);
        self.pixels
            .fill_path(shape, &paint, FillRule::Winding, self.transform, mask);
    }

    fn text(&mut self, text: &Text, mask: Option<&Mask>) {
        if let Some(shape) = self.letters.outline(text) {
            let color = if text.is_strong { INK } else { SOFT };
            self.fill(&shape, color, 1.0, mask);
        }
    }

    /// Panels do not lie in panels: their masks need not be joined.
    fn within(&mut self, area: &Area, items: &[Item]) {
        let Some(mut mask) = Mask::new(self.pixels.width(), self.pixels.height()) else {
            return;
        };
        if let Some(shape) = rectangle(area) {
            mask.fill_path(&shape, FillRule::Winding, true, self.transform);
        }
        self.items(items, Some(&mask));
    }
}

fn color(Rgb([red, green, blue]): Rgb, opacity: f64) -> tiny_skia::Color {
    tiny_skia::Color::from_rgba8(red, green, blue, (opacity * 255.0).round() as u8)
}

fn paint(rgb: Rgb, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color(rgb, opacity));
    paint
}

fn rectangle(area: &Area) -> Option<tiny_skia::Path> {
    let [x, y, width, height] = [area.x, area.y, area.width, area.height].map(|units| units as f32);
    Rect::from_xywh(x, y, width, height).map(PathBuilder::from_rect)
}

fn outline(path: &Path) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::with_capacity(path.steps.len(), path.steps.len());
    let (mut x, mut y) = (0.0, 0.0);
    for step in &path.steps {
        match step {
            Step::Move(to_x, to_y) | Step::Line(to_x, to_y) => (x, y) = (to_x.units(), to_y.units()),
            Step::Across(to) => x = to.units(),
            Step::Along(to) => y = to.units(),
            Step::Close => {}
        }
        match step {
            Step::Move(..) => builder.move_to(x as f32, y as f32),
            Step::Close => builder.close(),
            Step::Line(..) | Step::Across(_) | Step::Along(_) => builder.line_to(x as f32, y as f32),
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests;
