//! The statements of a log with the most time: their numbers, and the longest call of each as an example.

use isotherm_analysis::{FrameTotals, ShortNames, Summary};
use isotherm_frame::{Nanos, narrow_percent, numbers, shortened, visible};

use crate::input_account::InputAccount;
use crate::ranges::{Digits, mean, range};
use crate::section::{Detail, Section, Table};
use crate::times::TimeFormat;

/// So many statements are listed.
const LISTED: usize = 10;
/// Characters of a statement in the table; an example shows more of it.
const NAME: usize = 48;
/// Log entries are stamped in milliseconds.
const STAMPED: Nanos = Nanos::from_millis(1);

/// The statements with the most time, where the input gives an example of any: total time, calls, mean,
/// variance-to-mean ratio, and the longest call with its place in the file. An example that lies outside
/// of the time looked at is left out.
pub fn statement_section(totals: &FrameTotals, input: &InputAccount) -> Option<Section> {
    let summaries = totals.by_time_waited();
    if !summaries.iter().any(|summary| input.example(&summary.series).is_some()) {
        return None;
    }
    let all_s: f64 = summaries.iter().map(|summary| summary.waited().seconds).sum();
    let short = ShortNames::of(summaries.iter().map(|summary| &summary.series));
    let moments = TimeFormat::new(input.read.clock, input.span?.0);
    let mut section =
        Section { title: "Statements with the most time".to_owned(), ..Section::default() };
    let mut rows = Vec::new();
    for (number, summary) in (1..).zip(summaries.iter().take(LISTED)) {
        let name = shortened(&short.name(&summary.series), NAME).into_owned();
        let mut row = vec![format!("{number}. {name}")];
        row.extend(figures(summary, all_s));
        row.extend(match input.example(&summary.series) {
            Some(one) => {
                let at = format!("{}{}", moments.moment(one.at, STAMPED), moments.zone());
                let summary =
                    format!("{number}. {} at {at} took {}", visible(&one.to_string()), one.latency);
                let sentences = vec![visible(&one.text).into_owned()];
                section.details.push(Detail { summary, sentences, ..Detail::default() });
                [one.latency.to_string(), at, visible(&one.to_string()).into_owned()]
            }
            None => ["-", "-", "-"].map(str::to_owned),
        });
        rows.push(row);
    }
    let head = ["statement", "total", "% of time", "calls", "mean", "V/M", "longest", "at", "in"];
    section.tables.push(Table {
        caption: "V/M is variance / mean: near the mean where lengths are exponential, far above it where a \
                  few calls take most of the time"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows,
    });
    Some(section)
}

/// Total, share of all time waited, calls, mean and variance-to-mean ratio.
fn figures(summary: &Summary, all_s: f64) -> [String; 5] {
    let (waited, latencies) = (summary.waited(), &summary.latencies);
    let about = if waited.exact { "" } else { "≈" };
    let share = if all_s > 0.0 { narrow_percent(waited.seconds / all_s) } else { "-".to_owned() };
    let ratio = latencies.variance_to_mean();
    [
        format!("{about}{}", numbers::waited(waited.seconds)),
        share,
        numbers::grouped(summary.events()),
        mean(latencies.mean_ns(), latencies.latency_total().exact),
        ratio.map_or("-".to_owned(), |ratio| range(ratio, Digits::Two)),
    ]
}

#[cfg(test)]
mod tests {
    use isotherm_analysis::summarise;
    use isotherm_frame::{
        Account, Example, Frame, Histogram, Place, Quality, Scheme, Series, Timestamp,
    };

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::new(1_700_000_000_000_000_000 + ms * 1_000_000)
    }

    fn frame(name: &str, lengths_ms: &[u64]) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for &ms in lengths_ms {
            counts.record(Nanos::from_millis(ms));
        }
        let (start, end) = (at(0), at(1_000));
        Frame { series: Series::named(name), start, end, counts, quality: Quality::Complete }
    }

    #[test]
    fn statements_have_their_numbers_and_an_example_with_its_place() {
        let frames = [frame("select ?", &[10, 20, 30]), frame("update t", &[1])];
        let totals = summarise(&frames);
        let mut read = Account::default();
        let example = |ms: i64, latency: u64, line: u64| Example {
            at: at(ms),
            latency: Nanos::from_millis(latency),
            input: Some("pg.log".to_owned()),
            place: Place { line, byte: 0 },
            text: format!("select {line}"),
        };
        assert_eq!(statement_section(&totals, &InputAccount::new(&read, &totals)), None);
        read.exemplify(Series::named("select ?"), example(500, 30, 7));
        // Outside of the time looked at.
        read.exemplify(Series::named("update t"), example(5_000, 9, 8));
        let section = statement_section(&totals, &InputAccount::new(&read, &totals)).unwrap();
        let rows = &section.tables[0].rows;
        assert_eq!(rows[0][..5], ["1. select ?", "60.0 ms", "98%", "3", "20ms"]);
        // The variance is 66.7 ms² about a mean of 20 ms: 3.33 ms.
        assert!(rows[0][5].ends_with("ms"), "{rows:?}");
        assert_eq!(rows[0][6..], ["30ms", "22:13:20.500 UTC", "pg.log:7"]);
        assert_eq!(rows[1][6..], ["-", "-", "-"]);
        assert_eq!(section.details.len(), 1);
        assert_eq!(section.details[0].sentences, ["select 7"]);
    }
}
