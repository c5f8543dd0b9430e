//! Completion in the shell: what is typed is completed by the program itself, which knows the series
//! and marks of the recording that is named, the sources, and the devices of this machine.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter, complete,
};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use isotherm_formats::SOURCES;
use isotherm_frame::Series;
use isotherm_live::{ActivityFeed, Address, address_schemes};
use isotherm_load::{EngineKind, Medium};
use isotherm_recording::Reader;

use crate::failure::{Code, Failure};
use crate::help;

/// The variable that the shell's script sets to its name to ask for what may follow.
const VARIABLE: &str = "ISOTHERM_COMPLETE";
/// Bash splits words at some signs within them; what was typed as one word is passed in this.
const LINE: &str = "ISOTHERM_LINE";
/// The signs at which bash begins a new word to be completed.
const BASH_BREAKS: [char; 6] = [':', '=', '<', '>', '(', '&'];

/// Bash hands over the line as it was typed, and puts in place what comes back, one a line.
const BASH: &str = r#"_isotherm() {
  local IFS=$'\n'
  COMPREPLY=($(ISOTHERM_COMPLETE=bash ISOTHERM_LINE="${COMP_LINE:0:COMP_POINT}" isotherm 2>/dev/null))
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/:,] ]] && compopt -o nospace
}
complete -o default -o bashdefault -o nosort -F _isotherm isotherm
"#;

/// The script that makes a shell ask.
pub fn script(shell: Shell) -> Result<Vec<u8>, Failure> {
    if shell == Shell::Bash {
        return Ok(BASH.as_bytes().to_vec());
    }
    let name = shell.to_string();
    let shells = Shells::builtins();
    let asked =
        shells.completer(&name).ok_or_else(|| Failure::usage(format!("{name}: no such shell")))?;
    let mut script = Vec::new();
    let written =
        asked.write_registration(VARIABLE, "isotherm", "isotherm", "isotherm", &mut script);
    written.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    Ok(script)
}

/// Answers a shell that asks what may follow; whether one did.
pub fn answered() -> bool {
    let Some(shell) = std::env::var_os(VARIABLE) else { return false };
    match std::env::var(LINE) {
        Ok(line) if shell == "bash" => {
            let mut out = std::io::stdout().lock();
            for text in bash(&line) {
                // A shell that listens no more wants no more.
                let _ = writeln!(out, "{text}");
            }
        }
        _ => CompleteEnv::with_factory(completing).var(VARIABLE).complete(),
    }
    true
}

/// What may stand where the line ends, in bash's quoting, from the last sign on at which it begins a
/// word.
fn bash(line: &str) -> Vec<String> {
    let (mut words, end) = words_of(line);
    if end == LineEnd::BetweenWords {
        words.push(String::new());
    }
    let Some(current) = words.last().cloned() else { return Vec::new() };
    let index = words.len() - 1;
    let given = words.into_iter().map(OsString::from).collect();
    let directory = std::env::current_dir().ok();
    let mut command = completing();
    let found = complete(&mut command, given, index, directory.as_deref()).unwrap_or_default();
    let begin = current.rfind(BASH_BREAKS).map_or(0, |at| at + 1);
    let text = |candidate: &CompletionCandidate| {
        let text = candidate.get_value().to_string_lossy().into_owned();
        quoted(text.get(begin..)?, end)
    };
    found.iter().filter(|candidate| !candidate.is_hide_set()).filter_map(text).collect()
}

/// Where a line ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum LineEnd {
    BetweenWords,
    InWord,
    /// In a quotation that is still open, which began with this sign.
    InQuotes(char),
}

/// The words of a line as bash reads them, and where it ends.
fn words_of(line: &str) -> (Vec<String>, LineEnd) {
    let mut words: Vec<String> = Vec::new();
    let (mut quote, mut is_new) = (None, true);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if quote.is_none() && character.is_whitespace() {
            is_new = true;
            continue;
        }
        if std::mem::take(&mut is_new) {
            words.push(String::new());
        }
        let Some(word) = words.last_mut() else { continue };
        match (quote, character) {
            (Some(open), closing) if open == closing => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None | Some('"'), '\\') => word.extend(characters.next()),
            _ => word.push(character),
        }
    }
    let end = match (is_new, quote) {
        (true, _) => LineEnd::BetweenWords,
        (false, None) => LineEnd::InWord,
        (false, Some(open)) => LineEnd::InQuotes(open),
    };
    (words, end)
}

/// A name as it may be put in place where the line ends, so that bash takes it for itself and
/// nothing in it for a command; recordings come from anybody. `None` where bash has no way to write it.
fn quoted(text: &str, end: LineEnd) -> Option<String> {
    let cannot_be_written = |character: char| match end {
        LineEnd::InQuotes('\'') => character == '\'',
        // A backslash before it would stay, and without one it recalls an earlier command.
        LineEnd::InQuotes(_) => character == '!',
        LineEnd::InWord | LineEnd::BetweenWords => false,
    };
    if text.chars().any(|character| character.is_control() || cannot_be_written(character)) {
        return None;
    }
    let is_plain = |character: char| match end {
        LineEnd::InQuotes('\'') => true,
        LineEnd::InQuotes(_) => !"\\\"$`".contains(character),
        LineEnd::InWord | LineEnd::BetweenWords => {
            character.is_alphanumeric() || "-_./:=,+%@^~".contains(character)
        }
    };
    let mut quoted = String::new();
    for character in text.chars() {
        if !is_plain(character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    Some(quoted)
}

/// The command line with what is known of each value.
fn completing() -> Command {
    known(help::command())
}

fn known(command: Command) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    // Another word for a command is understood and not offered beside it.
    let aliases: Vec<String> = command.get_visible_aliases().map(str::to_owned).collect();
    let of = command.get_name().to_owned();
    let command = command.visible_alias(None::<&'static str>).aliases(aliases);
    let command = command.mut_args(|arg| of_arg(&of, arg));
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, known))
}

fn of_arg(command: &str, arg: Arg) -> Arg {
    let name = arg.get_long().map_or_else(|| arg.get_id().to_string(), str::to_owned);
    let completer = match name.as_str() {
        "series" => ArgValueCompleter::new(|current: &OsStr| beginning(current, series_names())),
        "by" if arg.get_possible_values().is_empty() => {
            ArgValueCompleter::new(|current: &OsStr| listed(current, &attribute_names()))
        }
        "where" => ArgValueCompleter::new(|current: &OsStr| beginning(current, attribute_values())),
        "align" | "from" | "to" | "a" | "b" => {
            ArgValueCompleter::new(|current: &OsStr| beginning(current, mark_texts()))
        }
        "as" => ArgValueCompleter::new(|current: &OsStr| {
            beginning(current, SOURCES.iter().map(|source| source.meta().name.to_owned()))
        }),
        "source" if command == "top" => ArgValueCompleter::new(addresses_with_sessions),
        "source" | "alongside" => ArgValueCompleter::new(live_addresses),
        "target" if command == "calibrate" => ArgValueCompleter::new(storage_addresses),
        "target" => ArgValueCompleter::new(load_addresses),
        _ => return arg,
    };
    arg.add(completer)
}

/// Those texts that begin as what was typed.
fn beginning(current: &OsStr, texts: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    // A shell reads one text a line.
    let in_one_line = |text: &String| !text.chars().any(char::is_control);
    let fitting = texts.into_iter().filter(|text| text.starts_with(&*typed)).filter(in_one_line);
    fitting.map(CompletionCandidate::new).collect()
}

/// A list with commas, of which the last is completed.
fn listed(current: &OsStr, names: &[String]) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let before = typed.rfind(',').map_or("", |at| &typed[..=at]);
    beginning(current, names.iter().map(|name| format!("{before}{name}")))
}

/// What can be watched: the ways addresses begin, the disks of this machine, and files.
fn live_addresses(current: &OsStr) -> Vec<CompletionCandidate> {
    let schemes = address_schemes().into_iter().filter(|scheme| scheme.is_watched);
    let mut texts: Vec<String> = schemes.map(|scheme| format!("{}:", scheme.name)).collect();
    texts.extend(disks().map(|disk| format!("disk:{disk}")));
    with_files(current, texts)
}

/// The databases whose sessions `top` shows.
fn addresses_with_sessions(current: &OsStr) -> Vec<CompletionCandidate> {
    let is_database = |example: &str| {
        example.parse::<Address>().is_ok_and(|address| ActivityFeed::can_watch(&address))
    };
    let schemes = address_schemes().into_iter().filter(|scheme| scheme.is_watched);
    let databases = schemes.filter(|scheme| is_database(scheme.example));
    beginning(current, databases.map(|scheme| format!("{}:", scheme.name)))
}

/// What can be loaded.
fn load_addresses(current: &OsStr) -> Vec<CompletionCandidate> {
    addresses_of(current, |_| true)
}

/// What can be calibrated.
fn storage_addresses(current: &OsStr) -> Vec<CompletionCandidate> {
    addresses_of(current, |engine| matches!(engine.medium(), Medium::Storage | Medium::Model))
}

fn addresses_of(
    current: &OsStr,
    is_wanted: fn(&dyn EngineKind) -> bool,
) -> Vec<CompletionCandidate> {
    let engines = isotherm_load::ENGINES.iter().filter(|engine| is_wanted(**engine));
    let schemes = engines.flat_map(|engine| engine.schemes());
    let mut texts: Vec<String> = schemes.map(|scheme| (*scheme).to_owned()).collect();
    texts.extend(disks().map(|disk| format!("/dev/{disk}")));
    with_files(current, texts)
}

fn with_files(current: &OsStr, texts: Vec<String>) -> Vec<CompletionCandidate> {
    let mut found = beginning(current, texts);
    found.extend(PathCompleter::any().complete(current));
    found
}

/// The block devices of this machine that are no loops.
fn disks() -> impl Iterator<Item = String> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !name.starts_with("loop") && !name.starts_with("ram"))
}

/// The recordings that are named on the line.
fn recordings() -> Vec<Reader> {
    let line = std::env::var(LINE).map(|line| words_of(&line).0);
    let words = line.unwrap_or_else(|_| {
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
    });
    let paths = words.into_iter().map(PathBuf::from).filter(|path| is_heat(path));
    paths.filter_map(|path| Reader::open(&path).ok()).collect()
}

fn is_heat(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "heat") && path.is_file()
}

fn all_series() -> Vec<Series> {
    recordings().iter().filter_map(|reader| reader.series().ok()).flatten().collect()
}

fn series_names() -> Vec<String> {
    distinct(all_series().iter().map(|series| series.name().to_owned()))
}

fn attribute_names() -> Vec<String> {
    let series = all_series();
    distinct(series.iter().flat_map(Series::attributes).map(|(name, _)| name.to_string()))
}

fn attribute_values() -> Vec<String> {
    let series = all_series();
    let pairs = series.iter().flat_map(Series::attributes);
    distinct(pairs.map(|(name, value)| format!("{name}={value}")))
}

fn mark_texts() -> Vec<String> {
    let marks = recordings().into_iter().filter_map(|reader| reader.marks().ok()).flatten();
    distinct(marks.map(|recorded| recorded.text))
}

fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts.dedup();
    texts
}

#[cfg(test)]
mod tests {
    use super::LineEnd::{BetweenWords, InQuotes, InWord};
    use super::*;

    #[test]
    fn a_line_is_split_as_bash_splits_it() {
        let words = |line: &str| words_of(line);
        let text = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
        for (line, parts, end) in [
            ("isotherm show a.heat ", &["isotherm", "show", "a.heat"][..], BetweenWords),
            ("isotherm live disk:v", &["isotherm", "live", "disk:v"], InWord),
            (
                r"isotherm stats x --series log\ fi",
                &["isotherm", "stats", "x", "--series", "log fi"],
                InWord,
            ),
            ("isotherm stats 'my fi", &["isotherm", "stats", "my fi"], InQuotes('\'')),
            (r#"isotherm stats "a \"b" 'c\'"#, &["isotherm", "stats", "a \"b", r"c\"], InWord),
            ("", &[], BetweenWords),
        ] {
            assert_eq!(words(line), (text(parts), end), "{line}");
        }
    }

    #[test]
    fn what_is_known_is_offered() {
        assert!(bash("isotherm live pro").contains(&"probe:".to_owned()));
        assert_eq!(bash("isotherm stress postgresq"), ["postgresql://"]);
        // Bash begins a word after the colon.
        assert_eq!(bash("isotherm stress redis:"), ["//"]);
        assert!(bash("isotherm stats x --as oracle").contains(&"oracletrace".to_owned()));
        assert_eq!(bash("isotherm top my"), [""; 0], "MySQL's sessions are not sampled");
        assert_eq!(bash("isotherm top postgr"), ["postgres:", "postgresql:"]);
        assert!(bash("isotherm top d").iter().all(|offered| !offered.starts_with("disk:")));
        assert_eq!(bash("isotherm calibrate postgr"), [""; 0], "databases are not calibrated");
        assert!(bash("isotherm calibrate s").contains(&"sim:".to_owned()));
        assert_eq!(bash("isotherm repo"), ["report"]);
        assert!(bash("isotherm report x --with").contains(&"--with-columns".to_owned()));
    }

    #[test]
    fn names_are_quoted_for_bash() {
        let double = InQuotes('"');
        for (name, end, expected) in [
            ("log file sync", InWord, Some(r"log\ file\ sync")),
            ("$(x)'`!", BetweenWords, Some(r"\$\(x\)\'\`\!")),
            ("log file sync", double, Some("log file sync")),
            (r#"$(x) `y` "z" \'"#, double, Some(r#"\$(x) \`y\` \"z\" \\'"#)),
            ("deploy!", double, None),
            ("$(x) `y` !", InQuotes('\''), Some("$(x) `y` !")),
            ("it's", InQuotes('\''), None),
            ("two\nlines", InWord, None),
        ] {
            assert_eq!(quoted(name, end).as_deref(), expected, "{name:?} {end:?}");
        }
    }
    #[test]
    fn bash_takes_what_is_put_in_place_for_the_name_itself() {
        for name in ["$(echo ran)", "`echo ran` \"x\"", r"a\b $HOME", "it's; echo ran", "*", "~"] {
            for end in [InWord, InQuotes('"'), InQuotes('\'')] {
                let Some(quoted) = quoted(name, end) else { continue };
                let sign = if let InQuotes(sign) = end { sign.to_string() } else { String::new() };
                let line = format!("printf %s x{sign}{quoted}{sign}");
                let mut bash = std::process::Command::new("bash");
                let ran = testing::bounded::output(bash.args(["-c", &line]));
                assert_eq!(String::from_utf8_lossy(&ran.stdout), format!("x{name}"), "{line}");
            }
        }
    }
}
