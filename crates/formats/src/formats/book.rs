//! The formats that are known: those compiled in, and those of the user.

use std::sync::{LazyLock, OnceLock};

use super::format::Format;

/// Lists the compiled-in formats: each word is a file in `formats/`.
macro_rules! compiled {
    ($($name:literal),* $(,)?) => {
        /// Their texts, in the order in which they are tried.
        pub(super) const COMPILED: &[&str] =
            &[$(include_str!(concat!("../../formats/", $name, ".toml"))),*];
    };
}

compiled![
    "jmeter",
    "jmeter-xml",
    "jmeter-table",
    "jmeter-aggregate",
    "jmeter-summary",
    "k6",
    "k6-json",
    "hey",
    "oha-csv",
    "vegeta-csv",
    "vegeta-csv-short",
    "vegeta-json",
    "ab",
    "ab-percentiles",
    "ab-report",
    "gatling",
    "ycsb",
    "ycsb-summary",
    "ghz",
    "ghz-csv",
    "fortio",
    "lograge-json",
    "nginx-json",
    "nginx-json-renamed",
    "nginx-text",
    "nginx-combined",
    "apache-both",
    "apache-both-unit",
    "apache",
    "ingress-nginx",
    "iis",
    "cloudfront",
    "cloudfront-bare",
    "cloudfront-json",
    "w3c",
    "w3c-no-latency",
    "alb",
    "elb",
    "nlb",
    "envoy",
    "envoy-json",
    "traefik",
    "traefik-json",
    "traefik-json-end",
    "haproxy",
    "caddy",
    "caddy-unit",
    "heroku",
    "mongodb-slow",
    "rails",
    "rails-development",
    "lograge",
    "lograge-undated",
    "jvm-gc",
    "jvm-gc-8",
    "jvm-gc-undated",
    "ping",
    "ping-windows",
    "fping",
    "fping-alive",
    "fping-count",
    "hping3",
    "mtr",
    "mtr-report",
    "locust-requests",
    "locust-history",
    "locust-old",
    "oha-json",
    "autocannon",
    "autocannon-text",
    "k6-summary",
    "k6-summary-text",
    "vegeta-report",
    "vegeta-report-text",
];

static BUILT_IN: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let formats = COMPILED.iter().filter_map(|text| Format::with_patterns_unmade((*text).to_owned()).ok());
    formats.collect()
});

static OF_USER: OnceLock<Vec<Format>> = OnceLock::new();

/// Adds the formats of the user, each with what it was read from. They go before those compiled in, and one
/// of the same name replaces it. Says what is wrong with the first that cannot be used.
pub fn add_formats(texts: Vec<(String, String)>) -> Result<(), String> {
    let read = |(place, text): (String, String)| {
        Format::parse(text).map_err(|wrong| format!("{place}: {}", wrong.trim_end()))
    };
    let formats = texts.into_iter().map(read).collect::<Result<Vec<Format>, String>>()?;
    // A second call comes only from a test.
    let _ = OF_USER.set(formats);
    Ok(())
}

/// All formats, those of the user first.
pub(super) fn all() -> impl Iterator<Item = &'static Format> {
    let user = OF_USER.get().map(Vec::as_slice).unwrap_or_default();
    let replaced =
        |name: &str| user.iter().any(|format| format.definition.name == name);
    user.iter().chain(BUILT_IN.iter().filter(move |format| !replaced(&format.definition.name)))
}
