//! Sending exports, one after the other, and what became of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use isotherm_frame::numbers::grouped;
use isotherm_metrics::{Export, ExportError, Receipt};

use crate::screen;

/// How often a pause is looked at whether to end it.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What became of the exports.
#[derive(Debug, Default)]
pub struct Delivery {
    /// Exports that the server took.
    pub delivered: u64,
    /// Exports that it did not.
    pub failed: u64,
    /// Points in exports that it took but did not keep.
    pub rejected: u64,
    /// Why the last export was not taken.
    pub error: Option<String>,
}

impl Delivery {
    /// Of a thread that is gone.
    pub fn broken(why: &str) -> Delivery {
        Delivery { error: Some(why.to_owned()), ..Delivery::default() }
    }

    /// Why the last totals are not on the server.
    pub fn lost(&self, error: &str) -> String {
        match (self.delivered, self.failed) {
            (0, _) => format!("nothing was delivered: {error}"),
            (delivered, failed) => format!(
                "the last totals were not delivered: {error}; {} delivered before, {} not",
                exports(delivered),
                grouped(failed)
            ),
        }
    }

    /// What was delivered, in one line.
    pub fn summary(&self, to: &str, events: u64, skipped: u64) -> String {
        let mut parts = vec![format!(
            "Delivered {} to {to}: {} events in the last totals",
            exports(self.delivered),
            grouped(events)
        )];
        if self.failed > 0 {
            parts.push(format!(
                "{} not delivered, their counts are in later ones",
                exports(self.failed)
            ));
        }
        if skipped > 0 {
            parts.push(format!("{} skipped while the server was slow", exports(skipped)));
        }
        if self.rejected > 0 {
            parts.push(format!("the server did not keep {} points", grouped(self.rejected)));
        }
        parts.join("; ")
    }

    fn take(&mut self, receipt: &Receipt) {
        if receipt.rejected > 0 && self.rejected == 0 {
            screen::warn(&format!(
                "the server took an export but did not keep {} of its points: {}",
                grouped(receipt.rejected),
                receipt.message
            ));
        }
        self.delivered += 1;
        self.rejected = self.rejected.saturating_add(receipt.rejected);
        self.error = None;
    }
}

fn exports(count: u64) -> String {
    if count == 1 { "1 export".to_owned() } else { format!("{} exports", grouped(count)) }
}

/// Sends what comes until there is nothing more. A server that does not take the first export ends it;
/// one that has taken some may take the next, which has the totals of those that it refused.
pub fn deliver(
    exports: &Receiver<Export>,
    resource: &[(String, String)],
    send: &mut dyn FnMut(&[u8]) -> Result<Receipt, ExportError>,
) -> Delivery {
    let mut delivery = Delivery::default();
    // The last export that the server has.
    let mut known = 0;
    while let Ok(export) = exports.recv() {
        match send(&export.body(known, resource)) {
            Ok(receipt) => {
                delivery.take(&receipt);
                known = export.number();
            }
            Err(error) => {
                delivery.failed += 1;
                delivery.error = Some(error.to_string());
                if delivery.delivered == 0 {
                    break;
                }
                if may_have_zeros(&error) {
                    known = export.number();
                }
                screen::warn(&format!("not delivered: {error}; the next export has it, too"));
            }
        }
    }
    delivery
}

/// Whether the server may have refused the points of zeros before new totals: it may have an export of
/// which the answer was lost, and takes no points older than its last (400). They would never be taken.
fn may_have_zeros(error: &ExportError) -> bool {
    matches!(error, ExportError::Refused { status: 400, .. })
}

/// Waits; not to the end if the program has been asked to stop.
pub fn pause(length: Duration, stop: &AtomicBool) -> bool {
    let end = Instant::now() + length;
    while !stop.load(Ordering::Relaxed) {
        let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
        else {
            return true;
        };
        std::thread::sleep(left.min(LOOK_EVERY));
    }
    false
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use isotherm_frame::protobuf::Fields;
    use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
    use isotherm_metrics::{Exposition, ExpositionOptions, OtlpAddress};

    use super::*;

    fn frame(series: &str) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        counts.record(Nanos::from_micros(100));
        let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
        Frame { series: Series::named(series), start, end, counts, quality: Quality::Complete }
    }

    /// The messages in the last of these fields, each in the first message of the field before.
    fn inside<'a>(bytes: &'a [u8], path: &[u32]) -> Vec<&'a [u8]> {
        let (field, deeper) = path.split_first().unwrap();
        let fields = Fields::of(bytes).map(Result::unwrap);
        let found: Vec<&[u8]> = fields
            .filter(|(number, _)| number == field)
            .map(|(_, value)| value.bytes().unwrap())
            .collect();
        if deeper.is_empty() { found } else { inside(found[0], deeper) }
    }

    /// How many points of latencies each export had, of which the server refuses the second: of one series
    /// in the first export, of two in the others.
    fn points_of_each(status: u16) -> Vec<usize> {
        let mut totals = Exposition::new(ExpositionOptions::default());
        let (sender, exports) = sync_channel(4);
        for (number, series) in (1..).zip(["a", "b", "a", "b"]) {
            totals.push("x", &frame(series));
            sender.send(totals.export(number, (number, number + 1))).unwrap();
        }
        drop(sender);
        let address = OtlpAddress::parse("otlp+http://127.0.0.1:4318").unwrap();
        let mut points = Vec::new();
        let mut send = |body: &[u8]| {
            // The first metric of the scope is the histogram of latencies.
            points.push(inside(body, &[1, 2, 2, 9, 1]).len());
            if points.len() != 2 {
                return Ok(Receipt::default());
            }
            let (address, answer) = (address.clone(), String::new());
            Err(ExportError::Refused { address, status, answer, retry_after: None })
        };
        let delivery = deliver(&exports, &[], &mut send);
        assert_eq!((delivery.delivered, delivery.failed, delivery.error), (3, 1, None));
        points
    }

    #[test]
    fn zeros_before_new_totals_are_sent_until_they_are_delivered() {
        assert_eq!(points_of_each(503), [2, 3, 3, 2]);
        assert_eq!(points_of_each(404), [2, 3, 3, 2]);
    }

    #[test]
    fn zeros_that_a_server_may_refuse_for_ever_are_sent_once() {
        assert_eq!(points_of_each(400), [2, 3, 2, 2]);
    }
}
