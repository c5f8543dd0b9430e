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

/// A number of sessions: `0.25`, `12.3`, `140`.
pub fn sessions(number: f64) -> String {
    match number {
        ..9.995 => format!("{number:.2}"),
        ..99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
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
                value.split(", ").filter_map(|id| activity.name(NameKind::Blocker, id)).collect();
            (!about.is_empty()).then(|| about.join("; "))
        }
        Dimension::Session => activity.who(value),
        _ => None,
    };
    (value.to_owned(), text)
}

/// What a filter takes: `event Lock:tuple, SQL 42`.
pub fn filter_words(filter: &ActivityFilter) -> String {
    let words = filter.0.iter().map(|(by, value)| {
        let value: &str = if value.is_empty() { "(none)" } else { value };
        format!("{} {value}", dimension_title(*by))
    });
    words.collect::<Vec<_>>().join(", ")
}
