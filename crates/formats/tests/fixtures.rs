//! Every fixture of every source: recognised, decoded, conserved, and only then compared with its
//! snapshot; and every fixture cut, bent and garbled, which must never make a decoder panic.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its files must fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use isotherm_formats::{
    Bytes, Columns, Context, DecodeError, Message, Note, Only, Recognition, SOURCES, Sink, Source,
    Temporality, decode_bytes, recognise,
};
use isotherm_frame::{
    Account, Assembler, BinnerLimits, Event, Frame, Mark, Nanos, Quality, Reading, Rejection,
};
use serde::Deserialize;
use testing::grid;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "tool, command, date and note are for people; they must be there")]
struct About {
    tool: String,
    command: String,
    date: String,
    note: String,
    #[serde(default = "yes")]
    recognised: bool,
    #[serde(default)]
    context: Told,
    expect: Expect,
}

fn yes() -> bool {
    true
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    unit: Option<String>,
    time_unit: Option<String>,
    temporality: Option<String>,
    columns: Option<String>,
    interval: Option<String>,
    #[serde(default)]
    by: Vec<String>,
    /// `attribute=value`
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    leave_out_idle: bool,
    zone: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// Records the decoder must count.
    records: u64,
    /// Events in frames, after differencing and binning.
    events: u64,
    /// Rejections.
    rejected: u64,
    /// Events those rejections stand for.
    #[serde(default)]
    rejected_events: u64,
    /// Events the tool says it lost.
    #[serde(default)]
    lost: u64,
    /// Whether decoding must stop with an error.
    #[serde(default)]
    error: bool,
}

struct Case {
    folder: PathBuf,
    name: String,
    source: &'static dyn Source,
    about: About,
    input: Vec<u8>,
}

impl Case {
    fn is_bad(&self) -> bool {
        self.folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("bad-"))
    }

    fn context(&self) -> Context {
        let told = &self.about.context;
        let names = |text: &String| text.split(',').map(|name| name.trim().to_owned()).collect();
        Context {
            unit: told.unit.as_ref().map(|unit| unit.parse().unwrap()),
            time_unit: told.time_unit.as_ref().map(|unit| unit.parse().unwrap()),
            temporality: match told.temporality.as_deref() {
                None => Temporality::Auto,
                Some("delta") => Temporality::Delta,
                Some("cumulative") => Temporality::Cumulative,
                Some(other) => panic!("{}: no such temporality: {other}", self.name),
            },
            interval: told.interval.as_ref().map(|length| length.parse().unwrap()),
            columns: told.columns.as_ref().map(|text| Columns { names: names(text) }),
            by: told.by.clone(),
            most_series: None,
            keeps_attributes: false,
            attributes: Vec::new(),
            series: None,
            only: told.only.iter().map(|text| condition(text)).collect(),
            leave_out_idle: told.leave_out_idle,
            zone: told.zone.as_ref().map(|name| jiff::tz::TimeZone::get(name).unwrap()),
            threads: 1,
            block_length: None,
            arrival: None,
        }
    }
}

fn condition(text: &str) -> Only {
    let (name, value) = text.split_once('=').unwrap();
    let (attribute, other) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    Only { attribute: attribute.to_owned(), pattern: value.to_owned(), other }
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(parent)
        .unwrap_or_else(|error| panic!("{}: {error}", parent.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    folders(&root).iter().flat_map(|parent| folders(parent)).map(case).collect()
}

fn case(folder: PathBuf) -> Case {
    let part = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let source_name = part(folder.parent().unwrap());
    let name = format!("{source_name}/{}", part(&folder));
    let source = SOURCES.iter().find(|source| source.meta().name == source_name);
    let about = fs::read_to_string(folder.join("about.toml"))
        .unwrap_or_else(|error| panic!("{name}: about.toml: {error}"));
    let input = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_stem().is_some_and(|stem| stem == "input"))
        .unwrap_or_else(|| panic!("{name}: no input.*"));
    Case {
        source: *source.unwrap_or_else(|| panic!("{name}: no source of that name")),
        about: toml::from_str(&about).unwrap_or_else(|error| panic!("{name}: {error}")),
        input: fs::read(input).unwrap(),
        folder,
        name,
    }
}

/// What an input becomes.
struct Decoded {
    frames: Vec<Frame>,
    anomalies: Vec<String>,
    marks: Vec<String>,
    tally: Account,
    error: Option<DecodeError>,
    assembler: Assembler,
}

impl Decoded {
    fn of(source: &dyn Source, mut input: &[u8], context: &Context) -> Decoded {
        let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        let (frames, anomalies, marks) = (Vec::new(), Vec::new(), Vec::new());
        let tally = Account::default();
        let mut decoded = Decoded { frames, anomalies, marks, tally, error: None, assembler };
        decoded.error = source.decode(&mut input, context, &mut decoded).err();
        let Decoded { frames, assembler, .. } = &mut decoded;
        assembler.finish(&mut |output| {
            if let Event::Frame(frame) = output {
                frames.push(frame);
            }
        });
        decoded
    }

    fn events(&self) -> u64 {
        self.frames.iter().map(|frame| frame.counts.events()).sum()
    }

    /// Everything, as text a person can check against the input.
    fn text(&self) -> String {
        let mut text = String::new();
        for frame in &self.frames {
            let (start, end) = (frame.start.as_secs_f64(), frame.end.as_secs_f64());
            writeln!(text, "{start} .. {end} s  {}  {}", frame.series, frame.quality).unwrap();
            for (bucket, count) in frame.counts.non_zero() {
                let hi = bucket.hi.map(|hi| hi.as_nanos().to_string()).unwrap_or_default();
                writeln!(text, "    {}..{hi} ns  {count}", bucket.lo.as_nanos()).unwrap();
            }
            if frame.counts.is_time_only() {
                let ns = frame.counts.waited_in(0);
                writeln!(text, "    about {ns} ns waited, no events").unwrap();
            }
            if let (false, Some(sum)) = (frame.counts.is_empty(), frame.counts.sum()) {
                writeln!(text, "    exactly {} ns in all", sum.as_nanos()).unwrap();
            }
        }
        for line in self.anomalies.iter().chain(&self.marks) {
            writeln!(text, "mark: {line}").unwrap();
        }
        let tally = &self.tally;
        for Rejection { place, reason, events } in &tally.rejections {
            writeln!(text, "rejected: {place}: {reason} [{events} events]").unwrap();
        }
        if let Some(error) = &self.error {
            writeln!(text, "error: {error}").unwrap();
        }
        for said in &tally.notices {
            writeln!(text, "said: {said}").unwrap();
        }
        for assumed in &tally.assumptions {
            writeln!(text, "assumed: {assumed}").unwrap();
        }
        for waits in &tally.idle {
            let ns = waits.time.map_or("?".to_owned(), |time| time.as_nanos().to_string());
            writeln!(text, "left out: {} waits, {ns} ns: {}", waits.waits, waits.event).unwrap();
        }
        let (events, lost, ignored) = (self.events(), tally.lost, tally.ignored_lines);
        let (records, rejected, clock) = (tally.records, tally.rejected, tally.clock);
        writeln!(
            text,
            "{records} records, {events} events in frames, {rejected} rejections of {} events, \
             {lost} lost, {ignored} lines ignored, clock: {clock}",
            tally.rejected_events
        )
        .unwrap();
        text
    }
}

impl Sink for Decoded {
    fn take(&mut self, message: Message) {
        if let Message::Note(Note::Mark(Mark { text, .. })) = &message {
            self.marks.push(text.clone());
        }
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        if let Reading::Delta(frame) = &reading {
            assert!(frame.start < frame.end, "{frame:?} has no length");
        }
        let (frames, anomalies) = (&mut self.frames, &mut self.anomalies);
        self.assembler.push(reading, &mut |output| match output {
            Event::Frame(frame) => frames.push(frame),
            Event::Anomaly(anomaly) => anomalies.push(anomaly.to_string()),
            other => panic!("an assembler gives no {other:?}"),
        });
    }
}

fn check_recognised(case: &Case) {
    let name = &case.name;
    match recognise(&case.input) {
        Recognition::Known(source) => {
            assert!(case.about.recognised, "{name}: recognised as {}", source.meta().name);
            assert_eq!(source.meta().name, case.source.meta().name, "{name}: taken for another's");
        }
        Recognition::Empty => assert!(case.input.trim_ascii().is_empty(), "{name}"),
        Recognition::Unknown => assert!(!case.about.recognised, "{name}: not recognised"),
    }
}

#[test]
fn fixtures_decode_to_what_they_hold() {
    let cases = cases();
    assert!(!cases.is_empty(), "there are fixtures");
    for case in &cases {
        let (name, expect) = (&case.name, &case.about.expect);
        check_recognised(case);
        let decoded = Decoded::of(case.source, &case.input, &case.context());
        let tally = &decoded.tally;
        if case.is_bad() {
            let refused = tally.rejected > 0 || decoded.error.is_some();
            assert!(refused || case.input.trim_ascii().is_empty(), "{name}: accepted");
        } else {
            assert!(decoded.error.is_none(), "{name}: {:?}", decoded.error);
        }
        assert_eq!(decoded.error.is_some(), expect.error, "{name}: {:?}", decoded.error);
        let found = (tally.records, decoded.events(), tally.rejected, tally.rejected_events);
        let expected = (expect.records, expect.events, expect.rejected, expect.rejected_events);
        let what = "records, events in frames, rejections, events rejected";
        assert_eq!(found, expected, "{name}: {what}\n{}", decoded.text());
        assert_eq!(tally.lost, expect.lost, "{name}: events lost");
        for Rejection { place, .. } in &tally.rejections {
            let inside = place.line > 0 && place.byte < case.input.len() as u64;
            assert!(inside, "{name}: a rejection has no place: {place}");
        }
    }
    for case in &cases {
        let decoded = Decoded::of(case.source, &case.input, &case.context());
        insta::with_settings!({
            snapshot_path => &case.folder,
            prepend_module_to_snapshot => false,
            omit_expression => true,
            description => &case.about.note,
        }, {
            insta::assert_snapshot!("frames", decoded.text());
        });
    }
}

#[test]
fn line_ends_of_another_system_change_nothing() {
    for case in cases() {
        let Ok(text) = std::str::from_utf8(&case.input) else { continue };
        if text.contains('\r') || case.is_bad() {
            continue;
        }
        let bent = text.replace('\n', "\r\n");
        let context = case.context();
        let (one, two) = (
            Decoded::of(case.source, &case.input, &context),
            Decoded::of(case.source, bent.as_bytes(), &context),
        );
        assert_eq!(one.frames, two.frames, "{}", case.name);
        assert_eq!(one.tally.rejected_events, two.tally.rejected_events, "{}", case.name);
    }
}

/// What a whole input becomes on the way that users take: through the layer that takes away what is no
/// part of a text.
#[derive(Debug, PartialEq)]
struct Whole {
    /// Records, readings and rejections.
    counts: (u64, u64, u64),
    said: Vec<String>,
    error: Option<String>,
}

impl Whole {
    fn of(case: &Case, bytes: &[u8], folder: &Path) -> Whole {
        /// Counts what comes.
        struct Counted(u64, Account);
        impl Sink for Counted {
            fn take(&mut self, message: Message) {
                self.0 += u64::from(message.into_reading(&mut self.1).is_some());
            }
        }
        let path = folder.join("input");
        fs::write(&path, bytes).unwrap();
        let source = (!case.about.recognised).then_some(case.source);
        let mut counted = Counted(0, Account::default());
        let read = Bytes::file(&path)
            .and_then(|bytes| decode_bytes(bytes, &case.context(), source, &mut counted));
        let Counted(readings, account) = counted;
        Whole {
            counts: (account.records, readings, account.rejected),
            said: account.notices.iter().map(ToString::to_string).collect(),
            error: read.err().map(|error| error.to_string()),
        }
    }
}

/// A way to bend a text that says nothing about what it holds.
type Bend = fn(&str) -> Vec<u8>;

fn bends() -> Vec<(&'static str, Bend)> {
    fn each(text: &str, before: &str) -> Vec<u8> {
        let lines = text.split_inclusive('\n');
        let bent = |line: &str| {
            let before = if line.trim().is_empty() { "" } else { before };
            format!("{before}{line}").into_bytes()
        };
        lines.flat_map(bent).collect()
    }
    vec![
        ("a byte order mark", |text| format!("\u{feff}{text}").into_bytes()),
        ("UTF-16", |text| {
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
        }),
        ("CR LF", |text| text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes()),
        ("no last line end", |text| text.trim_end_matches('\n').as_bytes().to_vec()),
        ("indentation", |text| each(text, "    ")),
        ("a quotation", |text| each(text, "> ")),
        ("a line before it", |text| format!("This is from the server:\n{text}").into_bytes()),
        ("a prompt", |text| format!("$ sudo tool -x 5 | tee log\n{text}").into_bytes()),
        ("blank lines", |text| format!("\n\n{text}\n\n").into_bytes()),
        ("colours", |text| format!("\u{1b}[1m{text}\u{1b}[0m").into_bytes()),
        ("zeros", |text| format!("{}{text}", "\0".repeat(4_096)).into_bytes()),
        ("gzip", |text| {
            use std::io::Write as _;
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        }),
    ]
}

/// Whatever stands around a text: it is read the same, or something is said. Never is less read in
/// silence.
mod what_stands_around_a_text_changes_nothing_or_is_said {
    use super::around;

    #[test]
    fn in_every_fourth_fixture() {
        around(0);
    }

    #[test]
    fn in_the_next_ones() {
        around(1);
    }

    #[test]
    fn in_those_after_them() {
        around(2);
    }

    #[test]
    fn in_the_last_ones() {
        around(3);
    }
}

/// Tries every fourth fixture from one on.
fn around(first: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut silent = Vec::new();
    let cases = cases();
    let good = cases.iter().filter(|case| !case.is_bad() && !case.about.expect.error);
    for (index, case) in good.enumerate().skip(first).step_by(4) {
        // A sample reads the smallest fixtures through all changes, larger ones through some of them, by turns,
        // and leaves out the largest: the way is the same for all.
        const SMALL: usize = 4 << 10;
        const LARGE: usize = 24 << 10;
        let Ok(text) = std::str::from_utf8(&case.input) else { continue };
        if text.contains('\0') || !grid::is_exhaustive() && text.len() > LARGE {
            continue;
        }
        let step = if text.len() > SMALL { grid::step(5) } else { 1 };
        let plain = Whole::of(case, &case.input, folder.path());
        for (name, bend) in bends().into_iter().skip(index % step).step_by(step) {
            let bent = Whole::of(case, &bend(text), folder.path());
            let says_more = bent.counts.2 > plain.counts.2
                || bent.said.iter().any(|said| !plain.said.contains(said));
            if bent.counts != plain.counts && bent.error.is_none() && !says_more {
                silent.push(format!(
                    "{}: {name}: {:?} instead of {:?}",
                    case.name, bent.counts, plain.counts
                ));
            }
        }
    }
    assert!(
        silent.is_empty(),
        "{} read otherwise without a word:\n{}",
        silent.len(),
        silent.join("\n")
    );
}

/// The counts of an interval, each with the bound of its bucket, and the time where it is exact.
type Numbers = (Vec<(u64, u64)>, Option<u64>);

impl Decoded {
    /// What is known of each series, but for gaps.
    fn numbers(&self) -> BTreeMap<String, Vec<Numbers>> {
        let mut numbers: BTreeMap<String, Vec<Numbers>> = BTreeMap::new();
        for frame in self.frames.iter().filter(|frame| !matches!(frame.quality, Quality::Gap(_))) {
            let counts =
                frame.counts.non_zero().map(|(bucket, count)| (bucket.lo.as_nanos(), count));
            let sum = frame.counts.sum().map(Nanos::as_nanos);
            numbers.entry(frame.series.to_string()).or_default().push((counts.collect(), sum));
        }
        numbers
    }

    /// Whether something is said that the whole input does not call for.
    fn says_more_than(&self, whole: &Decoded) -> bool {
        let (mine, others) = (&self.tally, &whole.tally);
        self.error.is_some()
            || mine.rejected > others.rejected
            || mine.notices.iter().any(|said| !others.notices.contains(said))
            || mine.assumptions.iter().any(|said| !others.assumptions.contains(said))
    }
}

/// Whether a print of bcc that ends here looks whole: its fullest bucket is there, and the last one counts
/// something. Nothing that follows would show that it is cut.
fn looks_whole(text: &str) -> bool {
    let rows = text.trim_end().lines().rev().take_while(|line| line.ends_with('|'));
    let rows: Vec<_> = rows.filter_map(|line| line.split_once('|')).collect();
    let is_full = |bar: &str| bar.len() > 1 && !bar.contains(' ');
    let last =
        rows.first().and_then(|(counts, _)| counts.split_once(" : ")?.1.split_whitespace().next());
    rows.iter().any(|(_, bar)| is_full(bar)) && last.is_some_and(|count| count != "0")
}

/// An input that is cut at the end of a line, as a full disk and `head` leave it: each interval it still has
/// is one of the whole input, or something is said.
#[test]
fn an_input_cut_at_the_end_of_a_line_has_no_other_numbers_without_a_word() {
    const SOURCES: [&str; 3] = ["bcc", "bpftrace", "redis"];
    let mut silent = Vec::new();
    for case in cases() {
        let name = case.source.meta().name;
        let Ok(text) = std::str::from_utf8(&case.input) else { continue };
        // The entries of a slow log are single events: an interval of it lacks those cut off.
        let is_print = SOURCES.contains(&name) && !case.name.contains("slowlog");
        if case.is_bad() || !is_print {
            continue;
        }
        let context = case.context();
        let whole = Decoded::of(case.source, &case.input, &context);
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        for end in ends.step_by(grid::step(3)) {
            let cut = &text[..end];
            let decoded = Decoded::of(case.source, cut.as_bytes(), &context);
            let known = whole.numbers();
            // An exact total that is cut off leaves an estimate.
            let is_one = |one: &Numbers, known: &Numbers| {
                one.0 == known.0 && (one.1.is_none() || one.1 == known.1)
            };
            let is_known = |series: &String, numbers: &Vec<Numbers>| {
                let Some(all) = known.get(series) else { return false };
                numbers.iter().all(|one| all.iter().any(|known| is_one(one, known)))
            };
            let is_right =
                decoded.numbers().iter().all(|(series, numbers)| is_known(series, numbers));
            // One print does not show whether it is a total.
            let intervals = decoded.frames.iter().map(|frame| (frame.start, frame.end));
            let is_one_print = intervals.collect::<BTreeSet<_>>().len() <= 1;
            let is_said =
                decoded.says_more_than(&whole) || is_one_print || name == "bcc" && looks_whole(cut);
            if !is_right && !is_said {
                silent.push(format!("{} cut at {end}:\n{}", case.name, decoded.text()));
            }
        }
    }
    assert!(silent.is_empty(), "{} silent cuts:\n{}", silent.len(), silent.join("\n"));
}

/// No decoder takes a text that is not its own for one that holds nothing.
#[test]
fn a_text_of_nobody_is_refused_by_every_decoder_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["hello\nworld\n", "To whom it may concern:\n\n- a list\n- of things\n"] {
        for source in SOURCES {
            let about = toml::from_str(
                "tool = ''\ncommand = ''\ndate = ''\nnote = ''\nrecognised = false\n\
                 [expect]\nrecords = 0\nevents = 0\nrejected = 0",
            );
            let (name, input) = (source.meta().name.to_owned(), text.as_bytes().to_vec());
            let case = Case {
                folder: PathBuf::new(),
                name,
                source: *source,
                about: about.unwrap(),
                input,
            };
            let whole = Whole::of(&case, text.as_bytes(), folder.path());
            let is_refused = whole.error.is_some() || whole.counts.2 > 0;
            assert!(is_refused && whole.counts.1 == 0, "{}: {whole:?}", source.meta().name);
        }
    }
}

/// A plain congruential generator: the same garbage on every run.
struct Garbage(u64);

impl Garbage {
    fn new() -> Garbage {
        Garbage(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// Bits to turn over, one at least.
    fn bits(&self) -> u8 {
        u8::try_from((self.0 >> 24) & 0xff).unwrap() | 1
    }
}

/// Where an input is cut. A sample has no byte, all but the last line, all but the last byte, and three places of a
/// seed, for each case of each decoder.
fn cuts(input: &[u8]) -> Vec<usize> {
    let Some(last) = input.len().checked_sub(1) else { return vec![0] };
    let last_line = input[..last].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut numbers = Garbage::new();
    let others: Vec<usize> = if grid::is_exhaustive() {
        (0..input.len()).step_by(97.max(input.len() / 100)).collect()
    } else {
        (0..3).map(|_| numbers.below(input.len())).collect()
    };
    [0, last_line, last].into_iter().chain(others).collect()
}

/// Looks at each case, four at a time: one after the other they take minutes where much else runs.
fn with_each(cases: &[Case], look: impl Fn(usize, &Case) + Sync) {
    const AT_ONCE: usize = 4;
    std::thread::scope(|scope| {
        for first in 0..AT_ONCE {
            let (look, numbered) = (&look, cases.iter().enumerate().skip(first).step_by(AT_ONCE));
            scope.spawn(move || numbered.for_each(|(number, case)| look(number, case)));
        }
    });
}

#[test]
fn inputs_cut_anywhere_are_decoded_without_panic() {
    with_each(&cases(), |_, case| {
        let context = case.context();
        for end in cuts(&case.input) {
            let cut = &case.input[..end];
            let _ = recognise(cut);
            let decoded = Decoded::of(case.source, cut, &context);
            let bounds = decoded.tally.rejections.iter().all(|r| r.place.byte <= end as u64);
            assert!(bounds, "{}: a rejection beyond byte {end}", case.name);
        }
    });
}

#[test]
fn garbled_inputs_are_decoded_without_panic() {
    let mut cases = cases();
    cases.retain(|case| !case.input.is_empty());
    with_each(&cases, |number, case| {
        let context = case.context();
        let mut numbers = Garbage::new();
        // A sample garbles each case three times; each decoder reads one garbling of every second case of the others.
        for round in 0..grid::cases(30, 3) {
            let mut garbled = case.input.clone();
            for _ in 0..16 {
                let at = numbers.below(garbled.len());
                garbled[at] ^= numbers.bits();
            }
            let _ = recognise(&garbled);
            // Its own decoder reads each garbling, any other every sixth: they differ little to it.
            let others = SOURCES.iter().skip((3 * number + round) % 6).step_by(6);
            for source in others.chain([&case.source]) {
                let _ = Decoded::of(*source, &garbled, &context);
            }
        }
    });
}

#[test]
fn sources_are_described_and_named_once() {
    let names: Vec<_> = SOURCES.iter().map(|source| source.meta().name).collect();
    for source in SOURCES {
        let meta = source.meta();
        assert_eq!(names.iter().filter(|name| **name == meta.name).count(), 1, "{}", meta.name);
        let texts = [meta.about, meta.command, meta.overhead, meta.loses, meta.example];
        for text in texts.iter().chain(&[meta.address, meta.interpretation]) {
            assert!(!text.trim().is_empty(), "{} leaves something unsaid", meta.name);
        }
    }
}
