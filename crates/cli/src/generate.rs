//! Completions, man pages and documentation pages: all generated from what the program knows.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::CommandFactory;
use isotherm_sources::{LIVE, Meta, SOURCES};

use crate::args::{Cli, SourcesArgs};
use crate::failure::{Code, Failure};
use crate::screen;

/// `isotherm completions`
pub fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "isotherm", &mut script);
    screen::print(&String::from_utf8_lossy(&script))
}

/// `isotherm man`
pub fn man(directory: &Path) -> Result<(), Failure> {
    made(directory, fs::create_dir_all(directory))?;
    made(directory, clap_mangen::generate_to(Cli::command(), directory))
}

fn made<T, E: std::fmt::Display>(path: &Path, result: Result<T, E>) -> Result<T, Failure> {
    let cannot = |error| Failure::new(Code::Runtime, format!("{}: {error}", path.display()));
    result.map_err(|error: E| cannot(error.to_string()))
}

/// Everything that can be read: what decodes bytes, then what fetches them.
fn all() -> impl Iterator<Item = &'static Meta> {
    SOURCES.iter().map(|source| source.meta()).chain(LIVE.iter().copied())
}

/// `isotherm sources`
pub fn sources(args: &SourcesArgs) -> Result<(), Failure> {
    let Some(name) = &args.name else { return screen::print(&list()) };
    let Some(meta) = all().find(|meta| meta.name == name) else {
        return Err(Failure::usage(format!("there is no source '{name}'; see `isotherm sources`")));
    };
    screen::print(&page(meta))
}

fn list() -> String {
    let mut text = String::new();
    let address_width = all().map(|meta| meta.address.chars().count()).max().unwrap_or(0);
    for meta in all() {
        let exact = if meta.exact_time { "exact time" } else { "time ≈" };
        let _ = writeln!(text, "{:address_width$}  {}", meta.address, meta.about);
        let indent = " ".repeat(address_width + 2);
        for need in meta.needs {
            let _ = writeln!(text, "{indent}needs {}: {}", need.what, need.how);
        }
        let _ = writeln!(
            text,
            "{indent}costs {} · {exact} · `isotherm sources {}`",
            meta.overhead, meta.name
        );
    }
    text
}

fn page(meta: &Meta) -> String {
    let mut text = format!("# {}\n\n{}\n\n", meta.name, meta.about);
    let _ = writeln!(text, "Address: `{}`\n\n## Needs\n", meta.address);
    if meta.needs.is_empty() {
        text.push_str("Nothing.\n");
    }
    for need in meta.needs {
        let _ = writeln!(text, "- {}: {}", need.what, need.how);
    }
    let exact = if meta.exact_time {
        "The total time waited is exact."
    } else {
        "The total time waited is estimated from bucket mid-points unless the input carries exact \
         sums; estimates are shown with `≈`."
    };
    let _ = writeln!(text, "\n## Command\n\n```sh\n{}\n```", meta.command.trim());
    let _ = writeln!(text, "\n## Overhead\n\n{}", meta.overhead);
    let _ = writeln!(text, "\n## What it cannot show\n\n{} {exact}", meta.loses);
    let _ = writeln!(text, "\n## Example\n\n```text\n{}\n```", meta.example.trim_end());
    let _ = writeln!(text, "\n{}", meta.interpretation);
    text
}

/// `isotherm pages`: a page for each source, and one for each command.
pub fn pages(directory: &Path) -> Result<(), Failure> {
    let sources = directory.join("sources");
    let commands = directory.join("commands");
    for folder in [&sources, &commands] {
        made(folder, fs::create_dir_all(folder))?;
    }
    for meta in all() {
        let path = sources.join(format!("{}.md", meta.name));
        made(&path, fs::write(&path, page(meta)))?;
    }
    for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
        let path = commands.join(format!("{}.md", command.get_name()));
        made(&path, fs::write(&path, command_page(command.clone())))?;
    }
    Ok(())
}

fn command_page(command: clap::Command) -> String {
    let name = command.get_name().to_owned();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut command = command.bin_name(format!("isotherm {name}")).term_width(100);
    let help = command.render_long_help().to_string();
    format!("# isotherm {name}\n\n{about}.\n\n```text\n{}\n```\n", help.trim_end())
}
