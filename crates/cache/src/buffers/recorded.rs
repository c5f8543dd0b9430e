//! Buffers that were written as JSON, read again.

use isotherm_formats::{BufferCell, BufferContents, BufferHolder, LevelKind};
use isotherm_frame::{Nanos, Timestamp};
use serde::Deserialize;
use thiserror::Error;

use super::{BufferHistory, BufferReport, BufferSample};

/// Why a JSON object is no record of buffers.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordedBuffersError {
    /// It is no JSON, or has not what such a record has.
    #[error("not what isotherm cache show writes as JSON: {0}")]
    Other(#[from] serde_json::Error),
    /// A later version wrote it.
    #[error("version {0} of the JSON of isotherm cache show is not known")]
    Version(u32),
    /// Numbers in it do not fit together.
    #[error("not what isotherm cache show writes as JSON: {0}")]
    Unfit(&'static str),
}

/// What is read of the object; other keys are left out.
#[derive(Deserialize)]
struct Recorded {
    schema_version: u32,
    source: String,
    server: String,
    block_bytes: Option<u64>,
    levels_are: Kind,
    free: u64,
    dirty: Option<u64>,
    pinned: Option<u64>,
    took_s: f64,
    by_level: Vec<Level>,
    holders: Vec<Holder>,
    history: Option<History>,
    rejected: u64,
    rejections: Vec<String>,
}

#[derive(Copy, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    UsageCount,
    Touches,
    State,
}

#[derive(Deserialize)]
struct Level {
    #[serde(rename = "level")]
    name: String,
    buffers: u64,
    dirty: u64,
    pinned: u64,
}

#[derive(Deserialize)]
struct Holder {
    name: String,
    kind: String,
    blocks_estimate: Option<u64>,
    fetched: Option<u64>,
    hits: Option<u64>,
    by_level: Vec<Level>,
}

#[derive(Deserialize)]
struct History {
    since_ns: i64,
    every_s: f64,
    due: usize,
    /// Since then: earlier records have levels only.
    #[serde(default)]
    holders: Vec<String>,
    looks: Vec<Look>,
}

#[derive(Deserialize)]
struct Look {
    at_s: f64,
    took_s: f64,
    free: u64,
    by_level: Vec<Level>,
    #[serde(default)]
    holders: Vec<(u32, u64)>,
}

impl BufferReport {
    /// Reads what [`super::BuffersJson`] wrote; `top` is that of the report.
    pub fn from_json(json: &[u8], top: usize) -> Result<BufferReport, RecordedBuffersError> {
        let recorded: Recorded = serde_json::from_slice(json)?;
        if recorded.schema_version != 1 {
            return Err(RecordedBuffersError::Version(recorded.schema_version));
        }
        let history = recorded.history.map(History::into_history).transpose()?;
        let levels: Vec<String> = recorded.by_level.into_iter().map(|one| one.name).collect();
        let holders: Vec<BufferHolder> =
            recorded.holders.into_iter().map(Holder::into_holder).collect();
        if holders.iter().any(|one| one.cells.len() > levels.len()) {
            return Err(RecordedBuffersError::Unfit("a holder has levels that are not named"));
        }
        Ok(BufferReport {
            source: recorded.source,
            contents: BufferContents {
                server: recorded.server,
                block_bytes: recorded.block_bytes,
                kind: match recorded.levels_are {
                    Kind::UsageCount => LevelKind::UsageCount,
                    Kind::Touches => LevelKind::TouchCount,
                    Kind::State => LevelKind::Status,
                },
                levels,
                holders,
                free: recorded.free,
                knows_dirty: recorded.dirty.is_some(),
                knows_pins: recorded.pinned.is_some(),
                took: time(recorded.took_s)?,
            },
            history,
            top,
            rejected: (recorded.rejected, recorded.rejections),
        })
    }
}

impl Holder {
    fn into_holder(self) -> BufferHolder {
        let Holder { name, kind, blocks_estimate: blocks, fetched, hits, by_level } = self;
        BufferHolder { name, kind, cells: cells(&by_level), blocks, fetched, hits }
    }
}

impl History {
    fn into_history(self) -> Result<BufferHistory, RecordedBuffersError> {
        let length = time(self.every_s)?;
        let every = length.as_nanos();
        if every == 0 {
            return Err(RecordedBuffersError::Unfit("no time is between two looks"));
        }
        let mut samples = Vec::new();
        for look in self.looks {
            let slot = usize::try_from((time(look.at_s)?.as_nanos() + every / 2) / every);
            let slot = slot.ok().filter(|&slot| slot < self.due);
            let slot =
                slot.ok_or(RecordedBuffersError::Unfit("a look was made that was not due"))?;
            if look.holders.iter().any(|(name, _)| *name as usize >= self.holders.len()) {
                return Err(RecordedBuffersError::Unfit("a look has a holder that is not named"));
            }
            let levels = cells(&look.by_level);
            samples.push(BufferSample::new(
                (slot, time(look.took_s)?),
                look.free,
                levels,
                look.holders,
            ));
        }
        let since = Timestamp::new(self.since_ns);
        Ok(BufferHistory::of_samples((length, since, self.due), self.holders, samples))
    }
}

fn cells(levels: &[Level]) -> Vec<BufferCell> {
    let cell =
        |one: &Level| BufferCell { buffers: one.buffers, dirty: one.dirty, pinned: one.pinned };
    levels.iter().map(cell).collect()
}

fn time(seconds: f64) -> Result<Nanos, RecordedBuffersError> {
    Nanos::from_secs_f64(seconds).ok_or(RecordedBuffersError::Unfit("a time is none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BuffersJson;

    fn report() -> BufferReport {
        let cell = |buffers, dirty| BufferCell { buffers, dirty, pinned: 0 };
        let holder = |name: &str, cells| BufferHolder {
            name: name.to_owned(),
            kind: "table".to_owned(),
            cells,
            blocks: Some(70),
            ..BufferHolder::default()
        };
        let contents = |orders| BufferContents {
            server: "PostgreSQL 15".to_owned(),
            block_bytes: Some(8_192),
            kind: LevelKind::UsageCount,
            levels: vec!["0".to_owned(), "1".to_owned()],
            holders: vec![
                holder("orders", vec![cell(orders, 2), cell(5, 0)]),
                holder("archive", vec![cell(3, 0), cell(0, 0)]),
            ],
            free: 100 - orders,
            knows_dirty: true,
            knows_pins: false,
            took: Nanos::from_millis(3),
        };
        let mut history =
            BufferHistory::new(Nanos::from_millis(300), Timestamp::new(1_700_000_000));
        for (slot, orders) in [(0, 10), (1, 20), (4, 90)] {
            history.push(slot, &contents(orders));
        }
        BufferReport {
            source: "postgres://monitor@db1/postgres".to_owned(),
            contents: contents(90),
            history: Some(history),
            top: 20,
            rejected: (1, vec!["line 3".to_owned()]),
        }
    }

    #[test]
    fn what_was_written_is_read_and_shown_alike() {
        let report = report();
        let json = serde_json::to_vec(&BuffersJson::new(&report)).unwrap();
        let again = BufferReport::from_json(&json, 20).unwrap();
        assert_eq!(again.contents, report.contents);
        assert_eq!(format!("{:?}", again.section()), format!("{:?}", report.section()));
        assert_eq!(serde_json::to_vec(&BuffersJson::new(&again)).unwrap(), json);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let json = serde_json::to_string(&BuffersJson::new(&report())).unwrap();
        for (from, to, why) in [
            ("\"schema_version\":1", "\"schema_version\":2", "version 2"),
            ("\"due\":5", "\"due\":4", "was not due"),
            ("\"every_s\":0.3", "\"every_s\":0.0", "between two looks"),
            ("\"took_s\":0.003", "\"took_s\":-1.0", "a time is none"),
            ("usage-count", "colours", "colours"),
            ("{\"schema", "{{\"schema", "key must be a string"),
        ] {
            assert!(json.contains(from), "{from}: {json}");
            let error = BufferReport::from_json(json.replacen(from, to, 1).as_bytes(), 20);
            let error = error.map(|report| report.source).unwrap_err().to_string();
            assert!(error.contains(why), "{to}: {error}");
        }
    }
}
