//! Samples as `perf script` prints them: a line for each, then its stack, the innermost frame first,
//! then an empty line.

use crate::account::Account;
use crate::capture::{Capture, Times};
use crate::counts::Counts;
use crate::error::ReadError;
use crate::format::Format;
use crate::frame_name::frame_line;
use crate::names::NameId;
use crate::options::ReadOptions;
use crate::perf_event::{Choice, counts_of};
use crate::perf_header::{SampleHeader, rate_in, sample_header, without_modifiers};
use crate::stacks::{StackId, Stacks};

/// The most lines of a stack that are held until it ends.
const MOST_LINES: usize = 1 << 16;

/// Reads samples line by line.
pub(crate) struct PerfReader<'o> {
    options: &'o ReadOptions,
    stacks: Stacks,
    samples: Vec<(u64, StackId)>,
    /// How many samples there is no memory for.
    samples_beyond: u64,
    choice: Choice,
    rates: Vec<(String, f64)>,
    period: Period,
    /// When the first sample of the event was taken: what times count from.
    origin_ns: Option<u64>,
    times: Option<Times>,
    sample: State,
    /// The frames of the sample at hand, the innermost first.
    frames: Vec<NameId>,
    name: Vec<u8>,
}

/// What the lines at hand belong to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    /// No sample.
    Between,
    /// A sample that counts.
    Counted { program: NameId, at_ns: Option<u64>, weight: u64 },
    /// One that does not.
    PassedOver,
}

/// How much passes between two samples, as far as it is the same for all.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Period {
    Unseen,
    Always(u64),
    Varies,
}

impl<'o> PerfReader<'o> {
    pub fn new(options: &'o ReadOptions) -> PerfReader<'o> {
        PerfReader {
            options,
            stacks: options.stacks(),
            samples: Vec::new(),
            samples_beyond: 0,
            choice: Choice::of(options.event.clone()),
            rates: Vec::new(),
            period: Period::Unseen,
            origin_ns: None,
            times: None,
            sample: State::Between,
            frames: Vec::new(),
            name: Vec::new(),
        }
    }

    /// Takes a line.
    pub fn line(&mut self, line: &[u8], account: &mut Account) {
        if line.is_empty() {
            return self.end_sample(account);
        }
        // Texts that were pasted have lost the blanks before their frames.
        let is_indented = line[0] == b'\t' || line[0] == b' ';
        if (is_indented || sample_header(line).is_none())
            && self.sample != State::Between
            && self.frame(line)
        {
            return;
        }
        if line[0] == b'#' {
            self.rates.extend(rate_in(line));
            account.ignored_lines += 1;
            return;
        }
        let Some(header) = sample_header(line) else {
            return self.strange(line, account);
        };
        self.end_sample(account);
        self.begin_sample(&header, account);
    }

    /// Ends the input.
    pub fn finish(mut self, mut account: Account) -> Result<Capture, ReadError> {
        self.end_sample(&mut account);
        let event = self.choice.chosen(&account)?;
        if self.samples_beyond > 0 {
            return Err(ReadError::TooManySamples(self.samples.len() as u64));
        }
        let header_hz = self.rates.iter().find(|(name, _)| *name == event).map(|(_, hz)| *hz);
        let rate_hz = match (header_hz, self.period) {
            (Some(hz), _) => Some(hz),
            // The periods of these are nanoseconds.
            (None, Period::Always(ns))
                if ns > 0 && without_modifiers(&event).ends_with("-clock") =>
            {
                Some(1e9 / ns as f64)
            }
            _ => None,
        };
        Ok(Capture {
            format: Format::PerfScript,
            stacks: self.stacks,
            account,
            counts: counts_of(&event),
            event: Some(event),
            rate_hz,
            times: self.times,
            samples: self.samples,
        })
    }

    /// Takes a line of a stack; `false` if it is none.
    fn frame(&mut self, line: &[u8]) -> bool {
        let Some(frame) = frame_line(line) else { return false };
        // A stack without end is none: what is beyond is not kept.
        if self.sample != State::PassedOver && self.frames.len() < MOST_LINES {
            frame.put_name(&mut self.name);
            self.frames.push(self.stacks.name_id(&self.name));
        }
        true
    }

    /// A line that is neither a frame nor the beginning of a sample.
    fn strange(&mut self, line: &[u8], account: &mut Account) {
        let is_source_line = self.sample != State::Between
            && line.starts_with(b"  ")
            && memchr::memchr(b':', line).is_some();
        if is_source_line {
            account.ignored_lines += 1;
        } else {
            let why =
                if self.sample == State::Between { "no sample begins here" } else { "no frame" };
            account.reject(why, line);
        }
    }

    fn begin_sample(&mut self, header: &SampleHeader<'_>, account: &mut Account) {
        account.records += 1;
        self.sample = State::PassedOver;
        let event = String::from_utf8_lossy(header.event);
        if !self.choice.takes(&event) {
            return account.other_event(&event, 1, counts_of(&event));
        }
        if let Some((name, samples)) = self.choice.given_up() {
            account.other_event(&name, samples, counts_of(&name));
            self.start_over(account);
        }
        if let Some(at_ns) = header.at_ns {
            let origin_ns = *self.origin_ns.get_or_insert(at_ns);
            if !self.options.part.contains(at_ns.saturating_sub(origin_ns)) {
                account.outside += 1;
                return;
            }
        }
        self.count_period(header.period);
        let program = self.stacks.name_id(header.program);
        self.sample =
            State::Counted { program, at_ns: header.at_ns, weight: self.weight(&event, header) };
        // Where stacks were not recorded the only frame stands behind the event.
        if let Some(frame) = frame_line(header.rest) {
            frame.put_name(&mut self.name);
            self.frames.push(self.stacks.name_id(&self.name));
            self.end_sample(account);
        }
    }

    /// How many events a sample stands for: its period. Samples of a processor's clock are taken at even
    /// steps of time, so that each counts once, and so does each where a sample can be chosen by its time.
    fn weight(&self, event: &str, header: &SampleHeader<'_>) -> u64 {
        let weighs = counts_of(event) == Counts::Events && !self.options.keeps_times;
        header.period.filter(|_| weighs).unwrap_or(1).max(1)
    }

    /// Forgets the samples of an event that turned out not to be the one asked for.
    fn start_over(&mut self, account: &mut Account) {
        self.stacks = self.options.stacks();
        (self.samples, self.samples_beyond) = (Vec::new(), 0);
        self.period = Period::Unseen;
        (self.origin_ns, self.times) = (None, None);
        (account.outside, account.without_frames) = (0, 0);
    }

    fn count_period(&mut self, period: Option<u64>) {
        self.period = match (self.period, period) {
            (Period::Unseen, Some(period)) => Period::Always(period),
            (Period::Always(known), Some(period)) if known == period => self.period,
            _ => Period::Varies,
        };
    }

    fn end_sample(&mut self, account: &mut Account) {
        let State::Counted { program, at_ns, weight } = self.sample else {
            self.sample = State::Between;
            self.frames.clear();
            return;
        };
        self.sample = State::Between;
        account.without_frames += u64::from(self.frames.is_empty());
        self.frames.push(program);
        self.frames.reverse();
        let stack = self.stacks.add(&self.frames, weight);
        self.frames.clear();
        let Some(at_ns) = at_ns else { return };
        let times = self.times.get_or_insert(Times { first_ns: at_ns, last_ns: at_ns });
        times.first_ns = times.first_ns.min(at_ns);
        times.last_ns = times.last_ns.max(at_ns);
        if self.options.keeps_times {
            let since_first = at_ns.saturating_sub(self.origin_ns.unwrap_or(at_ns));
            // A list that grows takes up to twice as much.
            if self.stacks.take_memory(2 * size_of::<(u64, StackId)>()) {
                self.samples.push((since_first, stack));
            } else {
                self.samples_beyond += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::Part;
    use crate::read::read;

    const CAPTURED: &str = include_str!("../fixtures/perf-script.txt");

    fn captured(text: &str, options: &ReadOptions) -> Capture {
        read(&mut text.as_bytes(), options).unwrap()
    }

    #[test]
    fn one_event_of_several_is_shown_and_the_others_are_counted() {
        let text = "a 1 1.0: 5 cycles:u: \n\t1 f (x)\n\na 1 2.0: page-faults: \n\t1 g (x)\n\n\
                    a 1 3.0: 7 cycles:u: \n\t2 f+0x1 (x)\n\t3 main (x)\n\n";
        let first = captured(text, &ReadOptions::default());
        assert_eq!((first.event.as_deref(), first.stacks.total()), (Some("cycles:u"), 2));
        assert_eq!(
            first.account.other_events.iter().map(|other| &*other.name).collect::<Vec<_>>(),
            ["page-faults"]
        );
        assert_eq!((first.counts, first.rate_hz), (Counts::OnCpuSamples, None));
        let faults =
            ReadOptions { event: Some("page-faults".to_owned()), ..ReadOptions::default() };
        let faults = captured(text, &faults);
        assert_eq!((faults.stacks.total(), faults.counts), (1, Counts::Events));
        let none = ReadOptions { event: Some("none".to_owned()), ..ReadOptions::default() };
        let refused = read(&mut text.as_bytes(), &none).unwrap_err().to_string();
        assert_eq!(
            refused,
            "there is no 'none'. There is: cycles:u (2 samples), page-faults (1 event)"
        );
    }

    /// `perf record -e page-faults -F 99` raises and lowers the period: a sample stands for as many.
    #[test]
    fn a_sample_counts_for_its_period() {
        let text = "a 1 1.0: 1 page-faults: \n\t1 one (x)\n\na 1 2.0: 100 page-faults: \n\t1 many (x)\n\n\
                    a 1 3.0: 1 page-faults: \n\t1 one (x)\n\n";
        let counts = |capture: &Capture| -> Vec<u64> {
            capture.stacks.iter().map(|(_, _, count)| count).collect()
        };
        let weighed = captured(text, &ReadOptions::default());
        assert_eq!((weighed.stacks.total(), weighed.account.records), (102, 3));
        assert_eq!(counts(&weighed), [2, 100]);
        // Samples that can be chosen by their time count once, as do those of a processor's clock.
        let timed = captured(text, &ReadOptions { keeps_times: true, ..ReadOptions::default() });
        assert_eq!((timed.stacks.total(), timed.samples.len()), (3, 3));
        let cycles = captured(&text.replace("page-faults", "cycles"), &ReadOptions::default());
        assert_eq!(cycles.stacks.total(), 3);
    }

    #[test]
    fn modifiers_tell_events_apart() {
        let text = "x 1 5.0: cycles:u: \n\t1 a (/b)\n\nx 1 5.1: cycles:k: \n\t1 k (/b)\n\nx 1 5.2: cycles:u: \n\t1 a (/b)\n\n";
        let of = |text: &str, event: &str| {
            let options = ReadOptions { event: Some(event.to_owned()), ..ReadOptions::default() };
            read(&mut text.as_bytes(), &options)
        };
        for (event, shown, left_out) in [("cycles:u", 2, 1), ("cycles:k", 1, 2)] {
            let capture = of(text, event).unwrap();
            let others: u64 = capture.account.other_events.iter().map(|other| other.count).sum();
            assert_eq!((capture.stacks.total(), others), (shown, left_out), "{event}");
        }
        let said = of(text, "cycles").unwrap_err().to_string();
        let expected = "'cycles' fits several: cycles:u (2 samples), cycles:k (1 sample). Choose one by its whole name";
        assert_eq!(said, expected);
        // Of one alone the name does without; the whole name counts before others.
        let one = of(&text.replace(":k:", ":u:"), "cycles").unwrap();
        assert_eq!((one.event.as_deref(), one.stacks.total()), (Some("cycles:u"), 3));
        let whole = of(&text.replace(":k:", ":"), "cycles").unwrap();
        assert_eq!((whole.event.as_deref(), whole.stacks.total()), (Some("cycles"), 1));
        assert_eq!(whole.account.other_events[0].count, 2);
    }

    #[test]
    fn a_sample_may_have_its_only_frame_on_its_line_or_none() {
        let text =
            "a 1 1.0: 5 cycles:  ffff81 read+0x1 ([kernel.kallsyms])\nb 2 1.1: 5 cycles: \n\n";
        let capture = captured(text, &ReadOptions::default());
        let stacks: Vec<usize> = capture.stacks.iter().map(|(_, frames, _)| frames.len()).collect();
        assert_eq!((stacks, capture.account.without_frames), (vec![2, 1], 1));
    }

    proptest! {
        /// Whatever is cut out of a capture: each sample that begins is shown, or counted elsewhere.
        #[test]
        fn no_sample_is_lost(kept in prop::collection::vec(any::<bool>(), 400), to_ms in 1..700_u64) {
            let lines = CAPTURED.lines().zip(kept).filter(|(_, kept)| *kept);
            let text: String = lines.flat_map(|(line, _)| [line, "\n"]).collect();
            let part = Part { from_ns: 0, to_ns: Some(to_ms * 1_000_000) };
            let options = ReadOptions { part, keeps_times: true, ..ReadOptions::default() };
            let Ok(capture) = read(&mut text.as_bytes(), &options) else { return Ok(()) };
            let begun = text.lines().filter(|line| !line.is_empty() && !line.starts_with('\t'));
            prop_assert_eq!(capture.account.records, begun.count() as u64);
            let total = capture.stacks.total();
            prop_assert_eq!(total + capture.account.outside, capture.account.records);
            prop_assert_eq!(capture.samples.len() as u64, total);
        }
    }
}
