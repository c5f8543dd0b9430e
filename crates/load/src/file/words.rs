//! Errors in words.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use crate::LoadError;

/// What went wrong with an operation on a file: the same words for the same fault.
#[cold]
pub(super) fn fault(writes: bool, errno: i32) -> Cow<'static, str> {
    let what = if writes { "write" } else { "read" };
    let why = match errno {
        libc::EIO => "the device answered with an error (EIO)",
        libc::ENOSPC => "no space is left on the device (ENOSPC)",
        libc::EDQUOT => "the quota is used up (EDQUOT)",
        libc::EINVAL => "refused (EINVAL): the device needs larger blocks for direct I/O",
        libc::ENODATA => "the medium cannot be read (ENODATA)",
        libc::ETIMEDOUT => "the device did not answer (ETIMEDOUT)",
        libc::EAGAIN => "the system had no means to begin it (EAGAIN)",
        libc::ENODEV | libc::ENXIO => "the device is gone",
        0 => "ended before the block was complete: the file is shorter than it was",
        _ => return format!("{what}: {}", io::Error::from_raw_os_error(errno)).into(),
    };
    format!("{what}: {why}").into()
}

/// An error of a call, for people.
pub(super) fn failed(doing: &str, path: &Path, error: &io::Error) -> LoadError {
    let text = format!("cannot {doing} '{}': {error}", path.display());
    match error.kind() {
        io::ErrorKind::PermissionDenied => LoadError::Unreachable(format!(
            "{text}: the user who runs isotherm needs to be allowed to; for a device that is often \
             the group 'disk'"
        )),
        io::ErrorKind::NotFound | io::ErrorKind::ReadOnlyFilesystem => LoadError::Unreachable(text),
        _ => LoadError::Failed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_the_same_words_each_time() {
        assert_eq!(fault(true, libc::ENOSPC), "write: no space is left on the device (ENOSPC)");
        assert_eq!(fault(false, libc::EPERM), fault(false, libc::EPERM));
        assert_ne!(fault(false, libc::EIO), fault(true, libc::EIO));
    }
}
