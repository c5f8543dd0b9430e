//! A curve in sentences.

use isotherm_frame::numbers::{bytes, grouped, quantity, waited, whole};
use isotherm_frame::percent;

use super::CurveSummary;
use crate::device::DeviceLoad;

impl CurveSummary {
    /// What there is to say, the point first, the method last.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.point()];
        sentences.extend(self.device());
        sentences.push(self.meaning().to_owned());
        sentences.extend(self.first_references());
        sentences.extend(self.estimates());
        sentences.extend(self.reads());
        sentences.extend(self.order());
        sentences.extend(self.sample());
        sentences.extend(self.unread());
        sentences
    }

    /// How much cache answers how many of the references.
    fn point(&self) -> String {
        let curve = self.counted.curve();
        let references = grouped(curve.references());
        let most = 1.0 - curve.lowest();
        if most <= 0.0 {
            let every = if self.counted.sample().is_some() { "sampled block" } else { "block" };
            return format!(
                "No cache of any size would answer any of the {references} references: no {every} is \
                 referenced twice."
            );
        }
        let size = |share: f64| curve.size_for(1.0 - most * share).unwrap_or(0);
        let (half, nearly) = (size(0.5).max(self.least_size()), size(0.9).max(self.least_size()));
        let about = if self.counted.sample().is_some() { "about " } else { "" };
        let answers = |size: u64| percent(1.0 - curve.miss_ratio(size));
        let larger = if nearly > half {
            format!(", one of {about}{} {}", self.size(nearly), answers(nearly))
        } else {
            String::new()
        };
        format!(
            "A cache of {about}{} answers {} of the {references} references{larger}; none answers more \
             than {about}{}.",
            self.size(half),
            answers(half),
            percent(most)
        )
    }

    fn size(&self, blocks: u64) -> String {
        bytes(blocks.saturating_mul(self.block_bytes))
    }

    /// Which cache the curve is of.
    fn meaning(&self) -> &'static str {
        if self.is_physical() {
            "These are physical reads: the misses of the cache that was there. The curve is that of a \
             cache added behind it (a second tier, such as flash or a storage array's cache). It does not \
             say what a larger first cache would do: that needs its logical references, which this input \
             does not have."
        } else {
            "If the CSV has logical references, the curve is that of the cache itself. If it has physical \
             reads, the curve is that of a cache added behind the one that was there."
        }
    }

    /// What the device of a sweep does with the misses.
    fn device(&self) -> Vec<String> {
        let Some(device) = &self.device else { return Vec::new() };
        let rows = self.rows();
        let load = |blocks: u64| self.row(blocks).device;
        let (Some(none), Some(largest)) = (load(0), rows.last().and_then(|row| load(row.blocks)))
        else {
            return Vec::new();
        };
        let reads = |load: DeviceLoad| format!("{} reads/s", quantity(load.reads_per_s));
        let most = rows.last().map_or(0, |row| row.blocks);
        let point = match (none.waiting, largest.waiting) {
            (Some(before), Some(after)) => format!(
                "By the sweep {} the device has {} waiting on average without a cache ({}), and {} with one of {} \
                 ({}).",
                device.sweep,
                quantity(before),
                reads(none),
                quantity(after),
                self.size(most),
                reads(largest)
            ),
            (None, Some(_)) => {
                let enough = self.least_that_keeps_up(most);
                format!(
                    "By the sweep {} the device cannot keep up without a cache ({}); one of {} is the smallest with \
                     which it does ({}).",
                    device.sweep,
                    reads(none),
                    self.size(enough),
                    load(enough).map_or_else(String::new, reads)
                )
            }
            (_, None) => format!(
                "By the sweep {} the device cannot keep up, not even with a cache of {} ({}).",
                device.sweep,
                self.size(most),
                reads(largest)
            ),
        };
        let method = format!(
            "≈ by sweep: response times are those of the model {} at each rate of misses (rms error {}), where \
             each block that misses is one read of the sweep.",
            device.model().name(),
            percent(device.rms())
        );
        let is_beyond = |load: &DeviceLoad| load.is_beyond && load.waiting.is_some();
        let beyond = rows.iter().filter_map(|row| row.device).any(|load| is_beyond(&load));
        let beyond = beyond
            .then(|| "* is more than the sweep measured: the model alone says it.".to_owned());
        [point, method].into_iter().chain(beyond).collect()
    }

    /// The smallest cache of at most `most` blocks with which the device keeps up. Misses only get fewer
    /// with the size.
    fn least_that_keeps_up(&self, most: u64) -> u64 {
        let keeps_up =
            |blocks: u64| self.row(blocks).device.is_some_and(|load| load.waiting.is_some());
        let (mut low, mut high) = (0, most);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if keeps_up(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high.max(self.least_size())
    }

    fn first_references(&self) -> Option<String> {
        let lowest = self.counted.curve().lowest();
        (lowest > 0.0).then(|| {
            format!(
                "{} of the references are the first to their block. They miss a cache of any size that \
                 is empty when the trace begins; a longer trace has fewer of them.",
                percent(lowest)
            )
        })
    }

    fn estimates(&self) -> Option<String> {
        let latency = self.totals.latency_s().map(|latency| {
            format!(
                "a miss takes {}, the mean latency of a block that was observed, and a hit nothing",
                waited(latency)
            )
        });
        let rate = self
            .totals
            .blocks_per_s()
            .map(|rate| format!("references keep their rate of {} blocks/s", quantity(rate)));
        let assumed: Vec<String> = latency.into_iter().chain(rate).collect();
        (!assumed.is_empty()).then(|| format!("≈ is an estimate: {}.", assumed.join("; ")))
    }

    fn reads(&self) -> Option<String> {
        let totals = &self.totals;
        (totals.blocks > totals.reads).then(|| {
            format!(
                "{} reads of {} blocks each on average count as {} references: one for each block.",
                grouped(totals.reads),
                quantity(totals.blocks as f64 / totals.reads as f64),
                grouped(totals.blocks)
            )
        })
    }

    fn order(&self) -> Option<String> {
        self.is_concatenated.then(|| {
            "Warning: not every reference has a time, so the inputs count one after the other. If they \
             ran side by side, the curve is wrong: give inputs with times."
                .to_owned()
        })
    }

    fn sample(&self) -> Option<String> {
        let sample = self.counted.sample()?;
        let error = if sample.rate >= 1.0 {
            "All blocks are in it, so the curve is exact".to_owned()
        } else if sample.error(u64::MAX).is_some() {
            format!(
                "± is the error of a miss ratio with 90 % confidence; sizes below {} are not known",
                self.size(self.least_size())
            )
        } else {
            "These are too few to say how far the curve is off: sample more".to_owned()
        };
        Some(format!(
            "Sampled (SHARDS, seed {}): {} of about {} blocks, {}. {error}.",
            self.seed,
            grouped(sample.sampled_blocks),
            whole(sample.curve.blocks()),
            percent(sample.rate)
        ))
    }

    /// What was left out or rejected.
    fn unread(&self) -> Vec<String> {
        let left_out = self.totals.left_out.iter();
        let mut sentences: Vec<String> = left_out
            .map(|(what, &count)| format!("Left out: {} × {what}.", grouped(count)))
            .collect();
        let (rejected, shown) = (self.totals.rejected, &self.totals.rejections);
        if rejected > 0 {
            let more = rejected.saturating_sub(shown.len() as u64);
            let more =
                if more > 0 { format!("; and {} more", grouped(more)) } else { String::new() };
            sentences.push(format!("Rejected: {}; {}{more}.", grouped(rejected), shown.join("; ")));
        }
        sentences
    }
}
