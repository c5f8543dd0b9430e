//! Series beyond the most that are told apart: attributes of few values keep them.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::Series;

/// The most combinations of values that are kept beside the most series.
const MOST_KEPT: usize = 250;

/// The events beyond the most combinations of attributes are counted together. An attribute of few values
/// has its own value there, too, so that its counts stay whole: with thousands of sessions and four files
/// it is still known how many events each file had.
#[derive(Debug, Default)]
pub(crate) struct BeyondMost {
    /// The values that are kept, by attribute; none for an attribute that is not.
    kept: Option<BTreeMap<String, BTreeSet<String>>>,
    made: BTreeMap<Vec<String>, Series>,
}

impl BeyondMost {
    /// The series of an event with these attributes, beyond those that are known.
    pub(crate) fn series<'a>(
        &mut self,
        known: impl Iterator<Item = &'a Series>,
        name: &str,
        attributes: &[(&str, String)],
    ) -> Series {
        let kept = self.kept.get_or_insert_with(|| kept(known));
        let other = || Series::OTHER.to_owned();
        let is_kept = |key: &str, value: &String| kept.get(key).is_some_and(|k| k.contains(value));
        let values: Vec<String> = attributes
            .iter()
            .map(|(key, value)| if is_kept(key, value) { value.clone() } else { other() })
            .collect();
        if let Some(series) = self.made.get(&values) {
            return series.clone();
        }
        let pairs = attributes.iter().map(|(key, _)| *key).zip(values.iter().cloned());
        let series = Series::with_attributes(name, pairs);
        self.made.insert(values, series.clone());
        series
    }
}

/// The values of the attributes with the fewest values, as many as there is room for.
fn kept<'a>(known: impl Iterator<Item = &'a Series>) -> BTreeMap<String, BTreeSet<String>> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, value) in known.flat_map(Series::attributes) {
        let of = values.entry(key.to_owned()).or_default();
        // More of them are not kept in any case.
        if of.len() <= MOST_KEPT {
            of.insert(value.to_owned());
        }
    }
    let mut fewest_first: Vec<(String, BTreeSet<String>)> = values.into_iter().collect();
    fewest_first.sort_by_key(|(_, values)| values.len());
    // One more stands for what is not among them.
    let mut combinations = 1_usize;
    let fits = |(_, values): &(String, BTreeSet<String>)| {
        combinations = combinations.saturating_mul(values.len() + 1);
        combinations <= MOST_KEPT
    };
    fewest_first.into_iter().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_kept_and_many_are_others() {
        let series = |session: usize, file: usize| {
            let attributes = [("session", format!("s{session}")), ("file", format!("f{file}"))];
            Series::with_attributes("latency", attributes)
        };
        let known: Vec<Series> = (0..1_000).map(|number| series(number, number % 4)).collect();
        let mut beyond = BeyondMost::default();
        let mut of = |session: &str, file: &str| {
            let attributes = [("session", session.to_owned()), ("file", file.to_owned())];
            beyond.series(known.iter(), "latency", &attributes).full()
        };
        assert_eq!(of("s7", "f1"), "latency{file=f1,session=(other)}");
        assert_eq!(of("s1234", "f0"), "latency{file=f0,session=(other)}");
        assert_eq!(of("s1234", "f9"), "latency{file=(other),session=(other)}");
        // An attribute of as many values as there are series keeps none.
        let known: Vec<Series> = (0..1_000)
            .map(|number| Series::with_attributes("latency", [("id", number.to_string())]))
            .collect();
        let other =
            BeyondMost::default().series(known.iter(), "latency", &[("id", "5".to_owned())]);
        assert_eq!(other.full(), "latency{id=(other)}");
    }
}
