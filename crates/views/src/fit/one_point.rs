//! One observation, or several of one load, solved for effective servers: sentences, a table, a curve.

use std::io::{self, Write};

use isotherm_queueing::{
    Change, FIT_CONFIDENCE, Model, NoWhatIf, Observation, Situation, SolvedForm,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{quantity_short, rate, share, share_in_words, time};
use super::json::SituationJson;
use super::names::{formula, title};
use crate::chart::{Chart, ChartAxis, ChartMark, ChartPoint, ChartUnit, Curve, Stroke};
use crate::grid::{Column, Grid, Page, Row};
use crate::json::SchemaVersion;
use crate::section::{Section, Table};
use crate::{Depth, Style, generator};

/// Places at which a curve is computed.
const STEPS: u32 = 120;
/// The columns and rows of a chart in a terminal.
const CHART: (usize, usize) = (96, 20);
/// The response times that the curve reaches, in observed ones.
const HIGHEST: f64 = 4.0;

/// One observation and what follows from it.
#[derive(Clone, Debug)]
pub struct OnePointSummary {
    /// Where it is from: `one observation`, the name of a published example.
    pub source: String,
    /// The observation, solved by each form.
    pub solved: [SolvedForm; 2],
    /// How many observations there are: of several these are the means.
    pub observations: usize,
    /// The servers of each form that are possible; none where nothing is known of that.
    pub servers: Option<ServersRange>,
    /// The form that is shown; both where none was asked for.
    pub only: Option<Model>,
    /// The system by each form at a load that was asked for.
    pub at_load: Option<[Situation; 2]>,
    /// What is changed, and the system after it by each form.
    pub what_if: Option<[Situation; 2]>,
    /// What else there is to say.
    pub remarks: Vec<String>,
}

/// The servers of each form that are possible, least and most, and why.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum ServersRange {
    /// The rounding of the numbers leaves these.
    Rounding([(f64, f64); 2]),
    /// The differences between repeats leave these, with [`FIT_CONFIDENCE`].
    Repeats([(f64, f64); 2]),
}

impl ServersRange {
    /// The least and the most of one form, in words.
    fn in_words(self, form: usize) -> String {
        match self {
            ServersRange::Rounding(ranges) => {
                format!("{} by the rounding of the numbers", servers(ranges[form]))
            }
            ServersRange::Repeats(ranges) => {
                format!(
                    "{} with {} confidence",
                    servers(ranges[form]),
                    share_in_words(FIT_CONFIDENCE)
                )
            }
        }
    }

    fn ranges(self) -> [(f64, f64); 2] {
        match self {
            ServersRange::Rounding(ranges) | ServersRange::Repeats(ranges) => ranges,
        }
    }

    /// What leaves them open, for programs.
    fn from(self) -> RangeFrom {
        match self {
            ServersRange::Rounding(_) => RangeFrom::Rounding,
            ServersRange::Repeats(_) => RangeFrom::Repeats,
        }
    }
}

/// The same for programs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Point")]
pub struct OnePointJson {
    schema_version: SchemaVersion<1>,
    /// What wrote it: `isotherm 0.1.0`.
    generator: String,
    /// Where the observation is from.
    source: String,
    /// How many observations there are: of several these are the means.
    observations: usize,
    /// What was observed.
    observation: ObservationJson,
    /// What leaves the servers open: the rounding of one observation, or the differences between
    /// repeats (95 % confidence); null where that is not known.
    servers_range_from: Option<RangeFrom>,
    /// The observation solved by each form, or by the one of --model.
    forms: Vec<FormJson>,
    /// What there is to say, most important first.
    sentences: Vec<String>,
}

/// Why several numbers of servers are possible.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum RangeFrom {
    Rounding,
    Repeats,
}

/// What was observed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Observation")]
#[expect(clippy::struct_field_names, reason = "names end in their unit")]
struct ObservationJson {
    /// Arrivals per second.
    arrival_per_s: f64,
    /// Service time.
    service_s: f64,
    /// Response time: service and queue time.
    response_s: f64,
    /// Queue time.
    queue_s: f64,
}

/// An observation solved by one form.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Form")]
struct FormJson {
    /// The form, as in `fit --model`.
    model: &'static str,
    /// Effective servers.
    servers: f64,
    /// The servers that are possible: least, most (null where any number above the least is); null where
    /// no range is known.
    servers_range: Option<(f64, Option<f64>)>,
    /// Arrivals per second that the servers can do.
    capacity_per_s: f64,
    /// As it was observed.
    before: SituationJson,
    /// As it would be at the load of --at-load; null without one.
    at_load: Option<SituationJson>,
    /// As it would be after the change; null if nothing is changed.
    after: Option<SituationJson>,
}

impl OnePointSummary {
    /// Adds the system at a load.
    #[must_use]
    pub fn at(self, load: Option<f64>) -> OnePointSummary {
        let at_load = load.map(|load| self.solved.map(|solved| solved.at(load)));
        OnePointSummary { at_load, ..self }
    }

    /// Solves nothing: adds what a change does to what is solved, at the load that was asked for.
    pub fn with_change(self, change: &Change) -> Result<OnePointSummary, NoWhatIf> {
        if *change == Change::default() {
            return Ok(self);
        }
        let load = self.at_load.map_or(self.observation().arrival_per_s, |[at, _]| at.load);
        let [cpu, io] = &self.solved;
        let after = [cpu.changed_at(load, change)?, io.changed_at(load, change)?];
        Ok(OnePointSummary { what_if: Some(after), ..self })
    }

    /// Places of the forms that are shown.
    fn forms(&self) -> impl Iterator<Item = usize> {
        let shown = |form: usize| self.only.is_none_or(|only| only == self.solved[form].form);
        [0, 1]
            .map(|form| (form, shown(form)))
            .into_iter()
            .filter(|(_, shown)| *shown)
            .map(|(form, _)| form)
    }

    /// The response times of the forms that are shown, each with its form: `154µs by the CPU form`.
    fn responses(&self, at: &[Situation; 2]) -> String {
        let one = |form: usize| {
            let name = if self.solved[form].form == Model::OrapubIo { "I/O" } else { "CPU" };
            if at[form].response.is_infinite() {
                return format!("without end by the {name} form");
            }
            format!("{} by the {name} form", time(at[form].response))
        };
        self.forms().map(one).collect::<Vec<String>>().join(" and ")
    }

    fn observation(&self) -> Observation {
        self.solved[0].observation
    }

    /// What there is to say, most important first.
    pub fn sentences(&self) -> Vec<String> {
        let seen = self.observation();
        let mut said = vec![format!(
            "Of a response time of {}, {} is service and {} is queueing ({}), with {} arriving{}.",
            time(seen.response_s),
            time(seen.service_s),
            time(seen.queue_s()),
            share_in_words(seen.queue_s() / seen.response_s),
            rate(seen.arrival_per_s),
            match self.observations {
                ..=1 => String::new(),
                several => format!(" (means of {several} observations)"),
            }
        )];
        for form in self.forms() {
            let solved = &self.solved[form];
            let range = self.servers.map(|range| format!(" ({})", range.in_words(form)));
            said.push(format!(
                "{} ({}): {:.4} effective servers{}, {} used; they can do {}.",
                title(solved.form),
                formula(solved.form),
                solved.servers,
                range.unwrap_or_default(),
                share_in_words(seen.service_s * seen.arrival_per_s / solved.servers),
                rate(solved.servers / seen.service_s)
            ));
        }
        said.extend(self.asked());
        said.extend(self.after());
        said.extend(self.few());
        said.extend(self.remarks.iter().cloned());
        let decides = if self.only.is_some() {
            "does not decide"
        } else {
            "decides neither between the forms nor"
        };
        said.push(format!(
            "One {} {decides} how well they describe the system: the curve is \
             as good as that assumption. Measure several loads (isotherm sweep) and fit them to know.",
            self.what()
        ));
        said
    }

    /// The system at the load that was asked for.
    fn asked(&self) -> Option<String> {
        let at = self.at_load.as_ref()?;
        let load = rate(at[0].load);
        if self.forms().all(|form| at[form].response.is_infinite()) {
            return Some(format!(
                "At {load} more arrives than the servers can do: the queue grows without end."
            ));
        }
        Some(format!("At {load} the response time is {}.", self.responses(at)))
    }

    fn after(&self) -> Option<String> {
        let after = self.what_if.as_ref()?;
        if self.forms().all(|form| after[form].response.is_infinite()) {
            return Some(format!(
                "After the change more arrives than the servers can do ({}): the queue grows without end.",
                rate(after[0].load)
            ));
        }
        let now = self
            .at_load
            .is_none()
            .then(|| format!(", where it is {} now", time(self.observation().response_s)));
        Some(format!(
            "After the change the response time is {}{}.",
            self.responses(after),
            now.unwrap_or_default()
        ))
    }

    /// Fewer servers than one are none that anybody has.
    fn few(&self) -> Option<String> {
        self.forms().all(|form| self.solved[form].servers < 1.0).then(|| {
            "Fewer than one effective server: the service time may hold waiting, or the queue may be \
             that of something else."
                .to_owned()
        })
    }

    /// The observation as a part of a report.
    pub fn section(&self) -> Section {
        Section {
            title: self.heading(),
            sentences: self.sentences(),
            charts: vec![self.chart()],
            tables: vec![self.table()],
            ..Section::default()
        }
    }

    /// What the curve goes through.
    fn what(&self) -> &'static str {
        if self.observations > 1 { "load" } else { "observation" }
    }

    /// What it is, as a heading.
    pub fn heading(&self) -> String {
        match self.observations {
            ..=1 => "One observation".to_owned(),
            several => format!("{several} observations of one load"),
        }
    }

    fn situations(&self) -> Vec<(&'static str, &'static str, Situation)> {
        let name = |at: usize| self.solved[at].form.name();
        let seen = self.observation().arrival_per_s;
        let mut all: Vec<_> =
            self.forms().map(|at| (name(at), "observed", self.solved[at].at(seen))).collect();
        if let Some(asked) = &self.at_load {
            all.extend(self.forms().map(|at| (name(at), "at that load", asked[at])));
        }
        if let Some(after) = &self.what_if {
            all.extend(self.forms().map(|at| (name(at), "after the change", after[at])));
        }
        all
    }

    fn table(&self) -> Table {
        let row = |(model, when, at): (&str, &str, Situation)| {
            [vec![format!("{when}, {model}")], numbers(&at)].concat()
        };
        Table {
            caption: "The system by each form".to_owned(),
            head: [vec![String::new()], COLUMNS.map(str::to_owned).to_vec()].concat(),
            rows: self.situations().into_iter().map(row).collect(),
        }
    }

    /// Response time over arrivals by both forms, now and after the change.
    pub fn chart(&self) -> Chart {
        let seen = self.observation();
        let capacity = |at: &Situation| at.servers.unwrap_or(f64::NAN) / at.service;
        let all = self.situations();
        let most = all.iter().map(|(_, _, at)| capacity(at).max(at.load)).fold(0.0, f64::max);
        let highest = all.iter().map(|(_, _, at)| at.response).filter(|one| one.is_finite());
        let top = HIGHEST * highest.fold(seen.response_s, f64::max);
        let curve = |name: String, stroke, solved: SolvedForm| Curve {
            name,
            stroke,
            points: (1..=STEPS)
                .map(|step| solved.at(most * f64::from(step) / f64::from(STEPS)))
                .filter(|at| at.response.is_finite() && at.response <= top)
                .map(|at| ChartPoint { x: at.load, y: at.response, ..ChartPoint::default() })
                .collect(),
        };
        let spot = |name: &str, x: f64, y: f64| Curve {
            name: name.to_owned(),
            stroke: Stroke::Dots,
            points: vec![ChartPoint { x, y, ..ChartPoint::default() }],
        };
        let mut curves: Vec<Curve> = Vec::new();
        for solved in self.forms().map(|form| self.solved[form]) {
            curves.push(curve(solved.form.name().to_owned(), Stroke::Line, solved));
        }
        curves.push(spot("observed", seen.arrival_per_s, seen.response_s));
        let asked = self.at_load.iter().flat_map(|at| self.forms().map(move |form| at[form]));
        for at in asked.filter(|at| at.response.is_finite()) {
            curves.push(spot("at that load", at.load, at.response));
        }
        let after =
            self.what_if.iter().flat_map(|at| self.forms().map(move |form| (form, at[form])));
        for (solved, after) in after.map(|(form, after)| (&self.solved[form], after)) {
            let observation = Observation { service_s: after.service, ..seen };
            let servers = after.servers.unwrap_or(solved.servers);
            let changed = SolvedForm { observation, servers, ..*solved };
            let name = format!("{} after", solved.form.name());
            curves.push(curve(name, Stroke::Dashed, changed));
            if after.response.is_finite() {
                curves.push(spot("after", after.load, after.response));
            }
        }
        let mark = |solved: &SolvedForm| ChartMark {
            x: solved.servers / seen.service_s,
            text: format!("capacity, {}", solved.form.name()),
        };
        Chart {
            title: format!("Response time over arrivals, through one {}", self.what()),
            x: ChartAxis { label: "arrivals per second".to_owned(), ..ChartAxis::default() },
            y: ChartAxis {
                label: "mean response time".to_owned(),
                unit: ChartUnit::Seconds,
                log: false,
            },
            curves,
            marks: self.forms().map(|form| mark(&self.solved[form])).collect(),
            ..Chart::default()
        }
    }

    /// Writes it for people. Fails only when `out` does.
    pub fn render(
        &self,
        width: Option<usize>,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = Page::new(style, width);
        page.words(&self.source, true);
        for sentence in self.sentences() {
            page.words(&format!("· {sentence}"), false);
        }
        page.title("The system by each form", "");
        let row = |(model, when, at): (&str, &str, Situation)| {
            Row::new(format!("{when}, {model}"), numbers(&at))
        };
        page.grid(&Grid {
            title: "",
            columns: COLUMNS.map(|title| Column { title, gives_way: 0 }).to_vec(),
            rows: self.situations().into_iter().map(row).collect(),
        });
        page.title("", "");
        let columns = width.unwrap_or(CHART.0).min(CHART.0);
        for line in self.chart().text(columns, CHART.1, style.depth == Depth::Ascii).lines() {
            page.verbatim(line);
        }
        page.write_to(out)
    }
}

impl OnePointJson {
    /// The object.
    pub fn new(summary: &OnePointSummary) -> OnePointJson {
        let seen = summary.observation();
        let ranges = summary.servers.map(ServersRange::ranges);
        let form = |at: usize| {
            let solved = summary.solved[at];
            let range =
                |(least, most): (f64, f64)| (least, Some(most).filter(|most| most.is_finite()));
            FormJson {
                model: solved.form.name(),
                servers: solved.servers,
                servers_range: ranges.map(|ranges| range(ranges[at])),
                capacity_per_s: solved.servers / seen.service_s,
                before: SituationJson::new(&solved.at(seen.arrival_per_s)),
                at_load: summary.at_load.as_ref().map(|at_load| SituationJson::new(&at_load[at])),
                after: summary.what_if.as_ref().map(|after| SituationJson::new(&after[at])),
            }
        };
        OnePointJson {
            schema_version: SchemaVersion,
            generator: generator(),
            source: summary.source.clone(),
            observations: summary.observations,
            servers_range_from: summary.servers.map(ServersRange::from),
            observation: ObservationJson {
                arrival_per_s: seen.arrival_per_s,
                service_s: seen.service_s,
                response_s: seen.response_s,
                queue_s: seen.queue_s(),
            },
            forms: summary.forms().map(form).collect(),
            sentences: summary.sentences(),
        }
    }
}

const COLUMNS: [&str; 7] = ["arrivals", "service", "servers", "used", "response", "queue", "R/S"];

/// What is possible, in words.
fn servers((least, most): (f64, f64)) -> String {
    match (least > 0.0, most.is_finite()) {
        (true, true) => format!("{least:.4} to {most:.4}"),
        (true, false) => format!("{least:.4} or more"),
        (false, true) => format!("up to {most:.4}"),
        (false, false) => "any number".to_owned(),
    }
}

fn numbers(at: &Situation) -> Vec<String> {
    vec![
        rate(at.load),
        time(at.service),
        at.servers.map_or_else(|| "-".to_owned(), |servers| format!("{servers:.4}")),
        at.utilisation.map_or_else(|| "-".to_owned(), share),
        time(at.response),
        time(at.queue()),
        quantity_short(at.stretch()),
    ]
}
