//! What a rule about options without effect is made of.

use std::path::Path;

use isotherm_live::address_schemes;
use isotherm_pipeline::is_recording;

use crate::args::Command;

/// Options that have no effect in some uses of a command.
pub struct Unused {
    /// By their long names.
    pub options: &'static [&'static str],
    /// Whether they have none here.
    pub applies: fn(&Command) -> bool,
    /// Why, and what to do instead.
    pub why: &'static str,
}

/// What a command reads; nothing where it takes live sources alone, or no input of this kind.
fn inputs(command: &Command) -> Vec<&str> {
    let names = match command {
        Command::Replay(args) => &args.inputs,
        Command::Show(args) => &args.inputs,
        Command::Stats(args) => &args.inputs,
        Command::Explain(args) => &args.inputs,
        Command::Report(args) => &args.inputs,
        Command::Import(args) => &args.inputs,
        Command::Merge(args) => &args.inputs,
        Command::Frames(args) => &args.inputs,
        Command::Serve(args) => &args.sources,
        Command::Push(args) => std::slice::from_ref(&args.source),
        Command::Compare(args) => {
            return std::iter::once(args.before.as_str()).chain(args.after.as_deref()).collect();
        }
        _ => return Vec::new(),
    };
    names.iter().map(String::as_str).collect()
}

/// Whether all that a command reads are recordings.
pub fn reads_recordings(command: &Command) -> bool {
    let inputs = inputs(command);
    !inputs.is_empty() && inputs.iter().all(|name| is_recording(Path::new(name)))
}

/// Whether what is read is one recording at a time.
pub fn reads_recordings_alone(command: &Command) -> bool {
    let is_alone = matches!(command, Command::Compare(_)) || inputs(command).len() == 1;
    is_alone && reads_recordings(command)
}

/// Whether a live command watches what has a scheme, and cannot give wait events of Oracle.
pub fn watches_no_oracle(command: &Command) -> bool {
    let known = address_schemes();
    let others =
        known.iter().filter(|scheme| scheme.is_watched && !MAY_BE_ORACLE.contains(&scheme.name));
    let others: Vec<String> = others.map(|scheme| format!("{}:", scheme.name)).collect();
    has_scheme(command, &others.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The schemes of Oracle databases, and of what may hold their waits.
const MAY_BE_ORACLE: [&str; 6] = ["oracle", "oracle+tcps", "sqlplus", "awr", "cmd", "file"];

/// What a live command watches; nothing if it is another one.
fn sources(command: &Command) -> &[String] {
    match command {
        Command::Live(args) => std::slice::from_ref(&args.source),
        Command::Record(args) => std::slice::from_ref(&args.source),
        Command::Serve(args) => &args.sources,
        Command::Push(args) => std::slice::from_ref(&args.source),
        _ => &[],
    }
}

fn is_one_of(source: &str, schemes: &[&str]) -> bool {
    schemes.iter().any(|scheme| source.starts_with(scheme))
}

/// Whether all sources of a live command have one of these schemes.
pub fn has_scheme(command: &Command, schemes: &[&str]) -> bool {
    let sources = sources(command);
    !sources.is_empty() && sources.iter().all(|source| is_one_of(source, schemes))
}

/// Whether this is a live command none of whose sources has one of these schemes.
pub fn has_no_scheme(command: &Command, schemes: &[&str]) -> bool {
    let sources = sources(command);
    !sources.is_empty() && !sources.iter().any(|source| is_one_of(source, schemes))
}
