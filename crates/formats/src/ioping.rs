//! What `ioping` prints for each request, as text and as JSON.

mod json;
mod request;
mod text;

use std::io::BufRead;

use self::request::Requests;
use crate::{Context, Counting, DecodeError, Meta, Need, ReadingOption, Sink, Source, Verdict};

/// Reads single requests of `ioping`.
pub(crate) struct IoPing;

pub(crate) static SOURCE: IoPing = IoPing;

static META: Meta = Meta {
    name: "ioping",
    address: "FILE or -",
    about: "Single requests as ioping prints them, as text (best with -I) or JSON (-J); not its \
        statistics",
    needs: &[Need { what: "ioping", how: "apt install ioping" }],
    command: "ioping -J -c 100 -i 0.1 . > pings.json; isotherm show pings.json",
    overhead: "One request at a time, one a second unless -i sets another interval: ioping \
        measures and generates no load. With -i 0 it uses up to a whole core.",
    loses: "Text has latencies rounded to four digits (109.9 us), and timestamps only with -I, to \
        the second; without -I, requests are spread evenly over the time of ioping's summary, and \
        without a summary one per second is assumed (--interval). JSON has exact \
        latencies and timestamps. Requests that ioping leaves out of its statistics, such as the \
        first, are left out here, too. Statistics (-B, -p, -P, the last lines) are averages and \
        are not read. Attributes for --by and --where: operation, size, target, state (fast, \
        slow).",
    counting: Counting::Events,
    exact_time: true,
    example: "\
Nov 23 05:24:44 4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=1 time=147.7 us (warmup)
Nov 23 05:24:44 4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=2 time=218.6 us
4 KiB >>> . (ext4 /dev/vda 252.0 GiB): request=3 time=3.75 ms (slow)
",
    interpretation: "Two reads (<<<) and a write (>>>) of 4 KiB. The words in brackets are \
        ioping's own: the first request is a warm-up and is left out; others were fast or slow \
        compared with the rest.",
};

impl Source for IoPing {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if text::looks_like(head) || json::looks_like(head) { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        ReadingOption::ALL
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut requests = Requests::new(context);
        let is_json = json::looks_like(&crate::peek(input).unwrap_or_default());
        if is_json {
            json::read(input, &mut requests, sink)?;
        } else {
            text::read(input, &mut requests, sink)?;
        }
        requests.finish(sink);
        Ok(())
    }
}
