//! What the live sources say about themselves.

use crate::Meta;

/// placeholder
pub static LIVE: &[&Meta] = &[&DISK];

pub(crate) static DISK: Meta = Meta {
    name: "disk",
    address: "disk:[DEVICE]",
    about: "",
    needs: &[],
    command: "",
    overhead: "",
    loses: "",
    exact_time: true,
    example: "",
    interpretation: "",
};
