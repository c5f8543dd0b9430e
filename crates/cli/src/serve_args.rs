//! The command line of `isotherm serve`.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use isotherm_frame::Nanos;
use isotherm_metrics::Bounds;

use crate::input_args::InputArgs;
use crate::probe_args::ProbeArgs;

/// Below the help of `serve`.
pub const EXAMPLES: &str = "Examples:
  isotherm serve probe:. --open                 the disk under this directory, in the browser
  isotherm serve disk: --record run.heat        watch in the browser, and record
  isotherm serve run.heat                       a recording, also one that is still being written
  isotherm serve disk: postgres://app@db1/app   two sources in one page
  isotherm serve oracle://system@db1/ORCL --metrics --waited   an exporter of wait histograms
  isotherm serve --dashboard > isotherm.json    a dashboard to import into Grafana
  isotherm serve disk: --read-only --name db1.example.org   behind a proxy, for looking only

Prints the address to open, with the token that it needs, as one line on standard output; the address
for those who may only look goes to standard error. ISOTHERM_TOKEN sets the token, for scripts. Only
this machine can connect unless --listen says otherwise; docs/guide/serve.md tells how to serve others
through a proxy with TLS, and docs/guide/serve-api.md what other programs can ask for.
Ctrl-C ends it and finishes the recording.";

/// `serve`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct ServeArgs {
    /// Sources, as for `live`, or recordings
    #[arg(required_unless_present_any = ["dashboard", "rules"], value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Listen at this address; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7414",
          value_parser = listen_address)]
    pub listen: SocketAddr,
    /// Answer requests for this host name, too: what browsers show in their address line, such as the
    /// name of a proxy (https://HOST:PORT where it has TLS on a port of its own); may be repeated
    #[arg(long, value_name = "HOST:PORT")]
    pub name: Vec<String>,
    /// Let nobody set marks
    #[arg(long)]
    pub read_only: bool,
    /// Serve GET /metrics for Prometheus: histograms with buckets that never change
    #[arg(long)]
    pub metrics: bool,
    /// Answer /metrics without a token, too; only on loopback and without --name
    #[arg(long, requires = "metrics")]
    pub metrics_without_token: bool,
    /// Resolution of the histograms
    #[arg(long, value_enum, default_value = "octave", requires = "metrics")]
    pub buckets: BucketsArg,
    /// Count the time waited in a second histogram, too: its counts are microseconds, so that Grafana
    /// can draw intensity
    #[arg(long, requires = "metrics")]
    pub waited: bool,
    /// Print a dashboard for Grafana, then exit: of the metrics
    #[arg(long, conflicts_with_all = ["sources", "rules"])]
    pub dashboard: bool,
    /// Print recording rules for Prometheus, which add up the metrics of many hosts, then exit
    #[arg(long, conflicts_with = "sources")]
    pub rules: bool,
    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
    /// Read a file from its beginning, and continue as it grows
    #[arg(long)]
    pub follow: bool,
    /// Record what is shown to this file
    #[arg(long, value_name = "FILE.heat")]
    pub record: Option<PathBuf>,
    /// Keep only the last TIME, such as 30m: on the page, and in the file of --record
    #[arg(long, value_name = "TIME")]
    pub keep: Option<Nanos>,
    /// Sync every interval to disk, so that it survives a power loss, too
    #[arg(long, requires = "record")]
    pub durable: bool,
    /// End after this time
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<Nanos>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub probe: ProbeArgs,
}

/// The buckets of metrics.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum BucketsArg {
    /// 34 buckets, one for each power of two
    Octave,
    /// 258 buckets, eight for each power of two
    Fine,
}

impl BucketsArg {
    /// The upper bounds they stand for.
    pub fn bounds(self) -> Bounds {
        match self {
            BucketsArg::Octave => Bounds::Octave,
            BucketsArg::Fine => Bounds::Fine,
        }
    }
}

/// Reads `--listen`.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let wrong = || "must be ADDRESS:PORT, such as 127.0.0.1:7414 or 0.0.0.0:7414".to_owned();
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port: u16 = port.parse().map_err(|_| wrong())?;
    let mut found = (host, port).to_socket_addrs().map_err(|error| format!("{host}: {error}"))?;
    found.next().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_to_listen_at_has_a_port() {
        assert_eq!(listen_address("127.0.0.1:0"), Ok("127.0.0.1:0".parse().unwrap()));
        assert_eq!(listen_address("[::1]:80"), Ok("[::1]:80".parse().unwrap()));
        for wrong in ["7414", "127.0.0.1", "127.0.0.1:99999", ""] {
            assert!(listen_address(wrong).unwrap_err().contains("ADDRESS:PORT"), "{wrong}");
        }
    }
}
