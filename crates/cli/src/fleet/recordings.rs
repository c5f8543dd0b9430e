//! A fleet of recordings: a directory that has one of each host.

use std::io::Write;
use std::path::{Path, PathBuf};

use isotherm_analysis::{fleet_distances, fleet_ranking};
use isotherm_frame::{
    Ends, Event, Frame, Histogram, Nanos, Quality, Scheme, Series, TimeRange, Timestamp,
};
use isotherm_live::Address;
use isotherm_pipeline::{Binning, Input, SeriesFilter, is_recording};
use isotherm_recording::Reader;
use isotherm_views::numbers::counted;
use isotherm_views::{FleetHost, FleetReport, MeasuredPart, OutputForm, write_json};

use super::output::{MAP, OWN, left_out, page, text};
use super::reports::{self, HostInput};
use crate::failure::Failure;
use crate::fleet_args::FleetArgs;
use crate::input;
use crate::input_args::InputArgs;
use crate::output::{Destination, Kind};
use crate::report::quoted;
use crate::screen;

/// What one of the hosts is called.
const BY: &str = "recording";
/// The name of all series together.
const ALL: &str = "all series";

/// Ranks the recordings of a directory.
pub(super) fn run(args: &FleetArgs, directory: &Path) -> Result<(), Failure> {
    let recordings = Recordings::open(args, directory)?;
    let destination = match &args.output {
        Some(path) => Some(Destination::to(path, Kind::Page, args.force, &recordings.paths())?),
        None => None,
    };
    let reports = reports::directory(args)?;
    let found = recordings.ranked()?;
    if args.json {
        let mut out = screen::output(OutputForm::Json);
        return screen::written(write_json(&found.json(), &mut out).and_then(|()| out.flush()));
    }
    let most = usize::try_from(args.top).unwrap_or(usize::MAX);
    let maps = recordings.maps(&found, most)?;
    match destination {
        Some(destination) => {
            let links = match reports {
                Some(directory) => {
                    let (hosts, options) = recordings.inputs(args, &found, most);
                    Some(reports::write(args, &directory, &hosts, &options)?)
                }
                None => None,
            };
            page(args, (&found, maps.first), maps.all, (&destination, links))?;
        }
        None => text(args, &found, &maps.all)?,
    }
    screen::warn(&counted(found.hosts.len() as u64, BY));
    Ok(())
}

/// A moment as `--from` reads it.
fn moment(at: Timestamp) -> Option<String> {
    let at = jiff::Timestamp::from_nanosecond(i128::from(at.as_nanos())).ok()?;
    Some(at.to_string())
}

/// A recording and the host that it is of.
struct Recorded {
    host: String,
    input: Input,
}

/// The recordings of a directory.
struct Recordings<'a> {
    directory: &'a Path,
    all: Vec<Recorded>,
    series: Option<&'a str>,
    filter: SeriesFilter<'a>,
    /// What is looked at.
    span: (Timestamp, Timestamp),
    /// The longest interval that is usual in one of the recordings: shorter ones would be filled and empty
    /// in turn.
    interval: Nanos,
}

/// The frames of two maps.
struct Maps {
    all: Vec<Frame>,
    /// Those of the first of the ranking, each a series.
    first: Vec<Frame>,
}

impl<'a> Recordings<'a> {
    fn open(args: &'a FleetArgs, directory: &'a Path) -> Result<Recordings<'a>, Failure> {
        let shown = directory.display();
        let inputs = input::expand(&[directory.display().to_string()], &args_of_all().oracle)?;
        let (inputs, others): (Vec<Input>, Vec<Input>) =
            inputs.into_iter().partition(|input| path(input).is_some_and(is_recording));
        if inputs.is_empty() {
            let text = format!(
                "{shown}: there is no recording: isotherm record, import and merge make one of each host"
            );
            return Err(Failure::unmatched(text));
        }
        if !others.is_empty() {
            let files = counted(others.len() as u64, "file");
            screen::warn(&format!("{shown}: {files} left out that are no recordings"));
        }
        let (mut ends, mut interval) = (Ends::default(), Nanos::ZERO);
        for recording in inputs.iter().filter_map(path) {
            let reader = Reader::open(recording)?;
            if let Some((start, end)) = reader.span()? {
                ends.reach(start, end);
            }
            interval = interval.max(reader.usual_interval()?.unwrap_or_default());
        }
        let Some((start, end)) = ends.get() else {
            return Err(Failure::nothing(format!("{shown}: nothing is recorded")));
        };
        let start = args.since.map_or(start, |since| start.max(end.minus(since)));
        let series = args.series.as_deref();
        let recorded = |input: Input| Recorded { host: host_of(&input, directory), input };
        Ok(Recordings {
            directory,
            all: inputs.into_iter().map(recorded).collect(),
            series,
            filter: SeriesFilter::new(series),
            span: (start, end),
            interval,
        })
    }

    /// The time in so many parts at most.
    fn columns(&self, most: u32) -> Columns {
        Columns::new(self.span, most, self.interval)
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.all.iter().filter_map(|one| path(&one.input)).map(Path::to_owned).collect()
    }

    /// Reads the frames of a recording that are looked at; gives what there is to say of it.
    fn read(
        &self,
        recorded: &Recorded,
        take: &mut dyn FnMut(Frame),
    ) -> Result<Vec<String>, Failure> {
        let part = TimeRange { from: Some(self.span.0), to: None };
        let mut said = Vec::new();
        let mut take = |event: Event| match event {
            Event::Frame(frame) if !frame.is_gap() && self.filter.matches(&frame.series) => {
                part.keep(frame).into_iter().for_each(&mut *take);
            }
            Event::Message(text) => said.push(format!("{}: {text}", recorded.host)),
            _ => {}
        };
        let input = std::slice::from_ref(&recorded.input);
        input::read_inputs(input, &args_of_all(), Binning::SECONDS, &mut take)?;
        Ok(said)
    }

    /// All recordings, the most different first.
    fn ranked(&self) -> Result<FleetReport, Failure> {
        let mut averages: Vec<Series> = Vec::new();
        let mut layouts: Vec<Vec<Scheme>> = Vec::new();
        let mut hosts: Vec<Option<FleetHost>> = Vec::new();
        for recorded in &self.all {
            let mut host = Host::new(self.columns(OWN));
            let said = self.read(recorded, &mut |frame| {
                if !frame.counts.is_averages() {
                    return host.add(&frame);
                }
                if !averages.contains(&frame.series) {
                    averages.push(frame.series);
                }
            })?;
            for text in &said {
                screen::warn(text);
            }
            if !host.schemes.is_empty() && !layouts.contains(&host.schemes) {
                layouts.push(std::mem::take(&mut host.schemes));
            }
            hosts.push(Some(host.fleet_host(recorded.host.clone())));
        }
        self.filter.some()?;
        let counts = hosts.iter().flatten().map(|host| &host.counts);
        let compared = fleet_distances(counts);
        let ranking = fleet_ranking(&compared.distances);
        let ranked = ranking.into_iter().filter_map(|place| {
            let host = hosts.get_mut(place)?.take()?;
            let is_left_out = compared.left_out.binary_search(&place).is_ok();
            let distance = compared.distances.get(place).copied().flatten();
            Some(FleetHost { distance, is_left_out, ..host })
        });
        let directory = self.directory.display().to_string();
        let recording = self.directory.join("HOST.heat").display().to_string();
        Ok(FleetReport {
            metric: self.series.unwrap_or(ALL).to_owned(),
            by: BY.to_owned(),
            span: self.span,
            hosts: ranked.collect(),
            step: self.columns(OWN).step,
            rejected: averages.len() as u64,
            rejected_reason: averages.first().map(|series| {
                format!("of {} only averages are known", isotherm_frame::shown_name(series.name()))
            }),
            layouts: layouts.len().max(1),
            has_bounds: compared.has_bounds,
            dominant: compared.dominant,
            is_estimate: false,
            open: format!("isotherm report {} -o HOST.html", quoted(recording)),
            source: directory,
        })
    }

    /// What `report` reads of the first of the ranking, and with which options.
    fn inputs(
        &self,
        args: &FleetArgs,
        found: &FleetReport,
        most: usize,
    ) -> (Vec<HostInput>, Vec<String>) {
        let input = |host: &FleetHost| {
            let recorded = self.all.iter().find(|recorded| recorded.host == host.name);
            let recording = recorded.and_then(|recorded| path(&recorded.input));
            let address =
                recording.map_or_else(|| host.name.clone(), |path| path.display().to_string());
            HostInput { name: host.shown(), address }
        };
        let hosts = found.hosts.iter().take(most).map(input).collect();
        let series = self.series.map(|series| format!("--series={series}"));
        let from =
            args.since.and_then(|_| moment(self.span.0)).map(|from| format!("--from={from}"));
        (hosts, series.into_iter().chain(from).collect())
    }

    /// The maps of all that are compared, and of each of the first of the ranking.
    fn maps(&self, found: &FleetReport, most: usize) -> Result<Maps, Failure> {
        let left_out = left_out(found);
        let first: Vec<&str> =
            found.hosts.iter().take(most).map(|host| host.name.as_str()).collect();
        let (mut all, mut own) = (self.columns(MAP), Vec::new());
        for recorded in &self.all {
            let host = recorded.host.as_str();
            let mut columns = first.contains(&host).then(|| self.columns(OWN));
            let is_compared = !left_out.contains(&host);
            self.read(recorded, &mut |frame| {
                if frame.counts.is_averages() {
                    return;
                }
                if is_compared {
                    all.add(&frame);
                }
                if let Some(columns) = &mut columns {
                    columns.add(&frame);
                }
            })?;
            let series = Series::with_attributes(found.metric.clone(), [(BY, host)]);
            own.extend(columns.into_iter().flat_map(|columns| columns.frames(&series)));
        }
        own.sort_by(|one, other| (one.end, &one.series).cmp(&(other.end, &other.series)));
        Ok(Maps { all: all.frames(&Series::named(&found.metric)), first: own })
    }
}

/// How recordings are read: all that is in them but idle waits.
fn args_of_all() -> InputArgs {
    InputArgs::default()
}

fn path(input: &Input) -> Option<&Path> {
    match &input.address {
        Address::File(path) => Some(path),
        _ => None,
    }
}

/// A host is called what its recording is called below the directory.
fn host_of(input: &Input, directory: &Path) -> String {
    let path = path(input).unwrap_or(directory);
    let below = path.strip_prefix(directory).unwrap_or(path).display().to_string();
    below.strip_suffix(".heat").unwrap_or(&below).to_owned()
}

/// What is added up of a host.
struct Host {
    counts: Option<Histogram>,
    schemes: Vec<Scheme>,
    columns: Columns,
    /// The time that is recorded, without overlaps.
    present: Vec<(Timestamp, Timestamp)>,
    /// What is in intervals whose length is known, and whether there are others.
    measured: MeasuredPart,
    has_unknown: bool,
}

impl Host {
    fn new(columns: Columns) -> Host {
        let (measured, has_unknown) = (MeasuredPart::default(), false);
        Host {
            counts: None,
            schemes: Vec::new(),
            columns,
            present: Vec::new(),
            measured,
            has_unknown,
        }
    }

    fn add(&mut self, frame: &Frame) {
        match &mut self.counts {
            Some(counts) => counts.add(&frame.counts),
            None => self.counts = Some(frame.counts.clone()),
        }
        if !self.schemes.contains(frame.counts.scheme()) {
            self.schemes.push(frame.counts.scheme().clone());
            self.schemes.sort_by(|one, other| one.bounds().cmp(other.bounds()));
        }
        self.columns.add(frame);
        if !frame.has_length() {
            self.has_unknown |= !frame.is_amendment();
            return;
        }
        self.measured.events = self.measured.events.saturating_add(frame.counts.events());
        self.measured.waited_s += frame.counts.time_waited().seconds;
        match self.present.last_mut() {
            Some((start, end)) if *start <= frame.start && frame.start <= *end => {
                *end = frame.end.max(*end);
            }
            _ => self.present.push((frame.start, frame.end)),
        }
    }

    /// For how long something was recorded.
    fn present(&mut self) -> Nanos {
        self.present.sort_unstable();
        let (mut reached, mut ns) = (Timestamp::new(i64::MIN), 0);
        for (start, end) in &self.present {
            let from = reached.max(*start);
            reached = reached.max(*end);
            ns += if from < *end { end.since(from).as_nanos() } else { 0 };
        }
        Nanos::new(ns)
    }

    fn fleet_host(mut self, name: String) -> FleetHost {
        let length = self.present();
        let measured = self.has_unknown.then_some(MeasuredPart { length, ..self.measured });
        let present = (!self.has_unknown).then_some(length);
        let none = || Histogram::empty(Scheme::log_linear());
        FleetHost {
            name,
            counts: self.counts.unwrap_or_else(none),
            distance: None,
            is_left_out: false,
            present,
            measured,
            p99_s: self.columns.p99_s(),
        }
    }
}

/// Parts of the time, of equal length.
struct Columns {
    span: (Timestamp, Timestamp),
    step: Nanos,
    /// What was counted in each; nothing where nothing was recorded.
    held: Vec<Option<Histogram>>,
}

impl Columns {
    /// At most so many parts, each of as many whole intervals.
    fn new(span: (Timestamp, Timestamp), most: u32, interval: Nanos) -> Columns {
        let length = span.1.since(span.0).as_nanos().max(1);
        let interval = interval.as_nanos().max(1);
        let step = length.div_ceil(u64::from(most)).div_ceil(interval).saturating_mul(interval);
        let held = vec![None; usize::try_from(length.div_ceil(step)).unwrap_or(1)];
        Columns { span, step: Nanos::new(step), held }
    }

    fn place(&self, at: Timestamp) -> usize {
        let since = if at > self.span.0 { at.since(self.span.0).as_nanos() } else { 0 };
        usize::try_from(since / self.step.as_nanos()).unwrap_or(usize::MAX).min(self.held.len() - 1)
    }

    /// Counts a frame in the part that its middle lies in; what it covers is known in all of them.
    fn add(&mut self, frame: &Frame) {
        let last = frame.end.minus(Nanos::new(1));
        let middle = frame.start.plus(Nanos::new(frame.length().as_nanos() / 2));
        let (first, middle, last) = (self.place(frame.start), self.place(middle), self.place(last));
        for place in first..=last.max(first) {
            let Some(held) = self.held.get_mut(place) else { continue };
            let held = held.get_or_insert_with(|| frame.counts.cleared());
            if place == middle {
                held.add(&frame.counts);
            }
        }
    }

    fn p99_s(&self) -> Vec<Option<f64>> {
        let p99 = |counts: &Histogram| Some(counts.quantile(0.99).ok()?.estimate.as_secs_f64());
        self.held.iter().map(|counts| counts.as_ref().and_then(p99)).collect()
    }

    fn frames(self, series: &Series) -> Vec<Frame> {
        let Columns { span, step, held } = self;
        let at = |place: usize| {
            let ns = step.as_nanos().saturating_mul(place as u64);
            span.0.plus(Nanos::new(ns)).min(span.1)
        };
        let frame = |(place, counts): (usize, Option<Histogram>)| {
            let counts = counts?;
            let (start, end, series) = (at(place), at(place + 1), series.clone());
            Some(Frame { series, start, end, counts, quality: Quality::Complete })
        };
        held.into_iter().enumerate().filter_map(frame).collect()
    }
}
