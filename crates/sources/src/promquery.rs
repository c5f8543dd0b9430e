//! Answers of Prometheus' query API: the history of classic histograms.

mod answer;
mod reader;

use std::io::BufRead;

use isotherm_frame::Place;

use self::answer::Answer;
pub(crate) use self::answer::{number_in, problem};
pub(crate) use self::reader::HistoryReader;
use crate::sink::reject;
use crate::{Context, DecodeError, Meta, Need, Sink, Source, Verdict};

/// Reads answers of Prometheus' query API.
pub(crate) struct PromQuery;

pub(crate) static SOURCE: PromQuery = PromQuery;

static META: Meta = Meta {
    name: "promquery",
    address: "prom+http://HOST:PORT/?query=NAME_bucket{...}&range=TIME, or FILE or -",
    about: "The history of a classic histogram (NAME_bucket, with le or vmrange), in files also of a native one (NAME), that a Prometheus server or VictoriaMetrics keeps: asked for \
        over HTTP, or as answers of its query API (JSON, a matrix)",
    needs: &[
        Need {
            what: "a Prometheus server, or another one with its API (VictoriaMetrics), reached by plain HTTP",
            how: "prom+http://HOST:9090/, with the path in front of /api/v1 if there is one",
        },
        Need {
            what: "a selector of NAME_bucket, not an expression: rate() and sum() have no counts",
            how: "query=NAME_bucket{job=\"x\"}; & is written %26 in it. range=6h goes back from the \
                server's now (1h if not given). With step=1m the server is asked for its value \
                every minute, without it for each sample it has",
        },
        Need {
            what: "histograms in seconds, milliseconds or microseconds",
            how: "the unit is that of the name (_seconds, _ms, _us, ...); else --unit names it",
        },
    ],
    command: "isotherm live 'prom+http://localhost:9090/?query=http_request_duration_seconds_bucket&range=6h'",
    overhead: "None for the program that is measured. The server reads the samples that are asked for: \
        an hour at a time, at most 64 MiB in one answer; shorter parts where an answer would be \
        longer.",
    loses: "Counts with fractions, as those of rate() and increase(): they are rejected. Where in its bucket a latency was, and when in the time between two scrapes. What was \
        counted in an interval in which counters began anew, or in which samples are missing, is \
        not known: these are gaps. A process that was restarted and counted beyond its last total \
        between two scrapes is not noticed. The first sample is where counting begins. With step= \
        the server repeats its last sample for up to 5 minutes where samples are missing.",
    exact_time: true,
    example: "\
$ curl -gs 'http://localhost:9090/api/v1/query?query={__name__=~\"app_seconds_(bucket|sum)\"}[1m]'
{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[
{\"metric\":{\"__name__\":\"app_seconds_bucket\",\"le\":\"0.001\"},\"values\":[[1795386100.5,\"10\"],[1795386115.5,\"40\"]]},
{\"metric\":{\"__name__\":\"app_seconds_bucket\",\"le\":\"+Inf\"},\"values\":[[1795386100.5,\"12\"],[1795386115.5,\"45\"]]},
{\"metric\":{\"__name__\":\"app_seconds_sum\"},\"values\":[[1795386100.5,\"0.5\"],[1795386115.5,\"0.6\"]]}]}}
",
    interpretation: "In the 15 seconds between the two scrapes 33 requests ended, 30 of them within \
        1 millisecond; they took 0.1 seconds altogether. The times are those of the server.",
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
                    reject(sink, place, format!("no answer of Prometheus' query API: {error}"), 0);
                    break;
                }
            }
            place = Place { line: place.line + 1, byte: answers.byte_offset() as u64 };
        }
        reader.finish(sink)
    }
}
