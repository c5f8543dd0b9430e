//! Between values of the vocabulary and columns of the tables.

use isotherm_frame::{Histogram, Nanos, Scheme, Series};
use serde_json::{Map, Value};

/// Bounds as JSON; `null` for "no upper bound".
pub(crate) fn bounds_text(scheme: &Scheme) -> String {
    let bound = |&bound: &u64| if bound == Scheme::UNBOUNDED { Value::Null } else { bound.into() };
    Value::from(scheme.bounds().iter().map(bound).collect::<Vec<Value>>()).to_string()
}

/// Reads what [`bounds_text`] writes.
pub(crate) fn scheme_from(text: &str) -> Result<Scheme, String> {
    let bounds: Vec<Option<u64>> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let bounds = bounds.into_iter().map(|bound| bound.unwrap_or(Scheme::UNBOUNDED)).collect();
    Scheme::new(bounds).map_err(|error| error.to_string())
}

/// Attributes as a JSON object, sorted by key.
pub(crate) fn attributes_text(series: &Series) -> String {
    let object: Map<String, Value> =
        series.attributes().map(|(key, value)| (key.to_owned(), value.into())).collect();
    Value::Object(object).to_string()
}

/// The series of that name and these attributes.
pub(crate) fn series_from(name: String, attributes: &str) -> Result<Series, String> {
    let object: std::collections::BTreeMap<String, String> =
        serde_json::from_str(attributes).map_err(|error| error.to_string())?;
    Ok(Series::with_attributes(name, object))
}

/// The non-zero run of counts: the bucket it begins at, and the counts as JSON.
pub(crate) fn counts_text(counts: &Histogram) -> (i64, String) {
    let counts = counts.counts();
    let lo = counts.iter().position(|&count| count > 0).unwrap_or(0);
    let end = counts.iter().rposition(|&count| count > 0).map_or(lo, |last| last + 1);
    let numbers: Vec<String> = counts[lo..end].iter().map(ToString::to_string).collect();
    (i64::try_from(lo).unwrap_or(0), format!("[{}]", numbers.join(",")))
}

/// Reads what [`counts_text`] writes.
pub(crate) fn histogram_from(
    scheme: &Scheme,
    lo: i64,
    text: &str,
    sum_ns: Option<i64>,
) -> Result<Histogram, String> {
    let run: Vec<u64> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let lo = usize::try_from(lo).map_err(|error| error.to_string())?;
    let end = lo.saturating_add(run.len());
    let mut counts = vec![0; scheme.buckets()];
    let place = counts.get_mut(lo..end).ok_or("more counts than the scheme has buckets")?;
    place.copy_from_slice(&run);
    let sum = sum_ns.map(u64::try_from).transpose().map_err(|error| error.to_string())?;
    Histogram::new(scheme.clone(), counts, sum.map(Nanos::new)).map_err(|error| error.to_string())
}
