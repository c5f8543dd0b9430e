//! A recording with what is still being added to it: everything at once, and then as it comes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use isotherm_frame::{Account, Event, Mark, Place, Rejection};
use isotherm_recording::{About, Reader, RecordedMark, RecordingError};

use crate::{Batch, EventStream, PipelineError, idle};

/// So many intervals are read before they are shown.
const AT_ONCE: i64 = 256;
/// How often a recording that nothing is added to is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A recording, read from its beginning and followed until its writer ends it.
pub struct FollowedRecording {
    path: PathBuf,
    reader: Reader,
    /// What the writer accounts for, and what could not be read here.
    account: Account,
    /// What could not be read here, or was left out.
    own: Account,
    with_idle: bool,
    /// The interval and the mark that were read last.
    last: (i64, i64),
    stop: Arc<AtomicBool>,
    /// What went wrong with reading last, so that it is said once.
    failed: Option<String>,
}

impl FollowedRecording {
    /// Opens a recording; idle waits are left out unless they are wanted. It ends when the recording
    /// was ended and read, or when `stop` is set.
    pub fn open(
        path: &Path,
        with_idle: bool,
        stop: Arc<AtomicBool>,
    ) -> Result<FollowedRecording, PipelineError> {
        let reader = Reader::open(path)?;
        let account = reader.account();
        let own = Account { clock: account.clock, ..Account::default() };
        let (path, last, failed) = (path.to_owned(), (0, 0), None);
        Ok(FollowedRecording { path, reader, account, own, with_idle, last, stop, failed })
    }

    /// What the recording says about itself.
    pub fn about(&self) -> &About {
        self.reader.about()
    }

    /// Reads what comes next; `false` if there is nothing yet.
    fn read(&mut self, events: &mut Vec<Event>) -> Result<bool, RecordingError> {
        for (number, mark) in self.reader.marks_after(self.last.1)? {
            self.last.1 = self.last.1.max(number);
            events.push(Event::Mark(mark.into()));
        }
        let Some((frames, last)) = self.reader.frames_after(self.last.0, AT_ONCE)? else {
            return Ok(!events.is_empty());
        };
        for frame in frames {
            match frame {
                Ok(frame) => {
                    let idle = idle::of_recording(&frame).filter(|_| !self.with_idle);
                    match idle {
                        Some(waits) => {
                            self.own.leave_out(waits.clone());
                            self.account.leave_out(waits);
                        }
                        None => events.push(Event::Frame(frame)),
                    }
                }
                Err(error) => {
                    let (place, reason) = (Place::default(), error.to_string());
                    let is_new = self.account.rejections.len() < Account::SHOWN;
                    events.extend(is_new.then(|| Event::Message(reason.clone())));
                    let rejection = Rejection { place, reason: reason.into(), events: 0 };
                    self.own.reject(rejection.clone());
                    self.account.reject(rejection);
                }
            }
        }
        self.last.0 = last;
        Ok(true)
    }

    /// What the writer adds to the account at the end.
    fn account_of_writer(&mut self) {
        let Ok(reader) = Reader::open(&self.path) else { return };
        self.account = reader.account();
        self.account.add(self.own.clone());
    }
}

impl EventStream for FollowedRecording {
    fn next(&mut self, timeout: Duration) -> Batch {
        let mut events = Vec::new();
        if self.stop.load(Ordering::Relaxed) {
            return Batch::last(events, "stopped");
        }
        // Asked before reading: what is written between the two is read.
        let has_ended = self.reader.has_ended().unwrap_or(false);
        match self.read(&mut events) {
            Ok(true) => self.failed = None,
            Ok(false) if has_ended => {
                self.account_of_writer();
                return Batch::last(events, "all of the recording is shown");
            }
            Ok(false) => std::thread::sleep(timeout.min(LOOK_EVERY)),
            Err(error) => {
                let text = error.to_string();
                if self.failed.as_ref() != Some(&text) {
                    events.push(Event::Message(text.clone()));
                }
                self.failed = Some(text);
                std::thread::sleep(timeout.min(LOOK_EVERY));
            }
        }
        Batch::of(events)
    }

    fn mark(&mut self, mark: &Mark) -> Option<String> {
        let mark = RecordedMark::new(mark, "serve");
        let marked = isotherm_recording::mark(&self.path, &mark);
        marked.err().map(|error| format!("the mark is not recorded: {error}"))
    }

    fn account(&self) -> &Account {
        &self.account
    }

    fn is_live(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
    use isotherm_recording::{Durability, Writer};
    use testing::bounded;

    use super::*;

    fn frame(second: i64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        counts.record(Nanos::from_micros(100));
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        let (series, quality) = (Series::named("read"), Quality::Complete);
        Frame { series, start: at(second), end: at(second + 1), counts, quality }
    }

    fn starts(batch: &Batch) -> Vec<i64> {
        let frames = batch.events.iter().filter_map(Event::frame);
        frames.map(|frame| frame.start.as_nanos() / 1_000_000_000).collect()
    }

    #[test]
    fn a_recording_is_followed_until_its_writer_ends_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.heat");
        let mut writer = Writer::create(&path, &About::new("x"), Durability::Normal).unwrap();
        writer.write(&(0..600).map(frame).collect::<Vec<_>>()).unwrap();
        let mut followed = FollowedRecording::open(&path, false, Arc::default()).unwrap();
        let mut read = Vec::new();
        for _ in 0..3 {
            read.extend(starts(&followed.next(Duration::ZERO)));
        }
        assert_eq!(read, (0..600).collect::<Vec<_>>());
        let none = followed.next(Duration::ZERO);
        assert!(none.events.is_empty() && none.ended.is_none());
        writer.write(&[frame(600), frame(601)]).unwrap();
        assert_eq!(starts(&followed.next(Duration::ZERO)), [600, 601]);
        let mark = Mark { at: Timestamp::new(5), text: "deploy".to_owned() };
        assert_eq!(followed.mark(&mark), None);
        assert_eq!(followed.next(Duration::ZERO).events, [Event::Mark(mark)]);
        writer.write(&[frame(602)]).unwrap();
        writer.finish().unwrap();
        assert_eq!(starts(&followed.next(Duration::ZERO)), [602]);
        assert!(followed.next(Duration::ZERO).ended.is_some());
    }
    #[test]
    fn each_damaged_interval_is_counted_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.heat");
        let mut writer = Writer::create(&path, &About::new("x"), Durability::Normal).unwrap();
        writer.write(&(0..100).map(frame).collect::<Vec<_>>()).unwrap();
        writer.add_account(&Account { records: 500, rejected: 7, ..Account::default() }).unwrap();
        writer.finish().unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        let damaged = connection.execute("update frame set counts = '[1,2'", []);
        assert_eq!(damaged, Ok(100));
        drop(connection);
        let mut followed = FollowedRecording::open(&path, false, Arc::default()).unwrap();
        let mut frames = 0;
        bounded::until("the end of the recording", || {
            let batch = followed.next(Duration::ZERO);
            frames += starts(&batch).len();
            batch.ended
        });
        let account = followed.account();
        assert_eq!((frames, account.records, account.rejected), (0, 500, 107));
        assert_eq!(account.rejections.len(), Account::SHOWN);
    }
}
