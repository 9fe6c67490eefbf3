use super::*;
use crate::picture::drawing;
use crate::picture::scene::{Bar, Fill};
use crate::picture::testing::{conversation, small};

fn painted(scene: &Scene) -> Pixmap {
    let bytes = write(scene).expect("a small picture");
    Pixmap::decode_png(&bytes).expect("own PNG")
}

/// Whether two colours are the same but for what rounding does.
fn is_like(one: [u8; 3], other: [u8; 3]) -> bool {
    let pairs = one.into_iter().zip(other);
    pairs.into_iter().all(|(one, other)| one.abs_diff(other) <= 2)
}

fn at(pixels: &Pixmap, x: u32, y: u32) -> [u8; 3] {
    let pixel = pixels.pixel(x, y).expect("within");
    [pixel.red(), pixel.green(), pixel.blue()]
}

fn count(pixels: &Pixmap, rgb: [u8; 3], wanted: impl Fn(u32, u32) -> bool) -> usize {
    let places = (0..pixels.height()).flat_map(|y| (0..pixels.width()).map(move |x| (x, y)));
    let wanted = places.filter(|(x, y)| wanted(*x, *y));
    wanted.filter(|(x, y)| is_like(at(pixels, *x, *y), rgb)).count()
}

/// What a class looks like on white.
fn seen(class: Class) -> [u8; 3] {
    let on_white = |fill: Fill| {
        let Rgb(rgb) = fill.color;
        rgb.map(|part| (255.0 - fill.opacity * (255.0 - f64::from(part))).round() as u8)
    };
    match class.stroke() {
        Some(stroke) => stroke.color.0,
        None => class.fill().map(on_white).expect("a pen or a brush"),
    }
}

fn classes(items: &[Item], found: &mut Vec<Class>) {
    for item in items {
        match item {
            Item::Path(class, _) | Item::Bar(Bar { class, .. }) => found.push(*class),
            Item::Within(_, items) => classes(items, found),
            Item::Text(_) => {}
        }
    }
}

#[test]
fn two_pixels_are_a_unit_until_they_are_too_many() {
    let pixels = painted(&drawing::draw(&small(), 800, 500));
    assert_eq!((pixels.width(), pixels.height()), (1600, 1000));
    let scene = Scene {
        width: 20_000.0,
        height: 10_000.0,
        title: String::new(),
        items: Vec::new(),
    };
    let pixels = painted(&scene);
    let all = f64::from(pixels.width()) * f64::from(pixels.height());
    assert!((0.99..1.001).contains(&(all / MOST_PIXELS)), "{all}");
}

#[test]
fn every_layer_of_a_conversation_is_painted() {
    let scene = drawing::draw(&small(), 800, 500);
    let mut found = Vec::new();
    classes(&scene.items, &mut found);
    for class in [Class::Data, Class::Ack, Class::Sack, Class::Bad, Class::Hair] {
        assert!(found.contains(&class), "{class:?}");
    }
    let pixels = painted(&scene);
    for class in found.into_iter().filter(|class| *class != Class::Window) {
        let count = count(&pixels, seen(class), |_, _| true);
        assert!(count >= 10, "{class:?}: {count}");
    }
    for letters in [INK, SOFT] {
        assert!(count(&pixels, letters.0, |_, _| true) > 100, "{letters}");
    }
}

/// One thing of each class, alone on its own square.
#[test]
fn every_class_is_painted_in_its_colour() {
    let mut items = Vec::new();
    for (place, class) in Class::ALL.into_iter().enumerate() {
        let x = 20.0 * place as f64;
        let mut square = Path::from_to((x + 5.0, 5.0), (x + 15.0, 5.0));
        square.line_to(x + 15.0, 15.0);
        square.line_to(x + 5.0, 15.0);
        square.close();
        items.push(Item::Path(class, square));
    }
    let pixels = painted(&Scene {
        width: 20.0 * Class::ALL.len() as f64,
        height: 20.0,
        title: String::new(),
        items,
    });
    for (place, class) in Class::ALL.into_iter().enumerate() {
        let x = 40 * place as u32;
        let edge = at(&pixels, x + 20, 10);
        let middle = at(&pixels, x + 20, 20);
        let inside = if class.fill().is_some() {
            seen(class)
        } else {
            WHITE.0
        };
        assert!(is_like(middle, inside), "{class:?}: {middle:?}");
        assert!(is_like(edge, seen(class)), "{class:?}: {edge:?}");
        assert_eq!(at(&pixels, x + 4, 20), WHITE.0, "{class:?}");
    }
}

/// The window of this conversation lies far above its data.
#[test]
fn what_leaves_its_panel_is_cut() {
    let mut recorder = crate::picture::Recorder::new(crate::picture::Limits::default());
    for n in 0..50 {
        use crate::flow::{HalfEvent, SentKind};
        use crate::picture::testing::{acked, sent};
        recorder.take(&sent(n, n as u64 * 1448, 1448, SentKind::New), &[]);
        let mut ack = acked(n, (n as u64 + 1) * 1448);
        ack.window_bytes = Some(if n < 25 { 20_000 } else { 60_000_000 });
        recorder.take(&HalfEvent::Acked(ack), &[]);
    }
    let picture = recorder.finish(crate::picture::testing::summary());
    let pixels = painted(&drawing::draw(&picture, 800, 500));
    let window = seen(Class::Window);
    assert!(count(&pixels, window, |_, y| y > 120) > 100, "the window within");
    assert_eq!(count(&pixels, window, |_, y| y < 110), 0, "the window above");
}

#[test]
fn the_bytes_are_the_same_each_time_and_few() {
    let scene = |packets| drawing::draw(&conversation(packets, |n| n * 1448), 1_200, 700);
    let bytes = write(&scene(5_000)).expect("a picture");
    assert_eq!(bytes, write(&scene(5_000)).expect("a picture"));
    assert!(bytes.len() < 400_000, "{}", bytes.len());
    assert_ne!(bytes, write(&scene(4_999)).expect("a picture"));
}

#[test]
fn an_empty_picture_is_painted() {
    let pixels = painted(&drawing::draw(&conversation(0, |n| n), 0, 0));
    assert_eq!((pixels.width(), pixels.height()), (400, 400));
}
