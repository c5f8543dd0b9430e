//! What is asked of Oracle databases, as text: live polls, SQL*Plus spool files, AWR histories.

pub(crate) mod buckets;
mod error_line;
mod polled_time;
mod poll;
mod record;
mod session;
pub(crate) mod totals;
mod waits;

use std::io::BufRead;

use isotherm_frame::{Clock, Place, Rejection, Timestamp};
use jiff::tz::TimeZone;

use crate::{
    Context, Counting, DecodeError, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

pub use error_line::error_number;
use poll::Poll;
use record::{Record, parse};
use totals::Known;
use waits::Sessions;

/// Reads what Oracle's wait views held, poll by poll.
pub(crate) struct OraclePoll;

pub(crate) static SOURCE: OraclePoll = OraclePoll;

static META: Meta = Meta {
    name: "oraclepoll",
    address: "FILE or -",
    about: "Polls of Oracle's wait event histograms as text, as the script of `isotherm \
        sqlplus-script` spools them and oracle:// reads them",
    needs: &[Need {
        what: "SQL*Plus on a host that may connect to the database",
        how: "isotherm sqlplus-script prints the script; the source oracle:// needs neither",
    }],
    command: "sqlplus -S / as sysdba @waits.sql | isotherm live -",
    overhead: "Not measured on a real server. The server runs one SELECT per poll: a soft parse and a scan of fixed views in \
        memory; see the source oracle.",
    loses: "The exact length of a wait within its bucket: bucket bounds are powers of two of \
        microseconds, or of milliseconds before 12.1.0.2. A wait is counted when it ends: one \
        still in progress is missing. Counts and times come from two views, which are not read at \
        the same instant: where the two disagree by more than 1 % of an interval's waits, the \
        interval's time is an estimate. A poll that is damaged or incomplete is skipped as a \
        whole.",
    counting: Counting::Totals("a restart of the instance"),
    exact_time: true,
    example: "\
isotherm-oracle 1
T|2026-11-21T10:00:00.123456Z
I|1|2026-11-20T06:12:44|19.0.0.0.0|ORCL1
H|1||us|256:12,512:840,1024:77|db file sequential read
S|1||929|402113|db file sequential read
.
",
    interpretation: "Since the instance started on 20 November, it had waited 929 times for a \
        single block. 840 of these waits took 256 to 511 microseconds: the number 512 before them \
        is the upper bound of the bucket. All 929 waits together took exactly 0.402113 seconds.",
};

impl Source for OraclePoll {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let begins = |line: &[u8]| record::begin(line.trim_ascii_end()).is_some();
        let found = head.split(|byte| *byte == b'\n').any(begins);
        if found { Verdict::Yes } else { Verdict::No }
    }

    fn tells_apart(&self) -> bool {
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
        let mut polls = PollReader::new(context);
        if context.leave_out_idle {
            polls.leave_out_idle();
        }
        let mut lines = LineReader::new(input);
        let mut last = None;
        while let Some(line) = lines.next_line()? {
            last = Some(line.place);
            polls.line(line.place, line.bytes, sink)?;
        }
        if let Some(place) = last.filter(|_| !polls.begun) {
            return Err(DecodeError::Malformed {
                place,
                found: "the end of the input, and no line 'isotherm-oracle 1'".into(),
                expected: "the output of isotherm sqlplus-script, or a poll of oracle://".into(),
            });
        }
        polls.finish(sink);
        Ok(())
    }
}

/// Passes over a line that is none of the format; but a client that says why it failed is heard.
fn noise(place: Place, bytes: &[u8], sink: &mut dyn Sink) {
    let text = String::from_utf8_lossy(bytes.trim_ascii());
    if error_number(&text).is_none() {
        sink.note(Note::Ignored);
    } else {
        let reason = format!("the client says: {text}").into();
        sink.reject(Rejection { place, reason, events: 0 });
    }
}

/// Reads polls line by line: those of a file, or those that a live source asks for.
#[derive(Debug)]
pub struct PollReader {
    begun: bool,
    zone: Option<TimeZone>,
    open: Option<Poll>,
    known: Known,
    sessions: Sessions,
}

/// The version of the format.
const VERSION: &str = "1";
/// Said of times whose zone is not known.
const NO_ZONE: &str = "the times have no time zone: UTC is assumed (--zone)";

impl PollReader {
    /// `context` gives the zone of times without one, and whether sessions are told apart.
    pub fn new(context: &Context) -> PollReader {
        let by_session = context.by.iter().any(|name| name == "sid" || name == "session");
        PollReader {
            begun: false,
            zone: context.zone.clone(),
            open: None,
            known: Known::default(),
            sessions: Sessions::new(by_session),
        }
    }

    /// Leaves out waits of events that are known by name to be idle: where nothing else tells.
    pub fn leave_out_idle(&mut self) {
        self.known.leave_out_idle();
    }

    /// Takes the answer to a poll of our own: its lines, without the `T` that begins it, read
    /// from the server at `at`. One that lacks its end is rejected.
    pub fn answer(
        &mut self,
        place: &mut Place,
        at: Timestamp,
        text: &str,
        sink: &mut dyn Sink,
    ) {
        self.begun = true;
        self.open(Poll::new(*place, at), sink);
        for line in text.lines() {
            place.line += 1;
            // A version that is not known cannot come from our own statement.
            let _ = self.line(*place, line.as_bytes(), sink);
            place.byte += line.len() as u64 + 1;
        }
        self.end_poll(sink);
    }

    /// Whether the sessions looked at have waits that only their histories can tell.
    pub fn wants_history(&self) -> bool {
        self.sessions.wants_history()
    }

    /// An open poll is cut short.
    fn end_poll(&mut self, sink: &mut dyn Sink) {
        if let Some(poll) = self.open.take() {
            sink.reject(poll.unended());
        }
    }

    /// Takes one line. An error means that this is not the format at all.
    pub fn line(
        &mut self,
        place: Place,
        bytes: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let parsed = parse(bytes.trim_ascii_end());
        if let Ok(Record::Begin(version)) = parsed {
            return self.begin_stream(place, version, sink);
        }
        if !self.begun {
            noise(place, bytes, sink);
            return Ok(());
        }
        match parsed {
            Ok(Record::Begin(_)) => {}
            Ok(Record::Noise) => noise(place, bytes, sink),
            Ok(Record::At(moment)) => {
                if matches!(moment, polled_time::PolledTime::Local(_)) && self.zone.is_none() {
                    sink.note(Note::Said(NO_ZONE.into()));
                }
                let at = moment.in_zone(self.zone.as_ref().unwrap_or(&TimeZone::UTC));
                self.open(Poll::new(place, at), sink);
            }
            Ok(Record::End) => self.close(sink),
            Ok(record) => self.poll_at(place).take(place, record),
            Err(reason) if bytes.starts_with(b"T") => {
                self.open(Poll::damaged(place, reason), sink);
            }
            Err(reason) => self.poll_at(place).damage(place, reason),
        }
        Ok(())
    }

    /// Gives up what is not complete, at the end.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.end_poll(sink);
        self.known.finish(sink);
        self.sessions.finish(sink);
    }

    fn begin_stream(
        &mut self,
        place: Place,
        version: &str,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        if version != VERSION {
            return Err(DecodeError::Malformed {
                place,
                found: format!("version {version} of the format"),
                expected: "version 1: read it with the isotherm that wrote the script".into(),
            });
        }
        if !self.begun {
            sink.note(Note::Clock(Clock::Epoch));
        }
        self.end_poll(sink);
        self.begun = true;
        Ok(())
    }

    /// The poll that a line at `place` belongs to.
    fn poll_at(&mut self, place: Place) -> &mut Poll {
        self.open.get_or_insert_with(|| {
            Poll::damaged(place, "a line of a poll before the line 'T|time' that begins one".into())
        })
    }

    fn open(&mut self, poll: Poll, sink: &mut dyn Sink) {
        if let Some(unended) = self.open.replace(poll) {
            sink.reject(unended.unended());
        }
    }

    fn close(&mut self, sink: &mut dyn Sink) {
        let Some(mut poll) = self.open.take() else {
            sink.note(Note::Ignored);
            return;
        };
        if self.known.tell(&mut poll, sink) {
            self.sessions.look(&mut poll, sink);
            sink.record();
        }
    }
}
