//! Rates and means of a device, and the intervals that they are of.

use std::collections::BTreeSet;

use isotherm_frame::{Frame, Histogram, Nanos, Partial, Quality, Reading, Series, Timestamp};

use super::dates::time;
use crate::partition::Disks;
use crate::{Note, Sink};

/// The operations: their name, the columns of their rate and of their mean time in milliseconds. The
/// last is all of them together, as sar says it.
pub(super) const OPERATIONS: [(&str, &str, &str); 5] = [
    ("read", "r/s", "r_await"),
    ("write", "w/s", "w_await"),
    ("discard", "d/s", "d_await"),
    ("flush", "f/s", "f_await"),
    ("all", "tps", "await"),
];

/// Where the columns of a table stand.
#[derive(Debug)]
pub(super) struct Columns {
    width: usize,
    device: usize,
    /// How many words the time takes.
    clock: usize,
    operations: Vec<(&'static str, usize, usize)>,
}

/// What a row says of a device.
#[derive(Debug, PartialEq)]
pub(super) struct Rates {
    pub(super) device: String,
    /// Operations, with their rate and their mean time in milliseconds.
    pub(super) operations: Vec<(&'static str, f64, f64)>,
}

impl Columns {
    /// The columns that a header names; `None` of another line.
    pub(super) fn of_header(line: &str) -> Option<Columns> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let column = |name: &str| words.iter().position(|word| *word == name);
        let device = column("Device").or(column("Device:")).or(column("DEV"))?;
        let of = |(name, rate, mean): &(&'static str, &str, &str)| {
            Some((*name, column(rate)?, column(mean)?))
        };
        let mut operations: Vec<_> = OPERATIONS.iter().filter_map(of).collect();
        if operations.len() > 1 {
            operations.retain(|(name, ..)| *name != "all");
        }
        let clock = clock_words(&words);
        (!operations.is_empty()).then_some(Columns { width: words.len(), device, clock, operations })
    }

    /// Whether a line is a row of the table.
    pub(super) fn has(&self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        !line.starts_with("Average") && !line.starts_with("avg-cpu") && clock_words(&words) == self.clock
    }

    /// Whether a line is as wide as the rows of a table of sar, and does not begin with a time.
    pub(super) fn lacks_time(&self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_row = self.clock > 0 && words.len() == self.width;
        is_row && !line.starts_with("Average") && clock_words(&words) == 0
    }

    /// The time of a row or a header of sar.
    pub(super) fn clock(&self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().take(self.clock).collect();
        (self.clock > 0).then(|| words.join(" "))
    }

    pub(super) fn rates(&self, line: &str) -> Result<Rates, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.len() != self.width {
            return Err(format!("{} columns instead of {}", words.len(), self.width));
        }
        let number = |column: usize| -> Result<f64, String> {
            let text = words[column];
            let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
            number.ok_or_else(|| {
                let text = crate::number::shown(text.as_bytes());
                format!("'{text}' is not a number with a decimal point (LC_ALL=C iostat -x -t)")
            })
        };
        let of = |&(name, rate, mean): &(&'static str, usize, usize)| {
            Ok((name, number(rate)?, number(mean)?))
        };
        let operations = self.operations.iter().map(of).collect::<Result<_, String>>()?;
        Ok(Rates { device: words[self.device].to_owned(), operations })
    }
}

/// How many words at the beginning are a time of day.
fn clock_words(words: &[&str]) -> usize {
    match words {
        [one, half @ ("AM" | "PM"), ..] if time(&format!("{one} {half}")).is_some() => 2,
        [one, ..] if time(one).is_some() => 1,
        _ => 0,
    }
}

/// The intervals of reports, each from the last time to the next.
#[derive(Debug, Default)]
pub(super) struct Intervals {
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    /// Why it is not known when the next report began.
    unknown: Option<&'static str>,
    disks: Disks,
    /// The devices of the report so far.
    devices: BTreeSet<String>,
    /// The intervals of the reports before.
    before: BTreeSet<(Timestamp, Timestamp)>,
    /// Whether a report was earlier than the one before it.
    stepped_back: bool,
}

impl Intervals {
    /// Intervals that are remembered: some years of reports every ten minutes.
    const MOST: usize = 1 << 18;
    const AGAIN: &'static str = "reports of times that were read before are left out: the input holds them twice";

    /// A report of what was until this moment.
    pub(super) fn begin(&mut self, at: Timestamp, sink: &mut dyn Sink) {
        if self.to == Some(at) {
            return;
        }
        self.disks.clear();
        self.devices.clear();
        if self.before.len() < Intervals::MOST {
            self.before.extend(self.from.zip(self.to));
        }
        if self.to.is_some_and(|last| at < last) {
            sink.note(Note::Said("times step back: the interval between is left out".into()));
            self.stepped_back = true;
            self.from = None;
        } else {
            self.from = self.to;
        }
        self.to = Some(at);
    }

    /// A report has no time that could be read: when the next one began is not known.
    pub(super) fn lose(&mut self) {
        self.forget("a report is left out: the one before has no time that could be read");
    }

    /// The machine started again: of what its counters had reached nothing is in what follows.
    pub(super) fn restart(&mut self) {
        self.forget("the first report after a restart is left out: when it began is not known");
    }

    fn forget(&mut self, why: &'static str) {
        (self.from, self.to, self.unknown) = (None, None, Some(why));
        self.devices.clear();
    }

    /// The report says itself when its interval began.
    pub(super) fn begins_at(&mut self, from: Timestamp) {
        self.from = Some(from);
    }

    /// A device of the report. Of the first report it is not known how long it counted: iostat's is of
    /// everything since the machine was started.
    /// One that was in it before is of another report, of which the time is missing.
    pub(super) fn row(&mut self, rates: &Rates, sink: &mut dyn Sink) -> Result<(), String> {
        if self.to.is_some() && self.devices.contains(&rates.device) {
            self.lose();
            return Err("a second row of a device: the time of its report is missing".to_owned());
        }
        if self.disks.leaves_out(&rates.device, sink) {
            return Ok(());
        }
        self.devices.insert(rates.device.clone());
        sink.record();
        let Some((start, end)) = self.from.zip(self.to) else {
            const FIRST: &str =
                "the first report is left out: it covers all time since the machine was started";
            sink.note(Note::Said(self.unknown.unwrap_or(FIRST).into()));
            return Ok(());
        };
        self.unknown = None;
        if self.stepped_back && self.before.contains(&(start, end)) {
            sink.note(Note::Said(Intervals::AGAIN.into()));
            return Ok(());
        }
        let seconds = end.since(start).as_secs_f64();
        for (operation, rate, mean_ms) in &rates.operations {
            let attributes = [("device", rates.device.as_str()), ("op", operation)];
            let series = Series::with_attributes("disk I/O", attributes);
            let counts = estimate(rate * seconds, *mean_ms).ok_or_else(|| {
                format!("{rate} operations per second of {mean_ms} ms cannot be true")
            })?;
            let quality = Quality::Partial(Partial::FromRates);
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
        Ok(())
    }
}

/// So many events of this mean: a whole number of them, and the time of all. `None` of centuries.
fn estimate(events: f64, mean_ms: f64) -> Option<Histogram> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let whole = events.round() as u64;
    let total = Nanos::from_secs_f64(whole as f64 * mean_ms / 1e3)?;
    Some(Histogram::of_averages(whole, total).with_partly_known_sum(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_names() {
        let header = "Device            r/s     rkB/s r_await     w/s w_await  %util";
        let columns = Columns::of_header(header).unwrap();
        let rates = columns.rates("vda  843.24  11727.82 0.72 80.26 1.30 3.36").unwrap();
        let expected = vec![("read", 843.24, 0.72), ("write", 80.26, 1.3)];
        assert_eq!(rates, Rates { device: "vda".to_owned(), operations: expected });
        assert!(columns.rates("vda 1,5 2 3 4 5 6").unwrap_err().contains("'1,5'"));
        assert!(columns.rates("vda 1").is_err());
        for line in ["", "Device tps kB_read/s", "avg-cpu: %user", "Device r/s w/s"] {
            assert!(Columns::of_header(line).is_none(), "{line}");
        }
    }

    #[test]
    fn sar_names_devices_first_or_last_and_has_all_operations_together() {
        for (header, row) in [
            ("05:49:54          tps   areq-sz    await     %util DEV", "05:49:55 859.00 7.37 0.14 9.20 vda"),
            ("05:49:54 AM  DEV  tps   areq-sz    await  %util", "05:49:55 AM vda 859.00 7.37 0.14 9.20"),
        ] {
            let columns = Columns::of_header(header).unwrap();
            assert!(columns.has(row) && !columns.has("Average: 1 2 3 4 vda"));
            let rates = columns.rates(row).unwrap();
            assert_eq!(rates.operations, [("all", 859.0, 0.14)]);
            assert_eq!(rates.device, "vda");
        }
    }

    #[test]
    fn counts_are_whole_and_times_estimated() {
        let counts = estimate(1.004 * 859.0, 0.14).unwrap();
        assert_eq!(counts.events(), 862);
        assert_eq!(counts.partly_known_sum(), Nanos::from_secs_f64(862.0 * 0.000_14));
        assert!(counts.sum().is_none() && counts.is_averages());
        assert_eq!(estimate(1.8e14, 2.0), None);
    }
}
