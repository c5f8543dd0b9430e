//! The files of a SLOB harness: which shares of updates and how many workers it steps through, and the
//! settings of the runs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use isotherm_experiment::{Variable, What};
use isotherm_frame::Nanos;
use isotherm_live::{Address, read_whole};
use isotherm_load::others_that_take;

use crate::amounts;
use crate::failure::{Code, Failure};
use crate::load_args::LoadArgs;
use crate::load_choices::{self, RedoArg};
use crate::screen;

/// The largest file of settings.
const MOST_BYTES: u64 = 1 << 20;
/// What stands in an `.inf` between `UPDATE_PCT` and `/UPDATE_PCT`, and between `WORKERS` and `/WORKERS`.
const BLOCKS: [&str; 2] = ["UPDATE_PCT", "WORKERS"];

/// What the files say.
#[derive(Debug, Default, PartialEq, Eq)]
struct SlobFiles {
    /// The values of each block.
    blocks: [Vec<u32>; 2],
    /// `SCALE=80M` and the like; the last one counts.
    settings: BTreeMap<String, String>,
}

/// What is varied and which load is made, where the options do not say it themselves.
pub fn merged(
    files: &[PathBuf],
    load: &LoadArgs,
    vary: &[Variable],
    target: &str,
) -> Result<(LoadArgs, Vec<Variable>), Failure> {
    let mut found = SlobFiles::default();
    for file in files {
        let (bytes, damage) = read_whole(&Address::File(file.clone()), MOST_BYTES)?;
        if let Some(damage) = damage {
            return Err(Failure::new(Code::Runtime, format!("{}: {damage}", file.display())));
        }
        let read = found.read(&String::from_utf8_lossy(&bytes));
        read.map_err(|why| Failure::usage(format!("{}: {why}", file.display())))?;
    }
    let mut load = load.clone();
    if files.is_empty() {
        return Ok((load, vary.to_vec()));
    }
    let vary = found.varied(vary, &load)?;
    found.set(&mut load, target).map_err(Failure::usage)?;
    if let Some(unlike) = found.unlike() {
        screen::warn(&format!("not like SLOB: {unlike}"));
    }
    Ok((load, vary))
}

impl SlobFiles {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let mut open = None;
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            // Only the words and the slash matter, whatever is around them.
            let words = line.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '/');
            let block = BLOCKS.iter().position(|name| words.trim_start_matches('/') == *name);
            if let Some(block) = block {
                open = (!words.starts_with('/')).then_some(block);
            } else if let Some(block) = open {
                let values = self.blocks.get_mut(block).ok_or("no such block")?;
                for value in line.split([' ', '\t', ',']).filter(|value| !value.is_empty()) {
                    let number = value.parse().map_err(|_| format!("'{value}' is no number"))?;
                    values.push(number);
                }
            } else if let Some((key, value)) = line.split_once('=') {
                let key = key.trim().trim_start_matches("export ").trim();
                let value = value.trim().trim_end_matches(';').trim_matches(['"', '\'']);
                self.settings.insert(key.to_owned(), value.to_owned());
            }
        }
        match open {
            Some(block) => Err(format!("there is no /{}", BLOCKS[block])),
            None => Ok(()),
        }
    }

    /// The value of a setting that is not empty and not `default`.
    fn setting(&self, key: &str, default: &str) -> Option<&str> {
        let value = self.settings.get(key).map(String::as_str);
        value.filter(|value| !value.is_empty() && !value.eq_ignore_ascii_case(default))
    }

    /// Sessions of each worker.
    fn threads(&self) -> Result<u32, String> {
        let threads = self.setting("THREADS_PER_SCHEMA", "1").unwrap_or("1");
        threads.parse().map_err(|_| format!("THREADS_PER_SCHEMA={threads}: no number"))
    }

    /// The shares of updates in turn, and within each the workers: as the harness does it.
    fn varied(&self, vary: &[Variable], load: &LoadArgs) -> Result<Vec<Variable>, Failure> {
        let [shares, workers] = &self.blocks;
        let threads = self.threads().map_err(Failure::usage)?;
        let is_given = |what| vary.iter().any(|variable| variable.what() == what);
        let listed = |name: &str, values: &mut dyn Iterator<Item = u32>| {
            let values: Vec<String> = values.map(|value| value.to_string()).collect();
            format!("{name}={}", values.join(",")).parse::<Variable>()
        };
        let mut made = Vec::new();
        if !shares.is_empty() && !is_given(What::UpdatePct) && load.update_pct().is_none() {
            made.push(listed("update-pct", &mut shares.iter().copied())?);
        }
        made.extend_from_slice(vary);
        let has_load = vary.iter().any(|variable| variable.what().is_load());
        if has_load || load.in_flight.is_some() || load.rate.is_some() {
            return Ok(made);
        }
        if workers.is_empty() {
            let words =
                "the files of --inf have no block WORKERS: give one, or --vary in-flight=1..64x2";
            return Err(Failure::usage(words));
        }
        let mut sessions = workers.iter().map(|worker| worker.saturating_mul(threads));
        made.push(listed("in-flight", &mut sessions)?);
        Ok(made)
    }

    /// Sets in the options what they leave open.
    fn set(&self, load: &mut LoadArgs, target: &str) -> Result<(), String> {
        let takes = |option: &str| others_that_take(option, target).is_none();
        let wrong = |key: &str, value: &str, why: &str| format!("{key}={value}: {why}");
        if let (Some(share), true) = (self.setting("UPDATE_PCT", ""), self.blocks[0].is_empty())
            && load.update_pct().is_none()
        {
            let share = amounts::per_cent(share).map_err(|why| wrong("UPDATE_PCT", share, &why))?;
            load.update = Some(share);
        }
        if let (Some(time), None) = (self.setting("RUN_TIME", ""), load.duration) {
            let seconds: u64 = time.parse().map_err(|_| wrong("RUN_TIME", time, "no seconds"))?;
            load.duration = Some(Nanos::from_millis(seconds.saturating_mul(1_000)));
        }
        if let (Some(scale), None, true) =
            (self.setting("SCALE", ""), load.database.scale, takes("scale"))
        {
            let rows = amounts::scale(scale).map_err(|why| wrong("SCALE", scale, &why))?;
            load.database.scale = Some(rows);
        }
        if let (Some(unit), None, true) =
            (self.setting("WORK_UNIT", ""), load.database.work_unit, takes("work-unit"))
        {
            let blocks = unit.parse().map_err(|_| wrong("WORK_UNIT", unit, "no number"))?;
            load.database.work_unit = Some(blocks);
        }
        if let (Some(redo), None, true) =
            (self.setting("REDO_STRESS", ""), load.database.redo, takes("redo"))
        {
            let heavy = redo.eq_ignore_ascii_case("heavy");
            load.database.redo = Some(if heavy { RedoArg::Heavy } else { RedoArg::Lite });
        }
        // Each worker has a schema of its own.
        let most = self.blocks[1].iter().max().copied();
        if let (Some(most), None, true) = (most, load.database.schemas, takes("schemas")) {
            load.database.schemas = Some(most.clamp(1, 4_096));
        }
        if let (Some(every), None, None) =
            (self.setting("THINK_TM_FREQUENCY", "0"), load.think, load.rate)
        {
            // `.1` is a tenth of a second.
            let seconds = |key: &str, default| {
                let text = self.setting(key, "").unwrap_or(default);
                format!("{}{text}s", if text.starts_with('.') { "0" } else { "" })
            };
            let (least, most) = (seconds("THINK_TM_MIN", ".1"), seconds("THINK_TM_MAX", ".5"));
            let text = format!("{least}..{most},1-in-{every}");
            let think = load_choices::think(&text);
            load.think = Some(think.map_err(|why| wrong("THINK_TM_FREQUENCY", every, &why))?);
        }
        Ok(())
    }

    /// What is asked for and not done.
    fn unlike(&self) -> Option<String> {
        const NOT_DONE: [(&str, &str, &str); 4] = [
            ("SCAN_PCT", "0", "there are no scans"),
            ("WORK_LOOP", "0", "runs end by time; --operations ends them by their number"),
            ("DO_HOTSPOT", "FALSE", "no blocks are hotter; --hot makes some"),
            ("HOT_SCHEMA_FREQUENCY", "0", "no schema is hotter"),
        ];
        let asked = NOT_DONE.iter().filter_map(|(key, default, instead)| {
            Some(format!("{key}={} ({instead})", self.setting(key, default)?))
        });
        let asked: Vec<String> = asked.collect();
        (!asked.is_empty()).then(|| asked.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: &str = "# what to step through\n<UPDATE_PCT>\n000 020\n050\n</UPDATE_PCT>\n\
        WORKERS\n001,004\n016 # the most\n/WORKERS\n";
    const CONF: &str = "UPDATE_PCT=10\nRUN_TIME=300\nWORK_LOOP=0\nSCALE=80M # per schema\nWORK_UNIT=\"32\"\n\
        REDO_STRESS=HEAVY\nTHREADS_PER_SCHEMA=2\nSCAN_PCT=5\nTHINK_TM_FREQUENCY=7\nTHINK_TM_MIN=.1\n\
        THINK_TM_MAX=.5\nDBA_PRIV_USER=system\nexport DO_HOTSPOT=FALSE\n";

    fn read(texts: &[&str]) -> SlobFiles {
        let mut files = SlobFiles::default();
        for text in texts {
            files.read(text).unwrap();
        }
        files
    }

    fn texts(vary: &[Variable]) -> Vec<String> {
        vary.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn shares_and_workers_are_stepped_through_as_the_harness_does() {
        let files = read(&[INF]);
        let vary = files.varied(&[], &LoadArgs::default()).unwrap();
        assert_eq!(texts(&vary), ["update-pct=0,20,50", "in-flight=1,4,16"]);
        // Two sessions for each worker.
        let vary = read(&[INF, CONF]).varied(&[], &LoadArgs::default()).unwrap();
        assert_eq!(texts(&vary), ["update-pct=0,20,50", "in-flight=2,8,32"]);
        let given = LoadArgs { update: Some(5.0), ..LoadArgs::default() };
        let rate: Variable = "in-flight=3".parse().unwrap();
        assert_eq!(texts(&files.varied(&[rate], &given).unwrap()), ["in-flight=3"]);
        assert!(read(&[CONF]).varied(&[], &LoadArgs::default()).is_err());
        let mut cut = SlobFiles::default();
        assert!(cut.read("WORKERS\n1\n").unwrap_err().contains("/WORKERS"));
        assert!(cut.read("WORKERS\nmany\n/WORKERS\n").unwrap_err().contains("'many'"));
    }

    #[test]
    fn settings_are_taken_where_options_say_nothing() {
        let mut load = LoadArgs::default();
        read(&[INF, CONF]).set(&mut load, "postgres://h/d").unwrap();
        assert_eq!(load.duration, Some(Nanos::from_millis(300_000)));
        // 80 MiB in blocks of 8 KiB.
        assert_eq!((load.database.scale, load.database.work_unit), (Some(10_240), Some(32)));
        assert_eq!((load.database.redo, load.database.schemas), (Some(RedoArg::Heavy), Some(16)));
        // The block of the .inf counts.
        assert_eq!(load.update, None);
        let think = load.think.unwrap();
        assert_eq!(
            (think.one_in, think.least, think.most),
            (7, Nanos::from_millis(100), Nanos::from_millis(500))
        );
        let mut given = LoadArgs { duration: Some(Nanos::SECOND), ..LoadArgs::default() };
        read(&[CONF]).set(&mut given, "file:x").unwrap();
        assert_eq!((given.duration, given.update), (Some(Nanos::SECOND), Some(10.0)));
        // A file has no rows.
        assert_eq!((given.database.scale, given.database.redo), (None, None));
        assert_eq!(read(&[CONF]).unlike().unwrap(), "SCAN_PCT=5 (there are no scans)");
        assert_eq!(read(&[INF]).unlike(), None);
    }
}
