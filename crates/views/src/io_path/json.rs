//! The timeline for programs.

use isotherm_analysis::{PathTotal, PlacedStep};
use isotherm_frame::PathOutcome;
use schemars::JsonSchema;
use serde::Serialize;

use super::{PathTimeline, TimelineInput};
use crate::generator::generator;
use crate::json::SchemaVersion;

/// The path of each I/O: steps of every level, each with the one it belongs to. Times are in nanoseconds.
/// Keys may be added while `schema_version` stays 1; none changes its meaning or goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm trace --timeline --format json")]
pub struct TimelineJson<'a> {
    schema_version: SchemaVersion<1>,
    /// What wrote this, with its version.
    generator: String,
    /// What was read.
    inputs: Vec<InputJson<'a>>,
    /// What times count from: 1970 in UTC (epoch), or a moment that nobody tells.
    #[schemars(extend("enum" = ["epoch", "time of day", "arbitrary", "assumed"]))]
    clock: String,
    /// The first beginning of a step that is placed, by `clock`; null without one.
    start_ns: Option<i64>,
    /// The last end of one.
    end_ns: Option<i64>,
    /// What there is of each level, the outermost first.
    levels: Vec<LevelJson>,
    /// Block requests that no traced thread asked for during a step, by program. They are in `levels`, and not
    /// in `steps`.
    not_placed: Vec<NotPlacedJson<'a>>,
    /// Every step that is placed. What it belongs to comes before it.
    steps: Vec<StepJson<'a>>,
}

/// What was read of an input.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TimelineInput")]
struct InputJson<'a> {
    /// What it is called, without secrets.
    name: &'a str,
    /// Steps read, of all of its time.
    steps: u64,
    /// Steps that were not kept, because there are too many.
    left_out: u64,
    /// What could not be read.
    rejected: u64,
    /// The first of it in words.
    rejections: &'a [String],
    /// Lines that the tracer lost.
    lost: u64,
    /// What else is to be known.
    remarks: &'a [String],
}

/// All steps of a level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PathLevel")]
struct LevelJson {
    /// The level.
    #[schemars(extend("enum" = ["statement", "database call", "wait", "system call", "block request"]))]
    level: &'static str,
    /// How many.
    count: u64,
    /// How many of these are in no other step.
    outermost: u64,
    /// Their durations together.
    total_ns: u128,
    /// The longest.
    longest_ns: u64,
    /// Bytes read or written.
    bytes: u128,
}

/// Block requests of a program that are not placed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotPlaced")]
struct NotPlacedJson<'a> {
    /// The program that asked for them.
    program: &'a str,
    /// How many.
    count: u64,
    /// Their bytes.
    bytes: u128,
}

/// A step.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PathStep")]
struct StepJson<'a> {
    /// Its level.
    #[schemars(extend("enum" = ["statement", "database call", "wait", "system call", "block request"]))]
    level: &'static str,
    /// What it is called.
    name: &'a str,
    /// The text of a statement, a file, a device; empty where nothing says.
    subject: &'a str,
    /// When it began, by `clock`; of a block request, when the device was given it.
    start_ns: i64,
    /// How long it took from then.
    duration_ns: u64,
    /// Of a block request: how long it was in the kernel's queue before.
    queued_ns: u64,
    /// The part of its duration in which no step in it was in progress.
    own_ns: u64,
    /// How long it went on after the step it is in had ended.
    beyond_ns: u64,
    /// The process.
    process: u32,
    /// Its thread; of a block request the one that asked for it.
    thread: u32,
    /// The byte at which it begins, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// Bytes read or written, where it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// How it ended.
    #[schemars(extend("enum" = ["done", "failed", "rest of a split"]))]
    outcome: &'static str,
    /// How many steps it is in.
    depth: u32,
    /// The index of the step it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    /// The index of its input.
    input: usize,
}

impl<'a> TimelineJson<'a> {
    /// All of a timeline.
    pub fn new(timeline: &'a PathTimeline) -> TimelineJson<'a> {
        let path = &timeline.path;
        let not_placed = path.unplaced.iter().map(|one| NotPlacedJson {
            program: &one.program,
            count: one.count,
            bytes: one.bytes,
        });
        TimelineJson {
            schema_version: SchemaVersion,
            generator: generator(),
            inputs: timeline.inputs.iter().map(input).collect(),
            clock: timeline.clock.to_string(),
            start_ns: path.span.map(|(start, _)| start.as_nanos()),
            end_ns: path.span.map(|(_, end)| end.as_nanos()),
            levels: path.levels.iter().map(level).collect(),
            not_placed: not_placed.collect(),
            steps: path.steps.iter().map(step).collect(),
        }
    }
}

fn input(input: &TimelineInput) -> InputJson<'_> {
    InputJson {
        name: &input.name,
        steps: input.steps,
        left_out: input.left_out,
        rejected: input.rejected,
        rejections: &input.rejections,
        lost: input.lost,
        remarks: &input.remarks,
    }
}

fn level(total: &PathTotal) -> LevelJson {
    LevelJson {
        level: total.level.name(),
        count: total.count,
        outermost: total.outermost,
        total_ns: total.total_ns,
        longest_ns: total.longest.as_nanos(),
        bytes: total.bytes,
    }
}

fn step(placed: &PlacedStep) -> StepJson<'_> {
    let step = &placed.step;
    StepJson {
        level: step.level.name(),
        name: &step.name,
        subject: &step.subject,
        start_ns: step.start.as_nanos(),
        duration_ns: step.duration.as_nanos(),
        queued_ns: step.queued.as_nanos(),
        own_ns: placed.own.as_nanos(),
        beyond_ns: placed.beyond.as_nanos(),
        process: step.process,
        thread: step.thread,
        offset: step.offset,
        bytes: step.bytes,
        outcome: match step.outcome {
            PathOutcome::Done => "done",
            PathOutcome::Failed => "failed",
            PathOutcome::RestOfSplit => "rest of a split",
        },
        depth: placed.depth,
        parent: placed.parent,
        input: placed.input,
    }
}
