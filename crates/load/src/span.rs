//! Lengths of time in plan files: written and read as people write them, without loss.

use std::str::FromStr;

use isotherm_frame::Nanos;
use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// The length in the largest unit of s, ms, us and ns that holds it as a whole number.
pub fn text(length: Nanos) -> String {
    let ns = length.as_nanos();
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let whole = units.into_iter().find(|(unit, _)| ns.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{ns}ns"), |(unit, name)| format!("{}{name}", ns / unit))
}

/// Writes the text.
pub fn serialize<S: Serializer>(length: &Nanos, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text(*length))
}

/// Reads a length of time.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Nanos, D::Error> {
    let text = String::deserialize(from)?;
    Nanos::from_str(&text).map_err(D::Error::custom)
}

/// The same for a length that may be missing.
pub mod optional {
    use isotherm_frame::Nanos;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Nothing, or the text.
    pub fn serialize<S: Serializer>(length: &Option<Nanos>, to: S) -> Result<S::Ok, S::Error> {
        match length {
            Some(length) => to.serialize_some(&super::text(*length)),
            None => to.serialize_none(),
        }
    }

    /// Nothing, or a length of time.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Nanos>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
    }
}
