//! Below the panels: why the transfer was no faster, over time and in sum.

use super::panel::Frame;
use crate::causes::Share;
use crate::picture::page::label_words;
use crate::picture::scene::{Anchor, Area, Bar, Class, Item, Text};
use crate::picture::{Picture, units};

/// About the width of a letter, of a strong one.
const LETTER: (f64, f64) = (6.2, 7.0);

/// An interval with its cause, each as long as it was.
pub(super) fn causes(picture: &Picture, frame: &Frame, top: f64) -> Vec<Item> {
    let causes = picture.summary.half.causes.iter();
    let since = |ns: i64| {
        let x = frame.x(ns.saturating_sub(picture.origin_ns));
        x.clamp(frame.left(), frame.right())
    };
    let heading = Text::new(frame.left(), top - 5.0, "Why no faster").strong();
    let mut items = vec![Item::Text(heading)];
    for one in causes.flat_map(|causes| &causes.intervals) {
        let (from, to) = (since(one.from_ns), since(one.to_ns));
        let words = label_words(one.label);
        items.push(Item::Bar(Bar {
            class: Class::Cause(one.label),
            area: Area {
                x: from,
                y: top,
                width: (to - from).max(0.1),
                height: 16.0,
            },
            hint: Some(words),
        }));
        if to - from > LETTER.1 * words.len() as f64 {
            let name = Text::new((from + to) / 2.0, top + 12.0, words);
            items.push(Item::Text(name.strong().anchored(Anchor::Middle)));
        }
    }
    items
}

/// Each cause with its share.
pub(super) fn legend(picture: &Picture, frame: &Frame, y: f64) -> Vec<Item> {
    let causes = picture.summary.half.causes.iter();
    let shares: Vec<&Share> = causes.flat_map(|causes| &causes.shares).collect();
    let times = shares.iter().map(|share| share.time_ns);
    let whole = times.fold(0, i64::saturating_add).max(1);
    let mut x = frame.left();
    let mut items = Vec::new();
    for share in shares.into_iter().filter(|share| share.time_ns > 0) {
        let part = units::percent(share.time_ns as f64 / whole as f64);
        let words = format!("{} {part}", label_words(share.label));
        let area = Area {
            x,
            y: y - 9.0,
            width: 11.0,
            height: 10.0,
        };
        items.push(Item::Bar(Bar {
            class: Class::Cause(share.label),
            area,
            hint: None,
        }));
        let after = x + 30.0 + LETTER.0 * words.len() as f64;
        items.push(Item::Text(Text::new(x + 15.0, y, words)));
        x = after;
    }
    items
}
