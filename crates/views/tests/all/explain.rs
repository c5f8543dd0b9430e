//! Explanations: the text, the object and its schema.

use isotherm_analysis::{Explainer, Marginals, Selection};
use isotherm_frame::{Clock, Nanos, Series, Timestamp};
use isotherm_views::{Depth, ExplainJson, ExplainSummary, ExplainView, TimeFormat, write_json};
use serde_json::Value;

use crate::scene;
use crate::schema::faults;
use crate::schema_pages::schema_of;
use crate::shown::style;

fn at(millis: i64) -> Timestamp {
    scene::at(0).plus(Nanos::from_millis(u64::try_from(millis).unwrap_or(0)))
}

fn selection() -> Selection {
    Selection { from: at(30_000), to: at(46_000), above: Nanos::from_millis(8), below: None }
}

/// Eighty seconds of a thousand reads each by 40 sessions; for sixteen of them each third read of
/// session s07 is of file 3 and takes 20 ms, and one of another session takes 9 ms. The rest takes
/// 500 µs.
fn counted(most: usize) -> Explainer {
    let mut explainer = Explainer::new(selection(), most);
    for number in 0..80_000_i64 {
        let (session, file) = (number * 7 % 40, number % 5);
        let burst = (30_000..46_000).contains(&number);
        let slow = burst && session == 7 && number % 3 == 0;
        let us = if slow {
            20_000
        } else if number == 40_004 {
            9_000
        } else {
            500
        };
        let file = if slow { 3 } else { file };
        let series = Series::with_attributes(
            "read",
            [("file", format!("{file}")), ("session", format!("s{session:02}"))],
        );
        explainer.event(&series, at(number), Nanos::from_micros(us));
    }
    explainer
}

fn with_sheet<T>(
    explainer: Explainer,
    top: usize,
    by: &[&str],
    take: impl Fn(&ExplainSummary) -> T,
) -> T {
    let explanation = explainer.explanation();
    let moments = TimeFormat::new(Clock::Epoch, at(0));
    let by: Vec<String> = by.iter().map(|name| (*name).to_owned()).collect();
    take(&ExplainSummary {
        explanation: &explanation,
        span: (at(0), at(80_000)),
        moments: &moments,
        suggestion: None,
        by: &by,
        top,
    })
}

fn text(explainer: Explainer, by: &[&str]) -> String {
    with_sheet(explainer, 5, by, |summary| {
        let mut bytes = Vec::new();
        let view = ExplainView { width: Some(100), style: style(Depth::Glyphs) };
        view.render(summary, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    })
}

fn json(explainer: Explainer, top: usize) -> Value {
    with_sheet(explainer, top, &[], |summary| {
        let mut bytes = Vec::new();
        write_json(&ExplainJson::new(summary), &mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    })
}

/// The page's example.
pub fn sample() -> String {
    text(counted(Marginals::USUAL), &[])
}

#[test]
fn the_text_says_whose_the_slow_reads_are() {
    let text = sample();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("session s07 has 99 % of the selected events"), "{text}");
    assert!(text.contains("at least 8ms"), "{text}");
    assert!(text.contains("14:31:21–14:31:37 UTC"), "{text}");
    let only = self::text(counted(Marginals::USUAL), &["file"]);
    assert!(!only.contains("s07") && only.contains("file 3 has"), "{only}");
}

#[test]
fn the_object_keeps_to_its_schema_and_counts_add_up() {
    let schema = schema_of::<ExplainJson>("explain.schema.json");
    // Eight values of forty are kept in the second.
    for (most, top) in [(Marginals::USUAL, 5), (8, 100)] {
        let object = json(counted(most), top);
        assert_eq!(faults(&object, &schema), Vec::<String>::new());
        let slow =
            (30_000..46_000_i64).filter(|n| n * 7 % 40 == 7 && n % 3 == 0).count() as u64 + 1;
        assert_eq!(object["selected"]["events"], slow);
        assert_eq!(object["others"]["events"], 80_000 - slow);
        for attribute in object["attributes"].as_array().unwrap() {
            let sum = |side: &str, other: &str| -> u64 {
                let values = attribute["values"].as_array().unwrap();
                let own: u64 =
                    values.iter().map(|value| value[side]["events"].as_u64().unwrap()).sum();
                own + attribute["other"][other].as_u64().unwrap_or(0)
            };
            assert_eq!(sum("selected", "selected_events"), slow, "{}", attribute["name"]);
            assert_eq!(sum("others", "other_events"), 80_000 - slow, "{}", attribute["name"]);
        }
        let first = &object["attributes"][0];
        assert_eq!(
            (&first["name"], &first["values"][0]["value"]),
            (&"session".into(), &"s07".into())
        );
        assert_eq!(first["values_in_all"], 40);
    }
    let mut broken = json(counted(8), 5);
    broken["selected"]["events"] = "three".into();
    broken.as_object_mut().unwrap().remove("span");
    assert_eq!(faults(&broken, &schema).len(), 2);
}
