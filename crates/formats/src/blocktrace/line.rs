//! One line of a block trace, whoever printed it.

use isotherm_frame::{Nanos, Unit};

use crate::number;

/// What happened to a request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// It was made.
    Queued,
    /// It was handed to the device.
    Issued,
    /// The device has done it.
    Completed,
    /// Something that neither begins nor ends a latency.
    Other,
}

/// A line taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Step<'l> {
    pub(super) at: Nanos,
    pub(super) what: What,
    /// `254,0`
    pub(super) device: &'l [u8],
    /// `RS`, `FWS` and so on.
    pub(super) flags: &'l [u8],
    /// Where it begins and how many sectors it has; none of a flush.
    pub(super) sectors: Option<(u64, u64)>,
}

/// Takes a line apart; `None` if it is of no block trace.
pub(super) fn step(line: &[u8]) -> Option<Step<'_>> {
    match memchr::memmem::find(line, b"block_") {
        Some(start) => tracepoint(line, start),
        None => blkparse(line),
    }
}

/// `COMM PID [CPU] SECONDS: [block:]block_rq_issue: DEVICE FLAGS ... SECTOR + COUNT ...`
fn tracepoint(line: &[u8], start: usize) -> Option<Step<'_>> {
    let (before, event) = line.split_at(start);
    let colon = memchr::memchr(b':', event)?;
    let (name, rest) = (&event[..colon], &event[colon + 1..]);
    if !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        // perf script prints the group first.
        return None;
    }
    let what = match name {
        b"block_bio_queue" => What::Queued,
        b"block_rq_issue" => What::Issued,
        b"block_rq_complete" => What::Completed,
        _ => What::Other,
    };
    let before = before.strip_suffix(b"block:").unwrap_or(before).trim_ascii_end();
    let at = seconds(last_word(before.strip_suffix(b":")?))?;
    let mut words = words(rest);
    let (device, flags) = (words.next().filter(|word| is_device(word))?, words.next()?);
    Some(Step { at, what, device, flags, sectors: sectors(rest) })
}

/// `DEVICE CPU [SEQUENCE] SECONDS PID ACTION FLAGS [SECTOR + COUNT] [COMM]`, or as the kernel prints
/// it: `COMM-PID [CPU] ... SECONDS: DEVICE ACTION FLAGS [SECTOR + COUNT] [COMM]`.
fn blkparse(line: &[u8]) -> Option<Step<'_>> {
    /// Words that may stand before the device or between it and the action.
    const MOST: usize = 8;
    let mut rest = line;
    let (mut device, mut at) = (None, None);
    for _ in 0..2 * MOST {
        let (word, after) = next_word(rest)?;
        rest = after;
        match device {
            None if is_device(word) => device = Some(word),
            None => at = seconds(word.strip_suffix(b":").unwrap_or(word)).or(at),
            Some(device) => {
                if let Some(what) = action(word) {
                    let (flags, after) = next_word(rest)?;
                    return Some(Step { at: at?, what, device, flags, sectors: sectors(after) });
                }
                if word.contains(&b'.') {
                    at = seconds(word);
                }
            }
        }
    }
    None
}

fn action(word: &[u8]) -> Option<What> {
    match word {
        b"Q" => Some(What::Queued),
        b"D" => Some(What::Issued),
        b"C" => Some(What::Completed),
        b"G" | b"P" | b"U" | b"UT" | b"X" | b"R" | b"M" | b"F" | b"I" | b"A" | b"S" | b"B" | b"T" => {
            Some(What::Other)
        }
        _ => None,
    }
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b' ').filter(|word| !word.is_empty())
}

fn next_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn last_word(text: &[u8]) -> &[u8] {
    memchr::memrchr(b' ', text).map_or(text, |at| &text[at + 1..])
}

/// `254,0`
pub(super) fn is_device(word: &[u8]) -> bool {
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    memchr::memchr(b',', word).is_some_and(|at| digits(&word[..at]) && digits(&word[at + 1..]))
}

/// Seconds with a fraction; nothing else.
fn seconds(word: &[u8]) -> Option<Nanos> {
    let ns = number::plain_nanos(word, Unit::Seconds);
    ns.filter(|_| word.contains(&b'.')).map(Nanos::new)
}

/// `49611232 + 8`, or of a format of the user's own (`%S %n %N`) sector, sectors and their bytes.
fn sectors(text: &[u8]) -> Option<(u64, u64)> {
    const SECTOR: u64 = 512;
    let Some(plus) = memchr::memmem::find(text, b" + ") else {
        let mut numbers = words(text).map(|word| number::whole(word).ok());
        let (sector, count, bytes) = (numbers.next()??, numbers.next()??, numbers.next()??);
        return (count.checked_mul(SECTOR) == Some(bytes)).then_some((sector, count));
    };
    let (before, after) = (last_word(text[..plus].trim_ascii_end()), &text[plus + 3..]);
    let (count, _) = next_word(after)?;
    number::whole(before).ok().zip(number::whole(count).ok())
}

/// What a request does, from its flags: an `F` before another letter is a flush on the way.
pub(super) fn operation(flags: &[u8]) -> &'static [u8] {
    const OPERATIONS: [(u8, &[u8]); 3] = [(b'R', b"read"), (b'W', b"write"), (b'D', b"discard")];
    let first = flags.first().copied().unwrap_or_default();
    let main = if first == b'F' { flags.get(1).copied().unwrap_or(first) } else { first };
    let known = OPERATIONS.iter().find(|(letter, _)| *letter == main);
    known.map_or(if first == b'F' { b"flush" } else { b"other" }, |(_, name)| name)
}

/// A device as one number.
pub(super) fn device_number(device: &[u8]) -> u64 {
    let digit = |sum: u64, byte: &u8| {
        sum.wrapping_mul(10).wrapping_add(u64::from(byte.wrapping_sub(b'0')))
    };
    let mut parts = device.split(|byte| *byte == b',').map(|part| part.iter().fold(0, digit));
    let (major, minor) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    major << 32 | minor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_prints_the_same_request() {
        let lines = [
            "  kworker/0:1H-kb    44 [000]  2454.779635821:    block:block_rq_issue: 254,0 RS 4096 () 49611232 + 8 0x2,0,6 [kworker/0:1H]",
            " 2454.779635821:    block:block_rq_issue: 254,0 RS 4096 () 49611232 + 8 [fio]",
            "    build-script-bu-25368 [001] .....  2454.779635821: block_rq_issue: 254,0 RS 8192 () 49611232 + 8 be,0,4 [fio]",
            " 254,0    1       17  2454.779635821 28250  D  RS 49611232 + 8 [fio]",
            " 254,0    1  2454.779635821 28250  D  RS 49611232 + 8 (    1020) [fio]",
            "             fio-28250   [000] d..1.  2454.779635821:   254,0    D  RS 49611232 + 8 [fio]",
            " 2454.779635821 254,0    1 D RS 49611232 8 4096 {fio}",
        ];
        for line in lines {
            let expected = Step {
                at: Nanos::new(2_454_779_635_821),
                what: What::Issued,
                device: b"254,0",
                flags: b"RS",
                sectors: Some((49_611_232, 8)),
            };
            assert_eq!(step(line.as_bytes()), Some(expected), "{line}");
        }
    }

    #[test]
    fn what_has_no_length_has_no_sectors() {
        let of = |line: &str| step(line.as_bytes()).map(|step| (step.what, step.sectors));
        assert_eq!(of("  7,0    1        0     1.403621697    22  C  FN 0 [0]"), Some((What::Completed, None)));
        assert_eq!(of("  7,0    0        0     1.403420958 28253  U   N [(null)] 1"), Some((What::Other, None)));
        for line in ["", "CPU0 (7,0):", " Reads Queued:         840,    76824KiB", "a b c", "1,2 3"] {
            assert_eq!(of(line), None, "{line}");
        }
        for (flags, name) in [("RA", "read"), ("FWS", "write"), ("FF", "flush"), ("DS", "discard"), ("N", "other")] {
            assert_eq!(operation(flags.as_bytes()), name.as_bytes(), "{flags}");
        }
    }
}
