//! `--dry-run`: what would be done.

use std::fmt::Write as _;

use isotherm_experiment::{Order, Plan, Point, RunTable, Turn};
use isotherm_views::{OutputForm, span};

use crate::failure::{Code, Failure};
use crate::load_address;
use crate::screen;
use crate::sweep_args::SweepArgs;

/// Prints the runs in their order, and how long they take. Of a sweep that is there, those that
/// are left.
pub fn print(args: &SweepArgs, plan: Option<&Plan>) -> Result<(), Failure> {
    let directory = args.output.as_deref();
    let held = directory.map(|path| path.join(isotherm_experiment::sweep::PLAN));
    let read;
    let plan = match (plan, held) {
        (Some(plan), _) => plan,
        (None, Some(path)) => {
            read = Plan::read(&path)?;
            check(args, &read)?;
            &read
        }
        (None, None) => return Err(Failure::usage("give the directory of the sweep with -o DIR")),
    };
    let table = directory.map(RunTable::read).and_then(Result::ok).unwrap_or_default();
    let points = plan.points()?;
    let done = |turn: &Turn| {
        let label = points.get(turn.point).map(|point| point.label.as_str());
        let mut runs = table.runs.iter().filter(|run| run.is_whole());
        runs.any(|run| Some(run.label.as_str()) == label && run.repeat == turn.repeat)
    };
    let (before, left): (Vec<Turn>, Vec<Turn>) = plan.turns(&points).into_iter().partition(done);
    screen::print(OutputForm::Text, &description(plan, &points, &left, before.len())?)
}

/// Whether the address and every job make sense to the kind of system, before anything is done.
pub fn check(args: &SweepArgs, plan: &Plan) -> Result<(), Failure> {
    let target = args.target.as_deref().unwrap_or(&plan.job.target);
    for point in plan.points()? {
        let mut job = point.job;
        job.file.create = args.load.file.create;
        load_address::check(target, &job)?;
    }
    Ok(())
}

fn description(
    plan: &Plan,
    points: &[Point],
    left: &[Turn],
    before: usize,
) -> Result<String, Failure> {
    let mut text = String::new();
    let runs = left.len();
    let order = match plan.order {
        Order::Rounds => "in rounds".to_owned(),
        Order::Random => format!("in rounds, each shuffled (seed {})", plan.seed),
        Order::AsWritten => "each with all its repeats before the next".to_owned(),
    };
    let write = |text: &mut String| -> std::fmt::Result {
        writeln!(text, "{}", plan.job.target)?;
        writeln!(text, "{} points x {} repeats, {order}", points.len(), plan.repeats)?;
        if before > 0 {
            writeln!(text, "{before} runs are done")?;
        }
        let (total, each) = (span(plan.time_of(runs as u64)), span(Plan::run_time(&plan.job)));
        let rest = span(plan.cool_down);
        writeln!(
            text,
            "{runs} runs: at most {total} of load and rests, {each} each, rests of {rest}"
        )?;
        if let Some(most) = plan.most_time {
            writeln!(
                text,
                "no run starts that could end later than {} after the start of the sweep",
                span(most)
            )?;
        }
        for rule in &plan.stop_when {
            writeln!(text, "the load is not raised any further when {rule}")?;
        }
        for (number, turn) in (1..).zip(left) {
            let label = points.get(turn.point).map_or("", |point| point.label.as_str());
            writeln!(text, "{number:>5}  {label}, repeat {}", turn.repeat + 1)?;
        }
        Ok(())
    };
    write(&mut text).map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    Ok(text)
}
