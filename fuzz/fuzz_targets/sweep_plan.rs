//! Any text as a plan: it is read back as it is written, or it is an error.
#![no_main]

use isotherm_experiment::Plan;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(plan) = text.parse::<Plan>() else { return };
    let written = plan.to_toml().expect("a plan that makes sense can be written");
    assert!(matches!(written.parse::<Plan>(), Ok(again) if again == plan));
    let points = plan.points().expect("a plan that makes sense has points");
    assert_eq!(plan.turns(&points).len(), points.len() * plan.repeats as usize);
});
