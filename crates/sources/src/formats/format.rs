//! A format, ready to be recognised and read.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::definition::{Definition, OUTCOME};
use super::values::Test;

/// A format, with all that follows from its definition.
pub(super) struct Format {
    pub(super) definition: Definition,
    /// As it is written.
    pub(super) text: String,
    /// The fields it looks at: each with the names it may have.
    pub(super) fields: Vec<Vec<String>>,
    pub(super) time: Vec<usize>,
    pub(super) latency: Vec<usize>,
    pub(super) attributes: Vec<AttributePlan>,
    pub(super) only: Vec<(usize, Vec<Test>)>,
    pub(super) failed: Vec<(usize, Vec<Test>)>,
    pub(super) sequence: Option<usize>,
    patterns: OnceLock<Patterns>,
}

/// An attribute of events.
#[derive(Clone, Debug)]
pub(super) struct AttributePlan {
    pub(super) name: String,
    /// None of the outcome.
    pub(super) field: Option<usize>,
    pub(super) is_path: bool,
}

/// Its regular patterns, which are made when they are needed first.
pub(super) struct Patterns {
    pub(super) lines: Vec<Regex>,
    pub(super) lost: Vec<Regex>,
    /// Of a table without names.
    pub(super) row: Option<Regex>,
}

fn pattern(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text).unicode(false).build().map_err(|error| error.to_string())
}

impl Format {
    pub(super) fn parse(text: String) -> Result<Format, String> {
        let definition = Definition::parse(&text)?;
        let names = definition.fields();
        let at = |name: &String| names.iter().position(|known| known == name);
        let places = |fields: &[String]| fields.iter().filter_map(at).collect::<Vec<usize>>();
        let time = definition.time.as_ref().map(|time| places(&time.fields)).unwrap_or_default();
        let latency = definition.latency.as_ref();
        let latency = latency.map(|latency| [places(&latency.fields), places(&latency.between)].concat());
        let attributes = definition.attributes.iter();
        let mut attributes: Vec<AttributePlan> = attributes
            .map(|(name, of)| AttributePlan { name: name.clone(), field: at(of.field()), is_path: of.is_path() })
            .collect();
        if !definition.failed.is_empty() {
            attributes.push(AttributePlan { name: OUTCOME.to_owned(), field: None, is_path: false });
        }
        let tests = |(field, values): (&String, &Vec<String>)| {
            Some((at(field)?, values.iter().map(|value| Test::of(value)).collect()))
        };
        let only = definition.only.iter().filter_map(tests).collect();
        let failed = definition.failed.iter().filter_map(tests).collect();
        let sequence = definition.sequence.as_ref().and_then(at);
        let fields = names.iter().map(|name| name.split('|').map(str::to_owned).collect()).collect();
        let patterns = OnceLock::new();
        let latency = latency.unwrap_or_default();
        let format =
            Format { definition, text, fields, time, latency, attributes, only, failed, sequence, patterns };
        format.made_patterns().map(drop)?;
        Ok(format)
    }

    /// The patterns of a format that was found to be right.
    pub(super) fn patterns(&self) -> &Patterns {
        self.patterns.get_or_init(|| {
            self.made_patterns().unwrap_or(Patterns { lines: Vec::new(), lost: Vec::new(), row: None })
        })
    }

    fn made_patterns(&self) -> Result<Patterns, String> {
        let all = |texts: &[String]| texts.iter().map(|text| pattern(text)).collect::<Result<_, _>>();
        let of = |text: &Option<String>| text.as_deref().map(pattern).transpose();
        Ok(Patterns {
            lines: all(&self.definition.lines)?,
            lost: all(&self.definition.lost)?,
            row: of(&self.definition.recognise.pattern)?,
        })
    }
}
