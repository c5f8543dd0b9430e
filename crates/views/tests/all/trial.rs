//! How decoders judge an input.

use isotherm_views::{DecoderTrial, TrialJson, TrialRead, TrialVerdict};
use serde_json::json;

use crate::schema::faults;
use crate::schema_pages::schema_of;

fn trial() -> TrialJson {
    let read = TrialRead {
        records: 3,
        readings: 3,
        rejected: 1,
        ignored_lines: 2,
        clock: "epoch".into(),
        rejections: vec!["line 4 (byte 90): a latency without a time".into()],
        notes: vec!["latency = field dur in ms".into()],
        error: None,
    };
    let one = |name: &str, verdict, read| DecoderTrial {
        name: name.into(),
        about: "Lines".into(),
        verdict,
        refusal: None,
        read,
    };
    let mut trial = TrialJson::new("app.log".into(), 120);
    trial.taken_by = Some("logs".into());
    trial.decoders =
        vec![one("bcc", TrialVerdict::No, None), one("logs", TrialVerdict::Fits, Some(read))];
    trial
}

#[test]
fn the_object_keeps_to_its_schema() {
    let schema = schema_of::<TrialJson>("try.schema.json");
    let object = serde_json::to_value(trial()).unwrap();
    assert_eq!(faults(&object, &schema), Vec::<String>::new());
    assert_eq!(object["decoders"][1]["verdict"], json!("fits"));
    assert_eq!(object["decoders"][0]["read"], json!(null));
}

#[test]
fn people_read_who_takes_it_and_why() {
    let text = trial().text();
    assert!(text.starts_with("app.log: 120 bytes read\nRecognised as logs.\n"), "{text}");
    for line in
        ["note: latency = field dur in ms", "1 other format does not fit: its marks are missing."]
    {
        assert!(text.contains(line), "{text}");
    }
}
