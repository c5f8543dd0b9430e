//! How operations are submitted.

use std::fs::File;

use super::pool::Pool;
use crate::engine::spread;
use crate::{FileMethod, FileOptions, LoadError};

/// How operations are submitted on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Through `io_uring`.
    #[cfg(feature = "uring")]
    Uring {
        /// Whether the kernel holds the buffers for good.
        registered: bool,
        /// How many operations are handed over at once.
        chunks: Chunks,
    },
    /// By `pread` and `pwrite`, and why: none if that was asked for.
    Sync {
        /// Why `io_uring` is not used.
        why: Option<String>,
    },
}

/// How many operations are handed over at once: few first, so that the device is busy while the
/// rest of a batch is made ready, then more, so that there are few calls. Few are more than two:
/// up to that many the kernel hands to the device one by one, waking it for each.
#[cfg(feature = "uring")]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunks {
    pub(super) first: u32,
    pub(super) then: u32,
}

#[cfg(feature = "uring")]
impl Chunks {
    /// The chunks asked for, or those found best on the devices measured.
    pub(super) fn new(asked: Option<u32>) -> Chunks {
        let then = asked.unwrap_or(8).max(1);
        Chunks { first: then.min(3), then }
    }
}

/// Slots of one ring, at most.
pub(super) const SLOTS: u32 = 1_024;

impl Method {
    /// The method asked for, or the best there is. Tries it on the file.
    pub(super) fn choose(
        options: &FileOptions,
        file: &File,
        in_flight: u32,
        pool: &Pool,
    ) -> Result<Method, LoadError> {
        if options.method == FileMethod::Sync {
            return Ok(Method::Sync { why: None });
        }
        let tried = try_ring(options, file, in_flight.min(SLOTS), pool);
        match tried {
            Err(why) if options.method == FileMethod::Uring => Err(LoadError::Unreachable(
                format!("io_uring cannot be used: {why}. Give --method sync for pread and pwrite"),
            )),
            Err(why) if options.chunk.is_some() => Err(LoadError::Unreachable(format!(
                "--chunk has no effect: it needs io_uring, which cannot be used: {why}. Leave it out"
            ))),
            Err(why) => Ok(Method::Sync { why: Some(why) }),
            Ok(method) => Ok(method),
        }
    }

    /// Slots of each lane for so many operations in flight.
    pub(super) fn lanes(&self, in_flight: u32, threads: Option<u32>) -> Vec<u32> {
        if matches!(self, Method::Sync { .. }) {
            return vec![1; in_flight as usize];
        }
        spread(in_flight, threads.unwrap_or(1).max(in_flight.div_ceil(SLOTS)))
    }
}

#[cfg(not(feature = "uring"))]
fn try_ring(_: &FileOptions, _: &File, _: u32, _: &Pool) -> Result<Method, String> {
    Err("this isotherm was built without the feature 'uring'".to_owned())
}

#[cfg(feature = "uring")]
fn try_ring(options: &FileOptions, file: &File, slots: u32, pool: &Pool) -> Result<Method, String> {
    // The same memory as in the run: what may be registered depends on it.
    let buffers = pool.buffers(slots as usize).map_err(|error| error.to_string())?;
    let ring = file.try_clone().and_then(|file| crate::sys::Ring::new(file, buffers));
    let ring = ring.map_err(|error| why_not(&error))?;
    Ok(Method::Uring { registered: ring.registered(), chunks: Chunks::new(options.chunk) })
}

#[cfg(feature = "uring")]
fn why_not(error: &std::io::Error) -> String {
    let disabled = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled");
    match (error.raw_os_error(), disabled.as_deref().map(str::trim)) {
        (Some(libc::EPERM), Ok(level @ ("1" | "2"))) => {
            format!("the system forbids it (kernel.io_uring_disabled is {level})")
        }
        (Some(libc::EPERM | libc::EACCES), _) => {
            "a sandbox forbids it (seccomp, as in most containers)".to_owned()
        }
        (Some(libc::ENOSYS), _) => "this kernel does not have it".to_owned(),
        (None, _) if error.kind() == std::io::ErrorKind::Unsupported => {
            "this kernel's is too old (5.11 or later is needed)".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_of_pread_has_a_thread() {
        let method = Method::Sync { why: None };
        assert_eq!(method.lanes(3, Some(1)), [1, 1, 1]);
    }

    #[cfg(feature = "uring")]
    #[test]
    fn a_ring_holds_many_and_threads_share_evenly() {
        let method = Method::Uring { registered: true, chunks: Chunks::new(None) };
        assert_eq!(method.lanes(32, None), [32]);
        assert_eq!(method.lanes(32, Some(3)), [11, 11, 10]);
        assert_eq!(method.lanes(2, Some(5)), [1, 1]);
        assert_eq!(method.lanes(2_500, None), [834, 833, 833]);
        assert_eq!(method.lanes(1, Some(0)), [1]);
    }
}
