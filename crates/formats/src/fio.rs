//! What fio writes: reports in JSON, logs of histograms and logs of single operations.

mod buckets;
mod histograms;
mod log_names;
mod report;
mod row;
mod values;

use std::io::BufRead;

use self::histograms::Histograms;
pub use self::log_names::{logs_of_fio_report, repeated_fio_logs};
use self::report::Reports;
use self::row::Log;
use self::values::Values;
use crate::lines::first_lines;
use crate::{
    Context, Counting, DecodeError, LineReader, Meta, Need, ReadingOption, Sink, Source, Verdict,
};

/// Reads reports and logs of fio.
pub(crate) struct Fio;

pub(crate) static SOURCE: Fio = Fio;

static META: Meta = Meta {
    name: "fio",
    address: "FILE or -",
    about: "fio: reports of --output-format=json+, histogram logs (--write_hist_log) and latency \
        logs (--write_lat_log: _lat, _clat and _slat)",
    needs: &[Need {
        what: "histograms or single latencies",
        how: "--output-format=json+, --write_hist_log=NAME --log_hist_msec=1000, or \
            --write_lat_log=NAME without --log_avg_msec",
    }],
    command: "fio --output-format=json+ --output=report.json job.fio",
    overhead: "fio keeps the histograms of json+ in any case. A latency log takes memory for each \
        operation and is written when the job ends. A histogram log takes about 10 KB for each \
        direction and window.",
    loses: "Changes during the run: a report is one interval for the whole run, or one per status \
        report with --status-interval. Its latencies are fio's lat, or clat if there is no lat \
        histogram; --where time=clat or time=slat chooses one part. A histogram log lacks the \
        last, unfinished window (issue 490 of fio): up to 8 % of a run of 12 s in our test. \
        Buckets are at most 1.6 % wide; the last one holds everything longer than 17 s. Logs of \
        averages (--log_avg_msec), bandwidth logs and IOPS logs are rejected. If you give several \
        logs of one job, only _lat is read, or _clat if there is no _lat: lat is the sum of slat \
        and clat. If jobs share one latency log (--per_job_logs=0), fio writes them one after \
        another; lines that go back in time are reported and not counted.",
    counting: Counting::Varies(
        "Latency logs are single events, and each window of a histogram log counts for itself. \
        The reports of --status-interval are totals of the run: the start of a run resets them.",
    ),
    exact_time: true,
    example: "\
1795237801564, 328980, 0, 8192, 0
1795237801567, 3028128, 1, 8192, 0
1795237801569, 91220, 0, 8192, 1048576
",
    interpretation: "A latency log with --log_unix_epoch: a read that took 0.33 ms, a write that \
        took 3 ms, another read. The columns are the timestamp in milliseconds, the latency in \
        nanoseconds, the direction (0 read, 1 write, 2 trim), the block size and the offset.",
};

impl Fio {
    const AVERAGES: &'static str = "the log holds averages (--log_avg_msec), which cannot give a \
        distribution: run fio without --log_avg_msec, or with --write_hist_log";
}

/// What an input of fio is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Report,
    Log(Log),
}

/// Whether a log of fio that begins so holds averages, which cannot be read.
pub fn is_averages_of_fio(head: &[u8]) -> bool {
    kind(head) == Some(Kind::Log(Log::Values { average: true }))
}

/// What an input that begins with `head` is, if it is of fio.
fn kind(head: &[u8]) -> Option<Kind> {
    /// Lines that are looked at.
    const ENOUGH: usize = 20;
    if memchr::memmem::find(head, b"\"fio version\"").is_some() {
        return Some(Kind::Report);
    }
    let logs: Vec<Option<Log>> = first_lines(head).take(ENOUGH).map(row::log_of).collect();
    // fio writes no line of names; a table of another tool may.
    let is_named = head.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic);
    logs.first().filter(|_| !is_named)?;
    let first = *logs.iter().flatten().next()?;
    let is_values = |log: &Log| matches!(log, Log::Values { .. });
    let alike = |log: &&Log| is_values(log) == is_values(&first);
    let average = |log: &Log| *log == Log::Values { average: true };
    let rows = logs.iter().flatten().filter(alike);
    let averages = rows.clone().all(average);
    // A damaged row does not make another format of a log.
    let others = logs.len() - rows.count();
    let log = if is_values(&first) { Log::Values { average: averages } } else { first };
    (others * 10 <= logs.len()).then_some(Kind::Log(log))
}

impl Source for Fio {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        match kind(head) {
            Some(Kind::Report | Kind::Log(Log::Histograms)) => Verdict::Yes,
            // Tables of other tools may be whole numbers too.
            Some(Kind::Log(Log::Values { .. })) => Verdict::Unsure,
            None => Verdict::No,
        }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Temporality, ReadingOption::Zone]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let head = crate::peek(input).unwrap_or_default();
        let mut lines = LineReader::new(input);
        match kind(&head) {
            Some(Kind::Log(Log::Values { average: true })) => {
                Err(DecodeError::Nothing(Fio::AVERAGES.to_owned()))
            }
            Some(Kind::Log(Log::Values { average: false })) => {
                Values::new(context).read(&mut lines, sink)
            }
            Some(Kind::Log(Log::Histograms)) => Histograms::new(context).read(&mut lines, sink),
            Some(Kind::Report) | None => Reports::new(context)?.read(&mut lines, sink),
        }
    }
}
