//! The screen, as text, at the sizes it is designed for; and its colours in short.

use isotherm_frame::{Account, Nanos};
use isotherm_tui::{App, AppOptions};
use isotherm_views::{Depth, Palette, Style, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

mod scene;

use scene::{Grain, at, frames};

const SIZES: [(u16, u16); 3] = [(80, 24), (100, 40), (160, 50)];
const DEPTHS: [(Depth, &str); 5] = [
    (Depth::TrueColour, "24bit"),
    (Depth::Indexed, "256"),
    (Depth::Basic, "16"),
    (Depth::Glyphs, "none"),
    (Depth::Ascii, "ascii"),
];
const THEMES: [(Theme, &str); 2] = [(Theme::Dark, "dark"), (Theme::Light, "light")];

fn draw((depth, theme): (Depth, Theme), (width, height): (u16, u16), grain: Grain) -> Buffer {
    let style = Style { depth, theme, palette: Palette::IceHeat };
    let mut options = AppOptions::new("oracle://FREEPDB1", style, Nanos::SECOND);
    options.utc = true;
    let mut app = App::new(options);
    for frame in &frames(grain) {
        app.push(frame);
    }
    app.mark(at(40), "A backup start");
    app.mark(at(62), "B end");
    app.account(&Account { rejected: 3, ..Account::default() });
    let mut screen = Terminal::new(TestBackend::new(width, height)).unwrap();
    screen.draw(|frame| app.draw(frame)).unwrap();
    screen.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let rows = buffer.content().chunks(usize::from(buffer.area.width));
    let rows = rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>());
    rows.map(|row| row.trim_end().to_owned() + "\n").collect()
}

fn colour(colour: Color) -> String {
    match colour {
        Color::Reset => "-".to_owned(),
        Color::Rgb(red, green, blue) => format!("{red:02x}{green:02x}{blue:02x}"),
        Color::Indexed(index) => index.to_string(),
        other => other.to_string(),
    }
}

/// Runs of equal colours: foreground/background and how long.
fn colours(buffer: &Buffer) -> String {
    let mut lines = String::new();
    for row in buffer.content().chunks(usize::from(buffer.area.width)) {
        let looks = row.iter().map(|cell| {
            let modifier = if cell.modifier.is_empty() { "" } else { "+" };
            format!("{}/{}{modifier}", colour(cell.fg), colour(cell.bg))
        });
        let mut runs: Vec<(String, usize)> = Vec::new();
        for look in looks {
            match runs.last_mut() {
                Some((known, length)) if *known == look => *length += 1,
                _ => runs.push((look, 1)),
            }
        }
        let runs: Vec<String> =
            runs.into_iter().map(|(look, length)| format!("{look}*{length}")).collect();
        lines += &(runs.join(" ") + "\n");
    }
    lines
}

#[test]
fn the_screen_at_each_size_depth_and_theme() {
    for size in SIZES {
        for (depth, depth_name) in DEPTHS {
            let screens = THEMES.map(|(theme, _)| text(&draw((depth, theme), size, Grain::Fine)));
            assert_eq!(screens[0], screens[1], "the theme changes colours only");
            insta::assert_snapshot!(format!("{}x{}-{depth_name}", size.0, size.1), screens[0]);
        }
    }
}

#[test]
fn a_coarse_source_has_whole_lines() {
    for size in SIZES {
        let screen = text(&draw((Depth::TrueColour, Theme::Dark), size, Grain::PowersOfTwo));
        insta::assert_snapshot!(format!("{}x{}-coarse", size.0, size.1), screen);
    }
}

#[test]
fn the_colours_of_a_screen() {
    for (theme, name) in THEMES {
        for (depth, depth_name) in [DEPTHS[0], DEPTHS[1]] {
            let screen = draw((depth, theme), (80, 24), Grain::Fine);
            insta::assert_snapshot!(format!("colours-{depth_name}-{name}"), colours(&screen));
        }
    }
}

#[test]
fn without_colour_there_is_no_colour() {
    for depth in [Depth::Glyphs, Depth::Ascii] {
        let screen = draw((depth, Theme::Dark), (100, 40), Grain::Fine);
        let plain =
            screen.content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset);
        assert!(plain);
    }
}
