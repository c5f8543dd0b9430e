//! Commits and syncs in words, tables and a chart.

use isotherm_frame::numbers::counted;
use isotherm_frame::percent;
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::measure::Timing;
use super::round::{Round, Scenario, Series};
use super::rule::Rule;
use crate::finding::capital;
use crate::regression::Regression;
use crate::server::Server;
use crate::{Estimate, Figure, Finding, Verdict};

/// Most of a commit.
const HALF: f64 = 0.5;

const COMPETING: &str = "With ten sessions the share is of the time that COMMITs spend in the server, from \
    looks at what they wait for: waits for another session that writes or syncs WAL count, and the way to \
    the client and back does not. Of one session it is the counted time of its syncs by the time its client \
    waited. Each is the mean of the shares of the rounds, which weigh the same however long they took.";

/// What the scenarios come to.
pub fn finding(
    found: &[Series],
    (server, timing): (&Server<'_>, &Timing),
    limit_s: Option<f64>,
) -> Finding {
    let shares: Vec<Option<Estimate>> = found.iter().map(Series::share).collect();
    let verdict = if server.is_in_memory() { Verdict::Unsure } else { judged(&shares) };
    let mut remarks: Vec<String> = found.iter().filter_map(in_words).collect();
    let rule = found.iter().find_map(|series| Rule::of(series, limit_s));
    remarks.extend(rule.as_ref().map(Rule::in_words));
    remarks.extend(group_commit(found));
    if found.iter().any(|series| series.scenario == Scenario::Competing) {
        remarks.push(COMPETING.to_owned());
    }
    remarks.extend(left_out(found));
    remarks.extend(by_strace(timing));
    remarks.extend(server.remarks.iter().cloned());
    Finding {
        verdict,
        sentence: sentence(found, &shares),
        uncertainty: uncertainty(found, &shares),
        remarks,
        tables: vec![scenarios(found), batches(found)],
        charts: vec![chart(found), shares_chart(found)],
        figures: figures(found, rule.as_ref()),
    }
}

/// By the intervals of all scenarios: most of a commit is the sync, or it is not.
fn judged(shares: &[Option<Estimate>]) -> Verdict {
    let all = |lo: f64, hi: f64| {
        shares.iter().all(|share| share.is_some_and(|share| share.lies_within(lo, hi)))
    };
    match () {
        () if all(HALF, f64::INFINITY) => Verdict::Holds,
        () if all(f64::NEG_INFINITY, HALF) => Verdict::Fails,
        () => Verdict::Unsure,
    }
}

fn sentence(found: &[Series], shares: &[Option<Estimate>]) -> String {
    let parts = found.iter().zip(shares).filter_map(|(series, share)| {
        Some(format!("{} ({})", percent(share.as_ref()?.mean), series.scenario.name()))
    });
    let parts = parts.collect::<Vec<String>>().join(", ");
    format!("the share of a commit's time that is waiting for a sync of the WAL is {parts}.")
}

fn uncertainty(found: &[Series], shares: &[Option<Estimate>]) -> String {
    let parts = found.iter().zip(shares).filter_map(|(series, share)| {
        let share = share.filter(|share| share.reach.is_finite())?;
        let (lo, hi) = ends(share);
        let name = series.scenario.name();
        Some(format!("{lo:.0} and {hi:.0} % ({name}, {} rounds)", share.count))
    });
    let parts = parts.collect::<Vec<String>>().join(", ");
    if parts.is_empty() {
        return "There are too few rounds to say how sure these shares are.".to_owned();
    }
    format!("With 90 % confidence these shares lie between {parts}.")
}

/// The ends of the interval in per cent: a share is never less than nothing nor more than all.
fn ends(share: Estimate) -> (f64, f64) {
    let (lo, hi) = share.interval();
    let end = |end: f64| (end.clamp(0.0, 1.0) * 100.0).round();
    (end(lo), end(hi))
}

fn in_words(series: &Series) -> Option<String> {
    let line = series.line()?;
    Some(format!(
        "{}: commit time = {:.3} ms + {:.3} (± {:.3}) × sync time, correlation {:.2}.",
        capital(series.scenario.name()),
        line.intercept * 1e3,
        line.slope,
        line.slope_half_width,
        line.correlation
    ))
}

fn figures(found: &[Series], rule: Option<&Rule>) -> Vec<Figure> {
    let rounds = |series: &Series, which: &dyn Fn(&Round) -> bool| {
        series.rounds.iter().filter(|round| which(round)).count() as f64
    };
    let mean = |share: Option<Estimate>| share.map_or(f64::NAN, |share| share.mean);
    let of_series = |series: &Series| {
        let (name, line) = (series.scenario.name(), series.line());
        let of_line = |of: fn(Regression) -> f64| line.map_or(f64::NAN, of);
        let all = [
            ("rounds", rounds(series, &|_| true)),
            ("sync_share", mean(series.share())),
            ("correlation", of_line(|line| line.correlation)),
            ("slope", of_line(|line| line.slope)),
            ("intercept_s", of_line(|line| line.intercept)),
        ];
        let of_size = |batch: u64| {
            let values = [
                ("rounds", rounds(series, &|round| round.batch == batch)),
                ("sync_share", mean(series.share_at(batch))),
            ];
            Figure::all(&format!("{name}, {batch} rows a commit"), &values)
        };
        let sizes = sizes(found).into_iter().flat_map(of_size);
        Figure::all(name, &all).into_iter().chain(sizes).collect::<Vec<Figure>>()
    };
    let of_rule =
        rule.map_or_else(Vec::new, |rule| Figure::all("idle, 75 % rule", &rule.figures()));
    found.iter().flat_map(of_series).chain(of_rule).collect()
}

fn group_commit(found: &[Series]) -> Option<String> {
    let series = found.iter().find(|series| series.scenario == Scenario::Competing)?;
    let sum = |of: fn(&Round) -> u64| series.rounds.iter().map(of).sum::<u64>();
    let (commits, syncs) = (sum(|round| round.commits), sum(|round| round.syncs));
    if syncs == 0 || commits == 0 {
        return None;
    }
    if syncs >= commits {
        return Some(format!(
            "Ten sessions did not share syncs: there were {syncs} of them for {commits} commits."
        ));
    }
    let each = commits as f64 / syncs as f64;
    Some(format!(
        "Ten sessions shared syncs: {commits} commits needed {syncs} of them, {each:.1} commits each."
    ))
}

fn left_out(found: &[Series]) -> Option<String> {
    let rounds: usize = found.iter().map(|series| series.left_out).sum();
    (rounds > 0).then(|| {
        format!(
            "Left out: {}, because there were syncs besides those of the commits, as of a full \
             WAL segment, or because no look fell into a COMMIT.",
            counted(rounds as u64, "round")
        )
    })
}

/// What timed the syncs, where it was not the server.
fn by_strace(timing: &Timing) -> Option<String> {
    let Timing::Strace(refused) = timing else { return None };
    Some(format!(
        "Syncs were timed by strace (fdatasync and fsync on files in pg_wal) of the sessions, which sync the WAL of \
         their commits themselves: this user may not let the server time them ({refused}). A round counts only if \
         strace saw as many syncs as the server counted. strace slows each system call of the sessions, the syncs \
         among them: commits take longer than without it."
    ))
}

fn mean(series: &Series, of: fn(&Round) -> f64) -> String {
    if series.rounds.is_empty() {
        return "-".to_owned();
    }
    waited(series.rounds.iter().map(of).sum::<f64>() / series.rounds.len() as f64)
}

fn scenarios(found: &[Series]) -> Table {
    let row = |series: &Series| {
        let line = series.line();
        let number = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
        };
        vec![
            series.scenario.name().to_owned(),
            series.rounds.iter().map(|round| round.commits).sum::<u64>().to_string(),
            series.rounds.iter().map(|round| round.syncs).sum::<u64>().to_string(),
            mean(series, |round| round.commit_s),
            mean(series, |round| round.sync_s),
            with_reach(series.share()),
            number(line.map(|line| line.correlation)),
            line.map_or_else(
                || "-".to_owned(),
                |line| format!("{:.3} ± {:.3}", line.slope, line.slope_half_width),
            ),
        ]
    };
    let head = ["", "commits", "syncs", "commit", "sync", "share", "correlation", "commit by sync"];
    Table {
        caption: "Commit time and WAL sync: means, with 90 % intervals".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: found.iter().map(row).collect(),
    }
}

fn with_reach(share: Option<Estimate>) -> String {
    share.map_or_else(
        || "-".to_owned(),
        |share| {
            if share.reach.is_finite() {
                let (lo, hi) = ends(share);
                format!("{:.1} % ({lo:.0} to {hi:.0} %)", share.mean * 100.0)
            } else {
                format!("{:.1} %", share.mean * 100.0)
            }
        },
    )
}

fn sizes(found: &[Series]) -> Vec<u64> {
    let mut sizes: Vec<u64> =
        found.iter().flat_map(|series| series.rounds.iter().map(|round| round.batch)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn batches(found: &[Series]) -> Table {
    let mut head = vec!["rows a commit".to_owned()];
    head.extend(found.iter().map(|series| series.scenario.name().to_owned()));
    let row = |batch: u64| {
        let mut row = vec![isotherm_frame::numbers::grouped(batch)];
        row.extend(found.iter().map(|series| with_reach(series.share_at(batch))));
        row
    };
    Table {
        caption: "The share of the sync by the rows of a transaction".to_owned(),
        head,
        rows: sizes(found).into_iter().map(row).collect(),
    }
}

fn chart(found: &[Series]) -> Chart {
    let point = |round: &Round| ChartPoint {
        x: round.sync_s * 1e3,
        y: round.commit_s,
        ..ChartPoint::default()
    };
    let dots = found.iter().map(|series| Curve {
        name: series.scenario.name().to_owned(),
        stroke: Stroke::Dots,
        points: series.rounds.iter().map(point).collect(),
    });
    let longest = found.iter().flat_map(|series| &series.rounds).map(|round| round.sync_s);
    let ends = (longest.clone().fold(f64::INFINITY, f64::min), longest.fold(0.0, f64::max));
    let equal = [ends.0, ends.1].map(|sync_s| ChartPoint {
        x: sync_s * 1e3,
        y: sync_s,
        ..ChartPoint::default()
    });
    let equal = Curve {
        name: "nothing but the sync".to_owned(),
        stroke: Stroke::Dashed,
        points: equal.to_vec(),
    };
    Chart {
        title: "Commit time by the time of a sync of the WAL".to_owned(),
        x: ChartAxis { label: "time of a sync, ms".to_owned(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "commit time".to_owned(), unit: ChartUnit::Seconds, log: true },
        curves: dots.chain([equal]).collect(),
        ..Chart::default()
    }
}

fn shares_chart(found: &[Series]) -> Chart {
    let curve = |series: &Series| {
        let point = |batch: u64| {
            let share = series.share_at(batch)?;
            Some(ChartPoint {
                x: batch as f64,
                y: share.mean,
                y_range: share.reach.is_finite().then(|| {
                    let (lo, hi) = share.interval();
                    (lo.clamp(0.0, 1.0), hi.clamp(0.0, 1.0))
                }),
                ..ChartPoint::default()
            })
        };
        Curve {
            name: series.scenario.name().to_owned(),
            stroke: Stroke::Measured,
            points: sizes(found).into_iter().filter_map(point).collect(),
        }
    };
    Chart {
        title: "Share of the sync in commit time by the rows of a transaction".to_owned(),
        x: ChartAxis { label: "rows a commit".to_owned(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "share".to_owned(), unit: ChartUnit::Share, log: false },
        curves: found.iter().map(curve).collect(),
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::round::Counted;
    use super::*;

    /// Rounds of ten commits whose sync takes these shares of 1 ms.
    fn series(scenario: Scenario, shares: &[f64]) -> Series {
        let round = |&share: &f64| {
            let after = Counted { syncs: 10, time_s: share * 1e-3 * 10.0, seen: None };
            Round::new(1, &[1e-3; 10], Counted::default(), after)
        };
        Series { scenario, rounds: shares.iter().map(round).collect(), left_out: 0 }
    }

    fn verdict(of: [&[f64]; 3]) -> Verdict {
        let found = Scenario::ALL.into_iter().zip(of).map(|(one, shares)| series(one, shares));
        judged(&found.map(|series| series.share()).collect::<Vec<_>>())
    }

    #[test]
    fn most_of_a_commit_is_the_sync_only_if_every_scenario_is_sure_of_it() {
        let (high, low) = (&[0.8, 0.82, 0.81, 0.79][..], &[0.2, 0.22, 0.21, 0.19][..]);
        let wide = &[0.1, 0.9, 0.8, 0.95][..];
        assert_eq!(verdict([high, high, high]), Verdict::Holds);
        assert_eq!(verdict([low, low, low]), Verdict::Fails);
        for unsure in
            [[high, high, low], [high, wide, high], [high, high, &[]], [high, &[0.8], high]]
        {
            assert_eq!(verdict(unsure), Verdict::Unsure, "{unsure:?}");
        }
    }

    #[test]
    fn intervals_of_shares_lie_between_nothing_and_all() {
        // t(0.95, 1) = 6.314: the interval of two shares 0.2 apart reaches 0.631 to either side.
        let found = [series(Scenario::ALL[0], &[0.8, 1.0])];
        let shares = [found[0].share()];
        let words = uncertainty(&found, &shares);
        assert!(words.contains(" between 27 and 100 % (idle, 2 rounds)."), "{words}");
        assert_eq!(with_reach(shares[0]), "90.0 % (27 to 100 %)");
    }

    #[test]
    fn sessions_share_syncs_only_if_there_are_fewer_of_them() {
        let shared = |commits: usize, syncs| {
            let times = vec![1e-3; commits];
            let after = Counted { syncs, time_s: 1e-3, seen: None };
            let round = Round::new(1, &times, Counted::default(), after);
            let rounds = vec![round];
            group_commit(&[Series { scenario: Scenario::Competing, rounds, left_out: 0 }]).unwrap()
        };
        assert!(shared(100, 25).contains("100 commits needed 25 of them, 4.0 commits each"));
        assert!(shared(50, 100).contains("did not share syncs: there were 100 of them for 50"));
    }
}
