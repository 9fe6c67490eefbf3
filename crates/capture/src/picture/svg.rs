//! A drawing as SVG.

use super::scene::{
    Anchor, Area, Bar, Class, INK, Item, LETTERS, Path, SOFT, Scene, Step, Tenths, Text, WHITE,
};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write as _;

/// One file that needs nothing else.
pub(super) fn write(scene: &Scene) -> String {
    let (width, height) = (Tenths::of(scene.width), Tenths::of(scene.height));
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } role="img" {
            title { (scene.title) }
            style { (PreEscaped(style())) }
            rect width="100%" height="100%" fill=(WHITE) {}
            (items(&scene.items))
        }
    };
    markup.into_string()
}

/// Own colours: an SVG in a report has no style sheet to rely on.
fn style() -> String {
    let mut text = format!(
        "text{{font:{LETTERS}px system-ui,sans-serif;fill:{SOFT}}}.strong{{font-weight:600;fill:{INK}}}path{{fill:none}}"
    );
    for class in Class::ALL {
        let _ = write!(text, ".{}{{", class.name());
        if let Some(stroke) = class.stroke() {
            let _ = write!(text, "stroke:{};stroke-width:{}", stroke.color, stroke.width);
        }
        if let Some(fill) = class.fill() {
            let _ = write!(text, "fill:{};fill-opacity:{}", fill.color, fill.opacity);
        }
        text.push('}');
    }
    text
}

fn items(all: &[Item]) -> Markup {
    html! {
        @for item in all {
            @match item {
                Item::Path(class, path) => path.(class.name()) d=(moves(path)) {},
                Item::Bar(one) => (bar(one)),
                Item::Text(one) => (text(one)),
                Item::Within(area, items) => (within(area, items)),
            }
        }
    }
}

fn bar(bar: &Bar) -> Markup {
    let [x, y, width, height] = sides(&bar.area);
    html! {
        rect.(bar.class.name()) x=(x) y=(y) width=(width) height=(height) {
            @if let Some(hint) = bar.hint { title { (hint) } }
        }
    }
}

fn text(text: &Text) -> Markup {
    let anchor = match text.anchor {
        Anchor::Start => None,
        Anchor::Middle => Some("middle"),
        Anchor::End => Some("end"),
    };
    let size = (text.size != LETTERS).then(|| format!("font-size:{}px", text.size));
    let class = text.is_strong.then_some("strong");
    html! {
        text class=[class] x=(Tenths::of(text.x)) y=(Tenths::of(text.y)) text-anchor=[anchor] style=[size] {
            (text.words)
        }
    }
}

/// An inner drawing shows nothing beyond its bounds.
fn within(area: &Area, all: &[Item]) -> Markup {
    let [x, y, width, height] = sides(area);
    html! {
        svg x=(x) y=(y) width=(width) height=(height) viewBox={ (x) " " (y) " " (width) " " (height) } {
            (items(all))
        }
    }
}

fn sides(area: &Area) -> [Tenths; 4] {
    [area.x, area.y, area.width, area.height].map(Tenths::of)
}

fn moves(path: &Path) -> String {
    let mut text = String::new();
    for step in &path.steps {
        let _ = match step {
            Step::Move(x, y) => write!(text, "M{x} {y}"),
            Step::Line(x, y) => write!(text, "L{x} {y}"),
            Step::Across(x) => write!(text, "H{x}"),
            Step::Along(y) => write!(text, "V{y}"),
            Step::Close => write!(text, "Z"),
        };
    }
    text
}
