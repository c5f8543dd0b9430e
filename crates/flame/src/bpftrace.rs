//! Maps of stacks as bpftrace prints them: `@[kstack, ustack, comm]: count`, each stack a frame a
//! line, the innermost first.

use std::collections::HashSet;
use std::hash::Hasher as _;

use ahash::AHasher;
use isotherm_frame::Unit;

use crate::account::Account;
use crate::capture::Capture;
use crate::counts::Counts;
use crate::error::ReadError;
use crate::format::Format;
use crate::frame_name::{KERNEL, frame_line, without_offset};
use crate::names::NameId;
use crate::options::ReadOptions;
use crate::perf_time::number;
use crate::stacks::Stacks;

/// Reads maps line by line.
pub(crate) struct BpftraceReader {
    stacks: Stacks,
    /// The map asked for.
    wanted: Option<String>,
    /// The map that is shown: the one asked for, or the first with stacks.
    map: Option<Vec<u8>>,
    entry: Option<Entry>,
    /// The last map with an entry, and what its values are worth in nanoseconds.
    unit: Option<(Vec<u8>, Option<u64>)>,
    /// The entries of the map that is shown, as they were printed but for their values.
    seen: HashSet<u64>,
}

/// An entry whose end has not come yet.
struct Entry {
    map: Vec<u8>,
    parts: Vec<Part>,
    /// What was printed of it so far.
    printed: AHasher,
}

/// A part of an entry's key.
enum Part {
    /// A number or a text, such as the program.
    Label(Vec<u8>),
    /// A stack, the innermost frame first.
    Stack(Vec<Vec<u8>>),
}

/// The most lines of a stack that are held until it ends.
const MOST_LINES: usize = 1 << 16;

/// What the outermost frames of the operating system's kernel begin with.
const KERNEL_ENTRIES: [&[u8]; 14] = [
    b"entry_",
    b"asm_",
    b"ret_from_fork",
    b"secondary_startup",
    b"start_secondary",
    b"x86_64_start",
    b"0xffff",
    b"el0",
    b"el1",
    b"common_startup",
    b"start_kernel",
    b"rest_init",
    b"kthread",
    b"do_syscall",
];

impl BpftraceReader {
    pub fn new(options: &ReadOptions) -> BpftraceReader {
        let wanted = options.event.clone();
        let map = wanted.as_ref().map(|name| name.as_bytes().to_vec());
        BpftraceReader {
            stacks: options.stacks(),
            wanted,
            map,
            entry: None,
            unit: None,
            seen: HashSet::new(),
        }
    }

    /// Takes a line.
    pub fn line(&mut self, line: &[u8], account: &mut Account) {
        let is_frame = line.starts_with(b"    ") || line.starts_with(b"\t");
        if line.starts_with(b"@") && !is_frame {
            return self.begin(line, account);
        }
        let Some(mut entry) = self.entry.take() else {
            account.lost += lost(line).unwrap_or(0);
            account.ignored_lines += 1;
            return;
        };
        if is_frame {
            entry.printed.write(line);
            match entry.parts.last_mut() {
                // The frames of no stack: what is beyond is not kept.
                Some(Part::Stack(frames)) if frames.len() >= MOST_LINES => {}
                Some(Part::Stack(frames)) => frames.push(frame_name(line)),
                _ => return account.reject("a frame outside of a stack", line),
            }
            self.entry = Some(entry);
        } else if line.trim_ascii().is_empty() {
            self.entry = Some(entry);
        } else {
            self.key(entry, line, true, account);
        }
    }

    /// Ends the input.
    pub fn finish(self, mut account: Account) -> Result<Capture, ReadError> {
        if self.entry.is_some() {
            account.reject("the input ends within an entry", b"");
        }
        let known = &account.other_events;
        if let Some(wanted) = self.wanted.filter(|_| self.stacks.is_empty() && !known.is_empty()) {
            return Err(ReadError::NoSuchEvent { wanted, known: account.other_events });
        }
        let counts = self.map.as_deref().map_or(Counts::Unknown, |map| counts_in(unit_ns(map)));
        Ok(Capture {
            format: Format::Bpftrace,
            stacks: self.stacks,
            account,
            counts,
            event: self.map.map(|name| String::from_utf8_lossy(&name).into_owned()),
            rate_hz: None,
            times: None,
            samples: Vec::new(),
        })
    }

    /// A line with the name of a map.
    fn begin(&mut self, line: &[u8], account: &mut Account) {
        if self.entry.take().is_some() {
            account.reject("the entry before has no end", line);
        }
        let Some(open) = memchr::memchr(b'[', line) else {
            account.ignored_lines += 1;
            return;
        };
        let entry =
            Entry { map: line[..open].to_vec(), parts: Vec::new(), printed: AHasher::default() };
        self.key(entry, &line[open + 1..], false, account);
    }

    /// A line with parts of a key, which may end it. On a line that goes on the first part is the end
    /// of a stack.
    fn key(&mut self, mut entry: Entry, line: &[u8], goes_on: bool, account: &mut Account) {
        let (body, value) = match memchr::memmem::rfind(line, b"]: ") {
            Some(close) => (&line[..close], Some(&line[close + 3..])),
            None => (line, None),
        };
        entry.printed.write(body);
        let body = if body == b"," { b", " } else { body };
        for piece in pieces(body).skip(usize::from(goes_on)) {
            entry.parts.push(match piece {
                b"" => Part::Stack(Vec::new()),
                label => Part::Label(label.to_vec()),
            });
        }
        match value {
            None => self.entry = Some(entry),
            Some(value) => match number(value.trim_ascii()) {
                Some(count) => self.count(&entry, (line, count), account),
                None => account.reject("no number at the end of an entry", line),
            },
        }
    }

    /// What a map's values are worth: its name is read once, not at each of its entries.
    fn unit_ns(&mut self, map: &[u8]) -> Option<u64> {
        match &self.unit {
            Some((known, unit)) if known == map => *unit,
            _ => self.unit.insert((map.to_vec(), unit_ns(map))).1,
        }
    }

    /// Counts an entry that is complete.
    fn count(&mut self, entry: &Entry, (line, count): (&[u8], u64), account: &mut Account) {
        let has_stack = entry.parts.iter().any(|part| matches!(part, Part::Stack(_)));
        if !has_stack {
            // A map of something else, such as the times at which threads stopped.
            account.ignored_lines += 1;
            return;
        }
        let unit_ns = self.unit_ns(&entry.map);
        let Some(count) = count.checked_mul(unit_ns.unwrap_or(1)) else {
            return account.reject("as nanoseconds it is beyond 64 bits", line);
        };
        account.records += 1;
        if self.map.as_ref().is_some_and(|map| *map != entry.map) {
            let name = String::from_utf8_lossy(&entry.map);
            return account.other_event(&name, count, counts_in(unit_ns));
        }
        if count == 0 {
            return;
        }
        self.map.get_or_insert_with(|| entry.map.clone());
        if self.is_repeated(entry.printed.finish()) {
            account.repeated += 1;
        }
        if !entry.parts.iter().any(|part| matches!(part, Part::Stack(frames) if !frames.is_empty()))
        {
            account.without_frames = account.without_frames.saturating_add(count);
        }
        let frames = self.frames(entry);
        self.stacks.add(&frames, count);
    }

    /// Whether an entry was printed before, as far as there is room to remember it.
    fn is_repeated(&mut self, printed: u64) -> bool {
        /// What one of them takes in a table that grows.
        const BYTES: usize = 32;
        if self.seen.contains(&printed) {
            return true;
        }
        if self.stacks.take_memory(BYTES) {
            self.seen.insert(printed);
        }
        false
    }

    /// The frames of an entry, the outermost first: labels, the program's stack, the kernel's.
    fn frames(&mut self, entry: &Entry) -> Vec<NameId> {
        let labels: Vec<&Vec<u8>> = labels(entry).collect();
        let mut frames: Vec<NameId> =
            labels.into_iter().map(|label| self.stacks.name_id(label)).collect();
        let stacks: Vec<&Vec<Vec<u8>>> = entry
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Stack(frames) => Some(frames),
                Part::Label(_) => None,
            })
            .collect();
        let kernel = kernel_stack(&stacks);
        let of_program = (0..stacks.len()).filter(|at| Some(*at) != kernel);
        for at in of_program.chain(kernel) {
            for frame in stacks[at].iter().rev() {
                let mut name = frame.clone();
                if Some(at) == kernel {
                    name.extend_from_slice(KERNEL.as_bytes());
                }
                frames.push(self.stacks.name_id(&name));
            }
        }
        if frames.is_empty() {
            frames.push(self.stacks.name_id(b"[no stack]"));
        }
        frames
    }
}

/// Which stack is the kernel's: the one that begins where the kernel is entered; of two without
/// such a beginning the first, as in `@[kstack, ustack]`.
fn kernel_stack(stacks: &[&Vec<Vec<u8>>]) -> Option<usize> {
    let enters = |frames: &&Vec<Vec<u8>>| {
        let outermost = frames.last();
        outermost.is_some_and(|name| KERNEL_ENTRIES.iter().any(|head| name.starts_with(head)))
    };
    let found = stacks.iter().position(enters);
    found.or_else(|| (stacks.len() > 1).then_some(0))
}

fn labels(entry: &Entry) -> impl Iterator<Item = &Vec<u8>> {
    entry.parts.iter().filter_map(|part| match part {
        Part::Label(label) => Some(label),
        Part::Stack(_) => None,
    })
}

/// The parts of a key between `, `.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memmem::find(text, b", ");
        rest = end.map(|at| &text[at + 2..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

/// What a frame is called: addresses without a name are all alike.
fn frame_name(line: &[u8]) -> Vec<u8> {
    if let Some(frame) = frame_line(line) {
        let mut name = Vec::new();
        frame.put_name(&mut name);
        return name.strip_suffix(KERNEL.as_bytes()).map_or(name.clone(), <[u8]>::to_vec);
    }
    let text = line.trim_ascii();
    if text.starts_with(b"0xffff") {
        return b"0xffff".to_vec();
    }
    if text.starts_with(b"0x") { b"[unknown]".to_vec() } else { without_offset(text).to_vec() }
}

/// What a map's values are worth in nanoseconds, where its name says that they are times.
fn unit_ns(map: &[u8]) -> Option<u64> {
    Unit::of_name(&String::from_utf8_lossy(map)).map(|unit| unit.as_nanos().as_nanos())
}

/// What values are of that are worth so many nanoseconds.
fn counts_in(unit_ns: Option<u64>) -> Counts {
    if unit_ns.is_some() { Counts::Nanoseconds } else { Counts::Unknown }
}

/// How many events bpftrace says that it lost.
fn lost(line: &[u8]) -> Option<u64> {
    let words = line.strip_prefix(b"Lost ")?.strip_suffix(b" events")?;
    number(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::OtherEvent;
    use crate::folded::write_folded;
    use crate::read::read;

    fn folded(text: &str) -> (String, Capture) {
        let capture = read(&mut text.as_bytes(), &ReadOptions::default()).unwrap();
        let mut folded = Vec::new();
        write_folded(&capture.stacks, &mut folded).unwrap();
        (String::from_utf8(folded).unwrap(), capture)
    }

    #[test]
    fn both_stacks_and_the_program_are_one_stack() {
        let text = "Attaching 2 probes...\nLost 7 events\n\n@[\n    vfs_read+12\n    entry_SYSCALL_64_after_hwframe+99\n, \n    \
            __read+5\n    main+1\n, cat]: 3\n@[, \n    0x55dbd9343500\n    main+9\n, my, prog]: 4\n@[, , idle]: 1\n";
        let (lines, capture) = folded(text);
        let expected = "cat;main;__read;entry_SYSCALL_64_after_hwframe_[k];vfs_read_[k] 3\nidle 1\nmy;prog;main;[unknown] 4\n";
        assert_eq!(lines, expected);
        assert_eq!((capture.account.lost, capture.account.rejected), (7, 0));
        assert_eq!((capture.account.records, capture.account.without_frames), (3, 1));
        let (_, empty) =
            folded("@[\n    f+1\n    main+2\n]: 1\n@[, a]: 5\n@[\n\n, b]: 9\n@[]: 0\n");
        assert_eq!((empty.account.without_frames, empty.stacks.total()), (14, 15));
    }

    #[test]
    fn one_stack_is_the_kernels_where_it_enters_the_kernel() {
        let (text, _) = folded(
            "@[\n    do_idle+1\n    secondary_startup_64+2\n]: 9\n@[\n    f+1\n    main+2\n]: 1\n",
        );
        assert_eq!(text, "main;f 1\nsecondary_startup_64_[k];do_idle_[k] 9\n");
    }

    #[test]
    fn other_maps_are_not_added_and_damage_is_counted() {
        let text = "@off_us[\n    f+1\n    main+2\n, p]: 2\n@start[123]: 99999\n@other[\n    g+1\n]: 5\n@off_us[\n    h\n]: many\n@off_us[\n    x\n";
        let (folded, capture) = folded(text);
        assert_eq!(folded, "p;main;f 2000\n");
        assert_eq!(capture.counts, Counts::Nanoseconds);
        let other = OtherEvent { name: "@other".to_owned(), count: 5, counts: Counts::Unknown };
        assert_eq!(capture.account.other_events, [other]);
        assert_eq!(capture.account.rejected, 2);
    }

    #[test]
    fn the_map_asked_for_is_drawn_and_the_rest_is_counted() {
        let text = "@a[\n    foo+1\n]: 2\n@b[\n    bar+1\n]: 40\n@a[\n    foo+1\n]: 7\n@start[123]: 55555\n";
        let with = |event: &str| {
            let options = ReadOptions { event: Some(event.to_owned()), ..ReadOptions::default() };
            read(&mut text.as_bytes(), &options)
        };
        for (event, drawn, left_out) in [("@a", 9, 40), ("@b", 40, 9)] {
            let capture = with(event).unwrap();
            let others: u64 = capture.account.other_events.iter().map(|other| other.count).sum();
            assert_eq!((capture.stacks.total(), others), (drawn, left_out), "{event}");
        }
        let said = with("@c").unwrap_err().to_string();
        assert_eq!(said, "there is no '@c'. There is: @a (9 counts), @b (40 counts)");
    }

    #[test]
    fn a_map_printed_twice_is_added_up_and_counted_and_one_of_zeros_is_not_chosen() {
        // Two places of one function are two entries of one print.
        let print = "@z[\n    idle+1\n]: 0\n@s[\n    f+1\n]: 3\n@s[\n    f+2\n]: 4\n\n";
        let (once, capture) = folded(print);
        assert_eq!((once.as_str(), capture.account.repeated), ("f 7\n", 0));
        let (twice, capture) = folded(&print.repeat(2));
        assert_eq!((twice.as_str(), capture.account.repeated), ("f 14\n", 2));
    }

    #[test]
    fn times_beyond_64_bits_are_rejected() {
        let (text, capture) =
            folded("@off_ms[\n    f+1\n]: 18446744073710\n@off_ms[\n    g+1\n]: 1\n");
        assert_eq!((text.as_str(), capture.account.rejected), ("g 1000000\n", 1));
    }
}
