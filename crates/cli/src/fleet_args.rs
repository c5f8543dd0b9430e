//! The command line of `isotherm fleet`.

use std::path::{Path, PathBuf};

use clap::Args;
use isotherm_frame::{Nanos, Unit};

use crate::screen_args::ScreenArgs;

/// Below the help of `fleet`.
pub const EXAMPLES: &str = "Examples:
  isotherm fleet prom+http://prom:9090 --metric isotherm_latency_seconds --by host
  isotherm fleet prom+http://prom:9090 --metric http_request_duration_seconds --since 1d -o fleet.html
  isotherm fleet prom+http://prom:9090 --metric 'rpc_seconds{job=\"api\"}' --by pod --json
  isotherm fleet recordings/ -o fleet.html --reports             a page that links to a report of each host
  isotherm fleet recordings/ --series 'log file sync'             a directory with a recording of each host
  isotherm fleet --rules --metric rpc_seconds > rules.yml        sums for Prometheus to keep
  isotherm fleet --dashboard --metric rpc_seconds > fleet.json   a dashboard to import into Grafana

Ranks hosts by how much their time waited differs from that of all others: the largest difference
between the shares of time waited below a latency. The server adds the histograms up, so 1,000 hosts
need about ten requests. Counts and times are estimates from its increase(). Those of recordings are
exact; a recording is named by its file.
docs/guide/fleet.md has a tour.";

/// `fleet`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct FleetArgs {
    /// The server: prom+http://HOST:PORT, with the path in front of /api/v1 if there is one; or a directory of
    /// recordings, one of each host
    #[arg(required_unless_present_any = ["dashboard", "rules"], value_name = "ADDRESS")]
    pub server: Option<String>,
    /// The histogram, classic or native: NAME or NAME{label="value"}
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Only series with this text in their name or attributes (of recordings)
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    /// The label that tells hosts apart (instance if not given)
    #[arg(long, value_name = "LABEL")]
    pub by: Option<String>,
    /// How far back from the server's current time (6h if not given), or from the end of the recordings
    #[arg(long, value_name = "TIME")]
    pub since: Option<Nanos>,
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
    /// Write a report of each host in the table, too, to a directory beside the page (fleet-hosts for
    /// fleet.html); the names of the hosts link to them
    #[arg(long, requires = "output")]
    pub reports: bool,
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

impl FleetArgs {
    /// How far a server is asked back where nothing is said.
    pub const SINCE: Nanos = Nanos::new(6 * 3_600 * 1_000_000_000);

    /// The directory of recordings, if it is one.
    pub fn directory(&self) -> Option<&Path> {
        self.server.as_deref().map(Path::new).filter(|path| path.is_dir())
    }

    /// The label that tells the hosts of a server apart.
    pub fn label(&self) -> &str {
        self.by.as_deref().unwrap_or("instance")
    }
}
