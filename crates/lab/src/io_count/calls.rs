//! Reads in what strace prints.

use std::ops::Add;

/// System calls that read at a place of a file.
const READS: [&str; 3] = ["pread64", "preadv", "preadv2"];
/// The call that asks the kernel to read ahead.
const ADVICE: &str = "fadvise64";

/// Reads of some files.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    pub calls: u64,
    pub bytes: u64,
}

/// The system calls of a process.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Reads of the files of the table and its index.
    pub table: Reads,
    /// Reads of temporary files.
    pub temporary: Reads,
    /// Reads of everything else, such as catalogs.
    pub other: Reads,
    /// Requests to read ahead in the files of the table.
    pub prefetches: u64,
    /// Lines of these calls that cannot be read, such as one of a call that had not returned.
    pub unread: u64,
}

/// One line: a call, the file, what it returned.
struct Line<'a> {
    path: &'a str,
    returned: i64,
}

impl Calls {
    /// Reads of all files.
    pub fn all(&self) -> Reads {
        self.table + self.temporary + self.other
    }

    /// Counts the calls in a text of `strace -y`; `relations` are paths within the data directory.
    pub fn read(text: &str, relations: &[String]) -> Calls {
        let mut calls = Calls::default();
        text.lines().for_each(|line| calls.count(line, relations));
        calls
    }

    /// The names of the calls that are counted, as strace takes them.
    pub fn traced() -> String {
        format!("trace={},{ADVICE}", READS.join(","))
    }

    fn count(&mut self, text: &str, relations: &[String]) {
        let Some((name, rest)) = text.split_once('(') else { return };
        let is_read = READS.contains(&name);
        if !is_read && name != ADVICE {
            return;
        }
        let Some(line) = Line::read(rest) else {
            self.unread += 1;
            return;
        };
        let is_table = relations.iter().any(|relation| is_of(line.path, relation));
        match (is_read, u64::try_from(line.returned)) {
            (true, Ok(bytes)) => self.reads_of(line.path, is_table).count(bytes),
            (false, Ok(_)) if is_table => self.prefetches += 1,
            _ => {}
        }
    }

    fn reads_of(&mut self, path: &str, is_table: bool) -> &mut Reads {
        match () {
            () if is_table => &mut self.table,
            () if path.contains("/pgsql_tmp/") => &mut self.temporary,
            () => &mut self.other,
        }
    }
}

impl Reads {
    fn count(&mut self, bytes: u64) {
        self.calls += 1;
        self.bytes += bytes;
    }
}

impl Add for Reads {
    type Output = Reads;

    fn add(self, other: Reads) -> Reads {
        Reads { calls: self.calls + other.calls, bytes: self.bytes + other.bytes }
    }
}

impl Add for Calls {
    type Output = Calls;

    fn add(self, other: Calls) -> Calls {
        Calls {
            table: self.table + other.table,
            temporary: self.temporary + other.temporary,
            other: self.other + other.other,
            prefetches: self.prefetches + other.prefetches,
            unread: self.unread + other.unread,
        }
    }
}

impl Line<'_> {
    /// What follows the name of a call and its bracket: `9</data/base/5/16384>, ""..., 8192, 0) = 8192`.
    fn read(text: &str) -> Option<Line<'_>> {
        let (_, rest) = text.split_once('<')?;
        let end = rest.find(">, ").or_else(|| rest.find(">(deleted), "))?;
        let (_, returned) = rest.rsplit_once(" = ")?;
        let returned = returned.split_whitespace().next()?.parse().ok()?;
        Some(Line { path: rest.get(..end)?, returned })
    }
}

/// Whether a file is one of a relation: `base/5/16384`, its segment `.1` or its fork `_vm`.
fn is_of(path: &str, relation: &str) -> bool {
    let rest = path.rsplit_once(relation).filter(|(before, _)| before.ends_with('/'));
    rest.is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(['.', '_']))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Random;

    use super::*;

    const TEXT: &str = "\
pread64(9</t/data/base/5/16384>, \"\"..., 8192, 0) = 8192
pread64(9</t/data/base/5/16384.1>, \"\"..., 8192, 0) = 8192
preadv(9</t/data/base/5/16384_vm>, [{iov_base=\"\"..., iov_len=16384}], 1, 0) = 16384
pread64(11</t/data/base/5/163841>, \"\"..., 8192, 0) = 8192
pread64(11</t/data/base/5/16390>, \"\"..., 8192, 0) = 8192
pread64(4</t/data/base/pgsql_tmp/pgsql_tmp7.0>(deleted), \"\"..., 8192, 0) = 8192
pread64(4</t/data/base/pgsql_tmp/pgsql_tmp7.0>, \"\"..., 8192, 0) = 4096
pread64(9</t/data/base/5/16384>, 0x55, 8192, 0) = -1 EIO (Input/output error)
fadvise64(9</t/data/base/5/16384>, 8192, 8192, POSIX_FADV_WILLNEED) = 0
fadvise64(8</t/data/base/5/99>, 8192, 8192, POSIX_FADV_WILLNEED) = 0
--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_USER, si_pid=7, si_uid=1} ---
pread64(9</t/data/base/5/16384>,  <unfinished ...>
";

    #[test]
    fn reads_are_counted_by_their_files() {
        let relations = ["base/5/16384".to_owned(), "base/5/16390".to_owned()];
        let reads = |calls, bytes| Reads { calls, bytes };
        let expected = Calls {
            table: reads(4, 3 * 8_192 + 16_384),
            temporary: reads(2, 8_192 + 4_096),
            other: reads(1, 8_192),
            prefetches: 1,
            unread: 1,
        };
        assert_eq!(Calls::read(TEXT, &relations), expected);
        assert_eq!(expected.all(), reads(7, 4 * 8_192 + 16_384 + 8_192 + 4_096));
        assert_eq!(Calls::traced(), "trace=pread64,preadv,preadv2,fadvise64");
    }

    #[test]
    fn damaged_lines_are_counted_and_never_read_as_something_else() {
        let mut random = Random::new(5);
        for _ in 0..20_000 {
            let line = TEXT.lines().nth(random.index(12)).unwrap();
            let mut bytes = line.as_bytes().to_vec();
            bytes.truncate(random.index(bytes.len() + 1));
            if let Some(at) = bytes.len().checked_sub(1) {
                bytes[random.index(at + 1)] = b" <>()=,-9_\xc3"[random.index(11)];
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let calls = Calls::read(&text, &["base/5/16384".to_owned()]);
            let all = [calls.table, calls.temporary, calls.other];
            let seen: u64 = all.iter().map(|reads| reads.calls).sum();
            assert!(seen + calls.prefetches + calls.unread <= 1, "{text}: {calls:?}");
        }
    }
}
