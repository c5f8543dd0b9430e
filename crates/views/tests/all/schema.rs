//! Objects against the schemas in the documentation.

use serde_json::Value;

/// Where and how an object breaks its schema. A key that the schema does not describe is a fault,
/// too, although the schema lets keys be added.
pub fn faults(object: &Value, schema: &Value) -> Vec<String> {
    let mut schema = schema.clone();
    close(&mut schema);
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let faults = validator.iter_errors(object);
    faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

/// Forbids keys that are not described.
fn close(schema: &mut Value) {
    if let Value::Object(keys) = schema {
        if keys.get("properties").is_some_and(Value::is_object)
            && !keys.contains_key("additionalProperties")
        {
            keys.insert("additionalProperties".to_owned(), false.into());
        }
        keys.values_mut().for_each(close);
    }
    if let Value::Array(items) = schema {
        items.iter_mut().for_each(close);
    }
}
