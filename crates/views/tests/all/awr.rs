//! What was read of AWR reports as JSON.

use isotherm_oracle::awr::{self, NamedReport};
use isotherm_views::AwrJson;
use serde_json::Value;

use crate::schema::faults;
use crate::schema_pages::schema_of;

/// Reports of several releases and languages, and one without an end.
const REPORTS: [&str; 8] = [
    include_str!("../../../formats/fixtures/awrreport/html-12201/input.html"),
    include_str!("../../../formats/fixtures/awrreport/html-cut-off/input.html"),
    include_str!("../../../formats/fixtures/awrreport/html-russian/input.html"),
    include_str!("../../../formats/fixtures/awrreport/html-unknown-month/input.html"),
    include_str!("../../../formats/fixtures/awrreport/text-10g/input.txt"),
    include_str!("../../../formats/fixtures/awrreport/text-19c-pdb/input.txt"),
    include_str!("../../../formats/fixtures/awrreport/statspack-92/input.txt"),
    include_str!("../../../formats/fixtures/awrreport/statspack-19c/input.txt"),
];

#[test]
fn json_is_what_its_schema_says() {
    let read = |text: &&str| {
        let report = awr::parse(text.as_bytes()).unwrap();
        NamedReport { file: "a.html".to_owned(), slob: None, summary: report.summary(), report }
    };
    let reports: Vec<NamedReport> = REPORTS.iter().map(read).collect();
    let warnings = awr::warnings(&reports);
    let mut out = Vec::new();
    AwrJson::new(&reports, &warnings).write(&mut out).unwrap();
    let object: Value = serde_json::from_slice(&out).unwrap();
    let schema = schema_of::<AwrJson>("awr.schema.json");
    assert_eq!(faults(&object, &schema), Vec::<String>::new());
    assert_eq!(object["reports"].as_array().unwrap().len(), REPORTS.len());
}
