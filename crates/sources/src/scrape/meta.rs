//! What scraping says about itself.

use crate::{Meta, Need};

pub(crate) static SCRAPE: Meta = Meta {
    name: "scrape",
    address: "prom+http://HOST:PORT/PATH",
    about: "A page of metrics in Prometheus' text format or OpenMetrics, scraped live: the classic \
        histograms of an exporter or of any program with such a page",
    needs: &[
        Need {
            what: "a page with classic histograms (name_bucket with le), by plain HTTP, without logon",
            how: "curl -s http://HOST:PORT/metrics | grep _bucket; /metrics is asked for where no \
                path is given, every --interval (1s if not given)",
        },
        Need {
            what: "histograms in seconds, milliseconds or microseconds",
            how: "the unit is that of the name (_seconds, _ms, _us, ...) or of # UNIT; else --unit \
                names it",
        },
    ],
    command: "isotherm live prom+http://localhost:9100/metrics --interval 5s",
    overhead: "The program makes a page for each scrape: some milliseconds for thousands of samples. \
        It counts in any case.",
    loses: "Where in its bucket a latency was; a latency of exactly a bound is counted below it. A \
        page is placed at the middle of its request; where samples carry times, those are used. \
        Where a series was gone and is back, the time between is a gap. So it is where a page is missing, \
        unless the page names the same process_start_time_seconds as before: then one long \
        interval marked as a late poll holds everything. A series that was not on the page before \
        is taken to have stood at zero. Native histograms and summaries are left out.",
    exact_time: true,
    example: "\
$ isotherm live prom+http://localhost:9090/metrics --series request_duration --for 4s | cat
# 2026-11-23 UTC · cells ev/s ·>0 ░0.024 ▒1.25 ▓5.00 █11.2 to 20.0 sqrt
#time      ev/s waiting        p50        p99  <100ms   >400ms  note
02:40:19   10.0  0.0136     <100ms     <100ms  ▓▓▓
02:40:20   9.99  0.0119     <100ms     <100ms  ▓▓▓
02:40:21   10.0 0.00815     <100ms     <100ms  ▓▓▓
",
    interpretation: "Prometheus' own requests, ten queries a second made by a script: all took less \
        than 100 ms, its first bound. Their time is exact: 0.0136 waiting at 10 a second are 1.36 ms \
        each.",
};
