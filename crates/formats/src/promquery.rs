//! Answers of Prometheus' query API: the history of classic histograms.

mod answer;
mod increases;
mod layouts;
mod reader;

use std::io::BufRead;

use isotherm_frame::Place;

use self::answer::Answer;
pub use self::answer::{number_in, problem};
pub use self::increases::{HistogramsByTime, Increases, quantities};
pub use self::layouts::BoundCounts;
pub use self::reader::HistoryReader;
use crate::sink::reject;
use crate::{Context, Counting, DecodeError, Meta, Need, Sink, Source, Verdict};

/// Reads answers of Prometheus' query API.
pub struct PromQuery;

/// The decoder.
pub static SOURCE: PromQuery = PromQuery;

static META: Meta = Meta {
    name: "promquery",
    address: "prom+http://HOST:PORT/?query=NAME_bucket{...}&range=TIME (NAME{...} of a native \
        histogram), or FILE or -",
    about: "The history of a histogram in a Prometheus server or VictoriaMetrics, queried over \
        HTTP or read from saved answers of the query API (JSON, a matrix): classic histograms \
        (NAME_bucket, with le or vmrange) and native ones (NAME)",
    needs: &[
        Need {
            what: "a Prometheus server, or another one with the same API (VictoriaMetrics), over \
                   plain HTTP",
            how: "prom+http://HOST:9090/, followed by the path in front of /api/v1 if there is one",
        },
        Need {
            what: "a selector of NAME_bucket, or of NAME if it is a native histogram, not an \
                   expression (rate() and sum() return no counts)",
            how: "query=NAME_bucket{job=\"x\"}; write & as %26 in it. range=6h reads the last six \
                hours before the server's current time (default 1h). step=1m reads one value per \
                minute; without step, every sample is read",
        },
        Need {
            what: "histograms in seconds, milliseconds or microseconds",
            how: "the unit comes from the metric's name (_seconds, _ms, _us, ...); otherwise give \
                  --unit",
        },
    ],
    command: "isotherm live 'prom+http://localhost:9090/?query=http_request_duration_seconds_bucket&range=6h'",
    overhead: "None for the measured program. The Prometheus server reads the samples of the \
        query, an hour per request. An answer has at most 64 MiB: if it would be longer, isotherm \
        asks for shorter parts.",
    loses: "Counts with fractions, such as those of rate() and increase(): they are rejected. The \
        exact latency within a bucket, and the exact time between two scrapes. Intervals with a \
        counter reset or with missing samples are gaps. A restart stays unnoticed if the new \
        process counts beyond the old total between two scrapes. The first sample is only the \
        baseline. With step=, the server repeats its last sample for up to 5 minutes where samples \
        are missing.",
    counting: Counting::Totals("a restart of the program that keeps them"),
    exact_time: true,
    example: "\
$ curl -gs 'http://localhost:9090/api/v1/query?query={__name__=~\"app_seconds_(bucket|sum)\"}[1m]'
{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[
{\"metric\":{\"__name__\":\"app_seconds_bucket\",\"le\":\"0.001\"},\"values\":[[1795386100.5,\"10\"],[1795386115.5,\"40\"]]},
{\"metric\":{\"__name__\":\"app_seconds_bucket\",\"le\":\"+Inf\"},\"values\":[[1795386100.5,\"12\"],[1795386115.5,\"45\"]]},
{\"metric\":{\"__name__\":\"app_seconds_sum\"},\"values\":[[1795386100.5,\"0.5\"],[1795386115.5,\"0.6\"]]}]}}
",
    interpretation: "In the 15 seconds between the two scrapes 33 requests ended, 30 of them \
        within 1 millisecond; they took 0.1 seconds altogether. The timestamps are the server's.",
};

impl Source for PromQuery {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let is_answer = head.trim_ascii_start().starts_with(b"{\"status\":");
        let is_api = has(b"\"resultType\":") || has(b"\"errorType\":");
        if is_answer && is_api { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut reader = HistoryReader::new(context.unit, None);
        let mut answers = serde_json::Deserializer::from_reader(input).into_iter::<Answer>();
        let mut place = Place { line: 1, byte: 0 };
        while let Some(answer) = answers.next() {
            match answer {
                Ok(answer) => reader.take(place, answer, sink),
                Err(error) if error.is_io() => {
                    return Err(DecodeError::Read { place, source: error.into() });
                }
                Err(error) => {
                    reject(sink, place, format!("not an answer of Prometheus' query API: {error}"), 0);
                    break;
                }
            }
            place = Place { line: place.line + 1, byte: answers.byte_offset() as u64 };
        }
        reader.finish(sink)
    }
}
