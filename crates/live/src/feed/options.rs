//! How a live source is to be run.

use isotherm_formats::{Context, Source};
use isotherm_frame::Nanos;

use crate::ProbeOptions;

/// How a live source is to be run.
#[derive(Clone, Default)]
pub struct LiveOptions {
    /// What decoders are given. The arrival clock is set by the feed.
    pub context: Context,
    /// How `probe:` probes.
    pub probe: ProbeOptions,
    /// How often `disk:` reports, and `oracle:`, `redis:` and `prom+http:` ask; one second if not given.
    pub interval: Option<Nanos>,
    /// Whether a file is read on as it grows.
    pub follow: bool,
    /// The decoder to use, whatever the content looks like.
    pub as_source: Option<&'static dyn Source>,
}
