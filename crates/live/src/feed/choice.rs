//! Which decoder reads what arrives.

use std::sync::{Arc, OnceLock};

use isotherm_formats::Source;

/// How the decoder is found, and where to tell which one it is.
pub(crate) struct Choice {
    /// The decoder, if it was named.
    pub(crate) fixed: Option<&'static dyn Source>,
    /// Else the decoders to ask.
    pub(crate) among: &'static [&'static dyn Source],
    /// Set as soon as it is known.
    pub(crate) chosen: Arc<OnceLock<&'static dyn Source>>,
}
