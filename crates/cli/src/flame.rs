//! `isotherm flame`: stacks as flame graphs.

mod args;
mod input;
mod picture;
mod read;
mod record;
pub mod trace;
mod write;

use isotherm_flame::{Counts, Part, ReadOptions, difference, heat_map};
use isotherm_frame::Nanos;
use isotherm_report::FlameGraph;

pub use args::{EXAMPLES, FlameArgs};

use self::args::{FlameAction, FlameDiffArgs, FlameFormat};
use self::input::Read;
use self::picture::Frames;
use crate::failure::Failure;
use crate::report::command_line;

/// The longest heat map, in seconds.
const MOST_SECONDS: usize = 3_600;

/// `isotherm flame`
pub fn run(args: &FlameArgs) -> Result<(), Failure> {
    match &args.action {
        Some(FlameAction::Diff(args)) => diff(args),
        Some(FlameAction::Record(args)) => record::run(args),
        None => draw(args),
    }
}

/// One input as a flame graph.
fn draw(args: &FlameArgs) -> Result<(), Failure> {
    let names = [args.input.clone()];
    let destination = write::destination(&args.picture, &names, "flame")?;
    if args.heat && destination.form != FlameFormat::Html {
        return Err(Failure::usage(
            "--heat is drawn in the page only: end the name of the file in .html",
        ));
    }
    let frames = Frames::of(&args.picture)?;
    let read = read::read(&args.input, &options_of(args))?;
    let shown = frames.apply(read)?;
    let heat = if args.heat { Some(map_of(&shown)?) } else { None };
    let title =
        args.picture.title.clone().unwrap_or_else(|| read::title(&args.input, &shown.input));
    let graph = FlameGraph {
        title,
        remarks: [shown.remarks.clone(), frames.remarks()].concat(),
        inputs: vec![shown.input.clone()],
        stacks: &shown.stacks,
        before: None,
        heat: heat.as_ref(),
        sections: shown.sections.clone(),
        command: command_line(),
    };
    destination.write(&graph)?;
    read::strict(args.picture.strict, &graph.inputs)
}

/// What is wanted of the input.
fn options_of(args: &FlameArgs) -> ReadOptions {
    let part =
        Part { from_ns: args.from.map_or(0, Nanos::as_nanos), to_ns: args.to.map(Nanos::as_nanos) };
    let counts = args.counts.map(Counts::from);
    let event = args.picture.counter.clone();
    let memory = Some(args.picture.stack_bytes());
    ReadOptions { event, part, keeps_times: args.heat, counts, memory }
}

fn map_of(shown: &Read) -> Result<isotherm_flame::HeatMap, Failure> {
    heat_map(&shown.samples, MOST_SECONDS).ok_or_else(|| {
        Failure::usage(format!(
            "--heat has a column for each second and at most {MOST_SECONDS} of them: choose a part \
             with --from and --to"
        ))
    })
}

/// Two inputs beside each other.
fn diff(args: &FlameDiffArgs) -> Result<(), Failure> {
    let names = [args.before.clone(), args.after.clone()];
    if names.iter().all(|name| name == "-") {
        return Err(Failure::usage("standard input can be read only once: give A or B as a file"));
    }
    let destination = write::destination(&args.picture, &names, "flame-diff")?;
    let frames = Frames::of(&args.picture)?;
    let options = ReadOptions {
        event: args.picture.counter.clone(),
        counts: args.counts.map(Counts::from),
        // Both are held at the same time.
        memory: Some(args.picture.stack_bytes() / 2),
        ..ReadOptions::default()
    };
    let a = frames.apply(read::read(&args.before, &options)?)?;
    let b = frames.apply(read::read(&args.after, &options)?)?;
    if a.input.is_time() != b.input.is_time() {
        let [time, other] = if a.input.is_time() { [&a, &b] } else { [&b, &a] };
        return Err(Failure::usage(format!(
            "{} has times and {} has {}: they cannot be compared. Where an input does not say what it \
             counts, --counts does",
            time.input.name,
            other.input.name,
            other.input.counts.word(),
        )));
    }
    let both = difference(a.stacks, &b.stacks);
    drop(b.stacks);
    let title = args.picture.title.clone();
    let graph = FlameGraph {
        title: title.unwrap_or_else(|| format!("{} against {}", a.input.name, b.input.name)),
        remarks: frames.remarks(),
        inputs: vec![a.input, b.input],
        stacks: &both.stacks,
        before: Some(&both.counts_a),
        heat: None,
        sections: Vec::new(),
        command: command_line(),
    };
    destination.write(&graph)?;
    read::strict(args.picture.strict, &graph.inputs)
}
