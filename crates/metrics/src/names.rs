//! Names and values of labels, as the exposition format asks for them.

use std::collections::BTreeSet;

use isotherm_frame::{Detail, Series};

/// Labels that have a meaning of their own.
const TAKEN: [&str; 4] = ["le", "source", "series", DETAIL];
/// What is known of a series, where its totals share a metric with series of which more is known.
const DETAIL: &str = "detail";

/// Names and values of labels.
pub type Labels = Vec<(String, String)>;

/// The labels of a series: its source, its name and its attributes. No two attributes get one label, but
/// two series may have the same ones: attributes `a b` and `a_b` of one value are then one.
pub fn labels(source: &str, series: &Series) -> Labels {
    let mut used: BTreeSet<String> = TAKEN.iter().map(|&name| name.to_owned()).collect();
    let mut pairs = vec![
        ("source".to_owned(), source.to_owned()),
        ("series".to_owned(), series.name().to_owned()),
    ];
    for (key, value) in series.attributes() {
        let wanted = label(key);
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let free =
            std::iter::once(wanted.clone()).chain(numbered).find(|name| !used.contains(name));
        let name = free.unwrap_or(wanted);
        used.insert(name.clone());
        pairs.push((name, value.to_owned()));
    }
    pairs
}

/// The label of a source.
pub fn source_label(source: &str) -> Labels {
    vec![("source".to_owned(), source.to_owned())]
}

/// The labels of a series in a metric that those of all details share.
pub fn with_detail(labels: &[(String, String)], detail: Detail) -> Labels {
    let mut labels = labels.to_vec();
    if detail == Detail::Averages {
        labels.push((DETAIL.to_owned(), "averages".to_owned()));
    }
    labels
}

/// Labels as they stand between braces, without `le`.
pub fn braced(labels: &[(String, String)]) -> String {
    let texts = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    texts.collect::<Vec<_>>().join(",")
}

/// A name of a label: letters, digits and `_`, no digit first, and not `__` first, which is kept for
/// servers.
fn label(key: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '_';
    let name: String = key.chars().map(|one| if is_plain(one) { one } else { '_' }).collect();
    let name = name.trim_start_matches('_');
    match name.chars().next() {
        None => "attribute".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("attribute_{name}"),
        Some(_) => name.to_owned(),
    }
}

/// The value of a label as it stands between quotes.
pub fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_plain_and_differ() {
        let series = Series::with_attributes(
            "log \"file\" sync\n",
            [("sql id", "a\\b"), ("sql-id", "c"), ("9", "nine"), ("le", "5"), ("__x", "y")],
        );
        let text = braced(&labels("oracle", &series));
        assert!(
            text.starts_with("source=\"oracle\",series=\"log \\\"file\\\" sync\\n\""),
            "{text}"
        );
        for part in [
            "sql_id=\"a\\\\b\"",
            "sql_id_2=\"c\"",
            "attribute_9=\"nine\"",
            "le_2=\"5\"",
            ",x=\"y\"",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
