//! What reports of tests are made of.

use isotherm_analysis::{History, summarise};
use isotherm_frame::{Account, Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_report::{FileDigest, ReportInput};
use isotherm_views::InputAccount;

/// One second of a series with these latencies in microseconds.
pub fn second(series: &Series, at: i64, us: &[u64]) -> Frame {
    let mut counts = Histogram::empty(Scheme::log_linear());
    for &us in us {
        counts.record(Nanos::from_micros(us));
    }
    let start = Timestamp::new(at * 1_000_000_000);
    let (end, quality) = (start.plus(Nanos::SECOND), Quality::Complete);
    Frame { series: series.clone(), start, end, counts, quality }
}

pub fn history(frames: &[Frame]) -> History {
    let mut history = History::new(usize::MAX);
    for frame in frames {
        history.push(frame);
    }
    history
}

pub fn given<'a>(history: &'a History, frames: &[Frame]) -> ReportInput<'a> {
    let account = summarise(frames);
    ReportInput {
        label: "a.txt".to_owned(),
        source: "a.txt".to_owned(),
        host: Some("db1".to_owned()),
        command: None,
        isotherm_version: None,
        file: Some(FileDigest { sha256: "ab".repeat(32), bytes: 1_234 }),
        input: InputAccount {
            read: Account { records: 7, rejected: 1, ..Account::default() },
            events: account.events,
            gaps: account.gaps,
            resets: account.resets,
            span: account.span,
            ..InputAccount::default()
        },
        marks: Vec::new(),
        device: None,
        history,
        span: None,
        series: Vec::new(),
    }
}

pub fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes);
    String::from_utf8(bytes).unwrap()
}
