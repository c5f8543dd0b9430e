//! The distinct blocks among random references, by their closed formula.

/// Blocks that are as likely as each other to be referenced.
#[derive(Copy, Clone, Debug)]
pub struct Uniform {
    pub blocks: u64,
}

impl Uniform {
    /// The mean number of distinct blocks among this many references: W (1 - (1 - 1/W)^n).
    pub fn distinct(self, references: u64) -> f64 {
        self.blocks as f64 * (1.0 - self.left_out(1, references))
    }

    /// The standard deviation of it: that of the number of blocks without a reference.
    pub fn deviation(self, references: u64) -> f64 {
        let blocks = self.blocks as f64;
        let (one, two) = (self.left_out(1, references), self.left_out(2, references));
        let variance =
            blocks * one + blocks * (blocks - 1.0) * two - (blocks * one) * (blocks * one);
        // Rounding may leave a little less than nothing.
        variance.max(0.0).sqrt()
    }

    /// The chance that no reference is to some of the blocks: (1 - some/W)^n.
    fn left_out(self, some: u64, references: u64) -> f64 {
        if references == 0 {
            return 1.0;
        }
        // Exact where some/W is small.
        (references as f64 * (-(some as f64) / self.blocks as f64).ln_1p()).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and standard deviation of all sequences of references.
    fn by_hand(blocks: u64, references: u32) -> (f64, f64) {
        let count = |mut sequence: u64| {
            let mut seen = vec![false; usize::try_from(blocks).unwrap()];
            for _ in 0..references {
                seen[usize::try_from(sequence % blocks).unwrap()] = true;
                sequence /= blocks;
            }
            seen.iter().filter(|seen| **seen).count() as f64
        };
        let all: Vec<f64> = (0..blocks.pow(references)).map(count).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let squares: f64 = all.iter().map(|one| (one - mean).powi(2)).sum();
        (mean, (squares / all.len() as f64).sqrt())
    }

    #[test]
    fn the_formula_is_the_mean_of_all_sequences() {
        for (blocks, references) in [(1, 3), (2, 0), (2, 1), (2, 5), (3, 4), (5, 6)] {
            let (mean, deviation) = by_hand(blocks, references);
            let uniform = Uniform { blocks };
            let found = uniform.distinct(u64::from(references));
            assert!((found - mean).abs() < 1e-9, "{blocks} {references}: {found} {mean}");
            let found = uniform.deviation(u64::from(references));
            assert!((found - deviation).abs() < 1e-7, "{blocks} {references}: {found} {deviation}");
        }
    }
}
