//! Reads a file and prints its heat maps: `cargo run --example heatmap FILE`.

use std::error::Error;
use std::io::stdout;

use isotherm_analysis::{ColourMax, Excerpt, Picture, Request};
use isotherm_pipeline::{Binning, Collector, ReadOptions, expand, read_all};
use isotherm_views::{Depth, MapView, Palette, Style, Theme};

fn main() -> Result<(), Box<dyn Error>> {
    let title = std::env::args().nth(1).ok_or("name a file")?;
    let (inputs, mut collector) = (expand(vec![title.parse()?])?, Collector::default());
    let account = read_all(&inputs, &ReadOptions::default(), Binning::SECONDS, &mut |event| {
        collector.take(event);
    })?;
    let (history, _totals) = collector.kept;
    let (all, width) = (Excerpt::of(&history), 100);
    let grid = all.grid(MapView::columns_in(width)).ok_or("no events")?;
    let (mut frequency, mut intensity) = (ColourMax::default(), ColourMax::default());
    let request = Request::on(grid, 24);
    let picture = Picture::of(all.timeline(grid), &request, &mut frequency, &mut intensity);
    let style = Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };
    let view = MapView { title, clock: account.clock, span: None, width };
    Ok(view.render_with_sentences(&picture, &[], style, &mut stdout())?)
}
