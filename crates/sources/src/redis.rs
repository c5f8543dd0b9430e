//! What Redis says about latencies: `LATENCY HISTOGRAM`, `SLOWLOG GET` and `INFO commandstats`.

mod address;
mod answer;
mod commandstats;
mod histogram;
mod histograms;
mod live;
mod session;
mod slowlog;
mod token;

use std::io::BufRead;

use self::histograms::Histograms;
use crate::unread_options::no_conditions;
use crate::{Context, DecodeError, LineReader, Meta, Need, Sink, Source, Verdict};

/// Reads answers of Redis.
pub(crate) struct Redis;

pub(crate) static SOURCE: Redis = Redis;
pub(crate) static LIVE: live::Servers = live::Servers;

pub(crate) use self::answer::read_any;

static META: Meta = Meta {
    name: "redis",
    address: "FILE or -",
    about: "Redis: LATENCY HISTOGRAM, printed once or again and again, and SLOWLOG GET, as \
        redis-cli prints them (with and without --raw; LATENCY HISTOGRAM also with --json); averages of \
        INFO commandstats",
    needs: &[
        Need { what: "Redis 7.0 for LATENCY HISTOGRAM", how: "redis-cli INFO server" },
        Need { what: "the right to run @admin commands", how: "ACL SETUSER NAME +latency +slowlog" },
    ],
    command: "while sleep 1; do date +%s; redis-cli latency histogram; done | isotherm live -",
    overhead: "Redis counts in any case (latency-tracking yes) and takes 40 KB for each command; an \
        answer takes some 10-50 microseconds of its only thread.",
    loses: "Where in its bucket a latency was: buckets are twice as long at their end as at their \
        beginning; a second and more is one bucket. Calls that failed or were rejected are not \
        counted. Totals begin with the server or CONFIG RESETSTAT; the commands that ask for them \
        are in them. Without times between the answers each is taken to come an interval after \
        the last (--interval). SLOWLOG holds only commands slower than slowlog-log-slower-than, \
        with whole seconds. INFO commandstats has the number of calls of each command and their total \
        time: averages only, without percentiles. INFO latencystats are percentiles since the start, of \
        which nothing can be made: they are refused.",
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
    interpretation: "Of 200,000 calls of SET 197,980 took at most 1 microsecond and 199,681 at \
        most 2: counts are of everything up to a bound, in microseconds. isotherm takes the \
        difference of one answer to the next.",
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
