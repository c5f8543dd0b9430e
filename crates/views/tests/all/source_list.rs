//! The list of what can be read.

use isotherm_views::{ListedFormat, ListedSource, SourceListJson, TimeWaited};
use serde_json::json;

use crate::schema::faults;
use crate::schema_pages::schema_of;

#[test]
fn the_object_keeps_to_its_schema() {
    let mut list = SourceListJson::default();
    list.sources.push(ListedSource {
        name: "fio".into(),
        address: "FILE or -".into(),
        about: "Results of fio".into(),
        needs: vec!["fio".into()],
        costs: "None".into(),
        time_waited: TimeWaited::RoundedMeans,
    });
    list.formats.push(ListedFormat {
        name: "ab".into(),
        title: "the values of ab".into(),
        link: "https://example.org".into(),
        refusal: None,
    });
    let schema = schema_of::<SourceListJson>("sources.schema.json");
    let object = serde_json::to_value(list).unwrap();
    assert_eq!(faults(&object, &schema), Vec::<String>::new());
    assert_eq!(object["sources"][0]["time_waited"], json!("rounded_means"));
    assert_eq!(object["formats"][0]["refusal"], json!(null));
}
