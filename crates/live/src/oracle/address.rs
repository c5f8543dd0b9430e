//! Where an Oracle database is and what is asked of it: the part of the address grammar that
//! begins with `oracle:`, `oracle+tcps:`, `sqlplus:` or `awr:`.

use std::fmt;

use super::address_error::OracleAddressError;
use super::options::{Kind, OracleOptions};
use super::quotes::find_outside_quotes;
use super::sqlplus::logon;

/// The schemes that say how a database is reached.
const ROUTES: [&str; 3] = ["oracle", "oracle+tcps", "sqlplus"];

/// An Oracle database and what is asked of it. Displays as the text it was read from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OracleAddress {
    text: String,
    /// How to get there.
    pub route: Route,
    /// Whether the history that AWR keeps is asked for (`awr:`), not what happens now.
    pub history: bool,
    /// What stands after the `?`.
    pub options: OracleOptions,
}

/// How a database is reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// Over the network, by our own driver.
    Thin {
        /// The user name.
        user: String,
        /// What the driver is given: `host:port/service`, a whole descriptor or an alias.
        connect: String,
    },
    /// By SQL*Plus, which must be installed.
    SqlPlus {
        /// What stands after CONNECT: `/ as sysdba`, `user@alias`.
        logon: String,
    },
}

impl OracleAddress {
    /// Reads an address whose scheme, one of the four, has been split off at the colon.
    pub(crate) fn read(scheme: &str, rest: &str) -> Result<OracleAddress, OracleAddressError> {
        let text = format!("{scheme}:{rest}");
        if scheme != "awr" {
            let (route, options) = read_route(scheme, rest, false)?;
            return Ok(OracleAddress { text, route, history: false, options });
        }
        let (scheme, rest) = rest.split_once(':').ok_or(OracleAddressError::NoHistory)?;
        if !ROUTES.contains(&scheme) {
            return Err(OracleAddressError::NoHistory);
        }
        let (route, options) = read_route(scheme, rest, true)?;
        Ok(OracleAddress { text, route, history: true, options })
    }

    /// Whom it connects to, for messages: `user@host:port/service`, or SQL*Plus's logon.
    pub fn target(&self) -> String {
        match &self.route {
            Route::Thin { user, connect } => format!("{user}@{connect}"),
            Route::SqlPlus { logon } => format!("sqlplus {logon}"),
        }
    }
}

impl fmt::Display for OracleAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

fn read_route(
    scheme: &str,
    rest: &str,
    history: bool,
) -> Result<(Route, OracleOptions), OracleAddressError> {
    match scheme {
        "oracle" => read_thin("oracle", rest, history),
        "oracle+tcps" => read_thin("oracle+tcps", rest, history),
        _ => read_sqlplus(rest, history),
    }
}

fn read_thin(
    scheme: &'static str,
    rest: &str,
    history: bool,
) -> Result<(Route, OracleOptions), OracleAddressError> {
    let rest = rest.strip_prefix("//").ok_or(OracleAddressError::NoSlashes(scheme))?;
    let (user, rest) = split_user(scheme, rest)?;
    let (database, query) = split_query(rest);
    if database.is_empty() {
        return Err(OracleAddressError::NoDatabase { scheme, user });
    }
    let connect = read_database(database, scheme == "oracle+tcps")?;
    let options = OracleOptions::read(query, Kind { history, sqlplus: false })?;
    Ok((Route::Thin { user, connect }, options))
}

/// Splits `user@rest`. What looks like a password is refused before anything is quoted in a
/// message; where there is no user, what there is may be one.
fn split_user<'a>(
    scheme: &'static str,
    rest: &'a str,
) -> Result<(String, &'a str), OracleAddressError> {
    let Some(at) = find_outside_quotes(rest, &['@']) else {
        return Err(OracleAddressError::NoUser(scheme));
    };
    let user = &rest[..at];
    if find_outside_quotes(user, &[':', '/']).is_some() {
        return Err(OracleAddressError::Password);
    }
    if user.is_empty() {
        return Err(OracleAddressError::NoUser(scheme));
    }
    Ok((super::options::decoded(user), &rest[at + 1..]))
}

/// Splits at the first `?`, after the descriptor if there is one.
fn split_query(rest: &str) -> (&str, &str) {
    let begin = if rest.starts_with('(') { rest.rfind(')').unwrap_or(0) } else { 0 };
    match rest[begin..].find('?') {
        Some(mark) => (&rest[..begin + mark], &rest[begin + mark + 1..]),
        None => (rest, ""),
    }
}

/// What the driver is given. Its own parser ignores what it does not understand, so that forms
/// are told apart here.
fn read_database(database: &str, tls: bool) -> Result<String, OracleAddressError> {
    let itself = || OracleAddressError::NotADatabase(database.to_owned());
    if database.starts_with('(') {
        let closed = database.ends_with(')');
        return match (closed, tls) {
            (false, _) => Err(itself()),
            (true, true) => Err(OracleAddressError::TlsTwice(database.to_owned())),
            (true, false) => Ok(database.to_owned()),
        };
    }
    let Some((hosts, service)) = database.split_once('/') else {
        return read_alias(database, tls);
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._-:/".contains(c);
    let is_host = |c: char| c.is_alphanumeric() || "._-:,;[]".contains(c);
    let formed = !hosts.is_empty()
        && hosts.chars().all(is_host)
        && !service.is_empty()
        && service.chars().all(is_word);
    if !formed || !ports_are_numbers(hosts) {
        return Err(itself());
    }
    Ok(if tls { format!("tcps://{database}") } else { database.to_owned() })
}

/// A word without a slash is an alias, unless it has the form of a host with a port.
fn read_alias(word: &str, tls: bool) -> Result<String, OracleAddressError> {
    let parts: Vec<&str> = word.split(':').collect();
    match parts.as_slice() {
        [host, port, sid] if !host.is_empty() && is_number(port) => {
            let (host, port, sid) = ((*host).into(), (*port).into(), (*sid).into());
            Err(OracleAddressError::Sid { host, port, sid })
        }
        [_, port] if is_number(port) => Err(OracleAddressError::NoService(word.to_owned())),
        [alias] if alias.chars().all(|c| c.is_ascii_alphanumeric() || "._-$#".contains(c)) => {
            if tls { Err(OracleAddressError::TlsTwice(word.to_owned())) } else { Ok(word.into()) }
        }
        _ => Err(OracleAddressError::NotADatabase(word.to_owned())),
    }
}

/// Whether what stands after the last colon of each host, outside brackets, is a port.
fn ports_are_numbers(hosts: &str) -> bool {
    hosts.split([',', ';']).all(|host| {
        let after = host.rsplit_once(']').map_or(host, |(_, after)| after);
        match after.split_once(':') {
            Some((_, port)) => port.parse::<u16>().is_ok(),
            None => !host.is_empty(),
        }
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn read_sqlplus(rest: &str, history: bool) -> Result<(Route, OracleOptions), OracleAddressError> {
    let (text, query) = split_query(rest);
    // What precedes the @ is user and password; a slash first means the operating system's user.
    let (who, _) = logon::split_user(text);
    if find_outside_quotes(who, &['/']).is_some_and(|slash| slash > 0 || who.len() > 1) {
        return Err(OracleAddressError::Password);
    }
    if rest.chars().any(char::is_control) {
        return Err(OracleAddressError::ControlCharacter);
    }
    let options = OracleOptions::read(query, Kind { history, sqlplus: true })?;
    let logon = if text.trim().is_empty() { "/ as sysdba" } else { text.trim() };
    Ok((Route::SqlPlus { logon: logon.to_owned() }, options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<OracleAddress, OracleAddressError> {
        let (scheme, rest) = text.split_once(':').expect("a scheme");
        let address = OracleAddress::read(scheme, rest)?;
        assert_eq!(address.to_string(), text);
        Ok(address)
    }

    fn thin(text: &str) -> (String, String) {
        match read(text).unwrap_or_else(|error| panic!("{text}: {error}")).route {
            Route::Thin { user, connect } => (user, connect),
            other @ Route::SqlPlus { .. } => panic!("{text}: {other:?}"),
        }
    }

    fn logon(text: &str) -> String {
        match read(text).unwrap_or_else(|error| panic!("{text}: {error}")).route {
            Route::SqlPlus { logon } => logon,
            other @ Route::Thin { .. } => panic!("{text}: {other:?}"),
        }
    }

    fn message(text: &str) -> String {
        read(text).expect_err(text).to_string()
    }

    #[test]
    fn databases_are_named_in_each_form_of_the_driver() {
        for (text, user, connect) in [
            ("oracle://scott@db1:1521/SALES", "scott", "db1:1521/SALES"),
            ("oracle://scott@db1/sales.example.com", "scott", "db1/sales.example.com"),
            ("oracle://scott@PROD", "scott", "PROD"),
            ("oracle://scott@prod_low.world?event=x", "scott", "prod_low.world"),
            ("oracle://c##mon@[::1]:1521/S", "c##mon", "[::1]:1521/S"),
            ("oracle://c%23%23mon@h/S", "c##mon", "h/S"),
            ("oracle://\"A:b\"@h/S", "\"A:b\"", "h/S"),
            ("oracle://u@a:1521,b:1522/S:dedicated/i1", "u", "a:1521,b:1522/S:dedicated/i1"),
            ("oracle+tcps://u@h:2484/S", "u", "tcps://h:2484/S"),
            (
                "oracle://u@(DESCRIPTION=(ADDRESS=(HOST=h)(PORT=1))(CONNECT_DATA=(SID=x)))?inst=1",
                "u",
                "(DESCRIPTION=(ADDRESS=(HOST=h)(PORT=1))(CONNECT_DATA=(SID=x)))",
            ),
        ] {
            assert_eq!(thin(text), (user.to_owned(), connect.to_owned()), "{text}");
        }
    }

    #[test]
    fn sqlplus_logs_on_as_its_connect_command_does() {
        for (text, expected) in [
            ("sqlplus:", "/ as sysdba"),
            ("sqlplus:?event=log*", "/ as sysdba"),
            ("sqlplus:/ as sysdba", "/ as sysdba"),
            ("sqlplus:/", "/"),
            ("sqlplus:/@wallet_alias", "/@wallet_alias"),
            ("sqlplus:scott@prod?inst=2", "scott@prod"),
            ("sqlplus:scott@//db1:1521/SALES", "scott@//db1:1521/SALES"),
            ("sqlplus:\"sc/ott\"@prod", "\"sc/ott\"@prod"),
        ] {
            assert_eq!(logon(text), expected, "{text}");
        }
    }

    #[test]
    fn history_is_asked_of_a_database_reached_in_either_way() {
        let thin = read("awr:oracle://u@h/s?since=2026-11-01").expect("an address");
        assert!(thin.history);
        assert_eq!(thin.target(), "u@h/s");
        let local = read("awr:sqlplus:/ as sysdba").expect("an address");
        assert!(local.history);
        assert_eq!(local.target(), "sqlplus / as sysdba");
        for text in ["awr:", "awr:report.html", "awr:awr:oracle://u@h/s", "awr:disk:"] {
            assert!(message(text).contains("naming the file"), "{text}");
        }
    }

    #[test]
    fn passwords_are_refused_and_never_repeated() {
        for text in [
            "oracle://scott:Tiger1@db1/SALES",
            "oracle://scott/Tiger1@db1/SALES",
            "oracle://scott:Tiger1?x@db1/SALES",
            "oracle://scott:a@Tiger1@db1/SALES",
            "oracle+tcps://scott:Tiger1@db1/SALES",
            "oracle://scott@db1/SALES?password=Tiger1",
            "sqlplus:scott/Tiger1@prod",
            "sqlplus:scott/Tiger1",
            "sqlplus:scott/Tiger1 as sysdba",
            "sqlplus:scott/Tig?er1@prod",
            "awr:oracle://scott:Tiger1@db1/SALES",
            "awr:sqlplus:scott/Tiger1@prod",
        ] {
            let error = message(text);
            assert!(error.contains("ISOTHERM_ORACLE_PASSWORD"), "{text}: {error}");
            assert!(!error.contains("Tig"), "{text}: {error}");
        }
    }

    #[test]
    fn what_may_be_a_password_without_a_user_is_not_repeated() {
        for text in ["oracle://scott:Tiger\"@db1/SALES", "oracle://scott/Tiger", "oracle:Tiger"] {
            let error = message(text);
            assert!(error.contains("oracle://USER@HOST:PORT/SERVICE"), "{text}: {error}");
            assert!(!error.contains("Tig"), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_missing_or_of_another_form_is_explained() {
        for (text, part) in [
            ("oracle:x", "oracle://USER@HOST:PORT/SERVICE"),
            ("oracle://db1:1521/SALES", "oracle://USER@HOST:PORT/SERVICE"),
            ("oracle://@db1/SALES", "oracle://USER@HOST:PORT/SERVICE"),
            ("oracle://scott@", "which database?"),
            ("oracle://scott@?event=x", "which database?"),
            ("oracle://scott@db1:1521", "write db1:1521/SERVICE"),
            ("oracle://scott@db1:1521:ORCL", "(CONNECT_DATA=(SID=ORCL))"),
            ("oracle://scott@db1:port/S", "is not a database"),
            ("oracle://scott@db1:99999/S", "is not a database"),
            ("oracle://scott@db1/", "is not a database"),
            ("oracle://scott@a b/S", "is not a database"),
            ("oracle://scott@(DESCRIPTION=", "is not a database"),
            ("oracle+tcps://scott@PROD", "write oracle://"),
            ("oracle+tcps://u@(DESCRIPTION=(ADDRESS=(HOST=h)))", "write oracle://"),
            ("sqlplus:scott@prod\nhost rm", "one line"),
        ] {
            let error = message(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_password_is_ever_taken_or_repeated(
            form in "(awr:)?(oracle://|oracle\\+tcps://|sqlplus:)scott",
            slash in any::<bool>(),
            rest in "[ -~é]{0,12}",
        ) {
            let divider = if slash || form.contains("sqlplus") { '/' } else { ':' };
            let text = format!("{form}{divider}Tiger{rest}@db1/SALES");
            prop_assert!(!message(&text).contains("Tiger"), "{}", message(&text));
        }
    }
}
