//! A backup and the reads around it in words, a table and charts.

use isotherm_frame::numbers::{bytes, counted, grouped};
use isotherm_frame::{Nanos, nearest_rank, percent};
use isotherm_views::chart::{Chart, ChartAxis, ChartMark, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::band::{Band, Share};
use super::measure::{Course, Phase, Step};
use crate::server::Server;
use crate::{Finding, LabError, Verdict};

/// Reads are slow while a smaller part than this of the usual share is in the band.
const HALF: f64 = 0.5;
/// A band has vanished while less than this part of its share is left.
const VANISHED: f64 = 0.1;
/// Bars of a histogram in an octave.
const PER_OCTAVE: f64 = 4.0;

/// The time in which many of the reads of the band were missing.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Dip {
    from_s: f64,
    to_s: f64,
    /// Whether it lasted to the end of the run.
    is_open: bool,
    share: Share,
}

/// What the course comes to; fails where no read before the backup was timed.
pub fn finding(course: &Course, server: &Server<'_>) -> Result<Finding, LabError> {
    let before = latencies(course, Phase::Before);
    let band = Band::of(&before).ok_or_else(|| LabError::Unusable {
        why: "no statement before the backup read one block with a time".to_owned(),
        next: "run it with a PostgreSQL that has track_io_timing",
    })?;
    let usual = band.share(&before);
    let [dip, gone] = [HALF, VANISHED].map(|part| dip(course, band, part * usual.value()));
    let verdict = if server.is_in_memory() { Verdict::Unsure } else { judged(usual, dip) };
    let mut remarks = vec![counts(course)];
    remarks.extend(cache(course));
    remarks.extend(returned(course, band));
    remarks.extend(course.unseen.as_ref().map(|why| {
        format!("Left out: cached pages, because {why}. Install util-linux to see them.")
    }));
    remarks.extend(server.remarks.iter().cloned());
    Ok(Finding {
        verdict,
        sentence: sentence(band, usual, (dip, gone)),
        uncertainty: uncertainty(band, usual, dip),
        remarks,
        tables: vec![table(course, band)],
        charts: vec![over_time(course, band), histogram(course)],
        figures: Vec::new(),
    })
}

fn latencies(course: &Course, phase: Phase) -> Vec<Nanos> {
    let steps = course.steps.iter().filter(|step| step.phase == phase);
    steps.flat_map(|step| step.latencies.iter().copied()).collect()
}

/// The first steps from the beginning of the backup on with less than `least` of the reads in the band.
fn dip(course: &Course, band: Band, least: f64) -> Option<Dip> {
    let share = |step: &Step| band.share(&step.latencies);
    let is_low = |step: &&Step| share(step).value() < least;
    let later = course.steps.iter().filter(|step| step.phase != Phase::Before);
    let low: Vec<&Step> = later.skip_while(|step| !is_low(step)).take_while(is_low).collect();
    let (begin, end) = (low.first()?, low.last()?);
    Some(Dip {
        from_s: begin.begun_s,
        to_s: end.ended_s,
        is_open: course.steps.last().is_some_and(|step| std::ptr::eq(step, *end)),
        share: low.iter().map(|step| share(step)).fold(Share::default(), Share::and),
    })
}

/// By the intervals of the shares: surely less than half of the usual one, or never so.
fn judged(usual: Share, dip: Option<Dip>) -> Verdict {
    let Some(dip) = dip else { return Verdict::Fails };
    if dip.share.interval().1 < HALF * usual.interval().0 {
        Verdict::Holds
    } else {
        Verdict::Unsure
    }
}

fn sentence(band: Band, usual: Share, (dip, gone): (Option<Dip>, Option<Dip>)) -> String {
    let (name, before) = (band.name(), percent(usual.value()));
    let Some(dip) = dip else {
        return format!("the {name} band, {before} of reads, never lost half of its share.");
    };
    let what = if gone.is_some() { "vanished" } else { "shrank" };
    let shown = gone.unwrap_or(dip);
    let end = if shown.is_open { ", the end of the run" } else { "" };
    let back = match gone {
        Some(_) if !dip.is_open => format!("; at {:.2} s half of it was back", dip.to_s),
        _ => String::new(),
    };
    format!(
        "the {name} band, {before} of reads, {what} from {:.2} s to {:.2} s{end}: {} of reads then{back}.",
        shown.from_s,
        shown.to_s,
        percent(shown.share.value())
    )
}

fn uncertainty(band: Band, usual: Share, dip: Option<Dip>) -> String {
    let interval = |share: Share| {
        let (lo, hi) = share.interval();
        format!("{} to {} of {}", percent(lo), percent(hi), counted(share.all, "read"))
    };
    let then = dip.map_or_else(String::new, |dip| {
        format!(", and {} from {:.2} s to {:.2} s", interval(dip.share), dip.from_s, dip.to_s)
    });
    format!(
        "With 90 % confidence the {} band had {} before the backup{then}.",
        band.name(),
        interval(usual)
    )
}

fn counts(course: &Course) -> String {
    let sum = |of: fn(&Step) -> u64| course.steps.iter().map(of).sum::<u64>();
    let (timed, without, left_out) = (
        sum(|step| step.latencies.len() as u64),
        sum(|step| step.without_read),
        sum(|step| step.left_out),
    );
    format!(
        "Of {} statements {} read one block, {} found everything in shared_buffers, and {} read several \
         blocks or have no time; those that read one block are the reads here.",
        grouped(timed + without + left_out),
        grouped(timed),
        grouped(without),
        grouped(left_out)
    )
}

fn cache(course: &Course) -> Option<String> {
    let first = course.steps.iter().find(|step| step.phase == Phase::During)?;
    let before = course.steps.iter().rfind(|step| step.phase == Phase::Before)?.cached?;
    let last = course.steps.iter().rfind(|step| step.phase == Phase::During)?.cached?;
    let end = course.steps.last()?.cached?;
    Some(format!(
        "The backup read {} from {:.2} s on. The page cache held {} of {} pages of the table and its index \
         before it, {} at its end and {} at the end of the run.",
        bytes(course.copied),
        first.begun_s,
        grouped(before),
        grouped(course.pages),
        grouped(last),
        grouped(end)
    ))
}

/// How far the band had come back in the last step.
fn returned(course: &Course, band: Band) -> Option<String> {
    let ended = course.steps.iter().rfind(|step| step.phase == Phase::During)?;
    let last = course.steps.last().filter(|step| step.phase == Phase::After)?;
    Some(format!(
        "{:.2} s after the backup {} of reads were in the band.",
        last.ended_s - ended.ended_s,
        percent(band.share(&last.latencies).value())
    ))
}

fn table(course: &Course, band: Band) -> Table {
    let quantile = |sorted: &[Nanos], q: f64| {
        let rank = usize::try_from(nearest_rank(q, sorted.len() as u64)).unwrap_or(0);
        let value = rank.checked_sub(1).and_then(|at| sorted.get(at));
        value.map_or_else(|| "-".to_owned(), |latency| waited(latency.as_secs_f64()))
    };
    let cached = |step: Option<&Step>| {
        step.and_then(|step| step.cached).map_or_else(|| "-".to_owned(), grouped)
    };
    let row = |phase: Phase| {
        let mut sorted = latencies(course, phase);
        sorted.sort_unstable();
        let mut steps = course.steps.iter().filter(|step| step.phase == phase);
        let share =
            if sorted.is_empty() { "-".to_owned() } else { percent(band.share(&sorted).value()) };
        vec![
            phase.name().to_owned(),
            grouped(sorted.len() as u64),
            share,
            quantile(&sorted, 0.5),
            quantile(&sorted, 0.99),
            cached(steps.clone().next()),
            cached(steps.next_back()),
        ]
    };
    let band = format!("{} band", band.name());
    let head = ["", "reads", &band, "median", "p99", "cached, first step", "cached, last step"];
    Table {
        caption: "Reads of one block as the server times them, and pages of the table and its index in the \
                  page cache"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: Phase::ALL.into_iter().map(row).collect(),
    }
}

/// The share of reads in the band, and of pages in the cache, step by step.
fn over_time(course: &Course, band: Band) -> Chart {
    let curve = |name: String, of: &dyn Fn(&Step) -> Option<f64>| Curve {
        name,
        stroke: Stroke::Line,
        points: course
            .steps
            .iter()
            .filter_map(|step| {
                Some(ChartPoint { x: step.ended_s, y: of(step)?, ..ChartPoint::default() })
            })
            .collect(),
    };
    let reads = |step: &Step| Some(band.share(&step.latencies)).filter(|share| share.all > 0);
    let curves = vec![
        curve(format!("reads in the {} band", band.name()), &|step| Some(reads(step)?.value())),
        curve("pages in the page cache".to_owned(), &|step| {
            Some(step.cached? as f64 / course.pages as f64)
        }),
    ];
    let during = || course.steps.iter().filter(|step| step.phase == Phase::During);
    let mark = |x: f64, text: &str| ChartMark { x, text: text.to_owned() };
    let marks = during().next().map(|step| mark(step.begun_s, "backup"));
    let marks = marks.into_iter().chain(during().next_back().map(|step| mark(step.ended_s, "end")));
    Chart {
        title: "The fast band and the page cache".to_owned(),
        x: ChartAxis { label: "seconds".to_owned(), ..ChartAxis::default() },
        y: ChartAxis { label: "share".to_owned(), unit: ChartUnit::Share, log: false },
        curves,
        marks: marks.collect(),
        ..Chart::default()
    }
}

/// The latencies of each phase.
fn histogram(course: &Course) -> Chart {
    let place = |latency: &Nanos| (latency.as_secs_f64().log2() * PER_OCTAVE).floor();
    let curve = |phase: Phase| {
        let mut places: Vec<f64> = latencies(course, phase).iter().map(place).collect();
        places.sort_by(f64::total_cmp);
        let all = places.len() as f64;
        let bars = places.chunk_by(|one, next| one.total_cmp(next).is_eq()).filter_map(|bar| {
            let edge = |place: f64| (place / PER_OCTAVE).exp2();
            let (place, share) = (*bar.first()?, bar.len() as f64 / all);
            let x = (edge(place) * edge(place + 1.0)).sqrt();
            Some(ChartPoint { x, y: share, ..ChartPoint::default() })
        });
        Curve { name: phase.name().to_owned(), stroke: Stroke::Measured, points: bars.collect() }
    };
    Chart {
        title: "Latencies of reads, in quarters of an octave".to_owned(),
        x: ChartAxis { label: "latency".to_owned(), unit: ChartUnit::Seconds, log: true },
        y: ChartAxis { label: "share of reads".to_owned(), unit: ChartUnit::Share, log: false },
        curves: Phase::ALL.into_iter().map(curve).collect(),
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of 100 reads, of a second each: how many of them take 3 µs, the others take 90 µs.
    fn course(steps: &[(Phase, usize)]) -> Course {
        let step = |(number, &(phase, fast)): (usize, &(Phase, usize))| Step {
            phase,
            begun_s: number as f64,
            ended_s: number as f64 + 1.0,
            latencies: (0..100)
                .map(|at| Nanos::from_micros(if at < fast { 3 } else { 90 }))
                .collect(),
            without_read: 10,
            left_out: 1,
            cached: Some(fast as u64 * 10),
        };
        let steps = steps.iter().enumerate().map(step).collect();
        Course { steps, pages: 1_000, unseen: None, copied: 4 << 20 }
    }

    fn judge(steps: &[(Phase, usize)]) -> (Verdict, String) {
        let course = course(steps);
        let before = latencies(&course, Phase::Before);
        let band = Band::of(&before).unwrap();
        let usual = band.share(&before);
        let [low, gone] = [HALF, VANISHED].map(|part| dip(&course, band, part * usual.value()));
        (judged(usual, low), sentence(band, usual, (low, gone)))
    }

    #[test]
    fn a_band_that_vanishes_says_from_when_to_when() {
        use Phase::{After, Before, During};
        let gone = [(Before, 95), (Before, 97), (During, 30), (During, 5), (After, 7), (After, 80)];
        assert_eq!(
            judge(&gone),
            (
                Verdict::Holds,
                "the 2–4 µs band, 96 % of reads, vanished from 3.00 s to 5.00 s: 6 % of reads then; at \
                 5.00 s half of it was back."
                    .to_owned()
            )
        );
        let (verdict, said) = judge(&[(Before, 95), (During, 30), (After, 20)]);
        assert_eq!(verdict, Verdict::Holds);
        assert!(said.contains("shrank from 1.00 s to 3.00 s, the end of the run: 25 %"), "{said}");
        let (verdict, said) = judge(&[(Before, 95), (During, 90), (After, 92)]);
        assert_eq!(verdict, Verdict::Fails);
        assert!(said.ends_with("never lost half of its share."), "{said}");
        assert_eq!(judge(&[(Before, 95), (During, 46), (After, 92)]).0, Verdict::Unsure);
    }

    #[test]
    fn every_statement_is_accounted_for() {
        let course = course(&[(Phase::Before, 95), (Phase::During, 5), (Phase::After, 50)]);
        let said = counts(&course);
        assert!(said.starts_with("Of 333 statements 300 read one block, 30 found"), "{said}");
        let said = cache(&course).unwrap();
        assert!(said.contains("held 950 of 1,000 pages"), "{said}");
        assert!(said.contains("50 at its end and 500 at the end of the run"), "{said}");
        let bars = histogram(&course);
        for curve in &bars.curves {
            let all: f64 = curve.points.iter().map(|point| point.y).sum();
            assert!((all - 1.0).abs() < 1e-9, "{}", curve.name);
        }
    }
}
