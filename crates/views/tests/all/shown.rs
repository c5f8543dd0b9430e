//! The scene as each view shows it, as text.

use isotherm_analysis::{Circumstances, Findings, FrameTotals, Picture, summarise};
use isotherm_frame::{Account, Clock, Frame, Histogram, Scheme, Unit};
use isotherm_views::{
    BucketsView, ClassicView, Depth, FindingsJson, InputAccount, MapView, Palette, StatsFindings,
    StatsJson, StatsTable, StreamOptions, StreamView, Style, Theme, TimeFormat, narration,
    write_json,
};

use crate::scene;

pub const DEPTHS: [Depth; 5] =
    [Depth::TrueColour, Depth::Indexed, Depth::Basic, Depth::Glyphs, Depth::Ascii];

pub fn style(depth: Depth) -> Style {
    Style { depth, theme: Theme::Dark, palette: Palette::IceHeat }
}

fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

pub fn map_picture(frames: &[Frame], width: usize, depth: Depth) -> Picture {
    scene::picture(frames, width, MapView::rows_in(45, style(depth)), false)
}

/// What is found in frames, and the sentences that say it.
pub fn found(frames: &[Frame]) -> (Findings, Vec<String>) {
    let circumstances = Circumstances::of(frames.iter().map(|frame| &frame.series), None);
    let findings = Findings::of_frames(frames, &circumstances).unwrap_or_else(|| {
        Findings::of_total(&Histogram::empty(Scheme::log_linear()), 0.0, &circumstances)
    });
    let zero = frames.iter().map(|frame| frame.start).min().unwrap_or_default();
    let sentences = narration::sentences(&findings.remarks(), &TimeFormat::new(Clock::Epoch, zero));
    (findings, sentences)
}

pub fn map(frames: &[Frame], width: usize, depth: Depth) -> String {
    let title = "db file sequential read".to_owned();
    let view = MapView { title, clock: Clock::Epoch, span: None, width };
    let picture = map_picture(frames, width, depth);
    let sentences = found(frames).1;
    let first = &sentences[..sentences.len().min(2)];
    text(|out| view.render_with_sentences(&picture, first, style(depth), out).unwrap())
}

pub fn stream(frames: &[Frame], width: usize, depth: Depth) -> String {
    let mut view = StreamView::new(style(depth), width, StreamOptions::default());
    text(|out| {
        for frame in frames {
            let note = (frame.start == scene::at(30)).then(|| "A backup start".to_owned());
            view.line(std::slice::from_ref(frame), note.as_slice(), out).unwrap();
        }
    })
}

pub fn buckets(frames: &[Frame]) -> String {
    let mut view = BucketsView::new(style(Depth::Glyphs), Clock::Epoch);
    text(|out| {
        for frame in frames {
            view.interval(std::slice::from_ref(frame), &[], out).unwrap();
        }
    })
}

pub fn classic(frames: &[Frame], width: usize, depth: Depth, on_terminal: bool) -> String {
    let label = "db file sequential read".to_owned();
    let view = ClassicView { label, clock: Clock::Epoch, width, on_terminal, samples: 80 };
    let picture = scene::picture(frames, width, ClassicView::rows_in(36), true);
    text(|out| view.render(&picture, style(depth), out).unwrap())
}

pub fn account(frames: &[Frame]) -> (FrameTotals, InputAccount) {
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
    (account, input)
}

pub fn table(frames: &[Frame], width: Option<usize>) -> String {
    let (account, input) = account(frames);
    text(|out| {
        StatsTable { width, left_out_s: 0.0 }
            .render(&account, &input, style(Depth::Glyphs), out)
            .unwrap();
    })
}

pub fn json(frames: &[Frame]) -> String {
    let (account, input) = account(frames);
    let findings = account.by_time_waited().into_iter().map(|summary| {
        let of_series: Vec<Frame> = frames
            .iter()
            .chain(&scene::commits(&Scheme::powers_of_two(Unit::Micros)))
            .filter(|frame| frame.series == summary.series)
            .cloned()
            .collect();
        let (findings, sentences) = found(&of_series);
        (summary.series.clone(), FindingsJson::new(&findings, &sentences))
    });
    let found = StatsFindings { series: findings.collect(), sentences: found(frames).1 };
    text(|out| write_json(&StatsJson::new(&account, &input, &found), out).unwrap())
}

/// The text without its colour codes; panics at any other escape.
pub fn without_colours(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let code = part.strip_prefix('[').unwrap();
        let end = code.find(|char: char| !char.is_ascii_digit() && char != ';').unwrap();
        assert_eq!(&code[end..=end], "m", "an escape that is no colour: {code:?}");
        plain.push_str(&code[end + 1..]);
    }
    plain
}
