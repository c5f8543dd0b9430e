//! What wrote a document, and how it knows its own.

use std::io::Read;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// What is said to have written a document.
pub fn generator() -> String {
    format!("isotherm {}", env!("CARGO_PKG_VERSION"))
}

/// The keys that tell whose document an object is: whatever else is in it is skipped, and takes no memory.
#[derive(Deserialize)]
struct Maker {
    generator: Option<Value>,
    schema_version: Option<IgnoredAny>,
    run: Option<IgnoredAny>,
    summary: Option<IgnoredAny>,
}

/// Whether this is an object of JSON that names isotherm as its maker, or the summary of a load.
pub fn is_own_json(mut input: impl Read) -> bool {
    let mut first = [0; 1];
    // An array would do for its fields in their order.
    if input.read_exact(&mut first).is_err() || first != *b"{" {
        return false;
    }
    let whole = first.as_slice().chain(input);
    let Ok(maker) = serde_json::from_reader::<_, Maker>(whole) else { return false };
    let name = maker.generator.as_ref().and_then(Value::as_str).unwrap_or_default();
    let is_load = [maker.schema_version, maker.run, maker.summary].iter().all(Option::is_some);
    name.starts_with("isotherm") || is_load
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_objects_are_known_by_their_maker_or_as_a_load() {
        for (text, is_own) in [
            (
                r#"{"schema_version":1,"generator":"isotherm 0.1","stacks":[{"frames":["a"]}]}"#,
                true,
            ),
            (r#"{"stacks":[[1,{"generator":"x"}]],"generator":"isotherm 9"}"#, true),
            (r#"{"schema_version":1,"run":{},"summary":{}}"#, true),
            (r#"{"schema_version":1,"run":{}}"#, false),
            (r#"{"generator":"another"}"#, false),
            (r#"{"generator":["isotherm"]}"#, false),
            (r#"{"generator":"isotherm 9""#, false),
            (r#"{"generator":"isotherm 9"} {}"#, false),
            (r#"["isotherm 9",1,1,1]"#, false),
            ("", false),
        ] {
            assert_eq!(is_own_json(text.as_bytes()), is_own, "{text}");
        }
    }
}
