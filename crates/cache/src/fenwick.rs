//! Marks at positions, and how many there are up to one of them (Fenwick 1994).

/// Marked positions from 0: a mark is set, removed, and those up to a position are counted, each in
/// a time that grows with the logarithm of the number of positions.
#[derive(Clone, Debug)]
pub(crate) struct Fenwick {
    /// Entry `i` counts the marks of the `i & -i` positions that end at `i - 1`; entry 0 is not used.
    counts: Vec<u32>,
}

impl Fenwick {
    /// Positions of which the first `marked` have a mark.
    pub fn with_marks(positions: usize, marked: usize) -> Fenwick {
        let mut counts = vec![0_u32; positions + 1];
        for at in 1..=positions {
            counts[at] += u32::from(at <= marked);
            let next = at + lowest_bit(at);
            if next <= positions {
                counts[next] += counts[at];
            }
        }
        Fenwick { counts }
    }

    /// The number of positions.
    pub fn positions(&self) -> usize {
        self.counts.len() - 1
    }

    /// Marks a position that has no mark.
    pub fn mark(&mut self, position: usize) {
        let mut at = position + 1;
        while let Some(count) = self.counts.get_mut(at) {
            *count += 1;
            at += lowest_bit(at);
        }
    }

    /// Removes the mark of a position that has one.
    pub fn unmark(&mut self, position: usize) {
        let mut at = position + 1;
        while let Some(count) = self.counts.get_mut(at) {
            *count -= 1;
            at += lowest_bit(at);
        }
    }

    /// The number of marks up to and with a position.
    pub fn up_to(&self, position: usize) -> usize {
        let mut at = position + 1;
        let mut sum = 0;
        while at > 0 {
            sum += self.counts[at] as usize;
            at -= lowest_bit(at);
        }
        sum
    }

    /// The memory of the counts, bytes.
    pub fn memory_bytes(&self) -> u64 {
        (self.counts.capacity() * size_of::<u32>()) as u64
    }
}

/// The lowest bit that is set.
fn lowest_bit(number: usize) -> usize {
    number & number.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_wherever_they_stand() {
        for positions in 1..40 {
            for marked in 0..=positions {
                let mut marks = Fenwick::with_marks(positions, marked);
                let mut plain: Vec<bool> = (0..positions).map(|at| at < marked).collect();
                for at in (0..positions).step_by(3) {
                    if plain[at] {
                        marks.unmark(at);
                    } else {
                        marks.mark(at);
                    }
                    plain[at] = !plain[at];
                }
                for at in 0..positions {
                    let counted = plain[..=at].iter().filter(|&&mark| mark).count();
                    assert_eq!(marks.up_to(at), counted, "{positions} {marked} {at}");
                }
            }
        }
    }
}
