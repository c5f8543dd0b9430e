//! A trace read by several threads, each its own part.

use std::io::{self, Read};

use memchr::{memchr_iter, memmem};

use super::keyword::{SEPARATOR, begins_record};
use super::scan::{Room, Scanner, drive};
use super::{Account, Visitor};

/// Bytes that several threads can read at once, each at its own place.
pub trait ReadAt: Sync {
    /// How many bytes there are now.
    fn size(&self) -> io::Result<u64>;

    /// Reads what stands at `offset` and says how many bytes that was; 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

#[cfg(unix)]
impl ReadAt for std::fs::File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }
}

impl ReadAt for [u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        rest.unwrap_or_default().read(buffer)
    }
}

impl<S: ReadAt + ?Sized> ReadAt for &S {
    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }
}

/// A stretch of the bytes.
struct Part<'a, S: ?Sized> {
    bytes: &'a S,
    at: u64,
    end: u64,
}

impl<S: ReadAt + ?Sized> Read for Part<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let read = self.bytes.read_at(buffer.get_mut(..wanted).unwrap_or_default(), self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// What was read of a part.
struct Done<V> {
    visitor: V,
    account: Account,
    /// Where reading has to go on: the end of the part, unless something goes beyond it; `None` if
    /// it ends inside something too long to be held, so that nothing fits.
    next: Option<u64>,
}

/// Parts smaller than this are not worth a thread.
const LEAST: u64 = 1 << 20;

/// Reads a trace with up to `threads` threads and gives one visitor for each part, in order.
///
/// Each part but the first begins where a record seems to. Whether one does is known when the part
/// before it has been read: if it ends elsewhere, what comes after is read again from there. The
/// lines that a visitor is reported of damage count from the beginning of its part; those in the
/// account from the beginning of the trace.
pub fn scan<S, V>(
    bytes: &S,
    threads: usize,
    visitor: impl Fn() -> V + Sync,
) -> Result<(Vec<V>, Account), io::Error>
where
    S: ReadAt + ?Sized,
    V: Visitor + Send,
{
    let size = bytes.size()?;
    let starts = starts(bytes, size, threads)?;
    let ends = starts.iter().skip(1).copied().chain([size]);
    let parts: Vec<(u64, u64)> = starts.iter().copied().zip(ends).collect();
    let read = |&(start, end): &(u64, u64)| part(bytes, start..end, end == size, visitor());
    let (read, visitor) = (&read, &visitor);
    let done: Vec<io::Result<Done<V>>> = std::thread::scope(|scope| {
        let rest = parts.iter().skip(1).map(|part| scope.spawn(move || read(part)));
        let rest: Vec<_> = rest.collect();
        let first = parts.first().map(read);
        let panicked = || Err(io::Error::other("a thread that read the trace failed"));
        let rest = rest.into_iter().map(|part| part.join().unwrap_or_else(|_| panicked()));
        first.into_iter().chain(rest).collect()
    });
    let (mut visitors, mut account, mut at) = (Vec::new(), Account::default(), 0);
    for (&(start, _), done) in parts.iter().zip(done) {
        let fits = start == at && done.as_ref().is_ok_and(|done| done.next.is_some());
        if !fits {
            let rest = part(bytes, at..size, true, visitor())?;
            account.add(&rest.account);
            visitors.push(rest.visitor);
            break;
        }
        let done = done?;
        at = done.next.unwrap_or(size);
        account.add(&done.account);
        visitors.push(done.visitor);
    }
    Ok((visitors, account))
}

fn part<S: ReadAt + ?Sized, V: Visitor>(
    bytes: &S,
    stretch: std::ops::Range<u64>,
    last: bool,
    mut visitor: V,
) -> io::Result<Done<V>> {
    let mut account = Account { bytes: stretch.start, ..Account::default() };
    let mut part = Part { bytes, at: stretch.start, end: stretch.end };
    let mut scanner = Scanner::new(&mut visitor, &mut account);
    drive(&mut part, &mut scanner, if last { Room::End } else { Room::More }, u64::MAX)?;
    // Inside something too long to be held nothing fits: part and rest are read by one thread.
    let within = scanner.is_within();
    let next = (last || !within).then_some(account.bytes);
    account.bytes -= stretch.start;
    Ok(Done { visitor, account, next })
}

/// Where parts begin.
fn starts<S: ReadAt + ?Sized>(bytes: &S, size: u64, threads: usize) -> io::Result<Vec<u64>> {
    let threads = (threads.max(1) as u64).min(size / LEAST).max(1);
    let mut starts = vec![0];
    for number in 1..threads {
        let about = size / threads * number;
        let after = starts.last().copied().unwrap_or(0);
        starts.extend(start(bytes, about)?.filter(|&start| start > after && start < size));
    }
    Ok(starts)
}

/// The beginning of a record near `about`: a statement's if there is one, else any.
fn start<S: ReadAt + ?Sized>(bytes: &S, about: u64) -> io::Result<Option<u64>> {
    let mut window = vec![0; 256 << 10];
    let read = Part { bytes, at: about, end: u64::MAX }.take(window.len() as u64);
    let filled = { read }.read(&mut window)?;
    let window = window.get(..filled).unwrap_or_default();
    let separator = [b"\n", SEPARATOR, b"\nPARSING IN CURSOR #"].concat();
    let found = memmem::find(window, &separator).or_else(|| {
        let begins = |&end: &usize| window.get(end + 1..).is_some_and(begins_record);
        memchr_iter(b'\n', window).find(begins)
    });
    Ok(found.map(|line_end| about + line_end as u64 + 1))
}
