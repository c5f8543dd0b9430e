//! The schemas in the documentation are those of the types that are written. `ISOTHERM_BLESS=1`
//! writes them anew; read the difference.

use std::path::Path;

use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The schema of a type, which is that in `docs/schema` under this name.
pub fn schema_of<T: JsonSchema>(name: &str) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = Contract::Serialize;
    let settings = settings.with_transform(RecursiveTransform(for_readers));
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let wanted = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name);
    if std::env::var_os("ISOTHERM_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/schema/{name} is not what is generated: run cargo xtask bless");
    schema.to_value()
}

/// Leaves out what says nothing to who reads the objects: formats of numbers, what is assumed where
/// a plan says nothing, links into the code. Keys may always be added.
fn for_readers(schema: &mut Schema) {
    schema.remove("format");
    schema.remove("default");
    if schema.get("additionalProperties").and_then(Value::as_bool) == Some(false) {
        schema.remove("additionalProperties");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ").replace("[`", "`").replace("`]", "`");
    }
}
