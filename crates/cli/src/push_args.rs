//! The command line of `isotherm push`.

use std::path::PathBuf;

use clap::Args;
use isotherm_frame::Nanos;

use crate::input_args::InputArgs;
use crate::probe_args::ProbeArgs;
use crate::serve_args::BucketsArg;

/// Below the help of `push`.
pub const EXAMPLES: &str = "Examples:
  isotherm push disk: --to otlp+http://127.0.0.1:4318     to a collector, every 10 s
  isotherm push disk: --to otlp+http://prom:9090/api/v1/otlp/v1/metrics    to Prometheus
  isotherm push run.heat --to otlp+http://vm:8428/opentelemetry/v1/metrics
                                                          a recording, to VictoriaMetrics

Sends the same metrics as `isotherm serve --metrics`: cumulative histograms with buckets that never
change, as OTLP/HTTP in protobuf with gzip. OTEL_EXPORTER_OTLP_HEADERS has headers with secrets
(authorization=Bearer%20TOKEN), OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME name us to the server.
If an export fails it is tried again; totals are cumulative, so the next export has what a lost one had.
docs/guide/push.md has the settings of Prometheus and VictoriaMetrics.";

/// `push`
#[derive(Args, Debug)]
pub struct PushArgs {
    /// A source, as for `live`, a recording, or any file that can be read
    #[arg(value_name = "INPUT")]
    pub source: String,
    /// The server: otlp+http://HOST:PORT/PATH or otlp+https://; the path is /v1/metrics if none is given
    #[arg(long, value_name = "ADDRESS")]
    pub to: String,
    /// Send the totals once every TIME
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub every: Nanos,
    /// Resolution of the histograms
    #[arg(long, value_enum, default_value = "octave")]
    pub buckets: BucketsArg,
    /// Count the time waited in a second histogram, too: its counts are microseconds, so that Grafana
    /// can draw intensity
    #[arg(long)]
    pub waited: bool,
    /// Trust the certificate authorities in this file (PEM) instead of Mozilla's
    #[arg(long, value_name = "FILE.pem")]
    pub authorities: Option<PathBuf>,
    /// Read a file from its beginning, and continue as it grows
    #[arg(long)]
    pub follow: bool,
    /// Only series with this text in their name or attributes
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    /// End after this time
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<Nanos>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub probe: ProbeArgs,
}
