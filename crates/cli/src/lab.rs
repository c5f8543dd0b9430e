//! `isotherm lab`: the classic experiments, run for real, each with a verdict.

mod events;
mod traces;

use isotherm_client::postgres::address::{Logon, Machine};
use isotherm_frame::percent;
use isotherm_lab::{Bench, LABS, Lab, LabError, Progress, Run, explanation, lab_of, list};
use isotherm_views::{OutputForm, span};

use crate::document::{self, DocumentFile};
use crate::failure::{Code, Failure};
use crate::input;
use crate::lab_args::LabArgs;
use crate::output::Kind;
use crate::progress::ProgressLine;
use crate::screen;
use crate::signals::Signals;

/// `isotherm lab`
pub fn run(args: &LabArgs) -> Result<(), Failure> {
    let Some(lab) = args.name.as_deref().and_then(lab_of) else {
        return screen::print(OutputForm::Text, &list(screen::width(None)));
    };
    if args.explain {
        return screen::print(OutputForm::Text, &explanation(lab, screen::width(None)));
    }
    let takes_inputs = |lab: &Lab| lab.takes_events || lab.takes_traces;
    if !args.measured.is_empty() && !takes_inputs(lab) {
        let takers = labs_that(takes_inputs);
        return Err(Failure::usage(format!(
            "--measured: the lab {} measures by itself; leave it out, or use it with {takers}",
            lab.name
        )));
    }
    if let Some(server) = &args.server {
        check_server(args, lab, server)?;
    }
    if args.commit_limit.is_some() && lab.name != "commit" {
        return Err(Failure::usage(format!(
            "--commit-limit: the lab {} commits nothing that is timed; leave it out, or use it with the lab \
             commit",
            lab.name
        )));
    }
    let address = args.server.as_deref().map(address).transpose()?;
    let file = args.output.as_deref().map(|path| {
        let forms = [Kind::Page, Kind::Markdown, Kind::Json];
        DocumentFile::check(path, &forms, args.force, &args.measured)
    });
    let file = file.transpose()?.map(|file| file.quiet(args.quiet.quiet));
    let signals = Signals::register_patient()?;
    let run = outcome((args, address.as_ref()), lab, &signals)?;
    let document = run.document();
    document::print((args.format, args.screen.ascii), &document, &run)?;
    file.map_or(Ok(()), |file| file.write(document, &run))
}

/// Whether the lab can work on this server, and may.
fn check_server(args: &LabArgs, lab: &Lab, server: &str) -> Result<(), Failure> {
    let Some(on_server) = &lab.on_server else {
        let takers = labs_that(|lab| lab.on_server.is_some());
        return Err(Failure::usage(format!(
            "--server: the lab {} does not take a server of yours; leave it out, or use it with {takers}",
            lab.name
        )));
    };
    if !args.measured.is_empty() {
        return Err(Failure::usage(
            "--server: with --measured nothing is measured on a server; leave one of them out",
        ));
    }
    if server.starts_with("oracle://") {
        return Err(Failure::new(
            Code::Unreachable,
            format!(
                "--server: the lab {} cannot run on Oracle yet. Missing: {}",
                lab.name, on_server.oracle
            ),
        ));
    }
    if on_server.disturbs && !args.disturb {
        return Err(Failure::usage(format!(
            "--server: others will notice the lab {}. {} Add --disturb to allow it",
            lab.name, on_server.does
        )));
    }
    if args.disturb && !on_server.disturbs {
        let takers = labs_that(|lab| lab.on_server.as_ref().is_some_and(|on| on.disturbs));
        return Err(Failure::usage(format!(
            "--disturb: the lab {} needs no such consent; leave it out, or use it with {takers}",
            lab.name
        )));
    }
    Ok(())
}

/// The labs of which this holds, as the end of a sentence.
fn labs_that(holds: impl Fn(&Lab) -> bool) -> String {
    let names: Vec<&str> = LABS.iter().filter(|lab| holds(lab)).map(|lab| lab.name).collect();
    match &names[..] {
        [first @ .., last] if !first.is_empty() => {
            format!("the lab {} or {last}", first.join(", "))
        }
        _ => format!("the lab {}", names.concat()),
    }
}

fn address(text: &str) -> Result<Logon, Failure> {
    let rest = ["postgres://", "postgresql://"].iter().find_map(|head| text.strip_prefix(head));
    let Some(rest) = rest else {
        return Err(Failure::usage(format!(
            "--server: '{text}' is no address of PostgreSQL, such as postgres://USER@HOST/DATABASE"
        )));
    };
    Logon::read(rest, &Machine).map_err(|error| Failure::usage(format!("--server: {error}")))
}

fn outcome(
    (args, address): (&LabArgs, Option<&Logon>),
    lab: &Lab,
    signals: &Signals,
) -> Result<Run, Failure> {
    let measured = Some(&args.measured[..]).filter(|inputs| !inputs.is_empty());
    let traced =
        measured.filter(|_| lab.takes_traces).map(|inputs| traces::read(inputs, args.input.strict));
    let traced = traced.transpose()?;
    let events = measured.filter(|_| lab.takes_events);
    let events = events.map(|inputs| events::read(inputs, args)).transpose()?;
    if !args.quiet.quiet {
        screen::warn(&plan(args, address, lab));
    }
    let mut line = ProgressLine::new(!args.quiet.quiet && !args.quiet.no_progress);
    let mut progress = |Progress { what, done }: Progress| {
        line.show(&format!("{what}: {}", percent(done)));
    };
    let stop = signals.flag();
    let mut bench = Bench::new((args.length(), args.seed), &stop, &mut progress)
        .with_events(events.as_ref())
        .with_traces(traced.as_ref())
        .with_address(address)
        .with_commit_limit(args.commit_limit);
    let finding =
        (lab.run)(&mut bench).map_err(|error| Failure::new(code(&error), error.to_string()))?;
    let input = measured.map(input::title);
    Ok(Run::new(lab, (args.length(), args.seed), input, finding))
}

/// The exit code of a lab that came to no finding.
fn code(error: &LabError) -> Code {
    match error {
        LabError::Interrupted => Code::Interrupted,
        LabError::Unreachable { .. }
        | LabError::NotInstalled { .. }
        | LabError::OutOfReach { .. } => Code::Unreachable,
        _ => Code::Runtime,
    }
}

/// What will be done, how long it takes, and what it needs, printed before.
fn plan(args: &LabArgs, address: Option<&Logon>, lab: &Lab) -> String {
    if !args.measured.is_empty() {
        return format!(
            "{}. Here of the events of {}: nothing is measured and nothing written to disk",
            lab.method,
            input::title(&args.measured)
        );
    }
    if let Some(address) = address {
        return format!(
            "{}. {} It takes about {}. Ctrl-C ends it without a verdict",
            lab.method,
            lab.on_server(&address.to_string()),
            span(lab.time(args.length()))
        );
    }
    let needs = if lab.needs.is_empty() { String::new() } else { format!(" Needs {}.", lab.needs) };
    format!(
        "{}. About {}; it {}.{needs} Ctrl-C ends it without a verdict",
        lab.method,
        span(lab.time(args.length())),
        lab.writes()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_unreachable_and_not_a_fault_of_the_lab() {
        let what = || "PostgreSQL".to_owned();
        let (why, next) = ("initdb is not in PATH".to_owned(), "install a PostgreSQL server");
        let missing = LabError::NotInstalled { what: what(), why: why.clone(), next };
        assert_eq!(code(&missing), Code::Unreachable);
        assert_eq!(
            missing.to_string(),
            "PostgreSQL: initdb is not in PATH; install a PostgreSQL server"
        );
        assert_eq!(code(&LabError::Unreadable { what: what(), why, next }), Code::Runtime);
        assert_eq!(code(&LabError::Interrupted), Code::Interrupted);
    }
}
