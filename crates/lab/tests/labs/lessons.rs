//! The lessons of `averages` and `commit`, computed again from the numbers of their JSON.

use isotherm_frame::{Nanos, Random};
use isotherm_lab::{Events, Finding, Length, Run, lab_of};
use serde_json::Value;

use super::{run, run_with_server};

/// What programs read of a finding.
fn json(name: &str, finding: Finding) -> Value {
    let run = Run::new(lab_of(name).unwrap(), (Length::Short, 1), None, finding);
    serde_json::to_value(run).unwrap()["finding"].clone()
}

/// The value of a figure.
fn figure(finding: &Value, of: &str, name: &str) -> f64 {
    let figures = finding["figures"].as_array().unwrap();
    let found = figures.iter().find(|one| one["of"] == of && one["name"] == name);
    found
        .and_then(|one| one["value"].as_f64())
        .unwrap_or_else(|| panic!("{name} of {of}: {found:?}"))
}

/// The points of a curve of a chart.
fn points(finding: &Value, chart: usize, curve: usize) -> Vec<(f64, f64)> {
    let points = finding["charts"][chart]["curves"][curve]["points"].as_array().unwrap();
    points
        .iter()
        .map(|point| (point["x"].as_f64().unwrap(), point["y"].as_f64().unwrap()))
        .collect()
}

/// Whether two numbers are the same but for rounding.
fn are_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * other.abs().max(1.0)
}

/// A bar of a histogram: events from one latency up to another.
struct Bar {
    from_s: f64,
    to_s: f64,
    events: f64,
}

/// The logarithmic histogram of an input, of which each bar is drawn by both of its edges.
fn bars(finding: &Value, input: usize) -> Vec<Bar> {
    let edges = points(finding, 2 * input + 1, 0);
    let bar = |ends: &[(f64, f64)]| Bar { from_s: ends[0].0, to_s: ends[1].0, events: ends[0].1 };
    edges.chunks(2).map(bar).collect()
}

/// The share of a normal distribution within 10 % of its mean, by Simpson's rule over its density.
fn normal_share_near_mean(mean_s: f64, deviation_s: f64) -> f64 {
    let reach = 0.1 * mean_s / deviation_s;
    let density = |z: f64| (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let (steps, mut sum) = (1_000, 0.0);
    for step in 0..=steps {
        let weight = match step {
            0 | 1_000 => 1.0,
            odd if odd % 2 == 1 => 4.0,
            _ => 2.0,
        };
        sum += weight * density(reach * (2.0 * f64::from(step) / f64::from(steps) - 1.0));
    }
    sum * 2.0 * reach / f64::from(steps) / 3.0
}

#[test]
fn a_normal_distribution_has_the_shares_of_printed_tables_near_its_mean() {
    // Within one, two and a tenth of a deviation.
    for (deviation_s, share) in [(0.1, 0.682_689), (0.05, 0.954_500), (1.0, 0.079_656)] {
        assert!((normal_share_near_mean(1.0, deviation_s) - share).abs() < 1e-6, "{deviation_s}");
    }
}

/// Of planted events: how many are within 10 % of their mean, as a share of all and of those that a normal
/// distribution with their mean and deviation has there; and the mean by the median. Computed from the events
/// themselves, and the lab's figures must be the same.
fn near_mean(events: &Events) -> (f64, f64, f64) {
    let finding = json("averages", run("averages", 1, Some(events)).unwrap());
    let mut seconds: Vec<f64> = events.latencies.iter().map(|one| one.as_secs_f64()).collect();
    seconds.sort_by(f64::total_cmp);
    let count = seconds.len() as f64;
    let mean = seconds.iter().sum::<f64>() / count;
    let squares: f64 = seconds.iter().map(|one| (one - mean) * (one - mean)).sum();
    let deviation = (squares / (count - 1.0)).sqrt();
    // Half of an even number of events: the nearest rank is the lower of the two in the middle.
    let median = seconds[seconds.len() / 2 - 1];
    let near = seconds.iter().filter(|&&one| 0.9 * mean <= one && one <= 1.1 * mean).count();
    let share = near as f64 / count;
    for (name, expected) in [
        ("events", count),
        ("mean_s", mean),
        ("median_s", median),
        ("deviation_s", deviation),
        ("share_near_mean", share),
    ] {
        let found = figure(&finding, &events.name, name);
        assert!((found - expected).abs() <= 1e-9 * expected, "{name}: {found}, {expected}");
    }
    (share, share / normal_share_near_mean(mean, deviation), mean / median)
}

#[test]
fn hardly_any_event_is_near_the_mean_of_two_hills_and_most_are_in_a_normal_distribution() {
    let mut random = Random::new(3);
    let mut planted = |name: &str, of: &dyn Fn(&mut Random) -> f64| {
        let latencies = (0..20_000).filter_map(|_| Nanos::from_secs_f64(of(&mut random))).collect();
        Events { name: name.to_owned(), latencies }
    };
    // Four of five from a cache, one from a disk: the mean is between them, where nothing happens.
    let hills = planted("hills.csv", &|random| match random.unit() {
        ..0.8 => 120e-6 * (0.35 * random.normal()).exp(),
        _ => 6e-3 * (0.3 * random.normal()).exp(),
    });
    let (share, of_normal, by_median) = near_mean(&hills);
    assert!(
        share < 0.001 && of_normal < 0.02 && by_median > 5.0,
        "{share} {of_normal} {by_median}"
    );
    // What would make the lesson false is found, too: one thing that answers alone.
    let alone = planted("alone.csv", &|random| 10e-3 + 0.5e-3 * random.normal());
    let (share, of_normal, by_median) = near_mean(&alone);
    assert!((share - 0.9545).abs() < 0.01 && (of_normal - 1.0).abs() < 0.01, "{share} {of_normal}");
    assert!((by_median - 1.0).abs() < 0.01, "{by_median}");
}

/// The lesson on reads that are timed here, whatever else runs. The file has 1,024 blocks, and four of five of 2,000
/// reads are of a fifth of them: about 500 reads find their block outside of the cache, and the others copy 8 KiB
/// from memory. Other work makes a read here and there longer by a time slice, and so the mean; it cannot make one in
/// six of those copies take as long as a device does. So the median is that of a copy, and the mean is beyond it
/// because each read of the device pulls it up. How the reads of the device are spread, and with it whether some of
/// them are near the mean, is up to the device and the load: nothing is asserted of that but that they are fewer than
/// half.
#[test]
fn the_mean_of_reads_through_a_cache_is_not_where_most_of_them_are() {
    let Some(found) = run_with_server("averages") else { return };
    let is_in_memory = found.remarks.iter().any(|remark| remark.contains("kept in memory"));
    let finding = json("averages", found);
    let cached = finding["tables"][0]["head"].as_array().unwrap().len() - 2;
    let of = "reads through the cache";
    let bars = bars(&finding, cached);
    let events = |which: &dyn Fn(&Bar) -> bool| {
        bars.iter().filter(|bar| which(bar)).map(|bar| bar.events).sum::<f64>()
    };
    let all = events(&|_| true);
    assert!(are_same(all, 2_000.0) && are_same(figure(&finding, of, "events"), all), "{all}");
    // A bar is an eighth of an octave: with its middle in place of each event the mean is off by half of that.
    let mean = figure(&finding, of, "mean_s");
    let by_bars: f64 =
        bars.iter().map(|bar| bar.events * (bar.from_s * bar.to_s).sqrt()).sum::<f64>() / all;
    assert!((by_bars / mean - 1.0).abs() < 0.05, "{by_bars} {mean}");
    let below_mean = events(&|bar| bar.to_s <= mean) / all;
    let near_mean = events(&|bar| bar.to_s > 0.9 * mean && bar.from_s < 1.1 * mean) / all;
    assert!(figure(&finding, of, "share_near_mean") <= near_mean, "{near_mean}");
    let mut before = 0.0;
    let median = bars.iter().find(|bar| {
        before += bar.events;
        before >= all / 2.0
    });
    let median = median.unwrap();
    let said = figure(&finding, of, "median_s");
    assert!(median.from_s <= said && said <= median.to_s, "{said}");
    if is_in_memory {
        return super::skipped("files in memory are never read from a device");
    }
    // A normal distribution has half of its events below the mean, and its median there.
    assert!(median.to_s < mean, "median {} to {} s, mean {mean} s", median.from_s, median.to_s);
    assert!(below_mean > 0.6, "{below_mean} of the events are below the mean");
    assert!(near_mean < 0.5, "{near_mean} of the events are near the mean");
}

/// Pearson's correlation by standardised values, another form than the lab's.
fn correlation(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let standardised = |of: fn(&(f64, f64)) -> f64| {
        let mean = points.iter().map(of).sum::<f64>() / count;
        let deviation =
            (points.iter().map(|one| (of(one) - mean).powi(2)).sum::<f64>() / count).sqrt();
        points.iter().map(|one| (of(one) - mean) / deviation).collect::<Vec<f64>>()
    };
    let (x, y) = (standardised(|point| point.0), standardised(|point| point.1));
    x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>() / count
}

/// What a commit is made of. None of it depends on the speed of the disk or on other work: a session waits in COMMIT
/// until its sync has returned, so that the server's time of the sync lies within the time its client waited. Which
/// share of it the sync has, and whether that grows or falls with the rows of a transaction, is up to the disk
/// (OraPub: it grew; in the one full run of docs/lab/commit.md it was least at 10,000 rows): no test of it can hold
/// everywhere, and these shares are only computed again.
#[test]
fn a_commit_takes_its_sync_and_more_and_the_lab_s_numbers_are_those_of_its_rounds() {
    let Some(found) = run_with_server("commit") else { return };
    let remarks = found.remarks.clone();
    let finding = json("commit", found);
    for (curve, of) in ["idle", "serial", "ten sessions"].into_iter().enumerate() {
        // Milliseconds of a sync, seconds of a commit.
        let rounds = points(&finding, 0, curve);
        let count = rounds.len() as f64;
        assert!(are_same(figure(&finding, of, "rounds"), count), "{of}");
        assert!(are_same(figure(&finding, of, "correlation"), correlation(&rounds)), "{of}");
        // Each number of rows has its share: together they are the share of all rounds.
        let parts = [1, 100].map(|rows| {
            let of = format!("{of}, {rows} rows a commit");
            (figure(&finding, &of, "rounds"), figure(&finding, &of, "sync_share"))
        });
        let share = parts.iter().map(|(rounds, share)| rounds * share).sum::<f64>() / count;
        assert!(are_same(figure(&finding, of, "sync_share"), share), "{of}");
        if of == "ten sessions" {
            continue;
        }
        let by_rounds =
            rounds.iter().map(|(sync_ms, commit_s)| sync_ms / 1e3 / commit_s).sum::<f64>();
        assert!(are_same(share, by_rounds / count), "{of}: {share}");
        assert!(rounds.iter().all(|(sync_ms, commit_s)| sync_ms / 1e3 < *commit_s), "{rounds:?}");
    }
    the_rule_is_that_of_the_idle_session(&finding, &remarks);
}

/// 75 % of the limit, which is the p90 of commits of the idle session.
fn the_rule_is_that_of_the_idle_session(finding: &Value, remarks: &[String]) {
    let rounds = points(finding, 0, 0);
    let mut commits: Vec<f64> = rounds.iter().map(|(_, commit_s)| *commit_s).collect();
    commits.sort_by(f64::total_cmp);
    // The least time that nine of ten commits keep.
    let limit_s = *commits
        .iter()
        .find(|&&limit| {
            10 * commits.iter().filter(|&&one| one <= limit).count() >= 9 * commits.len()
        })
        .unwrap();
    let of = "idle, 75 % rule";
    assert!(are_same(figure(finding, of, "limit_s") / limit_s, 1.0), "{limit_s}");
    let (short, long): (Vec<_>, Vec<_>) =
        rounds.iter().partition(|(sync_ms, _)| *sync_ms <= 750.0 * limit_s);
    let within =
        |some: &[(f64, f64)]| some.iter().filter(|(_, commit_s)| *commit_s <= limit_s).count();
    for (name, expected) in [
        ("with_short_sync", short.len()),
        ("with_short_sync_within_limit", within(&short)),
        ("with_long_sync", long.len()),
        ("with_long_sync_within_limit", within(&long)),
    ] {
        assert!(are_same(figure(finding, of, name), expected as f64), "{name}: {expected}");
    }
    let said = remarks.iter().find(|remark| remark.starts_with("The 75 % rule")).unwrap();
    let expected = match short.len() {
        0 => "In no commit did it.".to_owned(),
        1 => format!("In 1 commit it did, and {} of them kept the limit", within(&short)),
        count => {
            format!("In {count} commits it did, and {} of them kept the limit", within(&short))
        }
    };
    assert!(said.contains(&expected), "{said}: {expected}");
    // Whatever the disk: a commit with a sync beyond the limit is beyond it, too.
    assert!(
        rounds.iter().all(|(sync_ms, commit_s)| *sync_ms <= 1e3 * limit_s || *commit_s > limit_s)
    );
}
