//! The formats that are known: those compiled in, and those of the user.

use std::sync::{LazyLock, OnceLock};

use super::format::Format;

/// A format that is compiled in.
pub(super) struct Compiled {
    /// As it is written, in TOML.
    pub(super) text: &'static str,
    /// The same as JSON.
    pub(super) json: &'static str,
}

/// Lists the compiled-in formats: each word is a file in `formats/`.
macro_rules! compiled {
    ($($name:literal),* $(,)?) => {
        /// All of them, in the order in which they are tried.
        pub(super) const COMPILED: &[Compiled] = &[$(Compiled {
            text: include_str!(concat!("../../formats/", $name, ".toml")),
            json: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json")),
        }),*];
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
    "apache-unit",
    "apache",
    "ingress-nginx",
    "iis",
    "cloudfront",
    "cloudfront-bare",
    "cloudfront-json",
    "w3c",
    "w3c-no-latency",
    "iis-rows",
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
    "locust-failures",
    "locust-exceptions",
    "oha-json",
    "autocannon",
    "autocannon-text",
    "k6-summary",
    "k6-summary-text",
    "vegeta-report",
    "vegeta-report-text",
];

static BUILT_IN: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let format = |compiled: &Compiled| {
        let definition = serde_json::from_str(compiled.json).ok()?;
        Some(Format::of(definition, compiled.text.to_owned()))
    };
    COMPILED.iter().filter_map(format).collect()
});

static OF_USER: OnceLock<Vec<Format>> = OnceLock::new();

/// A format of the user that cannot be used.
#[derive(Clone, Debug)]
pub struct BrokenFormat {
    /// Its name, as far as it can be known.
    pub name: String,
    /// What it was read from.
    pub place: String,
    /// What is wrong with it.
    pub wrong: String,
}

/// Adds the formats of the user, each with what it was read from. They go before those compiled in, and one
/// of the same name replaces it. Gives those that cannot be used, which are left out.
pub fn add_formats(texts: Vec<(String, String)>) -> Vec<BrokenFormat> {
    let (mut formats, mut broken) = (Vec::new(), Vec::new());
    for (place, text) in texts {
        match Format::parse(text.clone()) {
            Ok(format) => formats.push(format),
            Err(wrong) => broken.push(BrokenFormat {
                name: name_in(&text, &place),
                place,
                wrong: wrong.trim_end().to_owned(),
            }),
        }
    }
    // A second call comes only from a test.
    let _ = OF_USER.set(formats);
    broken
}

/// The name that a broken definition gives itself, or that of its file: `name = "ours"`, `ours.toml`.
fn name_in(text: &str, place: &str) -> String {
    let named = text.lines().find_map(|line| {
        let value = line.trim().strip_prefix("name")?.trim_start().strip_prefix('=')?.trim();
        value.get(1..)?.split(['"', '\'']).next()
    });
    let of_file = || std::path::Path::new(place).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    named.map_or_else(of_file, str::to_owned)
}

/// All formats, those of the user first.
pub(super) fn all() -> impl Iterator<Item = &'static Format> {
    let user = OF_USER.get().map(Vec::as_slice).unwrap_or_default();
    let replaced =
        |name: &str| user.iter().any(|format| format.definition.name == name);
    user.iter().chain(BUILT_IN.iter().filter(move |format| !replaced(&format.definition.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_format_has_the_name_it_gives_itself_or_that_of_its_file() {
        for (text, expected) in [
            ("name = \"ours\"\nkind = 1\n", "ours"),
            ("# mine\n  name='ours'\n", "ours"),
            ("names = 'x'\n", "gate"),
            ("name =\n", "gate"),
            ("", "gate"),
        ] {
            assert_eq!(name_in(text, "/home/me/formats/gate.toml"), expected, "{text}");
        }
    }
}
