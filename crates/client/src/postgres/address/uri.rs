//! What is written in an address, nothing added.

use std::time::Duration;

use super::{AddressError, RequiredAuth, Surroundings, TlsMode};
use crate::percent;

/// What an address says; `None` where it says nothing.
#[derive(Default)]
pub struct Written {
    pub host: Option<String>,
    pub port: Option<String>,
    pub user: Option<String>,
    pub password: Option<String>,
    pub database: Option<String>,
    pub passfile: Option<String>,
    pub tls: Option<String>,
    pub authorities: Option<String>,
    pub application: Option<String>,
    pub timeout: Option<String>,
    pub options: Option<String>,
    pub auth: Option<String>,
    pub binding: Option<String>,
}

/// A parameter of an address, and the variable of the environment that stands in for it.
const PARAMETERS: [(&str, &str); 13] = [
    ("host", "PGHOST"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("dbname", "PGDATABASE"),
    ("passfile", "PGPASSFILE"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("application_name", "PGAPPNAME"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("options", "PGOPTIONS"),
    ("require_auth", "PGREQUIREAUTH"),
    ("channel_binding", "PGCHANNELBINDING"),
];

impl Written {
    /// Reads `user:password@host:port/database?name=value&...`, each part of which may be missing.
    pub fn read(text: &str) -> Result<Written, AddressError> {
        let mut written = Written::default();
        let (before, parameters) = text.split_once('?').unwrap_or((text, ""));
        let (authority, database) = before.split_once('/').unwrap_or((before, ""));
        let (logon, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = match logon.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (logon, None),
        };
        written.user = decoded("user", user)?;
        written.password = password.map_or(Ok(None), |text| decoded("password", text))?;
        written.database = decoded("database", database)?;
        written.read_place(place)?;
        // What follows could be the rest of a password: nothing of it is shown.
        if parameters.contains('@') {
            return Err(AddressError::At);
        }
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            written.read_parameter(parameter)?;
        }
        if written.host.as_ref().is_some_and(|host| host.contains(',')) {
            return Err(AddressError::Hosts);
        }
        Ok(written)
    }

    fn read_place(&mut self, place: &str) -> Result<(), AddressError> {
        if place.contains(',') {
            return Err(AddressError::Hosts);
        }
        let (host, port) = match place.strip_prefix('[') {
            Some(rest) => {
                let (host, after) = rest.split_once(']').ok_or(AddressError::Bracket)?;
                let port = after.strip_prefix(':').unwrap_or(after);
                (host, port)
            }
            None => place.split_once(':').unwrap_or((place, "")),
        };
        self.host = decoded("host", host)?;
        self.port = decoded("port", port)?;
        Ok(())
    }

    fn read_parameter(&mut self, parameter: &str) -> Result<(), AddressError> {
        let Some((name, value)) = parameter.split_once('=') else {
            return Err(AddressError::Value(shown(parameter)));
        };
        let known = PARAMETERS.iter().find(|(known, _)| *known == name);
        let Some((known, _)) = known else { return Err(AddressError::Parameter(shown(name))) };
        let value = decoded(known, value)?;
        if let (Some(place), Some(value)) = (self.part(known), value) {
            *place = Some(value);
        }
        Ok(())
    }

    fn part(&mut self, parameter: &str) -> Option<&mut Option<String>> {
        match parameter {
            "host" => Some(&mut self.host),
            "port" => Some(&mut self.port),
            "user" => Some(&mut self.user),
            "password" => Some(&mut self.password),
            "dbname" => Some(&mut self.database),
            "passfile" => Some(&mut self.passfile),
            "sslmode" => Some(&mut self.tls),
            "sslrootcert" => Some(&mut self.authorities),
            "application_name" => Some(&mut self.application),
            "connect_timeout" => Some(&mut self.timeout),
            "options" => Some(&mut self.options),
            "require_auth" => Some(&mut self.auth),
            "channel_binding" => Some(&mut self.binding),
            _ => None,
        }
    }

    /// Takes what is not written from the environment.
    pub fn fill(&mut self, around: &dyn Surroundings) {
        for (parameter, variable) in PARAMETERS {
            if let Some(place @ None) = self.part(parameter) {
                *place = around.variable(variable);
            }
        }
    }

    /// The port, checked.
    pub fn port(&self) -> Result<Option<u16>, AddressError> {
        let Some(text) = &self.port else { return Ok(None) };
        match text.parse() {
            Ok(port) if port > 0 => Ok(Some(port)),
            _ => Err(AddressError::Port),
        }
    }

    /// Whether TLS is used. What libpq calls `allow` is to prefer none; `verify-ca` without the
    /// name is taken as the stricter `verify-full`.
    pub fn tls(&self) -> Result<TlsMode, AddressError> {
        match self.tls.as_deref() {
            Some("disable" | "allow") => Ok(TlsMode::Disable),
            None | Some("prefer") => Ok(TlsMode::Prefer),
            Some("require") => Ok(TlsMode::Require),
            Some("verify-full" | "verify-ca") => Ok(TlsMode::VerifyFull),
            Some(other) => Err(AddressError::Tls(shown(other))),
        }
    }

    /// Which ways of logging on are accepted. The log-on is never bound to the channel of TLS, so that this
    /// cannot be required.
    pub fn auth(&self) -> Result<RequiredAuth, AddressError> {
        match self.binding.as_deref() {
            None | Some("disable" | "prefer") => {}
            Some("require") => return Err(AddressError::Binding),
            Some(other) => return Err(AddressError::BindingValue(shown(other))),
        }
        let Some(text) = &self.auth else { return Ok(RequiredAuth::default()) };
        RequiredAuth::read(text).ok_or_else(|| AddressError::Auth(shown(text)))
    }

    /// The longest a connection may take; 0 is as good as for ever.
    pub fn timeout(&self) -> Result<Option<Duration>, AddressError> {
        let Some(text) = &self.timeout else { return Ok(None) };
        match text.parse::<u32>() {
            Ok(0) => Ok(Some(Duration::from_hours(1))),
            Ok(seconds) => Ok(Some(Duration::from_secs(seconds.into()))),
            Err(_) => Err(AddressError::Timeout(shown(text))),
        }
    }
}

/// Text with its `%` sequences replaced; `None` if it is empty. No part may hold a zero byte, which
/// ends a text on the wire.
fn decoded(what: &'static str, text: &str) -> Result<Option<String>, AddressError> {
    let text = percent::decoded(text).filter(|text| !text.contains('\0'));
    let text = text.ok_or(AddressError::Percent(what))?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// A part of an address in words to people: short, and harmless on a terminal.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect()
}
