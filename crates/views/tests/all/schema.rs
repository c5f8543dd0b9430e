//! Values against the schemas in the documentation, for the keywords that these use.

use serde_json::Value;

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        _ => panic!("the schema uses an unknown type: {name}"),
    }
}

/// Where and how the value breaks the schema, for the keywords our schema uses.
pub fn faults(value: &Value, schema: &Value, at: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            faults.push(format!("{at}: {what}: {value}"));
        }
    };
    if let Some(wanted) = schema.get("const") {
        expect(value == wanted, "const");
    }
    if let Some(wanted) = schema["enum"].as_array() {
        expect(wanted.contains(value), "enum");
    }
    if let Some(types) = schema.get("type") {
        let names = types.as_array().cloned().unwrap_or_else(|| vec![types.clone()]);
        expect(names.iter().any(|name| has_type(value, name.as_str().unwrap())), "type");
    }
    if let (Some(number), Some(least)) = (value.as_f64(), schema["minimum"].as_f64()) {
        expect(number >= least, "minimum");
    }
    if let (Some(number), Some(most)) = (value.as_f64(), schema["maximum"].as_f64()) {
        expect(number <= most, "maximum");
    }
    // What may be null instead needs no keys then.
    let required = schema["required"].as_array().filter(|_| !value.is_null());
    for key in required.into_iter().flatten() {
        expect(value.get(key.as_str().unwrap()).is_some(), &format!("lacks {key}"));
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        let known = schema["properties"].get(key).or_else(|| schema.get("additionalProperties"));
        let unknown = vec![format!("{at}.{key}: not in the schema")];
        faults.extend(
            known.map_or(unknown, |known| self::faults(inner, known, &format!("{at}.{key}"))),
        );
    }
    for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
        faults.extend(self::faults(inner, &schema["items"], &format!("{at}[{index}]")));
    }
    faults
}
