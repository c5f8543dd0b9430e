//! Who is answered: which names of this host, which sites, which tokens.

use std::net::SocketAddr;

use thiserror::Error;

use crate::http::{Head, Refusal};
use crate::token::Token;

/// Who may ask, and for what.
#[derive(Clone, Debug)]
pub struct Access {
    /// Names under which this server is asked for, with their ports, in small letters.
    hosts: Vec<String>,
    /// Who has it may look and mark.
    operate: Option<Token>,
    /// Who has it may look.
    view: Token,
}

/// What a name of `--name` must be.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "'{0}' is no host name with a port, such as db1.example.org:7414, db1.example.org or \
    https://db1.example.org:8443"
)]
pub struct AccessError(String);

/// The names under which a server at this address can be asked for: the loopback names where it listens
/// there, its own address otherwise, and those that the user says.
pub fn host_names(listens_at: SocketAddr, names: &[String]) -> Result<Vec<String>, AccessError> {
    let port = listens_at.port();
    let mut hosts: Vec<String> = Vec::new();
    if listens_at.ip().is_loopback() || listens_at.ip().is_unspecified() {
        hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")));
    }
    if !listens_at.ip().is_unspecified() {
        hosts.push(listens_at.to_string());
    }
    for name in names {
        let beginning = ["http://", "https://"].iter().find_map(|begin| name.strip_prefix(begin));
        let name = beginning.unwrap_or(name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || ".-:[]_".contains(c);
        let (host, port) = name.rsplit_once(':').unwrap_or((name, "80"));
        let is_host = !host.is_empty() && name.chars().all(is_name);
        if !is_host || port.parse::<u16>().is_err() {
            return Err(AccessError(name.to_owned()));
        }
        hosts.push(name.to_ascii_lowercase());
    }
    // Browsers leave out the usual port: 80, and 443 of a proxy with TLS.
    let usual = |host: &String| {
        [":80", ":443"].iter().find_map(|port| host.strip_suffix(port)).map(str::to_owned)
    };
    let without_port: Vec<String> = hosts.iter().filter_map(usual).collect();
    hosts.extend(without_port);
    hosts.sort();
    hosts.dedup();
    Ok(hosts)
}

impl Access {
    /// Answers these hosts' names. Without a token to operate nobody can mark.
    pub fn new(hosts: Vec<String>, operate: Option<Token>, view: Token) -> Access {
        Access { hosts, operate, view }
    }

    /// The token to hand to whoever may do everything there is to do here.
    pub fn operating(&self) -> &Token {
        self.operate.as_ref().unwrap_or(&self.view)
    }

    /// The token of those who may look only.
    pub fn viewing(&self) -> &Token {
        &self.view
    }

    /// Refuses what asks for another host, as a page does whose name was bound to this address anew,
    /// and what the page of another site asks.
    pub fn check_site(&self, head: &Head, is_data: bool) -> Result<(), Refusal> {
        if !self.hosts.contains(&head.host) {
            return Err(Refusal::UnknownHost);
        }
        let own = |origin: &str| {
            let host = ["http://", "https://"].iter().find_map(|begin| origin.strip_prefix(begin));
            host.is_some_and(|host| self.hosts.iter().any(|own| own == host))
        };
        let foreign = head.origin.as_deref().is_some_and(|origin| !own(origin));
        if foreign || (is_data && head.is_cross_site) {
            return Err(Refusal::ForeignOrigin);
        }
        Ok(())
    }

    /// Whether who asks may mark; refuses who has no token.
    pub fn may_mark(&self, head: &Head) -> Result<bool, Refusal> {
        let offered = head.bearer.as_deref().unwrap_or_default();
        // Both are compared, whatever comes of the first.
        let operates = self.operate.as_ref().is_some_and(|token| token.is(offered));
        let views = self.view.is(offered);
        if operates || views { Ok(operates) } else { Err(Refusal::NoToken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_loopback_has_its_names_and_those_it_is_given() {
        let at: SocketAddr = "127.0.0.1:7414".parse().unwrap();
        let named = host_names(at, &["DB1.example.org".to_owned(), "a:80".to_owned()]).unwrap();
        let expected =
            ["127.0.0.1:7414", "[::1]:7414", "a", "a:80", "db1.example.org", "localhost:7414"];
        assert_eq!(named, expected);
        let lan = host_names("192.0.2.7:80".parse().unwrap(), &[]).unwrap();
        assert_eq!(lan, ["192.0.2.7", "192.0.2.7:80"]);
        let proxy = host_names(at, &["db1.example.org:443".to_owned()]).unwrap();
        assert!(proxy.contains(&"db1.example.org".to_owned()), "{proxy:?}");
        let other = host_names(at, &["db1.example.org:8443".to_owned()]).unwrap();
        assert!(!other.contains(&"db1.example.org".to_owned()), "{other:?}");
        let with_tls = host_names(at, &["https://db1.example.org:8443".to_owned()]).unwrap();
        assert_eq!(with_tls, other);
        let everywhere = host_names("0.0.0.0:80".parse().unwrap(), &[]).unwrap();
        assert!(everywhere.contains(&"localhost:80".to_owned()) && everywhere.len() == 6);
        for wrong in
            ["", "https://", "ftp://a", "https://a/b", "a b:1", "a:port", "a:99999", ":80", "a/b"]
        {
            assert!(host_names(at, &[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
