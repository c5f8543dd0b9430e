//! Objects for programs: each is one line of JSON with the version of its schema.

use std::borrow::Cow;
use std::io::{self, Write};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Writes an object on one line. Fails only when `out` does.
pub fn write_json(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    out.write_all(b"\n")
}

/// The version of an object's schema: a constant that is written with it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaVersion<const VERSION: u64>;

impl<const VERSION: u64> Serialize for SchemaVersion<VERSION> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(VERSION)
    }
}

impl<const VERSION: u64> JsonSchema for SchemaVersion<VERSION> {
    fn schema_name() -> Cow<'static, str> {
        "SchemaVersion".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": VERSION })
    }
}
