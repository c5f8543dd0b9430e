//! The command line of `isotherm fleet`.

use std::path::PathBuf;

use clap::Args;
use isotherm_frame::{Nanos, Unit};

use crate::screen_args::ScreenArgs;

/// Below the help of `fleet`.
pub const EXAMPLES: &str = "Examples:
  isotherm fleet prom+http://prom:9090 --metric isotherm_latency_seconds --by host
  isotherm fleet prom+http://prom:9090 --metric http_request_duration_seconds --since 1d -o fleet.html
  isotherm fleet prom+http://prom:9090 --metric 'rpc_seconds{job=\"api\"}' --by pod --json
  isotherm fleet --rules --metric rpc_seconds > rules.yml        sums for Prometheus to keep
  isotherm fleet --dashboard --metric rpc_seconds > fleet.json   a dashboard to import into Grafana

Ranks hosts by how much their time waited differs from that of all others: the largest difference
between the shares of time waited below a latency. The server adds the histograms up, so 1,000 hosts
need about ten requests. Counts and times are estimates from its increase().
docs/guide/fleet.md has a tour.";

/// `fleet`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct FleetArgs {
    /// The server: prom+http://HOST:PORT, with the path in front of /api/v1 if there is one
    #[arg(required_unless_present_any = ["dashboard", "rules"], value_name = "ADDRESS")]
    pub server: Option<String>,
    /// The histogram, classic or native: NAME or NAME{label="value"}
    #[arg(long, value_name = "NAME")]
    pub metric: String,
    /// The label that tells hosts apart
    #[arg(long, value_name = "LABEL", default_value = "instance")]
    pub by: String,
    /// How far back from the server's current time
    #[arg(long, value_name = "TIME", default_value = "6h")]
    pub since: Nanos,
    /// The length of an interval; at least four samples if not given
    #[arg(long, value_name = "TIME")]
    pub step: Option<Nanos>,
    /// The unit of latencies where the input does not say: the name of the histogram; ns, us, ms or s
    #[arg(long)]
    pub unit: Option<Unit>,
    /// List at most this many: hosts in the table, each with a map on the page
    #[arg(long, value_name = "N", default_value_t = 24,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub top: u32,
    /// Write a page to this file
    #[arg(short, long, value_name = "FILE.html", conflicts_with = "json")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no page of isotherm)
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Print all hosts as JSON
    #[arg(long)]
    pub json: bool,
    /// Print recording rules for Prometheus, which add up the histograms of all hosts, then exit
    #[arg(long, conflicts_with_all = ["server", "dashboard", "output", "json"])]
    pub rules: bool,
    /// Print a dashboard for Grafana, then exit: of all hosts
    #[arg(long, conflicts_with_all = ["server", "output", "json"])]
    pub dashboard: bool,
    /// Width in characters (of the terminal if not given)
    #[arg(long, value_name = "CHARS", value_parser = crate::screen::width_arg)]
    pub width: Option<usize>,
    #[command(flatten)]
    pub screen: ScreenArgs,
}
