//! Lines of statistics beside a histogram.

use isotherm_frame::Unit;

/// The names and values of a line that holds nothing but statistics: `min/avg/max: 33/41/60`,
/// `count=8 avg=41us`.
pub(super) fn statistics(line: &str) -> Option<Vec<(String, f64)>> {
    const NAMES: [&str; 14] = [
        "min", "max", "avg", "average", "mean", "median", "count", "cnt", "sum", "total", "n",
        "stddev", "mdev", "samples",
    ];
    // A title such as "total 5" or "n" may be a key.
    if !line.contains(['=', ':']) {
        return None;
    }
    let words = line.split(|c: char| c.is_whitespace() || "=:,;/|()".contains(c));
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.to_ascii_lowercase();
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        if NAMES.contains(&word.as_str()) {
            names.push(word);
        } else if let Ok(value) = digits.parse::<f64>()
            && (digits.len() == word.len() || word[digits.len()..].parse::<Unit>().is_ok())
        {
            values.push(value);
        } else if word.parse::<Unit>().is_err() {
            return None;
        }
    }
    (!names.is_empty() && names.len() == values.len())
        .then(|| names.into_iter().zip(values).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_no_titles() {
        let read = |line: &str| {
            let found = statistics(line)?;
            Some(
                found
                    .into_iter()
                    .map(|(name, value)| format!("{name} {value}"))
                    .collect::<Vec<_>>(),
            )
        };
        let expected = Some(vec!["min 33".to_owned(), "avg 41".to_owned(), "max 60".to_owned()]);
        for line in
            ["min/avg/max: 33/41/60", "min=33 avg=41 max=60", "min: 33us, avg: 41us, max: 60us"]
        {
            assert_eq!(read(line), expected, "{line}");
        }
        for line in ["accept wait (us)", "total: disk sda", "n", "total 5", "count: 5 6", "read: 8"]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
