//! Snapshots of the counters, one after the other.

use std::io::BufRead;

use super::line::{DeviceLine, Ticks};
use super::meta;
use crate::partition::Disks;
use crate::reading_option::ReadingOption;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::sure_totals::SureTotals;
use crate::{Context, DecodeError, Line, LineReader, Meta, Note, Sink, Source, Verdict};

/// Reads snapshots of `/proc/diskstats`.
pub struct DiskStats;

/// The decoder.
pub static SOURCE: DiskStats = DiskStats;

impl Source for DiskStats {
    fn meta(&self) -> &'static Meta {
        &meta::DISKSTATS
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let whole = head.split(|byte| *byte == b'\n').take(50);
        let any = whole.filter(|line| !line.is_empty()).any(|line| DeviceLine::read(line).is_ok());
        if any { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut snapshots = Snapshots {
            totals: SureTotals::new(context),
            stamps: StampReader::new(context),
            ticks: Ticks::default(),
            disks: Disks::default(),
        };
        LineReader::new(input).each(|line| snapshots.line(&line, sink))?;
        snapshots.totals.finish(sink);
        Ok(())
    }
}

/// What was read so far.
struct Snapshots<'c> {
    totals: SureTotals<'c>,
    stamps: StampReader,
    ticks: Ticks,
    disks: Disks,
}

impl Snapshots<'_> {
    fn line(&mut self, line: &Line<'_>, sink: &mut dyn Sink) {
        let text = line.bytes.trim_ascii();
        if text.is_empty() || self.time(text, sink) {
            return;
        }
        let reason = match DeviceLine::read(text) {
            Ok(device) if line.ended => return self.device(&device, sink),
            Ok(_) => "the line is cut short".into(),
            Err(reason) => reason,
        };
        self.totals.rejected();
        reject(sink, line.place, reason, 0);
    }

    /// A line that says when what follows was read: `1795237730.67`, `# 1795237730.67` or a date.
    fn time(&mut self, text: &[u8], sink: &mut dyn Sink) -> bool {
        let text = text.strip_prefix(b"#t").or(text.strip_prefix(b"#")).unwrap_or(text);
        let text = String::from_utf8_lossy(text.trim_ascii());
        let Some(stamp) = self.stamps.read(&text, sink) else { return false };
        self.totals.begin(stamp, sink);
        self.disks.clear();
        true
    }

    fn device(&mut self, device: &DeviceLine<'_>, sink: &mut dyn Sink) {
        if self.disks.leaves_out(device.name, sink) {
            return;
        }
        let mut quiet = true;
        for (series, total) in self.ticks.totals(device) {
            quiet = false;
            self.totals.total(&series, total, sink);
        }
        if quiet {
            sink.note(Note::Ignored);
        }
    }
}
