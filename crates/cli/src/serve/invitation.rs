//! The address that people open.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use isotherm_serve::Token;

/// The address of the page with its token, which stands where browsers send it to nobody.
pub fn text(listens_at: SocketAddr, names: &[String], token: &Token) -> String {
    format!("{}#token={}", page(listens_at, names), token.text())
}

/// The same without a token.
pub fn page(listens_at: SocketAddr, names: &[String]) -> String {
    let mut at = listens_at;
    if at.ip().is_unspecified() {
        at.set_ip(match at {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    // Who names this machine means it to be asked for by that name.
    match names.first() {
        None => format!("http://{at}/"),
        Some(name) if name.contains("://") => format!("{name}/"),
        Some(name) if has_port(name) && !name.ends_with(":443") => format!("http://{name}/"),
        // A name without a port is that of a proxy, which has TLS.
        Some(name) => format!("https://{}/", name.strip_suffix(":443").unwrap_or(name)),
    }
}

fn has_port(name: &str) -> bool {
    name.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_can_be_opened_where_it_is_printed() {
        let token = Token::chosen("0123456789abcdef").unwrap();
        let of = |at: &str, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            text(at.parse().unwrap(), &names, &token)
        };
        let end = "/#token=0123456789abcdef";
        assert_eq!(of("127.0.0.1:7414", &[]), format!("http://127.0.0.1:7414{end}"));
        assert_eq!(of("0.0.0.0:80", &[]), format!("http://127.0.0.1:80{end}"));
        assert_eq!(of("[::]:80", &[]), format!("http://[::1]:80{end}"));
        assert_eq!(of("0.0.0.0:80", &["db1:80"]), format!("http://db1:80{end}"));
        for name in ["db1.example.org", "db1.example.org:443"] {
            assert_eq!(of("127.0.0.1:80", &[name]), format!("https://db1.example.org{end}"));
        }
        assert_eq!(
            of("127.0.0.1:80", &["https://db1.example.org:8443"]),
            format!("https://db1.example.org:8443{end}")
        );
    }
}
