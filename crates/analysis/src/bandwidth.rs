//! How wide a Gaussian kernel is that smooths counts in bins: two rules.

/// Silverman's rule of thumb (1986, *Density Estimation*, eq. 3.31): `0.9 min(sd, IQR / 1.34)
/// n^(-1/5)`, in bins.
pub(crate) fn silverman(bins: &[f64]) -> f64 {
    let events: f64 = bins.iter().sum();
    let at = |power: i32| {
        let terms = bins.iter().enumerate().map(|(i, n)| n * (i as f64 + 0.5).powi(power));
        terms.sum::<f64>() / events
    };
    let sd = (at(2) - at(1).powi(2)).max(0.0).sqrt();
    let iqr = quantile(bins, 0.75 * events) - quantile(bins, 0.25 * events);
    let spread = if iqr > 0.0 { sd.min(iqr / 1.34) } else { sd };
    0.9 * spread * events.powf(-0.2)
}

/// The position below which `rank` events lie.
fn quantile(bins: &[f64], rank: f64) -> f64 {
    let mut below = 0.0;
    for (index, &events) in bins.iter().enumerate() {
        if events > 0.0 && below + events >= rank {
            return index as f64 + (rank - below) / events;
        }
        below += events;
    }
    bins.len() as f64
}

/// The stages of the plug-in estimate.
const STAGES: i32 = 7;
/// The most cosine terms: those beyond are of structure narrower than any kernel used.
const TERMS: usize = 512;
/// What adds less than this share to a sum is left out.
const NOTHING: f64 = 1e-18;

/// The bandwidth in bins of Botev, Grotowski & Kroese (2010), *Kernel Density Estimation via
/// Diffusion*: where it is its own plug-in estimate, `t = xi gamma^[7](t)`, the smallest root for
/// the square of the bandwidth as a share of the range. It assumes no shape, so that several hills
/// far apart do not widen it. `None` where there is no root.
pub(crate) fn improved_sheather_jones(bins: &[f64]) -> Option<f64> {
    let events: f64 = bins.iter().sum();
    // Room on both sides, so that nothing is reflected at the ends.
    let room = bins.len() / 4 + 1;
    let length = (bins.len() + 2 * room) as f64;
    let squares = cosine_squares(bins, room, length);
    let excess = |t: f64| t - plug_in(t, &squares, events);
    let mut low = (0.25 / length).powi(2);
    let mut steps = 0;
    let mut before = excess(low);
    while steps < 60 {
        let high = low * 1.5;
        let after = excess(high);
        if before < 0.0 && after >= 0.0 {
            return Some(bisected(&excess, (low, high)).sqrt() * length);
        }
        (low, before) = (high, after);
        steps += 1;
    }
    None
}

/// Where a rising function is zero between two places.
fn bisected(of: &impl Fn(f64) -> f64, (mut low, mut high): (f64, f64)) -> f64 {
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if of(middle) < 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The squares of the cosine transform of the shares of events, without the constant: each with
/// the square of its frequency.
fn cosine_squares(bins: &[f64], room: usize, length: f64) -> Vec<(f64, f64)> {
    let events: f64 = bins.iter().sum();
    let filled: Vec<(f64, f64)> = bins
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0.0)
        .map(|(index, count)| (((index + room) as f64 + 0.5) / length, count / events))
        .collect();
    // cos (k + 1) x = 2 cos x cos k x - cos (k - 1) x.
    let wave = |(x, _): &(f64, f64)| {
        let first = (std::f64::consts::PI * x).cos();
        (first, 1.0, first)
    };
    let mut waves: Vec<(f64, f64, f64)> = filled.iter().map(wave).collect();
    let mut squares = Vec::new();
    for k in (1..TERMS).take_while(|k| (*k as f64) < length) {
        let sum: f64 = waves.iter().zip(&filled).map(|(wave, (_, share))| share * wave.2).sum();
        squares.push(((k as f64).powi(2), sum * sum));
        for wave in &mut waves {
            (wave.1, wave.2) = (wave.2, 2.0 * wave.0 * wave.2 - wave.1);
        }
    }
    squares
}

/// `xi gamma^[7](t)`: seven plug-in stages, each estimating the roughness of a derivative.
fn plug_in(t: f64, squares: &[(f64, f64)], events: f64) -> f64 {
    let pi = std::f64::consts::PI;
    let roughness = |order: i32, time: f64| {
        let sum: f64 = squares
            .iter()
            .map(|(k2, a2)| (k2.powi(order) * a2, (-k2 * pi * pi * time).exp()))
            .take_while(|(_, damped)| *damped > NOTHING)
            .map(|(rough, damped)| rough * damped)
            .sum();
        2.0 * pi.powi(2 * order) * sum
    };
    let mut f = roughness(STAGES, t);
    for order in (2..STAGES).rev() {
        let odd: f64 = (1..order).map(|n| f64::from(2 * n + 1)).product();
        let factor = (1.0 + 0.5_f64.powf(f64::from(order) + 0.5)) / 3.0;
        let constant = odd / (2.0 * pi).sqrt();
        let time = (2.0 * constant * factor / (events * f)).powf(2.0 / f64::from(3 + 2 * order));
        f = roughness(order, time);
    }
    (2.0 * events * pi.sqrt() * f).powf(-0.4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hills of a deviation of 8 bins, so many bins apart, of 10,000 events each.
    fn hills(count: usize, apart: usize) -> Vec<f64> {
        let density = |away: f64| (-0.5 * (away / 8.0).powi(2)).exp() / (8.0 * 2.506_628_27);
        let at = |bin: usize, hill: usize| bin as f64 + 0.5 - (40 + hill * apart) as f64;
        let all = |bin: usize| (0..count).map(|hill| 1e4 * density(at(bin, hill))).sum::<f64>();
        (0..80 + apart * count).map(all).collect()
    }

    #[test]
    fn of_one_normal_hill_both_rules_give_about_the_best() {
        // The best for a normal density: (4 / 3n)^(1/5) of its deviation (Silverman 1986, 3.28).
        let best = 8.0 * (4.0_f64 / 3e4).powf(0.2);
        let hill = hills(1, 0);
        assert!((silverman(&hill) / best - 0.9 / 1.06).abs() < 0.03);
        let improved = improved_sheather_jones(&hill).unwrap();
        assert!((improved / best - 1.0).abs() < 0.15, "{improved} {best}");
    }

    #[test]
    fn hills_far_apart_widen_only_silvermans() {
        let one = improved_sheather_jones(&hills(1, 0)).unwrap();
        let four = improved_sheather_jones(&hills(4, 96)).unwrap();
        assert!((four / one - 1.0).abs() < 0.2, "{four} {one}");
        assert!(silverman(&hills(4, 96)) > 5.0 * four);
    }
}
