//! Where totals are sent to, and what the environment says about that.

use std::fmt;

use percent_encoding::percent_decode_str;
use thiserror::Error;

/// The path where OTLP/HTTP expects metrics, unless the address has one.
const PATH: &str = "/v1/metrics";

/// The address of a server that takes OTLP over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtlpAddress {
    url: String,
}

/// Why an address is none.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OtlpAddressError {
    /// Another scheme, or none.
    #[error("'{0}' is no address of a server: write otlp+http://HOST:PORT/PATH, or otlp+https://")]
    Scheme(String),
    /// A name or password.
    #[error(
        "a name or password in an address is seen by everybody who lists processes: put it into \
         OTEL_EXPORTER_OTLP_HEADERS, such as authorization=Bearer%20TOKEN"
    )]
    Secret,
    /// Parameters after the path.
    #[error("OTLP takes no parameters after '?' or '#'")]
    Parameters,
}

impl OtlpAddress {
    /// Reads `otlp+http://HOST[:PORT][/PATH]` or the same with `otlp+https`; without a path it is
    /// `/v1/metrics`.
    ///
    /// # Errors
    /// If the scheme is another, or if there is a name, a password or a parameter.
    pub fn parse(text: &str) -> Result<OtlpAddress, OtlpAddressError> {
        let plain = text.strip_prefix("otlp+").unwrap_or(text);
        let of = |scheme: &'static str| plain.strip_prefix(scheme).map(|rest| (scheme, rest));
        let found = of("http://").or_else(|| of("https://"));
        let (scheme, rest) = found.ok_or_else(|| OtlpAddressError::Scheme(text.to_owned()))?;
        let (server, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if server.contains('@') {
            return Err(OtlpAddressError::Secret);
        }
        let is_plain = |one: char| one.is_ascii_graphic();
        if server.is_empty() || server.starts_with(':') || !rest.chars().all(is_plain) {
            return Err(OtlpAddressError::Scheme(text.to_owned()));
        }
        if path.contains(['?', '#']) {
            return Err(OtlpAddressError::Parameters);
        }
        let path = if path.len() < 2 { PATH } else { path };
        Ok(OtlpAddress { url: format!("{scheme}{server}{path}") })
    }

    /// The address as HTTP has it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether what is sent is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.url.starts_with("https:")
    }
}

impl fmt::Display for OtlpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

/// The names and values of a variable like `OTEL_EXPORTER_OTLP_HEADERS` or `OTEL_RESOURCE_ATTRIBUTES`:
/// `name=value,name=value`, each percent-encoded; `None` if one of them has no name or no value.
pub fn pairs_of_environment(text: &str) -> Option<Vec<(String, String)>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let decoded =
        |text: &str| Some(percent_decode_str(text.trim()).decode_utf8().ok()?.into_owned());
    let pair = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let (name, value) = (decoded(name)?, decoded(value)?);
        (!name.is_empty()).then_some((name, value))
    };
    parts.map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_path_and_no_secret() {
        let url = |text: &str| OtlpAddress::parse(text).map(|address| address.url);
        assert_eq!(
            url("otlp+http://127.0.0.1:4318"),
            Ok("http://127.0.0.1:4318/v1/metrics".into())
        );
        assert_eq!(
            url("otlp+https://m.example.org/"),
            Ok("https://m.example.org/v1/metrics".into())
        );
        let prometheus = "http://h:9090/api/v1/otlp/v1/metrics";
        assert_eq!(url(&format!("otlp+{prometheus}")), Ok(prometheus.into()));
        assert_eq!(url("otlp+http://user:secret@h/"), Err(OtlpAddressError::Secret));
        assert_eq!(url("otlp+http://h/x?key=1"), Err(OtlpAddressError::Parameters));
        for bad in [
            "otlp:127.0.0.1:4318",
            "h:4318",
            "otlp+grpc://h:4317",
            "http://",
            "http://:1",
            "http://h/a b",
        ] {
            assert!(matches!(url(bad), Err(OtlpAddressError::Scheme(_))), "{bad}");
        }
    }

    #[test]
    fn pairs_are_those_of_the_specification() {
        // https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables
        let pairs = pairs_of_environment("api-key=key,other-config-value=value").unwrap();
        assert_eq!(pairs[1], ("other-config-value".to_owned(), "value".to_owned()));
        let bearer = pairs_of_environment(" authorization = Bearer%20a%3Db%2C ,").unwrap();
        assert_eq!(bearer, [("authorization".to_owned(), "Bearer a=b,".to_owned())]);
        assert_eq!(pairs_of_environment("novalue"), None);
        assert_eq!(pairs_of_environment("=x"), None);
    }
}
