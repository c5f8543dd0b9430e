//! What Redis says about latencies: `LATENCY HISTOGRAM`, `SLOWLOG GET` and `INFO commandstats`.

mod commandstats;
mod histogram;
mod histograms;
mod nesting;
mod slowlog;
mod token;

use std::io::BufRead;

use self::histograms::Histograms;
use crate::unread_options::no_conditions;
use crate::{Context, Counting, DecodeError, LineReader, Meta, Need, Sink, Source, Verdict};

/// Reads answers of Redis.
pub(crate) struct Redis;

pub(crate) static SOURCE: Redis = Redis;

pub use self::commandstats::command;
pub use self::histogram::histogram;

static META: Meta = Meta {
    name: "redis",
    address: "FILE or -",
    about: "Redis: LATENCY HISTOGRAM, printed once or repeatedly, and SLOWLOG GET, as redis-cli \
        prints them (with and without --raw; LATENCY HISTOGRAM also with --json); the averages of \
        INFO commandstats",
    needs: &[
        Need { what: "Redis 7.0 for LATENCY HISTOGRAM", how: "redis-cli INFO server" },
        Need { what: "the right to run @admin commands", how: "ACL SETUSER NAME +latency +slowlog" },
    ],
    command: "while sleep 1; do date +%s; redis-cli latency histogram; done | isotherm live -",
    overhead: "Redis keeps the histograms in any case (latency-tracking yes) and uses 40 KB of \
        memory for each command. An answer takes 10-50 microseconds of its only thread.",
    loses: "The exact latency within a bucket: the upper bound of a bucket is twice its lower \
        bound, and one bucket holds everything from one second up. Calls that failed or were \
        rejected are not counted. Totals count from the server's start or CONFIG RESETSTAT and \
        include the commands that read them. Without timestamps between the answers, isotherm \
        assumes one answer per interval (--interval). SLOWLOG holds only commands slower than \
        slowlog-log-slower-than; its timestamps are whole seconds. INFO commandstats has the \
        number of calls and the total time of each command: averages only, no percentiles. INFO \
        latencystats is rejected: its percentiles since the start cannot be turned into counts.",
    counting: Counting::Varies(
        "LATENCY HISTOGRAM and commandstats are totals, reset by CONFIG RESETSTAT and by a \
        restart of the server. The entries of SLOWLOG are single events.",
    ),
    exact_time: false,
    example: "\
set
calls
200000
histogram_usec
1
197980
2
199681
",
    interpretation: "Of 200,000 SET calls, 197,980 took at most 1 microsecond and 199,681 at most \
        2: the counts are cumulative, up to each bound in microseconds. isotherm shows the \
        difference between each answer and the next.",
};

impl Source for Redis {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        if has(b"histogram_usec") && has(b"calls") || slowlog::begins(head) || commandstats::begins(head)
        {
            Verdict::Yes
        } else {
            Verdict::No
        }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let head = crate::peek(input).unwrap_or_default();
        let mut lines = LineReader::new(input);
        if slowlog::begins(&head) {
            return slowlog::read(&mut lines, context, sink);
        }
        let histograms = memchr::memmem::find(&head, b"histogram_usec").is_some();
        if !context.only.is_empty() {
            let what = if histograms { "LATENCY HISTOGRAM" } else { "INFO commandstats" };
            return Err(DecodeError::Request(no_conditions(what)));
        }
        if !histograms && commandstats::begins(&head) {
            return commandstats::read(&mut lines, context, sink);
        }
        Histograms::new(context).read(&mut lines, sink)
    }
}
