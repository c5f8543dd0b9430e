//! Prints every view of a scripted scene:
//! `cargo run -p isotherm-views --example views_demo -- VIEW WIDTH DEPTH THEME BUCKETS`.

#[path = "../tests/all/scene.rs"]
mod scene;

use std::io::{self, Write};

use isotherm_analysis::summarise;
use isotherm_frame::{Account, Clock, Scheme, Unit};
use isotherm_views::{
    ClassicView, Depth, InputAccount, MapView, Palette, StatsFindings, StatsJson, StatsTable,
    StreamOptions, StreamView, Style, Theme, write_json,
};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
    let width = argument(1).parse().unwrap_or(100);
    let depth = match argument(2) {
        "24" => Depth::TrueColour,
        "256" => Depth::Indexed,
        "16" => Depth::Basic,
        "ascii" => Depth::Ascii,
        _ => Depth::Glyphs,
    };
    let theme = if argument(3) == "light" { Theme::Light } else { Theme::Dark };
    let style = Style { depth, theme, palette: Palette::IceHeat };
    let fine = argument(4) != "coarse";
    let frames = if fine { scene::fine() } else { scene::coarse() };
    let out = &mut io::stdout().lock();
    match argument(0) {
        "stream" => stream(&frames, style, width, out),
        "classic" => {
            let view = ClassicView {
                label: "db file sequential read".to_owned(),
                clock: Clock::Epoch,
                width,
                on_terminal: false,
                samples: 80,
            };
            view.render(&scene::picture(&frames, width, 12, true), style, out)
        }
        "table" | "json" => stats(argument(0) == "json", &frames, style, width, out),
        _ => {
            let view = MapView {
                title: "isotherm · db file sequential read".to_owned(),
                clock: Clock::Epoch,
                span: None,
                width,
            };
            let rows = MapView::rows_in(45, style);
            view.render(&scene::picture(&frames, width, rows, false), style, out)
        }
    }
}

fn stream(
    frames: &[isotherm_frame::Frame],
    style: Style,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut view = StreamView::new(style, width, StreamOptions::default());
    for frame in frames {
        let mark = (frame.start == scene::at(30)).then(|| "A backup start".to_owned());
        let notes: Vec<String> = mark.into_iter().collect();
        view.line(std::slice::from_ref(frame), &notes, out)?;
    }
    Ok(())
}

fn stats(
    json: bool,
    frames: &[isotherm_frame::Frame],
    style: Style,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let commits = scene::commits(&Scheme::powers_of_two(Unit::Micros));
    let account = summarise(frames.iter().chain(&commits));
    let input = InputAccount {
        read: Account { records: 157, rejected: 2, ..Account::default() },
        lost: account.lost,
        resets: account.resets,
        gaps: account.gaps,
        events: account.events,
        span: account.span,
        ..InputAccount::default()
    };
    if json {
        write_json(&StatsJson::new(&account, &input, &StatsFindings::default()), out)
    } else {
        StatsTable { width: Some(width), left_out_s: 0.0 }.render(&account, &input, style, out)
    }
}
