//! A total time that an input gives beside buckets: exact only where the buckets can hold it.
//!
//! Each event takes at least the lower bound of its bucket and less than the upper one, so the total lies
//! between the sums of both. One that does not is of other events, or of another unit: `avg = 172 nsecs,
//! total: 1728 nsecs` below nine waits of 128 ms.

use isotherm_frame::{Histogram, Reading};

/// The reading without a total that its buckets rule out, and what to say of that.
#[must_use]
pub fn without_impossible_total(reading: Reading) -> (Reading, Option<String>) {
    match reading {
        Reading::Cumulative { at, series, total, epoch } => {
            let (total, why) = possible(total);
            let said = why.map(|why| words(series.name(), &why));
            (Reading::Cumulative { at, series, total, epoch }, said)
        }
        Reading::Delta(mut frame) => {
            let (counts, why) = possible(frame.counts);
            frame.counts = counts;
            let said = why.map(|why| words(frame.series.name(), &why));
            (Reading::Delta(frame), said)
        }
        other => (other, None),
    }
}

fn words(series: &str, why: &str) -> String {
    format!(
        "the total time of '{series}' contradicts its buckets ({why}): such totals are not used, and \
         times are estimated from the buckets"
    )
}

/// The histogram with its total only if that can be the time of its events; else why not.
fn possible(counts: Histogram) -> (Histogram, Option<String>) {
    if counts.has_waited_ns() || counts.is_empty() {
        return (counts, None);
    }
    match counts.contradiction_of_total() {
        Some(why) => (counts.with_sum(None), Some(why)),
        None => (counts, None),
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Nanos, Quality, Scheme, Series, Timestamp};

    use super::*;

    const MS: u64 = 1_000_000;

    fn histogram(counts: &[(usize, u64)], total: u64) -> Histogram {
        let scheme =
            Scheme::new(vec![0, MS, 2 * MS, 128 * MS, 256 * MS, Scheme::UNBOUNDED]).unwrap();
        let mut all = vec![0; scheme.buckets()];
        for (at, count) in counts {
            all[*at] = *count;
        }
        Histogram::new(scheme, all, Some(Nanos::new(total))).unwrap()
    }

    fn kept(counts: &[(usize, u64)], total: u64) -> bool {
        let (left, why) = possible(histogram(counts, total));
        assert_eq!(left.sum().is_none(), why.is_some());
        assert_eq!(left.counts(), histogram(counts, total).counts());
        left.sum().is_some()
    }

    #[test]
    fn a_total_lies_between_the_sums_of_the_bounds() {
        // Nine waits of 128 to 256 ms and one below 1 ms: 1.152 to 2.305 s.
        let waits = [(0, 1), (3, 9)];
        for (total, possible) in [
            (1_728, false),
            (1_150 * MS, false),
            (1_152 * MS, true),
            (1_728 * MS, true),
            (2_305 * MS, true),
            (2_308 * MS, false),
            (1_728_000 * MS, false),
        ] {
            assert_eq!(kept(&waits, total), possible, "{total}");
        }
        // A bucket without an upper bound leaves any longer total possible, and no shorter one.
        assert!(kept(&[(4, 2)], 1_000_000 * MS));
        assert!(!kept(&[(4, 2)], 511 * MS));
        assert!(kept(&[], 5));
    }

    #[test]
    fn totals_of_intervals_and_running_totals_are_checked() {
        let series = Series::named("vfs_fsync");
        let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
        let counts = histogram(&[(3, 9)], 1_728);
        let frame =
            Frame { series: series.clone(), start, end, counts, quality: Quality::Complete };
        let (reading, said) = without_impossible_total(Reading::Delta(frame));
        let Reading::Delta(frame) = reading else { panic!("{reading:?}") };
        assert_eq!((frame.counts.sum(), frame.counts.events()), (None, 9));
        let said = said.unwrap();
        assert!(said.contains("'vfs_fsync'") && said.contains("at least 1.15"), "{said}");
        let total = histogram(&[(3, 9)], 1_500 * MS);
        let reading = Reading::Cumulative { at: end, series, total: total.clone(), epoch: None };
        assert_eq!(without_impossible_total(reading.clone()), (reading, None));
    }
}
