//! Means and medians in words, a table and histograms.

use isotherm_frame::numbers::grouped;
use isotherm_frame::percent;
use isotherm_views::chart::{Chart, ChartAxis, ChartMark, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::normality::Normality;
use super::statistics::{NEAR, Statistics};
use crate::finding::capital;
use crate::{Figure, Finding, Verdict};

/// Most of the events.
const HALF: f64 = 0.5;
/// Bars of a linear histogram, which ends at p99.
const BINS: usize = 50;
/// Bars of a logarithmic one in an octave.
const PER_OCTAVE: f64 = 8.0;
const QUANTILES: [(&str, f64); 6] =
    [("p10", 0.1), ("p25", 0.25), ("median", 0.5), ("p80", 0.8), ("p99", 0.99), ("max", 1.0)];

/// What the latencies come to.
pub fn finding(found: &[Statistics], remarks: Vec<String>) -> Finding {
    let mut all: Vec<String> = found.iter().map(in_words).collect();
    all.extend(remarks);
    Finding {
        verdict: judged(found),
        sentence: sentence(found),
        uncertainty: uncertainty(found),
        remarks: all,
        tables: vec![table(found)],
        charts: found.iter().flat_map(|one| [linear(one), logarithmic(one)]).collect(),
        figures: found.iter().flat_map(figures).collect(),
    }
}

/// By the intervals of the share near the mean: less than half of the events somewhere, which is enough
/// against a rule, or more than half everywhere.
fn judged(found: &[Statistics]) -> Verdict {
    let intervals = || found.iter().map(|one| one.near_mean.1);
    match () {
        () if intervals().any(|(_, most)| most < HALF) => Verdict::Holds,
        () if intervals().all(|(least, _)| least > HALF) => Verdict::Fails,
        () => Verdict::Unsure,
    }
}

fn sentence(found: &[Statistics]) -> String {
    let parts = found.iter().map(|one| format!("{} ({})", percent(one.near_mean.0), one.name));
    let parts: Vec<String> = parts.collect();
    format!("the share of events within {} of their mean is {}.", percent(NEAR), parts.join(", "))
}

fn uncertainty(found: &[Statistics]) -> String {
    let parts = found.iter().map(|one| {
        let (least, most) = one.near_mean.1;
        let events = grouped(one.sorted.len() as u64);
        format!("{} and {} ({}, {events} events)", percent(least), percent(most), one.name)
    });
    format!(
        "With 90 % confidence these shares lie between {}; found by drawing runs of 50 neighbouring \
         events again and again.",
        parts.collect::<Vec<String>>().join(", between ")
    )
}

fn figures(one: &Statistics) -> Vec<Figure> {
    let values = [
        ("events", one.sorted.len() as f64),
        ("mean_s", one.mean),
        ("median_s", one.quantile(0.5).as_secs_f64()),
        ("deviation_s", one.deviation),
        ("share_below_mean", one.below_mean),
        ("share_near_mean", one.near_mean.0),
    ];
    Figure::all(&one.name, &values)
}

fn in_words(one: &Statistics) -> String {
    let skewness = one.skewness.map_or_else(String::new, |skewness| {
        format!("; skewness {skewness:.1}, of a normal curve 0")
    });
    let ratio = one.ratio.map_or_else(String::new, |(ratio, (lo, hi))| {
        format!(", {ratio:.2} times the median ({lo:.2} to {hi:.2})")
    });
    format!(
        "{}: the mean is {}{ratio}; {} of the events are faster; the standard deviation is {}{skewness}.{}",
        capital(&one.name),
        waited(one.mean),
        percent(one.below_mean),
        waited(one.deviation),
        one.normality.map_or_else(String::new, normality)
    )
}

/// Lilliefors' test as a sentence.
fn normality(found: Normality) -> String {
    let (distance, by_chance) = (percent(found.distance), percent(found.by_chance));
    if found.is_refuted() {
        format!(
            " They are not normal: shares of events differ by up to {distance} from those of the normal \
             curve, where chance gives more than {by_chance} once in 100 times (Lilliefors' test)."
        )
    } else {
        format!(
            " They may be normal: shares of events differ by up to {distance} from those of the normal \
             curve, and chance gives more than {by_chance} once in 100 times (Lilliefors' test)."
        )
    }
}

fn table(found: &[Statistics]) -> Table {
    let mut head = vec![String::new()];
    head.extend(found.iter().map(|one| one.name.clone()));
    let row = |name: &str, of: &dyn Fn(&Statistics) -> String| {
        let mut row = vec![name.to_owned()];
        row.extend(found.iter().map(of));
        row
    };
    let mut rows = vec![
        row("events", &|one| grouped(one.sorted.len() as u64)),
        row("mean", &|one| waited(one.mean)),
    ];
    for (name, q) in QUANTILES {
        rows.push(row(name, &|one| waited(one.quantile(q).as_secs_f64())));
    }
    rows.push(row("standard deviation", &|one| waited(one.deviation)));
    rows.push(row("skewness", &|one| {
        one.skewness.map_or_else(|| "-".to_owned(), |skewness| format!("{skewness:.2}"))
    }));
    let of_test = |of: fn(Normality) -> f64| {
        move |one: &Statistics| {
            one.normality.map_or_else(|| "-".to_owned(), |normality| percent(of(normality)))
        }
    };
    rows.push(row("distance from normal", &of_test(|one| one.distance)));
    rows.push(row("distance by chance (1 %)", &of_test(|one| one.by_chance)));
    rows.push(row("faster than the mean", &|one| percent(one.below_mean)));
    rows.push(row("within 10 % of the mean", &|one| percent(one.near_mean.0)));
    Table { caption: "The mean and what it is meant to stand for".to_owned(), head, rows }
}

/// Bars of the same width up to p99, and what a normal curve of the same mean and standard deviation
/// would put into each.
fn linear(one: &Statistics) -> Chart {
    let end = one.quantile(0.99).as_secs_f64();
    let width = end / BINS as f64;
    let mut edges: Vec<f64> = (0..=BINS).map(|bin| bin as f64 * width).collect();
    // The last bar holds the events at p99 itself.
    if let Some(last) = edges.last_mut() {
        *last = end.next_up();
    }
    let normal = |x: f64| {
        let z = (x - one.mean) / one.deviation;
        let density = (-z * z / 2.0).exp() / (one.deviation * std::f64::consts::TAU.sqrt());
        one.sorted.len() as f64 * width * density
    };
    let curve = edges.iter().map(|&x| ChartPoint { x, y: normal(x), ..ChartPoint::default() });
    // Events that are all alike have no spread, and no curve.
    let normal = (one.deviation > 0.0).then(|| Curve {
        name: "normal curve of the same mean and standard deviation".to_owned(),
        stroke: Stroke::Dashed,
        points: curve.collect(),
    });
    histogram(one, &edges, (format!("{}: up to p99", one.name), false), normal)
}

/// Bars of an eighth of an octave, for all events of more than 0 ns.
fn logarithmic(one: &Statistics) -> Chart {
    let first = one.sorted.iter().find(|latency| latency.as_nanos() > 0);
    let ends = first.zip(one.sorted.last());
    let edges = ends.map_or_else(Vec::new, |(first, last)| {
        let place = |latency: &isotherm_frame::Nanos| latency.as_secs_f64().log2() * PER_OCTAVE;
        let mut edges = vec![place(first).floor()];
        // Six decades of latency are 160 bars.
        while edges.last().is_some_and(|&edge| edge <= place(last)) {
            edges.push(edges[edges.len() - 1] + 1.0);
        }
        edges.into_iter().map(|edge| (edge / PER_OCTAVE).exp2()).collect()
    });
    histogram(one, &edges, (format!("{}: all, on a logarithmic axis", one.name), true), None)
}

/// The outline of bars between these edges, with the mean and the median.
fn histogram(
    one: &Statistics,
    edges: &[f64],
    (title, log): (String, bool),
    curve: Option<Curve>,
) -> Chart {
    let below = |edge: f64| one.sorted.partition_point(|latency| latency.as_secs_f64() < edge);
    let bars = edges.windows(2).flat_map(|ends| {
        let events = (below(ends[1]) - below(ends[0])) as f64;
        [ends[0], ends[1]].map(|x| ChartPoint { x, y: events, ..ChartPoint::default() })
    });
    let bars = Curve { name: "events".to_owned(), stroke: Stroke::Line, points: bars.collect() };
    let mark = |text: &str, x: f64| ChartMark { x, text: text.to_owned() };
    Chart {
        title,
        x: ChartAxis { label: "latency".to_owned(), unit: ChartUnit::Seconds, log },
        y: ChartAxis { label: "events".to_owned(), ..ChartAxis::default() },
        curves: [bars].into_iter().chain(curve).collect(),
        marks: vec![mark("mean", one.mean), mark("median", one.quantile(0.5).as_secs_f64())],
        ..Chart::default()
    }
}
