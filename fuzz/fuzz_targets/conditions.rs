//! Any text as a condition: it reads back as it is written, or it is an error; and a condition on
//! counts is judged whatever they are.
#![no_main]

use isotherm_analysis::{Observed, RelativeThreshold, Threshold};
use isotherm_frame::{Histogram, Scheme, Unit};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(threshold) = text.parse::<Threshold>() {
        let written = threshold.to_string();
        let again: Threshold = written.parse().expect("what is written can be read");
        assert_eq!(again.to_string(), written);
        let scheme = Scheme::powers_of_two(Unit::Micros);
        let counts =
            (0..scheme.buckets() as u64).map(|n| n.wrapping_mul(text.len() as u64)).collect();
        let latencies =
            Histogram::new(scheme.clone(), counts, None).expect("counts for each bucket");
        threshold.judge(&Observed::of_rate(&latencies, None));
        threshold.judge(&Observed::of_rate(&Histogram::empty(scheme), Some(1.0)));
    }
    if let Ok(threshold) = text.parse::<RelativeThreshold>() {
        let written = threshold.to_string();
        let again: RelativeThreshold = written.parse().expect("what is written can be read");
        assert_eq!(again.to_string(), written);
    }
});
