//! What of the findings is worth saying, and in which order.

use isotherm_frame::{Nanos, QuantileInterval, Series, Timestamp};

use crate::{
    Average, Bursts, CacheWarning, Change, Findings, Gaps, Incident, LoadResponse, Mode, Operation,
    Outlier, Owner, PartOfTime, Period, SampledTime, SlowBand, TailShare, Unplaced,
};

/// Something worth saying about latencies.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// There are no events.
    Nothing,
    /// There is the number of events and their total time, and no distribution.
    Averages {
        /// The mean latency in nanoseconds.
        mean_ns: f64,
        /// Events per second; `None` where no time is covered.
        rate: Option<f64>,
    },
    /// Samples saw that somebody waited: there is time, and no event is known.
    Sampled(SampledTime),
    /// A stretch of time owns much of all time waited.
    Incident(Incident),
    /// Several stretches of time own much of all time waited.
    Bursts(Bursts),
    /// More stretches of time than are said one by one.
    More {
        /// Where each begins, in the order of time.
        starts: Vec<Timestamp>,
        /// How exactly that is known: the length of a column.
        exact_to: Nanos,
    },
    /// Something changed.
    Changed(Change),
    /// Load grows or falls bit by bit, and latency goes with it.
    Ramp {
        /// The load over time.
        load: Change,
        /// How latency goes with it.
        response: LoadResponse,
    },
    /// Something comes again and again.
    Every(Period),
    /// A series, or the value of an attribute, owns much of all time waited.
    Owner(Owner),
    /// How latency goes with load.
    Response(LoadResponse),
    /// A few slow events apart from all others own much of the time.
    SlowBand(SlowBand),
    /// Few events hold much of the time.
    Tail(TailShare),
    /// Events far beyond all others.
    Outliers {
        /// How many.
        events: u64,
        /// The longest of them.
        longest: Outlier,
    },
    /// Latencies gather in several places.
    Bands {
        /// Where, shortest first.
        modes: Vec<Mode>,
        /// The mean latency in nanoseconds.
        mean_ns: f64,
        /// Whether the mean is exact.
        exact: bool,
        /// Whether the fast one may be a cache and the slow one what is behind it.
        cache: bool,
    },
    /// Latencies may not be those of a device.
    CacheWarning(CacheWarning),
    /// A percentile on the edge of two modes.
    Unstable(QuantileInterval),
    /// The mean stands for few events.
    Skewed(Average),
    /// Time that is counted where it ended, not where it was waited.
    Unplaced(Unplaced),
    /// Of some time nothing is known.
    Missing(Gaps),
    /// Nothing stands out: where most latencies lie.
    Plain {
        /// Where half of the events lie below.
        median: QuantileInterval,
        /// Where all but the slowest hundredth lie below.
        high: QuantileInterval,
    },
}

/// What a remark is about; the first class is said first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkClass {
    /// Latencies that the declared device cannot have: an answer to what was asked.
    Trust,
    /// A stretch of time in which more was waited.
    Episode,
    /// A level that changed.
    Level,
    /// Who waited.
    Owner,
    /// How latency goes with load.
    Load,
    /// The tail.
    Tail,
    /// Bands.
    Bands,
    /// Less waiting than before: good news.
    Relief,
    /// Hints.
    Hint,
}

/// A remark with its place among the others: by class, then by the waiting it explains.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedRemark {
    /// What there is to say.
    pub remark: Remark,
    /// What it is about.
    pub class: RemarkClass,
    /// Seconds waited that it explains: how much more, or less, than otherwise. An estimate.
    pub seconds: f64,
    /// The share of all time waited in the window that it is about, 0 to 1.
    pub time_share: Option<f64>,
    /// Whether that share is measured, not estimated from the middles of buckets.
    pub exact: bool,
    /// The one series that it is about; `None` for all that is looked at.
    pub series: Option<Series>,
    /// What that series is called beside the others, without what they have in common.
    pub series_name: Option<String>,
    /// What its events do.
    pub operation: Operation,
}

/// The most remarks.
pub(crate) const MOST: usize = 5;
/// The most remarks of one class.
const MOST_OF_CLASS: usize = 2;
/// The slowest hundredth is worth a word if it owns this share of the time.
const MUCH_TIME: f64 = 0.25;
/// A tail of more events than this is none.
const FEW_EVENTS: f64 = 0.05;
/// A mean so many times the median, with at most this share of the events near it, misleads.
const MISLEADS: (f64, f64) = (2.0, 0.3);
/// Gaps shorter than a column are worth a word if they are this share of the time, and much if they
/// are the second.
const MISSING: (f64, f64) = (0.01, 0.1);
/// Time counted where it ended is worth a word if it is this share of all.
const UNPLACED: f64 = 0.01;

/// The most important ones, at most five: by class, then by seconds.
fn foremost(mut ranked: Vec<RankedRemark>) -> Vec<RankedRemark> {
    ranked.sort_by(|one, two| one.class.cmp(&two.class).then(two.seconds.total_cmp(&one.seconds)));
    let classes: Vec<RemarkClass> = ranked.iter().map(|one| one.class).collect();
    let earlier =
        |index: usize| classes[..index].iter().filter(|one| **one == classes[index]).count();
    let mut index = 0;
    let mut more = Vec::new();
    ranked.retain(|one| {
        index += 1;
        let is_kept = earlier(index - 1) < MOST_OF_CLASS;
        if !is_kept && one.class == RemarkClass::Episode {
            more.extend(one.begins());
        }
        is_kept
    });
    more.sort_unstable();
    more.dedup_by_key(|one| one.0);
    let last = ranked.iter().rposition(|one| one.class == RemarkClass::Episode);
    let exact_to = more.iter().map(|one| one.1).max();
    if let (Some(last), Some(exact_to)) = (last, exact_to) {
        let starts = more.into_iter().map(|one| one.0).collect();
        let counted = RankedRemark {
            remark: Remark::More { starts, exact_to },
            class: RemarkClass::Episode,
            seconds: 0.0,
            time_share: None,
            exact: true,
            series: None,
            series_name: None,
            operation: Operation::Unknown,
        };
        ranked.insert(last + 1, counted);
    }
    ranked.truncate(MOST);
    ranked
}

impl RankedRemark {
    /// Whether something happened, so that the reader must know at once.
    pub fn is_alarming(&self) -> bool {
        matches!(self.class, RemarkClass::Trust | RemarkClass::Episode | RemarkClass::Level)
    }
}

impl Findings {
    /// What is worth saying, most important first: one remark at least, five at most.
    pub fn remarks(&self) -> Vec<RankedRemark> {
        self.foremost(self.ranked())
    }

    /// The most important ones of what was ranked; where none says how the latencies are, that they
    /// are plain comes first.
    pub(crate) fn foremost(&self, ranked: Vec<RankedRemark>) -> Vec<RankedRemark> {
        let mut remarks = foremost(ranked);
        if remarks.iter().all(|one| matches!(one.remark, Remark::Unplaced(_))) {
            remarks.insert(0, self.ranked_as(RemarkClass::Hint, 0.0, self.plain()));
        }
        remarks
    }

    pub(crate) fn ranked(&self) -> Vec<RankedRemark> {
        let mut ranked = self.happened();
        let quiet = ranked.is_empty();
        ranked.extend(self.of_owner());
        ranked.extend(self.of_load(quiet));
        ranked.extend(self.of_tail());
        ranked.extend(self.of_shape());
        ranked.extend(self.of_cache_warnings());
        ranked.extend(self.of_gaps());
        ranked.extend(self.of_unplaced());
        ranked
    }

    pub(crate) fn ranked_as(
        &self,
        class: RemarkClass,
        seconds: f64,
        remark: Remark,
    ) -> RankedRemark {
        let (operation, exact) = (self.operation, self.waited.exact && by_time(&remark));
        RankedRemark {
            remark,
            class,
            seconds,
            time_share: None,
            exact,
            series: None,
            series_name: None,
            operation,
        }
    }

    /// The same with the share of all time waited that these seconds are.
    pub(crate) fn owning(&self, remark: RankedRemark, seconds: f64) -> RankedRemark {
        let share = seconds / self.waited.seconds;
        let time_share = share.is_finite().then(|| share.clamp(0.0, 1.0));
        RankedRemark { time_share, ..remark }
    }

    fn plain(&self) -> Remark {
        match self.quantiles.as_slice() {
            [(median, _), _, (high, _), ..] => Remark::Plain { median: *median, high: *high },
            _ => match (self.sampled, self.mean_ns) {
                (Some(sampled), _) => Remark::Sampled(sampled),
                (None, None) => Remark::Nothing,
                (None, Some(mean_ns)) => {
                    let rate = (self.counted_s > 0.0).then(|| self.events as f64 / self.counted_s);
                    Remark::Averages { mean_ns, rate }
                }
            },
        }
    }

    /// What happened in time: stretches and levels, each stretch reported once.
    pub(crate) fn happened(&self) -> Vec<RankedRemark> {
        let mut happened: Vec<RankedRemark> =
            self.changes.iter().map(|change| self.of_change(change)).collect();
        let bursts = self.bursts.iter().map(|burst| self.incident_of(burst));
        let busiest = self.busiest.map(|incident| Incident {
            outside: self.usual.unwrap_or(incident.outside),
            ..incident
        });
        let stretches = busiest.into_iter().chain(bursts);
        for incident in stretches.filter(|incident| !self.is_end_of_ramp(incident)) {
            let ranked = self.of_incident(incident);
            let same = |one: &RankedRemark| one.is_about_when(&ranked, self.known_until);
            match happened.iter().position(same) {
                // A band of its own says more than that latencies were longer.
                Some(index) if says_less(&happened[index].remark) => happened[index] = ranked,
                Some(_) => {}
                None => happened.push(ranked),
            }
        }
        let mut happened = self.taken_together(happened);
        happened.extend(self.period.map(|period| self.of_period(period)));
        happened.extend(self.sampled.and_then(|sampled| self.of_sampled(sampled)));
        happened
    }

    pub(crate) fn of_owner(&self) -> Option<RankedRemark> {
        let owner = self.owner.clone()?;
        let seconds = owner.waited.seconds;
        let ranked = self.ranked_as(RemarkClass::Owner, seconds, Remark::Owner(owner));
        Some(self.owning(ranked, seconds))
    }

    fn of_tail(&self) -> Vec<RankedRemark> {
        let all = self.waited.seconds;
        let beyond = |time: f64, events: f64| (time - events) * all;
        let mut remarks = Vec::new();
        // Where buckets leave open what is in a tail, the bands say more.
        let is_vague = |part: &PartOfTime| part.coarse && !part.is_known() && self.modes.len() > 1;
        let tail = self.tail.filter(|tail| tail.time >= MUCH_TIME && tail.events <= FEW_EVENTS);
        let tail = tail.filter(|tail| !is_vague(&tail.part));
        if let Some(band) = self.slow_band.filter(|band| !is_vague(&band.part)) {
            let extra = beyond(band.time_share, band.share);
            let ranked = self.ranked_as(RemarkClass::Tail, extra, Remark::SlowBand(band));
            remarks.push(self.owning(ranked, band.time_share * all));
        } else if let Some(tail) = tail {
            let extra = beyond(tail.time, tail.events);
            let ranked = self.ranked_as(RemarkClass::Tail, extra, Remark::Tail(tail));
            remarks.push(self.owning(ranked, tail.time * all));
        }
        remarks.extend(self.of_outliers());
        remarks
    }

    fn of_outliers(&self) -> Option<RankedRemark> {
        let longest = self.outliers.iter().max_by_key(|outlier| outlier.bucket.lo)?;
        // Those of a band apart from all others are reported with it.
        if self.slow_band.is_some_and(|band| band.edges.0 <= longest.bucket.lo) {
            return None;
        }
        let events = self.outliers.iter().fold(0_u64, |sum, one| sum.saturating_add(one.events));
        let least = |one: &Outlier| one.events as f64 * one.bucket.lo.as_secs_f64();
        let seconds = self.outliers.iter().map(least).sum();
        let remark = Remark::Outliers { events, longest: *longest };
        Some(self.owning(self.ranked_as(RemarkClass::Tail, seconds, remark), seconds))
    }

    fn of_shape(&self) -> Vec<RankedRemark> {
        let mut remarks = Vec::new();
        if let Some(mean_ns) = self.mean_ns.filter(|_| self.modes.len() > 1) {
            let (modes, exact) = (self.modes.clone(), self.waited.exact);
            let cache = self
                .cache_warnings
                .iter()
                .any(|warning| matches!(warning, CacheWarning::TwoSpeeds { .. }));
            let beyond = modes.iter().map(|mode| mode.time_share - mode.share).fold(0.0, f64::max);
            let remark = Remark::Bands { modes, mean_ns, exact, cache };
            remarks.push(self.ranked_as(RemarkClass::Bands, beyond * self.waited.seconds, remark));
        }
        let skewed = self.average.filter(|average| {
            self.modes.len() == 1
                && average.times_median().0 >= MISLEADS.0
                && average.near.1 <= MISLEADS.1
        });
        let hint = |remark| self.ranked_as(RemarkClass::Hint, 0.0, remark);
        remarks.extend(skewed.map(|average| hint(Remark::Skewed(average))));
        let unstable = self.quantiles.iter().filter(|(_, unstable)| *unstable);
        let on_edge =
            unstable.map(|(quantile, _)| *quantile).find(|quantile| self.on_edge(quantile.q));
        remarks.extend(on_edge.map(|quantile| hint(Remark::Unstable(quantile))));
        remarks
    }

    fn of_cache_warnings(&self) -> Vec<RankedRemark> {
        let ranked = |warning: &CacheWarning| {
            let class = match warning {
                CacheWarning::FasterThanDevice { .. } | CacheWarning::CacheHits { .. } => {
                    RemarkClass::Trust
                }
                CacheWarning::MayBeCache { .. } => RemarkClass::Hint,
                // Said with the modes.
                CacheWarning::TwoSpeeds { .. } => return None,
            };
            Some(self.ranked_as(class, 0.0, Remark::CacheWarning(*warning)))
        };
        self.cache_warnings.iter().filter_map(ranked).collect()
    }

    fn of_gaps(&self) -> Option<RankedRemark> {
        let gaps = self.gaps?;
        let share = gaps.missing_s / (gaps.missing_s + self.covered_s).max(f64::MIN_POSITIVE);
        let class = if share >= MISSING.1 { RemarkClass::Level } else { RemarkClass::Hint };
        let matters = gaps.stretches > 0 || share >= MISSING.0;
        matters.then(|| self.ranked_as(class, 0.0, Remark::Missing(gaps)))
    }

    fn of_unplaced(&self) -> Option<RankedRemark> {
        let found = self.unplaced.filter(|found| found.time_share >= UNPLACED)?;
        let ranked = self.ranked_as(RemarkClass::Hint, found.seconds, Remark::Unplaced(found));
        Some(self.owning(ranked, found.seconds))
    }
}

/// Whether a remark is about stretches of time or series, whose time waited sources know, and not
/// about ranges of latency.
fn by_time(remark: &Remark) -> bool {
    match remark {
        Remark::Averages { .. }
        | Remark::Sampled(_)
        | Remark::Incident(_)
        | Remark::Bursts(_)
        | Remark::Every(_)
        | Remark::Owner(_) => true,
        Remark::Changed(change) => change.kind.part_of_time() >= 1.0,
        _ => false,
    }
}

/// Whether a stretch of time compared with the rest says more than this.
fn says_less(remark: &Remark) -> bool {
    // What lasts is no stretch, but a new level.
    let Remark::Changed(Change { kind, end: Some(_), .. }) = remark else { return false };
    kind.is_no_more_than_a_level()
}

#[cfg(test)]
#[path = "remark_tests.rs"]
mod tests;
