//! Reading an input of any kind.

use std::io::Read;

use crate::account::Account;
use crate::bpftrace::BpftraceReader;
use crate::capture::Capture;
use crate::counts::Counts;
use crate::error::ReadError;
use crate::folded::FoldedReader;
use crate::format::Format;
use crate::lines::Lines;
use crate::options::ReadOptions;
use crate::perf::PerfReader;
use crate::recognise::{recognise, with_fractions};

/// Reads an input to its end. Memory grows with the number of different stacks, not with the input,
/// and no further than the options allow: what is beyond is added up as `(other)`. Samples with their times have to
/// fit.
pub fn read(input: &mut dyn Read, options: &ReadOptions) -> Result<Capture, ReadError> {
    let mut lines = Lines::new(input);
    let head = lines.head()?;
    if head.trim_ascii().is_empty() {
        return Err(ReadError::Empty);
    }
    let Some(format) = recognise(head) else {
        if head.contains(&0) {
            return Err(ReadError::Binary);
        }
        if let Some(line) = with_fractions(head) {
            return Err(ReadError::Fractions(line));
        }
        let first = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let first = String::from_utf8_lossy(first.unwrap_or_default());
        return Err(ReadError::Unrecognised(first.trim().chars().take(60).collect()));
    };
    let account = Account::default();
    let mut capture = match format {
        Format::PerfScript => {
            let mut reader = PerfReader::new(options);
            let account = each_line(lines, account, |line, account| reader.line(line, account))?;
            reader.finish(account)?
        }
        Format::Bpftrace => {
            let mut reader = BpftraceReader::new(options);
            let account = each_line(lines, account, |line, account| reader.line(line, account))?;
            reader.finish(account)?
        }
        Format::Folded | Format::SqlTrace if options.event.is_some() => {
            return Err(ReadError::NoEvents(format.name()));
        }
        Format::Folded | Format::SqlTrace => {
            let mut reader = FoldedReader::new(options);
            let account = each_line(lines, account, |line, account| reader.line(line, account))?;
            reader.finish(account)
        }
    };
    if capture.counts == Counts::Unknown {
        capture.counts = options.counts.unwrap_or(Counts::Unknown);
    }
    checked(capture, options)
}

fn checked(capture: Capture, options: &ReadOptions) -> Result<Capture, ReadError> {
    let name = capture.format.name();
    let needs_times = options.part.is_limited() || options.keeps_times;
    if needs_times && capture.times.is_none() && capture.account.outside == 0 {
        return Err(ReadError::NoTimes(name));
    }
    if capture.stacks.is_too_large() {
        return Err(ReadError::TooLarge(name));
    }
    if capture.stacks.total() == 0 {
        let outside = capture.account.outside;
        let why = match capture.account.rejections.first() {
            Some(first) => format!("; {first}"),
            None if outside > 0 => {
                format!(": {} outside of --from and --to", Counts::OnCpuSamples.amount(outside))
            }
            None => String::new(),
        };
        return Err(ReadError::Nothing(name, why));
    }
    if capture.format != Format::Folded && capture.stacks.total() == capture.account.without_frames
    {
        let why = match capture.format {
            Format::PerfScript => {
                "; samples are there, but none has a frame: record them with perf record -g"
            }
            _ => "; its entries are there, but every stack in them is empty",
        };
        return Err(ReadError::Nothing(name, why.to_owned()));
    }
    Ok(capture)
}

fn each_line(
    mut lines: Lines<'_>,
    mut account: Account,
    mut take: impl FnMut(&[u8], &mut Account),
) -> Result<Account, ReadError> {
    while let Some(line) = lines.next()? {
        account.lines += 1;
        take(line, &mut account);
    }
    account.bytes = lines.bytes;
    Ok(account)
}
