//! Words for dimensions, numbers and values.

use isotherm_analysis::{Activity, ActivityFilter, Dimension, WaitAge};
use isotherm_frame::{NameKind, Nanos};

use crate::narration::two_digits;

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

/// How long a wait has lasted: `4.2s` as the server says, `>4.2s` where samples have found it for so long,
/// `<100ms` where only the last one did.
pub fn wait_age(age: Option<WaitAge>) -> String {
    match age {
        None => "-".to_owned(),
        // The first sample of all found it.
        Some(WaitAge::AtLeast(Nanos::ZERO)) => "?".to_owned(),
        Some(WaitAge::Known(length)) => short_length(length),
        Some(WaitAge::AtLeast(length)) => format!(">{}", short_length(length)),
        Some(WaitAge::LessThan(length)) => format!("<{}", short_length(length)),
    }
}

/// `70µs`, `4.2s`, `3m07s`, `2h05m`.
fn short_length(length: Nanos) -> String {
    let seconds = length.as_nanos() / 1_000_000_000;
    match seconds {
        0..100 => two_digits(length),
        100..7_200 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3_600, seconds % 3_600 / 60),
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
    fn an_age_says_whether_it_is_that_of_the_server() {
        let ms = Nanos::from_millis;
        let ages = [
            None,
            Some(WaitAge::Known(Nanos::new(70_000))),
            Some(WaitAge::Known(ms(187_900))),
            Some(WaitAge::AtLeast(ms(4_200))),
            Some(WaitAge::AtLeast(ms(0))),
            Some(WaitAge::AtLeast(ms(7_500_000))),
            Some(WaitAge::LessThan(ms(100))),
        ];
        let shown = ages.map(wait_age);
        assert_eq!(shown, ["-", "70µs", "3m07s", ">4.2s", "?", ">2h05m", "<100ms"]);
    }

    #[test]
    fn what_is_not_zero_is_not_shown_as_zero() {
        let shown = [0.0, 1e-9, 0.004_999, 0.005, 0.5, 9.994, 9.995, 99.95].map(sessions);
        assert_eq!(shown, ["0.00", "<0.01", "<0.01", "0.01", "0.50", "9.99", "10.0", "100"]);
    }
}
