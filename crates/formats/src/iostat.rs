//! What iostat and sar print of block devices: operations per second and their mean time.

mod dates;
mod json;
mod meta;
mod rates;

use std::io::BufRead;

use isotherm_frame::{Clock, Nanos, Timestamp};

use self::dates::Dates;
use self::rates::{Columns, Intervals};
use crate::number::shown;
use crate::reading_option::ReadingOption;
use crate::sink::reject;
use crate::{Context, DecodeError, LineReader, Meta, Note, Sink, Source, Verdict};

/// Reads `iostat -x -t` and `sar -d -p`, as text and as JSON.
pub(crate) struct IoStat;

pub(crate) static SOURCE: IoStat = IoStat;

impl Source for IoStat {
    fn meta(&self) -> &'static Meta {
        &meta::META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if json::begins(head) {
            return Verdict::Yes;
        }
        let mut lines = head.split(|byte| *byte == b'\n').take(200).map(String::from_utf8_lossy);
        if lines.any(|line| Columns::of_header(&line).is_some()) { Verdict::Yes } else { Verdict::No }
    }

    fn gives_rounded_means(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit, ReadingOption::TimeUnit, ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        if crate::peek(input).is_ok_and(|head| json::begins(&head)) {
            return json::read(input, context, sink);
        }
        let mut lines = LineReader::new(input);
        let mut reports = Reports::new(context);
        while let Some(line) = lines.next_line()? {
            let text = line.text();
            if text.trim().is_empty() {
                continue;
            }
            let taken = if line.ended {
                reports.line(&text, sink)
            } else {
                Err("the line is cut short".to_owned())
            };
            if let Err(reason) = taken {
                reject(sink, line.place, reason, 0);
            }
        }
        if reports.is_undated {
            return Err(DecodeError::Nothing(
                "iostat printed no times: use iostat -x -t (with S_TIME_FORMAT=ISO), or say how far apart its reports \
                 are, as in --interval 10s"
                    .to_owned(),
            ));
        }
        Ok(())
    }
}

/// What was read so far.
struct Reports {
    dates: Dates,
    columns: Option<Columns>,
    intervals: Intervals,
    /// The end of the interval that the rows are of: of iostat's reports a line of its own.
    at: Option<Timestamp>,
    is_undated: bool,
    /// How far apart reports without times are, says the user.
    every: Option<Nanos>,
    /// When the last of those was made.
    assumed: Timestamp,
}

/// Whether a line is one of those at the end of a table of sar: `Average:`, `Durchschn.:`, `Moyenne :`.
fn is_average(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let is_word = first.starts_with(char::is_alphabetic) && !first.contains(|c: char| c.is_ascii_digit());
    // Heads and tables of iostat.
    let is_other = first.starts_with("Device") || first.starts_with("avg-cpu");
    is_word && !is_other && (first.ends_with(':') || second == Some(":"))
}

impl Reports {
    fn new(context: &Context) -> Reports {
        Reports {
            every: context.interval.filter(|every| *every > Nanos::ZERO),
            assumed: Timestamp::new(0),
            dates: Dates::new(context),
            columns: None,
            intervals: Intervals::default(),
            at: None,
            is_undated: false,
        }
    }

    /// A report begins that does not say when it was made.
    fn begin_undated(&mut self, sink: &mut dyn Sink) {
        let Some(every) = self.every else {
            self.is_undated = true;
            return;
        };
        self.assumed = self.assumed.plus(every);
        sink.note(Note::Clock(Clock::Assumed));
        self.intervals.begin(self.assumed, sink);
    }

    fn line(&mut self, text: &str, sink: &mut dyn Sink) -> Result<(), String> {
        if text.starts_with("Linux ") {
            self.dates.day_of_header(text);
            return Ok(());
        }
        if text.contains("LINUX RESTART") {
            // Rows that follow without a heading, as `grep sda` leaves them, have the columns of those before.
            self.intervals.restart();
            sink.note(Note::Ignored);
            return Ok(());
        }
        if is_average(text) {
            // With its own head, as sar ends each table.
            self.columns = self.columns.take().filter(|_| Columns::of_header(text).is_none());
            sink.note(Note::Ignored);
            return Ok(());
        }
        if let Some(at) = self.dates.whole_line(text, sink) {
            sink.note(Note::Clock(Clock::Epoch));
            self.at = Some(at);
            self.intervals.begin(at, sink);
            self.columns = None;
            return Ok(());
        }
        if let Some(columns) = Columns::of_header(text) {
            // The header of sar has the time at which the first interval began.
            if let Some(at) = columns.clock(text).and_then(|clock| self.dates.clock(&clock, sink)) {
                sink.note(Note::Clock(Clock::Epoch));
                self.intervals.begin(at, sink);
                self.at = None;
            } else if self.at.is_none() {
                self.begin_undated(sink);
            }
            self.columns = Some(columns);
            return Ok(());
        }
        if self.columns.as_ref().is_some_and(|columns| columns.lacks_time(text)) {
            self.intervals.lose();
            let first = text.split_whitespace().next().unwrap_or_default();
            return Err(format!("'{}' is no time", shown(first.as_bytes())));
        }
        let Some(columns) = self.columns.as_ref().filter(|columns| columns.has(text)) else {
            // Tables of the processors, and averages over all intervals.
            self.columns = self.columns.take().filter(|_| !text.starts_with("avg-cpu"));
            sink.note(Note::Ignored);
            return Ok(());
        };
        if let Some(clock) = columns.clock(text) {
            let at = self.dates.clock(&clock, sink).ok_or("the time of the row is invalid")?;
            self.intervals.begin(at, sink);
        }
        let rates = columns.rates(text)?;
        self.intervals.row(&rates, sink)
    }
}
