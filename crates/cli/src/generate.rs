//! Completions, man pages and documentation pages: all generated from what the program knows.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use isotherm_formats::{Meta, NamedFormat, SOURCES, named_formats};
use isotherm_live::all_metas;
use isotherm_views::{
    ListedFormat, ListedSource, OutputForm, SourceListJson, TimeWaited, write_json,
};

use crate::choices::StatsFormat;
use crate::complete;
use crate::failure::{Code, Failure};
use crate::output::{Destination, Kind};
use crate::screen;
use crate::sources_args::SourcesArgs;

/// `isotherm completions`
pub fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let script = complete::script(shell)?;
    screen::print(screen::for_programs(), &String::from_utf8_lossy(&script))
}

/// `isotherm man`
pub fn man(directory: &Path) -> Result<(), Failure> {
    made(directory, fs::create_dir_all(directory))?;
    let mut command = crate::help::command().disable_help_subcommand(true);
    command.build();
    man_pages(&command, directory)
}

fn man_pages(command: &clap::Command, directory: &Path) -> Result<(), Failure> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        man_pages(command, directory)?;
    }
    let man = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    made(directory, man.render(&mut page))?;
    write_page(&directory.join(man.get_filename()), Kind::ManPage, &page)
}

fn write_page(path: &Path, kind: Kind, page: &[u8]) -> Result<(), Failure> {
    let nothing: [&Path; 0] = [];
    Destination::to(path, kind, false, &nothing)?.write(page).map(drop)
}

fn made<T, E: std::fmt::Display>(path: &Path, result: Result<T, E>) -> Result<T, Failure> {
    let cannot = |error| Failure::new(Code::Runtime, format!("{}: {error}", path.display()));
    result.map_err(|error: E| cannot(error.to_string()))
}

/// `isotherm sources`
pub fn sources(args: &SourcesArgs) -> Result<(), Failure> {
    if let Some(input) = &args.input {
        return crate::try_sources::run(input, args);
    }
    if let Some([format, file]) = args.check.as_deref() {
        return crate::check_format::run(format, file, args);
    }
    let Some(name) = &args.name else {
        return match args.format {
            StatsFormat::Table => screen::print(OutputForm::Text, &list()),
            StatsFormat::Json => screen::print(OutputForm::Json, &list_as_json()?),
        };
    };
    crate::config::check_format_named(name)?;
    if let Some(format) = named_formats().find(|format| format.name == name) {
        return screen::print(OutputForm::Lines, format.text);
    }
    let Some(meta) = all_metas().find(|meta| meta.name == name) else {
        return Err(Failure::usage(format!("there is no source '{name}'; see `isotherm sources`")));
    };
    screen::print(OutputForm::Lines, &page(meta))
}

fn time_waited(meta: &Meta) -> TimeWaited {
    let mut sources = SOURCES.iter().filter(|source| source.meta().name == meta.name);
    match (meta.exact_time, sources.any(|source| source.gives_rounded_means())) {
        (true, _) => TimeWaited::Exact,
        (false, true) => TimeWaited::RoundedMeans,
        (false, false) => TimeWaited::Buckets,
    }
}

/// How far explanations are indented in the list.
const INDENT: usize = 4;

fn list() -> String {
    let width = screen::width(None).clamp(60, 110);
    let mut text = String::new();
    for meta in all_metas() {
        let exact = match time_waited(meta) {
            TimeWaited::Exact => "exact",
            TimeWaited::RoundedMeans => "≈ from rounded means",
            TimeWaited::Buckets => "≈ from buckets",
        };
        let needs: Vec<&str> = meta.needs.iter().map(|need| need.what).collect();
        let needs = if needs.is_empty() { "nothing".to_owned() } else { needs.join("; ") };
        let _ = writeln!(text, "{}  ({})", meta.address, meta.name);
        for paragraph in [
            meta.about.to_owned(),
            format!("needs: {needs}"),
            format!("costs: {}", first_sentence(meta.overhead)),
            format!("time waited: {exact}"),
        ] {
            wrap(&paragraph, width, &mut text);
        }
    }
    text.push_str("\nFormats that are recognised by name:\n");
    let longest = named_formats().map(|format| format.name.len()).max().unwrap_or(0);
    for format in named_formats() {
        let refused =
            if format.refusal.is_some() { ": not read, says what to do instead" } else { "" };
        let _ = writeln!(text, "  {:longest$}  {}{refused}", format.name, format.title);
    }
    text.push_str(
        "\n`isotherm sources NAME` says more: how to get what is needed, costs, \
                 limits, an example.\n",
    );
    text
}

fn list_as_json() -> Result<String, Failure> {
    let source = |meta: &Meta| ListedSource {
        name: meta.name.to_owned(),
        address: meta.address.to_owned(),
        about: meta.about.to_owned(),
        needs: meta.needs.iter().map(|need| need.what.to_owned()).collect(),
        costs: first_sentence(meta.overhead).to_owned(),
        time_waited: time_waited(meta),
    };
    let format = |format: NamedFormat| ListedFormat {
        name: format.name.to_owned(),
        title: format.title.to_owned(),
        link: format.link.to_owned(),
        refusal: format.refusal.map(str::to_owned),
    };
    let mut list = SourceListJson::default();
    list.sources = all_metas().map(source).collect();
    list.formats = named_formats().map(format).collect();
    let mut bytes = Vec::new();
    write_json(&list, &mut bytes)
        .map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
}

/// Appends a paragraph in lines of at most `width` characters, indented.
fn wrap(paragraph: &str, width: usize, text: &mut String) {
    let mut line = " ".repeat(INDENT);
    for word in paragraph.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > width && line.trim() != "" {
            let _ = writeln!(text, "{line}");
            line = " ".repeat(INDENT + 2);
        }
        if !line.ends_with(' ') {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
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
    let exact = match time_waited(meta) {
        TimeWaited::Exact => "The total time waited is exact.",
        TimeWaited::RoundedMeans => {
            "The total time waited is made of rounded means; estimates are shown with `≈`."
        }
        TimeWaited::Buckets => {
            "The total time waited is estimated from bucket mid-points unless the input carries exact \
             sums; estimates are shown with `≈`."
        }
    };
    let _ = writeln!(text, "\n## Command\n\n```sh\n{}\n```", meta.command.trim());
    let _ = writeln!(text, "\n## Overhead\n\n{}", meta.overhead);
    let counts = meta.counting.sentences();
    let _ = writeln!(text, "\n## Counts and times\n\n{counts} {exact}");
    let _ = writeln!(text, "\n## What it cannot show\n\n{}", meta.loses);
    let _ = writeln!(text, "\n## Example\n\n```text\n{}\n```", meta.example.trim_end());
    let _ = writeln!(text, "\n{}", meta.interpretation);
    text
}

/// A table of everything that can be read, with links to the pages beside it. The README repeats it.
fn sources_page() -> String {
    let mut text =
        "# Sources\n\nWhat isotherm reads. Each page says how to get what is needed, what \
                    measuring costs, what is counted and what resets it, and what the source cannot show.\n\n\
                    | source | what it reads | needs | time waited |\n|---|---|---|---|\n"
            .to_owned();
    for meta in all_metas() {
        let time = match time_waited(meta) {
            TimeWaited::Exact => "exact",
            TimeWaited::RoundedMeans => "≈, of rounded means",
            TimeWaited::Buckets => "≈, exact if the input has sums",
        };
        let needs: Vec<&str> = meta.needs.iter().map(|need| head(need.what)).collect();
        let needs = if needs.is_empty() { "nothing".to_owned() } else { needs.join("; ") };
        let (name, page, about) = (table_name(meta), meta.name, meta.about);
        let row = [format!("[{name}]({page}.md)"), about.to_owned(), needs, time.to_owned()];
        let cells = row.map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// The address where it is the source's own, and otherwise the name.
fn table_name(meta: &Meta) -> String {
    if meta.address.starts_with("FILE") {
        meta.name.to_owned()
    } else {
        format!("`{}`", meta.address)
    }
}

/// What stands before the first detail.
fn head(text: &str) -> &str {
    let ends = [" (", "; ", ": "];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    &text[..end.unwrap_or(text.len())]
}

/// A table of the commands in their groups, with links to the pages beside it. The README repeats it.
fn commands_page(program: &clap::Command) -> String {
    let mut text = "# Commands\n\n`isotherm help COMMAND` prints the same text as its page.\n\n\
                    | for | command | what it does |\n|---|---|---|\n"
        .to_owned();
    for (group, names) in crate::help::GROUPS {
        for (at, name) in names.iter().enumerate() {
            let about = program.find_subcommand(name).and_then(clap::Command::get_about);
            let about =
                about.map(|about| about.to_string().replace('|', "\\|")).unwrap_or_default();
            let group = if at == 0 { group } else { "" };
            let _ = writeln!(text, "| {group} | [`{name}`]({name}.md) | {about} |");
        }
    }
    text
}

/// `isotherm pages`: a page for each source and each command, and one with all of each.
pub fn pages(directory: &Path) -> Result<(), Failure> {
    let sources = directory.join("sources");
    let commands = directory.join("commands");
    for folder in [&sources, &commands] {
        made(folder, fs::create_dir_all(folder))?;
    }
    for meta in all_metas() {
        let path = sources.join(format!("{}.md", meta.name));
        write_page(&path, Kind::DocPage, page(meta).as_bytes())?;
    }
    write_page(&sources.join("README.md"), Kind::DocPage, sources_page().as_bytes())?;
    let program = crate::help::command();
    write_page(&commands.join("README.md"), Kind::DocPage, commands_page(&program).as_bytes())?;
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let path = commands.join(format!("{}.md", command.get_name()));
        write_page(&path, Kind::DocPage, command_page(command.clone()).as_bytes())?;
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
