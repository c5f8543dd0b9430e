//! Feeds of commands, pipes and files, through their public face.

use std::io::{BufRead, Write};
use std::sync::mpsc::RecvTimeoutError;

use isotherm_formats::{
    Context, Counting, DecodeError, LineReader, Message, Meta, ReadError, Sink, Source, Verdict,
};
use isotherm_frame::{Account, Nanos, Place, Reading, Rejection, Series, Timestamp};
use isotherm_live::{Address, Ending, Feed, FeedError, LiveOptions, OpenError, decode_all};
use testing::bounded::{self, Deadline};

/// Reads one latency in microseconds per line; a decoder of our own, so that these tests do not
/// depend on any format.
struct Micros;
static MICROS: Micros = Micros;

static META: Meta = Meta {
    name: "micros",
    address: "",
    about: "",
    needs: &[],
    command: "",
    overhead: "",
    loses: "",
    counting: Counting::Events,
    exact_time: true,
    example: "",
    interpretation: "",
};

impl Source for Micros {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, _: &[u8]) -> Verdict {
        Verdict::No
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut lines = LineReader::new(input);
        while let Some(line) = lines.next_line()? {
            if line.bytes == b"stop decoding" {
                let (found, expected) = ("a stop".into(), "a number".into());
                return Err(DecodeError::Malformed { place: line.place, found, expected });
            }
            let at = context.arrival.as_ref().map_or(Timestamp::new(0), |now| now());
            match line.text().parse() {
                Ok(micros) => {
                    let (series, latency) = (Series::named("line"), Nanos::from_micros(micros));
                    sink.reading(Reading::Event { at, series, latency });
                    sink.record();
                }
                Err(_) => sink.reject(Rejection {
                    place: line.place,
                    reason: "not a number".into(),
                    events: 1,
                }),
            }
        }
        Ok(())
    }
}

fn command_line(command: &str) -> Address {
    format!("cmd:{command}").parse().expect("an address")
}

fn micros() -> LiveOptions {
    LiveOptions { as_source: Some(&MICROS), ..LiveOptions::default() }
}

/// What a feed said.
#[derive(Default)]
struct Heard {
    latencies: Vec<u64>,
    times: Vec<Timestamp>,
    records: usize,
    rejected: Vec<Place>,
    warnings: Vec<String>,
    ending: Option<Ending>,
}

impl Heard {
    fn take(&mut self, message: Message) {
        match message {
            Message::Reading(Reading::Event { at, latency, .. }) => {
                self.times.push(at);
                self.latencies.push(latency.as_nanos() / 1_000);
            }
            Message::Record => self.records += 1,
            Message::Rejected(rejection) => self.rejected.push(rejection.place),
            Message::Warning(text) => self.warnings.push(text),
            other => panic!("unexpected {other:?}"),
        }
    }

    fn listen_until(&mut self, feed: &Feed, enough: impl Fn(&Heard) -> bool) {
        let deadline = Deadline::default();
        while !enough(self) {
            match feed.receiver().recv_timeout(deadline.left()) {
                Ok(batch) => {
                    batch.messages.into_iter().for_each(|message| self.take(message));
                    self.ending = batch.ending.or(self.ending.take());
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(timeout) => panic!("{timeout}: {:?} {:?}", self.latencies, self.warnings),
            }
        }
    }

    fn ending(&self) -> &Ending {
        self.ending.as_ref().expect("the feed said how it ended")
    }

    fn error(&self) -> String {
        self.ending().error.as_ref().map(ToString::to_string).unwrap_or_default()
    }
}

/// Listens until the feed is done, but not for ever.
fn listen(feed: &Feed) -> Heard {
    listen_until(feed, |_| false)
}

fn listen_until(feed: &Feed, enough: impl Fn(&Heard) -> bool) -> Heard {
    let mut heard = Heard::default();
    heard.listen_until(feed, enough);
    heard
}

fn open(command: &str) -> Feed {
    let address = command_line(command);
    Feed::open(&address, &micros()).unwrap_or_else(|error| panic!("{command}: {error}"))
}

#[test]
fn a_command_that_fails_tells_its_output_its_exit_code_and_its_stderr() {
    let heard = listen(&open("echo 180; echo x; echo 7900; echo 'no such table' >&2; exit 3"));
    assert_eq!(heard.latencies, [180, 7900]);
    assert_eq!((heard.records, &heard.rejected[..]), (2, &[Place { line: 2, byte: 4 }][..]));
    assert_eq!(heard.warnings, ["no such table"]);
    assert_eq!(heard.ending().status, "exit code 3");
    assert_eq!(heard.ending().stderr_tail, ["no such table"]);
    assert!(matches!(heard.ending().error, Some(FeedError::Failed { silent: false, .. })));
    assert!(heard.error().contains("exit code 3: no such table"), "{}", heard.error());
}

#[test]
fn a_command_that_succeeds_ends_without_an_error() {
    let heard = listen(&open("printf '1\\n2\\n3'"));
    assert_eq!(heard.latencies, [1, 2, 3]);
    assert_eq!(heard.ending().status, "exit code 0");
    assert!(heard.ending().error.is_none());
}

#[test]
fn lines_are_stamped_when_they_arrive() {
    let before = now();
    let heard = listen(&open("echo 1; echo 2"));
    let after = now();
    assert!(heard.times.iter().all(|at| (before..=after).contains(at)));
    assert_eq!(heard.times.len(), 2);
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("the clock is after 1970");
    Timestamp::new(i64::try_from(since.as_nanos()).expect("before 2262"))
}

#[test]
fn a_command_that_is_killed_says_by_what() {
    let heard = listen(&open("echo 5; kill -9 $$"));
    assert_eq!(heard.latencies, [5]);
    assert_eq!(heard.ending().status, "killed by signal 9");
    assert!(heard.error().contains("killed by signal 9"), "{}", heard.error());
}

#[test]
fn what_is_printed_arrives_while_the_command_goes_on() {
    let feed = open("echo 5; sleep 1000");
    let heard = listen_until(&feed, |heard| heard.latencies.len() == 1);
    assert_eq!(heard.latencies, [5]);
    assert!(heard.ending.is_none());
}

#[test]
fn stopping_ends_the_command_and_what_it_started() {
    let feed = open("sleep 1001 & echo $!; echo $$; sleep 1002");
    let heard = listen_until(&feed, |heard| heard.latencies.len() == 2);
    feed.stop();
    for pid in heard.latencies {
        ends(pid);
    }
    let rest = listen(&feed);
    assert_eq!(rest.ending().status, "stopped");
    assert!(rest.ending().error.is_none());
}

#[test]
fn stopping_before_anything_was_recognised_is_no_failure() {
    for command in ["sleep 1003", "echo 'some words'; sleep 1003"] {
        let address = command_line(command);
        let feed = Feed::open(&address, &LiveOptions::default()).expect("it starts");
        feed.stop();
        let heard = listen(&feed);
        assert_eq!((heard.ending().status.as_str(), heard.error()), ("stopped", String::new()));
    }
}

#[test]
fn a_command_that_ignores_sigterm_is_ended_all_the_same_and_nobody_waits_for_it() {
    let is_waited_for = || {
        let feed = open("trap '' TERM; echo $$; while :; do sleep 0.1; done");
        let pid = listen_until(&feed, |heard| heard.latencies.len() == 1).latencies[0];
        feed.stop();
        let is_gone = !is_running(pid);
        ends(pid);
        assert_eq!(listen(&feed).ending().status, "stopped");
        is_gone
    };
    // It is killed a second after it was asked to end. This test may be held up for as long, but not
    // each time.
    assert!(!(0..10).all(|_| is_waited_for()), "stopping waits until the command has ended");
}

/// Waits until a process that was killed is gone.
#[track_caller]
fn ends(pid: u64) {
    bounded::until(&format!("the end of process {pid}"), || (!is_running(pid)).then_some(()));
}

/// Whether a process is there and has not only yet to be waited for by its parent.
fn is_running(pid: u64) -> bool {
    state(pid).is_some_and(|state| state != 'Z')
}

fn state(pid: u64) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next()
}

/// Opens a command that prints more than fits between it and its consumer, and waits until it is held
/// up; what was heard until then: its process number, and perhaps the first lines.
fn held_up(command: &str) -> (Feed, Heard) {
    let feed = open(&format!("echo $$; exec {command}"));
    let heard = listen_until(&feed, |heard| !heard.latencies.is_empty());
    let mut waits = 0;
    bounded::until("a command that is held up", || {
        // For a while, not only until the next bytes are read.
        waits = if state(heard.latencies[0]) == Some('S') { waits + 1 } else { 0 };
        (waits == 20).then_some(())
    });
    (feed, heard)
}

#[test]
fn a_slow_consumer_loses_nothing() {
    let (feed, mut heard) = held_up("seq 1 200000");
    heard.listen_until(&feed, |_| false);
    assert!(heard.latencies[1..].iter().copied().eq(1..=200_000));
    assert_eq!(heard.records, 200_001);
}

#[test]
fn stopping_does_not_wait_for_a_consumer_that_takes_nothing() {
    let (feed, _) = held_up("seq 1 100000000");
    feed.stop();
    let heard = listen(&feed);
    assert!(!heard.latencies.is_empty(), "what was sent before can still be received");
}

#[test]
fn a_decoder_that_gives_up_ends_the_command_and_says_where() {
    let heard = listen(&open("echo 5; echo stop decoding; while :; do echo 1; done"));
    assert_eq!(heard.latencies, [5]);
    assert!(matches!(heard.ending().error, Some(FeedError::Decode(_))));
    assert_eq!(heard.error(), "line 2 (byte 2): a stop; expected a number");
}

#[test]
fn much_on_standard_error_is_shortened_but_its_end_is_kept() {
    let heard = listen(&open("seq 1 5000 >&2; echo 1"));
    assert_eq!(heard.latencies, [1]);
    let tail: Vec<String> = (4981..=5000).map(|number| number.to_string()).collect();
    assert_eq!(heard.ending().stderr_tail, tail);
    let (shown, hidden): (Vec<_>, Vec<_>) =
        heard.warnings.iter().partition(|text| text.parse::<u32>().is_ok());
    let hidden: usize = hidden
        .iter()
        .filter_map(|text| text.trim_start_matches('(').split(' ').next()?.parse::<usize>().ok())
        .sum();
    assert_eq!(shown.len() + hidden, 5000, "each line is shown or counted");
    assert!(shown.len() <= 200);
}

#[test]
fn a_command_nobody_understands_shows_why() {
    let options = LiveOptions::default();
    let fails = command_line("echo 'cannot connect' >&2; exit 7");
    let heard = listen(&Feed::open(&fails, &options).expect("it starts"));
    assert!(heard.error().contains("exit code 7: cannot connect"), "{}", heard.error());

    let silent = command_line("true");
    let heard = listen(&Feed::open(&silent, &options).expect("it starts"));
    assert!(matches!(heard.ending().error, Some(FeedError::Empty(_))), "{}", heard.error());

    let words = command_line("echo 'hello \u{7} world'");
    let heard = listen(&Feed::open(&words, &options).expect("it starts"));
    assert!(heard.error().contains("text beginning 'hello   world'"), "{}", heard.error());
    assert!(heard.error().contains("isotherm sources lists"), "{}", heard.error());
}

#[test]
fn a_command_that_is_not_there_is_told_by_the_shell() {
    let heard = listen(&open("isotherm-no-such-program"));
    assert_eq!(heard.ending().status, "exit code 127");
    assert!(heard.ending().error.as_ref().is_some_and(FeedError::is_unreachable));
    assert!(heard.error().contains("isotherm-no-such-program"), "{}", heard.error());
}

fn file_with(content: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(content).expect("written");
    file
}

#[test]
fn a_file_is_fed_without_arrival_times() {
    let file = file_with(b"1\n2\n");
    let feed = Feed::open(&Address::File(file.path().into()), &micros()).expect("opened");
    let heard = listen(&feed);
    assert_eq!(heard.latencies, [1, 2]);
    assert_eq!(heard.times, [Timestamp::new(0); 2]);
    assert_eq!(heard.ending().status, "end of input");
    assert_eq!(feed.source().map(|source| source.meta().name), Some("micros"));
}

/// Only counts.
#[derive(Default)]
struct Counted {
    readings: usize,
    tally: Account,
}

impl Sink for Counted {
    fn take(&mut self, message: Message) {
        self.readings += usize::from(message.into_reading(&mut self.tally).is_some());
    }
}

fn decode(path: &std::path::Path, by: Option<&'static dyn Source>) -> Result<Counted, OpenError> {
    let mut counted = Counted::default();
    decode_all(&Address::File(path.into()), &Context::default(), by, &mut counted)?;
    Ok(counted)
}

#[test]
fn a_file_is_decoded_to_its_end() {
    // More than the 64 KiB looked at first, and more than is read at once.
    let text = (0..400_000).map(|number| number.to_string()).collect::<Vec<_>>().join("\n");
    assert!(text.len() > 2 << 20);
    let counted = decode(file_with(text.as_bytes()).path(), Some(&MICROS)).expect("decoded");
    assert_eq!((counted.readings, counted.tally.records), (400_000, 400_000));
    assert_eq!(counted.tally.rejected, 0);
}

#[test]
fn what_cannot_be_read_says_what_it_is() {
    let told = |content: &[u8]| decode(file_with(content).path(), None).err();
    assert!(matches!(told(b""), Some(OpenError::Read(ReadError::Empty(_)))));
    assert!(matches!(told(b" \n\n"), Some(OpenError::Read(ReadError::Empty(_)))));
    assert!(matches!(
        told(b"SQLite format 3\0..."),
        Some(OpenError::Read(ReadError::IsRecording(_)))
    ));
    assert!(matches!(told(b"hello\n"), Some(OpenError::Read(ReadError::NotRecognised(_)))));
    let binary = told(b"\x7fELF\0\0\0").expect("not read").to_string();
    assert!(binary.contains("binary (it begins with 7f 45 4c 46)"), "{binary}");

    let folder = tempfile::tempdir().expect("a directory");
    let error = decode(folder.path(), None).err().expect("not read");
    assert!(matches!(error, OpenError::Read(ReadError::Directory(_))));
    assert!(error.to_string().contains("probe:"), "{error}");
    let error = decode(&folder.path().join("absent"), None).err().expect("not read");
    assert!(matches!(error, OpenError::Read(ReadError::Missing(_))));
    assert!(!error.is_unreachable());
}

#[test]
fn a_feed_says_the_same_of_a_file_before_it_starts() {
    let opened = |content: &[u8]| {
        let file = file_with(content);
        Feed::open(&Address::File(file.path().into()), &LiveOptions::default()).err()
    };
    assert!(matches!(
        opened(b"SQLite format 3\0..."),
        Some(OpenError::Read(ReadError::IsRecording(_)))
    ));
    assert!(matches!(opened(b""), Some(OpenError::Read(ReadError::Empty(_)))));
    assert!(matches!(opened(b"hello"), Some(OpenError::Read(ReadError::NotRecognised(_)))));
}

#[test]
fn what_never_ends_is_not_read_to_its_end() {
    for address in [
        "disk:".parse().expect("an address"),
        "probe:.".parse().expect("an address"),
        command_line("yes"),
    ] {
        let mut counted = Counted::default();
        let error = decode_all(&address, &Context::default(), None, &mut counted);
        assert!(matches!(error, Err(OpenError::Endless(_))));
    }
}

#[test]
fn a_missing_bpftrace_program_is_a_missing_file() {
    let address = "bpftrace:/nonexistent/reads.bt".parse().expect("an address");
    let error = Feed::open(&address, &LiveOptions::default()).err().expect("not opened");
    assert!(matches!(error, OpenError::Read(ReadError::Missing(_))), "{error}");
}
