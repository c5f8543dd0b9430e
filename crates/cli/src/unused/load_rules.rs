//! Which options of commands that make load have no effect, when, and why.

use isotherm_experiment::plan::What;
use isotherm_load::{Medium, engine_of};

use super::rule::Unused;
use crate::args::Command;
use crate::load_args::LoadArgs;
use crate::load_choices::MethodArg;
use crate::stress_args::StressCommand;

/// Of several that hold the first is said.
pub const LOAD_RULES: &[Unused] = &[
    Unused {
        options: &["no-alongside"],
        applies: |command| {
            matches!(command, Command::Stress(args) if args.target.as_deref()
                .is_some_and(|target| !engine_of(target).is_watched_alongside()))
        },
        why: "only Oracle databases are watched without being asked for; leave it out",
    },
    Unused {
        options: &["keep-command"],
        applies: |command| {
            matches!(command, Command::Stress(args)
                if !args.keep.alongside.iter().any(|source| source.starts_with("cmd:")))
        },
        why: "only cmd: runs a command; add one with --alongside",
    },
    Unused {
        options: &["fail-if", "format"],
        applies: |command| {
            matches!(command, Command::Sweep(args)
                if args.dry_run || args.plan.write_plan.is_some())
        },
        why: "nothing is measured with --dry-run and --write-plan; give it to the sweep itself",
    },
    Unused {
        options: &["dsync", "mix", "redo"],
        applies: reads_only,
        why: "it is about updates, and all operations are reads; add --update PCT",
    },
    Unused {
        options: &["chunk", "threads"],
        applies: |command| {
            load(command).is_some_and(|load| load.file.method == Some(MethodArg::Sync))
                && !varies(command, What::Method)
        },
        why: "with --method sync each operation in flight has its own thread and is submitted alone; \
              leave it out, or use --method uring",
    },
    Unused {
        options: &["threads"],
        applies: |command| load(command).is_some() && !divides_lanes(command),
        why: "each session of an Oracle database has its own thread; leave it out",
    },
    Unused {
        options: &["method", "dsync", "chunk", "small-pages", "i-mean-it", "threads"],
        applies: |command| prepares(command, &[Medium::Storage]).is_some(),
        why: "a file is only made or removed here; give it to the load itself",
    },
    Unused {
        options: &["block", "size", "buffered", "create"],
        applies: |command| {
            matches!(prepares(command, &[Medium::Storage]), Some(StressCommand::Teardown(_)))
        },
        why: "a file is removed as a whole; leave it out",
    },
    Unused {
        options: &["work-unit", "redo", "server-loop"],
        applies: |command| prepares(command, &[Medium::Database, Medium::KeyValue]).is_some(),
        why: "tables are only made or removed here; give it to the load itself",
    },
];

/// The options of a command that makes load now.
fn load(command: &Command) -> Option<&LoadArgs> {
    match command {
        Command::Stress(args) if args.command.is_none() => Some(&args.load),
        Command::Sweep(args) => Some(&args.load),
        _ => None,
    }
}

fn varies(command: &Command, what: What) -> bool {
    matches!(command, Command::Sweep(args)
        if args.plan.vary.iter().any(|variable| variable.what() == what))
}

fn reads_only(command: &Command) -> bool {
    load(command).is_some_and(|load| load.update_pct().unwrap_or(0.0) <= 0.0)
        && !varies(command, What::UpdatePct)
}

/// Whether operations in flight are divided among a number of threads that can be chosen.
fn divides_lanes(command: &Command) -> bool {
    let target = match command {
        Command::Stress(args) => args.target.as_deref(),
        Command::Sweep(args) => args.target.as_deref(),
        _ => None,
    };
    target.is_none_or(|target| engine_of(target).name() != "oracle")
}

/// What makes or removes a target of one of these kinds.
fn prepares<'a>(command: &'a Command, media: &[Medium]) -> Option<&'a StressCommand> {
    let Command::Stress(args) = command else { return None };
    let action = args.command.as_ref()?;
    let (StressCommand::Setup(setup) | StressCommand::Teardown(setup)) = action;
    media.contains(&engine_of(&setup.target).medium()).then_some(action)
}

/// As in the table of all other rules.
#[cfg(test)]
pub const LOAD_EXAMPLES: &[(&str, &str)] = &[
    ("stress sim:servers=2 --no-alongside | stress oracle://u@h/s --no-alongside", "no-alongside"),
    ("stress sim: --keep-command | stress sim: --alongside cmd:x --keep-command", "keep-command"),
    ("stress file:/tmp/x --no-alongside | stress oracle://u@h/s --no-alongside", "no-alongside"),
    (
        "sweep sim: --vary in-flight=1 --dry-run --fail-if p99>1s | sweep sim: --vary in-flight=1 -o d --fail-if p99>1s",
        "fail-if",
    ),
    ("stress f --dsync | stress f --dsync --update 5", "dsync"),
    ("stress f --read 100 --mix slob | stress f --read 90 --mix slob", "mix"),
    ("sweep f --redo heavy -o d | sweep f --redo heavy --vary update-pct=0,20 -o d", "redo"),
    ("stress f --method sync --chunk 9 | stress f --method uring --chunk 9", "chunk"),
    (
        "sweep f --method sync --chunk 9 -o d | sweep f --method sync --chunk 9 --vary method=uring,sync -o d",
        "chunk",
    ),
    ("stress f --method sync --threads 2 | stress f --threads 2", "threads"),
    ("stress oracle://u@h/s --threads 2 | stress postgres://u@h/d --threads 2", "threads"),
    ("stress setup oracle://u@h/s --redo heavy | stress setup oracle://u@h/s --threads 2", "redo"),
    ("stress setup file:x --chunk 9 | stress setup file:x --size 1G", "chunk"),
    ("stress teardown file:x --size 1G | stress setup file:x --size 1G", "size"),
];
