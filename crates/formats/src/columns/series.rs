//! The series of events, by the values of their attributes.

use std::borrow::Cow;

use ahash::AHashMap;
use isotherm_frame::Series;

use crate::beyond_most::BeyondMost;
use crate::{Note, Sink};

/// The series of each combination of attributes.
#[derive(Debug)]
pub(crate) struct SeriesByAttributes {
    name: String,
    none: Series,
    /// The most that are told apart.
    most: usize,
    /// How the user makes them fewer.
    advice: &'static str,
    /// Whether it has been said that there are more.
    said: bool,
    known: AHashMap<Vec<u8>, Series>,
    beyond_most: BeyondMost,
    /// The combination of the last line, which is most often the next one's too.
    last: (Vec<u8>, Option<Series>),
    key: Vec<u8>,
}

impl SeriesByAttributes {
    /// More combinations than `most` are counted together: a column of request numbers must not
    /// fill the memory.
    pub(crate) fn new(
        name: impl Into<String>,
        most: usize,
        advice: &'static str,
    ) -> SeriesByAttributes {
        let name = name.into();
        let none = Series::named(name.clone());
        let (known, last, key) = (AHashMap::new(), (Vec::new(), None), Vec::new());
        let beyond_most = BeyondMost::default();
        SeriesByAttributes { name, none, most, advice, said: false, known, beyond_most, last, key }
    }

    /// The series of events without attributes.
    pub(crate) fn without_attributes(&self) -> &Series {
        &self.none
    }

    /// The series there were.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Series> {
        std::iter::once(&self.none).chain(self.known.values())
    }

    /// Whether some combinations are counted together.
    pub(crate) fn has_too_many(&self) -> bool {
        self.said
    }

    /// The series of an event with these attributes.
    pub(crate) fn of<'a>(
        &mut self,
        attributes: impl Iterator<Item = (&'a str, Cow<'a, [u8]>)> + Clone,
        sink: &mut dyn Sink,
    ) -> Series {
        self.key.clear();
        for (name, value) in attributes.clone() {
            // Not every event has every attribute.
            self.key.extend_from_slice(name.as_bytes());
            self.key.push(0);
            self.key.extend_from_slice(&value);
            self.key.push(0);
        }
        if self.key.is_empty() {
            return self.none.clone();
        }
        if let (key, Some(series)) = &self.last
            && *key == self.key
        {
            return series.clone();
        }
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let series = match self.known.get(&self.key) {
            Some(series) => series.clone(),
            None if self.known.len() < self.most => {
                let named = attributes.map(|(name, value)| (name, text(&value)));
                let series = Series::with_attributes(self.name.as_str(), named);
                self.known.insert(self.key.clone(), series.clone());
                series
            }
            None => {
                if !std::mem::replace(&mut self.said, true) {
                    let text = format!(
                        "more than {} combinations of attributes: in further ones, attributes of many \
                         values are (other) ({})",
                        self.most, self.advice
                    );
                    sink.note(Note::Said(text.into()));
                }
                let named: Vec<_> = attributes.map(|(name, value)| (name, text(&value))).collect();
                self.beyond_most.series(self.known.values(), &self.name, &named)
            }
        };
        self.last = (self.key.clone(), Some(series.clone()));
        series
    }
}
