//! Every lab in its short form: its lesson must hold on this machine.

use std::sync::atomic::AtomicBool;

use isotherm_frame::{Nanos, Random};
use isotherm_lab::{Bench, Events, Finding, LABS, LabError, LabJson, Length, Run, Verdict, lab_of};

#[cfg(test)]
#[path = "../../views/tests/all/schema.rs"]
mod schema;
#[cfg(test)]
#[path = "../../views/tests/all/schema_pages.rs"]
mod schema_pages;

#[cfg(test)]
fn run(name: &str, seed: u64, events: Option<&Events>) -> Result<Finding, LabError> {
    let _ends = testing::bounded::watchdog("a lab");
    let (stop, mut progress) = (AtomicBool::new(false), |_| ());
    let lab = lab_of(name).unwrap();
    (lab.run)(&mut Bench::new((Length::Short, seed), &stop, &mut progress).with_events(events))
}

#[test]
fn the_run_queue_counts_the_running_and_the_waiting() {
    let finding = run("run-queue", 1, None).unwrap();
    // What else runs comes and goes between two ways of counting: a short run may not decide. It
    // never decides wrongly.
    assert_ne!(finding.verdict, Verdict::Fails, "{finding:#?}");
    // Whatever else runs: hogs never sleep, so all of them are counted at every level.
    let table = &finding.tables[0];
    for row in &table.rows {
        let number = |cell: &str| cell.split(' ').next().unwrap().parse::<f64>().unwrap();
        let hogs: f64 = row[0].parse().unwrap();
        for column in [3, 5, 7] {
            let counted = number(&row[column]);
            assert!(counted >= hogs, "{} counted {counted}: {row:?}", table.head[column]);
        }
    }
}

#[test]
fn fine_buckets_know_more_than_powers_of_two() {
    for seed in 1..=3 {
        let finding = run("buckets", seed, None).unwrap();
        assert_eq!(finding.verdict, Verdict::Holds, "{finding:#?}");
    }
}

#[test]
fn percentiles_and_time_waited_of_a_users_events_are_exact() {
    // 2 to 2,000 µs: percentiles and the total follow from arithmetic.
    let mut latencies: Vec<Nanos> = (1..=1_000).map(|at| Nanos::from_micros(2 * at)).collect();
    let mut random = Random::new(1);
    (1..latencies.len()).rev().for_each(|at| latencies.swap(at, random.index(at + 1)));
    let events = Events { name: "a.csv".to_owned(), latencies };
    let finding = run("buckets", 1, Some(&events)).unwrap();
    let cell = |table: usize, row: usize, column: usize| &finding.tables[table].rows[row][column];
    assert_eq!([cell(0, 0, 1), cell(0, 3, 1)], ["1.00 ms", "1.98 ms"]);
    assert!(cell(0, 0, 2).starts_with("0.512–1.03ms"), "{}", cell(0, 0, 2));
    assert_eq!(cell(1, 0, 2), "1.00 s", "1.001 s in all");
    assert_eq!(finding.verdict, Verdict::Holds);
    assert!(finding.uncertainty.contains("1,000 events of a.csv"), "{}", finding.uncertainty);
}

#[test]
fn too_few_events_are_an_error_that_says_how_many_are_needed() {
    let events = Events { name: "b.csv".to_owned(), latencies: vec![Nanos::from_micros(1); 99] };
    let error = run("buckets", 1, Some(&events)).unwrap_err().to_string();
    assert_eq!(error, "b.csv has 99 events, and this lab needs at least 100; give it more of them");
    // Events of no time at all have percentiles, and no relative errors.
    let events = Events { name: "c.csv".to_owned(), latencies: vec![Nanos::ZERO; 100] };
    assert!(run("buckets", 1, Some(&events)).is_ok());
}

#[test]
fn a_working_set_is_counted_as_well_as_stated() {
    let finding = run("working-set", 1, None).unwrap();
    assert_eq!(finding.verdict, Verdict::Holds, "{finding:#?}");
    // The whole cache follows the formula within five standard deviations of 625 references.
    let ramp = &finding.charts[1];
    for (counted, formula) in ramp.curves[0].points.iter().zip(&ramp.curves[1].points) {
        assert!((counted.y - formula.y).abs() < 5.0 * 0.5 / 25.0, "{counted:?} {formula:?}");
    }
    let half = ramp.curves[2].points.last().unwrap();
    assert!((half.y - 0.5).abs() < 0.1, "{half:?}");
}

#[test]
fn the_order_of_a_queue_changes_percentiles_and_not_the_mean() {
    let finding = run("locks", 1, None).unwrap();
    assert_eq!(finding.verdict, Verdict::Holds, "{finding:#?}");
    assert!(finding.sentence.contains("the same mean to the nanosecond"), "{}", finding.sentence);
    // The simulation in order agrees with the formula of M/M/1, within twice its interval.
    let [fifo, _, formula] = &finding.charts[0].curves[..] else { panic!("three curves") };
    for (found, expected) in fifo.points.iter().zip(&formula.points) {
        let (lo, hi) = found.y_range.unwrap();
        let reach = hi - lo;
        assert!((found.y - expected.y).abs() < reach, "{found:?} {expected:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_finding() {
    for name in ["buckets", "locks"] {
        assert_eq!(run(name, 7, None).unwrap(), run(name, 7, None).unwrap(), "{name}");
        assert_ne!(run(name, 7, None).unwrap(), run(name, 8, None).unwrap(), "{name}");
    }
}

#[test]
fn a_lab_that_is_stopped_gives_no_finding() {
    let _ends = testing::bounded::watchdog("labs that are stopped");
    for lab in LABS {
        let (stop, mut progress) = (AtomicBool::new(true), |_| ());
        let stopped = (lab.run)(&mut Bench::new((Length::Full, 1), &stop, &mut progress));
        assert!(matches!(stopped, Err(LabError::Interrupted)), "{}", lab.name);
    }
}

#[test]
fn the_json_keeps_to_its_schema() {
    let schema = schema_pages::schema_of::<LabJson>("lab.schema.json");
    for name in ["buckets", "locks"] {
        let (lab, finding) = (lab_of(name).unwrap(), run(name, 1, None).unwrap());
        let run = Run { lab, length: Length::Short, seed: 1, input: None, finding };
        let object = serde_json::to_value(LabJson::new(&run)).unwrap();
        assert_eq!(schema::faults(&object, &schema), Vec::<String>::new(), "{name}");
    }
}
