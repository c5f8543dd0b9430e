//! Whether values over time repeat themselves, and how often.

/// How values repeat.
pub(crate) struct Rhythm {
    /// From one cycle to the next, in values.
    pub every: f64,
    /// Busy parts seen, those cut by the first and the last value included.
    pub bursts: usize,
    /// The busy part, as a share of a cycle.
    pub busy: f64,
    /// Where the busy part begins, as a share of a cycle counted from the first value.
    from: f64,
}

impl Rhythm {
    /// Whether the middle of this value lies in the busy part of its cycle.
    pub fn is_busy(&self, index: usize) -> bool {
        let phase = (index as f64 + 0.5) / self.every;
        (phase - self.from).rem_euclid(1.0) < self.busy
    }

    /// The middle of the busy part of the first cycle, in values.
    pub fn middle(&self) -> f64 {
        (self.from + self.busy / 2.0).rem_euclid(1.0) * self.every
    }
}

/// The fewest cycles that make a rhythm.
const LEAST_CYCLES: usize = 4;
/// The shortest cycle, in values.
const SHORTEST: f64 = 4.0;
/// The most cycles that values are compared over.
const MOST_APART: f64 = 12.0;
/// The least contrast of correlations, and the least in standard errors.
/// Set by simulation, see the tests: runs without rhythm reach 8, clear rhythms begin at 12.
const CONTRAST: (f64, f64) = (0.25, 9.0);
/// A shorter cycle is the true one if its contrast is at least this share of the best.
const AS_GOOD: f64 = 0.8;
/// The share of the cycles that must be busy in the busy part.
const MOST_CYCLES: f64 = 0.75;
/// The most parts a cycle is divided into to find the busy one.
const PARTS: usize = 48;

/// The rhythm of values (`None` where unknown), if there is one: the autocorrelation at whole
/// cycles stands out from that at half ones (a trend or a slow drift is much the same at both), by
/// nine standard errors (Bartlett 1946), because the best of many cycles is taken; and when the cycles are laid over each other (epoch folding,
/// Leahy et al. 1983), the busy part is busy in three of four.
pub(crate) fn rhythm(values: &[Option<f64>]) -> Option<Rhythm> {
    let level = levelled(values);
    let correlation = autocorrelation(&level);
    let every = cycle(&correlation, level.iter().flatten().count())?;
    let seen = values.len() as f64 / every;
    // The cycle is known to within a value divided by the number of cycles.
    let every = if (every - every.round()).abs() * seen <= 1.0 { every.round() } else { every };
    let cycles = whole(values.len() as f64 / every);
    let folded = Folded::new(&level, every);
    let (from, busy) = folded.busy()?;
    let rhythm = Rhythm { every, bursts: 0, busy, from };
    if cycles < LEAST_CYCLES || !busy_often(&rhythm, cycles, &level) {
        return None;
    }
    let bursts = bursts(&rhythm, &level);
    Some(Rhythm { bursts, ..rhythm })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "never negative")]
fn whole(value: f64) -> usize {
    value.max(0.0) as usize
}

/// The share of values beyond which they count as the last one within: wild values, fewer than there are
/// busy parts in a rhythm, are none.
const WILD: f64 = 0.005;

/// Square roots of the values, without the wildest, less their mean over a quarter of the time, so
/// that no trend is left, and smoothed over neighbours, so that a cycle need not be whole values.
fn levelled(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut known: Vec<f64> = values.iter().flatten().map(|value| value.max(0.0).sqrt()).collect();
    known.sort_by(f64::total_cmp);
    let wild = whole(known.len() as f64 * WILD).max(LEAST_CYCLES - 1);
    let limit = known.len().checked_sub(1 + wild).map_or(0.0, |index| known[index]);
    let calm: Vec<Option<f64>> =
        values.iter().map(|value| value.map(|value| value.max(0.0).sqrt().min(limit))).collect();
    let smooth = moving(&calm, 1);
    let trend = moving(&calm, (values.len() / 8).max(2));
    let less = |(value, trend): (&Option<f64>, &Option<f64>)| Some((*value)? - (*trend)?);
    smooth.iter().zip(&trend).map(less).collect()
}

/// The mean of the known values at most `reach` away; `None` where the value itself is unknown.
fn moving(values: &[Option<f64>], reach: usize) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0)];
    for value in values {
        let (sum, count) = sums[sums.len() - 1];
        sums.push(value.map_or((sum, count), |value| (sum + value, count + 1.0)));
    }
    let mean = |index: usize| {
        let (from, to) = (index.saturating_sub(reach), (index + reach + 1).min(values.len()));
        let count = sums[to].1 - sums[from].1;
        values[index].map(|_| (sums[to].0 - sums[from].0) / count)
    };
    (0..values.len()).map(mean).collect()
}

/// The autocorrelation at all lags up to three quarters of the values.
fn autocorrelation(values: &[Option<f64>]) -> Vec<f64> {
    let at_lag = |lag: usize| {
        let pairs = values.iter().zip(&values[lag..]).filter_map(|(one, two)| one.zip(*two));
        let (sum, count) =
            pairs.fold((0.0, 0.0), |(sum, count), (one, two)| (sum + one * two, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    };
    let variance = at_lag(0);
    if variance <= 0.0 {
        return Vec::new();
    }
    (0..=values.len() * 3 / 4).map(|lag| at_lag(lag) / variance).collect()
}

/// The shortest cycle whose contrast is about as good as the best.
fn cycle(correlation: &[f64], known: usize) -> Option<f64> {
    let longest = known as f64 / LEAST_CYCLES as f64;
    let noise = noise(correlation, known);
    let mut candidates = Vec::new();
    let mut every = SHORTEST;
    while every <= longest {
        let apart = (correlation.len() as f64 / every).floor().clamp(1.0, MOST_APART);
        let contrast = contrast(correlation, every, whole(apart));
        candidates.push((every, contrast, contrast / (noise * (2.0 / apart).sqrt())));
        every += 0.5 / apart;
    }
    let passes =
        |&&(_, contrast, errors): &&(f64, f64, f64)| contrast >= CONTRAST.0 && errors >= CONTRAST.1;
    let best = candidates.iter().filter(passes).map(|found| found.1).reduce(f64::max)?;
    let first = candidates.iter().position(|found| found.1 >= AS_GOOD * best)?;
    let hill = candidates[first..].iter().take_while(|found| found.1 >= AS_GOOD * best);
    let top = hill.clone().map(|found| found.1).reduce(f64::max)?;
    let near = hill.filter(|found| found.1 >= 0.97 * top).map(|found| found.0);
    let (sum, count) = near.fold((0.0, 0.0), |(sum, count), every| (sum + every, count + 1.0));
    Some(sum / count)
}

/// The mean correlation at whole cycles, less that at half ones.
fn contrast(correlation: &[f64], every: f64, cycles: usize) -> f64 {
    let at = |lag: f64| correlation.get(whole(lag.round())).copied().unwrap_or(0.0);
    let of_cycle = |cycle: usize| at(cycle as f64 * every) - at((cycle as f64 - 0.5) * every);
    (1..=cycles).map(of_cycle).sum::<f64>() / cycles as f64
}

/// The standard error of a correlation of values without rhythm: Bartlett's formula over the lags
/// before the first correlation that is not positive.
fn noise(correlation: &[f64], known: usize) -> f64 {
    let short = correlation.iter().skip(1).take_while(|&&value| value > 0.0);
    let sum: f64 = short.map(|value| value * value).sum();
    ((1.0 + 2.0 * sum) / known.max(1) as f64).sqrt()
}

/// The mean of the values in each part of a cycle.
struct Folded(Vec<f64>);

impl Folded {
    fn new(values: &[Option<f64>], every: f64) -> Folded {
        let parts = whole(every.round()).clamp(4, PARTS);
        let mut sums = vec![(0.0, 0.0); parts];
        for (index, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let phase = ((index as f64 + 0.5) / every).fract();
            let part = whole(phase * parts as f64).min(parts - 1);
            sums[part] = (sums[part].0 + value, sums[part].1 + 1.0);
        }
        Folded(sums.iter().map(|(sum, count)| sum / f64::max(*count, 1.0)).collect())
    }

    /// The parts around the busiest that rise a third of its height above the middle one: where they begin,
    /// and how long they are, as shares of a cycle.
    fn busy(&self) -> Option<(f64, f64)> {
        let parts = self.0.len();
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let (quiet, most) = (sorted[parts / 2], *sorted.last()?);
        let top = self.0.iter().position(|&value| value >= most)?;
        let is_busy = |part: usize| self.0[part % parts] > quiet + (most - quiet) / 3.0;
        let after = (1..parts).take_while(|&step| is_busy(top + step)).count();
        let before = (1..parts - after).take_while(|&step| is_busy(top + parts - step)).count();
        let from = (top + parts - before) % parts;
        Some((from as f64 / parts as f64, (before + 1 + after) as f64 / parts as f64))
    }
}

/// Whether in most cycles the busy part stands out from the rest by half as much as it does on
/// average: that of lone bursts does so in few.
fn busy_often(rhythm: &Rhythm, cycles: usize, values: &[Option<f64>]) -> bool {
    let mut cycles = vec![Parts::default(); cycles];
    let mut all = Parts::default();
    for (index, value) in values.iter().enumerate() {
        let cycle = cycles.get_mut(whole((index as f64 + 0.5) / rhythm.every));
        let (Some(value), Some(cycle)) = (value, cycle) else { continue };
        cycle.add(*value, rhythm.is_busy(index));
        all.add(*value, rhythm.is_busy(index));
    }
    let Some(usual) = all.apart() else { return false };
    let apart: Vec<f64> = cycles.iter().filter_map(Parts::apart).collect();
    let often = apart.iter().filter(|&&apart| apart >= usual / 2.0).count();
    apart.len() >= LEAST_CYCLES && often as f64 >= MOST_CYCLES * apart.len() as f64
}

/// How many busy parts stand out from the rest by half as much as they do on average. Cycles are
/// no bursts: ten bursts can lie in nine whole cycles and two halves.
fn bursts(rhythm: &Rhythm, values: &[Option<f64>]) -> usize {
    let mut all = Parts::default();
    let known = values.iter().enumerate().filter_map(|(index, value)| Some((index, (*value)?)));
    known.for_each(|(index, value)| all.add(value, rhythm.is_busy(index)));
    let (Some(usual), Some(calm)) = (all.apart(), mean(all.calm)) else { return 0 };
    let indices: Vec<usize> = (0..values.len()).collect();
    let parts = indices.chunk_by(|&one, &two| rhythm.is_busy(one) == rhythm.is_busy(two));
    let busy = parts.filter(|part| part.first().is_some_and(|&index| rhythm.is_busy(index)));
    let stands_out = |part: &&[usize]| {
        let known = part.iter().filter_map(|&index| values[index]);
        let highest = known.reduce(f64::max);
        highest.is_some_and(|highest| highest - calm >= usual / 2.0)
    };
    busy.filter(stands_out).count()
}

fn mean((sum, count): (f64, f64)) -> Option<f64> {
    (count > 0.0).then(|| sum / count)
}

/// Sums and numbers of values in the busy part of a cycle and in the rest of it.
#[derive(Clone, Default)]
struct Parts {
    busy: (f64, f64),
    calm: (f64, f64),
}

impl Parts {
    fn add(&mut self, value: f64, busy: bool) {
        let part = if busy { &mut self.busy } else { &mut self.calm };
        *part = (part.0 + value, part.1 + 1.0);
    }

    /// The mean of the busy part less that of the rest.
    fn apart(&self) -> Option<f64> {
        Some(mean(self.busy)? - mean(self.calm)?)
    }
}
