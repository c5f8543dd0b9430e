//! The same small run again and again: what documentation pages show views of.

use std::io;

use isotherm_analysis::{ColourMax, Picture, Request, Scale, WantedMark, summarise};
use isotherm_frame::{
    Clock, Frame, Gap, Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit,
};
use isotherm_views::{
    CLASSIC_STEPS, ClassicView, Depth, InputAccount, MapView, Palette, STEPS, StatsJson,
    StatsTable, StreamOptions, StreamView, Style, Theme, View, ViewMeta,
};

/// 2026-11-21 05:00:00 UTC.
const START: i64 = 1_795_237_200_000_000_000;
const SECONDS: i64 = 48;
const WIDTH: usize = 100;
const STYLE: Style = Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };

/// What a view prints of the specimen.
pub fn printed(meta: &ViewMeta) -> io::Result<String> {
    let mut out = Vec::new();
    match meta.name {
        "map" => {
            let view = MapView { title: "run.heat".into(), clock: Clock::Epoch, width: WIDTH };
            let rows = MapView::rows_in(36, STYLE);
            view.render(&picture(rows, STEPS, Scale::Sqrt, Scale::Linish), STYLE, &mut out)?;
        }
        "classic" => {
            let view = ClassicView {
                label: "log file sync".into(),
                clock: Clock::Epoch,
                width: WIDTH,
                on_terminal: false,
                samples: 48,
            };
            let picture = picture(12, CLASSIC_STEPS, Scale::Linear, Scale::Linear);
            view.render(&picture, STYLE, &mut out)?;
        }
        "stream" => {
            let mut view = StreamView::new(STYLE, WIDTH, StreamOptions::default());
            for frame in frames().chunks(1).skip(14).take(14) {
                let marked = frame[0].start.as_nanos() == START + 20_000_000_000;
                let notes = if marked { vec!["backup starts".to_owned()] } else { Vec::new() };
                view.line(frame, &notes, &mut out)?;
            }
        }
        name => {
            let account = summarise(&frames());
            let (events, gaps, resets) = (account.events, account.gaps, account.resets);
            let span = account.span;
            let input =
                InputAccount { records: 49, events, gaps, resets, span, ..InputAccount::default() };
            if name == "json" {
                StatsJson.render(&account, &input, &mut out)?;
            } else {
                StatsTable { width: None }.render(&account, &input, STYLE, &mut out)?;
            }
        }
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn picture(most_rows: usize, steps: u8, frequency: Scale, intensity: Scale) -> Picture {
    let at = Timestamp::new(START + 20_000_000_000);
    let request = Request {
        end: Timestamp::new(START + SECONDS * 1_000_000_000),
        column: Nanos::SECOND,
        columns: usize::try_from(SECONDS).unwrap_or_default(),
        most_rows,
        keep: None,
        steps,
        frequency_scale: frequency,
        intensity_scale: intensity,
        marks: vec![WantedMark { at, text: "backup starts".into() }],
    };
    Picture::draw(&frames(), &request, &mut ColourMax::default(), &mut ColourMax::default())
}

/// A fast and a slow kind of operation; a backup that makes the slow kind common; a reset.
fn frames() -> Vec<Frame> {
    let scheme = Scheme::powers_of_two(Unit::Micros);
    let series = Series::named("log file sync");
    let frame = |second: i64| {
        let mut counts = vec![0_u64; scheme.buckets()];
        let backup = (20..34).contains(&second);
        let (fast, slow) = if backup { (900, 1_100) } else { (2_400, 300) };
        let wave = u64::from(second.unsigned_abs() % 5 == 0);
        for (us, count) in [
            (64, fast / 8),
            (128, fast / 2 + 40 * wave),
            (256, fast / 3),
            (512, fast / 40),
            (4_096, slow / 5),
            (8_192, slow),
            (16_384, if backup { slow / 2 } else { slow / 20 }),
            (32_768, slow / 60),
            (524_288, u64::from(second % 11 == 3)),
        ] {
            if let Some(index) = scheme.index_of(Nanos::from_micros(us)) {
                counts[index] += count;
            }
        }
        let reset = (40..42).contains(&second);
        let empty = Histogram::empty(scheme.clone());
        let counted = Histogram::new(scheme.clone(), counts, None);
        let start = Timestamp::new(START + second * 1_000_000_000);
        Frame {
            series: series.clone(),
            start,
            end: start.plus(Nanos::SECOND),
            counts: if reset { empty } else { counted.unwrap_or(empty) },
            quality: if reset { Quality::Gap(Gap::Reset) } else { Quality::Complete },
        }
    };
    (0..SECONDS).map(frame).collect()
}
