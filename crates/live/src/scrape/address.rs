//! Addresses of Prometheus' servers and of pages of metrics.

use std::fmt;

use isotherm_frame::Nanos;
use percent_encoding::percent_decode_str;

use crate::AddressError;
use crate::http::HttpServer;

/// Where metrics are, read from what stands after `prom+http:` or `prom+https:`.
#[derive(Clone, Debug)]
pub(crate) struct HttpAddress {
    text: String,
    pub(super) server: HttpServer,
    pub(super) asked: Asked,
}

/// What is asked for there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A page of metrics: its path with its parameters.
    Page(String),
    /// The history of a histogram.
    History(Query),
}

/// The history of a histogram that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// What stands before `/api/v1`.
    pub(super) base: String,
    /// The name of the histogram, without `_bucket`.
    pub(super) name: String,
    /// Whether it has buckets of its own, each a series, or is a native one.
    pub(super) kind: Kind,
    /// What stands between the curly brackets.
    pub(super) matchers: String,
    /// How far back it goes.
    pub(super) range: Nanos,
    /// How far apart values are asked for, if not each sample is.
    pub(super) step: Option<Nanos>,
}

/// How a histogram is stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As `NAME_bucket`, `NAME_sum` and `NAME_count`.
    Classic,
    /// As `NAME`, whose samples hold all buckets.
    Native,
}

/// The range where none is given.
const RANGE: Nanos = Nanos::new(3_600 * 1_000_000_000);

impl HttpAddress {
    /// Reads what stands after the scheme.
    pub(super) fn read(is_secure: bool, text: &str) -> Result<HttpAddress, AddressError> {
        let wrong = |why: String| AddressError::Http { address: shown(is_secure, text), why };
        let (server, rest) = server(text).map_err(wrong)?;
        let (path, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let asked = match query(path, parameters).map_err(wrong)? {
            Some(query) => Asked::History(query),
            None => Asked::Page(page(path, parameters)),
        };
        let server = HttpServer { place: server.to_owned(), is_secure };
        Ok(HttpAddress { text: text.to_owned(), server, asked })
    }

    /// The server, and the path in front of its query API, of an address that asks for nothing else.
    pub(super) fn server_and_base(text: &str) -> Result<(HttpServer, String), AddressError> {
        let secure = text.strip_prefix("prom+https:");
        let is_secure = secure.is_some();
        let text = secure.or_else(|| text.strip_prefix("prom+http:")).unwrap_or(text);
        let wrong = |why: String| AddressError::Http { address: shown(is_secure, text), why };
        let (server, rest) = server(text).map_err(wrong)?;
        if rest.contains('?') {
            return Err(wrong("name the server alone: prom+http://HOST:PORT".to_owned()));
        }
        Ok((HttpServer { place: server.to_owned(), is_secure }, base(rest)))
    }
}

/// Takes the server from the front of an address.
fn server(text: &str) -> Result<(&str, &str), String> {
    let rest = text.strip_prefix("//").unwrap_or_default();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (server, rest) = rest.split_at(end);
    if server.is_empty() {
        return Err("it names no server: prom+http://HOST:PORT/metrics".to_owned());
    }
    if server.contains('@') {
        return Err(
            "logging on with a name is not supported: leave out the text before @ (a bearer token is \
             read from ISOTHERM_PROMETHEUS_TOKEN)"
                .to_owned(),
        );
    }
    if text.bytes().any(|byte| byte.is_ascii_control()) || server.contains([' ', '"', '<']) {
        return Err("a server's name has no such characters".to_owned());
    }
    Ok((server, rest))
}

/// What stands before `/api/v1`, of a path.
fn base(path: &str) -> String {
    let base = path.trim_end_matches('/');
    let base = base.strip_suffix("/api/v1/query").unwrap_or(base);
    encoded(base, b"%/")
}

impl fmt::Display for HttpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", scheme(self.server.is_secure), self.text)
    }
}

/// What an address begins with.
pub(super) fn scheme(is_secure: bool) -> &'static str {
    if is_secure { "prom+https" } else { "prom+http" }
}

/// The address for a message: what stands before an `@` may be a password, and so may parameters.
fn shown(is_secure: bool, text: &str) -> String {
    let scheme = scheme(is_secure);
    let (before, parameters) = text.split_once('?').unwrap_or((text, ""));
    let more = if parameters.is_empty() { "" } else { "?..." };
    match before.rsplit_once('@') {
        Some((_, rest)) => format!("{scheme}://***@{rest}{more}"),
        None => format!("{scheme}:{before}{more}"),
    }
}

fn page(path: &str, parameters: &str) -> String {
    let path = if path.is_empty() { "/metrics" } else { path };
    let divider = if parameters.is_empty() { "" } else { "?" };
    encoded(&format!("{path}{divider}{parameters}"), b"%&=/?")
}

/// What a history is asked for, if it is.
fn query(path: &str, parameters: &str) -> Result<Option<Query>, String> {
    let (mut selector, mut range, mut step) = (None, None, None);
    let is_query = |parameter: &str| parameter.starts_with("query=");
    if !parameters.split('&').any(is_query) {
        return Ok(None);
    }
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
        match key {
            "query" => selector = Some(value),
            "range" => range = Some(length(key, &value)?),
            "step" => step = Some(length(key, &value)?),
            _ => return Err(format!("'{key}' is not an option: there are query, range and step")),
        }
    }
    let (name, kind, matchers) = histogram(selector.unwrap_or_default().trim())?;
    let base = base(path);
    Ok(Some(Query { base, name, kind, matchers, range: range.unwrap_or(RANGE), step }))
}

fn length(key: &str, value: &str) -> Result<Nanos, String> {
    const LEAST: Nanos = Nanos::from_millis(1);
    const MOST: Nanos = Nanos::new(10 * 366 * 86_400 * 1_000_000_000);
    let length: Option<Nanos> = value.parse().ok();
    length.filter(|length| (LEAST..=MOST).contains(length)).ok_or_else(|| {
        format!("{key}={value} is no length of time, such as 6h or 15s, of at most ten years")
    })
}

/// Takes `NAME_bucket{...}`, or `NAME{...}` of a native histogram, apart: the name without its end, and
/// what the brackets hold.
fn histogram(selector: &str) -> Result<(String, Kind, String), String> {
    let end = selector.find('{').unwrap_or(selector.len());
    let (name, rest) = selector.split_at(end);
    let name = name.trim();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    let (stem, kind) = match name.strip_suffix("_bucket") {
        Some(stem) => (stem, Kind::Classic),
        None => (name, Kind::Native),
    };
    let is_part = kind == Kind::Native && ["_sum", "_count"].iter().any(|end| name.ends_with(end));
    let inner = match rest {
        "" => Some(""),
        rest => rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')),
    };
    match inner.map(|inner| inner.trim().trim_end_matches(',')) {
        Some(inner)
            if !stem.is_empty() && stem.bytes().all(is_name) && !is_part && is_closed(inner) =>
        {
            Ok((stem.to_owned(), kind, inner.to_owned()))
        }
        _ => Err(format!(
            "query={selector} is not NAME_bucket{{...}}, nor NAME{{...}} of a native histogram: \
             expressions such as rate() and sum() have no counts, and other metrics no buckets"
        )),
    }
}

/// Takes what names a histogram apart, with or without `_bucket`: one without is taken for a classic one.
pub(super) fn selector_of(text: &str) -> Result<(String, Kind, String), String> {
    let (name, _, matchers) = histogram(text.trim()).map_err(|_| {
        format!(
            "--metric {text}: not NAME or NAME{{label=\"value\"}} of a histogram (without _sum and \
             _count; expressions have no buckets)"
        )
    })?;
    Ok((name, Kind::Classic, matchers))
}

/// Whether no bracket closes what the matchers are written in before its end.
fn is_closed(matchers: &str) -> bool {
    let (mut quote, mut escaped) = (None, false);
    for letter in matchers.chars() {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (Some('"' | '\''), '\\') => escaped = true,
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '{' | '}' | '(' | ')' | '[' | ']') => return false,
            _ => {}
        }
    }
    quote.is_none() && !escaped
}

/// Every byte but letters, digits and what is kept as `%40`.
pub(super) fn encoded(text: &str, kept: &[u8]) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let one = |byte: u8| {
        let stays = plain(byte) || kept.contains(&byte);
        if stays { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> HttpAddress {
        HttpAddress::read(false, text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn pages_are_fetched_as_they_are_written() {
        for (text, server, path) in [
            ("//h:9100", "h:9100", "/metrics"),
            ("//h:9100/metrics", "h:9100", "/metrics"),
            (
                "//[::1]:9090/x/y?match[]={a=\"b c\"}",
                "[::1]:9090",
                "/x/y?match%5B%5D=%7Ba=%22b%20c%22%7D",
            ),
        ] {
            let address = read(text);
            assert_eq!(
                (address.server.place.as_str(), &address.asked),
                (server, &Asked::Page(path.into()))
            );
            assert_eq!(address.to_string(), format!("prom+http:{text}"));
            let secure = HttpAddress::read(true, text).unwrap();
            assert_eq!(secure.to_string(), format!("prom+https:{text}"));
            assert!(secure.server.is_secure && secure.asked == address.asked);
        }
    }

    #[test]
    fn a_history_is_a_selector_a_range_and_perhaps_a_step() {
        let query = |text: &str| match read(text).asked {
            Asked::History(query) => query,
            Asked::Page(path) => panic!("{text}: {path}"),
        };
        let plain = query("//h:9090/?query=a_seconds_bucket");
        assert_eq!(
            (plain.base.as_str(), plain.name.as_str(), plain.range),
            ("", "a_seconds", RANGE)
        );
        assert_eq!((plain.matchers.as_str(), plain.step), ("", None));
        assert_eq!(plain.kind, Kind::Classic);
        let native = query("//h:9090/?query=a_seconds{op=\"r\"}");
        assert_eq!((native.name.as_str(), native.kind), ("a_seconds", Kind::Native));
        let whole = query("//h/prom/?query=x:y_bucket%7Bjob=\"}\",op!=\"r\"%7D&range=6h&step=15s");
        assert_eq!(
            (whole.base.as_str(), whole.matchers.as_str()),
            ("/prom", "job=\"}\",op!=\"r\"")
        );
        assert_eq!(whole.step, Some(Nanos::from_millis(15_000)));
    }

    #[test]
    fn what_cannot_be_asked_is_refused_with_a_reason() {
        for (text, why) in [
            ("//", "names no server"),
            ("localhost:9090", "names no server"),
            ("//u:pw@h:9090/metrics", "logging on with a name is not supported"),
            ("//h/?query=rate(a_bucket[5m])", "have no counts"),
            ("//h/?query=a_bucket{} or b_bucket{}", "have no counts"),
            ("//h/?query=a_seconds_sum", "no buckets"),
            ("//h/?query=a_bucket&range=x", "no length of time"),
            ("//h/?query=a_bucket&ragne=6h", "'ragne' is not an option"),
        ] {
            let error = HttpAddress::read(false, text).expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(!error.contains("pw"), "{error}");
        }
    }
}
