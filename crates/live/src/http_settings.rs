//! What the environment gives for servers of metrics: a token to log on with, and whom to trust.

use std::ffi::OsString;
use std::net::IpAddr;

/// The token, or the file that it is read from.
const TOKEN: &str = "ISOTHERM_PROMETHEUS_TOKEN";
const TOKEN_FILE: &str = "ISOTHERM_PROMETHEUS_TOKEN_FILE";
/// A file of PEM with the authorities to trust instead of Mozilla's.
#[cfg(feature = "https")]
const CA_FILE: &str = "ISOTHERM_PROMETHEUS_CA_FILE";

/// What to say where a server wants a logon.
pub(crate) const NO_LOGON: &str = "; a bearer token is read from ISOTHERM_PROMETHEUS_TOKEN or \
    ISOTHERM_PROMETHEUS_TOKEN_FILE, and sent over prom+https:// only";

/// The value of the header `Authorization`, if there is a token for this server: one is sent over TLS or
/// to this machine, and nowhere else.
pub(crate) fn authorization(place: &str, is_secure: bool) -> Result<Option<String>, String> {
    if !is_secure && !is_this_machine(place) {
        return Ok(None);
    }
    let token = token(&|name| std::env::var_os(name))?;
    Ok(token.map(|token| format!("Bearer {token}")))
}

/// The token that `variable` gives.
fn token(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Option<String>, String> {
    let is_set = |text: &OsString| !text.is_empty();
    let (name, text) = match (variable(TOKEN).filter(is_set), variable(TOKEN_FILE).filter(is_set)) {
        (Some(_), Some(_)) => {
            return Err(format!("{TOKEN} and {TOKEN_FILE} are both set: unset one"));
        }
        (Some(text), None) => (TOKEN, text.into_string().unwrap_or_default()),
        (None, Some(path)) => {
            let read = std::fs::read_to_string(&path);
            (
                TOKEN_FILE,
                read.map_err(|error| format!("{TOKEN_FILE}: {}: {error}", path.display()))?,
            )
        }
        (None, None) => return Ok(None),
    };
    let text = text.trim();
    let is_token = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    // What is wrong with a secret is not shown.
    if is_token { Ok(Some(text.to_owned())) } else { Err(format!("{name} has no token in it")) }
}

/// Whether a server is on this machine.
fn is_this_machine(place: &str) -> bool {
    let host = place.rsplit_once(':').map_or(place, |(host, _)| host);
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whom to trust, and how to encrypt.
#[cfg(feature = "https")]
pub(crate) fn tls() -> Result<ureq::tls::TlsConfig, String> {
    use std::sync::Arc;
    use ureq::tls::{RootCerts, TlsConfig};
    let roots = match std::env::var_os(CA_FILE).filter(|path| !path.is_empty()) {
        Some(path) => authorities(path.as_ref())?,
        None => RootCerts::WebPki,
    };
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(TlsConfig::builder().root_certs(roots).unversioned_rustls_crypto_provider(provider).build())
}

#[cfg(feature = "https")]
fn authorities(path: &std::path::Path) -> Result<ureq::tls::RootCerts, String> {
    use ureq::tls::Certificate;
    let found = isotherm_client::authorities(path);
    let found = found.map_err(|why| format!("{CA_FILE}: {}: {why}", path.display()))?;
    let found: Vec<_> = found.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    Ok(found.into_iter().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_from_the_environment_or_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "from-a-file\n").unwrap();
        let path = file.path().to_str().unwrap();
        let of = |given: &[(&str, &str)]| {
            token(&|name| given.iter().find(|(own, _)| *own == name).map(|(_, value)| value.into()))
        };
        assert_eq!(of(&[]), Ok(None));
        assert_eq!(of(&[(TOKEN, "")]), Ok(None));
        assert_eq!(of(&[(TOKEN, "abc")]), Ok(Some("abc".to_owned())));
        assert_eq!(of(&[(TOKEN_FILE, path)]), Ok(Some("from-a-file".to_owned())));
        for (given, why) in [
            (&[(TOKEN, "abc"), (TOKEN_FILE, path)][..], "both set"),
            (&[(TOKEN, "a b")], "no token"),
            (&[(TOKEN, " \n")], "no token"),
            (&[(TOKEN_FILE, "/nowhere/at/all")], "/nowhere/at/all"),
        ] {
            let error = of(given).unwrap_err();
            assert!(error.contains(why) && !error.contains("a b"), "{error}");
        }
    }

    #[test]
    fn only_this_machine_may_have_it_in_the_clear() {
        for place in ["localhost:9090", "127.0.0.1:9090", "[::1]:9090", "127.0.0.1"] {
            assert!(is_this_machine(place), "{place}");
        }
        for place in ["prom:9090", "10.0.0.1:9090", "[2001:db8::1]:9090", "localhost.example.org:1"]
        {
            assert!(!is_this_machine(place), "{place}");
            assert_eq!(authorization(place, false), Ok(None));
        }
    }
}
