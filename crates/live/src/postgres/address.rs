//! Addresses of `PostgreSQL` databases whose waits are sampled.

use std::fmt;
use std::path::PathBuf;

use isotherm_client::postgres::address::{Logon, Machine, Nowhere};

use super::averages::StatsView;
use super::sampled::SampledView;
use crate::feed::OpenError;
use crate::{AddressError, password};

/// The variable of the environment that holds the password.
pub(super) const VARIABLE: &str = "PGPASSWORD";

/// A database, read from what stands after `postgres:`.
#[derive(Clone)]
pub(crate) struct PgAddress {
    scheme: &'static str,
    text: String,
    /// What of it is about the connection.
    connection: String,
    /// Samples a second.
    pub(crate) hz: u32,
    /// A view of averages to be asked for in place of waits.
    pub(super) averages: Option<StatsView>,
    /// A view of `pg_wait_sampling` to be asked for in place of sampling.
    pub(super) sampled: Option<SampledView>,
    /// Whether `pg_stat_monitor` is to be asked for histograms of statements.
    pub(super) monitor: bool,
    password_file: Option<PathBuf>,
}

impl PgAddress {
    /// Samples a second where nothing is said, and at most.
    const USUAL_HZ: u32 = 10;
    const MOST_HZ: u32 = 100;

    /// Reads `//[user[:password]@]host[:port]/database?hz=N&password_file=FILE&...`.
    pub(super) fn read(scheme: &'static str, text: &str) -> Result<PgAddress, AddressError> {
        let wrong = |why: String| AddressError::Postgres(why);
        let Some(rest) = text.strip_prefix("//") else {
            return Err(wrong(format!(
                "an address begins with {scheme}://, such as {scheme}://monitor@db1/postgres"
            )));
        };
        let (before, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (mut hz, mut password_file, mut others) = (PgAddress::USUAL_HZ, None, Vec::new());
        let (mut averages, mut sampled, mut monitor) = (None, None, false);
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("hz", value)) => hz = frequency(value).map_err(wrong)?,
                Some(("averages", view)) => averages = Some(StatsView::read(view).map_err(wrong)?),
                Some(("waits", view)) => sampled = Some(SampledView::read(view).map_err(wrong)?),
                Some(("histograms", "pg_stat_monitor")) => monitor = true,
                Some(("histograms", other)) => {
                    return Err(wrong(format!("histograms={other}: there is pg_stat_monitor")));
                }
                Some(("password_file", file)) => password_file = Some(file.into()),
                _ => others.push(parameter),
            }
        }
        if usize::from(averages.is_some()) + usize::from(sampled.is_some()) + usize::from(monitor)
            > 1
        {
            return Err(wrong(
                "averages=, waits= and histograms= are different sources: choose one".to_owned(),
            ));
        }
        let divider = if others.is_empty() { "" } else { "?" };
        let connection = format!("{before}{divider}{}", others.join("&"));
        // What the machine knows besides is asked for when it is opened.
        Logon::read(&connection, &Nowhere)
            .map_err(|error| wrong(format!("the address after {scheme}://: {error}")))?;
        let text = text.to_owned();
        Ok(PgAddress { scheme, text, connection, hz, averages, sampled, monitor, password_file })
    }

    /// Fails where it asks for one of the views that are read in place of sampling, too.
    pub(crate) fn only_a_way_in(&self) -> Result<(), OpenError> {
        if self.averages.is_none() && self.sampled.is_none() && !self.monitor {
            return Ok(());
        }
        let text = "averages=, waits= and histograms= are for isotherm live: leave them out here";
        Err(OpenError::Option(text.into()))
    }

    /// Everything that is needed to log on, and what to say about where the password came from.
    pub(crate) fn logon(&self) -> Result<(Logon, Option<String>), OpenError> {
        let read = Logon::read(&self.connection, &Machine);
        let mut logon = read.map_err(|error| OpenError::Option(error.to_string()))?;
        let written = Logon::read(&self.connection, &Nowhere);
        if let Some(file) = &self.password_file {
            let found = password::find(&logon.to_string(), Some(file), VARIABLE)?;
            logon.password = Some(found.secret.reveal().to_owned());
            return Ok((logon, found.warning));
        }
        let is_written = written.is_ok_and(|logon| logon.password.is_some());
        let advice = is_written.then(|| password::password_in_address(VARIABLE));
        Ok((logon, advice))
    }
}

fn frequency(value: &str) -> Result<u32, String> {
    let hz = value.parse().ok().filter(|hz| (1..=PgAddress::MOST_HZ).contains(hz));
    hz.ok_or_else(|| {
        format!("hz={value}: 1 to {} samples a second are possible", PgAddress::MOST_HZ)
    })
}

impl fmt::Display for PgAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.text)
    }
}

/// Without the password.
impl fmt::Debug for PgAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PgAddress({} Hz)", self.hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_sampling_is_taken_out_of_the_address() {
        let text = "//u@h:5433/d?hz=50&sslmode=require&password_file=/a";
        let address = PgAddress::read("postgres", text).unwrap();
        assert_eq!(address.connection, "u@h:5433/d?sslmode=require");
        assert_eq!((address.hz, address.password_file.clone()), (50, Some("/a".into())));
        assert_eq!(address.to_string(), format!("postgres:{text}"));
        assert_eq!(PgAddress::read("postgres", "//h").unwrap().hz, 10);
        let sampled = PgAddress::read("postgres", "//h?waits=profile").unwrap().sampled;
        assert_eq!(sampled, Some(SampledView::Profile));
    }

    #[test]
    fn what_is_wrong_is_reported_without_the_password() {
        for text in [
            "x",
            "//h?hz=0",
            "//h?hz=1000",
            "//h?colour=1",
            "//h?waits=all",
            "//h?waits=history&averages=wal",
            "//h?histograms=x",
            "//u:secret@h?x=secret",
        ] {
            let error = PgAddress::read("postgres", text).expect_err(text).to_string();
            assert!(!error.is_empty() && !error.contains("secret"), "{error}");
        }
    }
}
