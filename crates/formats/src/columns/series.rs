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
    /// The number of each combination.
    known: AHashMap<Vec<u8>, usize>,
    series: Vec<Series>,
    beyond_most: BeyondMost,
    /// The combination of the last line, which is often the next one's too, and its number; none of one beyond the
    /// most.
    last: Option<usize>,
    last_key: Vec<u8>,
    key: Vec<u8>,
    /// The last one beyond the most.
    beyond: Series,
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
        SeriesByAttributes {
            name,
            beyond: none.clone(),
            none,
            most,
            advice,
            said: false,
            known: AHashMap::new(),
            series: Vec::new(),
            beyond_most: BeyondMost::default(),
            last: None,
            last_key: Vec::new(),
            key: Vec::new(),
        }
    }

    /// The series of events without attributes.
    pub(crate) fn without_attributes(&self) -> &Series {
        &self.none
    }

    /// The series there were.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Series> {
        std::iter::once(&self.none).chain(&self.series)
    }

    /// Whether some combinations are counted together.
    pub(crate) fn has_too_many(&self) -> bool {
        self.said
    }

    /// The series of an event with these attributes, which are the same ones each time and in the same order: those
    /// that an event does not have are none.
    pub(crate) fn of<'a>(
        &mut self,
        attributes: impl Iterator<Item = (&'a str, Option<Cow<'a, [u8]>>)> + Clone,
        sink: &mut dyn Sink,
    ) -> &Series {
        let mut is_none = true;
        self.key.clear();
        // They come in one order: their names need not be there.
        for (_, value) in attributes.clone() {
            match value {
                Some(value) => {
                    let length = u32::try_from(value.len()).unwrap_or(u32::MAX - 1) + 1;
                    self.key.extend_from_slice(&length.to_le_bytes());
                    self.key.extend_from_slice(&value);
                    is_none = false;
                }
                None => self.key.extend_from_slice(&[0; 4]),
            }
        }
        if is_none {
            return &self.none;
        }
        if self.last.is_none() || self.key != self.last_key {
            self.last = self.known.get(&self.key).copied();
            if self.last.is_none() {
                self.last = self.add(attributes, sink);
            }
            std::mem::swap(&mut self.last_key, &mut self.key);
        }
        self.last.and_then(|number| self.series.get(number)).unwrap_or(&self.beyond)
    }

    /// Adds the series of a combination that was not there before; none if there are too many.
    #[cold]
    fn add<'a>(
        &mut self,
        attributes: impl Iterator<Item = (&'a str, Option<Cow<'a, [u8]>>)>,
        sink: &mut dyn Sink,
    ) -> Option<usize> {
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let named = attributes.filter_map(|(name, value)| Some((name, text(&value?))));
        if self.series.len() < self.most {
            self.known.insert(self.key.clone(), self.series.len());
            self.series.push(Series::with_attributes(self.name.as_str(), named));
            return Some(self.series.len() - 1);
        }
        if !std::mem::replace(&mut self.said, true) {
            let text = format!(
                "more than {} combinations of attributes: in further ones, attributes of many \
                 values are (other) ({})",
                self.most, self.advice
            );
            sink.note(Note::Said(text.into()));
        }
        let named: Vec<_> = named.collect();
        self.beyond = self.beyond_most.series(self.series.iter(), &self.name, &named);
        None
    }
}
