//! Classes of devices in plan files: `hdd`, `ssd`, `nvme`, `san`, or a measured time.

use isotherm_analysis::DeviceClass;
use isotherm_load::span;
use serde::{Deserialize, Deserializer, Serializer, de};

#[expect(clippy::ref_option, reason = "the signature that serde calls")]
/// The word, or the time without loss.
pub fn serialize<S: Serializer>(device: &Option<DeviceClass>, to: S) -> Result<S::Ok, S::Error> {
    match device {
        Some(DeviceClass::Measured(fastest)) => to.serialize_some(&span::text(*fastest)),
        Some(class) => to.serialize_some(&class.to_string()),
        None => to.serialize_none(),
    }
}

/// Nothing, or a class.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<DeviceClass>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| text.parse().map_err(de::Error::custom)).transpose()
}
