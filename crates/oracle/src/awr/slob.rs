//! What SLOB and its harness leave beside AWR reports: names of files, `slob.conf`, and the lines that
//! the harness writes behind a report.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// A run of SLOB that a report is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SlobRun {
    /// Per cent of operations that are updates; null if nothing says.
    pub update_pct: Option<u64>,
    /// Sessions that made the load; null if nothing says.
    pub workers: Option<u64>,
    /// The settings of the run, as slob.conf and the harness name them.
    pub settings: BTreeMap<String, String>,
}

/// Settings of a run; passwords and services are none.
const SETTINGS: [&str; 18] = [
    "UPDATE_PCT",
    "SCAN_PCT",
    "RUN_TIME",
    "WORK_LOOP",
    "SCALE",
    "SCAN_TABLE_SZ",
    "WORK_UNIT",
    "REDO_STRESS",
    "LOAD_PARALLEL_DEGREE",
    "THREADS_PER_SCHEMA",
    "DO_HOTSPOT",
    "HOTSPOT_MB",
    "HOTSPOT_OFFSET_MB",
    "HOTSPOT_FREQUENCY",
    "HOT_SCHEMA_FREQUENCY",
    "THINK_TM_FREQUENCY",
    "SHARED_DATA_MODULUS",
    "KERNEL",
];

impl SlobRun {
    /// What the name of a file says, such as `awr.050.016.txt` (updates, then workers) or
    /// `awr.txt.128` (workers alone), and the lines behind the report, with the settings of a
    /// `slob.conf` where these say nothing. `None` if it is no run of SLOB.
    pub fn of(file_name: &str, report: &[u8], conf: Option<&str>) -> Option<SlobRun> {
        let (update_pct, workers) = named(file_name)?;
        let mut settings = conf.map(settings).unwrap_or_default();
        settings.extend(stamp(report));
        let stated = settings.get("UPDATE_PCT").and_then(|text| text.parse().ok());
        Some(SlobRun { update_pct: update_pct.or(stated), workers: Some(workers), settings })
    }
}

/// Updates and workers, as the harness names its files; leading zeros let them sort.
fn named(file_name: &str) -> Option<(Option<u64>, u64)> {
    let rest = file_name.strip_prefix("awr.")?;
    let number =
        |text: &str| text.parse::<u64>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    if let Some(workers) = rest.strip_prefix("txt.") {
        return Some((None, number(workers)?));
    }
    let mut parts = rest.split('.');
    let (pct, workers) = (number(parts.next()?)?, number(parts.next()?)?);
    (pct <= 100).then_some((Some(pct), workers))
}

/// The lines `NAME=VALUE` of a `slob.conf`: what the shell would read.
fn settings(conf: &str) -> BTreeMap<String, String> {
    let lines = conf.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let pairs = lines.filter_map(|line| line.trim_start_matches("export ").split_once('='));
    let known = pairs.filter(|(name, _)| SETTINGS.contains(&name.trim()));
    let unquoted = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
    known.map(|(name, value)| (name.trim().to_owned(), unquoted(value))).collect()
}

/// The lines that the harness writes behind a report, after a line of equals signs.
fn stamp(report: &[u8]) -> BTreeMap<String, String> {
    const TAIL: usize = 4 << 10;
    let tail = String::from_utf8_lossy(&report[report.len().saturating_sub(TAIL)..]).into_owned();
    let Some(at) = tail.rfind("\n======") else { return BTreeMap::new() };
    let lines: Vec<&str> =
        tail[at..].lines().map(|line| line.trim().trim_start_matches("SLOB ")).collect();
    settings(&lines.join("\n"))
}

/// The runs that a plan of the harness (`.inf`) asks for: every share of updates with every number of
/// workers.
pub fn planned(plan: &str) -> Vec<(u64, u64)> {
    let (pcts, workers) = (block(plan, "UPDATE_PCT"), block(plan, "WORKERS"));
    pcts.iter().flat_map(|pct| workers.iter().map(|workers| (*pct, *workers))).collect()
}

/// The numbers between a line with a word and one with a slash before it.
fn block(plan: &str, word: &str) -> Vec<u64> {
    let end = format!("/{word}");
    let lines = plan.lines().map(|line| line.split('#').next().unwrap_or_default());
    let inside = lines.skip_while(|line| !line.contains(word)).skip(1);
    let inside = inside.take_while(|line| !line.contains(&end));
    inside.flat_map(str::split_whitespace).filter_map(|text| text.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_files_say_updates_and_workers() {
        assert_eq!(named("awr.050.016.txt"), Some((Some(50), 16)));
        assert_eq!(named("awr.0.128.html.gz"), Some((Some(0), 128)));
        assert_eq!(named("awr.txt.128"), Some((None, 128)));
        for other in ["awr.txt", "awr.html", "awrrpt_1_2_3.txt", "awr.200.5.txt", "awr.x.5.txt"] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn settings_are_those_of_the_run_and_no_passwords() {
        let conf = "UPDATE_PCT=10 # updates\nRUN_TIME=300\nSYSDBA_PASSWD=manager\nSCALE=\"80M\"\n";
        let report = b"End of Report\n=========\nKERNEL=5.4\nSLOB UPDATE_PCT=50\nWORK_UNIT=64\n";
        let run = SlobRun::of("awr.txt.16", report, Some(conf)).unwrap();
        let expected = [
            ("KERNEL", "5.4"),
            ("RUN_TIME", "300"),
            ("SCALE", "80M"),
            ("UPDATE_PCT", "50"),
            ("WORK_UNIT", "64"),
        ];
        let found: Vec<(&str, &str)> =
            run.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!((run.update_pct, run.workers), (Some(50), Some(16)));
    }

    #[test]
    fn a_plan_is_every_share_with_every_number_of_workers() {
        let plan =
            "# plan\n<UPDATE_PCT>\n0\n010 50\n</UPDATE_PCT>\n<WORKERS>\n8 16 # two\n</WORKERS>\n";
        assert_eq!(planned(plan), [(0, 8), (0, 16), (10, 8), (10, 16), (50, 8), (50, 16)]);
        assert!(planned("nothing").is_empty());
    }
}
