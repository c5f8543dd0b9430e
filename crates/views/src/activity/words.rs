//! Words for dimensions, numbers and values.

use isotherm_analysis::{Activity, ActivityFilter, Dimension};
use isotherm_frame::NameKind;

/// The title of the table of a dimension.
pub fn dimension_title(by: Dimension) -> &'static str {
    match by {
        Dimension::Class => "wait class",
        Dimension::Event => "event",
        Dimension::Sql => "SQL",
        Dimension::User => "user",
        Dimension::Program => "program",
        Dimension::Blocker => "blocker",
        Dimension::Session => "session",
    }
}

/// The same as a word of JSON and of the command line.
pub fn dimension_word(by: Dimension) -> &'static str {
    match by {
        Dimension::Class => "class",
        Dimension::Sql => "sql",
        other => dimension_title(other),
    }
}

/// A number of sessions: `0.25`, `12.3`, `140`; `<0.01` is not nothing.
pub fn sessions(number: f64) -> String {
    match number {
        ..=0.0 => "0.00".to_owned(),
        ..0.005 => "<0.01".to_owned(),
        ..9.995 => format!("{number:.2}"),
        ..99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// How many samples there are, of those that were due: `40 of 80 samples`.
pub fn samples(taken: usize, due: usize) -> String {
    let of = if due > taken { format!(" of {due}") } else { String::new() };
    format!("{taken}{of} samples")
}

/// What is said of sessions that the user may not see.
pub fn hidden_sessions(number: u32) -> Option<String> {
    (number > 0).then(|| {
        format!(
            "{number} sessions of other users are hidden and not counted: a superuser can allow it \
             with GRANT pg_read_all_stats TO this user"
        )
    })
}

/// A value with what stands behind it: the text of a statement, what a blocker does.
pub fn shown_value(activity: &Activity, by: Dimension, value: &str) -> (String, Option<String>) {
    if value.is_empty() {
        let none = match by {
            Dimension::Blocker => "(not blocked)",
            Dimension::Sql => "(no statement)",
            _ => "(none)",
        };
        return (none.to_owned(), None);
    }
    let text = match by {
        Dimension::Sql => activity.name(NameKind::Sql, value).map(str::to_owned),
        Dimension::Blocker => {
            let about: Vec<&str> =
                value.split(", ").filter_map(|id| about_blocker(activity, id)).collect();
            (!about.is_empty()).then(|| about.join("; "))
        }
        Dimension::Session => activity.who(value),
        _ => None,
    };
    (value.to_owned(), text)
}

/// Who a blocker is and what it does.
pub(super) fn about_blocker<'a>(activity: &'a Activity, id: &str) -> Option<&'a str> {
    activity.name(NameKind::Blocker, id).filter(|about| !about.is_empty())
}

/// What a filter takes: `event Lock:tuple, SQL 42`.
pub fn filter_words(filter: &ActivityFilter) -> String {
    let words = filter.0.iter().map(|(by, value)| {
        let value: &str = if value.is_empty() { "(none)" } else { value };
        format!("{} {value}", dimension_title(*by))
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_zero_is_not_shown_as_zero() {
        let shown = [0.0, 1e-9, 0.004_999, 0.005, 0.5, 9.994, 9.995, 99.95].map(sessions);
        assert_eq!(shown, ["0.00", "<0.01", "<0.01", "0.01", "0.50", "9.99", "10.0", "100"]);
    }
}
