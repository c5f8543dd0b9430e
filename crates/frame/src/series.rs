//! What a histogram is about: a name and attributes.

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::Detail;
use crate::visible::shown_name;

/// What follows the name of a series of averages.
const AVERAGES: &str = " (averages)";

/// The identity of one line of measurements: a name (a wait event, a map of a tracing program)
/// and attributes that tell it from its siblings (device, operation, instance).
///
/// Cheap to clone. Two series are the same when name and attributes are, whatever the order in
/// which the attributes were given.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series(Arc<Identity>);

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Identity {
    name: String,
    /// Sorted by key; each key once.
    attributes: Vec<(String, String)>,
    /// Last, so that the order of names comes first.
    detail: Detail,
}

impl Series {
    /// A series without attributes.
    pub fn named(name: impl Into<String>) -> Series {
        Series::of(name.into(), Vec::new(), Detail::Distribution)
    }

    /// A series with attributes; of attributes with the same key the last one counts.
    pub fn with_attributes<K, V>(
        name: impl Into<String>,
        attributes: impl IntoIterator<Item = (K, V)>,
    ) -> Series
    where
        K: Into<String>,
        V: Into<String>,
    {
        let sorted: std::collections::BTreeMap<String, String> =
            attributes.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        Series::of(name.into(), sorted.into_iter().collect(), Detail::Distribution)
    }

    fn of(name: String, attributes: Vec<(String, String)>, detail: Detail) -> Series {
        Series(Arc::new(Identity { name, attributes, detail }))
    }

    /// The series of the same name and attributes of which this much is known: averages and
    /// distributions of one name are two series.
    #[must_use]
    pub fn with_detail(&self, detail: Detail) -> Series {
        if self.detail() == detail {
            return self.clone();
        }
        Series::of(self.0.name.clone(), self.0.attributes.clone(), detail)
    }

    /// What all series of this name and of this detail are together: the name without attributes.
    #[must_use]
    pub fn kind(&self) -> Series {
        Series::named(self.name()).with_detail(self.detail())
    }

    /// How much is known of the events.
    pub fn detail(&self) -> Detail {
        self.0.detail
    }

    /// The same series with one more attribute; one of the same key gives way.
    #[must_use]
    pub fn with_attribute(&self, key: &str, value: &str) -> Series {
        let attributes = self.attributes().chain([(key, value)]);
        Series::with_attributes(self.name(), attributes).with_detail(self.detail())
    }

    /// What an attribute, or a name, is called where several values are counted together because there
    /// are too many.
    pub const OTHER: &'static str = "(other)";

    /// Whether it stands for several that are not told apart: nobody to name, and where it begins is
    /// where there were too many.
    pub fn is_other(&self) -> bool {
        self.name() == Series::OTHER || self.attributes().any(|(_, value)| value == Series::OTHER)
    }

    /// What stands for all series beyond the most that are distinguished.
    pub fn other() -> Series {
        static OTHER: LazyLock<Series> = LazyLock::new(|| Series::named(Series::OTHER));
        OTHER.clone()
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The attributes, sorted by key.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.attributes.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Whether both handles share one allocation: a quick yes for a hot loop; `false` says nothing.
    pub fn is_same_handle(&self, other: &Series) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Series {
    /// `name` or `name{key=value,...}`, followed by ` (averages)` where nothing but these is known;
    /// exact and in full: for programs and for matching. People
    /// are shown what [`Display`](fmt::Display) gives.
    pub fn full(&self) -> String {
        let mut text = self.name().to_owned();
        for (index, (key, value)) in self.attributes().enumerate() {
            text.push(if index == 0 { '{' } else { ',' });
            text.push_str(key);
            text.push('=');
            text.push_str(value);
        }
        if self.attributes().len() > 0 {
            text.push('}');
        }
        if self.detail() == Detail::Averages {
            text.push_str(AVERAGES);
        }
        text
    }
}

impl fmt::Display for Series {
    /// As [`Series::full`], for people: see [`shown_name`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&shown_name(&self.full()))
    }
}

impl fmt::Debug for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Series({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_order_does_not_make_another_series() {
        let one = Series::with_attributes("read", [("device", "vda"), ("op", "R")]);
        let two = Series::with_attributes("read", [("op", "R"), ("device", "vda")]);
        assert_eq!(one, two);
        assert_eq!(one.to_string(), "read{device=vda,op=R}");
        assert_eq!(Series::named("read").to_string(), "read");
    }

    #[test]
    fn averages_are_a_series_of_their_own() {
        let latencies = Series::with_attributes("read", [("device", "vda")]);
        let averages = latencies.with_detail(Detail::Averages);
        assert_ne!(latencies, averages);
        assert_eq!(averages.to_string(), "read{device=vda} (averages)");
        assert_eq!(averages.with_attribute("op", "R").detail(), Detail::Averages);
        assert_eq!(averages.with_detail(Detail::Distribution), latencies);
        assert_eq!(averages.kind().to_string(), "read (averages)");
    }

    #[test]
    fn people_see_every_character_and_programs_the_exact_name() {
        let series = Series::with_attributes("a\x1b]52;c;AA\x07", [("file", "x\n\u{202e}y")]);
        assert_eq!(series.to_string(), "a\u{fffd}]52;c;AA\u{fffd}{file=x\u{fffd}\u{fffd}y}");
        assert_eq!(series.full(), "a\x1b]52;c;AA\x07{file=x\n\u{202e}y}");
    }

    #[test]
    fn a_long_name_is_shortened_for_people_only() {
        let series = Series::named("n".repeat(1 << 20));
        assert_eq!(series.to_string().chars().count(), crate::LONGEST_NAME);
        assert_eq!(format!("{series:>300}").chars().count(), 300);
        assert_eq!(series.full().len(), 1 << 20);
    }
}
