use isotherm_load::{
    Arrival, DatabaseOptions, FileMethod, FileOptions, HotSpot, Limit, Mix, Pattern, Redo, Spacing,
    Think, Warmup, Work,
};
use proptest::prelude::*;

use super::*;

/// The smallest plan there is.
pub fn plan() -> Plan {
    Plan { job: Job { target: "sim:servers=4".to_owned(), ..Job::default() }, ..Plan::default() }
}

fn varying(variables: &[&str]) -> Plan {
    let vary = variables.iter().map(|text| text.parse().expect(text)).collect();
    Plan { vary, ..plan() }
}

/// Two plans that have every key between them.
pub fn full_plans() -> [Plan; 2] {
    let ms = Nanos::from_millis;
    let closed = Arrival::Closed {
        in_flight: 8,
        think: Some(Think { one_in: 2, least: ms(1), most: ms(5) }),
    };
    let open = Arrival::Open { rate_hz: 2_500.5, spacing: Spacing::Fixed, slots: 64 };
    let job = |arrival, warmup| Job {
        target: "file:/data/x.dat".to_owned(),
        arrival,
        limit: Limit { time: ms(2_500), operations: Some(1_000) },
        warmup,
        work: Work {
            update_pct: 12.5,
            mix: Mix::Slob,
            pattern: Pattern::Sequential,
            hot: Some(HotSpot { size_pct: 10.0, offset_pct: 5.0, one_in: 3 }),
            seed: 9,
        },
        threads: Some(2),
        file: FileOptions {
            block: 4_096,
            method: FileMethod::Sync,
            direct: false,
            size: Some(1 << 30),
            chunk: Some(4),
            huge_pages: false,
            dsync: true,
            i_mean_it: false,
            create: false,
        },
        database: DatabaseOptions {
            schemas: 2,
            scale: 500,
            work_unit: 3,
            redo: Redo::Heavy,
            server_loop: true,
        },
    };
    let whole = Plan {
        vary: vec!["update-pct=0,20".parse().expect("a variable")],
        repeats: 3,
        order: Order::AsWritten,
        seed: 5,
        cool_down: ms(1_500),
        most_time: Some(ms(3_600_000)),
        stop_when: Vec::new(),
        device: Some(DeviceClass::Measured(Nanos::new(80_001))),
        job: job(closed, Warmup::UntilSteady(ms(60_000))),
        ..Plan::default()
    };
    let rules = vec!["p99>20ms".parse().expect("a rule"), "gain<5%".parse().expect("a rule")];
    let ramp = Plan {
        vary: vec!["rate=1k..8k+1k".parse().expect("a variable")],
        stop_when: rules,
        device: Some(DeviceClass::San),
        job: job(open, Warmup::Time(ms(0))),
        ..whole.clone()
    };
    [whole, ramp]
}

fn again(plan: &Plan) -> Plan {
    let text = plan.to_toml().expect("a text");
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    for plan in full_plans().into_iter().chain([plan(), varying(&["in-flight=1..256x2"])]) {
        assert_eq!(again(&plan), plan);
    }
}

#[test]
fn a_written_plan_explains_itself() {
    insta::assert_snapshot!(
        varying(&["in-flight=1..256x2", "update-pct=0,20"]).to_toml().expect("a text")
    );
}

#[test]
fn what_is_varied_is_crossed() {
    let points = varying(&["update-pct=0,20", "in-flight=1..4x2"]).points().expect("points");
    let labels: Vec<&str> = points.iter().map(|point| point.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "update-pct 0, in-flight 1",
            "update-pct 0, in-flight 2",
            "update-pct 0, in-flight 4",
            "update-pct 20, in-flight 1",
            "update-pct 20, in-flight 2",
            "update-pct 20, in-flight 4"
        ]
    );
    assert_eq!(points[5].job.arrival, Arrival::Closed { in_flight: 4, think: None });
    assert!((points[5].job.work.update_pct - 20.0).abs() < 1e-12);
}

#[test]
fn the_share_of_updates_may_be_called_as_the_option_is() {
    let variable: Variable = "update=0,20".parse().expect("a variable");
    assert_eq!(variable.to_string(), "update-pct=0,20");
}

#[test]
fn every_variable_reaches_the_job() {
    let all = [
        "rate=2500",
        "slots=9",
        "threads=3",
        "update-pct=7",
        "pattern=sequential",
        "block=4k",
        "size=1g",
        "method=uring",
        "direct=false",
        "dsync=true",
        "huge-pages=false",
        "chunk=5",
        "schemas=6",
        "scale=2k",
        "work-unit=8",
        "redo=heavy",
    ];
    assert_eq!(What::all().count(), all.len() + 1, "and in-flight");
    let job = varying(&all).points().expect("points").remove(0).job;
    assert_eq!(
        job.arrival,
        Arrival::Open { rate_hz: 2_500.0, spacing: Spacing::Poisson, slots: 9 }
    );
    assert_eq!((job.threads, job.work.pattern), (Some(3), Pattern::Sequential));
    assert!((job.work.update_pct - 7.0).abs() < 1e-12);
    let file = FileOptions {
        block: 4_096,
        method: FileMethod::Uring,
        direct: false,
        size: Some(1 << 30),
        chunk: Some(5),
        huge_pages: false,
        dsync: true,
        i_mean_it: false,
        create: false,
    };
    assert_eq!(job.file, file);
    let database = DatabaseOptions {
        schemas: 6,
        scale: 2_000,
        work_unit: 8,
        redo: Redo::Heavy,
        server_loop: false,
    };
    assert_eq!(job.database, database);
}

#[test]
fn without_variables_there_is_one_point() {
    let points = plan().points().expect("points");
    assert_eq!(
        points.iter().map(|point| point.label.as_str()).collect::<Vec<_>>(),
        ["in-flight 1"]
    );
}

#[test]
fn each_run_has_a_seed_of_its_own() {
    let point = plan().points().expect("points").remove(0);
    let seeds =
        [(0, 0), (0, 1), (1, 0)].map(|(number, repeat)| point.job_of(number, repeat).work.seed);
    assert_eq!(seeds, [1, 2, 1_001]);
}

#[test]
fn the_time_of_a_plan_is_that_of_its_runs_and_rests() {
    let mut plan = plan();
    plan.job.limit.time = Nanos::from_millis(10_000);
    plan.job.warmup = Warmup::UntilSteady(Nanos::from_millis(5_000));
    plan.cool_down = Nanos::from_millis(2_000);
    assert_eq!(plan.time_of(3), Nanos::from_millis(3 * 15_000 + 2 * 2_000));
    assert_eq!(plan.time_of(0), Nanos::ZERO);
}

#[test]
fn nonsense_is_named_with_its_key() {
    let refused = |text: &str| text.parse::<Plan>().expect_err(text).to_string();
    let with = |line: &str| refused(&format!("{line}\n[job]\ntarget = \"sim:\""));
    insta::assert_snapshot!(
        [
            with("repeats = 0"),
            with("format = 2"),
            with("seed = 3\norder = \"shuffled\""),
            with("repeat = 3"),
            with("cool-down = \"2\""),
            with("most-time = \"0s\""),
            with("device = \"floppy\""),
            with("vary = [\"in-flight=1..256\"]"),
            with("vary = [\"workers=1\"]"),
            with("vary = [\"in-flight=0,1\"]"),
            with("vary = [\"in-flight\"]"),
            with("vary = [\"in-flight=1\", \"in-flight=2\"]"),
            with("vary = [\"in-flight=1\", \"rate=2\"]"),
            with("vary = [\"slots=1\"]"),
            with("vary = [\"in-flight=1..50+1\", \"update-pct=0..100+1\"]"),
            with("stop-when = [\"p99>20ms\"]"),
            with("stop-when = [\"gain<5%\"]\norder = \"random\""),
            with("stop-when = [\"gain>5\"]"),
            with("stop-when = [\"p99\"]"),
            refused(""),
            refused("[job]\ntarget = \"a\\nb\""),
            refused("[job]\ntarget = \"sim:\"\n[job.limit]\nfor = \"0s\""),
            refused("[job]\ntarget = \"sim:\"\n[job.limit]\nfor = \"31d\""),
            refused("[job]\ntarget = \"sim:\"\n[job.arrival]\nloop = \"closed\"\nin-flight = 0"),
            refused("[job]\ntarget = \"sim:\"\n[job.arrival]\nloop = \"open\"\nrate-hz = nan"),
            refused("[job]\ntarget = \"sim:\"\n[job.work]\nupdate-pct = 101.0"),
            refused("[job]\ntarget = \"sim:\"\n[job.work]\nhot = { size-pct = 0.0, one-in = 2 }"),
            refused("[job]\ntarget = \"sim:\"\n[job.file]\nblock = 100"),
            refused(
                "vary = [\"update-pct=50,60\"]\n[job]\ntarget = \"sim:\"\n[job.work]\nmix = \"slob\"",
            ),
        ]
        .join("\n---\n")
    );
}

#[test]
fn a_changed_plan_is_reported_key_by_key() {
    let before = varying(&["in-flight=1,2"]);
    let mut now = varying(&["in-flight=1,2,4"]);
    assert_eq!(before.differences(&before), Ok(Vec::new()));
    now.most_time = Some(Nanos::from_millis(60_000));
    now.job.limit.time = Nanos::from_millis(5_000);
    assert_eq!(
        before.differences(&now),
        Ok(vec![
            "job.limit.for: \"30s\" before, \"5s\" now".to_owned(),
            "vary: [\"in-flight=1,2\"] before, [\"in-flight=1,2,4\"] now".to_owned(),
            "most-time: not given before, \"60s\" now".to_owned(),
        ])
    );
}

#[test]
fn a_plan_is_extended_by_points_and_repeats_only() {
    let before = varying(&["in-flight=1,2"]);
    let extended = |change: fn(&mut Plan)| {
        let mut now = varying(&["in-flight=1..4x2"]);
        now.repeats = 2;
        now.order = Order::Random;
        change(&mut now);
        before.is_extended_by(&now).expect("plans that make sense")
    };
    assert_eq!(extended(|_| ()), Ok(()));
    assert_eq!(
        extended(|plan| plan.vary = vec!["in-flight=2,4".parse().expect("a variable")]),
        Err("the point 'in-flight 1' is gone".to_owned())
    );
    assert_eq!(
        extended(|plan| plan.job.file.block = 4_096),
        Err("job.file.block: 8192 before, 4096 now".to_owned())
    );
    let fewer = Plan { repeats: 3, ..before.clone() };
    assert_eq!(fewer.is_extended_by(&before), Ok(Err("repeats: 3 before, 1 now".to_owned())));
}

#[test]
fn rules_hold_when_raising_the_load_is_of_no_use() {
    let rule = |text: &str| text.parse::<StopRule>().expect(text);
    let at =
        |operations, latency_ns| crate::sample_runs::run_of(0, 0, operations, latency_ns).outcome;
    assert!(rule("p99>20ms").holds(1.0, &at(100, 30_000_000), None));
    assert!(!rule("p99>20ms").holds(1.0, &at(100, 10_000_000), None));
    // From 8 to 16 in flight, 100 % more, throughput grows by 4 %, then by 6 %.
    let before = at(1_000, 1_000_000);
    assert!(rule("gain<5%").holds(16.0, &at(1_040, 1_000_000), Some((8.0, &before))));
    assert!(!rule("gain<5%").holds(16.0, &at(1_060, 1_000_000), Some((8.0, &before))));
    // From 100 to 104 in flight, 4 % more: 3 % more throughput is most of what there was to gain.
    assert!(!rule("gain<5%").holds(104.0, &at(1_030, 1_000_000), Some((100.0, &before))));
    assert!(!rule("gain<5%").holds(8.0, &before, None));
    assert!(!rule("gain<5%").holds(8.0, &before, Some((4.0, &at(0, 1)))));
    assert_eq!(rule("gain < 2.5 %").to_string(), "gain<2.5%");
}

fn some_variable() -> impl Strategy<Value = String> {
    prop_oneof![
        (1_u32..300, 1_u32..300, 11_u32..50).prop_map(|(a, b, factor)| {
            format!("threads={}..{}x{}", a.min(b), a.max(b), f64::from(factor) / 10.0)
        }),
        (1_u32..300, 1_u32..300, 1_u32..50).prop_map(|(a, b, step)| format!(
            "chunk={}..{}+{step}",
            a.min(b),
            a.max(b)
        )),
        proptest::collection::vec(0_u32..=1_000, 1..6).prop_map(|tenths| {
            let list: Vec<String> =
                tenths.iter().map(|tenths| (f64::from(*tenths) / 10.0).to_string()).collect();
            format!("update-pct={}", list.join(","))
        }),
        (9_u32..30).prop_map(|power| format!("block={},8k", 1_u64 << power)),
        Just("method=sync,uring".to_owned()),
    ]
}

prop_compose! {
    fn some_plan()(
        variables in proptest::collection::btree_map(0_u8..5, some_variable(), 0..3),
        repeats in 1_u32..5,
        seed in 0_u64..=u64::MAX >> 1,
        times in (0_u64..1 << 40, 1_u64..1 << 40, proptest::option::of(1_u64..1 << 40)),
        open in proptest::option::of((1e-3_f64..1e8, 1_u32..1_000)),
        target in "[a-z]{1,5}:[ -~é]{0,20}",
        update_pct in 0.0_f64..=100.0,
        device in proptest::option::of(1_u64..1 << 40),
    ) -> Plan {
        let mut plan = Plan {
            vary: variables.into_values().filter_map(|text| text.parse().ok()).collect(),
            repeats,
            seed,
            cool_down: Nanos::new(times.0),
            most_time: times.2.map(Nanos::new),
            device: device.map(|ns| DeviceClass::Measured(Nanos::new(ns))),
            ..plan()
        };
        plan.vary.sort_by_key(Variable::what);
        plan.vary.dedup_by_key(|variable| variable.what());
        plan.job.target = target;
        plan.job.limit.time = Nanos::new(times.1);
        plan.job.work.update_pct = update_pct;
        if let Some((rate_hz, slots)) = open {
            plan.job.arrival = Arrival::Open { rate_hz, spacing: Spacing::Fixed, slots };
        }
        plan
    }
}

proptest! {
    #[test]
    fn any_plan_is_read_as_it_was_written(plan in some_plan()) {
        prop_assume!(plan.check().is_ok());
        prop_assert_eq!(again(&plan), plan);
    }

    #[test]
    fn any_text_is_a_plan_or_an_error(text in "(vary|seed|job|order|=|\\[|\\]|\"|[0-9x.+,]|\n| ){0,60}") {
        if let Ok(plan) = text.parse::<Plan>() {
            prop_assert_eq!(again(&plan), plan);
        }
    }

    #[test]
    fn labels_tell_points_apart(plan in some_plan()) {
        if let Ok(points) = plan.points() {
            let labels: std::collections::BTreeSet<&String> =
                points.iter().map(|point| &point.label).collect();
            prop_assert_eq!(labels.len(), points.len());
            let values: Vec<usize> = plan
                .vary
                .iter()
                .map(|variable| variable.values().map_or(0, |values| values.len()))
                .collect();
            prop_assert_eq!(points.len(), values.iter().product::<usize>());
        }
    }
}
