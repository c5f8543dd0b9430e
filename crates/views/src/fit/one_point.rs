//! One observation, or several of one load, solved for effective servers: sentences, a table, a curve.

use std::io::{self, Write};

use isotherm_queueing::{Change, FIT_CONFIDENCE, NoWhatIf, Observation, Situation, SolvedForm};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{quantity_short, rate, share, time};
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
                format!("{} with {} confidence", servers(ranges[form]), share(FIT_CONFIDENCE))
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
    /// The observation solved by each form.
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
    /// As it would be after the change; null if nothing is changed.
    after: Option<SituationJson>,
}

impl OnePointSummary {
    /// Solves nothing: adds what a change does to what is solved.
    pub fn with_change(self, change: &Change) -> Result<OnePointSummary, NoWhatIf> {
        if *change == Change::default() {
            return Ok(self);
        }
        let [cpu, io] = &self.solved;
        let after = [cpu.changed(change)?, io.changed(change)?];
        Ok(OnePointSummary { what_if: Some(after), ..self })
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
            share(seen.queue_s() / seen.response_s),
            rate(seen.arrival_per_s),
            match self.observations {
                ..=1 => String::new(),
                several => format!(" (means of {several} observations)"),
            }
        )];
        for (form, solved) in self.solved.iter().enumerate() {
            let range = self.servers.map(|range| format!(" ({})", range.in_words(form)));
            said.push(format!(
                "{} ({}): {:.4} effective servers{}, {} used; they can do {}.",
                title(solved.form),
                formula(solved.form),
                solved.servers,
                range.unwrap_or_default(),
                share(seen.service_s * seen.arrival_per_s / solved.servers),
                rate(solved.servers / seen.service_s)
            ));
        }
        said.extend(self.after());
        said.extend(self.few());
        said.extend(self.remarks.iter().cloned());
        said.push(format!(
            "One {} decides neither between the forms nor how well they describe the system: the curve is \
             as good as that assumption. Measure several loads (isotherm sweep) and fit them to know.",
            self.what()
        ));
        said
    }

    fn after(&self) -> Option<String> {
        let seen = self.observation();
        let [cpu, io] = self.what_if.as_ref()?;
        let never = |at: &Situation| at.response.is_infinite();
        Some(match (never(cpu), never(io)) {
            (true, true) => format!(
                "After the change more arrives than the servers can do ({}): the queue grows without end.",
                rate(cpu.load)
            ),
            _ => format!(
                "After the change the response time is {} by the CPU form and {} by the I/O form, where \
                 it is {} now.",
                time(cpu.response),
                time(io.response),
                time(seen.response_s)
            ),
        })
    }

    /// Fewer servers than one are none that anybody has.
    fn few(&self) -> Option<String> {
        self.solved.iter().all(|solved| solved.servers < 1.0).then(|| {
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
            (0..2).map(|at| (name(at), "observed", self.solved[at].at(seen))).collect();
        if let Some(after) = &self.what_if {
            all.extend((0..2).map(|at| (name(at), "after the change", after[at])));
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
        for solved in self.solved {
            curves.push(curve(solved.form.name().to_owned(), Stroke::Line, solved));
        }
        curves.push(spot("observed", seen.arrival_per_s, seen.response_s));
        for (solved, after) in self.solved.iter().zip(self.what_if.iter().flatten()) {
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
            marks: self.solved.iter().map(mark).collect(),
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
            forms: vec![form(0), form(1)],
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
