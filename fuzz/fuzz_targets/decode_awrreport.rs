//! Any bytes as input of the source `awrreport`; the counts of its histograms add up.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(report) = isotherm_oracle::awr::parse(bytes) {
        for histogram in &report.histograms {
            assert_eq!(histogram.bounds.len(), histogram.counts.len() + 1);
            let counted: u128 = histogram.counts.iter().map(|count| u128::from(*count)).sum();
            assert_eq!(counted, u128::from(histogram.waits), "{}", histogram.event);
        }
        let _ = report.summary();
    }
    isotherm_fuzz::decode("awrreport", bytes);
});
