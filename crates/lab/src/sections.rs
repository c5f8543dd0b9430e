//! A run as parts of a page.

use isotherm_views::section::{Detail, Section};

use crate::Run;

/// The verdict, its pictures and tables, and the lesson, as sections of a report.
pub fn sections(run: &Run<'_>) -> Vec<Section> {
    let Run { lab, finding, .. } = run;
    let mut sentences = vec![
        format!("{}: {}", finding.verdict.word(), finding.sentence),
        finding.uncertainty.clone(),
    ];
    sentences.extend(finding.remarks.iter().cloned());
    let verdict = Section {
        title: lab.question.to_owned(),
        sentences,
        charts: finding.charts.clone(),
        tables: finding.tables.clone(),
        ..Section::default()
    };
    let done = Detail {
        summary: "How it was done".to_owned(),
        sentences: vec![format!("{}.", lab.method), run.origin()],
        ..Detail::default()
    };
    let lesson = Section {
        title: "The lesson".to_owned(),
        sentences: lab.lesson.iter().map(|&text| text.to_owned()).collect(),
        details: vec![done],
        ..Section::default()
    };
    vec![verdict, lesson]
}
