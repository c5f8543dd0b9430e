//! What has been counted so far, for the metrics stack that people run already: histograms as
//! Prometheus scrapes them, and as OpenTelemetry's protocol carries them.

mod bounds;
mod cumulative;
mod dashboard;
#[cfg(feature = "push")]
mod exporter;
mod exposition;
mod fleet;
mod names;
mod otlp;
mod otlp_address;
mod sources_up;

pub use bounds::Bounds;
pub use dashboard::{dashboard, recording_rules};
#[cfg(feature = "push")]
pub use exporter::{ExportError, Exporter, Receipt};
pub use exposition::{Exposition, ExpositionOptions, MOST_SERIES};
pub use fleet::{FleetMetric, fleet_dashboard, fleet_rules};
pub use otlp::Export;
pub use otlp_address::{OtlpAddress, OtlpAddressError, pairs_of_environment};
pub use sources_up::SourcesUp;
