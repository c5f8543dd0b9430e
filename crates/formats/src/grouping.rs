//! Which events are wanted, and which series each belongs to.

use isotherm_frame::{MissingAttribute, Nanos, Reading, Series, Timestamp, UnmetAttribute};
use isotherm_oracle::trace::Names;

use crate::longest::{LongestEvents, TextEvent};
use crate::wildcard::matches;
use crate::{Context, DecodeError, Note, Sink};

/// Tells events apart by the attributes that the user chooses, or by those of the source.
///
/// The first attribute a source knows is the name of its series.
pub struct Grouping {
    attributes: &'static [&'static str],
    /// What a series is called without the first attribute.
    name: &'static str,
    by: Vec<usize>,
    conditions: Vec<Condition>,
    /// Attributes that the user names and the source does not know.
    unknown: Vec<String>,
    /// For each attribute: whether any event had it.
    met: Vec<bool>,
    numbers: Names,
    series: Vec<Series>,
    /// Which of them the last event belongs to, if it is told apart.
    recent: Option<usize>,
    longest: LongestEvents,
    /// That of the events beyond the most series.
    other: Series,
    key: Vec<u8>,
    most: usize,
    /// Whether there are more series than are told apart.
    overflowed: bool,
    unwanted: u64,
    wanted: u64,
    /// Whether the user chose what tells series apart.
    chosen: bool,
}

/// A condition on one attribute.
struct Condition {
    attribute: usize,
    any: Vec<Vec<u8>>,
    none: Vec<Vec<u8>>,
}

impl Condition {
    fn allows(&self, value: &[u8]) -> bool {
        let matched = |pattern: &Vec<u8>| !value.is_empty() && matches(pattern, value);
        (self.any.is_empty() || self.any.iter().any(matched)) && !self.none.iter().any(matched)
    }
}

impl Grouping {
    /// For events with `attributes`, which are told apart by `default` unless the user chooses.
    pub fn new(
        context: &Context,
        name: &'static str,
        attributes: &'static [&'static str],
        default: &[&str],
    ) -> Grouping {
        let mut grouping = Grouping {
            attributes,
            name,
            by: Vec::new(),
            conditions: Vec::new(),
            unknown: Vec::new(),
            met: vec![false; attributes.len()],
            numbers: Names::new(context.most_series()),
            series: Vec::new(),
            recent: None,
            longest: LongestEvents::default(),
            other: Series::other(),
            key: Vec::new(),
            most: context.most_series(),
            overflowed: false,
            unwanted: 0,
            wanted: 0,
            chosen: !context.by.is_empty(),
        };
        let chosen = context.by.iter().filter_map(|name| grouping.find(name)).collect();
        let default = || default.iter().filter_map(|name| index_of(attributes, name)).collect();
        grouping.by = if context.by.is_empty() { default() } else { chosen };
        for only in &context.only {
            if let Some(attribute) = grouping.find(&only.attribute) {
                grouping.add_condition(attribute, only.pattern.as_bytes(), only.other);
            }
        }
        grouping
    }

    fn find(&mut self, name: &str) -> Option<usize> {
        let name = name.trim();
        let found = index_of(self.attributes, name);
        if found.is_none() && !self.unknown.iter().any(|unknown| unknown == name) {
            self.unknown.push(name.to_owned());
        }
        found
    }

    fn add_condition(&mut self, attribute: usize, pattern: &[u8], other: bool) {
        let known = self.conditions.iter().position(|known| known.attribute == attribute);
        let at = known.unwrap_or_else(|| {
            self.conditions.push(Condition { attribute, any: Vec::new(), none: Vec::new() });
            self.conditions.len() - 1
        });
        let condition = &mut self.conditions[at];
        let patterns = if other { &mut condition.none } else { &mut condition.any };
        patterns.push(pattern.to_vec());
    }

    /// Whether the user names the attribute in a condition or to tell series apart.
    pub(crate) fn asks_for(&self, name: &str) -> bool {
        let Some(attribute) = index_of(self.attributes, name) else { return false };
        self.by.contains(&attribute)
            || self.conditions.iter().any(|condition| condition.attribute == attribute)
    }

    /// Which one of several latencies of the same events the user chooses by this attribute; `None`
    /// if nothing is said of it. Several would count each event more than once.
    pub(crate) fn choice(
        &self,
        name: &str,
        values: &[&'static str],
    ) -> Result<Option<&'static str>, DecodeError> {
        if !self.asks_for(name) {
            return Ok(None);
        }
        let attribute = index_of(self.attributes, name);
        let conditions = || self.conditions.iter().filter(|one| Some(one.attribute) == attribute);
        let allowed = |value: &&&str| conditions().all(|one| one.allows(value.as_bytes()));
        let mut chosen = values.iter().filter(allowed);
        match (chosen.next(), chosen.next()) {
            (Some(one), None) => Ok(Some(one)),
            _ => Err(DecodeError::Request(format!(
                "{name} chooses one latency of each event, so that no time is counted twice: use \
                 --where {name}={}",
                values.join(", or ")
            ))),
        }
    }

    /// Whether a condition names this value of the attribute.
    pub(crate) fn names(&self, name: &str, value: &[u8]) -> bool {
        let attribute = index_of(self.attributes, name);
        let mut of = self.conditions.iter().filter(|known| Some(known.attribute) == attribute);
        of.any(|condition| condition.any.iter().any(|pattern| matches(pattern, value)))
    }

    /// The series of an event with these values, one for each attribute and empty where it has
    /// none; `None` if such events are not asked for.
    pub fn series(&mut self, values: &[&[u8]]) -> Option<Series> {
        self.series_of(values).cloned()
    }

    fn series_of(&mut self, values: &[&[u8]]) -> Option<&Series> {
        self.recent = None;
        for (met, value) in self.met.iter_mut().zip(values) {
            *met |= !value.is_empty();
        }
        let value = |attribute: usize| values.get(attribute).copied().unwrap_or_default();
        if !self.conditions.iter().all(|condition| condition.allows(value(condition.attribute))) {
            self.unwanted += 1;
            return None;
        }
        self.wanted += 1;
        self.key.clear();
        for &attribute in &self.by {
            self.key.extend_from_slice(value(attribute));
            self.key.push(0);
        }
        let Some(number) = self.numbers.number(&self.key) else {
            self.overflowed = true;
            return Some(&self.other);
        };
        if number >= self.series.len() {
            let series = self.made(values);
            self.series.push(series);
        }
        self.recent = Some(number);
        self.series.get(number)
    }

    /// Tells the sink an event with these values, which ended `at` a moment: also one that is not
    /// asked for says until when its input reaches.
    pub(crate) fn tell(
        &mut self,
        values: &[&[u8]],
        (at, latency): (Timestamp, Nanos),
        sink: &mut dyn Sink,
    ) {
        match self.series_of(values) {
            // A reading would be moved several times, and have a handle of the series of its own.
            Some(series) => sink.event(at, series, latency),
            None => sink.reading(Reading::Unselected { at, latency }),
        }
    }

    /// As [`Grouping::tell`]; of each series the longest of these events becomes its example.
    pub(crate) fn tell_text(
        &mut self,
        values: &[&[u8]],
        event: TextEvent<'_>,
        sink: &mut dyn Sink,
    ) {
        self.tell(values, (event.at, event.latency), sink);
        if let Some(series) = self.recent {
            self.longest.take(series, event);
        }
    }

    /// As [`Grouping::tell`], of an event whose true length may be so far from `latency`.
    pub(crate) fn tell_within(
        &mut self,
        values: &[&[u8]],
        (at, latency): (Timestamp, Nanos),
        within: Nanos,
        sink: &mut dyn Sink,
    ) {
        if within == Nanos::ZERO {
            return self.tell(values, (at, latency), sink);
        }
        sink.reading(match self.series(values) {
            Some(series) => Reading::Sampled { at, series, latency, within },
            None => Reading::Unselected { at, latency },
        });
    }

    #[cold]
    fn made(&self, values: &[&[u8]]) -> Series {
        let text = |attribute: usize| {
            let value = values.get(attribute).copied().unwrap_or_default();
            (!value.is_empty()).then(|| String::from_utf8_lossy(value).into_owned())
        };
        let named = self.by.contains(&0).then(|| text(0)).flatten();
        let others = self.by.iter().filter(|&&attribute| attribute != 0);
        let attributes = others
            .filter_map(|&attribute| Some((*self.attributes.get(attribute)?, text(attribute)?)));
        Series::with_attributes(named.unwrap_or_else(|| self.name.to_owned()), attributes)
    }

    /// Tells at the end of the input what was asked for and is not there.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.longest.finish(&self.series, sink);
        if self.overflowed {
            let words =
                format!("more than {} series: the events of the rest are in '(other)'", self.most);
            sink.note(Note::Said(words.into()));
        }
        if self.wanted == 0 && self.unwanted > 0 {
            sink.note(Note::Said("no event matches --where".into()));
        }
        let known: Vec<String> = self.attributes.iter().map(|name| (*name).to_owned()).collect();
        let asked = self.attributes.iter().zip(&self.met);
        let absent = asked.filter(|(name, met)| !**met && self.asks_for(name));
        let absent: Vec<String> = absent.map(|(name, _)| (*name).to_owned()).collect();
        if self.wanted + self.unwanted == 0 {
            return;
        }
        for name in absent.into_iter().filter(|name| !self.is_default(name)) {
            sink.note(Note::UnmetAttribute(UnmetAttribute { name, event: "event" }));
        }
        for name in self.unknown.drain(..) {
            sink.note(Note::MissingAttribute(MissingAttribute { name, known: known.clone() }));
        }
    }

    /// Whether the attribute tells series apart although nobody asked for it.
    fn is_default(&self, name: &str) -> bool {
        let attribute = index_of(self.attributes, name);
        !self.chosen && !self.conditions.iter().any(|known| Some(known.attribute) == attribute)
    }
}

fn index_of(attributes: &[&str], name: &str) -> Option<usize> {
    attributes.iter().position(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;
    use crate::Only;

    const KNOWN: &[&str] = &["call", "file", "size"];

    fn grouping(by: &[&str], only: &[(&str, &str, bool)]) -> Grouping {
        let by = by.iter().map(|name| (*name).to_owned()).collect();
        let only = only.iter().map(|(attribute, pattern, other)| Only {
            attribute: (*attribute).to_owned(),
            pattern: (*pattern).to_owned(),
            other: *other,
        });
        let context =
            Context { by, only: only.collect(), most_series: Some(3), ..Context::default() };
        Grouping::new(&context, "calls", KNOWN, &["call"])
    }

    fn name(grouping: &mut Grouping, values: [&str; 3]) -> Option<String> {
        let values = values.map(str::as_bytes);
        grouping.series(&values).map(|series| series.full())
    }

    #[test]
    fn series_have_the_attributes_that_are_chosen() {
        let read = ["read", "/a", "8 KiB"];
        assert_eq!(name(&mut grouping(&[], &[]), read).unwrap(), "read");
        let by = &mut grouping(&["file", "call"], &[]);
        assert_eq!(name(by, read).unwrap(), "read{file=/a}");
        assert_eq!(name(by, ["read", "", ""]).unwrap(), "read");
        let size = &mut grouping(&["size"], &[]);
        assert_eq!(name(size, read).unwrap(), "calls{size=8 KiB}");
    }

    #[test]
    fn conditions_are_any_of_some_and_none_of_others() {
        let only = [("call", "read", false), ("call", "p*", false), ("file", "/tmp/*", true)];
        let wanted = &mut grouping(&[], &only);
        assert!(name(wanted, ["read", "/a", ""]).is_some());
        assert!(name(wanted, ["pread64", "", ""]).is_some());
        assert!(name(wanted, ["write", "/a", ""]).is_none());
        assert!(name(wanted, ["read", "/tmp/x", ""]).is_none());
    }

    #[test]
    fn of_several_latencies_of_an_event_one_is_read() {
        let choice = |by: &[&str], only: &[(&str, bool)]| {
            let only = only.iter().map(|(pattern, other)| Only {
                attribute: "time".to_owned(),
                pattern: (*pattern).to_owned(),
                other: *other,
            });
            let by = by.iter().map(|name| (*name).to_owned()).collect();
            let context = Context { by, only: only.collect(), ..Context::default() };
            let grouping = Grouping::new(&context, "jobs", &["job", "time"], &["job"]);
            grouping.choice("time", &["all", "part", "rest"]).map_err(|error| error.to_string())
        };
        assert_eq!(choice(&["job"], &[]), Ok(None));
        assert_eq!(choice(&[], &[("part", false)]), Ok(Some("part")));
        assert_eq!(choice(&["time"], &[("re*", false)]), Ok(Some("rest")));
        assert_eq!(choice(&[], &[("all", true), ("part", true)]), Ok(Some("rest")));
        for (by, only) in
            [(&["time"][..], vec![]), (&[], vec![("*", false)]), (&[], vec![("x", false)])]
        {
            let refused = choice(by, &only).unwrap_err();
            assert!(refused.contains("--where time=all, or part, or rest"), "{refused}");
        }
    }

    #[test]
    fn what_is_too_much_or_missing_is_reported() {
        let by = &mut grouping(&["call", "file", "colour"], &[]);
        let names = ["a", "b", "c", "d"].map(|call| name(by, [call, "", ""]).unwrap());
        assert_eq!(names, ["a", "b", "c", "(other)"]);
        let mut account = Account::default();
        by.finish(&mut account);
        let said: Vec<_> = account.notices.iter().map(ToString::to_string).collect();
        assert!(said[0].contains("more than 3 series"), "{said:?}");
        assert_eq!(said[1], "no event has the attribute 'file'");
        assert_eq!(
            account.unmet_attributes,
            [UnmetAttribute { name: "file".to_owned(), event: "event" }]
        );
        assert_eq!(account.missing_attributes[0].name, "colour");
        assert_eq!(
            ["call", "file", "FILE", "colour"].map(|name| account.lacks(name)),
            [false, true, true, true]
        );
    }
}
