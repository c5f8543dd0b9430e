//! A format, ready to be recognised and read.

use std::sync::OnceLock;

use isotherm_frame::Unit;
use regex::bytes::{Regex, RegexBuilder};

use super::definition::{Definition, LatencyField, OUTCOME, SeriesChoice};
use super::necessary::Necessary;
use super::values::{Test, are_seconds_of};
use crate::number;

/// A format, with all that follows from its definition.
pub(super) struct Format {
    pub(super) definition: Definition,
    /// As it is written.
    pub(super) text: String,
    /// The fields it looks at: each with the names it may have.
    pub(super) fields: Vec<Vec<String>>,
    pub(super) time: Vec<usize>,
    /// The moment after which times of day are.
    pub(super) since: Option<usize>,
    /// The sorts of events it may hold, of which one is read; at least one, unless it is refused.
    pub(super) choices: Vec<Choice>,
    pub(super) attributes: Vec<AttributePlan>,
    /// The field of the name of the sort of each line.
    pub(super) sort: Option<usize>,
    /// What a line has that declares a sort of times.
    pub(super) declared: Vec<(usize, Vec<Test>)>,
    pub(super) only: Vec<(usize, Vec<Test>)>,
    pub(super) failed: Vec<(usize, Vec<Test>)>,
    /// The same where an input has none of these fields.
    pub(super) failed_else: Vec<(usize, Vec<Test>)>,
    /// The number by which a row is known to lie within the next one.
    pub(super) within: Option<usize>,
    pub(super) sequence: Option<usize>,
    /// The name and the group by which rows of parts are known.
    pub(super) parts: Option<[usize; 2]>,
    made: MadePatterns,
}

/// Its regular patterns, each as soon as it is needed.
#[derive(Default)]
struct MadePatterns {
    lines: OnceLock<Vec<Regex>>,
    row: OnceLock<Option<Regex>>,
    begin: OnceLock<Option<Regex>>,
    others: OnceLock<Patterns>,
}

/// A sort of events.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) only: Vec<(usize, Vec<Test>)>,
    /// What all of it shows that a row is of another sort.
    pub(super) except: Vec<(usize, Vec<Test>)>,
    /// What shows that one failed, if not the same as of all.
    pub(super) failed: Option<Vec<(usize, Vec<Test>)>>,
    pub(super) latency: LatencyField,
    pub(super) fields: Vec<usize>,
    /// The same in whole seconds.
    pub(super) whole_seconds: Option<usize>,
    /// Whether its latency is elsewhere than that of the others.
    pub(super) is_apart: bool,
}

/// An attribute of events.
#[derive(Clone, Debug)]
pub(super) struct AttributePlan {
    pub(super) name: String,
    /// None of the outcome.
    pub(super) field: Option<usize>,
    pub(super) is_path: bool,
}

/// Its regular patterns but those of its rows and of how an input begins.
#[derive(Default)]
pub(super) struct Patterns {
    pub(super) lost: Vec<Regex>,
    pub(super) carried: Vec<Regex>,
    pub(super) runs: RunPatterns,
    pub(super) nested: Option<(Regex, Regex)>,
}

/// Those of the lines of its runs.
#[derive(Clone, Default)]
pub(super) struct RunPatterns {
    pub(super) sent: Vec<Regex>,
    pub(super) begin: Vec<Regex>,
    pub(super) totals: Vec<Regex>,
}

fn all_patterns(texts: &[String]) -> Result<Vec<Regex>, String> {
    texts.iter().map(|text| pattern(text)).collect()
}

fn pattern(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text).unicode(false).build().map_err(|error| error.to_string())
}

/// The attributes of its events, and whether one failed, if that is known.
fn attributes(definition: &Definition, at: &dyn Fn(&String) -> Option<usize>) -> Vec<AttributePlan> {
    let plan = |name: &String, field, is_path| AttributePlan { name: name.clone(), field, is_path };
    let attributes = definition.attributes.iter();
    let attributes = attributes.map(|(name, of)| plan(name, at(of.field()), of.is_path()));
    let outcome = (!definition.failed.is_empty()).then(|| plan(&OUTCOME.to_owned(), None, false));
    attributes.chain(outcome).collect()
}

fn tests_of(values: &[String]) -> Vec<Test> {
    values.iter().map(|value| Test::of(value)).collect()
}

impl Format {
    pub(super) fn parse(text: String) -> Result<Format, String> {
        let format = Format::of(Definition::parse(&text)?, text);
        format.made_patterns().map(drop)?;
        all_patterns(&format.definition.lines)?;
        let recognise = &format.definition.recognise;
        for text in [&recognise.pattern, &recognise.begin].into_iter().flatten() {
            pattern(text)?;
        }
        Ok(format)
    }

    /// The same of a definition that is known to be right, and its text. Patterns are not made yet: that takes longer
    /// than all else.
    pub(super) fn of(definition: Definition, text: String) -> Format {
        let names = definition.fields();
        let at = |name: &String| names.iter().position(|known| known == name);
        let places = |fields: &[String]| fields.iter().filter_map(at).collect::<Vec<usize>>();
        let time = definition.time.as_ref().map(|time| places(&time.fields)).unwrap_or_default();
        let since = definition.time.as_ref().and_then(|time| time.since.as_ref()).and_then(at);
        let sort = definition.series_field.as_ref().and_then(at);
        let attributes = attributes(&definition, &at);
        let tests = |(field, values): (&String, &Vec<String>)| Some((at(field)?, tests_of(values)));
        let only = definition.only.iter().filter_map(tests).collect();
        let choice = |name: String, series: Option<&SeriesChoice>| {
            let own = series.and_then(|series| series.latency.as_ref());
            let latency = own.or(definition.latency.as_ref())?.clone();
            let fields = [places(&latency.fields), places(&latency.between)].concat();
            let mut only: Vec<(usize, Vec<Test>)> =
                series.into_iter().flat_map(|series| series.only.iter().filter_map(tests)).collect();
            if only.is_empty()
                && let Some(field) = sort
            {
                only.push((field, vec![Test::Is(name.as_bytes().to_vec())]));
            }
            let whole_seconds = latency.whole_seconds.as_ref().and_then(at);
            let except = series.into_iter().flat_map(|series| series.except.iter().filter_map(tests)).collect();
            let failed = series.and_then(|series| Some(series.failed.as_ref()?.iter().filter_map(tests).collect()));
            Some(Choice { name, only, except, failed, latency, fields, whole_seconds, is_apart: own.is_some() })
        };
        let choices: Vec<Choice> = if definition.series.is_empty() {
            let name = definition.latency.as_ref().and_then(|latency| latency.name.clone());
            choice(name.unwrap_or_else(|| "latency".to_owned()), None).into_iter().collect()
        } else {
            definition.series.iter().filter_map(|series| choice(series.name.clone(), Some(series))).collect()
        };
        let declared = definition.series_declared.iter().filter_map(tests).collect();
        let failed = definition.failed.iter().filter_map(tests).collect();
        let failed_else = definition.failed_else.iter().filter_map(tests).collect();
        let within = definition.within.as_ref().and_then(at);
        let sequence = definition.sequence.as_ref().and_then(at);
        let parts = definition.parts.as_ref().and_then(|parts| Some([at(&parts.name)?, at(&parts.group)?]));
        let fields = names.iter().map(|name| name.split('|').map(str::to_owned).collect()).collect();
        Format {
            definition,
            text,
            fields,
            time,
            since,
            choices,
            attributes,
            sort,
            declared,
            only,
            failed,
            failed_else,
            within,
            sequence,
            parts,
            made: MadePatterns::default(),
        }
    }

    /// Whether its lines have the latency in whole seconds, too.
    pub(super) fn has_whole_seconds(&self) -> bool {
        self.definition.latency.as_ref().is_some_and(|latency| latency.whole_seconds.is_some())
    }

    /// Whether a line that has its latency in whole seconds, too, has the same in both. Microseconds are assumed
    /// where the unit is asked for.
    pub(super) fn agrees(&self, line: &[u8]) -> bool {
        let Some(latency) = &self.definition.latency else { return true };
        let (Some(seconds), [field]) = (&latency.whole_seconds, &latency.fields[..]) else { return true };
        let captures = self.lines().iter().find_map(|pattern| pattern.captures(line));
        captures.is_some_and(|captures| {
            let of = |name: &String| captures.name(name).map(|text| text.as_bytes()).unwrap_or_default();
            let length = number::length(of(field), latency.unit.unwrap_or(Unit::Micros));
            length.is_ok_and(|length| are_seconds_of(of(seconds), length))
        })
    }

    /// The patterns of a format that was found to be right.
    pub(super) fn patterns(&self) -> &Patterns {
        self.made.others.get_or_init(|| {
            self.made_patterns().unwrap_or_default()
        })
    }

    /// The patterns of its lines. They are made apart from the others: most texts need no more of a format.
    pub(super) fn lines(&self) -> &[Regex] {
        self.made.lines.get_or_init(|| all_patterns(&self.definition.lines).unwrap_or_default())
    }

    /// The patterns of its lines, if some line of a text may be one of them.
    pub(super) fn lines_in(&self, text: &[u8]) -> &[Regex] {
        let may_be_there = |line: &String| Necessary::of(line).may_be_in(text);
        if self.definition.lines.iter().any(may_be_there) { self.lines() } else { &[] }
    }

    /// The pattern of a row of a table without names, or of one of the first lines.
    pub(super) fn row_pattern(&self) -> Option<&Regex> {
        let made = || self.definition.recognise.pattern.as_deref().and_then(|text| pattern(text).ok());
        self.made.row.get_or_init(made).as_ref()
    }

    /// What a line must have to match [`Format::row_pattern`], if there is one.
    pub(super) fn necessary_in_row(&self) -> Option<Necessary> {
        self.definition.recognise.pattern.as_deref().map(Necessary::of)
    }

    /// Whether one of these lines is what an input begins with.
    pub(super) fn is_begun_by(&self, lines: &[&[u8]]) -> bool {
        let Some(begin) = self.definition.recognise.begin.as_deref() else { return false };
        let (necessary, made) = (Necessary::of(begin), || pattern(begin).ok());
        lines.iter().filter(|line| necessary.may_match(line)).any(|line| {
            self.made.begin.get_or_init(made).as_ref().is_some_and(|begin| begin.is_match(line))
        })
    }

    fn made_patterns(&self) -> Result<Patterns, String> {
        let all = all_patterns;
        Ok(Patterns {
            lost: all(&self.definition.lost)?,
            carried: all(&self.definition.carried)?,
            runs: RunPatterns {
                sent: all(&self.definition.runs.sent)?,
                begin: all(&self.definition.runs.begin)?,
                totals: all(&self.definition.runs.totals)?,
            },
            nested: match &self.definition.nested {
                Some(nested) => Some((pattern(&nested.open)?, pattern(&nested.close)?)),
                None => None,
            },
        })
    }
}
