//! One row of such a CSV, by its heads.

use isotherm_frame::{Nanos, Timestamp, Unit};
use jiff::civil::DateTime;

use crate::Sink;
use crate::zone::LocalClock;

/// Whose file it is, and where the columns are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    fields: usize,
    time: usize,
    /// Where the length of the interval is; `PerfSheet4` has the time at which it began alone.
    seconds: Option<usize>,
    database: Option<usize>,
    instance: usize,
    event: usize,
    class: Option<usize>,
    waits: usize,
    counts: Counts,
}

/// What the rows count.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Counts {
    /// The time of the waits, in microseconds, is in this column.
    Time(usize),
    /// The upper bound of the bucket, in this unit, is in this column.
    Bucket(usize, Unit),
}

/// The interval that a row is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// It begins here and ends with the next.
    Began(Timestamp),
    /// It begins and ends here.
    Whole(Timestamp, Timestamp),
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) when: When,
    pub(super) database: Option<String>,
    pub(super) instance: String,
    pub(super) event: String,
    pub(super) idle: bool,
    pub(super) waits: u64,
    pub(super) counted: Counted,
}

/// What is known of the waits of a row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// Their time, and whether it is printed in full.
    Time(Nanos, bool),
    /// They were shorter than so many of this unit, and not shorter than half of it, or of 0 if it is one.
    Below(u64, Unit),
}

impl Columns {
    /// The columns that heads name; `None` if they are of another table.
    pub(super) fn of(heads: &[String]) -> Option<Columns> {
        let heads: Vec<String> = heads.iter().map(|head| head.trim().to_lowercase()).collect();
        let at = |name: &str| heads.iter().position(|head| head == name);
        let own = at("seconds").filter(|_| at("end").is_some());
        let bucket = |name: &str, unit: Unit| at(name).map(|at| Counts::Bucket(at, unit));
        let time = |name: &str| at(name).map(Counts::Time);
        let (time, waits, counts) = if own.is_some() {
            let finest = bucket("wait_time_us", Unit::Micros);
            let buckets = finest.or_else(|| bucket("wait_time_ms", Unit::Millis));
            (at("end")?, at("waits")?, buckets.or_else(|| time("time_us"))?)
        } else {
            let waits = at("delta_waits").or_else(|| at("delta_wait_count"))?;
            let buckets = bucket("wait_time_milli", Unit::Millis);
            (at("snap_time")?, waits, buckets.or_else(|| time("delta_timewaited"))?)
        };
        Some(Columns {
            fields: heads.len(),
            time,
            seconds: own,
            database: at("dbid"),
            instance: at("instance").or_else(|| at("instance_number"))?,
            event: at("event").or_else(|| at("event_name"))?,
            class: at("wait_class"),
            waits,
            counts,
        })
    }

    /// Reads a row; nothing where it has no number, as the first snapshot of `PerfSheet4` has none.
    pub(super) fn row(
        &self,
        fields: &[String],
        clock: &mut LocalClock,
        sink: &mut dyn Sink,
    ) -> Result<Option<Row>, String> {
        if fields.len() != self.fields {
            return Err(format!("{} columns, but the header has {}", fields.len(), self.fields));
        }
        let cell = |at: usize| fields.get(at).map_or("", |field| field.trim());
        let counted = match self.counts {
            Counts::Time(at) => cell(at),
            Counts::Bucket(..) => cell(self.waits),
        };
        if cell(self.waits).is_empty() || counted.is_empty() {
            return Ok(None);
        }
        let class = self.class.map(cell);
        let when = interval(cell(self.time), self.seconds.map(cell), clock, sink)?;
        Ok(Some(Row {
            when,
            database: self.database.map(|at| cell(at).to_owned()),
            instance: cell(self.instance).to_owned(),
            event: named(cell(self.event))?,
            idle: class == Some("Idle"),
            waits: count(cell(self.waits))?,
            counted: match self.counts {
                Counts::Time(at) => micros(cell(at))?,
                Counts::Bucket(at, unit) => Counted::Below(count(cell(at))?, unit),
            },
        }))
    }
}

/// The interval that a row names.
fn interval(
    time: &str,
    seconds: Option<&str>,
    clock: &mut LocalClock,
    sink: &mut dyn Sink,
) -> Result<When, String> {
    let none = || format!("'{time}' is no time");
    let at = match time.strip_suffix('Z') {
        Some(utc) => civil(utc).and_then(|at| at.to_zoned(jiff::tz::TimeZone::UTC).ok()).and_then(
            |zoned| i64::try_from(zoned.timestamp().as_nanosecond()).ok(),
        ),
        None => civil(time).and_then(|local| clock.place(local, sink)),
    };
    let at = Timestamp::new(at.ok_or_else(none)?);
    let Some(seconds) = seconds else { return Ok(When::Began(at)) };
    let length = seconds.parse::<f64>().ok().and_then(Nanos::from_secs_f64);
    let length = length.filter(|length| *length > Nanos::ZERO);
    let length = length.ok_or_else(|| format!("'{seconds}' is not the length of an interval"))?;
    Ok(When::Whole(at.minus(length), at))
}

fn named(event: &str) -> Result<String, String> {
    if event.is_empty() { Err("the row names no event".to_owned()) } else { Ok(event.to_owned()) }
}

/// `2016_02_13 12:00` as `PerfSheet4` sets it, or ISO 8601.
fn civil(text: &str) -> Option<DateTime> {
    let (date, clock) = text.split_once([' ', 'T'])?;
    format!("{}T{clock}", date.replace('_', "-")).parse().ok()
}

fn count(cell: &str) -> Result<u64, String> {
    if cell.starts_with('-') {
        return Err(format!("{cell}: a counter fell: the instance was restarted"));
    }
    cell.parse().map_err(|_| format!("'{cell}' is not a whole number"))
}

/// Microseconds; SQL*Plus prints what has more than ten digits as `1.2346E+11`.
fn micros(cell: &str) -> Result<Counted, String> {
    if let Some((mantissa, exponent)) = cell.split_once(['E', 'e']) {
        let number: Option<f64> = format!("{mantissa}e{exponent}").parse().ok();
        let time = number.and_then(|number| Nanos::from_secs_f64(number / 1e6));
        return time.map(|time| Counted::Time(time, false)).ok_or_else(|| {
            format!("'{cell}' is not a time in microseconds")
        });
    }
    let micros = count(cell)?;
    let nanos = micros.checked_mul(1_000).ok_or_else(|| format!("'{cell}' is too long a time"))?;
    Ok(Counted::Time(Nanos::new(nanos), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(heads: &str) -> Option<Columns> {
        Columns::of(&heads.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn heads_say_what_a_table_is() {
        let own = of("end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us").unwrap();
        assert_eq!((own.counts, own.seconds), (Counts::Time(8), Some(1)));
        let padded = of("SNAP_TIME       ,INSTANCE_NUMBER,EVENT_NAME ,WAIT_TIME_MILLI,DELTA_WAIT_COUNT");
        assert_eq!(padded.unwrap().counts, Counts::Bucket(3, Unit::Millis));
        let micros = of("end,seconds,dbid,instance,snap_id,event,wait_class,wait_time_us,waits").unwrap();
        assert_eq!(micros.counts, Counts::Bucket(7, Unit::Micros));
        assert_eq!(of("end,seconds,dbid,instance,snap_id,function,small_reads,waits"), None);
        assert_eq!(of("SNAP_TIME,INSTANCE_NUMBER,STAT_NAME,VALUE,DELTA_VALUE"), None);
    }

    #[test]
    fn numbers_may_be_too_long_for_their_column() {
        assert_eq!(micros("40000"), Ok(Counted::Time(Nanos::from_micros(40_000), true)));
        let long = micros("1.2346E+11").unwrap();
        assert_eq!(long, Counted::Time(Nanos::from_secs_f64(123_460.0).unwrap(), false));
        assert!(micros("-5").unwrap_err().contains("restarted"));
        assert!(count("1.5E+10").is_err() && count("").is_err());
    }

    #[test]
    fn times_are_written_in_two_ways() {
        let at = |text| civil(text).map(|at| at.to_string());
        assert_eq!(at("2016_02_13 12:00").as_deref(), Some("2016-02-13T12:00:00"));
        assert_eq!(at("2026-03-01T08:00:00").as_deref(), Some("2026-03-01T08:00:00"));
        assert_eq!(at("yesterday"), None);
    }
}
