//! A report of each of the first hosts, in a directory beside the page that links to them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;

use crate::failure::{Code, Failure};
use crate::fleet_args::FleetArgs;
use crate::report;
use crate::report_args::ReportArgs;
use crate::screen;

/// A command line of `report` alone.
#[derive(Parser)]
#[command(name = "isotherm report")]
struct ReportLine {
    #[command(flatten)]
    args: ReportArgs,
}

/// A host, and what `report` reads of it.
pub(super) struct HostInput {
    pub(super) name: String,
    pub(super) address: String,
}

/// The directory of the reports beside a page: `fleet.html` has `fleet-hosts`.
pub(super) fn directory(args: &FleetArgs) -> Result<Option<PathBuf>, Failure> {
    let Some(page) = args.output.as_deref().filter(|_| args.reports) else { return Ok(None) };
    let Some(stem) = page.file_stem().filter(|_| page != Path::new("-")) else {
        return Err(Failure::usage("--reports: give the page a name (-o fleet.html), and not -"));
    };
    let mut name = stem.to_owned();
    name.push("-hosts");
    Ok(Some(page.with_file_name(name)))
}

/// Writes the reports; gives the address of each, relative to the page. A host that cannot be read is named in a
/// warning and has none.
pub(super) fn write(
    args: &FleetArgs,
    directory: &Path,
    hosts: &[HostInput],
    options: &[String],
) -> Result<Vec<Option<String>>, Failure> {
    fs::create_dir_all(directory).map_err(|error| {
        Failure::new(Code::Runtime, format!("{}: {error}", directory.display()))
    })?;
    let within = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut addresses, mut taken) = (Vec::new(), BTreeSet::new());
    for host in hosts {
        let file = file_name(&host.name, &mut taken);
        // With the sign between them a name may begin with a hyphen.
        let output = format!("--output={}", directory.join(&file).display());
        let title = format!("--title={}", host.name);
        let mut line = vec!["report", &output, &title];
        line.extend(args.force.then_some("--force"));
        line.extend(options.iter().map(String::as_str));
        line.extend(["--", &host.address]);
        let read = ReportLine::try_parse_from(line)
            .map_err(|error| Failure::usage(error.to_string()))
            .and_then(|line| report::run(&line.args));
        match read {
            Ok(()) => addresses.push(Some(format!("{}/{file}", percent_encoded(&within)))),
            Err(failure) => {
                screen::warn(&format!("{}: no report: {failure}", host.name));
                addresses.push(None);
            }
        }
    }
    Ok(addresses)
}

/// A file name of a host that no other has: letters, digits, dots and hyphens of its own.
fn file_name(host: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let mut name: String =
        host.chars().take(100).map(|letter| if plain(letter) { letter } else { '_' }).collect();
    if name.is_empty() || name.starts_with('.') {
        name.insert(0, '_');
    }
    // File systems of other machines do not tell capitals apart.
    let key = |name: &str| name.to_ascii_lowercase();
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    let free =
        std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(&key(name)));
    let name = free.unwrap_or(name);
    taken.insert(key(&name));
    name + ".html"
}

/// A part of an address of a page.
fn percent_encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_a_file_of_its_own_in_the_directory() {
        let mut taken = BTreeSet::new();
        let names = ["db1:9100", "db1_9100", "DB1_9100", "../../etc/passwd", "", "é", "a/b"];
        let files: Vec<String> = names.iter().map(|name| file_name(name, &mut taken)).collect();
        let expected = [
            "db1_9100.html",
            "db1_9100-2.html",
            "DB1_9100-3.html",
            "_.._.._etc_passwd.html",
            "_.html",
            "_-2.html",
            "a_b.html",
        ];
        assert_eq!(files, expected);
    }
}
