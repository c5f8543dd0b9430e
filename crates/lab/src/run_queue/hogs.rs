//! Threads that compute and never wait for anything but a processor.

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};

use super::counters::ran_and_waited;
use crate::LabError;

/// Running hogs; they end when this goes away.
pub struct Hogs {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    /// Where `/proc` has each of them.
    places: Vec<PathBuf>,
}

/// Additions between two looks at the flag: some microseconds.
const ROUND: u32 = 4_096;

impl Hogs {
    /// Starts a number of hogs and waits until each of them runs.
    pub fn start(count: usize) -> Result<Hogs, LabError> {
        let stop = Arc::new(AtomicBool::new(false));
        let (begun, places) = mpsc::channel();
        let mut hogs = Hogs { stop, threads: Vec::new(), places: Vec::new() };
        for _ in 0..count {
            let (stop, begun) = (Arc::clone(&hogs.stop), begun.clone());
            let work = move || {
                // "PID/task/TID": which thread this is.
                let _ = begun.send(fs::read_link("/proc/thread-self").unwrap_or_default());
                let mut sum = 0_u64;
                while !stop.load(Ordering::Relaxed) {
                    (0..ROUND).for_each(|number| sum = black_box(sum.wrapping_add(number.into())));
                }
            };
            let thread = Builder::new().name("isotherm-hog".to_owned()).spawn(work);
            let failed = |source| LabError::Start { what: "a thread", source };
            hogs.threads.push(thread.map_err(failed)?);
        }
        drop(begun);
        hogs.places =
            places.iter().take(count).map(|link| PathBuf::from("/proc").join(link)).collect();
        Ok(hogs)
    }

    /// The seconds that all of them together have run so far, and have waited for a processor; none
    /// where the kernel does not count them.
    pub fn ran_and_waited_s(&self) -> Option<(f64, f64)> {
        self.places.iter().try_fold((0.0, 0.0), |(ran, waited), place| {
            let text = fs::read_to_string(place.join("schedstat")).ok()?;
            let (more_ran, more_waited) = ran_and_waited(&text)?;
            Some((ran + more_ran as f64 / 1e9, waited + more_waited as f64 / 1e9))
        })
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A hog cannot panic; nothing depends on how it ended.
            let _ = thread.join();
        }
    }
}
