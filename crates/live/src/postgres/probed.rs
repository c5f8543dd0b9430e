//! `postgres://...?probe=WHAT`: the probes of a server on this machine, as `pgprobe:` measures them.

use isotherm_client::postgres::address::{Logon, Nowhere, Place};

use crate::live::LiveAddress;
use crate::{AddressError, traced};

/// The probes that an address asks for; `None` if it asks for none.
pub(super) fn target(
    scheme: &'static str,
    text: &str,
) -> Result<Option<LiveAddress>, AddressError> {
    let (server, parameters) = text.split_once('?').unwrap_or((text, ""));
    let parameters = || parameters.split('&').filter(|parameter| !parameter.is_empty());
    let Some(what) = parameters().find_map(|parameter| parameter.strip_prefix("probe=")) else {
        return Ok(None);
    };
    let wrong = |why: String| AddressError::Postgres(why);
    let others = || parameters().filter(|parameter| !parameter.starts_with("probe="));
    let is_ours = |option: &&str| option.starts_with("binary=") || option.starts_with("names=");
    if let Some(other) = others().find(|option| !is_ours(option)) {
        let key = other.split('=').next().unwrap_or_default();
        return Err(wrong(format!(
            "{key}: probe= measures without logging on, and takes only binary=PATH and names=FILE besides"
        )));
    }
    if !is_here(server.trim_start_matches("//")).map_err(wrong)? {
        return Err(wrong(format!(
            "probe={what} measures the server's own machine with bpftrace: run isotherm there, with \
             {scheme}://localhost/?probe={what}"
        )));
    }
    let options: Vec<&str> = others().collect();
    traced::probes_of_server((scheme, text), what, &options.join("&")).map(Some).map_err(wrong)
}

/// Whether a server runs on this machine.
fn is_here(server: &str) -> Result<bool, String> {
    let logon = Logon::read(server, &Nowhere).map_err(|error| error.to_string())?;
    Ok(match logon.place {
        Place::Socket(_) => true,
        Place::Host(name, _) => {
            let machine = rustix::system::uname();
            let is_own = machine.nodename().to_bytes() == name.as_bytes();
            is_own || name == "localhost" || name == "::1" || name.starts_with("127.")
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::Address;

    #[test]
    fn probes_of_a_server_here_lead_to_the_same_source() {
        for text in [
            "postgres://localhost/?probe=reads",
            "postgres://monitor@127.0.0.1:5433/db?probe=lwlocks",
            "postgresql:///db?probe=wal&binary=/a/postgres",
        ] {
            let address: Address = text.parse().expect(text);
            assert_eq!(address.to_string(), text);
            let Address::Live(live) = address else { panic!("{text} is not live") };
            assert!(crate::traced::is_traced(&live), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_probed_is_refused_with_what_to_do() {
        let refused = |text: &str| text.parse::<Address>().expect_err(text).to_string();
        assert!(refused("postgres://db1/?probe=reads").contains("run isotherm there"));
        let unknown = refused("postgres://localhost/?probe=disk");
        assert!(unknown.contains("reads, buffers, lwlocks, locks, wal"), "{unknown}");
        let both = refused("postgres://u:secret@localhost/?probe=reads&hz=20");
        assert!(both.contains("hz") && !both.contains("secret"), "{both}");
        assert!(refused("postgres://localhost/?probe=reads&binary=/a b").contains("binary"));
    }
}
