//! What is mounted where.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// One filesystem that is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// `major:minor`.
    pub(super) number: String,
    /// Where it is mounted.
    pub(super) point: String,
    /// `ext4`, `tmpfs`...
    pub(super) kind: String,
    /// `/dev/vda1`, or a name.
    pub(super) source: PathBuf,
}

/// Reads `/proc/self/mountinfo`: <https://docs.kernel.org/filesystems/proc.html>. Lines of another
/// form are left out.
pub(super) fn read(text: &str) -> Vec<Mount> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(2);
    let number = before.next()?.to_owned();
    let point = unescaped(before.nth(1)?).to_string_lossy().into_owned();
    let mut after = after.split(' ');
    let kind = after.next()?.to_owned();
    let source = unescaped(after.next()?);
    Some(Mount { number, point, kind, source })
}

/// A path as the kernel writes it in its tables: blanks and backslashes in octal.
pub(super) fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let octal = after.get(..3).filter(|_| *first == b'\\');
        let octal = octal.and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            bytes.push(byte);
            rest = after.get(3..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read_with_and_without_optional_fields() {
        let text = "36 35 98:1 / /mnt/my\\040disk rw,noatime master:1 shared:2 - ext3 /dev/root rw\n\
                    27 1 254:0 / / rw - ext4 /dev/vda rw\nnonsense\n";
        let mounts = read(text);
        assert_eq!(mounts.len(), 2);
        assert_eq!((mounts[0].number.as_str(), mounts[0].point.as_str()), ("98:1", "/mnt/my disk"));
        assert_eq!(mounts[0].kind, "ext3");
        assert_eq!(mounts[1].source, PathBuf::from("/dev/vda"));
    }

    #[test]
    fn paths_are_unescaped() {
        assert_eq!(unescaped("/a\\134b\\040c\\9"), PathBuf::from("/a\\b c\\9"));
        assert_eq!(unescaped("/a\\04"), PathBuf::from("/a\\04"));
    }
}
