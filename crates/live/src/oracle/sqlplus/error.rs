//! What an error of SQL*Plus means for the connection.

use isotherm_oracle::client::ends_session;

use crate::oracle::SessionError;

use super::answer::SqlPlusError;

/// Not connected, as SQL*Plus itself says.
const NOT_CONNECTED: u32 = 640;

/// An error met while connecting.
pub(crate) fn connecting(failure: &SqlPlusError, name: &str) -> SessionError {
    let message = format!("{name}: {}{}", failure.message, advice(failure));
    if failure.facility != "SP2" && is_lost(failure.code) {
        SessionError::Lost(message)
    } else {
        SessionError::Refused(message)
    }
}

/// An error met in a statement.
pub(crate) fn asking(failure: SqlPlusError, name: &str) -> SessionError {
    let lost = match failure.facility.as_str() {
        "SP2" => failure.code == NOT_CONNECTED,
        _ => is_lost(failure.code),
    };
    match failure {
        failure if lost => SessionError::Lost(format!("{name}: {}", failure.message)),
        SqlPlusError { code, message, .. } => SessionError::Sql { code, message },
    }
}

/// The connection is gone, or cannot be made at the moment: a service that the listener does not
/// know may be one that is not up yet.
fn is_lost(code: u32) -> bool {
    ends_session(code) || [12505, 12514].contains(&code)
}

/// What to do about an error met while connecting.
fn advice(failure: &SqlPlusError) -> &'static str {
    match (failure.facility.as_str(), failure.code) {
        ("ORA", 1017) => ": check the user name and the password",
        ("ORA", 28000) => ": the account must be unlocked (alter user ... account unlock)",
        ("ORA", 28001) => ": the password must be changed, which SQL*Plus does when used by hand",
        ("ORA", 1031) => {
            ": run as a user of the group dba for '/ as sysdba', or name a user and password"
        }
        ("ORA", 1045) => ": grant create session to the user",
        ("ORA", 12162 | 12546 | 27101 | 1034) => {
            ": set ORACLE_SID (and ORACLE_HOME) to those of an instance that runs on this machine"
        }
        ("ORA", 12154) => ": the alias must be in tnsnames.ora; set TNS_ADMIN to its directory",
        ("ORA", 28009) => ": SYS connects as sysdba",
        ("SP2", 667 | 750) => ": set ORACLE_HOME to the directory SQL*Plus was installed in",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(facility: &str, code: u32) -> SqlPlusError {
        SqlPlusError {
            facility: facility.into(),
            code,
            message: format!("{facility}-{code:05}: told"),
        }
    }

    #[test]
    fn only_what_trying_again_can_mend_is_lost() {
        let text_of = |code| connecting(&failure("ORA", code), "/ as sysdba");
        for code in [1034, 12541, 3113, 12514] {
            assert!(matches!(text_of(code), SessionError::Lost(_)), "{code}");
        }
        for code in [1017, 28000, 12154, 1031, 12162] {
            assert!(matches!(text_of(code), SessionError::Refused(_)), "{code}");
        }
        assert!(text_of(12162).to_string().contains("ORACLE_SID"));
        assert!(matches!(connecting(&failure("SP2", 306), "x"), SessionError::Refused(_)));
    }

    #[test]
    fn a_failed_statement_leaves_the_connection_unless_it_is_gone() {
        let text_of = |facility, code| asking(failure(facility, code), "scott@db");
        assert!(matches!(text_of("ORA", 942), SessionError::Sql { code: 942, .. }));
        assert!(matches!(text_of("ORA", 3113), SessionError::Lost(_)));
        assert!(matches!(text_of("SP2", 640), SessionError::Lost(_)));
        assert!(matches!(text_of("SP2", 734), SessionError::Sql { code: 734, .. }));
    }
}
