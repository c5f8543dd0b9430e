//! What our bpftrace program prints.

use std::io::BufRead;

use isotherm_formats::{Context, DecodeError, Meta, Sink, Source, Verdict};
use isotherm_frame::Series;

use crate::traced::totals;

use super::device::Devices;
use super::meta;

/// Reads the output of `disk.bt`.
pub(crate) struct Disk;
pub(crate) static DISK: Disk = Disk;

impl Source for Disk {
    fn meta(&self) -> &'static Meta {
        &meta::DISK
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if totals::is_ours(head) { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let devices = Devices::of_this_machine();
        totals::read(input, context, &|key| series(&devices, key), sink)
    }
}

/// The series of `device,operation`.
fn series(devices: &Devices, key: &str) -> Option<Series> {
    let (device, op) = key.split_once(',')?;
    let device = devices.name_of(device.trim().parse().ok()?);
    let op = operation(op.trim().parse().ok()?);
    Some(Series::with_attributes("block I/O", [("device", device.as_str()), ("op", op)]))
}

fn operation(number: u8) -> &'static str {
    match number {
        1 => "read",
        2 => "write",
        3 => "discard",
        4 => "flush",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Account, Nanos, Reading, Timestamp};

    use std::sync::Arc;

    use super::*;
    use isotherm_formats::Message;

    /// Time, series, events by lower bound in microseconds, exact total in nanoseconds.
    type Total = (i64, String, Vec<(u64, u64)>, Option<u64>);

    #[derive(Default)]
    struct Collected {
        totals: Vec<Total>,
        tally: Account,
    }

    impl Sink for Collected {
        fn take(&mut self, message: Message) {
            let Some(reading) = message.into_reading(&mut self.tally) else { return };
            let Reading::Cumulative { at, series, total, .. } = reading else {
                panic!("only totals are read, not {reading:?}");
            };
            let counts =
                total.non_zero().map(|(bucket, count)| (bucket.lo.as_nanos() / 1_000, count));
            let sum = total.sum().map(Nanos::as_nanos);
            self.totals.push((at.as_nanos(), series.to_string(), counts.collect(), sum));
        }
    }

    fn decoded(text: &str, context: &Context) -> Collected {
        let mut collected = Collected::default();
        DISK.decode(&mut text.as_bytes(), context, &mut collected).expect("decoded");
        collected
    }

    fn printed(text: &str) -> String {
        format!("{{\"type\": \"printf\", \"data\": \"{text}\\n\"}}\n")
    }

    fn tick(at: u64, complete: u8, maps: &[&str]) -> String {
        let maps: String = maps.iter().flat_map(|map| [map, "\n"]).collect();
        format!("{}{maps}{}", printed(&format!("tick {at} {complete}")), printed("tock"))
    }

    // No machine has a device 4095:1 (4095 << 20 | 1), so its number stands for its name.
    const READ: &str = "block I/O{device=4095:1,op=read}";
    const FLUSH: &str = "block I/O{device=4095:1,op=flush}";

    #[test]
    fn the_total_is_the_sum_of_both_generations_as_last_seen_at_rest() {
        let begin = tick(1_000, 0, &[]);
        let first = tick(
            2_000,
            1,
            &[
                // Generation 2 is counting already: what it shows may still change.
                r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 64, "max": 127, "count": 2}], "2,4293918721,1": [{"min": 1, "max": 1, "count": 9}]}}}"#,
                r#"{"type": "stats", "data": {"@ns": {"1,4293918721,1": {"count": 2, "average": 100000, "total": 200000}}}}"#,
            ],
        );
        let second = tick(
            3_000,
            2,
            &[
                r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 64, "max": 127, "count": 7}], "2,4293918721,1": [{"min": 0, "max": 0, "count": 1}, {"min": 64, "max": 127, "count": 3}], "2,4293918721,4": [{"min": 1024, "max": 2047, "count": 1}]}}}"#,
                r#"{"type": "stats", "data": {"@ns": {"2,4293918721,1": {"count": 4, "average": 75000, "total": 300500}, "2,4293918721,4": {"count": 1, "average": 1500000, "total": 1500000}}}}"#,
            ],
        );
        let collected = decoded(&format!("{begin}{first}{second}"), &Context::default());
        let total = |at, series: &str, counts: &[(u64, u64)], sum| {
            (at, series.to_owned(), counts.to_vec(), Some(sum))
        };
        assert_eq!(
            collected.totals,
            [
                total(1_000, READ, &[], 0),
                total(2_000, READ, &[(64, 2)], 200_000),
                total(2_000, FLUSH, &[], 0),
                total(3_000, READ, &[(0, 1), (64, 5)], 500_500),
                total(3_000, FLUSH, &[(1_024, 1)], 1_500_000),
            ]
        );
        assert_eq!((collected.tally.records, collected.tally.rejected), (3, 0));
    }

    #[test]
    fn a_total_that_does_not_belong_to_the_counts_is_not_called_exact() {
        let map = r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 4, "max": 7, "count": 2}]}}}"#;
        let stats = r#"{"type": "stats", "data": {"@ns": {"1,4293918721,1": {"count": 3, "total": 15000}}}}"#;
        let collected = decoded(&tick(5, 1, &[map, stats]), &Context::default());
        assert_eq!(collected.totals, [(5, READ.to_owned(), vec![(4, 2)], None)]);
    }

    #[test]
    fn times_are_put_at_the_arrival_of_the_first() {
        let context =
            Context { arrival: Some(Arc::new(|| Timestamp::new(70_000))), ..Context::default() };
        let map = r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 4, "max": 7, "count": 2}]}}}"#;
        let text = format!("{}{}", tick(1_000, 0, &[]), tick(2_500, 1, &[map]));
        let times: Vec<i64> = decoded(&text, &context).totals.iter().map(|total| total.0).collect();
        assert_eq!(times, [70_000, 71_500]);
    }

    #[test]
    fn what_is_outside_a_tick_does_not_count() {
        let map = r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 4, "max": 7, "count": 2}]}}}"#;
        let unfinished = printed("tick 9 1");
        let text = format!("Attaching\n{map}\n\n{unfinished}{map}\n");
        let collected = decoded(&text, &Context::default());
        assert_eq!(collected.totals, []);
        assert_eq!(collected.tally.ignored_lines, 1);
    }

    #[test]
    fn what_is_broken_is_rejected_with_its_place() {
        let map = r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 4, "max": 7, "count": 2}, {"min": 5, "max": 6, "count": 30}, {"max": -1, "count": 4}], "1,x": []}}}"#;
        let begin = printed("tick soon");
        let collected = decoded(&format!("{begin}{}", tick(9, 1, &[map])), &Context::default());
        assert_eq!(collected.totals, [(9, READ.to_owned(), vec![(4, 2)], None)]);
        let lines: Vec<u64> = collected.tally.rejections.iter().map(|one| one.place.line).collect();
        assert_eq!((lines, collected.tally.rejected_events), (vec![1, 3, 3, 3], 34));
    }
}
