//! What a file in `formats/` says about a format.

use std::collections::BTreeMap;

use isotherm_frame::Unit;
use serde::Deserialize;

/// A format as it is written down.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Definition {
    /// One word: `jmeter`.
    pub(crate) name: String,
    /// Such as `a result log of JMeter`.
    pub(crate) title: String,
    /// The documentation of the program that writes it.
    pub(crate) link: String,
    pub(super) kind: Kind,
    /// Of a table: what stands between its columns, if not a comma, a tab or a semicolon.
    #[serde(default)]
    pub(super) separator: Option<Blank>,
    /// Of a table: what its line of names begins with, such as `#Fields:`.
    #[serde(default)]
    pub(super) head: Option<String>,
    /// Of a table without a line of names: what they are.
    #[serde(default)]
    pub(super) columns: Vec<String>,
    /// Of text: regular patterns with the name of each field, the first that matches a line counts.
    #[serde(default)]
    pub(super) lines: Vec<String>,
    /// Of text and of tables: patterns of lines with fields that the lines after them have, too.
    #[serde(default)]
    pub(super) carried: Vec<String>,
    /// Of text: what the line looks like that opens something, and the one that closes it. What is inside does
    /// not count.
    #[serde(default)]
    pub(super) nested: Option<Nesting>,
    /// Of text: patterns of lines that say that an event was lost; one with its number has a group `sequence`.
    #[serde(default)]
    pub(super) lost: Vec<String>,
    /// Of text: lines of the runs of its program, of which a file may have several.
    #[serde(default)]
    pub(super) runs: RunLines,
    /// Of a document: where the list of its records is.
    #[serde(default)]
    pub(super) records: Option<String>,
    /// Of a document: its one histogram, instead of records.
    #[serde(default)]
    pub(super) histogram: Option<HistogramFields>,
    /// Of a document: its bars, instead of records.
    #[serde(default)]
    pub(super) bars: Option<BarFields>,
    /// Of a table: whether the last column may hold what stands between columns.
    #[serde(default)]
    pub(super) last_open: bool,
    /// The sorts of events that a file may hold: the first that is there is read, unless `--series` names
    /// another.
    #[serde(default)]
    pub(super) series: Vec<SeriesChoice>,
    /// The field that has the name of the sort of each line.
    #[serde(default)]
    pub(super) series_field: Option<String>,
    /// Where a line declares a sort of events: the values of fields that say it is of times.
    #[serde(default)]
    pub(super) series_declared: BTreeMap<String, Vec<String>>,
    /// What to say to whoever names a sort of which nothing says that it is of times; `{}` is its name.
    #[serde(default)]
    pub(super) series_unsure: Option<String>,
    /// Sorts that are none of times: `vus*`.
    #[serde(default)]
    pub(super) series_not: Vec<String>,
    /// The field of a number that counts up: what is missing was lost.
    #[serde(default)]
    pub(super) sequence: Option<String>,
    /// Fields by which a row is known to be of a part of the operation of a row above it.
    #[serde(default)]
    pub(super) parts: Option<PartFields>,
    #[serde(default)]
    pub(super) recognise: Marks,
    /// Why it cannot be read, and what to do instead.
    #[serde(default)]
    pub(super) refuse: Option<String>,
    #[serde(default)]
    pub(super) time: Option<TimeField>,
    #[serde(default)]
    pub(super) latency: Option<LatencyField>,
    /// The field of each attribute.
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, AttributeField>,
    /// The attributes that tell series apart unless `--by` names others.
    #[serde(default)]
    pub(super) by: Vec<String>,
    /// Which values fields have in the lines that count.
    #[serde(default)]
    pub(super) only: BTreeMap<String, Vec<String>>,
    /// Which values show that a request failed, whichever of the fields has one.
    #[serde(default)]
    pub(super) failed: BTreeMap<String, Vec<String>>,
    /// The same where an input has none of these fields.
    #[serde(default)]
    pub(super) failed_else: BTreeMap<String, Vec<String>>,
    /// Of text: the field of a number that a row within the row below it has one greater: their times overlap, and
    /// the one below counts.
    #[serde(default)]
    pub(super) within: Option<String>,
    /// What is assumed of every such input.
    #[serde(default)]
    pub(super) note: Option<String>,
    /// A few lines of it.
    pub(crate) example: String,
}

/// How lines are taken apart.
#[derive(Copy, Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// Cells with something between them.
    Table,
    /// An object of JSON on each line.
    Json,
    /// Lines that match a pattern.
    Text,
    /// One document of JSON with a list of records.
    Document,
}

/// What stands between the columns of a table.
#[derive(Copy, Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Blank {
    Comma,
    Tab,
    Semicolon,
    Blanks,
    /// Blanks, with a date and the time of day behind it as two columns.
    Words,
}

/// How a format is recognised: all that is given must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marks {
    /// Texts near the beginning.
    #[serde(default)]
    pub(super) contains: Vec<String>,
    /// Columns of a table, or fields of an object.
    #[serde(default)]
    pub(super) fields: Vec<String>,
    /// Fields that are in no object.
    #[serde(default)]
    pub(super) without: Vec<String>,
    /// What a line looks like: of a table without names, or of JSON and text one of the first lines.
    #[serde(default)]
    pub(super) pattern: Option<String>,
    /// What one of the first three lines looks like, which is enough: other lines of it may come much later, and
    /// its end may be beyond what is looked at.
    #[serde(default)]
    pub(super) begin: Option<String>,
}

/// Where the time is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TimeField {
    /// `a|b`: the one that is there. Several are joined by a blank.
    #[serde(default)]
    pub(super) fields: Vec<String>,
    pub(super) moment: TimeMoment,
    #[serde(default, deserialize_with = "unit")]
    pub(super) unit: Option<Unit>,
    /// Whether dates without a zone are in UTC.
    #[serde(default)]
    pub(super) utc: bool,
    /// Whether it may be a number of units since an unknown start.
    #[serde(default)]
    pub(super) relative: bool,
    /// Where the date is that of a line above: the field of a moment after which the times of day are.
    #[serde(default)]
    pub(super) since: Option<String>,
    /// Whether it may be a number of intervals (`--interval`); without a field, the number of the line.
    #[serde(default)]
    pub(super) intervals: bool,
}

/// Which moment of an event a time is.
#[derive(Copy, Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TimeMoment {
    Start,
    End,
}

/// Where the latency is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LatencyField {
    /// `a|b`: the one that is there. Several are added up.
    #[serde(default)]
    pub(super) fields: Vec<String>,
    /// Instead: the fields of its beginning and its end.
    #[serde(default)]
    pub(super) between: Vec<String>,
    /// Of a number without a unit.
    #[serde(default, deserialize_with = "unit")]
    pub(super) unit: Option<Unit>,
    /// Why the unit cannot be known: the user says it with `--unit`.
    #[serde(default)]
    pub(super) ask: Option<String>,
    /// Why the unit may be another one: the user says it with `--unit`.
    #[serde(default)]
    pub(super) usual: Option<String>,
    /// A field with the same in whole seconds: a line where it differs is rejected.
    #[serde(default)]
    pub(super) whole_seconds: Option<String>,
    /// Whether a comma is a decimal point.
    #[serde(default)]
    pub(super) comma: bool,
    /// Whether a field may hold several, with a comma or a colon between them: they are added up.
    #[serde(default)]
    pub(super) several: bool,
    /// Whether a field holds those of several events, one an interval, with blanks between them and `-` for a
    /// lost one.
    #[serde(default)]
    pub(super) list: bool,
    /// What the events are.
    #[serde(default)]
    pub(super) name: Option<String>,
}

/// One of several sorts of events.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SeriesChoice {
    /// What they are called: `http_req_waiting`.
    pub(super) name: String,
    /// Which values fields have in the lines of this sort; its name is in the field of the sort if none.
    #[serde(default)]
    pub(super) only: BTreeMap<String, Vec<String>>,
    /// Which values fields have, all of them, in lines of another sort.
    #[serde(default)]
    pub(super) except: BTreeMap<String, Vec<String>>,
    /// Which values show that an event failed, if others than usual.
    #[serde(default)]
    pub(super) failed: Option<BTreeMap<String, Vec<String>>>,
    /// Where the latency is, if elsewhere than usual.
    #[serde(default)]
    pub(super) latency: Option<LatencyField>,
}

/// A row with the name of a row above it, a hyphen and a number, in the same group and within its time, is of a
/// part of its operation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartFields {
    pub(super) name: String,
    pub(super) group: String,
}

/// What the lines look like around others that do not count.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nesting {
    pub(super) open: String,
    pub(super) close: String,
}

/// Patterns of lines about a run of a program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunLines {
    /// They say that something was sent, with a group `sequence`: it is lost unless an event has that number.
    #[serde(default)]
    pub(super) sent: Vec<String>,
    /// A run begins.
    #[serde(default)]
    pub(super) begin: Vec<String>,
    /// A run ends: groups `sent` and `received` are its totals. Without `received`, what has no event was lost.
    #[serde(default)]
    pub(super) totals: Vec<String>,
}

/// Where the parts of a histogram are, each with the path to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct HistogramFields {
    /// The list of buckets; in each of them its bounds and its count.
    pub(super) list: String,
    pub(super) low: String,
    pub(super) high: String,
    pub(super) count: String,
    /// Of bounds and sum.
    #[serde(deserialize_with = "certain_unit")]
    pub(super) unit: Unit,
    /// The total time of all events.
    pub(super) sum: String,
    /// When the run began, and how long it was.
    pub(super) begin: String,
    pub(super) length: String,
    #[serde(deserialize_with = "certain_unit")]
    pub(super) length_unit: Unit,
    /// What the events are.
    pub(super) name: String,
    /// How many of them failed.
    #[serde(default)]
    pub(super) failed: Option<String>,
    /// The list of buckets of those that failed, and their total time: they are among the others, too.
    #[serde(default)]
    pub(super) failed_list: Option<String>,
    #[serde(default)]
    pub(super) failed_sum: Option<String>,
    /// How many had each outcome, and the outcomes of those that did not fail.
    #[serde(default)]
    pub(super) outcomes: Option<String>,
    #[serde(default)]
    pub(super) outcomes_ok: Vec<String>,
}

/// Where the bars of a run are, each named by its upper bound, and what is said of the run, each with the path to
/// it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct BarFields {
    /// The object with the count of each bar.
    pub(super) bars: String,
    /// Of all times.
    #[serde(deserialize_with = "certain_unit")]
    pub(super) unit: Unit,
    pub(super) fastest: String,
    pub(super) slowest: String,
    pub(super) mean: String,
    /// How long the run was.
    pub(super) length: String,
    /// The object with the count of each status.
    pub(super) statuses: String,
    /// The object with the count of each error, which has no latency, and those that are none.
    pub(super) errors: String,
    pub(super) unfinished: Vec<String>,
    /// What the events are.
    pub(super) name: String,
    /// What to do where the bounds cannot be known.
    pub(super) otherwise: String,
}

/// The field of an attribute.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum AttributeField {
    /// As it is written.
    Plain(String),
    Treated {
        field: String,
        /// Kept short: without its query, and with `*` for each part that is a number or an identifier.
        #[serde(default)]
        path: bool,
    },
}

fn unit<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Unit>, D::Error> {
    let text = String::deserialize(input)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

fn certain_unit<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Unit, D::Error> {
    let text = String::deserialize(input)?;
    text.parse().map_err(serde::de::Error::custom)
}

impl Definition {
    /// Reads a definition, and says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Definition, String> {
        let definition: Definition = toml::from_str(text).map_err(|error| error.to_string())?;
        definition.check()?;
        Ok(definition)
    }

    fn check(&self) -> Result<(), String> {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(is_word) {
            return Err(format!("name '{}': use small letters, digits and '-' only", self.name));
        }
        if self.refuse.is_some() || self.is_histogram() && self.kind == Kind::Document {
            return Ok(());
        }
        let Some(latency) = &self.latency else { return Err("[latency] is missing".to_owned()) };
        let is_span = latency.between.len() == 2 && latency.fields.is_empty();
        if latency.fields.is_empty() != is_span {
            return Err("[latency] needs fields = [\"...\"], or between = [START, END]".to_owned());
        }
        if latency.unit.is_some() && latency.ask.is_some() {
            return Err("[latency] has a unit and asks for one: leave one of them out".to_owned());
        }
        if latency.unit.is_none() && latency.usual.is_some() {
            return Err("[latency] says which unit is usual, and has none: add unit".to_owned());
        }
        let needs = match self.kind {
            Kind::Table if self.columns.is_empty() && self.recognise.fields.is_empty() => {
                Some("a table needs fields under [recognise], or columns")
            }
            Kind::Json if self.recognise.fields.is_empty() => {
                Some("JSON needs fields under [recognise]")
            }
            Kind::Text if self.lines.is_empty() => Some("text needs lines = ['PATTERN']"),
            Kind::Document if self.records.is_none() => Some("a document needs records = \"PATH\""),
            _ => None,
        };
        if let Some(needs) = needs {
            return Err(needs.to_owned());
        }
        let known = |name: &&String| *name != OUTCOME && !self.attributes.contains_key(*name);
        match self.by.iter().find(known) {
            Some(unknown) => Err(format!("by: there is no attribute '{unknown}'")),
            None => Ok(()),
        }
    }

    /// Whether it is a document of one histogram instead of records.
    pub(super) fn is_histogram(&self) -> bool {
        self.histogram.is_some() || self.bars.is_some()
    }

    /// What an input is read as, for its account.
    pub(super) fn read_as(&self) -> String {
        format!("read as {} ({})", self.title, self.name)
    }

    pub(crate) fn refusal(&self) -> Option<&str> {
        self.refuse.as_deref()
    }

    /// The fields it names, each once, such as `request_time|duration`.
    pub(super) fn fields(&self) -> Vec<String> {
        let time = self.time.iter().flat_map(|time| time.fields.iter().chain(&time.since));
        let latencies = self.latency.iter().chain(self.series.iter().flat_map(|series| &series.latency));
        let latency =
            latencies.flat_map(|latency| latency.fields.iter().chain(&latency.between).chain(&latency.whole_seconds));
        let attributes = self.attributes.values().map(AttributeField::field);
        let tests = self.only.keys().chain(self.failed.keys()).chain(&self.sequence);
        let tests = tests.chain(self.failed_else.keys()).chain(&self.within);
        let tests = tests.chain(self.series.iter().flat_map(|series| {
            series.only.keys().chain(series.except.keys()).chain(series.failed.iter().flat_map(BTreeMap::keys))
        }));
        let tests = tests.chain(&self.series_field).chain(self.series_declared.keys());
        let tests = tests.chain(self.parts.iter().flat_map(|parts| [&parts.name, &parts.group]));
        let mut fields: Vec<String> = Vec::new();
        for field in time.chain(latency).chain(attributes).chain(tests) {
            if !fields.contains(field) {
                fields.push(field.clone());
            }
        }
        fields
    }
}

/// The attribute that says whether a request failed.
pub(super) const OUTCOME: &str = "outcome";

impl AttributeField {
    pub(super) fn field(&self) -> &String {
        match self {
            AttributeField::Plain(field) | AttributeField::Treated { field, .. } => field,
        }
    }

    pub(super) fn is_path(&self) -> bool {
        matches!(self, AttributeField::Treated { path: true, .. })
    }
}
