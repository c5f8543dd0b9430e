//! Formats that are data: what load generators, proxies and other programs write, each described by a
//! file in `formats/`.

mod asked_unit;
mod bars;
mod book;
mod check;
mod choice;
mod definition;
mod envelope;
mod events;
mod format;
mod head;
mod histogram;
mod midnight;
mod necessary;
mod nested;
mod open_row;
mod parts;
mod reader;
mod recognition;
mod repair;
mod row;
mod runs;
#[cfg(test)]
mod tests;
mod values;

use std::io::BufRead;

use self::book::all;
pub use self::book::{BrokenFormat, add_formats};
pub use self::check::{CheckedLine, FormatCheck, LineOutcome, check_format};
use self::definition::Definition;
use self::format::Format;
use self::recognition::{comes_late, of_some_line, recognise};
use crate::file_part::refusal;
use crate::{
    Context, Counting, DecodeError, FilePart, Meta, Note, Reach, ReadingOption, Sink, Source, Verdict,
};

/// Reads whatever one of the formats describes.
pub(crate) struct Formats;

pub(crate) static SOURCE: Formats = Formats;

/// The name of the source.
const NAME: &str = "formats";

static META: Meta = Meta {
    name: NAME,
    address: "FILE or -",
    about: "Files that are known by name: results of load generators (JMeter, k6, hey, vegeta, ab, \
        Gatling and others), access logs (nginx, Envoy, Traefik, IIS, load balancers), ping, garbage \
        collection, and formats of your own",
    needs: &[],
    command: "hey -n 1000 -o csv http://localhost:8080/ > run.csv",
    overhead: "None: reading a file costs nothing on the measured system.",
    loses: "The exact latency within a bucket, which is at most 12.5 % wide. Where a file has several \
        durations, one is read: isotherm sources NAME prints the description that says which one. \
        Requests without a latency are counted and left out.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
timeStamp,elapsed,label,responseCode,responseMessage,threadName,success
1795253272365,42,Login,200,OK,Users 1-1,true
1795253272412,38,Home,200,OK,Users 1-2,true
1795253272531,903,Login,503,Service Unavailable,Users 1-1,false
",
    interpretation: "Three requests of JMeter, each stamped when it began: two took 42 and 38 ms, the \
        third failed after 903 ms. Label and outcome (ok or failed) separate its series, unless \
        --by names other columns.",
};

impl Source for Formats {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if recognise(head).is_some() { Verdict::Yes } else { Verdict::No }
    }

    fn tells_apart(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let head = crate::peek(input).unwrap_or_default();
        let Some(format) = recognise(&head) else { return Ok(()) };
        if comes_late(&head) {
            let title = &format.definition.title;
            let said = format!("recognised as {title} by later lines: the first ones, and others like them, are left out");
            sink.note(Note::Said(said.into()));
        }
        reader::read(format, input, context, sink)
    }
}

/// Formats that the user names with `--as`: one, or those of one program.
struct NamedFormats(Vec<&'static Format>);

impl Source for NamedFormats {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        SOURCE.sniff(head)
    }

    fn tells_apart(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        SOURCE.ignores()
    }

    fn decode_part(
        &self,
        _part: &FilePart<'_>,
        _context: &Context,
        _sink: &mut dyn Sink,
    ) -> Result<Reach, DecodeError> {
        let why = "it is in a format known by its name, where what a line means may depend on those before it. \
            Read the whole file";
        Err(refusal(why))
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let head = crate::peek(input).unwrap_or_default();
        let recognised = recognise(&head);
        let is_it = |format: &&&'static Format| recognised.is_some_and(|found| std::ptr::eq(found, **format));
        let chosen = self.0.iter().find(is_it).or(self.0.first());
        chosen.map_or(Ok(()), |format| reader::read(format, input, context, sink))
    }
}

/// The format of that name, or of that program: `jmeter`, `nginx`.
pub fn formats_named(name: &str) -> Option<&'static dyn Source> {
    let is_of_program = |format: &&Format| {
        format.definition.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let formats: Vec<&'static Format> = all().filter(is_of_program).collect();
    // It is asked for once, and lives as long as the program.
    (!formats.is_empty()).then(|| &*Box::leak(Box::new(NamedFormats(formats))) as &'static dyn Source)
}

/// What to do with a text that is not read as it is, where some of its lines look like a known format.
pub(crate) fn advice(head: &[u8]) -> Option<String> {
    let Definition { name, title, refuse, .. } = &of_some_line(head)?.definition;
    Some(match refuse {
        Some(refusal) => format!("some of its lines look like {title}: {refusal}"),
        None => format!("some of its lines look like {title}: --as {name} reads them"),
    })
}

/// A format that files are recognised as.
pub struct NamedFormat {
    /// One word.
    pub name: &'static str,
    /// Such as `the JSON results of k6`.
    pub title: &'static str,
    /// The documentation of the program that writes it.
    pub link: &'static str,
    /// Its description: a file to begin from.
    pub text: &'static str,
    /// A few lines of it.
    pub example: &'static str,
    /// Why it is not read, and what to use instead.
    pub refusal: Option<&'static str>,
}

/// Every format that is known by name, those of the user first.
pub fn named_formats() -> impl Iterator<Item = NamedFormat> {
    all().map(|format| NamedFormat {
        name: &format.definition.name,
        title: &format.definition.title,
        link: &format.definition.link,
        text: &format.text,
        example: &format.definition.example,
        refusal: format.definition.refusal(),
    })
}
