//! Touch counts in classes: they have no upper bound.

/// The classes, in order.
pub(super) const NAMES: [&str; 8] = ["0", "1", "2", "3-4", "5-9", "10-19", "20-49", "50+"];
/// The most touches of each class but the last.
const MOST: [u64; 7] = [0, 1, 2, 4, 9, 19, 49];

/// The class of this many touches.
pub(super) fn class(touches: u64) -> usize {
    MOST.iter().position(|&most| touches <= most).unwrap_or(MOST.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_in_the_class_of_its_name() {
        for (touches, name) in
            [(0, "0"), (2, "2"), (3, "3-4"), (4, "3-4"), (5, "5-9"), (49, "20-49"), (50, "50+")]
        {
            assert_eq!(NAMES[class(touches)], name);
        }
        assert_eq!(NAMES[class(u64::MAX)], "50+");
    }
}
