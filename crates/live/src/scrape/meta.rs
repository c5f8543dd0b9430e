//! What scraping says about itself.

use isotherm_formats::{Counting, Meta, Need};

pub(crate) static SCRAPE: Meta = Meta {
    name: "scrape",
    address: "prom+http://HOST:PORT/PATH or prom+https://HOST:PORT/PATH",
    about: "A metrics page in Prometheus' text format or OpenMetrics, scraped live: the classic \
        histograms of an exporter or any other program with such a page",
    needs: &[
        Need {
            what: "a page with classic histograms (name_bucket with le)",
            how: "curl -s http://HOST:PORT/metrics | grep _bucket; the path is /metrics unless you \
                give one; the page is scraped every --interval (default 1s)",
        },
        Need {
            what: "for a server that wants a logon: a bearer token",
            how: "ISOTHERM_PROMETHEUS_TOKEN, or a file named in ISOTHERM_PROMETHEUS_TOKEN_FILE; it is \
                sent over prom+https:// and to this machine only. ISOTHERM_PROMETHEUS_CA_FILE names \
                the authorities to trust instead of Mozilla's",
        },
        Need {
            what: "histograms in seconds, milliseconds or microseconds",
            how: "the unit comes from the metric's name (_seconds, _ms, _us, ...) or from # UNIT; \
                otherwise give --unit",
        },
    ],
    command: "isotherm live prom+http://localhost:9100/metrics --interval 5s",
    overhead: "Not measured. The program builds a page for each scrape, with all of its samples. It keeps the counts in any case.",
    loses: "The exact latency within a bucket; a latency equal to a bound is counted below that \
        bound. A page gets the time in the middle of its request, unless its samples carry \
        timestamps. If a series disappears and comes back, the time between is a gap. If a scrape \
        fails, the time until the next page is a gap, too, unless that page has the same \
        process_start_time_seconds as before: then one long interval, marked as a late poll, holds \
        everything. A new series is assumed to have started at zero. Native histograms and \
        summaries are left out.",
    counting: Counting::Totals("a restart of the program that keeps them"),
    exact_time: true,
    example: "\
$ isotherm live prom+http://localhost:9090/metrics --series request_duration --for 4s | cat
# 2026-11-23 UTC · cells ev/s ·>0 ░0.024 ▒1.25 ▓5.00 █11.2 to 20.0 sqrt
#time      ev/s waiting        p50        p99  <100ms   >400ms  note
02:40:19   10.0  0.0136     <100ms     <100ms  ▓▓▓
02:40:20   9.99  0.0119     <100ms     <100ms  ▓▓▓
02:40:21   10.0 0.00815     <100ms     <100ms  ▓▓▓
",
    interpretation: "Requests to Prometheus itself, ten queries a second from a script: all took \
        less than 100 ms, the first bound of the histogram. Their time is exact: 0.0136 waiting at \
        10 queries a second is a mean of 1.36 ms.",
};
