//! Lines taken apart into the fields that a format looks at.

use std::borrow::Cow;

use memchr::memmem::Finder;
use regex::bytes::{CaptureLocations, Captures, Regex};

use super::definition::{Blank, Definition, Kind};
use super::format::{Format, RunPatterns};
use super::head::{head_of, lacking};
use super::runs::RunTotals;
use crate::columns::{Fields, Separator};
use crate::lines::decimals;
use super::repair::repaired;
use crate::logs::{Objects, each_field};
use crate::number::{self, shown};

/// What a line is.
pub(super) enum Taken {
    /// A row with the fields of an event.
    Row,
    /// Names of columns, a comment, or a line of something else.
    Other,
    /// It says that an event was lost; the number of that, if it has one.
    Lost(Option<u64>),
    /// It says that something with that number was sent.
    Sent(u64),
    /// It begins a run of the program, or ends it with its totals.
    Run(Option<RunTotals>),
    /// It looks like a row and is none: why, and how many events it stands for.
    Broken(String, u64),
}

/// Takes lines apart.
pub(super) struct Splitter {
    /// The fields that are looked at: each with the names it may have.
    fields: Vec<Vec<String>>,
    form: Form,
}

enum Form {
    Table(Box<Table>),
    Json(Box<JsonValues>),
    Text(Box<Text>),
}

struct Table {
    definition: Definition,
    /// What a row without names above it looks like.
    pattern: Option<Regex>,
    separator: Separator,
    /// The latest line of names, as it is written.
    head: Vec<u8>,
    /// A name that stands in each such line, if rows have none of it.
    name: Option<Finder<'static>>,
    /// Where each field is; none until the names are known.
    places: Option<Vec<Option<usize>>>,
    /// How many columns there are.
    count: usize,
    /// Whether there may be more than are known.
    is_open: bool,
    cells: Fields,
    carried: Carried,
    /// The decimals of the last column of the row before, where a number that matters is there.
    decimals: Option<usize>,
}

#[derive(Default)]
struct JsonValues {
    objects: Objects,
    /// The value of each field, and which of its names has it.
    values: Vec<(Option<usize>, Vec<u8>)>,
}

struct Text {
    /// With the groups of each field, of which at most one matches.
    patterns: Vec<(Regex, Vec<Vec<usize>>)>,
    lost: Vec<Regex>,
    runs: RunPatterns,
    locations: Option<CaptureLocations>,
    /// The pattern that matched.
    found: usize,
    carried: Carried,
    nested: Option<(Regex, Regex)>,
    /// How many are open.
    depth: u32,
}

impl Splitter {
    /// `fields` are those of the format and others that are asked for.
    pub(super) fn new(format: &Format, fields: Vec<Vec<String>>) -> Splitter {
        let definition = format.definition.clone();
        let patterns = format.patterns();
        let names = definition.recognise.fields.iter().filter(|field| !field.contains('|'));
        let name = names.max_by_key(|name| name.len());
        let name = name.filter(|_| definition.head.is_none());
        let name = name.map(|name| Finder::new(name.as_bytes()).into_owned());
        let form = match definition.kind {
            Kind::Table => Form::Table(Box::new(Table {
                definition,
                pattern: format.row_pattern().cloned(),
                separator: Separator::Comma,
                head: Vec::new(),
                name,
                places: None,
                count: 0,
                is_open: false,
                cells: Fields::default(),
                carried: Carried::new(&patterns.carried, &fields),
                decimals: None,
            })),
            Kind::Json | Kind::Document => Form::Json(Box::default()),
            Kind::Text => {
                let with_groups = |pattern: &Regex| (pattern.clone(), groups(pattern, &fields));
                Form::Text(Box::new(Text {
                    patterns: format.lines().iter().map(with_groups).collect(),
                    lost: patterns.lost.clone(),
                    runs: patterns.runs.clone(),
                    locations: None,
                    found: 0,
                    carried: Carried::new(&patterns.carried, &fields),
                    nested: patterns.nested.clone(),
                    depth: 0,
                }))
            }
        };
        Splitter { fields, form }
    }

    /// Whether a cell may hold the end of a line.
    pub(super) fn has_quoted_lines(&self) -> bool {
        matches!(&self.form, Form::Table(table) if table.separator.byte().is_some())
    }

    /// Takes a line apart; `ended` says whether a line end follows it.
    pub(super) fn take(&mut self, line: &[u8], ended: bool) -> Taken {
        match &mut self.form {
            Form::Table(table) => table.take(line, ended, &self.fields),
            Form::Json(json) => json.take(line, &self.fields),
            Form::Text(text) => text.take(line),
        }
    }

    /// Takes a record of a document apart.
    pub(super) fn take_object(&mut self, object: serde_json::Value) {
        let Form::Json(json) = &mut self.form else { return };
        let (values, fields) = (&mut json.values, &self.fields);
        clear(values, fields.len());
        each_field(object, |name, value| put(values, fields, name, value));
    }

    /// Whether a field of the row that was taken apart last is that of a line above it.
    pub(super) fn is_carried(&self, field: usize) -> bool {
        match &self.form {
            Form::Table(table) => {
                let place = table.places.as_ref().and_then(|places| places.get(field).copied().flatten());
                place.is_none() && table.carried.get(field).is_some()
            }
            Form::Json(_) | Form::Text(_) => false,
        }
    }

    /// Whether lines may stand among others: what is no row may be one behind something else.
    pub(super) fn is_of_lines(&self) -> bool {
        !matches!(self.form, Form::Table(_))
    }

    /// Whether the row that was taken apart last has a field.
    pub(super) fn has(&self, line: &[u8], field: usize) -> bool {
        match &self.form {
            Form::Table(table) => {
                let place = table.places.as_ref().and_then(|places| places.get(field).copied().flatten());
                place.is_some() || table.carried.get(field).is_some()
            }
            Form::Json(_) | Form::Text(_) => self.get(line, field).is_some(),
        }
    }

    /// The value of a field of the row that was taken apart last, which is `line`.
    #[inline]
    pub(super) fn get<'r>(&'r self, line: &'r [u8], field: usize) -> Option<Cow<'r, [u8]>> {
        if let Form::Table(table) = &self.form
            && let Some(at) = table.places.as_ref()?.get(field).copied().flatten()
        {
            return Some(table.cells.text(line, at));
        }
        self.get_elsewhere(line, field)
    }

    /// The value of a field that is no cell of a table.
    fn get_elsewhere<'r>(&'r self, line: &'r [u8], field: usize) -> Option<Cow<'r, [u8]>> {
        match &self.form {
            Form::Table(table) => table.carried.get(field).map(Cow::Borrowed),
            Form::Json(json) => {
                let (name, value) = json.values.get(field)?;
                name.map(|_| value.as_slice().into())
            }
            Form::Text(text) => {
                let groups = text.patterns.get(text.found)?.1.get(field)?;
                let locations = text.locations.as_ref()?;
                match groups.iter().find_map(|group| locations.get(*group)) {
                    Some((start, end)) => line.get(start..end).map(Cow::Borrowed),
                    None => text.carried.get(field).map(Cow::Borrowed),
                }
            }
        }
    }
}

/// The places of the groups of each field, by its names.
fn groups(pattern: &Regex, fields: &[Vec<String>]) -> Vec<Vec<usize>> {
    let at = |name: &String| pattern.capture_names().position(|group| group == Some(name));
    fields.iter().map(|names| names.iter().filter_map(at).collect()).collect()
}

/// Fields of lines that hold for the lines after them.
#[derive(Default)]
struct Carried {
    /// Patterns of such lines, with the groups of each field.
    patterns: Vec<(Regex, Vec<Vec<usize>>)>,
    values: Vec<Option<Vec<u8>>>,
}

impl Carried {
    fn new(patterns: &[Regex], fields: &[Vec<String>]) -> Carried {
        let patterns = patterns.iter().map(|pattern| (pattern.clone(), groups(pattern, fields))).collect();
        Carried { patterns, values: vec![None; fields.len()] }
    }

    /// Keeps the fields of a line for those after it.
    fn take(&mut self, line: &[u8]) {
        let found = self.patterns.iter().find_map(|(pattern, groups)| Some((pattern.captures(line)?, groups)));
        let Some((captures, groups)) = found else { return };
        for (carried, groups) in self.values.iter_mut().zip(groups) {
            let value = groups.iter().find_map(|group| captures.get(*group));
            *carried = value.map(|value| value.as_bytes().to_vec());
        }
    }

    fn get(&self, field: usize) -> Option<&[u8]> {
        self.values.get(field)?.as_deref()
    }
}

impl Table {
    fn take(&mut self, line: &[u8], ended: bool, fields: &[Vec<String>]) -> Taken {
        if line == self.head && !line.is_empty() {
            return Taken::Other;
        }
        // Another line of names does not begin with a number, as most rows do.
        let is_number = line.first().is_some_and(u8::is_ascii_digit);
        let is_named = |name: &Finder<'_>| !is_number && name.find(line).is_some();
        let may_be_head = match (&self.definition.head, &self.name) {
            (Some(prefix), _) => line.starts_with(prefix.as_bytes()),
            (None, name) => self.places.is_none() || name.as_ref().is_some_and(is_named),
        };
        if may_be_head {
            if let Some((separator, names)) = head_of(line, &self.definition) {
                self.set(separator, &names, fields, false);
                self.head = line.to_vec();
                return Taken::Other;
            }
            if self.places.is_none() && self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(line)) {
                let separator = match self.definition.separator {
                    Some(Blank::Tab) => Separator::Tab,
                    Some(Blank::Semicolon) => Separator::Semicolon,
                    Some(Blank::Blanks) => Separator::Blanks,
                    Some(Blank::Words) => Separator::Words,
                    Some(Blank::Comma) | None => Separator::Comma,
                };
                let names = self.definition.columns.clone();
                self.set(separator, &names, fields, true);
            }
        }
        if self.definition.head.is_some() && may_be_head {
            // Names without those that matter: what stands below them is of no use.
            (self.places, self.head) = (None, line.to_vec());
            return Taken::Other;
        }
        if self.definition.head.is_some() && line.starts_with(b"#") {
            self.carried.take(line);
            return Taken::Other;
        }
        match (&self.places, self.head.as_slice()) {
            (Some(_), _) => self.row(line, ended),
            (None, []) => match &self.definition.head {
                Some(head) => Taken::Broken(format!("no line of names ({head}) is above it"), 1),
                None => Taken::Other,
            },
            (None, names) => {
                let lacking = lacking(names, &self.definition);
                Taken::Broken(format!("the names above it lack {lacking}"), 1)
            }
        }
    }

    fn set(&mut self, separator: Separator, names: &[String], fields: &[Vec<String>], is_open: bool) {
        let at = |name: &String| names.iter().position(|known| known == name);
        let place = |names: &Vec<String>| names.iter().find_map(at);
        self.places = Some(fields.iter().map(place).collect());
        (self.separator, self.count, self.is_open) = (separator, names.len(), is_open);
    }

    fn row(&mut self, line: &[u8], ended: bool) -> Taken {
        self.cells.split(line, self.separator);
        let found = self.cells.len();
        let places = self.places.iter().flatten().flatten();
        let needed = if self.is_open { places.max().map_or(0, |last| last + 1) } else { self.count };
        let is_longer = found > self.count && !self.is_open && !self.definition.last_open;
        if found < needed || is_longer || !ended && found < self.count {
            let text = shown(line);
            return Taken::Broken(format!("{found} column(s) where {} are expected: '{text}'", self.count), 0);
        }
        let last = self.cells.get(line, found - 1);
        let all = self.decimals.replace(decimals(last));
        if !ended && all.is_some_and(|all| decimals(last) < all) {
            let text = shown(last);
            return Taken::Broken(format!("the input ends within '{text}': others have more decimals"), 1);
        }
        Taken::Row
    }
}

impl JsonValues {
    fn take(&mut self, line: &[u8], fields: &[Vec<String>]) -> Taken {
        if !line.trim_ascii_start().starts_with(b"{") {
            return Taken::Other;
        }
        let JsonValues { objects, values } = self;
        clear(values, fields.len());
        let text = String::from_utf8_lossy(line);
        let mut is_object = |text: &str| {
            objects.fields(text.trim(), |name, value| put(values, fields, name, value))
        };
        if is_object(&text) || repaired(&text).is_some_and(|text| is_object(&text)) {
            Taken::Row
        } else {
            Taken::Broken(format!("'{}' is no object of JSON", shown(line)), 1)
        }
    }
}

fn clear(values: &mut Vec<(Option<usize>, Vec<u8>)>, count: usize) {
    values.resize_with(count, Default::default);
    for (name, _) in values {
        *name = None;
    }
}

/// Keeps a value for each field that has its name. Of several names that are there the first one counts.
fn put(values: &mut [(Option<usize>, Vec<u8>)], fields: &[Vec<String>], name: &str, value: &str) {
    for ((found, text), names) in values.iter_mut().zip(fields) {
        let Some(rank) = names.iter().position(|known| known == name) else { continue };
        if found.is_none_or(|before| rank < before) {
            *found = Some(rank);
            text.clear();
            text.extend_from_slice(value.as_bytes());
        }
    }
}

/// The whole number in a group.
fn whole(captures: &Captures<'_>, group: &str) -> Option<u64> {
    number::whole(captures.name(group)?.as_bytes()).ok()
}

impl RunPatterns {
    /// A line of a run that is none of an event.
    fn take(&self, line: &[u8]) -> Option<Taken> {
        if let Some(number) = self.sent.iter().find_map(|sent| whole(&sent.captures(line)?, "sequence")) {
            return Some(Taken::Sent(number));
        }
        if self.begin.iter().any(|begin| begin.is_match(line)) {
            return Some(Taken::Run(None));
        }
        let totals = self.totals.iter().find_map(|totals| {
            let captures = totals.captures(line)?;
            Some(RunTotals { sent: whole(&captures, "sent")?, received: whole(&captures, "received") })
        });
        totals.map(|totals| Taken::Run(Some(totals)))
    }
}

impl Text {
    fn take(&mut self, line: &[u8]) -> Taken {
        if self.is_nested(line) {
            return Taken::Other;
        }
        for (index, (pattern, _)) in self.patterns.iter().enumerate() {
            let mut locations = match self.locations.take() {
                Some(locations) if self.found == index => locations,
                _ => pattern.capture_locations(),
            };
            let is_match = pattern.captures_read(&mut locations, line).is_some();
            (self.locations, self.found) = (Some(locations), index);
            if is_match {
                return Taken::Row;
            }
        }
        if let Some(lost) = self.lost.iter().find_map(|lost| lost.captures(line)) {
            return Taken::Lost(whole(&lost, "sequence"));
        }
        if let Some(taken) = self.runs.take(line) {
            return taken;
        }
        self.carried.take(line);
        Taken::Other
    }

    /// Whether a line is within something that an earlier line opened.
    fn is_nested(&mut self, line: &[u8]) -> bool {
        let Some((open, close)) = &self.nested else { return false };
        let is_within = self.depth > 0;
        self.depth += u32::from(open.is_match(line));
        self.depth = self.depth.saturating_sub(u32::from(close.is_match(line)));
        is_within
    }
}
