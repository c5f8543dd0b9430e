//! Names that may have been meant.

/// Those of some names that are within two edits of `unknown`, nearest first.
pub fn nearest<'n>(unknown: &str, names: &[&'n str]) -> Vec<&'n str> {
    let mut near: Vec<_> = names
        .iter()
        .map(|name| (edits(unknown, name), *name))
        .filter(|(edits, name)| *edits <= 2 && *edits < name.len())
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, name)| name).collect()
}

/// How many letters must be added, removed or changed to make `from` into `to`.
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (done, letter) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = done + 1;
        for (column, other) in to.bytes().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("disk", "disk"), 0);
        assert_eq!(edits("disc", "disk"), 1);
        assert_eq!(edits("", "cmd"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
