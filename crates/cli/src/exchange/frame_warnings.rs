//! What is noticed of frames that no decoder has looked at.

use isotherm_frame::{Frame, Overlaps, Series, visible};

/// What is noticed of the frames of tables and exports, and of those that are added up.
#[derive(Default)]
pub(super) struct FrameWarnings {
    contradictory: Noticed,
    overlaps: Overlaps,
    overlapping: Noticed,
}

/// How many frames, and the first of them.
#[derive(Default)]
struct Noticed {
    count: u64,
    first: Option<First>,
}

struct First {
    series: Series,
    start_ns: i64,
    end_ns: i64,
    why: String,
}

impl Noticed {
    fn add(&mut self, frame: &Frame, why: String) {
        self.count += 1;
        self.first.get_or_insert_with(|| First {
            series: frame.series.clone(),
            start_ns: frame.start.as_nanos(),
            end_ns: frame.end.as_nanos(),
            why,
        });
    }

    /// The number of intervals, with the verb in its form, and the first one.
    fn intervals(&self, (one, several): (&str, &str)) -> Option<(String, &First)> {
        let first = self.first.as_ref()?;
        let words = match self.count {
            1 => format!("1 interval {one}"),
            count => format!("{count} intervals {several}"),
        };
        Some((words, first))
    }
}

impl First {
    fn place(&self) -> String {
        let series = self.series.full();
        format!("{} from {} to {} ns", visible(&series), self.start_ns, self.end_ns)
    }
}

impl FrameWarnings {
    /// A frame of a table or an export, without its exact total where its buckets cannot have it: rows are
    /// missing, or were added up wrongly.
    pub(super) fn without_contradiction(&mut self, frame: Frame) -> Frame {
        let Some(why) = frame.counts.contradiction_of_total() else { return frame };
        self.contradictory.add(&frame, why);
        Frame { counts: frame.counts.without_total(), ..frame }
    }

    /// Takes note of a frame that is written among others, in the order of time. Without events there
    /// is nothing in it that counts twice.
    pub(super) fn written(&mut self, frame: &Frame) {
        if frame.counts.events() > 0 && self.overlaps.finds(frame) {
            self.overlapping.add(frame, String::new());
        }
    }

    /// What there is to say.
    pub(super) fn messages(&self) -> Vec<String> {
        let contradictory = self.contradictory.intervals(("has", "have"));
        let contradictory = contradictory.map(|(intervals, first)| {
            format!(
                "{intervals} a total time (sum_ns) that its buckets cannot have, the first {} ({}): rows are \
                 missing, or were added up twice. Such totals are not used, and times are estimated from the \
                 buckets",
                first.place(),
                first.why
            )
        });
        let overlapping = self.overlapping.intervals(("overlaps", "overlap"));
        let overlapping = overlapping.map(|(intervals, first)| {
            format!(
                "{intervals} a part of another one of the same series, the first {}: they are kept side by side. \
                 Events that are in both count twice",
                first.place()
            )
        });
        contradictory.into_iter().chain(overlapping).collect()
    }
}
